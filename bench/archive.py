"""The archive: durable appends beside raw writes and SQLite, verification beside plain hashing.

Every competitor writes the same bytes to the same disk. SQLite is measured with the journal it
has by default, which is what `synchronous=FULL` means to most programs, and with a write-ahead log.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import apsw

from bench.rounds import Row, interleaved, say, table, timed
from lumen.core.clock import SystemClock, ulid
from lumen.core.data import Author, BeingPaths, Entry, EventType, Origin
from lumen.soul.archive.line import CONTENT_HASH, HEADER_AT, segments
from lumen.soul.checking.verify import verify
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing.write import Writer

APPEND_ROUNDS = 15
APPENDS = 60  # by each process, in each round
VERIFY_ROUNDS = 7
VERIFY_EVENTS = 100_000
HEADS = 500
PROCESSES = 4
SESSION = "lumen:interface:01KA4X9Q3ZJ6V8R2M5T7W0YBCD"
ENTRY = Entry(
    author=Author.KERNEL,
    event_type=EventType.SYSTEM_EVENT,
    origin=Origin.KERNEL,
    situation="think",
    description="THINK: " + "what was said, what it may mean, what is known of it; " * 3,
    session_key=SESSION,
    payload={
        "turn": SESSION,
        "steps": [{"step": f"step_{n}", "read": ["Stimulus"], "ms": 0.1} for n in range(6)],
    },
    agent_id="kernel",
)
Appender = Callable[[int], None]


def main() -> int:
    """Measure and print; the exit code says whether every target holds."""
    with workplace() as folder:
        rows = appends(folder)
        say(table(f"durable append, per event of {line_size(folder)} bytes", rows))
        checks = verifications(folder)
        say(table(f"verify, {VERIFY_EVENTS:,} events", checks))
    return 1 if any(r.verdict == "NO" for r in [*rows, *checks]) else 0


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder on a real disk: /tmp is often memory, where fdatasync costs nothing."""
    disk = Path("/var/tmp")  # noqa: S108 - a fresh folder is made in it
    folder = Path(tempfile.mkdtemp(prefix="lumen-bench-", dir=disk if disk.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def open_writer(folder: Path) -> Writer:
    """A writer on the being in a folder; the first one begins it."""
    being = BeingPaths(folder / "being")
    writer = Writer(being, Keyring(folder / "keys"), SystemClock())
    if not being.memory.exists():
        being.memory.mkdir(parents=True)
        writer.begin(ulid(SystemClock()))
    return writer


def line_size(folder: Path) -> int:
    """The length of a line of the archive."""
    return len(_last_line(folder))


def appenders(folder: Path) -> dict[str, Appender]:
    """Everything that can make an event durable, each ready to do it n times."""
    writer = open_writer(folder)
    writer.append([ENTRY], durable=True)
    raw = _last_line(folder)
    file = os.open(folder / "raw", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def lumen(times: int) -> None:
        for _ in range(times):
            writer.append([ENTRY], durable=True)

    def plain(times: int) -> None:
        for _ in range(times):
            os.write(file, raw)
            os.fdatasync(file)

    return {
        "lumen": lumen,
        "raw": plain,
        "SQLite FULL": _sqlite(folder / "full.db", "delete", raw),
        "SQLite FULL, WAL": _sqlite(folder / "wal.db", "wal", raw),
    }


def _sqlite(path: Path, journal: str, raw: bytes) -> Appender:
    db = apsw.Connection(str(path))
    db.set_busy_timeout(60_000)
    db.pragma("journal_mode", journal)
    db.pragma("synchronous", "full")
    db.execute("CREATE TABLE IF NOT EXISTS events(seq INTEGER PRIMARY KEY, line TEXT)")
    text = raw.decode()

    def insert(times: int) -> None:
        for _ in range(times):
            db.execute("INSERT INTO events(line) VALUES(?)", (text,))

    return insert


def _last_line(folder: Path) -> bytes:
    return (
        segments(BeingPaths(folder / "being").memory)[-1].read_bytes().splitlines(keepends=True)[-1]
    )


class Crew:
    """Processes that each hold every appender open and run one of them when told."""

    def __init__(self, folder: Path, size: int) -> None:
        context = multiprocessing.get_context("spawn")
        pairs = [context.Pipe() for _ in range(size)]
        self.ends = [ours for ours, _ in pairs]
        self.workers = [context.Process(target=_work, args=(folder, theirs)) for _, theirs in pairs]
        for worker, end in zip(self.workers, self.ends, strict=True):
            worker.start()
            end.recv()

    def run(self, name: str) -> float:
        """Seconds an event took, over all processes."""
        events = APPENDS * len(self.ends)
        return timed(lambda: self._all(name)) / events

    def _all(self, name: str) -> None:
        for end in self.ends:
            end.send(name)
        for end in self.ends:
            end.recv()

    def close(self) -> None:
        """Send everybody home."""
        for end, worker in zip(self.ends, self.workers, strict=True):
            end.send("")
            worker.join()


def _work(folder: Path, end: Connection) -> None:
    ready = appenders(folder)
    end.send("ready")
    while name := end.recv():
        ready[name](APPENDS)
        end.send("done")


def appends(folder: Path) -> list[Row]:
    """Durable appends by one process and by four."""
    one, many = Crew(folder, 1), Crew(folder, PROCESSES)
    names = list(appenders(folder))
    crews = {1: one, PROCESSES: many}
    # A default, because a lambda would otherwise see the last name and crew only.
    runs = {
        f"{n} {name}": lambda crew=crew, name=name: crew.run(name)
        for n, crew in crews.items()
        for name in names
    }
    found = interleaved(APPEND_ROUNDS, runs)
    one.close()
    many.close()
    both = f"{PROCESSES} lumen"
    return [
        Row("append, 1 process", found["1 lumen"], "raw write+fdatasync", found["1 raw"], 0.8),
        Row("", found["1 lumen"], "SQLite FULL", found["1 SQLite FULL"], 2),
        Row("", found["1 lumen"], "SQLite FULL, WAL", found["1 SQLite FULL, WAL"]),
        Row(f"append, {PROCESSES} processes", found[both], "raw, 1 process", found["1 raw"], 1.2),
        Row("", found[both], f"raw, {PROCESSES} processes", found[f"{PROCESSES} raw"]),
        Row("", found[both], "SQLite FULL", found[f"{PROCESSES} SQLite FULL"], 2),
        Row("", found[both], "SQLite FULL, WAL", found[f"{PROCESSES} SQLite FULL, WAL"]),
    ]


def verifications(folder: Path) -> list[Row]:
    """Verification by one process and by two."""
    writer = open_writer(folder / "long")
    batch = [ENTRY] * 100
    for _ in range(VERIFY_EVENTS // len(batch)):
        writer.append(batch, durable=False)
    being, keyring = writer.being, writer.keyring
    with ProcessPoolExecutor(1) as apart:  # begun before we hold what its own would get a copy of

        def checking(processes: int) -> float:
            return apart.submit(_checked, being, keyring, processes).result()

        checking(1)
        parts = [
            (raw[HEADER_AT : (cut := raw.find(CONTENT_HASH) + 81)], raw[cut:-1])
            for path in segments(being.memory)
            for raw in path.read_bytes().splitlines(keepends=True)
        ]

        def hashing() -> None:
            sha256 = hashlib.sha256
            for header, content in parts:
                sha256(header).digest()
                sha256(content).digest()

        found = interleaved(
            VERIFY_ROUNDS,
            {
                "plain": lambda: timed(hashing) / len(parts),
                "1": lambda: checking(1) / len(parts),
                "2": lambda: checking(2) / len(parts),
            },
        )
        signed = _with_heads(writer, lambda: checking(1))
    writer.close()
    return [
        Row("verify, 1 process", found["1"], "two SHA-256 an event", found["plain"], 0.35),
        Row("verify, 2 processes", found["2"], "verify, 1 process", found["1"], 1.7),
        Row("a signed head more", signed, "verify an event", found["1"]),
    ]


def _checked(being: BeingPaths, keyring: Keyring, processes: int) -> float:
    began = time.perf_counter()
    if not verify(being, keyring, processes=processes).ok:
        raise RuntimeError("the archive of the benchmark does not verify")
    return time.perf_counter() - began


def _with_heads(writer: Writer, run: Callable[[], float]) -> float:
    """What checking one signature adds."""
    before = interleaved(3, {"run": run})["run"]
    for _ in range(HEADS):
        writer.append([ENTRY], durable=False, sign=True)
    return (interleaved(3, {"run": run})["run"] - before) / HEADS


if __name__ == "__main__":
    raise SystemExit(main())
