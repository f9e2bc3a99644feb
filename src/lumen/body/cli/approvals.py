"""`lumen approvals`: what the being would like to do and may not do unasked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import click

from lumen.app import approving as app
from lumen.app.approving import ApprovalRequest, Approved, Pending
from lumen.app.words import short_time
from lumen.body.cli.command import command, group
from lumen.body.cli.passphrase import signing
from lumen.body.cli.render import TextResult, data, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import note, one_line, say, table
from lumen.body.cli.treasury import dollars
from lumen.core.canon import JSON

NUMBER = click.argument("number", type=click.IntRange(1, 2**62))


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for the author's word."""

    found: tuple[Pending, ...]


@group("approvals", for_skills=True)
@click.option("--all", "everything", is_flag=True, help="Also what was decided already.")
def approvals(request: CommandRequest, everything: bool) -> Waiting:
    """What waits for your word; `allow` and `deny` give it."""
    with request.looking() as look:
        return Waiting(app.pending(look.index, everything=everything))


@data.register(Waiting)
def _waiting_data(waiting: Waiting) -> JSON:
    return [one.proposal for one in waiting.found]


@tell.register(Waiting)
def _tell_waiting(waiting: Waiting, request: CommandRequest) -> None:
    if not waiting.found:
        say("Nothing waits for you.")
        return
    where = request.zone
    for one in waiting.found:
        p = one.proposal
        say(f"{p.seq}  {short_time(p.timestamp, where)}  {p.title}  · {p.state}")
        table(_skill(p, request) if one.runs_a_skill else _escalation(one), indent="    ")
    note("  next: lumen approvals allow N   or: lumen approvals deny N")


def _escalation(one: Pending) -> list[tuple[str, str]]:
    p = one.proposal
    return [
        ("about", f"“{one_line(one.question or '(forgotten)', 100)}”"),
        ("expected value", f"{p.expected_value:.2f} of 1"),
        ("cost", f"at most {p.tokens:,} tokens, {dollars(p.micros)}"),
        ("way back", p.way_back),
    ]


def _skill(p: ApprovalRequest, request: CommandRequest) -> list[tuple[str, str]]:
    return [
        ("written by", p.model),
        ("read it first", str(request.being.skills / p.skill / "main.py")),
        ("sha256", p.sha256),
        ("would run", "with limits, with your rights: bubblewrap does not work here"),
        ("way back", f"lumen approvals deny {p.seq}"),
    ]


@command("allow", within=approvals)
@NUMBER
@signing
def allow(request: CommandRequest, number: int) -> Approved:
    """Let proposal NUMBER be carried out, now; your key signs it."""
    soul = request.settings.soul
    with app.one_at_a_time(request.being):
        with request.as_author() as kernel:
            proposal = app.sign_yes(kernel, soul, number)
        if proposal.skill:
            return Approved(proposal)
        note(f"asking {proposal.model} …")
        with request.opened() as kernel:
            return asyncio.run(app.carry_out(kernel, proposal))


@data.register(Approved)
def _approved_data(approved: Approved) -> JSON:
    p = approved.proposal
    if p.skill:
        return {"proposal": p.seq, "skill": p.skill, "sha256": p.sha256}
    return {"proposal": p.seq, "model": p.model, "reply": approved.reply}


@tell.register(Approved)
def _tell_approved(approved: Approved, _request: CommandRequest) -> None:
    if skill := approved.proposal.skill:
        say(f"Allowed: {skill} may run, with limits, for as long as its files are the same.")
        note(f"  next: lumen skills test {skill}")
    else:
        say(approved.reply)


@command("deny", within=approvals)
@NUMBER
@signing
def deny(request: CommandRequest, number: int) -> TextResult:
    """Refuse proposal NUMBER."""
    soul = request.settings.soul
    with app.one_at_a_time(request.being), request.as_author() as kernel:
        proposal = app.sign_no(kernel, soul, number)
    model, skill = proposal.model, proposal.skill
    return TextResult(
        proposal, f"Denied: {f'{skill} does not run' if skill else f'{model} is not asked'}."
    )
