"""Keys that are named, vouched for, lost and revoked; and beings from before there were two."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.soul.forging import Forged, heard, kernel
from tests.storing import gate_of

from lumen.core.errors import UsageError
from lumen.kernel.gate.approvals import decide, may_run
from lumen.kernel.gate.keys import (
    accept_key,
    new_author_key,
    revoke,
    trust_of,
    vouch,
    vouch_for_erasures,
)
from lumen.kernel.gate.proposals import skill_proposal
from lumen.kernel.gate.recovery import Erasure, erase, recover
from lumen.soul.checking.verify import verify
from lumen.soul.trust.heads import read_heads
from lumen.soul.trust.keys import Keyring, head_from

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded

SKILL = ("dig", "ab" * 32)


def soul_of(guarded: Guarded) -> str:
    return guarded.events()[0].soul


def another_host(guarded: Guarded) -> tuple[Guarded, str, str]:
    """The being goes on where the host's key is not: both keys, the old one first."""
    soul = soul_of(guarded)
    old = guarded.keyring.host_public(soul)
    guarded.keyring.key_file(soul).unlink()
    again = guarded.another()
    recover(again.gate, soul)
    again.gate.record(heard("Hello from here."), sign=True)
    return again, old, guarded.keyring.host_public(soul)


def lose_authors_key(guarded: Guarded) -> str:
    """A new author's key where the old one is gone; its public half."""
    soul = soul_of(guarded)
    guarded.keyring.author_file(soul).unlink()
    new_author_key(guarded.gate)
    return guarded.keyring.author_public(soul)


def propose(guarded: Guarded) -> int:
    asked = skill_proposal(*SKILL, "scripted/echo", "to dig", "lumen:kernel")
    return guarded.gate.record(asked).seq


def test_a_key_nobody_vouched_for_is_told_and_trusted_once_the_author_vouches(
    guarded: Guarded,
) -> None:
    again, _, new = another_host(guarded)
    report = verify(guarded.being, guarded.keyring)
    assert (report.ok, report.trusted, report.unvouched) == (True, False, 2)
    assert any("unvouched from event 2" in line for line in report.notes)
    vouch(again.gate, new[:12])
    assert verify(guarded.being, guarded.keyring).trusted
    with pytest.raises(UsageError, match="counts already"):
        vouch(again.gate, new)
    with pytest.raises(UsageError, match="names no key"):
        vouch(again.gate, "ff" * 32)
    with pytest.raises(UsageError, match="names more than one key"):
        vouch(again.gate, "")
    again.close()


def test_a_revoked_key_signs_nothing_any_more_and_what_it_signed_before_stands(
    guarded: Guarded,
) -> None:
    soul = soul_of(guarded)
    kept = Keyring(guarded.being.root.parent / "lost")
    shutil.copytree(guarded.keyring.folder, kept.folder)
    again, old, new = another_host(guarded)
    vouch(again.gate, new)
    with pytest.raises(UsageError, match="this host signs with that key"):
        revoke(again.gate, new)
    revoke(again.gate, old)
    assert verify(guarded.being, guarded.keyring).trusted
    trust = trust_of(again.gate)
    end = again.gate.record(heard("On we go."), sign=True)
    assert trust.counts(kept.sign(soul, 1, guarded.events()[0].event_hash))
    assert not trust.counts(kept.sign(soul, end.seq, end.event_hash))
    with pytest.raises(UsageError, match="is revoked already"):
        revoke(again.gate, old)
    with pytest.raises(UsageError, match="was revoked"):
        vouch(again.gate, old)
    with pytest.raises(UsageError, match="was revoked"):
        accept_key(again.gate, old)
    again.close()


def test_a_host_whose_key_was_revoked_elsewhere_signs_with_a_new_one_and_says_so(
    guarded: Guarded,
) -> None:
    soul = soul_of(guarded)
    kept = Keyring(guarded.being.root.parent / "first")
    recover(guarded.gate, soul)
    shutil.copytree(guarded.keyring.folder, kept.folder)
    elsewhere, old, new = another_host(guarded)
    vouch(elsewhere.gate, new)
    revoked = revoke(elsewhere.gate, old).seq
    elsewhere.close()

    back = gate_of(guarded.being, kept, guarded.clock)  # the being comes home
    recover(back, soul)
    said = back.record(heard("Home again."), sign=True)
    told = f"This host's key {old[:16]} was revoked in event {revoked}, and is kept aside"
    assert [line for line in back.repairs if line.startswith(told)]
    (head,) = [h for _, h in read_heads(guarded.being.heads)[0] if h.seq == said.seq]
    assert head.key == kept.host_public(soul)
    assert head.key not in (old, new)
    report = verify(guarded.being, kept)
    assert (report.ok, report.trusted, report.unvouched) == (True, False, revoked + 1)
    vouch(back, head.key)
    assert verify(guarded.being, kept).trusted
    again = gate_of(guarded.being, kept, guarded.clock)
    recover(again, soul)
    assert (again.repairs, kept.host_public(soul)) == ([], head.key)
    for gate in (again, back):
        gate.index.close()
        gate.close()


def test_an_author_whose_key_is_lost_goes_on_with_one_accepted_on_this_host(
    guarded: Guarded,
) -> None:
    soul = soul_of(guarded)
    said = guarded.gate.record(heard("The safe opens with 4711."), sign=True)
    new = lose_authors_key(guarded)
    assert any("unvouched until a key that counts vouches" in t for t in guarded.gate.repairs)
    asked = propose(guarded)
    before = guarded.archive()
    with pytest.raises(UsageError, match="does not count in this being"):
        decide(guarded.gate, soul, asked, allow=True)
    with pytest.raises(UsageError, match="does not count in this being"):
        erase(guarded.gate, Erasure((said.seq,)), "Forgotten.")
    assert guarded.archive() == before
    assert not may_run(guarded.index, *SKILL)  # by a key nobody vouched for
    with pytest.raises(UsageError, match="does not count in this being"):
        revoke(guarded.gate, str(guarded.events()[0].entry.payload["author_key"]))

    accept_key(guarded.gate, new)
    assert guarded.keyring.accepted(soul) == {new}
    decide(guarded.gate, soul, asked, allow=True)
    assert may_run(guarded.index, *SKILL)
    erase(guarded.gate, Erasure((said.seq,)), "Forgotten.")
    assert verify(guarded.being, guarded.keyring).trusted
    elsewhere = verify(guarded.being, Keyring(guarded.being.root.parent / "elsewhere"))
    assert elsewhere.problem is not None  # there nobody has accepted it
    assert "not the author's word" in elsewhere.problem.what


def test_an_erasure_by_an_unvouched_author_counts_for_nothing(guarded: Guarded) -> None:
    said = guarded.gate.record(heard("The safe opens with 4711."), sign=True)
    lose_authors_key(guarded)
    copy = Forged(guarded.being.root.parent)
    signer = guarded.keyring.open_author(soul_of(guarded), str)
    guarded.gate.record(kernel("erasure", copy.erases(said.seq - 1)), sign=True, signer=signer)
    with pytest.raises(UsageError, match="no key that counts signed") as refused:
        vouch_for_erasures(guarded.gate)
    key = guarded.keyring.author_public(soul_of(guarded))
    assert refused.value.fix.startswith(f"lumen keys vouch --here {key[:16]}")
    before = guarded.archive()
    again = guarded.another()
    recover(again.gate, soul_of(guarded))
    assert guarded.archive() == before
    assert any("no key of the author's signed it" in told for told in again.gate.repairs)
    again.close()
    copy.read()
    copy.blank(said.seq - 1, len(copy.lines))
    copy.write()
    found = verify(guarded.being, guarded.keyring).problem
    assert found is not None
    assert found.fix.startswith(f"lumen keys vouch --here {key[:16]}")


def test_an_authors_key_made_where_the_host_has_none_comes_after_one_of_the_hosts(
    guarded: Guarded,
) -> None:
    soul = soul_of(guarded)
    guarded.close()
    shutil.rmtree(guarded.keyring.folder / "keys")
    guarded.keyring.author_file(soul).unlink()
    guarded.gate = guarded.another().gate
    new_author_key(guarded.gate)
    named = [e.entry.payload for e in guarded.events() if e.entry.situation == "key_added"]
    assert [said["role"] for said in named] == ["host", "author"]
    assert not any(k.vouched for k in trust_of(guarded.gate).keys.values() if k.since > 1)
    assert verify(guarded.being, guarded.keyring).unvouched == 2


@pytest.fixture
def old(guarded: Guarded) -> Guarded:
    """A being as 0.4.0 made it: one key, and an erasure nobody signed, under its head."""
    guarded.close()
    soul, ring = soul_of(guarded), guarded.keyring
    copy = Forged(guarded.being.root.parent)
    author = ring.author_public(soul).encode()
    copy.say(0, b',"author_key":"' + author + b'"', b"")
    copy.append(heard("The safe opens with 4711."))
    by = copy.append(kernel("erasure", copy.erases(1)))
    copy.blank(1, by)
    copy.append(kernel("scrubbed", {"scrubbed": by}))
    copy.heads = []
    copy.sign(ring, since=-len(copy.lines))
    copy.write()
    ring.author_file(soul).unlink()
    ring.mark_file(soul).unlink()
    ring.remember(head_from(copy.heads[-1], guarded.being.heads), even_lower=True)
    shutil.rmtree(guarded.being.index.parent, ignore_errors=True)  # made once it is asked
    (guarded.being.memory / ".lock").unlink()
    guarded.gate = guarded.another().gate
    return guarded


def test_a_being_of_old_opens_and_its_erasures_are_vouched_for_once(old: Guarded) -> None:
    soul = soul_of(old)
    recover(old.gate, soul)
    report = verify(old.being, old.keyring)
    assert report.trusted
    assert any("1 erasure is from before they were signed" in line for line in report.notes)
    placed, which = vouch_for_erasures(old.gate)
    assert placed is not None
    assert which == [3]
    assert any("the being's one key has vouched for it, once" in t for t in old.gate.repairs)
    assert vouch_for_erasures(old.gate) == (None, [])
    report = verify(old.being, old.keyring)
    assert (report.trusted, report.notes) == (True, ())


def test_a_being_of_old_takes_no_unsigned_erasure_once_it_has_an_authors_key(old: Guarded) -> None:
    soul = soul_of(old)
    recover(old.gate, soul)
    said = old.gate.record(heard("My sister lives in Lisbon."), sign=True)
    new_author_key(old.gate)
    copy = Forged(old.being.root.parent)
    old.gate.record(kernel("erasure", copy.erases(said.seq - 1)), sign=True)
    before = old.archive()
    again = old.another()
    recover(again.gate, soul)
    assert old.archive() == before
    again.close()
    copy.read()
    copy.blank(said.seq - 1, len(copy.lines))
    copy.write()
    report = verify(old.being, old.keyring)
    assert report.problem is not None
    assert (report.problem.seq, "not the author's word" in report.problem.what) == (said.seq, True)
