"""Why an event has to go with what is forgotten: it is meant, answers it, rests on it, or quotes it.

Every string of every event is searched, whatever field it stands in; only fields that hold no words
are passed over. What is looked for is in language/overlap.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from lumen.core.canon import JSON
from lumen.core.data import Author, Entry, Event, EventType, Memory
from lumen.hands.skills import discover, shipped
from lumen.kernel.language.overlap import OverlapDetector
from lumen.kernel.language.reading import stem
from lumen.kernel.turn.loops import LOOPS
from lumen.mind.roles import ROLES
from lumen.soul.state.fold import ERASED
from lumen.soul.state.records import in_words, is_operation

NEVER = ("genesis", "key_added", "scrubbed", "rollback_accepted")
# Hashes, ids and moments: everything else in a payload is taken to be words.
WORDLESS = frozenset(
    {"sha256", "base", "event_hash", "id", "turn", "moment", "as_of", "signature", "key", "head"}
)
# Under these keys the kernel's own lines carry what others put into words.
SPOKEN = frozenset(
    {
        "input",
        "error",
        "trouble",
        "why",
        "outcome",
        "sent",
        "detail",
        "goal",
        "files",
        "steps",
        "cycle",
        "checkpoint",
    }
)


@cache
def vocabulary() -> frozenset[str]:
    """The words the kernel's own notes are made of: loops, beats, steps, roles and shipped skills.

    With their stems: in its notes `drafts` is no trace of a boat called Draft.
    """
    named: list[str] = [*ROLES, *(skill.name for skill in discover(shipped()))]
    for loop in LOOPS.values():
        named += [loop.name, *(b.name for b in loop.beats)]
        named += [step.name for b in loop.beats for step in b.steps]
    parts = {part for name in named for part in name.split("_")}
    return frozenset(parts | {stem(part) for part in parts})


def why_goes(
    event: Event,
    named: Mapping[int, Memory],
    same: Mapping[int, Memory],
    sessions: set[str],
    traces: OverlapDetector,
) -> str:
    """Why an event has to go; empty when it may stay."""
    entry = event.entry
    if event.seq in named:
        return "you asked"
    if event.seq in same:
        return "says the same"
    untouched = entry.situation in NEVER or entry.event_type is EventType.AUTHOR_MESSAGE
    if untouched or entry.situation == ERASED:
        return ""
    if entry.session_key in sessions and (entry.author is Author.SELF or "sent" in entry.payload):
        return "answers it" if entry.author is Author.SELF else "carried it"
    if not same.keys().isdisjoint(in_view(entry)):
        return "rests on it"
    return "quotes it" if _quotes(event, traces) else ""


def in_view(entry: Entry) -> tuple[int, ...]:
    """The memories an entry rests on, those its writer was shown, and those a line it keeps was made of."""
    kept = (c["value"] for c in entry.payload.get("changes", ()) if is_operation(c))
    made_of = (seq for value in kept for seq in rests_on(value))
    return (*entry.payload.get("sources", ()), *entry.payload.get("shown", ()), *made_of)


def rests_on(value: JSON) -> tuple[int, ...]:
    """The events that a line of a record was made of, where it says so: it is forgotten with any of them."""
    return tuple(value.get("rests_on", ())) if isinstance(value, dict) else ()


def _quotes(event: Event, traces: OverlapDetector) -> bool:
    """Whether any string of an event tells of it, whoever put it there and wherever it stands."""
    entry = event.entry
    said = {key: value for key, value in entry.payload.items() if key != "changes"}
    changes: JSON = entry.payload.get("changes", ())
    files = [str(change["value"] or "") for change in changes if not is_operation(change)]
    noted = [in_words(str(c.get("name", "")), c["value"]) for c in changes if is_operation(c)]
    if any(map(traces.stands_in, files)) or any(traces.noted_in(n, spoken=True) for n in noted):
        return True
    if entry.author is not Author.KERNEL:
        return traces.tells(entry.description) or any(
            traces.noted_in(text, spoken=True) for text, _ in _strings(said)
        )
    return traces.noted_in(entry.description, spoken=True) or any(
        traces.noted_in(text, spoken=spoken) for text, spoken in _strings(said)
    )


def _strings(value: JSON, *, spoken: bool = False) -> Iterator[tuple[str, bool]]:
    """Every text however deep, names of fields too, and whether it stands where others are quoted."""
    match value:
        case str():
            yield value, spoken
        case {"wrote": wrote, "quotes": list() as quotes}:
            aside = {k: v for k, v in value.items() if k not in ("wrote", "quotes")}
            yield from _strings(aside, spoken=spoken)
            yield from _declared(wrote, "", frozenset(map(str, quotes)))
        case dict():
            for key, inner in value.items():
                if key not in WORDLESS:
                    yield key, spoken
                    yield from _strings(inner, spoken=spoken or key in SPOKEN)
        case list() | tuple():
            for inner in value:
                yield from _strings(inner, spoken=spoken)
        case _:
            pass


def _declared(value: JSON, at: str, quotes: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Every text of what a step wrote; others are quoted where its slot said so, and only there.

    Steps archived before slots said it are searched as a whole, as if all of it were quoted.
    """
    match value:
        case str():
            yield value, at in quotes
        case dict():
            for key, inner in value.items():
                yield from _declared(inner, f"{at}.{key}" if at else key, quotes)
        case list():
            for inner in value:
                yield from _declared(inner, at, quotes)
        case _:
            pass
