"""How what a step writes may appear in the archive: each field says it by its type.

`Plain` is for numbers and the kernel's own vocabulary, `Cite` for memories, which are named by
event and never copied, `Quote` for words of anybody else. A field that says none of these is not
archived. Which strings are quotes is archived with them, so that forgetting goes by the same word.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, TypeVar, cast, get_type_hints

from lumen.core.canon import JSON

LONGEST_QUOTE = 600
T = TypeVar("T")


class Archived(Enum):
    """How a field is archived."""

    PLAIN = "plain"
    CITE = "cite"
    QUOTE = "quote"


Plain = Annotated[T, Archived.PLAIN]
Cite = Annotated[T, Archived.CITE]
Quote = Annotated[T, Archived.QUOTE]


def declared(kind: type[Any]) -> tuple[tuple[str, Archived], ...]:
    """The fields of a type that may be archived, and how."""
    return _declared(cast("Hashable", kind))


@cache
def _declared(kind: Any) -> tuple[tuple[str, Archived], ...]:  # noqa: ANN401 - a type
    hints = get_type_hints(kind, include_extras=True)
    marks = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    found = ((name, m) for name, many in marks.items() for m in many if isinstance(m, Archived))
    return tuple(found)


def trace(value: Any) -> dict[str, JSON]:  # noqa: ANN401 - any type that declares fields
    """What may be archived of a slot or of a part of one, as JSON for the audit trail."""
    return {name: _archivable(getattr(value, name), how) for name, how in declared(type(value))}


def quoted(value: object) -> list[str]:
    """Where in the trace of a slot words of somebody else stand: names of fields, joined by dots."""
    return list(dict.fromkeys(_quoted(value, "")))


def _archivable(value: Any, how: Archived) -> JSON:  # noqa: ANN401 - whatever a field holds
    match value:
        case tuple():
            return [_archivable(one, how) for one in value]
        case float():
            return round(value, 4)
        case str() if how is Archived.QUOTE and len(value) > LONGEST_QUOTE:
            return value[:LONGEST_QUOTE] + "…"
        case _ if how is Archived.CITE and hasattr(value, "cited"):
            return value.cited()
        case _ if is_dataclass(value):
            return trace(value)
        case _:
            return value


def _quoted(value: Any, at: str) -> Iterator[str]:  # noqa: ANN401 - as above
    for name, how in declared(type(value)):
        held = getattr(value, name)
        for one in held if isinstance(held, tuple) else (held,):
            if is_dataclass(one):
                yield from _quoted(one, f"{at}{name}.")
            elif how is Archived.QUOTE and one:
                yield f"{at}{name}"
