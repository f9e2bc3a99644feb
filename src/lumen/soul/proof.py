"""Does one event hold? Its own hashes and its link to the one before, over the stored bytes.

Whether the whole chain holds, and who signed it, is for verify.py to say.
"""

from __future__ import annotations

from lumen.soul.archive import opening, read_at, segment_for
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


def _stated(index: Index, seq: int) -> str:
    """The hash that a stored line says it has."""
    place = index.place(seq)
    raw = read_at(index.being.memory, *place) if place else b""
    return raw[15:79].decode("ascii", "replace")
