"""What every step knows: what set the turn off, the moment, evidence, a draft; and what a slot is.

A slot is what one step writes, a frozen type of its own with a default for every field; it is
defined beside its step. What a slot tells the runner, it tells by the methods below: the runner
knows none by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from lumen.core.chance import Draw
from lumen.core.clock import Now
from lumen.core.data import Change, Entry, Memory, SelfItem
from lumen.core.exposure import Cite, Plain, Quote
from lumen.core.payloads import CyclePayload
from lumen.core.settings import Settings
from lumen.kernel.identity.digest import Self as Self
from lumen.kernel.reflection.triggers import Thresholds

Slots = Mapping[type, Any]  # what each step of a turn wrote, and what it was given, by its type


@dataclass(frozen=True, slots=True)
class Stimulus:
    """What set the turn off: already archived, so it cannot be lost."""

    text: str
    seq: int
    session_key: str
    private: bool = False
    goal: SelfItem | None = None  # what is pursued unasked; nothing: the author spoke
    tries: int = 0  # how often in a row that goal was pursued in vain
    guest: bool = False  # it was said by somebody other than the author


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """The last turn of the same conversation, which the author's message closes; nothing: there is none."""

    asked: Memory | None = None
    reply: Memory | None = None
    kind: str = ""  # of the reply
    likely: float = 0.5  # how likely it was, when it was given, that the author takes it up


@dataclass(frozen=True, slots=True)
class Slot:
    """What a step writes; `changes` are proposals, carried out by the gate or refused."""

    changes: tuple[Change, ...] = ()

    speaks: ClassVar[bool] = False  # it may hold a reply: its beat is durable before it is shown

    def said(self) -> str:
        """One phrase for the kernel memory of the beat."""
        return ""

    def depth(self) -> str:
        """How deep the turn goes from here on; empty: as before."""
        return ""

    def uses(self) -> tuple[int, ...]:
        """The memories that were of use, which strengthens them."""
        return ()

    def reply(self) -> Entry | None:
        """The memory, among its changes, of what is said to the author."""
        return None

    def cycle(self, stimulus: Stimulus, slots: Slots) -> CyclePayload | None:
        """What the whole cycle came to, where this slot closes one: numbers for later ones to count."""
        return None


GIVEN: frozenset[type] = frozenset({Stimulus, OpenTurn, Self, Settings, Thresholds, Now, Draw})


@dataclass(frozen=True, slots=True)
class Draft:
    """One way of saying it. A grounded one is built by the kernel from evidence alone."""

    text: str
    kind: Plain[str]
    sources: Cite[tuple[int, ...]] = ()
    model: Quote[str] = ""
    private: Plain[bool] = False  # whoever wrote it was shown something private
    shown: Cite[tuple[int, ...]] = ()  # memories its writer had in view, used or not
    cut: Plain[int] = 0  # sentences that were taken out, as nothing supports them
    fallback: bool = (
        False  # it only says that it is not known: no answer where another may be given
    )
    characters: Plain[int] = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "characters", len(self.text))
