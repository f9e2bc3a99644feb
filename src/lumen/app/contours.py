"""The contour a being goes by: which steps it takes, when, and by which numbers; giving it another."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from lumen.app.selves import AUTHOR
from lumen.core.canon import JSON, sha256
from lumen.core.data import Change, kernel_entry
from lumen.core.errors import BadLoop, UsageError
from lumen.core.stores import Store
from lumen.kernel.contour.policy import Policy
from lumen.kernel.contour.read import Contour
from lumen.kernel.contour.step import Step
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.revise import base_of
from lumen.kernel.turn.loops import contour_in_force, contour_of, given_contour, shipped_text
from lumen.soul.ports.queries import Queries

LARGEST = 256 * 1024  # bytes of a contour
EXAMPLE = "lumen contour show --text > FILE, then change that"


@dataclass(frozen=True, slots=True)
class ContourStep:
    """A step of a contour: in which loop and beat, under which policy, by which numbers."""

    loop: str
    beat: str
    step: str
    policy: Mapping[str, JSON]  # what is otherwise than for any step
    parameters: Mapping[str, JSON]


@dataclass(frozen=True, slots=True)
class ContourView:
    """A contour as it is in force: whose it is, and why the author's own is not, where it cannot be."""

    origin: str  # shipped, or this being
    sha256: str
    steps: tuple[ContourStep, ...]
    trouble: str = ""


def contour_shown(index: Queries) -> ContourView:
    """The contour in force."""
    text = contour_text(index)
    origin = "shipped" if text == shipped_text() else "this being"
    rows = _rows(contour_in_force(index))
    return ContourView(origin, sha256(text.encode()), rows, contour_trouble(index))


def contour_text(index: Queries) -> str:
    """The contour in force as it is written."""
    given = given_contour(index)
    return given if given is not None and not _flaw(given) else shipped_text()


def contour_trouble(index: Queries) -> str:
    """Why the contour that the author gave is not in force; empty when nothing is wrong."""
    given = given_contour(index)
    return _flaw(given) if given is not None else ""


def words_shown(index: Queries) -> Mapping[str, str]:
    """The words for whoever watches, by the name of the step that runs."""
    return contour_in_force(index).shown


def validate(path: Path) -> ContourView:
    """The contour that a file holds, if a being could go by it.

    Raises:
        UsageError: it cannot be read, or is none; says where.
    """
    text = _read(path)
    return ContourView(str(path), sha256(text.encode()), _rows(_sound(text, path)))


def contour_diff(index: Queries, path: Path | None) -> tuple[str, ...]:
    """How the contour in force differs from the shipped one; or how a file's would from that in force."""
    given = given_contour(index)
    held = given if given is not None else shipped_text()
    if path is None:
        before, after, names = shipped_text(), held, ("shipped", "in force")
    else:
        before, after, names = held, _read(path), ("in force", str(path))
        _sound(after, path)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="")
    return tuple(lines)


def use_contour(gate: Gate, path: Path | None) -> ContourView:
    """Let a being go by a file's contour from its next turn on, as its author; no file: the shipped one.

    Raises:
        UsageError: the file cannot be read, is no contour, or nothing would change.
    """
    gate.index.catch_up()
    given = given_contour(gate.index)
    text = _read(path) if path else None
    if path and text is not None:
        _sound(text, path)
    if text == given:
        what = f"it goes by {path}" if path else "it goes by the shipped contour"
        raise UsageError(f"{what} already; nothing was changed", fix="lumen contour show")
    said = (
        "The author gave it a contour." if text is not None else "The author took its contour back."
    )
    change = Change(Store.CONTOUR, "set", text, base=base_of(given))
    entry = kernel_entry("author", said, AUTHOR, {})
    gate.commit("author", [change], entry, durable=True, sign=True)
    gate.index.catch_up()
    return contour_shown(gate.index)


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"the file {path} cannot be read: {error.strerror}",
            fix="lumen contour show --text > FILE",
        ) from error
    if len(data) > LARGEST:
        raise UsageError(f"{path} is no contour: it has over {LARGEST:,} bytes", fix=EXAMPLE)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no contour: it is not UTF-8 text", fix=EXAMPLE) from error


def _sound(text: str, path: Path) -> Contour:
    try:
        return contour_of(text)
    except BadLoop as error:
        raise UsageError(f"{path}: {error.what}", fix=error.fix or EXAMPLE) from error


def _flaw(text: str) -> str:
    try:
        contour_of(text)
    except BadLoop as error:
        return error.what
    return ""


def _rows(contour: Contour) -> tuple[ContourStep, ...]:
    return tuple(
        ContourStep(loop.name, beat.name, one.name, _policy(one.policy), _numbers(one))
        for loop in contour.loops.values()
        for beat in loop.beats
        for one in beat.steps
    )


def _policy(policy: Policy) -> dict[str, JSON]:
    usual, told = Policy(), asdict(policy)
    return {
        f.name: told[f.name]
        for f in fields(policy)
        if getattr(usual, f.name) != getattr(policy, f.name)
    }


def _numbers(one: Step) -> dict[str, JSON]:
    """The numbers that are the step's own: those it shares stand with the step that has them first."""
    own = [kind for kind in one.given if kind.__module__ == one.run.__module__]
    return {name: value for kind in own for name, value in asdict(one.given[kind]).items()}
