"""`lumen approvals`: what the being would like to do and may not do unasked."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import click

from lumen.app.settings import must_be, zone
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
from lumen.body.cli.passphrase import signing
from lumen.body.cli.treasury import dollars
from lumen.core.data import Being
from lumen.kernel.approvals import SKILL, WAITING, Proposal, decide, proposals


@click.group(invoke_without_command=True)
@click.option("--all", "everything", is_flag=True, help="Also what was decided already.")
@shared
def approvals(everything: bool, named: str | None, as_json: bool) -> None:
    """What waits for your word; `allow` and `deny` give it."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    from lumen.soul.index import Index

    being = being_meant(named)
    settings = must_be(being)
    index = Index(being)
    index.catch_up()
    found = [p for p in proposals(index) if everything or p.state == WAITING or p.is_due]
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
        say(f"{p.seq}  {short_time(p.timestamp, where)}  {p.title}  · {p.state}")
        table(_skill(p, being) if p.kind == SKILL else _escalation(p, question), indent="    ")
    note("  next: lumen approvals allow N   or: lumen approvals deny N")


def _escalation(p: Proposal, question: str) -> list[tuple[str, str]]:
    return [
        ("about", f"“{one_line(question, 100)}”"),
        ("expected value", f"{p.expected_value:.2f} of 1"),
        ("cost", f"at most {p.tokens:,} tokens, {dollars(p.micros)}"),
        ("way back", p.way_back),
    ]


def _skill(p: Proposal, being: Being) -> list[tuple[str, str]]:
    return [
        ("written by", p.model),
        ("read it first", str(being.skills / p.skill / "main.py")),
        ("sha256", p.sha256),
        ("would run", "with limits, with your rights: bubblewrap does not work here"),
        ("way back", f"lumen approvals deny {p.seq}"),
    ]


@approvals.command()
@click.argument("number", type=click.IntRange(1, 2**62))
@shared
@signing
def allow(number: int, named: str | None, as_json: bool) -> None:
    """Let proposal NUMBER be carried out, now; your key signs it."""
    from lumen.body.cli.opening import as_author, opened
    from lumen.kernel.escalate import escalate, must_be_known
    from lumen.kernel.turns import carrying_out, in_turn

    being = being_meant(named)
    soul = must_be(being).soul
    with carrying_out(being):
        with as_author(being, note) as kernel:
            kernel.index.catch_up()
            must_be_known(kernel.index, number)
            proposal = decide(kernel.gate, soul, number, allow=True)
        if proposal.kind == SKILL:
            _allowed(proposal, as_json=as_json)
            return
        note(f"asking {proposal.model} …")
        # A turn like any other from here on: others may talk while a server takes its time.
        with opened(being, note) as kernel, in_turn(being):
            text = asyncio.run(escalate(kernel, proposal))
    if as_json:
        show({"proposal": number, "model": proposal.model, "reply": text})
        return
    say(text)


def _allowed(proposal: Proposal, *, as_json: bool) -> None:
    if as_json:
        show({"proposal": proposal.seq, "skill": proposal.skill, "sha256": proposal.sha256})
        return
    say(f"Allowed: {proposal.skill} may run, with limits, for as long as its files are the same.")
    note(f"  next: lumen skills test {proposal.skill}")


@approvals.command()
@click.argument("number", type=click.IntRange(1, 2**62))
@shared
@signing
def deny(number: int, named: str | None, as_json: bool) -> None:
    """Refuse proposal NUMBER."""
    from lumen.body.cli.opening import as_author
    from lumen.kernel.turns import carrying_out

    being = being_meant(named)
    soul = must_be(being).soul
    with carrying_out(being), as_author(being, note) as kernel:
        kernel.index.catch_up()
        proposal = decide(kernel.gate, soul, number, allow=False)
    if as_json:
        show(asdict(proposal))
        return
    refused = f"{proposal.skill} does not run" if proposal.kind == SKILL else ""
    say(f"Denied: {refused or f'{proposal.model} is not asked'}.")
