"""Whose keys a being knows: the author's key is opened here, keys are vouched for and revoked.

Only a command of the author's comes here; no loop and nothing unattended does. What the events say
and whose word counts is in soul/trust/vouching.py.
"""

from __future__ import annotations

from functools import partial

from lumen.core.canon import JSON
from lumen.core.data import Placed, Signer, kernel_entry
from lumen.core.errors import UsageError
from lumen.kernel.gate.commit import Gate
from lumen.soul.checking.witness import signed_up_to, trust_in
from lumen.soul.trust.vouching import AUTHOR, HOST, Key, Trust

SESSION = "lumen:author"
SHOWN = 10


def trust_of(gate: Gate) -> Trust:
    """Whose word counts in the being behind a gate."""
    gate.index.catch_up()
    return trust_in(gate.index, gate.keyring.accepted(gate.index.events.soul()))


def author_signer(gate: Gate) -> Signer:
    """The author's key, open; a being from before there were two keys gets one, and is told of it.

    Raises:
        UsageError: this host has no author's key that counts.
        Locked: it is under a passphrase that was not given.
    """
    must_be_author(gate)
    soul = gate.index.events.soul()
    if gate.keyring.has_author_key(soul):
        return open_author_key(gate, soul)
    new_author_key(gate)
    return gate.keyring.open_author(soul, gate.ask)


def open_author_key(gate: Gate, soul: str) -> Signer:
    """The author's key on this host, open, whether or not it counts; one in the open may be put
    under a passphrase first.
    """
    if not gate.keyring.author_is_locked(soul):
        gate.offer(soul)
    return gate.keyring.open_author(soul, gate.ask)


def must_be_author(gate: Gate, lost: str = "lumen keys new") -> None:
    """See that this host can sign as the author, before anything is changed.

    A key made in place of one that is missing would sign at once what the missing one, which may be
    under a passphrase, was to keep; so none is made unasked, except by a being's one key, once.
    `lost` is what can be done where the key is lost for good.

    Raises:
        UsageError: the author's key is not here, or the one that is here does not count.
    """
    trust = trust_of(gate)
    soul, end = gate.index.events.soul(), gate.index.events.last_head()[0] + 1
    bring = f"bring {gate.keyring.author_file(soul)} back from your copy of it"
    if not gate.keyring.has_author_key(soul):
        if trust.is_old and _host_counts(gate, trust, end):
            return
        raise UsageError(
            "the author's key of this being is not on this host, so nothing was changed",
            fix=f"{bring}; if it is lost for good: {lost}",
        )
    public = gate.keyring.author_public(soul)
    key = trust.keys.get(public)
    if key is None:
        raise UsageError(
            f"the author's key on this host, {public[:16]}, is not one this archive names",
            fix=f"{bring}; if it is lost for good: {lost}",
        )
    if not key.counts_at(end):
        raise UsageError(
            f"the author's key on this host, {public[:16]}, does not count in this being",
            fix=f"vouch for it where one does: lumen keys vouch {public[:16]}; "
            f"or let it count on this host alone: lumen keys vouch --here {public[:16]}",
        )


def new_author_key(gate: Gate) -> Placed:
    """Make an author's key for this host and archive it, under the word of the host's own key.

    In a being from before there were two keys that is enough, once. Where an author's key is known
    already, it counts when that one vouches for it, or on this host when its owner accepts it.
    """
    gate.index.catch_up()
    soul = gate.index.events.soul()
    gate.log.make_key()
    public = gate.keyring.create_author(soul)
    payload: dict[str, JSON] = {"public_key": public, "role": AUTHOR}
    what = "A key of the author's was added: it signs erasures, approvals and vouching."
    host = partial(gate.keyring.host_sign, soul)
    placed = gate.record(kernel_entry("key_added", what, SESSION, payload), sign=True, signer=host)
    gate.keyring.adopt_author(soul)
    key = trust_of(gate).keys[public]
    counts = (
        "the being's one key has vouched for it, once"
        if key.vouched
        else "unvouched until a key that counts vouches for it, or you accept it on this host"
    )
    gate.repairs.append(
        f"A key of yours was made, {public[:16]}, to sign what only you may do; {counts}. It is "
        f"kept in {gate.keyring.author_file(soul)}: lumen keys passphrase puts it under one."
    )
    return placed


def vouch(gate: Gate, public: str) -> Placed:
    """The author's word that a key is theirs, signed by a key of the author's that counts.

    Raises:
        UsageError: the archive names no such key, it counts already, or this host's does not.
    """
    key = _known(gate, public)
    if key.vouched or key.revoked:
        how = "was revoked" if key.revoked else "counts already"
        raise UsageError(f"the key {key.public[:16]} {how}", fix="lumen keys list")
    signer = author_signer(gate)
    what = f"The author vouched for the {key.role}'s key {key.public[:16]} of event {key.since}."
    payload: dict[str, JSON] = {"key": key.public, "role": key.role, "since": key.since}
    return gate.record(
        kernel_entry("key_vouched", what, SESSION, payload), sign=True, signer=signer
    )


def accept_key(gate: Gate, public: str) -> None:
    """Let a key count on this host because its owner says so; kept outside the being.

    Raises:
        UsageError: the archive names no such key, or it was revoked.
    """
    key = _known(gate, public)
    if key.revoked:
        raise UsageError(f"the key {key.public[:16]} was revoked", fix="lumen keys list")
    gate.keyring.accept(gate.index.events.soul(), key.public)


def revoke(gate: Gate, public: str) -> Placed:
    """Let a key's word count no longer, from here on, under the author's signature.

    Raises:
        UsageError: the archive names no such key, it is revoked already, or no key would be left.
    """
    key = _known(gate, public)
    soul = gate.index.events.soul()
    if key.revoked:
        raise UsageError(f"the key {key.public[:16]} is revoked already", fix="lumen keys list")
    if key.role == HOST and _is_own(gate, key):
        raise UsageError(
            "this host signs with that key",
            fix=f"move {gate.keyring.key_file(soul)} away first: the next turn makes a new one",
        )
    signer = author_signer(gate)
    what = f"The author revoked the {key.role}'s key {key.public[:16]}."
    payload: dict[str, JSON] = {"key": key.public, "role": key.role}
    return gate.record(
        kernel_entry("key_revoked", what, SESSION, payload), sign=True, signer=signer
    )


def vouch_for_erasures(gate: Gate) -> tuple[Placed | None, list[int]]:
    """The author's word, once, for erasures from before they were signed; which those are.

    Raises:
        UsageError: there are others, which no key that counts has signed.
    """
    trust = trust_of(gate)
    old = trust.valid_unvouched(signed_up_to(gate.index, trust))
    if not old:
        _refuse_unsigned(trust)
        return None, []
    signer = author_signer(gate)
    many = "1 erasure" if len(old) == 1 else f"{len(old)} erasures"
    what = f"The author vouched for {many} from before they were signed."
    payload: dict[str, JSON] = {"erasures": [*old]}
    entry = kernel_entry("erasures_vouched", what, SESSION, payload)
    return gate.record(entry, sign=True, signer=signer), old


def _refuse_unsigned(trust: Trust) -> None:
    """Say which erasures stay without the author's word, and what gives it."""
    left = trust.without_word()
    if left:
        which = ", ".join(map(str, left[:SHOWN])) + (" …" if len(left) > SHOWN else "")
        them = "the erasure of event" if len(left) == 1 else "the erasures of events"
        raise UsageError(
            f"{them} {which} came when they had to be signed, and no key that counts signed them",
            fix=trust.heals(left[0]),
        )


def _host_counts(gate: Gate, trust: Trust, seq: int) -> bool:
    soul, ring = gate.index.events.soul(), gate.keyring
    key = trust.keys.get(ring.host_public(soul)) if ring.has_key(soul) else None
    return key is not None and key.counts_at(seq)


def _is_own(gate: Gate, key: Key) -> bool:
    soul = gate.index.events.soul()
    return gate.keyring.has_key(soul) and gate.keyring.host_public(soul) == key.public


def _known(gate: Gate, public: str) -> Key:
    """The one key of the archive that begins so."""
    found = [k for p, k in trust_of(gate).keys.items() if p.startswith(public.lower())]
    if len(found) != 1 or not public:
        many = "more than one key" if len(found) > 1 else "no key"
        raise UsageError(f"the archive names {many} {public!r}", fix="lumen keys list")
    return found[0]
