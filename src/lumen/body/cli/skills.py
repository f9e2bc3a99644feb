"""`lumen skills`: what it can do, who made that, how it is held; try, make and switch skills."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from lumen.app import skills as app
from lumen.app.looking import looking
from lumen.app.settings import must_be
from lumen.body.cli.common import being_meant, note, say, shared, show, table
from lumen.core.canon import JSON, loads
from lumen.core.errors import UsageError

if TYPE_CHECKING:
    from lumen.app.skills import SkillDetails, SkillState, Tried
    from lumen.app.wiring import Kernel


@click.group(invoke_without_command=True)
@shared
def skills(named: str | None, as_json: bool) -> None:
    """What it can do: whether each skill is ready, who made it, what it touches, how it is held."""
    ctx = click.get_current_context()
    if ctx.invoked_subcommand:
        ctx.find_root().ensure_object(dict)["being"] = named
        if as_json:
            raise UsageError(
                "--json goes last", fix=f"lumen skills {ctx.invoked_subcommand} --json"
            )
        return
    with looking(being_meant(named), note) as look:
        found = app.skills_of(look.being, look.settings, look.index)
    if as_json:
        show(found)
    elif found:
        titles = ("skill", "state", "made by", "effects", "held by")
        table([titles, *((s.name, s.state, s.maker, s.effects, _held(s)) for s in found)])
    else:
        say("No skills: it can say nothing. Make another being to see the ones it starts with.")


@skills.command("show")
@click.argument("name")
@shared
def show_skill(name: str, named: str | None, as_json: bool) -> None:
    """What a skill says of itself, what it declares, its hash, and who made it."""
    from lumen.body.cli.opening import opened

    being = being_meant(named)
    settings = must_be(being)
    app.known_skill(being, name)
    with opened(being, note) as kernel, _told(kernel):
        found = asyncio.run(app.details(kernel, settings, name))
    if as_json:
        show(_details(found))
        return
    mark, skill = found.mark or {}, found.skill
    by = f"{skill.maker} ({mark.get('by')}, {mark.get('made')})" if mark else skill.maker
    pairs = (("state", skill.state), ("made by", by), ("effects", skill.effects))
    table([*pairs, ("held by", _held(skill)), ("sha256", found.sha256)])
    if skill.description:
        say(f"\n{skill.description}")
    say(f"\n{found.help or found.trouble}")


def _details(found: SkillDetails) -> dict[str, JSON]:
    """The same as one flat object, in which trouble stands only where there is some."""
    told = asdict(found)
    trouble = {"trouble": found.trouble} if told.pop("trouble") else {}
    return {**told.pop("skill"), **told, **trouble}


@skills.command("run")
@click.argument("name")
@click.argument("action")
@click.option("--input", "given", default="null", metavar="JSON", help="What it is given.")
@shared
def run_skill(name: str, action: str, given: str, named: str | None, as_json: bool) -> None:
    """Call a skill yourself; the call and how it went are archived."""
    from lumen.body.cli.opening import as_author

    being = being_meant(named)
    must_be(being)
    try:
        asked = loads(given)
    except ValueError as error:
        fix = f"""lumen skills run {name} {action} --input '{{"text": "hello"}}'"""
        raise UsageError(f"--input is no JSON: {error}", fix=fix) from error
    app.must_be_runnable(being, name)
    with as_author(being, note) as kernel, _told(kernel):
        done = asyncio.run(app.run_skill(kernel, name, action, asked))
    if as_json:
        show(done)
    elif done.ok:
        show(done.output)
    else:
        note(str(done.error))
    if not done.ok:
        click.get_current_context().exit(1)


@skills.command("test")
@click.argument("name", required=False)
@shared
def test_skills(name: str | None, named: str | None, as_json: bool) -> None:
    """Run the example each skill declares, held as the skill would be; exit 1 when one fails."""
    from lumen.body.cli.opening import as_author

    being = being_meant(named)
    must_be(being)
    found = app.to_test(being, name)
    with as_author(being, note) as kernel, _told(kernel):
        tried = [asyncio.run(app.test_skill(kernel, skill)) for skill in found]
    if as_json:
        show(tried)
    else:
        table([(one.name, _went(one), one.why) for one in tried])
    if not all(one.ok for one in tried):
        click.get_current_context().exit(1)


@skills.command("new")
@click.argument("name")
@shared
def new_skill(name: str, named: str | None, as_json: bool) -> None:
    """A skill to fill in: a main.py that works, and a skill.toml with an example."""
    being = being_meant(named)
    must_be(being)
    folder = app.new_skill(being, name)
    if as_json:
        show({"name": name, "folder": str(folder)})
    else:
        say(f"{folder / 'main.py'} works as it is; write in it what you need.")
        say(f"  then: lumen skills test {name}")


@skills.command("disable")
@click.argument("name")
@shared
def disable(name: str, named: str | None, as_json: bool) -> None:
    """Switch a skill off: the being does not find it any more."""
    _decide(name, named, "disabled", as_json=as_json)


@skills.command("enable")
@click.argument("name")
@shared
def enable(name: str, named: str | None, as_json: bool) -> None:
    """Switch a skill on again."""
    _decide(name, named, "enabled", as_json=as_json)


@skills.command("accept")
@click.argument("name")
@shared
def accept(name: str, named: str | None, as_json: bool) -> None:
    """Take a skill that a model wrote for your own: it runs on your terms from now on."""
    _decide(name, named, "accepted", as_json=as_json)


def _decide(name: str, named: str | None, what: str, *, as_json: bool) -> None:
    """Something about a skill that only the author decides, and not while a turn is under way."""
    from lumen.body.cli.opening import as_author

    being = being_meant(named)
    soul = must_be(being).soul
    app.must_be_decidable(being, name, what)
    with as_author(being, note) as kernel:
        said = app.decide_skill(kernel, soul, name, what)
    if as_json:
        show({"name": name, "decided": what})
    else:
        say(said)


@contextmanager
def _told(kernel: Kernel) -> Iterator[None]:
    """What a skill did that had to be undone is said when it is over, however it ended."""
    try:
        yield
    finally:
        for line in kernel.gate.repairs:
            note(line)
        kernel.gate.repairs.clear()


def _held(skill: SkillState) -> str:
    return f"{skill.isolation} ({skill.why})" if skill.why else skill.isolation


def _went(one: Tried) -> str:
    if not one.ok:
        return "FAILED"
    return "passed" if one.tried else "untried"
