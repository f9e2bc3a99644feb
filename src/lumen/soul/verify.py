"""Is the archive what was written? Answered over the stored bytes, without re-serialising.

Hashes and links show any change inside the chain; signed heads show a rewrite; the witness,
which lives outside the being, shows a cut-off end even when the heads were cut with it.
Whether projections agree with the archive is not asked here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from lumen.core.data import Being, Head
from lumen.core.errors import Damaged
from lumen.soul.archive import (
    CONTENT_HASH,
    GENESIS_PARENT,
    HEADER_AT,
    PREFIX,
    Torn,
    parse,
    segments,
    shared,
    torn_end,
)
from lumen.soul.keys import Keyring, head_from, is_signed

ERASED = b',"salt":"","situation":"erased","description":"","payload":{"erased_by":'
SITUATION_AT = len(b',"salt":"') + 32 + len(b'",')
NOTABLE = (b'"situation":"erasure"', b'"situation":"genesis"', b'"situation":"key_added"')
PARALLEL_FROM = 32 << 20


@dataclass(frozen=True, slots=True)
class Problem:
    """The first thing found wrong: at which event, in which file and line, and what."""

    seq: int
    segment: str
    line: int
    what: str


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


@dataclass(frozen=True, slots=True)
class Span:
    """A run of whole lines of one segment, checked on its own."""

    path: Path
    start: int
    end: int
    watch: frozenset[int] = frozenset()


@dataclass(slots=True)
class Checked:
    """What a span turned out to hold; spans are joined afterwards."""

    first_parent: bytes = b""
    first_seq: int = 0
    first_stamp: bytes = b""
    soul: bytes = b""
    last_hash: bytes = b""
    last_seq: int = 0
    last_stamp: bytes = b""
    lines: int = 0
    problem: Problem | None = None
    notable: list[bytes] = field(default_factory=list)
    erased: list[tuple[int, int, bytes]] = field(default_factory=list)
    watched: dict[int, str] = field(default_factory=dict)


def verify(being: Being, keyring: Keyring, *, soul: str = "", processes: int = 1) -> Report:
    """Check hashes, links, erasures, signed heads and the witness; name the first bad event.

    `soul` is who the being is said to be; without it the archive's first line is believed.
    """
    heads, head_problem, notes = _heads(being.heads)
    soul = soul or _soul_of(being.memory)
    seen = keyring.witness(soul) if soul else None
    watch = frozenset(h.seq for h in [*heads, *([seen] if seen else [])])
    with shared(being.memory):
        torn = torn_end(being.memory)
        spans = _spans(being.memory, torn, watch, processes)
    chain = _join(_check_all(spans, processes))
    keys, key_problem = _keys(chain)
    problem = (
        chain.problem
        or key_problem
        or _erasures(chain)
        or head_problem
        or _against_heads(chain, heads, keys)
        or (_against(chain, seen, 0, "the witness on this host") if seen else None)
        or _same_soul(chain, soul)
    )
    if torn:
        notes.append(f"{torn.segment.name} ends in an unfinished line of {len(torn.data)} bytes")
    if not heads and chain.lines:
        notes.append("no signed head: heads.jsonl is missing or empty")
    return Report(
        ok=problem is None,
        count=chain.lines,
        head=chain.last_hash.decode(),
        soul=chain.soul.decode(errors="replace"),
        signed=max((h.seq for h in heads), default=0),
        key=keys[0] if keys else "",
        problem=problem,
        notes=tuple(notes),
    )


def check_span(span: Span) -> Checked:
    """Check every line of a span: its two hashes, its link, its number, its time and its file."""
    found = Checked()
    day = span.path.stem.encode()
    parent, seq, soul, stamp = b"", 0, b"", b""
    position = span.start
    with span.path.open("rb", buffering=1 << 20) as lines:
        lines.seek(span.start)
        while position < span.end:
            line = lines.readline()
            position += len(line)
            if not found.lines:
                parent, seq, soul = _opening(line)
                found.first_parent, found.first_seq, found.soul = parent, seq, soul
            header = b'"parent_hash":"%b","seq":%d,"soul":"%b","id":"' % (parent, seq, soul)
            cut = line.find(CONTENT_HASH, HEADER_AT) + 81
            at = HEADER_AT + len(header) + 41
            moment = line[at : at + 24]
            if not (
                line.startswith(PREFIX)
                and line.startswith(header, HEADER_AT)
                and line[79:81] == b'",'
                and sha256(line[HEADER_AT:cut]).hexdigest().encode() == line[15:79]
                and moment >= stamp
                and moment.startswith(day)
                and line.endswith(b"\n")
            ):
                found.problem = _explain(found, span.path, line, seq)
                return found
            if sha256(line[cut:-1]).hexdigest().encode() != line[cut - 65 : cut - 1]:
                stub = _stub(line[cut:-1])
                if not stub:
                    found.problem = _changed(found, span.path, seq)
                    return found
                found.erased.append((seq, stub, line[15:79]))
            elif line.startswith(NOTABLE, cut + SITUATION_AT):
                found.notable.append(line)
            if seq in span.watch:
                found.watched[seq] = line[15:79].decode()
            found.lines += 1
            found.first_stamp = found.first_stamp or moment
            parent, stamp = line[15:79], moment
            seq += 1
    found.last_hash, found.last_seq, found.last_stamp = parent, seq - 1, stamp
    return found


def _opening(line: bytes) -> tuple[bytes, int, bytes]:
    """Parent, number and soul of a span's first line, taken on trust until the spans are joined."""
    parent = line[HEADER_AT + 15 : HEADER_AT + 79]
    number, _, rest = line[HEADER_AT + 87 :].partition(b',"soul":"')
    return parent, int(number) if number.isdigit() and len(number) < 16 else -1, rest[:26]


def _stub(content: bytes) -> int:
    """The event that erased this content, when it is the one valid stub; else 0."""
    if not content.startswith(ERASED):
        return 0
    number, _, padding = content[len(ERASED) :].partition(b"}")
    if number.isdigit() and not number.startswith(b"0") and padding.lstrip(b" ") == b"}":
        return int(number) if len(number) < 16 else 0
    return 0


def _explain(found: Checked, path: Path, line: bytes, seq: int) -> Problem:
    if found.lines and line.startswith(PREFIX):
        _, number, _ = _opening(line)
        if number not in (seq, -1):
            what = f"is missing: event {number} stands in its place"
            return Problem(seq, path.name, found.lines + 1, what)
    return _changed(found, path, seq)


def _changed(found: Checked, path: Path, seq: int) -> Problem:
    return Problem(seq, path.name, found.lines + 1, "was changed after it was written")


def _spans(memory: Path, torn: Torn | None, watch: frozenset[int], processes: int) -> list[Span]:
    """Cut the archive into spans: a segment each, large ones into equal parts at line ends."""
    spans: list[Span] = []
    for path in segments(memory):
        size = torn.offset if torn and torn.segment == path else path.stat().st_size
        parts = max(1, min(4 * processes, size // (8 << 20))) if processes > 1 else 1
        cuts = [0, *(_line_end(path, size * n // parts) for n in range(1, parts)), size]
        spans += [Span(path, a, b, watch) for a, b in pairwise(cuts) if a < b]
    return spans


def _line_end(path: Path, near: int) -> int:
    with path.open("rb") as file:
        file.seek(near)
        file.readline()
        return file.tell()


def _check_all(spans: list[Span], processes: int) -> Iterable[tuple[Span, Checked]]:
    if processes > 1 and sum(s.end - s.start for s in spans) >= PARALLEL_FROM:
        with ProcessPoolExecutor(min(processes, os.cpu_count() or 1)) as pool:
            yield from zip(spans, pool.map(check_span, spans), strict=True)
        return
    for span in spans:
        yield span, check_span(span)


def _join(parts: Iterable[tuple[Span, Checked]]) -> Checked:
    """Link the spans to each other; the first that does not fit carries the problem."""
    whole = Checked(last_hash=GENESIS_PARENT.encode())
    before: dict[Path, int] = {}
    for span, part in parts:
        line = before.get(span.path, 0)
        whole.problem = _joint(whole, span, part, line + 1)
        if whole.problem:
            break
        before[span.path] = line + part.lines
        whole.soul = part.soul
        whole.lines += part.lines
        whole.notable += part.notable
        whole.erased += part.erased
        whole.watched |= part.watched
        if part.problem:
            found = part.problem
            whole.problem = Problem(found.seq, found.segment, line + found.line, found.what)
            break
        whole.last_hash, whole.last_seq = part.last_hash, part.last_seq
        whole.last_stamp = part.last_stamp
    return whole


def _joint(whole: Checked, span: Span, part: Checked, line: int) -> Problem | None:
    expected = whole.last_seq + 1
    if part.problem and part.problem.line == 1 and part.first_seq != expected:
        return Problem(expected, span.path.name, line, "was changed after it was written")
    if part.first_seq != expected:
        what = f"is missing: event {part.first_seq} stands in its place"
        return Problem(expected, span.path.name, line, what)
    if part.first_parent != whole.last_hash or (whole.soul and part.soul != whole.soul):
        what = "does not follow from the event before it"
        return Problem(expected, span.path.name, line, what)
    if part.first_stamp and part.first_stamp < whole.last_stamp:
        return Problem(expected, span.path.name, line, "is dated before the event before it")
    return None


def _keys(chain: Checked) -> tuple[list[str], Problem | None]:
    """The public keys the archive names, the soul's own first."""
    events = [parse(raw) for raw in chain.notable]
    keys = [
        str(e.entry.payload.get("public_key", ""))
        for e in events
        if e.entry.situation in ("genesis", "key_added")
    ]
    starts_right = bool(events) and events[0].seq == 1 and events[0].entry.situation == "genesis"
    if chain.lines and not starts_right:
        return keys, Problem(1, "", 1, "is not the genesis this format asks for")
    return keys, None


def _erasures(chain: Checked) -> Problem | None:
    """Every erased line must be named, by number and hash, by the erasure it points to."""
    named = {
        (e.seq, int(target["seq"]), str(target["event_hash"]))
        for e in map(parse, chain.notable)
        if e.entry.situation == "erasure"
        for target in e.entry.payload.get("erases", ())
    }
    for seq, by, event_hash in chain.erased:
        if (by, seq, event_hash.decode()) not in named:
            return Problem(seq, "", 0, f"was blanked out, and event {by} does not say so")
    return None


def _heads(path: Path) -> tuple[list[Head], Problem | None, list[str]]:
    if not path.exists():
        return [], None, []
    heads: list[Head] = []
    notes: list[str] = []
    for number, raw in enumerate(path.read_bytes().splitlines(keepends=True), 1):
        if not raw.endswith(b"\n"):
            notes.append(f"{path.name} ends in an unfinished line")
            continue
        try:
            heads.append(head_from(raw, path))
        except Damaged:
            seq = heads[-1].seq + 1 if heads else 1
            what = f"or a later one: line {number} of {path.name} is not a signed head"
            return heads, Problem(seq, path.name, number, what), notes
    return heads, None, notes


def _against_heads(chain: Checked, heads: list[Head], keys: list[str]) -> Problem | None:
    good = 0
    for number, head in enumerate(sorted(heads, key=lambda h: h.seq), 1):
        if head.key not in keys or not is_signed(head):
            what = "has a signed head that its key did not sign"
            return Problem(head.seq, "heads.jsonl", number, what)
        problem = _against(chain, head, good, "a signed head")
        if problem:
            return problem
        good = head.seq
    return None


def _against(chain: Checked, head: Head, good: int, who: str) -> Problem | None:
    if head.seq > chain.last_seq:
        what = f"is missing: {who} knows the chain up to event {head.seq}"
        return Problem(chain.last_seq + 1, "", 0, what)
    if head.soul != chain.soul.decode() or chain.watched.get(head.seq) != head.event_hash:
        what = f"or one up to event {head.seq} was rewritten: {who} says {head.event_hash[:8]}…"
        return Problem(good + 1, "", 0, what)
    return None


def _soul_of(memory: Path) -> str:
    """Who the first line says it is, before anything is checked."""
    for path in segments(memory):
        with path.open("rb") as lines:
            return _opening(lines.readline())[2].decode(errors="replace")
    return ""


def _same_soul(chain: Checked, soul: str) -> Problem | None:
    if not chain.lines:
        return Problem(1, "", 0, "is missing: the archive is empty")
    if chain.soul.decode() != soul:
        return Problem(1, "", 0, f"belongs to another soul: expected {soul}")
    return None
