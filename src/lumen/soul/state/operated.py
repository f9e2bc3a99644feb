"""Records as rows: every operation there was, and what all of them make of each file.

A record's text is moved on with each operation; where the past changes, because lines were
forgotten, all of them are folded anew. Either way the rows come out the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import apsw

from lumen.core.canon import dumps, loads, sha256
from lumen.soul.state.records import Operation, folded, operation_from

if TYPE_CHECKING:
    from lumen.soul.state.fold import EventEffects


def operate(db: apsw.Connection, seq: int, done: EventEffects) -> None:
    """Enter the operations of an event, and what it makes of the records it is about."""
    for one in done.operations:
        row = (one.path, one.at, one.n, dumps(one.carried()).decode())
        db.execute("INSERT OR REPLACE INTO operations VALUES(?,?,?,?)", row)
    told_of = {*(one.at for one in done.operations), *(one.at for one in done.files)}
    if done.erases or told_of - {seq}:
        _fold_anew(db)
        return
    for change in done.files:
        db.execute("DELETE FROM records WHERE path = ?", (change.path,))
    for path, operations in groupby(
        sorted(done.operations, key=lambda o: o.path), lambda o: o.path
    ):
        _move_on(db, path, list(operations))


def operations_from(rows: Sequence[tuple[object, ...]]) -> list[Operation]:
    """The operations that rows tell of."""
    return [operation_from(loads(str(told)), 0, 0) for (told,) in rows]


def _move_on(db: apsw.Connection, path: str, operations: Sequence[Operation]) -> None:
    row = db.execute("SELECT text FROM records WHERE path = ?", (path,)).fetchone()
    row = (
        row
        or db.execute(
            "SELECT text FROM changes WHERE path = ? ORDER BY seq DESC LIMIT 1", (path,)
        ).fetchone()
    )
    before = None if row is None or row[0] is None else str(row[0])
    _enter(db, before, operations)


def _fold_anew(db: apsw.Connection) -> None:
    db.execute("DELETE FROM records")
    paths = [str(path) for (path,) in db.execute("SELECT DISTINCT path FROM operations")]
    for path in paths:
        whole = db.execute(
            "SELECT seq, text FROM changes WHERE path = ? ORDER BY seq DESC LIMIT 1", (path,)
        ).fetchone() or (0, None)
        rows = db.execute(
            "SELECT told FROM operations WHERE path = ? AND seq > ? ORDER BY seq, n",
            (path, whole[0]),
        ).fetchall()
        operations = operations_from(rows)
        if operations:
            last = operations[-1].at
            earlier = [one for one in operations if one.at < last]
            before = folded(None if whole[1] is None else str(whole[1]), earlier)
            _enter(db, before, [one for one in operations if one.at == last])


def _enter(db: apsw.Connection, before: str | None, operations: Sequence[Operation]) -> None:
    last = operations[-1]
    base = "" if before is None else sha256(before.encode())
    row = (last.path, last.store, last.at, base, folded(before, operations))
    db.execute("INSERT OR REPLACE INTO records VALUES(?,?,?,?,?)", row)
