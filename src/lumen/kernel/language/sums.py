"""The sum a message asks for, as an expression for calc: 18% of 240, half of 90, 12 times 7.

Words of arithmetic stand in the lexicon. A sentence that is more than its sum asks for none, so
"I am 90% sure" and "half of my friends" do not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.money import in_figures, told_each, told_share, told_sum
from lumen.kernel.language.questions import questions_in
from lumen.kernel.language.reading import is_question, language, plainly, sentences
from lumen.kernel.language.units import NUMBER, Sum, by_rate, converted, digits, shared

_SUM = re.compile(r"[\d(][\d\s.,()+*/^%×÷-]*[\d)]")
_OPERATOR = re.compile(r"[+*/^%×÷]|\d\s*-\s*\d")
_PLAIN = re.compile(r"[+*^×÷]|\s[-/%]\s")  # an operator that stands in no date and no number
_BY_ZERO = re.compile(r"\d+\s*/\s*0+")
_PART = re.compile(
    r"\s*(?:of|from|от|из|von)\b", re.IGNORECASE
)  # behind a fraction: it is one of something
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_SYMBOLS = {"×": "*", "÷": "/", "\N{MINUS SIGN}": "-", "\N{EN DASH}": "-"}
_COURTESIES = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|so|and|well|please|quick question|can you|could you|tell me|"
    r"скажи|пожалуйста|sag mir|sag|bitte|kannst du|und|also|hallo)[,:]?\s+)*",
)
MOST = 200  # characters of a sentence that is a sum in words


def sum_asked(text: str) -> Sum | None:
    """The sum a text asks for, in words or in signs."""
    text = _grouped(text)
    if len(text) <= MOST and (found := by_rate(_plain(text)) or told_sum(_plain(text))):
        return replace(found, unit=_spelled_as(found.unit, text)) if found.unit else found
    spoken = [text[start:stop].strip() for start, stop in sentences(text)]
    for sentence in (s for s in spoken if len(s) <= MOST):
        plainest = _plain(sentence)
        if found := converted(plainest) or shared(plainest) or _in_words(sentence):
            return found
    if len(text) <= MOST and (found := told_share(_plain(text)) or told_each(_plain(text))):
        return replace(found, unit=_spelled_as(found.unit, text)) if found.unit else found
    plain = arithmetic(text)
    return Sum(plain, plain) if plain else None


def sum_beside(text: str) -> tuple[Sum, tuple[str, ...]] | None:
    """The one sum among the questions of a message, and the others."""
    asks = questions_in(text)
    sums = [(one, found) for one in asks if (found := sum_asked(one))]
    whole = sum_asked(text) if len(sums) == 1 else None
    if len(sums) != 1 or (whole and whole.expression != sums[0][1].expression):
        return None
    return sums[0][1], tuple(one for one in asks if one != sums[0][0])


def _grouped(text: str) -> str:
    """A text with its numbers as English writes them: 1.000,50 is a thousand in German, 1 000 in Russian."""
    tongue = language(text)
    if tongue == "de":
        whole = re.sub(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?!\d|\.\d)", _ungrouped, text)
        return re.sub(r"(?<=\d),(?=\d+(?!\d|,\d))", ".", whole)
    return (
        re.sub(r"(?<!\d)\d{1,3}(?:[ \u00a0]\d{3})+(?!\d)", _ungrouped, text)
        if tongue == "ru"
        else text
    )


def _ungrouped(number: re.Match[str]) -> str:
    return re.sub(r"\D", "", number[0])


def arithmetic(text: str) -> str:
    """The sum a text asks for in signs; empty when it asks for none.

    Dates, telephone numbers and "24/7" look like sums too: those need a word that asks for one.
    What stands beside words of arithmetic is only a part of a sum, and a part is none.
    """
    for found in _SUM.finditer(text):
        if _PART.match(text, found.end()):
            continue
        sum_ = " ".join(found[0].split())
        around = f"{text[: found.start()]} {text[found.end() :]}"
        if "%" in around or lexicon().has("worded_sum", around):
            continue
        if _OPERATOR.search(sum_) and not _DATE.fullmatch(sum_) and _asked_for(found, text):
            return _spelled(sum_)
    return ""


def _spelled(sum_: str) -> str:
    """A sum as calc reads it: people write 1,000 and 007 and 2^10."""
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", sum_)
    plain = re.sub(r"(?<![\d.])0+(?=\d)", "", plain)
    return plain.replace("×", "*").replace("÷", "/").replace("^", "**")


def _asked_for(found: re.Match[str], text: str) -> bool:
    before = text[: found.start()].lower().rstrip(" :")
    cues = [cue.end() for cue in lexicon().signals["reckon"].finditer(text.lower())]
    if len(before) in cues:
        return True
    alone = not (text[: found.start()] + text[found.end() :]).strip(" =?.!\n")
    if alone and _BY_ZERO.fullmatch(found[0]):  # no date, and no 24/7
        return True
    return bool(_PLAIN.search(found[0])) and (alone or bool(cues) or is_question(text))


def _plain(sentence: str) -> str:
    """A sentence in lower case without its mark and its courtesies."""
    plain = plainly(sentence).rstrip("?.!= ")
    for asked in (" please", " пожалуйста", " bitte"):
        plain = plain.removesuffix(asked).rstrip(", ")
    return _COURTESIES.sub("", plain)


def _in_words(sentence: str) -> Sum | None:
    """A sentence that is a sum and nothing else, some of it in words or a percentage."""
    plain = _plain(sentence)
    cue = lexicon().signals["reckon"].match(plain)
    said = plain[cue.end() if cue else 0 :].strip(" :,")
    figures, unit = in_figures(said)
    tokens = _tokens(figures)
    if not tokens or tokens == [said] or not re.search(r"%|[^\W\d_]", said):
        return None
    try:
        reader = _Reader(tokens)
        value = reader.sum()
    except ValueError:
        return None
    whole = reader.at == len(tokens) and reader.operators
    shown = _spelled_as(said, sentence)
    return Sum(value, shown, _spelled_as(unit, sentence) if unit else "") if whole else None


def _spelled_as(said: str, sentence: str) -> str:
    """Words of a sentence as its author spelled them where that tells: German has capitals in it."""
    plain = " ".join(said.split())
    if language(sentence) != "de":
        return plain
    found = re.search(r"\s+".join(map(re.escape, plain.split())), sentence, re.IGNORECASE)
    return " ".join(found[0].split()) if found else plain


def _tokens(said: str) -> list[str]:
    """Numbers, signs and words of arithmetic as calc's signs; nothing when there is another word."""
    tokens: list[str] = []
    at = 0
    while at < len(said):
        found = _token().match(said, at)
        if not found:
            return []
        at = found.end()
        piece = " ".join(found[0].split())
        if found.lastgroup == "number":
            tokens.append(digits(piece))
        elif found.lastgroup == "word":
            tokens += lexicon().sums[piece].split()
        elif found.lastgroup == "sign":
            tokens.append(_SYMBOLS.get(piece, piece))
    return _fractions(tokens)


def _fractions(tokens: list[str]) -> list[str]:
    """Tokens in which 1 / 3 before "of" is one number."""
    for at in range(len(tokens) - 3):
        above, sign, below, word = tokens[at : at + 4]
        if (sign, word) == ("/", "of") and above.isdecimal() and below.isdecimal():
            return [*tokens[:at], f"{above}/{below}", *_fractions(tokens[at + 3 :])]
    return tokens


@cache
def _token() -> re.Pattern[str]:
    ordered = sorted(lexicon().sums, key=len, reverse=True)
    words = "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in ordered)
    return re.compile(
        rf"\s+|[$€£₽]|(?P<number>{NUMBER})(?!\w)|(?P<word>(?<!\w)(?:{words})(?!\w))"
        "|(?P<sign>\\*\\*|[-+*/^%×÷\N{MINUS SIGN}\N{EN DASH}()])"
    )


@dataclass(slots=True)
class _Reader:
    """Reads tokens from left to right; a percentage that is added is one of what it is added to."""

    tokens: Sequence[str]
    at: int = 0
    operators: int = 0

    def sum(self) -> str:
        """The expression of what follows, up to a bracket that closes or the end."""
        left = self._product()
        while self._next() in ("+", "-"):
            sign = self._take()
            self.operators += 1
            if self._is_share():
                share = self._take()
                self._take()
                left = f"({left}) * (100 {sign} {share}) / 100"
            else:
                left = f"{left} {sign} {self._product()}"
        return left

    def _is_share(self) -> bool:
        following = self.tokens[self.at : self.at + 3]
        return following[1:2] == ["%"] and following[2:] not in (["of"], ["off"], ["*"], ["/"])

    def _product(self) -> str:
        left = self._power()
        while self._next() in ("*", "/"):
            sign = self._take()
            self.operators += 1
            left = f"{left} {sign} {self._power()}"
        return left

    def _power(self) -> str:
        base = self._part()
        while self._next() in ("^", "**"):
            self._take()
            self.operators += 1
            base = f"{base} ** {self._part()}"
        return base

    def _part(self) -> str:
        part = self._take()
        if part == "(":
            inside = self.sum()
            if self._take() != ")":
                raise ValueError("a bracket stays open")
            return f"({inside})"
        if part == "sqrt":
            self.operators += 1
            return f"sqrt({self._part()})"
        if not part[:1].isdigit():
            raise ValueError(f"{part!r} is no number")
        return self._share(part)

    def _share(self, number: str) -> str:
        """A number, or so much of what follows: 18% of 240, 1/2 of 90, 20% off 50."""
        percent = self._next() == "%"
        if percent:
            self._take()
        fraction = "/" in number
        if self._next() not in ("of", "off"):
            return f"({number} / 100)" if percent else f"({number})" if fraction else number
        word = self._take()
        if not percent and (word == "off" or not fraction):
            raise ValueError("three of ten is no sum")
        self.operators += 1
        whole = self._power()
        if word == "off":
            return f"({whole} * (100 - {number}) / 100)"
        return f"({whole} * {number} / 100)" if percent else f"({whole} * {number})"

    def _next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _take(self) -> str:
        token = self._next()
        self.at += 1
        if not token:
            raise ValueError("it breaks off")
        return token
