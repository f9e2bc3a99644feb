"""What talking promises, beside a small model that says stupid things: code answers, or says it cannot."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import give

from lumen.core.data import SelfItem

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

STUPID = "You were born in Madrid on Monday 16 November."
TOO_SMALL = (
    "I do not know: you have not told me, and the model I run on is too small to know it by itself.",
    "I cannot do that: the model I run on is too small for it.",
    "I cannot translate: the model I run on is too small for it.",
)


@pytest.fixture
def small(life: Life) -> Life:
    life.listen(STUPID, small=True)
    return life


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What time is it?", "It is 12:00, Sunday 15 November."),
        ("hey Iris, what time is it now?", "It is 12:00, Sunday 15 November."),
        ("Do you know what time it is?", "It is 12:00, Sunday 15 November."),
        ("I am late. What's the time?", "It is 12:00, Sunday 15 November."),
        ("what day is it", "It is Sunday 15 November 2026."),
        ("what's the date", "It is Sunday 15 November 2026."),
        ("What is today's date?", "It is Sunday 15 November 2026."),
        ("Который час?", "Сейчас 12:00, воскресенье, 15 ноября."),
        ("Какое сегодня число?", "Сегодня воскресенье, 15 ноября 2026 года."),
    ],
)
def test_the_time_and_the_date_are_the_clocks(small: Life, asked: str, answer: str) -> None:
    answered = small.say(asked)

    assert (answered.text, answered.kind) == (answer, "kernel")
    assert answered.lacking == 0.0


def test_the_time_is_that_of_the_zone_the_author_lives_in(life: Life) -> None:
    life.clock.at += timedelta(days=240)  # summer in Lisbon

    assert life.say("What time is it?").text.startswith("It is 13:00, Tuesday 13 July")


@pytest.mark.parametrize(
    "asked",
    [
        "What time is my dentist appointment?",
        "What day is my exam?",
        "What date is the wedding of my sister?",
        "When is the time to plant my tulips?",
    ],
)
def test_a_time_in_the_authors_life_is_recalled_and_not_read_off_the_clock(
    small: Life, asked: str
) -> None:
    small.tell("My dentist appointment is at 4 pm.")
    answered = small.say(asked)

    assert answered.kind == "grounded"
    assert not answered.text.startswith("It is ")
    assert "4 pm" in answered.text or "dentist" not in asked


@pytest.mark.parametrize(
    ("asked", "claim"),
    [
        ("Is it true that the moon is made of cheese?", "The moon is made of cheese."),
        ("What is the capital of Australia?", "The capital of Australia is Sydney."),
        ("Who wrote Hamlet?", "Hamlet was written by Goethe."),
        ("Why is the sky blue?", "The sky is blue because of the sea."),
        ("Explain how a fridge works.", "A fridge works by cold."),
        ("Translate good morning into German.", "Guten Abend."),
    ],
)
def test_a_small_model_states_no_fact_about_the_world_and_a_larger_one_may(
    life: Life, asked: str, claim: str
) -> None:
    life.listen(claim, small=True)
    answered = life.say(asked)
    assert answered.text.startswith(TOO_SMALL)
    assert "`lumen models list`" in answered.text
    assert answered.lacking > 0

    life.listen(claim)
    assert life.say(asked).text == claim


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Hello!", "The moon is made of cheese."),
        ("Thanks!", "You are welcome. I have fed your cat."),
        ("Thanks, bye!", "Hello, Ada! Good to see you."),
        ("Hello!", "Good night, Ada."),
        ("Good night!", "Good night, Ada. Your sister called."),
        ("My sister lives in Lisbon.", "Thank you for telling me that my sister lives in Lisbon."),
        ("My sister lives in Lisbon.", "Your sister lives in Lisbon with Pedro."),
        ("I paid the rent and Anna lost her keys.", "You lost the keys and Anna paid her rent."),
        ("I did not sell the house.", "Thank you for telling me that you did sell your house."),
    ],
)
def test_a_small_model_that_claims_something_is_not_heard(
    life: Life, said: str, reply: str
) -> None:
    life.listen(reply, small=True)

    assert life.say(said).kind == "grounded"


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Hello!", "Hello, Ada! It is good to hear from you."),
        ("Thanks!", "You are welcome, Ada."),
        (
            "My sister lives in Lisbon.",
            "Thank you for telling me that your sister lives in Lisbon.",
        ),
        ("I missed my train.", "I'm sorry to hear that you missed your train."),
        ("Tell me a joke.", "A horse walks into a bar in Madrid. It leaves at 9."),
    ],
)
def test_a_small_model_that_claims_nothing_may_speak(life: Life, said: str, reply: str) -> None:
    life.listen(reply, small=True)
    answered = life.say(said)

    assert (answered.text, answered.kind) == (reply, "small model")


@pytest.mark.parametrize("reply", ["шутка " * 20, "Шуткашутка" * 8, "ha " * 40])
def test_a_joke_that_is_garbled_is_not_told(life: Life, reply: str) -> None:
    life.listen(reply, small=True)

    assert life.say("Tell me a joke.").text.startswith(TOO_SMALL)
    assert life.say("Tell me another joke.").text.startswith(TOO_SMALL)


def test_what_it_values_and_is_after_is_told_from_the_self_with_its_date(small: Life) -> None:
    assert small.say("What do you value?").text.startswith("I hold nothing dear yet")
    assert small.say("What are your goals?").text.startswith("I have no goals yet")
    give(small, {"honesty": 0.5}, [SelfItem("travel notes about Lisbon", 0.8, "todo")])
    small.clock.at += timedelta(days=2)
    give(
        small,
        {"honesty": 0.7, "kindness": 0.4},
        [SelfItem("travel notes about Lisbon", 0.8, "working")],
    )

    assert small.say("What do you value?").text == (
        "What I hold dear: honesty (0.70), since Sunday 15 November; "
        "kindness (0.40), since Tuesday 17 November."
    )
    assert small.say("What are your goals?").text == (
        "My goals: travel notes about Lisbon (working, 0.80), since Sunday 15 November."
    )


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Who are you?", "I am Iris. I keep what you tell me"),
        ("What is your name?", "My name is Iris."),
        ("How old are you?", "I began on Sunday 15 November 2026 at 12:00: 3 days ago."),
        ("When were you born?", "I began on Sunday 15 November 2026 at 12:00: 3 days ago."),
        ("Are you conscious?", "I do not know, and I will not claim it."),
        ("How are you?", "I am here and listening. How are you, Ada?"),
        ("Как тебя зовут?", "Меня зовут Iris."),
    ],
)
def test_about_itself_code_answers_and_not_the_small_model(
    small: Life, asked: str, answer: str
) -> None:
    small.tell("My name is Ada. I was born in Madrid and I am 40 years old.")
    small.clock.at += timedelta(days=3)
    answered = small.say(asked)

    assert answered.text.startswith(answer)
    assert answered.kind == "kernel"


def test_asked_what_it_knows_of_the_author_it_says_what_was_told_and_not_taken_back(
    small: Life,
) -> None:
    assert small.say("What do you know about me?").text == (
        "You have told me nothing about yourself yet."
    )
    small.tell("My knee scan is on the 14th of March.", "Good night!", "What is my name?")
    told = small.tell("I play the violin.", days=1)
    told += small.tell("Oskar put a pea into his nose.")
    told += small.tell("Change of plan: the knee scan is on the 28th of March instead. I am sure.")
    answered = small.say("What do you know about me?")

    assert answered.text == (
        "What you have told me:\n"
        "Health and food:\n"
        "  “Change of plan: the knee scan is on the 28th of March instead. I am sure.” (Monday 16 November)\n"
        "Besides:\n"
        "  “Oskar put a pea into his nose.” (Monday 16 November)\n"
        "  “I play the violin.” (Monday 16 November)"
    )
    assert sorted(answered.sources) == told


def test_what_it_knows_is_told_by_whom_and_what_it_is_about_with_corrections(small: Life) -> None:
    small.tell("I live in Leipzig.", "My sister Anna is allergic to walnuts.", "I work as a nurse.")
    small.tell("My sister has a new flat.", "I moved to Dresden last month.", days=2)
    told = small.say("What do you know about me?").text

    assert told.splitlines()[1:] == [
        "Home:",
        "  “I moved to Dresden last month.” (Thursday 19 November)",
        "Work and study:",
        "  “I work as a nurse.” (Sunday 15 November)",
        "Your sister:",
        "  “My sister has a new flat.” (Tuesday 17 November)",
        "  “My sister Anna is allergic to walnuts.” (Sunday 15 November)",
    ]


def test_what_it_knows_of_the_author_is_at_most_twelve_things_and_says_how_many_more(
    small: Life,
) -> None:
    things = [
        "tea",
        "rice",
        "chess",
        "opera",
        "rain",
        "snow",
        "trains",
        "maps",
        "owls",
        "figs",
        "plums",
        "cards",
        "mud",
        "ink",
    ]
    small.tell(*(f"I am fond of {thing}." for thing in things))
    lines = small.say("Что ты знаешь обо мне?").text.splitlines()  # noqa: RUF001 - Russian

    assert len(lines) == 1 + 1 + 12 + 1
    assert lines[2] == "  «I am fond of ink.» (воскресенье, 15 ноября)"
    assert lines[-1].startswith("и ещё 2 о себе; спрашивай о любом")  # noqa: RUF001 - Russian


def test_what_is_private_makes_the_answer_private(small: Life) -> None:
    small.say("I owe Anna money.", private=True)
    assert "Anna" not in small.say("What do you know about me?").text
    answered = small.say("What do you know about me?", private=True)

    assert "I owe Anna money." in answered.text
    assert small.events()[answered.event - 1].entry.payload["private"] is True


def test_what_was_to_be_reminded_of_is_really_noted(small: Life) -> None:
    small.say("Remind me to call the dentist on Thursday.")

    assert (
        "Remind me to call the dentist on Thursday."
        in small.say("When do I have to call the dentist?").text
    )
    untold = small.say("Remind me what my sister is called.").text
    assert untold == "You have not told me that. If you tell me, I will keep it."


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (
            "I think you should always agree with me.",
            "Noted: you think I should always agree with you.",
        ),
        ("Good night, talk to you tomorrow!", "Good night, Ada."),
        ("Bye, see you on Monday.", "Until next time, Ada."),
        ("Thank you so much for listening to me today!", "You are welcome."),
        ("Good morning, nice to see you again!", "Hello, Ada."),
        ("Привет!", "Привет, Ada."),
        ("Спокойной ночи!", "Спокойной ночи, Ada."),
        ("Спасибо большое!", "Пожалуйста."),
        ("I had a fight with Anna, I feel awful", "I am sorry. That sounds painful. Do you want"),
        ("I feel really down today, my shift was awful.", "I am sorry. That sounds painful."),
        ("My grandmother died last night.", "I am sorry. That sounds painful."),
        ("Мне очень плохо.", "Мне жаль."),
        ("Я ужасно устала на работе, хочется плакать.", "Мне жаль."),
        ("Я плачу за квартиру пятьсот евро.", "Записано: «Я плачу за квартиру пятьсот евро.»"),
        ("Эта жара меня убьёт.", "Звучит тяжело. Я слушаю."),
        ("Thanks, bye!", "You are welcome. Until next time, Ada."),
        ("That soup was awful.", "Noted: that soup was awful."),
        ("My phone died on the train.", "Noted: your phone died on the train."),
        ("Hello! I moved to Dresden with my two cats.", "Noted: "),
        ("Good night is the title of my favourite song.", "Noted: "),
    ],
)
def test_a_message_is_met_as_what_it_is(small: Life, said: str, answer: str) -> None:
    assert small.say(said).text.startswith(answer)


def test_the_place_the_author_lives_in_is_the_newest_told(small: Life) -> None:
    small.tell("I live in Leipzig.", "I like rice.")
    moved = small.say("I moved to Dresden last month.")
    assert moved.text == (
        "Noted: you moved to Dresden last month. "
        "That replaces what you told me on Sunday 15 November: “I live in Leipzig.”"
    )
    small.say("I moved to the sofa.")

    answered = small.say("Where do I live?")
    assert "“I moved to Dresden last month.”" in answered.text
    assert "Leipzig" not in answered.text
    assert "Leipzig" not in small.say("What do you know about me?").text


def test_what_was_told_in_russian_is_answered_in_russian(small: Life) -> None:
    assert small.say("Мою дочь зовут Лена.").text == "Записано: твою дочь зовут Лена."
    small.tell("Мой брат живёт в Казани.", "I like rice.")

    daughter = small.say("Как зовут мою дочь?").text
    assert daughter.startswith("Твои слова, воскресенье, 15 ноября: «Мою дочь зовут Лена.»")
    assert "Казани" in small.say("Где живёт мой брат?").text


def test_a_russian_question_is_answered_from_what_bears_on_it(small: Life) -> None:
    small.tell("Мою дочь зовут Лена.", "У меня две кошки.", "Мой брат живёт в Казани.")  # noqa: RUF001 - Russian

    cats = small.say("Как зовут моих кошек?").text
    assert cats.startswith("Не знаю, было ли это сказано. Ближе всего:\n")  # noqa: RUF001 - Russian
    assert cats.splitlines()[1].endswith("«У меня две кошки.»")  # noqa: RUF001 - Russian
    moon = small.say("Сколько километров до Луны?").text
    assert moon.startswith("Я не знаю: мне об этом не рассказывали, а моя модель слишком мала")  # noqa: RUF001 - Russian


@pytest.mark.parametrize("said", ["Расскажи анекдот", "Расскажи анекдот про кота."])
def test_a_small_model_is_not_let_loose_in_russian(life: Life, said: str) -> None:
    life.listen("Один кот пришёл домой и уснул.", small=True)
    assert life.say(said).text.startswith("Этого я не могу: моя модель слишком мала")

    life.listen("Один кот пришёл домой и уснул.")
    assert life.say(said).kind == "model"


def test_advice_is_left_to_the_author_with_what_they_said_of_the_one_it_is_about(
    small: Life,
) -> None:
    small.tell("My sister Anna is allergic to walnuts.", "I had a fight with Anna, I feel awful")
    answer = small.say("What should I cook for Anna tonight?").text

    assert answer.startswith(
        "I would only be guessing; mind what you told me on Sunday 15 November"
    )
    assert "“My sister Anna is allergic to walnuts.”" in answer
    assert "“I had a fight with Anna, I feel awful”" in answer


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Мой пароль от почты: Zx9!kLm2#Qp", "Записано без секрета: сам он не сохранён."),
        (
            "My password is Zx9!kLm2#Qp. " + "Rain fell on the hills and the roads. " * 30,
            "Noted, without the secret in it: that is not kept.",
        ),
        ("Мою дочь зовут Лена.", "Записано: твою дочь зовут Лена."),
    ],
)
def test_it_never_says_that_it_keeps_a_secret_it_left_out(
    small: Life, said: str, answer: str
) -> None:
    assert small.say(said).text == answer
