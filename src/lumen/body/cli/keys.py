"""`lumen keys`: whose word counts in a being, and what the author says of that."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from lumen.app import keys as app
from lumen.app.keys import Keys
from lumen.app.words import counted
from lumen.body.cli.command import YES, agrees, command
from lumen.body.cli.passphrase import passphrase as given_passphrase
from lumen.body.cli.passphrase import read_passphrase, signing
from lumen.body.cli.render import TextResult, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import is_terminal, note, note_fixes, say, table
from lumen.core.errors import UsageError

SHOWN = 16


@click.group()
def keys() -> None:
    """Whose word counts: the host's keys sign heads, the author's what only you may do."""


@command("list", within=keys, for_skills=True)
def list_keys(request: CommandRequest) -> Keys:
    """Every key the archive names: whose it is, since when, and whether it counts."""
    found = app.keys_of(request.being, request.settings.soul)
    if found.trouble:
        note(found.trouble)
    return found


@tell.register(Keys)
def _tell_keys(found: Keys, _request: CommandRequest) -> None:
    rows = [(k.key[:SHOWN], k.role, f"event {k.since:,}", k.state, k.where) for k in found.keys]
    table([("key", "whose", "since", "state", "where"), *rows])
    for key in found.unnamed:
        say(f"{key[:SHOWN]} lies on this host, and the archive does not name it")
    if old := found.unsigned_erasures:
        say(f"{counted(len(old), 'erasure')} not under the author's signature: {_listed(old)}")
        note_fixes(found.fixes)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:10])) + (" …" if len(numbers) > 10 else "")


@command("passphrase", within=keys)
@click.option("--new-file", type=click.Path(path_type=Path), help="Holds the new passphrase.")
@click.option("--remove", is_flag=True, help="Keep the key in the open.")
@signing
def set_passphrase(request: CommandRequest, new_file: Path | None, remove: bool) -> TextResult:
    """Put your key under a passphrase, or under another one."""
    soul = request.settings.soul
    if not app.has_author_key(soul):
        raise UsageError("no key of yours is on this host", fix="lumen keys new")
    if remove and new_file is not None:
        raise UsageError("a passphrase is either new or removed", fix="lumen keys passphrase")
    key, locked = app.change_passphrase(
        soul, given_passphrase, lambda: _new_passphrase(new_file), remove=remove
    )
    how = "is under the new passphrase" if locked else "is under no passphrase now"
    return TextResult({"key": key, "passphrase": locked}, f"Your key {key[:SHOWN]} {how}.")


def _new_passphrase(file: Path | None) -> str:
    fix = "lumen keys passphrase --new-file FILE"
    if file is not None:
        new = read_passphrase(file, fix)
    elif is_terminal(sys.stdin) and is_terminal(sys.stderr):
        new = str(
            click.prompt("New passphrase", hide_input=True, confirmation_prompt=True, err=True)
        )
    else:
        what = "nobody is here to give the new passphrase, so nothing was changed"
        raise UsageError(what, fix=fix)
    if not new:
        raise UsageError("an empty passphrase is none", fix="lumen keys passphrase --remove")
    return new


@command("vouch", within=keys)
@click.argument("key", required=False, default="")
@click.option("--here", is_flag=True, help="Let it count on this host alone; nothing is signed.")
@click.option("--erasures", is_flag=True, help="Vouch for erasures from before they were signed.")
@signing
def vouch(request: CommandRequest, key: str, here: bool, erasures: bool) -> TextResult:
    """Say that KEY is one of yours, or a host of yours; your key signs it."""
    if bool(key) == erasures or (here and erasures):
        raise UsageError(
            "one key, or the erasures of before",
            fix="lumen keys vouch KEY   or: lumen keys vouch --erasures",
        )
    with request.as_author() as kernel:
        if erasures:
            event, old = app.vouch_for_erasures(kernel.gate)
            said = f"You vouched for {counted(len(old), 'erasure')}: {_listed(old)}."
            done = said if old else "Every erasure is under your signature already."
            return TextResult({"event": event, "erasures": old}, done)
        if here:
            app.accept_here(kernel.gate, key)
            said = f"{key[:SHOWN]} counts on this host. Elsewhere nobody has vouched for it."
            return TextResult({"key": key, "here": True}, said)
        event = app.vouch(kernel.gate, key)
        said = f"You vouched for {key[:SHOWN]} in event {event:,}."
        return TextResult({"key": key, "event": event}, said)


@command("revoke", within=keys)
@click.argument("key")
@YES
@signing
def revoke(request: CommandRequest, key: str, yes: bool) -> TextResult | None:
    """Let the word of KEY, lost or stolen, count no longer; your key signs it."""
    app.must_be_named(request.being, request.settings.soul, key)
    question = f"Revoke {key[:SHOWN]}? It cannot be taken back."
    if not agrees(question, yes=yes, fix=f"lumen keys revoke {key[:SHOWN]} --yes"):
        return None
    with request.as_author() as kernel:
        event = app.revoke(kernel.gate, key)
    said = f"Revoked in event {event:,}: what {key[:SHOWN]} signs after it does not count."
    return TextResult({"key": key, "event": event}, said)


@command("new", within=keys)
@YES
@signing
def new_key(request: CommandRequest, yes: bool) -> TextResult | None:
    """Make another key of yours for this host, where the one before is lost."""
    soul = request.settings.soul
    app.must_be_lost(request.being, soul)
    question = "A key that does not count is on this host. Put it aside and make another?"
    if app.has_author_key(soul) and not agrees(question, yes=yes, fix="lumen keys new --yes"):
        return None
    with request.as_author() as kernel:
        made = app.make_key(kernel.gate, soul)
    said = f"Your new key is {made.key[:SHOWN]}, named in event {made.event:,}."
    said += f" The one before is kept in {made.aside}." if made.aside else ""
    then = f"  next: lumen keys vouch --here {made.key[:SHOWN]}, then revoke the one that is lost"
    return TextResult(made, said, hint=then)
