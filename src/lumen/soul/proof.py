"""Does one event hold? Its own hashes and its link to the one before, over the stored bytes.

Whether the whole chain holds, and who signed it, is for verify.py to say.
"""

from __future__ import annotations

from lumen.core.data import Memory
from lumen.soul.archive import SEGMENT, opening, parse, read_at, segment_for
from lumen.soul.chain import Span, check_span
from lumen.soul.index import Index


def holds(index: Index, seq: int) -> bool:
    """Whether an event is what was written, and follows from the one before it."""
    place = index.place(seq)
    if place is None:
        return False
    segment, offset, length = place
    memory = index.being.memory
    raw = read_at(memory, segment, offset, length)
    if len(raw) != length:
        return False
    path = segment_for(memory, segment)
    checked = check_span(Span(path, offset, offset + length))
    if checked.problem or checked.first_seq != seq:
        return False
    parent = opening(raw)[0].decode("ascii", "replace")
    return seq == 1 or parent == _stated(index, seq - 1)


def says(index: Index, memory: Memory) -> bool:
    """Whether the archive says, in a line that holds, what the index says that it does."""
    place = index.place(memory.seq)
    if place is None or not SEGMENT.fullmatch(place[0]) or not holds(index, memory.seq):
        return False
    event = parse(read_at(index.being.memory, *place))
    entry = event.entry
    if memory.timestamp != (entry.told("occurred_at") or event.timestamp):
        return False
    told = (entry.author, entry.origin, entry.event_type, entry.description, entry.session_key)
    return told == (
        memory.author, memory.origin, memory.event_type, memory.text, memory.session_key
    )  # fmt: skip


def _stated(index: Index, seq: int) -> str:
    """The hash that a stored line says it has."""
    place = index.place(seq)
    raw = read_at(index.being.memory, *place) if place else b""
    return raw[15:79].decode("ascii", "replace")
