"""The only module that appends to the archive or changes a file of the being.

One commit: serialise → lock → read the tail → one write → unlock → make durable. The lock is
let go before the wait for the disk, so several processes share one journal flush; a durable
line makes every line before it durable too. Only kernel/commit.py may call this: it decides,
this carries out.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson

from lumen.core.canon import sha256
from lumen.core.clock import Clock, stamp, ulid
from lumen.core.data import Being, Entry, kernel_entry
from lumen.core.errors import ArchiveError, Damaged, Refused
from lumen.soul.archive import (
    FORMAT,
    LOCK,
    Body,
    Placed,
    Tail,
    Torn,
    body,
    line,
    segment_for,
    tail,
    tail_of,
)
from lumen.soul.disk import put_in_place, refusal, save, settle, staged, take
from lumen.soul.keys import Keyring, head_line


@dataclass(frozen=True, slots=True)
class FileChange:
    """A projected file to replace, whole, in the commit that archives why."""

    store: str
    path: Path
    base: str
    text: str

    def as_json(self) -> dict[str, str]:
        """As it stands in the archive."""
        return {"store": self.store, "operation": "set", "base": self.base, "value": self.text}


class Writer:
    """An open archive: the lock, the segment written last and what stands at its end."""

    def __init__(self, being: Being, keyring: Keyring, clock: Clock) -> None:
        self.being = being
        self.keyring = keyring
        self.clock = clock
        self.repairs: list[str] = []
        self._memory = being.memory
        self._lock = -1
        self._days = 0  # how many segments were begun: the size of the lock file
        self._day = ""  # the segment that is open: its day, path, file and folder
        self._segment = self._memory
        self._file = -1
        self._folder = -1
        self._tail = Tail()
        self._seen: tuple[int, ...] = ()
        self._unsaid: list[Entry] = []  # mended, but not archived yet
        self._keyed = False
        self.estranged = False  # this host has seen another chain: its witness stays as it is

    def close(self) -> None:
        """Let go of the files."""
        self._let_go()
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1

    def begin(self, soul: str) -> Placed:
        """Write the genesis of a new archive.

        Raises:
            Refused: there is an archive already.
        """
        self._lock_up()
        try:
            if self._at_end().seq:
                raise Refused("this archive has begun already")
            payload = {"format": FORMAT, "soul": soul, "public_key": self.keyring.create(soul)}
            genesis = kernel_entry("genesis", "A being begins.", "lumen:kernel", payload)
            placed = self._write([self._body(genesis)], soul)
            self.keyring.adopt(soul)
        finally:
            self._unlock()
        self._flush()
        self._sign(placed[-1])
        return placed[0]

    def recover(self) -> None:
        """Look at the end of the archive and mend what a crash left; `repairs` says what."""
        self._lock_up()
        try:
            torn = self._at_end().torn is not None
            if torn:
                self._write([])
        finally:
            self._unlock()
        if torn:
            self._flush()

    def append(
        self,
        entries: Sequence[Entry],
        *,
        durable: bool,
        sign: bool = False,
        files: Sequence[FileChange] = (),
    ) -> list[Placed]:
        """Put events at the end of the chain, together and in order.

        Args:
            entries: what happened.
            durable: return only when the disk has it.
            sign: state the new head with this host's key; for the last append of a turn.
            files: what to replace on disk as part of it.

        Raises:
            Refused: a file is no longer what the change was made from.
            NoSpace: the disk is full; the archive is as it was.
            Busy: another process held the lock for too long.
            Damaged: the end of the archive is not what was written.
        """
        bodies = [self._body(entry) for entry in entries]
        self._lock_up()
        try:
            for change in files:
                _same_base(change)
            with staged({change.path: change.text for change in files}) as fresh:
                placed = self._write(bodies)[-len(bodies) :]
                if files:
                    self._flush()  # a file must never hold what the archive might lose
                for path in fresh:
                    put_in_place(fresh[path], path)
        finally:
            self._unlock()
        if durable or sign:
            self._flush()
        if sign:
            self._sign(placed[-1])
        return placed

    def set_file(self, path: Path, text: str) -> None:
        """Replace a projected file whole: a reader sees the old text or the new one."""
        with staged({path: text}) as fresh:
            put_in_place(fresh[path], path)

    def _body(self, entry: Entry) -> Body:
        try:
            return body(entry, ulid(self.clock), self.clock.entropy(16).hex())
        except orjson.JSONEncodeError as error:
            raise Refused(f"an event cannot be stored: {error}") from error

    def _lock_up(self) -> None:
        """Take the lock. Where its file was deleted, others have made a new one: take that."""
        while True:
            if self._lock < 0:
                self._open_lock(self._memory / LOCK)
            take(self._lock)
            found = os.fstat(self._lock)
            if found.st_nlink:
                self._days = found.st_size
                return
            os.close(self._lock)
            self._lock = -1

    def _open_lock(self, path: Path) -> None:
        try:
            self._lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise refusal(error, path) from error

    def _unlock(self) -> None:
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def _at_end(self) -> Tail:
        """The tail: from memory while nobody else wrote, from the open segment if it only grew."""
        if self._day:
            now = self._fingerprint()
            if now == self._seen:
                return self._tail
            if now[1:] == self._seen[1:]:
                self._seen = now
                self._tail = tail_of(self._segment, self._file, now[0])
                if self._tail.seq:
                    return self._tail
        self._let_go()
        self._tail = tail(self._memory)
        return self._tail

    def _fingerprint(self) -> tuple[int, ...]:
        """Size, folder time and days begun.

        They change when others append, when somebody replaces a segment by hand, and when
        others begin one (which two in a tick of the folder's time would not show).
        """
        size = os.lseek(self._file, 0, os.SEEK_END)
        return size, os.fstat(self._folder).st_mtime_ns, self._days

    def _let_go(self) -> None:
        for descriptor in (self._file, self._folder):
            if descriptor >= 0:
                os.close(descriptor)
        self._day, self._file, self._folder, self._seen = "", -1, -1, ()

    def _write(self, bodies: Sequence[Body], soul: str = "") -> list[Placed]:
        end = self._at_end()
        soul = end.soul or soul
        if not soul:
            raise Damaged(
                "the archive has lost its beginning, so nothing can be added to it",
                fix="bring data/memory back from a backup",
            )
        if end.torn:
            self._quarantine(end.torn)
        added = self._new_key(end)
        news = [self._body(entry) for entry in (*self._unsaid, *added)]
        bodies = [*news, *bodies] if end.seq else [*bodies, *news]
        moment = max(stamp(self.clock.now()), end.timestamp)
        placed: list[Placed] = []
        lines: list[bytes] = []
        parent, seq = end.event_hash, end.seq
        for part in bodies:
            seq += 1
            parent, raw = line(part, parent, seq, soul, moment)
            lines.append(raw)
            placed.append(Placed(seq, parent, part.id, moment, soul))
        if moment[:10] != self._day:
            self._turn_to(moment)
        size = self._put(b"".join(lines))
        self._tail = Tail(self._segment, size, seq, parent, moment, soul)
        self._seen = (size, *self._seen[1:])
        self._unsaid = []
        if added:
            self.keyring.adopt(soul)
        self._keyed = True
        return placed

    def _put(self, data: bytes) -> int:
        """One write; of a short one nothing stays."""
        try:
            written = os.write(self._file, data)
        except OSError as error:
            raise self._cut_back(error) from error
        if written < len(data):
            raise self._cut_back(OSError(errno.ENOSPC, "short write"))
        return self._seen[0] + written

    def _cut_back(self, error: OSError) -> ArchiveError:
        os.ftruncate(self._file, self._seen[0])
        return refusal(error, self._memory)

    def _turn_to(self, moment: str) -> None:
        """Open another day. The day before must be durable first: the new one links to it."""
        self._let_go()
        path = segment_for(self._memory, moment)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            self._folder = os.open(path.parent, os.O_RDONLY)
            if not os.fstat(self._file).st_size:
                self._days += 1
                os.ftruncate(self._lock, self._days)
                if self._tail.segment:
                    settle(self._tail.segment)
                settle(path.parent)
                settle(self._memory)
        except OSError as error:
            raise refusal(error, path) from error
        self._day, self._segment = moment[:10], path
        self._seen = self._fingerprint()

    def _quarantine(self, torn: Torn) -> None:
        """Move a line that was never finished out of the archive, keeping its bytes."""
        folder = self._memory / "quarantine"
        kept = folder / f"{torn.segment.stem}-{torn.offset}-{sha256(torn.data)[:8]}.torn"
        try:
            folder.mkdir(exist_ok=True)
            save(kept, torn.data)
            os.truncate(torn.segment, torn.offset)
            settle(torn.segment)
        except OSError as error:
            raise refusal(error, kept) from error
        self._let_go()
        self._tail = self._tail._replace(torn=None)
        said = (
            f"An unfinished line of {len(torn.data)} bytes at the end of {torn.segment.name} "
            f"was moved to quarantine/{kept.name}; it had not been acknowledged."
        )
        payload = {
            "segment": torn.segment.name,
            "offset": torn.offset,
            "bytes": len(torn.data),
            "sha256": sha256(torn.data),
            "file": kept.name,
        }
        self.repairs.append(said)
        self._unsaid.append(kernel_entry("repair", said, "lumen:kernel", payload))

    def _new_key(self, end: Tail) -> list[Entry]:
        """On a host without the key, make one and say so; nobody has vouched for it yet."""
        if self._keyed or not end.seq or self.keyring.has_key(end.soul):
            return []
        public = self.keyring.create(end.soul)
        said = "This host had no key for the being: a new one signs from here on, unvouched."
        self.repairs.append(said)
        return [
            kernel_entry(
                "key_added", said, "lumen:kernel", {"public_key": public, "vouched": False}
            )
        ]

    def _flush(self) -> None:
        try:
            os.fdatasync(self._file)
        except OSError as error:
            raise refusal(error, self._memory) from error

    def _sign(self, event: Placed) -> None:
        """State the head in heads.jsonl, then raise the witness. The line itself is durable."""
        head = self.keyring.sign(event.soul, event.seq, event.event_hash)
        path = self.being.heads
        try:
            with path.open("ab+") as heads:
                take(heads.fileno())
                end = heads.seek(0, os.SEEK_END)
                if end and os.pread(heads.fileno(), 1, end - 1) != b"\n":
                    end = os.pread(heads.fileno(), end, 0).rfind(b"\n") + 1
                    os.ftruncate(heads.fileno(), end)
                    self.repairs.append("An unfinished line was cut from heads.jsonl.")
                heads.write(head_line(head))
                heads.flush()
                os.fdatasync(heads.fileno())
        except OSError as error:
            raise refusal(error, path) from error
        if not self.estranged:
            self.keyring.remember(head)


def scaffold(being: Being, files: Mapping[Path, str]) -> None:
    """Lay out new files; one that exists already is left as it is."""
    try:
        being.data.mkdir(parents=True, exist_ok=True, mode=0o700)  # nobody else's to read
        being.memory.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                save(path, text.encode(), new=True)
    except OSError as error:
        raise refusal(error, being.root) from error


def _same_base(change: FileChange) -> None:
    found = sha256(change.path.read_bytes()) if change.path.exists() else ""
    if found != change.base:
        raise Refused(
            f"{change.path.name} was changed by someone else in the meantime",
            fix="look at the file, then try again",
        )
