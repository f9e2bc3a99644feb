"""What the embedded model said to the prompts of these tests, so that they need not wait for it.

The same prompt has the same answer on whatever day it names, and what was not asked before is asked of
the model itself: a stale record makes a test slow, not wrong. `--deep` asks for everything anew,
`--record` keeps what was not kept yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from lumen.core.canon import JSON, dumps, loads
from lumen.mind.substrate import Completion, Exchange, OnText, Prompt
from lumen.mind.substrates.embedded import Embedded

DAY = re.compile(rb"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day \d{1,2} [A-Z][a-z]+\b")
KEPT = Path(__file__).with_name("recorded.jsonl")


@dataclass(frozen=True, slots=True)
class Answer:
    """A prompt and what was said to it."""

    prompt: Prompt
    said: Completion

    def line(self) -> bytes:
        """As it is kept: what is not as usual."""
        return dumps({"asked": _unusual(self.prompt), "said": _unusual(self.said)})


def read(path: Path = KEPT) -> dict[bytes, Answer]:
    """Every answer that is kept."""
    kept = path.read_bytes().splitlines() if path.exists() else []
    return {_key(answer.prompt): answer for answer in map(_parsed, kept)}


def write(answers: Iterable[Answer], path: Path = KEPT) -> None:
    """Keep these, in an order that does not depend on who asked first."""
    path.write_bytes(b"\n".join(sorted(answer.line() for answer in answers)) + b"\n")


@contextmanager
def answering(known: dict[bytes, Answer]) -> Iterator[None]:
    """Let the embedded model say again what it said; what it says that is new is added."""
    real = Embedded.invoke

    async def invoke(
        self: Embedded, model_id: str, prompt: Prompt, on_text: OnText | None = None
    ) -> Completion:
        answer = known.get(_key(prompt))
        if answer is None:
            said = await real(self, model_id, prompt, on_text)
            if not DAY.search(said.text.encode()):
                known[_key(prompt)] = Answer(prompt, said)
            return said
        await self.describe(model_id)
        if on_text is not None:
            on_text(answer.said.text)
        return answer.said

    Embedded.invoke = invoke  # type: ignore[method-assign] # its weights are what is spared
    try:
        yield
    finally:
        Embedded.invoke = real  # type: ignore[method-assign]


def _key(prompt: Prompt) -> bytes:
    return DAY.sub(b"a day", dumps(asdict(prompt)))


def _unusual(told: Prompt | Completion) -> dict[str, JSON]:
    usual = {field.name: field.default for field in fields(told)}
    return {name: value for name, value in asdict(told).items() if value != usual[name]}


def _parsed(line: bytes) -> Answer:
    told: JSON = loads(line)
    asked = told["asked"]
    asked["turns"] = tuple(Exchange(**turn) for turn in asked.get("turns", ()))
    asked["stop"] = tuple(asked.get("stop", ()))
    return Answer(Prompt(**asked), Completion(**told["said"]))
