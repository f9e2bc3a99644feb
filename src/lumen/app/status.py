"""Who a being is and how it is, at a glance. Imports nothing that is slow."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lumen.app.settings import Settings, data_home, must_be, zone_of
from lumen.app.storage import asking, files_of
from lumen.core.data import Author, BeingPaths, SelfItem
from lumen.core.errors import Damaged, Estranged
from lumen.core.settings import embedder_here
from lumen.kernel.gate.edits import look, self_in_force
from lumen.kernel.gate.proposals import waiting
from lumen.soul.ports.queries import Queries
from lumen.soul.state.selfhood import VALUES
from lumen.soul.trust.keys import Keyring

SHIPPED = Path(__file__).parents[1] / "hands" / "shipped"
AUTHORS = (Author.EXTERNAL, Author.SELF, Author.GOAL, Author.KERNEL)


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of something is done."""

    done: int
    of: int


@dataclass(frozen=True, slots=True)
class Status:
    """A being as it stands; moments are stamps in UTC, `None` where it never happened."""

    being: str
    name: str
    ontology: str
    values: tuple[SelfItem, ...]
    goals: tuple[SelfItem, ...]
    values_changed: str | None
    values_by_default: bool  # it was born with them, and nobody changed any
    born: str | None
    author: str
    model: str
    zone: str
    zone_by: str  # whose word that is
    events: int
    memory: dict[str, int]  # how many memories each author wrote
    recallable: Progress  # how many memories can be found by meaning
    embedder: str
    reindexed: Progress
    head: str
    signed_up_to: int
    reflected: str | None
    cycles_since: int
    open_turns: int
    waiting: int  # proposals that wait for the author


def status_of(being: BeingPaths) -> tuple[Status, list[str]]:
    """A being's status, and what its author should be told besides."""
    settings = must_be(being)
    with asking(being) as index:
        found = read_status(being, settings, index)
        edits = look(files_of(being), index, settings.redact)
        odd = [*_miscounted(index), *strange(index, settings.soul), *_changed(being, index)]
        return found, [*index.repairs, *edits.notices(), *odd]


def read_status(being: BeingPaths, settings: Settings, index: Queries) -> Status:
    """A being's status, over an open index."""
    events = index.catch_up()
    counts = index.events.counts()
    born = index.memories.listed(limit=1, oldest=True)
    vectors, worth = index.vectors.progress(embedder_here().partition("/")[2])
    external = settings.external_embedder
    again, of = index.vectors.reindexed(external) if external else (worth, worth)
    self_ = self_in_force(index)
    where, by = zone_of(settings.timezone)
    changed, reflected = index.files.kept(VALUES), index.cycles.last("reflection")
    return Status(
        being=str(being.root),
        name=self_.name,
        ontology=self_.ontology,
        values=self_.values,
        goals=self_.goals,
        values_changed=changed.timestamp if changed else None,
        values_by_default=bool(self_.values and changed and changed.seq == 1),
        born=born[0].timestamp if born else None,
        author=settings.author_name,
        model=settings.roles["interface"],
        zone=where,
        zone_by=by,
        events=events,
        memory={a.value: counts.get(a.value, 0) for a in AUTHORS},
        recallable=Progress(vectors, worth),
        embedder=external or embedder_here(),
        reindexed=Progress(again, of),
        head=index.events.last_head()[1],
        signed_up_to=index.events.signed_up_to(),
        reflected=index.events.time_of(reflected) or None,
        cycles_since=index.cycles.many_since(reflected),
        open_turns=len(index.events.open_turns()),
        waiting=waiting(index),
    )


def strange(index: Queries, soul: str) -> list[str]:
    """What the author must know when this is not the chain this host has seen."""
    keyring = Keyring(data_home())
    mark = keyring.mark(soul)
    if not index.loose and mark and mark.knows(*index.events.last_head()):
        return []  # it ends where this host left it; checking the witness takes as long as all else
    from lumen.soul.checking.witness import refuse_strange  # so does importing it

    try:
        refuse_strange(index, keyring, soul)
    except (Damaged, Estranged) as error:
        return [f"{error.what[:1].upper()}{error.what[1:]}.\n  try: {error.fix}"]
    return []


def _changed(being: BeingPaths, index: Queries) -> list[str]:
    """Skills that came with Lumen and are not what they were; asked about where bytes differ."""
    ours = (path for path in SHIPPED.glob("*/*.*") if path.is_file())
    theirs = ((path, being.skills / path.relative_to(SHIPPED)) for path in ours)
    try:
        if all(not b.exists() or a.read_bytes() == b.read_bytes() for a, b in theirs):
            return []
    except OSError as error:
        return [f"{error.filename} cannot be read: {error.strerror}."]
    from lumen.app.skill_changes import changed_skills  # slow to import

    return [f"{e.what}.\n  try: {e.fix}" for e in changed_skills(being, index)]


def _miscounted(index: Queries) -> list[str]:
    """Tallies are kept with the lines they count: where they do not add up, the table was edited."""
    if index.events.tallies_add_up():
        return []
    return [
        "The index does not count what the archive holds: the figures under memory are wrong."
        "\n  try: lumen rebuild"
    ]
