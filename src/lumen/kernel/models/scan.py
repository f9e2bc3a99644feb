"""Finding models, assigning them to roles, and trying them out.

A model is assigned only when its substrate lists it or it answers a probe. Nothing is ever put in
the place of a model that is gone.
"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lumen.core.canon import sha256
from lumen.core.clock import Clock, stamp
from lumen.core.data import Change, kernel_entry
from lumen.core.errors import BadSetting, MindError, ModelGone, NoSubstrate
from lumen.core.payloads import CallPayload
from lumen.core.settings import BUILT_IN_EMBEDDERS
from lumen.core.stores import Store
from lumen.core.trust import LOWEST
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.setting_text import with_setting
from lumen.kernel.models.calls import Calls
from lumen.kernel.models.registry import Registry, noting
from lumen.mind.ask import Reach
from lumen.mind.built_in import built_in
from lumen.mind.endpoints import Endpoint
from lumen.mind.roles import EMBEDDER, ESCALATION, INNER, Assignment, open_substrate
from lumen.mind.substrate import ModelDescriptor

PROBE_TOKENS = 16
# Where each assignment stands in lumen.toml; the inner loop's has the name it is known by.
_PLACES = {
    INNER: ("kernel", "localModel"),
    EMBEDDER: ("embedder", "model"),
    ESCALATION: ("escalation", "model"),
}


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What a look at one substrate came to."""

    substrate: str
    models: tuple[ModelDescriptor, ...] = ()
    trouble: str = ""
    fix: str = ""


async def scan(endpoints: Mapping[str, Endpoint], notes: Path, clock: Clock) -> list[ScanResult]:
    """Ask every substrate at once what it has, and note it; one without a key is left out."""
    found = await asyncio.gather(*(_look(endpoint) for endpoint in endpoints.values()))
    now = stamp(clock.now())
    with noting(notes) as kept:
        for one in found:
            last = kept[-1]
            kept.append(
                last.missed(one.substrate, one.trouble, now)
                if one.trouble
                else last.saw(one.substrate, one.models, now)
            )
    return list(found)


async def _look(endpoint: Endpoint) -> ScanResult:
    if endpoint.wants_key and not endpoint.key:
        names = " or ".join(endpoint.key_names)
        return ScanResult(
            endpoint.id, trouble=f"no key ({names})", fix=f"lumen models key {endpoint.id}"
        )
    substrate = open_substrate(endpoint)
    try:
        return ScanResult(endpoint.id, tuple(await substrate.discover()))
    except MindError as error:
        return ScanResult(endpoint.id, trouble=error.what, fix=error.fix)
    finally:
        substrate.close()


async def ask_roles(
    assigned: Sequence[Assignment], endpoints: Mapping[str, Endpoint], notes: Registry
) -> dict[str, ScanResult]:
    """Ask now what each role is assigned to whether it is there; by role, trouble where it is not.

    Each server is asked once, all at the same time. A model that no server lists and that answered
    a probe before is taken to be there when its server is.
    """
    used = {a.substrate: endpoints[a.substrate] for a in assigned if a.substrate in endpoints}
    looks = await asyncio.gather(*(_look(endpoint) for endpoint in used.values()))
    found = dict(zip(used, looks, strict=True))
    return {a.role: await _stands(a, used.get(a.substrate), found, notes) for a in assigned}


async def _stands(
    assigned: Assignment,
    endpoint: Endpoint | None,
    found: Mapping[str, ScanResult],
    notes: Registry,
) -> ScanResult:
    name = assigned.substrate
    if endpoint is None:
        return ScanResult(name, trouble=f"{name} is no substrate", fix="lumen models list")
    looked = found[name]
    if looked.trouble:
        return replace(looked, fix=looked.fix or "lumen models scan")
    listed = tuple(m for m in looked.models if m.model_id == assigned.model_id)
    if listed or str(assigned) in notes.probed or str(assigned) in BUILT_IN_EMBEDDERS:
        return ScanResult(name, listed)
    if endpoint.kind == "scripted":  # its scripts are files, which nobody lists
        return await _described(endpoint, assigned)
    fix = f"lumen models list {name}"
    return ScanResult(name, trouble=f"{name} does not offer {assigned.model_id}", fix=fix)


async def _described(endpoint: Endpoint, assigned: Assignment) -> ScanResult:
    substrate = open_substrate(endpoint)
    try:
        return ScanResult(endpoint.id, (await substrate.describe(assigned.model_id),))
    except MindError as error:
        return ScanResult(endpoint.id, trouble=error.what, fix=error.fix or "lumen models list")
    finally:
        substrate.close()


async def find(reach: Reach, assignment: Assignment, calls: Calls) -> tuple[ModelDescriptor, str]:
    """The model an assignment names, and how it was found: listed, or by a probe.

    Raises:
        NoSubstrate: it is neither listed nor does it answer.
    """
    substrate = reach.substrate(assignment.substrate)
    listed = {m.model_id: m for m in await substrate.discover()}
    if assignment.model_id in listed:
        return listed[assignment.model_id], "listed"
    try:
        model = await _probed(reach, assignment, calls)
    except MindError as error:
        near = next(iter(difflib.get_close_matches(assignment.model_id, listed, 1, 0.5)), "")
        hint = f"lumen models set {assignment.role} {assignment.substrate}/{near}"
        raise NoSubstrate(
            f"{assignment} is not there: {assignment.substrate} does not list it, and it does not "
            f"answer ({error.what})",
            fix=hint if near else f"lumen models list {assignment.substrate}",
        ) from error
    return model, "answered a probe"


async def _probed(reach: Reach, assignment: Assignment, calls: Calls) -> ModelDescriptor:
    """Ask a model that is on no list for one word."""
    endpoint = reach.endpoints[assignment.substrate]
    if endpoint.kind in ("embedded", "scripted"):
        return await reach.substrate(assignment.substrate).describe(assignment.model_id)
    if assignment.role == EMBEDDER:
        raise ModelGone("an embedder must be listed")
    from lumen.mind.substrates.remote import unlisted

    model = unlisted(endpoint, assignment.model_id)
    alone = replace(
        reach, assignments={assignment.role: assignment}, known={str(assignment): model}
    )
    await replace(calls, reach=alone).ask(assignment.role, "probe", {}, PROBE_TOKENS)
    return model


def built_in_embedder() -> ModelDescriptor:
    """The embedder that is always there."""
    name, _ = built_in()
    return ModelDescriptor(
        substrate="embedded",
        model_id=name,
        display_name=name,
        context_tokens=256,
        tool_calling="none",
        vision=False,
        may=LOWEST,
        local=True,
        embeds=True,
    )


def must_suit(role: str, model: ModelDescriptor) -> None:
    """Refuse a model that a role may not have.

    Raises:
        BadSetting: the inner loop's model is not local, or it makes vectors where words are needed.
    """
    if role == INNER and not model.local:
        raise BadSetting(
            f"{model} is not on this machine: the loop that thinks when nobody speaks would send "
            "your life away unasked, and be billed for it",
            fix=f"lumen models set {INNER} embedded/SmolLM2-135M-Instruct   (or ollama/…, lmstudio/…)",
        )
    if role != EMBEDDER and model.embeds:
        raise BadSetting(
            f"{model} makes vectors, not words", fix=f"lumen models set {EMBEDDER} {model}"
        )


def assign(gate: Gate, assignment: Assignment, model: ModelDescriptor, how: str) -> None:
    """Write an assignment into lumen.toml, through the gate."""
    settings = gate.being.settings
    raw = settings.read_bytes()
    table, key = _PLACES.get(assignment.role, ("roles", assignment.role))
    text = with_setting(raw.decode(), table, key, str(assignment))
    entry = kernel_entry(
        "assigned",
        f"The author assigned {assignment.role} to {assignment}.",
        "lumen:author",
        {
            "role": assignment.role,
            "model": str(assignment),
            "found": how,
            "context_tokens": model.context_tokens,
            "local": model.local,
            "may": list(model.may),
        },
    )
    change = Change(Store.SETTINGS, "set", text, base=sha256(raw))
    gate.commit("author", [change], entry, durable=True, sign=True)


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What asking a model for something came to, and what it took."""

    what: str
    ok: bool
    took: str
    said: str
    fix: str = ""


async def try_out(calls: Calls, role: str) -> list[ProbeResult]:
    """Ask the model of a role for a word, then for JSON: what each came to."""
    from lumen.kernel.models.outputs import Probe

    results: list[ProbeResult] = []
    for what in ("words", "json"):
        made = len(calls.told)
        try:
            if what == "words":
                _, answer = await calls.ask(role, "probe", {}, PROBE_TOKENS)
                said = answer.text.strip()
            else:
                wanted = await calls.ask_for(Probe, role, "probe", {}, 4 * PROBE_TOKENS)
                said = wanted.model_dump_json()
        except MindError as error:
            told = f"{error.what} ({error.detail})" if error.detail else error.what
            results.append(ProbeResult(what, False, _took(calls.told[made:]), told, error.fix))
        else:
            results.append(ProbeResult(what, True, _took(calls.told[made:]), said))
    return results


def _took(made: Sequence[CallPayload]) -> str:
    """How long the last of some calls took, and how many tokens."""
    if not made:
        return "0.0 s"
    numbers = [made[-1].get("prompt_tokens"), made[-1].get("completion_tokens")]
    tokens = " + ".join(str(n) for n in numbers if n is not None)
    return f"{made[-1].get('seconds', 0):.1f} s" + (f" · {tokens} tokens" if tokens else "")
