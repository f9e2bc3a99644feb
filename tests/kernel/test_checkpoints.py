"""Going back: to a name, to an event, by one change; exactly, and back again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.core.data import Change, SelfItem, kernel_entry
from lumen.core.errors import Refused, UsageError
from lumen.core.stores import Store
from lumen.kernel.gate.checkpoints import (
    create,
    difference,
    find,
    last_undoable,
    restore,
    self_at,
    undo,
)
from lumen.kernel.gate.revise import base_of
from lumen.kernel.upkeep.deep_verify import compare
from lumen.kernel.upkeep.maintain import fade
from lumen.soul.checking.verify import verify
from lumen.soul.writing.open import files_of

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded, Life

BEAT = kernel_entry("test", "A change.", "test", {})
SOULS = ("# One\n\nfirst\n", "# Two\r\n\ttabs, no end", "# Drei\n\nÜber allem 🦜\n\n\n")
GOALS = "data/goals/2031.json"


def write(guarded: Guarded, path: str, text: str | None) -> int:
    """An edit by the author's hand, adopted; returns its event."""
    guarded.being.at(path).write_bytes((text or "").encode())
    guarded.gate.adopt()
    return guarded.index.events.last_head()[0]


def disk(guarded: Guarded) -> dict[str, bytes]:
    """The self files, byte for byte."""
    return {path: guarded.being.at(path).read_bytes() for path in files_of(guarded.being).stores()}


def put(guarded: Guarded, store: Store, name: str) -> int:
    status = "active" if store is Store.VALUES else "todo"
    change = Change(store, "put", SelfItem(name, 0.5, status))
    return guarded.gate.commit("author", [change], BEAT, durable=True)[-1].seq


def test_every_change_can_be_gone_back_to_byte_for_byte(guarded: Guarded) -> None:
    states = {1: disk(guarded)}
    for number, soul in enumerate(SOULS):
        seq = write(guarded, "data/soul.md", soul)
        states[seq] = disk(guarded)
        seq = put(guarded, Store.VALUES, f"value {number}")
        states[seq] = disk(guarded)
    seq = write(guarded, GOALS, '[ {"name":"x","weight":1,"status":"done"} ]')
    states[seq] = disk(guarded)

    for seq in [*states, *reversed(states)]:
        restore(guarded.gate, seq)
        assert disk(guarded) == states[seq]
        assert compare(files_of(guarded.being), guarded.index).problems == ()
    assert verify(guarded.being, guarded.keyring).ok


def test_a_file_that_was_not_there_then_is_taken_away(guarded: Guarded) -> None:
    write(guarded, GOALS, "[]\n")
    restore(guarded.gate, 1)
    assert not guarded.being.at(GOALS).exists()
    undo(guarded.gate)
    assert guarded.being.at(GOALS).read_text() == "[]\n"


def test_undo_takes_back_one_change_after_another_and_can_be_taken_back_itself(
    guarded: Guarded,
) -> None:
    before = disk(guarded)
    first = put(guarded, Store.VALUES, "honesty")
    one = disk(guarded)
    second = put(guarded, Store.GOALS, "learn to sing")
    both = disk(guarded)

    assert undo(guarded.gate)[0].seq == second
    assert disk(guarded) == one
    assert undo(guarded.gate)[0].seq == first
    assert disk(guarded) == before
    with pytest.raises(UsageError, match="no change to undo"):
        undo(guarded.gate)

    restore(guarded.gate, second)
    assert disk(guarded) == both
    undo(guarded.gate)
    assert disk(guarded) == before


def test_undo_leaves_other_files_as_they_are(guarded: Guarded) -> None:
    put(guarded, Store.VALUES, "honesty")
    put(guarded, Store.GOALS, "learn to sing")
    undo(guarded.gate)
    assert b"honesty" in disk(guarded)["data/values.json"]


def test_undoing_a_restore_brings_back_what_was_there(guarded: Guarded) -> None:
    write(guarded, "data/soul.md", SOULS[0])
    latest = disk(guarded)
    restored = restore(guarded.gate, 1)
    undone, _ = undo(guarded.gate)
    assert undone.seq == restored.seq
    assert disk(guarded) == latest


def test_a_restore_that_changes_nothing_changes_nothing(guarded: Guarded) -> None:
    write(guarded, "data/soul.md", SOULS[0])
    before = disk(guarded)
    restore(guarded.gate, guarded.index.events.last_head()[0])
    assert disk(guarded) == before
    assert compare(files_of(guarded.being), guarded.index).problems == ()


def test_what_was_said_stays_and_weighs_what_it_weighed_then(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    sister, rice = life.tell("My sister lives in Lisbon.", "I like rice.")
    point = create(life.kernel.gate, "then").seq
    life.being.soul_md.write_text("# Nova\n", "utf-8")
    life.kernel.gate.adopt()
    assert life.say("Where does my sister live?").sources == (sister,)
    life.clock.at = life.clock.at.replace(year=2027)
    fade(life.kernel.gate, 90)
    weights = [m.weight for m in life.kernel.index.memories.get([sister, rice]).values()]
    assert weights[0] > weights[1]
    assert weights[1] < 500_000

    restore(life.kernel.gate, point)
    life.kernel.index.catch_up()

    then = [m.weight for m in life.kernel.index.memories.get([sister, rice]).values()]
    assert then == [500_000, 500_000]
    assert "Where does my sister live?" in [e.entry.description for e in life.events()]
    undo(life.kernel.gate)
    life.kernel.index.catch_up()
    assert [m.weight for m in life.kernel.index.memories.get([sister, rice]).values()] == weights
    assert compare(files_of(life.being), life.kernel.index).problems == ()


def test_a_restore_of_weights_alone_can_be_undone(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    (sister,) = life.tell("My sister lives in Lisbon.")
    point = create(life.kernel.gate, "then").seq
    life.say("Where does my sister live?")
    life.kernel.index.catch_up()
    used = life.kernel.index.memories.get([sister])[sister].weight

    restore(life.kernel.gate, point)
    life.kernel.index.catch_up()
    assert life.kernel.index.memories.get([sister])[sister].weight == 500_000
    undo(life.kernel.gate)
    life.kernel.index.catch_up()

    assert life.kernel.index.memories.get([sister])[sister].weight == used


@pytest.mark.parametrize("name", ["", "   ", "12", "x" * 81, "\n\t"])
def test_what_is_no_name_is_refused(guarded: Guarded, name: str) -> None:
    before = guarded.events()
    with pytest.raises(UsageError, match="is no name for a checkpoint"):
        create(guarded.gate, name)
    assert guarded.events() == before


def test_a_name_is_given_once_and_found_again(guarded: Guarded) -> None:
    placed = create(guarded.gate, "  before  the trip ")
    assert find(guarded.index, "before the trip") == placed.seq
    assert find(guarded.index, str(placed.seq)) == placed.seq
    with pytest.raises(UsageError, match="there is a checkpoint 'before the trip' already"):
        create(guarded.gate, "before the trip")
    for unknown in ("nowhere", "0", "999", "-1", "9" * 30, "٣"):
        with pytest.raises(UsageError, match="there is no checkpoint"):
            find(guarded.index, unknown)


def test_an_edit_that_cannot_be_used_is_not_written_over(guarded: Guarded) -> None:
    put(guarded, Store.VALUES, "honesty")
    guarded.being.values.write_text("[oops", "utf-8")
    for go_back in (lambda: restore(guarded.gate, 1), lambda: undo(guarded.gate)):
        with pytest.raises(Refused, match=r"data/values.json was edited by hand") as refused:
            go_back()
        assert refused.value.fix == "lumen self diff"
    assert guarded.being.values.read_text("utf-8") == "[oops"
    assert last_undoable(guarded.index) == guarded.index.files.transitions()[-1]


def test_the_difference_names_each_line(guarded: Guarded) -> None:
    write(guarded, "data/soul.md", "# Lumen\n\nnew\n")
    write(guarded, GOALS, "[]\n")
    lines = difference(self_at(guarded.index, 1), self_at(guarded.index))
    assert "+new" in lines
    assert "-new" in difference(self_at(guarded.index), self_at(guarded.index, 1))
    assert "+++ data/goals/2031.json (after)" in lines
    assert difference(self_at(guarded.index), self_at(guarded.index)) == []


def test_settings_are_none_of_an_undo(guarded: Guarded) -> None:
    text = guarded.being.settings.read_text("utf-8")
    change = Change(Store.SETTINGS, "set", text + "# more\n", base_of(text), "lumen.toml")
    guarded.gate.commit("author", [change], BEAT, durable=True)
    assert last_undoable(guarded.index) is None
