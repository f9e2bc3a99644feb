"""Forgetting: which events hold what the author wants gone, and what becomes of their effects.

Looks, plans, and has mend.py carry it out. An event goes when it is named, when it says the same,
when it answers to or rests on what goes, or when it holds a word that nothing else the author
said has: such a word can only have come from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lumen.core.canon import JSON, clean
from lumen.core.clock import parse_stamp
from lumen.core.data import Author, Being, Event, EventType, Memory
from lumen.core.errors import UsageError
from lumen.kernel.commit import Gate
from lumen.kernel.edits import on_disk
from lumen.kernel.edits import read as read_file
from lumen.kernel.mend import Erasure, erase
from lumen.kernel.reading import names, numbers, words
from lumen.kernel.traces import Traces, runs, sequence, telling, whole_words
from lumen.soul.archive import Placed, read
from lumen.soul.fold import ERASED, Effects, FileSet, effects
from lumen.soul.history import all_kept
from lumen.soul.index import Index
from lumen.soul.ledger import called
from lumen.soul.projection import Progress, unwatched
from lumen.soul.selfhood import without

NEVER = ("genesis", "key_added", "scrubbed", "rollback_accepted")
FREE = (
    "input",
    "error",
    "trouble",
    "why",
    "outcome",
    "sent",
    "detail",
    "goal",
    "files",
)  # where its lines carry others' words
OUTSPOKEN = ("skill", "interrupted", "refused", "introduced", "checkpoint", "undone")
ATTEMPTS = 3
MOST_DIGITS = 15
SHORTEST = 2
SHOWN = 80
ULID = 26
SETTINGS = "lumen.toml"


@dataclass(frozen=True, slots=True)
class Goes:
    """An event that will be blanked out, and why."""

    seq: int
    timestamp: str
    who: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """All that will be gone, and what of it cannot be reached."""

    sought: Sought
    as_of: int  # the last event that was looked at
    goes: tuple[Goes, ...]
    mentions: tuple[int, ...]  # the author's own messages that name the same things, and stay
    erasure: Erasure
    cut: Mapping[str, tuple[str, ...]]  # files, and the lines that each loses
    beyond: tuple[str, ...]  # where copies may be that only the author can reach


@dataclass(slots=True)
class _Carried:
    """What the events that go did to state, without what is forgotten."""

    changes: list[JSON] = field(default_factory=list)
    uses: list[JSON] = field(default_factory=list)
    restores: list[JSON] = field(default_factory=list)
    undone: list[JSON] = field(default_factory=list)
    calls: list[JSON] = field(default_factory=list)
    sent: dict[str, list[str]] = field(default_factory=dict)  # to which models, and when

    def add(self, event: Event, done: Effects, traces: Traces) -> None:
        """Take over the effects of one event."""
        if "sent" in event.entry.payload:
            for call in done.calls:
                self.sent.setdefault(call.model, []).append(call.moment)
        self.changes += [_cleaned(change, traces) for change in done.files]
        self.uses += [
            {"at": u.at, "memories": list(u.memories), "by": u.by, "day": u.day} for u in done.uses
        ]
        self.restores += [{"at": r.at, "upto": r.upto} for r in done.restores]
        self.undone += [{"at": u.at, "undoes": u.undoes} for u in done.undone]
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


@dataclass(frozen=True, slots=True)
class Sought:
    """What the author wants gone: memories by number, and the words it was asked by, if it was."""

    memories: tuple[int, ...]
    words: str = ""


def find(index: Index, what: str) -> Sought:
    """The memories meant by a number, an id, or words that they contain.

    Raises:
        UsageError: there is no such memory; nothing was changed.
    """
    what = what.strip()
    numbered = what.isdecimal() and len(what) <= MOST_DIGITS
    seq = int(what) if numbered else index.number_of(what) if len(what) == ULID else 0
    if numbered or seq:
        if index.get([seq]):
            return Sought((seq,))
        gone = index.row("SELECT 1 FROM erasures WHERE target = ?", (seq,))
        there = "was forgotten already" if gone else "is the kernel's own"
        raise UsageError(
            f"event {what} {there if index.hash_of(seq) else 'is not there'}", fix="lumen memory"
        )
    what = clean(what)
    if not words(what) or len(what) < SHORTEST:
        raise UsageError(f"{_short(what)!r} is too little to go by", fix='lumen forget "its words"')
    sought = whole_words(what)
    found = tuple(m.seq for m in index.texts() if sought.search(m.text.casefold()))
    return Sought(found, what)


def _short(what: str) -> str:
    return what if len(what) <= SHOWN else what[:SHOWN] + "…"


def plan(being: Being, index: Index, sought: Sought, progress: Progress = unwatched) -> Plan:
    """All that has to go with some memories; the index must be caught up.

    Raises:
        UsageError: nothing says what was asked for.
    """
    named = index.get(sought.memories)
    as_of = index.last_head()[0]
    traces, same = _traces(index, named, sought.words)
    sessions = {m.session_key for m in same.values() if m.event_type is EventType.AUTHOR_MESSAGE}
    goes: dict[int, Goes] = {}
    again: set[int] = set()  # lines of an erasure that goes: the new one has to name them
    carried = _Carried()
    total, done = sum(p.stat().st_size for p in being.memory.rglob("*.jsonl")), 0
    for stored in read(being.memory):
        event = stored.event
        done += stored.length
        why = _why(event, named, same, sessions, traces)
        if why:
            goes[event.seq] = _goes(event, why)
            found = effects(event)
            again |= set(found.erases)
            carried.add(event, found, traces)
        if event.seq % 1000 == 0:
            progress(done, total)
    if not goes:
        what = _short(sought.words)
        raise UsageError(f"nothing I remember says {what!r}", fix="lumen memory WORDS")
    for event in _carriers(index, goes):
        goes[event.seq] = _goes(event, "carried it")
    files = _files(index, carried.changes)
    erasure = Erasure(
        targets=tuple(sorted(goes.keys() | again)),
        carried=carried.payload(),
        files=files,
        aside=tuple(being.named(path) for path in _aside(being, traces)),
    )
    return Plan(
        sought=sought,
        as_of=as_of,
        goes=tuple(goes[seq] for seq in sorted(goes)),
        mentions=tuple(_mentions(index, same)),
        erasure=erasure,
        cut={**_lines_cut(index, files), **dict.fromkeys(erasure.aside, ("all of it",))},
        beyond=(*_away(carried.sent), *_beyond(being, traces, set(files))),
    )


def carry_out(gate: Gate, agreed: Plan) -> tuple[Plan, Placed]:
    """Erase what the author agreed to, and what quotes it since: nothing comes in between.

    Looking takes long in a long life, so it is done again without keeping others from writing,
    unless they never pause.
    """
    for _ in range(ATTEMPTS):
        if gate.index.catch_up() == agreed.as_of:
            break
        agreed = plan(gate.being, gate.index, agreed.sought)
    with gate.writer.held():
        if gate.index.catch_up() != agreed.as_of:
            agreed = plan(gate.being, gate.index, agreed.sought)
        many = len(agreed.goes)
        what = f"The author had {many} event{'' if many == 1 else 's'} forgotten."
        return agreed, erase(gate, agreed.erasure, what)


def _traces(
    index: Index, named: Mapping[int, Memory], sought: str
) -> tuple[Traces, dict[int, Memory]]:
    """What to look for, and the author's messages that say it."""
    told = [m for m in named.values() if m.author is Author.EXTERNAL] or list(named.values())
    first = Traces([m.text for m in told])  # a reply's own phrases are everywhere
    same = {m.seq: m for m in told}
    candidates = {w for m in told for w in words(m.text)}
    elsewhere: set[str] = set()
    shared: set[str] = set()
    for m in index.texts("event_type = 'author_message'"):
        if m.seq not in same and first.said_in(m.text):
            same[m.seq] = m
            candidates |= set(words(m.text))
    for m in index.texts("event_type = 'author_message'"):
        if m.seq not in same:
            elsewhere |= candidates & set(words(m.text))
            shared |= first.runs & runs(m.text)
    own = (candidates & {w for m in same.values() for w in telling(m.text)}) - elsewhere
    traces = Traces([m.text for m in same.values()], own, sought)
    traces.runs -= shared
    return traces, same


def _why(
    event: Event,
    named: Mapping[int, Memory],
    same: Mapping[int, Memory],
    sessions: set[str],
    traces: Traces,
) -> str:
    """Why an event has to go; empty when it may stay."""
    entry = event.entry
    if event.seq in named:
        return "you asked"
    if event.seq in same:
        return "says the same"
    untouched = entry.situation in NEVER or entry.event_type is EventType.AUTHOR_MESSAGE
    if untouched or entry.situation == ERASED:
        return ""
    if entry.session_key in sessions and (entry.author is Author.SELF or "sent" in entry.payload):
        return "answers it" if entry.author is Author.SELF else "carried it"
    if not same.keys().isdisjoint(entry.payload.get("sources", ())):
        return "rests on it"
    files = [str(change["value"] or "") for change in entry.payload.get("changes", ())]
    quotes = any(map(traces.tells, _free(event))) or any(map(traces.stands_in, files))
    return "quotes it" if quotes else ""


def _carriers(index: Index, goes: Mapping[int, Goes]) -> Iterator[Event]:
    """The skill calls that carried replies which go: they hold the same words."""
    said = {index.turn_of(seq) for seq, g in goes.items() if g.who == Author.SELF.value}
    for session in sorted(said):
        for event in index.turn(session):
            if event.entry.event_type is EventType.TOOL_CALL and event.seq not in goes:
                yield event


def _mentions(index: Index, same: Mapping[int, Memory]) -> Iterator[int]:
    """What else the author said that holds a name or a number of it."""
    told = {w for m in same.values() for w in names(m.text) | numbers(m.text) if len(w) > 1}
    for m in index.texts("event_type = 'author_message'"):
        if m.seq not in same and not told.isdisjoint(sequence(m.text)):
            yield m.seq


def _free(event: Event) -> list[str]:
    """Everything in an event, files aside, that somebody else put into words."""
    entry = event.entry
    if entry.author is Author.KERNEL:
        spoken = [entry.description] if entry.situation in OUTSPOKEN else []
        return [*spoken, *_strings(entry.payload, FREE)]
    return [entry.description]


def _strings(value: JSON, keys: Sequence[str], *, wanted: bool = False) -> Iterator[str]:
    """Every text that stands, however deep, under one of some keys."""
    match value:
        case str() if wanted:
            yield value
        case dict():
            for key, inner in value.items():
                yield from _strings(inner, keys, wanted=wanted or key in keys)
        case list():
            for inner in value:
                yield from _strings(inner, keys, wanted=wanted)
        case _:
            pass


def _goes(event: Event, why: str) -> Goes:
    entry = event.entry
    return Goes(event.seq, event.timestamp, entry.author.value, entry.description, why)


def _cleaned(change: FileSet, traces: Traces) -> dict[str, JSON]:
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


def _files(index: Index, changes: Sequence[Mapping[str, JSON]]) -> dict[str, str]:
    """The files whose text in force is among what was cleaned; settings are the author's."""
    latest = {path: kept.seq for path, kept in all_kept(index).items()}
    return {
        str(c["path"]): str(c["value"])
        for c in changes
        if c["at"] == latest.get(str(c["path"]))
        and c["value"] is not None
        and c["path"] != SETTINGS
    }


def _lines_cut(index: Index, files: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The lines that files lose, as the author wrote them."""
    state = {path: kept.text or "" for path, kept in all_kept(index).items()}
    return {
        path: tuple(
            line for line in state[path].splitlines() if line not in text.splitlines() and line
        )
        for path, text in files.items()
    }


def _aside(being: Being, traces: Traces) -> Iterator[Path]:
    for folder in (being.quarantine, being.memory / "quarantine"):
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            text = path.read_bytes().decode("utf-8", "replace").replace("\\n", " ")
            if traces.tells(text):
                yield path


def _away(sent: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What left for models; whether it is kept there, nobody here knows."""
    for model, moments in sorted(sent.items()):
        first, last = _day(min(moments)), _day(max(moments))
        yield f"what was sent to {model} " + (
            f"on {first}" if first == last else f"from {first} to {last}"
        )


def _day(timestamp: str) -> str:
    moment = parse_stamp(timestamp)
    return f"{moment.day} {moment:%b %Y}"


def _beyond(being: Being, traces: Traces, cleaned: set[str]) -> Iterator[str]:
    for path in (being.named(being.settings), *sorted(on_disk(being) - cleaned)):
        text = (read_file(being, path) or b"").decode("utf-8", "replace")
        if any(traces.stands_in(line) for line in text.splitlines()):
            yield f"{path}, which is yours to edit"
    if any((being.root / ".git" / "refs" / "heads").glob("*")):
        yield "the commits of the being's git folder"
    yield "backups and copies you made before"
