"""`lumen status`: who the being is and how it is, at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from lumen.app.status import Status, status_of
from lumen.app.words import counted, local
from lumen.body.cli.command import command
from lumen.body.cli.render import tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import ago, block, note, one_line
from lumen.core.clock import SystemClock
from lumen.core.data import SelfItem

MARKS = {"working": "●", "todo": "○", "perpetual": "∞"}
MOST = 5  # values and goals that are shown
ENGLISH_ONLY = "embedded/all-MiniLM-L6-v2"
LAST_REPLY = 1  # what it said last is learnt with the next message: that is as usual
NONE = "none yet: they come of living"
Row = tuple[str, str]


@command("status", for_skills=True)
def status(request: CommandRequest) -> Status:
    """Show who the being is and how it is."""
    found, told = status_of(request.being)
    for line in told:
        note(line)
    return found


@tell.register(Status)
def _tell_status(found: Status, _request: CommandRequest) -> None:
    block(list(rows(found, ZoneInfo(found.zone), SystemClock().now())))


def rows(found: Status, where: ZoneInfo, now: datetime) -> Iterator[Row]:
    """What is shown, line by line: a label and a text."""
    born = found.born
    date = f"{local(born, where):%d %b %Y}".lstrip("0") if born else "never"
    ontology = f"“{one_line(found.ontology, 60)}”   " if found.ontology else ""
    yield found.name, f"{ontology}born {date}   {found.being}"
    yield "values", _dear(found, now)
    yield from _goals(found.goals)
    authors = " · ".join(f"{a} {n:,}" for a, n in found.memory.items())
    yield "memory", f"{counted(found.events, 'event')}   {authors}"
    head, signed = found.head, found.signed_up_to
    state = "signed" if signed >= found.events else f"signed up to event {signed:,}"
    yield "archive", f"head {head[:4]}…{head[-2:]} · {state}   → lumen archive verify"
    before = ago(found.reflected, now) if found.reflected else "never yet"
    since = f"{counted(found.cycles_since, 'cycle')} since"
    yield "reflection", f"{before} · {since}   → lumen reflect --dry-run"
    yield "model", str(found.model)
    yield "time zone", f"{found.zone}   by {found.zone_by}"
    yield from _unusual(found)


def _dear(found: Status, now: datetime) -> str:
    """The weightiest values in force, and since when they are."""
    shown = [f"{v.name} {v.weight:.2f}" for v in found.values if v.status == "active"]
    if not shown:
        return NONE
    when = f"   changed {ago(str(found.values_changed), now)} (why: lumen values --history)"
    if found.values_by_default:
        when = "   by default (yours to change: lumen values)"
    return "   ".join(shown[:MOST]) + _more(shown, "values") + when


def _goals(goals: Sequence[SelfItem]) -> Iterator[Row]:
    """What it is after, one to a line: a mark for how it stands, its name, its weight."""
    open_ = [g for g in goals if g.status in MARKS]
    if not open_:
        yield "goals", NONE
    names = [one_line(g.name, 40) for g in open_[:MOST]]
    wide = max(map(len, names), default=0)
    for number, (name, g) in enumerate(zip(names, open_, strict=False)):
        text = f"{MARKS[g.status]} {name:<{wide}}   {g.status:<9}  {g.weight:.2f}"
        yield ("" if number else "goals"), text
    if more := _more(open_, "goals"):
        yield "", more.strip()


def _more(held: Sequence[object], command: str) -> str:
    return f"   and {len(held) - MOST} more: lumen {command}" if len(held) > MOST else ""


def _unusual(found: Status) -> Iterator[Row]:
    """What is only said while it is so."""
    done, of = found.recallable.done, found.recallable.of
    if done < of - LAST_REPLY:
        yield "recall", f"{done:,} of {of:,} memories can be found by meaning so far"
    if found.embedder == ENGLISH_ONLY:
        yield "recall", "in English alone: there is no multilingual embedder for this platform"
    done, of = found.reindexed.done, found.reindexed.of
    if done < of:
        yield "recall", f"reindexing with {found.embedder}: {done:,} of {of:,}"
    if found.waiting:
        yield "waiting for you", f"{counted(found.waiting, 'approval')}   → lumen approvals"
    if found.open_turns:
        yield "unfinished", f"{counted(found.open_turns, 'turn')} under way or broken off"
