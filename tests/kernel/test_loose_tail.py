"""What does not follow from the end of the archive is refused and cut off; what is known is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import apsw
import pytest
from tests.kernel.test_foreign_tail import forge, soul_of
from tests.soul.forging import heard, respelled

from lumen.core.errors import ArchiveError, Damaged, Estranged, UsageError
from lumen.kernel.gate.acceptance import accept, accept_tail, cut_tail
from lumen.kernel.gate.recovery import recover
from lumen.kernel.gate.undo import remembered
from lumen.kernel.upkeep.forget import carry_out, find, plan
from lumen.soul.archive.line import parse, segments
from lumen.soul.checking.verify import verify
from lumen.soul.trust.heads import read_heads

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded


def put_behind(guarded: Guarded, *lines: bytes) -> bytes:
    """Somebody writes lines at the end of the newest segment, as an editor or `echo` would."""
    whole = guarded.archive()
    with segments(guarded.being.memory)[-1].open("ab") as file:
        file.write(b"".join(lines))
    return whole


def lived(guarded: Guarded) -> list[bytes]:
    """The lines of a being that was told a few things."""
    recover(guarded.gate, soul_of(guarded))
    for number in range(5):
        guarded.gate.record(heard(f"Fact {number}."), sign=True)
    guarded.gate.index.catch_up()
    return guarded.archive().splitlines(keepends=True)


def forget_ring(guarded: Guarded) -> None:
    """Empty the ring, which would put lost lines back."""
    lock = guarded.being.memory / ".lock"
    lock.write_bytes(bytes(lock.stat().st_size))


def altered(raw: bytes) -> bytes:
    return raw.replace(b"Fact", b"Fear")


def false_hash(lines: list[bytes]) -> bytes:
    """A next line that links to the last, and does not hash to what it says."""
    parent = lines[-1][15:79].decode()
    raw = respelled(lines[-1], parent, len(lines) + 1, parse(lines[-1]).soul)
    return raw.replace(b'"event_hash":"' + raw[15:79], b'"event_hash":"' + b"0" * 64)


BEHIND: list[tuple[str, Callable[[list[bytes]], bytes], str]] = [
    ("an old line", lambda lines: lines[2], "does not link"),
    ("the line before the last", lambda lines: lines[-2], "does not link"),
    ("the last line", lambda lines: lines[-1], "does not link"),
    ("the last two lines", lambda lines: b"".join(lines[-2:]), "does not link"),
    ("an old line, altered", lambda lines: altered(lines[2]), "does not link"),
    ("garbage", lambda _: b"garbage not json\n", "cannot be read"),
    ("an empty line", lambda _: b"\n", "cannot be read"),
    ("a false hash", false_hash, "was changed"),
]


@pytest.mark.parametrize(("what", "made", "why"), BEHIND, ids=[b[0] for b in BEHIND])
def test_what_does_not_follow_is_refused_and_cut_off_and_the_being_goes_on(
    guarded: Guarded, what: str, made: Callable[[list[bytes]], bytes], why: str
) -> None:
    del what
    soul, lines = soul_of(guarded), lived(guarded)
    behind = made(lines)
    whole = put_behind(guarded, behind)
    again = guarded.another()
    for _ in range(2):  # a refused start changes nothing, and the next one refuses too
        with pytest.raises(Estranged, match=f"what follows event {len(lines)} .* {why}") as strange:
            recover(again.gate, soul)
        assert "lumen archive cut-tail" in strange.value.fix
        assert guarded.archive() == whole + behind
    with pytest.raises(UsageError, match="cannot be taken for true"):
        accept_tail(again.gate, soul)
    assert [m.text for m in again.index.memories.listed(author="external")][-1] == "Fact 4."

    cut_tail(again.gate, soul)
    (added,) = guarded.since(whole)
    assert (added.seq, added.entry.situation) == (len(lines) + 1, "tail_cut")
    (aside,) = (guarded.being.memory / "quarantine").iterdir()
    assert aside.read_bytes() == behind
    again.gate.record(heard("On we go."), sign=True)
    after = again.another()
    recover(after.gate, soul)
    assert [m.text for m in after.index.memories.listed(author="external")][-2:] == [
        "Fact 4.",
        "On we go.",
    ]
    assert verify(guarded.being, guarded.keyring).trusted
    after.close()
    again.close()


@pytest.mark.parametrize(("what", "made", "why"), BEHIND, ids=[b[0] for b in BEHIND])
def test_what_does_not_follow_is_built_upon_by_no_process_that_is_open(
    guarded: Guarded, what: str, made: Callable[[list[bytes]], bytes], why: str
) -> None:
    del what, why
    lines = lived(guarded)
    behind = made(lines)
    other = guarded.another()
    recover(other.gate, soul_of(guarded))
    whole = put_behind(guarded, behind)
    for gate in (guarded.gate, other.gate):
        for _ in range(2):
            with pytest.raises(ArchiveError) as strange:
                gate.record(heard("Are you there?"), sign=True)
            assert "lumen archive cut-tail" in strange.value.fix
    assert guarded.archive() == whole + behind
    other.close()


@pytest.mark.parametrize("copied", [slice(-1, None), slice(-2, -1), slice(-2, None)], ids=str)
def test_a_copy_of_what_another_process_wrote_last_is_not_built_upon(
    guarded: Guarded, copied: slice
) -> None:
    lived(guarded)
    other = guarded.another()
    recover(other.gate, soul_of(guarded))
    for word in ("One.", "Two."):  # of which the other has heard nothing yet
        guarded.gate.record(heard(word), sign=True)
    behind = b"".join(guarded.archive().splitlines(keepends=True)[copied])
    whole = put_behind(guarded, behind)
    for _ in range(2):
        with pytest.raises(Estranged, match="not written there by this host"):
            other.gate.record(heard("Are you there?"), sign=True)
    assert guarded.archive() == whole + behind
    other.close()


def test_a_process_that_is_open_goes_on_behind_what_another_wrote_forgot_or_put_aside(
    guarded: Guarded,
) -> None:
    soul = soul_of(guarded)
    lived(guarded)
    other = guarded.another()
    recover(other.gate, soul)
    guarded.gate.record(heard("A secret."), sign=True)
    other.gate.record(heard("One."), sign=True)
    guarded.index.catch_up()
    guarded.gate.record(heard("More."), sign=True)
    carry_out(guarded.gate, plan(guarded.gate, find(guarded.index, "secret")))
    other.gate.record(heard("Two."), sign=True)  # lines stand elsewhere than it left them
    put_behind(guarded, b'{"torn')
    guarded.gate.record(heard("Three."), sign=True)
    other.gate.record(heard("Four."), sign=True)
    assert verify(guarded.being, guarded.keyring).trusted
    other.close()


def test_a_line_forged_well_goes_with_what_was_put_behind_it(guarded: Guarded) -> None:
    soul, lines = soul_of(guarded), lived(guarded)
    whole = guarded.archive()
    forge(guarded)
    put_behind(guarded, b"garbage\n")
    again = guarded.another()
    with pytest.raises(Estranged, match=f"nor did it write the events from {len(lines) + 1} on"):
        recover(again.gate, soul)
    cut_tail(again.gate, soul)
    (added,) = guarded.since(whole)
    expected = f"The author had event {len(lines) + 1} and what follows, which this host"
    assert added.entry.description.startswith(expected)
    recover(again.gate, soul)
    assert verify(guarded.being, guarded.keyring).trusted
    again.close()


def test_damage_to_what_this_host_knows_is_no_foreign_end_and_is_not_cut_off(
    guarded: Guarded,
) -> None:
    soul, lines = soul_of(guarded), lived(guarded)
    guarded.close()
    (path,) = segments(guarded.being.memory)
    path.write_bytes(b"".join([*lines[:2], b"garbage\n", *lines[3:]]))
    forget_ring(guarded)
    guarded.being.index.unlink()
    before = guarded.archive()
    again = guarded.another()
    for work in (recover, cut_tail, accept_tail):
        with pytest.raises(Damaged, match=f"event 3 cannot be read, .* up to event {len(lines)}"):
            work(again.gate, soul)
    assert guarded.archive() == before
    again.keyring.witness_file(soul).unlink()
    again.keyring.mark_file(soul).unlink()
    with pytest.raises(Damaged, match="event 3 cannot be read"):  # the signed heads know of it
        cut_tail(again.gate, soul)
    with pytest.raises(UsageError, match="the one this host has seen"):
        accept(again.gate, soul)
    again.close()
    guarded.gate = guarded.another().gate


def test_lines_this_host_knows_are_not_cut_off_and_no_skill_is_held_to_account_for_them(
    guarded: Guarded,
) -> None:
    lines = lived(guarded)
    guarded.close()
    (path,) = segments(guarded.being.memory)
    path.write_bytes(b"".join([*lines[:2], lines[3], lines[2], *lines[4:]]))
    forget_ring(guarded)
    guarded.being.index.unlink()
    before, again = guarded.archive(), guarded.another()
    with pytest.raises(Damaged, match="event 3 does not link"):
        remembered(again.gate)
    with again.gate.log.locked(), pytest.raises(Damaged, match="event 3 does not link"):
        again.gate.log.cut(3)
    assert guarded.archive() == before
    again.close()
    guarded.gate = guarded.another().gate


def test_a_fork_that_ends_in_garbage_is_not_gone_on_from(guarded: Guarded) -> None:
    soul, lines = soul_of(guarded), lived(guarded)
    guarded.close()
    (path,) = segments(guarded.being.memory)
    path.write_bytes(b"".join(lines[:3]) + b"garbage\n")
    forget_ring(guarded)
    again = guarded.another()
    with pytest.raises(UsageError, match="nothing can go on from it"):
        accept(again.gate, soul)
    again.close()
    guarded.gate = guarded.another().gate


def test_an_index_that_took_a_changed_last_line_for_whole_is_made_again(guarded: Guarded) -> None:
    soul, lines = soul_of(guarded), lived(guarded)
    put_behind(guarded, false_hash(lines))
    offset, raw = sum(map(len, lines)), false_hash(lines)
    guarded.close()
    db = apsw.Connection(str(guarded.being.index))
    db.execute("CREATE TEMP TABLE one AS SELECT * FROM events WHERE seq = ?", (len(lines),))
    db.execute(
        "UPDATE one SET seq = ?, event_hash = ?, offset = ?, length = ?",
        (len(lines) + 1, "0" * 64, offset, len(raw)),
    )
    db.execute("INSERT INTO events SELECT * FROM one")
    db.close()
    again = guarded.another()
    with pytest.raises(Estranged, match=f"what follows event {len(lines)} .* was changed"):
        recover(again.gate, soul)
    cut_tail(again.gate, soul)
    recover(again.gate, soul)
    assert verify(guarded.being, guarded.keyring).trusted
    again.close()
    guarded.gate = guarded.another().gate


def test_one_foreign_event_is_spoken_of_as_one(guarded: Guarded) -> None:
    recover(guarded.gate, soul_of(guarded))
    forge(guarded)
    again = guarded.another()
    with pytest.raises(Estranged, match=r"event 2 of this archive was not written .* signed it:"):
        recover(again.gate, soul_of(guarded))
    again.close()


@pytest.mark.parametrize("emptied", [False, True])
def test_heads_that_went_missing_are_signed_again_and_that_is_said_once(
    guarded: Guarded, emptied: bool
) -> None:
    soul, lines = soul_of(guarded), lived(guarded)
    guarded.being.heads.write_bytes(b"") if emptied else guarded.being.heads.unlink()
    again = guarded.another()
    recover(again.gate, soul)
    said = f"heads.jsonl was missing or empty; signed again at event {len(lines) + 1}."
    assert again.gate.repairs == [said]
    assert guarded.last().description == said
    assert [h.seq for _, h in read_heads(guarded.being.heads)[0]] == [len(lines) + 1]
    assert verify(guarded.being, guarded.keyring).trusted
    third = guarded.another()
    recover(third.gate, soul)
    assert third.gate.repairs == []
    third.close()
    again.close()


def test_heads_that_were_cut_off_are_signed_again_and_that_is_said_once(guarded: Guarded) -> None:
    soul, lines = soul_of(guarded), lived(guarded)
    kept = guarded.being.heads.read_bytes().splitlines(keepends=True)[:1]
    guarded.being.heads.write_bytes(b"".join(kept))
    again = guarded.another()
    recover(again.gate, soul)
    said = f"heads.jsonl lacked the heads from event 2 on; signed again at event {len(lines) + 1}."
    assert again.gate.repairs == [said]
    assert guarded.last().description == said
    assert verify(guarded.being, guarded.keyring).trusted
    third = guarded.another()
    recover(third.gate, soul)
    assert third.gate.repairs == []
    third.close()
    again.close()
