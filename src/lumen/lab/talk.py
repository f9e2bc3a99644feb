"""Is it worth talking to? Everyday conversations with new beings, each reply graded by a line of data.

One being a conversation, opened as any program opens one, with a clock that stands where the scene says. Of the
held half only totals are told, so that nobody mends a reply of it by its words.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lumen.app.being import AsyncBeing, Door, create
from lumen.app.opened import kernel_of
from lumen.core.clock import SystemClock
from lumen.core.trust import Ability
from lumen.lab.command_line import give_model, own_host
from lumen.lab.talk_data import Conversation, Message, conversations
from lumen.lab.talk_grade import Grade, Heard, grade
from lumen.lab.talk_report import Replied, TalkScore
from lumen.lab.talk_words import words_of
from lumen.mind.roles import parse_assignment

Tell = Callable[[str], None]
BY_CODE = ("kernel", "grounded")  # kinds of draft that no model wrote
BREATH = timedelta(milliseconds=1)


@dataclass(slots=True)
class SceneClock(SystemClock):
    """A clock that stands where it is set; each look moves it on by a breath, so that no two moments are one."""

    at: datetime

    def now(self) -> datetime:
        """The moment of the scene."""
        self.at += BREATH
        return self.at.astimezone(UTC)


def evaluate(
    which: str,
    *,
    model: str = "",
    scenes: Sequence[str] = (),
    progress: Tell = lambda _: None,
) -> TalkScore:
    """Hold the conversations of a set, or those of some scenes.

    Raises:
        BadSetting: `model` names none.
        UsageError: there is no such set or scene.
    """
    if model:
        parse_assignment("interface", model)
    held = conversations(which, scenes)
    with tempfile.TemporaryDirectory(prefix="lumen-talk-") as folder, own_host(Path(folder)):
        return asyncio.run(_held(which, held, Path(folder), model, progress))


async def _held(
    which: str, held: Sequence[Conversation], folder: Path, model: str, progress: Tell
) -> TalkScore:
    """Hold conversations one after another, each with a being of its own in a folder."""
    replied: list[Replied] = []
    name, trusted = model, False
    for number, one in enumerate(held, 1):
        progress(f"{number} of {len(held)}: {one.scene}, {one.language}")
        clock = SceneClock(one.begins.replace(tzinfo=UTC))
        being = create(folder / f"being{number}", clock)
        if model:
            give_model(being, model)
        async with Door(being, clock) as opened:
            name = opened.status().model
            trusted = trusted or await _may(opened, "en")
            replied += await _talk(opened, one, clock)
    return TalkScore(which, name, trusted, tuple(replied))


async def _talk(being: AsyncBeing, one: Conversation, clock: SceneClock) -> list[Replied]:
    """Say every message, at its time, and grade what comes back."""
    zone = kernel_of(being).now().zone
    clock.at = one.begins.replace(tzinfo=zone)
    trusted, words = await _may(being, one.language), words_of(one.language)
    replied: list[Replied] = []
    said: list[str] = []
    part = 1
    for message in one.messages:
        clock.at += message.after
        part += message.new
        said.append(message.say)
        at = clock.at
        came = await being.say(message.say, conversation=f"part {part}")
        heard = Heard(tuple(said), at, words, trusted, by_code=came.kind in BY_CODE)
        graded = grade(message, came.text, heard)
        replied.append(_replied(one, message, graded, came.text, came.kind))
        said.append(came.text)
    return replied


def _replied(one: Conversation, message: Message, graded: Grade, reply: str, by: str) -> Replied:
    return Replied(one.scene, one.language, one.half, message.say, reply, by, graded)


async def _may(being: AsyncBeing, language: str) -> bool:
    """Whether its model is trusted with the world, in a language."""
    model = await kernel_of(being).reach.model("interface")
    return Ability.WORLD in model.may and model.speaks(language)
