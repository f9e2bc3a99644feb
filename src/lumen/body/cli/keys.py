"""`lumen keys`: whose word counts in a being, and what the author says of that."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from lumen.app.settings import data_home, must_be
from lumen.body.cli.common import asked, being_meant, counted, is_terminal, note, say, shared, show
from lumen.body.cli.common import table as print_table
from lumen.body.cli.passphrase import passphrase as given_passphrase
from lumen.body.cli.passphrase import signing
from lumen.core.canon import JSON
from lumen.core.errors import LumenError, UsageError
from lumen.soul.index import Index
from lumen.soul.keys import Keyring
from lumen.soul.trust import Key, Trust
from lumen.soul.witness import trust_in

SHOWN = 16


@click.group()
def keys() -> None:
    """Whose word counts: the host's keys sign heads, the author's what only you may do."""


@keys.command("list")
@shared
def list_keys(named: str | None, as_json: bool) -> None:
    """Every key the archive names: whose it is, since when, and whether it counts."""
    being = being_meant(named)
    soul, keyring = must_be(being).soul, Keyring(data_home())
    index = Index(being)
    try:
        index.catch_up()
        trust = trust_in(index, keyring.accepted(soul))
    finally:
        index.close()
    here = _here(keyring, soul)
    rows = [_row(key, here) for key in trust.keys.values()]
    old = trust.without_word()
    if as_json:
        show({"keys": rows, "unsigned_erasures": old})
        return
    titles = ("key", "whose", "since", "state", "where")
    print_table(
        [
            titles,
            *(
                (r["key"][:SHOWN], r["role"], f"event {r['since']:,}", r["state"], r["where"])
                for r in rows
            ),
        ]
    )
    for line in _missing(here, trust):
        say(line)
    if old:
        say(f"{counted(len(old), 'erasure')} not under the author's signature: {_listed(old)}")
        for fix in dict.fromkeys(trust.heals(seq) or "lumen archive verify" for seq in old):
            note(f"  try: {fix}")


def _row(key: Key, here: dict[str, str]) -> dict[str, JSON]:
    return {
        "key": key.public,
        "role": key.role,
        "since": key.since,
        "state": _state(key),
        "counts": bool(key.vouched) and not key.revoked,
        "vouched": key.vouched or None,
        "revoked": key.revoked or None,
        "where": here.get(key.public, "elsewhere"),
    }


def _state(key: Key) -> str:
    if key.revoked:
        return f"revoked in event {key.revoked:,}"
    return "counts" if key.vouched else "nobody has vouched for it"


def _here(keyring: Keyring, soul: str) -> dict[str, str]:
    """The keys of this host by their public halves, and how each is kept."""
    found: dict[str, str] = {}
    try:
        if keyring.has_key(soul):
            found[keyring.host_public(soul)] = "this host"
        if keyring.has_author_key(soul):
            how = "under a passphrase" if keyring.author_is_locked(soul) else "no passphrase"
            found[keyring.author_public(soul)] = f"this host, {how}"
    except LumenError as error:
        note(f"{error.what}\n  try: {error.fix}")
    return found


def _missing(here: dict[str, str], trust: Trust) -> list[str]:
    """Keys that lie on this host and that the archive does not name."""
    strange = [key for key in here if key not in trust.keys]
    return [f"{key[:SHOWN]} lies on this host, and the archive does not name it" for key in strange]


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers[:10])) + (" …" if len(numbers) > 10 else "")


@keys.command("passphrase")
@click.option("--new-file", type=click.Path(path_type=Path), help="Holds the new passphrase.")
@click.option("--remove", is_flag=True, help="Keep the key in the open.")
@shared
@signing
def set_passphrase(new_file: Path | None, remove: bool, named: str | None, as_json: bool) -> None:
    """Put your key under a passphrase, or under another one."""
    soul, keyring = must_be(being_meant(named)).soul, Keyring(data_home())
    if not keyring.has_author_key(soul):
        raise UsageError("no key of yours is on this host", fix="lumen keys new")
    if remove and new_file is not None:
        raise UsageError("a passphrase is either new or removed", fix="lumen keys passphrase")
    locked = keyring.author_is_locked(soul)
    old = given_passphrase() if locked else ""
    if locked:
        keyring.open_author(soul, lambda: old)  # before anything is asked for in vain
    new = "" if remove else _new_passphrase(new_file)
    keyring.set_passphrase(soul, old, new)
    if as_json:
        show({"key": keyring.author_public(soul), "passphrase": bool(new)})
    else:
        how = "is under the new passphrase" if new else "is under no passphrase now"
        say(f"Your key {keyring.author_public(soul)[:SHOWN]} {how}.")


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
    from lumen.kernel.keys import accept_key, vouch_for_erasures
    from lumen.kernel.keys import vouch as vouch_for

    if bool(key) == erasures or (here and erasures):
        raise UsageError(
            "one key, or the erasures of before",
            fix="lumen keys vouch KEY   or: lumen keys vouch --erasures",
        )
    being = being_meant(named)
    must_be(being)
    with as_author(being, note) as kernel:
        if erasures:
            placed, old = vouch_for_erasures(kernel.gate)
            told: dict[str, JSON] = {"event": placed.seq if placed else None, "erasures": old}
            said = f"You vouched for {counted(len(old), 'erasure')}: {_listed(old)}."
            said = said if old else "Every erasure is under your signature already."
        elif here:
            accept_key(kernel.gate, key)
            told = {"key": key, "here": True}
            said = f"{key[:SHOWN]} counts on this host. Elsewhere nobody has vouched for it."
        else:
            placed = vouch_for(kernel.gate, key)
            told = {"key": key, "event": placed.seq}
            said = f"You vouched for {key[:SHOWN]} in event {placed.seq:,}."
    _tell(told, said, as_json=as_json)


@keys.command()
@click.argument("key")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
@signing
def revoke(key: str, yes: bool, named: str | None, as_json: bool) -> None:
    """Let the word of KEY, lost or stolen, count no longer; your key signs it."""
    from lumen.body.cli.opening import as_author
    from lumen.kernel.keys import revoke as revoke_key

    being = being_meant(named)
    must_be(being)
    question = f"Revoke {key[:SHOWN]}? It cannot be taken back."
    if not asked(question, yes=yes, fix=f"lumen keys revoke {key[:SHOWN]} --yes"):
        say("Nothing was changed.")
        return
    with as_author(being, note) as kernel:
        placed = revoke_key(kernel.gate, key)
    said = f"Revoked in event {placed.seq:,}: what {key[:SHOWN]} signs after it does not count."
    _tell({"key": key, "event": placed.seq}, said, as_json=as_json)


@keys.command("new")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
@signing
def new_key(yes: bool, named: str | None, as_json: bool) -> None:
    """Make another key of yours for this host, where the one before is lost."""
    from lumen.body.cli.opening import as_author
    from lumen.kernel.keys import new_author_key

    being = being_meant(named)
    soul, keyring = must_be(being).soul, Keyring(data_home())
    kept = keyring.author_file(soul)
    if keyring.has_author_key(soul):
        question = "A key of yours is on this host. Put it aside and make another?"
        if not asked(question, yes=yes, fix="lumen keys new --yes"):
            say("Nothing was changed.")
            return
    with as_author(being, note) as kernel:
        aside = _put_aside(kept)
        placed = new_author_key(kernel.gate)
        public = keyring.author_public(soul)
    told: dict[str, JSON] = {"key": public, "event": placed.seq, "aside": aside}
    said = f"Your new key is {public[:SHOWN]}, named in event {placed.seq:,}."
    said += f" The one before is kept in {aside}." if aside else ""
    _tell(told, said, as_json=as_json)
    if not as_json:
        note(f"  next: lumen keys vouch --here {public[:SHOWN]}, then revoke the one that is lost")


def _put_aside(kept: Path) -> str:
    """Move a key out of the way, never onto another."""
    if not kept.exists():
        return ""
    number = 1
    while (aside := kept.with_suffix(f".{number}.aside")).exists():
        number += 1
    kept.rename(aside)
    return str(aside)


def _tell(told: dict[str, JSON], said: str, *, as_json: bool) -> None:
    if as_json:
        show(told)
    else:
        say(said)
