"""The archive as a chain: its lines, oldest first, up to the first that does not follow.

Each line is held against the one before it: its number, its parent and its own hash. What stands
behind the first that does not fit is nobody's word, however well it reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from lumen.core.data import Event
from lumen.core.errors import Damaged
from lumen.soul.archive.line import (
    CHANGED,
    GENESIS_PARENT,
    HEADER_AT,
    PREFIX,
    Stored,
    Tail,
    finished,
    is_headed,
    is_sound,
    opening,
    parse,
    read_at,
    segments,
    tail_of,
)

LINK = b'"parent_hash":"'
LONGEST = 1 << 20  # of a genesis: more is none
UNREADABLE = "cannot be read"
UNLINKED = "does not link to what stands before it"


class LooseLine(NamedTuple):
    """The first line that does not follow: where it stands, what it stands behind, and why not."""

    segment: str
    offset: int
    after: int
    why: str

    def __str__(self) -> str:
        return f"what follows event {self.after} ({self.segment}, byte {self.offset}) {self.why}"


class LastApplied(NamedTuple):
    """The last event that was followed, and where its line stands."""

    seq: int = 0
    segment: str = ""
    offset: int = 0
    length: int = 0
    event_hash: str = GENESIS_PARENT

    @property
    def end(self) -> tuple[str, int]:
        """Where the next line begins."""
        return self.segment, self.offset + self.length

    def stands(self, memory: Path) -> bool:
        """Whether its line, and that one alone, is still where it was."""
        raw = read_at(memory, self.segment, self.offset, self.length)
        whole = raw.find(b"\n") + 1 == len(raw) == self.length
        return whole and (opening(raw)[1], raw[15:79]) == (self.seq, str(self.event_hash).encode())

    def is_last(self, memory: Path) -> bool:
        """Whether no byte follows it."""
        name, end = self.end
        return all(
            path.stat().st_size <= (end if path.name == name else 0)
            for path in segments(memory, since=name)
        )


def soul_in(memory: Path) -> str:
    """The soul that an archive's first line names; nothing where no sound line can be read."""
    first = next(iter(segments(memory)), None)
    if first is None or not first.is_file():  # a pipe would have to be waited for
        return ""
    with suppress(OSError), first.open("rb") as lines:
        raw = lines.readline(LONGEST)
        return opening(raw)[2].decode(errors="replace") if is_sound(raw) else ""
    return ""


def linked_lines(memory: Path, last: LastApplied) -> Iterator[Stored | LooseLine]:
    """Every finished line behind another that links to the one before; at last one that does not.

    A line without its newline that nothing follows is still being written, or was torn: it is
    left out.
    """
    seq, parent = last.seq, last.event_hash
    for segment, offset, raw in finished(memory, last.end):
        event = _follower(raw, seq + 1, parent)
        if isinstance(event, str):
            yield LooseLine(segment, offset, seq, event)
            return
        yield Stored(event, segment, offset, len(raw))
        seq, parent = event.seq, event.event_hash


def links_on(memory: Path, known: Tail) -> bool:
    """Whether all that was put behind an end once known links to it; to be asked under the lock.

    A mark knows the last lines by their hashes, and so would take a copy of them for the end.
    Where that end is no longer (others may forget meanwhile), only the mark can tell.
    """
    if not known.segment or not _still_ends(known, known.segment):
        return True
    last = LastApplied(known.seq, known.segment.name, known.size, 0, known.event_hash)
    return not any(isinstance(found, LooseLine) for found in linked_lines(memory, last))


def follow(end: Tail, data: bytes) -> Tail | None:
    """The end of a chain after whole lines put behind it; nothing where one of them does not link.

    No more is looked at than what makes them a chain: what they say is for verify to check.
    """
    parent, raw = end.event_hash.encode(), b""
    lines = data.split(b"\n")
    for raw in lines[:-1]:
        if not raw.startswith(LINK + parent, HEADER_AT) or not is_headed(raw):
            return None
        parent = raw[len(PREFIX) : HEADER_AT - 2]
    _, seq, soul, stamp = opening(raw)
    if lines[-1] or seq != end.seq + len(lines) - 1 or soul != end.soul.encode():
        return None
    return end._replace(
        size=end.size + len(data), seq=seq, event_hash=parent.decode(), timestamp=stamp.decode()
    )


def _still_ends(known: Tail, segment: Path) -> bool:
    """Whether the line that ended the archive still ends where it did."""
    try:
        with segment.open("rb") as file:
            found = tail_of(segment, file.fileno(), known.size)
    except (Damaged, FileNotFoundError):
        return False
    return (found.size, found.seq, found.event_hash) == (known.size, known.seq, known.event_hash)


def _follower(raw: bytes, seq: int, parent: str) -> Event | str:
    """The event of a line that stands where it should, or why it does not."""
    try:
        event = parse(raw)
    except Damaged:
        return UNREADABLE
    if not is_headed(raw) or event.event_hash != raw[len(PREFIX) : HEADER_AT - 2].decode():
        return CHANGED
    follows = (event.seq, event.parent_hash) == (seq, parent)
    return event if follows and opening(raw)[:2] == (parent.encode(), seq) else UNLINKED
