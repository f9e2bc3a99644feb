"""Untrusted text in templates: what a template handles is a seal, never the text.

Every `Untrusted` among the slots is replaced by a stand-in that knows only its number. Whatever a
template makes of that (cut, joined, replaced, listed), the text is not there to be had; when the
template is filled, each whole seal becomes the marked block, and a broken one is an error.
Wrapping the text at output alone would not do: `~`, `upper` or a slice run before that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lumen.core.errors import BadSetting
from lumen.core.untrusted import Untrusted

# Characters that Unicode keeps free for such use and that no text may hold. No filter changes
# them: they have no case, are no space and need no escape in JSON.
_OPEN, _CLOSE, _ZERO, _NINE = "\ufdd0", "\ufdd1", "\ufde0", "\ufde9"
_SEAL = re.compile(f"{_OPEN}([{_ZERO}-{_NINE}]{{1,9}}){_CLOSE}")
_PIECE = re.compile("[\ufdd0-\ufdef]")
CUT = "it takes untrusted text apart"
WHOLE = "print it whole, as {{ name }} or {{ name | data }}, and a list item by item"


class Sealed:
    """What stands in a template for a text: a number, and whether there is any text."""

    __slots__ = ("_any", "_number")

    def __init__(self, number: int, *, empty: bool) -> None:
        self._number = number
        self._any = not empty

    def __str__(self) -> str:
        """The seal, which becomes the block."""
        return _OPEN + "".join(chr(ord(_ZERO) + int(d)) for d in str(self._number)) + _CLOSE

    def __repr__(self) -> str:
        """The same, inside a list."""
        return str(self)

    def __bool__(self) -> bool:
        """So that `{% if answer %}` asks what it seems to ask."""
        return self._any


@dataclass(slots=True)
class Seals:
    """The untrusted texts of one rendering."""

    texts: list[Untrusted] = field(default_factory=list)

    def slot(self, value: object) -> object:
        """A slot as a template may have it: nothing but JSON and seals, at any depth."""
        match value:
            case Untrusted():
                return self._seal(value)
            case str():
                return plain(value)
            case None | bool() | int() | float():
                return value
            case Mapping():
                return {self._key(k): self.slot(v) for k, v in value.items()}
            case list() | tuple():
                return [self.slot(v) for v in value]
            case _:  # an object would show a template whatever it holds
                raise TypeError(f"a slot holds a {type(value).__name__}, which is no JSON")

    def data(self, value: object, source: object = "") -> Sealed:
        """The filter `data`. What is untrusted already keeps the source it came with."""
        text = str(value)
        whole = _SEAL.fullmatch(text)
        if whole:
            return self._seal(self._behind(whole))
        return self._seal(Untrusted(_whole(text, lambda s: self._behind(s).text), str(source)))

    def printed(self, value: object) -> object:
        """Look at what a template prints: a list is spelt out, which would break what it holds."""
        if isinstance(value, (list, tuple, dict)) and _holds_seals(value):
            raise BadSetting("it prints a list that holds untrusted text", fix=WHOLE)
        return value

    def must_be_whole(self, text: str) -> None:
        """Refuse a text with a piece of a seal in it."""
        _whole(text, lambda s: self._behind(s).source)

    def open(self, text: str) -> str:
        """Put the blocks in the place of their seals; what a block holds is not looked at again."""
        return _whole(text, lambda s: str(self._behind(s)))

    def _key(self, key: object) -> object:
        return str(self._seal(key)) if isinstance(key, Untrusted) else self.slot(key)

    def _seal(self, one: Untrusted) -> Sealed:
        self.texts.append(one)
        return Sealed(len(self.texts) - 1, empty=not one.text.strip())

    def _behind(self, seal: re.Match[str]) -> Untrusted:
        number = int("".join(str(ord(d) - ord(_ZERO)) for d in seal[1]))
        if number >= len(self.texts):
            raise BadSetting(CUT, fix=WHOLE)
        return self.texts[number]


def plain(text: str) -> str:
    """Text without the characters that seals are made of."""
    return text if text.isascii() else _PIECE.sub("\ufffd", text)


def _whole(text: str, put: Callable[[re.Match[str]], str]) -> str:
    """Replace every seal; a piece of one shows that somebody cut it."""
    if _PIECE.search(_SEAL.sub("", text)):
        raise BadSetting(CUT, fix=WHOLE)
    return _SEAL.sub(put, text)


def _holds_seals(value: object) -> bool:
    match value:
        case str() | Sealed():
            return _PIECE.search(str(value)) is not None
        case Mapping():
            return any(_holds_seals(v) for pair in value.items() for v in pair)
        case list() | tuple():
            return any(map(_holds_seals, value))
        case _:
            return False
