"""Prompt templates: files in, text out, and the hash of exactly what was used.

A template is one file: no includes, so its hash covers all of its wording. Every name it mentions
must be given, in branches not taken too, so a misspelt slot is found at the first turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import minijinja

from lumen.core.canon import sha256
from lumen.core.errors import BadSetting
from lumen.mind.substrate import Turn

Part = Literal["system", "prompt"]

FUEL = 50_000  # instructions; a prompt that lists a thousand lines needs about 10,000

_STEP = re.compile(r"[a-z][a-z0-9_]*")
_BUILT_IN = frozenset({"loop", "range", "dict", "namespace"})
_TURN = re.compile(r"((?:^>.*\n?)+)((?:^(?!>).*\n?)*)", re.MULTILINE)
_MARK = re.compile(r"<(?=[\s/\\]*data-)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of a template, and which template it was."""

    text: str
    sha256: str
    name: str


def render(
    folders: Sequence[Path], step: str, part: Part, slots: Mapping[str, object], *, small: bool
) -> Rendered:
    """Fill `<step>/<part>.md` of the first folder that has it.

    For a small model a folder's `<part>.small.md` comes before its `<part>.md`; the order of the
    folders comes first, so what the author wrote is never passed over for a shipped file.
    """
    looked, found = _find(folders, step, part, small=small)
    if found is None:
        raise BadSetting(
            f"there is no template {step}/{part}.md", fix=f"write one of {', '.join(looked)}"
        )
    return _fill(found, slots)


def render_turns(
    folders: Sequence[Path], step: str, slots: Mapping[str, object], *, small: bool
) -> tuple[tuple[Turn, ...], Rendered | None]:
    """The exchanges `<step>/turns.md` shows before the prompt; a step may do without.

    Lines that begin with > are what was said, the lines after them the reply. A small model
    follows examples given so, and hardly any other instruction.
    """
    _, found = _find(folders, step, "turns", small=small)
    if found is None:
        return (), None
    rendered = _fill(found, slots, one_line=True)
    turns = []
    for quoted, rest in _TURN.findall(rendered.text):
        said = re.sub(r"^> ?", "", quoted, flags=re.MULTILINE).strip()
        if not said or not rest.strip():
            raise BadSetting(f"the template {found[0]}: {quoted.strip()!r} has no reply under it")
        turns.append(Turn(said, rest.strip()))
    return tuple(turns), rendered


def _fill(
    found: tuple[Path, str], slots: Mapping[str, object], *, one_line: bool = False
) -> Rendered:
    path, name = found
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"the template {path} cannot be read: {error}") from error
    environment = _environment()
    if one_line:
        environment.finalizer = _one_line
    try:
        _require(environment.undeclared_variables_in_str(source) - _BUILT_IN, slots, path)
        text = environment.render_str(source, name, **slots)
    except minijinja.TemplateError as error:
        line = f"line {error.line}: " if error.line else ""
        reason = error.detail or error.message
        raise BadSetting(f"the template {path} fails: {line}{reason}") from error
    return Rendered(text=text.strip(), sha256=sha256(source.encode()), name=name)


def data(text: object, source: object = "") -> str:
    """Wrap text nobody vouches for in a block it cannot close.

    The mark is derived from the text, so it cannot be known while the text is written, and
    anything in the text that looks like such a mark loses its bracket.
    """
    inside = _MARK.sub("(", str(text))
    tag = f"data-{sha256(inside.encode(errors='replace'))[:8]}"
    label = re.sub(r"[^\w .:/-]", "", str(source))
    opening = f'<{tag} from="{label}">' if label else f"<{tag}>"
    return f"{opening}\n{inside}\n</{tag}>"


def _find(
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


def _require(names: set[str], slots: Mapping[str, object], path: Path) -> None:
    unknown = sorted(names - slots.keys())
    if unknown:
        raise BadSetting(
            f"the template {path} uses {', '.join(unknown)}, which this step does not give",
            fix=f"it gives: {', '.join(sorted(slots)) or 'nothing'}",
        )


def _environment() -> minijinja.Environment:
    return minijinja.Environment(
        filters={"data": data},
        fuel=FUEL,
        undefined_behavior="strict",
        auto_escape_callback=_never,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _one_line(value: object) -> object:
    """Text filled into turns can begin no line and so no turn of its own."""
    return " ".join(value.split()).lstrip("> ") or "…" if isinstance(value, str) else value


def _never(_name: str) -> bool:
    return False
