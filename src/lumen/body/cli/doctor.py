"""`lumen doctor`: what is installed, what is missing, what to do."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from shlex import quote

import click

from lumen.body.cli.common import counted, say, shared, show
from lumen.body.config import Settings, data_home, find_being, must_be
from lumen.core.data import Being
from lumen.core.errors import LumenError
from lumen.soul.keys import Keyring

ROOM = 200 << 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: ok, warn or bad, and what to do."""

    what: str
    state: str
    detail: str
    fix: str = ""


@click.command()
@shared
def doctor(named: str | None, as_json: bool) -> None:
    """Look at the installation and the being; exit code 1 when something is broken."""
    findings = [*_host(), *_mind(), *_being(*find_being(named))]
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


def _host() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", "ok", version)
    uv = os.environ.get("UV") or shutil.which("uv")
    yield Finding(
        "uv",
        "ok" if uv else "warn",
        uv or "not found on PATH",
        "" if uv else "python3 main.py doctor, which brings its own",
    )
    git = shutil.which("git")
    yield Finding(
        "git",
        "ok" if git else "warn",
        git or "not found: a new being gets no repository",
        "" if git else "apt install git",
    )
    import apsw

    from lumen.soul.database import check_engine

    try:
        check_engine()
        yield Finding("sqlite", "ok", apsw.sqlite_lib_version())
    except LumenError as error:
        yield Finding("sqlite", "bad", error.what, error.fix)


def _mind() -> Iterator[Finding]:
    from lumen.mind.substrates.embedded import Embedded

    embedded = Embedded()
    health = asyncio.run(embedded.health())
    embedded.close()
    fix = "" if health.ok else "uv sync   (in the project's folder)"
    yield Finding("model", "ok" if health.ok else "bad", health.detail, fix)
    if find_spec("numpy") is None or find_spec("tokenizers") is None:
        yield Finding("embedder", "bad", "numpy or tokenizers is missing", "uv sync")
        return
    from lumen.mind.embed import WEIGHTS

    try:
        yield Finding("embedder", "ok", f"all-MiniLM-L6-v2 at {WEIGHTS.verified()}")
    except LumenError as error:
        yield Finding("embedder", "bad", error.what, error.fix)


def _being(being: Being, by_default: bool) -> Iterator[Finding]:
    try:
        settings = must_be(being)
    except LumenError as error:
        unborn = by_default and not being.root.exists()
        yield Finding("being", "warn" if unborn else "bad", error.what, error.fix)
        return
    yield Finding("being", "ok", str(being.root))
    yield from _roles(settings)
    key = Keyring(data_home()).key_file(settings.soul)
    if not key.exists():
        yield Finding("key", "warn", "not on this host: the next turn makes a new, unvouched one")
    elif key.stat().st_mode & 0o077:
        yield Finding("key", "bad", f"{key} can be read by others", f"chmod 600 {quote(str(key))}")
    else:
        yield _key(settings.soul)
    free = shutil.disk_usage(being.root).free
    state = "ok" if free > ROOM else "warn"
    yield Finding("disk", state, f"{free / 1e9:.1f} GB free", "" if state == "ok" else "make room")
    yield _archive(being, settings.soul)


def _key(soul: str) -> Finding:
    keyring = Keyring(data_home())
    try:
        keyring.sign(soul, 0, "")
    except LumenError as error:
        return Finding("key", "bad", error.what, error.fix)
    return Finding("key", "ok", f"{keyring.key_file(soul)} (0600, not encrypted)")


def _roles(settings: Settings) -> Iterator[Finding]:
    """Whether what each role is assigned to is there: each one is asked, for seconds at most."""
    from lumen.body.reach import all_assignments, endpoints_of, notes_file
    from lumen.kernel.models import ask_roles
    from lumen.kernel.registry import load

    try:
        reachable, assigned = endpoints_of(settings), all_assignments(settings)
        found = asyncio.run(ask_roles(list(assigned.values()), reachable, load(notes_file())))
    except LumenError as error:
        yield Finding("models", "bad", error.what, error.fix)
        return
    for role, model in assigned.items():
        asked = found[role]
        told = f"{model}: {asked.trouble}" if asked.trouble else f"{model} is there"
        yield Finding(role, "bad" if asked.trouble else "ok", told, asked.fix)


def _archive(being: Being, soul: str) -> Finding:
    from lumen.soul.verify import verify

    try:
        report = verify(being, Keyring(data_home()), soul=soul, processes=os.cpu_count() or 1)
    except OSError as error:
        return Finding("archive", "bad", f"{error.filename} cannot be read: {error.strerror}")
    except LumenError as error:
        return Finding("archive", "bad", error.what, error.fix)
    if report.problem is None:
        return Finding("archive", "ok", f"{counted(report.count, 'event')} verified")
    return Finding(
        "archive",
        "bad",
        f"event {report.problem.seq} {report.problem.what}",
        "lumen archive verify",
    )
