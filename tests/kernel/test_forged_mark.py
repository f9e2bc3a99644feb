"""The mark outside of the being is this host's word: one that somebody else wrote is found and told."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING

import pytest
from tests.soul.forging import Forged, heard

from lumen.core.data import Head
from lumen.core.errors import Damaged, Estranged, LumenError
from lumen.kernel.gate.recovery import recover
from lumen.soul.archive.mark import PURPOSE, Mark
from lumen.soul.checking.verify import verify
from lumen.soul.trust.keys import Keyring, head_line

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded, Life

LIE = "Mallory is my best friend."


def places(mark: Mark) -> bytes:
    ends = (mark.seq, mark.event_hash.encode(), mark.before, mark.before_hash.encode())
    return b"%020d %b %020d %b" % ends


def unkeyed(mark: Mark) -> bytes:
    """As marks once were."""
    return places(mark) + b"\n"


def made_with(key: bytes, mark: Mark) -> bytes:
    seal = blake2b(places(mark), digest_size=32, key=key, person=PURPOSE).hexdigest()
    return places(mark) + b" " + seal.encode() + b"\n"


def by_a_stranger(mark: Mark) -> bytes:
    return made_with(b"k" * 32, mark)


def with_no_key(mark: Mark) -> bytes:
    return made_with(b"", mark)


def with_the_old_seal(mark: Mark) -> bytes:
    return places(mark) + b" " + b"0" * 64 + b"\n"


FORGERIES = [unkeyed, by_a_stranger, with_no_key, with_the_old_seal]


def forge(guarded: Guarded | Life) -> Mark:
    """Somebody puts a line behind the end; the mark that would call it this host's own."""
    copy = Forged(guarded.being.root.parent)
    before = copy.lines[-1][1]
    copy.append(heard(LIE))
    copy.write()
    count, last = len(copy.lines), copy.lines[-1][1]
    return Mark(count, last[15:79].decode(), count - 1, before[15:79].decode())


def soul_of(guarded: Guarded | Life) -> str:
    return guarded.events()[0].soul


@pytest.mark.parametrize("forged", FORGERIES)
def test_an_edited_mark_gets_no_forged_line_taken_for_this_hosts_own(
    guarded: Guarded, forged: Callable[[Mark], bytes]
) -> None:
    soul = soul_of(guarded)
    recover(guarded.gate, soul)
    guarded.keyring.mark_file(soul).write_bytes(forged(forge(guarded)))
    archive, others = guarded.archive(), guarded.others()
    again = guarded.another()
    with pytest.raises(LumenError) as refused:
        recover(again.gate, soul)
    assert isinstance(refused.value, Estranged if forged is unkeyed else Damaged)
    assert refused.value.fix
    assert (guarded.archive(), guarded.others()) == (archive, others)
    again.close()


def test_an_edited_mark_is_told_by_verify_and_moving_it_away_leaves_the_forged_line_foreign(
    guarded: Guarded,
) -> None:
    soul = soul_of(guarded)
    recover(guarded.gate, soul)
    path = guarded.keyring.mark_file(soul)
    path.write_bytes(by_a_stranger(forge(guarded)))
    with pytest.raises(Damaged, match="was forged or edited"):
        verify(guarded.being, guarded.keyring)
    path.unlink()
    assert not verify(guarded.being, guarded.keyring).trusted
    with pytest.raises(Estranged, match="event 2 of this archive was not written by this host"):
        recover(guarded.another().gate, soul)


@pytest.mark.parametrize("forged", [*FORGERIES, None])
def test_an_open_conversation_builds_on_no_line_that_an_edited_or_missing_mark_vouches_for(
    life: Life, forged: Callable[[Mark], bytes] | None
) -> None:
    life.say("My sister lives in Lisbon.")
    mark = forge(life)
    path = life.keyring.mark_file(soul_of(life))
    path.write_bytes(forged(mark) if forged else b"")
    with pytest.raises(Estranged):
        life.say("Who is my best friend?")


def test_a_witness_that_a_stranger_signed_makes_no_forged_line_this_hosts_own(
    guarded: Guarded,
) -> None:
    soul = soul_of(guarded)
    recover(guarded.gate, soul)
    mark = forge(guarded)
    stranger = Keyring(guarded.being.root.parent / "stranger")
    stranger.create(soul)
    stranger.adopt(soul)
    head: Head = stranger.sign(soul, mark.seq, mark.event_hash)
    guarded.keyring.witness_file(soul).write_bytes(head_line(head))
    with pytest.raises(Estranged, match="was not written by this host"):
        recover(guarded.another().gate, soul)


def test_a_mark_of_old_is_taken_over_once_where_the_end_is_signed_and_that_is_said(
    guarded: Guarded,
) -> None:
    soul = soul_of(guarded)
    guarded.gate.record(heard("Hello."), sign=True)
    mark = guarded.keyring.mark(soul)
    assert mark
    guarded.keyring.mark_file(soul).write_bytes(unkeyed(mark))
    again = guarded.another()
    recover(again.gate, soul)
    assert [line for line in again.gate.repairs if "from before marks were made" in line]
    taken = guarded.keyring.mark(soul)
    assert taken
    assert taken.seq == mark.seq
    once_more = guarded.another()
    recover(once_more.gate, soul)
    assert not once_more.gate.repairs


def test_a_mark_of_old_speaks_for_no_line_that_is_not_signed(guarded: Guarded) -> None:
    soul = soul_of(guarded)
    guarded.gate.record(heard("Hello."))
    mark = guarded.keyring.mark(soul)
    assert mark
    guarded.keyring.mark_file(soul).write_bytes(unkeyed(mark))
    with pytest.raises(Estranged, match="event 2 of this archive was not written by this host"):
        recover(guarded.another().gate, soul)


def test_a_host_that_got_a_new_key_marks_with_that_one_and_the_being_goes_on(
    guarded: Guarded,
) -> None:
    soul = soul_of(guarded)
    guarded.gate.record(heard("Hello."), sign=True)
    path = guarded.keyring.key_file(soul)
    old = guarded.keyring.mark_key(soul)
    path.rename(path.with_suffix(".away"))
    again = guarded.another()
    recover(again.gate, soul)
    again.gate.record(heard("On we go."), sign=True)
    assert guarded.keyring.mark_key(soul) != old
    mark = guarded.keyring.mark(soul)
    assert mark
    assert mark.knows(*again.index.events.last_head())
    guarded.gate.record(heard("The other process goes on too."), sign=True)
    assert guarded.keyring.mark(soul)
