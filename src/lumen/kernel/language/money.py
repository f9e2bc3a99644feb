"""Sums that are told in sentences: "I have 50 euros and spend 12.30, what is left?".

Pure: a message in, an expression for calc out. Each clause has one part in it (what one has, gets or
spends, or how many at what price), and the last one asks; where anything else holds a number, there
is no sum, and nobody guesses. The words stand in lexicon/money.toml.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from lumen.kernel.language.lexicon import FOLDER, alternatives, filled, lexicon
from lumen.kernel.language.units import NUMBER, Sum, digits

LEAST = 2  # numbers that make a sum
PAIR = 2  # an amount, and how many share it
MOST_SHARING = 50
ROOT = 3  # letters by which two forms are one currency


@dataclass(frozen=True, slots=True)
class _Words:
    clauses: re.Pattern[str]
    roles: dict[str, re.Pattern[str]]
    each: re.Pattern[str]
    number: re.Pattern[str]
    money: re.Pattern[str]
    spelled: re.Pattern[str]
    amount: re.Pattern[str]
    share: re.Pattern[str]


@cache
def _words() -> _Words:
    raw = tomllib.loads((FOLDER / "money.toml").read_text("utf-8"))
    parts = {"{NUMBER}": f"(?:{NUMBER})", "{MONEY}": f"(?:{raw['money']})"}
    counted = [word for word, value in lexicon().sums.items() if value.isdecimal()]
    return _Words(
        clauses=re.compile(raw["clauses"]),
        roles={
            role: re.compile(raw[role])
            for role in (
                *("has", "spends", "gains", "asks_left", "asks_total", "each_marked"),
                *(
                    "asks_each",
                    "shared_out",
                    "taken_off",
                    "asks_share",
                    "with_share",
                    "saved",
                    "no_amount",
                ),
            )
        },
        each=re.compile(filled(raw["each"], parts)),
        number=re.compile(rf"(?<![\w.,])(?:{NUMBER})(?!\w)"),
        money=re.compile(rf"(?<!\w)(?:{raw['money']})(?!\w)|[$€£₽]"),
        spelled=re.compile(rf"(?<!\w)(?:{alternatives(counted)})(?!\w)"),
        amount=re.compile(filled(raw["amount"], parts)),
        share=re.compile(rf"(?<![\w.,]){filled(raw['share'], parts)}"),
    )


def told_sum(plain: str) -> Sum | None:
    """The sum that a message in lower case tells and asks for."""
    words = _words()
    figures = words.spelled.sub(lambda m: lexicon().sums[m[0]], plain)
    if len(words.number.findall(figures)) < LEAST:
        return None
    *told, asks = [c for c in words.clauses.split(figures) if c.strip()] or [""]
    if not told or words.number.search(asks):
        return None
    terms = _terms(told)
    wanted = _is_asked(asks, terms)
    currency = {m[0][:ROOT] for m in words.money.finditer(plain)}
    if not terms or not wanted or len(currency) > 1:
        return None
    expression = " ".join(terms).removeprefix("+ ")
    found = words.money.search(plain)
    return Sum(expression, expression, found[0] if found else "")


def shares(text: str) -> list[tuple[int, int]]:
    """Where a text names percentages."""
    return [one.span() for one in _words().share.finditer(text.lower())]


def told_share(plain: str) -> Sum | None:
    """A share of the one amount that a message in lower case names: its tip, or what is taken off.

    Whatever has more numbers than the two may mean something else by them, and is no such sum.
    """
    words = _words()
    shares = list(words.share.finditer(plain))
    rest = words.share.sub(" ", plain)
    amounts = words.number.findall(words.spelled.sub(lambda m: lexicon().sums[m[0]], rest))
    asks, out, off, with_it, saved, other = (
        words.roles[role].search(plain) is not None
        for role in ("asks_share", "shared_out", "taken_off", "with_share", "saved", "no_amount")
    )
    if len(shares) != 1 or len(amounts) != 1 or not asks or not (out or off) or other:
        return None
    share, amount = digits(shares[0]["share"]), digits(amounts[0])
    sign = "-" if off and not saved else "+" if with_it and not off else "×"
    part = f"{amount} * {share} / 100"
    value = part if sign == "×" else f"{amount} {sign} {part}"
    currency = words.money.search(rest)
    return Sum(f"round({value}, 2)", f"{amount} {sign} {share}%", currency[0] if currency else "")


def told_each(plain: str) -> Sum | None:
    """What each of several pays, where a message in lower case tells of one amount and how many they are."""
    words = _words()
    figures = words.spelled.sub(lambda m: lexicon().sums[m[0]], plain)
    asks = words.roles["asks_each"].search(figures)
    found = [digits(one) for one in words.number.findall(figures)]
    other = words.roles["no_amount"].search(plain)
    if asks is None or other or len(found) != PAIR or words.number.search(figures, asks.start()):
        return None
    whole, many = sorted(found, key=float, reverse=True)
    if not many.isdecimal() or not 1 < int(many) <= MOST_SHARING:
        return None
    currency = words.money.search(plain)
    shown = f"{whole} / {many}"
    return Sum(f"round({shown}, 2)", shown, currency[0] if currency else "")


def _is_asked(asks: str, terms: list[str]) -> bool:
    roles = _words().roles
    left, total = (roles[role].search(asks) for role in ("asks_left", "asks_total"))
    return bool(left and len(terms) > 1) or bool(total and terms)


def _terms(told: list[str]) -> list[str]:
    """What each clause adds or takes, with its sign; nothing where one of them cannot be read.

    What one has comes first, wherever it is told: "if it costs 640 and I have 1500".
    """
    terms: list[str] = []
    figured = [clause for clause in told if _words().number.search(clause)]
    for clause in sorted(figured, key=lambda c: not _words().roles["has"].search(c)):
        term = _term(clause, first=not terms)
        if not term:
            return []
        terms.append(term)
    return terms


def _term(clause: str, *, first: bool) -> str:
    words = _words()
    found, many = words.each.search(clause), len(words.number.findall(clause))
    if found and many == LEAST and words.roles["each_marked"].search(clause):
        return f"{'+' if first else '-'} {digits(found['many'])} * {digits(found['price'])}"
    if many != 1:
        return ""
    number = digits(words.number.findall(clause)[0])
    if first:
        return f"+ {number}" if words.roles["has"].search(clause) else ""
    signs = [s for role, s in (("spends", "-"), ("gains", "+")) if words.roles[role].search(clause)]
    return f"{signs[0]} {number}" if len(signs) == 1 else ""


def in_figures(plain: str) -> tuple[str, str]:
    """A sum in lower case with its money as bare numbers, 12 euros 50 as 12.50; and the currency of the one amount."""
    said: list[str] = []

    def bare(amount: re.Match[str]) -> str:
        said.extend(filter(None, (amount["sign"], amount["name"])))
        return f"{digits(amount['whole'])}.{amount['part']}" if amount["part"] else amount["whole"]

    figures = _words().amount.sub(bare, plain)
    return (figures, said[0] if len(said) == 1 else "") if said else (plain, "")


def as_money(value: str, unit: str) -> str:
    """A value as money is written: 37.5 euros are 37.50."""
    tenths = re.fullmatch(r"-?\d+\.\d", value) is not None
    return f"{value}0" if tenths and _words().money.fullmatch(unit.lower()) else value
