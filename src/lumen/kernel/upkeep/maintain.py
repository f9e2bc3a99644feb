"""Upkeep between turns: unused memories fade, the year is summed up, vectors are caught up on.

Every step is safe to cut off and to run again; run twice, the second finds nothing to do. The raw
lines are never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, tzinfo

from lumen.core.clock import parse_stamp
from lumen.core.data import Change, kernel_entry
from lumen.core.payloads import StatePayload
from lumen.core.stores import Store
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.revise import base_of
from lumen.kernel.recall.external_embedder import ExternalEmbedder
from lumen.kernel.recall.search import IndexedRecall
from lumen.kernel.recall.summary import Noted, summarise
from lumen.soul.ports.queries import Queries
from lumen.soul.state.records import WHOLE

KERNEL = "lumen:kernel"
LESSON = 32
ReportProgress = Callable[
    [str, int, int], None
]  # what is being done, how much is done, of how much


def fade(gate: Gate, half_life_days: int) -> str:
    """Let what was not used weigh less, once a day at most; says what came of it."""
    gate.index.catch_up()
    today = gate.clock.now().astimezone(UTC).date()
    if gate.index.memories.faded_until() >= today.toordinal():
        return "weights were brought up to date today already"
    old = gate.index.memories.many_untouched(today.toordinal())
    if not old:
        return "no memory is old enough to fade"
    what = f"Memories that were not used fade: half in {half_life_days} days."
    payload: StatePayload = {"fade": {"as_of": today.isoformat(), "half_life_days": half_life_days}}
    gate.commit("maintenance", [], kernel_entry("fade", what, KERNEL, payload), sign=True)
    gate.index.catch_up()
    return f"{old:,} memories faded a little"


def summaries(gate: Gate, zone: tzinfo) -> list[str]:
    """Sum up every year that has something new; returns the files written."""
    gate.index.catch_up()
    written = []
    for year in gate.index.events.years():
        path = Store.SUMMARY.place.file(year)
        upto, known = _upto(gate.index, year, zone), gate.index.files.kept(path)
        if not upto and known is None:
            continue  # nothing to tell of
        text = summarise(year, _noted(gate.index, year), zone, upto)
        if known is None or known.text != text:
            base = base_of(known.text if known else None)
            change = Change(Store.SUMMARY, "set", text, base, path)
            entry = kernel_entry("summary", f"{year} was summed up.", KERNEL, {})
            gate.commit("maintenance", [change], entry, sign=True)
            gate.index.catch_up()
            written.append(path)
    return written


def learn(index: Queries, recall: IndexedRecall, told: ReportProgress) -> int:
    """Give every memory its vectors; returns how many were missing."""
    missing = 0
    while done := recall.learn_built_in(LESSON):
        missing += done
        told("making memories findable by meaning", *index.vectors.progress())
    return missing


def reindex(index: Queries, external: ExternalEmbedder, told: ReportProgress) -> tuple[int, int]:
    """Give every memory vectors of the external embedder; returns how many have them, of how many.

    Where it stops short, `external.trouble()` tells why.
    """
    name = external.embedder.id
    while external.learn():
        told(f"reindexing with {name}", *index.vectors.reindexed(name))
    return index.vectors.reindexed(name)


def _noted(index: Queries, year: int) -> Iterator[Noted]:
    """What the author said and what changed in a year, in the order of events; nothing private.

    A year in another zone begins or ends up to a day apart; `summarise` looks at the dates.
    """
    first, after = f"{year - 1:04d}-12-31", f"{year + 1:04d}-01-02"
    changes = [
        Noted(t.seq, t.timestamp, t.what, WHOLE, "changed")
        for t in index.files.transitions()
        if t.seq > 1 and t.what and t.of_self and first <= t.timestamp < after
    ]
    for m in index.memories.public_messages(first, after):
        while changes and changes[0].seq < m.seq:
            yield changes.pop(0)
        yield Noted(m.seq, m.timestamp, m.text, m.weight)
    yield from changes


def _upto(index: Queries, year: int, zone: tzinfo) -> int:
    """The last event of a year that a summary tells of."""
    last = 0
    for noted in _noted(index, year):
        if parse_stamp(noted.timestamp).astimezone(zone).year == year:
            last = noted.seq
    return last
