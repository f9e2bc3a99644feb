"""Who may write: one thread of one process at a time, which may take hold once more.

The file lock keeps processes apart and knows nothing of threads; the lock in here keeps the threads
of one process apart. Nobody holds on to either across an `await`.
"""

from __future__ import annotations

import threading

from lumen.core.errors import Busy
from lumen.soul.archive import disk
from lumen.soul.archive.ring import Ring


class Hold:
    """The right to write to an archive; `depth` is how many times over its owner has it.

    In a `with`, it keeps the other threads of this process out, while other processes may write.
    """

    def __init__(self, ring: Ring) -> None:
        self._ring = ring
        self._threads = threading.RLock()
        self._owner = 0  # for a message: which thread has it
        self.depth = 0

    def __enter__(self) -> None:
        free = self._threads.acquire(blocking=False)  # with a limit it takes three times as long
        if not free and not self._threads.acquire(timeout=disk.PATIENCE_S):
            raise self.busy()
        self._owner = threading.get_ident()

    def __exit__(self, *_: object) -> None:
        self._threads.release()

    def busy(self) -> Busy:
        """What to raise when somebody else does not let go."""
        if self._threads.acquire(blocking=False):  # it is another process, then
            self._threads.release()
            return self._ring.busy()
        names = [thread.name for thread in threading.enumerate() if thread.ident == self._owner]
        return Busy(
            f"the thread {' '.join(names)} of this process has held the archive for "
            f"{disk.PATIENCE_S:.0f} seconds",
            fix="see what it waits for, or open the being once in each thread",
        )

    def take(self) -> None:
        """Keep everyone else from writing.

        Raises:
            Busy: another thread, or another process, held it for too long.
        """
        self.__enter__()
        try:
            if not self.depth:
                self._ring.take()
        except BaseException:
            self.__exit__()
            raise
        self.depth += 1

    def let_go(self) -> None:
        """Let others write, once it was let go as often as it was taken."""
        self.depth -= 1
        try:
            if not self.depth:
                self._ring.release()
        finally:
            self.__exit__()

    def is_free(self) -> bool:
        """Whether nobody else keeps us from writing right now."""
        if not self._threads.acquire(blocking=False):
            return False
        try:
            return bool(self.depth) or self._ring.is_free()
        finally:
            self._threads.release()
