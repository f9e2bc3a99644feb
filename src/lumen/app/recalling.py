"""Recall by one ranking: what was said or found that bears on a question, whoever said it.

Each comes with its lane: only what the author stated may support a claim about them (`why` tells whether
it does). What a score is made of comes on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from lumen.app.memories import Recollection, learn_all, recollection
from lumen.core.errors import UsageError
from lumen.soul.ports.queries import Queries

if TYPE_CHECKING:
    from lumen.kernel.recall.evidence import Evidence
    from lumen.kernel.recall.fusion import RankedMemory
    from lumen.kernel.recall.search import IndexedRecall

LISTED = 20
BEARS_ON = 0.45  # the least certainty of what is shown for a claim
MOST_EVIDENCE = 5
NOT_SAID = "does not say it"
LOOKED_AT = 4000  # characters of a text in which the sentence to quote is looked for
LANES = ("stated", "asked", "said", "found", "guest")


@dataclass(frozen=True, slots=True)
class RecallFilter:
    """What may be recalled: one lane or all, up to a day, so many; and whether it is explained."""

    lane: str | None = None
    as_of: date | None = None
    limit: int = LISTED
    explain: bool = False


@dataclass(frozen=True, slots=True)
class RecalledMemory(Recollection):
    """A memory that bears on a question: whose word it is, how much it bears, how it was found.

    `parts` and `neighbours` are there when it was to be explained: what each feature adds to the score
    beside a candidate like all others, and what was said just before and after.
    """

    lane: str
    score: float
    paths: tuple[str, ...]  # text, meaning, neighbour, session
    speaker: str
    conversation: str
    quote: str
    revised_by: int = 0  # the event in which you said otherwise later
    replaces: int = 0  # the event with what this revises
    parts: Mapping[str, float] = field(default_factory=dict)
    neighbours: tuple[Recollection, ...] = ()


@dataclass(frozen=True, slots=True)
class WeighedMemory(RecalledMemory):
    """Something you stated that bears on a claim: how sure that is, and whether it says what was claimed."""

    certainty: float = 0.0  # by the law of docs/decisions/0004
    fit: str = ""  # "fits well", "fits loosely", "does not say it"


def recall(
    index: Queries,
    query: str,
    wanted: RecallFilter,
    tell: Callable[[str], None],
    with_: IndexedRecall | None = None,
) -> tuple[RecalledMemory, ...]:
    """What bears on a question, each as the archive has it.

    Raises:
        UsageError: there is no such lane, or nothing is asked for.
    """
    from lumen.kernel.recall.candidates import RankWanted
    from lumen.kernel.recall.lanes import Lane
    from lumen.kernel.recall.search import IndexedRecall
    from lumen.kernel.recall.verified import proved
    from lumen.mind.embed import WhenNeeded

    if wanted.lane is not None and wanted.lane not in LANES:
        raise UsageError(f"{wanted.lane!r} is no lane", fix=f"one of {', '.join(LANES)}")
    if wanted.limit < 1 or not query.strip():
        raise UsageError("nothing is asked for", fix='being.recall("Where do I live?", limit=20)')
    found = with_ or IndexedRecall(index, WhenNeeded())
    learn_all(found, tell)
    asked = RankWanted(
        limit=wanted.limit,
        lane=Lane(wanted.lane) if wanted.lane else None,
        day=wanted.as_of.toordinal() if wanted.as_of else None,
    )

    def look() -> tuple[RankedMemory, ...]:
        return found.rank(query, asked)

    ranked = proved(index, look, lambda one: (one.memory, *one.neighbours))
    return tuple(_recalled(one, query, explain=wanted.explain) for one in ranked)


def _recalled(one: RankedMemory, query: str, *, explain: bool) -> RecalledMemory:
    from lumen.kernel.language.passages import quoted
    from lumen.kernel.language.reading import sentences, stems

    text, asked = one.memory.text, stems(query)
    spans = sentences(text[:LOOKED_AT]) or [(0, len(text))]
    start, stop = max(spans, key=lambda span: len(asked & stems(text[span[0] : span[1]])))
    return RecalledMemory(**_found(one, quoted(text, start, stop), explain=explain))


def _found(one: RankedMemory, quote: str, *, explain: bool) -> dict[str, Any]:
    """How a memory was found, by the names of `RecalledMemory`."""
    parts = sorted(one.parts.items(), key=lambda part: -abs(part[1]))
    return {
        **asdict(recollection(one.memory)),
        "lane": one.lane.value,
        "score": round(one.score, 3),
        "paths": one.paths,
        "speaker": one.memory.speaker,
        "conversation": one.memory.conversation,
        "quote": quote,
        "revised_by": one.revised_by,
        "replaces": one.replaces,
        "parts": {name: round(part, 3) for name, part in parts if explain},
        "neighbours": tuple(map(recollection, one.neighbours)) if explain else (),
    }


def bearing_on(claim: str, found: Iterable[Evidence]) -> tuple[WeighedMemory, ...]:
    """The evidence that is near enough to be shown for a claim, in the order of the ranking."""
    near = [e for e in found if e.score >= BEARS_ON][:MOST_EVIDENCE]
    return tuple(
        WeighedMemory(
            **_found(e.found, e.quote, explain=True),
            certainty=round(e.score, 3),
            fit=_fit(claim, e),
        )
        for e in near
        if e.found
    )


def _fit(claim: str, e: Evidence) -> str:
    """How well evidence supports a claim; nearness alone does not make Madrid of Lisbon.

    It fits well when every word that carries content is in it, in whatever form: what is said of
    Pavel's taxi is near to whatever else is said of Pavel. Where most of a claim is nowhere in it,
    it does not say it.
    """
    from lumen.kernel.language.reading import lacks, strays, unsaid

    if lacks(claim, e.memory.text) or strays(claim, e.memory.text):
        return NOT_SAID
    return "fits loosely" if unsaid(claim, e.memory.text) else "fits well"
