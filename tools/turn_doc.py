"""Write docs/turn.md from the loops themselves: what each step reads, writes and may change.

uv run python tools/turn_doc.py            write the page
uv run python tools/turn_doc.py --check    say whether it is current; writes nothing
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from lumen.core.chance import Draw
from lumen.kernel.contour.capabilities import CAPABILITIES
from lumen.kernel.contour.slots import GIVEN
from lumen.kernel.contour.step import Loop, Step
from lumen.kernel.turn import loops

PAGE = Path(__file__).resolve().parent.parent / "docs" / "turn.md"
OPENING = """\
<!-- Made by tools/turn_doc.py from src/lumen/kernel/contour/skai.json and the steps. Do not edit by hand. -->

# The turn, step by step

A loop is a row of steps. A step reads what earlier steps wrote, what every turn is given, or a
capability; it writes one thing of its own. A beat is a run of steps that leaves one kernel memory
in the archive. *May change* names the stores a step may propose to change; the gate in
`kernel/gate/commit.py` carries a proposal out or refuses it.
"""

SHOWN = "tests/kernel/test_"
SHOWN_BY = {  # for each step a test in which another input changes what is said, kept or decided
    "surface_parse": "orient.py::test_asked_for_two_sentences_a_model_says_no_more",
    "reality_check": "drafts.py::test_what_comes_near_is_offered_as_near_and_not_as_the_answer",
    "evidence_ledger_update": (
        "evidence_ledger.py::test_two_values_for_one_thing_are_both_said_and_kept_as_a_conflict"
    ),
    "intent_hypotheses": "orient.py::test_a_turn_goes_as_deep_as_a_reader_would",
    "effort_budgeter": (
        "orient.py::test_what_matters_and_is_unclear_goes_deep_unless_it_is_asked_for_briefly"
    ),
    "mode_gate": ("orient.py::test_a_task_gets_more_room_than_talk_and_thought_a_second_draft"),
    "presence_preface": (
        "presence.py::test_an_explanation_asked_of_a_trusted_model_opens_with_a_position_and_then_it_rests"
    ),
    "dual_stream_thoughts": (
        "presence.py::test_a_thought_is_said_under_a_line_where_it_was_drawn_and_then_rests"
    ),
    "chronos_mesh": "chronos.py::test_what_was_told_of_tomorrow_is_quoted_later_with_its_day",
    "plan": "kinds.py::test_what_is_said_to_a_sorrow_follows_from_what_is_held_dear",
    "integration_fuser": (
        "strong_model.py::test_a_doubt_is_not_given_way_to_and_a_word_on_ones_own_life_is_taken"
    ),
    "drafts": "drafts.py::test_two_things_told_about_one_subject_are_said_together_with_their_days",
    "counterfactual_probe": (
        "orient.py::test_in_deep_thought_the_draft_from_the_other_side_competes_and_can_win"
    ),
    "metrics_engine": "deliberate.py::test_what_was_told_beats_what_is_invented_and_what_flatters",
    "lambda_select": (
        "kinds.py::test_where_nothing_is_wanted_enough_it_says_which_value_and_how_to_change_it"
    ),
    "inner_dialogue": "inner_dialogue.py::test_what_is_not_known_and_may_be_meant_otherwise_is_asked",
    "tool_affordance": (
        "tools.py::test_files_are_searched_when_asked_and_when_a_fact_is_missed_again"
    ),
    "optional_tool_calls": "keeping.py::test_a_list_is_kept_shown_and_shortened",
    "outcome_log": "outcomes.py::test_what_is_expected_of_a_candidate_is_how_likely_its_kind_is_taken_up",
    "compose_final": ("keeping.py::test_a_reminder_is_kept_said_back_and_told_once_on_its_day"),
}


def page() -> str:
    """The whole page, for the loops as they are."""
    rows = (line for loop in loops.LOOPS.values() for line in _loop(loop))
    return "\n".join([OPENING, *_given(), *rows, *_capable(), *_shown()])


def _shown() -> Iterator[str]:
    yield "## What shows that a step matters"
    yield ""
    yield "A test in which another input to the step changes what is said, kept or decided."
    yield ""
    for name, test in SHOWN_BY.items():
        yield f"- `{name}`: `{SHOWN}{test}`"
    yield ""


def _capable() -> Iterator[str]:
    """What each capability can be asked; what stands behind it is in kernel/turn/recorded.py."""
    yield "## What a step can ask"
    yield ""
    for kind in sorted(CAPABILITIES, key=_named):
        yield f"**{_named(kind)}** (`{kind.__module__.replace('.', '/')}.py`)"
        yield ""
        for name, method in vars(kind).items():
            if name.startswith("_") or not inspect.isfunction(method):
                continue
            parameters = re.sub(r"^\(self(, )?", "(", str(inspect.signature(method)))
            said = (inspect.getdoc(method) or "").split("\n", 1)[0]
            parameters = re.sub(
                r"<(\w+\.\w+): [^>]*>|'", r"\1", parameters
            )  # an enum's member by its name
            waits = "await " if inspect.iscoroutinefunction(method) else ""
            yield f"- `{waits}{name}{parameters}`: {said}"
        yield ""


def _given() -> Iterator[str]:
    yield f"Given to every turn: {_listed(GIVEN)}.  "
    yield f"Capabilities, handed in by the runner: {_listed(CAPABILITIES)}."
    yield ""


def _loop(loop: Loop) -> Iterator[str]:
    yield f"## The {loop.name} loop"
    yield ""
    yield "| beat | step | what it does | reads | writes | may change |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for beat in loop.beats:
        for one in beat.steps:
            yield _row(beat.name, one)
    yield ""
    stores = ", ".join(f"`{store}`" for store in sorted(loop.grants))
    yield f"The {loop.name} loop is granted {stores}."
    yield ""


def _row(beat: str, one: Step) -> str:
    said = (one.run.__doc__ or "").strip().split("\n", 1)[0].replace("|", r"\|")
    reads = ", ".join(_named(wanted) for _, wanted in one.reads)
    stores = ", ".join(f"`{store}`" for store in sorted(one.stores)) or "nothing"
    return f"| {beat} | `{one.name}` | {said} | {reads} | `{one.writes.__name__}` | {stores} |"


def _listed(types: frozenset[type]) -> str:
    return ", ".join(sorted(map(_named, types)))


def _named(one: type) -> str:
    return "`Draw`" if one is Draw else f"`{one.__name__}`"


def main(arguments: Sequence[str]) -> int:
    """Write the page, or compare it."""
    if list(arguments) == ["--check"]:
        current = PAGE.exists() and PAGE.read_text("utf-8") == page()
        print("docs/turn.md is current" if current else "docs/turn.md is stale")
        return 0 if current else 1
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
