"""Steps are data: what a contour may say, where it is refused, and that the runner obeys it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from lumen.core.canon import JSON, dumps, loads
from lumen.core.data import Author, Change, Entry, EventType, NamedValue, Origin
from lumen.core.errors import BadLoop
from lumen.core.exposure import Cite, Plain, Quote, quoted, trace
from lumen.core.stores import GRANTS, Store
from lumen.kernel.contour.policy import Condition, Parameters, Policy
from lumen.kernel.contour.read import Contour, found_in, read_contour
from lumen.kernel.contour.slots import Slot, Stimulus
from lumen.kernel.contour.state import State
from lumen.kernel.contour.step import step
from lumen.kernel.steps.p1_perceive import Surface
from lumen.kernel.turn import loops
from lumen.kernel.upkeep.dependants import why_goes
from lumen.kernel.upkeep.forget import find, plan
from lumen.soul.checking.verify import verify

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

pytestmark = pytest.mark.each_measured
STEPS = {one.name: one for loop in loops.LOOPS.values() for one in loop.steps()}
SHIPPED = loads(loops.shipped_text())


@dataclass(frozen=True, slots=True)
class Rehearsing(Parameters):
    """Numbers of a planted step."""

    most: int
    share: float = 0.5


@dataclass(frozen=True, slots=True)
class Rehearsed(Slot):
    """What a planted step writes."""

    heard: Quote[str] = ""
    hidden: str = ""
    many: Plain[int] = 0
    turns: Plain[int] = 0

    def said(self) -> str:
        return f"rehearsed {self.many}"


@step(Store.MEMORY, Store.STATE)
async def rehearsal_run(
    stimulus: Stimulus, surface: Surface, rehearsing: Rehearsing, state: State
) -> Rehearsed:
    """Keep a few notes of what was said."""
    before = int(state.last("rehearsal_run.turns") or 0)
    notes = [note(f"note {n} on a {surface.modality}", stimulus) for n in range(rehearsing.most)]
    count = Change(Store.STATE, "set", NamedValue("rehearsal_run.turns", before + 1))
    return Rehearsed(
        heard=stimulus.text,
        hidden=f"hidden {stimulus.text}",
        many=rehearsing.most,
        turns=before,
        changes=(count, *(Change(Store.MEMORY, "append", one) for one in notes)),
    )


def note(text: str, stimulus: Stimulus) -> Entry:
    kinds = (Author.SELF, EventType.WORLD_ACTION, Origin.SELF)
    return Entry(*kinds, "rehearsed", text, stimulus.session_key)


def planted(**entry: JSON) -> JSON:
    """The shipped contour with a step more, at the end of the action loop, and one that sets depth."""
    told = deepcopy(SHIPPED)
    told["loops"]["action"][-1]["steps"].append("rehearsal_run")
    told["steps"]["rehearsal_run"] = {"parameters": {"most": 2}, **entry}
    return told


def contour(told: JSON) -> Contour:
    known = {**STEPS, "rehearsal_run": rehearsal_run}
    return read_contour(dumps(told), known, GRANTS)


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let conversations run the shipped turn with the planted step under some policy."""

    def planting(**entry: JSON) -> None:
        action = contour(planted(**entry)).loops["action"]
        given = {**loops.LOOPS, "action": action}
        monkeypatch.setattr(loops, "CONTOUR", replace(loops.CONTOUR, loops=given))

    return planting


def why_skipped(life: Life, *texts: str) -> list[str]:
    """What each turn tells of the planted step: empty where it ran."""
    skipped = []
    for text in texts:
        life.say(text)
        skipped.append(str(life.step("rehearsal_run").get("skipped", "")))
    return skipped


def test_the_shipped_contour_is_the_loops_in_its_order() -> None:
    for name, beats in SHIPPED["loops"].items():
        made = loops.LOOPS[name]
        assert [b.name for b in made.beats] == [b["beat"] for b in beats]
        assert [s.name for s in made.steps()] == [n for b in beats for n in b["steps"]]
    shown = {"drafts": SHIPPED["steps"]["drafts"]["shown"], "recall": "recalling"}
    assert shown.items() <= loops.CONTOUR.shown.items()
    with pytest.raises(LookupError, match="no step takes Rehearsing"):
        loops.parameters(Rehearsing)


def test_every_slot_and_every_number_of_a_step_stands_beside_it() -> None:
    firsts: dict[type, str] = {}
    for one in STEPS.values():
        assert one.writes.__module__ == one.run.__module__
        for kind in one.given:
            firsts.setdefault(kind, one.name)
    given = {name: e["parameters"] for name, e in SHIPPED["steps"].items() if "parameters" in e}
    assert sorted(firsts.values()) == sorted(given)


def test_a_planted_step_runs_in_its_place_and_its_trace_goes_by_its_fields(
    life: Life, plant: Callable[..., None]
) -> None:
    plant()
    life.say("My sister keeps a xylocarp.")

    told = life.beat("record").entry.payload["steps"]
    assert [s["step"] for s in told] == [*SHIPPED["loops"]["action"][-1]["steps"], "rehearsal_run"]
    mine = told[-1]
    assert mine["wrote"] == {"heard": "My sister keeps a xylocarp.", "many": 2, "turns": 0}
    assert mine["quotes"] == ["heard"]
    assert mine["read"] == ["Stimulus", "Surface", "Rehearsing", "State"]
    assert life.beat("record").entry.description.endswith("; rehearsed 2")
    assert [e.entry.description for e in life.turn() if e.entry.situation == "rehearsed"] == [
        "note 0 on a statement",
        "note 1 on a statement",
    ]
    assert b"hidden My" not in b"".join(dumps(e.entry.payload) for e in life.events())


def test_what_a_planted_step_quotes_is_found_and_goes_with_what_is_forgotten(
    life: Life, plant: Callable[..., None]
) -> None:
    plant()
    life.say("My sister keeps a xylocarp.")
    quoting = life.beat("record").seq
    life.say("I like rice.")  # this closes the turn before it, so what became of that goes too
    life.say("I like tea.")
    other = life.beat("record").seq
    life.kernel.index.catch_up()
    goes = {g.seq for g in plan(life.kernel.gate, find(life.kernel.index, "xylocarp")).goes}

    assert quoting in goes
    assert other not in goes


def test_the_kernels_own_vocabulary_is_no_quotation_and_an_older_trace_is_one_throughout(
    life: Life,
) -> None:
    """`question` is what surface_parse calls it; a cat of that name is not meant by that."""
    life.say("My cat is called Question.")
    life.say("What is rice?")
    think = life.beat("think")
    life.kernel.index.catch_up()
    sought = find(life.kernel.index, "My cat is called Question.")
    traces = plan(life.kernel.gate, sought).traces
    undescribed = replace(think, entry=replace(think.entry, description=""))
    assert why_goes(undescribed, {}, {}, set(), traces) == ""

    old = deepcopy(think.entry.payload)
    for told in old["steps"]:
        del told["quotes"]
    older = replace(undescribed, entry=replace(undescribed.entry, payload=old))
    assert why_goes(older, {}, {}, set(), traces) == "quotes it"


@pytest.mark.parametrize(
    ("entry", "texts", "skipped"),
    [
        ({}, ["I like rice."], [""]),
        ({"enabled": False}, ["I like rice."], ["not enabled"]),
        ({"depths": ["deep"]}, ["I like rice.", "Think hard about rice."], ["depth talk", ""]),
        ({"depths": ["talk", "work"]}, ["Think hard about rice."], ["depth deep"]),
        (
            {"cooldown_turns": 2},
            ["One.", "Two.", "Three.", "Four.", "Five."],
            ["", "cooldown: ran 1 turn ago", "cooldown: ran 2 turns ago", "", "cooldown: ran 1 turn ago"],
        ),
        (
            {"every_n_turns": 2},
            ["One.", "Two.", "Three.", "Four."],
            ["every 2 turns: this is turn 1", "", "every 2 turns: this is turn 3", ""],
        ),
        (
            {"only_if": [{"field": "surface_parse.modality", "in": ["question"]}]},
            ["I like rice.", "What is rice?"],
            ["only_if surface_parse.modality", ""],
        ),
        (
            {"only_if": [{"field": "ingest.characters", "at_least": 10}]},
            ["Rice.", "I like rice."],
            ["only_if ingest.characters", ""],
        ),
    ],
)  # fmt: skip
def test_a_planted_step_obeys_its_policy_and_the_reason_is_archived(
    life: Life, plant: Callable[..., None], entry: JSON, texts: list[str], skipped: list[str]
) -> None:
    plant(**entry)
    assert why_skipped(life, *texts) == skipped
    ran = sum(not why for why in skipped)
    assert len([e for e in life.events() if e.entry.situation == "rehearsed"]) == 2 * ran
    assert life.open_turns() == []
    assert verify(life.being, life.keyring).ok
    life.kernel.index.catch_up()
    assert life.kernel.index.differences() == []


def test_no_more_changes_are_carried_out_than_a_turn_may_have_and_how_many_is_archived(
    life: Life, plant: Callable[..., None]
) -> None:
    plant(max_per_turn=2)
    life.say("I like rice.")

    assert life.step("rehearsal_run")["held_back"] == 1
    assert len([e for e in life.events() if e.entry.situation == "rehearsed"]) == 1


def test_what_a_step_sets_lasts_to_the_next_turn_and_through_a_rebuild(
    life: Life, plant: Callable[..., None]
) -> None:
    plant()
    for number in range(3):
        life.say(f"I like rice {number}.")
        assert life.step("rehearsal_run")["wrote"]["turns"] == number
    life.kernel.index.catch_up()
    kept = loads((life.being.root / "data/state/state.json").read_bytes())
    assert kept["rehearsal_run.turns"] == 3
    life.kernel.index.rebuild()
    life.say("And beans.")
    assert life.step("rehearsal_run")["wrote"]["turns"] == 3


def test_a_step_that_did_not_run_says_nothing(life: Life, plant: Callable[..., None]) -> None:
    plant(enabled=False)
    life.say("I like rice.")
    assert life.step("rehearsal_run")["skipped"] == "not enabled"
    assert "rehearsed" not in life.beat("record").entry.description


def test_a_count_is_kept_for_steps_with_such_a_policy_alone(life: Life) -> None:
    life.say("I like rice.")
    life.kernel.index.catch_up()
    kept = loads((life.being.root / "data/state/state.json").read_bytes())
    resting = {s.name for s in loops.ACTION.steps() if s.policy.cooldown_turns}
    assert {name.partition(".")[0] for name in kept} <= {*resting, "turns"}
    assert resting == {"presence_preface", "dual_stream_thoughts"}


def wrong(path: str, value: Any) -> JSON:  # noqa: ANN401 - anything that JSON can hold
    """The planted contour with something else at a place; a place that is not there is made."""
    told = planted()
    *within, last = path.split(".")
    place = told
    for key in within:
        place = place[int(key)] if key.isdecimal() else place[key]
    place[int(last) if last.isdecimal() else last] = value
    return told


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("format", "lumen-contour/2", "format must be 'lumen-contour/1', not 'lumen-contour/2'"),
        ("stepps", {}, "stepps is not known; there are: format, loops, steps, shown"),
        ("loops", [], r"loops must be an object, not \[\]"),
        ("loops.dream", [], "loops.dream is no loop that is granted anything"),
        ("loops.action.0", [], r"loops.action\[0\] must be an object"),
        ("loops.action.0.steps", "ingest", r"loops.action\[0\].steps must be a list, not 'ingest'"),
        ("loops.action.1.steps.0", "guess", r"loops.action\[1\].steps\[0\] names no step there is: 'guess'"),
        ("steps.guess", {}, "steps.guess stands in no loop"),
        ("steps.ingest.cooldown", 2, "steps.ingest.cooldown is not known; there are: enabled"),
        ("steps.ingest.cooldown_turns", "x", "steps.ingest.cooldown_turns must be a whole number, not 'x'"),
        ("steps.ingest.cooldown_turns", True, "steps.ingest.cooldown_turns must be a whole number, not True"),
        ("steps.ingest.cooldown_turns", -1, "steps.ingest.cooldown_turns must be at least 0, not -1"),
        ("steps.ingest.every_n_turns", 0, "steps.ingest.every_n_turns must be at least 1, not 0"),
        ("steps.ingest.max_per_turn", 1.5, "steps.ingest.max_per_turn must be a whole number, not 1.5"),
        ("steps.ingest.enabled", 1, "steps.ingest.enabled must be true or false, not 1"),
        ("steps.ingest.depths", ["talk", "deeper"], r"steps.ingest.depths\[1\] must be one of talk, work, deep"),
        ("steps.ingest.shown", 3, "steps.ingest.shown must be a text, not 3"),
        ("steps.ingest.parameters", {}, "steps.ingest.parameters.excerpt is missing"),
        ("steps.ingest.parameters.excerpt", 1.5, "steps.ingest.parameters.excerpt must be a whole number"),
        ("steps.ingest.parameters.words", 1, "steps.ingest.parameters.words is not known; there are: excerpt"),
        ("steps.evolve.parameters", {"x": 1}, "steps.evolve.parameters are given, but evolve takes none"),
        ("steps.plan.only_if", [{"field": "drafts.fix", "in": ["x"]}], r"steps.plan.only_if\[0\].field speaks of drafts"),
        ("steps.plan.only_if", [{"field": "guess.x", "in": []}], r"steps.plan.only_if\[0\].field names no step"),
        ("steps.plan.only_if", [{"field": "ingest.size", "in": []}], r"steps.plan.only_if\[0\].field names no field"),
        ("steps.plan.only_if", [{"field": "surface_parse.modality", "in": ["questoin"]}], r"only_if\[0\].in\[0\] must be one of .*question.*, not 'questoin'"),
        ("steps.plan.only_if", [{"field": "ingest.characters", "in": [9, "many"]}], r"only_if\[0\].in\[1\] must be a whole number"),
        ("steps.plan.only_if", [{"field": "ingest.characters"}], r"steps.plan.only_if\[0\] must say either"),
        ("steps.plan.only_if", [{"field": "surface_parse.mood", "at_least": 1}], r"only_if\[0\].field is no number"),
        ("shown.recall", 1, "shown.recall must be a text, not 1"),
    ],
)  # fmt: skip
def test_a_contour_that_is_wrong_is_refused_and_the_place_is_named(
    path: str, value: JSON, said: str
) -> None:
    with pytest.raises(BadLoop, match=said):
        contour(wrong(path, value))


def test_a_contour_that_is_no_json_is_refused() -> None:
    with pytest.raises(BadLoop, match=r"skai.json is no JSON: .* line 1"):
        read_contour(b"{nothing", STEPS, GRANTS)


def test_a_whole_number_is_a_number_and_what_is_missing_is_the_types_default() -> None:
    told = planted(parameters={"most": 3})
    assert next(iter(numbers(contour(told)))) == Rehearsing(3, 0.5)
    told["steps"]["rehearsal_run"]["parameters"]["share"] = 1
    (given,) = numbers(contour(told))
    assert (given, type(given.share)) == (Rehearsing(3, 1.0), float)


def numbers(made: Contour) -> list[Rehearsing]:
    found = [one.given.get(Rehearsing) for one in made.loops["action"].steps()]
    return [given for given in found if isinstance(given, Rehearsing)]


def test_two_steps_of_one_name_are_refused_and_so_is_a_step_that_takes_anothers() -> None:
    one, other = ModuleType(__name__), ModuleType(__name__)
    one.rehearsal_run = rehearsal_run  # type: ignore[attr-defined]
    assert found_in([one]) == {"rehearsal_run": rehearsal_run}
    other.again = replace(rehearsal_run, shown="again")  # type: ignore[attr-defined]
    with pytest.raises(BadLoop, match="two steps of the name rehearsal_run"):
        found_in([one, other])
    taken = ModuleType("lumen.kernel.steps.elsewhere")
    taken.rehearsal_run = rehearsal_run  # type: ignore[attr-defined]
    with pytest.raises(BadLoop, match="elsewhere takes the step rehearsal_run: steps never call"):
        found_in([taken])


def test_a_policy_that_says_nothing_rules_nothing_out() -> None:
    assert Policy().rules_out("deep", 0, None, {}) == ""
    assert not Policy().counts_turns
    assert Policy(cooldown_turns=3).rules_out("talk", 5, 9, {}) == ""  # a count that was set back
    assert Condition("a", "many", among=(2,)).holds(Rehearsed(many=2))


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a slot, which says for itself what may be archived."""

    name: Quote[str]
    secret: str
    at: Cite[tuple[int, ...]] = ()


@dataclass(frozen=True, slots=True)
class Whole(Slot):
    """A slot with parts."""

    parts: Plain[tuple[Part, ...]] = ()
    unsaid: tuple[Part, ...] = ()
    pairs: Quote[tuple[tuple[str, str], ...]] = ()


def test_a_part_of_a_slot_says_for_itself_what_may_be_archived() -> None:
    one = Part("Ada", "hush", (3,))
    slot = Whole(parts=(one,), unsaid=(one,), pairs=(("a", "b"),))

    assert trace(slot) == {"parts": [{"name": "Ada", "at": [3]}], "pairs": [["a", "b"]]}
    assert quoted(slot) == ["parts.name", "pairs"]
    assert quoted(Whole(parts=(Part("", "hush"),))) == []
