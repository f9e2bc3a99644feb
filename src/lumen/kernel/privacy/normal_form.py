"""A copy of a text in which one letter has one form, and the way back from it to the text.

Wide, small and styled letters become plain ones (NFKC), and what nobody sees is left out: zero-width
and soft-hyphen characters, marks of direction, variation selectors. Letters that look alike but
belong to different scripts stay apart.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

# Unicode's default-ignorable characters, and the rest of its format characters (Cf).
_UNSEEN = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN = re.compile(f"[{_UNSEEN}]")
# What may change: a run outside of ASCII, with the letter before it that a mark may join.
_RUN = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class Folded:
    """The copy, and where its stretches came from: each starts at a place of both."""

    text: str
    at: tuple[int, ...] = ()
    came_from: tuple[tuple[int, int], ...] = ()

    def origin(self, start: int, stop: int) -> tuple[int, int]:
        """The stretch of the text that a stretch of the copy was made of."""
        if not self.at:
            return start, stop
        return self._began(start), self._ended(stop - 1)

    def _began(self, index: int) -> int:
        piece = bisect_right(self.at, index) - 1
        start = self.came_from[piece][0]
        return start + index - self.at[piece] if self._plain(piece) else start

    def _ended(self, index: int) -> int:
        piece = bisect_right(self.at, index) - 1
        start, stop = self.came_from[piece]
        return start + index - self.at[piece] + 1 if self._plain(piece) else stop

    def _plain(self, piece: int) -> bool:
        """Whether a stretch was copied as it stood."""
        return piece % 2 == 0


def folded(text: str) -> Folded:
    """A text's copy for comparing."""
    if text.isascii() or (unicodedata.is_normalized("NFKC", text) and not _HIDDEN.search(text)):
        return Folded(text)
    made: list[str] = []
    at: list[int] = []
    came_from: list[tuple[int, int]] = []
    length = done = 0
    for run in _RUN.finditer(text):
        if unicodedata.is_normalized("NFKC", run.group()) and not _HIDDEN.search(run.group()):
            continue
        for start, stop in _clusters(text, *run.span()):
            # Even stretches stand as they were, odd ones were changed: a cluster follows its gap.
            changed = unicodedata.normalize("NFKC", _HIDDEN.sub("", text[start:stop]))
            at += [length, length + start - done]
            came_from += [(done, start), (start, stop)]
            made += [text[done:start], changed]
            length += start - done + len(changed)
            done = stop
    at.append(length)
    came_from.append((done, len(text)))
    made.append(text[done:])
    return Folded("".join(made), tuple(at), tuple(came_from))


def _clusters(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    """The stretches of a run that change: a character with the marks that join it."""
    found: list[tuple[int, int]] = []
    at = start
    while at < stop:
        end = at + 1
        while end < stop and (unicodedata.combining(text[end]) or _HIDDEN.match(text[end])):
            end += 1
        piece = text[at:end]
        if not piece.isascii() and (
            _HIDDEN.search(piece) or not unicodedata.is_normalized("NFKC", piece)
        ):
            found.append((at, end))
        at = end
    return found
