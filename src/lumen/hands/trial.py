"""A skill shown to work: its own example, run in folders made for it and thrown away."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from lumen.core.canon import JSON
from lumen.core.clock import Clock
from lumen.hands.effects import BY_SETTING, DeclaredEffects, missing
from lumen.hands.isolation import Sandbox
from lumen.hands.process import Limits
from lumen.hands.run import Call, run
from lumen.hands.skills import Skill


@dataclass(frozen=True, slots=True)
class Trial:
    """How an example went; `tried` is False when the skill declares none."""

    ok: bool
    why: str = ""
    tried: bool = True


async def try_out(
    skill: Skill, effects: DeclaredEffects, box: Sandbox, limits: Limits, clock: Clock
) -> Trial:
    """Run a skill's declared example; no folder it is granted is one of the being's."""
    example = effects.example
    if example is None:
        return Trial(ok=True, why="declares no example", tried=False)
    with tempfile.TemporaryDirectory(prefix="lumen-trial-") as made:
        reads = _stand_ins(effects.reads, made)
        writes = _stand_ins(effects.writes, made)
        for name, text in example.files.items():
            (reads or writes or [Path(made)])[0].joinpath(name).write_text(text, "utf-8")
        context: dict[str, JSON] = {
            "reads": [str(path) for path in reads],
            "writes": [str(path) for path in writes],
            "settings": dict(effects.settings),
        }
        call = Call(skill, "trial", example.action, example.input, context)
        shown = replace(box, reads=tuple(reads), writes=tuple(writes))
        result = await run(call, limits, clock, shown)
    if not result.ok:
        return Trial(ok=False, why=result.error)
    lacks = missing(result.output, example.holds)
    return Trial(ok=not lacks, why=f"its output {lacks}" if lacks else "")


def _stand_ins(declared: tuple[str, ...], made: str) -> list[Path]:
    """A folder for each that is declared; the same one for the same name."""
    base = Path(made).resolve()
    found = [
        base / name.removeprefix(BY_SETTING).replace("/", "_").lstrip(".") for name in declared
    ]
    for path in found:
        path.mkdir(exist_ok=True)
    return found
