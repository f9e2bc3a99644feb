"""A chain this host has not seen is refused, both heads shown, until the author accepts it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.soul.forging import Forged

from lumen.core.data import Entry
from lumen.core.errors import Estranged, Locked, UsageError
from lumen.kernel.gate.acceptance import accept
from lumen.kernel.gate.recovery import recover
from lumen.soul.archive.line import segments
from lumen.soul.checking.verify import verify
from lumen.soul.checking.witness import refuse_strange
from lumen.soul.trust.keys import head_from

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded


def rolled_back(guarded: Guarded, beat: Entry, *, more: int = 0) -> str:
    """The archive as an older copy has it; with `more`, it went on from there by itself."""
    older, soul = guarded.being.root.parent / "older", guarded.events()[0].soul
    shutil.copytree(guarded.being.root, older)
    for n in range(3):
        guarded.gate.record(replace(beat, description=f"Here {n}."), sign=True)
    guarded.close()
    shutil.rmtree(guarded.being.root)
    shutil.copytree(older, guarded.being.root)
    host = guarded.keyring.witness_file(soul).parent
    seen = {path: path.read_bytes() for path in host.iterdir()}
    guarded.keyring.mark_file(soul).unlink()  # it goes on elsewhere
    guarded.gate = guarded.another().gate
    for n in range(more):
        guarded.gate.record(replace(beat, description=f"There {n}."), sign=True)
    for path, data in seen.items():
        path.write_bytes(data)
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

    ours = guarded.index.events.last_head()[1]
    assert f"ends at event 2 (head {ours[:16]}…)" in strange.value.what
    assert f"up to event 5 (head {seen.event_hash[:16]}…)" in strange.value.what
    assert "what was said there since is not in it" in strange.value.what
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

    ours = guarded.index.events.hash_of(4)
    assert f"at event 4 it has head {ours[:16]}…" in strange.value.what
    assert f"the one this host has seen has {seen.event_hash[:16]}…" in strange.value.what
    head = guarded.index.events.last_head()[1]
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


def test_a_fork_that_is_shorter_looks_like_a_rollback_and_is_accepted_as_one(
    guarded: Guarded, beat: Entry
) -> None:
    soul = rolled_back(guarded, beat, more=1)
    with pytest.raises(Estranged, match="what was said there since is not in it"):
        recover(guarded.gate, soul)
    placed = accept(guarded.gate, soul)

    assert placed.seq == 3  # a number of the other chain, and yet another hash
    recover(guarded.gate, soul)
    assert verify(guarded.being, guarded.keyring).ok


def test_a_fork_that_ends_where_the_other_ended_before_is_told_as_one(
    guarded: Guarded, beat: Entry
) -> None:
    soul = rolled_back(guarded, beat, more=2)
    mark = guarded.keyring.mark(soul)
    assert mark is not None
    with pytest.raises(Estranged, match="is a fork: at event 3") as strange:
        recover(guarded.gate, soul)
    assert f"this host has seen has {mark.before_hash[:16]}…" in strange.value.what
    with pytest.raises(UsageError, match="by naming the head that is kept"):
        accept(guarded.gate, soul)
    head = guarded.index.events.last_head()[1]
    assert accept(guarded.gate, soul, head[:8]).seq == 4
    recover(guarded.gate, soul)
    assert verify(guarded.being, guarded.keyring).ok


@pytest.mark.parametrize("named", [False, True])
def test_a_rollback_is_accepted_with_or_without_its_head(
    guarded: Guarded, beat: Entry, named: bool
) -> None:
    soul = rolled_back(guarded, beat)
    seen = guarded.keyring.witness(soul)
    assert seen is not None
    ours = guarded.index.events.last_head()[1]
    placed = accept(guarded.gate, soul, ours[:8] if named else "")

    entry = guarded.last()
    assert (entry.situation, entry.session_key) == ("rollback_accepted", "lumen:author")
    signed = entry.payload["signed"]
    assert entry.payload == {
        "head": ours,
        "seen": {"seq": 4, "event_hash": seen.event_hash},
        "heads": 0,
        "signed": signed,
    }
    assert signed["key"] == guarded.keyring.author_public(soul)
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


def test_an_acceptance_whose_signature_was_changed_is_found_though_a_head_is_signed_for_it(
    guarded: Guarded, beat: Entry
) -> None:
    soul = rolled_back(guarded, beat)
    accept(guarded.gate, soul)
    copy = Forged(guarded.being.root.parent)
    last, signature = len(copy.lines) - 1, copy.lines[-1][1][-20:-4]
    other = b"0" if signature[3:4] != b"0" else b"1"  # a digit, not only a letter written large
    copy.say(last, signature, signature[:3] + other + signature[4:])
    copy.heads = copy.heads_below(last + 1)
    copy.sign(guarded.keyring)
    copy.write()
    found = verify(guarded.being, guarded.keyring).problem
    assert found is not None
    assert (found.seq, "signature" in found.what) == (last + 1, True), found


def test_a_rollback_is_not_accepted_without_the_authors_passphrase(
    guarded: Guarded, beat: Entry
) -> None:
    soul = rolled_back(guarded, beat)
    archive, witness = guarded.archive(), guarded.keyring.witness(soul)
    guarded.keyring.set_passphrase(soul, "", "a sparrow at noon")
    with pytest.raises(Locked):
        accept(guarded.gate, soul)
    assert (guarded.archive(), guarded.keyring.witness(soul)) == (archive, witness)


def test_a_host_without_the_authors_key_accepts_a_rollback_unsigned(
    guarded: Guarded, beat: Entry
) -> None:
    soul = rolled_back(guarded, beat)
    guarded.keyring.author_file(soul).unlink()
    accept(guarded.gate, soul)
    assert "signed" not in guarded.last().payload
    assert verify(guarded.being, guarded.keyring).ok


def test_a_fork_is_accepted_by_its_head_alone(guarded: Guarded, beat: Entry) -> None:
    soul = rolled_back(guarded, beat, more=3)
    ours = guarded.index.events.last_head()[1]
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
    soul = guarded.events()[0].soul
    for _ in range(2):
        guarded.gate.record(beat, sign=True)
    heads = guarded.being.heads.read_bytes().splitlines(keepends=True)
    (segment,) = segments(guarded.being.memory)
    segment.write_bytes(segment.read_bytes().splitlines(keepends=True)[0])
    (guarded.being.memory / ".lock").unlink()  # its ring would put the lines back
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
