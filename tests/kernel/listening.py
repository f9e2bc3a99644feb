"""A model for tests that keeps every prompt it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lumen.core.trust import FULL, LOWEST
from lumen.mind.substrate import Completion, Health, ModelDescriptor, OnText, Prompt


def nothing(_: object) -> None:
    """Take no notice."""


@dataclass(slots=True)
class Listener:
    """A model that keeps every prompt it is shown and says one thing."""

    answer: str
    small: bool
    heard: Callable[[Prompt], None]
    local: bool = True
    prompts: list[Prompt] = field(default_factory=list)
    id: str = "listener"

    async def health(self) -> Health:
        """Always well."""
        return Health(ok=True, detail="listens")

    async def discover(self) -> list[ModelDescriptor]:
        """The one it is."""
        return [await self.describe("ear")]

    async def describe(self, model_id: str) -> ModelDescriptor:
        """Whatever it is called."""
        return ModelDescriptor(
            substrate=self.id,
            model_id=model_id,
            display_name="a listener",
            context_tokens=None,
            tool_calling="none",
            vision=False,
            may=LOWEST if self.small else FULL,
            local=self.local,
        )

    def request(self, model_id: str, prompt: Prompt) -> None:
        """Nothing leaves."""

    async def invoke(
        self, model_id: str, prompt: Prompt, on_text: OnText | None = None
    ) -> Completion:
        """Keep the prompt; answer without regard for it, or for any limit."""
        self.prompts.append(prompt)
        self.heard(prompt)
        if on_text:
            on_text(self.answer)
        return Completion(self.answer, 0, 0, 0, "stop")

    def close(self) -> None:
        """Nothing is held."""

    def shown(self) -> str:
        """All it was ever shown, in one text."""
        parts = [[p.system, p.user, *(t.said + t.reply for t in p.turns)] for p in self.prompts]
        return "\n".join(text for part in parts for text in part)
