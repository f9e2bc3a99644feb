"""What became of the being's files: how they stand, how they stood at an event, what changed them.

Answers come from the index, which is caught up by whoever asks. Nothing here reads a file.
"""

from __future__ import annotations

from dataclasses import dataclass

from lumen.soul.index import Index
from lumen.soul.selfhood import is_self


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as the archive has it: which event left it so, when, and from what."""

    path: str
    store: str
    seq: int
    timestamp: str
    base: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Transition:
    """An event that changed files: a point the being can be taken back to."""

    seq: int
    timestamp: str
    what: str
    paths: tuple[str, ...]
    undoes: int = 0
    weighs: bool = False  # it took the weights of memories back

    @property
    def of_self(self) -> bool:
        """Whether it changed who the being is, or what it remembers best."""
        return self.weighs or any(map(is_self, self.paths))


_KEPT = """SELECT c.path, c.store, c.seq, e.timestamp, c.base, c.text FROM changes c
JOIN events e USING(seq) WHERE c.path = ? AND c.seq <= ? ORDER BY c.seq DESC LIMIT 1"""
_NOW = 1 << 62
# One step of the key a path: a plain DISTINCT would read every change there ever was.
_PATHS = """WITH RECURSIVE known(path) AS (SELECT min(path) FROM changes UNION ALL
SELECT (SELECT min(path) FROM changes WHERE path > known.path) FROM known WHERE path IS NOT NULL)
SELECT path FROM known WHERE path IS NOT NULL"""


def kept(index: Index, path: str, at: int = _NOW) -> Kept | None:
    """A file as an event left it; nothing when it was never set by then."""
    row = index.row(_KEPT, (path, at))
    return Kept(*row) if row else None


def versions(index: Index, path: str) -> list[Kept]:
    """Every state a file was left in, oldest first."""
    rows = index.rows(
        "SELECT c.path, c.store, c.seq, e.timestamp, c.base, c.text FROM changes c "
        "JOIN events e USING(seq) WHERE c.path = ? ORDER BY c.seq",
        (path,),
    )
    return [Kept(*row) for row in rows]


def all_kept(index: Index, at: int = _NOW) -> dict[str, Kept]:
    """Every file the archive knew at an event, those that were taken away too."""
    paths = [path for (path,) in index.rows(_PATHS)]
    found = {path: kept(index, path, at) for path in paths}
    return {path: k for path, k in found.items() if k}


def texts_of(index: Index, path: str) -> list[tuple[int, str]]:
    """Every text a file was given, the newest first, and the event that did it."""
    rows = index.rows("SELECT seq, text FROM changes WHERE path = ? ORDER BY seq DESC", (path,))
    return [(int(seq), str(text or "")) for seq, text in rows]


def last_change(index: Index) -> int:
    """The last event that changed a file."""
    return int(index.row("SELECT coalesce(max(seq), 0) FROM changes")[0])


def transitions(index: Index) -> list[Transition]:
    """Every change of files, oldest first."""
    rows = index.rows(
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


def checkpoints(index: Index) -> dict[str, tuple[int, str]]:
    """Names for events, with the event and its time; the newest of one name counts."""
    rows = index.rows(
        "SELECT c.name, c.seq, e.timestamp FROM checkpoints c JOIN events e USING(seq) "
        "ORDER BY c.seq"
    )
    return {str(name): (int(seq), str(when)) for name, seq, when in rows}


def held(index: Index) -> dict[str, str]:
    """Edits nobody has vouched for: which file, and the hash of what it was changed to."""
    return {str(p): str(h) for p, h in index.rows("SELECT path, sha256 FROM held")}


def unscrubbed(index: Index) -> dict[int, list[int]]:
    """Erasures that are archived but may not be carried out on disk: event → lines to blank."""
    found: dict[int, list[int]] = {}
    for seq, target in index.rows("SELECT seq, target FROM erasures WHERE NOT scrubbed"):
        found.setdefault(int(seq), []).append(int(target))
    return found


def lines_written(index: Index) -> list[tuple[str, str, int, str, str, str]]:
    """Every line there ever was in a file: path, line, event, its author, origin and turn."""
    rows = index.rows(
        "SELECT l.path, l.line, l.seq, e.author, e.origin, e.session_key FROM lines l "
        "JOIN events e USING(seq) ORDER BY l.seq"
    )
    return [(str(p), str(line), int(seq), str(a), str(o), str(s)) for p, line, seq, a, o, s in rows]
