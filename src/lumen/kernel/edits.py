"""What the disk says against what the archive says: edits by hand, and what a skill did meanwhile.

Only looks; adopting an edit, and putting back what a skill changed, is the gate's doing.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field

from lumen.core.canon import sha256
from lumen.core.data import Being
from lumen.soul.disk import standing
from lumen.soul.history import all_kept, held
from lumen.soul.index import Index
from lumen.soul.selfhood import SOUL, VALUES, Flaw, Selfhood, check, is_self, selfhood


@dataclass(frozen=True, slots=True)
class Edits:
    """How the self files differ from the state in force."""

    valid: dict[str, str] = field(default_factory=dict)
    flawed: dict[str, Flaw] = field(default_factory=dict)
    unvouched: dict[str, str] = field(default_factory=dict)  # changed while a turn was cut off
    missing: tuple[str, ...] = ()

    def told(self) -> list[str]:
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


def look(being: Being, index: Index, secrets: Sequence[str] = ()) -> Edits:
    """Compare every self file on disk with the state; the index must be caught up."""
    state = {path: k.text for path, k in all_kept(index).items() if is_self(path)}
    waiting = held(index)
    edits = Edits()
    gone: list[str] = []
    for path in sorted(state.keys() | on_disk(being)):
        known = state.get(path)
        try:
            data = read(being, path)
        except OSError as error:
            edits.flawed[path] = Flaw(1, f"it cannot be read: {error.strerror}")
            continue
        if data is None:
            gone += [path] if known is not None else []
        elif known is None or data != known.encode():
            if waiting.get(path) == sha256(data):
                edits.unvouched[path] = data.decode("utf-8", "replace")
            else:
                _sort(edits, path, data, secrets)
    return Edits(edits.valid, edits.flawed, edits.unvouched, tuple(gone))


def in_force(index: Index) -> dict[str, str]:
    """The self files as the archive has them."""
    kept = all_kept(index)
    return {p: k.text for p, k in kept.items() if is_self(p) and k.text is not None}


def self_in_force(index: Index) -> Selfhood:
    """Who the being is, by the archive's word; an edit that is not adopted does not count."""
    return selfhood(in_force(index))


def on_disk(being: Being) -> set[str]:
    """The self files there are."""
    years = {being.named(p) for p in being.goals.glob("*.json")}
    return {p for p in {SOUL, VALUES, *years} if is_self(p) and being.at(p).is_file()}


def read(being: Being, path: str) -> bytes | None:
    """The bytes of a file, or nothing when there is none.

    Raises:
        OSError: something is there that cannot be read as a file.
    """
    at = being.at(path)
    try:
        if not stat.S_ISREG(at.stat().st_mode):  # a pipe would never end
            raise OSError(errno.EINVAL, "it is no file")
        return at.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def watched(being: Being) -> dict[str, bytes]:
    """Everything no skill may touch: the self, the prompts, the settings, and their folders."""
    fixed = {SOUL, VALUES, being.named(being.settings)}
    fixed |= {being.named(folder) for folder in (being.goals, being.prompts)}
    found = fixed | on_disk(being) | {being.named(p) for p in being.prompts.rglob("*")}
    return {path: kind for path in sorted(found) if (kind := standing(being.at(path))) is not None}


def _sort(edits: Edits, path: str, data: bytes, secrets: Sequence[str]) -> None:
    from lumen.kernel.redact import secret_line  # its patterns take 30 ms, and edits are rare

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
