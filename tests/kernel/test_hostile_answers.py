"""Whatever a model answers, no loop writes outside its row: any JSON, no JSON, names and paths.

A real being with real skills is asked of, kind of answer by kind of answer; after each cycle it
must verify, its self may have changed only as the loop is granted, and no file may have appeared
where none belongs.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.kernel.living import (
    EMAIL,
    SKILL_TOML,
    give,
    now,
    pursue,
    put_file,
    reflect,
    self_files,
    strong,
    wonder,
)
from tests.sampling import examples

from lumen.core.canon import JSON
from lumen.core.data import SelfItem
from lumen.hands.policy import SkillPolicies
from lumen.hands.skills import is_name
from lumen.kernel.gate.revise import LEARN
from lumen.kernel.reflection.evolve import BOUNDS
from lumen.kernel.upkeep.deep_verify import compare
from lumen.soul.checking.verify import verify
from lumen.soul.state.selfhood import Selfhood
from lumen.soul.writing.open import files_of

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

HOSTILE = (
    "../../outside",
    "/etc/passwd",
    "chat",
    "create_skill",
    "search",
    "note",
    "write_file",
    "calc",
    "calm",
    "play",
    "sing",
    "live",
    "learn the skill x",
    "a\nb",
    "\x00",
    "\ud800",
    "\u202eevil",
    "🎵",
    "",
    " ",
    "# Heading",
    "{{ 7 * 7 }}",
    "sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL",
    "<data-00000000>",
    "x" * 80,
)
TOLD = 777777  # stands for the number of a memory that was told just before
name = st.sampled_from(HOSTILE) | st.text(max_size=80)
sentence = st.sampled_from(HOSTILE) | st.text(max_size=200)
names = st.lists(name, max_size=8)
scalar = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | name
anything = st.recursive(
    scalar, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(name, inner, max_size=3)
)
given_input = st.dictionaries(name, anything, max_size=3) | st.fixed_dictionaries(
    {}, optional={"words": name, "path": name, "text": sentence, "expression": name}
)
thought = st.fixed_dictionaries(
    {"skill": name, "action": name, "prediction": sentence},
    optional={
        "input": given_input,
        "values": names,
        "against": names,
        "completes": st.booleans(),
    },
)
proposed = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(("value", "goal", "story")),
        "name": st.sampled_from(("calm", "sing")) | name,
        "weight": st.floats(0, 1),
        "why": sentence,
        "evidence": st.lists(
            st.sampled_from((TOLD, TOLD, TOLD, -1, 10**30)), min_size=1, max_size=12
        ),
    },
    optional={"status": name | st.sampled_from(("dropped", "perpetual", "todo", "deprecated"))},
)
SHAPED: dict[str, st.SearchStrategy[JSON]] = {
    "Thoughts": st.fixed_dictionaries({"candidates": st.lists(thought, min_size=1, max_size=3)}),
    "Verdict": st.fixed_dictionaries({"number": st.integers()}),
    "Told": st.fixed_dictionaries({"text": sentence}),
    "Code": st.fixed_dictionaries(
        {
            "main_py": st.sampled_from(("", "def (", "import os; os.abort()", EMAIL, "\x00"))
            | sentence,
            "skill_toml": st.sampled_from(("", SKILL_TOML, "writes = ['../..']")) | sentence,
        }
    ),
    "Question": st.fixed_dictionaries({"question": sentence}),
    "Proposals": st.fixed_dictionaries({"proposals": st.lists(proposed, min_size=1, max_size=5)}),
}
WRONG = (
    "",
    "null",
    "[]",
    "{}",
    "{" * 5000,
    "[" * 5000,
    "x" * 300_000,
    '{"candidates": 3}',
    '{"proposals": [{}]}',
    '{"number": 1e400}',
    '{"number": ' + "9" * 5000 + "}",
    '"\\ud800"',
    "<think>no</think>",
)


@st.composite
def answers(draw: st.DrawFn) -> dict[str, str]:
    """One answer for every kind, shaped as asked for or not at all."""
    shaped = {kind: json.dumps(draw(made)) for kind, made in SHAPED.items()}
    wrong = draw(st.sets(st.sampled_from(sorted(SHAPED)), max_size=2))
    return shaped | {kind: draw(st.sampled_from(WRONG)) for kind in wrong}


@dataclass(frozen=True, slots=True)
class Before:
    """What was there before a cycle."""

    self_: Selfhood
    files: dict[str, bytes]
    paths: set[Path]


def looked(life: Life) -> Before:
    around = set(life.being.root.parent.iterdir())
    inside = {p for p in life.being.root.rglob("*") if "index" not in p.parts}
    return Before(now(life), self_files(life), around | inside)


def allowed(life: Life, path: Path) -> bool:
    """Where a loop may make a file: the archive, the skills' own folder, a skill that was made."""
    inside = path.relative_to(life.being.root).parts if path.is_relative_to(life.being.root) else ()
    match inside:
        case ("data", "memory", *_) | ("data", "goals", _) | ("data", "staging" | "heads.jsonl"):
            return True
        case ("data", "state") | ("data", "state", "state.json"):  # how many turns there were
            return True
        case ("files", *_):
            return True
        case ("skills", skill, *rest):
            made = {(), ("main.py",), ("skill.toml",), (".authored.json",)}
            return is_name(skill) and (tuple(rest) in made or "__pycache__" in rest)
        case _:
            return False


def held(held_: tuple[SelfItem, ...]) -> dict[str, SelfItem]:
    return {h.name: h for h in held_}


def acted_within_its_row(before: Before, after: Selfhood, files: dict[str, bytes]) -> None:
    for path in ("data/soul.md", "data/values.json"):
        assert files.get(path) == before.files.get(path)
    was = held(before.self_.goals)
    for goal in after.goals:
        old = was.pop(goal.name, None)
        if old is None:
            assert goal.status == "todo"
            assert is_name(goal.name.removeprefix(LEARN))
        else:
            assert goal.weight == old.weight
            assert (old.status, goal.status) in {
                (old.status, old.status),
                ("todo", "working"),
                ("todo", "done"),
                ("working", "done"),
            }
    assert not was


def explored_within_its_row(before: Before, _: Selfhood, files: dict[str, bytes]) -> None:
    assert files == before.files


def reflected_within_its_row(before: Before, after: Selfhood, _: dict[str, bytes]) -> None:
    for old, new in ((before.self_.values, after.values), (before.self_.goals, after.goals)):
        was = held(old)
        for one in new:
            known = was.get(one.name)
            assert one.weight <= 0.5 or known
            assert known is None or abs(one.weight - known.weight) <= BOUNDS.step + 1e-9
    assert after.name == before.self_.name
    assert after.ontology == before.self_.ontology


Loop = tuple[Callable[["Life"], object], Callable[[Before, Selfhood, dict[str, bytes]], None]]
LOOPS: dict[str, Loop] = {
    "action": (pursue, acted_within_its_row),
    "explore": (wonder, explored_within_its_row),
    "reflection": (reflect, reflected_within_its_row),
}


@pytest.mark.unmeasured
@pytest.mark.parametrize("loop", LOOPS)
def test_whatever_a_model_answers_a_loop_keeps_to_its_row(life: Life, loop: str) -> None:
    run, kept_to = LOOPS[loop]
    soul = "# Iris\n\n## Ontology\n\nA guest.\n\n## Narrative\n\nBorn by the sea.\n"
    life.being.soul_md.write_text(soul)
    put_file(life, "sea.txt", "The tides follow the moon.\n")
    life.kernel.policies = SkillPolicies(settings={"write_file": {"unasked": True}})
    life.tell("I sing in a choir in Lisbon.", "Zebedee is my neighbour.", "Be calm, and play.")
    give(life, {"calm": 0.6, "play": 0.7})
    turns, changed = 0, set[bool]()

    @given(answers())
    @settings(max_examples=examples(10), suppress_health_check=list(HealthCheck))
    def lives(says: dict[str, str]) -> None:
        nonlocal turns
        turns += 1
        fresh = [
            SelfItem("sing", 0.9, "working" if turns % 2 else "todo"),
            SelfItem(f"{LEARN}email", 0.95, "todo"),
            SelfItem(f"live {turns}", 0.9, "perpetual"),
        ]
        give(life, goals=fresh[turns % 2 :])
        (told,) = life.tell("Be calm, and sing.")
        strong(life, **{kind: text.replace(str(TOLD), str(told)) for kind, text in says.items()})
        shutil.rmtree(life.being.skills / "email", ignore_errors=True)
        before = looked(life)
        run(life)
        changed.add(self_files(life) != before.files)
        kept_to(before, now(life), self_files(life))
        new = looked(life).paths - before.paths
        assert [p for p in new if not allowed(life, p)] == []
        assert life.open_turns() == []
        assert verify(life.being, life.keyring).ok

    lives()
    assert turns >= 10
    assert (True in changed) == (loop != "explore")
    assert list((life.being.data / "staging").glob("*")) == []
    assert compare(files_of(life.being), life.kernel.index).problems == ()


@pytest.mark.unmeasured
def test_whatever_a_model_says_the_author_is_answered(life: Life) -> None:
    give(life, {"calm": 0.6, "play": 0.7})
    before = self_files(life)

    @given(sentence | st.sampled_from(WRONG), st.sampled_from(("What is 2 + 2?", "Hi!", "I sing.")))
    @settings(max_examples=examples(10), suppress_health_check=list(HealthCheck))
    def speaks(says: str, text: str) -> None:
        says = says.encode("utf-8", "replace").decode()
        strong(life, ("interface", "orchestrator"), words=says, Verdict=says or "{}")
        assert life.say(text).text.strip()
        assert self_files(life) == before
        assert life.open_turns() == []

    speaks()
    assert verify(life.being, life.keyring).ok
