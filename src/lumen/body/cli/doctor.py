"""`lumen doctor`: what is installed, what is missing, what to do."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import click

from lumen.app.doctor import examine
from lumen.app.settings import find_being
from lumen.body.cli.common import say, shared, show


@click.command()
@shared
def doctor(named: str | None, as_json: bool) -> None:
    """Look at the installation and the being; exit code 1 when something is broken."""
    being, by_default = find_being(named)
    findings = asyncio.run(examine(being, by_default=by_default))
    bad = any(f.state == "bad" for f in findings)
    if as_json:
        show({"ok": not bad, "findings": [asdict(f) for f in findings]})
    else:
        width = max(len(f.what) for f in findings)
        for f in findings:
            mark = {"ok": "✓", "warn": "!", "bad": "✗"}[f.state]
            say(f"{mark} {f.what:<{width}}  {f.detail}")
            if f.fix:
                say(f"  {'':<{width}}  try: {f.fix}")
    if bad:
        click.get_current_context().exit(1)
