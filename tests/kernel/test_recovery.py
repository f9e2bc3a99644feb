"""What a crash left is mended, and what the author wants gone is gone from every file."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import sha256
from lumen.core.data import Author, Change, Entry, EventType, Origin, SelfItem
from lumen.core.errors import Damaged, Refused
from lumen.core.stores import Store
from lumen.kernel.gate.edits import self_in_force
from lumen.kernel.gate.recovery import Erasure, erase, rebuild, recover
from lumen.soul.archive.line import segments
from lumen.soul.checking.verify import verify
from lumen.soul.state.selfhood import SOUL, VALUES, goals_of

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded

SESSION = "lumen:interface:01"
LUMEN = b"# Lumen\n"
ADA = Change(Store.SOUL, "set", "# Ada\n", sha256(LUMEN))
SAID = Entry(
    Author.EXTERNAL, EventType.AUTHOR_MESSAGE, Origin.AUTHOR, "heard", "I keep bees.", SESSION
)


def mended(guarded: Guarded) -> list[str]:
    """What a process that opens the being next has to mend."""
    other = guarded.another()
    try:
        recover(other.gate, guarded.events()[0].soul)
        return other.gate.repairs
    finally:
        other.close()


def test_there_is_nothing_to_mend_in_a_being_that_was_closed(guarded: Guarded) -> None:
    others, archive = guarded.others(), guarded.archive()
    assert mended(guarded) == []
    assert (guarded.others(), guarded.archive()) == (others, archive)


def test_a_file_whose_change_was_archived_only_is_brought_up_to_it(
    guarded: Guarded, beat: Entry
) -> None:
    guarded.gate.commit("author", [ADA], beat, durable=True)
    guarded.being.soul_md.write_bytes(LUMEN)  # as after a crash between the line and the file
    os.utime(guarded.being.soul_md, (0, 0))

    assert mended(guarded) == [f"{SOUL} was left behind and is now as event 2 left it."]
    assert guarded.being.soul_md.read_text("utf-8") == "# Ada\n"
    assert mended(guarded) == []


def test_a_file_that_was_to_go_and_was_left_behind_goes(guarded: Guarded, beat: Entry) -> None:
    path = goals_of(2026)
    gone = Change(Store.GOALS, "set", None, sha256(b"[]\n"), path)
    guarded.gate.commit("author", [gone], beat)
    guarded.being.at(path).write_bytes(b"[]\n")
    os.utime(guarded.being.at(path), (0, 0))

    assert mended(guarded) == [f"{path} was left behind and is now as event 2 left it."]
    assert not guarded.being.at(path).exists()
    assert mended(guarded) == []


def test_a_file_that_the_author_put_back_stays_as_it_was_put(guarded: Guarded, beat: Entry) -> None:
    guarded.gate.commit("author", [ADA], beat, durable=True)
    later = time.time() + 60  # noqa: TID251 - the file's time, not the turn's
    guarded.being.soul_md.write_bytes(LUMEN)
    os.utime(guarded.being.soul_md, (later, later))

    assert mended(guarded) == []
    assert guarded.being.soul_md.read_bytes() == LUMEN
    assert guarded.gate.adopt() == [f"{SOUL} was edited by hand: adopted."]


def test_a_file_that_somebody_edited_is_not_brought_up_to_anything(
    guarded: Guarded, beat: Entry
) -> None:
    guarded.gate.commit("author", [ADA], beat, durable=True)
    guarded.being.soul_md.write_text("# By hand\n", "utf-8")
    os.utime(guarded.being.soul_md, (0, 0))
    others = guarded.others()

    assert mended(guarded) == []
    assert guarded.others() == others


@pytest.mark.parametrize("path", [SOUL, VALUES, goals_of(2026)])
def test_a_missing_file_is_back(guarded: Guarded, beat: Entry, path: str) -> None:
    guarded.gate.commit("author", [ADA], beat)
    before = guarded.others()
    guarded.being.at(path).unlink()

    at = 2 if path == SOUL else 1
    assert mended(guarded) == [f"{path} was missing and is now as event {at} left it."]
    assert guarded.others() == before


def test_what_commits_that_were_cut_off_laid_beside_is_gone(guarded: Guarded) -> None:
    before = guarded.others()
    year = segments(guarded.being.memory)[0].parent
    for folder, name in (
        (guarded.being.root, ".lumen.toml.123.new"),
        (guarded.being.data, ".soul.md.7.new"),
        (guarded.being.goals, ".2026.json.99.new"),
        (year, ".summary.md.1.new"),
    ):
        (folder / name).write_text("half")
    mine = guarded.being.data / ".mine.new"
    mine.write_text("the author's own")

    assert mended(guarded) == []
    assert guarded.others() == {**before, "data/.mine.new": b"the author's own"}


def test_a_torn_line_is_set_aside_and_owned_up_to_even_when_that_was_cut_off(
    guarded: Guarded,
) -> None:
    (segment,) = segments(guarded.being.memory)
    with segment.open("ab") as file:
        file.write(b'{"event_hash":"half')
    told = mended(guarded)
    assert len(told) == 1
    assert "An unfinished line of 19 bytes" in told[0]
    assert guarded.last().situation == "repair"
    assert mended(guarded) == []

    (guarded.being.memory / "quarantine" / "2026-11-15-9-abc.torn").write_bytes(b"{")
    lost = "An unfinished line was moved to quarantine/2026-11-15-9-abc.torn at an earlier start."
    assert mended(guarded) == [lost]
    assert (guarded.last().situation, guarded.last().description) == ("repair", lost)
    assert mended(guarded) == []
    assert verify(guarded.being, guarded.keyring).ok


def test_what_is_erased_is_in_no_file(guarded: Guarded, beat: Entry) -> None:
    told = guarded.gate.record(SAID).seq
    guarded.gate.commit("author", [ADA], beat)
    aside = guarded.being.root / "aside.txt"
    aside.write_text("I keep bees.")
    placed = erase(guarded.gate, Erasure((told,), aside=("aside.txt",)), "The author forgot it.")

    assert not aside.exists()
    assert b"bees" not in guarded.archive()
    assert [e.entry.situation for e in guarded.events()[-2:]] == ["erasure", "scrubbed"]
    assert guarded.events()[told - 1].entry.payload == {"erased_by": placed.seq}
    assert guarded.index.memories.get([told]) == {}
    assert guarded.index.events.unscrubbed() == {}
    for path in guarded.being.index.parent.iterdir():
        assert b"bees" not in path.read_bytes()
    assert guarded.index.differences() == []
    assert verify(guarded.being, guarded.keyring).ok
    assert mended(guarded) == []


def test_what_an_erasure_carries_on_is_in_force_and_in_the_file(
    guarded: Guarded, beat: Entry
) -> None:
    put = Change(Store.VALUES, "put", SelfItem("bees", 0.5, "active"))
    at = guarded.gate.commit("author", [put], beat)[-1].seq
    change = {
        "store": "values",
        "operation": "set",
        "path": VALUES,
        "base": "",
        "value": "[]\n",
        "at": at,
    }
    used = {"at": at, "memories": [1], "by": 10, "day": 739_570}
    carried = {"changes": [change], "uses": [used]}
    plan = Erasure((at,), carried, files={VALUES: "[]\n"})
    erase(guarded.gate, plan, "The author forgot it.")

    known = guarded.index.files.kept(VALUES)
    assert known is not None
    assert (known.seq, known.text) == (at, "[]\n")
    assert guarded.being.values.read_text() == "[]\n"
    assert self_in_force(guarded.index).values == ()
    assert guarded.index.differences() == []
    assert mended(guarded) == []


@pytest.mark.parametrize("edit", ["[", '[{"name": "x", "weight": 1, "status": "active"}]'])
def test_nothing_is_erased_where_an_edit_by_hand_would_be_lost(
    guarded: Guarded, beat: Entry, edit: str
) -> None:
    put = Change(Store.VALUES, "put", SelfItem("bees", 0.5, "active"))
    at = guarded.gate.commit("author", [put], beat)[-1].seq
    guarded.being.values.write_text(edit)
    others, archive = guarded.others(), guarded.archive()
    with pytest.raises(Refused, match=f"{VALUES} tells of it too, and was edited by hand"):
        erase(guarded.gate, Erasure((at,), files={VALUES: "[]\n"}), "The author forgot it.")
    assert (guarded.others(), guarded.archive()) == (others, archive)


def test_every_file_and_table_is_made_again_but_what_waits_for_the_author(
    guarded: Guarded, beat: Entry
) -> None:
    guarded.gate.commit("author", [ADA], beat)
    settings = Change(Store.SETTINGS, "set", "[being]\n\n", sha256(b"[being]\n"))
    guarded.gate.commit("author", [settings], beat)
    guarded.being.settings.write_text("[being] # by hand\n")
    guarded.being.values.write_text("[")
    (guarded.being.goals / "2026.json").unlink()
    guarded.being.soul_md.write_text("# Eve\n")
    guarded.index.keep(("UPDATE changes SET text = 'wrong' WHERE path = ?", [(goals_of(2026),)]))
    assert guarded.index.differences() == ["table changes"]
    told = rebuild(guarded.gate)

    assert told[0] == f"{SOUL} was edited by hand: adopted."
    assert told[1].startswith(f"{VALUES} line 1 is not used")
    assert told[2:] == [f"{goals_of(2026)} is now as event 1 left it."]
    assert guarded.index.differences() == []
    assert guarded.being.at(goals_of(2026)).read_text() == "[]\n"
    assert guarded.being.values.read_text() == "["
    assert guarded.being.settings.read_text() == "[being] # by hand\n"
    assert self_in_force(guarded.index).name == "Eve"
    assert rebuild(guarded.gate) == []  # what waits was told


def test_an_erasure_that_was_cut_off_is_finished(guarded: Guarded) -> None:
    told = guarded.gate.record(SAID).seq
    before = guarded.archive()
    by = erase(guarded.gate, Erasure((told,)), "The author forgot it.").seq
    (segment,) = segments(guarded.being.memory)
    erasure = segment.read_bytes().splitlines(keepends=True)[by - 1]
    segment.write_bytes(before + erasure)  # archived, and then the light went out
    (guarded.being.memory / ".lock").unlink()  # its ring has the lines that were never written
    for path in guarded.being.index.parent.iterdir():
        path.unlink()

    assert b"bees" in guarded.archive()
    # The witness has seen the line that is cut off here, which a real crash has not written.
    guarded.keyring.witness_file(guarded.events()[0].soul).unlink()
    assert mended(guarded) == [f"What event {by} erases is blanked out on disk now."]
    assert b"bees" not in guarded.archive()
    assert guarded.last().situation == "scrubbed"
    assert mended(guarded) == []


def test_what_is_not_there_is_not_erased(guarded: Guarded) -> None:
    before = guarded.archive()
    with pytest.raises(Damaged, match="event 99 is not what was written"):
        erase(guarded.gate, Erasure((99,)), "The author forgot it.")
    assert guarded.archive() == before
