"""What a loop may see: memories listed, found by words, by time and by what came of them.

Answers come from the index, which is caught up by whoever asks. Kernel memories are left out, except
where said; so is what was forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lumen.core.canon import dumps
from lumen.core.data import Author, EventType, Memory, Origin
from lumen.soul.index.rows import OverRows, Row
from lumen.soul.index.search import asked_terms, newest, search
from lumen.soul.index.terms import phrase
from lumen.soul.ports.queries import Memories
from lumen.soul.ports.vectors import LATEST

UNANSWERED = 64  # messages in a row without a reply, beyond which no older exchange is looked for
_WHEN = "iif(occurred = '', timestamp, occurred)"
_MEMORY = f"seq, {_WHEN}, author, origin, event_type, text, session_key, private, weight, speaker, conversation"
_THERE = "author != 'kernel' AND situation != 'erased'"


class MemoryTable(OverRows, Memories):
    """Memories as the tables have them."""

    def listed(
        self,
        *,
        author: str | None = None,
        day: str | None = None,
        limit: int | None = 20,
        oldest: bool = False,
        kernel: bool = True,
        by_weight: bool = False,
    ) -> list[Memory]:
        where, values = ["situation != 'erased'"], []
        if not kernel:
            where.append("author != 'kernel'")
        if author:
            where.append("author = ?")
            values.append(author)
        if day:
            given = "occurred != '' AND occurred >= ? AND occurred < ?"
            where.append(f"((segment = ? AND occurred = '') OR ({given}))")
            values += [f"{day}.jsonl", day, f"{day}~"]
        order = "weight DESC, seq DESC" if by_weight else "seq ASC" if oldest else "seq DESC"
        rows = self._db.rows(
            f"SELECT {_MEMORY} FROM events WHERE {' AND '.join(where)} "  # noqa: S608 - only literals are joined
            f"ORDER BY {order} LIMIT ?",
            (*values, -1 if limit is None else limit),
        )
        return [_memory(row) for row in (rows if oldest or by_weight else reversed(rows))]

    def exchanges(self, before: int, limit: int) -> list[Memory]:
        asked = self._db.row(
            "SELECT conversation FROM events WHERE seq = ? AND event_type = 'author_message'",
            (before,),
        )
        # A short conversation is found by its own index: by all messages it would be sought to the first.
        where = "TRUE" if not asked else "conversation = ?4"
        where += " AND conversation != ''" if asked and asked[0] else ""
        pairs = self._db.rows(
            "SELECT a.seq, min(r.seq) FROM (SELECT seq, session_key FROM events WHERE seq < ?1 "  # noqa: S608 - constants
            f"AND author = 'external' AND event_type = 'author_message' AND situation = 'heard' AND {where} "
            "ORDER BY seq DESC LIMIT ?3) a JOIN events r ON r.session_key = a.session_key "
            "AND r.author = 'self' AND r.event_type = 'assistant_message' "
            "AND r.situation != 'erased' AND r.seq < ?1 GROUP BY a.seq ORDER BY a.seq DESC LIMIT ?2",
            (before, limit, UNANSWERED + limit, *(asked or ())),
        )
        return list(self.get(seq for pair in reversed(pairs) for seq in pair).values())

    def experience(self, after: int, limit: int) -> list[Memory]:
        rows = self._db.rows(
            f"SELECT {_MEMORY} FROM events WHERE seq > ? AND author != 'kernel' "  # noqa: S608 - a constant column list
            "AND situation != 'erased' ORDER BY seq DESC LIMIT ?",
            (after, limit),
        )
        return [_memory(row) for row in reversed(rows)]

    def get(self, seqs: Iterable[int]) -> dict[int, Memory]:
        wanted = [*dict.fromkeys(seqs)]
        rows = self._db.rows(
            f"SELECT {_MEMORY} FROM events WHERE seq IN (SELECT value FROM json_each(?)) AND {_THERE}",  # noqa: S608 - constants
            (dumps(wanted).decode(),),
        )
        found = {int(row[0]): _memory(row) for row in rows}
        return {seq: found[seq] for seq in wanted if seq in found}

    def around(self, seq: int, n: int) -> list[Memory]:
        row = self._db.row(f"SELECT conversation FROM events WHERE seq = ? AND {_THERE}", (seq,))  # noqa: S608 - a constant condition
        if not row or not row[0]:
            return []
        found: list[Row] = []
        for side, order in (("<", "DESC"), (">", "ASC")):
            some = self._db.rows(
                f"SELECT {_MEMORY} FROM events WHERE conversation = ? AND conversation != '' "  # noqa: S608 - constants
                f"AND seq {side} ? AND {_THERE} ORDER BY seq {order} LIMIT ?",
                (row[0], seq, n),
            )
            found += some
        return [_memory(each) for each in sorted(found)]

    def many_texts(self) -> int:
        return self._db.number("SELECT n FROM frequency WHERE term = ''")

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        asked = asked_terms(self._db, words)
        return {
            word: min(max(n.memories for _, n in forms) for forms in parts)
            for word, parts in asked.items()
        }

    def search(
        self, terms: Sequence[str], limit: int, *, before: int = LATEST, until: int | None = None
    ) -> list[tuple[int, float]]:
        """Events of any of the terms by BM25, best first (search.py)."""
        return search(self._db, terms, limit, before, until)

    def newest_with(self, terms: Sequence[str], limit: int) -> Iterator[Memory]:
        asked = asked_terms(self._db, terms).values()
        known = [t for parts in asked for part in parts for t, n in part if n.memories]
        found = newest(self._db, known, limit) if known else []
        return (m for seq in found for m in self.get([seq]).values())

    def said_like(self, terms: str, shapes: Sequence[str], most: int) -> list[int]:
        alike = " OR ".join("e.text GLOB ?" for _ in shapes)
        return self._db.numbers(
            "SELECT e.seq FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?) w "  # noqa: S608 - only question marks are put in
            f"JOIN events e ON e.seq = w.rowid WHERE e.event_type = 'author_message' AND ({alike}) "
            "ORDER BY e.seq DESC",
            (" OR ".join(phrase(words) for words in terms.split(" OR ")), most, *shapes),
        )

    def said_in(self, start: str, end: str) -> list[Memory]:
        spoken = "origin = 'author' AND event_type = 'author_message' AND situation != 'erased'"
        rows = self._db.rows(
            f"SELECT {_MEMORY} FROM events WHERE occurred = '' AND timestamp >= ?1 AND timestamp < ?2 "  # noqa: S608 - constants
            f"AND segment BETWEEN ?3 AND ?4 AND {spoken} UNION ALL SELECT {_MEMORY} FROM events "
            f"WHERE occurred != '' AND occurred >= ?1 AND occurred < ?2 AND {spoken} ORDER BY 2, 1",
            (start, end, start[:10], end[:10] + "~"),
        )
        return [_memory(row) for row in rows]

    def texts(self) -> Iterator[Memory]:
        """Every memory that has something to say, oldest first, read a stretch at a time."""
        return self._texts("author != 'kernel'")

    def messages(self) -> Iterator[Memory]:
        return self._texts("event_type = 'author_message'")

    def public_messages(self, first: str, after: str) -> Iterator[Memory]:
        openly = "event_type = 'author_message' AND origin = 'author' AND NOT private"
        return self._texts(f"{openly} AND segment >= ? AND segment < ?", first, after)

    def _texts(self, only: str, *values: str) -> Iterator[Memory]:
        seq = 0
        while found := self._db.rows(
            f"SELECT {_MEMORY} FROM events WHERE {only} AND seq > ? AND text != '' "  # noqa: S608 - a constant condition
            "ORDER BY seq LIMIT 1000",
            (*values, seq),
        ):
            yield from map(_memory, found)
            seq = int(found[-1][0])

    def reread(self) -> int:
        return self._db.number("SELECT max(seq) FROM rereads")

    def weights(self, seqs: Iterable[int]) -> dict[int, int]:
        rows = self._db.rows(
            f"SELECT seq, weight FROM json_each(?) CROSS JOIN events ON seq = value WHERE {_THERE}",  # noqa: S608 - a constant condition
            (dumps([*seqs]).decode(),),
        )
        return {int(seq): int(weight) for seq, weight in rows}

    def answered_count(self) -> int:
        told = "author = 'self' AND event_type = 'assistant_message'"
        return self._db.number(
            f"SELECT coalesce((SELECT n FROM tally WHERE {told}), 0) - (SELECT count(*) FROM events "  # noqa: S608 - constants
            f"WHERE seq IN (SELECT target FROM erasures) AND {told})"
        )

    def doings(
        self, most: int, situation: str = "", during: tuple[str, str] | None = None
    ) -> list[int]:
        which = "situation = ?" if situation else "situation != ?"
        then = "timestamp >= ? AND timestamp < ? AND" if during else ""
        return self._db.numbers(
            f"SELECT seq FROM events WHERE author = 'self' AND {which} AND {then} "  # noqa: S608 - constants
            "event_type != 'assistant_message' AND text != '' ORDER BY seq DESC LIMIT ?",
            (situation or "erased", *(during or ()), most),
        )

    def replies_that_end(self, endings: Sequence[str], most: int) -> list[str]:
        either = " OR ".join(
            f"substr(text, -length(?{n})) = ?{n}" for n in range(1, len(endings) + 1)
        )
        rows = self._db.rows(
            f"SELECT session_key FROM events WHERE author = 'self' AND situation = 'replied' "  # noqa: S608 - only numbers of parameters
            f"AND ({either}) ORDER BY seq DESC LIMIT ?{len(endings) + 1}",
            (*endings, most),
        )
        return [str(key) for (key,) in rows]

    def statements(self, most: int) -> list[tuple[int, bool]]:
        rows = self._db.rows(
            "SELECT seq, private FROM events WHERE author = 'external' AND origin = 'author' "
            "AND event_type = 'author_message' AND situation != 'erased' ORDER BY seq DESC LIMIT ?",
            (most,),
        )
        return [(int(seq), bool(private)) for seq, private in rows]

    def beginning_of(self, seq: int, length: int) -> str:
        return self._db.text("SELECT substr(text, 1, ?) FROM events WHERE seq = ?", (length, seq))

    def kind_of(self, seq: int) -> str:
        return self._db.text(f"SELECT event_type FROM events WHERE seq = ? AND {_THERE}", (seq,))  # noqa: S608 - a constant condition

    def is_private(self, seq: int) -> bool:
        return bool(self._db.number("SELECT private FROM events WHERE seq = ?", (seq,)))

    def first_of_turn(self, seq: int) -> int:
        return self._db.number(
            f"SELECT min(seq) FROM events WHERE {_THERE} "  # noqa: S608 - a constant condition
            "AND session_key = (SELECT session_key FROM events WHERE seq = ?)",
            (seq,),
        )

    def faded_until(self) -> int:
        return self._db.number("SELECT max(as_of) FROM fades")

    def many_untouched(self, since: int) -> int:
        asked = "SELECT count(*) FROM events WHERE author != 'kernel' AND touched < ?"
        return self._db.number(asked, (since,))

    def terms(self) -> Iterator[str]:
        """Every term of the word index, whose file shares beginnings and so hides them."""
        self._db.rows(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab('main', 'words', 'row')"
        )
        rows = self._db.rows(
            "SELECT term FROM temp.terms UNION SELECT term FROM frequency WHERE term != ''"
        )
        return (str(term) for (term,) in rows)


def _memory(row: Row) -> Memory:
    seq, timestamp, author, origin, event_type, text, session_key, private, *rest = row
    weight, speaker, conversation = rest
    return Memory(
        seq=seq,
        timestamp=timestamp,
        author=Author(author),
        origin=Origin(origin),
        event_type=EventType(event_type),
        text=text,
        session_key=session_key,
        private=bool(private),
        weight=weight,
        speaker=speaker,
        conversation=conversation,
    )
