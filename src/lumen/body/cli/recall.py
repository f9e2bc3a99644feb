"""`lumen recall`: what bears on a question, whoever said it, and why it was found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from zoneinfo import ZoneInfo

import click

from lumen.app.recalling import LANES, LISTED, RecalledMemory, RecallFilter
from lumen.app.recalling import recall as find
from lumen.app.words import local
from lumen.body.cli.command import command
from lumen.body.cli.render import TextResult
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import note, one_line
from lumen.core.canon import JSON
from lumen.core.errors import UsageError

SHOWN_PARTS = 6


class Day(click.DateTime):
    """A day; one that is none is answered in words."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """Read it, or say how a day is written."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{one_line(str(value), 40)!r} is no day, as 2026-03-09 is", param, ctx)


@command("recall", for_skills=True)
@click.argument("query")
@click.option("--lane", type=click.Choice(LANES), help="Only what is of one lane.")
@click.option(
    "--as-of",
    type=Day(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Only what is of that day or earlier.",
)
@click.option("--limit", type=click.IntRange(1, 200), default=LISTED, help="How many at most.")
@click.option("--explain", is_flag=True, help="What each score is made of, and the neighbours.")
def recall(
    request: CommandRequest,
    query: str,
    lane: str | None,
    as_of: datetime | None,
    limit: int,
    explain: bool,
) -> TextResult:
    """What was said or found that bears on QUERY, best first, each with its lane.

    Lanes: stated (by you: the only evidence about you), asked (by you), said (by it), found (by its
    tools), guest (by somebody else).
    """
    if not query.strip():
        raise UsageError("nothing is asked for", fix='lumen recall "Where do I live?"')
    wanted = RecallFilter(lane, as_of.date() if as_of else None, limit, explain)
    with request.looking() as look:
        found = find(look.index, query, wanted, note)
        lines = [line for one in found for line in _lines(one, look.zone)]
    return TextResult([_data(one) for one in found], lines or ["Nothing found."])


def _lines(one: RecalledMemory, zone: ZoneInfo) -> list[str]:
    who = f"{one.lane}{f' ({one.speaker})' if one.speaker else ''}"
    when = f"{local(one.timestamp, zone):%d %b %Y}"
    lines = [f"{one.score:7.2f}  {when}  {who}: “{one_line(one.quote, 100)}”   event {one.event}"]
    return [*lines, *(f"         {line}" for line in how_found(one) if one.parts)]


def how_found(one: RecalledMemory) -> Iterator[str]:
    """By which paths, what its score is made of, what it revises, and what was said beside it."""
    told = [f"{name} {part:+.2f}" for name, part in [*one.parts.items()][:SHOWN_PARTS]]
    yield f"by {', '.join(one.paths)} · {', '.join(told)}"
    if one.revised_by:
        yield f"revised by event {one.revised_by}"
    if one.replaces:
        yield f"revises event {one.replaces}"
    for m in one.neighbours:
        yield f"beside: “{one_line(m.text, 80)}”   event {m.event}"


def _data(one: RecalledMemory) -> JSON:
    told = asdict(one)
    return (
        told if one.parts else {k: v for k, v in told.items() if k not in ("parts", "neighbours")}
    )
