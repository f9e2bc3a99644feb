"""Whose word counts in a being, and what the author says of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from lumen.app.settings import data_home
from lumen.app.storage import asking
from lumen.core.data import BeingPaths
from lumen.core.errors import LumenError, UsageError
from lumen.soul.checking.witness import trust_in
from lumen.soul.trust.keys import Keyring
from lumen.soul.trust.vouching import AUTHOR, HOST, Key, Trust

if TYPE_CHECKING:
    from lumen.kernel.gate.commit import Gate

ELSEWHERE = "elsewhere"  # where a key is that is not on this host


@dataclass(frozen=True, slots=True)
class KeyState:
    """A key the archive names: whose it is, since which event, whether it counts, where it is kept."""

    key: str
    role: str
    since: int
    state: str
    counts: bool
    vouched: int | None
    revoked: int | None
    where: str


@dataclass(frozen=True, slots=True)
class Keys:
    """Every key of a being; `unnamed` lie on this host and the archive does not name them."""

    keys: tuple[KeyState, ...]
    unsigned_erasures: tuple[int, ...]
    unnamed: tuple[str, ...]
    fixes: tuple[str, ...]  # what to try about those erasures
    trouble: str = ""  # why the keys of this host could not be read


@dataclass(frozen=True, slots=True)
class KeyMade:
    """A new key of the author's, the event that names it, and where the one before is kept."""

    key: str
    event: int
    aside: str


@dataclass(frozen=True, slots=True)
class KeyStanding:
    """Whether a key's word, given at an event, counts; `words` is a predicate to the key."""

    counts: bool
    words: str


def keys_of(being: BeingPaths, soul: str) -> Keys:
    """Every key the archive names, and what lies on this host."""
    keyring = Keyring(data_home())
    with asking(being) as index:
        trust = trust_in(index, keyring.accepted(soul))
    here, trouble = _here(keyring, soul)
    return Keys(
        keys=tuple(_state_of(key, here) for key in trust.keys.values()),
        unsigned_erasures=tuple(trust.without_word()),
        fixes=_fixes(trust),
        unnamed=tuple(key for key in here if key not in trust.keys),
        trouble=trouble,
    )


def must_be_named(being: BeingPaths, soul: str, key: str) -> None:
    """See that the archive names a key that begins so, before anybody is asked about it.

    Raises:
        UsageError: it names none.
    """
    if not key or not any(known.key.startswith(key.lower()) for known in keys_of(being, soul).keys):
        raise UsageError(f"the archive names no key {key!r}", fix="lumen keys list")


def _fixes(trust: Trust) -> tuple[str, ...]:
    heals = (trust.heals(seq) or "lumen archive verify" for seq in trust.without_word())
    return tuple(dict.fromkeys(heals))


def standing(being: BeingPaths, soul: str, public: str, seq: int) -> KeyStanding:
    """How a host's key stands in the archive, for what it signs at an event."""
    with asking(being) as index:
        key = trust_in(index, Keyring(data_home()).accepted(soul)).keys.get(public)
    if key is None:
        return KeyStanding(False, "the archive does not name")
    if key.role != HOST:
        return KeyStanding(False, "is the author's, not a host's")
    if key.counts_at(seq):
        return KeyStanding(True, f"counts since event {key.since:,}")
    how = f"was revoked in event {key.revoked:,}" if key.revoked else "nobody has vouched for"
    return KeyStanding(False, how)


def must_be_lost(being: BeingPaths, soul: str) -> None:
    """See that no key of the author's on this host counts, before another is made in its place.

    Raises:
        UsageError: one does; a new one would count for less.
    """
    for key in keys_of(being, soul).keys:
        if key.role == AUTHOR and key.counts and key.where != ELSEWHERE:
            file = quote(str(Keyring(data_home()).author_file(soul)))
            raise UsageError(
                f"your key {key.key[:16]} is on this host and counts: one in its place would not",
                fix="lumen keys passphrase puts it under another passphrase; where that is lost, or "
                f"the key is in other hands: mv {file} {file}.old, then lumen keys new",
            )


def has_author_key(soul: str) -> bool:
    """Whether a key of the author's is on this host."""
    return Keyring(data_home()).has_author_key(soul)


def change_passphrase(
    soul: str, old: Callable[[], str], new: Callable[[], str], *, remove: bool = False
) -> tuple[str, bool]:
    """Put the author's key under another passphrase; returns its public half and whether it has one.

    Raises:
        UsageError: it is to be taken away, and there is none.
        LumenError: the old one is wrong, before the new one is asked for.
    """
    keyring = Keyring(data_home())
    locked = keyring.author_is_locked(soul)
    if remove and not locked:
        raise UsageError("your key is under no passphrase", fix="lumen keys passphrase")
    known = old() if locked else ""
    if locked:
        keyring.open_author(soul, lambda: known)  # before anything is asked for in vain
    wanted = "" if remove else new()
    keyring.set_passphrase(soul, known, wanted)
    return keyring.author_public(soul), bool(wanted)


def vouch(gate: Gate, key: str) -> int:
    """Say, signed, that a key is one of the author's, or a host of theirs; returns the event."""
    from lumen.kernel.gate.keys import vouch as vouch_for

    return vouch_for(gate, key).seq


def accept_here(gate: Gate, key: str) -> None:
    """Let a key count on this host alone; nothing is signed."""
    from lumen.kernel.gate.keys import accept_key

    accept_key(gate, key)


def vouch_for_erasures(gate: Gate) -> tuple[int | None, list[int]]:
    """Vouch for erasures from before they were signed; returns the event and the erasures."""
    from lumen.kernel.gate.keys import vouch_for_erasures as vouch_for

    placed, old = vouch_for(gate)
    return (placed.seq if placed else None), list(old)


def revoke(gate: Gate, key: str) -> int:
    """Let the word of a key, lost or stolen, count no longer; returns the event."""
    from lumen.kernel.gate.keys import revoke as revoke_key

    return revoke_key(gate, key).seq


def make_key(gate: Gate, soul: str) -> KeyMade:
    """Make another key of the author's for this host; the one before is put aside."""
    from lumen.kernel.gate.keys import new_author_key

    keyring = Keyring(data_home())
    aside = _put_aside(keyring.author_file(soul))
    placed = new_author_key(gate)
    return KeyMade(keyring.author_public(soul), placed.seq, aside)


def _put_aside(kept: Path) -> str:
    """Move a key out of the way, never onto another."""
    if not kept.exists():
        return ""
    number = 1
    while (aside := kept.with_suffix(f".{number}.aside")).exists():
        number += 1
    kept.rename(aside)
    return str(aside)


def _state_of(key: Key, here: dict[str, str]) -> KeyState:
    state = "counts" if key.vouched else "nobody has vouched for it"
    return KeyState(
        key=key.public,
        role=key.role,
        since=key.since,
        state=f"revoked in event {key.revoked:,}" if key.revoked else state,
        counts=bool(key.vouched) and not key.revoked,
        vouched=key.vouched or None,
        revoked=key.revoked or None,
        where=here.get(key.public, ELSEWHERE),
    )


def _here(keyring: Keyring, soul: str) -> tuple[dict[str, str], str]:
    """The keys of this host by their public halves, and how each is kept."""
    found: dict[str, str] = {}
    try:
        if keyring.has_key(soul):
            found[keyring.host_public(soul)] = "this host"
        if keyring.has_author_key(soul):
            how = "under a passphrase" if keyring.author_is_locked(soul) else "no passphrase"
            found[keyring.author_public(soul)] = f"this host, {how}"
    except LumenError as error:
        return found, f"{error.what}\n  try: {error.fix}"
    return found, ""
