"""`lumen status`: who the being is and how it is, at a glance. Imports nothing that is slow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from zoneinfo import ZoneInfo

import click

from lumen.app.settings import Settings, data_home, must_be, zone
from lumen.body.cli.common import (
    ago,
    being_meant,
    counted,
    local,
    note,
    one_line,
    say,
    shared,
    show,
)
from lumen.core.canon import JSON, loads
from lumen.core.clock import SystemClock
from lumen.core.data import Author, Being
from lumen.core.errors import Damaged, Estranged
from lumen.kernel.approvals import waiting
from lumen.kernel.edits import look, self_in_force
from lumen.soul.chosen import reindexed
from lumen.soul.cycles import last, many_since
from lumen.soul.history import kept
from lumen.soul.index import Index
from lumen.soul.keys import Keyring
from lumen.soul.queries import tallies_add_up
from lumen.soul.selfhood import VALUES
from lumen.soul.vectors import progress
from lumen.soul.witness import refuse_strange

MARKS = {"working": "●", "todo": "○", "perpetual": "∞"}
MOST = 5  # values and goals that are shown
NONE = "none yet: they come of living"
AUTHORS = (Author.EXTERNAL, Author.SELF, Author.GOAL, Author.KERNEL)
Row = tuple[str, str]


@click.command()
@shared
def status(named: str | None, as_json: bool) -> None:
    """Show who the being is and how it is."""
    being = being_meant(named)
    settings = must_be(being)
    index = Index(being)
    found = _found(being, settings, index)
    edits = look(being, index, settings.redact)
    odd = [*_miscounted(index), *strange(index, settings.soul)]
    for line in [*index.repairs, *edits.told(), *odd]:
        note(line)
    index.close()
    if as_json:
        show(found)
        return
    shown = list(rows(found, zone(settings.timezone), SystemClock().now()))
    width = max(len(label) for label, _ in shown) + 3
    for label, text in shown:
        say(f"{label:<{width}}{text}")


def _found(being: Being, settings: Settings, index: Index) -> dict[str, JSON]:
    """All there is to show, as JSON."""
    events = index.catch_up()
    counts = index.counts()
    born = index.memories(limit=1, oldest=True)
    vectors, worth = progress(index)
    chosen = settings.chosen_embedder
    again, of = reindexed(index, chosen) if chosen else (worth, worth)
    self_ = self_in_force(index)
    changed, reflected = kept(index, VALUES), last(index, "reflection")
    return {
        "being": str(being.root),
        "name": self_.name,
        "ontology": self_.ontology,
        "values": [asdict(v) for v in self_.values],
        "goals": [asdict(g) for g in self_.goals],
        "values_changed": changed.timestamp if changed else None,
        "born": born[0].timestamp if born else None,
        "author": settings.author_name,
        "model": settings.roles.get("interface"),
        "events": events,
        "memory": {a.value: counts.get(a.value, 0) for a in AUTHORS},
        "recallable": {"done": vectors, "of": worth},
        "embedder": settings.embedder,
        "reindexed": {"done": again, "of": of},
        "head": index.last_head()[1],
        "signed_up_to": _signed(being),
        "reflected": index.time_of(reflected) or None,
        "cycles_since": many_since(index, reflected),
        "open_turns": len(index.open_turns()),
        "waiting": waiting(index),
    }


def rows(found: dict[str, JSON], where: ZoneInfo, now: datetime) -> Iterator[Row]:
    """What is shown, line by line: a label and a text."""
    born = found["born"]
    date = f"{local(born, where):%d %b %Y}".lstrip("0") if born else "never"
    ontology = f"“{one_line(found['ontology'], 60)}”   " if found["ontology"] else ""
    yield found["name"], f"{ontology}born {date}   {found['being']}"
    yield "values", _dear(found, now)
    yield from _goals(found["goals"])
    authors = " · ".join(f"{a} {n:,}" for a, n in found["memory"].items())
    yield "memory", f"{counted(found['events'], 'event')}   {authors}"
    head, signed = found["head"], found["signed_up_to"]
    state = "signed" if signed >= found["events"] else f"signed up to event {signed:,}"
    yield "archive", f"head {head[:4]}…{head[-2:]} · {state}   → lumen archive verify"
    before = ago(found["reflected"], now) if found["reflected"] else "never yet"
    since = f"{counted(found['cycles_since'], 'cycle')} since"
    yield "reflection", f"{before} · {since}   → lumen reflect --dry-run"
    yield "model", str(found["model"])
    yield from _unusual(found)


def _dear(found: dict[str, JSON], now: datetime) -> str:
    """The weightiest values in force, and since when they are."""
    shown = [f"{v['name']} {v['weight']:.2f}" for v in found["values"] if v["status"] == "active"]
    if not shown:
        return NONE
    when = f"   changed {ago(found['values_changed'], now)} (why: lumen values --history)"
    return "   ".join(shown[:MOST]) + _more(shown, "values") + when


def _goals(goals: Sequence[JSON]) -> Iterator[Row]:
    """What it is after, one to a line: a mark for how it stands, its name, its weight."""
    open_ = [g for g in goals if g["status"] in MARKS]
    if not open_:
        yield "goals", NONE
    names = [one_line(g["name"], 40) for g in open_[:MOST]]
    wide = max(map(len, names), default=0)
    for number, (name, g) in enumerate(zip(names, open_, strict=False)):
        text = f"{MARKS[g['status']]} {name:<{wide}}   {g['status']:<9}  {g['weight']:.2f}"
        yield ("" if number else "goals"), text
    if more := _more(open_, "goals"):
        yield "", more.strip()


def _more(held: Sequence[object], command: str) -> str:
    return f"   and {len(held) - MOST} more: lumen {command}" if len(held) > MOST else ""


def _unusual(found: dict[str, JSON]) -> Iterator[Row]:
    """What is only said while it is so."""
    done, of = found["recallable"]["done"], found["recallable"]["of"]
    if done < of:
        yield "recall", f"{done:,} of {of:,} memories can be found by meaning so far"
    done, of = found["reindexed"]["done"], found["reindexed"]["of"]
    if done < of:
        yield "recall", f"reindexing with {found['embedder']}: {done:,} of {of:,}"
    if found["waiting"]:
        yield "waiting for you", f"{counted(found['waiting'], 'approval')}   → lumen approvals"
    if found["open_turns"]:
        yield "unfinished", f"{counted(found['open_turns'], 'turn')} under way or broken off"


def _miscounted(index: Index) -> list[str]:
    """Tallies are kept with the lines they count: where they do not add up, the table was edited."""
    if tallies_add_up(index):
        return []
    return [
        "The index does not count what the archive holds: the figures under memory are wrong."
        "\n  try: lumen rebuild"
    ]


def strange(index: Index, soul: str) -> list[str]:
    """What the author must know when this is not the chain this host has seen."""
    keyring = Keyring(data_home())
    mark = keyring.mark(soul)
    if not index.loose and mark and mark.knows(*index.last_head()):
        return []  # it ends where this host left it; checking the witness takes as long as all else
    try:
        refuse_strange(index, keyring, soul)
    except (Damaged, Estranged) as error:
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
