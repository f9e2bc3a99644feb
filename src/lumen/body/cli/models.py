"""`lumen models`: which models there are, which serves which role, and whether they answer.

`list` asks nobody, so it is quick, works without a network and claims nothing it was not told;
`list --check` asks the models in use, `scan` asks everyone.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from dataclasses import asdict, replace
from zoneinfo import ZoneInfo

import click

from lumen.app.reach import all_assignments, endpoints_of, notes_file, read_keys, save_key
from lumen.app.settings import BUILT_IN_EMBEDDER, Settings, must_be, zone
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
from lumen.core.canon import JSON
from lumen.core.errors import MindError, NotABeing, UsageError
from lumen.kernel.registry import Registry, load, noting
from lumen.mind.endpoints import Endpoint
from lumen.mind.roles import ASSIGNABLE, EMBEDDER, Assignment, parse_assignment
from lumen.mind.substrate import ModelDescriptor


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
    reachable, notes = endpoints_of(settings), load(notes_file())
    if substrate is not None:
        _one(_known(substrate, reachable), notes, settings, as_json=as_json)
        return
    assigned = list(all_assignments(settings).values())
    where = zone(settings.timezone)
    roles = [_role(a, notes, reachable, where) for a in assigned]
    if check:
        roles = _checked(roles, assigned, reachable, notes)
    places = [_place(e, notes, settings) for e in reachable.values() if e.kind != "scripted"]
    if as_json:
        show({"roles": roles, "substrates": places})
    else:
        table(
            [
                ("role", "model", "reads", "state"),
                *((r["role"], r["model"], _size(r), r["state"]) for r in roles),
            ]
        )
        say()
        table([("substrate", "", "state", "where"), *_places(places)])
        for fix in dict.fromkeys(r["fix"] for r in roles if r.get("fix")):
            note(f"  try: {fix}")
    if any(r["checked"] is False for r in roles):
        click.get_current_context().exit(1)


def _checked(
    roles: list[dict[str, JSON]],
    assigned: list[Assignment],
    reachable: dict[str, Endpoint],
    notes: Registry,
) -> list[dict[str, JSON]]:
    """The roles, each with what came of asking for its model just now."""
    from lumen.kernel.models import ask_roles

    found = asyncio.run(ask_roles(assigned, reachable, notes))
    told = [(role, found[role["role"]]) for role in roles]
    return [
        {
            **role,
            "state": f"down: {asked.trouble}" if asked.trouble else "ok, just asked",
            "checked": not asked.trouble,
            "fix": asked.fix,
        }
        for role, asked in told
    ]


def _places(places: Iterable[dict[str, JSON]]) -> list[tuple[str, str, str, str]]:
    return [
        (p["substrate"], "local" if p["local"] else "remote", p["state"], p["url"] or "in process")
        for p in places
    ]


def _size(role: dict[str, JSON]) -> str:
    size = role["context_tokens"]
    return f"{size:,} tokens" if size else ""


def _known(name: str, reachable: dict[str, Endpoint]) -> Endpoint:
    if name not in reachable:
        known = ", ".join(e.id for e in reachable.values() if e.kind != "scripted")
        raise UsageError(f"{name!r} is no substrate", fix=f"the substrates are {known}")
    return reachable[name]


def _one(endpoint: Endpoint, notes: Registry, settings: Settings, *, as_json: bool) -> None:
    found = notes.of(endpoint.id)
    if as_json:
        show([asdict(m) for m in found])
        return
    if not found:
        say(f"nothing was seen at {endpoint.id} yet")
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


def _role(
    a: Assignment, notes: Registry, reachable: dict[str, Endpoint], where: ZoneInfo
) -> dict[str, JSON]:
    seen = notes.models.get(str(a))
    return {
        "role": a.role,
        "model": str(a),
        "state": _known_of(a, notes, reachable, where),
        "context_tokens": seen.context_tokens if seen else None,
        "last_seen": seen.last_seen if seen else None,
        "checked": None,  # nobody was asked
    }


def _known_of(
    a: Assignment, notes: Registry, reachable: dict[str, Endpoint], where: ZoneInfo
) -> str:
    """What is known of a model without asking; never that it is there now."""
    if why := notes.stale(a, reachable):
        return f"stale: {why}"
    if a.substrate in ("embedded", "scripted"):
        return "in process"
    seen = notes.models.get(str(a))
    if seen is None:
        return "not looked for yet"
    return f"not asked; seen {short_time(seen.last_seen, where)}"


def _place(endpoint: Endpoint, notes: Registry, settings: Settings) -> dict[str, JSON]:
    looked = notes.looked.get(endpoint.id)
    if endpoint.kind == "embedded":
        state = "always there"
    elif endpoint.wants_key and not endpoint.key:
        state = "no key"
    elif looked is None:
        state = "not looked at yet"
    else:
        when = short_time(looked.at, zone(settings.timezone))
        state = f"{looked.detail if looked.ok else 'not reached'} · {when}"
    return {
        "substrate": endpoint.id,
        "kind": endpoint.kind,
        "url": endpoint.url,
        "local": endpoint.local,
        "key": bool(endpoint.key),
        "state": state,
    }


@models.command()
@shared
def scan(named: str | None, as_json: bool) -> None:
    """Ask every substrate which models it has; says which roles are stale."""
    from lumen.core.clock import SystemClock
    from lumen.kernel.models import scan as look

    settings = _settings(named)
    reachable = {n: e for n, e in endpoints_of(settings).items() if e.kind != "scripted"}
    if not as_json:
        note(f"asking {', '.join(reachable)} …")
    found = asyncio.run(look(reachable, notes_file(), SystemClock()))
    notes = load(notes_file())
    where = zone(settings.timezone)
    roles = [_role(a, notes, reachable, where) for a in all_assignments(settings).values()]
    if as_json:
        show({"substrates": [asdict(f) for f in found], "roles": roles})
        return
    rows = [
        (
            "✗" if f.trouble else "✓",
            f.substrate,
            f.trouble or counted(len(f.models), "model"),
            f"try: {f.fix}" if f.fix else ", ".join(m.model_id for m in f.models),
        )
        for f in found
    ]
    table(rows)
    for role in roles:
        if role["state"].startswith("stale"):
            say(f"! {role['role']} is {role['state']} ({role['model']}); nothing takes its place")
            say(f"  try: lumen models set {role['role']} SUBSTRATE/MODEL")


@models.command("set")
@click.argument("role", type=click.Choice(ASSIGNABLE))
@click.argument("model", metavar="SUBSTRATE/MODEL")
@shared
def set_model(role: str, model: str, named: str | None, as_json: bool) -> None:
    """Let SUBSTRATE/MODEL serve ROLE; it must be listed, or answer."""
    from lumen.app.wiring import makes_vectors
    from lumen.body.cli.opening import as_author
    from lumen.kernel.models import assign, built_in_embedder, find, must_suit
    from lumen.kernel.run import calls_for

    assignment = parse_assignment(role, model)
    being = being_meant(named)
    settings = must_be(being)
    endpoint = _known(assignment.substrate, endpoints_of(settings))
    if endpoint.wants_key and not endpoint.key:
        raise UsageError(f"{endpoint.id} wants a key", fix=f"lumen models key {endpoint.id}")
    with as_author(being, note) as kernel:
        calls = calls_for(kernel, "lumen:author")
        try:
            if str(assignment) == BUILT_IN_EMBEDDER and role == EMBEDDER:
                found, how = built_in_embedder(), "built in"
            else:
                found, how = asyncio.run(find(kernel.reach, assignment, calls))
            must_suit(role, found)
            if role == EMBEDDER:
                makes_vectors(kernel, replace(settings, embedder=str(assignment)))
        except MindError as error:
            raise UsageError(error.what, fix=error.fix) from error
        finally:
            calls.settle()
        if how != "built in" and found.substrate not in ("embedded", "scripted"):
            _note_seen(found, listed=how == "listed")
        assign(kernel.gate, assignment, found, how)
    if as_json:
        show({"role": role, "model": str(assignment), "found": how, "local": found.local})
        return
    stays = (
        "on this machine" if found.local else "not on this machine: lumen egress shows what leaves"
    )
    say(f"✓ {role} is served by {assignment} ({how}; {stays})")
    if role == EMBEDDER and how != "built in":
        note("memories are indexed again in the background; lumen maintain does it now")


def _note_seen(model: ModelDescriptor, *, listed: bool) -> None:
    from lumen.core.clock import SystemClock, stamp

    now = stamp(SystemClock().now())
    with noting(notes_file()) as notes:
        last = notes[-1]
        notes.append(last.listed(model, now) if listed else last.answered(model, now))


@models.command()
@click.argument("role", type=click.Choice([r for r in ASSIGNABLE if r != EMBEDDER]))
@shared
def test(role: str, named: str | None, as_json: bool) -> None:
    """Ask the model of ROLE for a word and for JSON; says what each took."""
    from lumen.body.cli.opening import opened
    from lumen.kernel.models import try_out
    from lumen.kernel.run import calls_for

    being = being_meant(named)
    must_be(being)
    with opened(being, note) as kernel:
        calls = calls_for(kernel, f"lumen:{role}")
        try:
            results = asyncio.run(try_out(calls, role))
        finally:
            calls.settle()
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
    endpoint = _known(substrate, endpoints_of(_settings(named)))
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
