"""What the events that are forgotten did to state, carried on without what is forgotten.

Which events go is for forget.py to say. An erasure has to state their effects again, or history could
no longer be gone back to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field
from typing import cast

from lumen.core.canon import JSON
from lumen.core.clock import parse_stamp
from lumen.core.data import Event
from lumen.core.model_calls import ModelCall
from lumen.core.payloads import CallPayload, ChangePayload, UsesPayload
from lumen.core.stores import is_theirs, place_at
from lumen.kernel.language.overlap import OverlapDetector
from lumen.kernel.upkeep.dependants import rests_on
from lumen.soul.ports.queries import Queries
from lumen.soul.state.fold import EventEffects, FileSet
from lumen.soul.state.records import Operation, in_words, without


@dataclass(slots=True)
class CarriedState:
    """What the events that go did to state, without what is forgotten."""

    changes: list[ChangePayload] = field(default_factory=list)
    records: set[str] = field(default_factory=set)  # which of them these events changed
    uses: list[UsesPayload] = field(default_factory=list)
    restores: list[dict[str, int]] = field(default_factory=list)
    undone: list[dict[str, int]] = field(default_factory=list)
    calls: list[CallPayload] = field(default_factory=list)
    sent: dict[str, list[str]] = field(default_factory=dict)  # to which models, and when

    def add(
        self,
        event: Event,
        done: EventEffects,
        traces: OverlapDetector,
        gone: AbstractSet[int] = frozenset(),
    ) -> None:
        """Take over the effects of one event; lines made of memories that are `gone` go with them."""
        if "sent" in event.entry.payload:
            for call in done.calls:
                self.sent.setdefault(call.model, []).append(call.moment)
        self.changes += [_cleaned(change, traces) for change in done.files]
        left = [o for o in done.operations if gone.isdisjoint(rests_on(o.value))]
        self.changes += [one.carried() for one in left if not quoted(one, traces)]
        self.records |= {one.path for one in done.operations}
        self.records |= {one.path for one in done.files if place_at(one.path).is_record}
        self.uses += [cast("UsesPayload", asdict(one)) for one in done.uses]
        self.restores += map(asdict, done.restores)
        self.undone += map(asdict, done.undone)
        self.calls += [called(call) for call in done.calls]

    def payload(self) -> dict[str, JSON]:
        """As the erasure says it."""
        said = {
            "changes": self.changes,
            "uses": self.uses,
            "restores": self.restores,
            "undoes": self.undone,
            "calls": self.calls,
        }
        return {key: value for key, value in said.items() if value}

    def away(self) -> Iterator[str]:
        """What left for models; whether it is kept there, nobody here knows."""
        for model, moments in sorted(self.sent.items()):
            first, last = _day(min(moments)), _day(max(moments))
            yield f"what was sent to {model} " + (
                f"on {first}" if first == last else f"from {first} to {last}"
            )


def files_in_force(index: Queries, changes: Sequence[ChangePayload]) -> dict[str, str]:
    """The files whose text in force is among what was cleaned; settings are the author's."""
    latest = {path: kept.seq for path, kept in index.files.all_kept().items()}
    return {
        str(c["path"]): str(c["value"])
        for c in changes
        if not place_at(str(c["path"])).is_record
        and c["at"] == latest.get(str(c["path"]))
        and c["value"] is not None
        and not is_theirs(str(c["path"]))
    }


def records_in_force(
    index: Queries, carried: CarriedState, gone: AbstractSet[int]
) -> dict[str, str | None]:
    """The records that read otherwise without what is forgotten, or are not there at all."""
    found: dict[str, str | None] = {}
    for path in sorted(carried.records):
        text, known = (
            index.files.folded_without(path, gone, carried.changes),
            index.files.kept(path),
        )
        if known and known.text is not None and text != known.text:
            found[path] = text
    return found


def quoted(one: Operation, traces: OverlapDetector) -> bool:
    """Whether an operation tells of it: records hold what steps were told, as notes do."""
    return traces.noted_in(in_words(one.name, one.value), spoken=True)


def lines_cut(index: Queries, files: Mapping[str, str | None]) -> dict[str, tuple[str, ...]]:
    """The lines that files lose, as they were written."""
    state = {path: kept.text or "" for path, kept in index.files.all_kept().items()}
    return {path: lost(state[path], text or "") for path, text in files.items()}


def lost(before: str, after: str) -> tuple[str, ...]:
    """The lines of a text that another no longer has."""
    left = set(after.splitlines())
    return tuple(line for line in before.splitlines() if line and line not in left)


def _cleaned(change: FileSet, traces: OverlapDetector) -> ChangePayload:
    """A file's change without what is forgotten: history can still be gone back to."""
    text = None if change.text is None else without(change.path, change.text, traces.stands_in)
    return {
        "store": change.store,
        "operation": "set",
        "path": change.path,
        "base": "",
        "value": text,
        "at": change.at,
    }


def _day(timestamp: str) -> str:
    moment = parse_stamp(timestamp)
    return f"{moment.day} {moment:%b %Y}"


def called(call: ModelCall) -> CallPayload:
    """A call as an erasure carries it on: what is said elsewhere is not in it."""
    told = asdict(call)
    renamed = {
        "prompt_tokens": "prompt",
        "completion_tokens": "completion",
        "cached_tokens": "cached",
    }
    moved = {new: told.pop(old) for new, old in renamed.items()}
    return cast("CallPayload", {**told, **moved, "seconds": told.pop("ms") / 1000})
