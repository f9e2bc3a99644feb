"""Is this the chain this host has seen, and its own work? Asked before anything is written to it.

Whether the chain is sound in itself is for verify.py to say.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from lumen.core.data import Author, Head
from lumen.core.errors import Damaged, Estranged
from lumen.soul.archive.line import is_sound, parse
from lumen.soul.archive.mark import DECIDE, KnownPlace, Mark, known_places, own_up_to
from lumen.soul.ports.queries import LooseEnd, Queries
from lumen.soul.trust.heads import newest_counting
from lumen.soul.trust.keys import Keyring
from lumen.soul.trust.vouching import HOST, Trust, fold_trust

FOREIGN, UNFINISHED, OLD = "foreign", "unfinished", "old"
SURE = 8  # letters of a head that say which one is meant


class ForeignTail(NamedTuple):
    """Lines at the end that nobody who counts vouches for."""

    first: int
    last: int
    kind: str  # foreign, unfinished (of an append of this host's that was cut off) or old

    loose: LooseEnd | None = None  # what stands behind them and does not even follow

    def __str__(self) -> str:
        if self.first > self.last:
            return f"what follows event {self.last}"
        one = self.first == self.last
        events = f"event {self.last}" if one else f"events {self.first} to {self.last}"
        return f"{events} and what follows" if self.loose else events


def trust_in(index: Queries, accepted: frozenset[str]) -> Trust:
    """Whose word counts in an archive, by its index, which is caught up by whoever asks."""
    return fold_trust(index.events.about_trust(), accepted)


def knows(index: Queries, head: Head) -> bool:
    """Whether a head is one of this chain."""
    return index.events.hash_of(head.seq) == head.event_hash


def signed_up_to(index: Queries, trust: Trust) -> int:
    """The last event of the chain for which a signed head speaks that counts; 0: none does."""
    return newest_counting(index.events.heads(), trust, partial(knows, index))


def own_key_revoked(index: Queries, keyring: Keyring, soul: str) -> int:
    """The event that took its word from the key this host signs with; 0 when none did."""
    if not keyring.has_key(soul) or not index.events.is_any_key_revoked():
        return 0  # as nearly always: no signature has to be looked at
    key = trust_in(index, keyring.accepted(soul)).keys.get(keyring.host_public(soul))
    return key.revoked if key else 0


def own_key_is_named(index: Queries, keyring: Keyring, soul: str) -> bool:
    """Whether the archive names the key this host signs with as a host's; no signature is looked at.

    Where a line about keys is not what was written, that cannot be told, and the key is left in use.
    """
    ours, lines = keyring.host_public(soul), list(index.events.about_trust())
    if not lines or not all(map(is_sound, lines)):
        return True
    told = [parse(raw).entry for raw in lines]
    return told[0].situation != "genesis" or any(
        one.author is Author.KERNEL
        and one.situation in ("genesis", "key_added")
        and (one.payload.get("public_key"), one.payload.get("role", HOST)) == (ours, HOST)
        for one in told
    )


def refuse_strange(index: Queries, keyring: Keyring, soul: str) -> ForeignTail | None:
    """See whether this is the chain this host knows, and nobody else put lines at its end.

    Returns lines at the end that need a word, and no decision of the author's.

    Raises:
        Estranged: it was rolled back, it is a fork, or it has lines nobody vouches for.
        Damaged: the witness cannot be read, or it or the mark was forged.
    """
    refuse_rolled_back(index, keyring, soul)
    found = foreign(index, keyring, soul)
    if found and found.kind == FOREIGN:
        raise _refusal(found)
    return found


def _refusal(found: ForeignTail) -> Estranged:
    if found.loose:
        also = (
            ""
            if found.first > found.last
            else f"; nor did it write the events from {found.first} on"
        )
        return Estranged(
            f"{found.loose}: this host did not write it there, and nothing can be built upon it{also}",
            fix="move it to quarantine: lumen archive cut-tail",
        )
    was, them = ("was", "it") if found.first == found.last else ("were", "them")
    return Estranged(
        f"{found} of this archive {was} not written by this host, and no key that counts has "
        f"signed {them}: somebody put {them} there, another host went on with the being, or a "
        "power cut took this host's mark",
        fix=DECIDE,
    )


def foreign(index: Queries, keyring: Keyring, soul: str) -> ForeignTail | None:
    """What is at the end that neither this host wrote nor a key that counts has signed."""
    found = _unvouched(index, keyring, soul)
    if not index.loose:
        return found
    last = index.loose.after
    first = found.first if found and found.kind != OLD else last + 1
    return ForeignTail(first, last, FOREIGN, index.loose)


def _mark(index: Queries, keyring: Keyring, soul: str) -> Mark | None:
    """The mark; none where another key lies in the place of this host's, as then nothing says who made it.

    Raises:
        Damaged: it is not this host's.
    """
    try:
        return keyring.mark(soul)
    except Damaged:
        if own_key_is_named(index, keyring, soul):
            raise
        return None


def _unvouched(index: Queries, keyring: Keyring, soul: str) -> ForeignTail | None:
    last, head = index.events.last_head()
    mark = _mark(index, keyring, soul)
    if not last or (mark and mark.knows(last, head)):
        return None
    trust = trust_in(index, keyring.accepted(soul))
    seen = keyring.witness(soul)
    if seen and not (trust.counts(seen) or keyring.is_ours(seen, ())):
        seen = None  # a witness somebody else signed speaks for nothing
    own = own_up_to(known_places(mark, seen), index.events.hash_of)
    first = max(own, signed_up_to(index, trust)) + 1
    if first > last:
        return None
    kind = FOREIGN
    if mark is None and not keyring.mark_is_unkeyed(soul) and seen is not None and trust.is_old:
        kind = OLD  # from before there were marks: this host has seen the chain before these
    elif mark is not None and mark.leaves_off(first, last):
        kind = UNFINISHED
    return ForeignTail(first, last, kind)


def refuse_rolled_back(index: Queries, keyring: Keyring, soul: str) -> None:
    """See whether this is the chain this host knows.

    Raises:
        Estranged: it was rolled back, or it is a fork; both heads are shown.
        Damaged: a line does not follow, and this host or a head knows of others in its place.
    """
    refuse_damaged(index, keyring, soul)
    seen = keyring.witness(soul)
    if seen is None or knows(index, seen):
        return
    last, head = index.events.last_head()
    if fork := forked(index, keyring, soul):
        ours = index.events.hash_of(fork.seq)
        raise Estranged(
            f"this archive is a fork: at event {fork.seq} it has head {ours[:16]}…, "
            f"the one this host has seen has {fork.event_hash[:16]}…",
            fix="use the other copy; or keep this one for good: "
            f"lumen archive accept-rollback --head {head[:SURE]}",
        )
    raise Estranged(
        f"this archive ends at event {last} (head {head[:16]}…), but this host has seen it up to "
        f"event {seen.seq} (head {seen.event_hash[:16]}…): it was cut off, it was restored from an "
        "older copy, or another copy went on without it; what was said there since is not in it",
        fix="bring the newer copy back; or go on from here: lumen archive accept-rollback",
    )


def forked(index: Queries, keyring: Keyring, soul: str) -> KnownPlace | None:
    """Where this chain differs from the one this host went on with; a prefix of it differs nowhere.

    What is known are the end of that chain and where it ended before: a fork that is shorter than
    both cannot be told from an older copy.
    """
    places = known_places(_mark(index, keyring, soul), keyring.witness(soul))
    differ = (p for p in places if index.events.hash_of(p.seq) not in ("", p.event_hash))
    return max(differ, default=None)


def refuse_damaged(index: Queries, keyring: Keyring, soul: str) -> None:
    """Tell damage to what is known from lines that others put behind it: that is not cut off.

    Raises:
        Damaged: a line does not follow, and this host or a head knows of others in its place.
    """
    if not index.loose:
        return
    seen, mark = keyring.witness(soul), _mark(index, keyring, soul) or Mark()
    trust = trust_in(index, keyring.accepted(soul))
    signed = newest_counting(index.events.heads(), trust, lambda _: True)
    known = max(seen.seq if seen else 0, mark.before, signed, 1)
    if known > index.loose.after:
        after, why = index.loose.after, index.loose.why
        raise Damaged(
            f"event {after + 1} {why}, and the archive is known up to event {known}",
            fix="lumen archive verify",
        )
