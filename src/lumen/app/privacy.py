"""What must never leave for a model that is not local: memories marked, and all that rests on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lumen.core.data import Author, Memory, kernel_entry
from lumen.core.errors import UsageError
from lumen.core.payloads import StatePayload
from lumen.core.stores import Store, store_at
from lumen.kernel.gate.edits import in_force
from lumen.kernel.identity.provenance import provenance
from lumen.kernel.turn.run import Kernel
from lumen.kernel.upkeep.dependants import in_view
from lumen.kernel.upkeep.forget import ForgetRequest, plan
from lumen.kernel.upkeep.maintain import summaries
from lumen.soul.state.selfhood import SOUL, entries


@dataclass(frozen=True, slots=True)
class PrivacyMarks:
    """Memories that are private from here on, or no longer; `lines` of the self follow them."""

    marked: tuple[int, ...]
    private: bool
    lines: tuple[str, ...]


def mark(kernel: Kernel, events: Sequence[int], *, private: bool = True) -> PrivacyMarks:
    """Archive that memories are private from here on, or no longer, and what follows from it.

    Raises:
        UsageError: one of the events is no memory; nothing was changed.
    """
    kernel.index.catch_up()
    known = kernel.index.memories.get(events)
    for seq in events:
        if seq not in known:
            raise UsageError(f"event {seq} is no memory", fix="lumen memory")
    also = _resting_on(kernel, known)
    every = [*events, *(r for r in also if private or not _still_private(kernel, r, known))]
    what = f"The author marked {len(every)} as {'' if private else 'no longer '}private."
    payload: StatePayload = {"marks": {"memories": every, "private": private}}
    kernel.gate.record(kernel_entry("marked", what, "lumen:author", payload), sign=True)
    kernel.index.catch_up()
    if any(store_at(path) is Store.SUMMARY for path in kernel.index.files.all_kept()):
        summaries(kernel.gate, kernel.now().zone)
    return PrivacyMarks(tuple(events), private, tuple(_lines_resting_on(kernel)))


def _resting_on(kernel: Kernel, known: dict[int, Memory]) -> list[int]:
    """The replies to some memories, those that rest on them, and those that repeat them."""
    sessions = {m.session_key for m in known.values()}
    found = plan(kernel.gate, ForgetRequest(tuple(known)))
    goes = {g.seq for g in found.goes if g.who == Author.SELF.value}
    return [
        event.seq
        for event in kernel.index.events.all()
        if (entry := event.entry).author is Author.SELF
        and event.seq not in known
        and (
            event.seq in goes or entry.session_key in sessions or known.keys() & set(in_view(entry))
        )
    ]


def _still_private(kernel: Kernel, reply: int, freed: dict[int, Memory]) -> bool:
    """Whether a reply also answers, or rests on, something else that stays private."""
    event = kernel.index.events.get(reply)
    entry = event.entry if event else None
    sources = in_view(entry) if entry else ()
    said = kernel.index.events.turn(entry.session_key) if entry else []
    others = {*sources, *(e.seq for e in said if e.entry.author is not Author.SELF)} - freed.keys()
    return any(m.private for m in kernel.index.memories.get(others).values())


def _lines_resting_on(kernel: Kernel) -> list[str]:
    """The lines of the self that must not leave, with where they stand."""
    texts = in_force(kernel.index)
    held = {line for path, text in texts.items() if path != SOUL for line in entries(path, text)}
    story = [line.strip() for line in texts.get(SOUL, "").splitlines()]
    found = []
    for (kind, line), written in provenance(kernel.index).items():
        if written.private and kind == "story" and line in story:
            found.append(f"story, line {story.index(line) + 1}: {line}")
        elif written.private and kind != "story" and line in held:
            found.append(f"{kind}: {line}")
    return found
