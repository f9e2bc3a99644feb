"""What feeling a statement tells of, where no word of the lexicon names it; and that a plain one is met with none."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from orjson import loads

from lumen.core.canon import sha256
from lumen.kernel.language.feelings import (
    ANCHORS,
    PLAIN,
    ROWS,
    feeling_told,
    felt,
    may_be_felt,
    moods,
)
from lumen.kernel.language.lexicon import LANGUAGES, lexicon

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.remembering import Remembering

SAID = tomllib.loads(Path(__file__).with_name("feelings.toml").read_text("utf-8"))
MOST_PLAIN_WRONG = 1


@pytest.mark.parametrize("half", [0, 1])
def test_most_feelings_are_known_in_kind_and_plain_statements_are_not_taken_for_one(
    embedder: Remembering, half: int
) -> None:
    judged = [
        (kind, felt(text, lambda one: embedder.embed([one])[0]) or PLAIN)
        for kind, texts in SAID.items()
        for text in texts[half::2]
    ]
    moving = [(kind, found) for kind, found in judged if kind != PLAIN]
    right = sum(kind == found for kind, found in moving)
    wrong = sum(found != PLAIN for kind, found in judged if kind == PLAIN)
    assert (right >= 0.8 * len(moving), wrong <= MOST_PLAIN_WRONG) == (True, True)


@pytest.mark.parametrize(
    ("said", "phrase"),
    [
        ("we talked and shes not angry anymore!!", "relief"),
        ("ok the back is much better today", "relief"),
        ("Kate is pregnant!", "joy"),
        ("I am so happy with my new flat!", "joy"),
        ("my back has been killing me since sunday", "strain"),
        ("i said something really mean about her job", "regret"),
        ("i have a presentation on friday, kinda nervous about it", "worry"),
        ("а еще коту поставили диагноз, диабет", "sympathy"),  # noqa: RUF001 - Russian
    ],
)
def test_what_no_word_list_names_is_met_with_its_feeling(
    life: Life, said: str, phrase: str
) -> None:
    language = "ru" if said.startswith("а") else "en"  # noqa: RUF001 - Russian
    opening = lexicon().phrase(phrase, language).split(".")[0]
    assert life.say(said).text.startswith(opening)
    assert life.step("surface_parse")["wrote"]["feeling"]


@pytest.mark.parametrize(
    "said", ["My sister lives in Leeds.", "the plumber comes on thursday between 8 and 10"]
)
def test_a_plain_statement_is_said_back(life: Life, said: str) -> None:
    assert life.say(said).text.startswith("Noted")
    assert not life.step("surface_parse")["wrote"].get("feeling")


def test_what_is_told_with_feeling_is_kept(life: Life) -> None:
    said = life.say("i have a presentation on friday, kinda nervous about it").text
    assert "you have a presentation on friday" in said
    assert "presentation" in life.say("When is my presentation?").text


@pytest.mark.parametrize(
    "text",
    [
        "so, sleep",
        "You got her name wrong.",
        "The heat will kill me.",
        "I'm not worried about the exam.",
        "im 41 btw. no wait, 42 since last week",
        "word " * 80,
    ],
)
def test_what_is_short_long_denied_a_figure_or_said_to_the_being_is_judged_by_its_words_alone(
    text: str,
) -> None:
    assert not may_be_felt(text)


def test_the_rows_are_made_of_the_sentences_there_are() -> None:
    told = loads(ROWS.read_bytes())
    assert told["of"] == sha256(ANCHORS.read_bytes()), "stale: uv run python tools/prototypes.py"
    assert all(len(many) == len(moods()) for many in told["rows"].values())


def test_every_feeling_has_its_words_in_every_language() -> None:
    wanted = {feeling for feeling in moods() if feeling} - {"sorrow"} | {"sympathy"}
    assert all(wanted <= lexicon().spoken[language].keys() for language in LANGUAGES)


def test_no_sentence_that_is_counted_stands_among_the_labelled_ones() -> None:
    labelled = {text for texts in moods().values() for text in texts}
    assert labelled.isdisjoint(text for texts in SAID.values() for text in texts)


def test_what_others_feel_in_a_quotation_is_not_the_authors_feeling() -> None:
    assert feeling_told("My mother died last year.") == "sorrow"
    assert feeling_told('my colleague wrote: "Her mother died last year." weird') == ""
    assert not may_be_felt('my colleague wrote: "We talked and it is fine again." weird')


@pytest.mark.parametrize(
    "said",
    [
        "Today would have been Ben's 40th birthday.",
        "she would have turned 50",
        "сегодня маме исполнилось бы 60",
        "папы не стало весной",
        "Heute hätte sie Geburtstag.",
    ],
)
def test_who_is_missed_on_their_day_is_a_sorrow(said: str) -> None:
    assert feeling_told(said) == "sorrow"
