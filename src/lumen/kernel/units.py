"""Sums that a question puts in words of measure: 5 miles in km, 850 a month by the year.

Pure: a sentence in, an expression for calc out. Units and rates stand in lexicon/units.toml; what is
not there is left alone, and nobody guesses.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from lumen.kernel.lexicon import FOLDER

NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
ROUNDED = 10  # digits behind the point: more than any measure in daily life has


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
    parts = {"NUMBER": NUMBER, "UNIT": _any(units), "OFTEN": _any(often)}
    return Measures(
        units=MappingProxyType(units),
        often=MappingProxyType(often),
        asks=tuple(_compiled(p, parts) for p in raw["asks"]["converted"]),
        rates=tuple(_compiled(p, parts) for p in raw["asks"]["rates"]),
    )


def _any(words: Mapping[str, object]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _compiled(pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    for name, part in parts.items():
        pattern = pattern.replace(f"{{{name}}}", f"(?:{part})")
    return re.compile(pattern)


def converted(plain: str) -> tuple[str, str, str]:
    """The expression of a conversion, how it is put, and the unit of its value; empty: none."""
    known = measures()
    for pattern in known.asks:
        if (found := pattern.fullmatch(plain)) is None:
            continue
        one, other = known.units[found["one"]], known.units[found["other"]]
        if one.measures != other.measures:
            return "", "", ""
        number = digits(found["number"])
        sign = "-" if found["sign"] else ""
        given = f"{sign}{number} * ({one.factor}) + {one.zero} - {other.zero}"
        value = f"round(({given}) / ({other.factor}), {ROUNDED})"
        return value, f"{sign}{number} {one.shown}", other.shown
    return "", "", ""


def by_rate(plain: str) -> tuple[str, str]:
    """The expression of so much a month by the year, and so on, and how it is put; empty: none."""
    known = measures()
    for pattern in known.rates:
        if (found := pattern.fullmatch(plain)) is None:
            continue
        number = digits(found["number"])
        one, other = known.often[found["one"]], known.often[found["other"]]
        if one == other:
            return "", ""
        if {one, other} == {"365", "52"}:  # a week has seven days, whatever a year has
            expression = f"{number} {'*' if one == '365' else '/'} 7"
        elif other == "1":
            expression = f"{number} * {one}"
        elif one == "1":
            expression = f"{number} / {other}"
        else:
            expression = f"{number} * {one} / {other}"
        return f"round({expression}, {ROUNDED})", expression
    return "", ""


def digits(number: str) -> str:
    """A number as calc reads it: 1,000 is a thousand, 18,5 is eighteen and a half."""
    plain = re.sub(r",(?=\d{3}(?!\d))", "", number).replace(",", ".")
    return plain.lstrip("0") if plain.lstrip("0")[:1].isdigit() else f"0{plain.lstrip('0')}"
