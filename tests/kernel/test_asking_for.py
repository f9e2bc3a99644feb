"""What a question asks for, and what a text has to offer it, in three languages."""

from __future__ import annotations

import pytest

from lumen.kernel.language.asking import (
    AskedDate,
    asking,
    bare,
    in_first_person,
    packed,
    shape,
    unpacked,
)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("When did we move?", "when"),
        ("Wann sind wir umgezogen?", "when"),
        ("Когда мы переехали?", "when"),
        ("Who came along?", "who"),
        ("Wer kam mit?", "who"),
        ("Кто приходил?", "who"),
        ("Where is it?", "where"),
        ("Wo steht es?", "where"),
        ("Где это стоит?", "where"),
        ("What did you recommend?", "yours"),
        ("Was hast du geraten?", "yours"),
        ("Что ты советовал?", "yours"),
        ("What is my plan?", "mine"),
        ("Was ist mein Plan?", "mine"),
        ("Какой мой план?", "mine"),
    ],
)
def test_a_question_tells_what_it_is_after(question: str, asked: str) -> None:
    found = asking(question)
    told = {way for way in ("when", "who", "where", "yours", "mine") if getattr(found, way)}
    assert told == {asked}


@pytest.mark.parametrize(
    ("question", "dates"),
    [
        ("What happened on 8 May, 2023?", [(2023, 5, 8)]),
        ("What happened on May 8th?", [(0, 5, 8)]),
        ("Was war am 3. Oktober 2021?", [(2021, 10, 3)]),
        ("Что было 14 марта 2019?", [(2019, 3, 14)]),
        ("What did I do in June and in August 2022?", [(0, 6, 0), (2022, 8, 0)]),
        ("What may I do? We march on.", []),
    ],
)
def test_dates_are_read_as_far_as_they_are_said(
    question: str, dates: list[tuple[int, int, int]]
) -> None:
    assert asking(question).dates == tuple(AskedDate(*date) for date in dates)


def test_who_is_named_speaks_of_himself() -> None:
    question = "When did Caroline sell Caroline's boat to Melanie?"
    assert in_first_person(question, {"caroline"}) == "When did I sell my boat to Melanie?"
    assert in_first_person(question, ()) == question


def test_a_shape_survives_being_packed() -> None:
    text = "Yesterday I met Rui, Inês and Ana Lopes in Porto. Did you?"
    found = shape(text)
    assert found.asks
    assert found.ends_asking
    assert found.first_person
    assert found.time
    assert found.sure_time
    assert found.capitals == 4
    assert unpacked(packed(found)) == found
    assert unpacked(packed(shape("Rain."))) == shape("Rain.")


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("Remind me what my sister is called.", "what my sister is called."),
        ("Tell me, where do I live?", "where do I live?"),
        ("Напомни мне, где я живу.", "где я живу."),
        ("Sag mir bitte, wie mein Hund heißt.", "wie mein Hund heißt."),
        ("Remind me to call the dentist.", "Remind me to call the dentist."),
    ],
)
def test_what_only_opens_a_question_is_no_part_of_what_it_is_about(
    question: str, about: str
) -> None:
    assert bare(question) == about
