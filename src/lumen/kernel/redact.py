"""Takes secrets out of text before it is kept: what looks like a key, and the author's own words.

It looks at shape alone. It does not find a password told in plain prose, nor know whether a key
still opens anything. Every pattern either fails within a bounded stretch or consumes what it
scanned, so the time taken grows with the text and no faster.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from lumen.core.canon import JSON

MARK = "[redacted]"

_K = r"[A-Za-z0-9_-]"
_OPEN = r"(?<![A-Za-z0-9])"  # "task-" and "SLOVAKIA" hold prefixes too: glued on, more is asked
_DIGIT = r"(?=[A-Za-z]{0,48}[0-9])"
_PEM = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BREAK = r"(?:[\s>|\"',]|\\[nr])*+"

# Each shape beside a text that is always in it, in lower case: a text with none is done at once.
_BARE = (
    ("sk-", rf"{_OPEN}sk-(?=[a-z_-]{{0,64}}[A-Z0-9]|[a-z]{{20}}){_K}{{16,}}"),
    ("sk-", rf"sk-(?:ant|proj|svcacct|admin|or)-{_K}{{24,}}"),
    ("sk-", rf"sk-{_DIGIT}[A-Za-z0-9]{{20,}}"),
    ("_live_", rf"(?:{_OPEN}|(?=.._live_{_DIGIT}))[sr]k_live_[A-Za-z0-9]{{16,}}"),
    ("_test_", rf"(?:{_OPEN}|(?=.._test_{_DIGIT}))[sr]k_test_[A-Za-z0-9]{{16,}}"),
    ("xai-", rf"xai-(?:{_DIGIT}|(?=[A-Za-z]{{40}}))[A-Za-z0-9]{{20,}}"),
    ("gsk_", r"gsk_[A-Za-z0-9]{20,}"),
    *((f"gh{kind}_", rf"gh{kind}_[A-Za-z0-9]{{20,}}") for kind in "oprsu"),
    ("github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
    ("glpat-", rf"glpat-{_K}{{16,}}"),
    ("xox", rf"xox[abeoprs]-{_K}{{10,}}"),
    ("akia", rf"(?:{_OPEN}|(?=AKIA{_DIGIT}))AKIA[A-Z0-9]{{16,}}"),
    ("asia", rf"(?:{_OPEN}|(?=ASIA{_DIGIT}))ASIA[A-Z0-9]{{16,}}"),
    ("aiza", rf"AIza{_K}{{30,}}"),
    ("hf_", rf"hf_(?:{_DIGIT}|(?=[A-Za-z]{{30}}))[A-Za-z0-9]{{20,}}"),
    ("npm_", r"npm_[A-Za-z0-9]{20,}"),
    ("pypi-", r"pypi-[A-Za-z0-9]{16,}"),
    ("sg.", rf"SG\.{_K}{{16,}}+\.{_K}{{16,}}"),
    (":aa", rf"[0-9]{{6,12}}:AA{_K}{{30,}}"),
    ("eyj", rf"(?<!{_K})(?>{_K}*?eyJ){_K}{{4,}}+\.{_K}{{4,}}+\.{_K}*"),
    ("private key", rf"-----BEGIN {_PEM}(?:(?!-----)[\s\S])*+-----END {_PEM}"),
    (
        "private key",  # the end is missing: its headers, its lines, and a short last one
        rf"-----BEGIN {_PEM}(?:\s*+[A-Za-z-]{{3,20}}: [^\n]*+)*+"
        rf"(?:{_BREAK}[A-Za-z0-9+/]{{16,}}+=*+)++(?:{_BREAK}[A-Za-z0-9+/]++={{1,2}})?",
    ),
)
# Where two keys touch, the first must not take only the head of the second.
_REST = rf"{_K}*+(?:[.:]{_K}{{16,}}+)*+"

_NAMES = (
    r"passwor[dt]|passwd|passphrase|kennwort|(?:api|secret|access|private|encryption)[ _-]?key"
    r"|(?:client|app|shared)[ _-]?secret|(?:access|auth|refresh|bearer|api|bot)[ _-]?token"
)
_NAME_HINTS = ("passw", "passphrase", "kennwort", "key", "secret", "token", "pwd")
_ASSIGNED = (
    rf"(?i:{_NAMES}"
    r"|pwd(?!\W{0,12}[/~.])"  # a shell's pwd is a path
    r"|(?:secret|token)(?=\W{1,12}[^\s0-9]{0,48}[0-9]))"  # prose as well: its value has a figure
    r"[\"'`*]{0,3}[ \t]{0,8}(?::=|=>|==?|:(?!:))[ \t*]{0,8}"
)
_NEW = r"(?!\[redacted\])"
_PATTERNS = (
    rf"(?P<bare>(?:{'|'.join(shape for _, shape in _BARE)}){_REST})",
    r"(?i:authorization)[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?(?i:bearer|basic|token)[ \t]{1,8}"
    rf"(?P<bearer>{_NEW}[^\s\"'`,;]{{8,}})",
    rf"://[^\s/?#:@]*+:(?P<login>{_NEW}[^\s/?#]+)@",
    rf"{_ASSIGNED}(?:"
    rf"\"(?P<double>{_NEW}(?:[^\"\\\n]|\\.){{8,}}+)\""
    rf"|'(?P<single>{_NEW}(?:[^'\\\n]|\\.){{8,}}+)'"
    rf"|(?P<plain>{_NEW}[^\s\"'`]\S{{6,}}[^\s.,;)\]}}\"'`]))",
)
_KEYS = re.compile("|".join(_PATTERNS))
_HINTS = tuple(dict.fromkeys([*(hint for hint, _ in _BARE), "authorization", "://"]))
_NAMED = re.compile(rf"(?i:{_NAMES})\Z")


def redacted(text: str, words: Sequence[str] = ()) -> tuple[str, int]:
    """The text with a mark in place of every secret, and how many there were."""
    literals = _literals(tuple(words))
    whole = unicodedata.normalize("NFC", text) if literals else text
    count = 0
    while found := _spots(whole, literals):
        # Again until nothing is found: a mark can bring a neighbour into the open.
        whole = _marked(whole, found)
        count += len(found)
    return (whole, count) if count else (text, 0)


def redacted_json(value: JSON, words: Sequence[str] = ()) -> tuple[JSON, int]:
    """The same for every string inside a JSON value; keys stay, and one may name its secret."""
    if isinstance(value, str):
        return redacted(value, words)
    if isinstance(value, list):
        items = [redacted_json(item, words) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    if isinstance(value, dict):
        pairs = {key: _member(key, item, words) for key, item in value.items()}
        members = {key: item for key, (item, _) in pairs.items()}
        return members, sum(count for _, count in pairs.values())
    return value, 0


def secret_line(text: str, words: Sequence[str] = ()) -> int:
    """The line, counted from 1, on which the first secret starts; 0 when there is none."""
    literals = _literals(tuple(words))
    whole = unicodedata.normalize("NFC", text) if literals else text
    found = _spots(whole, literals)
    return whole.count("\n", 0, found[0][0]) + 1 if found else 0


def _member(key: str, value: JSON, words: Sequence[str]) -> tuple[JSON, int]:
    if isinstance(value, str) and len(value) >= 8 and value != MARK and _NAMED.search(key):
        return MARK, 1
    return redacted_json(value, words)


def _spots(text: str, literals: re.Pattern[str] | None) -> list[tuple[int, int]]:
    """Where secrets start and stop, in order: keys, and the author's words outside of them."""
    looks = _may_hold_keys(text)
    found = [m.span(m.lastgroup or 0) for m in _KEYS.finditer(text)] if looks else []
    if literals is None:
        return found
    taken = 0
    spots: list[tuple[int, int]] = []
    for word in literals.finditer(text):
        while taken < len(found) and found[taken][1] <= word.start():
            taken += 1
        overlaps = taken < len(found) and found[taken][0] < word.end()
        if word["word"] is not None and not overlaps:
            spots.append(word.span())
    return sorted(found + spots)


def _may_hold_keys(text: str) -> bool:
    lower = text.lower()
    if any(hint in lower for hint in _HINTS):
        return True
    return ("=" in text or ":" in text) and any(hint in lower for hint in _NAME_HINTS)


def _marked(text: str, spots: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, stop in spots:
        pieces += [text[done:start], MARK]
        done = stop
    return "".join([*pieces, text[done:]])


@lru_cache(maxsize=16)
def _literals(words: tuple[str, ...]) -> re.Pattern[str] | None:
    """The author's words as one pattern, the longest first; a mark already set is stepped over."""
    plain = {unicodedata.normalize("NFC", w.strip()) for w in words} - {""}
    if not plain:
        return None
    each = (
        ("(?<!\\w)" if w[0].isalnum() or w[0] == "_" else "")
        + re.escape(w)
        + ("(?!\\w)" if w[-1].isalnum() or w[-1] == "_" else "")
        for w in sorted(plain, key=lambda w: (-len(w), w))
    )
    return re.compile(rf"\[redacted\]|(?P<word>{'|'.join(each)})", re.IGNORECASE)
