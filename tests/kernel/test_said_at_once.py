"""What a trusted model knows is said, in one call: how-tos, requests, replies without talk of what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kernel.deliberating import IRIS

from lumen.kernel.language.asking import of_author
from lumen.kernel.language.claims import KnownWords, left_by, read_reply, unposed
from lumen.kernel.language.followups import completed
from lumen.kernel.language.pronouns import addressed, of_the_author
from lumen.kernel.language.questions import asked, may_answer
from lumen.kernel.language.reading import asks_advice, asks_how, modality, sentences
from lumen.kernel.steps.p1_perceive import surface_of
from lumen.mind.substrates.embedded import RUNS_EMPTY

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

EGGS = "How do I boil eggs so that they stay soft?"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (EGGS, "Gently lower your eggs into the water. They need six minutes."),
        (EGGS, "You have to let the water boil first. Then six minutes are enough."),
        ("What can I cook with leeks?", "A soup: fry them in butter and add potatoes."),
        ("How do I freeze soup?", "Let your soup cool, then freeze it flat."),
    ],
)
def test_how_a_thing_is_done_is_said_as_the_model_says_it_in_one_call(
    life: Life, question: str, answer: str
) -> None:
    model = life.listen(answer)
    assert life.say(question).text == answer
    assert len(model.prompts) == 1


def test_a_task_is_done_though_asking_back_would_fit_too(life: Life) -> None:
    note = "Dear Mr Lund, thank you for watering the plants."
    life.listen(note)
    assert life.say("Help me write a thank-you note to my neighbour.").text == note


@pytest.mark.parametrize(
    "declines",
    [
        "I was not told about Leo.",
        "I am sorry, but I cannot assist with that.",
        "I am sorry, but I do not know the notes of what you told me.",
    ],
)
def test_what_is_told_is_not_answered_as_if_it_were_asked(life: Life, declines: str) -> None:
    life.listen(declines)
    assert life.say("My son Leo started piano lessons.").text == (
        "Noted: your son Leo started piano lessons."
    )


def test_that_it_is_a_program_is_no_answer(life: Life) -> None:
    life.listen("As a companion, I hold dear coherence. I am not programmed to answer that.")
    assert life.say("Why is the sea salty?").text == "I do not know."


@pytest.mark.parametrize("asked_so", ["What is your favourite tea?", "What is your favorite tea?"])
def test_what_was_just_told_is_not_asked_for(life: Life, asked_so: str) -> None:
    life.listen(asked_so)
    assert life.say("My favourite tea is rooibos.").text == "Noted: your favourite tea is rooibos."


def test_that_something_else_was_not_told_may_be_said_to_what_was(life: Life) -> None:
    wonders = "How nice! You have not told me with whom. Who teaches him?"
    life.listen(wonders)
    assert life.say("My son Leo started piano lessons.").text == wonders


def test_what_an_author_told_of_themselves_is_not_said_as_the_beings_own(life: Life) -> None:
    life.tell("My favourite tea is rooibos.")
    life.listen("Sunday 15 November: My favourite tea is rooibos.")
    assert "our favourite tea is rooibos" in life.say("What is my favourite tea?").text
    life.listen("I like rooibos.")
    assert "I like" not in life.say("Which tea do I like best?").text


def test_only_notes_that_speak_of_it_are_shown_for_what_is_asked_of_the_world(life: Life) -> None:
    life.tell("I take my tablets at seven.", "The rice is in the blue box.")
    model = life.listen("About forty minutes.")
    life.say("How long must brown rice boil?")
    assert "tablets" not in model.shown()
    assert "blue box" in model.shown()


def test_what_is_to_be_done_with_quoted_words_is_asked_without_the_conversation(life: Life) -> None:
    model = life.listen("« Où est la gare ? »")
    life.say("Why do herons wait?")
    life.say("Why do storks fly?")
    assert "herons" in model.prompts[-1].user
    life.say('Translate "Where is the train station?" into French.')
    assert "storks" not in model.prompts[-1].user


@pytest.mark.parametrize(
    ("message", "reply", "unsupported"),
    [
        (EGGS, "Fill a pot with enough water to cover your eggs.", False),
        (EGGS, "Your eggs are done after six minutes.", False),
        ("What are the pros of working from home?", "You work at your own pace.", True),
        ("What are the pros of working from home?", "One can work at your own pace.", False),
        ("How do I fall asleep?", "Leave your phone in the kitchen.", False),
        (EGGS, "Your mother boils them for six minutes.", True),
        (EGGS, "Give them to your husband Pedro.", True),
        ("How do I fall asleep?", "Your new flat is noisy, so use earplugs.", True),
        (EGGS, "2. Timing: If they are cold and you are in a hurry, add a minute.", False),
        ("I bought a bike.", "Your old bike was stolen in May.", True),
        ("What can I cook?", "Your diet is vegan, so use tofu.", True),
        ("Is tea healthy?", "Your doctor warned you about it.", True),
    ],
)
def test_your_is_a_claim_only_where_something_is_said_of_what_is_owned(
    message: str, reply: str, unsupported: bool
) -> None:
    (read,) = read_reply(reply, KnownWords(message))
    assert read.unsupported is unsupported


def test_where_only_the_author_can_have_told_any_your_is_a_claim() -> None:
    known = KnownWords("Where are my keys?", asks_memory=True)
    (read,) = read_reply("Look on top of your piano.", known)
    assert not read.unsupported  # advice
    (read,) = read_reply("They lie beneath your piano.", known)
    assert read.unsupported


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        (
            "As a language model, I do not have feelings, so I cannot say that. However, I can "
            'provide you with the translation:\n"Good night" is "buenas noches".',
            '"Good night" is "buenas noches".',
        ),
        (
            "As a companion, I hold dear coherence. I would learn the guitar.",
            "I would learn the guitar.",
        ),
        (
            "As a companion, I hold dear coherence. I am not programmed to judge. A pro is time.",
            "A pro is time.",
        ),
        ("I cannot eat it, but it is good soup.", "I cannot eat it, but it is good soup."),
    ],
)
def test_talk_of_what_it_is_goes_from_an_answer(reply: str, left: str) -> None:
    assert left_by(reply, KnownWords("What do you say?"))[0] == left


def test_a_reply_does_not_open_with_what_it_speaks_as() -> None:
    assert unposed("As a friend, I would wait. Then ask.") == "I would wait. Then ask."
    assert unposed("As a nurse, she knows.") == "As a nurse, she knows."


def test_what_the_author_calls_theirs_is_theirs_in_the_reply() -> None:
    asked_so = "How can I stop my glasses from fogging up?"
    said = "To stop my glasses from fogging up, I can clean the lenses."
    assert of_the_author(said, asked_so) == (
        "To stop your glasses from fogging up, you can clean the lenses."
    )
    assert of_the_author("My view is: soap.", asked_so) == "My view is: soap."
    told = ("My favourite tea is rooibos.",)
    assert addressed("I like rooibos.", told, "Which tea do I like best?") == "You like rooibos."
    assert addressed("I was not told.", told, "Which tea do I like best?") == "I was not told."


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('Rewrite this so that it sounds friendlier: "Send it today."', "task"),
        ("Make a short list of things to do on a rainy day.", "task"),
        ("I need an idea for a present for a boy of ten.", "task"),
        ("Tell me something interesting about octopuses.", "question"),
        ("I need a new phone.", "statement"),
        ("I make a list every morning.", "statement"),
        ("Formuliere das höflicher.", "task"),
        ("Перепиши это вежливее.", "task"),
    ],
)
def test_what_is_asked_for_is_no_statement(text: str, kind: str) -> None:
    assert modality(text) == kind


@pytest.mark.parametrize(
    ("text", "theirs"),
    [
        ("Tell me why the sky is blue.", False),
        ("Could you explain to me how vaccines work?", False),
        ("Tell me where my sister lives.", True),
        ("Erklär mir, warum der Himmel blau ist.", False),
        ("Скажи мне, почему небо голубое.", False),
    ],
)
def test_who_is_to_be_told_is_not_whom_it_is_about(text: str, theirs: bool) -> None:
    assert of_author(text) is theirs


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("What can I cook with leeks?", True),
        ("Where can I buy stamps?", True),
        ("Where can I find my passport?", False),
        ("What can I not eat?", False),
        ("I burned the rice again, what am I doing wrong?", True),
        ("Why do I sneeze in the sun?", True),
        ("Why did I sell the car?", False),
        ("How do I take my coffee?", False),
        ("How do I clean my oven?", True),
    ],
)
def test_what_is_to_be_done_is_told_from_what_was_told(text: str, advice: bool) -> None:
    assert asks_advice(text) is advice


def test_how_it_is_done_is_told_from_what_would_be_wise() -> None:
    assert asks_how(EGGS)
    assert asks_how("Can I freeze cooked pasta?")
    assert not asks_how("Should I sell the house?")
    assert not asks_how("What should I do about my mother?")


def test_asking_what_went_wrong_doubts_nothing(life: Life) -> None:
    life.listen("Vaccines train the body.")
    life.say("How do vaccines work?")
    life.listen("The heat was too high.")
    assert life.say("I burned the rice, what am I doing wrong?").text == "The heat was too high."


def test_whether_it_is_better_speaks_of_nothing_before() -> None:
    before = (("My favourite tea is rooibos.", "Noted: your favourite tea is rooibos."),)
    assert completed("Is it better to learn guitar or piano first?", before) == ""
    assert completed("Is it good?", before) == "Is my favourite tea good?"


def test_a_mark_of_a_thought_that_was_not_opened_is_not_said(life: Life) -> None:
    life.listen("Guitar is versatile. ⟧")
    assert life.say("Why do people learn the guitar?").text == "Guitar is versatile."


def test_a_word_that_is_asked_about_is_no_mood_of_the_being() -> None:
    assert asked('Can you give me a synonym for "happy"?')[0] == ""
    assert asked("Can you give me another word for sad?")[0] == ""
    assert asked("Are you sad?")[0] == "moods"
    assert surface_of("Can you explain inflation?", IRIS).about == "world"


def test_a_request_for_a_joke_answers_nothing_later() -> None:
    assert not may_answer("Tell me a joke about a dentist.")
    assert may_answer("My dentist is called Dr Weiss.")


def test_the_number_of_an_item_opens_it_and_is_no_sentence() -> None:
    text = "Do this:\n1. Fill a pot.\n2. Boil it. Then wait."
    assert [text[a:b] for a, b in sentences(text)] == [
        "Do this:",
        "1. Fill a pot.",
        "2. Boil it.",
        "Then wait.",
    ]


def test_a_list_that_runs_empty_is_ended() -> None:
    assert RUNS_EMPTY.search("16. A radio. 17. 18. 19. 20. ")
    assert not RUNS_EMPTY.search("1. Water. 2. Bread. 3. Salt. 4. Oil.")


def test_a_list_stays_one_where_a_line_of_it_was_said_twice(life: Life) -> None:
    life.listen("Do this:\n1. Boil it.\n2. Wait.\nThen eat.\nThen eat.")
    assert life.say(EGGS).text == "Do this:\n1. Boil it.\n2. Wait. Then eat."
