"""What of a step's slots a model may see, and whether a prompt says what it may not.

A model on this machine sees everything. Any other sees no private line, nor what stands with one.
Which memories are private is for the archive to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lumen.core.untrusted import Untrusted
from lumen.kernel.identity.digest import MemoryText
from lumen.kernel.language.overlap import runs, sequence, telling
from lumen.kernel.language.reading import sentences
from lumen.mind.substrate import Prompt

Slots = Mapping[str, object]


def disclosed(slots: Slots, *, local: bool) -> tuple[dict[str, object], list[str]]:
    """Slots as a model may see them, and what was left out of them."""
    hidden: list[str] = []
    return {key: _disclosed(value, hidden, local) for key, value in slots.items()}, hidden


def _disclosed(value: Any, hidden: list[str], local: bool) -> Any:  # noqa: ANN401 - slots are JSON with lines in it
    match value:
        case MemoryText(text, private):
            if local or not private:
                return text
            hidden.append(text.text if isinstance(text, Untrusted) else text)
            return ""
        case Mapping():
            return {key: _disclosed(inner, hidden, local) for key, inner in value.items()}
        case str():
            return value
        case Sequence():
            kept = [(item, _disclosed(item, hidden, local)) for item in value]
            return [seen for item, seen in kept if local or not _private(item)]
        case _:
            return value


def _private(value: object) -> bool:
    """Whether a line is private, or anything that stands with it."""
    match value:
        case MemoryText(_, private):
            return private
        case Mapping():
            return any(map(_private, value.values()))
        case _:
            return False


def holds_private(value: object) -> bool:
    """Whether any line of a slot, or of all of them, is private, however deep it stands."""
    match value:
        case MemoryText(_, private):
            return private
        case Mapping():
            return any(map(holds_private, value.values()))
        case str():
            return False
        case Sequence():
            return any(map(holds_private, value))
        case _:
            return False


def leaks(prompt: Prompt, given: object, hidden: Sequence[str]) -> bool:
    """Look once more, at what was really made: templates and the self may say what was left out.

    What was given by right, such as the message itself, or a reply that was used twice, counts
    for nothing.
    """
    if not hidden:
        return False
    said = _flat("\n".join(text for _, text in prompt.messages()))
    by_right = [_flat(text) for text in _strings(given)]
    return any(
        piece in said and not any(piece in text for text in by_right)
        for text in hidden
        for piece in _pieces(text)
    )


def _pieces(text: str) -> Iterator[str]:
    """A line as it may stand elsewhere: whole, without its date, or a sentence of it."""
    whole = [text, text.partition(": ")[2]]
    for piece in (*whole, *(w[a:b] for w in whole for a, b in sentences(w))):
        if telling(piece) or runs(piece):  # an "ok" tells nothing
            yield _flat(piece)


def _flat(text: str) -> str:
    return f" {' '.join(sequence(text))} "


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for inner in value.values():
                yield from _strings(inner)
        case Sequence():
            for inner in value:
                yield from _strings(inner)
        case _:
            pass
