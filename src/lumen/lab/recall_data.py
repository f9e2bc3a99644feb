"""Long conversations with questions and the messages that answer them, read from files as they are.

Three shapes: LoCoMo (people talk in dated sessions; category 5 asks for what was never said, and is left
out), BEAM (somebody talks with an assistant) and the sets of `lumen lab facts` (.toml). What a photo shows is left out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from lumen.app.bulk import Memo
from lumen.core.canon import JSON, loads
from lumen.core.errors import UsageError

NEVER_SAID = 5
MOST_SESSIONS = 200
IDS = re.compile(r"[;\s]+")
DATES = (
    (re.compile(r"\d{1,2} [A-Za-z]+,? \d{4}"), "%d %B %Y"),
    (re.compile(r"[A-Za-z]+-\d{1,2}-\d{4}"), "%B-%d-%Y"),
)


@dataclass(frozen=True, slots=True)
class LabQuestion:
    """A question, of which kind it is, and the messages that answer it: their places."""

    text: str
    kind: str
    gold: frozenset[int]


@dataclass(frozen=True, slots=True)
class LabConversation:
    """What was said in one, in order, and what is asked about it."""

    name: str
    dataset: str
    messages: tuple[Memo, ...]
    questions: tuple[LabQuestion, ...]


def read_conversations(file: Path) -> list[LabConversation]:
    """The conversations of a file.

    Raises:
        UsageError: it is of none of these shapes.
    """
    try:
        if file.suffix == ".toml":
            return [_facts(file.stem, tomllib.loads(file.read_text("utf-8")))]
        read = loads(file.read_bytes())
        return [_locomo(one) if "conversation" in one else _beam(one) for one in read]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{file} holds no conversations: {error}",
            fix="give a file of LoCoMo or BEAM, or a set of lab facts",
        ) from error


def _locomo(one: dict[str, JSON]) -> LabConversation:
    said, name = one["conversation"], str(one["sample_id"])
    told: dict[str, Memo] = {}
    for number in range(1, MOST_SESSIONS):
        for m in said.get(f"session_{number}", ()):
            at = _moment(said[f"session_{number}_date_time"])
            session = f"{name}-{number}"
            told[m["dia_id"]] = Memo(m["text"], at, m["speaker"], session)
    asked = (
        (q["question"], str(q["category"]), {i for e in q["evidence"] for i in IDS.split(e)})
        for q in one["qa"]
        if q["category"] != NEVER_SAID
    )
    return _conversation(name, "locomo", told, asked)


def _beam(one: dict[str, JSON]) -> LabConversation:
    name, told = str(one["sample_id"]), {}
    at = None
    for m in one["messages"]:
        at = _moment(m["time_anchor"] or "") or at
        speaker = None if m["role"] == "user" else str(m["role"])
        told[str(m["id"])] = Memo(m["content"], at, speaker, f"{name}-{m['batch']}")
    asked = ((q["question"], str(q["kind"]), {*map(str, q["evidence"])}) for q in one["questions"])
    return _conversation(name, "beam", told, asked)


def _facts(name: str, one: dict[str, JSON]) -> LabConversation:
    """One of this project's own sets: facts among small talk; of a corrected one both count."""
    told = {str(n): memo for n, memo in enumerate(memos(one))}
    held = {fact: {*map(str, places)} for fact, places in tellers(one).items()}
    asked = (
        (q["ask"], str(q.get("kind", "told")), held.get(q["fact"], set())) for q in one["question"]
    )
    language, half, _ = name.partition("_")
    return _conversation(name, language if half else "facts", told, asked)


def memos(one: dict[str, JSON]) -> list[Memo]:
    """The messages of a set, each on one line."""
    return [Memo(" ".join(m["text"].split()), speaker=m.get("speaker")) for m in one["message"]]


def tellers(one: dict[str, JSON]) -> dict[str, list[int]]:
    """Of each fact of a set the messages that tell or correct it: their places, in order."""
    held: dict[str, list[int]] = {}
    for n, m in enumerate(one["message"]):
        for fact in {m.get("fact"), m.get("corrects")} - {None}:
            held.setdefault(str(fact), []).append(n)
    return held


def _conversation(
    name: str, dataset: str, told: dict[str, Memo], asked: Iterator[tuple[str, str, set[str]]]
) -> LabConversation:
    places = {key: n for n, key in enumerate(told)}
    questions = (
        LabQuestion(text, kind, frozenset(places[key] for key in keys & places.keys()))
        for text, kind, keys in asked
    )
    return LabConversation(
        name, dataset, tuple(told.values()), tuple(q for q in questions if q.gold)
    )


def _moment(text: str) -> datetime | None:
    for shape, how in DATES:
        found = shape.search(text)
        if found:
            return datetime.strptime(found[0].replace(",", ""), how).replace(hour=12)  # noqa: DTZ007 - in the author's zone
    return None
