"""`lumen models`: which models there are, which serves which role, and whether they answer.

`list` asks nobody, so it is quick, works without a network and claims nothing it was not told;
`list --check` asks the models in use, `scan` asks everyone.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from lumen.app import models as app
from lumen.app.reach import read_keys, save_key
from lumen.app.settings import Settings, must_be, zone
from lumen.body.cli.common import (
    being_meant,
    counted,
    is_terminal,
    note,
    say,
    shared,
    short_time,
    show,
    table,
)
from lumen.core.errors import NotABeing, UsageError

if TYPE_CHECKING:
    from lumen.app.models import ModelDescriptor, Place, RoleState


@click.group()
def models() -> None:
    """Which models there are, and which serves which role."""


def _settings(named: str | None) -> Settings:
    """The being's settings; before there is one, what a new one would have."""
    try:
        return must_be(being_meant(named))
    except NotABeing:
        if named is not None:
            raise
        return Settings(soul="")


@models.command("list")
@click.argument("substrate", required=False)
@click.option("--check", is_flag=True, help="Ask now whether each is there; exit 1 when not.")
@shared
def list_models(substrate: str | None, check: bool, named: str | None, as_json: bool) -> None:
    """The roles and their models; with SUBSTRATE, every model that was seen there."""
    settings = _settings(named)
    if substrate is not None:
        _one(substrate, settings, as_json=as_json)
        return
    found = asyncio.run(app.checked(settings)) if check else app.models_of(settings)
    if as_json:
        show(found)
    else:
        table(
            [
                ("role", "model", "reads", "state"),
                *((r.role, r.model, _size(r), r.state) for r in found.roles),
            ]
        )
        say()
        table([("substrate", "", "state", "where"), *_places(found.substrates)])
        for fix in dict.fromkeys(r.fix for r in found.roles if r.fix):
            note(f"  try: {fix}")
    if any(r.checked is False for r in found.roles):
        click.get_current_context().exit(1)


def _places(places: Iterable[Place]) -> list[tuple[str, str, str, str]]:
    return [
        (p.substrate, "local" if p.local else "remote", p.state, p.url or "in process")
        for p in places
    ]


def _size(role: RoleState) -> str:
    return f"{role.context_tokens:,} tokens" if role.context_tokens else ""


def _one(substrate: str, settings: Settings, *, as_json: bool) -> None:
    found = app.seen_at(settings, substrate)
    if as_json:
        show(found)
        return
    if not found:
        say(f"nothing was seen at {substrate} yet")
        note("  try: lumen models scan")
        return
    where = zone(settings.timezone)
    rows = [("model", "reads", "can", "seen")]
    rows += [
        (
            str(m),
            f"{m.context_tokens:,} tokens" if m.context_tokens else "",
            _can(m),
            short_time(m.last_seen, where),
        )
        for m in found
    ]
    table(rows)


def _can(model: ModelDescriptor) -> str:
    said = [
        *(["vectors"] if model.embeds else []),
        *(["tools"] if model.tool_calling == "native" else []),
        *(["images"] if model.vision else []),
        *(["thinking"] if model.thinks else []),
        *(["small"] if model.small else []),
        *([] if model.local else ["leaves this machine"]),
    ]
    return ", ".join(said)


@models.command()
@shared
def scan(named: str | None, as_json: bool) -> None:
    """Ask every substrate which models it has; says which roles are stale."""
    from lumen.core.clock import SystemClock

    settings = _settings(named)
    if not as_json:
        note(f"asking {', '.join(app.asked_substrates(settings))} …")
    found = asyncio.run(app.scan(settings, SystemClock()))
    if as_json:
        show(found)
        return
    rows = [
        (
            "✗" if f.trouble else "✓",
            f.substrate,
            f.trouble or counted(len(f.models), "model"),
            f"try: {f.fix}" if f.fix else ", ".join(m.model_id for m in f.models),
        )
        for f in found.substrates
    ]
    table(rows)
    for role in found.roles:
        if role.state.startswith("stale"):
            say(f"! {role.role} is {role.state} ({role.model}); nothing takes its place")
            say(f"  try: lumen models set {role.role} SUBSTRATE/MODEL")


@models.command("set")
@click.argument("role", type=click.Choice(app.ROLES))
@click.argument("model", metavar="SUBSTRATE/MODEL")
@shared
def set_model(role: str, model: str, named: str | None, as_json: bool) -> None:
    """Let SUBSTRATE/MODEL serve ROLE; it must be listed, or answer."""
    from lumen.body.cli.opening import as_author, opened

    being = being_meant(named)
    settings = must_be(being)
    app.must_be_assignable(settings, role, model)
    with opened(being, note) as kernel:  # turns go on while it is asked
        suited = asyncio.run(app.find_model(kernel, settings, role, model))
    with as_author(being, note) as kernel:
        found = app.assign_model(kernel, suited)
    if as_json:
        show(found)
        return
    stays = (
        "on this machine" if found.local else "not on this machine: lumen egress shows what leaves"
    )
    say(f"✓ {role} is served by {found.model} ({found.found}; {stays})")
    if role == app.EMBEDDER and found.found != "built in":
        note("memories are indexed again in the background; lumen maintain does it now")


@models.command()
@click.argument("role", type=click.Choice(app.TALKING_ROLES))
@shared
def test(role: str, named: str | None, as_json: bool) -> None:
    """Ask the model of ROLE for a word and for JSON; says what each took."""
    from lumen.body.cli.opening import opened

    being = being_meant(named)
    must_be(being)
    with opened(being, note) as kernel:
        results = asyncio.run(app.try_model(kernel, role))
    ok = all(r["ok"] for r in results)
    if as_json:
        show({"ok": ok, "role": role, "calls": results})
    else:
        table([("✓" if r["ok"] else "✗", r["what"], r["took"], r["said"]) for r in results])
        for fix in dict.fromkeys(r["fix"] for r in results if r["fix"]):
            note(f"  try: {fix}")
    if not ok:
        click.get_current_context().exit(1)


@models.command()
@click.argument("substrate")
@click.option("--forget", is_flag=True, help="Keep it no longer.")
@shared
def key(substrate: str, forget: bool, named: str | None, as_json: bool) -> None:
    """Keep the key of SUBSTRATE in a file only you can read; asked for, or read from stdin."""
    endpoint = app.known_substrate(_settings(named), substrate)
    if endpoint.kind in ("embedded", "scripted"):
        raise UsageError(f"{substrate} needs no key")
    if forget:
        if substrate not in read_keys():
            raise UsageError(f"no key of {substrate} is kept", fix=f"lumen models key {substrate}")
        path = save_key(substrate, "")
    else:
        path = save_key(substrate, _asked_for(substrate))
    if as_json:
        show({"substrate": substrate, "kept": not forget, "file": str(path)})
        return
    say(f"✓ {'no longer kept' if forget else 'kept'} in {path}")
    if not forget:
        note("  next: lumen models scan")


def _asked_for(substrate: str) -> str:
    if is_terminal(sys.stdin):
        found: str = click.prompt(f"key of {substrate}", hide_input=True, err=True)
    else:
        found = sys.stdin.readline() if sys.stdin else ""
    if not found.strip():
        raise UsageError("there was no key", fix=f"lumen models key {substrate} < FILE")
    return found
