"""What a crash left is mended, a strange chain is refused until the author accepts it."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import sha256
from lumen.core.data import Author, Change, Entry, EventType, Held, Origin, Store
from lumen.core.errors import Damaged, Estranged, UsageError
from lumen.kernel.commit import Gate
from lumen.kernel.edits import self_in_force
from lumen.kernel.mend import Erasure, accept, erase, recover, refuse_strange
from lumen.soul.archive import segments
from lumen.soul.history import kept, unscrubbed
from lumen.soul.keys import head_from
from lumen.soul.selfhood import SOUL, VALUES, goals_of
from lumen.soul.verify import verify
from lumen.soul.write import Writer

if TYPE_CHECKING:
    from pathlib import Path

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
    placed = erase(
        guarded.gate, Erasure((told,), words=("bees",), aside=(aside,)), "The author forgot it."
    )

    assert not aside.exists()
    assert b"bees" not in guarded.archive()
    assert [e.entry.situation for e in guarded.events()[-2:]] == ["erasure", "scrubbed"]
    assert guarded.events()[told - 1].entry.payload == {"erased_by": placed.seq}
    assert guarded.index.get([told]) == {}
    assert unscrubbed(guarded.index) == {}
    for path in guarded.being.index.parent.iterdir():
        assert b"bees" not in path.read_bytes()
    assert guarded.index.differences() == []
    assert verify(guarded.being, guarded.keyring).ok
    assert mended(guarded) == []


def test_what_an_erasure_carries_on_is_in_force_and_in_the_file(
    guarded: Guarded, beat: Entry
) -> None:
    put = Change(Store.VALUES, "put", Held("bees", 0.5, "active"))
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
    plan = Erasure((at,), (change,), (used,), files={VALUES: "[]\n"})
    erase(guarded.gate, plan, "The author forgot it.")

    known = kept(guarded.index, VALUES)
    assert known is not None
    assert (known.seq, known.text) == (at, "[]\n")
    assert guarded.being.values.read_text() == "[]\n"
    assert self_in_force(guarded.index).values == ()
    assert guarded.index.differences() == []
    assert mended(guarded) == []


def test_an_erasure_that_was_cut_off_is_finished(guarded: Guarded) -> None:
    told = guarded.gate.record(SAID).seq
    before = guarded.archive()
    by = erase(guarded.gate, Erasure((told,)), "The author forgot it.").seq
    (segment,) = segments(guarded.being.memory)
    erasure = segment.read_bytes().splitlines(keepends=True)[by - 1]
    segment.write_bytes(before + erasure)  # archived, and then the light went out
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
    with pytest.raises(Damaged, match="event 99 is not where the index says"):
        erase(guarded.gate, Erasure((99,)), "The author forgot it.")
    assert guarded.archive() == before


def rolled_back(guarded: Guarded, beat: Entry, *, more: int = 0) -> str:
    """The archive as an older copy has it; with `more`, it went on from there by itself."""
    kept_aside = guarded.being.root.parent / "older"
    shutil.copytree(guarded.being.root, kept_aside)
    host = guarded.keyring.folder
    for n in range(3):
        soul = guarded.gate.record(replace(beat, description=f"Here {n}."), sign=True).soul
    guarded.close()
    shutil.rmtree(guarded.being.root)
    shutil.copytree(kept_aside, guarded.being.root)
    witness = guarded.keyring.witness_file(soul).read_bytes()
    there = guarded.another()
    guarded.gate = there.gate
    for n in range(more):
        there.gate.record(replace(beat, description=f"There {n}."), sign=True)
    guarded.keyring.witness_file(soul).write_bytes(witness)
    assert host.exists()
    return soul


def test_an_archive_that_was_rolled_back_is_refused_and_both_heads_are_shown(
    guarded: Guarded, beat: Entry
) -> None:
    guarded.gate.record(beat, sign=True)
    soul = rolled_back(guarded, beat)
    seen = guarded.keyring.witness(soul)
    assert seen is not None
    others, archive = guarded.others(), guarded.archive()
    with pytest.raises(Estranged) as strange:
        recover(guarded.gate, soul)

    ours = guarded.index.last_head()[1]
    assert f"ends at event 2 (head {ours[:16]}…)" in strange.value.what
    assert f"up to event 5 (head {seen.event_hash[:16]}…)" in strange.value.what
    assert "3 events are not in it" in strange.value.what
    assert "lumen archive accept-rollback" in strange.value.fix
    assert (guarded.others(), guarded.archive()) == (others, archive)
    assert not verify(guarded.being, guarded.keyring).ok


@pytest.mark.parametrize("more", [3, 5])
def test_a_fork_is_refused_and_both_heads_are_shown(
    guarded: Guarded, beat: Entry, more: int
) -> None:
    soul = rolled_back(guarded, beat, more=more)
    seen = guarded.keyring.witness(soul)
    assert seen is not None
    archive = guarded.archive()
    with pytest.raises(Estranged) as strange:
        recover(guarded.gate, soul)

    ours = guarded.index.hash_of(4)
    assert f"at event 4 it has head {ours[:16]}…" in strange.value.what
    assert f"the one this host has seen has {seen.event_hash[:16]}…" in strange.value.what
    head = guarded.index.last_head()[1]
    assert strange.value.fix.endswith(f"lumen archive accept-rollback --head {head[:8]}")
    assert guarded.archive() == archive


def test_a_host_that_has_seen_nothing_finds_nothing_strange(guarded: Guarded, beat: Entry) -> None:
    soul = rolled_back(guarded, beat)
    guarded.keyring.witness_file(soul).unlink()
    recover(guarded.gate, soul)
    refuse_strange(guarded.index, guarded.keyring, soul)

    assert guarded.gate.repairs == []


def test_whoever_names_no_soul_is_not_asked_about_the_chain(guarded: Guarded, beat: Entry) -> None:
    rolled_back(guarded, beat)
    recover(guarded.gate)

    assert guarded.gate.repairs == []


@pytest.mark.parametrize("named", [False, True])
def test_a_rollback_is_accepted_with_or_without_its_head(
    guarded: Guarded, beat: Entry, named: bool
) -> None:
    soul = rolled_back(guarded, beat)
    seen = guarded.keyring.witness(soul)
    assert seen is not None
    ours = guarded.index.last_head()[1]
    placed = accept(guarded.gate, soul, ours[:8] if named else "")

    entry = guarded.last()
    assert (entry.situation, entry.session_key) == ("rollback_accepted", "lumen:author")
    assert entry.payload == {
        "head": ours,
        "seen": {"seq": 4, "event_hash": seen.event_hash},
        "heads": 0,
    }
    witness = guarded.keyring.witness(soul)
    assert witness is not None
    assert (
        (witness.seq, witness.event_hash)
        == (placed.seq, placed.event_hash)
        == (2, placed.event_hash)
    )
    recover(guarded.gate, soul)
    assert guarded.gate.repairs == []
    assert verify(guarded.being, guarded.keyring).ok
    guarded.gate.record(beat, sign=True)
    assert verify(guarded.being, guarded.keyring).signed == 3


def test_a_fork_is_accepted_by_its_head_alone(guarded: Guarded, beat: Entry) -> None:
    soul = rolled_back(guarded, beat, more=3)
    ours = guarded.index.last_head()[1]
    archive = guarded.archive()
    wrong = "0" * 8 if not ours.startswith("0" * 8) else "1" * 8
    for head in ("", ours[:7], wrong):
        with pytest.raises(UsageError, match="a fork is accepted by naming the head") as refused:
            accept(guarded.gate, soul, head)
        assert refused.value.fix.endswith(f"--head {ours[:8]}")
    assert guarded.archive() == archive

    placed = accept(guarded.gate, soul, ours)
    assert guarded.keyring.witness(soul) == head_from(
        guarded.being.heads.read_bytes().splitlines(keepends=True)[-1], guarded.being.heads
    )
    assert placed.seq == 5
    recover(guarded.gate, soul)
    assert verify(guarded.being, guarded.keyring).ok


def test_a_rollback_is_not_accepted_by_another_head(guarded: Guarded, beat: Entry) -> None:
    soul = rolled_back(guarded, beat)
    seen = guarded.keyring.witness(soul)
    assert seen is not None
    with pytest.raises(UsageError, match="naming the head that is kept"):
        accept(guarded.gate, soul, seen.event_hash)
    assert len(guarded.events()) == 1


def test_heads_of_the_other_chain_are_set_aside(guarded: Guarded, beat: Entry) -> None:
    """Only the archive was rolled back: heads.jsonl still states the lines that are gone."""
    for _ in range(2):
        soul = guarded.gate.record(beat, sign=True).soul
    heads = guarded.being.heads.read_bytes().splitlines(keepends=True)
    (segment,) = segments(guarded.being.memory)
    segment.write_bytes(segment.read_bytes().splitlines(keepends=True)[0])
    other = guarded.another()
    with pytest.raises(Estranged):
        recover(other.gate, soul)
    placed = accept(other.gate, soul)

    assert guarded.last().payload["heads"] == 2
    kept_heads = guarded.being.heads.read_bytes().splitlines(keepends=True)
    assert kept_heads[:-1] == heads[:1]
    assert head_from(kept_heads[-1], guarded.being.heads).event_hash == placed.event_hash
    (aside,) = guarded.being.quarantine.iterdir()
    assert aside.name.startswith("heads-")
    assert aside.read_bytes() == b"".join(heads[1:])
    assert verify(guarded.being, guarded.keyring).ok
    other.close()


@pytest.mark.parametrize("half", [b'{"soul":"01', b""])
def test_an_unfinished_line_does_not_keep_a_rollback_from_being_accepted(
    guarded: Guarded, beat: Entry, half: bytes
) -> None:
    soul = rolled_back(guarded, beat)
    (segment,) = segments(guarded.being.memory)
    with segment.open("ab") as file:
        file.write(b'{"event_hash":"')
    with guarded.being.heads.open("ab") as file:
        file.write(half)
    accept(guarded.gate, soul)

    assert [e.entry.situation for e in guarded.events()][1:] == ["repair", "rollback_accepted"]
    assert verify(guarded.being, guarded.keyring).ok


def test_there_is_nothing_to_accept_in_the_chain_this_host_has_seen(
    guarded: Guarded, beat: Entry
) -> None:
    soul = guarded.gate.record(beat, sign=True).soul
    for _ in range(2):
        with pytest.raises(UsageError, match="this archive is the one this host has seen"):
            accept(guarded.gate, soul)
        guarded.keyring.witness_file(soul).unlink(missing_ok=True)
    assert guarded.last() == beat
