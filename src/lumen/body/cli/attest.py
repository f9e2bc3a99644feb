"""`lumen attest`: answer a challenge with a signed statement, and check such an answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from lumen.app import attesting as app
from lumen.app.attesting import Attested, Statement
from lumen.body.cli.command import command
from lumen.body.cli.render import data, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import note, say
from lumen.core.canon import JSON
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths
from lumen.core.errors import NotABeing, UsageError


@dataclass(frozen=True, slots=True)
class StatementCheck:
    """Whether a statement holds, what is wrong with it, and what the being here says to it."""

    ok: bool
    problem: str
    compared: str
    statement: Statement


@command("attest")
@click.option("--challenge", metavar="TEXT", help="What the one who asks wants to read in it.")
@click.option("--check", "file", type=click.Path(path_type=Path), help="Check a statement instead.")
@click.option("--key", default="", metavar="HEX", help="With --check: the key it must be by.")
def attest(
    request: CommandRequest, challenge: str | None, file: Path | None, key: str
) -> Attested | StatementCheck:
    """State, signed, which being this is and where its archive ends; or check such a statement."""
    if challenge is not None:
        app.must_be_challenge(challenge)
    if file is not None:
        return _check(app.read_statement(file), challenge, key, request)
    if challenge is None or key:
        what = "--key goes with --check" if key else "there is nothing to answer"
        raise UsageError(what, fix="lumen attest --challenge TEXT   or: lumen attest --check FILE")
    return app.attest(request.being, challenge, SystemClock())


@data.register(Attested)
def _attested_data(made: Attested) -> JSON:
    standing = made.standing
    return {"statement": made.statement, "counts": standing.counts, "why": standing.words}


@tell.register(Attested)
def _tell_attested(made: Attested, _request: CommandRequest) -> None:
    click.echo(made.line)
    key, standing = made.statement.key, made.standing
    note(f"signed with this host's key {key[:16]}, which {standing.words}")


def _check(
    statement: Statement, challenge: str | None, key: str, request: CommandRequest
) -> StatementCheck:
    found = app.problem_with(statement, challenge, key)
    told = "no being is here to compare it with"
    if not found and (being := _being_of(statement, request)):
        told, found = app.compared(being, statement)
    return StatementCheck(not found, found, told, statement)


@tell.register(StatementCheck)
def _tell_checked(checked: StatementCheck, _request: CommandRequest) -> None:
    statement = checked.statement
    if not checked.ok:
        say(f"✗ {checked.problem}.")
        return
    say(f"✓ signed by the key {statement.key}")
    say(f"  being {statement.soul} · event {statement.seq:,} · head {statement.event_hash}")
    say(f"  in answer to “{statement.challenge}”, {statement.created}")
    say(f"  {checked.compared}")


def _being_of(statement: Statement, request: CommandRequest) -> BeingPaths | None:
    """The being here that a statement is about; one that was named must be it."""
    try:
        soul = request.settings.soul
    except NotABeing:
        if request.named is not None:
            raise
        return None
    if soul == statement.soul:
        return request.being
    if request.named is not None:
        what = f"{request.being.root} is another being"
        raise UsageError(what, fix="lumen attest --check FILE")
    return None
