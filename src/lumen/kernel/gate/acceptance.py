"""What the author takes for true, or not: an archive this host has not seen, lines it did not write.

Each is archived; until then nothing is written to such an archive (soul/checking/witness.py).
"""

from __future__ import annotations

from lumen.core.canon import JSON
from lumen.core.data import Placed, Signer, kernel_entry
from lumen.core.errors import UsageError
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.keys import author_signer, must_be_author, open_author_key
from lumen.kernel.gate.recovery import AUTHOR
from lumen.soul.checking.witness import (
    SURE,
    ForeignTail,
    foreign,
    forked,
    knows,
    refuse_rolled_back,
)

# No key can be made while the end is nobody's word: its event would be built upon that.
ELSEWHERE = "lumen restore-backup FILE ANOTHER_FOLDER"


def accept_tail(gate: Gate, soul: str) -> Placed:
    """Take lines at the end that nobody vouches for as true, under the author's signature.

    Raises:
        UsageError: there are none, or they do not follow from what is there.
    """
    found = _must_be_foreign(gate, soul)
    if found.loose:
        raise UsageError(
            f"{found.loose}, so it cannot be taken for true", fix="lumen archive cut-tail"
        )
    must_be_author(gate, ELSEWHERE)
    with gate.log.locked():
        gate.log.own_up()
        signer = author_signer(gate)
        what = f"The author accepted {found}, which this host had not written."
        said: dict[str, JSON] = {"first": found.first, "last": found.last}
        entry = kernel_entry(
            "tail_accepted", what, AUTHOR, {**said, "head": gate.index.events.hash_of(found.last)}
        )
        placed = gate.record(entry, sign=True, signer=signer)
        gate.index.catch_up()
    return placed


def cut_tail(gate: Gate, soul: str) -> Placed:
    """Move lines at the end that nobody vouches for to quarantine, and say so under the author's key.

    Raises:
        UsageError: there are none, or no author's key that counts is here; nothing was moved.
        Locked: the author's key is under a passphrase that was not given; nothing was moved.
    """
    found = _must_be_foreign(gate, soul)
    must_be_author(gate, ELSEWHERE)
    signer = _at_hand(gate, soul)
    with gate.log.locked():
        kept: list[JSON] = [*gate.log.cut(found.first)]
        what = f"The author had {found}, which this host had not written, moved to quarantine."
        entry = kernel_entry("tail_cut", what, AUTHOR, {"files": kept})
        placed = gate.record(entry, sign=True, signer=signer or author_signer(gate))
        gate.index.catch_up()
    return placed


def _at_hand(gate: Gate, soul: str) -> Signer | None:
    """The author's key, open before anything is changed; none where this host has none.

    It is not asked whether it counts: a chain that was cut off may not name it any more.
    """
    return open_author_key(gate, soul) if gate.keyring.has_author_key(soul) else None


def _must_be_foreign(gate: Gate, soul: str) -> ForeignTail:
    with gate.log.locked():
        gate.index.follow_to_end()
    refuse_rolled_back(gate.index, gate.keyring, soul)
    found = foreign(gate.index, gate.keyring, soul)
    if found is None:
        raise UsageError(
            "every line of this archive is signed, or was written by this host",
            fix="lumen archive verify",
        )
    return found


def accept(gate: Gate, soul: str, head: str = "") -> Placed:
    """Go on from a chain this host has not seen, because the author says so.

    Raises:
        UsageError: there is nothing to accept, or the fork was not named by its head.
        Locked: the author's key is under a passphrase that was not given.
    """
    with gate.log.locked():
        gate.index.follow_to_end()
    seen = gate.keyring.witness(soul)
    if seen is None or knows(gate.index, seen):
        raise UsageError("this archive is the one this host has seen", fix="lumen archive verify")
    if gate.index.loose:
        raise UsageError(
            f"{gate.index.loose}, so nothing can go on from it", fix="lumen archive verify"
        )
    last, ours = gate.index.events.last_head()
    parted = forked(gate.index, gate.keyring, soul) or foreign(gate.index, gate.keyring, soul)
    if (parted or head) and not (len(head) >= SURE and ours.startswith(head)):
        raise UsageError(
            f"a fork is accepted by naming the head that is kept, and this one's is {ours[:16]}…",
            fix=f"lumen archive accept-rollback --head {ours[:SURE]}",
        )
    # No key is made for this: before the chain is accepted nothing can be signed under a new one.
    signer = _at_hand(gate, soul)
    with gate.log.locked():
        gate.log.own_up()
        gate.log.recover()
        gate.index.catch_up()
        aside = gate.log.drop_strange_heads()
        what = f"The author accepted this chain, which ends at event {last}, in place of the one"
        entry = kernel_entry(
            "rollback_accepted",
            f"{what} this host had seen up to event {seen.seq}.",
            AUTHOR,
            {
                "head": ours,
                "seen": {"seq": seen.seq, "event_hash": seen.event_hash},
                "heads": aside,
            },
        )
        return gate.log.accept(entry, signer)
