"""Is this the chain this host has seen? Asked before anything is written to it.

Whether the chain is sound in itself is for verify.py to say.
"""

from __future__ import annotations

from lumen.core.errors import Estranged
from lumen.soul.index import Index
from lumen.soul.keys import Keyring

SURE = 8  # letters of a head that say which one is meant


def refuse_strange(index: Index, keyring: Keyring, soul: str) -> None:
    """See whether this is the chain this host knows.

    Raises:
        Estranged: it was rolled back, or it is a fork; both heads are shown.
    """
    seen = keyring.witness(soul)
    if seen is None or index.hash_of(seen.seq) == seen.event_hash:
        return
    last, head = index.last_head()
    ours = index.hash_of(seen.seq)
    if ours:
        raise Estranged(
            f"this archive is a fork: at event {seen.seq} it has head {ours[:16]}…, "
            f"the one this host has seen has {seen.event_hash[:16]}…",
            fix="use the other copy; or keep this one for good: "
            f"lumen archive accept-rollback --head {head[:SURE]}",
        )
    raise Estranged(
        f"this archive ends at event {last} (head {head[:16]}…), but this host has seen it up to "
        f"event {seen.seq} (head {seen.event_hash[:16]}…): it was cut off, it was restored from an "
        "older copy, or another copy went on without it; what was said there since is not in it",
        fix="bring the newer copy back; or go on from here: lumen archive accept-rollback",
    )
