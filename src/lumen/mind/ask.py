"""The one way to a model: a role and a step become a prompt, and a prompt one call.

No history, no retries, no other model when the assigned one fails: whoever asks decides that.
Between `prepare` and `send` stands whoever must agree to what is about to leave.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from lumen.core.canon import JSON
from lumen.core.clock import Clock
from lumen.core.errors import BadSetting, NoSubstrate
from lumen.core.trust import Trust
from lumen.mind.endpoints import BUILT_IN, Endpoint
from lumen.mind.render import Filling, find, render, render_turns
from lumen.mind.roles import Assignment, open_substrate
from lumen.mind.substrate import (
    LONGEST_TOKEN,
    Completion,
    ModelDescriptor,
    OnText,
    Prompt,
    Request,
    Substrate,
)


@dataclass(frozen=True, slots=True)
class Reach:
    """Which models can be asked, and with which words.

    `folders` hold templates, the being's own before the shipped. `known` are models from an
    earlier look, by substrate/model: with them, no substrate is asked what it has before a call.
    `trusted` is what models were measured to be able to do, by key; of others their substrate says it.
    Substrates are opened when first needed; one put into `opened` beforehand is used as it is.
    """

    assignments: Mapping[str, Assignment]
    folders: tuple[Path, ...]
    clock: Clock
    endpoints: Mapping[str, Endpoint] = field(default_factory=lambda: BUILT_IN)
    known: Mapping[str, ModelDescriptor] = field(default_factory=dict)
    opened: dict[str, Substrate] = field(default_factory=dict)
    trusted: Mapping[str, Trust] = field(default_factory=dict)

    def assigned(self, role: str) -> Assignment:
        """Which model serves a role."""
        assignment = self.assignments.get(role)
        if assignment is None:
            raise BadSetting(
                f"no model is assigned to the role {role}",
                fix=f"lumen models set {role} embedded/SmolLM2-135M-Instruct",
            )
        return assignment

    def substrate(self, substrate_id: str) -> Substrate:
        """An open substrate."""
        if substrate_id not in self.opened:
            endpoint = self.endpoints.get(substrate_id)
            if endpoint is None:
                raise NoSubstrate(
                    f"{substrate_id!r} is no substrate",
                    fix=f"the substrates are {', '.join(self.endpoints)}",
                )
            known = [m for m in self.known.values() if m.substrate == substrate_id]
            self.opened[substrate_id] = open_substrate(endpoint, known)
        return self.opened[substrate_id]

    async def model(self, role: str) -> ModelDescriptor:
        """What serves a role: ask it for `local` before it is shown anything private."""
        assignment = self.assigned(role)
        known = self.known.get(str(assignment))
        if (
            known is None or known.substrate == "embedded"
        ):  # what is in this process is asked itself
            known = await self.substrate(assignment.substrate).describe(assignment.model_id)
        return replace(known, may=self.trusted.get(known.key, known.may))

    def close(self) -> None:
        """Close every substrate that was opened."""
        while self.opened:
            _, substrate = self.opened.popitem()
            substrate.close()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call that could be made: which model would be shown what, from which templates."""

    role: str
    step: str
    model: ModelDescriptor
    prompt: Prompt
    templates: tuple[tuple[str, str], ...] = ()


async def prepare(
    reach: Reach, role: str, step: str, slots: Mapping[str, object], prompt: Prompt
) -> Prepared:
    """Render a step's templates for the model of a role.

    `prompt` holds the limits, and in `system` the digest, which comes first whatever the step.
    """
    model = await reach.model(role)
    filling = Filling(slots)
    _, own = find(reach.folders, step, "system", small=model.small)  # a step may do with the digest
    system = render(reach.folders, step, "system", filling, small=model.small) if own else None
    turns, shown = render_turns(reach.folders, step, filling, small=model.small)
    user = render(reach.folders, step, "prompt", filling, small=model.small)
    used = [template for template in (system, shown, user) if template]
    whole = "\n\n".join(filter(None, (prompt.system, system.text if system else "")))
    return Prepared(
        role=role,
        step=step,
        model=model,
        prompt=replace(prompt, system=whole, user=user.text, turns=turns),
        templates=tuple((template.name, template.sha256) for template in used),
    )


def leaving(reach: Reach, call: Prepared) -> Request | None:
    """What a call would send, to the byte; nothing where it stays in this process."""
    return reach.substrate(call.model.substrate).request(call.model.model_id, call.prompt)


async def send(reach: Reach, call: Prepared, on_text: OnText | None = None) -> Completion:
    """Make a call, once.

    Raises:
        MindError: there is no answer; the type says why.
    """
    substrate = reach.substrate(call.model.substrate)
    started = reach.clock.tick()
    said = await substrate.invoke(call.model.model_id, call.prompt, on_text)
    most = call.prompt.max_tokens * LONGEST_TOKEN  # else the archive would swell
    return replace(
        said,
        text=said.text[:most],
        finish=said.finish if len(said.text) <= most else "length",
        seconds=reach.clock.tick() - started,
        copied=said.text.strip()
        in {call.prompt.user.strip(), *(turn.reply for turn in call.prompt.turns)},
    )


def schema_of(output: type) -> JSON:
    """The JSON schema of a pydantic model, as servers take it."""
    from pydantic import TypeAdapter

    return TypeAdapter(output).json_schema()
