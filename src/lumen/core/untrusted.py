"""Text nobody vouches for, and the marked block it is shown in.

What a tool, a page, a guest or a model said goes around as `Untrusted`. Its only form as a string
is the block, so it cannot slip into other text by accident. How templates are kept from taking it
apart is in mind/seal.py.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from lumen.core.canon import clean, sha256

DIGITS = 8
LONGEST_LABEL = 80

# Also what a reader takes for a bracket or a slash, and what it does not see in between.
_UNSEEN = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"
_MARK = re.compile(
    rf"[<\uff1c\ufe64](?=[\s/\\\uff0f\u2044\u2215{_UNSEEN}]*data[{_UNSEEN}]*-)", re.IGNORECASE
)
_NO_DIGIT = re.compile("[^0-9a-f]+")
_NO_LABEL = re.compile(r"[^\w .:/-]")


@dataclass(frozen=True, slots=True)
class Untrusted:
    """A text, and where it comes from."""

    text: str
    source: str = ""

    def __str__(self) -> str:
        """The marked block."""
        return data(self.text, self.source)


def data(text: object, source: object = "") -> str:
    """Wrap text nobody vouches for in a block it cannot close.

    The mark is derived from the text, so it cannot be known while the text is written, and
    anything in the text that looks like such a mark loses its bracket.
    """
    inside = _MARK.sub("(", clean(text.text if isinstance(text, Untrusted) else str(text)))
    mark = f"data-{mark_for(inside)}"
    label = _NO_LABEL.sub("", str(source))[:LONGEST_LABEL]
    opening = f'<{mark} from="{label}">' if label else f"<{mark}>"
    return f"{opening}\n{inside}\n</{mark}>"


def holds_mark(text: str) -> bool:
    """Whether a text has the mark of such a block, which only who was shown one can repeat."""
    return _MARK.search(text) is not None


def mark_for(text: str, digits: int = DIGITS) -> str:
    """Digits of the text's hash that the text itself does not hold, however they are written.

    A text that holds its own mark could be searched for; it gets another one, so that no bracket
    we failed to think of helps it.
    """
    held = _NO_DIGIT.sub("", unicodedata.normalize("NFKC", text).casefold())
    salted = text.encode()
    while (mark := sha256(salted)[:digits]) in held:
        salted += b"\0"
    return mark
