"""A being with a million events: folding, rebuilding and opening it.

Peak memory is that of a process of its own, at a tenth of the size and at the whole: flat means
that it hardly grows. Vectors are left out; they are a cache with a pace of their own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bench.archive import SESSION, open_writer, workplace
from bench.rounds import Row, say, table
from lumen.core.data import Author, BeingPaths, Entry, EventType, Origin, kernel_entry

EVENTS = int(os.environ.get("LUMEN_BENCH_EVENTS", "1000000"))
BATCH = 1000
OPENS = 15
MOST_GROWTH = 1.3
MOST_MS = 100.0
MEASURED = """
import sys, time
from pathlib import Path
from lumen.core.data import BeingPaths
being = BeingPaths(Path(sys.argv[1]))
{setup}
began = time.perf_counter()
{work}
took = time.perf_counter() - began
status = Path("/proc/self/status").read_text()  # getrusage would tell the parent's peak too
print(took, status.split("VmHWM:")[1].split()[0])
"""
FOLD = (
    "from lumen.soul.archive.line import read; from lumen.soul.state.fold import fold",
    "fold(s.event for s in read(being.memory))",
)
PARSE = (
    "import orjson; from lumen.soul.archive.line import segments",
    "[None for p in segments(being.memory) for line in p.open('rb') if orjson.loads(line) is None]",
)
REBUILD = ("from lumen.soul.index.index import Index; index = Index(being)", "index.rebuild()")
PLAIN = (
    "import apsw, orjson; from lumen.soul.archive.line import segments\n"
    "path = being.root / 'plain.db'; path.unlink(missing_ok=True)\n"
    "db = apsw.Connection(str(path)); db.pragma('journal_mode', 'wal'); db.pragma('synchronous', 0)\n"
    "db.execute('CREATE TABLE e(seq INTEGER PRIMARY KEY, line TEXT, text TEXT);"
    ' CREATE VIRTUAL TABLE w USING fts5(text, tokenize="porter unicode61")\')',
    "db.execute('BEGIN')\n"
    "for p in segments(being.memory):\n"
    "    for line in p.open('rb'):\n"
    "        e = orjson.loads(line)\n"
    "        db.execute('INSERT INTO e VALUES(?,?,?)', (e['seq'], line, e['description']))\n"
    "        if e['author'] != 'kernel':\n"
    "            db.execute('INSERT INTO w(rowid, text) VALUES(?,?)', (e['seq'], e['description']))\n"
    "db.execute('COMMIT')",
)
OPEN = (
    "import statistics\nfrom lumen.app.wiring import open_kernel",
    "taken = []\n"
    f"for _ in range({OPENS}):\n"
    "    t = time.perf_counter(); kernel, _ = open_kernel(being)\n"
    "    taken.append(time.perf_counter() - t); kernel.close()\n"
    "began = time.perf_counter() - statistics.median(taken)",
)


def main() -> int:
    """Measure and print; the exit code says whether every target holds."""
    with workplace() as folder:
        small, large = _grown(folder / "small", EVENTS // 10), _grown(folder / "large", EVENTS)
        fold, parse, rebuild, plain = (_run(large, *w) for w in (FOLD, PARSE, REBUILD, PLAIN))
        rows = [
            Row("fold, an event", fold[0] / EVENTS, "orjson alone", parse[0] / EVENTS),
            Row("rebuild, an event", rebuild[0] / EVENTS, "plain FTS5 rows", plain[0] / EVENTS),
        ]
        say(table(f"{EVENTS:,} events, {_size(large):,.0f} MB", rows))
        peaks = [(name, _run(small, *w)[1], big) for name, w, big in _pairs(fold, rebuild)]
        opened = _run(large, *OPEN)[0] * 1000
    flat = [(name, b / s) for name, s, b in peaks]
    for (name, before, after), (_, growth) in zip(peaks, flat, strict=True):
        say(
            f"{name}: peak {after / 1024:.0f} MB, with a tenth of the events {before / 1024:.0f} MB"
            f"   {growth:.2f} ×   ≤ {MOST_GROWTH} ×   {'yes' if growth <= MOST_GROWTH else 'NO'}"
        )
    say(f"open: {opened:.1f} ms   ≤ {MOST_MS:.0f} ms   {'yes' if opened <= MOST_MS else 'NO'}\n")
    return 0 if opened <= MOST_MS and all(g <= MOST_GROWTH for _, g in flat) else 1


def _pairs(
    fold: tuple[float, int], rebuild: tuple[float, int]
) -> list[tuple[str, tuple[str, str], int]]:
    return [("fold", FOLD, fold[1]), ("rebuild", REBUILD, rebuild[1])]


def _grown(folder: Path, events: int) -> BeingPaths:
    """A being of so many events, half of them turns' words, half the kernel's memories of them."""
    writer = open_writer(folder)
    soul = writer.append([_beat(0)], durable=False)[-1].soul
    make: tuple[Callable[[int], Entry], ...] = (_heard, _beat)
    for start in range(0, events - 2, BATCH):
        some = range(start, min(start + BATCH, events - 2))
        writer.append([make[n % 2](n) for n in some], durable=False)
    writer.append([_beat(events)], durable=True, sign=True)
    being = writer.being
    writer.close()
    (being.root / "lumen.toml").write_text(f'[being]\nsoul = "{soul}"\n[roles]\n')
    for folder_of in (being.goals, being.skills, being.prompts):
        folder_of.mkdir()
    return being


def _heard(n: int) -> Entry:
    said = (
        f"On day {n} my friend number {n % 977} told me about {n % 61} boats in harbour {n % 13}."
    )
    return Entry(
        author=Author.EXTERNAL,
        event_type=EventType.AUTHOR_MESSAGE,
        origin=Origin.AUTHOR,
        situation="heard",
        description=said,
        session_key=f"{SESSION}{n}",
    )


def _beat(n: int) -> Entry:
    key = f"{SESSION}{n - 1}"
    payload = {"turn": key, "uses": {"memories": [n], "by": 20_000}} if n % 100 == 1 else {}
    return kernel_entry("record", "RECORD: said; predicted: the author goes on", key, payload)


def _run(being: BeingPaths, setup: str, work: str) -> tuple[float, int]:
    """Seconds something took in a process of its own, and that process's peak in kB."""
    host = {**os.environ, "XDG_DATA_HOME": str(being.root.parent / "home")}
    (being.root.parent / "home").mkdir(exist_ok=True)
    keys = being.root.parent / "home" / "lumen"
    if not keys.exists():
        keys.symlink_to(being.root.parent / "keys")
    script = MEASURED.format(setup=setup, work=work)
    done = subprocess.run(
        [sys.executable, "-c", script, str(being.root)],
        check=True,
        capture_output=True,
        text=True,
        env=host,
    )
    seconds, peak = done.stdout.split()
    return float(seconds), int(peak)


def _size(being: BeingPaths) -> float:
    return sum(p.stat().st_size for p in being.memory.rglob("*.jsonl")) / 1e6


if __name__ == "__main__":
    raise SystemExit(main())
