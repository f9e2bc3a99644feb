"""What the runner may hand to a step: the world as far as a step may reach it, as Protocols.

A step names in its signature what it needs; what stands behind each is in turn/recorded.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from lumen.core.canon import JSON
from lumen.core.trust import Ability
from lumen.kernel.choice.tools import InstalledTool
from lumen.kernel.contour.state import State
from lumen.kernel.identity.biography import Biography
from lumen.kernel.recall.evidence import Recall
from lumen.kernel.reflection.evolve import Experience, Gap

Output = TypeVar("Output")


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model said, and whether it is a small one, whose inventions need more care."""

    text: str
    model: str
    small: bool
    copied: bool = False  # it only said an example of its prompt again, or a sentence of its own
    private: bool = False  # it was shown something private


class Mind(Protocol):
    """The model that the interface role is assigned to."""

    async def ask(self, step: str, slots: dict[str, JSON], max_tokens: int) -> ModelReply:
        """Render the step's templates, have the model answer, return the words.

        What comes from a memory is given as Recalled. `max_tokens` is meant for a small model.
        """
        ...

    async def may(self, ability: Ability, role: str) -> bool:
        """Whether a model that is trusted with something is assigned to a role, and is there."""
        ...

    async def runs_here(self) -> bool:
        """Whether the interface model runs in this process, where each call is waited for in full."""
        ...

    async def speaks(self, language: str) -> bool:
        """Whether its words may be heard in a language; one that cannot be looked at says why when asked."""
        ...

    async def ask_for(
        self,
        output: type[Output],
        role: str,
        step: str,
        slots: dict[str, JSON],
        max_tokens: int,
    ) -> Output:
        """The same for a value of a type, from the model of another role."""
        ...


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a skill's run."""

    ok: bool
    output: JSON
    error: str


class Hands(Protocol):
    """The skills, run as separate programs; every call is archived."""

    async def use(self, skill: str, action: str, given: JSON, *, private: bool = False) -> Done:
        """Run a skill once."""
        ...

    def can(self, skill: str) -> bool:
        """Whether the skill exists."""
        ...

    def likely(self, skill: str) -> float:
        """How likely it succeeds, by what came of it before."""
        ...

    def brought(self, skill: str, goal: str) -> bool:
        """Whether it has brought something for a goal before."""
        ...

    def holds(self, skill: str, path: str) -> bool:
        """Whether a file that the skill may write is there, with something in it."""
        ...

    def forbidden(self, skill: str, *, private: bool = False) -> str:
        """Why it may not be used unasked; empty when it may."""
        ...

    def known(self) -> tuple[str, ...]:
        """The skills there are beside the shipped ones, in their own words."""
        ...

    async def tools(self) -> tuple[InstalledTool, ...]:
        """The same skills as they can be called: by their own example, with what their `--help` says."""
        ...

    async def create(self, name: str, files: dict[str, str], by: str) -> Done:
        """Make a skill of what a model wrote; it is tried out first, and archived."""
        ...


class Unknowns(Protocol):
    """What is not known and might matter; for the explore loop."""

    def gaps(self) -> Iterator[Gap]:
        """Real gaps, those the author cares about first; each is looked for when asked for."""
        ...

    def asked(self) -> tuple[str, ...]:
        """What was wondered about lately."""
        ...


class Past(Protocol):
    """The experience since the last reflection; for the reflection loop. Never a kernel memory."""

    def experience(self) -> Experience:
        """All of it."""
        ...


CAPABILITIES: frozenset[type] = frozenset({Recall, Biography, Mind, Hands, State, Unknowns, Past})
