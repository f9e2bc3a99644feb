"""`lumen archive`: is the record what was written, and is it the one this host has seen?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from lumen.app.safekeeping import SURE, Compared, Report, archive_size, verify_being
from lumen.app.settings import must_be
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
from lumen.core.errors import UsageError

if TYPE_CHECKING:
    from lumen.app.accepting import Accepted, Strange

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
    must_be(being)
    size = archive_size(being)
    if size > LARGE:
        note(f"verifying {size / 1e6:,.0f} MB …")
    bar = Bar("replaying")
    found = verify_being(being, deep=deep, progress=bar)
    bar.clear()
    report, compared = found.report, found.compared
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
    fix = "lumen archive accept-rollback --yes" + (f" --head {head}" if head else "")
    with _strange(named, "Go on from this one?", yes=yes, fix=fix) as found:
        if found:
            what = "This host now knows the being by this archive."
            _accepted(found.accept(head), what, as_json=as_json)


@archive.command("accept-tail")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
@signing
def accept_the_tail(yes: bool, named: str | None, as_json: bool) -> None:
    """Take events at the end that this host did not write for true; your key signs that."""
    fix = "lumen archive accept-tail --yes"
    with _strange(named, "Take them for true?", yes=yes, fix=fix) as found:
        if found:
            _accepted(found.accept_tail(), "They count from here on.", as_json=as_json)


@archive.command("cut-tail")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
@signing
def cut_the_tail(yes: bool, named: str | None, as_json: bool) -> None:
    """Move events at the end that this host did not write to quarantine; your key signs that."""
    fix = "lumen archive cut-tail --yes"
    with _strange(named, "Move them to quarantine?", yes=yes, fix=fix) as found:
        if found:
            cut = found.cut_tail()
            if as_json:
                show(cut)
            else:
                say(f"Moved to data/memory/quarantine; event {cut.event} says so.")


@contextmanager
def _strange(named: str | None, question: str, *, yes: bool, fix: str) -> Iterator[Strange | None]:
    """A being that is refused as it stands, once the author has agreed."""
    from lumen.app.accepting import strange
    from lumen.body.cli.opening import TERMINAL

    def agrees(what: str) -> bool:
        note(what)
        return asked(question, yes=yes, fix=fix)

    with strange(being_meant(named), agrees, note, TERMINAL) as found:
        if found is None:
            say("Nothing was changed.")
        yield found


def _accepted(found: Accepted, what: str, *, as_json: bool) -> None:
    if as_json:
        show(found)
    else:
        say(f"Accepted in event {found.event}. {what}")


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
