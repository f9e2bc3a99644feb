"""`lumen skills`: what it can do, who made that, how it is held; try, make and switch skills."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import asdict

import click

from lumen.app import skills as app
from lumen.app.skills import SkillDetails, SkillState, Tried
from lumen.body.cli.command import command, group
from lumen.body.cli.render import Listed, TextResult
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import lined_up
from lumen.core.canon import loads, printable_json
from lumen.core.errors import UsageError

NAME = click.argument("name")


@group("skills", for_skills=True)
def skills(request: CommandRequest) -> Listed[SkillState]:
    """What it can do: whether each skill is ready, who made it, what it touches, how it is held."""
    with request.looking() as look:
        found = app.skills_of(look.being, look.settings, look.index)
    return Listed(
        found,
        lambda s: (s.name, s.state, s.maker, s.effects, _isolation(s)),
        titles=("skill", "state", "made by", "effects", "held by"),
        none="No skills: it can say nothing. Make another being to see the ones it starts with.",
    )


def _isolation(skill: SkillState) -> str:
    return f"{skill.isolation} ({skill.why})" if skill.why else skill.isolation


@command("show", within=skills, for_skills=True)
@NAME
def show_skill(request: CommandRequest, name: str) -> TextResult:
    """What a skill says of itself, what it declares, its hash, and who made it."""
    settings = request.settings
    app.known_skill(request.being, name)
    with request.opened() as kernel:
        found = asyncio.run(app.details(kernel, settings, name))
    told = asdict(found)
    trouble = {"trouble": found.trouble} if told.pop("trouble") else {}  # only where there is some
    return TextResult({**told.pop("skill"), **told, **trouble}, _details(found))


def _details(found: SkillDetails) -> Iterator[str]:
    mark, skill = found.mark or {}, found.skill
    by = f"{skill.maker} ({mark.get('by')}, {mark.get('made')})" if mark else skill.maker
    pairs = (("state", skill.state), ("made by", by), ("effects", skill.effects))
    yield from lined_up([*pairs, ("held by", _isolation(skill)), ("sha256", found.sha256)])
    if skill.description:
        yield f"\n{skill.description}"
    yield f"\n{found.help or found.trouble}"


@command("run", within=skills)
@NAME
@click.argument("action")
@click.option("--input", "given", default="null", metavar="JSON", help="What it is given.")
def run_skill(request: CommandRequest, name: str, action: str, given: str) -> TextResult:
    """Call a skill yourself; the call and how it went are archived."""
    app.must_be_runnable(request.existing, name)
    try:
        asked = loads(given)
    except ValueError as error:
        fix = app.call_like(request.being, name, action)
        raise UsageError(f"--input is no JSON: {error}", fix=fix) from error
    with request.as_author() as kernel:
        done = asyncio.run(app.run_skill(kernel, name, action, asked))
    told = {"ok": done.ok, "output": done.output, "error": done.error}
    failed = "" if done.ok else f"{done.error}\n  try: lumen skills show {done.name}"
    return TextResult(told, printable_json(done.output) if done.ok else (), failed, done.ok)


@command("test", within=skills)
@click.argument("name", required=False)
def test_skills(request: CommandRequest, name: str | None) -> Listed[Tried]:
    """Run the example each skill declares, held as the skill would be; exit 1 when one fails."""
    found = app.to_test(request.existing, name)
    with request.as_author() as kernel:
        tried = [asyncio.run(app.test_skill(kernel, skill)) for skill in found]
    return Listed(tried, lambda one: (one.name, _outcome(one), one.why), none="No skill is on.")


def _outcome(one: Tried) -> str:
    if not one.ok:
        return "FAILED"
    return "passed" if one.tried else "untried"


@command("new", within=skills)
@NAME
def new_skill(request: CommandRequest, name: str) -> TextResult:
    """A skill to fill in: a main.py that works, and a skill.toml with an example."""
    folder = app.new_skill(request.existing, name)
    said = f"{folder / 'main.py'} works as it is; write in it what you need."
    made = {"name": name, "folder": str(folder)}
    return TextResult(made, [said, f"  then: lumen skills test {name}"])


def _add_decision(verb: str, what: str, meaning: str) -> None:
    """A command by which the author decides about a skill, and not while a turn is under way."""

    def decide(request: CommandRequest, name: str) -> TextResult:
        soul = request.settings.soul
        app.must_be_decidable(request.being, name, what)
        with request.as_author() as kernel:
            said = app.decide_skill(kernel, soul, name, what)
        return TextResult({"name": name, "decided": what}, said)

    decide.__doc__ = meaning
    command(verb, within=skills)(NAME(decide))


_add_decision("disable", "disabled", "Switch a skill off: the being does not find it any more.")
_add_decision("enable", "enabled", "Switch a skill on again.")
_add_decision(
    "accept",
    "accepted",
    "Take a skill that a model wrote for your own: it runs on your terms from now on.",
)
