"""Counts that many events add to: gathered over a batch of events, then written in one go.

How often a term was said is a row that thousands of events change. Whoever takes something out of the
tables, or reads these counts, has what is gathered written first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import apsw

from lumen.core.canon import dumps

ALL = 0  # the number of the row that counts all sessions together
Row = Any  # a row as SQLite hands it over
_KIND = (
    "INSERT INTO tally VALUES(?,?,?) ON CONFLICT(author, event_type) DO UPDATE SET "
    "n = n + excluded.n"
)
_COUNT = (
    "INSERT INTO sessions VALUES(?,?,?) ON CONFLICT(id) DO UPDATE SET "
    "n = n + excluded.n, length = length + excluded.length RETURNING n"
)
_TERMS = (
    "INSERT INTO session_terms SELECT ?, key, value FROM json_each(?) WHERE TRUE "
    "ON CONFLICT(session, term) DO UPDATE SET n = n + excluded.n RETURNING term, n"
)
_SPEAKER = (
    "INSERT INTO session_speakers VALUES(?,?,?) ON CONFLICT(session, speaker) DO UPDATE SET "
    "n = n + excluded.n"
)
_NAME = "INSERT INTO names VALUES(?,?) ON CONFLICT(name) DO UPDATE SET n = n + excluded.n"
_FREQUENCY = (
    "INSERT INTO frequency VALUES(?,?,?) ON CONFLICT(term) DO UPDATE SET "
    "n = n + excluded.n, sessions = sessions + excluded.sessions"
)


class Gathered:
    """What a batch of events adds to the counts."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._kinds = Counter[tuple[str, str]]()
        self._memories = Counter[str]()
        self._said = Counter[int]()
        self._lengths = Counter[int]()
        self._terms = defaultdict[int, Counter[str]](Counter)
        self._speakers = Counter[tuple[int, str]]()

    def event(self, author: str, event_type: str) -> None:
        """One event more of a kind."""
        self._kinds[author, event_type] += 1

    def memory(self, found: Sequence[str]) -> None:
        """Each term is in one text more; '' is in all."""
        self._memories.update({"", *found})

    def utterance(self, session: int, speaker: str, found: Sequence[str]) -> None:
        """One more was said in a session, by somebody, in these terms."""
        for number in (ALL, session):
            self._said[number] += 1
            self._lengths[number] += len(found)
        self._terms[session].update(found)
        self._speakers.update((session, word) for word in named(speaker))

    def write(self, db: apsw.Connection) -> None:
        """Add it all to the tables, and begin anew."""
        of_sessions = Counter[str]()
        db.executemany(_KIND, [(*kind, n) for kind, n in self._kinds.items()])
        for session, n in self._said.items():
            row: Row = db.execute(_COUNT, (session, n, self._lengths[session])).fetchall()
            of_sessions[""] += session != ALL and row[0][0] == n  # its first
        for session, counts in self._terms.items():
            rows: Row = db.execute(_TERMS, (session, dumps(dict(counts)).decode())).fetchall()
            of_sessions.update(term for term, n in rows if n == counts[term])
        db.executemany(_SPEAKER, [(*spoke, n) for spoke, n in self._speakers.items()])
        db.executemany(_NAME, [(word, n) for (_, word), n in self._speakers.items()])
        terms = dict.fromkeys((*self._memories, *of_sessions))
        db.executemany(_FREQUENCY, [(t, self._memories[t], of_sessions[t]) for t in terms])
        self._begin()


def named(speaker: str) -> set[str]:
    """The names that tell of somebody who speaks: the whole of it, and each part."""
    return {speaker, *speaker.split()} - {""}
