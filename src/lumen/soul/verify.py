"""Is the archive what was written?

Hashes and links show any change inside the chain; signed heads show a rewrite; the witness,
which lives outside the being, shows a cut-off end even when the heads were cut with it.
Whether projections agree with the archive is not asked here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lumen.core.canon import JSON
from lumen.core.data import Author, Being, Event, Head
from lumen.core.errors import Damaged
from lumen.soul.archive import FORMAT, opening, parse, segments, shared, torn_end
from lumen.soul.chain import Checked, Problem, check_span, join, spans
from lumen.soul.keys import Keyring, head_from, is_signed

PARALLEL_FROM = 32 << 20  # bytes: below, starting processes costs more than it saves
SIGNATURE_WEIGHS = 32 << 10  # bytes that are hashed in the time one signature takes
CHUNKS = 64  # fewer, and one process waits for the other; more, and both wait for the pipe

Heads = list[tuple[int, Head]]  # with their line numbers
Run = Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[Any]]  # map, here or in a pool


@dataclass(frozen=True, slots=True)
class Report:
    """What verification found."""

    ok: bool
    count: int
    head: str
    soul: str
    signed: int
    key: str
    problem: Problem | None = None
    notes: tuple[str, ...] = ()


def verify(being: Being, keyring: Keyring, *, soul: str = "", processes: int = 1) -> Report:
    """Check hashes, links, erasures, signed heads and the witness; name the first bad event.

    `soul` is who the being is said to be; without it the archive's first line is believed.

    Raises:
        Damaged: the witness of this host cannot be read, so nothing can be compared with it.
    """
    heads, head_problem, notes = _heads(being.heads)
    soul = soul or _soul_of(being.memory)
    seen = keyring.witness(soul) if soul else None
    watch = frozenset([*(h.seq for _, h in heads), *([seen.seq] if seen else [])])
    with shared(being.memory):
        torn = torn_end(being.memory)
        parts = spans(being.memory, torn, watch, processes)
    work = sum(p.end - p.start for p in parts) + SIGNATURE_WEIGHS * len(heads)
    with _running(processes if work >= PARALLEL_FROM else 1) as run:
        chain = join(zip(parts, run(check_span, parts), strict=True))
        told, told_problem = _told(chain)
        keys = _keys(told)
        problem = (
            chain.problem
            or told_problem
            or _beginning(chain, told, soul)
            or _erasures(chain, told)
            or head_problem
            or _stated(chain, heads, keys, run, seen)
        )
    if torn:
        notes.append(f"{torn.segment.name} ends in an unfinished line of {len(torn.data)} bytes")
    if not heads and chain.lines:
        notes.append("no signed head: heads.jsonl is missing or empty")
    if not seen:
        notes.append("no witness on this host: a cut-off end would not be noticed")
    return Report(
        ok=problem is None,
        count=chain.lines,
        head=chain.last_hash.decode(errors="replace"),
        soul=chain.soul.decode(errors="replace"),
        signed=max((h.seq for _, h in heads), default=0),
        key=next(iter(keys), ""),
        problem=problem,
        notes=tuple(notes),
    )


@contextmanager
def _running(processes: int) -> Iterator[Run]:
    """A way to do something to many things: here, or in as many processes."""
    if processes == 1:
        yield map
    else:
        with ProcessPoolExecutor(min(processes, os.cpu_count() or 1)) as pool:
            yield lambda work, many: pool.map(work, many, chunksize=1 + len(many) // CHUNKS)


def _told(chain: Checked) -> tuple[list[Event], Problem | None]:
    """What the kernel said of the beginning, keys and erasures; nobody else's word counts."""
    told: list[Event] = []
    for raw in chain.notable:
        try:
            event = parse(raw)
        except Damaged:
            return told, Problem(opening(raw)[1], "", 0, "cannot be read")
        if event.entry.author is Author.KERNEL:
            told.append(event)
    return told, None


def _beginning(chain: Checked, told: list[Event], soul: str) -> Problem | None:
    if not chain.lines:
        return Problem(1, "", 0, "is missing: the archive is empty")
    said = told[0].entry.payload if told and told[0].seq == 1 else {}
    own = chain.soul.decode(errors="replace")
    if said.get("format") != FORMAT or said.get("soul") != own:
        return Problem(1, "", 1, "is not the genesis this format asks for")
    if own != soul:
        return Problem(1, "", 0, f"belongs to another soul: expected {soul}")
    return None


def _keys(told: list[Event]) -> dict[str, int]:
    """The public keys the archive names, the soul's own first, and from which event on."""
    keys: dict[str, int] = {}
    for event in told:
        if event.seq == 1 or event.entry.situation == "key_added":
            keys.setdefault(str(event.entry.payload.get("public_key")), event.seq)
    return keys


def _erasures(chain: Checked, told: list[Event]) -> Problem | None:
    """Every erased line must be named, by number and hash, by the erasure it points to."""
    named = {
        (event.seq, *target)
        for event in told
        if event.entry.situation == "erasure"
        for target in _targets(event.entry.payload.get("erases"))
    }
    for line in chain.erased:
        lengths = (None, line.length)
        if not any((line.by, line.seq, line.event_hash, n) in named for n in lengths):
            what = f"was blanked out, and event {line.by} does not say so"
            return Problem(line.seq, "", 0, what)
    return None


def _targets(erases: JSON) -> list[tuple[int, str, int | None]]:
    """Number, hash and, where it is told, the length of what an erasure names."""
    try:
        return [(int(e["seq"]), str(e["event_hash"]), e.get("length")) for e in erases]
    except (TypeError, ValueError, KeyError, AttributeError):
        return []  # it names nothing, so nothing it erased is accepted


def _heads(path: Path) -> tuple[Heads, Problem | None, list[str]]:
    if not path.exists():
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
            return heads, Problem(seq, path.name, number, what), notes
    return heads, None, notes


def _stated(
    chain: Checked, heads: Heads, keys: dict[str, int], run: Run, seen: Head | None
) -> Problem | None:
    """Compare the chain with every signed head, lowest first, then with the witness."""
    good: dict[str, int] = {}  # up to where each key vouches; one key's word is not another's
    ordered = sorted(heads, key=lambda h: h[1].seq)
    signatures = run(is_signed, [head for _, head in ordered])
    for (number, head), signed in zip(ordered, signatures, strict=True):
        vouched = good.get(head.key, 0)
        problem = _against(chain, head, vouched, "a signed head") if signed else None
        if not signed:
            what = f"or one up to event {head.seq} has a head that its key did not sign"
            problem = Problem(vouched + 1, "heads.jsonl", number, what)
        elif not problem and head.seq < keys.get(head.key, head.seq + 1):
            what = f"or one up to event {head.seq} has a head of a key the archive does not name"
            problem = Problem(vouched + 1, "heads.jsonl", number, what)
        if problem:
            return problem
        good[head.key] = head.seq
    return _against(chain, seen, good.get(seen.key, 0), "this host's witness") if seen else None


def _against(chain: Checked, head: Head, good: int, who: str) -> Problem | None:
    if head.seq > chain.last_seq:
        what = f"is missing: {who} knows the chain up to event {head.seq}"
        if good < chain.last_seq:
            what += f" (and for those from {good + 1} on no head vouches)"
        return Problem(chain.last_seq + 1, "", 0, what)
    if head.soul != chain.soul.decode() or chain.watched.get(head.seq) != head.event_hash:
        what = f"or one up to event {head.seq} was rewritten: {who} says {head.event_hash[:8]}…"
        return Problem(good + 1, "", 0, what)
    return None


def _soul_of(memory: Path) -> str:
    """Who the first line says it is, before anything is checked."""
    for path in segments(memory):
        with path.open("rb") as lines:
            return opening(lines.readline())[2].decode(errors="replace")
    return ""
