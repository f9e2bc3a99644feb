"""`lumen archive verify`: is the record what was written?"""

from __future__ import annotations

import os
from dataclasses import asdict

import click

from lumen.body.cli.common import being_meant, counted, note, say, shared, show
from lumen.body.config import data_home, must_be
from lumen.soul.archive import segments
from lumen.soul.keys import Keyring
from lumen.soul.verify import Report, verify

LARGE = 64 << 20


@click.group()
def archive() -> None:
    """Prove what happened."""


@archive.command("verify")
@shared
def verify_command(named: str | None, as_json: bool) -> None:
    """Check every event, link, signature and the witness; name the first bad event."""
    being = being_meant(named)
    settings = must_be(being)
    size = sum(p.stat().st_size for p in segments(being.memory))
    if size > LARGE:
        note(f"verifying {size / 1e6:,.0f} MB …")
    report = verify(being, Keyring(data_home()), soul=settings.soul, processes=os.cpu_count() or 1)
    if as_json:
        show(asdict(report))
    else:
        _tell(report)
    if not report.ok:
        click.get_current_context().exit(1)


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
        say("  try: restore the being's folder from a backup, then lumen archive verify")
    for line in report.notes:
        say(f"  note: {line}")
