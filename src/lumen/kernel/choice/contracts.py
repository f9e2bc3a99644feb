"""The style contracts of a being: which of them apply to a turn, and whether a text keeps them.

They are its defaults, as data in lexicon/contracts.toml, as long as it has none of its own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from lumen.kernel.language.claims import ReplySentence, does
from lumen.kernel.language.lexicon import FOLDER
from lumen.kernel.language.reading import WORD

LONGEST_SENTENCE = 32  # words, on the average, that are still plain
LONGEST_TALK = 5  # sentences that are no lecture yet
SAME_OPENING = 4  # words that make two openings the same
ASIDE = "⟦"
LISTED = ("- ", "* ", "1.", "# ", "• ")


@dataclass(frozen=True, slots=True)
class StyleContract:
    """A way of speaking the being keeps to, and when."""

    name: str
    rule: str
    depths: tuple[str, ...] = ()  # of the turn; none: any
    asks: bool = False  # only where judgement is asked for


@dataclass(frozen=True, slots=True)
class SpokenText:
    """What a contract is held against."""

    text: str
    sentences: tuple[ReplySentence, ...]
    built: bool  # by code, from evidence alone: it has no opinion to open with
    before: str = ""  # what the being said last


@cache
def contracts() -> tuple[StyleContract, ...]:
    """Those a being has; the one place that says so."""
    told = tomllib.loads((FOLDER / "contracts.toml").read_text("utf-8"))
    return tuple(
        StyleContract(name, one["rule"], tuple(one.get("depths", ())), bool(one.get("asks", False)))
        for name, one in told.items()
    )


def applying(depth: str, *, asks: bool) -> tuple[StyleContract, ...]:
    """The contracts that apply to a turn."""
    return tuple(
        c for c in contracts() if (not c.depths or depth in c.depths) and (asks or not c.asks)
    )


def broken(names: tuple[str, ...], said: SpokenText) -> tuple[str, ...]:
    """Those of the named contracts that a text does not keep."""
    return tuple(c.name for c in contracts() if c.name in names and not RULES[c.rule](said))


def _plain(said: SpokenText) -> bool:
    return len(WORD.findall(said.text)) <= LONGEST_SENTENCE * max(1, len(said.sentences))


def _no_fluff(said: SpokenText) -> bool:
    return said.built or not does("cliche", said.text)


def _opens_with_stance(said: SpokenText) -> bool:
    return said.built or bool(said.sentences and does("stance", said.sentences[0].text))


def _no_lecture(said: SpokenText) -> bool:
    listed = sum(line.lstrip().startswith(LISTED) for line in said.text.splitlines())
    return said.built or (len(said.sentences) <= LONGEST_TALK and listed < 2)


def _decides(said: SpokenText) -> bool:
    return said.built or does("stance", said.text) or not does("platitude", said.text)


def _supported(said: SpokenText) -> bool:
    return said.built or not any(s.unsupported for s in said.sentences)


def _no_aside(said: SpokenText) -> bool:
    return ASIDE not in said.text


def _not_again(said: SpokenText) -> bool:
    first, last = (WORD.findall(t.lower())[:SAME_OPENING] for t in (said.text, said.before))
    return len(first) < SAME_OPENING or first != last


RULES: Mapping[str, Callable[[SpokenText], bool]] = MappingProxyType(
    {
        "plain": _plain,
        "no_fluff": _no_fluff,
        "opens_with_stance": _opens_with_stance,
        "no_lecture": _no_lecture,
        "decides": _decides,
        "supported": _supported,
        "no_aside": _no_aside,
        "not_again": _not_again,
    }
)
