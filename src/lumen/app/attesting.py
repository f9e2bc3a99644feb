"""A signed statement of which being this is and where its archive ends, and the check of one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lumen.app.keys import KeyStanding, standing
from lumen.app.settings import data_home, must_be
from lumen.app.storage import asking
from lumen.core.clock import Clock, stamp
from lumen.core.data import BeingPaths
from lumen.core.errors import Damaged, UsageError
from lumen.soul.checking.verify import verify
from lumen.soul.trust.attest import LARGEST, signed, statement_from
from lumen.soul.trust.attest import Statement as Statement
from lumen.soul.trust.attest import must_be_challenge as must_be_challenge
from lumen.soul.trust.keys import Keyring

SURE = 8  # letters of a key that say which one is meant


@dataclass(frozen=True, slots=True)
class Attested:
    """A statement, and how the key under it stands in the being's own archive."""

    statement: Statement
    line: bytes
    standing: KeyStanding


def attest(being: BeingPaths, challenge: str, clock: Clock) -> Attested:
    """State, signed with this host's key, which being this is and where its archive ends.

    Raises:
        Damaged: the archive does not verify.
        UsageError: this host has no key for the being.
    """
    soul, keyring = must_be(being).soul, Keyring(data_home())
    report = verify(being, keyring, soul=soul, processes=os.cpu_count() or 1)
    if report.problem:
        what = f"event {report.problem.seq:,} {report.problem.what}"
        raise Damaged(f"the archive does not verify: {what}", fix="lumen archive verify")
    if not keyring.has_key(soul):
        raise UsageError("this host has no key for the being", fix="talk with it once: lumen chat")
    statement = signed(
        Statement(soul, report.count, report.head, challenge, stamp(clock.now())),
        partial(keyring.host_sign, soul),
    )
    stands = standing(being, soul, statement.key, report.count)
    return Attested(statement, statement.line, stands)


def problem_with(statement: Statement, challenge: str | None, key: str) -> str:
    """What is wrong with a statement in itself; empty when nothing is."""
    if not statement.is_signed:
        return "the statement is not what its key signed"
    if challenge is not None and challenge != statement.challenge:
        return "it answers another challenge"
    if key and not (len(key) >= SURE and statement.key.startswith(key.lower())):
        return f"it is signed by the key {statement.key}, not by that one"
    return ""


def compared(being: BeingPaths, statement: Statement) -> tuple[str, str]:
    """What the being here says to a statement, and what speaks against it."""
    with asking(being) as index:
        hash_here, last = index.events.hash_of(statement.seq), index.events.last_head()[0]
    stands = standing(being, must_be(being).soul, statement.key, statement.seq)
    if hash_here and hash_here != statement.event_hash:
        return "", f"the being in {being.root} has another event {statement.seq:,}"
    if not stands.counts:
        return "", f"its key {stands.words} in the being in {being.root}"
    if not hash_here:
        return f"the being in {being.root} ends before that, at event {last:,}", ""
    return f"so it stands in {being.root}; the key {stands.words}", ""


def read_statement(file: Path) -> Statement:
    """The statement in a file.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        with file.open("rb") as source:
            return statement_from(source.read(LARGEST + 1))
    except OSError as error:
        fix = "lumen attest --check FILE"
        raise UsageError(f"the file {file} cannot be read: {error.strerror}", fix=fix) from error
