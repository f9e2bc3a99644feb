"""What an event does to state, read off the event alone: the one place that knows.

Pure: no clock, no file, no vector. The index applies these effects to its tables; `fold` keeps
the small part that is files. Weights are integer millionths, so every machine counts alike.
Only the kernel's word, and an edit by the author's own hand, changes anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import cast

from lumen.core.data import Author, Entry, Event, EventType, FinishedCycle, Origin
from lumen.core.errors import Damaged
from lumen.core.model_calls import ModelCall
from lumen.core.payloads import (
    CallPayload,
    ChangePayload,
    CyclePayload,
    StatePayload,
    UsesPayload,
)
from lumen.core.stores import fixed_paths
from lumen.soul.state.records import Operation, folded, is_operation, operation_from

EDITED = "edited"
ERASED = "erased"
PURSUES = "pursues"
TOLD = "told"  # what the author gave to remember: nobody is to answer it
CLOSING = frozenset({"record", "unclosed", "interrupted", ERASED})
SPOKEN_FOR = frozenset(StatePayload.__annotations__)
_BEFORE_PATHS = fixed_paths()  # older changes name no path


@dataclass(frozen=True, slots=True)
class FileSet:
    """A file of the being as an event left it; no text: no file. `at` is the event meant."""

    at: int
    path: str
    store: str
    base: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Uses:
    """Memories that a turn made use of, and how much that strengthens each."""

    at: int
    memories: tuple[int, ...]
    by: int
    day: int


@dataclass(frozen=True, slots=True)
class Fade:
    """Time takes from what was not used: half of it every so many days."""

    as_of: int
    half_life: int


@dataclass(frozen=True, slots=True)
class Restore:
    """Memories weigh again what they did at an earlier event; `at` is the event meant."""

    at: int
    upto: int


@dataclass(frozen=True, slots=True)
class ChangeUndone:
    """A change that was taken back; `at` is the event that did it."""

    at: int
    undoes: int


@dataclass(frozen=True, slots=True)
class EventEffects:
    """All that one event changes."""

    files: tuple[FileSet, ...] = ()
    operations: tuple[Operation, ...] = ()
    uses: tuple[Uses, ...] = ()
    fade: Fade | None = None
    restores: tuple[Restore, ...] = ()
    undone: tuple[ChangeUndone, ...] = ()
    erases: tuple[int, ...] = ()
    scrubbed: int = 0  # the erasure whose lines are blanked out on disk by now
    marks: tuple[int, ...] = ()
    private: bool = False
    checkpoint: str = ""
    held: tuple[str, str] | None = None
    calls: tuple[ModelCall, ...] = ()
    cycle: FinishedCycle | None = None


NOTHING = EventEffects()


@dataclass(slots=True)
class FoldState:
    """What the archive says the being's files are."""

    seq: int = 0
    files: dict[str, FileSet] = field(default_factory=dict)
    operations: dict[str, dict[tuple[int, int], Operation]] = field(default_factory=dict)

    def texts(self) -> dict[str, str]:
        """Every file there is, by its path inside the being."""
        found = {path: self._text(path) for path in sorted({*self.files, *self.operations})}
        return {path: text for path, text in found.items() if text is not None}

    def _text(self, path: str) -> str | None:
        """What was set last, and what was done to it since."""
        whole = self.files.get(path)
        since = (o for o in self.operations.get(path, {}).values() if not whole or o.at > whole.at)
        return folded(whole.text if whole else None, since)


def fold(events: Iterable[Event]) -> FoldState:
    """The state all these events lead to."""
    state = FoldState()
    for event in events:
        state.seq = event.seq
        done = effects(event)
        for change in done.files:
            known = state.files.get(change.path)
            if known is None or known.at <= change.at:
                state.files[change.path] = change
        for one in done.operations:
            state.operations.setdefault(one.path, {})[one.at, one.n] = one
    return state


def effects(event: Event) -> EventEffects:
    """What an event does; most do nothing.

    Raises:
        Damaged: the kernel's word does not make sense, so it cannot be the kernel's.
    """
    entry = event.entry
    if entry.payload.keys().isdisjoint(SPOKEN_FOR):
        return NOTHING
    said = cast("StatePayload", entry.payload)  # as far as it is read below, and refused there
    if entry.author is not Author.KERNEL:
        if not _by_hand(entry):
            return NOTHING
        said = {"changes": said.get("changes", [])}  # a hand can do no more than edit files
    try:
        return _read(event, said)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Damaged(
            f"event {event.seq} cannot be applied: {error!r}", fix="lumen archive verify"
        ) from error


def opens(entry: Entry) -> bool:
    """Whether a turn begins with this: the author spoke, or a goal was taken up."""
    spoken = entry.event_type is EventType.AUTHOR_MESSAGE and entry.situation != TOLD
    pursued = entry.author is Author.GOAL and entry.situation == PURSUES
    return (spoken or pursued) and entry.situation != ERASED


def closes(entry: Entry) -> bool:
    """Whether a turn ends with this; a blanked line of the kernel belonged to one long over."""
    return entry.author is Author.KERNEL and entry.situation in CLOSING


@lru_cache(maxsize=1024)
def day_of(timestamp: str) -> int:
    """The day of a stamp as a number that can be counted with."""
    return date.fromisoformat(timestamp[:10]).toordinal()


def _by_hand(entry: Entry) -> bool:
    """Whether an event tells of an edit by the author's own hand."""
    authors = entry.author is Author.EXTERNAL and entry.origin is Origin.AUTHOR
    return authors and entry.event_type is EventType.SYSTEM_EVENT and entry.situation == EDITED


def _read(event: Event, payload: StatePayload) -> EventEffects:
    fade, held, marks = payload.get("fade"), payload.get("held"), payload.get("marks")
    changes = list(enumerate(payload.get("changes", ())))
    return EventEffects(
        files=tuple(_file(event, change) for _, change in changes if not is_operation(change)),
        operations=tuple(
            operation_from(change, event.seq, n) for n, change in changes if is_operation(change)
        ),
        uses=_uses(event, payload.get("uses")),
        fade=Fade(day_of(fade["as_of"]), max(1, int(fade["half_life_days"]))) if fade else None,
        restores=_restores(event, payload.get("restores")),
        undone=_undone(event, payload.get("undoes")),
        erases=tuple(int(e["seq"]) for e in payload.get("erases", ())),
        scrubbed=int(payload.get("scrubbed", 0)),
        marks=tuple(int(seq) for seq in marks["memories"]) if marks else (),
        private=bool(marks and marks["private"]),
        checkpoint=str(payload.get("checkpoint", "")),
        held=(str(held["path"]), str(held["sha256"])) if held else None,
        calls=_calls(event, payload),
        cycle=_cycled(event, payload["cycle"]) if payload.get("cycle") else None,
    )


def _cycled(event: Event, told: CyclePayload) -> FinishedCycle:
    return FinishedCycle(
        seq=event.seq,
        loop=str(told["loop"]),
        goal=str(told.get("goal", "")),
        skill=str(told.get("skill", "")),
        ok=bool(told.get("ok", True)),
        progress=bool(told.get("progress", False)),
        completed=bool(told.get("completed", False)),
        delta=float(told.get("delta", 0.0)),
        chosen=int(told.get("chosen", -1)),
        options=told.get("options", []),
        conflicts=told.get("conflicts", []),
    )


def _calls(event: Event, payload: StatePayload) -> tuple[ModelCall, ...]:
    """A call that is about to be made, or those that are over; older lines gave them no id."""
    one = payload.get("call")
    many = [one] if one else payload.get("calls", ())
    return tuple(_called(event, told) for told in many if "id" in told)


def _called(event: Event, told: CallPayload) -> ModelCall:
    return ModelCall(
        at=int(told.get("at", event.seq)),
        id=str(told["id"]),
        moment=str(told.get("moment", event.timestamp)),
        role=str(told["role"]),
        step=str(told["step"]),
        model=str(told["model"]),
        local=bool(told["local"]),
        set_aside=int(told["set_aside"]),
        escalated=bool(told.get("escalated", False)),
        outcome=str(told.get("outcome", "")),
        tokens=_number(told.get("tokens")),
        prompt=_number(told.get("prompt_tokens")),
        completion=_number(told.get("completion_tokens")),
        cached=int(told.get("cached_tokens") or 0),
        ms=round(float(told.get("seconds") or 0) * 1000),
        micros=_number(told.get("micros")),
    )


def _number(value: int | None) -> int | None:
    return None if value is None else int(value)


def _file(event: Event, change: ChangePayload) -> FileSet:
    store, text = str(change["store"]), change["value"]
    return FileSet(
        at=int(change.get("at", event.seq)),
        path=str(change.get("path") or _BEFORE_PATHS[store]),
        store=store,
        base=str(change["base"]),
        text=None if text is None else str(text),
    )


def _uses(event: Event, uses: UsesPayload | list[UsesPayload] | None) -> tuple[Uses, ...]:
    """A turn's own uses are one object; an erasure carries on, in a list, what it blanks out."""
    if not uses:
        return ()
    many = uses if isinstance(uses, list) else [uses]
    return tuple(
        Uses(
            at=int(u.get("at", event.seq)),
            memories=tuple(dict.fromkeys(int(seq) for seq in u["memories"])),
            by=int(u["by"]),
            day=int(u.get("day", day_of(event.timestamp))),
        )
        for u in many
    )


def _many(name: str, said: int | list[dict[str, int]] | None) -> list[dict[str, int]]:
    if said is None or isinstance(said, list):
        return said or []
    return [{name: said}]


def _undone(event: Event, undoes: int | list[dict[str, int]] | None) -> tuple[ChangeUndone, ...]:
    """An undo names one event; an erasure carries on, in a list, what it blanks out."""
    many = _many("undoes", undoes)
    return tuple(ChangeUndone(int(u.get("at", event.seq)), int(u["undoes"])) for u in many)


def _restores(event: Event, restores: int | list[dict[str, int]] | None) -> tuple[Restore, ...]:
    """A restore names one event; an erasure carries on, in a list, what it blanks out."""
    many = _many("upto", restores)
    found = tuple(Restore(int(r.get("at", event.seq)), int(r["upto"])) for r in many)
    if not all(0 <= r.upto < r.at <= event.seq for r in found):
        raise ValueError("nothing can be restored that is yet to come")
    return found
