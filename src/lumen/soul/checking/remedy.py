"""What heals an archive that does not verify: said beside the first thing found wrong."""

from __future__ import annotations

from dataclasses import replace

from lumen.core.data import BeingPaths
from lumen.soul.archive.chain import MISPLACED, ArchiveProblem, CheckedRun
from lumen.soul.archive.ring import puts_back

BEHIND = "is no event of this being: it stands behind the end, and does not follow"
RESTORE = (
    "lumen restore-backup FILE ANOTHER_FOLDER, then lumen archive verify there; without a backup "
    "nothing can be built on this archive any more, and its lines stay readable in data/memory"
)
CUT = "lumen archive cut-tail, which moves it to quarantine"


def with_remedy(
    problem: ArchiveProblem, being: BeingPaths, chain: CheckedRun, known: int
) -> ArchiveProblem:
    """A problem with what heals it, as far as that is known.

    `known` is the last event that the witness, the mark or a signed head speaks of: what stands
    behind it and does not follow takes nothing away when it is moved aside.
    """
    if problem.fix:
        return problem
    if problem.segment == being.heads.name:
        where = being.named(being.heads)
        fix = (
            f"find out who changed it, then delete line {problem.line} of {where}: the others stand"
        )
        return replace(problem, fix=fix)
    damaged = problem == chain.problem
    if damaged or problem.what.startswith("is missing"):
        count = puts_back(being.memory)
        if count:
            many = "the line" if count == 1 else f"the {count} lines"
            return replace(
                problem, fix=f"lumen chat: this host has {many} still, and puts them back"
            )
    if damaged and 0 < known <= chain.last_seq:
        what = problem.what if problem.what == MISPLACED else BEHIND
        return replace(problem, what=what, fix=CUT)
    return replace(problem, fix=RESTORE) if damaged else problem
