"""What a small model may be heard with: words that assert nothing.

It puts true words into false sentences, so nothing of its making counts as a fact about the author,
the being or the world. It may greet, thank, take part, say the author's own sentence back, and make
up what was asked for as made up. Pure functions; the words stand in the lexicon.
"""

from __future__ import annotations

import re

from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.pronouns import mirror, tells_of_being
from lumen.kernel.language.reading import (
    WORD,
    courtesies,
    language,
    plainly,
    sentences,
    small_talk,
    stem,
    stems,
    words,
)

SPELLED = {"i'm": "i am", "you're": "you are", "i've": "i have", "you've": "you have"}
SPELLED |= {"it's": "it is", "that's": "that is", "you'd": "you would", "you'll": "you will"}

LONGEST_WORD = 30
IN_A_ROW = 4  # words: fewer may come twice
MOST_OFTEN = 4  # times each word may stand in a text on the average


def asks_for_fiction(text: str) -> bool:
    """Whether what is asked for is made up by its nature: a joke, a poem, a story."""
    return lexicon().has("fiction", text)


def is_garbled(text: str, message: str) -> bool:
    """Whether a text is in another language than it was asked in, or in none."""
    said = [w.lower() for w in WORD.findall(text)]
    stuck = any(len(w) > LONGEST_WORD for w in said) or len(set(said)) * MOST_OFTEN < len(said)
    return stuck or _goes_round(text) or language(text) != language(message)


def _goes_round(text: str) -> bool:
    """Whether a text says a few words in a row again: that is how a small model gets stuck."""
    said = [w.lower() for w in WORD.findall(text)]
    rows = [tuple(said[n : n + IN_A_ROW]) for n in range(len(said) - IN_A_ROW + 1)]
    return len(set(rows)) < len(rows)


def says_back(text: str, message: str) -> bool:
    """Whether each sentence of a text is a stretch of what the author said, and may be said back."""
    if tells_of_being(message) or is_figure(message):
        return False
    said = _tokens(mirror(message))
    return all(_within(_tokens(_content(text[a:b])), said) for a, b in sentences(text))


def asserts_nothing(text: str, around: str) -> bool:
    """Whether a text is small talk and nothing else, by each of its words."""
    known = stems(around)
    left = [w for w in words(text) if stem(w) not in known]
    return all(lexicon().signals["pleasant"].fullmatch(w) for w in left)


def in_kind(text: str, message: str) -> bool:
    """Whether small talk answers the kind it is said to: no hello to somebody who leaves."""
    said = courtesies(text)
    if small_talk(message) == "greeting":
        return "farewell" not in said
    return "greeting" not in said


def addresses(text: str, name: str) -> bool:
    """Whether a text speaks to somebody by a name: "Hello, Lumen!" and "All right, Lumen."."""
    if not name:
        return False
    before = (
        r"(?:^|[,.!?…]|\b(?:hi|hello|hey|dear|morning|evening|afternoon|day|night|bye|thanks|you))"
    )
    return re.search(rf"{before}\s*{re.escape(name)}\s*(?:[,.!?…]|$)", text, re.I) is not None


def _content(sentence: str) -> str:
    """What a sentence claims, behind its "thank you for telling me that"."""
    plain = plainly(sentence)
    found = lexicon().signals["takes_in"].match(plain)
    return plain[found.end() :] if found else plain


def _tokens(text: str) -> list[str]:
    found = (w.replace("’", "'").lower() for w in WORD.findall(text))
    return " ".join(SPELLED.get(w, w) for w in found).split()


def _within(part: list[str], whole: list[str]) -> bool:
    """Whether words stand in a text one after the other: without a "not" between they say else."""
    spots = range(len(whole) - len(part) + 1)
    return any(whole[n : n + len(part)] == part for n in spots)


def is_figure(text: str) -> bool:
    """Whether the author puts it more strongly than it is meant: the heat will kill me."""
    return lexicon().has("figure", text) or lexicon().has("figure_wish", text)


def is_goodnight(text: str) -> bool:
    """Whether a farewell is one for the night."""
    return lexicon().has("goodnight", text)
