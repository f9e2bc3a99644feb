"""The gate: every change to a being passes here, and only here is soul/writing/write.py called.

A loop may write what core/stores.py grants it and nothing else. A set of changes is carried out whole
or not at all; a refusal is archived, raised, and changes nothing. What the changes should be is
decided elsewhere; what each makes of the files is in revise.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from lumen.core.canon import JSON, dumps, sha256
from lumen.core.clock import Clock
from lumen.core.data import (
    Author,
    BeingPaths,
    Change,
    Entry,
    EventType,
    NamedValue,
    Origin,
    Placed,
    SelfItem,
    Signer,
    kernel_entry,
)
from lumen.core.errors import Locked, LumenError, Refused
from lumen.core.stores import Store, StoreKind, granted, is_looked_at, is_self, place_at, store_at
from lumen.kernel.gate.edits import PendingEdit, look
from lumen.kernel.gate.revise import base_of, operated, operation, revise
from lumen.kernel.gate.skill_windows import Windows
from lumen.kernel.privacy.redact import redacted, redacted_json, secret_line
from lumen.soul.ports.storage import Storage
from lumen.soul.state.fold import EDITED, SPOKEN_FOR
from lumen.soul.state.records import Operation
from lumen.soul.trust.keys import Keyring

TAKES = {  # what a change of a store of each kind carries
    StoreKind.EVENTS: "an Entry",
    StoreKind.TEXT: "a text",
    StoreKind.ENTRIES: "a SelfItem, or with set a text",
    StoreKind.LINES: "an object, or with set a text",
    StoreKind.STATE: "a NamedValue, or with set a text",
    StoreKind.VERB: "a SelfItem",
}


class Gate:
    """The one way to write to an open being. `secrets` are words the author wants kept nowhere."""

    def __init__(
        self,
        being: BeingPaths,
        keyring: Keyring,
        clock: Clock,
        storage: Storage,
        secrets: Sequence[str] = (),
    ) -> None:
        self.being = being
        self.log, self.index = storage.log, storage.index
        self.files, self.locks = storage.files, storage.locks
        self.secrets = tuple(secrets)
        self.keyring = keyring
        self.clock = clock
        self.windows = Windows()
        self._noticed: list[str] = []  # of edits that are not used, as last told
        self.ask: Callable[[], str] = _nobody_to_ask  # gives the passphrase of the author's key
        self.offer: Callable[[str], None] = lambda _soul: None  # may put an open key under one
        self.index.accepted = keyring.accepted

    @property
    def repairs(self) -> list[str]:
        """What had to be repaired on the way, in words for the author."""
        return self.log.repairs

    def close(self) -> None:
        """Let go of the files; what nobody has signed yet is signed."""
        with suppress(LumenError):  # a full disk: the mark still knows it for this host's own
            self.log.sign_rest()
        self.log.close()

    def record(self, entry: Entry, *, sign: bool = False, signer: Signer | None = None) -> Placed:
        """Archive what happened, durably: the kernel's own word, for which no grant is asked."""
        return self.log.append([self._redacted(entry)], durable=True, sign=sign, signer=signer)[-1]

    def announce(self, entry: Entry, allow: Callable[[], None]) -> Placed:
        """Archive, durably, that something is about to be spent, if that is allowed.

        Nobody else can write between the check and the line, so two processes that spend at once
        cannot both take what is left. `allow` raises what keeps it from being spent.
        """
        with self.log.locked():
            self.index.catch_up()
            allow()
            return self.record(entry)

    def redacted_json(self, value: JSON) -> tuple[JSON, int]:
        """The same for JSON as `redacted` for a text."""
        return redacted_json(value, self.secrets)

    def redacted(self, text: str) -> tuple[str, int]:
        """A text without what looks like a key or is on the author's list, and how much that was."""
        return redacted(text, self.secrets)

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
        kept = [self._redacted(e) for e in (*before, *entries, beat)]
        edits = [c for c in changes if not isinstance(c.value, Entry)]
        if not edits:
            return self.log.append(kept, durable=durable, sign=sign)
        with self.log.locked():
            self.index.catch_up()
            files, told = self._resolved(loop, edits, beat.session_key)
            last = kept[-1]
            kept[-1] = replace(last, payload={**last.payload, "changes": told})
            return self.log.append(kept, durable=durable, sign=sign, files=files)

    def is_edited(self) -> bool:
        """Whether the author changed files by hand that `adopt` would do something about."""
        with self.log.locked():
            self.index.catch_up()
            edits = look(self.files, self.index, self.secrets)
        return bool(edits.valid or edits.strays)

    def adopt(self, *, vouched: bool = False) -> list[str]:
        """Archive and adopt what the author changed in the self files by hand; says what it did.

        Of an edit that cannot be used it tells once, for as long as that stays the same.
        `vouched` is the author's word that an edit made while a turn was cut off is theirs.
        """
        with self.log.locked():
            self.index.catch_up()
            edits = look(self.files, self.index, self.secrets)
            valid = {**edits.valid, **(edits.unvouched if vouched else {})}
            said = self._take_in(valid, edits.strays)
        waiting = (replace(edits, unvouched={}) if vouched else edits).notices()
        told, self._noticed = () if vouched else self._noticed, waiting
        return [*said, *(line for line in waiting if line not in told)]

    def _settle(self, paths: AbstractSet[str]) -> None:
        """Adopt or put back what was done by hand to records that are about to be written."""
        if any(self._differs(path) for path in paths):
            edits = look(self.files, self.index, self.secrets)
            valid = {path: text for path, text in edits.valid.items() if path in paths}
            strays = {path: stray for path, stray in edits.strays.items() if path in paths}
            self.repairs.extend(self._take_in(valid, strays))

    def _differs(self, path: str) -> bool:
        known, found = self.index.files.kept(path), self.files.read(path)
        return found is not None and found != (known.data if known else None)

    def _take_in(self, valid: Mapping[str, str], strays: Mapping[str, PendingEdit]) -> list[str]:
        """Archive edits by hand; set aside those that are not the author's to make."""
        if valid:
            self.log.append([self._by_hand(valid)], durable=True, sign=True)
            self.index.catch_up()
        said = [f"{path} was edited by hand: adopted." for path in valid]
        for path, stray in strays.items():
            name = f"{Path(path).name}-{sha256(stray.data)[:8]}"
            aside = self.files.set_aside(name, stray.data)
            known = self.index.files.kept(path)
            self.files.put(path, known.data if known else None)
            said.append(f"{path} is as it was: {stray.why}. What stood there is kept in {aside}.")
        return said

    def rewrite(self, files: Mapping[str, bytes | None]) -> None:
        """Change files that the archive does not keep, or take them away, as the author agreed."""
        for path, data in files.items():
            self.files.put(path, data)
            self.files.drop_empty(path)

    def _by_hand(self, texts: Mapping[str, str]) -> Entry:
        known = self.index.files.all_kept()
        changes = [
            file_change(path, text, known[path].text if path in known else None)
            for path, text in texts.items()
        ]
        return Entry(
            author=Author.EXTERNAL,
            event_type=EventType.SYSTEM_EVENT,
            origin=Origin.AUTHOR,
            situation=EDITED,
            description=f"The author edited {', '.join(texts)}.",
            session_key="lumen:author",
            payload={"changes": changes},
        )

    def _check(self, loop: str, changes: Sequence[Change], session_key: str) -> None:
        may = granted(loop)
        for change in changes:
            why = "" if change.store in may else f"the {loop} loop may not write {change.store}"
            why = why or _misshapen(change) or _posing(loop, change)
            if why:
                raise self._refusal(loop, change, Refused(why), session_key)

    def _resolved(
        self, loop: str, edits: Sequence[Change], session_key: str
    ) -> tuple[dict[str, bytes | None], list[JSON]]:
        """The files a set of changes makes, and how the archive tells it; else a refusal."""
        if self.windows.open and look(self.files, self.index, self.secrets).differ():
            self.windows.look()  # what a skill has just changed is neither adopted nor in the way
        self._settle({c.store.place.path for c in edits if c.store.place.is_record})
        texts = self._texts()
        was = dict(texts)
        told: dict[str, dict[str, JSON]] = {}
        done: list[Operation] = []
        for change in edits:
            try:
                operates = isinstance(change.value, NamedValue | dict)
                others = set(told) if operates else {one.path for one in done}
                path, text = self._made(texts, loop, change, done)
                _must_be_one_way(path, others)
                self._must_agree(path, text, was.get(path))
            except Refused as error:
                raise self._refusal(loop, change, error, session_key) from error
            if text is None:
                texts.pop(path, None)
            else:
                texts[path] = text
            if not operates:
                told[path] = file_change(path, text, was.get(path), change.store)
        paths = dict.fromkeys([*told, *(one.path for one in done)])  # in their order
        files = {p: None if p not in texts else texts[p].encode() for p in paths}
        return files, [*told.values(), *(one.payload() for one in done)]

    def _made(
        self, texts: Mapping[str, str], loop: str, change: Change, done: list[Operation]
    ) -> tuple[str, str | None]:
        """The file a change is about and its new text; an operation on a record is noted in `done`."""
        value = change.value.value if isinstance(change.value, NamedValue) else change.value
        if not isinstance(change.value, NamedValue | dict):
            return revise(texts, loop, change, self.clock.now().year)
        one = operation(change, self.redacted_json(value)[0])
        done.append(one)
        return one.path, operated(texts, one)

    def _texts(self) -> dict[str, str]:
        """Every text a change may start from: the state, and the settings as they are on disk."""
        texts = {p: k.text for p, k in self.index.files.all_kept().items() if k.text is not None}
        settings = self.being.named(self.being.settings)
        texts[settings] = (self.files.read(settings) or b"").decode("utf-8", "replace")
        return texts

    def _must_agree(self, path: str, text: str | None, state: str | None) -> None:
        """A file whose edit by hand is not adopted may not be written over; nor a secret kept."""
        found = self.files.read(path)
        if is_looked_at(path) and found is not None and found != (state or "").encode():
            raise Refused(
                f"{path} was edited by hand and is not adopted yet", fix="lumen self diff"
            )
        if place_at(path).is_record:  # what goes into one is redacted, piece by piece
            return
        if text and (line := secret_line(text, self.secrets)):
            raise Refused(f"line {line} of {path} would hold what looks like a secret key")

    def _redacted(self, entry: Entry) -> Entry:
        text, hidden = redacted(entry.description, self.secrets)
        payload, more = redacted_json(entry.payload, self.secrets)
        return replace(entry, description=text, payload=payload) if hidden or more else entry

    def _refusal(self, loop: str, change: Change, error: Refused, session_key: str) -> Refused:
        payload = {
            "loop": loop,
            "store": change.store.value,
            "operation": change.operation,
            "why": error.what,
        }
        self.record(kernel_entry("refused", f"Refused: {error.what}.", session_key, payload))
        return Refused(f"refused: {error.what}", fix=error.fix)


def _nobody_to_ask() -> str:
    raise Locked(
        "the author's key is under a passphrase, and nobody is here to give it",
        fix="LUMEN_PASSPHRASE=…, or --passphrase-file FILE",
    )


def begin(storage: Storage, texts: Mapping[str, str], soul: str) -> Placed:
    """Scaffold a being and write its genesis; its settings come last, and make it one."""
    log, files = storage.log, storage.files
    settings = Store.SETTINGS.place.path
    files.scaffold({path: text for path, text in texts.items() if path != settings})
    changes = [file_change(path, text, None) for path, text in texts.items() if is_self(path)]
    try:
        placed = log.begin(soul, changes)
    finally:
        log.close()
    files.scaffold({settings: texts[settings]})
    return placed


def file_change(
    path: str, text: str | None, was: str | None, store: Store | None = None
) -> dict[str, JSON]:
    """A file's change as it stands in the archive."""
    return {
        "store": (store or _store_of(path)).value,
        "operation": "set",
        "path": path,
        "base": base_of(was),
        "value": text,
    }


def _must_be_one_way(path: str, others: AbstractSet[str]) -> None:
    """A record is set whole or operated on; both at once would depend on which came first."""
    if path in others:
        raise Refused(f"{path} cannot be set and operated on at once")


def _store_of(path: str) -> Store:
    store = store_at(path)
    if store is None:
        raise Refused(f"{path} is no file of any store")
    return store


def _misshapen(change: Change) -> str:
    """What keeps a granted change from being carried out; empty when nothing does."""
    if change.operation not in change.store.place.operations:
        known = ", ".join(sorted(change.store.place.operations)) or "nothing"
        return f"{change.store} knows no {change.operation}, only {known}"
    match change.operation, change.value:
        case "append", Entry() as entry if change.store is Store.MEMORY:
            return _presumptuous(entry)
        case ("set", str() | None) | ("put" | "drop" | "move" | "add", SelfItem()):
            return ""
        case "append", dict() if change.store.place.kind is StoreKind.LINES:
            return ""
        case _, NamedValue() if change.store.place.kind is StoreKind.STATE:
            return ""
        case _:
            takes = TAKES[change.store.place.kind]
            return (
                f"{change.operation} with that value is no operation: {change.store} takes {takes}"
            )


def _presumptuous(entry: Entry) -> str:
    """Whether a memory claims to be the kernel's word, which alone changes state; or is no text."""
    if not _is_text(entry):
        return "an event cannot be stored: its text is not UTF-8"
    if entry.author is Author.KERNEL:
        return "only the kernel itself writes kernel memories"
    if entry.event_type is EventType.SYSTEM_EVENT:
        return "only the kernel itself writes system events"
    said = sorted(entry.payload.keys() & SPOKEN_FOR)
    return f"a memory cannot say {', '.join(said)}" if said else ""


def _is_text(entry: Entry) -> bool:
    try:
        dumps([entry.description, entry.situation, entry.session_key, entry.payload])
    except TypeError:  # a lone surrogate, or a value that JSON has no word for
        return False
    return True


def _posing(loop: str, change: Change) -> str:
    """Only the author's own words come from the author: what a loop writes cannot claim to."""
    if loop == "author" or not isinstance(change.value, Entry):
        return ""
    entry = change.value
    claims = entry.origin is Origin.AUTHOR or entry.event_type is EventType.AUTHOR_MESSAGE
    return f"the {loop} loop cannot speak as the author" if claims else ""
