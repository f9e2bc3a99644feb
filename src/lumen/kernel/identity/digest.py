"""Who the being is, as prompts may have it: the author's words plain, a model's as data.

What rests on a private memory stays on this machine. Who wrote what is for provenance.py to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from lumen.core.data import SelfItem
from lumen.core.untrusted import Untrusted
from lumen.kernel.identity.provenance import Provenance
from lumen.mind.render import render
from lumen.soul.state.selfhood import Selfhood

MOST_HELD = 24  # values and goals, the heaviest, that stand in the identity text


@dataclass(frozen=True, slots=True)
class MemoryText:
    """Words for a prompt that come from a memory; private ones are shown to local models only."""

    text: str | Untrusted
    private: bool = False


@dataclass(frozen=True, slots=True)
class Self:
    """A snapshot of who the being is and whom it speaks with."""

    name: str
    author_name: str
    narrative: str = ""  # what the author wrote of it
    values: tuple[tuple[str, float], ...] = ()
    goals: tuple[SelfItem, ...] = ()
    story: tuple[str, ...] = ()  # what reflection wrote: a model's words
    doubtful: frozenset[tuple[str, str]] = frozenset()  # values and goals that are no better
    private: frozenset[tuple[str, str]] = frozenset()  # and lines that rest on what is private
    contracts: tuple[str, ...] = ()  # how it speaks, and what of it does not change

    def keeps(self, contract: str) -> bool:
        """Whether it goes by a contract: one it has, or any where it was given none at all."""
        return not self.contracts or contract in self.contracts

    def for_prompt(self, kind: str, text: str) -> MemoryText | Untrusted | str:
        """A line, or the name of a value or goal, as a prompt may have it."""
        doubtful = kind == "story" or (kind, text) in self.doubtful
        seen = Untrusted(text, "self") if doubtful else text
        return MemoryText(seen, private=True) if (kind, text) in self.private else seen


def snapshot(found: Selfhood, author_name: str, known: Provenance) -> Self:
    """The self as the loops see it: what the author wrote, and apart from it what reflection did."""
    text = "\n\n".join(filter(None, (found.ontology, found.narrative)))
    lines = [line.strip() for line in text.splitlines()]
    trusted = {key for key, line in known.items() if line.trusted}
    mine = tuple(line for line in lines if line and ("story", line) not in trusted)
    theirs = "\n".join(line for line in text.splitlines() if line.strip() not in mine)
    names = [("value", v.name) for v in found.values] + [("goal", g.name) for g in found.goals]
    return Self(
        name=found.name,
        author_name=author_name,
        narrative=re.sub(r"\n{3,}", "\n\n", theirs).strip(),
        values=tuple((v.name, v.weight) for v in found.values if v.status == "active"),
        goals=tuple(g for g in found.goals if g.status != "done"),
        story=mine,
        doubtful=frozenset(key for key in names if key not in trusted),
        private=frozenset(key for key, line in known.items() if line.private),
        contracts=tuple(c.name for c in found.contracts),
    )


def digest(
    folders: tuple[Path, ...],
    self_: Self,
    *,
    small: bool,
    local: bool = True,
    mounted: str = "",
) -> str:
    """The identity text that opens every prompt; short and stable for a small model.

    What a model wrote into the self is one block of data; what rests on something private is left
    out where it would leave the machine. What mounts say is another block.
    """
    values, goals = self_.values[:MOST_HELD], self_.goals[:MOST_HELD]
    own = [
        *(("story", line, line) for line in self_.story[-MOST_HELD:]),
        *(("value", name, f"I hold dear: {name} ({weight})") for name, weight in values),
        *(("goal", g.name, f"I am after: {g.name} ({g.status})") for g in goals),
    ]
    told = [
        line
        for kind, name, line in own
        if (kind == "story" or (kind, name) in self_.doubtful)
        and (local or (kind, name) not in self_.private)
    ]
    slots = {
        "name": self_.name,
        "author_name": self_.author_name,
        "narrative": self_.narrative,
        "values": [
            {"name": name, "weight": weight}
            for name, weight in values
            if ("value", name) not in self_.doubtful
        ],
        "goals": [
            {"name": g.name, "status": g.status}
            for g in goals
            if ("goal", g.name) not in self_.doubtful
        ],
        "own": Untrusted("\n".join(told), "self"),
        "mounted": Untrusted(mounted, "mount"),
    }
    return render(folders, "digest", "system", slots, small=small).text
