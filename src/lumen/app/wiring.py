"""Wiring only: puts clock, archive, index, recall, models and skills together for one being."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from lumen.app.contours import contour_trouble
from lumen.app.mounting import mounts_of
from lumen.app.passphrase import Passphrases
from lumen.app.reach import (
    assignments_of,
    endpoints_of,
    inner_must_be_local,
    key_file,
    notes_file,
    secrets_in,
    trust_file,
)
from lumen.app.settings import Settings, data_home, must_be, zone
from lumen.app.skill_changes import changed_skills
from lumen.app.storage import locks_of, open_storage
from lumen.core.clock import Clock, Now, SystemClock, stamp
from lumen.core.data import BeingPaths
from lumen.core.errors import BadSetting, NoSubstrate, Refused, SkillError
from lumen.core.settings import BUILT_IN_EMBEDDER
from lumen.hands.ancestry import started_by_skill
from lumen.hands.isolation import Isolation
from lumen.hands.policy import SkillPolicies
from lumen.hands.run import Limits
from lumen.kernel.contour.slots import Self
from lumen.kernel.gate.commit import Gate as Gate
from lumen.kernel.gate.presence import no_turn_meanwhile
from lumen.kernel.gate.recovery import recover
from lumen.kernel.models.registry import load, noting
from lumen.kernel.models.treasury import Caps
from lumen.kernel.models.trust import trusted
from lumen.kernel.recall.external_embedder import ExternalEncoder
from lumen.kernel.recall.search import IndexedRecall
from lumen.kernel.reflection.triggers import Thresholds
from lumen.kernel.turn.recorded import PROMPTS
from lumen.kernel.turn.run import Kernel as Kernel
from lumen.kernel.turn.run import adopt_edits
from lumen.mind.ask import Reach
from lumen.mind.embed import WhenNeeded
from lumen.mind.roles import ASSIGNABLE, EMBEDDER, parse_assignment
from lumen.mind.substrate import ModelDescriptor
from lumen.soul.state.records import millionths
from lumen.soul.trust.keys import Keyring

if TYPE_CHECKING:
    from lumen.kernel.language.passages import Rows


def keyring() -> Keyring:
    """The keys and witnesses of this host."""
    return Keyring(data_home())


@dataclass(frozen=True, slots=True)
class Unserved:
    """An embedder that nothing here serves: recall says so and goes on without it."""

    id: str
    local: bool = False

    def embed(self, texts: Sequence[str]) -> Rows:
        """Say that it cannot."""
        del texts
        substrate = self.id.partition("/")[0]
        raise NoSubstrate(
            f"{substrate!r} serves no embeddings",
            fix=f"lumen models set embedder {BUILT_IN_EMBEDDER}",
        )

    def close(self) -> None:
        """Nothing is held."""


def external_encoder(settings: Settings, gate: Gate, clock: Clock) -> ExternalEncoder | None:
    """The embedder the author chose beside the built-in one, if any."""
    if not settings.external_embedder:
        return None
    from lumen.kernel.models.metered_embedder import EmbedderMeter
    from lumen.mind.embed_http import HttpEmbedder
    from lumen.mind.substrates.remote import unlisted

    name = parse_assignment(EMBEDDER, settings.external_embedder)
    endpoint = endpoints_of(settings).get(name.substrate)
    if endpoint is None or endpoint.kind in ("embedded", "scripted", "anthropic"):
        return Unserved(str(name))
    if endpoint.kind == "ollama":
        endpoint = replace(endpoint, url=f"{endpoint.url}/v1")
    known = load(notes_file()).models.get(str(name))
    model = known or unlisted(endpoint, name.model_id)
    meter = EmbedderMeter(gate, caps_of(settings), clock, endpoint, model)
    return HttpEmbedder(str(name), replace(endpoint, local=model.local), meter)


def makes_vectors(kernel: Kernel, settings: Settings) -> None:
    """See that an embedder gives a vector before it is chosen.

    Raises:
        MindError: it does not.
    """
    external = external_encoder(settings, kernel.gate, kernel.clock)
    if external is not None:
        try:
            external.embed(["hello"])
        finally:
            external.close()


def open_kernel(
    being: BeingPaths,
    settings: Settings | None = None,
    *,
    alone: bool = False,
    clock: Clock | None = None,
    passphrases: Passphrases | None = None,
) -> tuple[Kernel, list[str]]:
    """Open a being for turns; says what had to be repaired. `alone`: no turn runs meanwhile."""
    settings = settings or must_be(being)
    clock, passphrases = clock or SystemClock(), passphrases or Passphrases()
    storage = open_storage(being, keyring(), clock)
    index = storage.index
    reachable = endpoints_of(settings)
    inner_must_be_local(settings, reachable)
    secrets = (*settings.redact, *secrets_in(reachable))
    gate = Gate(being, keyring(), clock, storage, secrets)
    if not gate.keyring.has_key(settings.soul) and started_by_skill():
        raise Refused(  # it would sign as another host's
            "a skill started this where the being's key is not, and no key is made for a skill",
            fix="run it yourself, in a terminal",
        )
    gate.ask, gate.offer = passphrases.ask, partial(passphrases.offer, gate.keyring)
    recover(gate, settings.soul)
    settings = must_be(being)  # a change that was archived only may have been finished
    where = zone(settings.timezone)
    external = external_encoder(settings, gate, clock)
    index.vectors.choose(external.id if external else "", private=bool(external and external.local))
    kernel = Kernel(
        being=being,
        gate=gate,
        index=index,
        recall=IndexedRecall(index, WhenNeeded(), external),
        reach=Reach(
            assignments_of(settings),
            (being.prompts, PROMPTS),
            clock,
            endpoints=reachable,
            known=load(notes_file()).models,
            trusted=trusted(trust_file()),
        ),
        clock=clock,
        self_=Self(name="", author_name=settings.author_name),
        now=lambda: Now(clock.now(), where),
        policies=skill_policies(settings),
        caps=caps_of(settings),
        settings=settings,
        thresholds=thresholds_of(settings),
        gone=lambda model: _note_gone(model, clock),
        strengthens=millionths(settings.use_increment),
        mounts=mounts_of(settings),
        as_of=(-1, -1),
    )
    adopt_edits(kernel, alone=alone)
    repairs = [*gate.repairs, *index.repairs, *(() if alone else _changed_skills(kernel))]
    if why := contour_trouble(index):
        repairs.append(
            f"The contour you gave it cannot be used any more: {why}. The shipped one is in force.\n"
            "  try: lumen contour use --shipped"
        )
    gate.repairs.clear()
    index.repairs.clear()
    return kernel, repairs


def _changed_skills(kernel: Kernel) -> list[str]:
    try:
        return [f"{e.what}.\n  try: {e.fix}" for e in changed_skills(kernel.being, kernel.index)]
    except SkillError as error:  # the folder of skills cannot be read
        return [f"{error.what}.\n  try: {error.fix}"]


def take_settings(kernel: Kernel) -> None:
    """Let an open being go by what lumen.toml says now: its models, caps, limits and thresholds."""
    settings = must_be(kernel.being)
    reachable = endpoints_of(settings)
    inner_must_be_local(settings, reachable)
    known = load(notes_file()).models
    kernel.reach = replace(
        kernel.reach,
        assignments=assignments_of(settings),
        endpoints=reachable,
        known=known,
        trusted=trusted(trust_file()),
    )
    kernel.policies, kernel.caps = skill_policies(settings), caps_of(settings)
    kernel.settings, kernel.thresholds = settings, thresholds_of(settings)
    kernel.mounts = mounts_of(settings)
    external = external_encoder(settings, kernel.gate, kernel.clock)
    kernel.index.vectors.choose(
        external.id if external else "", private=bool(external and external.local)
    )
    kernel.recall.close()
    kernel.recall = IndexedRecall(kernel.index, kernel.recall.embedder, external)


def skill_policies(settings: Settings) -> SkillPolicies:
    """Under which policies skills run."""
    seconds = settings.skill_seconds
    limits = Limits(
        seconds, memory_bytes=settings.skill_memory_mib << 20, cpu_seconds=ceil(seconds)
    )
    hidden = (*keyring().folders(), key_file().resolve())
    return SkillPolicies(limits, Isolation(settings.isolation), settings.skill_settings, hidden)


def caps_of(settings: Settings) -> Caps:
    """What the author allows to be spent."""
    for role in settings.role_tokens:
        if role not in ASSIGNABLE:
            raise BadSetting(
                f"lumen.toml: [budget.roles] {role!r} is no role",
                fix=f"the roles are {', '.join(ASSIGNABLE)}",
            )
    return Caps(
        tokens=settings.daily_budget,
        dollars=settings.dollars_per_day,
        roles=settings.role_tokens,
        escalations=settings.escalations_per_hour,
    )


def thresholds_of(settings: Settings) -> Thresholds:
    """When the author wants it to reflect."""
    return Thresholds(
        delta=settings.reflect_delta,
        tension=settings.reflect_tension,
        stale_cycles=settings.reflect_stale_cycles,
        every_cycles=settings.reflect_every_cycles,
    )


def _note_gone(model: ModelDescriptor, clock: Clock) -> None:
    with noting(notes_file()) as notes:
        notes.append(notes[-1].without(model, stamp(clock.now())))


@contextmanager
def opened(
    being: BeingPaths,
    tell: Callable[[str], None],
    *,
    alone: bool = False,
    passphrases: Passphrases | None = None,
) -> Iterator[Kernel]:
    """An open being; what had to be repaired is told."""
    kernel, repairs = open_kernel(being, must_be(being), alone=alone, passphrases=passphrases)
    for line in repairs:
        tell(line)
    try:
        yield kernel
    finally:
        for line in kernel.gate.repairs:
            tell(line)
        kernel.close()


@contextmanager
def as_author(
    being: BeingPaths, tell: Callable[[str], None], *, passphrases: Passphrases | None = None
) -> Iterator[Kernel]:
    """A being opened for what only the author may do, and not while a turn is under way."""
    must_be(being)
    with (
        no_turn_meanwhile(locks_of(being)),
        opened(being, tell, alone=True, passphrases=passphrases) as kernel,
    ):
        yield kernel


@contextmanager
def alone(kernel: Kernel) -> Iterator[Kernel]:
    """Do what only the author may with a being that is open, while no turn runs anywhere."""
    with no_turn_meanwhile(kernel.gate.locks):
        adopt_edits(kernel, alone=True)
        yield kernel
    adopt_edits(kernel)  # what changed is in force for the next turn
