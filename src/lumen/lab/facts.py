"""Does it remember what it was told? 230 messages by a pipe, then 45 questions to a new process.

Thirty of the messages tell a fact, five later correct one. Thirty questions paraphrase the facts,
fifteen ask for what was never told. Everything runs through the real command line, on a being of
its own. `dev` and `dev2` were looked at while recall was built; of `held` only the totals were.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lumen.core.canon import JSON
from lumen.lab.command_line import conversation, new_being

FOLDER = Path(__file__).with_name("facts_data")
NOTHING_ASSERTED = ("not told me", "not sure you told me", "do not know", "don't know")


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question and what came back."""

    question: str
    reply: str
    right: bool
    corrected: bool = False
    told: bool = True


@dataclass(frozen=True, slots=True)
class Score:
    """What a run came to."""

    name: str
    asked: tuple[AskedQuestion, ...]

    def _count(self, *, told: bool, corrected: bool = False) -> tuple[int, int]:
        among = [a for a in self.asked if a.told is told and (a.corrected or not corrected)]
        return sum(a.right for a in among), len(among)

    def as_json(self) -> JSON:
        """The figures."""
        parts = {
            "told": self._count(told=True),
            "never_told": self._count(told=False),
            "corrected": self._count(told=True, corrected=True),
        }
        return {"set": self.name} | {k: {"right": n, "of": of} for k, (n, of) in parts.items()}

    def summary(self) -> str:
        """The figures in words."""
        found = self.as_json()
        return "\n".join(
            [
                f"set {self.name}",
                f"  answers that contain the fact        {_of(found['told'])}",
                f"  corrected facts that come back new   {_of(found['corrected'])}",
                f"  never told, and nothing asserted     {_of(found['never_told'])}",
            ]
        )

    def lines(self) -> Iterator[str]:
        """Every answer."""
        for a in self.asked:
            yield f"{'✓' if a.right else '✗'} {a.question}\n    {a.reply}"


def evaluate(
    which: str,
    *,
    model: str = "",
    messages: int | None = None,
    unknowns: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Score:
    """Run a set, or its first messages and the questions about them, through the command line.

    Raises:
        BadSetting: `model` names none.
    """
    data = read_set(which)
    never = data["unknown"][:unknowns]
    told = data["message"][:messages]
    known = {m["fact"] for m in told if "fact" in m}
    changed = {m["corrects"] for m in told if "corrects" in m}
    questions = [q for q in data["question"] if q["fact"] in known]
    with tempfile.TemporaryDirectory(prefix="lumen-facts-") as folder:
        being = new_being(Path(folder), model)
        progress(f"telling {len(told)} messages …")
        _chat(being, [" ".join(m["text"].split()) for m in told], progress)
        progress(f"asking {len(questions) + len(never)} questions …")
        asks = [q["ask"] for q in questions] + [u["ask"] for u in never]
        replies = _chat(being, asks, progress)
    asked = [
        _judge(q, reply, q["fact"] in changed) for q, reply in zip(questions, replies, strict=False)
    ]
    for unknown, reply in zip(never, replies[len(questions) :], strict=True):
        silent = any(mark in reply.lower() for mark in NOTHING_ASSERTED)
        asked.append(AskedQuestion(unknown["ask"], reply, silent, told=False))
    return Score(which, tuple(asked))


def read_set(which: str) -> dict[str, JSON]:
    """The messages, questions and unknowns of a set."""
    return tomllib.loads((FOLDER / f"{which}.toml").read_text("utf-8"))


def _judge(question: dict[str, JSON], reply: str, corrected: bool) -> AskedQuestion:
    """A corrected fact is right when the new value is said and no line says only the old one."""
    right = _says(reply, question["answer"])
    if corrected:
        stale = question.get("stale", [])
        right = right and not any(
            _says(line, stale) and not _says(line, question["answer"])
            for line in reply.splitlines()
        )
    elif "stale" in question:
        right = right or _says(reply, question["stale"])
    return AskedQuestion(question["ask"], reply, right, corrected)


def _says(text: str, values: Sequence[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(v)}(?!\w)", text, re.IGNORECASE) for v in values)


def _chat(being: Path, messages: Sequence[str], progress: Callable[[str], None]) -> list[str]:
    replies: list[str] = []
    with conversation(being) as say:
        for message in messages:
            replies.append(say(message))
            if len(replies) % 25 == 0:
                progress(f"  {len(replies)} of {len(messages)}")
    return replies


def _of(part: dict[str, int]) -> str:
    return f"{part['right']} of {part['of']}"
