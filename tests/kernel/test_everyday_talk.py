"""What people type from day to day: feelings, thanks, questions about the being, sums, plans, names."""

# ruff: noqa: RUF001 - Russian

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest

from lumen.kernel.identity.naming import introduced
from lumen.kernel.language.asking import about
from lumen.kernel.language.followups import completed
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.pronouns import mirror
from lumen.kernel.language.questions import tells_something
from lumen.kernel.language.reading import language, modality, plainly
from lumen.kernel.language.sums import sum_asked
from lumen.kernel.language.times.resolve import times

if TYPE_CHECKING:
    from tests.conftest import Asks
    from tests.kernel.conftest import Life

TUESDAY = datetime(2026, 11, 17, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("спасибо что выслушал", "thanks"),
        ("спасибо, что ты есть", "thanks"),
        ("привет, это снова я", "greeting"),
        ("опять я", "greeting"),
        ("hi, me again", "greeting"),
        ("Hallo, ich bin's wieder", "greeting"),
        ("привет, это Аня", "statement"),
        ("это я купила машину", "statement"),
        ("вчера опять я забыла ключи", "statement"),
    ],
)
def test_thanks_and_greetings_are_no_statements(said: str, kind: str) -> None:
    assert modality(said) == kind


@pytest.mark.parametrize(
    ("said", "grave"),
    [
        ("поругалась с мамой", True),
        ("она считает что я плохая дочь", True),
        ("на душе тяжело", True),
        ("argued with my sister again", True),
        ("she thinks im a bad daughter", True),
        ("sie sagt ich bin eine schlechte tochter", True),
        ("помирилась с мамой", False),
        ("она считает что я хорошая дочь", False),
        ("she thinks im a good cook", False),
    ],
)
def test_a_quarrel_and_a_hard_word_are_grave(said: str, grave: bool) -> None:
    assert lexicon().has("grave", said) is grave


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("how does this work?", "works"),
        ("как это работает?", "works"),
        ("Wie funktioniert das hier?", "works"),
        ("how does my dishwasher work?", ""),
        ("what do you actually care about", "values"),
        ("а ты как думаешь, кто прав?", "side"),
        ("who's right, me or him?", "side"),
        ("Wer hat recht?", "side"),
        ("кто правит Данией?", ""),
        ("мои сообщения кто-то еще читает?", "seen_by"),
        ("мою свекровь помнишь?", ""),
        ("ты всё помнишь?", "keeps"),
        ("whats the time", "clock"),
    ],
)
def test_a_question_about_the_being_is_taken_as_it_is_meant(
    question: str, kind: str, asks: Asks
) -> None:
    assert asks(question) == kind


def test_whether_somebody_is_remembered_is_asked_of_what_the_author_told() -> None:
    assert about("мою свекровь помнишь?") == about("а ты мою свекровь помнишь?") == "author"
    assert about("что ты помнишь?") == "being"


@pytest.mark.parametrize(
    ("said", "expression"),
    [
        ("счет 4350 на троих", "4350 / 3"),
        ("bill 90 for three", "90 / 3"),
        ("счет 4350 на столе", None),
        ("the bill was 90 for the plumber", None),
    ],
)
def test_a_bill_is_shared_out(said: str, expression: str | None) -> None:
    found = sum_asked(said)
    assert (found.said if found else None) == expression


def test_another_percentage_is_put_into_the_sum_before() -> None:
    assert completed("а 20%?", [("15% от 4350", "652.5")]) == "20% от 4350"
    assert completed("and 20%?", [("What is 15% of 80?", "12")]) == "What is 20% of 80?"
    assert completed("and 20%?", [("I am 90% sure", "Noted.")]) == ""


@pytest.mark.parametrize(
    ("said", "spoken"),
    [
        ("ok. im Daniel btw", "en"),
        ("hi im Daniel", "en"),
        ("im tired", "en"),
        ("war im Garten", "de"),
        ("treffe Anna im Park", "de"),
        ("Im Mai fahre ich nach Rom", "de"),
    ],
)
def test_im_alone_makes_no_text_german(said: str, spoken: str) -> None:
    assert language(said) == spoken


def test_who_leaves_the_apostrophe_out_is_introduced_by_name() -> None:
    assert introduced("ok. im Daniel btw") == "Daniel"
    assert introduced("im Garten") == ""


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("i have a job interview on friday", date(2026, 11, 20)),
        ("my sister has a recital on friday", date(2026, 11, 20)),
        ("i've got my exam on friday", date(2026, 11, 20)),
        ("ich habe am freitag eine prüfung", date(2026, 11, 20)),
        ("i got my results on friday", date(2026, 11, 13)),
        ("i had a call on friday", date(2026, 11, 13)),
        ("ich habe sie am freitag gesehen", date(2026, 11, 13)),
    ],
)
def test_a_plan_lies_ahead_unless_its_verb_is_in_the_past(said: str, day: date) -> None:
    assert [t.start.date() for t in times(said, TUESDAY)] == [day]


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("and im trying to stop smoking", "you are trying to stop smoking"),
        ("but ive got a dog", "you have got a dog"),
        ("so my sister left", "your sister left"),
        ("and then it rained", "and then it rained"),
    ],
)
def test_words_without_their_apostrophe_are_turned_too(said: str, back: str) -> None:
    assert mirror(said) == back


def test_apostrophes_are_put_back_in_english_alone() -> None:
    assert plainly("I dont know whats wrong") == "i don't know what's wrong"
    assert plainly("Er ist im Garten") == "er ist im garten"


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ("im allergic to nuts", True),
        ("работаю медсестрой", True),
        ("у меня диабет", True),
        ("чем болеет мой кот", False),
        ("привет, это снова я", False),
        ("спасибо что выслушал меня", False),
        ("whats on for me this week", False),
        ("кот спит", True),
    ],
)
def test_what_asks_or_greets_tells_nothing(said: str, tells: bool) -> None:
    assert tells_something(said) is tells


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("what day is christmas this year", "question"),
        ("tell me about my kids", "question"),
        ("lol ok. tell me a joke", "task"),
        ("пошла спать, спокойной ночи", "farewell"),
        ("с добрым утром!", "greeting"),
        ("спасибо, ты очень помогаешь", "thanks"),
        ("what i like most is the sea", "statement"),
    ],
)
def test_what_kind_of_message_it_is_without_marks_and_behind_a_nod(said: str, kind: str) -> None:
    assert modality(said) == kind


def test_a_correction_is_not_argued_with_where_the_last_reply_only_took_something_in(
    life: Life,
) -> None:
    life.listen("I would have to guess.", small=True)
    life.say("ей 64 года")

    assert "держусь" not in life.say("нет, ей 65").text


def test_what_is_known_tells_of_home_and_family_before_anything_else(life: Life) -> None:
    life.listen("I would have to guess.", small=True)
    life.tell("I live in Graz.", "My daughter Ella is seven.")
    life.tell(*(f"The parcel number {n} came late." for n in range(14)), days=1)

    known = life.say("What do you know about me?").text
    assert "Graz" in known
    assert "Ella" in known
