"""Whether a text tells of something: the words, the stretches and the names it shares with it.

Texts are compared folded: compatibility forms, case and what cannot be seen make no difference, and
a word is known by its inflections. Pure, over texts and what counts as an ordinary word. What
follows from it is for upkeep/ to say.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import LINKS, WORD, names, numbers, stem, words
from lumen.mind.built_in import is_ordinary

RUN = 4
INFLECTED = 4  # from this length on a word is known with any ending
UNMISTAKABLE = 6  # so long, a word no dictionary has is one beside figures as well
LONGEST = 50_000  # words of a text whose stretches are looked at
LEAST_DIGITS = 5  # of a number that is no count, date or size of the kernel's own
SURE_BYTES = 5  # letters of a word that chance does not put among bytes that are no text
ENDINGS = "s|es|d|ed|ing|ings|er|ers|y|ly|ies|ied|e|n|en|in"
_DOUBLED = "bdfgklmnprtvz"
_CYRILLIC = re.compile("[\u0430-\u044f]+")
_ENDING = re.compile(r"[аеиоуыэюяйь]{1,2}$")
_CLUSTER = re.compile(r"(.*[бвгджзйклмнпрстфхцчшщ])ь?([бвгджзклмнпрстфхцчшщ])")
_FLEETING = re.compile(r"(.*[бвгджзклмнпрстфхцчшщ])[\u0435\u043e]([бвгджзклмнпрстфхцчшщ])")
_CASE = r"(?:[аеиоуыюя]|[аеоя][вймх]|[ая]ми|[\u0435\u043e]ю)"
# Endings of cases, adjectives and verbs behind a base without its own: more would be another word.
_FORMS = (
    "(?:[аеиоуыюяьй]|[аеоя][вймх]|[ая]ми|[еоью]ю|[иы][йемх]|[ая]я|[ое]е|[ое]го|[ое]му|[иы]ми|[иь][еюя]|ии|и[ея]м"  # noqa: RUF001
    "|ия[мх]|[аеиоуыя]{0,2}(?:л[аои]?|ть|т|шь|те)|[аеиоуыя]?[юу]т)"
)
_CAPITAL = re.compile("(?<=[a-zäöüßа-яё])(?=[A-ZÄÖÜА-ЯЁ])")  # noqa: RUF001
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|\\[abfnrtv0\"'\\/]|\\x1b")


def plain(text: str) -> str:
    """A text in its compatibility form, without what cannot be seen."""
    same = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return (
        "".join(c for c in same if unicodedata.category(c) != "Cf") if not text.isascii() else same
    )


def folded(text: str) -> str:
    """A text as it is compared; Russian \u0451 is often written \u0435."""
    return plain(text).casefold().replace("\u0451", "\u0435")


def unescaped(text: str) -> str:
    """Source or JSON without its escapes, which would stand in the way of words."""
    return _ESCAPED.sub(lambda m: chr(int(m[1], 16)) if m[1] else " ", text)


def inflections(word: str) -> str:
    """A pattern for a folded word and its endings: plurals, possessives, forms of verbs and cases."""
    if not word.isalpha():
        return re.escape(word)
    if _CYRILLIC.fullmatch(word):
        return _cases(word) if len(word) >= INFLECTED else re.escape(word)
    if len(word) < INFLECTED:
        return rf"{re.escape(word)}(?:['’]?s|['’])?"
    bases = {word, stem(word), word.removesuffix("y"), word.removesuffix("e")}
    last = word[-1]
    doubled = f"|{last}(?:ing|ed|er|ers)" if last in _DOUBLED else ""
    either = "|".join(sorted(map(re.escape, bases), key=len, reverse=True))
    return rf"(?:{either})(?:['’]?(?:{ENDINGS}){doubled})?['’]?s?"


def _cases(word: str) -> str:
    """A pattern for a Russian word in any case, also where a vowel comes or goes before its last consonant."""
    base = _ENDING.sub("", word)
    base = base if len(base) >= INFLECTED - 1 else word
    forms = [f"{base}{_FORMS}{'?' if base == word or len(base) >= INFLECTED else ''}"]
    if base != word and (closed := _CLUSTER.fullmatch(base)):
        forms.append(f"{closed[1].removesuffix('й')}[\u0435\u043e]{closed[2]}(?![\u0430-\u044f])")
    elif base == word and len(word) > INFLECTED and (opened := _FLEETING.fullmatch(base)):
        forms.append(f"{opened[1]}\u044c?{opened[2]}{_CASE}")
    return f"(?:{'|'.join(forms)})" if len(forms) > 1 else forms[0]


def pattern_of(what: str) -> re.Pattern[str]:
    """Some words, each however inflected, in a folded text; not inside another word.

    Scripts without spaces have no other way; a word that is no ordinary one may touch figures.
    """
    said = folded(what)
    tokens = WORD.findall(said)
    if not tokens or any(c.isalpha() and c.lower() == c.upper() for c in said):
        return re.compile(re.escape(said))
    if len(tokens) == 1 and len(said) >= UNMISTAKABLE and not is_ordinary(tokens[0]):
        return re.compile(rf"(?<![^\W\d_]){inflections(LINKS.sub('', tokens[0]))}(?![^\W\d_])")
    parts = r"[\W_]+".join(inflections(LINKS.sub("", token)) for token in tokens)
    return re.compile(rf"(?<![^\W_])(?:{parts})(?![^\W_])")


def said_as(sought: re.Pattern[str], text: str) -> Iterator[str]:
    """What of a text some words are found as, also where capitals alone divide it, as in OldHouse."""
    for told in {text, _CAPITAL.sub(" ", text)}:
        yield from (found[0] for found in sought.finditer(folded(told)))


class OverlapDetector:
    """Knows what is to be forgotten, and whether a text tells of it.

    `own` are words that occur in nothing else the author said. Those no dictionary has are taken
    for a trace wherever they stand; a mere name is one in a reply, but not in what was written
    into the self. `vocabulary` is what the kernel says of itself, which tells of nothing.
    """

    def __init__(
        self,
        texts: Sequence[str],
        own: Iterable[str] = (),
        sought: str = "",
        vocabulary: Iterable[str] = (),
    ) -> None:
        self.whole = [said for text in texts if (said := " ".join(sequence(text))) and words(text)]
        self.runs = {run for text in texts for run in runs(text)}
        known = frozenset(vocabulary)
        self.own = frozenset(own)
        self.strange = frozenset(w for w in self.own if w[:1].isdigit() or not is_ordinary(w))
        self.sought = pattern_of(sought) if sought else None
        self.common = bool(sought) and set(sequence(sought)) <= known
        self._spoken = frozenset(
            w for w in self.own - known if not w.isdigit() or len(w) >= INFLECTED - 1
        )
        self._noted = frozenset(
            w for w in self.strange - known if not w.isdigit() or len(w) >= LEAST_DIGITS
        )

    def said_in(self, text: str) -> bool:
        """Whether a text says all of it, word for word."""
        return self._says(" ".join(sequence(text)))

    def tells(self, text: str) -> bool:
        """Whether a text repeats a stretch of it, or holds a word known from nowhere else."""
        return self._told(text, self.own)

    def stands_in(self, text: str) -> bool:
        """The same for a file of the self, where a name may have come from anywhere."""
        return self._told(text, self.strange)

    def noted_in(self, text: str, *, spoken: bool) -> bool:
        """The same for a note of the kernel's, which has counts and words of its own.

        `spoken` is a note that carries others' words.
        """
        own = self._spoken if spoken else self._noted
        return self._told(text, own, sought=not self.common)

    def left_in(self, text: str, *, binary: bool = False) -> bool:
        """Whether a given word stands in a text in any form; of bytes, only what is no chance."""
        if self.sought is not None:
            least = SURE_BYTES if binary else 1
            return any(len(said) >= least for said in said_as(self.sought, unescaped(text)))
        least = SURE_BYTES if binary else INFLECTED - 1
        given = frozenset(w for w in self.strange if len(w) >= least)
        return bool(given) and _holds(sequence(unescaped(text)), given)

    def _told(self, text: str, own: frozenset[str], *, sought: bool = True) -> bool:
        if sought and self.sought and any(said_as(self.sought, unescaped(text))):
            return True
        said = sequence(text)
        return (
            _holds(said, own)
            or self._says(" ".join(said))
            or not self.runs.isdisjoint(_runs(said) if self.runs else ())
        )

    def _says(self, said: str) -> bool:
        return said in self.whole or any(
            f" {whole} " in f" {said} " for whole in self.whole if whole.count(" ") + 1 >= RUN
        )


def content(text: str) -> set[str]:
    """The words of a text that carry content, folded."""
    return {folded(w) for w in words(plain(text))}


def telling(text: str) -> set[str]:
    """The words of a text that tell something by themselves: names, numbers, uncommon ones."""
    text = plain(text)
    found = names(text) | numbers(text) | {w for w in words(text) if not is_ordinary(w)}
    return {folded(w) for w in found}


def sequence(text: str) -> list[str]:
    """The words of a text in order, folded."""
    return [LINKS.sub("", w) for w in WORD.findall(folded(text))]


def runs(text: str) -> set[str]:
    """Stretches of a few words that are no coincidence: two of them must carry content."""
    return _runs(sequence(text))


def _runs(said: Sequence[str]) -> set[str]:
    said, empty = said[:LONGEST], lexicon().empty
    stretches = (said[i : i + RUN] for i in range(len(said) - RUN + 1))
    return {" ".join(s) for s in stretches if sum(w not in empty for w in s) > 1}


def _holds(said: Iterable[str], own: frozenset[str]) -> bool:
    """Whether one of some words is among others, in this form or another."""
    if not own:
        return False
    return any(
        w in own
        or (len(w) > INFLECTED and stem(w) in own)
        or any(
            w[:n] in own and re.fullmatch(inflections(w[:n]), w) for n in range(INFLECTED, len(w))
        )
        for w in set(said)
    )
