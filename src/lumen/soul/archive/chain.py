"""Do the lines hang together? Checked over the stored bytes, without re-serialising.

A span of lines is checked on its own, so that several processes can share an archive; the spans
are joined afterwards. Who signed what, and who may erase, is for verify.py to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from lumen.soul.archive.line import (
    ABOUT_TRUST,
    CHANGED,
    CONTENT_HASH,
    ERASED,
    GENESIS_PARENT,
    HEADER_AT,
    STAMP_AT,
    Torn,
    is_headed,
    opening,
    segments,
)

OPENING = b'{"event_hash":"%b","parent_hash":"%b","seq":%d,"soul":"%b","id":"'
FIELDS_AT = len(OPENING % (bytes(64), bytes(64), 1, bytes(26))) + STAMP_AT + 24
SITUATION_AT = len(b',"salt":"') + 32 + len(b'",')
NOTABLE = tuple(f'"situation":"{name}"'.encode() for name in (*ABOUT_TRUST, "rollback_accepted"))
MISPLACED = "does not follow from the event before it"
MISSING = "is missing: event %d stands in its place"
PART = 8 << 20  # what is worth a span of its own


@dataclass(frozen=True, slots=True)
class ArchiveProblem:
    """The first thing found wrong: at which event, in which file and line, what, and what heals it."""

    seq: int
    segment: str
    line: int
    what: str
    fix: str = field(default="", compare=False)  # beside what is wrong, not part of it

    @property
    def where(self) -> str:
        """File and line; empty where it is in none."""
        return f"{self.segment} line {self.line}" if self.segment else ""


@dataclass(frozen=True, slots=True)
class LineRun:
    """A run of whole lines of one segment, checked on its own."""

    path: Path
    start: int
    end: int
    watch: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Erased:
    """A line whose content is a stub: which one, which event erased it, and how long it is."""

    seq: int
    by: int
    event_hash: str
    length: int


@dataclass(slots=True)
class CheckedRun:
    """What a span turned out to hold; spans are joined afterwards."""

    first_parent: bytes = b""
    first_seq: int = 0
    first_stamp: bytes = b""
    soul: bytes = b""
    last_hash: bytes = b""
    last_seq: int = 0
    last_stamp: bytes = b""
    lines: int = 0
    problem: ArchiveProblem | None = None
    notable: list[bytes] = field(default_factory=list)
    erased: list[Erased] = field(default_factory=list)
    watched: dict[int, str] = field(default_factory=dict)


def check_span(span: LineRun) -> CheckedRun:
    """Check every line of a span: its two hashes, its link, its number, its time and its file."""
    found = CheckedRun()
    stamp = span.path.stem.encode()
    nightfall = stamp + b"U"  # a stamp goes on with T, so all of a day's sort between the two
    position, end, watch = span.start, span.end, span.watch
    with span.path.open("rb", buffering=1 << 18) as lines:
        lines.seek(span.start)
        parent, seq, soul, found.first_stamp = opening(lines.readline())
        found.first_parent, found.first_seq, found.soul = parent, seq, soul
        lines.seek(span.start)
        for line in lines:
            cut = line.find(CONTENT_HASH, FIELDS_AT) + len(CONTENT_HASH) + 65
            own = sha256(line[HEADER_AT:cut]).hexdigest().encode()
            start = OPENING % (own, parent, seq, soul)
            at = len(start) + STAMP_AT
            moment = line[at : at + 24]
            if not (line.startswith(start) and stamp <= moment < nightfall and line[-1:] == b"\n"):
                found.problem = _explain(seq - found.first_seq + 1, span.path, line, seq)
                break
            if sha256(line[cut:-1]).hexdigest().encode() != line[cut - 65 : cut - 1]:
                by = _stub(line[cut:-1])
                if not by:
                    count = seq - found.first_seq + 1
                    found.problem = ArchiveProblem(seq, span.path.name, count, CHANGED)
                    break
                found.erased.append(Erased(seq, by, own.decode(), len(line) - cut - 1))
            elif line.startswith(NOTABLE, cut + SITUATION_AT):
                found.notable.append(line)
            if seq in watch:
                found.watched[seq] = own.decode()
            parent, stamp = own, moment
            seq += 1
            position += len(line)
            if position >= end:
                break
    found.lines = seq - found.first_seq
    found.last_hash, found.last_seq, found.last_stamp = parent, seq - 1, stamp
    return found


def _stub(content: bytes) -> int:
    """The event that erased this content, when it is the one valid stub; else 0."""
    if not content.startswith(ERASED):
        return 0
    number, _, padding = content[len(ERASED) :].partition(b"}")
    if number.isdigit() and not number.startswith(b"0") and padding.lstrip(b" ") == b"}":
        return int(number) if len(number) < 16 else 0
    return 0


def _explain(number: int, path: Path, line: bytes, seq: int) -> ArchiveProblem:
    """What is wrong with a line that does not stand where it should."""
    said = opening(line)[1]
    if not is_headed(line) or line[-1:] != b"\n":
        return ArchiveProblem(seq, path.name, number, CHANGED)
    what = MISPLACED if said == seq else MISSING % said
    return ArchiveProblem(seq, path.name, number, what)


def spans(memory: Path, torn: Torn | None, watch: frozenset[int], processes: int) -> list[LineRun]:
    """Cut the archive into spans: a segment each, large ones into equal parts at line ends."""
    found: list[LineRun] = []
    for path in segments(memory):
        size = torn.offset if torn and torn.segment == path else path.stat().st_size
        parts = max(1, min(4 * processes, size // PART)) if processes > 1 else 1
        cuts = [0, *(_line_end(path, size * n // parts) for n in range(1, parts)), size]
        found += [LineRun(path, a, b, watch) for a, b in pairwise(cuts) if a < b]
    return found


def _line_end(path: Path, near: int) -> int:
    with path.open("rb") as file:
        file.seek(near)
        file.readline()
        return file.tell()


def join(parts: Iterable[tuple[LineRun, CheckedRun]]) -> CheckedRun:
    """Link the spans to each other; the first that does not fit carries the problem."""
    whole = CheckedRun(last_hash=GENESIS_PARENT.encode())
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
        whole.last_hash, whole.last_seq = part.last_hash, part.last_seq
        whole.last_stamp = part.last_stamp
        if part.problem:
            found = part.problem
            whole.problem = ArchiveProblem(found.seq, found.segment, line + found.line, found.what)
            break
    return whole


def _joint(whole: CheckedRun, span: LineRun, part: CheckedRun, line: int) -> ArchiveProblem | None:
    """What one pass over both would have said of the line where two spans meet."""
    seq = whole.last_seq + 1
    ill = part.problem.what if part.problem and part.problem.line == 1 else ""
    follows = part.first_parent == whole.last_hash and part.first_stamp >= whole.last_stamp
    if ill == CHANGED:
        return ArchiveProblem(seq, span.path.name, line, CHANGED)
    if part.first_seq != seq:
        return ArchiveProblem(seq, span.path.name, line, MISSING % part.first_seq)
    if ill or not follows or part.soul != (whole.soul or part.soul):
        return ArchiveProblem(seq, span.path.name, line, MISPLACED)
    return None
