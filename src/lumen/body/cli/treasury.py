"""`lumen treasury` and `lumen egress`: what models cost, and exactly what was sent to whom."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime, timedelta

import click

from lumen.app.settings import must_be, zone
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
from lumen.core.canon import JSON, dumps
from lumen.core.clock import SystemClock, stamp
from lumen.core.data import Event, EventType
from lumen.core.errors import UsageError
from lumen.soul.index import Index
from lumen.soul.ledger import Spent, by_day_and_role, calls, spent_on
from lumen.soul.queries import tally

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
    from lumen.app.wiring import caps_of
    from lumen.kernel.escalate import life
    from lumen.kernel.treasury import forecast

    being = being_meant(named)
    settings = must_be(being)
    caps, now = caps_of(settings), SystemClock().now()
    index = Index(being)
    index.catch_up()
    today = spent_on(index, stamp(now)[:10])
    total = sum(today.values(), Spent())
    ahead = forecast(index, caps, now)
    spent = by_day_and_role(index, stamp(now - timedelta(days=days - 1))[:10])
    listed = list(calls(index, limit=last)) if last else []
    size = sum(p.stat().st_size for p in being.memory.rglob("*.jsonl"))
    tools = tally(index, EventType.TOOL_CALL)
    if as_json:
        show(
            {
                "phase": life(index),
                "today": {"total": asdict(total), **{r: asdict(s) for r, s in today.items()}},
                "caps": {
                    "tokens": caps.tokens,
                    "dollars": caps.dollars,
                    "roles": dict(caps.roles),
                    "escalations_per_hour": caps.escalations,
                },
                "burn": {"days": ahead.days, "tokens_a_day": ahead.tokens_a_day},
                "forecast": _ahead(ahead.micros_a_day, ahead.micros_a_month, ahead.cap_reached),
                "days": [{"day": d, "role": r, **asdict(s)} for (d, r), s in spent.items()],
                "calls": [asdict(c) for c in listed],
                "storage_bytes": size,
                "skill_runs": tools,
            }
        )
        return
    cap = f" of {caps.tokens:,}" if caps.tokens else ""
    money = f" of ${caps.dollars:.2f}" if caps.dollars else ""
    reached = (
        f" · dailyBudget is reached at {ahead.cap_reached:%H:%M} UTC" if ahead.cap_reached else ""
    )
    unpriced = " and what unpriced calls cost" if any(s.unpriced for s in spent.values()) else ""
    a_day, a_month = (dollars(round(n)) for n in (ahead.micros_a_day, ahead.micros_a_month))
    rows = [
        ("today", f"{_numbers(total)}   {total.tokens:,}{cap} tokens   {_money(total)}{money}"),
        *(
            (f"  {r}", f"{_numbers(s)}   {s.tokens:,} tokens   {_money(s)}")
            for r, s in today.items()
        ),
        ("burn rate", f"{ahead.tokens_a_day:,.0f} tokens a day   {a_day}{unpriced}"),
        ("forecast", f"30 days: {a_month}{unpriced}{reached}"),
        ("storage", f"{size / 1e6:,.1f} MB of archive   {counted(tools, 'skill run')}"),
        ("phase", life(index)),
    ]
    width = max(len(label) for label, _ in rows) + 3
    for label, text in rows:
        say(f"{label:<{width}}{text}")
    if spent:
        say()
        for line in plot(spent, now):
            click.echo(line)
    if listed:
        say()
        where = zone(settings.timezone)
        table(
            [
                ("when", "role", "step", "model", "tokens", "cost", "outcome"),
                *(
                    (
                        short_time(c.moment, where),
                        c.role,
                        c.step,
                        c.model,
                        f"{c.set_aside if c.tokens is None else c.tokens:,}",
                        dollars(c.micros),
                        c.outcome or "never told of again",
                    )
                    for c in listed
                ),
            ]
        )


def _ahead(a_day: float, a_month: float, reached: datetime | None) -> dict[str, JSON]:
    return {
        "dollars_a_day": a_day / MICROS,
        "dollars_a_month": a_month / MICROS,
        "cap_reached_at": stamp(reached) if reached else None,
    }


def _numbers(spent: Spent) -> str:
    return f"{counted(spent.calls, 'call'):>9}"


def _money(spent: Spent) -> str:
    unpriced = f" + {counted(spent.unpriced, 'unpriced call')}" if spent.unpriced else ""
    return dollars(spent.micros) + unpriced


def plot(spent: dict[tuple[str, str], Spent], now: datetime) -> Iterable[str]:
    """Tokens by day since the first that had any, a bar each, a colour and a fill for each role."""
    roles = sorted({role for _, role in spent})
    marks = dict(zip(roles, zip(FILLS * 2, COLOURS * 2, strict=True), strict=False))
    first = datetime.fromisoformat(min(day for day, _ in spent)).date()
    days = (now.date() - first).days + 1
    daily = [stamp(now - timedelta(days=n))[:10] for n in reversed(range(days))]
    totals = {d: sum(s.tokens for (on, _), s in spent.items() if on == d) for d in daily}
    most = max(*totals.values(), 1)
    colour = is_terminal(sys.stdout) and not os.environ.get("NO_COLOR")

    def drawn(role: str, length: int) -> str:
        fill, name = marks[role]
        return click.style(fill * length, fg=name) if colour else fill * length

    for day in daily:
        bar = ""
        for role in roles:
            tokens = spent.get((day, role), Spent()).tokens
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
    being = being_meant(named)
    settings = must_be(being)
    index = Index(being)
    index.catch_up()
    if number is not None:
        _show_one(index, number, as_json=as_json)
        return
    sent = [c for c in calls(index) if not c.local][:limit]
    events = {c.id: index.event(c.at) for c in sent}
    rows = [_sent(events[c.id]) for c in sent]
    if as_json:
        show([{**asdict(c), **row} for c, row in zip(sent, rows, strict=True)])
        return
    if not sent:
        say("Nothing has left this machine.")
        return
    where = zone(settings.timezone)
    table(
        [
            ("event", "when", "to", "bytes", "what"),
            *(
                (
                    str(c.at),
                    short_time(c.moment, where),
                    c.model,
                    f"{row['bytes']:,}" if row["bytes"] is not None else "forgotten",
                    f"{c.role}/{c.step} → {row['url']}",
                )
                for c, row in zip(sent, rows, strict=True)
            ),
        ]
    )
    note("  next: lumen egress EVENT shows every word of one")


def _sent(event: Event | None) -> dict[str, JSON]:
    told = event.entry.payload.get("sent") if event else None
    if not told:
        return {"url": "", "bytes": None, "sha256": ""}
    return {"url": told["url"], "bytes": len(dumps(told["body"])), "sha256": told["sha256"]}


def _show_one(index: Index, number: int, *, as_json: bool) -> None:
    event = index.event(number)
    told = event.entry.payload.get("sent") if event else None
    if event is None or not told:
        raise UsageError(f"event {number} sent nothing away", fix="lumen egress")
    if as_json:
        show(told)
        return
    say(f"{event.timestamp}   {told['url']}   sha256 {told['sha256']}")
    body = dict(told["body"])
    said = body.pop("messages", [])
    if system := body.pop("system", None):
        said = [{"role": "system", "content": system}, *said]
    say(f"settings   {one_line(dumps(body).decode(), 2000)}")
    for message in said:
        say(f"\n── {message['role']}\n{message['content']}")
