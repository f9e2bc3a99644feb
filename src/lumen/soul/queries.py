"""Questions to the index about single events and how many there are; kernel memories where said.

Answers come from the index, which is caught up by whoever asks. What became of files is asked of
history.py, of cycles of cycles.py, of calls of ledger.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lumen.core.data import Event, EventType
from lumen.soul.archive import parse, read_at
from lumen.soul.index import Index

_THERE = "author != 'kernel' AND situation != 'erased'"


def tally(index: Index, kind: EventType) -> int:
    """How many events of a kind there are."""
    row = index.row("SELECT coalesce(sum(n), 0) FROM tally WHERE event_type = ?", (kind.value,))
    return int(row[0])


def tallies_add_up(index: Index) -> bool:
    """Whether the tallies count what there is; asked at once, so that nobody writes in between."""
    told, events = index.row(
        "SELECT (SELECT coalesce(sum(n), 0) FROM tally), (SELECT coalesce(max(seq), 0) FROM events)"
    )
    return bool(told == events)


def years(index: Index) -> list[int]:
    """The years in which anything happened."""
    rows = index.rows("SELECT DISTINCT substr(segment, 1, 4) FROM events ORDER BY 1")
    return [int(year) for (year,) in rows]


def answered(index: Index) -> int:
    """How many messages were answered."""
    row = index.row(
        "SELECT count(*) FROM events WHERE author = 'self' "
        "AND event_type = 'assistant_message' AND situation != 'erased'"
    )
    return int(row[0])


def doings(index: Index, most: int) -> list[int]:
    """What the being did beside answering, the newest first."""
    rows = index.rows(
        "SELECT seq FROM events WHERE author = 'self' AND situation != 'erased' "
        "AND event_type != 'assistant_message' AND text != '' ORDER BY seq DESC LIMIT ?",
        (most,),
    )
    return [int(seq) for (seq,) in rows]


def said_like(index: Index, terms: str, shapes: Sequence[str], most: int) -> list[int]:
    """The author's messages of one of some shapes, the newest first, of so many that hold the terms."""
    alike = " OR ".join("e.text GLOB ?" for _ in shapes)
    rows = index.rows(
        "SELECT e.seq FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?) w "  # noqa: S608 - only question marks are put in
        f"JOIN events e ON e.seq = w.rowid WHERE e.event_type = 'author_message' AND ({alike}) "
        "ORDER BY e.seq DESC",
        (terms, most, *shapes),
    )
    return [int(seq) for (seq,) in rows]


def evolved(index: Index, most: int) -> list[int]:
    """The last changes of self that reflection kept a memory of, the newest first."""
    rows = index.rows(
        "SELECT seq FROM events WHERE author = 'self' AND situation = 'evolved' "
        "ORDER BY seq DESC LIMIT ?",
        (most,),
    )
    return [int(seq) for (seq,) in rows]


def explored(index: Index, most: int) -> list[int]:
    """The last explorations, the newest first."""
    rows = index.rows(
        "SELECT seq FROM events WHERE author = 'self' AND situation = 'explored' "
        "ORDER BY seq DESC LIMIT ?",
        (most,),
    )
    return [int(seq) for (seq,) in rows]


def replies_that_end(index: Index, endings: Sequence[str], most: int) -> list[str]:
    """The turns whose replies end with one of some phrases, the newest first."""
    either = " OR ".join(f"substr(text, -length(?{n})) = ?{n}" for n in range(1, len(endings) + 1))
    rows = index.rows(
        f"SELECT session_key FROM events WHERE author = 'self' AND situation = 'replied' "  # noqa: S608 - only numbers of parameters
        f"AND ({either}) ORDER BY seq DESC LIMIT ?{len(endings) + 1}",
        (*endings, most),
    )
    return [str(key) for (key,) in rows]


def statements(index: Index, most: int) -> list[tuple[int, bool]]:
    """What the author said last, the newest first, and whether it is private."""
    rows = index.rows(
        "SELECT seq, private FROM events WHERE author = 'external' AND origin = 'author' "
        "AND event_type = 'author_message' AND situation != 'erased' ORDER BY seq DESC LIMIT ?",
        (most,),
    )
    return [(int(seq), bool(private)) for seq, private in rows]


def beginning_of(index: Index, seq: int, length: int) -> str:
    """The first characters of an event's text, which may be long."""
    row = index.row("SELECT substr(text, 1, ?) FROM events WHERE seq = ?", (length, seq))
    return str(row[0]) if row else ""


def kind_of(index: Index, seq: int) -> str:
    """What kind of memory an event is, without its text; empty: none, or the kernel's own."""
    row = index.row(f"SELECT event_type FROM events WHERE seq = ? AND {_THERE}", (seq,))  # noqa: S608 - a constant condition
    return str(row[0]) if row else ""


def is_private(index: Index, seq: int) -> bool:
    """Whether an event must not leave."""
    row = index.row("SELECT private FROM events WHERE seq = ?", (seq,))
    return bool(row and row[0])


def is_erased(index: Index, seq: int) -> bool:
    """Whether an event was forgotten."""
    return index.row("SELECT 1 FROM erasures WHERE target = ?", (seq,)) is not None


def first_of_turn(index: Index, seq: int) -> int:
    """The first memory of the turn an event belongs to; 0: it was forgotten."""
    row = index.row(
        f"SELECT min(seq) FROM events WHERE {_THERE} "  # noqa: S608 - a constant condition
        "AND session_key = (SELECT session_key FROM events WHERE seq = ?)",
        (seq,),
    )
    return int(row[0] or 0)


def newest_memory(index: Index) -> int:
    """The last memory there is; 0: none."""
    row = index.row(f"SELECT seq FROM events WHERE {_THERE} ORDER BY seq DESC LIMIT 1")  # noqa: S608 - a constant condition
    return int(row[0]) if row else 0


def evolved_in(index: Index, session_key: str) -> Iterator[Event]:
    """The memories that a reflection kept of what it changed, in order."""
    rows = index.rows(
        "SELECT segment, offset, length FROM events WHERE session_key = ? AND author = 'self' "
        "AND situation = 'evolved' ORDER BY seq",
        (session_key,),
    )
    return (parse(read_at(index.being.memory, *place)) for place in rows)


def kernel_events(
    index: Index, situations: Sequence[str], said: str = "", *, newest_first: bool = False
) -> Iterator[Event]:
    """The kernel's own events of some situations, by its exact words where those are given."""
    rows = index.rows(
        f"SELECT segment, offset, length FROM events WHERE +author = 'kernel' "  # noqa: S608 - plain names
        f"AND {_is_one_of(situations)} AND (? = '' OR text = ?) "
        f"ORDER BY seq {'DESC' if newest_first else 'ASC'}",
        (said, said),
    )
    return (parse(read_at(index.being.memory, *place)) for place in rows)


def many_of_kernel(index: Index, situation: str) -> int:
    """How many events of a situation the kernel wrote."""
    row = index.row(
        f"SELECT count(*) FROM events WHERE +author = 'kernel' AND {_is_one_of([situation])}"  # noqa: S608 - plain names
    )
    return int(row[0])


def repair_names(index: Index, name: str) -> bool:
    """Whether a repair that was told of names a file."""
    row = index.row(
        "SELECT 1 FROM events WHERE author = 'kernel' AND situation = 'repair' AND instr(text, ?)",
        (name,),
    )
    return row is not None


def faded_until(index: Index) -> int:
    """The day, as a number, up to which memories have faded; 0: none did yet."""
    return int(index.row("SELECT coalesce(max(as_of), 0) FROM fades")[0])


def terms(index: Index) -> Iterator[str]:
    """Every term of the word index, whose file shares beginnings and so hides them."""
    index.rows(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab('main', 'words', 'row')"
    )
    return (str(term) for (term,) in index.rows("SELECT term FROM temp.terms"))


def many_untouched(index: Index, since: int) -> int:
    """How many memories were not used since a day."""
    row = index.row(
        "SELECT count(*) FROM events WHERE author != 'kernel' AND touched < ?", (since,)
    )
    return int(row[0])


def _is_one_of(situations: Sequence[str]) -> str:
    """A condition spelled out as that of an index: else SQLite does not see that it will do.

    For the same reason an author that is asked for as well has a plus before it: an index of
    authors finds far more lines.
    """
    names = ", ".join(f"'{name}'" for name in situations if name.isidentifier())
    return f"situation IN ({names})"


def turn_answering(index: Index, key: str) -> str:
    """The turn in which a message that was sent under a key was answered; empty: none was."""
    row = index.row(
        "SELECT a.session_key FROM events a JOIN events r ON r.session_key = a.session_key "
        "WHERE a.key = ? AND a.key != '' AND r.situation = 'replied' ORDER BY a.seq DESC LIMIT 1",
        (key,),
    )
    return str(row[0]) if row else ""


def last_conversation(index: Index) -> str | None:
    """The conversation of the author's last message, empty where it had none; None: nothing was said."""
    row = index.row(
        "SELECT conversation FROM events WHERE author = 'external' AND origin = 'author' "
        "AND event_type = 'author_message' AND situation = 'heard' ORDER BY seq DESC LIMIT 1"
    )
    return str(row[0]) if row else None


def number_of(index: Index, event_id: str) -> int:
    """The number of an event by its id; 0 when there is none."""
    found = index.row("SELECT seq FROM events WHERE id = ?", (event_id,))
    return int(found[0]) if found else 0
