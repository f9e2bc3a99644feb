"""What a file must say by the kind of its store, and how words are taken out of it."""

from __future__ import annotations

from collections.abc import Callable

from lumen.core.stores import Kind, place_at
from lumen.soul import selfhood
from lumen.soul.records import check_record, without_words


def check(path: str, text: str) -> None:
    """See whether a file says what it must.

    Raises:
        Flaw: on which line it does not, and why.
    """
    place = place_at(path)
    if place.kind is not Kind.LINES:  # of which the newest are kept, however long they are
        selfhood.check(path, text)
    if place.is_record:
        check_record(place, text)


def without(path: str, text: str, quotes: Callable[[str], bool]) -> str:
    """A file's text without the lines, values or goals that say something."""
    if place_at(path).is_record:
        return without_words(place_at(path), text, quotes)
    return selfhood.without(path, text, quotes)
