"""The gate: every change to a being passes here, and only here is soul/write.py called.

A loop may write what the table grants it and nothing else. A set of changes is carried out whole
or not at all; a refusal is archived, raised, and changes nothing. What the changes should be is
decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from lumen.core.canon import sha256
from lumen.core.clock import Clock, parse_stamp
from lumen.core.data import Author, Being, Change, Entry, Origin, Store, kernel_entry
from lumen.core.errors import Refused
from lumen.soul.archive import Placed
from lumen.soul.index import Index, LastChange
from lumen.soul.keys import Keyring
from lumen.soul.write import FileChange, Writer, scaffold

EVERYTHING = frozenset(Store)
GRANTS: Mapping[str, frozenset[Store]] = MappingProxyType(
    {
        "action": frozenset(
            {
                Store.MEMORY,
                Store.GOAL_STATUS,
                Store.GOAL_GAP,
                Store.BELIEFS,
                Store.LATTICE,
                Store.SELF_NORMS,
                Store.LEARNING_NOTEBOOK,
                Store.EVIDENCE_LEDGER,
                Store.NOTEBOOKS,
                Store.SKILLS,
                Store.CHARTER,
                Store.OVERLAY,
            }
        ),
        "explore": frozenset({Store.MEMORY, Store.LATTICE}),
        "reflection": EVERYTHING - {Store.GOAL_GAP, Store.SKILLS, Store.OVERLAY, Store.SETTINGS},
        "author": EVERYTHING,
    }
)


class Gate:
    """The one way to write to an open being."""

    def __init__(self, being: Being, keyring: Keyring, clock: Clock) -> None:
        self.being = being
        self._keyring = keyring
        self._writer = Writer(being, keyring, clock)

    @property
    def repairs(self) -> list[str]:
        """What had to be mended on the way, in words for the author."""
        return self._writer.repairs

    def close(self) -> None:
        """Let go of the files."""
        self._writer.close()

    def recover(self, index: Index, soul: str = "") -> None:
        """Mend what a crash left behind: a torn line, a file whose change was archived only.

        And notice an archive that is not the one this host has seen.
        """
        self._writer.recover()
        last = index.catch_up()
        seen = self._keyring.witness(soul) if soul else None
        if seen and index.hash_of(seen.seq) != seen.event_hash:
            self._writer.estranged = True
            self.repairs.append(
                f"This archive ends at event {last} and is not the one this host has seen up to "
                f"event {seen.seq}: it was cut, rewritten or restored from an older copy. "
                "See: lumen archive verify"
            )
        for store, path in _files(self.being).items():
            change = index.last_change(store)
            if change and _left_behind(path, change):
                self._writer.set_file(path, change.text)
                self.repairs.append(f"{path.name} was brought up to event {change.seq}.")

    def record(self, entry: Entry, *, sign: bool = False) -> Placed:
        """Archive what happened, durably: the kernel's own word, for which no grant is asked."""
        return self._writer.append([entry], durable=True, sign=sign)[-1]

    def commit(
        self,
        loop: str,
        changes: Sequence[Change],
        beat: Entry,
        *,
        before: Sequence[Entry] = (),
        durable: bool = False,
        sign: bool = False,
    ) -> list[Placed]:
        """Carry out a loop's changes together with the memory of the beat that proposed them.

        `before` is what the kernel itself saw during the beat, such as skills at work.

        Raises:
            Refused: a change is not the loop's to make, or its base is gone; nothing was changed.
        """
        self._check(loop, changes, beat.session_key)
        entries = [c.value for c in changes if isinstance(c.value, Entry)]
        files = [self._file(c) for c in changes if isinstance(c.value, str)]
        if files:
            payload = {**beat.payload, "changes": [f.as_json() for f in files]}
            beat = replace(beat, payload=payload)
        try:
            return self._writer.append(
                [*before, *entries, beat], durable=durable, sign=sign, files=files
            )
        except Refused as error:
            payload = {"loop": loop, "why": error.what}
            said = f"Refused: {error.what}."
            self.record(kernel_entry("refused", said, beat.session_key, payload))
            raise

    def _check(self, loop: str, changes: Sequence[Change], session_key: str) -> None:
        granted = GRANTS.get(loop, frozenset())
        for change in changes:
            why = "" if change.store in granted else f"the {loop} loop may not write {change.store}"
            why = why or self._misshapen(change) or _posing(loop, change)
            if why:
                self._refuse(loop, change, why, session_key)

    def _misshapen(self, change: Change) -> str:
        """What keeps a granted change from being carried out; empty when nothing does."""
        match change.operation, change.value:
            case "append", Entry(author=Author.KERNEL):
                return "only the kernel itself writes kernel memories"
            case "append", Entry():
                return "" if change.store is Store.MEMORY else f"{change.store} takes no events"
            case "set", str():
                has_file = change.store in _files(self.being)
                return "" if has_file else f"{change.store} has no file to set"
            case _:
                return f"{change.operation} with that value is no operation"

    def _refuse(self, loop: str, change: Change, why: str, session_key: str) -> None:
        payload = {
            "loop": loop,
            "store": change.store.value,
            "operation": change.operation,
            "why": why,
        }
        self.record(kernel_entry("refused", f"Refused: {why}.", session_key, payload))
        raise Refused(f"refused: {why}")

    def _file(self, change: Change) -> FileChange:
        path = _files(self.being)[change.store]
        return FileChange(change.store.value, path, change.base, str(change.value))


def begin(
    being: Being, keyring: Keyring, clock: Clock, files: Mapping[Path, str], soul: str
) -> Placed:
    """Scaffold a being and write its genesis; its settings come last, and make it one."""
    scaffold(being, {p: t for p, t in files.items() if p != being.settings})
    writer = Writer(being, keyring, clock)
    try:
        placed = writer.begin(soul)
    finally:
        writer.close()
    scaffold(being, {being.settings: files[being.settings]})
    return placed


def _files(being: Being) -> dict[Store, Path]:
    return {Store.SOUL: being.soul_md, Store.VALUES: being.values, Store.SETTINGS: being.settings}


def _posing(loop: str, change: Change) -> str:
    """Only the author's own words come from the author: what a loop writes cannot claim to."""
    claims = isinstance(change.value, Entry) and change.value.origin is Origin.AUTHOR
    return f"the {loop} loop cannot speak as the author" if claims and loop != "author" else ""


def _left_behind(path: Path, change: LastChange) -> bool:
    """Whether a crash kept a file from its change; one touched since is the author's doing."""
    if not path.exists() or sha256(path.read_bytes()) != change.base:
        return False
    return path.stat().st_mtime < parse_stamp(change.timestamp).timestamp()
