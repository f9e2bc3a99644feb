"""An event's effects as rows of the index, one event at a time.

What an event means is for fold.py to say, and following.py applies them in order. Nothing here
looks at a clock or at a file, so a table made from scratch equals, row for row, one that followed
along.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple

import apsw

from lumen.core.canon import dumps
from lumen.core.data import Author, EventType, FinishedCycle
from lumen.core.model_calls import ModelCall
from lumen.core.stores import is_self
from lumen.soul.archive.line import Stored
from lumen.soul.index.counting import Gathered
from lumen.soul.index.database import Row
from lumen.soul.index.passages import forget_passages
from lumen.soul.index.sessions import add_utterance, place_again, remove_utterance
from lumen.soul.index.terms import terms
from lumen.soul.state.fold import (
    NOTHING,
    EventEffects,
    FileSet,
    closes,
    day_of,
    effects,
    opens,
)
from lumen.soul.state.operated import operate
from lumen.soul.state.records import millionths
from lumen.soul.state.selfhood import entries

_EVENT = f"INSERT INTO events VALUES({','.join('?' * 23)})"
_LESS = "UPDATE frequency SET n = n - 1 WHERE term = ?"
_QUEUE = "INSERT INTO unembedded SELECT number, ? FROM embedders WHERE number = 0 OR id != '' AND ?"


# A call stands where it is first told of, and an ending never gives way to an announcement: so the
# order in which the two arrive, which a forgetting can change, makes no difference.
_CALL = (
    f"INSERT INTO calls VALUES({','.join('?' * 16)}) ON CONFLICT(id) DO UPDATE SET "
    "seq = min(seq, excluded.seq), moment = min(moment, excluded.moment)"
)
_OVER = (
    "UPDATE calls SET outcome = ?, tokens = ?, prompt = ?, completion = ?, cached = ?, ms = ?, "
    "micros = ? WHERE id = ?"
)


def apply(db: apsw.Connection, stored: Stored, counts: Gathered) -> None:
    """Put one event, and all it does, into the tables; what it adds to counts is gathered."""
    event, entry = stored.event, stored.event.entry
    birth, day = millionths(entry.weight), day_of(event.timestamp)
    db.execute(
        _EVENT,
        (
            event.seq,
            event.id,
            event.event_hash,
            event.timestamp,
            entry.author.value,
            entry.event_type.value,
            entry.origin.value,
            entry.situation,
            entry.session_key,
            entry.model,
            birth,
            day,
            birth,
            day,
            1 if entry.payload.get("private") is True else 0,
            stored.segment,
            stored.offset,
            stored.length,
            entry.description,
            *map(entry.payload_text, ("conversation", "key", "occurred_at", "speaker")),
        ),
    )
    counts.event(entry.author.value, entry.event_type.value)
    if entry.author is not Author.KERNEL:
        found = terms(entry.description)
        _add_words(db, event.seq, found, counts)
        add_utterance(db, event.seq, found, counts)
        if entry.description and entry.event_type is not EventType.SYSTEM_EVENT:
            sought = entry.event_type is not EventType.ASSISTANT_MESSAGE
            db.execute(_QUEUE, (event.seq, sought))
    if opens(entry):
        db.execute("INSERT OR REPLACE INTO open_turns VALUES(?,?)", (entry.session_key, event.seq))
    elif closes(entry):
        db.execute("DELETE FROM open_turns WHERE session_key = ?", (entry.session_key,))
    done = effects(event)
    if done is not NOTHING:
        if done.erases:
            counts.write(db)
        _apply(db, event.seq, done)


def _apply(db: apsw.Connection, seq: int, done: EventEffects) -> None:
    if done.erases or done.marks:
        db.execute("INSERT INTO rereads VALUES(?)", (seq,))
    unweighed = [_erase(db, seq, target) for target in done.erases]
    for change in done.files:
        _set_file(db, change)
    operate(db, seq, done)
    for undo in done.undone:
        db.execute("INSERT OR REPLACE INTO undone VALUES(?,?)", (undo.at, undo.undoes))
    _weigh(db, seq, done, anew=any(unweighed))
    _introduce(db, seq, done)
    if done.scrubbed:
        db.execute("UPDATE erasures SET scrubbed = 1 WHERE seq = ?", (done.scrubbed,))
    for marked in done.marks:
        db.execute("UPDATE events SET private = ? WHERE seq = ?", (int(done.private), marked))
    if done.checkpoint:
        db.execute("INSERT INTO checkpoints VALUES(?,?)", (seq, done.checkpoint))
    if done.held:
        db.execute("INSERT OR REPLACE INTO held VALUES(?,?,?)", (*done.held, seq))
    _enter(db, done.calls)
    _count(db, done.cycle)


def _count(db: apsw.Connection, cycle: FinishedCycle | None) -> None:
    """Enter what a cycle came to, in the order of the columns."""
    if cycle:
        *plain, options, conflicts = astuple(cycle)
        row = (*plain, dumps(options).decode(), dumps(conflicts).decode())
        db.execute("INSERT OR REPLACE INTO cycles VALUES(?,?,?,?,?,?,?,?,?,?,?)", row)


def _enter(db: apsw.Connection, calls: Iterable[ModelCall]) -> None:
    """Enter calls that are announced, and what came of those that are over."""
    for call in calls:
        came_of = (call.outcome, call.tokens, call.prompt, call.completion, call.cached, call.ms)
        made = (call.id, call.at, call.moment, call.role, call.step, call.model, int(call.local))
        row = (*made, call.set_aside, int(call.escalated), *came_of, call.micros)
        db.execute(_CALL, row)
        if call.outcome:
            db.execute(_OVER, (*came_of, call.micros, call.id))


def _set_file(db: apsw.Connection, change: FileSet) -> None:
    db.execute(
        "INSERT OR REPLACE INTO changes VALUES(?,?,?,?,?)",
        (change.path, change.at, change.store, change.base, change.text),
    )
    db.execute("DELETE FROM held WHERE path = ? AND seq < ?", (change.path, change.at))


def _introduce(db: apsw.Connection, seq: int, done: EventEffects) -> None:
    """Note which event brought each line of the self; all of them anew where the past changed."""
    if done.erases or any(change.at != seq for change in done.files):
        db.execute("DELETE FROM lines")
        paths = db.execute("SELECT DISTINCT path FROM changes").fetchall()
        for path in (str(path) for (path,) in paths if is_self(str(path))):
            before: str | None = None
            rows: Row = db.execute(
                "SELECT seq, text FROM changes WHERE path = ? ORDER BY seq", (path,)
            ).fetchall()
            for at, text in rows:
                _introduce_lines(db, FileSet(at, path, "", "", text), before)
                before = text
        return
    for change in done.files:
        if is_self(change.path):
            row: Row = db.execute(
                "SELECT text FROM changes WHERE path = ? AND seq < ? ORDER BY seq DESC LIMIT 1",
                (change.path, change.at),
            ).fetchone()
            _introduce_lines(db, change, row[0] if row else None)


def _introduce_lines(db: apsw.Connection, change: FileSet, before: str | None) -> None:
    """A line belongs to the event that brought it; going back brings it as whoever wrote it."""
    back = db.execute(
        "SELECT 1 FROM restores WHERE seq = ?1 UNION SELECT 1 FROM undone WHERE seq = ?1",
        (change.at,),
    ).fetchone()
    was = set(entries(change.path, before))
    new = [line for line in entries(change.path, change.text) if line not in was]
    verb = "IGNORE" if back else "REPLACE"
    for line in new:
        row = (change.path, line, change.at)
        db.execute(f"INSERT OR {verb} INTO lines VALUES(?,?,?)", row)


def _weigh(db: apsw.Connection, seq: int, done: EventEffects, *, anew: bool) -> None:
    """Weigh what an event weighs; all of it anew where what it does belongs to an earlier one."""
    for use in done.uses:
        anew = anew or use.at != seq
        for memory in use.memories:
            row = (use.at, memory, use.by, use.day)
            db.execute("INSERT OR REPLACE INTO uses VALUES(?,?,?,?)", row)
            _strengthen(db, memory, use.by, use.day)
    if done.fade:
        db.execute("INSERT INTO fades VALUES(?,?,?)", (seq, done.fade.as_of, done.fade.half_life))
        _fade(db, done.fade.as_of, done.fade.half_life)
    for restore in done.restores:
        db.execute("INSERT OR REPLACE INTO restores VALUES(?,?)", (restore.at, restore.upto))
    if anew or done.restores:
        _weigh_again(db, seq)


def _strengthen(db: apsw.Connection, memory: int, by: int, day: int) -> None:
    db.execute(
        "UPDATE events SET weight = strengthened(weight, ?), touched = max(touched, ?) "
        "WHERE seq = ? AND author != 'kernel'",
        (by, day, memory),
    )


def _fade(db: apsw.Connection, as_of: int, half_life: int) -> None:
    db.execute(
        "UPDATE events SET weight = faded(weight, ? - touched, ?), touched = ? "
        "WHERE touched < ? AND author != 'kernel'",
        (as_of, half_life, as_of, as_of),
    )


def _weigh_again(db: apsw.Connection, upto: int) -> None:
    """Weigh every memory as it was weighed at an event, by going through it all once more."""
    stretches = []  # what counts, newest first: a restore leaves out what lies between
    last = "SELECT seq, upto FROM restores WHERE seq <= ? ORDER BY seq DESC LIMIT 1"
    while restore := db.execute(last, (upto,)).fetchone():
        after, earlier = (int(n) for n in restore if isinstance(n, int))
        stretches.append((after, upto))
        upto = earlier
    db.execute("UPDATE events SET weight = birth, touched = born WHERE author != 'kernel'")
    for stretch in reversed([*stretches, (0, upto)]):
        _go_through(db, *stretch)


def _go_through(db: apsw.Connection, after: int, upto: int) -> None:
    rows = db.execute(
        "SELECT seq, 0, by, day, memory FROM uses WHERE seq > ?1 AND seq <= ?2 UNION ALL "
        "SELECT seq, 1, as_of, half_life, 0 FROM fades WHERE seq > ?1 AND seq <= ?2 "
        "ORDER BY 1, 2, 5",
        (after, upto),
    ).fetchall()
    for row in rows:
        _, fades, first, second, memory = (int(n) for n in row if isinstance(n, int))
        if fades:
            _fade(db, first, second)
        else:
            _strengthen(db, memory, first, second)


def _erase(db: apsw.Connection, seq: int, target: int) -> bool:
    """Take an event's content out of every table; that it happened stays.

    Tells whether memories were weighed by it.
    """
    db.execute("INSERT OR IGNORE INTO erasures VALUES(?,?,0)", (seq, target))
    row = db.execute("SELECT author, session_key, text FROM events WHERE seq = ?", (target,))
    author, session_key, text = row.fetchone() or (Author.KERNEL.value, "", "")
    beside: list[int] = []
    if author != Author.KERNEL.value:
        beside = remove_utterance(db, target)
        _remove_words(db, target, str(text))
    db.execute(
        "UPDATE events SET situation = 'erased', text = '', private = 0, conversation = '', key = '', "
        "occurred = '', speaker = '' WHERE seq = ?",
        (target,),
    )
    db.execute("DELETE FROM open_turns WHERE session_key = ?", (session_key,))
    gone = 0
    for table in ("uses", "fades", "restores"):
        db.execute(f"DELETE FROM {table} WHERE seq = ?", (target,))  # noqa: S608 - our own names
        gone += db.changes()
    # An erasure may go itself: the one it goes by names its lines again.
    for table in (
        "changes",
        "operations",
        "undone",
        "checkpoints",
        "erasures",
        "rereads",
        "cycles",
        "withheld",
    ):
        db.execute(f"DELETE FROM {table} WHERE seq = ?", (target,))  # noqa: S608 - our own names
    forget_passages(db, target)
    for other in beside:  # an answer was in the conversation of its question
        place_again(db, other)
    return gone > 0


def _add_words(db: apsw.Connection, seq: int, found: Sequence[str], counts: Gathered) -> None:
    """Let a text be found by its terms, each of which is in one text more."""
    if found:
        db.execute("INSERT INTO words(rowid, text) VALUES(?,?)", (seq, " ".join(found)))
        counts.memory(found)


def _remove_words(db: apsw.Connection, seq: int, text: str) -> None:
    found = terms(text)
    if found:
        row = (seq, " ".join(found))
        db.execute("INSERT INTO words(words, rowid, text) VALUES('delete',?,?)", row)
        db.executemany(_LESS, [(term,) for term in {"", *found}])
        db.executemany(
            "DELETE FROM frequency WHERE term = ? AND n = 0", [(t,) for t in {"", *found}]
        )
