"""A long message costs a cycle no more than a short one: what is not used is not looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import by, wonder

from lumen.kernel.language.passages import LONGEST_QUOTE, Embedder, Rows, quoted
from lumen.kernel.recall.before import RecallBefore
from lumen.kernel.reflection.evolve import Gap
from lumen.kernel.reflection.experience import MOST_NAMES, ArchivedExperience
from lumen.kernel.steps.explore import Exploring, fresh
from lumen.kernel.turn.loops import parameters

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

SENTENCES = 400
EXPLORING = parameters(Exploring)
CYCLES = 3


@dataclass(slots=True)
class Counting:
    """The embedder it is given, and how many texts it was asked for."""

    inner: Embedder
    texts: int = 0

    @property
    def id(self) -> str:
        return self.inner.id

    def embed(self, texts: Sequence[str]) -> Rows:
        self.texts += len(texts)
        return self.inner.embed(texts)


@dataclass(slots=True)
class Endless:
    """More that is not known than anybody can look at."""

    questions: tuple[str, ...]
    looked: int = 0
    at: dict[int, asyncio.Task[list[Gap]]] = field(default_factory=dict)  # whom to end, and when

    def gaps(self) -> Iterator[Gap]:
        while True:
            self.looked += 1
            if task := self.at.get(self.looked):
                task.cancel()
            yield Gap(self.questions[0], "same", "it never ends")

    def asked(self) -> tuple[str, ...]:
        return self.questions


def names_in_plenty(many: int) -> str:
    """As many sentences, each with two names that stand nowhere else."""
    return " ".join(f"Then I met Qaz{i}ly near Wor{i}p, and we spoke of tea." for i in range(many))


def test_a_long_message_leaves_as_few_gaps_as_one_cycle_can_use(life: Life) -> None:
    life.say(names_in_plenty(SENTENCES))
    life.kernel.index.catch_up()
    assert sum(1 for _ in ArchivedExperience(life.kernel.index).gaps()) == MOST_NAMES


def test_wondering_about_a_long_message_embeds_what_it_asks_and_not_all_it_could(
    life: Life,
) -> None:
    life.say(names_in_plenty(SENTENCES))
    wonder(life)
    counting = Counting(life.kernel.recall.embedder)
    life.kernel.recall.embedder = counting
    for _ in range(CYCLES):
        wonder(life)
    assert by(life, "self", "explored")
    assert 0 < counting.texts < SENTENCES // 4


def test_a_gap_is_looked_for_when_it_is_asked_for(life: Life) -> None:
    for day in ("one", "two"):
        life.say(f"I met Zebedee{day} in the garden of Ottoline{day}.")
    life.kernel.index.catch_up()
    gaps = ArchivedExperience(life.kernel.index).gaps()
    assert next(gaps).words == "ottolinetwo"
    life.say("Then Zebedeetwo wrote to me.")
    life.kernel.index.catch_up()
    assert next(gaps).words == "ottolineone"  # the other has been named again meanwhile


def test_a_cycle_gives_up_where_all_it_looks_at_was_asked_lately(life: Life) -> None:
    endless = Endless(("What is it?",))
    assert asyncio.run(fresh(endless, RecallBefore(life.kernel.recall), 1, EXPLORING)) == []
    assert endless.looked == EXPLORING.gaps


def test_a_cycle_that_is_to_stop_stops_between_two_gaps(life: Life) -> None:
    endless = Endless(("What is it?",))

    async def broken_off() -> None:
        task = asyncio.create_task(fresh(endless, RecallBefore(life.kernel.recall), 1, EXPLORING))
        endless.at[5] = task
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(broken_off())
    assert endless.looked == 5


@pytest.mark.parametrize("place", [0, 1, 50, 399])
def test_a_quote_from_a_long_text_is_the_one_a_short_text_gives(place: int) -> None:
    sentences = [f"Sentence {i} speaks of tea and rain{'.' if i % 3 else '!'}" for i in range(400)]
    text = " ".join(sentences)
    start = text.index(sentences[place])
    short = " ".join(sentences[max(0, place - 20) : place + 20])
    near = short.index(sentences[place])
    stop = len(sentences[place])
    assert quoted(text, start, start + stop) == quoted(short, near, near + stop)
    assert sentences[place] in quoted(text, start, start + stop)
    assert len(quoted(text, start, start + stop)) <= LONGEST_QUOTE
