"""What came of the cycles so far: counted over the index, against the same counted by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.kernel.conftest import Guarded, guard
from tests.kernel.living import give, pursue
from tests.sampling import examples

from lumen.core.canon import JSON
from lumen.core.data import SelfItem, kernel_entry
from lumen.core.payloads import OptionPayload
from lumen.kernel.upkeep.forget import carry_out, find, plan
from lumen.soul.index.cycles import LATELY

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

    from lumen.kernel.language.passages import Embedder, Rows

OPTION: OptionPayload = {"values": ["calm"], "goal": None, "able": True, "tries": 0}
GOALS, SKILLS = ("sing", 'swim "x"\n', ""), ("search", "note", "")
told = st.fixed_dictionaries(
    {
        "loop": st.sampled_from(("action", "action", "explore", "reflection")),
        "goal": st.sampled_from(GOALS),
        "skill": st.sampled_from(SKILLS),
        "progress": st.booleans(),
    }
)


@pytest.fixture(scope="module")
def being(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    made = guard(Path(tmp_path_factory.mktemp("cycles")))
    yield made
    made.close()


def record(being: Guarded, cycle: JSON) -> int:
    return being.gate.record(kernel_entry("record", "RECORD", "lumen:a", {"cycle": cycle})).seq


def test_a_being_that_did_nothing_yet_has_no_past(guarded: Guarded) -> None:
    index = guarded.index
    assert (
        index.cycles.last("reflection")
        == index.cycles.last_pursued("sing")
        == index.cycles.so_far_back(1)
        == 0
    )
    assert index.cycles.since(0, 10) == []
    assert (
        index.cycles.many_since(0),
        index.cycles.vain_tries("sing"),
        index.cycles.record_of("x"),
    ) == (
        0,
        0,
        (0, 0),
    )


@given(st.lists(told, max_size=12), st.integers(0, 14), st.integers(1, 14))
@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_count_is_what_counting_by_hand_gives(
    being: Guarded, more: list[dict[str, JSON]], back: int, many: int
) -> None:
    for cycle in more:
        record(being, cycle)
    past = [(e.seq, e.entry.payload["cycle"]) for e in being.events() if "cycle" in e.entry.payload]
    action = [(seq, c) for seq, c in past if c["loop"] == "action"]
    index, at = being.index, past[-back][0] if 0 < back <= len(past) else 0
    assert index.cycles.last("explore") == max(
        (s for s, c in past if c["loop"] == "explore"), default=0
    )
    assert [p.seq for p in index.cycles.since(at, many)] == [s for s, _ in action if s > at][-many:]
    assert index.cycles.many_since(at) == sum(s > at for s, _ in action)
    assert index.cycles.so_far_back(many) == (action[-many][0] if many <= len(action) else 0)
    for goal in GOALS:
        mine = [(s, c) for s, c in action if c["goal"] == goal]
        anything = [(s, c) for s, c in past if c["goal"] == goal]
        assert index.cycles.last_pursued(goal) == max((s for s, _ in anything), default=0)
        firsts: dict[str, int] = {}
        for seq, c in anything:
            if c["progress"]:
                firsts.setdefault(c["skill"], seq)
        start = max([at, *firsts.values()])
        assert index.cycles.vain_tries(goal, at) == sum(s > start for s, _ in mine)
    for skill in SKILLS:
        used = [c["progress"] for _, c in past if c["skill"] == skill][-LATELY:]
        assert index.cycles.record_of(skill) == (sum(used), len(used) - sum(used))


def test_a_past_cycle_is_told_whole(guarded: Guarded) -> None:
    seq = record(
        guarded,
        {
            "loop": "action",
            "goal": "sing",
            "skill": "search",
            "ok": False,
            "progress": True,
            "completed": True,
            "delta": -0.25,
            "chosen": 1,
            "options": [OPTION],
            "conflicts": [["a", "b"]],
        },
    )
    (past,) = guarded.index.cycles.since(0, 5)
    assert (past.seq, past.goal, past.skill, past.delta, past.chosen) == (
        seq,
        "sing",
        "search",
        -0.25,
        1,
    )
    assert (past.ok, past.progress, past.completed) == (False, True, True)
    assert (past.options, past.conflicts) == ([OPTION], [["a", "b"]])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT max(seq) FROM cycles WHERE loop = 'reflection'",
        "SELECT seq FROM cycles WHERE loop = 'action' ORDER BY seq DESC LIMIT 1 OFFSET 9",
        "SELECT seq FROM cycles WHERE loop = 'action' AND seq > 3 ORDER BY seq DESC LIMIT 1",
        "SELECT count(*) FROM cycles WHERE loop = 'action' AND seq > 3",
        "SELECT max(seq) FROM cycles WHERE goal = 'sing'",
        "SELECT progress FROM cycles WHERE skill = 'search' ORDER BY seq DESC LIMIT 100",
    ],
)
def test_no_question_about_the_past_reads_all_of_it(guarded: Guarded, sql: str) -> None:
    plan = " ".join(str(row) for row in guarded.index.rows(f"EXPLAIN QUERY PLAN {sql}"))
    assert "USING" in plan
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan


@dataclass(slots=True)
class Counting:
    """The embedder, and every text it was given."""

    inner: Embedder
    texts: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.inner.id

    def embed(self, texts: Sequence[str]) -> Rows:
        self.texts += texts
        return self.inner.embed(texts)


def test_what_comes_again_is_embedded_once_until_something_is_forgotten(life: Life) -> None:
    counting = Counting(life.kernel.recall.embedder)
    life.kernel.recall.embedder = counting
    give(life, {"curiosity": 0.9, "calm": 0.5}, [SelfItem("learn about tides", 0.9, "todo")])
    for _ in range(3):
        pursue(life)
    assert counting.texts.count("curiosity") == 1
    near = life.kernel.recall.likeness(("curiosity", "calm"), "curiosity")
    assert near[0] == pytest.approx(1.0, abs=1e-5)
    assert near[1] < 0.9
    life.tell("My xylocarp is gone.")
    life.kernel.index.catch_up()
    found = plan(life.kernel.gate, find(life.kernel.index, "xylocarp"))
    carry_out(life.kernel.gate, found)
    life.kernel.index.catch_up()
    life.kernel.recall.likeness(("curiosity",), "calm")
    assert counting.texts.count("curiosity") >= 2
