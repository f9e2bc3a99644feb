"""Whether a text tells of something: the words, the stretches and the names it shares with it.

Pure, over texts and what counts as an ordinary word. What follows from it is for forget.py to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lumen.kernel.lexicon import lexicon
from lumen.kernel.reading import LINKS, WORD, names, numbers, words
from lumen.mind.embed import is_ordinary

RUN = 4
INFLECTED = 4  # from this length on a word is known by its beginning too
LONGEST = 50_000  # words of a text whose stretches are looked at


class Traces:
    """Knows what is to be forgotten, and whether a text tells of it.

    `own` are words that occur in nothing else the author said. Those no dictionary has are taken
    for a trace wherever they stand; a mere name is one in a reply, but not in what was written
    into the self.
    """

    def __init__(self, texts: Sequence[str], own: Iterable[str] = (), sought: str = "") -> None:
        self.whole = [said for text in texts if (said := _flat(text)) and words(text)]
        self.runs = {run for text in texts for run in runs(text)}
        self.own = frozenset(own)
        self.strange = frozenset(w for w in self.own if w[:1].isdigit() or not is_ordinary(w))
        self.sought = whole_words(sought) if sought else None

    def said_in(self, text: str) -> bool:
        """Whether a text says all of it, word for word."""
        said = _flat(text)
        return said in self.whole or any(
            f" {whole} " in f" {said} " for whole in self.whole if whole.count(" ") + 1 >= RUN
        )

    def tells(self, text: str) -> bool:
        """Whether a text repeats a stretch of it, or holds a word known from nowhere else."""
        return _holds(text, self.own) or self.stands_in(text)

    def stands_in(self, text: str) -> bool:
        """The same for a file of the self, where a name may have come from anywhere."""
        if self.sought and self.sought.search(text.casefold()):
            return True
        repeats = self.said_in(text) or not self.runs.isdisjoint(runs(text))
        return repeats or _holds(text, self.strange)


def telling(text: str) -> set[str]:
    """The words of a text that tell something by themselves: names, numbers, uncommon ones."""
    return names(text) | numbers(text) | {w for w in words(text) if not is_ordinary(w)}


def whole_words(what: str) -> re.Pattern[str]:
    """What is looked for, not inside another word; scripts without spaces have no other way."""
    said = what.casefold()
    before = r"(?<!\w)" if said[0].isascii() and said[0].isalnum() else ""
    after = r"(?!\w)" if said[-1].isascii() and said[-1].isalnum() else ""
    return re.compile(before + re.escape(said) + after)


def sequence(text: str) -> list[str]:
    """The words of a text in order, in lower case."""
    return [LINKS.sub("", w.lower()) for w in WORD.findall(text)]


def _flat(text: str) -> str:
    return " ".join(sequence(text))


def runs(text: str) -> set[str]:
    """Stretches of a few words that are no coincidence: two of them must carry content."""
    said, empty = sequence(text)[:LONGEST], lexicon().empty
    stretches = (said[i : i + RUN] for i in range(len(said) - RUN + 1))
    return {" ".join(s) for s in stretches if sum(w not in empty for w in s) > 1}


def _holds(text: str, own: frozenset[str]) -> bool:
    """Whether a text holds one of some words, or an inflected form of it."""
    return any(
        w in own or any(w[:n] in own for n in range(INFLECTED, len(w))) for w in sequence(text)
    )
