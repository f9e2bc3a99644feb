"""Which models there are, which serves which role, and whether they answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lumen.app.reach import all_assignments, endpoints_of, models_folder, notes_file, trust_file
from lumen.app.settings import Settings, must_be, zone
from lumen.app.words import short_time
from lumen.core.clock import Clock, stamp
from lumen.core.errors import MindError, UsageError
from lumen.core.settings import BUILT_IN_EMBEDDER, BUILT_IN_EMBEDDERS, BUILT_IN_MODEL
from lumen.kernel.models.registry import Registry, load, noting
from lumen.mind.endpoints import Endpoint
from lumen.mind.in_process import WEIGHTS, in_process
from lumen.mind.roles import ASSIGNABLE, ESCALATION, INNER, Assignment, parse_assignment
from lumen.mind.roles import EMBEDDER as EMBEDDER
from lumen.mind.substrate import ModelDescriptor as ModelDescriptor

if TYPE_CHECKING:
    from lumen.app.trust import TrustAnswer
    from lumen.kernel.models.scan import ProbeResult, ScanResult
    from lumen.kernel.turn.run import Kernel

ROLES = tuple(ASSIGNABLE)
NEEDED = ("interface", INNER)
TALKING_ROLES = tuple(role for role in ASSIGNABLE if role != EMBEDDER)


@dataclass(frozen=True, slots=True)
class RoleState:
    """A role and its model; `checked` None: nobody was asked whether it is there."""

    role: str
    model: str
    state: str
    context_tokens: int | None
    last_seen: str | None
    checked: bool | None = None
    fix: str = ""


@dataclass(frozen=True, slots=True)
class SubstrateState:
    """A substrate: where models are served, and how it stood when it was last looked at."""

    substrate: str
    kind: str
    url: str
    local: bool
    key: bool
    state: str


@dataclass(frozen=True, slots=True)
class Models:
    """The roles with their models, and the substrates that serve any."""

    roles: tuple[RoleState, ...]
    substrates: tuple[SubstrateState, ...]

    @property
    def ok(self) -> bool:
        """Whether none was asked for in vain."""
        return all(role.checked is not False for role in self.roles)


@dataclass(frozen=True, slots=True)
class TriedModel:
    """What the model of a role made of being asked for a word and for JSON."""

    ok: bool
    role: str
    calls: tuple[ProbeResult, ...]


@dataclass(frozen=True, slots=True)
class Assigned:
    """A model that serves a role from now on; `found` says how it was found to be there."""

    role: str
    model: str
    found: str
    local: bool
    may: tuple[str, ...] = ()  # what it is trusted with


@dataclass(frozen=True, slots=True)
class Scanned:
    """What every substrate said that it has, and how the roles stand by that."""

    substrates: tuple[ScanResult, ...]
    roles: tuple[RoleState, ...]


def models_of(settings: Settings) -> Models:
    """The roles and the substrates, without asking anybody."""
    reachable, notes = endpoints_of(settings), load(notes_file())
    return Models(
        _roles(settings, reachable, notes),
        tuple(_place(e, notes, settings) for e in reachable.values() if e.kind != "scripted"),
    )


def _roles(
    settings: Settings, reachable: Mapping[str, Endpoint], notes: Registry
) -> tuple[RoleState, ...]:
    return tuple(_role(a, notes, reachable, settings) for a in all_assignments(settings).values())


async def checked(settings: Settings) -> Models:
    """The same, with what came of asking for each role's model just now."""
    from lumen.kernel.models.scan import ask_roles

    reachable, notes = endpoints_of(settings), load(notes_file())
    known = models_of(settings)
    found = await ask_roles(list(all_assignments(settings).values()), reachable, notes)
    told = [(role, found[role.role]) for role in known.roles]
    roles = tuple(
        replace(
            role,
            state=f"down: {asked.trouble}" if asked.trouble else "ok, just asked",
            checked=not asked.trouble,
            fix=asked.fix,
        )
        for role, asked in told
    )
    return Models(roles, known.substrates)


def known_substrate(settings: Settings, name: str) -> Endpoint:
    """A substrate by its name.

    Raises:
        UsageError: there is none of that name.
    """
    reachable = endpoints_of(settings)
    if name not in reachable:
        known = ", ".join(e.id for e in reachable.values() if e.kind != "scripted")
        raise UsageError(f"{name!r} is no substrate", fix=f"the substrates are {known}")
    return reachable[name]


def seen_at(settings: Settings, substrate: str) -> tuple[ModelDescriptor, ...]:
    """Every model that was seen at a substrate."""
    endpoint = known_substrate(settings, substrate)
    if endpoint.kind == "embedded":
        from lumen.kernel.models.trust import trusted

        may = trusted(trust_file())
        return tuple(replace(m, may=may.get(m.key, m.may)) for m in in_process(models_folder()))
    return tuple(load(notes_file()).of(endpoint.id))


def asked_substrates(settings: Settings) -> tuple[str, ...]:
    """Whom a scan asks."""
    return tuple(n for n, e in endpoints_of(settings).items() if e.kind != "scripted")


async def scan(settings: Settings, clock: Clock) -> Scanned:
    """Ask every substrate which models it has; what is seen is noted for this host."""
    from lumen.kernel.models.scan import scan as look

    reachable = {n: e for n, e in endpoints_of(settings).items() if e.kind != "scripted"}
    found = await look(reachable, notes_file(), clock)
    return Scanned(tuple(found), _roles(settings, reachable, load(notes_file())))


@dataclass(frozen=True, slots=True)
class Suited:
    """A model that was found, just now, to be there and to suit a role."""

    assignment: Assignment
    model: ModelDescriptor
    found: str


async def find_model(
    kernel: Kernel,
    settings: Settings,
    role: str,
    model: str,
    tell: Callable[[TrustAnswer], None] | None = lambda _: None,
) -> Suited:
    """See that a model can serve a role; it must be listed, or answer.

    A file that nothing is known of is measured, for two minutes at most; `tell` hears how it does, and
    without it nothing is measured: what is not known to be able to do more may only phrase.

    Raises:
        UsageError: it cannot serve that role, or is not there.
    """
    from lumen.app.wiring import makes_vectors
    from lumen.kernel.models.scan import built_in_embedder, find, must_suit
    from lumen.kernel.turn.run import calls_for

    assignment = must_be_assignable(settings, role, model)
    calls = calls_for(kernel, "lumen:author")
    try:
        if str(assignment) in BUILT_IN_EMBEDDERS and role == EMBEDDER:
            found, how = built_in_embedder(), "built in"
        else:
            found, how = await find(kernel.reach, assignment, calls)
        must_suit(role, found)
        if role == EMBEDDER:
            makes_vectors(kernel, replace(settings, embedder=str(assignment)))
    except MindError as error:
        raise UsageError(error.what, fix=error.fix) from error
    finally:
        calls.settle()
    if role != EMBEDDER and found.sha256 not in ("", WEIGHTS.sha256):
        from lumen.app.trust import known_or_measured

        found = replace(found, may=await known_or_measured(kernel, assignment, found, tell))
    return Suited(assignment, found, how)


def assign_model(kernel: Kernel, suited: Suited) -> Assigned:
    """Let a model that was found serve its role from now on."""
    from lumen.kernel.models.scan import assign

    model, how = suited.model, suited.found
    if how != "built in" and model.substrate not in ("embedded", "scripted"):
        _note_seen(model, kernel.clock, listed=how == "listed")
    assign(kernel.gate, suited.assignment, model, how)
    return Assigned(
        suited.assignment.role, str(suited.assignment), how, model.local, tuple(model.may)
    )


def speak_with(kernel: Kernel, model: str) -> None:
    """Let an open being speak with a model until it is closed; empty: with its own.

    Raises:
        UsageError: it names no model that could be assigned.
    """
    if model:
        assigned = speaker(must_be(kernel.being), model)
        speaks = {**kernel.reach.assignments, "interface": assigned}
        kernel.reach = replace(kernel.reach, assignments=speaks)


def speaker(settings: Settings, model: str) -> Assignment:
    """The model that is to speak; a server's is asked for when it speaks, one of this process must be there.

    Raises:
        UsageError: it names no model that could be assigned.
    """
    assigned = must_be_assignable(settings, "interface", model)
    if known_substrate(settings, assigned.substrate).kind == "embedded":
        names = [m.model_id for m in in_process(models_folder())]
        if assigned.model_id not in names:
            raise UsageError(f"{model} is not there", fix="lumen models list")
    return assigned


def questions() -> int:
    """How many questions a model is measured by."""
    from lumen.app.trust import questions as asked

    return asked()


def must_be_assignable(settings: Settings, role: str, model: str) -> Assignment:
    """A role and the model that is to serve it, as far as that can be seen without asking.

    Raises:
        UsageError: there is no such role or substrate, or the substrate wants a key.
    """
    if role not in ASSIGNABLE:
        raise UsageError(f"{role!r} is no role", fix=f"the roles are {', '.join(ASSIGNABLE)}")
    if model.lower() == "none":
        raise UsageError(f"{model!r} is no model to serve {role}", fix=_without_model(role))
    assignment = parse_assignment(role, model)
    endpoint = known_substrate(settings, assignment.substrate)
    if endpoint.wants_key and not endpoint.key:
        raise UsageError(f"{endpoint.id} wants a key", fix=f"lumen models key {endpoint.id}")
    return assignment


def _without_model(role: str) -> str:
    """What to do where a role is to have no model, or none of one's own choice."""
    if role == EMBEDDER:
        return f"lumen models set {role} {BUILT_IN_EMBEDDER}: the built-in one"
    if role in NEEDED:
        return f"lumen models set {role} {BUILT_IN_MODEL}: it needs one, and this is built in"
    table, key = (ESCALATION, "model") if role == ESCALATION else ("roles", role)
    return f"take {key} out of [{table}] in lumen.toml"


async def try_model(kernel: Kernel, role: str) -> TriedModel:
    """Ask the model of a role for a word and for JSON; says what each took."""
    from lumen.kernel.models.scan import try_out
    from lumen.kernel.turn.run import calls_for

    calls = calls_for(kernel, f"lumen:{role}")
    try:
        made = await try_out(calls, role)
    finally:
        calls.settle()
    return TriedModel(all(one.ok for one in made), role, tuple(made))


def _note_seen(model: ModelDescriptor, clock: Clock, *, listed: bool) -> None:
    now = stamp(clock.now())
    with noting(notes_file()) as notes:
        last = notes[-1]
        notes.append(last.listed(model, now) if listed else last.answered(model, now))


def _role(
    a: Assignment, notes: Registry, reachable: Mapping[str, Endpoint], settings: Settings
) -> RoleState:
    seen = notes.models.get(str(a))
    return RoleState(
        role=a.role,
        model=str(a),
        state=_known_of(a, notes, reachable, settings),
        context_tokens=seen.context_tokens if seen else None,
        last_seen=seen.last_seen if seen else None,
    )


def _known_of(
    a: Assignment, notes: Registry, reachable: Mapping[str, Endpoint], settings: Settings
) -> str:
    """What is known of a model without asking; never that it is there now."""
    if why := notes.stale(a, reachable):
        return f"stale: {why}"
    if a.substrate == "embedded" and str(a) not in BUILT_IN_EMBEDDERS:
        here = any(str(model) == str(a) for model in in_process(models_folder()))
        return "in process" if here else "stale: this host does not have it"
    if a.substrate in ("embedded", "scripted"):
        return "in process"
    seen = notes.models.get(str(a))
    if seen is None:
        return "not looked for yet"
    return f"not asked; seen {short_time(seen.last_seen, zone(settings.timezone))}"


def _place(endpoint: Endpoint, notes: Registry, settings: Settings) -> SubstrateState:
    looked = notes.looked.get(endpoint.id)
    if endpoint.kind == "embedded":
        state = "always there"
    elif endpoint.wants_key and not endpoint.key:
        state = "no key"
    elif looked is None:
        state = "not looked at yet"
    else:
        when = short_time(looked.at, zone(settings.timezone))
        state = f"{looked.detail if looked.ok else 'not reached'} · {when}"
    return SubstrateState(
        substrate=endpoint.id,
        kind=endpoint.kind,
        url=endpoint.url,
        local=endpoint.local,
        key=bool(endpoint.key),
        state=state,
    )
