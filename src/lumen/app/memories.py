"""What is remembered: listed, searched by words and meaning, and weighed as evidence of a claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from lumen.core.clock import parse_stamp
from lumen.core.data import Memory
from lumen.core.errors import UsageError
from lumen.soul.ports.queries import Queries

if TYPE_CHECKING:
    from lumen.kernel.recall.evidence import Evidence
    from lumen.kernel.recall.search import IndexedRecall

RELATED = 0.3  # the least score of what a search finds by meaning
MOST_HITS = 1000  # looked through before author and day are applied
LISTED = 20


@dataclass(frozen=True, slots=True)
class Recollection:
    """One memory as it is handed out; `weight` is between 0 and 1."""

    event: int
    timestamp: str
    author: str
    origin: str
    type: str
    text: str
    private: bool
    weight: float

    @property
    def date(self) -> datetime:
        """When it was."""
        return parse_stamp(self.timestamp)


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories are wanted: `day` is a UTC day, `limit` None means all of them."""

    query: str = ""
    author: str | None = None
    day: str | None = None
    limit: int | None = LISTED
    kernel: bool = False
    by_weight: bool = False


def remembered(
    index: Queries, wanted: MemoryFilter, evidence: Callable[[str], tuple[Evidence, ...]]
) -> tuple[Recollection, ...]:
    """The memories that are wanted, each as the archive has it.

    Raises:
        UsageError: the day is none.
    """
    if wanted.day is not None and not _is_date(wanted.day):
        raise UsageError(f"{wanted.day!r} is no date", fix="lumen memory --date 2026-11-15")
    if not wanted.query:
        return tuple(map(recollection, as_archived(index, lambda: _listed(index, wanted))))
    found = as_archived(index, lambda: _search(index, wanted, evidence))
    if wanted.by_weight:
        found.sort(key=lambda m: (-m.weight, -m.seq))
    return tuple(map(recollection, found))


def _listed(index: Queries, wanted: MemoryFilter) -> list[Memory]:
    return index.memories.listed(
        author=wanted.author,
        day=wanted.day,
        limit=wanted.limit,
        kernel=(wanted.kernel and not wanted.by_weight) or wanted.author == "kernel",
        by_weight=wanted.by_weight,
    )


def _search(
    index: Queries, wanted: MemoryFilter, evidence: Callable[[str], tuple[Evidence, ...]]
) -> list[Memory]:
    from lumen.kernel.language.reading import words

    by_words = [seq for seq, _ in index.memories.search(words(wanted.query), MOST_HITS)]
    by_meaning = [e.memory.seq for e in evidence(wanted.query) if e.score >= RELATED]
    found = index.memories.get(dict.fromkeys([*by_words, *by_meaning]))
    return [
        m
        for m in found.values()
        if (not wanted.author or m.author.value == wanted.author)
        and (not wanted.day or m.timestamp.startswith(wanted.day))
    ][: wanted.limit or MOST_HITS]


def by_words(index: Queries, query: str, limit: int) -> tuple[Recollection, ...]:
    """What holds some words; quick, as nothing is looked for by meaning."""
    from lumen.kernel.language.reading import words

    found = as_archived(
        index,
        lambda: index.memories.get(
            s for s, _ in index.memories.search(words(query), limit)
        ).values(),
    )
    return tuple(map(recollection, found))


def latest(index: Queries, limit: int) -> tuple[Recollection, ...]:
    """The last memories, kernel ones too, each as the archive has it."""
    found = as_archived(index, lambda: index.memories.listed(limit=limit))
    return tuple(map(recollection, found))


def as_archived(index: Queries, look: Callable[[], Iterable[Memory]]) -> list[Memory]:
    """Memories, each as the archive has it; that an index says otherwise goes to its repairs."""
    from lumen.kernel.recall.verified import proved

    return proved(index, look, lambda m: (m,))


def evidence_of(
    index: Queries, claim: str, tell: Callable[[str], None], recall: IndexedRecall | None = None
) -> tuple[Evidence, ...]:
    """What the author said that bears on a claim, as the archive has it."""
    from lumen.kernel.recall.verified import of_evidence, proved

    found = proved(index, lambda: _evidence(index, claim, tell, recall), of_evidence)
    now = index.memories.get(
        e.memory.seq for e in found
    )  # recall holds on to them as they weighed before
    return tuple(replace(e, memory=now.get(e.memory.seq, e.memory)) for e in found)


def _evidence(
    index: Queries, claim: str, tell: Callable[[str], None], recall: IndexedRecall | None
) -> tuple[Evidence, ...]:
    from lumen.kernel.recall.before import EVERYTHING
    from lumen.kernel.recall.search import IndexedRecall
    from lumen.mind.embed import WhenNeeded

    recall = recall or IndexedRecall(index, WhenNeeded())
    learn_all(recall, tell)
    return recall.evidence(claim, EVERYTHING)


def learn_all(recall: IndexedRecall, tell: Callable[[str], None]) -> None:
    """Make every memory findable by meaning; more than a handful is worth a word."""
    if recall.learn() and recall.learn():
        tell("making memories findable by meaning …")
        while recall.learn():
            pass


def recollection(m: Memory) -> Recollection:
    """A memory as it is handed out."""
    return Recollection(
        event=m.seq,
        timestamp=m.timestamp,
        author=m.author.value,
        origin=m.origin.value,
        type=m.event_type.value,
        text=m.text,
        private=m.private,
        weight=m.weight / 1e6,
    )


def _is_date(day: str) -> bool:
    try:
        return date.fromisoformat(day).isoformat() == day  # 20261115 is read too, but not stored
    except ValueError:
        return False
