"""The one place where a result becomes text for a person, or JSON for a program.

A command returns what the door gave it. JSON is made of a dataclass's fields; where its keys are
others, its module registers with `data`. Text is a line a field; where it reads otherwise, the
command gives it as `TextResult` or `Listed`, or its module registers a layout for the type with `tell`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import singledispatch
from typing import Any, Generic, TypeVar

from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import block, note, print_json, say, table
from lumen.core.canon import JSON

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TextResult:
    """A result that a sentence or some lines tell; `hint` is said beside it, `ok` is whether it came about."""

    result: JSON
    words: str | Iterable[str]
    hint: str = ""
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """Several results as a table, a row for each; `none` is said where there are none."""

    results: Sequence[T]
    row: Callable[[T], Sequence[str]]
    titles: Sequence[str] = ()
    none: str = "There are none."
    hint: str = ""


def show(result: object, request: CommandRequest) -> None:
    """Print a result as it was asked for; nothing, where a command has said it all."""
    if result is None:
        return
    if request.as_json:
        print_json(data(result))
    else:
        tell(result, request)


def succeeded(result: object) -> bool:
    """Whether a command did what it was asked: no result says that it is not `ok`."""
    match result:
        case TextResult():
            return result.ok and succeeded(result.result)
        case Listed():
            return all(map(succeeded, result.results))
        case _:
            return getattr(result, "ok", True) is not False


@singledispatch
def data(result: Any) -> JSON:  # noqa: ANN401 - whatever a command returns
    """What JSON has of a result: the fields of a dataclass, under their names."""
    return result


@data.register(tuple)
@data.register(list)
def _each(results: Iterable[object]) -> JSON:
    return [data(one) for one in results]


@data.register(TextResult)
def _text_data(told: TextResult) -> JSON:
    return data(told.result)


@data.register(Listed)
def _listed_data(listed: Listed[object]) -> JSON:
    return _each(listed.results)


@singledispatch
def tell(result: object, _request: CommandRequest) -> None:
    """Print a result as text: what has no layout of its own, a line a field."""
    if is_dataclass(result):
        block(
            [
                (one.name.replace("_", " "), _cell(getattr(result, one.name)))
                for one in fields(result)
            ]
        )
    else:
        say(_cell(result))


@tell.register(TextResult)
def _tell_text(told: TextResult, _request: CommandRequest) -> None:
    for line in (told.words,) if isinstance(told.words, str) else told.words:
        say(line)
    if told.hint:
        note(told.hint)


@tell.register(Listed)
def _tell_listed(listed: Listed[object], _request: CommandRequest) -> None:
    if not listed.results:
        say(listed.none)
        return
    titles = [listed.titles] if listed.titles else []
    table([*titles, *map(listed.row, listed.results)])
    if listed.hint:
        note(listed.hint)


def _cell(value: object) -> str:
    """A value in a line of text."""
    match value:
        case bool():
            return "yes" if value else "no"
        case None | () | "":
            return "-"
        case tuple() | list():
            return ", ".join(map(_cell, value))
        case Mapping():
            return ", ".join(f"{key} {_cell(one)}" for key, one in value.items())
        case _ if is_dataclass(value):
            return ", ".join(_cell(getattr(value, one.name)) for one in fields(value))
        case _:
            return str(value)
