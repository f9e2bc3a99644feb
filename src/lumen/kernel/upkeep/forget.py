"""Forgetting: which events hold what the author wants gone, and what goes with them.

Looks, plans, and has gate/recovery.py carry it out. An event goes when it is named, when it says the same,
when it answers to or rests on what goes, or when any string in it holds a word that nothing else the
author said has: such a word can only have come from there. Files are untracked_files.py's concern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lumen.core.canon import clean
from lumen.core.data import Author, BeingPaths, Event, EventType, Memory, Placed
from lumen.core.errors import UsageError
from lumen.core.stores import Store
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.keys import author_signer
from lumen.kernel.gate.recovery import Erasure, erase
from lumen.kernel.language.overlap import (
    OverlapDetector,
    content,
    folded,
    pattern_of,
    plain,
    runs,
    said_as,
    sequence,
    telling,
)
from lumen.kernel.language.reading import names, numbers, words
from lumen.kernel.upkeep.carry_over import CarriedState, files_in_force, lines_cut, records_in_force
from lumen.kernel.upkeep.dependants import vocabulary, why_goes
from lumen.kernel.upkeep.untracked_files import (
    UntrackedFile,
    WrittenFiles,
    loose_files,
    own_settings,
)
from lumen.soul.ports.files import FilesOnDisk
from lumen.soul.ports.queries import Progress, Queries, unwatched
from lumen.soul.state.fold import ERASED, effects

ATTEMPTS = 3
MOST_DIGITS = 15
SHORTEST = 2
SHORTEST_NUMBER = 4  # digits: a shorter one alone is in too much, and -3 is no event
SHOWN = 80
ULID = 26
NUMBERED = re.compile(rf"(?:event )?(\d{{1,{MOST_DIGITS}}})")
QUOTED = re.compile(r'"(.+)"')


@dataclass(frozen=True, slots=True)
class EventToErase:
    """An event that will be blanked out, and why."""

    seq: int
    timestamp: str
    who: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What the author wants gone: memories by number, and the words it was asked by, if it was.

    `own_files` says that files of the author's own are changed too.
    """

    memories: tuple[int, ...]
    words: str = ""
    own_files: bool = False


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """All that will be gone, and what of it cannot be reached."""

    sought: ForgetRequest
    as_of: int  # the last event that was looked at
    goes: tuple[EventToErase, ...]
    mentions: tuple[int, ...]  # the author's own messages that name the same things, and stay
    erasure: Erasure
    cut: Mapping[str, tuple[str, ...]]  # files, and the lines that each loses
    beyond: tuple[str, ...]  # where copies may be that only the author can reach
    traces: OverlapDetector
    loose: tuple[UntrackedFile, ...] = ()  # files outside the archive that are changed or go
    yours: tuple[UntrackedFile, ...] = ()  # and the author's own, which stay as they are


def find(index: Queries, what: str) -> ForgetRequest:
    """The memories meant by a number, an id, or words that they contain.

    A number is looked for as a word too: `event 4711` means the one alone, `"4711"` the other.

    Raises:
        UsageError: there is no such memory, or the number is both; nothing was changed.
    """
    what = what.strip()
    if quoted := QUOTED.fullmatch(what):
        return _by_words(index, quoted[1])
    if what.isdecimal() and SHORTEST_NUMBER <= len(what) <= MOST_DIGITS:
        worded, seq = _by_words(index, what), int(what)
        there = bool(index.memories.get([seq]))
        if there and worded.memories not in ((), (seq,)):
            raise UsageError(
                f"{what} is an event, and a word in {len(worded.memories)} of your messages or its",
                fix=f"lumen forget 'event {what}'   or: lumen forget '\"{what}\"'",
            )
        if worded.memories and not there:
            return worded
    number = (numbered := NUMBERED.fullmatch(what)) and numbered[1]
    seq = int(number) if number else index.events.number_of(what) if len(what) == ULID else 0
    return _by_number(index, seq, number or what) if number or seq else _by_words(index, what)


def _by_number(index: Queries, seq: int, what: str) -> ForgetRequest:
    if index.memories.get([seq]):
        return ForgetRequest((seq,))
    event = index.events.get(seq)
    own = event and event.entry.author is Author.KERNEL and event.entry.situation != ERASED
    there = "is the kernel's own" if own else "was forgotten already"
    raise UsageError(f"event {what} {there if event else 'is not there'}", fix="lumen memory")


def _by_words(index: Queries, what: str) -> ForgetRequest:
    what = clean(what)
    said = words(plain(what))
    lone = len(said) == 1 and said[0].isdecimal() and len(said[0]) < SHORTEST_NUMBER
    if not said or lone or len(plain(what)) < SHORTEST:
        raise UsageError(f"{_short(what)!r} is too little to go by", fix='lumen forget "its words"')
    sought = pattern_of(what)
    found = tuple(m.seq for m in index.memories.texts() if any(said_as(sought, m.text)))
    return ForgetRequest(found, what)


def _short(what: str) -> str:
    return what if len(what) <= SHOWN else what[:SHOWN] + "…"


def plan(gate: Gate, sought: ForgetRequest, progress: Progress = unwatched) -> ForgetPlan:
    """All that has to go with some memories; the index must be caught up.

    Raises:
        UsageError: nothing says what was asked for.
    """
    being, index = gate.being, gate.index
    named = index.memories.get(sought.memories)
    as_of = index.events.last_head()[0]
    traces, same = _traces(index, named, sought.words)
    sessions = {m.session_key for m in same.values() if m.event_type is EventType.AUTHOR_MESSAGE}
    goes: dict[int, EventToErase] = {}
    again: set[int] = set()  # lines of an erasure that goes: the new one has to name them
    carried, pages = CarriedState(), WrittenFiles()
    for event in index.events.all():
        pages.see(event)
        why = why_goes(event, named, same, sessions, traces)
        if why:
            goes[event.seq] = _goes(event, why)
            found = effects(event)
            again |= set(found.erases)
            carried.add(event, found, traces, named.keys() | same.keys())
        if event.seq % 1000 == 0:
            progress(event.seq, as_of)
    loose = loose_files(being, gate.files, traces, pages)
    if not goes and not loose:
        what = _short(sought.words)
        raise UsageError(f"nothing I remember says {what!r}", fix="lumen memory WORDS")
    for event in _carriers(index, goes):
        goes[event.seq] = _goes(event, "carried it")
    looked = ForgetPlan(
        sought=sought,
        as_of=as_of,
        goes=tuple(goes[seq] for seq in sorted(goes)),
        mentions=tuple(_mentions(index, same)),
        erasure=Erasure(
            targets=tuple(sorted(goes.keys() | again)),
            carried=carried.payload(),
            files={
                **files_in_force(index, carried.changes),
                **records_in_force(index, carried, goes.keys()),
            },
        ),
        cut={},
        beyond=tuple(carried.away()),
        traces=traces,
    )
    return _with_files(gate, looked, loose)


def _with_files(gate: Gate, looked: ForgetPlan, loose: Iterable[UntrackedFile]) -> ForgetPlan:
    """A plan with what becomes of files: the being's are changed, the author's if that is wanted."""
    being, index = gate.being, gate.index
    loose = tuple(loose)
    ours = tuple(one for one in loose if one.whose != "author" or looked.sought.own_files)
    yours = tuple(one for one in loose if one not in ours)
    cut = {**lines_cut(index, looked.erasure.files), **{one.path: one.lines for one in ours}}
    cleaned = set(looked.erasure.files)
    named = (f"{one.path}, which is yours to edit" for one in yours)
    beyond = (*looked.beyond, *_beyond(gate.files, looked.traces, cleaned), *named, *_copies(being))
    # What was set aside is taken away by whoever finishes an erasure, unless its name tells.
    aside = tuple(o.path for o in ours if o.whose == "aside" and not looked.traces.left_in(o.path))
    erasure = replace(looked.erasure, aside=aside)
    return replace(
        looked,
        cut=cut,
        beyond=beyond,
        erasure=erasure,
        loose=tuple(one for one in ours if one.path not in aside),
        yours=yours,
    )


def carry_out(gate: Gate, agreed: ForgetPlan) -> tuple[ForgetPlan, Placed]:
    """Erase what the author agreed to, and what quotes it since: nothing comes in between.

    Looking takes long in a long life, so it is done again without keeping others from writing,
    unless they never pause. Files go first: their names may tell of it, so no event names them.

    Raises:
        UsageError: no author's key that counts is here; nothing was changed.
        Locked: the author's key is under a passphrase that was not given; nothing was changed.
    """
    signer = author_signer(gate)
    for _ in range(ATTEMPTS):
        if gate.index.catch_up() == agreed.as_of:
            break
        agreed = plan(gate, agreed.sought)
    with gate.log.locked():
        if gate.index.catch_up() != agreed.as_of:
            agreed = plan(gate, agreed.sought)
        many = len(agreed.goes)
        what = f"The author had {many} event{'' if many == 1 else 's'} forgotten."
        gate.rewrite({one.path: one.left for one in agreed.loose})
        return agreed, erase(gate, agreed.erasure, what, signer)


def _traces(
    index: Queries, named: Mapping[int, Memory], sought: str
) -> tuple[OverlapDetector, dict[int, Memory]]:
    """What to look for, and the author's messages that say it."""
    told = [m for m in named.values() if m.author is Author.EXTERNAL] or list(named.values())
    first = OverlapDetector([m.text for m in told])  # a reply's own phrases are everywhere
    same = {m.seq: m for m in told}
    candidates = {w for m in told for w in content(m.text)}
    elsewhere: set[str] = set()
    shared: set[str] = set()
    for m in index.memories.messages():
        if m.seq not in same and first.said_in(m.text):
            same[m.seq] = m
            candidates |= content(m.text)
    for m in index.memories.messages():
        if m.seq not in same:
            elsewhere |= candidates & content(m.text)
            shared |= first.runs & runs(m.text)
    own = (candidates & {w for m in same.values() for w in telling(m.text)}) - elsewhere
    traces = OverlapDetector([m.text for m in same.values()], own, sought, vocabulary())
    traces.runs -= shared
    return traces, same


def _carriers(index: Queries, goes: Mapping[int, EventToErase]) -> Iterator[Event]:
    """The skill calls that carried replies which go: they hold the same words."""
    said = {index.events.turn_of(seq) for seq, g in goes.items() if g.who == Author.SELF.value}
    for session in sorted(said):
        for event in index.events.turn(session):
            if event.entry.event_type is EventType.TOOL_CALL and event.seq not in goes:
                yield event


def _mentions(index: Queries, same: Mapping[int, Memory]) -> Iterator[int]:
    """What else the author said that holds a name or a number of it."""
    told = {
        folded(w)
        for m in same.values()
        for w in names(plain(m.text)) | numbers(plain(m.text))
        if len(w) > 1
    }
    for m in index.memories.messages():
        if m.seq not in same and not told.isdisjoint(sequence(m.text)):
            yield m.seq


def _goes(event: Event, why: str) -> EventToErase:
    entry = event.entry
    return EventToErase(event.seq, event.timestamp, entry.author.value, entry.description, why)


def _beyond(files: FilesOnDisk, traces: OverlapDetector, cleaned: set[str]) -> Iterator[str]:
    settings = Store.SETTINGS.place.path
    for path in (settings, *sorted(files.stores() - cleaned)):
        data = files.read(path) or b""
        lines = data.decode("utf-8", "replace").splitlines()
        if any(map(traces.stands_in, own_settings(data) if path == settings else lines)):
            yield f"{path}, which is yours to edit"


def _copies(being: BeingPaths) -> Iterator[str]:
    if any((being.root / ".git" / "refs" / "heads").glob("*")):
        yield "the commits of the being's git folder"
    yield "backups and copies you made before"
