"""Takes secrets out of text before it is kept: what looks like a key, and the author's own words.

It looks at shape alone, on a copy in which wide letters are plain and unseen characters gone. It
does not find a password of plain words told in prose, nor know whether a key still opens anything.
Every pattern either fails within a bounded stretch or consumes what it scanned, so the time taken
grows with the text and no faster.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count

from lumen.core.canon import JSON
from lumen.kernel.privacy.key_shapes import bare_spans, special_spans
from lumen.kernel.privacy.named_secrets import MARK as MARK
from lumen.kernel.privacy.named_secrets import (
    named_spans,
    paired_spans,
    prefixed_spans,
    says_secret,
)
from lumen.kernel.privacy.normal_form import folded
from lumen.kernel.privacy.spoken_codes import code_spans
from lumen.kernel.privacy.spoken_secrets import spoken_spans

_FIELD = re.compile(r"[a-z][a-z_]*\Z")
NAME = 32  # characters: longer texts are hardly ever the same
SHORTEST = 15  # of the shapes that hold no space; everyday words are shorter


def redacted(text: str, words: Sequence[str] = ()) -> tuple[str, int]:
    """The text with a mark in place of every secret, and how many there were."""
    known = tuple(words)
    return _name(text, known) if len(text) <= NAME else _redacted(text, known)


@lru_cache(maxsize=4096)
def _name(text: str, words: tuple[str, ...]) -> tuple[str, int]:
    """The same for names of fields, steps and the like, which every event holds over and over."""
    return _redacted(text, words)


def _redacted(text: str, words: tuple[str, ...]) -> tuple[str, int]:
    literals = _literals(words)
    whole = unicodedata.normalize("NFC", text) if literals else text
    hits = 0
    while found := _spots(whole, literals):
        # Again until nothing is found: a mark can bring a neighbour into the open.
        whole = _marked(whole, found)
        hits += len(found)
    return (whole, hits) if hits else (text, 0)


def redacted_json(value: JSON, words: Sequence[str] = ()) -> tuple[JSON, int]:
    """The same for every string inside a JSON value, keys too; a key may name its secret."""
    if isinstance(value, str):
        return redacted(value, words)
    if isinstance(value, list):
        items = [redacted_json(item, words) for item in value]
        return [item for item, _ in items], sum(hits for _, hits in items)
    if isinstance(value, dict):
        return _members(value, words)
    return value, 0


def secret_line(text: str, words: Sequence[str] = ()) -> int:
    """The line, counted from 1, on which the first secret starts; 0 when there is none."""
    literals = _literals(tuple(words))
    whole = unicodedata.normalize("NFC", text) if literals else text
    found = _spots(whole, literals)
    return whole.count("\n", 0, found[0][0]) + 1 if found else 0


def _members(value: dict[str, JSON], words: Sequence[str]) -> tuple[JSON, int]:
    members: dict[str, JSON] = {}
    total = 0
    for key, item in value.items():
        # A word of the author's may be the name of a field, without which nothing reads the entry.
        name, hidden = redacted(key, () if _FIELD.match(key) else words)
        if name in members or (hidden and name in value):
            # Two keys of which nothing is left but the mark are still two.
            name = _free(name, members, value)
        if isinstance(item, str) and says_secret(key, item):
            members[name], hits = MARK, 1
        else:
            members[name], hits = redacted_json(item, words)
        total += hidden + hits
    return members, total


def _free(name: str, *taken: Mapping[str, JSON]) -> str:
    numbered = (f"{name} {number}" for number in count(2))
    return next(name for name in numbered if not any(name in names for names in taken))


def _spots(text: str, literals: re.Pattern[str] | None) -> list[tuple[int, int]]:
    """Where secrets start and stop, in order: keys, and the author's words outside of them."""
    copy = folded(text)
    found = _joined(_keys(copy.text))
    if literals is not None:
        found = sorted(found + _words(copy.text, literals, found))
    return _joined([copy.origin(start, stop) for start, stop in found])


def _keys(text: str) -> list[tuple[int, int]]:
    lower = text.lower()
    if len(lower) != len(text):  # a few letters are two in lower case, and places would shift
        lower = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    found = named_spans(text, lower) + code_spans(text) + spoken_spans(text, lower)
    if max(map(len, text.split()), default=0) >= SHORTEST:
        found += bare_spans(text) + prefixed_spans(text) + paired_spans(text)
        found += special_spans(text, lower)
    elif "private key" in lower or "machine" in lower or "curl" in lower:
        found += special_spans(text, lower)
    return found


def _words(
    text: str, literals: re.Pattern[str], found: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    taken = 0
    spots: list[tuple[int, int]] = []
    for word in literals.finditer(text):
        while taken < len(found) and found[taken][1] <= word.start():
            taken += 1
        overlaps = taken < len(found) and found[taken][0] < word.end()
        if word["word"] is not None and not overlaps:
            spots.append(word.span())
    return spots


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, those that overlap as one."""
    joined: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined


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
    plain = {folded(unicodedata.normalize("NFC", w.strip())).text for w in words} - {""}
    if not plain:
        return None
    each = (
        ("(?<!\\w)" if w[0].isalnum() or w[0] == "_" else "")
        + re.escape(w)
        + ("(?!\\w)" if w[-1].isalnum() or w[-1] == "_" else "")
        for w in sorted(plain, key=lambda w: (-len(w), w))
    )
    return re.compile(rf"\[redacted\]|(?P<word>{'|'.join(each)})", re.IGNORECASE)
