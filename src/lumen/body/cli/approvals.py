"""`lumen approvals`: what the being would like to do and may not do unasked."""

from __future__ import annotations

import asyncio

import click

from lumen.app.approving import Proposal, pending
from lumen.app.looking import looking
from lumen.app.settings import must_be
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


@click.group(invoke_without_command=True)
@click.option("--all", "everything", is_flag=True, help="Also what was decided already.")
@shared
def approvals(everything: bool, named: str | None, as_json: bool) -> None:
    """What waits for your word; `allow` and `deny` give it."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    being = being_meant(named)
    with looking(being, note) as look:
        found = pending(look.index, everything=everything)
    if as_json:
        show([one.proposal for one in found])
        return
    if not found:
        say("Nothing waits for you.")
        return
    for one in found:
        p = one.proposal
        say(f"{p.seq}  {short_time(p.timestamp, look.zone)}  {p.title}  · {p.state}")
        told = _skill(p, being) if one.runs_a_skill else _escalation(p, one.question)
        table(told, indent="    ")
    note("  next: lumen approvals allow N   or: lumen approvals deny N")


def _escalation(p: Proposal, question: str) -> list[tuple[str, str]]:
    return [
        ("about", f"“{one_line(question or '(forgotten)', 100)}”"),
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
    from lumen.app.approving import carry_out, one_at_a_time, sign_yes
    from lumen.body.cli.opening import as_author, opened

    being = being_meant(named)
    soul = must_be(being).soul
    with one_at_a_time(being):
        with as_author(being, note) as kernel:
            proposal = sign_yes(kernel, soul, number)
        if proposal.skill:
            _allowed(proposal, as_json=as_json)
            return
        note(f"asking {proposal.model} …")
        with opened(being, note) as kernel:
            text = asyncio.run(carry_out(kernel, proposal)).reply
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
    from lumen.app.approving import one_at_a_time, sign_no
    from lumen.body.cli.opening import as_author

    being = being_meant(named)
    soul = must_be(being).soul
    with one_at_a_time(being), as_author(being, note) as kernel:
        proposal = sign_no(kernel, soul, number)
    if as_json:
        show(proposal)
        return
    refused = f"{proposal.skill} does not run" if proposal.skill else ""
    say(f"Denied: {refused or f'{proposal.model} is not asked'}.")
