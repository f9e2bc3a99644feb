"""`lumen attest`: answer a challenge with a signed statement, and check such an answer."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from lumen.app import attesting as app
from lumen.app.settings import must_be
from lumen.body.cli.common import being_meant, note, say, shared, show
from lumen.core.clock import SystemClock
from lumen.core.data import Being
from lumen.core.errors import NotABeing, UsageError


@click.command()
@click.option("--challenge", metavar="TEXT", help="What the one who asks wants to read in it.")
@click.option("--check", "file", type=click.Path(path_type=Path), help="Check a statement instead.")
@click.option("--key", default="", metavar="HEX", help="With --check: the key it must be by.")
@shared
def attest(
    challenge: str | None, file: Path | None, key: str, named: str | None, as_json: bool
) -> None:
    """State, signed, which being this is and where its archive ends; or check such a statement."""
    if challenge is not None:
        app.must_be_challenge(challenge)
    if file is not None:
        _check(app.read_statement(file), challenge, key, named, as_json=as_json)
    elif challenge is None or key:
        what = "--key goes with --check" if key else "there is nothing to answer"
        raise UsageError(what, fix="lumen attest --challenge TEXT   or: lumen attest --check FILE")
    else:
        _answer(challenge, named, as_json=as_json)


def _answer(challenge: str, named: str | None, *, as_json: bool) -> None:
    made = app.attest(being_meant(named), challenge, SystemClock())
    statement, standing = made.statement, made.standing
    if as_json:
        show({"statement": asdict(statement), "counts": standing.counts, "why": standing.words})
        return
    click.echo(made.line)
    note(f"signed with this host's key {statement.key[:16]}, which {standing.words}")


def _check(
    statement: app.Statement, challenge: str | None, key: str, named: str | None, *, as_json: bool
) -> None:
    found = app.problem_with(statement, challenge, key)
    told = "no being is here to compare it with"
    if not found and (being := _being_of(statement, named)):
        told, found = app.compared(being, statement)
    if as_json:
        show({"ok": not found, "problem": found, "compared": told, "statement": asdict(statement)})
    elif found:
        say(f"✗ {found}.")
    else:
        say(f"✓ signed by the key {statement.key}")
        say(f"  being {statement.soul} · event {statement.seq:,} · head {statement.event_hash}")
        say(f"  in answer to “{statement.challenge}”, {statement.created}")
        say(f"  {told}")
    if found:
        click.get_current_context().exit(1)


def _being_of(statement: app.Statement, named: str | None) -> Being | None:
    """The being here that a statement is about; one that was named must be it."""
    being = being_meant(named)
    try:
        soul = must_be(being).soul
    except NotABeing:
        if named is not None:
            raise
        return None
    if soul == statement.soul:
        return being
    if named is not None:
        raise UsageError(f"{being.root} is another being", fix="lumen attest --check FILE")
    return None
