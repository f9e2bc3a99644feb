"""What a message does in the talk where it tells nothing; and that a fact is not met as a nod."""

# ruff: noqa: RUF001 - Russian

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from orjson import loads

from lumen.core.canon import sha256
from lumen.kernel.language.lexicon import LANGUAGES, lexicon
from lumen.kernel.language.moves import (
    ANCHORS,
    HEARD,
    ROWS,
    TELLS,
    may_be_move,
    move_groups,
    move_of,
)
from lumen.kernel.language.reading import CYRILLIC

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.remembering import Remembering

SAID = tomllib.loads(Path(__file__).with_name("moves.toml").read_text("utf-8"))
KINDS = {group.name: group.kind for group in move_groups()} | {HEARD: HEARD, "": TELLS}
MOST_FACTS_HEARD = 3


def _kind(text: str, embedder: Remembering) -> str:
    return KINDS[move_of(text, "statement", "author", lambda one: embedder.embed([one])[0])]


def test_most_moves_are_met_as_what_they_are_and_hardly_any_as_another(
    embedder: Remembering,
) -> None:
    judged = [
        (kind, _kind(text, embedder))
        for kind, texts in SAID.items()
        if kind != TELLS
        for text in texts
    ]
    right = sum(kind == found for kind, found in judged)
    wrong = sum(found not in (kind, HEARD, TELLS) for kind, found in judged)
    assert (right >= 0.5 * len(judged), wrong <= 0.1 * len(judged)) == (True, True)


def test_a_fact_is_hardly_ever_met_as_a_move(embedder: Remembering) -> None:
    met = [text for text in SAID[TELLS] if _kind(text, embedder) != TELLS]
    assert len(met) <= MOST_FACTS_HEARD, met


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("I have to go now, dinner is ready", "leaves"),
        ("мне пора бежать, ужин готов", "leaves"),
        ("you're no use at all", "complains"),
        ("толку с тебя никакого", "complains"),
        ("that's not what I was asking", "missed"),
        ("я тебя не про это спросила", "missed"),
        ("please don't pity me", "spares"),
        ("не надо меня жалеть, пожалуйста", "spares"),
        ("perhaps he was right", "ponders"),
        ("hm", "nods"),
    ],
)
def test_a_move_is_met_and_nothing_is_noted(life: Life, said: str, move: str) -> None:
    language = "ru" if CYRILLIC.match(said) else "en"
    assert life.say(said).text == lexicon().phrase(f"met_{move}", language, author="Ada")
    assert life.step("surface_parse")["wrote"]["move"] == move


def test_the_same_move_is_met_otherwise_the_next_time(life: Life) -> None:
    assert life.say("hm").text != life.say("hmm").text


def test_nobody_stands_by_a_word_for_the_talks_own_sake(life: Life) -> None:
    life.say("hm")
    assert "I stay with what I said" not in life.say("You don't say much, do you?").text


@pytest.mark.parametrize(
    "said",
    ["the code is 4471", "meet me on Thursday", "my friend Rosa", "word " * 30],
)
def test_what_names_a_figure_a_day_or_somebody_is_told(said: str) -> None:
    assert not may_be_move(said)


def test_a_question_about_else_than_the_being_is_no_move() -> None:
    def meaning(one: str) -> object:
        raise AssertionError(one)

    assert move_of("Where do I live?", "question", "author", meaning) == ""  # type: ignore[arg-type]
    for asked in ("ты кто вообще?", "What are you good at?"):
        assert move_of(asked, "question", "being", meaning) == ""  # type: ignore[arg-type]


def test_the_rows_are_made_of_the_sentences_there_are() -> None:
    told = loads(ROWS.read_bytes())
    assert told["of"] == sha256(ANCHORS.read_bytes()), "stale: uv run python tools/prototypes.py"
    assert all(len(many) == len(move_groups()) for many in told["rows"].values())


def test_every_move_has_its_words_in_every_language() -> None:
    wanted = {f"met_{name}" for name in KINDS if name not in (TELLS, "")}
    assert all(wanted <= lexicon().spoken[language].keys() for language in LANGUAGES)


def test_no_sentence_that_is_counted_stands_among_the_labelled_ones() -> None:
    labelled = {text for group in move_groups() for text in group.sentences}
    assert labelled.isdisjoint(text for texts in SAID.values() for text in texts)


def test_what_follows_on_a_sorrow_is_listened_to(life: Life) -> None:
    assert "sorry" in life.say("my brother died last week").text
    assert life.say("he made the best pancakes").text == lexicon().phrase("met_heard")
    assert life.say("the code of the gate is 4421").text.startswith("Noted")


def test_thanks_in_front_of_a_statement_are_answered_too(life: Life) -> None:
    said = life.say("Thanks, and my train leaves at seven.").text
    assert said.startswith(lexicon().phrase("thanks"))
    assert "train leaves at seven" in said


@pytest.mark.parametrize(
    "said",
    ["gotta fly, the taxi is here", "ну я побежала, такси ждёт", "суп закипел, пошла я"],
)
def test_a_clause_of_farewell_is_enough_to_leave(embedder: Remembering, said: str) -> None:
    assert _kind(said, embedder) == "leaves"
