"""`lumen archive`: is the record what was written, and is it the one this host has seen?"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from lumen.app.safekeeping import SURE, Report, Verified, archive_size, verify_being
from lumen.app.words import counted
from lumen.body.cli.command import YES, agrees, command
from lumen.body.cli.passphrase import signing
from lumen.body.cli.progress import Bar
from lumen.body.cli.render import ToldResult, data, tell
from lumen.body.cli.request import CommandRequest, at_terminal
from lumen.body.cli.terminal import note, one_line, say
from lumen.core.canon import JSON
from lumen.core.errors import UsageError

if TYPE_CHECKING:
    from lumen.app.accepting import Accepted, UnrecognisedArchive

LARGE = 64 << 20
KEY = re.compile(rf"[0-9A-Fa-f]{{{SURE},64}}")


@click.group()
def archive() -> None:
    """Prove what happened."""


@command("verify", within=archive, for_skills=True)
@click.option("--deep", is_flag=True, help="Also replay it, and compare every table and file.")
@click.option("--key", default="", metavar="HEX", help="The key that must have signed it.")
def verify_command(request: CommandRequest, deep: bool, key: str) -> Verified:
    """Check every event, link, signature and the witness; name the first bad event."""
    if key and not KEY.fullmatch(key):
        raise UsageError(
            f"{one_line(key, 64)!r} is no key: {SURE} to 64 hexadecimal digits",
            fix="lumen archive verify shows the key that signed it",
        )
    size = archive_size(request.being)
    if size > LARGE:
        note(f"verifying {size / 1e6:,.0f} MB …")
    with Bar("replaying") as bar:
        return verify_being(request.being, deep=deep, by=key, progress=bar)


@data.register(Verified)
def _verified_data(found: Verified) -> JSON:
    compared = {"compared": found.compared} if found.compared else {}
    return {**asdict(found.report), **compared}


@tell.register(Verified)
def _tell_verified(found: Verified, _request: CommandRequest) -> None:
    report, compared = found.report, found.compared
    if found.is_by_key or not report.trusted:
        _tell_report(report)
    if not found.is_by_key:
        say(f"✗ it is not the key {found.by} that signed this archive, but {report.key[:16]}.")
    if compared is None:
        return
    if not compared.problems:
        say("  tables and files are what the archive says")
    for line in compared.problems:
        say(f"✗ {line}.\n  try: lumen rebuild")
    for line in compared.notes:
        say(f"  note: {line}")


def _tell_report(report: Report) -> None:
    if report.problem is None:
        sure = "✓ ok" if report.trusted else "! intact, and not all of it vouched for"
        say(f"{sure} · {counted(report.count, 'event')} · head {report.head}")
        say(f"  signed up to event {report.signed:,} · key {report.key[:16]}")
        if report.signed < report.count and report.trusted:
            say("  what follows is this host's own work, and the next turn signs it")
    else:
        found = report.problem
        where = f" ({found.where})" if found.where else ""
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


@command("accept-rollback", within=archive)
@click.option("--head", default="", metavar="HEX", help="The head that is kept; a fork needs it.")
@YES
@signing
def accept_rollback(request: CommandRequest, head: str, yes: bool) -> ToldResult | None:
    """Go on from an archive that is older than, or forked from, the one this host has seen.

    Your key signs that, where this host has it.
    """
    fix = "lumen archive accept-rollback --yes" + (f" --head {head}" if head else "")
    done = _decided(request, "Go on from this one?", yes, fix, lambda found: found.accept(head))
    what = "This host now knows the being by this archive."
    return ToldResult(done, f"Accepted in event {done.event}. {what}") if done else None


@command("accept-tail", within=archive)
@YES
@signing
def accept_the_tail(request: CommandRequest, yes: bool) -> ToldResult | None:
    """Take events at the end that this host did not write for true; your key signs that."""
    fix = "lumen archive accept-tail --yes"
    done = _decided(request, "Take them for true?", yes, fix, lambda found: found.accept_tail())
    return (
        ToldResult(done, f"Accepted in event {done.event}. They count from here on.")
        if done
        else None
    )


@command("cut-tail", within=archive)
@YES
@signing
def cut_the_tail(request: CommandRequest, yes: bool) -> ToldResult | None:
    """Move events at the end that this host did not write to quarantine; your key signs that."""
    fix = "lumen archive cut-tail --yes"
    done = _decided(request, "Move them to quarantine?", yes, fix, lambda found: found.cut_tail())
    return (
        ToldResult(done, f"Moved to data/memory/quarantine; event {done.event} says so.")
        if done
        else None
    )


def _decided(
    request: CommandRequest,
    question: str,
    yes: bool,
    fix: str,
    what: Callable[[UnrecognisedArchive], Accepted],
) -> Accepted | None:
    """What the author decided about a being that is refused as it stands; nothing: they did not."""
    from lumen.app.accepting import strange

    def agreed(trouble: str) -> bool:
        note(trouble)
        return agrees(question, yes=yes, fix=fix)

    with strange(request.being, agreed, note, at_terminal()) as found:
        return what(found) if found else None
