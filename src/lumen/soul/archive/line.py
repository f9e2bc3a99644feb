"""The archive: one hash-chained JSON line per event, a segment per day, one chain across them.

This module knows the line to the byte and how to read it back. It never writes (write.py does)
and it trusts what it reads; whether the bytes are what was written is for verify.py to say.
The format is specified in docs/formats.md.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import orjson

from lumen.core.canon import dumps, loads
from lumen.core.clock import Clock, ulid
from lumen.core.data import Author, Entry, Event, EventType, Origin
from lumen.core.errors import Damaged, Refused

FORMAT = "lumen-archive/1"
GENESIS_PARENT = "0" * 64
PREFIX = b'{"event_hash":"'
HEADER_AT = len(PREFIX) + 64 + 2
CONTENT_HASH = b'"content_hash":"'
STAMP_AT = 26 + len(b'","timestamp":"')  # behind `"id":"`: the id stands between
ERASED = b',"salt":"","situation":"erased","description":"","payload":{"erased_by":'
LOCK = ".lock"
SEGMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\.jsonl")
CHANGED = "was changed after it was written"
ABOUT_TRUST = (  # situations of events that say whose word counts, or give the author's
    *("approved", "denied", "erasure", "erasures_vouched", "genesis"),
    *("key_added", "key_revoked", "key_vouched", "tail_accepted", "tail_cut"),
)


class Body(NamedTuple):
    """What of a line needs no place in the chain: made before the lock is taken."""

    id: str
    header: bytes
    content: bytes


class Torn(NamedTuple):
    """Bytes after the last newline: a write that did not finish."""

    segment: Path
    offset: int
    data: bytes


class Tail(NamedTuple):
    """The end of the archive: what the next line links to."""

    segment: Path | None = None
    size: int = 0
    seq: int = 0
    event_hash: str = GENESIS_PARENT
    timestamp: str = ""
    soul: str = ""
    torn: Torn | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """An event together with where its bytes are."""

    event: Event
    segment: str
    offset: int
    length: int


def body(entry: Entry, own_id: str, salt: str) -> Body:
    """Serialise what an event says. The salt keeps erased content from being guessed by its hash.

    Spelled in one go with a blank for the content's hash, then cut in two behind it.
    """
    spelled = dumps(
        {
            "author": entry.author,
            "weight": entry.weight,
            "event_type": entry.event_type,
            "agent_id": entry.agent_id,
            "session_key": entry.session_key,
            "model": entry.model,
            "origin": entry.origin,
            "content_hash": GENESIS_PARENT,
            "salt": salt,
            "situation": entry.situation,
            "description": entry.description,
            "payload": entry.payload,
        }
    )
    blank = spelled.find(CONTENT_HASH) + len(CONTENT_HASH)
    content = spelled[blank + 65 :]
    content_hash = sha256(content).hexdigest().encode()
    return Body(own_id, b'%b%b"' % (spelled[1:blank], content_hash), content)


def prepared(entry: Entry, clock: Clock) -> Body:
    """Serialise an event under an id and a salt of its own.

    Raises:
        Refused: it holds what cannot be spelled.
    """
    try:
        return body(entry, ulid(clock), clock.entropy(16).hex())
    except orjson.JSONEncodeError as error:
        raise Refused(f"an event cannot be stored: {error}") from error


def line(part: Body, parent_hash: str, seq: int, soul: str, timestamp: str) -> tuple[str, bytes]:
    """The event hash and the exact bytes of a line, newline included."""
    placed = (
        f'"parent_hash":"{parent_hash}","seq":{seq},"soul":"{soul}",'
        f'"id":"{part.id}","timestamp":"{timestamp}",'
    )
    header = placed.encode() + part.header
    event_hash = sha256(header).hexdigest()
    return event_hash, b'%b%b",%b%b\n' % (PREFIX, event_hash.encode(), header, part.content)


def parse(raw: bytes) -> Event:
    """Read one line back.

    Raises:
        Damaged: the bytes are not a line of this format.
    """
    try:
        found = loads(raw)
        return Event(
            event_hash=found["event_hash"],
            parent_hash=found["parent_hash"],
            seq=found["seq"],
            soul=found["soul"],
            id=found["id"],
            timestamp=found["timestamp"],
            entry=Entry(
                author=Author(found["author"]),
                event_type=EventType(found["event_type"]),
                origin=Origin(found["origin"]),
                situation=found["situation"],
                description=found["description"],
                session_key=found["session_key"],
                payload={**found["payload"]},
                agent_id=found["agent_id"],
                model=found["model"],
                weight=found["weight"],
            ),
            content_hash=found["content_hash"],
            salt=found["salt"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(
            "a line of the archive cannot be read: it is not what was written",
            fix="lumen archive verify",
        ) from error


def opening(line: bytes) -> tuple[bytes, int, bytes, bytes]:
    """Parent, number, soul and time of a line, taken on trust until it is checked."""
    parent = line[HEADER_AT + 15 : HEADER_AT + 79]
    number, _, rest = line[HEADER_AT + 87 :].partition(b',"soul":"')
    seq = int(number) if number.isdigit() and len(number) < 16 else -1
    at = 26 + len(b'","id":"') + STAMP_AT
    return parent, seq, rest[:26], rest[at : at + 24]


def content_at(raw: bytes) -> int:
    """Where the content of a line begins: behind its hash, with which the header ends."""
    return raw.find(CONTENT_HASH, HEADER_AT) + len(CONTENT_HASH) + 65


def is_headed(raw: bytes) -> bool:
    """Whether a line's own hash holds, which is over all but what it says."""
    own = sha256(raw[HEADER_AT : content_at(raw)]).hexdigest().encode()
    return raw.startswith(PREFIX + own + b'",')


def is_sound(raw: bytes) -> bool:
    """Whether a line is whole: both of its hashes hold."""
    cut = content_at(raw)
    return is_headed(raw) and raw[cut - 65 : cut - 1] == sha256(raw[cut:-1]).hexdigest().encode()


def stub(raw: bytes, by: int) -> bytes:
    """A line with its content blanked out, as long as before, naming the event that says so."""
    cut = content_at(raw)
    start = ERASED + b"%d}" % by
    return raw[:cut] + start + b" " * (len(raw) - cut - len(start) - 2) + b"}\n"


def content_length(raw: bytes) -> int:
    """How long the content of a line is, newline excluded: what an erasure states of it."""
    return len(raw) - content_at(raw) - 1


def segment_for(memory: Path, timestamp: str) -> Path:
    """The file an event of this moment belongs to."""
    day = timestamp[:10]
    return memory / day[:4] / f"{day}.jsonl"


def segments(memory: Path, since: str = "") -> list[Path]:
    """Every segment, or those from a name on, oldest first.

    Files of other names, or in another year's folder, are none of ours; nor is what is no file,
    such as a pipe, which would keep its reader waiting for ever.
    """
    found: list[Path] = []
    for year in sorted(memory.glob("[0-9][0-9][0-9][0-9]/")):
        if year.name < since[:4]:
            continue
        with os.scandir(year) as files:  # a tenth of what making a path of each file costs
            names = [
                f.name
                for f in files
                if f.name >= since and SEGMENT.fullmatch(f.name) and f.is_file()
            ]
        found += [year / name for name in sorted(names) if name.startswith(year.name)]
    return found


def read(memory: Path, after: tuple[str, int] = ("", 0)) -> Iterator[Stored]:
    """Every finished line from a (segment name, byte offset) on, oldest first.

    A last line without its newline is still being written, or was torn: it is not yielded.

    Raises:
        Damaged: a line cannot be read.
    """
    for name, offset, raw in finished(memory, after):
        yield Stored(parse(raw), name, offset, len(raw))


def read_lines(memory: Path) -> Iterator[bytes]:
    """The bytes of every finished line, oldest first."""
    return (raw for _, _, raw in finished(memory, ("", 0)))


def finished(memory: Path, after: tuple[str, int]) -> Iterator[tuple[str, int, bytes]]:
    """The same with the segment and offset of each, from a place on; an unfinished end is left out."""
    found = segments(memory, since=after[0])
    for number, segment in enumerate(found, 1):
        offset = after[1] if segment.name == after[0] else 0
        with segment.open("rb") as lines:
            lines.seek(offset)
            for raw in lines:
                if not raw.endswith(b"\n") and not any(p.stat().st_size for p in found[number:]):
                    return
                yield segment.name, offset, raw
                offset += len(raw)


def read_at(memory: Path, segment: str, offset: int, length: int) -> bytes:
    """The stored bytes of one line; empty when they are not there.

    An index that was edited may name any place: only segments are opened, and no pipe.
    """
    name = str(segment)
    path = memory / name[:4] / name
    if not SEGMENT.fullmatch(name) or not path.is_file():
        return b""
    with path.open("rb") as lines:
        lines.seek(offset)
        return lines.read(length)


@contextmanager
def shared(memory: Path) -> Iterator[None]:
    """Hold writers off for a moment, so that no half-written line is seen.

    A copy without a lock file (a backup, a read-only disk) has no writers.
    """
    lock = memory / LOCK
    if not lock.is_file():
        yield
        return
    with lock.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


def torn_end(memory: Path) -> Torn | None:
    """The bytes after the last newline of the newest segment that holds any."""
    for segment in reversed(segments(memory)):
        if segment.stat().st_size:
            with segment.open("rb") as file:
                _, end, rest = _last_line(file.fileno(), segment.stat().st_size)
            return Torn(segment, end, rest) if rest else None
    return None


def tail(memory: Path) -> Tail:
    """Find the end of the chain, and any torn bytes after it.

    Raises:
        Damaged: the last finished line does not hash to what it says, so nothing may link to it.
    """
    torn = None
    for segment in reversed(segments(memory)):
        with segment.open("rb") as file:
            found = tail_of(segment, file.fileno(), segment.stat().st_size)
        torn = found.torn or torn
        if found.seq:
            return found._replace(torn=torn)
    return Tail(torn=torn)


def tail_of(segment: Path, descriptor: int, size: int) -> Tail:
    """The tail within one open segment of a known size."""
    last, end, rest = _last_line(descriptor, size)
    torn = Torn(segment, end, rest) if rest else None
    if not last:
        return Tail(torn=torn)
    own = last[len(PREFIX) : HEADER_AT - 2]
    _, seq, soul, stamp = opening(last)
    if seq < 1 or not is_headed(last):
        raise Damaged(
            f"the last event of {segment.name} {CHANGED}",
            fix="lumen archive verify; lines that are not this host's: lumen archive cut-tail",
        )
    return Tail(segment, end, seq, own.decode(), stamp.decode(), soul.decode(), torn)


def _last_line(descriptor: int, size: int, chunk: int = 1 << 12) -> tuple[bytes, int, bytes]:
    """The last finished line, where it ends, and the bytes after it."""
    while True:
        start = max(0, size - chunk)
        data = os.pread(descriptor, size - start, start)
        finish = data.rfind(b"\n")
        begin = data.rfind(b"\n", 0, max(finish, 0)) + 1
        if start == 0 or begin:
            break
        chunk *= 8
    return data[begin : finish + 1], start + finish + 1, data[finish + 1 :]
