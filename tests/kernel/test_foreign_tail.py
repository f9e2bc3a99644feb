"""Lines that others put at the end are refused, cut off or accepted by the author; never believed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest
from tests.kernel.living import pursue, reflect
from tests.kernel.recorder import Recorder, waits
from tests.kernel.spending import Spender
from tests.soul.forging import Forged, heard, kernel
from tests.waiting import PATIENCE

from lumen.core.clock import stamp
from lumen.core.data import Author
from lumen.core.errors import Estranged, Locked, UsageError
from lumen.kernel.gate.acceptance import accept_tail, cut_tail
from lumen.kernel.gate.recovery import recover
from lumen.soul.archive.line import segments, stub
from lumen.soul.archive.ring import SIZE
from lumen.soul.checking.verify import verify
from lumen.soul.trust.heads import read_heads

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded, Life

    from lumen.core.data import Placed
    from lumen.kernel.gate.commit import Gate

LIE = "Mallory is my best friend."


def soul_of(guarded: Guarded) -> str:
    return guarded.events()[0].soul


def forge(guarded: Guarded, *texts: str) -> Forged:
    """Somebody puts words into the author's mouth, right in every hash."""
    copy = Forged(guarded.being.root.parent)
    copy.append(*map(heard, texts or (LIE,)))
    copy.write()
    return copy


def test_lines_of_others_are_refused_and_what_to_do_is_said(guarded: Guarded) -> None:
    recover(guarded.gate, soul_of(guarded))
    forge(guarded, LIE, "I mean it.")
    archive, others = guarded.archive(), guarded.others()
    with pytest.raises(Estranged) as strange:
        recover(guarded.another().gate, soul_of(guarded))
    assert "events 2 to 3 of this archive were not written by this host" in strange.value.what
    assert "lumen archive accept-tail" in strange.value.fix
    assert "lumen archive cut-tail" in strange.value.fix
    assert (guarded.archive(), guarded.others()) == (archive, others)


def test_lines_put_there_while_the_being_is_open_are_built_upon_by_nobody(life: Life) -> None:
    life.say("My sister lives in Lisbon.")
    copy = Forged(life.being.root.parent)
    copy.append(heard(LIE))
    copy.write()
    before = b"".join(p.read_bytes() for p in segments(life.being.memory))
    with pytest.raises(Estranged):
        life.say("Who is my best friend?")
    assert b"".join(p.read_bytes() for p in segments(life.being.memory)) == before


def test_cutting_the_end_off_keeps_its_bytes_aside_and_the_being_goes_on(guarded: Guarded) -> None:
    soul = soul_of(guarded)
    recover(guarded.gate, soul)
    whole = guarded.archive()
    forge(guarded)
    lie = guarded.archive()[len(whole) :]
    again = guarded.another()
    cut_tail(again.gate, soul)
    (added,) = guarded.since(whole)
    assert (added.entry.author, added.entry.situation) == (Author.KERNEL, "tail_cut")
    assert added.entry.payload["signed"]["key"] == guarded.keyring.author_public(soul)
    (aside,) = (guarded.being.memory / "quarantine").iterdir()
    assert aside.read_bytes() == lie
    recover(again.gate, soul)
    assert LIE.encode() not in guarded.archive()
    assert again.index.row("SELECT 1 FROM events WHERE text = ?", (LIE,)) is None
    again.gate.record(heard("On we go."), sign=True)
    assert verify(guarded.being, guarded.keyring).trusted
    with pytest.raises(UsageError, match="every line of this archive is signed"):
        cut_tail(again.gate, soul)


def test_nothing_is_cut_off_without_the_authors_passphrase(guarded: Guarded) -> None:
    soul = soul_of(guarded)
    recover(guarded.gate, soul)
    forge(guarded)
    before = guarded.archive()
    guarded.keyring.set_passphrase(soul, "", "a sparrow at noon")
    with pytest.raises(Locked):
        cut_tail(guarded.another().gate, soul)
    assert guarded.archive() == before


@pytest.mark.parametrize("decision", [cut_tail, accept_tail])
def test_a_host_without_the_authors_key_decides_nothing_and_makes_none(
    guarded: Guarded, decision: Callable[[Gate, str], Placed]
) -> None:
    soul = soul_of(guarded)
    recover(guarded.gate, soul)
    forge(guarded)
    before = guarded.archive()
    guarded.keyring.author_file(soul).unlink()
    again = guarded.another()
    with pytest.raises(UsageError, match="is not on this host") as refused:
        decision(again.gate, soul)
    assert "lumen restore-backup" in refused.value.fix
    assert guarded.archive() == before
    assert not guarded.keyring.has_author_key(soul)
    again.close()


def test_accepting_the_end_is_archived_under_the_authors_signature(guarded: Guarded) -> None:
    soul = soul_of(guarded)
    recover(guarded.gate, soul)
    forge(guarded)
    whole = guarded.archive()
    again = guarded.another()
    accept_tail(again.gate, soul)
    (added,) = guarded.since(whole)
    assert added.entry.situation == "tail_accepted"
    assert added.entry.payload["signed"]["key"] == guarded.keyring.author_public(soul)
    recover(again.gate, soul)
    assert verify(guarded.being, guarded.keyring).trusted


def test_an_index_that_was_edited_hides_no_line_of_others(guarded: Guarded) -> None:
    soul = soul_of(guarded)
    recover(guarded.gate, soul)
    guarded.gate.record(heard("Hello."), sign=True)
    assert guarded.index.events.last_head()[0] == 2
    guarded.close()
    size = len(guarded.archive())
    forge(guarded)
    more = len(guarded.archive()) - size
    db = apsw.Connection(str(guarded.being.index))
    db.execute("UPDATE events SET length = length + ? WHERE seq = 2", (more,))
    db.close()
    again = guarded.another()
    with pytest.raises(Estranged, match="event 3 of this archive"):
        recover(again.gate, soul)
    again.close()
    guarded.gate = guarded.another().gate


def test_lines_of_others_in_the_ring_are_refused_too(guarded: Guarded) -> None:
    soul = soul_of(guarded)
    recover(guarded.gate, soul)
    guarded.close()
    whole = guarded.archive()
    forge(guarded)
    lie = guarded.archive()[len(whole) :]
    (path,) = segments(guarded.being.memory)
    path.write_bytes(whole)
    with (guarded.being.memory / ".lock").open("r+b") as ring:
        ring.seek(len(whole) % SIZE)
        ring.write(lie)
    again = guarded.another()
    with pytest.raises(Estranged, match="event 2 of this archive"):
        recover(again.gate, soul)
    again.close()
    guarded.gate = guarded.another().gate


def test_a_start_blanks_nothing_for_an_erasure_the_author_did_not_sign(guarded: Guarded) -> None:
    soul = soul_of(guarded)
    kept = guarded.gate.record(heard("My sister lives in Lisbon."), sign=True)
    copy = Forged(guarded.being.root.parent)
    erasure = kernel("erasure", copy.erases(kept.seq - 1))
    guarded.gate.record(erasure, sign=True)  # by the host's own hand, under its head
    before = guarded.archive()
    again = guarded.another()
    recover(again.gate, soul)
    assert guarded.archive() == before
    (told,) = again.gate.repairs
    assert told.startswith("Event 3 says that it erases event 2, and no key of the author's")
    _, raw = Forged(guarded.being.root.parent).lines[1]
    assert stub(raw, 3) not in guarded.archive()
    assert verify(guarded.being, guarded.keyring).trusted
    again.close()


@pytest.mark.parametrize("written", [None, b"\xffnot a key"])
def test_turns_and_cycles_never_open_the_authors_key(life: Life, written: bytes | None) -> None:
    path = life.keyring.author_file(life.events()[0].soul)
    path.unlink()
    if written is not None:
        path.write_bytes(written)
    assert life.say("My sister lives in Lisbon.").event
    pursue(life)
    reflect(life)
    life.open_again()
    assert verify(life.being, life.keyring).trusted
    assert (path.read_bytes() if path.exists() else None) == written


def test_a_process_killed_in_mid_turn_leaves_its_message_signed_and_nothing_foreign(
    root: Path, far: Life, cloud: Recorder, wake_again: Callable[[Life], Life]
) -> None:
    cloud.plan = [waits]
    told = Spender(
        being=str(far.being.root),
        keyring=str(far.keyring.folder),
        url=cloud.url,
        seed=1000,
        at=stamp(far.clock.now()),
        turns=1,
    )
    with told.start() as process:
        assert cloud.asked.wait(PATIENCE)
        process.kill()

    (message,) = [e for e in far.events() if e.entry.situation == "heard"]
    signed = {head.seq: head.event_hash for _, head in read_heads(far.being.heads)[0]}
    assert signed[message.seq] == message.event_hash
    assert verify(far.being, far.keyring).trusted
    again = wake_again(far)
    again.open_again()
    with pytest.raises(UsageError, match="every line of this archive is signed"):
        cut_tail(again.kernel.gate, message.soul)
    assert verify(far.being, far.keyring).trusted
