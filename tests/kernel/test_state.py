"""What lasts between turns: appended, set or averaged by name, through the gate and the fold."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kernel.conftest import BIRTH

from lumen.core.canon import JSON, sha256
from lumen.core.data import Change, Entry, NamedValue
from lumen.core.errors import Refused
from lumen.core.stores import Store, lines
from lumen.kernel.contour.state import State
from lumen.kernel.gate.checkpoints import create, find, last_undoable, restore, undo
from lumen.kernel.gate.commit import _misshapen, file_change
from lumen.kernel.gate.recovery import hold, rebuild, recover
from lumen.kernel.gate.revise import operated, operation
from lumen.kernel.upkeep.deep_verify import compare
from lumen.kernel.upkeep.forget import carry_out, plan
from lumen.kernel.upkeep.forget import find as find_words
from lumen.soul.state.records import MOST_LISTED, Operation, applied, folded, spelled, values_of
from lumen.soul.writing.open import files_of

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded, Life

pytestmark = pytest.mark.each_measured

PATH = Store.STATE.place.path
LONG = "x" * 20_000


def change(operation: str, name: str, value: JSON, share: float = 0.5) -> Change:
    """A change of the state, as a step proposes it."""
    return Change(Store.STATE, operation, NamedValue(name, value, share))


def told(*changes: Change) -> str:
    """The text that some changes lead to."""
    texts: dict[str, str] = {}
    for one in changes:
        assert isinstance(one.value, NamedValue)
        texts[PATH] = operated(texts, operation(one, one.value.value))
    return texts[PATH]


def state(text: str | None) -> State:
    """What a step reads."""
    return State(lambda path: text if path == PATH else None)


def value(guarded: Guarded, name: str) -> JSON:
    """A value by the archive's word, which the file agrees with."""
    known = guarded.index.files.kept(PATH)
    text = known.text if known else None
    found = guarded.being.at(PATH)
    assert (found.read_text("utf-8") if found.exists() else None) == text
    return values_of(text).get(name)


def test_what_was_set_appended_or_averaged_is_read_by_its_name() -> None:
    text = told(
        change("set", "mood", "calm"),
        change("append", "notes", 1),
        change("append", "notes", {"two": 2}),
        change("average", "pace", 4),
        change("average", "pace", 2),
        change("set", "mood", "glad"),
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
    assert text == '{\n  "mood": "glad",\n  "notes": [1,{"two":2}],\n  "pace": 3.0\n}\n'


def test_what_is_set_to_nothing_is_gone() -> None:
    assert told(change("set", "mood", "calm"), change("set", "mood", None)) == "{}\n"


def test_of_what_is_appended_the_newest_is_kept() -> None:
    text = spelled({"notes": list(range(MOST_LISTED))})
    one = operation(change("append", "notes", "last"), "last")
    assert values_of(operated({PATH: text}, one))["notes"][0::999] == [1, "last"]


def test_an_average_moves_by_its_share_in_whole_millionths() -> None:
    moved = [change("average", "pace", 1.0, 0.1), *[change("average", "pace", 0.0, 0.1)] * 3]
    assert state(told(*moved)).average("pace") == 0.729


@given(st.lists(st.tuples(st.sampled_from(("append", "set", "average")), st.integers(-9, 9))))
def test_any_operations_can_be_folded_in_any_order(steps: list[tuple[str, int]]) -> None:
    done = [
        Operation(seq, 0, PATH, "state", verb, number, "x", share=400_000)
        for seq, (verb, number) in enumerate(steps, 1)
    ]

    whole = folded(None, done)
    assert folded(None, reversed(done)) == whole
    assert whole is None or whole == folded(folded(None, done[:2]), done[2:])


def test_a_line_ends_with_a_line_feed_alone() -> None:
    one = Operation(1, 0, "x", "x", "append", {"said": "a\u2028b\x85c"}, most=2)
    text = applied(applied(applied(None, one), one), one)

    assert text.count("\n") == 2
    assert text == '{"said":"a\u2028b\x85c"}\n' * 2


@pytest.mark.parametrize(
    ("before", "verb", "value", "why"),
    [
        ("calm", "append", 1, "is nothing that knows append"),
        ("calm", "average", 1, "is nothing that knows average"),
        (True, "average", 1, "is nothing that knows average"),
        (1, "average", "calm", "no average is taken of 'calm'"),
        (1, "average", True, "no average is taken of True"),
        (1, "average", 1e12, "no average is taken of"),
        (1, "set", LONG, "keeps values of at most 16,384 bytes"),
        (1, "set", {1, 2}, "cannot keep that value"),
        (1, "set", "\ud800", "cannot keep that value"),
    ],
)
def test_what_does_not_fit_is_refused(before: JSON, verb: str, value: JSON, why: str) -> None:
    with pytest.raises(Refused, match=why):
        told(change("set", "x", before), change(verb, "x", value))


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "a\0b"])
def test_a_name_is_plain_text(name: str) -> None:
    with pytest.raises(Refused, match="is no name for a value"):
        told(change("set", name, 1))


@pytest.mark.parametrize("share", [0, -0.1, 1.1, float("nan")])
def test_an_average_moves_part_of_the_way(share: float) -> None:
    with pytest.raises(Refused, match="by a share of"):
        told(change("average", "x", 1, share))


def test_two_terminals_change_it_at_once_without_a_base(guarded: Guarded, beat: Entry) -> None:
    other = guarded.another()
    guarded.gate.commit("action", [change("set", "a", 1), change("append", "n", 1)], beat)
    other.gate.commit("explore", [change("set", "b", 2), change("append", "n", 2)], beat)
    guarded.gate.commit("action", [change("append", "n", 3)], beat)
    other.close()

    assert [value(guarded, name) for name in ("a", "b", "n")] == [1, 2, [1, 2, 3]]
    with pytest.raises(Refused, match="the maintenance loop may not write state"):
        guarded.gate.commit("maintenance", [change("set", "a", 2)], beat)
    with pytest.raises(Refused, match="only the author sets the whole of"):
        guarded.gate.commit("action", [Change(Store.STATE, "set", "{}")], beat)
    with pytest.raises(Refused, match="no operation: state takes a NamedValue"):
        guarded.gate.commit("action", [Change(Store.STATE, "append", {"a": 1})], beat)


def test_a_secret_is_not_kept(guarded: Guarded, beat: Entry) -> None:
    secret = "sk-" + "a1B2" * 12
    guarded.gate.commit("action", [change("set", "a", f"the key {secret}")], beat)

    assert "the key" in value(guarded, "a")
    assert secret.encode() not in guarded.archive() + guarded.being.at(PATH).read_bytes()


def test_it_goes_back_with_a_restore_and_forth_with_its_undoing(
    guarded: Guarded, beat: Entry
) -> None:
    guarded.gate.commit("action", [change("set", "a", 1)], beat)
    create(guarded.gate, "then")
    guarded.gate.commit("action", [change("set", "a", 2)], beat)
    assert last_undoable(guarded.index) is None  # a turn's own count is no change of self

    restore(guarded.gate, find(guarded.index, "then"))
    assert value(guarded, "a") == 1
    guarded.gate.commit("action", [change("append", "n", 1)], beat)
    assert (value(guarded, "a"), value(guarded, "n")) == (1, [1])
    undo(guarded.gate)
    assert (value(guarded, "a"), value(guarded, "n")) == (2, None)
    assert guarded.index.differences() == []
    assert compare(files_of(guarded.being), guarded.index).problems == ()


def test_an_edit_by_hand_that_says_what_it_must_is_adopted(guarded: Guarded, beat: Entry) -> None:
    guarded.gate.commit("action", [change("set", "a", 1)], beat)
    guarded.being.at(PATH).write_text('{"a": 7}', "utf-8")

    assert guarded.gate.adopt() == [f"{PATH} was edited by hand: adopted."]
    guarded.gate.commit("action", [change("append", "n", 1)], beat)
    assert (value(guarded, "a"), value(guarded, "n")) == (7, [1])


@pytest.mark.parametrize("text", ["{", "[]", "3", '{"a": ' + "[" * 500 + "]" * 500 + "}"])
def test_an_edit_by_hand_that_does_not_is_set_aside(
    guarded: Guarded, beat: Entry, text: str
) -> None:
    guarded.gate.commit("action", [change("set", "a", 1)], beat)
    guarded.being.at(PATH).write_text(text, "utf-8")
    (said,) = guarded.gate.adopt()

    assert said.startswith(f"{PATH} is as it was: line 1: it ")
    assert [p.read_text("utf-8") for p in guarded.being.quarantine.iterdir()] == [text]
    assert value(guarded, "a") == 1


def test_an_edit_made_while_a_turn_writes_is_adopted_first(guarded: Guarded, beat: Entry) -> None:
    guarded.gate.commit("action", [change("set", "a", 1)], beat)
    guarded.being.at(PATH).write_text('{"a": 7}', "utf-8")
    guarded.gate.commit("action", [change("set", "b", 2)], beat)

    assert (value(guarded, "a"), value(guarded, "b")) == (7, 2)
    assert guarded.gate.repairs == [f"{PATH} was edited by hand: adopted."]


def test_an_edit_made_while_a_turn_was_cut_off_is_set_aside(guarded: Guarded, beat: Entry) -> None:
    guarded.gate.commit("action", [change("set", "a", 1)], beat)
    guarded.being.at(PATH).write_text('{"a": 7}', "utf-8")
    assert len(hold(guarded.gate, guarded.events()[0].timestamp)) == 1
    (said,) = guarded.gate.adopt()

    assert said.startswith(f"{PATH} is as it was: it was changed while a turn was cut off.")
    assert value(guarded, "a") == 1


def test_no_skill_may_touch_it(guarded: Guarded, beat: Entry) -> None:
    guarded.gate.commit("action", [change("set", "a", 1)], beat)
    assert {PATH, "data/state"} <= files_of(guarded.being).watched().keys()


def test_it_is_set_whole_or_operated_on_but_not_both_at_once(guarded: Guarded, beat: Entry) -> None:
    both = [change("set", "a", 1), Change(Store.STATE, "set", "{}", sha256(b'{\n  "a": 1\n}\n'))]
    with pytest.raises(Refused, match="cannot be set and operated on at once"):
        guarded.gate.commit("author", both, beat)
    with pytest.raises(Refused, match="cannot be set and operated on at once"):
        guarded.gate.commit("author", [Change(Store.STATE, "set", "{}"), both[0]], beat)


def test_a_file_that_a_crash_kept_from_its_change_is_brought_up(
    guarded: Guarded, beat: Entry
) -> None:
    guarded.gate.commit("action", [change("set", "a", 1)], beat)
    was = guarded.being.at(PATH).read_bytes()
    guarded.gate.commit("action", [change("set", "a", 2)], beat)
    guarded.being.at(PATH).write_bytes(was)
    long_ago = BIRTH.timestamp() - 60
    os.utime(guarded.being.at(PATH), (long_ago, long_ago))
    recover(guarded.gate)

    assert value(guarded, "a") == 2
    assert not guarded.being.quarantine.exists()


def test_a_record_of_nothing_but_what_is_forgotten_is_gone(life: Life, beat: Entry) -> None:
    life.tell("My sister keeps a xylocarp.")
    life.kernel.gate.commit("action", [change("set", "topic", "a xylocarp")], beat)
    index = life.kernel.index
    index.catch_up()
    carry_out(life.kernel.gate, plan(life.kernel.gate, find_words(index, "xylocarp")))
    index.catch_up()

    assert not life.being.at(PATH).exists()
    assert index.differences() == []
    assert compare(files_of(life.being), index).problems == ()
    assert life.open_again() == []


def test_a_rebuild_brings_a_lost_file_back_byte_for_byte(guarded: Guarded, beat: Entry) -> None:
    guarded.gate.commit("action", [change("average", "a", 0.3), change("set", "b", "ü")], beat)
    was = guarded.being.at(PATH).read_bytes()
    guarded.being.at(PATH).unlink()
    rebuild(guarded.gate)

    assert guarded.being.at(PATH).read_bytes() == was
    assert compare(files_of(guarded.being), guarded.index).problems == ()


def test_what_is_forgotten_leaves_the_state_and_the_rest_of_it_stays(
    life: Life, beat: Entry
) -> None:
    life.tell("My sister keeps a xylocarp.")
    topic, count = change("set", "topic", "the xylocarp of her sister"), change("set", "count", 3)
    life.kernel.gate.commit("action", [topic, count], beat)
    life.kernel.gate.commit("action", [change("append", "count_by_day", 1)], beat)
    index = life.kernel.index
    index.catch_up()
    carry_out(life.kernel.gate, plan(life.kernel.gate, find_words(index, "xylocarp")))
    index.catch_up()

    known = index.files.kept(PATH)
    assert known is not None
    assert values_of(known.text) == {"count": 3, "count_by_day": [1]}
    assert (life.being.root / PATH).read_text("utf-8") == known.text
    assert index.differences() == []
    assert compare(files_of(life.being), index).problems == ()


def test_a_record_that_is_full_takes_no_more() -> None:
    full = spelled({f"n{at}": "x" * 10_000 for at in range(26)})
    one = operation(Change(Store.STATE, "set", NamedValue("more", "y" * 10_000)), "y" * 10_000)

    with pytest.raises(Refused, match="would not say what it must"):
        operated({Store.STATE.place.path: full}, one)


def lines_store() -> Store:
    """A store of lines, as a new entry would make it; no store that is shipped is one yet."""
    diary = str.__new__(Store, "diary")
    diary._value_ = "diary"
    diary.place = lines(most=5, check=lambda said: "" if "day" in said else "it has no day")
    return diary


def test_a_line_is_appended_as_its_store_wants_it() -> None:
    one = operation(Change(lines_store(), "append", {"day": 1}), {"day": 1})

    assert (one.operation, one.value, one.most) == ("append", {"day": 1}, 5)
    with pytest.raises(Refused, match="keeps no such line: it has no day"):
        operation(Change(lines_store(), "append", {"night": 1}), {"night": 1})


def test_the_gate_takes_an_object_for_a_line_and_nothing_else() -> None:
    assert _misshapen(Change(lines_store(), "append", {"day": 1})) == ""
    assert "no operation" in _misshapen(Change(lines_store(), "append", "a day"))


def test_what_is_no_file_of_any_store_is_not_changed() -> None:
    with pytest.raises(Refused, match="is no file of any store"):
        file_change("notes.txt", "x", None)
