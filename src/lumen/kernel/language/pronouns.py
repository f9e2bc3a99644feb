"""The author's words said back: "I think you should call me" becomes "you think I should call you".

Word by word, both ways, with the verb beside a pronoun. What stands in quotation marks is somebody's
own words and is left alone. English only; the words stand in the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import QUOTED, WORD, apostrophes, sentences, stems

_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[^\w\s]|\s+|_+")
_CLOCK = re.compile(r"\d")
SHORTEST_QUOTE = 3  # words: fewer may be the same by chance
OF_ONESELF = re.compile(r"(?:I|My|We|Our)\b(?! (?:was|were) not told)")
MINE = re.compile(r"\b(?:[Mm]y|[Oo]ur) (\w+)")
LONGEST_PARTNER = 2  # words: "my sister" and I
BE = frozenset(["are", "were", "aren't", "weren't", "do", "did", "don't", "didn't", "have"])
SAME = ("you and i", "you and me")  # whoever says it


def mirror(text: str) -> str:
    """A text with the author and the being changed places, as far as pronouns go."""
    plain = lexicon().signals["leads_on"].sub("", apostrophes(text), count=1)
    said, at = "", 0
    for quote in [*QUOTED.finditer(plain), None]:
        said += _turned(plain[at : quote.start() if quote else len(plain)], plain, at)
        said += quote[0] if quote else ""
        at = quote.end() if quote else at
    first = WORD.match(said.lower())
    known = first and (first[0] in lexicon().empty or lexicon().has("revision", first[0]))
    if known and not re.match(r"I\b", said):
        said = said[0].lower() + said[1:]  # any other first word may be a name
    return said


def addressed(text: str, quotes: Sequence[str], asked: str = "") -> str:
    """A reply in which sentences of the author, taken over word for word, are said to the author.

    A model that is told "My sister lives in Porto." likes to answer so, as if the sister were its own. To a
    question about the author it need not be word for word: "I like rooibos" is of the one who told it.
    """
    told = [_plain_words(quote) for quote in quotes]
    known = stems(f"{asked} {' '.join(quotes)}") if asked and quotes else set()
    said, at = "", 0
    for begin, end in sentences(text):
        sentence = text[begin:end]
        own = _plain_words(sentence)
        quoted = len(own.split()) >= SHORTEST_QUOTE and any(own in one for one in told)
        if quoted or (OF_ONESELF.match(sentence) and _is_of(stems(sentence), known)):
            turned = mirror(sentence)
            sentence = turned[:1].upper() + turned[1:]
        said, at = said + text[at:begin] + sentence, end
    return said + text[at:]


def of_the_author(text: str, asked: str) -> str:
    """A reply in which what the author called theirs is not the being's: "to stop my glasses from fogging"."""
    theirs = set(MINE.findall(asked))
    if not theirs:
        return text
    said, at = "", 0
    for begin, end in sentences(text):
        sentence = text[begin:end]
        if theirs & set(MINE.findall(sentence)) and not QUOTED.search(sentence):
            turned = mirror(sentence)
            sentence = turned[:1].upper() + turned[1:]
        said, at = said + text[at:begin] + sentence, end
    return said + text[at:]


def _is_of(said: set[str], known: set[str]) -> bool:
    """Whether something is said, and nothing that is not known."""
    return bool(said) and said <= known


def _plain_words(text: str) -> str:
    return f" {' '.join(w.lower() for w in WORD.findall(text.replace('’', chr(39))))} "


def tells_of_being(text: str) -> bool:
    """Whether a statement says what the being is, has or does: never to be said back as a fact.

    What the author only thinks, hopes or wants of it stays theirs when it is said back.
    """
    plain = QUOTED.sub(" ", text.replace("’", "'")).lower()
    return any(_is_about_being(" ".join(plain[a:b].split())) for a, b in sentences(plain))


def _is_about_being(sentence: str) -> bool:
    signals = lexicon().signals
    if signals["claims_being"].search(sentence):
        return True
    if signals["own_opinion"].match(sentence):
        return False
    tokens = [t[0] for t in _TOKEN.finditer(sentence) if not t[0].isspace()]
    return any(_names_being(tokens, n) for n in range(len(tokens)))


def _names_being(plain: list[str], n: int) -> bool:
    """Whether a word is the being as the subject of its clause, or something of its own."""
    opens = not n or not plain[n - 1][0].isalnum() or plain[n - 1] in _signals("openers")
    if plain[n] == "you":
        return _is_subject(plain, n)
    return plain[n] in ("you're", "you've", "you'll", "you'd") or (opens and plain[n] == "your")


def _turned(piece: str, whole: str, at: int) -> str:
    """A stretch without quotation marks; `whole` tells where its sentences begin."""
    begins = {start - at for start, _ in sentences(whole)[1:]}
    tokens = list(_TOKEN.finditer(piece))
    words = [t for t in tokens if not t[0].isspace()]
    place = {t.start(): n for n, t in enumerate(words)}
    plain = [t[0].lower() for t in words]
    skipped = _both(plain)
    said = []
    for token in tokens:
        n = place.get(token.start())
        if n is None:
            said.append(token[0])
            continue
        new = token[0] if n in skipped else _word(plain, n, token[0])
        capital = token.start() in begins and token[0][0].isupper()
        said.append(new[:1].upper() + new[1:] if capital else new)
    return "".join(said)


def _both(plain: list[str]) -> set[int]:
    """The words of "you and I", which mean the same whoever says them."""
    spots = range(len(plain) - 2)
    return {n + k for n in spots if " ".join(plain[n : n + 3]) in SAME for k in range(3)}


def _word(plain: list[str], n: int, token: str) -> str:
    """One word turned; the same when it names neither the author nor the being."""
    word = plain[n]
    before = plain[n - 1] if n else ""
    if word in lexicon().turned:
        return lexicon().turned[word]
    if word == "you":
        return "I" if _is_subject(plain, n) else "me"
    if word == "am":
        return token if _CLOCK.match(before) else "are"
    if word in _VERBS:
        subject = _subject_beside(plain, n)
        first, second = _VERBS[word]
        return {"i": second, "you": first}.get(subject, token)
    return token


# A verb's form beside "I", and its form beside "you"; what is said beside the one turns into the other.
_VERBS = {
    "was": ("was", "were"),
    "wasn't": ("wasn't", "weren't"),
    "are": ("am", "are"),
    "were": ("was", "were"),
    "aren't": ("am not", "aren't"),
    "weren't": ("wasn't", "weren't"),
}


def _subject_beside(plain: list[str], n: int) -> str:
    """The pronoun a form of "to be" belongs to, if it stands right beside it."""
    back = n - 1
    while back >= 0 and plain[back] in _signals("adverbs"):
        back -= 1
    before = plain[back] if back >= 0 else ""
    wish = back >= 1 and plain[back - 1] in ("if", "wish") and plain[n] == "were"
    many = wish or (not plain[n].startswith("was") and _joined(plain, back))
    if before in ("i", "you"):
        return "" if many else before
    after = plain[n + 1] if n + 1 < len(plain) else ""
    more = plain[n + 2] if n + 2 < len(plain) else ""
    opens = not before or not before[0].isalnum() or before in _signals("openers")
    inverted = after in ("i", "you") and opens and more != "and"
    return after if inverted else ""


def _joined(plain: list[str], n: int) -> bool:
    """Whether a pronoun is one of two that do something together: "Anna and you are"."""
    if n < 1 or plain[n - 1] != "and":
        return False
    opens = [
        k for k in range(n - 1) if not plain[k][0].isalnum() or plain[k] in _signals("openers")
    ]
    return 0 < n - 2 - max(opens, default=-1) <= LONGEST_PARTNER


def _is_subject(plain: list[str], n: int) -> bool:
    """Whether a "you" does something, or has something done to it."""
    before = plain[n - 1] if n else ""
    after = plain[n + 1] if n + 1 < len(plain) else ""
    if not after[:1].isalnum():
        return before in BE  # "are you?", but "I love you."
    if after in _signals("acts"):
        return before not in _signals("hands_to") or after in _signals("modals")
    if not before or not before[0].isalnum() or before in _signals("openers"):
        return after not in _signals("follows_object")
    return before in BE and before != "were"


@cache
def _signals(name: str) -> frozenset[str]:
    return frozenset(lexicon().pronouns[name])
