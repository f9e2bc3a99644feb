"""The shapes of keys, read from redact/patterns.toml and compiled as a text first needs them.

A text is searched once for what keys open with, all prefixes in one pattern; only where one stands
is its shape tried. What opens with nothing that is always the same has a hint, a text that is
always in it. Which names say that a secret follows is not here: redact.py reads those.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lumen.core.errors import LumenError

FILE = Path(__file__).with_suffix(".toml")

WORD = r"[A-Za-z0-9_-]"
ALPHABETS: Mapping[str, str] = {
    "digit": "[0-9]",
    "hex": "[0-9A-Fa-f]",
    "lower": "[a-z0-9]",
    "upper": "[A-Z0-9]",
    "alnum": "[A-Za-z0-9]",
    "term": "[A-Za-z0-9_]",
    "word": WORD,
    "form": "[A-Za-z0-9_.-]",
    "base64": "[A-Za-z0-9+/_=-]",
    "padded": "[A-Za-z0-9+/_=.-]",
    "bcrypt": "[A-Za-z0-9./]",
    "path": "[A-Za-z0-9_/@.-]",
    "line": r"[^\s\"'`<>]",
}
_UUID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_PART = re.compile(r"\{(?:(uuid)|([a-z0-9]+):([0-9]+)(?:(\+)|-([0-9]+))?)\}")
_GLUE = {"never": "(?<![A-Za-z0-9])", "always": "", "figure": None}
_ASKS = {
    "none": "",
    "figure": "(?=[A-Za-z]{0,48}[0-9])",
    "mixed": r"(?=[^\s0-9]{0,48}[0-9]|(?:[A-Za-z_-]{0,16}[a-z][A-Z]){2})",
    "long": "(?=[a-z_-]{0,64}[A-Z0-9]|[a-z]{20})",
    "thirty": "(?=[A-Za-z]{0,48}[0-9]|[A-Za-z]{30})",
    "forty": "(?=[A-Za-z]{0,48}[0-9]|[A-Za-z]{40})",
}
_NAMED_PARTS = {
    "{K}": WORD,
    "{PEM}": r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
    "{BREAK}": r"(?:[\s>|\"',]|\\[nr])*+",
}
# Where two keys touch, the first must not take only the head of the second.
_REST = rf"{WORD}*+(?:[.:]{WORD}{{16,}}+)*+"


@dataclass(frozen=True, slots=True)
class Shape:
    """What an issuer's keys open with, and what they are in full."""

    prefix: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Special:
    """A shape that is found by a text which is always in it."""

    name: str
    hint: str
    pattern: str
    example: str


@dataclass(frozen=True, slots=True)
class Table:
    """Every shape there is: those with a prefix by their shortest, and all the others."""

    heads: re.Pattern[str]
    shapes: Mapping[str, Sequence[Shape]]
    specials: tuple[Special, ...]
    placeholders: frozenset[str]
    placeholder_starts: tuple[str, ...]


@cache
def table() -> Table:
    """The table of the package, read and checked once."""
    return parsed(FILE.read_text("utf-8"), FILE.name)


def parsed(text: str, name: str) -> Table:
    """A table from its file, or the place where that is not one."""
    try:
        raw = tomllib.loads(text)
        shapes = [shape for entry in raw["key"] for shape in _shapes(entry)]
        specials = tuple(_special(entry) for entry in raw["special"])
        none = raw["placeholders"]
        starts = tuple(str(start).lower() for start in none["starts"])
        words = frozenset(str(word) for word in none["words"])
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, re.error) as error:
        raise LumenError(f"{name}: {error}", fix="reinstall Lumen") from error
    heads = _shortest(shape.prefix for shape in shapes)
    by_head: dict[str, list[Shape]] = {head: [] for head in heads}
    # The longest prefix first: it asks for more. No head opens another, so the nearest below fits.
    for shape in sorted(shapes, key=lambda shape: -len(shape.prefix)):
        by_head[heads[bisect_right(heads, shape.prefix) - 1]].append(shape)
    return Table(re.compile(_trie(heads)), by_head, specials, words, starts)


def bare_spans(text: str) -> list[tuple[int, int]]:
    """Where keys stand that open with what their issuer gives them."""
    search = table().heads.search
    spans: list[tuple[int, int]] = []
    at = 0
    while head := search(text, at):
        found = _compiled(head.group()).match(text, head.start())
        if found:
            spans.append(found.span())
        at = found.end() if found else head.start() + 1
    return spans


def special_spans(text: str, lower: str) -> list[tuple[int, int]]:
    """Where keys stand that are known by their build alone."""
    spans: list[tuple[int, int]] = []
    for special in table().specials:
        if special.hint in lower:
            pattern = _special_compiled(special.pattern)
            group = "secret" if "secret" in pattern.groupindex else 0
            spans += [found.span(group) for found in pattern.finditer(text)]
    return spans


@cache
def _compiled(head: str) -> re.Pattern[str]:
    each = "|".join(shape.pattern for shape in table().shapes[head])
    return re.compile(f"(?:{each}){_REST}")


@cache
def _special_compiled(pattern: str) -> re.Pattern[str]:
    named = "" if "(?P<secret>" in pattern else _REST
    return re.compile(f"(?:{pattern}){named}")


def _shapes(entry: Mapping[str, Any]) -> list[Shape]:
    if unknown := set(entry) - {"issuer", "forms", "glued", "asks"}:
        raise ValueError(f"unknown {', '.join(sorted(unknown))} for {entry.get('issuer')}")
    if not entry["issuer"]:
        raise ValueError("a key has no issuer")
    asks = _ASKS[entry.get("asks", "mixed")]
    glue = _GLUE[entry.get("glued", "never")]
    return [_shape(str(form), glue, asks) for form in entry["forms"]]


def _shape(form: str, glue: str | None, asks: str) -> Shape:
    """A form as a pattern; what it opens with is its prefix."""
    first = _PART.search(form)
    if first is None or first.start() < 2:
        raise ValueError(f"{form!r} has no prefix of two characters and a part after it")
    prefix, done, body = form[: first.start()], first.start(), ""
    for part in _PART.finditer(form, first.start()):
        body += re.escape(form[done : part.start()]) + _repeated(part)
        done = part.end()
    body += re.escape(form[done:])
    part_open = form.endswith("+}")
    if "{" in form[done:] or (form[done:] and not part_open):
        raise ValueError(f"{form!r} ends with what is no part")
    opening = re.escape(prefix)
    before = f"(?:{_GLUE['never']}|(?={opening}{_ASKS['figure']}))" if glue is None else glue
    after = "" if part_open else "(?![A-Za-z0-9])"
    return Shape(prefix, f"{before}{opening}{asks}{body}{after}")


def _repeated(part: re.Match[str]) -> str:
    uuid, alphabet, least, more, most = part.groups()
    if uuid:
        return _UUID
    many = f"{{{least},}}+" if more else f"{{{least},{most}}}" if most else f"{{{least}}}"
    return ALPHABETS[alphabet] + many


def _special(entry: Mapping[str, Any]) -> Special:
    pattern = str(entry["regex"])
    for name, part in _NAMED_PARTS.items():
        pattern = pattern.replace(name, part)
    hint = str(entry["hint"])
    if not hint or hint != hint.lower() or not entry["issuer"]:
        raise ValueError(f"{entry['name']!r} needs an issuer and a hint in lower case")
    return Special(str(entry["name"]), hint, pattern, str(entry["example"]))


def _shortest(prefixes: Iterable[str]) -> list[str]:
    """The prefixes that no other one is a prefix of."""
    heads: list[str] = []
    for prefix in sorted(set(prefixes)):
        if not heads or not prefix.startswith(heads[-1]):
            heads.append(prefix)
    return heads


def _trie(heads: list[str]) -> str:
    """All heads as one pattern that looks at each character once."""
    if heads == [""]:
        return ""
    first: dict[str, list[str]] = {}
    for head in heads:
        first.setdefault(head[0], []).append(head[1:])
    branches = [re.escape(char) + _trie(rest) for char, rest in first.items()]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
