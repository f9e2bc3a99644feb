"""What the author may mount beside a being: a lexicon of its own, a memory elsewhere, a body.

Each is an object that another package offers; without one the being goes by what it has itself. What a mount
says is a tool's word: it enters prompts as marked data, is no evidence, and changes nothing. One that fails is
told of once and left out. How mounts are found is in app/mounting.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Thread
from typing import Protocol, TypeVar

from lumen.core.canon import clean

LEXICON, MEMORY, BODY = "identity_lexicon", "memory_backend", "virtual_body"
HELD = {LEXICON: "lexicon", MEMORY: "memory", BODY: "body"}  # where each is held
SECONDS = 1.0  # what one answer of a mount may take
MOST_LINES, LONGEST_LINE = 5, 200  # of what one says
FALLBACKS = {
    LEXICON: "its own words hold",
    MEMORY: "its own memory holds",
    BODY: "it senses nothing",
}
T = TypeVar("T")


class IdentityLexicon(Protocol):
    """Terms that belong to a being, and what each means."""

    def terms(self) -> Mapping[str, str]:
        """All of them."""
        ...


class MemoryBackend(Protocol):
    """A memory kept elsewhere, beside the archive and never instead of it."""

    def keep(self, text: str, at: str) -> None:
        """Keep what the author said, at a moment in UTC; what is private is not given."""
        ...

    def search(self, question: str, most: int) -> Sequence[str]:
        """What bears on a question."""
        ...


class VirtualBody(Protocol):
    """Senses of whatever kind."""

    def sense(self) -> str:
        """What is sensed now, in words."""
        ...


class MountFailed(Exception):
    """A mount gave no answer, for a reason."""


@dataclass(slots=True)
class Mounts:
    """What is mounted beside one being, as long as it works."""

    lexicon: IdentityLexicon | None = None
    memory: MemoryBackend | None = None
    body: VirtualBody | None = None
    failed: list[str] = field(default_factory=list)  # what to tell the author, once each

    def says(self, question: str, at: str, *, private: bool) -> str:
        """What the mounts say to a message, a line each; the message is given to none if it is private."""
        lines = [*self._terms(), *self._sensed()]
        if question and not private:
            lines += self._remembered(question, at)
        return "\n".join(lines)

    def put(self, kind: str, mount: object) -> None:
        """Mount something that has what its kind needs; nothing: take it down."""
        setattr(self, HELD[kind], mount)

    def _terms(self) -> Iterator[str]:
        if (lexicon := self.lexicon) is None:
            return
        nothing: dict[str, str] = {}
        found = self._asked(LEXICON, lambda: dict(lexicon.terms()), nothing)
        for term, meaning in list(found.items())[:MOST_LINES]:
            yield _line(f"{term}: {meaning}")

    def _sensed(self) -> Iterator[str]:
        if (body := self.body) is None:
            return
        if sensed := self._asked(BODY, lambda: str(body.sense()), ""):
            yield _line(f"sensed: {sensed}")

    def _remembered(self, question: str, at: str) -> Iterator[str]:
        if (memory := self.memory) is None:
            return
        nothing: list[str] = []
        found = self._asked(MEMORY, lambda: list(memory.search(question, MOST_LINES)), nothing)
        self._asked(MEMORY, lambda: memory.keep(question, at), None)
        for text in found[:MOST_LINES]:
            yield _line(f"remembered elsewhere: {text}")

    def _asked(self, kind: str, ask: Callable[[], T], without: T) -> T:
        """What a mount answers; one that fails is taken down, and what there is without it holds."""
        try:
            return _in_time(ask)
        except MountFailed as failure:
            self.take_down(kind, str(failure))
            return without

    def take_down(self, kind: str, why: str) -> None:
        """Go on without a mount, and have the author told."""
        self.put(kind, None)
        self.failed.append(f"The mount {kind} does not work ({why}): {FALLBACKS[kind]}.")


def _in_time(ask: Callable[[], T]) -> T:
    """The answer of somebody else's code, if it comes in time."""
    answers: list[T] = []
    errors: list[str] = []

    def run() -> None:
        try:
            answers.append(ask())
        except Exception as error:  # noqa: BLE001 - whatever it is, the turn goes on
            errors.append(f"{type(error).__name__}: {error}")

    thread = Thread(target=run, daemon=True)  # one that hangs must not keep the process
    thread.start()
    thread.join(SECONDS)
    if not answers:
        raise MountFailed(errors[0] if errors else f"no answer within {SECONDS:g} s")
    return answers[0]


def _line(text: str) -> str:
    """A text on one line, and not a long one."""
    return " ".join(clean(text).split())[:LONGEST_LINE]
