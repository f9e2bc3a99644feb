"""Is the archive what was written?

Hashes and links show any change inside the chain; signed heads show a rewrite; the witness and the
mark, which live outside the being, show a cut-off end even when the heads were cut with it, and
lines that somebody else put there. Whether projections agree with the archive is not asked here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lumen.core.canon import JSON
from lumen.core.data import Author, BeingPaths, Event, Head
from lumen.core.errors import Damaged
from lumen.soul.archive.chain import (
    MISPLACED,
    ArchiveProblem,
    CheckedRun,
    check_span,
    join,
    spans,
)
from lumen.soul.archive.line import FORMAT, opening, parse, segments, shared, torn_end
from lumen.soul.archive.mark import Mark, known_places, own_up_to
from lumen.soul.archive.ring import puts_back
from lumen.soul.trust.heads import Heads, Run, compare, newest_counting, read_heads
from lumen.soul.trust.keys import Keyring
from lumen.soul.trust.signed import claims_signature, signer_of
from lumen.soul.trust.vouching import AUTHOR, HOST, Trust

PARALLEL_FROM = 32 << 20  # bytes: below, starting processes costs more than it saves
SIGNATURE_WEIGHS = 32 << 10  # bytes that are hashed in the time one signature takes
BEHIND = "is no event of this being: it stands behind the end, and does not follow"
RESTORE = (
    "lumen restore-backup FILE ANOTHER_FOLDER, then lumen archive verify there; without a backup "
    "nothing can be built on this archive any more, and its lines stay readable in data/memory"
)
CUT = "lumen archive cut-tail, which moves it to quarantine"
CHUNKS = 64  # fewer, and one process waits for the other; more, and both wait for the pipe


@dataclass(frozen=True, slots=True)
class Report:
    """What verification found; `unsigned` and `unvouched` are events from which on that is so."""

    ok: bool
    count: int
    head: str
    soul: str
    signed: int
    key: str
    problem: ArchiveProblem | None = None
    notes: tuple[str, ...] = ()
    unsigned: int = 0
    unvouched: int = 0

    @property
    def trusted(self) -> bool:
        """Whether all of it is what was written, under the word of a key that counts."""
        return self.ok and not self.unsigned and not self.unvouched


@dataclass(frozen=True, slots=True)
class _Stated:
    """What is said of a chain besides the chain."""

    heads: Heads
    seen: Head | None
    mark: Mark | None


def verify(being: BeingPaths, keyring: Keyring, *, soul: str = "", processes: int = 1) -> Report:
    """Check hashes, links, erasures, signed heads and the witness; name the first bad event.

    `soul` is who the being is said to be; without it the archive's first line is believed.

    Raises:
        Damaged: the witness of this host cannot be read or was forged, so nothing can be compared
            with it.
    """
    soul = soul or _soul_of(being.memory)
    seen = keyring.witness(soul) if soul else None  # first: what is signed meanwhile has a head
    heads, head_problem, notes = read_heads(being.heads)
    with shared(being.memory):
        mark = keyring.mark(soul) if soul else None
        stated = _Stated(heads, seen, mark)
        torn = torn_end(being.memory)
        parts = spans(being.memory, torn, _watched(stated), processes)
    work = sum(p.end - p.start for p in parts) + SIGNATURE_WEIGHS * len(heads)
    with _running(processes if work >= PARALLEL_FROM else 1) as run:
        chain = join(zip(parts, run(check_span, parts), strict=True))
        told, trust, told_problem = _trust_of(
            chain, keyring.accepted(soul) if soul else frozenset()
        )
        problem, highest = compare(chain, heads, trust, run, seen)
    covered = highest.seq if highest else 0
    forged = bool(seen) and not keyring.is_ours(seen, trust.keys) if seen else False
    problem = (
        chain.problem
        or told_problem
        or _beginning(chain, told, soul)
        or _erasures(chain, told, trust, covered)
        or head_problem
        or problem
        or (ArchiveProblem(0, "", 0, FORGED) if forged else None)
        or _foreign(chain, stated, covered)
    )
    if problem:
        problem = _with_remedy(problem, being, chain, _known(stated, trust))
    if torn:
        notes.append(f"{torn.segment.name} ends in an unfinished line of {len(torn.data)} bytes")
    if not seen:
        notes.append("no witness on this host: a cut-off end would not be noticed")
    own = _own(chain, stated)
    unvouched = _unvouched(trust, heads, covered)
    notes += _words(chain, trust, covered, own)
    return Report(
        ok=problem is None,
        count=chain.lines,
        head=chain.last_hash.decode(errors="replace"),
        soul=chain.soul.decode(errors="replace"),
        signed=covered,
        key=highest.key if highest else "",
        problem=problem,
        notes=tuple(notes),
        unsigned=covered + 1 if max(covered, own) < chain.last_seq and not unvouched else 0,
        unvouched=unvouched,
    )


FORGED = "and all others: this host's witness is signed by a key the archive does not name"


def _with_remedy(
    problem: ArchiveProblem, being: BeingPaths, chain: CheckedRun, known: int
) -> ArchiveProblem:
    """A problem with what heals it, as far as that is known.

    `known` is the last event that the witness, the mark or a signed head speaks of: what stands
    behind it and does not follow takes nothing away when it is moved aside.
    """
    if problem.fix:
        return problem
    if problem.segment == being.heads.name:
        where = being.named(being.heads)
        fix = (
            f"find out who changed it, then delete line {problem.line} of {where}: the others stand"
        )
        return replace(problem, fix=fix)
    damaged = problem == chain.problem
    if damaged or problem.what.startswith("is missing"):
        count = puts_back(being.memory)
        if count:
            many = "the line" if count == 1 else f"the {count} lines"
            return replace(
                problem, fix=f"lumen chat: this host has {many} still, and puts them back"
            )
    if damaged and 0 < known <= chain.last_seq:
        what = problem.what if problem.what == MISPLACED else BEHIND
        return replace(problem, what=what, fix=CUT)
    return replace(problem, fix=RESTORE) if damaged else problem


def _watched(stated: _Stated) -> frozenset[int]:
    """The events whose hashes are asked for afterwards."""
    known = known_places(stated.mark, stated.seen)
    return frozenset([*(h.seq for _, h in stated.heads), *(place.seq for place in known)])


@contextmanager
def _running(processes: int) -> Iterator[Run]:
    """A way to do something to many things: here, or in as many processes."""
    if processes == 1:
        yield map
    else:
        with ProcessPoolExecutor(min(processes, os.cpu_count() or 1)) as pool:
            yield lambda work, many: pool.map(work, many, chunksize=1 + len(many) // CHUNKS)


def _trust_of(
    chain: CheckedRun, accepted: frozenset[str]
) -> tuple[list[Event], Trust, ArchiveProblem | None]:
    """What the kernel said of the beginning, keys and erasures; nobody else's word counts."""
    told: list[Event] = []
    trust = Trust(accepted)
    for raw in chain.notable:
        try:
            event = parse(raw)
        except Damaged:
            return told, trust, ArchiveProblem(opening(raw)[1], "", 0, "cannot be read")
        if event.entry.author is Author.KERNEL:
            signer = signer_of(raw)
            if not signer and claims_signature(raw):
                what = "carries a signature that its key did not make"
                return told, trust, ArchiveProblem(event.seq, "", 0, what)
            told.append(event)
            trust.take(event, signer)
    return told, trust, None


def _beginning(chain: CheckedRun, told: list[Event], soul: str) -> ArchiveProblem | None:
    if not chain.lines:
        return ArchiveProblem(1, "", 0, "is missing: the archive is empty")
    said = told[0].entry.payload if told and told[0].seq == 1 else {}
    own = chain.soul.decode(errors="replace")
    if said.get("format") != FORMAT or said.get("soul") != own:
        return ArchiveProblem(1, "", 1, "is not the genesis this format asks for")
    if own != soul:
        return ArchiveProblem(1, "", 0, f"belongs to another soul: expected {soul}")
    return None


def _erasures(
    chain: CheckedRun, told: list[Event], trust: Trust, covered: int
) -> ArchiveProblem | None:
    """Every erased line must be named, by number and hash, by a signed erasure it points to."""
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
            return ArchiveProblem(line.seq, "", 0, what)
        if not trust.may_erase(line.by, covered):
            what = f"was blanked out, and event {line.by} that says so is not the author's word"
            fix = trust.heals(line.by) if line.by in trust.unsigned else ""
            what = f"{what}: no key of the author's that counts signed it"
            return ArchiveProblem(line.seq, "", 0, what, fix)
    return None


def _targets(erases: JSON) -> list[tuple[int, str, int | None]]:
    """Number, hash and, where it is told, the length of what an erasure names."""
    try:
        return [(int(e["seq"]), str(e["event_hash"]), e.get("length")) for e in erases]
    except (TypeError, ValueError, KeyError, AttributeError):
        return []  # it names nothing, so nothing it erased is accepted


def _known(stated: _Stated, trust: Trust) -> int:
    """The last event that this host or a signed head that counts knows of."""
    signed = newest_counting((h for _, h in stated.heads), trust, lambda _: True)
    mark = stated.mark or Mark()
    return max(stated.seen.seq if stated.seen else 0, mark.before, signed)


def _own(chain: CheckedRun, stated: _Stated) -> int:
    """Up to which event this host knows the chain to be its own work."""
    return own_up_to(known_places(stated.mark, stated.seen), chain.watched.get)


def _foreign(chain: CheckedRun, stated: _Stated, covered: int) -> ArchiveProblem | None:
    """Lines that this host, which keeps a mark, did not write and nobody who counts has signed."""
    first = max(_own(chain, stated), covered) + 1
    mark = stated.mark
    if mark is None or first > chain.last_seq or mark.leaves_off(first, chain.last_seq):
        return None  # what was cut off of an append of this host's, the next start moves away
    what = "and those after it were not written by this host, and nobody who counts signed them"
    return ArchiveProblem(first, "", 0, what)


def _unvouched(trust: Trust, heads: Heads, covered: int) -> int:
    """The event from which on only keys sign that nobody has vouched for; 0 when there is none."""
    strange = {k.public: k for k in trust.unvouched(HOST)}
    beyond = [strange[h.key].since for _, h in heads if h.key in strange and h.seq > covered]
    return min(beyond, default=0)


def _words(chain: CheckedRun, trust: Trust, covered: int, own: int) -> Iterator[str]:
    """What the author should know of keys and signatures."""
    for role, does in ((HOST, "signs heads"), (AUTHOR, "signs as the author")):
        for key in trust.unvouched(role):
            yield (
                f"unvouched from event {key.since}: the key {key.public[:16]} {does}, and no key "
                f"that counts vouches for it (lumen keys vouch {key.public[:16]})"
            )
    if old := trust.valid_unvouched(covered):
        many = "1 erasure is" if len(old) == 1 else f"{len(old)} erasures are"
        yield (
            f"{many} from before they were signed; vouch for them once: lumen keys vouch --erasures"
        )
    last = chain.last_seq
    if max(covered, own) < last:
        which = f"event {last} is" if covered + 1 == last else f"events {covered + 1} to {last} are"
        yield f"{which} not signed by a key that counts, and not known to be this host's work"


def _soul_of(memory: Path) -> str:
    """Who the first line says it is, before anything is checked."""
    for path in segments(memory):
        with path.open("rb") as lines:
            return opening(lines.readline())[2].decode(errors="replace")
    return ""
