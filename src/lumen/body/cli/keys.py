"""`lumen keys`: whose word counts in a being, and what the author says of that."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from lumen.app import keys as app
from lumen.app.settings import must_be
from lumen.body.cli.common import asked, being_meant, counted, is_terminal, note, say, shared, show
from lumen.body.cli.common import table as print_table
from lumen.body.cli.passphrase import passphrase as given_passphrase
from lumen.body.cli.passphrase import signing
from lumen.core.canon import JSON
from lumen.core.errors import UsageError

SHOWN = 16


@click.group()
def keys() -> None:
    """Whose word counts: the host's keys sign heads, the author's what only you may do."""


@keys.command("list")
@shared
def list_keys(named: str | None, as_json: bool) -> None:
    """Every key the archive names: whose it is, since when, and whether it counts."""
    being = being_meant(named)
    found = app.keys_of(being, must_be(being).soul)
    if found.trouble:
        note(found.trouble)
    if as_json:
        show({"keys": found.keys, "unsigned_erasures": found.unsigned_erasures})
        return
    titles = ("key", "whose", "since", "state", "where")
    print_table(
        [
            titles,
            *((k.key[:SHOWN], k.role, f"event {k.since:,}", k.state, k.where) for k in found.keys),
        ]
    )
    for key in found.unnamed:
        say(f"{key[:SHOWN]} lies on this host, and the archive does not name it")
    if old := found.unsigned_erasures:
        say(f"{counted(len(old), 'erasure')} not under the author's signature: {_listed(old)}")
        for fix in found.fixes:
            note(f"  try: {fix}")


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:10])) + (" …" if len(numbers) > 10 else "")


@keys.command("passphrase")
@click.option("--new-file", type=click.Path(path_type=Path), help="Holds the new passphrase.")
@click.option("--remove", is_flag=True, help="Keep the key in the open.")
@shared
@signing
def set_passphrase(new_file: Path | None, remove: bool, named: str | None, as_json: bool) -> None:
    """Put your key under a passphrase, or under another one."""
    soul = must_be(being_meant(named)).soul
    if not app.has_author_key(soul):
        raise UsageError("no key of yours is on this host", fix="lumen keys new")
    if remove and new_file is not None:
        raise UsageError("a passphrase is either new or removed", fix="lumen keys passphrase")
    key, locked = app.change_passphrase(
        soul, given_passphrase, lambda: "" if remove else _new_passphrase(new_file)
    )
    if as_json:
        show({"key": key, "passphrase": locked})
    else:
        how = "is under the new passphrase" if locked else "is under no passphrase now"
        say(f"Your key {key[:SHOWN]} {how}.")


def _new_passphrase(file: Path | None) -> str:
    if file is not None:
        try:
            new = file.read_text("utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            fix = "lumen keys passphrase --new-file FILE"
            raise UsageError(f"{file} cannot be read: {error}", fix=fix) from error
    elif is_terminal(sys.stdin) and is_terminal(sys.stderr):
        new = str(
            click.prompt("New passphrase", hide_input=True, confirmation_prompt=True, err=True)
        )
    else:
        raise UsageError(
            "nobody is here to give the new passphrase, so nothing was changed",
            fix="lumen keys passphrase --new-file FILE",
        )
    if not new:
        raise UsageError("an empty passphrase is none", fix="lumen keys passphrase --remove")
    return new


@keys.command()
@click.argument("key", required=False, default="")
@click.option("--here", is_flag=True, help="Let it count on this host alone; nothing is signed.")
@click.option("--erasures", is_flag=True, help="Vouch for erasures from before they were signed.")
@shared
@signing
def vouch(key: str, here: bool, erasures: bool, named: str | None, as_json: bool) -> None:
    """Say that KEY is one of yours, or a host of yours; your key signs it."""
    from lumen.body.cli.opening import as_author

    if bool(key) == erasures or (here and erasures):
        raise UsageError(
            "one key, or the erasures of before",
            fix="lumen keys vouch KEY   or: lumen keys vouch --erasures",
        )
    being = being_meant(named)
    must_be(being)
    with as_author(being, note) as kernel:
        if erasures:
            event, old = app.vouch_for_erasures(kernel.gate)
            told: dict[str, JSON] = {"event": event, "erasures": old}
            said = f"You vouched for {counted(len(old), 'erasure')}: {_listed(old)}."
            said = said if old else "Every erasure is under your signature already."
        elif here:
            app.accept_here(kernel.gate, key)
            told = {"key": key, "here": True}
            said = f"{key[:SHOWN]} counts on this host. Elsewhere nobody has vouched for it."
        else:
            event = app.vouch(kernel.gate, key)
            told = {"key": key, "event": event}
            said = f"You vouched for {key[:SHOWN]} in event {event:,}."
    _tell(told, said, as_json=as_json)


@keys.command()
@click.argument("key")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
@signing
def revoke(key: str, yes: bool, named: str | None, as_json: bool) -> None:
    """Let the word of KEY, lost or stolen, count no longer; your key signs it."""
    from lumen.body.cli.opening import as_author

    being = being_meant(named)
    app.must_be_named(being, must_be(being).soul, key)
    question = f"Revoke {key[:SHOWN]}? It cannot be taken back."
    if not asked(question, yes=yes, fix=f"lumen keys revoke {key[:SHOWN]} --yes"):
        say("Nothing was changed.")
        return
    with as_author(being, note) as kernel:
        event = app.revoke(kernel.gate, key)
    said = f"Revoked in event {event:,}: what {key[:SHOWN]} signs after it does not count."
    _tell({"key": key, "event": event}, said, as_json=as_json)


@keys.command("new")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
@signing
def new_key(yes: bool, named: str | None, as_json: bool) -> None:
    """Make another key of yours for this host, where the one before is lost."""
    from lumen.body.cli.opening import as_author

    being = being_meant(named)
    soul = must_be(being).soul
    if app.has_author_key(soul):
        question = "A key of yours is on this host. Put it aside and make another?"
        if not asked(question, yes=yes, fix="lumen keys new --yes"):
            say("Nothing was changed.")
            return
    with as_author(being, note) as kernel:
        made = app.make_key(kernel.gate, soul)
    said = f"Your new key is {made.key[:SHOWN]}, named in event {made.event:,}."
    said += f" The one before is kept in {made.aside}." if made.aside else ""
    _tell(made, said, as_json=as_json)
    if not as_json:
        note(
            f"  next: lumen keys vouch --here {made.key[:SHOWN]}, then revoke the one that is lost"
        )


def _tell(told: JSON, said: str, *, as_json: bool) -> None:
    if as_json:
        show(told)
    else:
        say(said)
