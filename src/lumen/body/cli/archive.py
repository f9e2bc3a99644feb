"""`lumen archive`: is the record what was written, and is it the one this host has seen?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

import click

from lumen.app.settings import data_home, must_be
from lumen.body.cli.common import (
    Bar,
    asked,
    being_meant,
    counted,
    note,
    one_line,
    say,
    shared,
    show,
)
from lumen.body.cli.passphrase import signing
from lumen.core.data import Being
from lumen.core.errors import Estranged, UsageError
from lumen.soul.archive import Placed, segments
from lumen.soul.index import Index
from lumen.soul.keys import Keyring
from lumen.soul.verify import Report, verify
from lumen.soul.witness import SURE

if TYPE_CHECKING:
    from lumen.kernel.commit import Gate
    from lumen.kernel.deep import Compared

LARGE = 64 << 20
KEY = re.compile(rf"[0-9A-Fa-f]{{{SURE},64}}")


@click.group()
def archive() -> None:
    """Prove what happened."""


@archive.command("verify")
@click.option("--deep", is_flag=True, help="Also replay it, and compare every table and file.")
@click.option("--key", default="", metavar="HEX", help="The key that must have signed it.")
@shared
def verify_command(deep: bool, key: str, named: str | None, as_json: bool) -> None:
    """Check every event, link, signature and the witness; name the first bad event."""
    if key and not KEY.fullmatch(key):
        raise UsageError(
            f"{one_line(key, 64)!r} is no key: {SURE} to 64 hexadecimal digits",
            fix="lumen archive verify shows the key that signed it",
        )
    being = being_meant(named)
    settings = must_be(being)
    size = sum(p.stat().st_size for p in segments(being.memory))
    if size > LARGE:
        note(f"verifying {size / 1e6:,.0f} MB …")
    report = verify(being, Keyring(data_home()), soul=settings.soul, processes=os.cpu_count() or 1)
    compared = _compare(being) if deep and report.ok else None
    problems = compared.problems if compared else ()
    pinned = report.key.startswith(key.lower())
    if as_json:
        show({**asdict(report), **({"compared": asdict(compared)} if compared else {})})
    elif pinned or not report.trusted:
        _tell(report)
    if not pinned and not as_json:
        say(f"✗ it is not the key {key} that signed this archive, but {report.key[:16]}.")
    if compared and not as_json:
        _tell_compared(compared)
    if not report.trusted or problems or not pinned:
        click.get_current_context().exit(1)


@archive.command("accept-rollback")
@click.option("--head", default="", metavar="HEX", help="The head that is kept; a fork needs it.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
@signing
def accept_rollback(head: str, yes: bool, named: str | None, as_json: bool) -> None:
    """Go on from an archive that is older than, or forked from, the one this host has seen.

    Your key signs that, where this host has it.
    """
    from lumen.kernel.acceptance import accept

    fix = "lumen archive accept-rollback --yes" + (f" --head {head}" if head else "")
    with _strange(named, "Go on from this one?", yes=yes, fix=fix) as found:
        if found:
            placed = accept(*found, head)
            _accepted(placed, "This host now knows the being by this archive.", as_json=as_json)


@archive.command("accept-tail")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
@signing
def accept_the_tail(yes: bool, named: str | None, as_json: bool) -> None:
    """Take events at the end that this host did not write for true; your key signs that."""
    from lumen.kernel.acceptance import accept_tail

    fix = "lumen archive accept-tail --yes"
    with _strange(named, "Take them for true?", yes=yes, fix=fix) as found:
        if found:
            _accepted(accept_tail(*found), "They count from here on.", as_json=as_json)


@archive.command("cut-tail")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
@signing
def cut_the_tail(yes: bool, named: str | None, as_json: bool) -> None:
    """Move events at the end that this host did not write to quarantine; your key signs that."""
    from lumen.kernel.acceptance import cut_tail

    fix = "lumen archive cut-tail --yes"
    with _strange(named, "Move them to quarantine?", yes=yes, fix=fix) as found:
        if found:
            placed = cut_tail(*found)
            if as_json:
                show({"event": placed.seq, "head": placed.event_hash})
            else:
                say(f"Moved to data/memory/quarantine; event {placed.seq} says so.")


@contextmanager
def _strange(
    named: str | None, question: str, *, yes: bool, fix: str
) -> Iterator[tuple[Gate, str] | None]:
    """The gate and soul of a being that is refused as it stands, once the author has agreed."""
    from lumen.app.wiring import keyring
    from lumen.body.cli.passphrase import offer, passphrase
    from lumen.core.clock import SystemClock
    from lumen.kernel.commit import Gate
    from lumen.kernel.turns import no_turn_meanwhile
    from lumen.soul.witness import refuse_strange

    being = being_meant(named)
    settings = must_be(being)
    index = Index(being)
    index.catch_up()
    gate = Gate(being, keyring(), SystemClock(), index)
    gate.ask, gate.offer = passphrase, partial(offer, gate.keyring)
    try:
        agreed = True
        try:
            refuse_strange(index, gate.keyring, settings.soul)
        except Estranged as error:
            note(error.what[:1].upper() + error.what[1:] + ".")
            agreed = asked(question, yes=yes, fix=fix)
        if agreed:
            with no_turn_meanwhile(being):
                yield gate, settings.soul
        else:
            say("Nothing was changed.")
            yield None
        for line in gate.repairs:
            note(line)
    finally:
        gate.close()
        index.close()


def _accepted(placed: Placed, what: str, *, as_json: bool) -> None:
    if as_json:
        show({"event": placed.seq, "head": placed.event_hash})
    else:
        say(f"Accepted in event {placed.seq}. {what}")


def _compare(being: Being) -> Compared:
    from lumen.kernel.deep import compare

    index = Index(being)
    bar = Bar("replaying")
    try:
        return compare(being, index, bar)
    finally:
        bar.clear()
        index.close()


def _tell_compared(compared: Compared) -> None:
    if not compared.problems:
        say("  tables and files are what the archive says")
    for line in compared.problems:
        say(f"✗ {line}.\n  try: lumen rebuild")
    for line in compared.notes:
        say(f"  note: {line}")


def _tell(report: Report) -> None:
    if report.problem is None:
        sure = "✓ ok" if report.trusted else "! intact, and not all of it vouched for"
        say(f"{sure} · {counted(report.count, 'event')} · head {report.head}")
        say(f"  signed up to event {report.signed:,} · key {report.key[:16]}")
        if report.signed < report.count and report.trusted:
            say("  what follows is this host's own work, and the next turn signs it")
    else:
        found = report.problem
        where = f" ({found.segment} line {found.line})" if found.segment else ""
        say(f"✗ event {found.seq:,}{where} {found.what}.")
        if found.seq > 1:
            before = "event 1 is" if found.seq == 2 else f"events 1 to {found.seq - 1:,} are"
            say(f"  {before} intact.")
        say(f"  try: {found.fix or _fix(found.what)}")
    for line in report.notes:
        say(f"  note: {line}")


def _fix(what: str) -> str:
    if "not written by this host" in what:
        return "lumen archive accept-tail, if they are true; if not: lumen archive cut-tail"
    if "lacks one by the key" in what:
        return "on the host it was born on, the next turn signs again; else bring heads.jsonl back"
    if "witness" in what:
        return (
            "lumen rebuild (after a power cut it puts lines back); bring the newer copy back; "
            "or go on from here: lumen archive accept-rollback"
        )
    return "lumen restore-backup FILE ANOTHER_FOLDER, then lumen archive verify there"
