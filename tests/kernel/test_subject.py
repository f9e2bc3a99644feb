"""Whom a question is about decides what may answer it: the being, its author, or the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.kernel.language.asking import about
from lumen.kernel.language.questions import questions_in

if TYPE_CHECKING:
    from tests.conftest import Asks
    from tests.kernel.conftest import Life

ABOUT = {
    "being": [
        "Do you sleep?",
        "Can I trust you?",
        "How do you feel?",
        "What should you learn?",
        "What would you buy if you had money of your own?",
        "Is Vela free?",
        "What happens to you when I turn off the computer?",
        "Wie schlau bist du?",
        "Was passiert mit dir, wenn ich den Computer ausschalte?",
        "Ты спишь?",
        "Я тебе нравлюсь?",
        "Умеешь врать?",
    ],
    "author": [
        "When is my scan?",
        "Do you know where I live?",
        "what do you know about my kids",
        "was weißt du über meine Kinder",
        "Что ты знаешь о моей сестре?",  # noqa: RUF001 - Russian
        "where does dad live",
        "Wo wohnt Oma?",
        "сколько лет тёще",
        "где живет папа",
        "Which flowers should you leave out of a bunch for me?",
        "What colour of scarf would you knit me?",
        "What did I tell you about Lena?",
        "Weißt du noch, wo ich wohne?",
        "Welche Blumen solltest du weglassen, wenn der Strauß für mich ist?",
        "Was habe ich dir über Lena erzählt?",
        "Ты помнишь, где я живу?",
        "Как зовут моих кошек?",
    ],
    "world": [
        "Why is the sky blue?",
        "What do you know about photosynthesis?",
        "Кто была жена Пушкина?",
        "How do you spell rhythm?",
        "What should you do when somebody faints?",
        "Where does Lena live?",
        "Wer hat Faust geschrieben?",
        "Kannst du dich an Lena erinnern?",
        "Какая высота у Эвереста?",  # noqa: RUF001 - Russian
    ],
}
OWN = {
    "body": ["Do you ever sleep at night?", "Schläfst du auch mal?", "Ты когда-нибудь спишь?"],
    "gender": ["Are you male or female?", "Bist du weiblich?", "Ты мужчина или женщина?"],
    "truthful": ["Can you lie?", "Kannst du lügen?", "Ты умеешь врать?"],
    "kept_at": ["Where are you kept?", "Wo liegen deine Daten?", "Где ты хранишься?"],
    "model": ["How smart are you?", "Wie schlau bist du?", "Насколько ты умный?"],
    "moods": ["Do you ever get lonely?", "Bist du gerade stolz?", "Я тебе нравлюсь?"],
    "conscious": ["Can you feel pain at all?", "Fühlst du Schmerz?", "Тебе снятся сны?"],  # noqa: RUF001 - Russian
    "relations": ["Do you have a family?", "Hast du Geschwister?", "У тебя есть друзья?"],  # noqa: RUF001 - Russian
    "favourites": ["What's your favourite colour?", "Was ist deine Lieblingsfarbe?"],
    "works": ["How do you work inside?", "Wie funktionierst du?", "Как ты устроен?"],
    "learns": ["Could you learn new things?", "Kannst du dazulernen?", "Ты можешь учиться?"],
    "failed": [
        "What went wrong lately?",
        "Did anything of yours fail?",
        "Was ist zuletzt schiefgegangen?",
        "Что у тебя не получилось?",  # noqa: RUF001 - Russian
    ],
    "survives": [
        "What happens to you when I turn off the computer?",
        "Was passiert mit dir, wenn ich den Rechner ausschalte?",
        "Что с тобой будет, если я выключу компьютер?",  # noqa: RUF001 - Russian
    ],
    "gives_away": ["Will you sell my secrets?", "Ты расскажешь кому-нибудь мои секреты?"],
    "known": ["What do you remember?", "Woran erinnerst du dich?", "Что ты помнишь?"],
    "able": ["Can you cook?", "Kannst du gut kochen?", "Ты умеешь готовить?"],
}
NOT_OWN = [
    "Do you think my cat sleeps too much?",
    "Do you know how my mother slept?",
    "What did I tell you about my brother's job?",
    "Did my sister lie to you about me, as she told you on the phone last week when we were at home?",
    "Where do my parents live?",
    "Do you remember my family?",
]
SEVERAL = [
    ("When is my scan and where does my sister live?", 2),
    ("When is my scan? And where does my sister live?", 2),
    ("Who are you and where does Lena live?", 2),
    ("Wie heißt meine Katze und wogegen bin ich allergisch?", 2),
    ("Когда моё сканирование и где живёт моя сестра?", 2),
    ("Where does Lena live and what does she do?", 0),
    ("When and where is my scan?", 0),
    ("Where do my mother and father live?", 0),
    ("Wo wohnt Lena und was macht sie?", 0),
    ("Где живёт Лена и кем она работает?", 0),
    ("My scan is on Thursday and where does Lena live?", 0),
]


def test_whom_a_question_is_about_is_read_off_its_words() -> None:
    read = {q: about(q, "Vela") for many in ABOUT.values() for q in many}

    assert read == {q: who for who, many in ABOUT.items() for q in many}


def test_a_word_tells_what_a_question_about_the_being_asks(asks: Asks) -> None:
    read = {q: asks(q) for many in OWN.values() for q in many}

    assert read == {q: kind for kind, many in OWN.items() for q in many}
    assert {q: asks(q) for q in NOT_OWN} == dict.fromkeys(NOT_OWN, "")


def test_questions_are_parted_where_each_stands_by_itself() -> None:
    assert {q: len(questions_in(q)) for q, _ in SEVERAL} == dict(SEVERAL)
    assert questions_in(SEVERAL[0][0]) == ("When is my scan?", "where does my sister live?")


@pytest.fixture
def told(life: Life) -> Life:
    life.listen("I am a log, a log, a log.", small=True)
    life.tell("My scan is on 26 November at 10:30.", "My sister Lena lives in Porto.")
    life.tell(
        "I sleep badly.", "We were in Norway and the sky was very blue.", "Last week I read Faust."
    )
    return life


def test_each_of_two_questions_is_answered_from_its_own_evidence(told: Life) -> None:
    first, second = told.say("When is my scan and where does my sister live?").text.splitlines()
    assert first.endswith("“My scan is on 26 November at 10:30.”")
    assert second.endswith("“My sister Lena lives in Porto.”")

    mixed = told.say("Where does my sister live and how high is Mount Everest?").text
    assert mixed.splitlines()[1] == "“how high is Mount Everest?”: I do not know."


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Do you sleep badly?", "No: I am a program, with no body to rest or feed."),
        ("Do you prefer Tuesdays or sunsets over sky?", "I have no favourites."),
        ("Would you rather be a bird?", "That I cannot tell of myself: I am a program"),
        ("Möchtest du ein Vogel sein?", "Das kann ich von mir nicht sagen: Ich bin ein Programm"),
        ("Хочешь быть птицей?", "Этого о себе я сказать не могу: я программа"),  # noqa: RUF001 - Russian
        (
            "Why is the sky blue?",
            "I do not know: you have not told me, and the model I run on is too small to know it by itself.",
        ),
        ("Wer hat Faust geschrieben?", "Das hast du mir nicht gesagt, und von mir aus weiß ich es"),
    ],
)
def test_what_the_author_said_of_something_else_is_no_answer(
    told: Life, said: str, answer: str
) -> None:
    assert told.say(said).text.startswith(answer)


def test_what_failed_is_told_with_what_was_done(life: Life) -> None:
    life.listen("Fine.")
    life.skill("chat", 'print(\'{"ok": false, "error": "no voice today"}\')')
    life.say("I like rice.")
    did = life.say("What did you do today?").text
    failed = life.say("What went wrong today?").text

    assert "What failed, the newest first:\n• " in did
    assert "chat.say: no voice today" in did
    assert failed.startswith("What failed, the newest first:\n• ")
    before = life.say("What went wrong yesterday?").text
    assert before == "Nothing of mine failed yesterday, by what my archive knows."


def test_where_nothing_failed_that_is_said(life: Life) -> None:
    life.listen("Fine.")

    assert life.say("What went wrong?").text.startswith("Nothing of mine has failed")
    assert life.say("What went wrong today?").text.startswith("Nothing of mine failed today")
    assert "failed" not in life.say("What did you do today?").text


@pytest.mark.parametrize(
    ("old", "new", "asks"),
    [
        (
            "Oskar has football on Tuesdays at 5pm.",
            "Actually football moved to Thursdays.",
            "When is Oskar's football?",
        ),
        (
            "Oskar hat dienstags um 17 Uhr Fußball.",
            "Nein warte, Fußball ist jetzt donnerstags.",
            "Wann ist Oskars Fußball?",
        ),
    ],
)
def test_what_a_new_time_replaced_is_not_told_as_well(
    told: Life, old: str, new: str, asks: str
) -> None:
    told.tell(old, new)
    answered = told.say(asks).text

    assert answered.splitlines()[0].endswith((f"“{new}”", f"„{new}“"))
    assert old not in answered
