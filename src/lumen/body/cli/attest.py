"""`lumen attest`: answer a challenge with a signed statement, and check such an answer."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import click

from lumen.app.settings import data_home, must_be
from lumen.body.cli.common import being_meant, note, say, shared, show
from lumen.core.clock import SystemClock, stamp
from lumen.core.data import Being
from lumen.core.errors import Damaged, NotABeing, UsageError
from lumen.soul.attest import LARGEST, Statement, must_be_challenge, signed, statement_from
from lumen.soul.index import Index
from lumen.soul.keys import Keyring
from lumen.soul.trust import HOST
from lumen.soul.verify import verify
from lumen.soul.witness import trust_in

SURE = 8  # letters of a key that say which one is meant


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
        must_be_challenge(challenge)
    if file is not None:
        _check(_read(file), challenge, key, named, as_json=as_json)
    elif challenge is None or key:
        what = "--key goes with --check" if key else "there is nothing to answer"
        raise UsageError(what, fix="lumen attest --challenge TEXT   or: lumen attest --check FILE")
    else:
        _answer(challenge, named, as_json=as_json)


def _answer(challenge: str, named: str | None, *, as_json: bool) -> None:
    being = being_meant(named)
    soul, keyring = must_be(being).soul, Keyring(data_home())
    report = verify(being, keyring, soul=soul, processes=os.cpu_count() or 1)
    if report.problem:
        what = f"event {report.problem.seq:,} {report.problem.what}"
        raise Damaged(f"the archive does not verify: {what}", fix="lumen archive verify")
    if not keyring.has_key(soul):
        raise UsageError("this host has no key for the being", fix="talk with it once: lumen chat")
    now = stamp(SystemClock().now())
    statement = signed(
        Statement(soul, report.count, report.head, challenge, now),
        partial(keyring.host_sign, soul),
    )
    standing = _standing(being, statement.key, report.count)
    if as_json:
        show({"statement": asdict(statement), "counts": standing.counts, "why": standing.words})
        return
    click.echo(statement.line)
    note(f"signed with this host's key {statement.key[:16]}, which {standing.words}")


def _check(
    statement: Statement, challenge: str | None, key: str, named: str | None, *, as_json: bool
) -> None:
    found = _problem(statement, challenge, key)
    told = "no being is here to compare it with"
    if not found and (being := _being_of(statement, named)):
        told, found = _compared(being, statement)
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


def _problem(statement: Statement, challenge: str | None, key: str) -> str:
    """What is wrong with a statement in itself; empty when nothing is."""
    if not statement.is_signed:
        return "the statement is not what its key signed"
    if challenge is not None and challenge != statement.challenge:
        return "it answers another challenge"
    if key and not (len(key) >= SURE and statement.key.startswith(key.lower())):
        return f"it is signed by the key {statement.key}, not by that one"
    return ""


def _compared(being: Being, statement: Statement) -> tuple[str, str]:
    """What the being here says to it, and what speaks against it."""
    index = Index(being)
    try:
        index.catch_up()
        hash_here, last = index.hash_of(statement.seq), index.last_head()[0]
    finally:
        index.close()
    standing = _standing(being, statement.key, statement.seq)
    if hash_here and hash_here != statement.event_hash:
        return "", f"the being in {being.root} has another event {statement.seq:,}"
    if not standing.counts:
        return "", f"its key {standing.words} in the being in {being.root}"
    if not hash_here:
        return f"the being in {being.root} ends before that, at event {last:,}", ""
    return f"so it stands in {being.root}; the key {standing.words}", ""


@dataclass(frozen=True, slots=True)
class _Standing:
    counts: bool
    words: str  # a predicate to the key


def _standing(being: Being, public: str, seq: int) -> _Standing:
    """How a key stands in the archive: whether its word, given at an event, counts."""
    index = Index(being)
    try:
        index.catch_up()
        accepted = Keyring(data_home()).accepted(must_be(being).soul)
        key = trust_in(index, accepted).keys.get(public)
    finally:
        index.close()
    if key is None:
        return _Standing(False, "the archive does not name")
    if key.role != HOST:
        return _Standing(False, "is the author's, not a host's")
    if key.counts_at(seq):
        return _Standing(True, f"counts since event {key.since:,}")
    how = f"was revoked in event {key.revoked:,}" if key.revoked else "nobody has vouched for"
    return _Standing(False, how)


def _being_of(statement: Statement, named: str | None) -> Being | None:
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


def _read(file: Path) -> Statement:
    try:
        with file.open("rb") as source:
            return statement_from(source.read(LARGEST + 1))
    except OSError as error:
        fix = "lumen attest --check FILE"
        raise UsageError(f"{file} cannot be read: {error.strerror}", fix=fix) from error
