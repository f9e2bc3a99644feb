"""`lumen skills`: what it can do, who made that, how it is held; try, make and switch skills."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lumen.app.settings import Settings, must_be
from lumen.body.cli.common import being_meant, note, say, shared, show, table
from lumen.core.canon import JSON, loads
from lumen.core.data import Being, kernel_entry
from lumen.core.errors import LumenError, SkillError, Unapproved, UsageError
from lumen.hands.author import accept as accept_as_authors
from lumen.hands.author import switch
from lumen.hands.effects import Effects, effects_of
from lumen.hands.skills import (
    Maker,
    Skill,
    authored,
    discover,
    find,
    is_name,
    made_by,
    shipped,
    source_hash,
)
from lumen.hands.skills import named as skill_named
from lumen.hands.terms import Approves, Terms, grant, held, nobody
from lumen.hands.trial import Trial

if TYPE_CHECKING:
    from lumen.kernel.guard import Guard
    from lumen.kernel.run import Kernel

AUTHOR = "lumen:author"
TEMPLATE = Path(__file__).parents[1] / "template"


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
    being, _, terms = _open(named)
    approves = _approvals(being)
    rows = [_row(skill, being, terms, approves) for skill in discover(being.skills)]
    if as_json:
        show(rows)
    elif rows:
        titles = ("skill", "state", "made by", "effects", "held by")
        table(
            [titles, *((r["name"], r["state"], r["maker"], r["effects"], _held(r)) for r in rows)]
        )
    else:
        say("No skills: it can say nothing. Make another being to see the ones it starts with.")


@skills.command("show")
@click.argument("name")
@shared
def show_skill(name: str, named: str | None, as_json: bool) -> None:
    """What a skill says of itself, what it declares, its hash, and who made it."""
    from lumen.body.cli.opening import opened

    being, _, terms = _open(named)
    skill = _known(being, name)
    row = _row(skill, being, terms, _approvals(being))
    told: dict[str, JSON] = {**row, "sha256": source_hash(skill), "mark": authored(skill)}
    try:
        # Asked as it would be held; a skill that must not run is not asked.
        with opened(being, note) as kernel, _told(kernel):
            told["help"] = asyncio.run(_guard(kernel).help(skill))
    except SkillError as error:
        told["help"], told["trouble"] = "", error.what
    if as_json:
        show(told)
        return
    mark = told["mark"] or {}
    by = f"{row['maker']} ({mark.get('by')}, {mark.get('made')})" if mark else row["maker"]
    pairs = (("state", row["state"]), ("made by", by), ("effects", row["effects"]))
    table([*pairs, ("held by", _held(row)), ("sha256", told["sha256"])])
    if row["description"]:
        say(f"\n{row['description']}")
    say(f"\n{told['help'] or told['trouble']}")


@skills.command("run")
@click.argument("name")
@click.argument("action")
@click.option("--input", "given", default="null", metavar="JSON", help="What it is given.")
@shared
def run_skill(name: str, action: str, given: str, named: str | None, as_json: bool) -> None:
    """Call a skill yourself; the call and how it went are archived."""
    from lumen.body.cli.opening import as_author
    from lumen.kernel.capabilities import RecordedHands

    being = being_meant(named)
    must_be(being)
    try:
        asked = loads(given)
    except ValueError as error:
        fix = f"""lumen skills run {name} {action} --input '{{"text": "hello"}}'"""
        raise UsageError(f"--input is no JSON: {error}", fix=fix) from error
    _runnable(being, name)
    with as_author(being, note) as kernel, _told(kernel):
        hands = RecordedHands(kernel.gate, AUTHOR, kernel.clock, kernel.terms)
        done = asyncio.run(hands.use(name, action, asked))
        what = f"The author ran {name}.{action}."
        beat = kernel_entry("skill_run", what, AUTHOR, {"skill": name, "action": action})
        kernel.gate.commit("author", [], beat, before=hands.entries, durable=True, sign=True)
    if as_json:
        show({"ok": done.ok, "output": done.output, "error": done.error or None})
    elif done.ok:
        show(done.output)
    else:
        note(done.error)
    if not done.ok:
        click.get_current_context().exit(1)


@skills.command("test")
@click.argument("name", required=False)
@shared
def test_skills(name: str | None, named: str | None, as_json: bool) -> None:
    """Run the example each skill declares, held as the skill would be; exit 1 when one fails."""
    from lumen.body.cli.opening import as_author

    being, _, _ = _open(named)
    found = [_known(being, name)] if name else [s for s in discover(being.skills) if _on(s)]
    with as_author(being, note) as kernel, _told(kernel):
        tried = [(skill.name, _try(skill, _guard(kernel))) for skill in found]
    if as_json:
        show([{"name": who, **asdict(trial)} for who, trial in tried])
    else:
        table([(who, _went(trial), trial.why) for who, trial in tried])
    if not all(trial.ok for _, trial in tried):
        click.get_current_context().exit(1)


@skills.command("new")
@click.argument("name")
@shared
def new_skill(name: str, named: str | None, as_json: bool) -> None:
    """A skill to fill in: a main.py that works, and a skill.toml with an example."""
    being, _, _ = _open(named)
    if not is_name(name):
        what = f"{name!r} is no name for a skill: small letters, digits and _, at most 40"
        raise UsageError(what, fix="lumen skills new weather")
    folder = being.skills / name
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        raise UsageError(f"{folder} is there already", fix=f"lumen skills show {name}") from error
    ours = shipped() / name  # a being of an older version may lack it
    for source in sorted((ours if ours.is_dir() else TEMPLATE).glob("*.*")):
        text = source.read_text("utf-8").replace("NAME", name)
        (folder / source.name).write_text(text, "utf-8")
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
    must_be(being)
    skill = _known(being, name)
    if what == "accepted" and authored(skill) is None:
        whose = "came with Lumen" if made_by(skill) is Maker.SHIPPED else "is yours already"
        nothing = f"the skill {name} {whose}: no model wrote it, so there is nothing to accept"
        raise UsageError(nothing, fix="lumen skills")
    with as_author(being, note) as kernel:
        if what == "accepted":
            _say_yes(kernel, skill, must_be(being).soul)
            accept_as_authors(skill)
        else:
            switch(skill, on=what == "enabled")
        payload: dict[str, JSON] = {"skill": name, "decided": what, "sha256": source_hash(skill)}
        said = f"The author {what} the skill {name}."
        kernel.gate.record(kernel_entry("skill_decided", said, AUTHOR, payload))
    if as_json:
        show({"name": name, "decided": what})
    else:
        say(said)


def _say_yes(kernel: Kernel, skill: Skill, soul: str) -> None:
    """The author's signature under exactly these files: taken for one's own, they may run anywhere."""
    from lumen.kernel.approvals import decide, skill_of, skill_proposal

    sha256, mark = source_hash(skill), authored(skill) or {}
    by = str(mark.get("by", "a model"))
    kernel.index.catch_up()
    known = skill_of(kernel.index, skill.name, sha256)
    if known is None:
        asked = skill_proposal(skill.name, sha256, by, "the author takes it for their own", AUTHOR)
        kernel.gate.record(asked)
        kernel.index.catch_up()
        known = skill_of(kernel.index, skill.name, sha256)
    if known is not None:
        decide(kernel.gate, soul, known.seq, allow=True)


def _open(named: str | None) -> tuple[Being, Settings, Terms]:
    from lumen.app.wiring import terms_of

    being = being_meant(named)
    settings = must_be(being)
    return being, settings, terms_of(settings)


def _known(being: Being, name: str) -> Skill:
    try:
        return skill_named(being.skills, name)
    except SkillError as error:
        raise UsageError(error.what, fix=error.fix) from error


def _runnable(being: Being, name: str) -> None:
    try:
        find(being.skills, name)
    except SkillError as error:
        raise UsageError(error.what, fix=error.fix) from error


def _on(skill: Skill) -> bool:
    return skill.ready and not skill.disabled


def _approvals(being: Being) -> Approves:
    """What the author allowed to run below bubblewrap, read off the archive."""
    from lumen.kernel.approvals import may_run
    from lumen.soul.index import Index

    if not any(authored(skill) is not None for skill in discover(being.skills)):
        return nobody
    index = Index(being)
    index.catch_up()
    return lambda name, sha256: may_run(index, name, sha256)


def _guard(kernel: Kernel) -> Guard:
    from lumen.kernel.guard import Guard

    return Guard(kernel.gate, kernel.terms, kernel.clock, AUTHOR)


@contextmanager
def _told(kernel: Kernel) -> Iterator[None]:
    """What a skill did that had to be undone is said when it is over, however it ended."""
    try:
        yield
    finally:
        for line in kernel.gate.repairs:
            note(line)
        kernel.gate.repairs.clear()


def _row(skill: Skill, being: Being, terms: Terms, approves: Approves) -> dict[str, JSON]:
    maker = made_by(skill)
    trouble = ""
    isolation, why = held(skill.name, maker, terms)
    effects = Effects()
    try:
        effects = effects_of(skill)
        given = grant(skill, being.root, terms, approves)
        isolation, why = given.box.isolation, given.why
    except Unapproved:
        trouble = "waits: lumen approvals"
    except SkillError as error:
        trouble = error.what.removeprefix(f"The skill {skill.name} ")
    return {
        "name": skill.name,
        "ready": _on(skill) and not trouble and maker is not Maker.CHANGED,
        "state": _state(skill, maker, trouble),
        "maker": "model" if maker is Maker.CHANGED else maker.value,
        "effects": effects.in_words(),
        "declared": {**asdict(effects), "example": effects.example is not None},
        "description": effects.description,
        "isolation": isolation.value,
        "why": why,
    }


def _state(skill: Skill, maker: Maker, trouble: str) -> str:
    if not skill.ready:
        return "has no main.py"
    if skill.disabled:
        return "disabled"
    if maker is Maker.CHANGED:
        return "changed: lumen skills accept"
    return trouble or "ready"


def _held(row: dict[str, JSON]) -> str:
    return f"{row['isolation']} ({row['why']})" if row["why"] else str(row["isolation"])


def _try(skill: Skill, guard: Guard) -> Trial:
    try:
        return asyncio.run(guard.test(skill))
    except LumenError as error:
        return Trial(ok=False, why=error.what, tried=False)


def _went(trial: Trial) -> str:
    if not trial.ok:
        return "FAILED"
    return "passed" if trial.tried else "untried"
