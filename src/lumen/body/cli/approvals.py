"""`lumen approvals`: what the being would like to do and may not do unasked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import click

from lumen.app import approving as app
from lumen.app.approving import ApprovalRequest, Pending
from lumen.app.words import short_time
from lumen.body.cli.command import command, group
from lumen.body.cli.passphrase import signing
from lumen.body.cli.render import TextResult
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import lined_up, note, one_line
from lumen.body.cli.treasury import dollars

NUMBER = click.argument("number", type=click.IntRange(1, 2**62))


@group("approvals", for_skills=True)
@click.option("--all", "everything", is_flag=True, help="Also what was decided already.")
def approvals(request: CommandRequest, everything: bool) -> TextResult:
    """What waits for your word; `allow` and `deny` give it."""
    with request.looking() as look:
        found = app.pending(look.index, everything=everything)
    told = [line for one in found for line in _lines(one, request)]
    then = "  next: lumen approvals allow N   or: lumen approvals deny N" if found else ""
    return TextResult([one.proposal for one in found], told or "Nothing waits for you.", then)


def _lines(one: Pending, request: CommandRequest) -> Iterator[str]:
    p = one.proposal
    yield f"{p.seq}  {short_time(p.timestamp, request.zone)}  {p.title}  · {p.state}"
    yield from lined_up(_skill(p, request) if one.runs_a_skill else _escalation(one), indent="    ")


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
def allow(request: CommandRequest, number: int) -> TextResult:
    """Let proposal NUMBER be carried out, now; your key signs it."""
    soul = request.settings.soul
    with app.one_at_a_time(request.being):
        with request.as_author() as kernel:
            proposal = app.sign_yes(kernel, soul, number)
        if skill := proposal.skill:
            told = {"proposal": proposal.seq, "skill": skill, "sha256": proposal.sha256}
            said = f"Allowed: {skill} may run, with limits, for as long as its files are the same."
            return TextResult(told, said, hint=f"  next: lumen skills test {skill}")
        note(f"asking {proposal.model} …")
        with request.opened() as kernel:
            reply = asyncio.run(app.carry_out(kernel, proposal)).reply
    told = {"proposal": proposal.seq, "model": proposal.model, "reply": reply}
    return TextResult(told, reply)


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
