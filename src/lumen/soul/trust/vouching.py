"""Whose word counts: the keys of a being, who vouched for them, and which events they signed.

Pure: a fold over the few events that are about keys, erasures and the author's word. A host's key
signs heads; an author's key signs erasures, approvals and vouches for keys. A key counts from the
event that named it once the genesis names it, a key that counts vouches for it, or the owner of
this host has accepted it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from lumen.core.canon import JSON
from lumen.core.data import Author, Event, Head
from lumen.soul.archive.line import parse
from lumen.soul.trust.signed import signer_of

HOST, AUTHOR = "host", "author"
NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Key:
    """A public key that the archive names; `vouched` and `revoked` are events, 0 for none."""

    public: str
    role: str
    since: int
    vouched: int = 0
    revoked: int = 0

    def counts_at(self, seq: int) -> bool:
        """Whether the key's word, given at an event, counts."""
        return bool(self.vouched) and self.since <= seq <= (self.revoked or NEVER)


@dataclass(slots=True)
class Trust:
    """What a fold over events has found so far."""

    accepted: frozenset[str] = frozenset()  # by the owner of this host
    keys: dict[str, Key] = field(default_factory=dict)
    authored: set[int] = field(default_factory=set)  # events under the author's signature
    unsigned: list[int] = field(default_factory=list)  # erasures without it
    strangers: dict[int, str] = field(default_factory=dict)  # whose signature they carry instead
    pardoned: set[int] = field(default_factory=set)  # those of them the author vouched for later
    old_until: int = 0  # before this event erasures needed no signature

    @property
    def genesis_key(self) -> str:
        """The key the being was born with."""
        return next((k.public for k in self.keys.values() if k.since == 1), "")

    @property
    def is_old(self) -> bool:
        """Whether the being is from before there were two keys, and has no author's key yet."""
        return self.old_until == NEVER

    def counts(self, head: Head) -> bool:
        """Whether a signed head is by a key that may sign heads, and did so in its time."""
        key = self.keys.get(head.key)
        return key is not None and key.role == HOST and key.counts_at(head.seq)

    def may_erase(self, seq: int, covered: int) -> bool:
        """Whether an erasure counts; an old one only as far as signed heads cover."""
        old = seq < self.old_until and seq <= covered
        return seq in self.authored or seq in self.pardoned or old

    def valid_unvouched(self, covered: int) -> list[int]:
        """The old erasures that count and for which the author has not vouched."""
        return [s for s in self.without_word() if self.may_erase(s, covered)]

    def without_word(self) -> list[int]:
        """Erasures for which no key of the author's that counts has given its word."""
        return [s for s in self.unsigned if s not in self.pardoned]

    def heals(self, seq: int) -> str:
        """What makes an erasure count that no key of the author's signed."""
        key = self.keys.get(self.strangers.get(seq, ""))
        if seq < self.old_until:
            return "lumen keys vouch --erasures"
        if key is None or key.role != AUTHOR or key.vouched or key.revoked:
            return ""
        return f"lumen keys vouch --here {key.public[:16]}, if that key is yours"

    def unvouched(self, role: str) -> list[Key]:
        """Keys of a role that nobody has vouched for, and that were not revoked either."""
        found = [k for k in self.keys.values() if k.role == role]
        return [k for k in found if not (k.vouched or k.revoked)]

    def take(self, event: Event, signer: str) -> None:
        """Go on by one event; `signer` is the key whose good signature it carries, if any."""
        if event.entry.author is not Author.KERNEL:
            return
        key = self.keys.get(signer)
        role = key.role if key and key.counts_at(event.seq) else ""
        said = event.entry.payload
        if role == AUTHOR:
            self._take_authored(event)
        match event.entry.situation:
            case "genesis" if event.seq == 1:
                self._begin(said)
            case "key_added":
                self._add(event.seq, said, role)
            case "key_vouched":
                self._vouch(event.seq, str(said.get("key")), role)
            case "erasure" if role != AUTHOR:
                self.unsigned.append(event.seq)
                self.strangers[event.seq] = signer
            case _:
                pass

    def _take_authored(self, event: Event) -> None:
        """What only the author's signature can do."""
        self.authored.add(event.seq)
        said = event.entry.payload
        if event.entry.situation == "key_revoked":
            self._revoke(event.seq, str(said.get("key")))
        elif event.entry.situation == "erasures_vouched":
            self.pardoned |= {s for s in _numbers(said.get("erasures")) if s < self.old_until}

    def _begin(self, said: dict[str, JSON]) -> None:
        host, author = str(said.get("public_key")), said.get("author_key")
        self.keys[host] = Key(host, HOST, 1, 1)
        if isinstance(author, str) and author != host:
            self.keys[author] = Key(author, AUTHOR, 1, 1)
        else:
            self.old_until = NEVER

    def _add(self, seq: int, said: dict[str, JSON], role: str) -> None:
        public = str(said.get("public_key"))
        wanted = AUTHOR if said.get("role") == AUTHOR else HOST
        first = wanted == AUTHOR and not any(
            k.role == AUTHOR and k.vouched for k in self.keys.values()
        )
        # The one key of a being from before there were two vouches for the author's, once.
        vouched = role == AUTHOR or (role == HOST and (wanted == HOST or first))
        vouched = vouched or public in self.accepted
        if public not in self.keys:
            self.keys[public] = Key(public, wanted, seq, seq if vouched else 0)
            if wanted == AUTHOR and vouched:
                self.old_until = min(self.old_until, seq)

    def _vouch(self, seq: int, public: str, role: str) -> None:
        key = self.keys.get(public)
        if key and not key.vouched and (role == AUTHOR or (role == HOST and key.role == HOST)):
            self.keys[public] = replace(key, vouched=seq)
            if key.role == AUTHOR:
                self.old_until = min(self.old_until, seq)

    def _revoke(self, seq: int, public: str) -> None:
        key = self.keys.get(public)
        if key and not key.revoked:
            self.keys[public] = replace(key, revoked=seq)


def fold_trust(lines: Iterable[bytes], accepted: frozenset[str]) -> Trust:
    """Whose word counts, after some lines about that, oldest first."""
    trust = Trust(accepted)
    for raw in lines:
        trust.take(parse(raw), signer_of(raw))
    return trust


def _numbers(value: JSON) -> list[int]:
    return [n for n in value if type(n) is int] if isinstance(value, list) else []
