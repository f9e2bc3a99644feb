"""The chain, event by event, by number, turn and situation; and whether one event holds.

Where a line stands comes from the index, which is caught up by whoever asks; what it says is read from
the archive. Whether the whole chain holds, and who signed it, is for verify.py to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lumen.core.canon import loads
from lumen.core.data import Event, EventType, Head, Memory
from lumen.soul.archive.line import (
    SEGMENT,
    is_headed,
    is_sound,
    opening,
    parse,
    read,
    read_at,
    segment_for,
)
from lumen.soul.index.database import OF_TRUST
from lumen.soul.index.rows import OverRows
from lumen.soul.ports.queries import Events

HEADS_READ = 4096  # bytes at the end of the file of signed heads: more than the last three
_PLACE = "SELECT segment, offset, length FROM events"
_ABOUT_TRUST = f"{_PLACE} INDEXED BY events_trust WHERE {OF_TRUST}"


class EventTable(OverRows, Events):
    """Events as the tables and the archive have them."""

    def counts(self) -> dict[str, int]:
        rows = self._db.rows("SELECT author, sum(n) FROM tally GROUP BY author")
        return {str(a): int(n) for a, n in rows}

    def last_head(self) -> tuple[int, str]:
        row = self._db.row("SELECT seq, event_hash FROM events ORDER BY seq DESC LIMIT 1")
        return (int(row[0]), str(row[1])) if row else (0, "")

    def soul(self) -> str:
        return first.soul if (first := self.get(1)) else ""

    def turn(self, session_key: str) -> list[Event]:
        asked = f"{_PLACE} WHERE session_key = ? ORDER BY seq"
        return list(map(self._read, self._db.rows(asked, (session_key,))))

    def get(self, seq: int) -> Event | None:
        place = self.place(seq)
        return self._read(place) if place else None

    def last_turn(self) -> str:
        return self._db.text(
            "SELECT session_key FROM events WHERE author = 'self' "
            "AND event_type = 'assistant_message' AND situation != 'erased' "
            "ORDER BY seq DESC LIMIT 1"
        )

    def turn_of(self, seq: int) -> str:
        return self._db.text("SELECT session_key FROM events WHERE seq = ?", (seq,))

    def time_of(self, seq: int) -> str:
        return self._db.text("SELECT timestamp FROM events WHERE seq = ?", (seq,))

    def hash_of(self, seq: int) -> str:
        return self._db.text("SELECT event_hash FROM events WHERE seq = ?", (seq,))

    def open_turns(self) -> list[tuple[str, int]]:
        rows = self._db.rows("SELECT session_key, seq FROM open_turns ORDER BY seq")
        return [(str(key), int(seq)) for key, seq in rows]

    def all(self) -> Iterator[Event]:
        return (stored.event for stored in read(self._db.being.memory))

    def about_trust(self) -> Iterator[bytes]:
        memory, places = self._db.being.memory, self._db.rows(f"{_ABOUT_TRUST} ORDER BY seq")
        return (read_at(memory, *place) for place in places)

    def is_any_key_revoked(self) -> bool:
        return self._db.row(f"{_ABOUT_TRUST} AND situation = 'key_revoked'") is not None

    def heads(self) -> list[Head]:
        from lumen.soul.trust.heads import read_heads  # nor does it look at signatures

        return [head for _, head in read_heads(self._db.being.heads)[0]]

    def signed_up_to(self) -> int:
        path = self._db.being.heads
        if not path.exists():
            return 0
        with path.open("rb") as heads:
            heads.seek(max(0, path.stat().st_size - HEADS_READ))
            *lines, _torn = heads.read().split(b"\n")
        try:
            return max((int(loads(line)["seq"]) for line in lines[-3:]), default=0)
        except (ValueError, KeyError, TypeError):
            return 0

    def place(self, seq: int) -> tuple[str, int, int] | None:
        """In which segment a line stands, where, and how long it is."""
        found = self._db.row(f"{_PLACE} WHERE seq = ?", (seq,))
        return (str(found[0]), int(found[1]), int(found[2])) if found else None

    def tally(self, kind: EventType) -> int:
        return self._db.number("SELECT sum(n) FROM tally WHERE event_type = ?", (kind.value,))

    def tallies_add_up(self) -> bool:
        """Whether the tallies count what there is; asked at once, so that nobody writes in between."""
        told, events = self._db.row(
            "SELECT (SELECT coalesce(sum(n), 0) FROM tally), (SELECT coalesce(max(seq), 0) FROM events)"
        )
        return bool(told == events)

    def years(self) -> list[int]:
        return self._db.numbers(
            "WITH RECURSIVE firsts(day) AS (SELECT min(segment) FROM events UNION ALL SELECT (SELECT "
            "min(segment) FROM events WHERE segment > substr(day, 1, 4) || '~') FROM firsts "
            "WHERE day IS NOT NULL) SELECT substr(day, 1, 4) FROM firsts WHERE day IS NOT NULL"
        )

    def of_kernel(
        self, situations: Sequence[str], said: str = "", *, newest_first: bool = False
    ) -> Iterator[Event]:
        rows = self._db.rows(
            f"{_PLACE} WHERE +author = 'kernel' "
            f"AND {_is_one_of(situations)} AND (? = '' OR text = ?) "
            f"ORDER BY seq {'DESC' if newest_first else 'ASC'}",
            (said, said),
        )
        return map(self._read, rows)

    def repair_names(self, name: str) -> bool:
        """Whether a repair that was told of names a file."""
        asked = "SELECT 1 FROM events WHERE author = 'kernel' AND situation = 'repair' AND instr(text, ?)"
        return bool(self._db.number(asked, (name,)))

    def turn_answering(self, key: str) -> str:
        return self._db.text(
            "SELECT a.session_key FROM events a JOIN events r ON r.session_key = a.session_key "
            "WHERE a.key = ? AND a.key != '' AND r.situation = 'replied' ORDER BY a.seq DESC LIMIT 1",
            (key,),
        )

    def last_conversation(self) -> str | None:
        row = self._db.row(
            "SELECT conversation FROM events WHERE author = 'external' AND origin = 'author' "
            "AND event_type = 'author_message' AND situation = 'heard' ORDER BY seq DESC LIMIT 1"
        )
        return str(row[0]) if row else None

    def number_of(self, event_id: str) -> int:
        return self._db.number("SELECT seq FROM events WHERE id = ?", (event_id,))

    def unscrubbed(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for seq, target in self._db.rows("SELECT seq, target FROM erasures WHERE NOT scrubbed"):
            found.setdefault(int(seq), []).append(int(target))
        return found

    def holds(self, seq: int) -> bool:
        from lumen.soul.archive.chain import LineRun, check_span  # who only looks proves nothing

        place = self.place(seq)
        if place is None:
            return False
        segment, offset, length = place
        memory = self._db.being.memory
        raw = read_at(memory, segment, offset, length)
        if len(raw) != length:
            return False
        path = segment_for(memory, segment)
        checked = check_span(LineRun(path, offset, offset + length))
        if checked.problem or checked.first_seq != seq:
            return False
        parent = opening(raw)[0].decode("ascii", "replace")
        return seq == 1 or parent == self._stated(seq - 1)

    def says(self, memory: Memory) -> bool:
        place = self.place(memory.seq)
        if place is None or not SEGMENT.fullmatch(place[0]) or not self.holds(memory.seq):
            return False
        event = self._read(place)
        entry = event.entry
        if memory.timestamp != (entry.payload_text("occurred_at") or event.timestamp):
            return False
        told = (entry.author, entry.origin, entry.event_type, entry.description, entry.session_key)
        return told == (
            memory.author, memory.origin, memory.event_type, memory.text, memory.session_key
        )  # fmt: skip

    def is_altered(self, seq: int) -> bool:
        place = self.place(seq)
        if place is None or not SEGMENT.fullmatch(place[0]):
            return False
        raw = read_at(self._db.being.memory, *place)
        ours = raw[15:79] == self.hash_of(seq).encode() and raw.endswith(b"\n")
        return ours and is_headed(raw) and not is_sound(raw)

    def _read(self, place: tuple[str, int, int]) -> Event:
        return parse(read_at(self._db.being.memory, *place))

    def _stated(self, seq: int) -> str:
        """The hash that a stored line says it has."""
        place = self.place(seq)
        raw = read_at(self._db.being.memory, *place) if place else b""
        return raw[15:79].decode("ascii", "replace")


def _is_one_of(situations: Sequence[str]) -> str:
    """A condition spelled out as that of an index: else SQLite does not see that it will do.

    For the same reason an author that is asked for as well has a plus before it: an index of
    authors finds far more lines.
    """
    names = ", ".join(f"'{name}'" for name in situations if name.isidentifier())
    return f"situation IN ({names})"
