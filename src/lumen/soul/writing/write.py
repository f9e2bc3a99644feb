"""The only module that appends to the archive, and replaces files in the same commit.

One commit: serialise → lock → read the tail → ring → one write → unlock → make durable. The lock
is let go before the wait for the disk, so several processes share one flush; a durable line makes
every line before it durable too. Only kernel/gate/commit.py may call this: it decides, this carries
out. What else may be done to lines is in log.py, what the ring is in ring.py.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from lumen.core.canon import JSON
from lumen.core.clock import Clock, stamp
from lumen.core.data import BeingPaths, Entry, Placed, Signer, kernel_entry
from lumen.core.durable import settle
from lumen.core.errors import ArchiveError, Busy, Damaged, Refused
from lumen.soul.archive.disk import put_in_place, refusal, staged
from lumen.soul.archive.line import FORMAT, Body, Tail, Torn, prepared, segment_for, tail
from lumen.soul.archive.links import follow, links_on
from lumen.soul.archive.mark import Mark, MarkFile, not_ours
from lumen.soul.archive.ring import HALF, Hold, Ring, extend, missing
from lumen.soul.archive.torn import put_back, quarantine
from lumen.soul.trust.heads import append_head
from lumen.soul.trust.keys import Keyring
from lumen.soul.trust.signed import linked


class Writer:
    """An open archive: the lock, the segment written last and what stands at its end.

    What is promised by what is public here, ports/event_log.py says.
    """

    def __init__(self, being: BeingPaths, keyring: Keyring, clock: Clock) -> None:
        self.being = being
        self.keyring = keyring
        self.clock = clock
        self.repairs: list[str] = []
        self._memory = being.memory
        self._ring = Ring(being.memory)
        self.hold = Hold(self._ring)
        self._day = ""  # the segment that is open: its day, path, file and folder
        self._segment = self._memory
        self._file = -1
        self._folder = -1
        self._tail = Tail()
        self._seen: tuple[int, ...] = ()
        self._unsaid: list[Entry] = []  # repaired, but not archived yet
        self._mark: MarkFile | None = None  # opened when it is known whose archive it is
        self._unsigned: Placed | None = None  # appended, and no head speaks for it yet
        self._wrote = Tail()  # the end as this writer left it, or took it for this host's own
        self._linked = Tail()  # the end as others left it, found to link to that one
        self._keyed = False
        self.looked = False  # whether what a power cut, or somebody, took was looked for
        self.stopped: ArchiveError | None = None  # why nothing may be written any more

    def close(self) -> None:
        self._let_go()
        self._ring.close()
        if self._mark:
            self._mark.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        self._take_hold()
        try:
            yield
        finally:
            self.hold.let_go()

    def begin(self, soul: str, files: Sequence[Mapping[str, JSON]] = ()) -> Placed:
        with self.locked():
            if self._at_end().seq:
                raise Refused("this archive has begun already")
            payload: dict[str, JSON] = {"format": FORMAT, "soul": soul}
            payload["public_key"] = self.keyring.create(soul)
            payload["author_key"] = self.keyring.create_author(soul)
            if files:
                payload["changes"] = list(files)
            genesis = kernel_entry("genesis", "A being begins.", "lumen:kernel", payload)
            placed = self._write([prepared(genesis, self.clock)], stamp(self.clock.now()), soul)
            self.keyring.adopt(soul)
            self.keyring.adopt_author(soul)
        self._flush()
        self._sign(placed[-1])
        return placed[0]

    def recover(self) -> None:
        """Look at the end of the archive and repair what a crash left; `repairs` says what."""
        with self.hold:
            with self.locked():
                repairing = self._at_end().torn is not None or bool(self._unsaid)
                if repairing:
                    self._write([], stamp(self.clock.now()))
            if repairing:
                self._flush()

    def append(
        self,
        entries: Sequence[Entry],
        *,
        durable: bool,
        sign: bool = False,
        files: Mapping[str, bytes | None] | None = None,
        signer: Signer | None = None,
    ) -> list[Placed]:
        bodies = [prepared(entry, self.clock) for entry in entries]
        moment = stamp(self.clock.now())
        with self.hold:  # other processes may write while this one waits for the disk
            self._take_hold()
            try:
                if files:
                    placed = self._write_with(bodies, moment, files, signer)
                else:
                    placed = self._write(bodies, moment, signer=signer)
            finally:
                self.hold.let_go()
            if durable or sign:
                self._flush()
            if sign:
                self._sign(placed[-1])
            else:
                self._unsigned = placed[-1]
        return placed[-len(bodies) :]

    def sign_rest(self) -> None:
        with self.hold:
            if self._unsigned:
                self._flush()
                self._sign(self._unsigned)

    def accept(self, entry: Entry, signer: Signer | None = None) -> Placed:
        """Archive that the author takes this chain for the true one; witness and mark follow it."""
        with self.hold:
            with self.locked():
                self.own_up()
                placed = self.append([entry], durable=True, signer=signer)[-1]
            self._sign(placed, accepted=True)
        return placed

    def make_key(self) -> None:
        with self.locked():
            if not self.keyring.has_key(self._at_end().soul):
                self._write([], stamp(self.clock.now()))

    def own_up(self) -> None:
        end = self._wrote = self._at_end()
        self._marked(end.soul).write(Mark(end.seq, end.event_hash, end.seq, end.event_hash))

    def _write_with(
        self,
        bodies: Sequence[Body],
        moment: str,
        files: Mapping[str, bytes | None],
        signer: Signer | None,
    ) -> list[Placed]:
        texts = {self.being.at(path): data for path, data in files.items()}
        with self.locked(), staged(texts) as fresh:  # held twice: staging takes its time
            placed = self._write(bodies, moment, signer=signer)
            self._flush()  # a file must never hold what the archive might lose
            for path, beside in fresh.items():
                put_in_place(beside, path)
        return placed

    def _take_hold(self) -> None:
        self.hold.take()
        if not self.looked:
            try:
                with suppress(Damaged):  # an end that is no line: whoever writes is refused
                    self._put_back()
            except BaseException:
                self.hold.let_go()
                raise

    def _put_back(self) -> None:
        """Append again what the ring has and the newest segment lost: a power cut did that."""
        lost = missing(self._memory, self._ring.content())
        if lost:
            try:
                extend(*lost)
            except OSError as error:
                raise refusal(error, lost.segment) from error
            self._let_go()
            self._note_repair(put_back(*lost))
        self.looked = True  # only now: what could not be put back must not be written over

    def _at_end(self) -> Tail:
        """The tail: from memory while nobody else wrote, from the open segment if it only grew."""
        if self._day:
            now = self._fingerprint()
            if now == self._seen:
                return self._tail
            added = now[0] - self._wrote.size
            if now[1:] == self._seen[1:] and self._tail is self._wrote and added > 0:
                end = follow(self._wrote, os.pread(self._file, added, self._wrote.size))
                if end:
                    self._seen, self._tail, self._linked = now, end, end
                    return end
        self._let_go()
        self._tail = tail(self._memory)
        return self._tail

    def _fingerprint(self) -> tuple[int, ...]:
        """Size, folder time and days begun.

        They change when others append, when somebody replaces a segment by hand, and when
        others begin one (which two in a tick of the folder's time would not show).
        """
        size = os.lseek(self._file, 0, os.SEEK_END)
        return size, os.fstat(self._folder).st_mtime_ns, self._ring.days

    def _let_go(self) -> None:
        for descriptor in (self._file, self._folder):
            if descriptor >= 0:
                os.close(descriptor)
        self._day, self._file, self._folder, self._seen = "", -1, -1, ()

    def _marked(self, soul: str) -> MarkFile:
        if self._mark is None:
            key_now = partial(self.keyring.mark_key, soul)
            self._mark = MarkFile(self.keyring.mark_file(soul), key_now)
        return self._mark

    def _must_be_ours(self, end: Tail) -> None:
        """Build on nothing that others put there; a lock just taken is known to be in its place."""
        if self.stopped:
            raise self.stopped
        if self.hold.depth > 1 and self._ring.is_replaced():
            raise Busy("the lock of the archive was replaced while it was held", fix="try again")
        if end.seq and end is not self._wrote:
            if end is not self._linked and not links_on(self._memory, self._wrote):
                raise not_ours(end.seq)
            self._marked(end.soul).must_know(end.seq, end.event_hash)

    def _write(
        self, bodies: Sequence[Body], moment: str, soul: str = "", signer: Signer | None = None
    ) -> list[Placed]:
        end = self._at_end()
        soul = end.soul or soul
        if not soul:
            raise Damaged(
                "the archive has lost its beginning, so nothing can be added to it",
                fix="bring data/memory back from a backup",
            )
        self._must_be_ours(end)
        if end.torn:
            self._quarantine(end.torn)
        added = [] if self._keyed else self._new_key(end)
        if added or self._unsaid:
            news = [prepared(entry, self.clock) for entry in (*self._unsaid, *added)]
            bodies = [*news, *bodies] if end.seq else [*bodies, *news]
        if moment < end.timestamp:
            moment = end.timestamp
        placed, lines = linked(bodies, end._replace(timestamp=moment, soul=soul), signer)
        seq, parent = placed[-1][:2]
        if moment[:10] != self._day:
            self._turn_to(moment)
        self._marked(soul).write(Mark(seq, parent, end.seq, end.event_hash))
        size = self._put(lines)
        self._tail = Tail(self._segment, size, seq, parent, moment, soul)
        self._seen = (size, *self._seen[1:])
        self._wrote = self._tail
        self._unsaid = []
        if added:
            self.keyring.adopt(soul)
        self._keyed = True
        return placed

    def _put(self, data: bytes) -> int:
        """Into the ring, then one write; of a short one nothing stays.

        The ring comes first: a line that stands in the segment stands in the ring, so flushing
        that is enough. Before it runs round, the segment is flushed; so is what is too large.
        """
        at = self._seen[0]
        after = at + len(data)
        large = len(data) > HALF
        if large or at // HALF != after // HALF:
            self._settle()
        try:
            whole = large or self._ring.keep(at, data)
            written = os.write(self._file, data) if whole else 0
            if large:
                os.fdatasync(self._file)
        except OSError as error:
            raise self._cut_back(error, len(data)) from error
        if written < len(data):
            raise self._cut_back(OSError(errno.ENOSPC, "short write"), len(data))
        return after

    def _settle(self) -> None:
        try:
            os.fdatasync(self._file)
        except OSError as error:  # before the ring is touched: what it holds is all there is
            raise refusal(error, self._memory) from error

    def _cut_back(self, error: OSError, length: int) -> ArchiveError:
        os.ftruncate(self._file, self._seen[0])
        with suppress(OSError):  # what cannot be overwritten was not written either
            self._ring.keep(self._seen[0], bytes(min(length, HALF)))
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
                self._ring.begin_day()
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
        self._note_repair(quarantine(self._memory, torn))
        self._let_go()
        self._tail = self._tail._replace(torn=None)

    def _note_repair(self, entry: Entry) -> None:
        self.repairs.append(entry.description)
        self._unsaid.append(entry)

    def _new_key(self, end: Tail) -> list[Entry]:
        """On a host without the key, make one and say so; nobody has vouched for it yet."""
        if not end.seq or self.keyring.has_key(end.soul):
            return []
        added = self.keyring.introduce(end.soul)
        self.repairs.append(added.description)
        self._marked(end.soul).renew_key()
        return [added]

    def _flush(self) -> None:
        try:
            self._ring.flush()
        except OSError as error:
            raise refusal(error, self._memory) from error

    def _sign(self, event: Placed, *, accepted: bool = False) -> None:
        """State the head in heads.jsonl, then raise the witness. The line itself is durable."""
        head = self.keyring.sign(event.soul, event.seq, event.event_hash)
        if append_head(self.being.heads, head):
            self.repairs.append("An unfinished line was cut from heads.jsonl.")
        self.keyring.remember(head, even_lower=accepted)
        self._unsigned = None
