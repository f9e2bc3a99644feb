"""`lumen archive`: is the record what was written, and is it the one this host has seen?"""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from lumen.body.cli.common import Bar, asked, being_meant, counted, note, say, shared, show
from lumen.body.config import data_home, must_be
from lumen.core.data import Being
from lumen.core.errors import Estranged
from lumen.soul.archive import segments
from lumen.soul.index import Index
from lumen.soul.keys import Keyring
from lumen.soul.verify import Report, verify

if TYPE_CHECKING:
    from lumen.kernel.deep import Compared

LARGE = 64 << 20


@click.group()
def archive() -> None:
    """Prove what happened."""


@archive.command("verify")
@click.option("--deep", is_flag=True, help="Also replay it, and compare every table and file.")
@shared
def verify_command(deep: bool, named: str | None, as_json: bool) -> None:
    """Check every event, link, signature and the witness; name the first bad event."""
    being = being_meant(named)
    settings = must_be(being)
    size = sum(p.stat().st_size for p in segments(being.memory))
    if size > LARGE:
        note(f"verifying {size / 1e6:,.0f} MB …")
    report = verify(being, Keyring(data_home()), soul=settings.soul, processes=os.cpu_count() or 1)
    compared = _compare(being) if deep and report.ok else None
    problems = compared.problems if compared else ()
    if as_json:
        show({**asdict(report), **({"compared": asdict(compared)} if compared else {})})
    else:
        _tell(report)
        if compared:
            _tell_compared(compared)
    if not report.ok or problems:
        click.get_current_context().exit(1)


@archive.command("accept-rollback")
@click.option("--head", default="", metavar="HEX", help="The head that is kept; a fork needs it.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
def accept_rollback(head: str, yes: bool, named: str | None, as_json: bool) -> None:
    """Go on from an archive that is older than, or forked from, the one this host has seen."""
    from lumen.body.app import keyring
    from lumen.core.clock import SystemClock
    from lumen.kernel.commit import Gate
    from lumen.kernel.mend import accept
    from lumen.soul.witness import refuse_strange

    being = being_meant(named)
    settings = must_be(being)
    index = Index(being)
    index.catch_up()
    gate = Gate(being, keyring(), SystemClock(), index)
    try:
        try:
            refuse_strange(index, gate.keyring, settings.soul)
        except Estranged as error:
            note(error.what[:1].upper() + error.what[1:] + ".")
            fix = "lumen archive accept-rollback --yes" + (f" --head {head}" if head else "")
            if not asked("Go on from this one?", yes=yes, fix=fix):
                say("Nothing was changed.")
                return
        placed = accept(gate, settings.soul, head)
    finally:
        gate.close()
        index.close()
    if as_json:
        show({"event": placed.seq, "head": placed.event_hash})
    else:
        say(f"Accepted in event {placed.seq}. This host now knows the being by this archive.")


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
        say(f"✓ ok · {counted(report.count, 'event')} · head {report.head}")
        say(f"  signed up to event {report.signed:,} · key {report.key[:16]}")
    else:
        found = report.problem
        where = f" ({found.segment} line {found.line})" if found.segment else ""
        say(f"✗ event {found.seq:,}{where} {found.what}.")
        if found.seq > 1:
            before = "event 1 is" if found.seq == 2 else f"events 1 to {found.seq - 1:,} are"
            say(f"  {before} intact.")
        other = "lumen restore-backup FILE ANOTHER_FOLDER, then lumen archive verify there"
        strange = (
            "lumen rebuild (after a power cut it puts lines back); bring the newer copy back; "
            "or go on from here: lumen archive accept-rollback"
        )
        say(f"  try: {strange if 'witness' in found.what else other}")
    for line in report.notes:
        say(f"  note: {line}")
