"""Rules that say which rows of words name a time, and how one is found in a row of tokens.

The notation is explained where the rules stand, in lexicon/times.toml; what a rule means is for
phrases to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MARKS_OF_END = frozenset(".!?…")


Value = int | str | tuple[int, ...]
Kinds = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Token:
    """A word in small letters, a figure or a mark, where it stands, and what it may mean."""

    start: int
    stop: int
    word: str
    kinds: Kinds
    capital: bool
    mark: bool  # no word and no figure
    glued: bool  # nothing stands between it and the token before


@dataclass(frozen=True, slots=True)
class Element:
    """One place of a rule."""

    kinds: tuple[str, ...]
    words: frozenset[str]
    optional: bool
    look: str  # ">": must follow, "!": must not, "^": nothing stands before; else it is taken


@dataclass(frozen=True, slots=True)
class TimeRule:
    """A row of elements, and what it is called."""

    name: str
    elements: tuple[Element, ...]


Captured = tuple[tuple[str, int], ...]  # kinds, and at which token


def parsed(written: Mapping[str, Sequence[str]]) -> dict[str, tuple[TimeRule, ...]]:
    """Rules by what they may start with."""
    found: dict[str, list[TimeRule]] = {}
    for name, patterns in written.items():
        for pattern in patterns:
            rule = TimeRule(name, tuple(map(_element, pattern.split())))
            for first in _firsts(rule.elements):
                found.setdefault(first, []).append(rule)
    return {first: tuple(rules) for first, rules in found.items()}


def plain_words(written: Mapping[str, Sequence[str]], *kinds: str) -> set[str]:
    """The plain words of the rules whose names begin so."""
    patterns = (p for name, rows in written.items() if name.startswith(kinds) for p in rows)
    return {word for p in patterns for e in p.split() for word in _element(e).words}


def _element(written: str) -> Element:
    if written == "^":
        return Element((), frozenset(), False, "^")
    look = written[0] if written[0] in ">!" else ""
    optional = written.endswith("?")
    parts = written.removeprefix(look).removesuffix("?").split("|")
    kinds = tuple(p for p in parts if p.isupper() and p.isascii())
    return Element(kinds, frozenset(parts) - {*kinds}, optional, look)


def _firsts(elements: Sequence[Element]) -> set[str]:
    firsts: set[str] = set()
    for element in elements:
        firsts |= {*element.kinds, *element.words}
        if not element.optional and element.look != "^":
            break
    return firsts


def matched(rule: TimeRule, tokens: Sequence[Token], at: int) -> tuple[int, Captured] | None:
    """Where a rule that holds from a token on ends, and what it took."""
    return _match(rule.elements, tokens, at, ())


def _match(
    elements: Sequence[Element], tokens: Sequence[Token], at: int, taken: Captured
) -> tuple[int, Captured] | None:
    if not elements:
        return at, taken
    element, rest = elements[0], elements[1:]
    if element.look:
        return _match(rest, tokens, at, taken) if _looks(element, tokens, at) else None
    if at < len(tokens):
        token = tokens[at]
        kind = next((k for k in element.kinds if k in token.kinds), "")
        if (kind or token.word in element.words) and (
            found := _match(rest, tokens, at + 1, (*taken, (kind, at)))
        ):
            return found
    return _match(rest, tokens, at, taken) if element.optional else None


def _looks(element: Element, tokens: Sequence[Token], at: int) -> bool:
    if element.look == "^":
        return at == 0
    after = tokens[at] if at < len(tokens) else None
    if element.look == "!":
        return after is None or not any(k in after.kinds for k in element.kinds)
    return any(_follows(kind, after) for kind in element.kinds)


def _follows(kind: str, after: Token | None) -> bool:
    if kind == "END":
        return after is None or after.word in MARKS_OF_END
    if kind == "NODIGIT":
        return after is None or not after.word[0].isdigit()
    if kind in ("STOP", "DONE"):
        closed = after is None or (after.mark and after.word != "%")
        return (
            closed
            or bool(after and ("FOLLOWS" in after.kinds or _tells(after)) and kind == "STOP")
            or (kind == "DONE" and after is not None and "DONE" in after.kinds)
        )
    return after is not None and kind in after.kinds


def _tells(token: Token) -> bool:
    """Whether a word is one of time, so that what stands before it may end there."""
    return any(
        k in token.kinds for k in ("DAYWORD", "WEEKDAY", "PART", "REL", "OPEN", "TO", "EVERY")
    )
