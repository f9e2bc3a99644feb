"""`lumen treasury` and `lumen egress`: what models cost, and exactly what was sent to whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

import click

from lumen.app.spending import (
    DAYS,
    MICROS,
    EgressDetail,
    EgressRow,
    Spent,
    SpentOn,
    Treasury,
    egress_of,
    letter_of,
    treasury_of,
)
from lumen.app.words import counted, short_time
from lumen.body.cli.command import command
from lumen.body.cli.render import Listed, TextResult, data, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import block, one_line, painted, say, table
from lumen.core.canon import JSON, dumps
from lumen.core.clock import SystemClock, parse_stamp, stamp

BAR = 40
COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red", "white", "bright_black")
FILLS = "█▓▒░▚▞▤▥"


def dollars(micros: int | None) -> str:
    """Money as it is read; what nobody has a price for is not zero."""
    if micros is None:
        return "unpriced"
    return "free" if not micros else f"${micros / MICROS:,.4f}"


@command("treasury", for_skills=True)
@click.option("--days", default=DAYS, type=click.IntRange(1, 366), help="How many days to plot.")
@click.option("--calls", "last", default=0, type=click.IntRange(0, 10_000), help="List the last N.")
def treasury(request: CommandRequest, days: int, last: int) -> Treasury:
    """Today's calls, the burn rate, where it leads, and a plot by day and role (UTC days)."""
    with request.looking() as look:
        return treasury_of(look, SystemClock().now(), days, last)


@tell.register(Treasury)
def _tell_treasury(found: Treasury, request: CommandRequest) -> None:
    block(list(_rows(found)))
    if found.days:
        say()
        for line in plot(found.days, SystemClock().now()):
            click.echo(line)
    if found.calls:
        where = request.zone
        say()
        rows = [
            (
                short_time(c.moment, where),
                c.role,
                c.step,
                c.model,
                f"{c.set_aside if c.tokens is None else c.tokens:,}",
                dollars(c.micros),
                c.outcome or "never told of again",
            )
            for c in found.calls
        ]
        table([("when", "role", "step", "model", "tokens", "cost", "outcome"), *rows])


def _rows(found: Treasury) -> Iterator[tuple[str, str]]:
    caps, ahead, total = found.caps, found.forecast, found.today["total"]
    cap = f" of {caps.tokens:,}" if caps.tokens else ""
    money = f" of ${caps.dollars:.2f}" if caps.dollars else ""
    yield "today", f"{_numbers(total)}   {total.tokens:,}{cap} tokens   {_money(total)}{money}"
    for role, spent in found.today.items():
        if role != "total":
            said = f"{_numbers(spent)}   {spent.tokens:,} tokens   {_money(spent)}"
            yield f"  {role}", said
    unpriced = " and what unpriced calls cost" if any(s.unpriced for s in found.days) else ""
    a_day = dollars(round(ahead.dollars_a_day * MICROS))
    yield "burn rate", f"{found.burn.tokens_a_day:,.0f} tokens a day   {a_day}{unpriced}"
    at = f"{parse_stamp(ahead.cap_reached_at):%H:%M}" if ahead.cap_reached_at else ""
    reached = f" · dailyBudget is reached at {at} UTC" if at else ""
    a_month = dollars(round(ahead.dollars_a_month * MICROS))
    yield "forecast", f"30 days: {a_month}{unpriced}{reached}"
    runs = counted(found.skill_runs, "skill run")
    yield "storage", f"{found.storage_bytes / 1e6:,.1f} MB of archive   {runs}"
    yield "phase", found.phase


def _numbers(spent: Spent) -> str:
    return f"{counted(spent.calls, 'call'):>9}"


def _money(spent: Spent) -> str:
    unpriced = f" + {counted(spent.unpriced, 'unpriced call')}" if spent.unpriced else ""
    return dollars(spent.micros) + unpriced


def plot(spent: Sequence[SpentOn], now: datetime) -> Iterable[str]:
    """Tokens by day since the first that had any, a bar each, a colour and a fill for each role."""
    roles = sorted({s.role for s in spent})
    marks = dict(zip(roles, zip(FILLS * 2, COLOURS * 2, strict=True), strict=False))
    first = datetime.fromisoformat(min(s.day for s in spent)).date()
    days = (now.date() - first).days + 1
    daily = [stamp(now - timedelta(days=n))[:10] for n in reversed(range(days))]
    totals = {d: sum(s.tokens for s in spent if s.day == d) for d in daily}
    most = max(*totals.values(), 1)

    def drawn(role: str, length: int) -> str:
        fill, colour = marks[role]
        return painted(fill * length, colour)

    for day in daily:
        bar = ""
        for role in roles:
            tokens = sum(s.tokens for s in spent if (s.day, s.role) == (day, role))
            bar += drawn(role, max(1, round(BAR * tokens / most)) if tokens else 0)
        yield f"{day}  {bar or '·'}{f' {totals[day]:,}' if totals[day] else ''}"
    yield "            " + "   ".join(f"{drawn(role, 1)} {role}" for role in roles)


@command("egress", for_skills=True)
@click.argument("number", required=False, type=click.IntRange(1, 2**62))
@click.option(
    "-n", "--limit", default=20, type=click.IntRange(1, 100_000), help="How many to list."
)
def egress(
    request: CommandRequest, number: int | None, limit: int
) -> Listed[EgressRow] | TextResult:
    """What was sent to models that are not on this machine; with NUMBER, that call to the byte."""
    with request.looking() as look:
        if number is not None:
            letter = letter_of(look, number)
            return TextResult(letter.told, _letter(letter))
        sent, where = egress_of(look, limit), look.zone

    def row(s: EgressRow) -> tuple[str, ...]:
        size = f"{s.bytes:,}" if s.bytes is not None else "forgotten"
        what = f"{s.call.role}/{s.call.step} → {s.url}"
        return str(s.call.at), short_time(s.call.moment, where), s.call.model, size, what

    return Listed(
        sent,
        row,
        titles=("event", "when", "to", "bytes", "what"),
        none="Nothing has left this machine.",
        hint="  next: lumen egress EVENT shows every word of one",
    )


@data.register(EgressRow)
def _sent_data(sent: EgressRow) -> JSON:
    told = asdict(sent)
    return {**told.pop("call"), **told}


def _letter(letter: EgressDetail) -> Iterator[str]:
    yield f"{letter.timestamp}   {letter.told['url']}   sha256 {letter.told['sha256']}"
    body = dict(letter.told["body"])
    said = body.pop("messages", [])
    if system := body.pop("system", None):
        said = [{"role": "system", "content": system}, *said]
    yield f"settings   {one_line(dumps(body).decode(), 2000)}"
    for message in said:
        yield f"\n── {message['role']}\n{message['content']}"
