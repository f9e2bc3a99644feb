"""Prompt templates: files in, text out, and the hash of exactly what was used.

A template is one file: no includes, so its hash covers all of its wording. Every name it mentions
must be given, in branches not taken too. A slot that is `Untrusted` comes out as a marked block,
whatever the template does with it; how is in seal.py. Finding faults beforehand is proofread.py's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import minijinja

from lumen.core.canon import sha256
from lumen.core.errors import BadSetting, unreadable
from lumen.core.untrusted import Untrusted, data
from lumen.mind.seal import CUT, WHOLE, Sealed, Seals
from lumen.mind.substrate import Exchange

__all__ = ["BadTemplate", "Rendered", "Untrusted", "data", "find", "render", "render_turns"]

Part = Literal["system", "prompt"]

FUEL = 50_000  # instructions; a prompt that lists a thousand lines needs about 10,000

_STEP = re.compile(r"[a-z][a-z0-9_]*")
_BUILT_IN = frozenset({"loop", "range", "dict", "namespace"})
_TURN = re.compile(r"((?:^>.*\n?)+)((?:^(?!>).*\n?)*)", re.MULTILINE)


class BadTemplate(BadSetting):
    """A template that cannot be filled: which file, on which line if that is known, and why."""

    def __init__(
        self, path: Path, why: str, *, fix: str = "", line: int | None = None, quoted: str = ""
    ) -> None:
        place = f"line {line}: " if line else ""
        super().__init__(f"the template {path}: {place}{why}", fix=fix)
        self.why = why
        self.line = line
        self.quoted = quoted  # the last line of what is wrong, where its number is not known


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of a template, and which template it was."""

    text: str
    sha256: str
    name: str


class Filling:
    """Slots made ready for all templates of a step, with their untrusted texts sealed."""

    def __init__(self, slots: Mapping[str, object]) -> None:
        self.seals = Seals()
        self.given = {slot: self.seals.slot(value) for slot, value in slots.items()}
        self.environment = environment_with(self.seals.data)


def render(
    folders: Sequence[Path],
    step: str,
    part: Part,
    slots: Mapping[str, object] | Filling,
    *,
    small: bool,
) -> Rendered:
    """Fill `<step>/<part>.md` of the first folder that has it.

    For a small model a folder's `<part>.small.md` comes before its `<part>.md`; the order of the
    folders comes first, so what the author wrote is never passed over for a shipped file.
    """
    looked, found = find(folders, step, part, small=small)
    if found is None:
        raise BadSetting(
            f"there is no template {step}/{part}.md", fix=f"write one of {', '.join(looked)}"
        )
    return _fill(*found, slots).done()


def render_turns(
    folders: Sequence[Path], step: str, slots: Mapping[str, object] | Filling, *, small: bool
) -> tuple[tuple[Exchange, ...], Rendered | None]:
    """The exchanges `<step>/turns.md` shows before the prompt; a step may do without.

    Lines that begin with > are what was said, the lines after them the reply. A small model
    follows examples given so, and hardly any other instruction.
    """
    _, found = find(folders, step, "turns", small=small)
    if found is None:
        return (), None
    filled = _fill(*found, slots, one_line=True)
    turns = tuple(
        Exchange(filled.seals.open(said), filled.seals.open(reply))
        for said, reply in pairs(filled.text, found[0])
    )
    return turns, filled.done()


def pairs(text: str, path: Path) -> list[tuple[str, str]]:
    """What was said and what was replied, in the text of a `turns.md`."""
    found = []
    for match in _TURN.finditer(text):
        said = re.sub(r"^> ?", "", match[1], flags=re.MULTILINE).strip()
        if not said or not match[2].strip():
            raise BadTemplate(
                path,
                f"{match[1].strip()!r} has no reply under it",
                fix="write the reply on the lines after it, without >",
                quoted=match[1].strip().splitlines()[-1],
            )
        found.append((said, match[2].strip()))
    return found


@dataclass(frozen=True, slots=True)
class _Filled:
    """A filled template whose untrusted texts are still sealed."""

    text: str
    seals: Seals
    sha256: str
    name: str

    def done(self) -> Rendered:
        return Rendered(text=self.seals.open(self.text), sha256=self.sha256, name=self.name)


def try_out(path: Path, slots: Mapping[str, object], *, turns: bool) -> None:
    """Fill one file as a turn would, and keep nothing of it.

    Raises:
        BadTemplate: a turn with these slots would fail.
    """
    filled = _fill(path, path.name, slots, one_line=turns)
    if turns:
        pairs(filled.text, path)


def _fill(
    path: Path, name: str, slots: Mapping[str, object] | Filling, *, one_line: bool = False
) -> _Filled:
    filling = slots if isinstance(slots, Filling) else Filling(slots)
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadTemplate(path, f"it cannot be read: {unreadable(error)}") from error
    seals, given, environment = filling.seals, filling.given, filling.environment
    environment.finalizer = lambda value: (_one_line if one_line else _as_is)(seals.printed(value))
    try:
        _require(names_in(source), given, path)
        text = environment.render_str(source, name, **given).strip()
        seals.must_be_whole(text)
    except minijinja.TemplateError as error:
        raise BadTemplate(path, error.detail or error.message, line=error.line) from error
    except BadTemplate:
        raise
    except BadSetting as error:
        raise BadTemplate(path, error.what, fix=error.fix) from error
    except (AttributeError, TypeError) as error:  # a seal has no methods and is no function
        raise BadTemplate(path, f"{CUT}: {error}", fix=WHOLE) from error
    return _Filled(text, seals, sha256(source.encode()), name)


def find(
    folders: Iterable[Path], step: str, part: str, *, small: bool
) -> tuple[list[str], tuple[Path, str] | None]:
    """Where it was looked for, and where it was found."""
    if not _STEP.fullmatch(step):
        raise BadSetting(f"{step!r} is no name of a step with templates")
    names = [f"{step}/{part}.small.md"] if small else []
    names.append(f"{step}/{part}.md")
    looked: list[str] = []
    for folder in folders:
        for name in names:
            path = folder / name
            if path.is_file():
                return looked, (path, name)
            looked.append(str(path))
    return looked, None


def environment_with(data_filter: Callable[..., Sealed]) -> minijinja.Environment:
    """The language templates are written in."""
    environment = minijinja.Environment(
        filters={"data": data_filter},
        fuel=FUEL,
        undefined_behavior="strict",
        auto_escape_callback=_never,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.remove_filter("urlencode")  # it would spell out a seal unseen
    return environment


@lru_cache(maxsize=64)
def names_in(source: str) -> frozenset[str]:
    """Every name a template expects to be given, in branches not taken too."""
    environment = environment_with(Seals().data)
    return frozenset(environment.undeclared_variables_in_str(source)) - _BUILT_IN


def _require(names: Set[str], slots: Mapping[str, object], path: Path) -> None:
    unknown = sorted(names - slots.keys())
    if unknown:
        raise BadTemplate(
            path,
            f"it uses {', '.join(unknown)}, which this step does not give",
            fix=f"it gives: {', '.join(sorted(slots)) or 'nothing'}",
        )


def _one_line(value: object) -> object:
    """Text filled into turns can begin no line and so no turn of its own."""
    return " ".join(value.split()).lstrip("> ") or "…" if isinstance(value, str) else value


def _as_is(value: object) -> object:
    return value


def _never(_name: str) -> bool:
    return False
