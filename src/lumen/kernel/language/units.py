"""Sums that a question puts in words of measure: 5 miles in km, 850 a month by the year, 126 among 4.

Pure: a sentence in, an expression for calc out. Units and rates stand in lexicon/units.toml; what is
not there is left alone, and nobody guesses.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from lumen.kernel.language.lexicon import FOLDER, alternatives, filled, lexicon

NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
ROUNDED = 10  # digits behind the point: more than any measure in daily life has


@dataclass(frozen=True, slots=True)
class Sum:
    """What calc is given, and how it was put."""

    expression: str
    said: str
    unit: str = ""  # what its value is of


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: what it measures, how many of the basic one it is, and where its zero lies."""

    measures: str
    factor: str
    zero: str
    shown: str


@dataclass(frozen=True, slots=True)
class Measures:
    """Units and stretches of time by their words, and the sentences that ask for them."""

    units: Mapping[str, Unit]
    often: Mapping[str, str]  # how many of it make a year
    asks: tuple[re.Pattern[str], ...]
    rates: tuple[re.Pattern[str], ...]
    shares: tuple[re.Pattern[str], ...]


@cache
def measures() -> Measures:
    """The words of lexicon/units.toml."""
    raw = tomllib.loads((FOLDER / "units.toml").read_text("utf-8"))
    units = {
        word: Unit(unit["measures"], unit["factor"], unit.get("zero", "0"), name)
        for name, unit in raw["units"].items()
        for word in unit["words"]
    }
    often = {word: times for times, words in raw["often"].items() for word in words}
    words = {"NUMBER": NUMBER, "UNIT": alternatives(units), "OFTEN": alternatives(often)}
    words |= {name.upper(): pattern for name, pattern in raw["parts"].items()}
    parts = {f"{{{name}}}": f"(?:{part})" for name, part in words.items()}
    return Measures(
        units=MappingProxyType(units),
        often=MappingProxyType(often),
        asks=tuple(re.compile(filled(p, parts)) for p in raw["asks"]["converted"]),
        rates=tuple(re.compile(filled(p, parts)) for p in raw["asks"]["rates"]),
        shares=tuple(re.compile(filled(p, parts)) for p in raw["asks"]["shares"]),
    )


def converted(plain: str) -> Sum | None:
    """A conversion that a sentence asks for."""
    known = measures()
    found = _matched(known.asks, plain)
    one, other = (known.units[found[name]] for name in ("one", "other")) if found else (None, None)
    if not (found and one and other) or one.measures != other.measures:
        return None
    number = digits(found["number"])
    sign = "-" if found["sign"] else ""
    given = f"{sign}{number} * ({one.factor}) + {one.zero} - {other.zero}"
    value = f"round(({given}) / ({other.factor}), {ROUNDED})"
    return Sum(value, f"{sign}{number} {one.shown}", other.shown)


def by_rate(plain: str) -> Sum | None:
    """So much a month by the year, and so on."""
    known = measures()
    found = _matched(known.rates, plain)
    one, other = (known.often[found[name]] for name in ("one", "other")) if found else ("", "")
    if not found or one == other:
        return None
    number = digits(found["number"])
    if {one, other} == {"365", "52"}:  # a week has seven days, whatever a year has
        expression = f"{number} {'*' if one == '365' else '/'} 7"
    elif other == "1":
        expression = f"{number} * {one}"
    elif one == "1":
        expression = f"{number} / {other}"
    else:
        expression = f"{number} * {one} / {other}"
    return Sum(f"round({expression}, {ROUNDED})", expression)


def shared(plain: str) -> Sum | None:
    """So much among so many."""
    found = _matched(measures().shares, plain)
    if not found:
        return None
    many = found["many"]
    parts = many if many.isdecimal() else lexicon().sums.get(many, "")
    expression = f"{digits(found['number'])} / {parts}"
    return Sum(f"round({expression}, 2)", expression) if parts.strip("0") else None


def _matched(patterns: Iterable[re.Pattern[str]], plain: str) -> re.Match[str] | None:
    return next(filter(None, (pattern.fullmatch(plain) for pattern in patterns)), None)


def digits(number: str) -> str:
    """A number as calc reads it: 1,000 is a thousand, 18,5 is eighteen and a half."""
    plain = re.sub(r",(?=\d{3}(?!\d))", "", number).replace(",", ".")
    return plain.lstrip("0") if plain.lstrip("0")[:1].isdigit() else f"0{plain.lstrip('0')}"
