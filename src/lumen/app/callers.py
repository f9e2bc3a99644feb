"""Who calls: the author, or a program that a running skill started."""

from __future__ import annotations

from lumen.core.errors import Refused
from lumen.hands.ancestry import started_by_skill as started_by_skill


def refuse_to_skills(what: str) -> None:
    """A skill may look at a being; what changes it or speaks for the author is the author's.

    Raises:
        Refused: a running skill started this.
    """
    if started_by_skill():
        raise Refused(
            f"a skill started {what}, and that is for the author alone",
            fix="run it yourself, in a terminal",
        )
