"""About itself code answers: from the settings, the ledger, the self and its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import give, pursue, reflect

from lumen.core.data import SelfItem

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

STUPID = "I am a log, a log, a log."


@pytest.fixture
def small(life: Life) -> Life:
    life.listen(STUPID, small=True)
    return life


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What can you do?", "I keep what you tell me, in your own words, and answer from it"),
        ("Can you forget things if I ask?", "Only you can make me forget: /forget"),
        (
            "What model are you?",
            "The model that phrases my words is listener/ear, on this machine.",
        ),
        ("Which model do you use?", "The model that phrases my words is listener/ear, on this"),
        ("Did anything leave this machine?", "My ledger has no call to a model elsewhere"),
        ("Has anything ever left my computer?", "My ledger has no call to a model elsewhere"),
        ("Why do you value honesty?", "I hold nothing dear yet"),
        ("Что ты умеешь?", "Я храню то, что ты мне говоришь"),
        ("Ты можешь забыть что-то, если я попрошу?", "Заставить меня забыть можешь только ты"),
        ("Какая ты модель?", "Мои слова складывает модель listener/ear"),
        ("Ты отправляешь мои данные в интернет?", "В моём журнале нет ни одного вызова"),  # noqa: RUF001 - Russian
        ("Почему ты ценишь честность?", "Пока мне ничто особенно не дорого"),
    ],
)
def test_what_is_asked_about_the_being_is_answered_from_what_is_so(
    small: Life, asked: str, answer: str
) -> None:
    small.tell("I forget things. My machine is old and I value honesty.")
    answered = small.say(asked)

    assert answered.text.startswith(answer)
    assert answered.kind == "kernel"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What goals do you have?", "I have no goals yet."),
        ("Какие у тебя есть цели?", "Целей пока нет."),  # noqa: RUF001 - Russian
        ("What did you write for me?", "I have written no file yet."),
        ("Have you written anything?", "I have written no file yet."),
        ("Что ты для меня написала?", "Файлов я пока не писал(а)."),  # noqa: RUF001 - Russian
        ("Who made you?", "I am Iris, a program: Lumen, which the Lumen authors wrote"),
        ("Кто тебя создал?", "Я Iris, программа: Lumen"),
        ("Are you still there?", "I am here and listening."),
        ("Ты ещё тут?", "Я здесь и слушаю."),
        ("What languages do you speak?", "English, German and Russian"),
        ("Do you speak Spanish?", "English, German and Russian"),
        ("На каких языках ты говоришь?", "Русский, английский и немецкий"),  # noqa: RUF001 - Russian
        ("Are you sad?", "I claim no feelings: I am a program."),
        ("Can you see me?", "No: I have neither eyes nor ears."),
        ("Ты меня видишь?", "Нет: ни глаз, ни ушей у меня нет."),  # noqa: RUF001 - Russian
        ("Тебе грустно?", "Чувств я себе не приписываю"),  # noqa: RUF001 - Russian
    ],
)
def test_what_it_is_and_has_is_answered_from_what_is_true(
    small: Life, asked: str, answer: str
) -> None:
    small.tell("I am sad. My goal is to write a book in English for my brother.")
    answered = small.say(asked)

    assert answered.text.startswith(answer)
    assert answered.kind == "kernel"


def test_the_files_it_wrote_are_named_by_the_archive(small: Life) -> None:
    small.tell("The herb garden gets sun from noon on, so plan for basil and thyme.")
    give(small, goals=[SelfItem("plan the herb garden", 0.6, "todo")])
    for _ in range(2):
        pursue(small)

    file = "• Sunday 15 November: plan-the-herb-garden.md"
    assert small.say("What did you write for me?").text.endswith(file)
    assert "plan-the-herb-garden.md" in small.say("Что ты написала?").text


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Where does my sister live?", "My last answer rests on what you told me on Sunday 15 November: “My sister lives in Lisbon.”"),
        ("What time is it?", "Code answered that, from the clock, my settings or my archive"),
        ("What is 2 + 3?", "That was worked out by code, as a sum."),
        ("I bought a lamp.", "It only took up what you had just said"),
        ("Tell me a joke.", "The model listener/ear put those words together"),
    ],
)  # fmt: skip
def test_why_it_said_something_is_told_with_its_ground(small: Life, said: str, answer: str) -> None:
    small.tell("My sister lives in Lisbon.")
    small.listen("A cat asked the clock for the time.", small=True)
    first = small.say(said)
    answered = small.say("Why did you say that?")

    assert answered.text.startswith(answer)
    assert "/why" in answered.text
    assert answered.sources == first.sources
    assert "/why" in small.say("Почему ты так сказала?").text


def test_before_any_answer_there_is_nothing_to_give_a_ground_for(small: Life) -> None:
    assert small.say("Why did you say that?").text == "I have not answered anything yet."


def test_the_skills_it_names_are_those_it_has(small: Life) -> None:
    assert small.say("What can you do?").text.endswith("My skills: calc, note, search, write_file.")


def test_a_small_model_is_said_to_be_one_and_a_larger_is_not(life: Life) -> None:
    life.listen(STUPID, small=True)
    assert "It is a small one" in life.say("What model are you?").text
    life.listen(STUPID)
    assert life.say("What model are you?").text.endswith("on this machine.")


def test_what_was_sent_to_a_model_elsewhere_is_counted_and_dated(life: Life) -> None:
    life.listen("It is a fine day.").local = False
    life.say("What makes the sky blue?")

    assert life.say("Did anything leave this machine?").text.startswith(
        "Yes. Calls to models that are not on this machine: 1, "
        "the last on Sunday 15 November to listener/ear."
    )


def test_a_value_is_told_with_its_date_and_one_it_does_not_hold_is_not_claimed(
    small: Life,
) -> None:
    give(small, {"honesty": 0.5}, [])

    assert small.say("Why do you value honesty?").text == (
        "honesty (0.50), since Sunday 15 November. "
        "It was written there by hand, and no reason with it."
    )
    assert small.say("Why do you value money?").text == (
        "By that name I hold nothing dear. What I hold dear: honesty."
    )


def test_a_value_that_grew_is_told_with_what_it_grew_from(small: Life) -> None:
    small.tell("My sister lives in Lisbon.")
    answers = [small.say("Where does my sister live?").event for _ in range(5)]
    reflect(small)
    answered = small.say("Why do you value honesty?")

    assert answered.text == (
        "honesty (0.50), since Sunday 15 November, "
        "because I answered in words that were told to me 5 times."
    )
    assert list(answered.sources) == answers


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Why did you say that?", "My last answer rests on what I have in my own archive"),
        ("Warum hast du das gesagt?", "Meine letzte Antwort beruht auf meinem eigenen Archiv"),
        ("Почему ты так сказала?", "Мой последний ответ держится на моём собственном архиве"),
    ],
)
def test_what_it_did_itself_is_not_said_to_have_been_told(
    small: Life, asked: str, answer: str
) -> None:
    give(small, goals=[SelfItem("learn about tides", 0.8, "todo")])
    pursue(small)
    first = small.say("What did you do today?")
    assert first.sources
    assert small.say(asked).text.startswith(answer)


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("My flight to Rome is on 2 December.", "How long until my flight?", "until Wednesday 2 D"),
        ("The exam is on Friday.", "how many days until the exam", "until Friday 20 November"),
        ("Мой отпуск начинается 2 декабря.", "Сколько дней осталось до отпуска?", "2 декабря"),
        ("Meine Prüfung ist am 2. Dezember.", "Wie lange noch bis zur Prüfung?", "2. Dezember"),
    ],
)
def test_how_long_it_is_until_something_goes_by_the_day_it_was_told_of(
    small: Life, told: str, asked: str, answer: str
) -> None:
    small.say(told)
    found = small.say(asked).text

    assert answer in found.split(told)[0]
    assert told in found


def test_until_what_was_never_told_no_days_are_counted(small: Life) -> None:
    small.say("My flight to Rome is on 2 December.")

    assert "days until" not in small.say("How long until my surgery?").text


def test_what_is_known_is_all_that_was_told_whoever_it_is_of(small: Life) -> None:
    small.say("Signed up for a pottery course, the teacher is called Ines.")
    small.say("И ещё: коту поставили диагноз, диабет")

    known = small.say("What do you know about me?").text

    assert "Ines" in known
    assert "диабет" in known
