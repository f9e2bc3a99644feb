"""Signed heads on disk: appended durably, read back, and compared with a chain.

What a head is, and how it is spelled and signed, is in keys.py; whose heads count is in trust.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lumen.core.data import Head
from lumen.core.errors import Damaged
from lumen.soul.archive.chain import ArchiveProblem, CheckedRun
from lumen.soul.archive.disk import refusal, take
from lumen.soul.trust.keys import head_from, head_line, is_signed
from lumen.soul.trust.vouching import Trust

Heads = list[tuple[int, Head]]  # with their line numbers
Run = Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[Any]]  # map, here or in a pool


def append_head(path: Path, head: Head) -> bool:
    """Put a head at the end, durably; whether an unfinished line had to be cut off first."""
    cut = False
    try:
        with path.open("ab+") as heads:
            take(heads.fileno())
            end = heads.seek(0, os.SEEK_END)
            if end and os.pread(heads.fileno(), 1, end - 1) != b"\n":
                end = os.pread(heads.fileno(), end, 0).rfind(b"\n") + 1
                os.ftruncate(heads.fileno(), end)
                cut = True
            heads.write(head_line(head))
            heads.flush()
            os.fdatasync(heads.fileno())
    except OSError as error:
        raise refusal(error, path) from error
    return cut


def read_heads(path: Path) -> tuple[Heads, ArchiveProblem | None, list[str]]:
    """Every head with its line number, what is wrong with the first that is none, and notes."""
    if not path.is_file():
        return [], None, []
    heads: Heads = []
    *lines, rest = path.read_bytes().split(b"\n")
    notes = [f"{path.name} ends in an unfinished line"] if rest else []
    for number, raw in enumerate(lines, 1):
        try:
            heads.append((number, head_from(raw + b"\n", path)))
        except Damaged:
            seq = heads[-1][1].seq + 1 if heads else 1
            what = f"or a later one: line {number} of {path.name} is not a signed head"
            return heads, ArchiveProblem(seq, path.name, number, what), notes
    return heads, None, notes


def newest_counting(heads: Iterable[Head], trust: Trust, known: Callable[[Head], bool]) -> int:
    """The highest event that a head speaks for which counts and is of the chain; 0 for none.

    Signatures are checked from the highest down, as few as it takes.
    """
    wanted = [h for h in heads if trust.counts(h) and known(h)]
    ordered = sorted(wanted, key=lambda h: h.seq, reverse=True)
    return next((h.seq for h in ordered if is_signed(h)), 0)


def compare(
    chain: CheckedRun, heads: Heads, trust: Trust, run: Run, seen: Head | None
) -> tuple[ArchiveProblem | None, Head | None]:
    """Compare a chain with every head, lowest first, then with the witness; the highest that counts."""
    good: dict[str, int] = {}  # up to where each key vouches; one key's word is not another's
    highest: Head | None = None
    ordered = sorted(heads, key=lambda h: h[1].seq)
    signatures = run(is_signed, [head for _, head in ordered])
    for (number, head), signed in zip(ordered, signatures, strict=True):
        vouched = good.get(head.key, 0)
        problem = _against(chain, head, vouched, "a signed head") if signed else None
        if not signed:
            what = f"or one up to event {head.seq} has a head that its key did not sign"
            problem = ArchiveProblem(vouched + 1, "heads.jsonl", number, what)
        elif not problem and not _is_named(trust, head):
            what = f"or one up to event {head.seq} has a head of a key the archive does not name"
            problem = ArchiveProblem(vouched + 1, "heads.jsonl", number, what)
        if problem:
            return problem, highest
        good[head.key] = head.seq
        if trust.counts(head):
            highest = head
    problem = _against(chain, seen, good.get(seen.key, 0), "this host's witness") if seen else None
    if not problem and trust.genesis_key not in good:
        what = "has no head: heads.jsonl lacks one by the key the being was born with"
        problem = ArchiveProblem(1, "", 0, what)
    return problem or _cut(max(good.values(), default=0), seen), highest


def _cut(last: int, seen: Head | None) -> ArchiveProblem | None:
    """Heads that are gone from the end: a head is durable before the witness is raised to it."""
    if seen is None or seen.seq <= last:
        return None
    what = f"and those after it have no head: heads.jsonl lacks this host's, up to event {seen.seq}"
    fix = "find out who cut it; lumen chat signs the end again, and says so"
    return ArchiveProblem(last + 1, "", 0, what, fix)


def _is_named(trust: Trust, head: Head) -> bool:
    key = trust.keys.get(head.key)
    return key is not None and key.since <= head.seq


def _against(chain: CheckedRun, head: Head, good: int, who: str) -> ArchiveProblem | None:
    if head.seq > chain.last_seq:
        what = f"is missing: {who} knows the chain up to event {head.seq}"
        if good < chain.last_seq:
            what += f" (and for those from {good + 1} on no head vouches)"
        return ArchiveProblem(chain.last_seq + 1, "", 0, what)
    if head.soul != chain.soul.decode() or chain.watched.get(head.seq) != head.event_hash:
        what = f"or one up to event {head.seq} was rewritten: {who} says {head.event_hash[:8]}…"
        return ArchiveProblem(good + 1, "", 0, what)
    return None
