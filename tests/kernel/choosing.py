"""A being with an external embedder: a real server on the loopback interface, reached over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.serving import Answer, Served, embedder_at, serving
from tests.storing import tables
from tests.waiting import wait_until

from lumen.core.data import kernel_entry
from lumen.kernel.recall.before import RecallBefore
from lumen.kernel.recall.external_embedder import ExternalEmbedder
from lumen.kernel.recall.search import IndexedRecall
from lumen.mind.embed_http import HttpEmbedder

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

FACTS = (
    "My sister lives in Lisbon.",
    "I am allergic to penicillin.",
    "The dog is called Biscuit.",
    "My dentist appointment is on Thursday at nine.",
    "Our car is dark green.",
    "I went for a long walk today.",
    "The soup was too salty.",
)
PARAPHRASES = (
    ("In which city does my sister live?", 0),
    ("Which medicine can't I take?", 1),
    ("What's our puppy's name?", 2),
    ("When do I have to see the dentist?", 3),
    ("What colour is the car?", 4),
)


def settle(life: Life, served: Served, name: str = "far/a", *, local: bool = False) -> HttpEmbedder:
    """What opening a being does with the embedder its settings name."""
    embedder = embedder_at(served.url, name=name, local=local)
    life.kernel.index.vectors.choose(name, private=local)
    life.kernel.recall.close()
    life.kernel.recall = IndexedRecall(life.kernel.index, life.kernel.recall.embedder, embedder)
    return embedder


@contextmanager
def choosing(
    life: Life, answer: Callable[[list[str]], Answer], name: str = "far/a", *, local: bool = False
) -> Iterator[Served]:
    """A server that answers so, chosen for a being."""
    with serving(answer) as served:
        settle(life, served, name, local=local)
        yield served
        life.kernel.recall.close()


def external_of(life: Life) -> ExternalEmbedder:
    """The being's external embedder."""
    assert life.kernel.recall.external is not None
    return life.kernel.recall.external


def built_in(life: Life) -> RecallBefore:
    """Recall as it is where nothing was chosen."""
    return RecallBefore(IndexedRecall(life.kernel.index, life.kernel.recall.embedder))


def mark(life: Life, *seqs: int, private: bool = True) -> None:
    """Mark memories as private, or as no longer so."""
    payload = {"marks": {"memories": list(seqs), "private": private}}
    life.kernel.gate.record(kernel_entry("marked", "marked", "lumen:author", payload))


def reindexed_in_the_end(life: Life, many: int) -> None:
    """Look again and again until so many memories are in the second set, for a while."""

    def found() -> tuple[int, int]:
        return life.kernel.index.vectors.reindexed("far/a")

    wait_until(lambda: found() == (many, many), found)


def vectors_in(life: Life, number: int) -> dict[int, int]:
    """How many vectors each memory has in a set."""
    asked = "SELECT seq, count(*) FROM passages WHERE embedder = ? GROUP BY seq ORDER BY seq"
    return {int(seq): int(n) for seq, n in tables(life.kernel.index).rows(asked, (number,))}
