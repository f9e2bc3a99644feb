"""What tests of the loops share: a self to begin with, cycles to live through, a model that obliges."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tests.kernel.listening import Listener, nothing

from lumen.core.canon import JSON, dumps
from lumen.core.data import Change, Entry, Event, FinishedCycle, SelfItem, kernel_entry
from lumen.core.stores import Store
from lumen.kernel.turn.cycle import CycleResult, ReflectionOutcome, due
from lumen.kernel.turn.cycle import pursue as _pursue
from lumen.kernel.turn.cycle import reflect as _reflect
from lumen.kernel.turn.cycle import wonder as _wonder
from lumen.kernel.turn.run import Watch, adopt_edits
from lumen.mind.roles import parse_assignments
from lumen.mind.substrate import Completion, OnText, Prompt
from lumen.soul.state.selfhood import Selfhood, selfhood

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

QUIET = Watch()
ROLES = ("orchestrator", "scraper", "reflection")
SKILL_TOML = """description = "Sends a letter."
reads = []
writes = []
network = false
irreversible = false

[example]
action = "do"
input = {goal = "email Ada"}
holds = {text = "sent"}
"""
EMAIL = """import json, sys
if "--help" in sys.argv:
    print("email: action do, input goal; output text")
    raise SystemExit
call = json.load(sys.stdin)
print(json.dumps({"ok": True, "output": {"text": "sent"}, "error": None}))
"""


@dataclass(slots=True)
class Oracle(Listener):
    """A model that answers with what a test prepared for each kind of answer; the last one stays."""

    says: dict[str, list[str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def invoke(
        self, model_id: str, prompt: Prompt, on_text: OnText | None = None
    ) -> Completion:
        """Keep the prompt; answer by the name of the type asked for."""
        self.prompts.append(prompt)
        kind = str(prompt.schema["title"]) if prompt.schema else "words"
        self.asked.append(kind)
        prepared = self.says.get(kind, [self.answer])
        said = prepared.pop(0) if len(prepared) > 1 else prepared[0]
        return Completion(said, 0, 0, 0, "stop")

    def shown_for(self, kind: str) -> str:
        """All it was shown when it was asked for that."""
        both = zip(self.asked, self.prompts, strict=True)
        return "\n".join(f"{p.system}\n{p.user}" for k, p in both if k == kind)


def strong(life: Life, roles: Sequence[str] = ROLES, **says: JSON) -> Oracle:
    """Give some roles to a strong model; each answer is JSON, or a list of them, or a text."""
    spelled = {
        kind: [a if isinstance(a, str) else dumps(a).decode() for a in _many(answers)]
        for kind, answers in says.items()
    }
    oracle = Oracle("no", small=False, heard=nothing, says=spelled, id="oracle")
    reach = life.kernel.reach
    given = parse_assignments(dict.fromkeys(roles, "oracle/one"))
    life.kernel.reach = replace(reach, assignments={**reach.assignments, **given})
    life.kernel.reach.opened["oracle"] = oracle
    return oracle


def _many(answers: JSON) -> Sequence[JSON]:
    return answers if isinstance(answers, list) else [answers]


def give(
    life: Life, values: Mapping[str, float] | None = None, goals: Iterable[SelfItem] = ()
) -> None:
    """Let the author decree values and goals."""
    changes = [
        *(Change(Store.VALUES, "put", SelfItem(n, w, "active")) for n, w in (values or {}).items()),
        *(Change(Store.GOALS, "put", g) for g in goals),
    ]
    life.kernel.gate.commit(
        "author", changes, kernel_entry("author", "so be it", "lumen:author", {})
    )
    refresh(life)


def refresh(life: Life) -> None:
    """See the self as it is in force."""
    life.kernel.as_of = (-1, -1)
    adopt_edits(life.kernel)


def pursue(life: Life) -> CycleResult:
    """One action cycle."""
    return asyncio.run(_pursue(life.kernel, QUIET))


def wonder(life: Life) -> CycleResult:
    """One explore cycle."""
    return asyncio.run(_wonder(life.kernel, QUIET))


def reflect(life: Life, *, dry_run: bool = False, asked: bool = True) -> ReflectionOutcome:
    """One reflection, for whatever calls for it."""
    why = due(life.kernel, asked=asked)
    return asyncio.run(_reflect(life.kernel, why, QUIET, dry_run=dry_run))


def now(life: Life) -> Selfhood:
    """The self that the files on disk tell."""
    being = life.being
    paths = [being.soul_md, being.values, *being.goals.glob("*.json")]
    return selfhood({being.named(p): p.read_text("utf-8") for p in paths if p.exists()})


def goals(life: Life) -> dict[str, tuple[float, str]]:
    """The goals on disk."""
    return {g.name: (g.weight, g.status) for g in now(life).goals}


def values(life: Life) -> dict[str, tuple[float, str]]:
    """The values on disk."""
    return {v.name: (v.weight, v.status) for v in now(life).values}


def self_files(life: Life) -> dict[str, bytes]:
    """soul.md, values.json and the goals, to the byte."""
    being = life.being
    paths = [being.soul_md, being.values, *sorted(being.goals.glob("*.json"))]
    return {being.named(p): p.read_bytes() for p in paths if p.exists()}


def by(life: Life, author: str, situation: str = "") -> list[Event]:
    """What some author wrote into the archive."""
    return [
        e
        for e in life.events()
        if e.entry.author == author and situation in ("", e.entry.situation)
    ]


def cycles(life: Life) -> list[FinishedCycle]:
    """Every action cycle so far."""
    life.kernel.index.catch_up()
    return life.kernel.index.cycles.since(0, 1000)


def put_file(life: Life, name: str, text: str) -> None:
    """Lay a file where the search skill may look."""
    folder = life.being.root / "files"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, "utf-8")


def thought(skill: str, **more: JSON) -> JSON:
    """What a model could propose to do."""
    said = {"skill": skill, "action": "find", "prediction": f"{skill} brings something"}
    return {"candidates": [said | more]}


def lived(
    life: Life, delta: float = 0.0, conflicts: JSON = (), n: int = 1, **told: JSON
) -> list[int]:
    """Cycles that went a certain way, archived as the runner archives them."""
    heard = []
    for _ in range(n):
        key = f"lumen:interface:{life.clock.draws}"
        heard += life.tell(f"Something happened, number {life.clock.draws}.")
        seq = heard[-1]
        key = life.kernel.index.events.turn_of(seq) if life.kernel.index.catch_up() else key
        option = {"values": ["calm"], "goal": None, "able": True, "tries": 0}
        cycle: dict[str, JSON] = {
            "loop": "action",
            "skill": "search",
            "delta": delta,
            "chosen": 0,
            "options": [option, {**option, "values": ["play"]}],
            "conflicts": conflicts,
            **told,
        }
        life.kernel.gate.record(kernel_entry("record", "RECORD: so it went", key, {"cycle": cycle}))
    life.kernel.index.catch_up()
    return heard


def evolved(life: Life) -> list[Entry]:
    return [e.entry for e in by(life, "self", "evolved")]
