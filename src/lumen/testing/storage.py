"""What the conformance classes share: a being that has just begun, and events to fill it with."""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

from lumen.core.canon import JSON
from lumen.core.data import Author, Entry, EventType, Origin, Placed, kernel_entry
from lumen.core.errors import LumenError
from lumen.soul.ports.storage import Storage

SOUL = "01JD0000000000000000000000"
SOUL_MD, VALUES, SETTINGS = "data/soul.md", "data/values.json", "lumen.toml"
NAME = "# Iris\n"
LONG_S = 120.0  # what does not come by then never comes


class StorageConformance:
    """A storage under test. Every test has a folder of its own, `tmp_path`, which pytest gives it."""

    _held: Sequence[Storage] = ()

    def open(self, where: Path) -> Storage:
        """Open the being that belongs to a folder, whether it has begun or not.

        Called again for the same folder it opens the same being once more, as another process of the
        same host would. Where a being is really kept is the storage's own business.
        """
        raise LumenError(
            f"{type(self).__name__} does not say how its storage is opened",
            fix=f"define open(self, where), which opens the being of {where}",
        )

    def opened(self, where: Path) -> Storage:
        """The being of a folder, opened once more, and let go of when the test is over."""
        storage = self.open(where)
        self._held = [*self._held, storage]
        return storage

    def teardown_method(self) -> None:
        """Let go of all that a test opened: hundreds of them run in one process."""
        while self._held:
            *self._held, storage = self._held
            storage.index.close()
            storage.log.close()

    def born(self, where: Path) -> Storage:
        """A being that has just begun, with a name."""
        storage = self.opened(where)
        storage.files.scaffold({SOUL_MD: NAME, VALUES: "[]\n", SETTINGS: "[being]\n"})
        storage.log.begin(SOUL, [change("soul", SOUL_MD, NAME)])
        storage.index.catch_up()
        return storage


def said(text: str, turn: str = "lumen:interface:1", **payload: JSON) -> Entry:
    """What the author said."""
    return Entry(
        author=Author.EXTERNAL,
        event_type=EventType.AUTHOR_MESSAGE,
        origin=Origin.AUTHOR,
        situation="heard",
        description=text,
        session_key=turn,
        payload=payload,
    )


def replied(text: str, turn: str = "lumen:interface:1", **payload: JSON) -> Entry:
    """What the being answered."""
    return replace(
        said(text, turn, **payload),
        author=Author.SELF,
        event_type=EventType.ASSISTANT_MESSAGE,
        origin=Origin.SELF,
        situation="replied",
    )


def noted(situation: str, turn: str = "lumen:interface:1", **payload: JSON) -> Entry:
    """What the kernel noted."""
    return kernel_entry(situation, f"The kernel notes: {situation}.", turn, payload)


def change(store: str, path: str, text: str | None, base: str = "") -> dict[str, JSON]:
    """A change of a file, as an event tells it."""
    return {"store": store, "operation": "set", "path": path, "base": base, "value": text}


def add(storage: Storage, *entries: Entry) -> list[Placed]:
    """Append events durably, and have them known."""
    placed = storage.log.append(entries, durable=True)
    storage.index.catch_up()
    return placed


def forget(storage: Storage, *targets: int) -> Placed:
    """Erase events as the gate does: said first, then carried out."""
    with storage.log.locked():
        erases = [storage.log.stated(seq) for seq in targets]
        (placed,) = storage.log.append([noted("erasure", erases=erases)], durable=True)
        storage.index.catch_up()
        storage.log.erase(placed.seq, targets)
        storage.index.vectors.drop_words()
        assert storage.index.scrub()
        storage.log.append([noted("scrubbed", scrubbed=placed.seq)], durable=True)
        storage.index.catch_up()
    return placed


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[Thread]:
    """Something done in a thread of its own, meanwhile; it must come to an end by itself."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except (LumenError, OSError, AssertionError) as error:
            failed.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    yield thread
    thread.join(LONG_S)
    assert not thread.is_alive(), "it never came to an end"
    assert not failed, f"it failed: {failed[0]!r}"


def killed(work: Callable[[], Sequence[object]]) -> list[object]:
    """What a process came to that was killed the moment it had come to it."""
    with elsewhere(work, lives=False) as found:
        return found


@contextmanager
def elsewhere(
    work: Callable[[], Sequence[object]], *, lives: bool = True
) -> Iterator[list[object]]:
    """What another process came to. It lives on meanwhile, or does not; in the end it is killed."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def run() -> None:
        theirs.send(list(work()))
        ours.close()
        with suppress(EOFError):
            _ = theirs.recv() if lives else None  # until the other end is closed
        os.kill(os.getpid(), signal.SIGKILL)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of a test are at rest here
        process = context.Process(target=run)
        process.start()
    theirs.close()
    try:
        yield ours.recv()
    finally:
        ours.close()
        process.join(LONG_S)


def raises(wanted: type[LumenError], work: Callable[[], object]) -> LumenError:
    """See that something is refused, and how."""
    try:
        work()
    except wanted as error:
        return error
    raise AssertionError(f"it was to be refused as {wanted.__name__}")
