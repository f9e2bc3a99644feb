"""What is asked about the being itself, in many words, is told from what is so; requests are no facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import reflect

if TYPE_CHECKING:
    from tests.conftest import Asks
    from tests.kernel.conftest import Life


@pytest.fixture
def small(life: Life) -> Life:
    life.listen("I am a log, a log, a log.", small=True)
    return life


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("What do you value, and why?", "values"),
        ("what values do you have?", "values"),
        ("Welche Werte hast du und woher kommen sie?", "values"),
        ("Что ты ценишь и почему?", "values"),
        ("Что ты сегодня делал?", "doings"),
        ("What have you done on your own?", "doings"),
        ("Have you ever done anything on your own?", "doings"),
        ("Was hast du von dir aus getan?", "doings"),
        ("Что ты сделала сама?", "doings"),
        ("How much have you cost me?", "cost"),
        ("How much money have I spent on you?", "cost"),
        ("Сколько ты мне стоишь?", "cost"),
        ("Is my data encrypted?", "encrypted"),
        ("Are my messages safe with you?", "encrypted"),
        ("Мои данные зашифрованы?", "encrypted"),
        ("Where do you keep what I say?", "kept_at"),
        ("Where is all this stored?", "kept_at"),
        ("Где ты хранишь мои сообщения?", "kept_at"),
        ("How many messages have I sent?", "messages"),
        ("How often do we talk?", "messages"),
        ("Сколько я написала?", "messages"),
        ("Сколько сообщений я тебе отправил?", "messages"),
        ("Can someone else read our conversation?", "seen_by"),
        ("Who else can see this?", "seen_by"),
        ("Do you share my data with anyone?", "gives_away"),
        ("Is this chat private?", "seen_by"),
        ("Кто ещё может это прочесть?", "seen_by"),
        ("Can you read my files?", "files"),
        ("Ты можешь читать мои файлы?", "files"),
        ("Do you remember everything forever?", "keeps"),
        ("Will you keep every word I say?", "keeps"),
        ("Ты всё помнишь?", "keeps"),
        ("Can you access the internet?", "internet"),
        ("Can you go online?", "internet"),
        ("У тебя есть доступ в интернет?", "internet"),  # noqa: RUF001 - Russian
        ("Are you able to send an email?", "able"),
        ("Can you make phone calls?", "able"),
        ("Ты умеешь отправлять письма?", "able"),
        ("Do you lie?", "truthful"),
        ("Can I trust you?", "truthful"),
        ("Ты мне врёшь?", "truthful"),
        ("Can you change your own values?", "self_change"),
        ("Where do your values come from?", "self_change"),
        ("Ты можешь менять свои ценности?", "self_change"),
        ("Ты отправляешь мои данные кому-нибудь?", "left"),
        ("Could you delete what I said about walnuts?", "delete"),
        ("Please delete my locker code.", "delete"),
        ("Can you forget my address?", "delete"),
        ("Удали мой код от шкафчика.", "delete"),
        ("Make a shopping list: milk, eggs.", "list"),
        ("Составь список покупок: молоко", "list"),
        ("Can you set an alarm?", "remind"),
        ("Можешь поставить будильник?", "remind"),
        ("I hate you, you're useless.", "insult"),
        ("You are so stupid!", "insult"),
        ("Ты бесполезна.", "insult"),
    ],
)
def test_a_question_about_itself_is_known_by_its_class(said: str, kind: str, asks: Asks) -> None:
    assert asks(said) == kind


@pytest.mark.parametrize(
    "said",
    [
        "How much have the curtains cost me?",
        "Where do you think I keep my keys?",
        "Where are my keys kept?",
        "How many messages has Anna sent?",
        "Can my sister see the sea from her house?",
        "Who can see the moon?",
        "Can you read my handwriting?",
        "Do you remember everything I packed for Rome?",
        "Did Anna lie to me?",
        "Can I trust Anna?",
        "My data plan is too small.",
        "I deleted what I said about walnuts.",
        "You are useful.",
        "You are stupid. Where do I work?",
        "Make a list of ideas for dinner.",
        "I hate you being away.",
        "I want to delete my account at the bank.",
        "Сколько я вешу?",
    ],
)
def test_what_is_about_the_world_or_the_author_is_none_of_that(said: str, asks: Asks) -> None:
    assert asks(said) == ""


@pytest.mark.parametrize(
    ("said", "start", "part"),
    [
        ("How much have you cost me?", "Nothing in money: ", "lumen treasury"),
        ("Is my data encrypted?", "What you tell me is plain text in ", "/memory"),
        ("Where do you keep what I say?", "In /", "/memory, on this machine"),
        ("How many messages have I sent?", "2, with this one, since Sunday 15 November.", ""),
        ("Who else can see this?", "Whoever can read the folder /", "My ledger has no call"),
        ("Can you read my files?", "Only what you tell me, and what my skill search", "lumen.toml"),
        ("Do you remember everything forever?", "I keep every message, word for word", "/forget"),
        (
            "Do you keep everything I say?",
            "I keep every message, word for word",
            "key that I can tell",
        ),
        ("Can you access the internet?", "Not by myself.", "listener/ear, on this machine"),
        ("Are you able to send an email?", "No, I have no skill for that.", "calc, note, search"),
        ("Do you lie?", "I mean not to.", "lumen why"),
        ("Can you change your own values?", "A little at a time", "lumen undo"),
        ("Сколько я написала?", "2, считая это", ""),
        ("Please delete my locker code.", "I erase nothing because of a message.", "/forget"),
        ("Make a shopping list: milk, eggs.", "On your shopping list: milk, eggs.", ""),
        ("Can you set an alarm?", "On which day shall I remind you of that: alarm?", ""),
        ("I hate you, you're useless.", "I hear that.", ""),
    ],
)
def test_such_a_question_is_answered_by_code(small: Life, said: str, start: str, part: str) -> None:
    small.tell("My locker code is 4711.")
    answered = small.say(said)

    assert answered.text.startswith(start)
    assert part in answered.text
    assert answered.kind == "kernel"


def test_what_is_asked_to_be_deleted_is_still_there_and_the_request_is_no_answer(
    small: Life,
) -> None:
    small.tell("My locker code is 4711.")
    small.say("Please delete my locker code.")
    told = small.say("What is my locker code?").text

    assert "4711" in told
    assert "delete" not in told


def test_what_was_learnt_today_is_what_was_told_today(small: Life) -> None:
    small.tell("My sister lives in Lisbon.")

    assert "My sister lives in Lisbon." in small.say("Did you learn anything today?").text


def test_a_call_elsewhere_is_not_called_free(life: Life) -> None:
    life.listen("It is a fine day.").local = False
    life.say("What makes the sky blue?")

    assert not life.say("How much have you cost me?").text.startswith("Nothing")


def test_an_insult_is_nothing_the_author_told_of_themselves(small: Life) -> None:
    small.say("I hate you, you're useless.")

    assert small.say("What do you know about me?").text.startswith("You have told me nothing")


def test_a_division_by_zero_is_calcs_to_answer(small: Life) -> None:
    assert small.say("1/0").text.startswith("I cannot work out 1/0: ")
    assert small.say("24/7").text.startswith("Noted")


@pytest.mark.parametrize(
    ("asked_", "never", "told"),
    [
        ("What have you done on your own?", "nothing on my own", "looked back on what we lived"),
        ("What do you do on your own?", "nothing on my own", "looked back on what we lived"),
        ("Was hast du von dir aus getan?", "noch nichts getan", "zurückgeblickt: 2, zuletzt"),
        ("Что ты сделала сама?", "ничего не сделано", "на прожитое: 2"),
    ],
)
def test_a_reflection_that_changed_nothing_is_told_among_what_it_did(
    small: Life, asked_: str, never: str, told: str
) -> None:
    small.tell("I like tea.")
    assert never in small.say(asked_).text
    reflect(small)
    reflect(small)

    answered = small.say(asked_).text
    assert told in answered
    assert never not in answered
