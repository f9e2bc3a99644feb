"""What a GGUF file says of itself: how large a model is, how much it reads, how it is spoken to.

Only the header is read, and nothing in it is believed before it fits into the file: a header of a
stranger may claim any length. Whether the numbers behind it make sense is for llama.cpp to say.
"""

from __future__ import annotations

import mmap
import re
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

from lumen.core.errors import UsageError, unreadable

FIX = "name a whole file in GGUF format, of a model that is made for conversation"

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST = 1 << 16  # entries and tensors of one file
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}  # fmt: skip
_CONTROL, _DEFINED = 3, 4  # kinds of tokens
_MARK = re.compile(r"<\S+>|\[\S+\]")  # what a model's maker defines besides: marks, or mere spaces
_CACHE_NUMBER = 2  # bytes of a number in the cache of what was read
# How weights are packed: the name, so many of them together, and their bytes.
_PACKED = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20),
    6: ("Q5_0", 32, 22), 7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34), 10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110), 12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210),
    16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98),
    19: ("IQ1_S", 256, 50), 20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82),
    23: ("IQ4_XS", 256, 136), 29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2), 34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66), 39: ("MXFP4", 32, 17),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Header:
    """What there is to know of a model before it is loaded."""

    title: str
    parameters: int
    context_tokens: int
    quantisation: str
    cache_bytes: int  # of memory for each token it has read
    licence: str
    control: tuple[str, ...]  # the words its tokenizer takes for marks of its own


def read(path: Path) -> Header:
    """Read and check the header of a file.

    Raises:
        UsageError: it is no model to talk with, or not all of one.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _header(_Cursor(data, len(data)), path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {unreadable(error)}", fix=FIX) from error
    except ValueError as error:  # nothing to map: the file is empty
        raise UsageError(f"{path} is empty", fix=FIX) from error
    except _Unreadable as error:
        raise UsageError(f"{path} {error}", fix=FIX) from error


class _Unreadable(Exception):
    """What is wrong with a header, to be said behind the name of the file."""


@dataclass(slots=True)
class _Cursor:
    """A place in the file; nothing is read past its end."""

    data: mmap.mmap
    size: int
    at: int = 0

    def skip(self, length: int) -> int:
        """Go on by so many bytes; says where they begin."""
        begin = self.at
        if length > self.size - begin:
            raise _Unreadable("ends in the middle of its header: it is not whole")
        self.at = begin + length
        return begin

    def number(self, kind: str) -> int:
        """One number."""
        begin = self.skip(struct.calcsize(f"<{kind}"))
        return int(struct.unpack_from(f"<{kind}", self.data, begin)[0])

    def text(self) -> bytes:
        """One text, as bytes: hardly any of the many there are is looked at."""
        begin = self.skip(self.number("Q"))
        return self.data[begin : self.at]


Value = int | str | list[int] | list[bytes]


def _header(cursor: _Cursor, path: Path) -> Header:
    if cursor.size < len(_MAGIC) or cursor.data[: len(_MAGIC)] != _MAGIC:
        raise _Unreadable("is no GGUF file")
    cursor.skip(len(_MAGIC))
    if (version := cursor.number("I")) not in _VERSIONS:
        raise _Unreadable(f"is GGUF of version {version}; version 2 and 3 can be read")
    tensors, entries = cursor.number("Q"), cursor.number("Q")
    if max(tensors, entries) > _MOST:
        raise _Unreadable("claims more entries than any model has")
    said = dict(_entry(cursor) for _ in range(entries))
    parameters, quantisation = _tensors(cursor, tensors, _whole(said, "general.alignment", 32))
    if not said.get("tokenizer.chat_template"):
        raise _Unreadable("has no chat template: it was not made for conversation")
    kind = _words(said, "general.architecture")
    return Header(
        title=_words(said, "general.name") or path.stem,
        parameters=parameters,
        context_tokens=_whole(said, f"{kind}.context_length", 0),
        quantisation=quantisation,
        cache_bytes=_cache_bytes(said, kind),
        licence=_words(said, "general.license"),
        control=_control(said),
    )


def _entry(cursor: _Cursor) -> tuple[str, Value]:
    return _readable(cursor.text()), _value(cursor, cursor.number("I"))


def _value(cursor: _Cursor, kind: int) -> Value:
    if kind == _STRING:
        return _readable(cursor.text())
    if kind == _ARRAY:
        return _array(cursor, cursor.number("I"), cursor.number("Q"))
    if kind not in _SCALARS:
        raise _Unreadable(f"holds a value of the unknown kind {kind}")
    return cursor.number(_SCALARS[kind])


def _array(cursor: _Cursor, kind: int, length: int) -> Value:
    if length > cursor.size - cursor.at:
        raise _Unreadable("ends in the middle of its header: it is not whole")
    if kind == _STRING:
        return [cursor.text() for _ in range(length)]
    if kind not in _SCALARS:
        raise _Unreadable(f"holds a list of the unknown kind {kind}")
    spelled = f"<{length}{_SCALARS[kind]}"
    begin = cursor.skip(struct.calcsize(spelled))
    return [int(n) for n in struct.unpack_from(spelled, cursor.data, begin)]


def _tensors(cursor: _Cursor, count: int, alignment: int) -> tuple[int, str]:
    """How many weights there are and how most are packed; the last of them must be in the file."""
    packed: Counter[int] = Counter()
    ends = 0
    for _ in range(count):
        cursor.text()
        sides = cursor.number("I")
        if sides > 8:
            raise _Unreadable("holds weights in more dimensions than there are")
        weights = prod(cursor.number("Q") for _ in range(sides))
        kind, begins = cursor.number("I"), cursor.number("Q")
        packed[kind] += weights
        _, together, size = _PACKED.get(kind, ("", 1, 0))
        ends = max(ends, begins + weights // together * size)
    data = -(-cursor.at // max(1, alignment)) * max(1, alignment)
    if not packed:
        raise _Unreadable("holds no weights")
    if data + ends > cursor.size:
        raise _Unreadable(f"is not whole: it has {cursor.size:,} of {data + ends:,} bytes")
    most = packed.most_common(1)[0][0]
    return packed.total(), _PACKED.get(most, (f"type {most}", 1, 0))[0]


def _cache_bytes(said: Mapping[str, Value], kind: str) -> int:
    """How much memory each token takes that stays read: a key and a value in every layer."""
    layers = _whole(said, f"{kind}.block_count", 0)
    heads = max(1, _whole(said, f"{kind}.attention.head_count", 1))
    width = _whole(said, f"{kind}.embedding_length", 0) // heads
    both = sum(_whole(said, f"{kind}.attention.{what}_length", width) for what in ("key", "value"))
    kept = said.get(f"{kind}.attention.head_count_kv", heads)
    each = (
        sum(n for n in kept if isinstance(n, int)) if isinstance(kept, list) else layers * int(kept)
    )
    return each * both * _CACHE_NUMBER


def _control(said: Mapping[str, Value]) -> tuple[str, ...]:
    """Marks that text must not hold: it could end its turn and speak as the system."""
    tokens, kinds = said.get("tokenizer.ggml.tokens"), said.get("tokenizer.ggml.token_type")
    if not isinstance(tokens, list) or not isinstance(kinds, list):
        return ()
    found = [
        (_readable(token), kind)
        for token, kind in zip(tokens, kinds, strict=False)
        if kind in (_CONTROL, _DEFINED) and isinstance(token, bytes)
    ]
    marks = (mark for mark, kind in found if kind == _CONTROL or _MARK.fullmatch(mark))
    return tuple(sorted(filter(None, marks), key=lambda mark: (-len(mark), mark)))


def _whole(said: Mapping[str, Value], name: str, without: int) -> int:
    found = said.get(name, without)
    return found if isinstance(found, int) else without


def _words(said: Mapping[str, Value], name: str) -> str:
    found = said.get(name, "")
    return " ".join(found.split()) if isinstance(found, str) and found.isprintable() else ""


def _readable(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
