"""What became of the being's files: how they stand, how they stood at an event, what changed them.

Answers come from the index, which is caught up by whoever asks. Nothing here reads a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from lumen.core.canon import sha256
from lumen.core.data import FileVersion, Transition
from lumen.soul.index.rows import OverRows
from lumen.soul.ports.records import NOW, FileHistory
from lumen.soul.state.operated import operations_from
from lumen.soul.state.records import folded, is_operation, operation_from

if TYPE_CHECKING:
    from lumen.core.payloads import ChangePayload

_SET = """SELECT c.path, c.store, c.seq, e.timestamp, c.base, c.text FROM changes c
JOIN events e USING(seq) WHERE c.path = ? AND c.seq <= ? ORDER BY c.seq"""
_RECORD = """SELECT r.path, r.store, r.seq, e.timestamp, r.base, r.text FROM records r
JOIN events e USING(seq) WHERE r.path = ? AND r.seq <= ?"""
# One step of the key a path: a plain DISTINCT would read every change there ever was.
_PATHS = """WITH RECURSIVE known(path) AS (SELECT min(path) FROM changes UNION ALL
SELECT (SELECT min(path) FROM changes WHERE path > known.path) FROM known WHERE path IS NOT NULL)
SELECT path FROM known WHERE path IS NOT NULL"""


class FileTable(OverRows, FileHistory):
    """The files of a being as the tables have them."""

    def kept(self, path: str, at: int = NOW) -> FileVersion | None:
        row = self._db.row(_RECORD, (path, at)) or self._db.row(f"{_SET} DESC LIMIT 1", (path, at))
        found = FileVersion(*row) if row else None
        return found if at == NOW else self._operated(path, at, found)

    def _operated(self, path: str, at: int, whole: FileVersion | None) -> FileVersion | None:
        """A file with what was done to it since it was set or folded, up to an event."""
        since = whole.seq if whole else 0
        operations = operations_from(
            self._db.rows(
                "SELECT told FROM operations WHERE path = ? AND seq > ? AND seq <= ? ORDER BY seq, n",
                (path, since, at),
            )
        )
        if not operations:
            return whole
        last = operations[-1]
        start = whole.text if whole else None
        before = folded(start, [one for one in operations if one.at < last.at])
        text = folded(before, [one for one in operations if one.at == last.at])
        base = "" if before is None else sha256(before.encode())
        when = self._db.text("SELECT timestamp FROM events WHERE seq = ?", (last.at,))
        return FileVersion(path, last.store, last.at, when, base, text)

    def all_kept(self, at: int = NOW) -> dict[str, FileVersion]:
        paths = {
            path for (path,) in (*self._db.rows(_PATHS), *self._db.rows("SELECT path FROM records"))
        }
        found = {path: self.kept(path, at) for path in sorted(paths)}
        return {path: k for path, k in found.items() if k}

    def versions(self, path: str) -> list[FileVersion]:
        return [FileVersion(*row) for row in self._db.rows(_SET, (path, NOW))]

    def folded_without(
        self, path: str, gone: AbstractSet[int], again: Iterable[ChangePayload]
    ) -> str | None:
        sets: dict[int, str | None] = {
            int(seq): text
            for seq, text in self._db.rows("SELECT seq, text FROM changes WHERE path = ?", (path,))
            if seq not in gone
        }
        rows = self._db.rows("SELECT told FROM operations WHERE path = ? ORDER BY seq, n", (path,))
        operations = [one for one in operations_from(rows) if one.at not in gone]
        for change in again:
            if change["path"] == path and is_operation(change):
                operations.append(operation_from(change, 0, 0))
            elif change["path"] == path:
                sets[int(change["at"])] = change["value"]
        start = max(sets, default=0)
        return folded(sets.get(start), [one for one in operations if one.at > start])

    def last_change(self) -> int:
        return self._db.number("SELECT max(seq) FROM changes")

    def transitions(self) -> list[Transition]:
        rows = self._db.rows(
            "SELECT e.seq, e.timestamp, e.text, coalesce(group_concat(c.path, char(10)), ''), "
            "coalesce(max(u.undoes), 0), max(r.upto IS NOT NULL) FROM events e "
            "LEFT JOIN changes c USING(seq) LEFT JOIN undone u USING(seq) "
            "LEFT JOIN restores r USING(seq) WHERE e.seq IN (SELECT seq FROM changes UNION "
            "SELECT seq FROM undone UNION SELECT seq FROM restores) GROUP BY e.seq ORDER BY e.seq"
        )
        return [
            Transition(seq, when, what, tuple(sorted(paths.split())), undoes, bool(weighs))
            for seq, when, what, paths, undoes, weighs in rows
        ]

    def checkpoints(self) -> dict[str, tuple[int, str]]:
        rows = self._db.rows(
            "SELECT c.name, c.seq, e.timestamp FROM checkpoints c JOIN events e USING(seq) "
            "ORDER BY c.seq"
        )
        return {str(name): (int(seq), str(when)) for name, seq, when in rows}

    def pending_edits(self) -> dict[str, str]:
        return {str(p): str(h) for p, h in self._db.rows("SELECT path, sha256 FROM held")}

    def lines_written(self) -> list[tuple[str, str, int, str, str, str]]:
        rows = self._db.rows(
            "SELECT l.path, l.line, l.seq, e.author, e.origin, e.session_key FROM lines l "
            "JOIN events e USING(seq) ORDER BY l.seq"
        )
        return [
            (str(p), str(line), int(seq), str(a), str(o), str(s)) for p, line, seq, a, o, s in rows
        ]
