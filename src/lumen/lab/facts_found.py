"""Does a question in whatever language find what it asks for? Sets whose answers are not read, but their evidence.

Everything is told to a new being through `remember`. A question about a fact is a real turn without a
model: it is right when its verdict is strong or middling and the message that tells the fact, or corrects
it, is among the first three that were found; one about what was never told is right unless its verdict is strong. In
the `said` sets a question is about the being's own word and is right when recall has it among the first
three of that lane.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lumen.app.being import Being, Door, create
from lumen.app.opened import kernel_of
from lumen.core.canon import JSON
from lumen.lab.command_line import give_model
from lumen.lab.facts import read_set
from lumen.lab.recall_data import memos, tellers

FIRST = 3
STRONG, RANKED = "strong", "ranked"
SURE = (STRONG, "middling", RANKED)
SILENT = '{"when": "(?s).*", "say": ""}\n'
EVERY = 10


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """A question, how sure recall was, and whether that is right; its kind says told and asked language."""

    question: str
    kind: str
    verdict: str
    right: bool
    found: tuple[str, ...]  # the texts that came first


NEVER_TOLD = "never told"


@dataclass(frozen=True, slots=True)
class FoundScore:
    """What a run came to."""

    name: str
    asked: tuple[FoundAnswer, ...]

    def as_json(self) -> JSON:
        """The figures."""
        told = [a for a in self.asked if a.kind != NEVER_TOLD]
        never = [a for a in self.asked if a.kind == NEVER_TOLD]
        across = [a for a in told if "-" in a.kind]
        return {
            "set": self.name,
            "found": _counted(told),
            "across_languages": _counted(across),
            "never_told_strong": {"strong": sum(not a.right for a in never), "of": len(never)},
        }

    def summary(self) -> str:
        """The figures in words."""
        json = self.as_json()
        found, across, never = (json[name] for name in [*json][1:])
        said = [
            f"set {self.name}",
            f"  found among the first {FIRST}            {found['right']} of {found['of']}",
            f"  of these asked in another language {across['right']} of {across['of']}",
        ]
        if never["of"]:
            said.append(f"  never told, and yet strong         {never['strong']} of {never['of']}")
        return "\n".join(said)

    def lines(self) -> Iterator[str]:
        """Every question."""
        for a in self.asked:
            yield f"{'✓' if a.right else '✗'} {a.question}\n    {a.kind}: {a.verdict}"
            yield from (f"      {text}" for text in a.found)


def find(
    which: str,
    progress: Callable[[str], None] = lambda _: None,
    *,
    messages: int | None = None,
    unknowns: int | None = None,
) -> FoundScore:
    """Tell a set, or its first messages, to a new being and ask what was told there."""
    data = read_set(which)
    data["message"] = data["message"][:messages]
    data["unknown"] = data.get("unknown", [])[:unknowns]
    ask = _in_lane if which.startswith("said") else _in_turn
    with tempfile.TemporaryDirectory(prefix="lumen-facts-") as folder:
        silent = Path(folder) / "silent"
        silent.write_text(SILENT, "utf-8")
        where = create(Path(folder) / "being", None)
        give_model(where, f"scripted/{silent}")
        with Door(where, None) as being:
            events = being.remember(memos(data)).events
            progress(f"{len(events)} messages told, learning …")
            while kernel_of(being).recall.learn():
                pass
            gold = {f: events[max(places)] for f, places in tellers(data).items()}
            return FoundScore(which, tuple(_asked(being, data, gold, ask, progress)))


def _asked(
    being: Being,
    data: Mapping[str, JSON],
    gold: Mapping[str, int],
    ask: Callable[[Being, str], tuple[str, list[int]]],
    progress: Callable[[str], None],
) -> Iterator[FoundAnswer]:
    known = [(q["ask"], q["kind"], gold[q["fact"]]) for q in data["question"] if q["fact"] in gold]
    never = [(u["ask"], NEVER_TOLD, 0) for u in data["unknown"]]
    for number, (question, kind, teller) in enumerate([*known, *never]):
        if number % EVERY == 0:
            progress(f"  {number} asked")
        verdict, found = ask(being, question)
        right = verdict in SURE and teller in found[:FIRST] if teller else verdict != STRONG
        texts = kernel_of(being).index.memories.get(found[:FIRST])
        said = tuple(texts[event].text for event in found[:FIRST])
        yield FoundAnswer(question, kind, verdict, right, said)


def _in_turn(being: Being, question: str) -> tuple[str, list[int]]:
    """How sure a turn was of what it found, and which events that was."""
    being.say(question)
    steps = (step for beat in being.trace().beats for step in beat.payload["steps"])
    wrote = next(step["wrote"] for step in steps if step["step"] == "reality_check")
    return str(wrote["verdict"]), [int(e["event"]) for e in wrote["evidence"]]


def _in_lane(being: Being, question: str) -> tuple[str, list[int]]:
    """What of the being's own word comes first: no verdict is given there."""
    return RANKED, [m.event for m in being.recall(question, lane="said", limit=FIRST)]


def _counted(some: list[FoundAnswer]) -> dict[str, int]:
    return {"right": sum(a.right for a in some), "of": len(some)}
