"""What lasts between turns: appended, set or averaged by name, through the gate and the fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import JSON
from lumen.core.data import Change, Datum, Entry, Store
from lumen.core.errors import Refused
from lumen.kernel.forget import carry_out, find, plan
from lumen.kernel.state import LONGEST, MOST, PATH, FoldedState, parsed, revised
from lumen.soul.history import kept

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded, Life


def told(*changes: tuple[str, str, JSON]) -> str:
    """The text that some changes lead to."""
    text = ""
    for operation, name, value in changes:
        text = revised(text, operation, Datum(name, value, share=0.5))
    return text


def state(text: str | None) -> FoldedState:
    return FoldedState(lambda path: text if path == PATH else None)


def test_what_was_set_appended_or_averaged_is_read_by_its_name() -> None:
    text = told(
        ("set", "mood", "calm"),
        ("append", "notes", 1),
        ("append", "notes", {"two": 2}),
        ("average", "pace", 4),
        ("average", "pace", 2),
        ("set", "mood", "glad"),
    )
    held = state(text)

    assert (held.last("mood"), held.last("notes"), held.last("nothing")) == (
        "glad",
        {"two": 2},
        None,
    )
    assert held.all("notes") == (1, {"two": 2})
    assert held.all("mood") == ()
    assert (held.average("pace"), held.average("mood")) == (3.0, None)
    assert state(None).last("mood") is None


def test_of_what_is_appended_the_newest_is_kept() -> None:
    text = revised(None, "set", Datum("notes", list(range(MOST))))
    assert parsed(revised(text, "append", Datum("notes", "last")))["notes"][0::999] == [1, "last"]


@pytest.mark.parametrize(
    ("before", "operation", "value", "why"),
    [
        ("calm", "append", 1, "'x' is a value, and nothing can be appended to it"),
        ("calm", "average", 1, "'x' is no number to take the average of"),
        (1, "average", "calm", "'calm' is no number to take the average of"),
        (1, "average", True, "True is no number"),
        (1, "set", "x" * LONGEST, "would have .* characters; at most"),
    ],
)
def test_what_does_not_fit_is_refused(before: JSON, operation: str, value: JSON, why: str) -> None:
    with pytest.raises(Refused, match=why):
        revised(told(("set", "x", before)), operation, Datum("x", value))


@pytest.mark.parametrize("line", ["{", "[]", "3", '{"name":"x"}'])
def test_a_text_that_is_none_is_refused_by_its_line(line: str) -> None:
    with pytest.raises(Refused, match="line 2 is no value with a name"):
        parsed(f'{{"name":"a","value":1}}\n{line}\n')


def test_two_changes_of_two_names_at_once_are_both_kept(guarded: Guarded, beat: Entry) -> None:
    other = guarded.another()
    guarded.gate.commit("action", [Change(Store.STATE, "set", Datum("a", 1))], beat)
    other.gate.commit("explore", [Change(Store.STATE, "set", Datum("b", 2))], beat)
    known = kept(other.index, PATH)
    other.close()

    assert known is not None
    assert parsed(known.text) == {"a": 1, "b": 2}
    with pytest.raises(Refused, match="the author loop may not write state"):
        guarded.gate.commit("author", [Change(Store.STATE, "set", Datum("a", 2))], beat)
    with pytest.raises(Refused, match="set with that value is no operation"):
        guarded.gate.commit("action", [Change(Store.STATE, "set", "{}")], beat)


def test_what_is_forgotten_leaves_the_state_and_the_rest_of_it_stays(
    life: Life, beat: Entry
) -> None:
    life.say("My sister keeps a xylocarp.")
    datum = Datum("topic", "the xylocarp of her sister")
    changes = [Change(Store.STATE, "set", datum), Change(Store.STATE, "set", Datum("count", 3))]
    life.kernel.gate.commit("action", changes, beat)
    index = life.kernel.index
    index.catch_up()
    carry_out(life.kernel.gate, plan(life.being, index, find(index, "xylocarp")))
    index.catch_up()

    known = kept(index, PATH)
    assert known is not None
    assert parsed(known.text) == {"count": 3}
    assert (life.being.root / PATH).read_text("utf-8") == known.text
    assert index.differences() == []
