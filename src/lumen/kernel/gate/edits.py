"""What the disk says against what the archive says: edits by hand, and what a skill did meanwhile.

Only looks; adopting an edit, and putting back what a skill changed, is the gate's doing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lumen.core.canon import sha256
from lumen.core.stores import ByHand, is_looked_at, is_self, place_at
from lumen.soul.ports.files import FilesOnDisk
from lumen.soul.ports.queries import Queries
from lumen.soul.state.records import check
from lumen.soul.state.selfhood import Flaw, Selfhood, selfhood


@dataclass(frozen=True, slots=True)
class PendingEdit:
    """What stands in a file that is the archive's to write, and why it is not used."""

    data: bytes
    why: str


@dataclass(frozen=True, slots=True)
class Edits:
    """How the self files differ from the state in force."""

    valid: dict[str, str] = field(default_factory=dict)
    flawed: dict[str, Flaw] = field(default_factory=dict)
    unvouched: dict[str, str] = field(default_factory=dict)  # changed while a turn was cut off
    missing: tuple[str, ...] = ()
    strays: dict[str, PendingEdit] = field(default_factory=dict)  # of records: to be put back

    def differ(self) -> bool:
        """Whether any file says something else than the state."""
        return bool(self.valid or self.flawed or self.unvouched or self.missing or self.strays)

    def notices(self) -> list[str]:
        """What the author should know of them: file, line and reason."""
        said = [
            f"{path} line {flaw.line} is not used: {flaw.why}. What was in force stays in force; "
            "mend the file, or see lumen self diff."
            for path, flaw in self.flawed.items()
        ]
        said += [
            f"{path} was changed while a turn was cut off, perhaps not by you: it is not used. "
            "See lumen self diff, then lumen self accept."
            for path in self.unvouched
        ]
        return said


def look(files: FilesOnDisk, index: Queries, secrets: Sequence[str] = ()) -> Edits:
    """Compare every file that may be edited by hand with the state; the index must be caught up."""
    state = {path: k.text for path, k in index.files.all_kept().items() if is_looked_at(path)}
    waiting = index.files.pending_edits()
    edits = Edits()
    gone: list[str] = []
    for path in sorted(state.keys() | files.stores()):
        known = state.get(path)
        try:
            data = files.read(path)
        except OSError as error:
            edits.flawed[path] = Flaw(1, f"it cannot be read: {error.strerror}")
            continue
        if data is None:
            gone += [path] if known is not None else []
        elif known is None or data != known.encode():
            held_back = waiting.get(path) == sha256(data)
            if place_at(path).is_record or place_at(path).by_hand is ByHand.PUT_BACK:
                _sort_record(edits, path, data, secrets, held_back=held_back)
            elif held_back:
                edits.unvouched[path] = data.decode("utf-8", "replace")
            else:
                _sort(edits, path, data, secrets)
    return replace(edits, missing=tuple(gone))


def in_force(index: Queries) -> dict[str, str]:
    """The self files as the archive has them."""
    kept = index.files.all_kept()
    return {p: k.text for p, k in kept.items() if is_self(p) and k.text is not None}


def self_in_force(index: Queries) -> Selfhood:
    """Who the being is, by the archive's word; an edit that is not adopted does not count."""
    return selfhood(in_force(index))


def _sort_record(
    edits: Edits, path: str, data: bytes, secrets: Sequence[str], *, held_back: bool
) -> None:
    """A record that cannot be adopted is put back at once: steps have to go on writing it."""
    place = place_at(path)
    if place.by_hand is ByHand.PUT_BACK:
        why = "it is a record that is only added to" if place.is_record else "a command changes it"
        edits.strays[path] = PendingEdit(data, why)
    elif held_back:
        edits.strays[path] = PendingEdit(data, "it was changed while a turn was cut off")
    else:
        _sort(edits, path, data, secrets)
        if flaw := edits.flawed.pop(path, None):
            edits.strays[path] = PendingEdit(data, f"line {flaw.line}: {flaw.why}")


def _sort(edits: Edits, path: str, data: bytes, secrets: Sequence[str]) -> None:
    from lumen.kernel.privacy.redact import (
        secret_line,  # its patterns take 30 ms, and edits are rare
    )

    try:
        text = data.decode()
        check(path, text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        edits.flawed[path] = Flaw(line, "it is not UTF-8 text")
    except Flaw as flaw:
        edits.flawed[path] = flaw
    else:
        if line := secret_line(text, secrets):
            why = "it holds what looks like a secret key, and the self is kept for ever"
            edits.flawed[path] = Flaw(line, why)
        else:
            edits.valid[path] = text
