"""Print what limits on the evidence that is offered as the closest cost and gain, in the dev sets of `lumen lab facts`.

uv run python tools/offering.py [FOLDER]   vectors are kept in FOLDER, by default ~/.cache/lumen-lab

Of each limit: in how many questions the message that tells the fact is quoted, how many of those about what was never
told are offered something, and how many of the first kind are when the messages that tell the fact are taken out of the evidence.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lumen.app.being import Being, Door, create
from lumen.app.opened import kernel_of
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.recall.search import IndexedRecall
from lumen.kernel.steps.p1_perceive import Grounding
from lumen.kernel.steps.p1_verdict import may_be_meant
from lumen.kernel.turn.loops import parameters
from lumen.lab.facts import read_set
from lumen.lab.recall import CachedEmbedder
from lumen.lab.recall_data import memos, tellers

SETS = ("dev", "dev2", "ru_dev", "de_dev", "mixed_dev")
LIMITS = (0.0, 0.3, 0.31, 0.32, 0.34, 0.36, 0.38, 0.4, 0.42, 0.44)
LATEST = 1 << 60


@dataclass(frozen=True, slots=True)
class AskedEvidence:
    """What was found for a question, and which events tell what it asks for; none: never told."""

    evidence: Sequence[Evidence]
    tells: Sequence[int]


def asked(which: str, vectors: Path) -> Iterator[AskedEvidence]:
    """The evidence for every question of a set."""
    data = read_set(which)
    with tempfile.TemporaryDirectory(prefix="lumen-offering-") as folder:
        where = create(Path(folder) / "being", None)
        with Door(where, None) as being:
            events = being.remember(memos(data)).events
            recall = _learnt(being, vectors)
            told = {f: [events[n] for n in places] for f, places in tellers(data).items()}
            for question in data["question"]:
                tells = told[question["fact"]]
                yield AskedEvidence(recall.evidence(question["ask"], LATEST), tells)
            for question in data["unknown"]:
                yield AskedEvidence(recall.evidence(question["ask"], LATEST), ())


def _learnt(being: Being, vectors: Path) -> IndexedRecall:
    kernel = kernel_of(being)
    recall = IndexedRecall(kernel.index, CachedEmbedder(kernel.recall.embedder, vectors))
    while recall.learn():
        pass
    return recall


def row(every: Sequence[AskedEvidence], limit: float) -> tuple[int, int, int]:
    """Facts that are quoted, what was never told and is offered, and facts taken away and offered."""
    law = replace(parameters(Grounding), stands_out=limit)

    def offered(some: Sequence[Evidence]) -> list[int]:
        return [e.memory.seq for e in some[: law.quotes] if may_be_meant(e, law)]

    quoted = sum(max(one.tells) in offered(one.evidence) for one in every if one.tells)
    never = sum(bool(offered(one.evidence)) for one in every if not one.tells)
    left = (
        [e for e in one.evidence if e.memory.seq not in one.tells] for one in every if one.tells
    )
    return quoted, never, sum(bool(offered(some)) for some in left)


if __name__ == "__main__":
    kept = Path(sys.argv[1] if len(sys.argv) > 1 else "~/.cache/lumen-lab").expanduser()
    found = [one for which in SETS for one in asked(which, kept)]
    facts = sum(bool(one.tells) for one in found)
    print(
        f"{facts} facts, {len(found) - facts} never told; stands out from, quoted, offered, taken away"
    )
    for limit in LIMITS:
        print(f"  {limit:.2f}", *row(found, limit))
