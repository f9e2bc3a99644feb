"""`lumen approvals`: what the being would like to do and may not do unasked."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import click

from lumen.body.cli.common import (
    being_meant,
    note,
    one_line,
    say,
    shared,
    short_time,
    show,
    table,
)
from lumen.body.cli.treasury import dollars
from lumen.body.config import must_be, zone


@click.group(invoke_without_command=True)
@click.option("--all", "everything", is_flag=True, help="Also what was decided already.")
@shared
def approvals(everything: bool, named: str | None, as_json: bool) -> None:
    """What waits for your word; `allow` and `deny` give it."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    from lumen.kernel.escalate import proposals
    from lumen.soul.index import Index

    being = being_meant(named)
    settings = must_be(being)
    index = Index(being)
    index.catch_up()
    found = [p for p in proposals(index) if everything or p.state in ("waiting", "approved")]
    asked = index.get(p.question for p in found)
    if as_json:
        show([asdict(p) for p in found])
        return
    if not found:
        say("Nothing waits for you.")
        return
    where = zone(settings.timezone)
    for p in found:
        question = asked[p.question].text if p.question in asked else "(forgotten)"
        say(f"{p.seq}  {short_time(p.timestamp, where)}  ask {p.model}  · {p.state}")
        rows = [
            ("about", f"“{one_line(question, 100)}”"),
            ("expected value", f"{p.expected_value:.2f} of 1"),
            ("cost", f"at most {p.tokens:,} tokens, {dollars(p.micros)}"),
            ("way back", p.way_back),
        ]
        table(rows, indent="    ")
    note("  next: lumen approvals allow N   or: lumen approvals deny N")


@approvals.command()
@click.argument("number", type=click.IntRange(1, 2**62))
@shared
def allow(number: int, named: str | None, as_json: bool) -> None:
    """Let proposal NUMBER be carried out, now; your key signs it."""
    from lumen.body.app import as_author
    from lumen.kernel.escalate import decide, escalate, must_be_known

    being = being_meant(named)
    soul = must_be(being).soul
    with as_author(being, note) as kernel:
        kernel.index.catch_up()
        must_be_known(kernel.index, number)
        proposal = decide(kernel.gate, soul, number, allow=True)
        note(f"asking {proposal.model} …")
        text = asyncio.run(escalate(kernel, proposal))
    if as_json:
        show({"proposal": number, "model": proposal.model, "reply": text})
        return
    say(text)


@approvals.command()
@click.argument("number", type=click.IntRange(1, 2**62))
@shared
def deny(number: int, named: str | None, as_json: bool) -> None:
    """Refuse proposal NUMBER."""
    from lumen.body.app import as_author
    from lumen.kernel.escalate import decide

    being = being_meant(named)
    soul = must_be(being).soul
    with as_author(being, note) as kernel:
        kernel.index.catch_up()
        proposal = decide(kernel.gate, soul, number, allow=False)
    if as_json:
        show(asdict(proposal))
        return
    say(f"Denied: {proposal.model} is not asked.")
