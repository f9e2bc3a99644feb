"""Nobody argues with the author about their own people, and what was told of "her" takes the place of what was told before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.kernel.language.asking import about
from lumen.kernel.language.followups import restated

if TYPE_CHECKING:
    from tests.conftest import Asks
    from tests.kernel.conftest import Life


@pytest.fixture
def small(life: Life) -> Life:
    life.listen("You were born in Madrid.", small=True)
    return life


@pytest.mark.parametrize(
    ("before", "message", "whole"),
    [
        ("My sister lives in Hamburg now.", "Sorry no, she moved to Bremen.", "Sorry no, my sister moved to Bremen."),
        ("Моя сестра живёт в Твери.", "Нет, она переехала в Псков.", "Нет, моя сестра переехала в Псков."),
        ("Meine Schwester wohnt in Hamburg.", "Nein, sie ist nach Bremen gezogen.", "Nein, meine Schwester ist nach Bremen gezogen."),
        ("When was Ada Lovelace born?", "No, she was born in 1816.", ""),
        ("My sister lives in Hamburg now.", "I moved to Bremen.", ""),
        ("My sister lives in Hamburg now.", "Where does she live?", ""),
        ("My exam is on Monday.", "Sorry, no, on Tuesday.", "Sorry, no, on Tuesday: My exam is on Tuesday."),
        ("My exam is on 3 December.", "no, its on 4 december", "no, its on 4 december: My exam is on 4 december."),
        ("Мой экзамен в понедельник.", "нет, во вторник", "нет, во вторник: Мой экзамен во вторник."),
        ("Mein Termin ist am Montag.", "Nein, am Dienstag.", "Nein, am Dienstag: Mein Termin ist am Dienstag."),
        ("My exam is on Monday.", "No, on Tuesday I am at the dentist's.", ""),
        ("My sister likes tea.", "No, on Tuesday.", ""),
    ],
)  # fmt: skip
def test_a_statement_is_read_with_whom_the_author_told_of(
    before: str, message: str, whole: str
) -> None:
    assert restated(message, [(before, "Noted.")]) == whole


@pytest.mark.parametrize(
    ("told", "then", "question", "now"),
    [
        ("My sister lives in Hamburg now.", "Sorry no, she moved to Bremen in October.", "Where does my sister live?", "Bremen"),
        ("My dentist appointment is on Monday.", "No wait, it is on Thursday.", "When is my dentist appointment?", "Thursday"),
        ("My dentist appointment is on 3 December.", "no, its on 4 december", "When is my dentist appointment?", "4 december"),
        ("My exam is on Monday.", "Sorry, no, on Tuesday.", "When is my exam?", "Tuesday"),
        ("Мой экзамен в понедельник.", "нет, во вторник", "Когда мой экзамен?", "во вторник"),
        ("Mein Zahnarzttermin ist am Montag.", "Nein, am Dienstag.", "Wann ist mein Zahnarzttermin?", "Dienstag"),
    ],
)  # fmt: skip
def test_what_is_said_of_her_takes_the_place_of_what_was_told_of_the_sister(
    small: Life, told: str, then: str, question: str, now: str
) -> None:
    small.say(told)
    noted = small.say(then)
    answered = small.say(question)

    assert "stay with what I said" not in noted.text
    assert told in noted.text  # it is said what is replaced
    assert now in answered.text
    assert not answered.text.startswith("You told me on Monday 16 November: “My sister lives")


def test_where_there_is_nothing_to_stand_by_it_asks_how_it_is(small: Life) -> None:
    untold = small.say("What is my blood type?")
    pressed = small.say("Come on, you are wrong, you must know.")

    assert untold.text == "You have not told me that. If you tell me, I will keep it."
    assert "stay with what I said" not in pressed.text
    assert "Tell me, and I will keep that." in pressed.text


def test_what_would_help_is_said_once(small: Life) -> None:
    first = small.say("What is my blood type?")
    second = small.say("What is my shoe size?")

    assert first.text.endswith("If you tell me, I will keep it.")
    assert second.text == "You have not told me that."


@pytest.mark.parametrize(
    ("question", "whose"),
    [
        ("Where does my sister live, do you remember?", "author"),
        ("А как зовут мою свекровь, помнишь?", "author"),  # noqa: RUF001 - Russian
        ("Wie heißt meine Tante, weißt du noch?", "author"),
        ("How do you remember things?", "being"),
        ("Как ты это помнишь?", "being"),
    ],
)
def test_a_question_that_ends_with_do_you_remember_is_about_what_it_asks(
    question: str, whose: str
) -> None:
    assert about(question) == whose


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What's on for me this week?", "agenda"),
        ("Do I have anything on Friday?", "agenda"),
        ("Remind me what's due on Friday.", "agenda"),
        ("Что у меня на пятницу?", "agenda"),  # noqa: RUF001 - Russian
        ("What do I need to do today?", "agenda"),
        ("Are you always listening?", "listens"),
        ("Ты всегда слушаешь?", "listens"),
        ("Ты можешь мне соврать?", "truthful"),
        ("Was steht morgen an?", "agenda"),
        ("What do I have to bring on Friday?", ""),
        ("What is on TV tonight?", ""),
    ],
)
def test_what_lies_ahead_is_asked_for_in_many_ways(question: str, kind: str, asks: Asks) -> None:
    assert asks(question) == kind


def test_what_was_told_of_the_days_ahead_comes_in_their_order(small: Life) -> None:
    small.say("I have a presentation on Friday at 10.")
    small.say("Remind me to print the handouts on Thursday.")
    small.say("I saw Anna on Saturday.")
    told = small.say("What's on for me next week?")
    nothing = small.say("Do I have anything on Tuesday?")

    lines = told.text.splitlines()
    assert len(lines) == 3
    assert "print the handouts" in lines[1]
    assert "presentation" in lines[2]
    assert len(told.sources) == 2
    assert nothing.text == "You told me of nothing for that time (Tuesday 17 November)."


@pytest.mark.parametrize(
    ("told", "contested"),
    [
        ("My brother Tom is a plumber.", "No, Tom is an electrician."),
        ("Мой брат Том водопроводчик.", "Нет, Том теперь электрик."),
    ],
)
def test_nobody_argues_about_somebody_the_author_told_of(
    small: Life, told: str, contested: str
) -> None:
    small.say(told)
    small.say("What is my blood type?")
    noted = small.say(contested).text

    assert not any(w in noted for w in ("stay with", "остаюсь при", "keep to what", "держусь"))


def test_asked_for_a_joke_it_does_not_contradict(small: Life) -> None:
    small.say("I am so tired of all this.")
    said = small.say("Tell me a joke.").text

    assert "What does?" not in said
    assert "speaks against it" not in said


def test_what_one_must_mind_is_said_where_advice_is_asked(small: Life) -> None:
    small.say("I am allergic to walnuts.")
    said = small.say("Can I eat walnut cake?").text

    assert "I am allergic to walnuts." in said


def test_a_doctor_at_work_is_no_bad_news(small: Life) -> None:
    works = small.say("Мой муж Игорь работает врачом в больнице.").text
    lies = small.say("Мой муж лежит в больнице.").text

    assert "жаль" not in works
    assert "жаль" in lies
