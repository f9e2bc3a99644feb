"""`lumen init` and `lumen status`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from shlex import quote

import click

from lumen.body.cli.common import being_meant, counted, note, one_line, say, shared, show
from lumen.body.config import data_home, must_be, zone
from lumen.core.canon import JSON, loads
from lumen.core.clock import SystemClock, parse_stamp
from lumen.core.data import Author, Being, Held
from lumen.core.errors import Estranged
from lumen.kernel.edits import look, self_in_force
from lumen.soul.chosen import reindexed
from lumen.soul.index import Index
from lumen.soul.keys import Keyring
from lumen.soul.vectors import progress
from lumen.soul.witness import refuse_strange


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@shared
def init(folder: Path | None, named: str | None, as_json: bool) -> None:
    """Make a new being in FOLDER (by default: here)."""
    from lumen.kernel.birth import init as scaffold

    root = folder or (Path(named) if named else Path.cwd())
    being = Being(root.expanduser().absolute())
    soul = scaffold(being, Keyring(data_home()), SystemClock())
    if as_json:
        show({"being": str(being.root), "soul": soul})
        return
    say(f"A new being was born in {being.root}")
    say(f"  talk to it: lumen --being {quote(str(being.root))} chat")


@click.command()
@shared
def status(named: str | None, as_json: bool) -> None:
    """Show who the being is and how it is."""
    being = being_meant(named)
    settings = must_be(being)
    index = Index(being)
    events = index.catch_up()
    counts = index.counts()
    seq, head = index.last_head()
    signed = _signed(being)
    born = index.memories(limit=1, oldest=True)
    vectors, worth = progress(index)
    chosen = settings.chosen_embedder
    again, of = reindexed(index, chosen) if chosen else (worth, worth)
    self_ = self_in_force(index)
    edits = look(being, index, settings.redact)
    for line in [*index.repairs, *edits.told(), *_strange(index, settings.soul)]:
        note(line)
    by_author = {a.value: counts.get(a.value, 0) for a in Author}
    open_turns = len(index.open_turns())
    waiting = index.waiting()
    found: JSON = {
        "being": str(being.root),
        "name": self_.name,
        "ontology": self_.ontology,
        "values": [asdict(v) for v in self_.values],
        "goals": [asdict(g) for g in self_.goals],
        "born": born[0].timestamp if born else None,
        "author": settings.author_name,
        "model": settings.roles.get("interface"),
        "events": events,
        "memory": by_author,
        "recallable": {"done": vectors, "of": worth},
        "embedder": settings.embedder,
        "reindexed": {"done": again, "of": of},
        "head": head,
        "signed_up_to": signed,
        "open_turns": open_turns,
        "waiting": waiting,
    }
    index.close()
    if as_json:
        show(found)
        return
    where = zone(settings.timezone)
    date = f"{parse_stamp(born[0].timestamp).astimezone(where):%d %b %Y}" if born else "never"
    authors = " · ".join(f"{a} {n:,}" for a, n in by_author.items())
    unsigned = seq - signed
    state = "signed" if unsigned <= 0 else f"signed up to event {signed:,}"
    ontology = f"“{one_line(self_.ontology, 60)}”   " if self_.ontology else ""
    rows = [
        (self_.name, f"{ontology}born {date.lstrip('0')}   {being.root}"),
        ("values", _listed(self_.values, "active")),
        ("goals", _listed(self_.goals, "todo", "working", "perpetual")),
        ("memory", f"{counted(events, 'event')}   {authors}"),
        ("archive", f"head {head[:4]}…{head[-2:]} · {state}   → lumen archive verify"),
        ("model", f"{found['model']}"),
    ]
    if vectors < worth:
        rows.append(("recall", f"{vectors:,} of {worth:,} memories can be found by meaning so far"))
    if again < of:
        rows.append(("recall", f"reindexing with {chosen}: {again:,} of {of:,}"))
    if waiting:
        rows.append(("waiting for you", f"{counted(waiting, 'approval')}   → lumen approvals"))
    if open_turns:
        rows.append(("unfinished", f"{counted(open_turns, 'turn')} under way or broken off"))
    width = max(len(label) for label, _ in rows) + 3
    for label, text in rows:
        say(f"{label:<{width}}{text}")


def _listed(held: tuple[Held, ...], *states: str) -> str:
    shown = [f"{h.name} {h.weight:.2f} {h.status}" for h in held if h.status in states]
    return "   ".join(shown[:5]) or "none yet: they come of living"


def _strange(index: Index, soul: str) -> list[str]:
    """What the author must know when this is not the chain this host has seen."""
    try:
        refuse_strange(index, Keyring(data_home()), soul)
    except Estranged as error:
        return [f"{error.what[:1].upper()}{error.what[1:]}.\n  try: {error.fix}"]
    return []


def _signed(being: Being) -> int:
    if not being.heads.exists():
        return 0
    with being.heads.open("rb") as heads:
        heads.seek(max(0, being.heads.stat().st_size - 4096))
        *lines, _torn = heads.read().split(b"\n")
    try:
        return max((int(loads(line)["seq"]) for line in lines[-3:]), default=0)
    except (ValueError, KeyError, TypeError):
        return 0
