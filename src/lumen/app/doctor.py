"""What is installed, what is missing, what to do: findings about a host and a being."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from lumen.app.protection import Finding, archive_of, keys_of, self_of, skills_of, wide_grants
from lumen.app.settings import NOBODY, Settings, must_be, zone_of
from lumen.core.data import BeingPaths
from lumen.core.errors import LumenError

ROOM = 200 << 20


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found; `ok`: nothing is broken."""

    ok: bool
    findings: tuple[Finding, ...]


async def examine(being: BeingPaths, *, by_default: bool) -> Examined:
    """Look at the installation and at a being."""
    mind = [one async for one in _mind()]
    of_being = [one async for one in _being(being, by_default)]
    found = (*_host(), *mind, *of_being)
    return Examined(not any(one.state == "bad" for one in found), found)


def _host() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", "ok", version)
    own, repository = (
        "python3 main.py doctor, which brings its own",
        "a new being gets no repository",
    )
    for name, path, missing, fix in (
        ("uv", os.environ.get("UV") or shutil.which("uv"), "not found on PATH", own),
        ("git", shutil.which("git"), f"not found: {repository}", "apt install git"),
    ):
        yield Finding(name, "ok", path) if path else Finding(name, "warn", missing, fix)
    from lumen.app.storage import engine

    try:
        yield Finding("sqlite", "ok", engine())
    except LumenError as error:
        yield Finding("sqlite", "bad", error.what, error.fix)


async def _mind() -> AsyncIterator[Finding]:
    from lumen.mind.substrates.embedded import Embedded

    embedded = Embedded()
    health = await embedded.health()
    embedded.close()
    fix = "" if health.ok else "uv sync   (in the project's folder)"
    yield Finding("model", "ok" if health.ok else "bad", health.detail, fix)
    for found in await asyncio.to_thread(_kept):
        yield found
    if find_spec("numpy") is None or find_spec("tokenizers") is None:
        yield Finding("embedder", "bad", "numpy or tokenizers is missing", "uv sync")
        return
    from lumen.mind.built_in import E5_ID, built_in

    name, weights = built_in()
    says = "" if name == E5_ID else f", which knows English: there is no {E5_ID} for this platform"
    try:
        yield Finding("embedder", "ok", f"{name} at {weights.verified()}{says}")
    except LumenError as error:
        yield Finding("embedder", "bad", error.what, error.fix)


def _kept() -> list[Finding]:
    """The model files of this host, each read through."""
    from lumen.app.model_files import library, obtainable
    from lumen.app.reach import trust_file
    from lumen.core.trust import LOWEST
    from lumen.kernel.models.trust import trusted

    files, may, said = library(), trusted(trust_file()), []
    for model in files.models():
        takes = f"takes {model.memory / 1e9:.1f} GB of memory"
        takes += f", may {', '.join(may.get(model.sha256, LOWEST))}"
        try:
            said.append(Finding("model", "ok", f"{files.verified(model, anew=True)}, {takes}"))
        except LumenError as error:
            said.append(Finding("model", "bad", error.what, error.fix))
    better = [one for one in obtainable() if not one.here]
    if not said and better:
        what = f"a better one can be had, {better[0].size / 1e9:.1f} GB: lumen models get {better[0].name}"
        said.append(Finding("model", "ok", what))
    return said


async def _being(being: BeingPaths, by_default: bool) -> AsyncIterator[Finding]:
    try:
        settings = must_be(being)
    except LumenError as error:
        unborn = by_default and not being.root.exists()
        yield Finding("being", "warn" if unborn else "bad", error.what, error.fix)
        return
    yield Finding("being", "ok", str(being.root))
    yield _zone(settings)
    for found in _mounts(settings):
        yield found
    for found in await _roles(settings):
        yield found
    for found in (*keys_of(being, settings), *wide_grants(being, settings), *skills_of(being)):
        yield found
    free = shutil.disk_usage(being.root).free
    state = "ok" if free > ROOM else "warn"
    yield Finding("disk", state, f"{free / 1e9:.1f} GB free", "" if state == "ok" else "make room")
    for found in (*self_of(being), *archive_of(being, settings.soul)):
        yield found


def _zone(settings: Settings) -> Finding:
    """Which time zone holds, and by whose word."""
    where, by = zone_of(settings.timezone)
    known = by != NOBODY
    return Finding(
        "time zone",
        "ok" if known else "warn",
        f"{where}, by {by}",
        "" if known else 'say where you are in lumen.toml: [author] timezone = "Europe/Lisbon"',
    )


def _mounts(settings: Settings) -> Iterator[Finding]:
    """What lumen.toml has mounted beside the being, and whether that loads."""
    from lumen.app.mounting import mounts_of, named_mounts

    named = named_mounts(settings)
    failed = mounts_of(settings).failed if named else []
    for kind, name in named.items():
        why = next((told for told in failed if f"mount {kind} " in told), "")
        fix = f'install it, or set [mounts] {kind} = "" in lumen.toml' if why else ""
        yield Finding("mount", "warn" if why else "ok", why or f"{kind}: {name}", fix)


async def _roles(settings: Settings) -> list[Finding]:
    """Whether what each role is assigned to is there: each one is asked, for seconds at most."""
    from lumen.app.reach import all_assignments, endpoints_of, notes_file
    from lumen.kernel.models.registry import load
    from lumen.kernel.models.scan import ask_roles

    try:
        reachable, assigned = endpoints_of(settings), all_assignments(settings)
        found = await ask_roles(list(assigned.values()), reachable, load(notes_file()))
    except LumenError as error:
        return [Finding("models", "bad", error.what, error.fix)]
    said = []
    for role, model in assigned.items():
        asked = found[role]
        told = f"{model}: {asked.trouble}" if asked.trouble else f"{model} is there"
        said.append(Finding(role, "bad" if asked.trouble else "ok", told, asked.fix))
    return said
