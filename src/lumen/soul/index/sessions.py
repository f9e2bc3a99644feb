"""What was said, session by session: rows that follow each event, and what is asked of them.

A session is told by a number made of its conversation, or of its day where there is none; an answer
belongs to the conversation of the message it answers. Nothing here grows with the number of memories
but the tables themselves: an event adds to its own session, and a question reads the sessions it names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import apsw

from lumen.core.canon import dumps
from lumen.soul.index.counting import ALL, Gathered, named
from lumen.soul.index.rows import OverRows
from lumen.soul.index.search import asked_terms
from lumen.soul.ports.sessions import SessionCounts, Sessions, TermFrequency, Totals, Utterances
from lumen.soul.ports.vectors import LATEST

if TYPE_CHECKING:
    from lumen.soul.ports.sessions import Numbers

Row = Any  # a row as SQLite hands it over
SPOKEN = (
    "author != 'kernel' AND situation != 'erased' AND (event_type IN ('author_message', "
    "'assistant_message') OR origin IN ('tool', 'web') AND event_type != 'system_event')"
)
_UTTERANCE = "u.seq, u.session, u.previous, u.following, u.day, u.length, u.speaker, u.terms"
_SAME = "SELECT seq FROM utterances WHERE session = o.session"
_NEAR = (
    f"SELECT {_UTTERANCE} FROM utterances o JOIN utterances u ON u.session = o.session WHERE o.seq = ?1 "  # noqa: S608 - constants
    f"AND u.seq >= coalesce(({_SAME} AND seq <= ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2), 0) "
    f"AND u.seq <= coalesce(({_SAME} AND seq >= ?1 ORDER BY seq LIMIT 1 OFFSET ?2), ?3) ORDER BY u.seq"
)
_BESIDE = (
    "SELECT coalesce((SELECT max(seq) FROM utterances WHERE session = ?1 AND seq < ?2), 0), "
    "coalesce((SELECT min(seq) FROM utterances WHERE session = ?1 AND seq > ?2), 0)"
)
_WHERE = (
    "SELECT iif(occurred = '', timestamp, occurred), speaker, conversation, session_key "  # noqa: S608 - a constant condition
    f"FROM events WHERE seq = ? AND {SPOKEN}"
)
_TURNS = (
    "SELECT conversation FROM events WHERE session_key = ? AND conversation != '' "
    "AND event_type = 'author_message' AND situation != 'erased' ORDER BY seq LIMIT 1"
)
_LESS_SAID = "UPDATE sessions SET n = n - 1, length = length - ? WHERE id IN (?, ?)"
_LESS_SPOKEN = "UPDATE session_speakers SET n = n - 1 WHERE session = ? AND speaker = ?"
_LESS_NAMED = "UPDATE names SET n = n - 1 WHERE name = ?"
_LESS_TERM = "UPDATE session_terms SET n = n - ? WHERE session = ? AND term = ?"
_OF_SESSIONS = "UPDATE frequency SET sessions = sessions - 1 WHERE term = ?"


def add_utterance(db: apsw.Connection, seq: int, found: Sequence[str], counts: Gathered) -> None:
    """Put what was said, as its terms, into its session; an event that is none is passed over."""
    row: Row = db.execute(_WHERE, (seq,)).fetchone() if found else None
    if not row:
        return
    moment, speaker, conversation, turn = map(str, row)
    if not conversation:
        answered: Row = db.execute(_TURNS, (turn,)).fetchone()
        conversation = str(answered[0]) if answered else ""
    session, speaker = session_number(conversation, moment), speaker.lower()
    beside: Row = db.execute(_BESIDE, (session, seq)).fetchone()
    day, written = date.fromisoformat(moment[:10]), "".join(f" {term} " for term in found)
    row = (seq, session, *beside, day.toordinal(), speaker, len(found), written)
    db.execute("INSERT INTO utterances VALUES(?,?,?,?,?,?,?,?)", row)
    _join(db, beside[0], seq)
    _join(db, seq, beside[1])
    counts.utterance(session, speaker, found)


def place_again(db: apsw.Connection, seq: int) -> None:
    """Put what was said into the session it belongs to now."""
    row: Row = db.execute("SELECT terms FROM utterances WHERE seq = ?", (seq,)).fetchone()
    remove_utterance(db, seq)
    counts = Gathered()
    add_utterance(db, seq, str(row[0]).split(), counts)
    counts.write(db)


def remove_utterance(db: apsw.Connection, seq: int) -> list[int]:
    """Take what was said out of its session; returns what of its turn may belong to another now."""
    asked = "SELECT session, speaker, terms, previous, following FROM utterances WHERE seq = ?"
    row: Row = db.execute(asked, (seq,)).fetchone()
    if row is None:
        return []
    session, speaker, written = int(row[0]), str(row[1]), str(row[2])
    db.execute("DELETE FROM utterances WHERE seq = ?", (seq,))
    _join(db, row[3], row[4])
    _take_out(db, session, speaker, written.split())
    beside: Row = db.execute(
        "SELECT u.seq FROM events e JOIN events o USING(session_key) JOIN utterances u ON u.seq = o.seq "
        "WHERE e.seq = ? AND o.conversation = '' ORDER BY u.seq",
        (seq,),
    ).fetchall()
    return [int(other) for (other,) in beside]


def _join(db: apsw.Connection, before: int, after: int) -> None:
    """Let what was said one after the other tell of each other; 0 is nothing, and tells of none."""
    if before:
        db.execute("UPDATE utterances SET following = ? WHERE seq = ?", (after, before))
    if after:
        db.execute("UPDATE utterances SET previous = ? WHERE seq = ?", (before, after))


def _take_out(db: apsw.Connection, session: int, speaker: str, found: Sequence[str]) -> None:
    """Count a memory out of its session, and drop what nothing is left of."""
    db.execute(_LESS_SAID, (len(found), ALL, session))
    names = [(name,) for name in named(speaker)]
    db.executemany(_LESS_SPOKEN, [(session, name) for (name,) in names])
    db.executemany(_LESS_NAMED, names)
    db.executemany("DELETE FROM names WHERE name = ? AND n = 0", names)
    gone = []
    for term, n in Counter(found).items():
        db.execute(_LESS_TERM, (n, session, term))
        one = "DELETE FROM session_terms WHERE session = ? AND term = ? AND n = 0"
        db.execute(one, (session, term))
        gone += [(term,)] if db.changes() else []
    db.execute("DELETE FROM session_speakers WHERE session = ? AND n = 0", (session,))
    db.execute("DELETE FROM sessions WHERE id = ? AND n = 0", (session,))
    gone += [("",)] if db.changes() else []
    db.execute("DELETE FROM sessions WHERE id = ? AND n = 0", (ALL,))
    db.executemany(_OF_SESSIONS, gone)


def session_number(conversation: str, moment: str) -> int:
    """What tells a session: its conversation, or its day where there is none."""
    told = f"c{conversation}" if conversation else f"d{moment[:10]}"
    return int.from_bytes(blake2b(told.encode(), digest_size=7).digest(), "big") + 1


class SessionTable(OverRows, Sessions):
    """Sessions as the tables have them."""

    def totals(self) -> Totals:
        known = self._db.row("SELECT n, sessions FROM frequency WHERE term = ''") or (0, 0)
        spoken = self._db.row("SELECT n, length FROM sessions WHERE id = ?", (ALL,)) or (0, 0)
        return Totals(int(known[0]), int(spoken[0]), int(known[1]), int(spoken[1]))

    def terms(self, words: Sequence[str]) -> dict[str, TermFrequency]:
        parts = (part for parts in asked_terms(self._db, words).values() for part in parts)
        return dict(max(part, key=lambda form: form[1].memories) for part in parts)

    def named(self, words: Iterable[str]) -> frozenset[str]:
        rows = self._db.rows(
            "SELECT name FROM json_each(?) CROSS JOIN names ON name = value",
            (dumps([*dict.fromkeys(words)]).decode(),),
        )
        return frozenset(str(name) for (name,) in rows)

    def utterances(self, seqs: Iterable[int]) -> Utterances:
        return _columns(
            self._db.rows(
                # IN: SQLite goes through what it was given in order, so that nothing is left to sort
                f"SELECT {_UTTERANCE} FROM utterances u WHERE u.seq IN (SELECT value FROM json_each(?))",  # noqa: S608 - a constant column list
                (dumps(sorted({*seqs})).decode(),),
            )
        )

    def near(self, seq: int, most: int) -> Utterances:
        return _columns(self._db.rows(_NEAR, (seq, most, LATEST)))

    def sessions(
        self, numbers: Iterable[int], terms: Sequence[str], names: Iterable[str]
    ) -> SessionCounts:
        import numpy as np  # which others do without

        wanted = sorted({*numbers})
        asked = dumps(wanted).decode()
        lengths = self._numbers(
            "SELECT key, length FROM json_each(?) CROSS JOIN sessions s ON s.id = value", asked
        )
        # CROSS: else every term of a session is read, and compared with those asked for
        said = self._numbers(
            "SELECT i.key, t.key, s.n FROM json_each(?1) i CROSS JOIN json_each(?2) t "
            "CROSS JOIN session_terms s ON s.session = i.value AND s.term = t.value",
            asked,
            dumps([*terms]).decode(),
        )
        spoke = self._numbers(
            "SELECT i.key FROM json_each(?2) n CROSS JOIN json_each(?1) i "
            "CROSS JOIN session_speakers s ON s.session = i.value AND s.speaker = n.value",
            asked,
            dumps([*names]).decode(),
        )
        there, long = lengths.reshape(-1, 2).T
        counts = np.zeros((len(wanted), len(terms)), np.int64)
        session, term, often = said.reshape(-1, 3).T
        counts[session, term] = often
        return SessionCounts(
            np.array(wanted, np.int64)[there],
            long,
            counts[there],
            np.bincount(spoke, minlength=len(wanted))[there],
        )

    def _numbers(self, sql: str, *values: str) -> Numbers:
        import numpy as np

        return np.array(self._db.rows(sql, values), np.int64).reshape(-1)


def _columns(rows: Sequence[Row]) -> Utterances:
    import numpy as np  # which others do without

    *numbers, speakers, terms = zip(*rows, strict=True) if rows else [()] * 8
    seqs, sessions, previous, following, days, lengths = (np.array(n, np.int64) for n in numbers)
    return Utterances(seqs, sessions, previous, following, days, lengths, speakers, terms)
