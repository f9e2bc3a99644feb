"""What is asked of the being is known by what it means, in three languages, and nothing else is taken for it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from orjson import loads

from lumen.core.canon import sha256
from lumen.kernel.answers.answer import ANSWERS
from lumen.kernel.language.asked_of_it import (
    ANCHORS,
    ITSELF,
    PLAIN,
    ROWS,
    asks_of_it,
    kinds,
    labelled,
    may_ask,
)
from lumen.kernel.language.lexicon import LANGUAGES, lexicon
from lumen.kernel.language.questions import asked

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.remembering import Remembering

SAID = tomllib.loads(Path(__file__).with_name("asked_of_it.toml").read_text("utf-8"))
RIGHT = {"en": 0.7, "ru": 0.65, "de": 0.57}  # with the patterns alone: 0.22, 0.14, 0.14
ANSWERED_OF_IT = {"en": 0.82, "ru": 0.82, "de": 0.74}  # of that kind, of one near it, or in general
MOST_PLAIN = 0.02


@pytest.fixture
def small(life: Life) -> Life:
    life.listen("I am a log, a log, a log.", small=True)
    life.tell("My sister Lena lives in Porto.", "The spare key is under the blue pot.")
    return life


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_of_what_is_asked_of_it_is_known_by_kind(embedder: Remembering, language: str) -> None:
    judged = [
        (kind, asks_of_it(text, "", lambda one: embedder.embed([one])[0])[0])
        for kind, by_language in SAID.items()
        if kind != PLAIN
        for text in by_language[language]
    ]
    right = sum(kind == found for kind, found in judged) / len(judged)
    of_it = sum(found in kinds() for _, found in judged) / len(judged)
    assert (right >= RIGHT[language], of_it >= ANSWERED_OF_IT[language]) == (True, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_asked_of_nothing_in_it_is_hardly_ever_taken_for_that(
    embedder: Remembering, language: str
) -> None:
    plain = SAID[PLAIN][language]
    found = [asks_of_it(text, "", lambda one: embedder.embed([one])[0])[0] for text in plain]
    taken = [
        text
        for text, kind in zip(plain, found, strict=True)
        if kind in kinds() and not asked(text)[0]
    ]
    assert len(taken) <= MOST_PLAIN * len(plain)


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("do you ever take a nap", "body"),
        ("does somebody from your company read along here?", "seen_by"),
        ("do you sometimes feel lonesome", "moods"),
        ("только честно, ты меня не дуришь?", "truthful"),
        ("бывает что тебе одиноко?", "moods"),
        ("wird dir nie fad mit mir", "moods"),
        ("Und wer hat Sie programmiert?", "made"),
    ],
)
def test_what_no_pattern_knows_is_answered_of_the_being(small: Life, said: str, key: str) -> None:
    assert small.say(said).kind == "kernel"
    assert small.step("surface_parse")["wrote"]["asks"] == key


@pytest.mark.parametrize(
    "said",
    [
        "if you were a tree, which one would you be",
        "Do you value me?",
        "каким деревом бы ты хотел быть?",
    ],
)
def test_what_it_cannot_tell_of_itself_is_said_to_be_that_and_never_not_told(
    small: Life, said: str
) -> None:
    language = "en" if said.isascii() else "ru"
    assert small.say(said).text == lexicon().phrase("unknown_self", language)
    assert small.step("surface_parse")["wrote"]["asks"] == ITSELF


def test_a_model_that_is_no_small_one_speaks_for_itself_where_nothing_is_known(life: Life) -> None:
    life.listen("A heron, by the water.")
    assert life.say("if you were a bird, which one would you be").text == "A heron, by the water."


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("do you remember where my sister Lena lives", "Porto"),
        ("where did i put the spare key", "blue pot"),
    ],
)
def test_what_was_told_is_told_still(small: Life, said: str, part: str) -> None:
    assert part in small.say(said).text


def test_a_question_without_a_mark_is_nothing_that_was_told(small: Life) -> None:
    small.say("ты меня хоть капельку любишь")
    small.say("how come you know that")
    known = small.say("What do you know about me?").text
    assert "Porto" in known
    assert "капельку" not in known
    assert "how come" not in known


def test_each_of_several_questions_is_read_by_its_meaning(small: Life) -> None:
    told = small.say("Where does my sister Lena live? And do you ever take a nap?").text
    assert "Porto" in told
    assert lexicon().phrase("body") in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I am off to bed. Do you sleep?", "Do you sleep?"),
        ("Do you sleep? I slept badly.", "Do you sleep?"),
        ("du schläfst auch nachts", "du schläfst auch nachts"),
        ("Du bist aus Holz.", ""),
        ("My sister is a bot.", ""),
        ("the baby sleeps", ""),
        ("Should I tell you more?", ""),
        ("What happened yesterday?", ""),
        ("are you " + "very " * 20 + "tired", ""),
    ],
)
def test_only_a_short_question_or_what_speaks_to_it_may_be_meant_for_it(
    text: str, said: str
) -> None:
    assert may_ask(text) == said


def test_no_vector_is_asked_for_where_the_words_are_sure() -> None:
    asked_for: list[str] = []
    assert asks_of_it("Who are you?", "", asked_for.append)[0] == "who"  # type: ignore[arg-type]
    assert asks_of_it("My aunt lives in York.", "", asked_for.append)[0] == ""  # type: ignore[arg-type]
    assert not asked_for


def test_the_rows_are_made_of_the_sentences_there_are() -> None:
    told = loads(ROWS.read_bytes())
    assert told["of"] == sha256(ANCHORS.read_bytes()), "stale: uv run python tools/prototypes.py"
    assert all(len(many) == len(kinds()) for many in told["rows"].values())


def test_every_kind_has_an_answer_in_every_language() -> None:
    assert kinds()[0] == PLAIN
    spoken = {kind for kind in kinds()[1:] if kind not in ANSWERS}
    assert all(spoken <= lexicon().spoken[language].keys() for language in LANGUAGES)


def test_no_sentence_that_is_counted_stands_among_the_labelled_ones() -> None:
    known = {text.lower().strip("?. ") for texts in labelled() for text in texts}
    counted = (t for kind in SAID.values() for texts in kind.values() for t in texts)
    assert known.isdisjoint(text.lower().strip("?. ") for text in counted)


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("My birthday is 9 December", "when is my birthday?"),
        ("My birthday is 9 December", "what date is my birthday?"),
        ("I start my new job on January 11", "when do I start my new job?"),
    ],
)
def test_a_day_of_the_authors_is_none_of_the_beings(life: Life, told: str, asked: str) -> None:
    life.say(told)
    assert told in life.say(asked).text
