"""Which skills of a being are not what they were made as, and whether its author said yes to that."""

from __future__ import annotations

from lumen.core.data import BeingPaths
from lumen.core.errors import SkillError
from lumen.hands.policy import Approves, changed, nobody
from lumen.hands.skills import Maker, discover, made_by
from lumen.kernel.gate.approvals import may_run
from lumen.soul.ports.queries import Queries


def approved_in(index: Queries) -> Approves:
    """What the author allowed to run, read off the archive."""
    index.catch_up()
    return lambda name, sha256: may_run(index, name, sha256)


def changed_skills(being: BeingPaths, index: Queries) -> list[SkillError]:
    """The skills that were changed and do not run, each with what is to be done."""
    found = [(s, made_by(s)) for s in discover(being.skills) if s.ready and not s.disabled]
    suspects = [(s, maker) for s, maker in found if maker is Maker.CHANGED]
    approves = approved_in(index) if suspects else nobody
    return [error for s, maker in suspects if (error := changed(s, maker, approves))]
