"""Recall beside seven other engines, over the sets that come with Lumen: it should find more than each of them.

The same as `lumen lab recall --peers all` over files of one's own. Sets that are held are left out.
"""

from __future__ import annotations

from bench.rounds import say
from lumen.core.canon import JSON
from lumen.lab.facts import FOLDER
from lumen.lab.recall_report import RecallRun, lines, run

MEASURES = ("hit@5", "mrr")


def main() -> int:
    """Measure and print; the exit code says whether no engine found more."""
    files = tuple(sorted(p for p in FOLDER.glob("*.toml") if "held" not in p.stem))
    found = run(RecallRun(files, peers="all"), say)
    say("\n".join(lines(found)))
    ahead = {name: _behind(part) for name, part in found.items() if isinstance(part, dict)}
    for name, better in ahead.items():
        say(f"{name}: ahead of every engine   {f'NO: {better}' if better else 'yes'}")
    return 1 if any(ahead.values()) else 0


def _behind(part: dict[str, JSON]) -> str:
    """The engines that found more, by which measure."""
    return ", ".join(
        f"{peer} {measure}"
        for peer, one in part["peers"].items()
        for measure in MEASURES
        if "missing" in one or one["recall"][measure][0] > part["recall"][measure][0]
    )


if __name__ == "__main__":
    raise SystemExit(main())
