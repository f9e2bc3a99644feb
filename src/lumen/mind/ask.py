"""The one way to a model: a role and a step in, one call, an answer with its trace out.

No history, no retries, no other model when the assigned one fails: whoever asks decides that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lumen.core.clock import Clock
from lumen.core.errors import BadSetting
from lumen.mind.render import render, render_turns
from lumen.mind.roles import Assignment, open_substrate
from lumen.mind.substrate import ModelDescriptor, OnText, Prompt, Substrate


@dataclass(frozen=True, slots=True)
class Reach:
    """Which models can be asked, and with which words.

    `folders` hold templates, the being's own before the shipped. Substrates are opened when first
    needed; one put into `opened` beforehand is used as it is.
    """

    assignments: Mapping[str, Assignment]
    folders: tuple[Path, ...]
    clock: Clock
    opened: dict[str, Substrate] = field(default_factory=dict)

    def substrate(self, role: str) -> tuple[Substrate, Assignment]:
        """The open substrate that serves a role."""
        assignment = self.assignments.get(role)
        if assignment is None:
            raise BadSetting(
                f"no model is assigned to the role {role}",
                fix=f'add {role} = "embedded/SmolLM2-135M-Instruct" under [roles] in lumen.toml',
            )
        if assignment.substrate not in self.opened:
            self.opened[assignment.substrate] = open_substrate(assignment.substrate)
        return self.opened[assignment.substrate], assignment

    async def model(self, role: str) -> ModelDescriptor:
        """What serves a role: ask it for `local` before it is shown anything private."""
        substrate, assignment = self.substrate(role)
        return await substrate.describe(assignment.model_id)

    def close(self) -> None:
        """Close every substrate that was opened."""
        while self.opened:
            _, substrate = self.opened.popitem()
            substrate.close()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, from which model, made with which templates."""

    text: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    seconds: float
    finish: str
    copied: bool  # it only said the reply of an example again
    templates: tuple[tuple[str, str], ...]


async def ask(  # noqa: PLR0913 - everything that shapes an answer is named at the call
    reach: Reach,
    role: str,
    step: str,
    slots: Mapping[str, object],
    *,
    digest: str,
    max_tokens: int,
    temperature: float = 0.0,
    seed: int = 0,
    on_text: OnText | None = None,
) -> Answer:
    """Ask the model of a role once. The digest opens the system message, whatever the step."""
    substrate, assignment = reach.substrate(role)
    model = await substrate.describe(assignment.model_id)
    system = render(reach.folders, step, "system", slots, small=model.small)
    turns, shown = render_turns(reach.folders, step, slots, small=model.small)
    prompt = render(reach.folders, step, "prompt", slots, small=model.small)
    used = [system, prompt] if shown is None else [system, shown, prompt]
    started = reach.clock.tick()
    completion = await substrate.invoke(
        assignment.model_id,
        Prompt(
            system=f"{digest}\n\n{system.text}",
            user=prompt.text,
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
            turns=turns,
        ),
        on_text,
    )
    return Answer(
        text=completion.text,
        model=str(assignment),
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        cached_tokens=completion.cached_tokens,
        seconds=reach.clock.tick() - started,
        finish=completion.finish,
        copied=completion.text.strip() in {turn.reply for turn in turns},
        templates=tuple((template.name, template.sha256) for template in used),
    )
