"""`lumen treasury` and `lumen egress`: what models cost, and exactly what was sent to whom."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from lumen.app.looking import looking
from lumen.body.cli.common import (
    being_meant,
    counted,
    is_terminal,
    note,
    one_line,
    say,
    shared,
    short_time,
    show,
    table,
)
from lumen.core.canon import dumps
from lumen.core.clock import SystemClock, parse_stamp, stamp

if TYPE_CHECKING:
    from lumen.app.spending import Letter, Spent, SpentOn

MICROS = 1_000_000
DAYS = 14
BAR = 40
COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red", "white", "bright_black")
FILLS = "█▓▒░▚▞▤▥"


def dollars(micros: int | None) -> str:
    """Money as it is read; what nobody has a price for is not zero."""
    if micros is None:
        return "unpriced"
    return "free" if not micros else f"${micros / MICROS:,.4f}"


@click.command()
@click.option("--days", default=DAYS, type=click.IntRange(1, 366), help="How many days to plot.")
@click.option("--calls", "last", default=0, type=click.IntRange(0, 10_000), help="List the last N.")
@shared
def treasury(days: int, last: int, named: str | None, as_json: bool) -> None:
    """Today's calls, the burn rate, where it leads, and a plot by day and role (UTC days)."""
    from lumen.app.spending import treasury_of

    now = SystemClock().now()
    with looking(being_meant(named), note) as look:
        found = treasury_of(look, now, days, last)
    if as_json:
        show(found)
        return
    caps, ahead, total = found.caps, found.forecast, found.today["total"]
    cap = f" of {caps.tokens:,}" if caps.tokens else ""
    money = f" of ${caps.dollars:.2f}" if caps.dollars else ""
    at = f"{parse_stamp(ahead.cap_reached_at):%H:%M}" if ahead.cap_reached_at else ""
    reached = f" · dailyBudget is reached at {at} UTC" if at else ""
    unpriced = " and what unpriced calls cost" if any(s.unpriced for s in found.days) else ""
    a_day, a_month = (
        dollars(round(n * MICROS)) for n in (ahead.dollars_a_day, ahead.dollars_a_month)
    )
    rows = [
        ("today", f"{_numbers(total)}   {total.tokens:,}{cap} tokens   {_money(total)}{money}"),
        *(
            (f"  {r}", f"{_numbers(s)}   {s.tokens:,} tokens   {_money(s)}")
            for r, s in found.today.items()
            if r != "total"
        ),
        ("burn rate", f"{found.burn.tokens_a_day:,.0f} tokens a day   {a_day}{unpriced}"),
        ("forecast", f"30 days: {a_month}{unpriced}{reached}"),
        (
            "storage",
            f"{found.storage_bytes / 1e6:,.1f} MB of archive   {counted(found.skill_runs, 'skill run')}",
        ),
        ("phase", found.phase),
    ]
    width = max(len(label) for label, _ in rows) + 3
    for label, text in rows:
        say(f"{label:<{width}}{text}")
    if found.days:
        say()
        for line in plot(found.days, now):
            click.echo(line)
    if found.calls:
        say()
        table(
            [
                ("when", "role", "step", "model", "tokens", "cost", "outcome"),
                *(
                    (
                        short_time(c.moment, look.zone),
                        c.role,
                        c.step,
                        c.model,
                        f"{c.set_aside if c.tokens is None else c.tokens:,}",
                        dollars(c.micros),
                        c.outcome or "never told of again",
                    )
                    for c in found.calls
                ),
            ]
        )


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
    colour = is_terminal(sys.stdout) and not os.environ.get("NO_COLOR")

    def drawn(role: str, length: int) -> str:
        fill, name = marks[role]
        return click.style(fill * length, fg=name) if colour else fill * length

    for day in daily:
        bar = ""
        for role in roles:
            tokens = sum(s.tokens for s in spent if (s.day, s.role) == (day, role))
            bar += drawn(role, max(1, round(BAR * tokens / most)) if tokens else 0)
        yield f"{day}  {bar or '·'}{f' {totals[day]:,}' if totals[day] else ''}"
    yield "            " + "   ".join(f"{drawn(role, 1)} {role}" for role in roles)


@click.command()
@click.argument("number", required=False, type=click.IntRange(1, 2**62))
@click.option(
    "-n", "--limit", default=20, type=click.IntRange(1, 100_000), help="How many to list."
)
@shared
def egress(number: int | None, limit: int, named: str | None, as_json: bool) -> None:
    """What was sent to models that are not on this machine; with NUMBER, that call to the byte."""
    from lumen.app.spending import egress_of, letter_of

    with looking(being_meant(named), note) as look:
        if number is not None:
            _show_one(letter_of(look, number), as_json=as_json)
            return
        sent = egress_of(look, limit)
    if as_json:
        show([{**asdict(s.call), "url": s.url, "bytes": s.bytes, "sha256": s.sha256} for s in sent])
        return
    if not sent:
        say("Nothing has left this machine.")
        return
    table(
        [
            ("event", "when", "to", "bytes", "what"),
            *(
                (
                    str(s.call.at),
                    short_time(s.call.moment, look.zone),
                    s.call.model,
                    f"{s.bytes:,}" if s.bytes is not None else "forgotten",
                    f"{s.call.role}/{s.call.step} → {s.url}",
                )
                for s in sent
            ),
        ]
    )
    note("  next: lumen egress EVENT shows every word of one")


def _show_one(found: Letter, *, as_json: bool) -> None:
    if as_json:
        show(found.told)
        return
    say(f"{found.timestamp}   {found.told['url']}   sha256 {found.told['sha256']}")
    body = dict(found.told["body"])
    said = body.pop("messages", [])
    if system := body.pop("system", None):
        said = [{"role": "system", "content": system}, *said]
    say(f"settings   {one_line(dumps(body).decode(), 2000)}")
    for message in said:
        say(f"\n── {message['role']}\n{message['content']}")
