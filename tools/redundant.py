"""Find the tests that need not be measured: the others, the least work that does, reach nearly all they do.

`.venv/bin/python tools/redundant.py` runs every test, each measured by itself, which takes about twice as long
as `python3 main.py test`, and writes tests/redundant.txt; with `--again` it goes by what such a run left. Run it
when a test is missed: where the bar is not met though a test that is named there reaches what is missing, or
where measuring takes long again.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections import defaultdict
from contextlib import closing
from heapq import heapify, heappop, heappush
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REDUNDANT = ROOT / "tests" / "redundant.txt"
WORK = ROOT / ".measured"
DATA = WORK / "coverage"
ABOUT_MEASURING = "tests/house/test_sparing.py"  # tests of what is measured
NEARLY_ALL = 0.985  # of the arcs that any test reaches

Arc = tuple[str, int, int]


def run() -> None:
    """Run every test, and keep what each reaches and how long it takes."""
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "took").mkdir(parents=True)
    bin_ = Path(sys.executable).parent
    environ = {
        **os.environ,
        "PATH": f"{bin_}{os.pathsep}{os.environ.get('PATH', '')}",
        "LUMEN_CHOOSE_MEASURED": str(WORK / "took"),
    }
    data = f"--data-file={DATA}"
    tests = ["-m", "pytest", "-q", "-n", "3", "--dist", "worksteal"]
    for words in (["run", data, *tests], ["combine", data]):
        subprocess.run([bin_ / "coverage", *words], cwd=ROOT, env=environ, check=False)


def reached() -> dict[str, set[Arc]]:
    """What each test reaches; what is reached before any runs, or by processes, is under no name.

    Read from the tables that coverage documents: by its own functions it takes minutes.
    """
    found: dict[str, set[Arc]] = defaultdict(set)
    with closing(sqlite3.connect(DATA)) as db:
        files = {
            n: str(Path(path).relative_to(ROOT))
            for n, path in db.execute("SELECT id, path FROM file")
        }
        contexts = dict(db.execute("SELECT id, context FROM context"))
        for file, context, start, stop in db.execute(
            "SELECT file_id, context_id, fromno, tono FROM arc"
        ):
            found[contexts[context]].add((files[file], start, stop))
    return found


def took() -> dict[str, float]:
    """How many seconds each test took, all its examples together."""
    seconds: dict[str, float] = defaultdict(float)
    for file in (WORK / "took").iterdir():
        for line in file.read_text(encoding="utf-8").splitlines():
            number, name = line.split(" ", 1)
            seconds[name] += float(number)
    return seconds


def chosen(reaches: dict[str, set[Arc]], seconds: dict[str, float]) -> list[str]:
    """Whoever adds most for its time, one after the other, till nearly all is reached.

    All of it where every branch has to be covered.
    """
    wholly = {*(ROOT / "tests" / "fully_covered.txt").read_text(encoding="utf-8").split()}
    have = set(reaches.pop("", set()))
    every = set.union(have, *reaches.values())
    must = {arc for arc in every if arc[0] in wholly}
    nearly = _covering(reaches, every, have, int(NEARLY_ALL * len(every)), seconds)
    reached_by = have.union(*(reaches[name] for name in nearly))
    rest = _covering(reaches, must, reached_by & must, len(must), seconds)
    return sorted({*nearly, *rest})


def _covering(
    reaches: dict[str, set[Arc]],
    wanted: set[Arc],
    have: set[Arc],
    enough: int,
    seconds: dict[str, float],
) -> list[str]:
    """Greedily, by a heap of what each test was last seen to add: it can only have become less."""
    have, picked = set(have), list[str]()

    def worth(name: str) -> float:
        return -len((reaches[name] & wanted) - have) / (0.02 + seconds[name])

    heap = [(worth(name), name) for name in reaches]
    heapify(heap)
    while heap and len(have) < enough:
        _, name = heappop(heap)
        now = worth(name)
        if heap and now > heap[0][0]:
            heappush(heap, (now, name))
        elif now < 0:
            have |= reaches[name] & wanted
            picked.append(name)
    return picked


def main() -> int:
    """Run, choose and write."""
    if "--again" not in sys.argv:
        run()
    seconds = took()
    picked = chosen(reached(), seconds)
    rest = sorted(n for n in seconds.keys() - {*picked} if not n.startswith(ABOUT_MEASURING))
    REDUNDANT.write_text("\n".join(rest) + "\n", encoding="utf-8")
    measured = sum(seconds[name] for name in picked)
    print(
        f"measured are {len(picked)} tests of {len(seconds)}, {measured:.0f} s of {sum(seconds.values()):.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
