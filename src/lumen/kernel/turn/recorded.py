"""What the runner hands to steps: mind and hands, wrapped so that every call is recorded.

A step sees only the Protocols of step.py. How calls to models are metered is in calls.py.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from lumen.core.canon import JSON, dumps, sha256
from lumen.core.clock import Clock, stamp
from lumen.core.data import Author, Entry, EventType, Origin
from lumen.core.errors import MindError, SkillError, Unapproved
from lumen.core.trust import Ability
from lumen.hands.author import Authored, Signature, SkillDraft, UntestedSkill
from lumen.hands.effects import effects_of
from lumen.hands.policy import SkillGrant, SkillPolicies
from lumen.hands.skills import Maker, Skill, authored, discover, find, made_by, named, source_hash
from lumen.kernel.choice.score import expected
from lumen.kernel.choice.tools import InstalledTool
from lumen.kernel.contour.capabilities import Done, ModelReply, Output
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.guard import Guard
from lumen.kernel.gate.proposals import skill_of, skill_proposal
from lumen.kernel.language.reading import sentences
from lumen.kernel.models.calls import Calls
from lumen.kernel.models.disclosure import holds_private
from lumen.mind.substrate import LONGEST_TOKEN
from lumen.soul.ports.queries import Queries

MOST_TOLD, LONGEST_TOLD = 12, 300  # skills a model is told of, and how much of each
WRITES = "write_file"
OPENS_ITEM = re.compile(r"(?:\d{1,2}[.)]|[-*•]) ")
NO_ITEM = re.compile(r"(?:(?:^|\s)\d{1,3}[.)])+\s*$")  # the number of an item that never came
AUTHOR = "lumen:author"
PROMPTS = Path(__file__).parents[1] / "prompts"


@dataclass(slots=True)
class RecordedMind:
    """The models, for one turn; `calls` meters them, keeps what is private here, and records."""

    calls: Calls

    async def ask(self, step: str, slots: dict[str, JSON], max_tokens: int) -> ModelReply:
        """Words of the interface model."""
        call, answer = await self.calls.ask("interface", step, slots, max_tokens)
        most = max_tokens * LONGEST_TOKEN  # what is more than that, nobody asked for
        finish = answer.finish if len(answer.text) <= most else "length"
        said, looped = _tidy(answer.text[:most], finish)
        private = call.model.local and holds_private(slots)
        copied = answer.copied or (looped and call.model.small)
        return ModelReply(said, str(call.model), call.model.small, copied, private)

    async def may(self, ability: Ability, role: str) -> bool:
        """Whether the model of a role is trusted with something, and may be asked."""
        reach = self.calls.reach
        if role not in reach.assignments:
            return False
        try:
            model = await reach.model(role)
        except MindError:
            return False
        return ability in model.may and (model.local or not self.calls.private)

    async def runs_here(self) -> bool:
        """Whether the interface model runs in this process; one that cannot be looked at does not."""
        try:
            return bool((await self.calls.reach.model("interface")).sha256)
        except MindError:
            return False

    async def speaks(self, language: str) -> bool:
        """Whether the interface model may be heard in a language, as far as it can be looked at."""
        try:
            return (await self.calls.reach.model("interface")).speaks(language)
        except MindError:
            return True

    async def ask_for(
        self,
        output: type[Output],
        role: str,
        step: str,
        slots: dict[str, JSON],
        max_tokens: int,
    ) -> Output:
        """A value of a type from the model of a role."""
        return await self.calls.ask_for(output, role, step, slots, max_tokens)


@dataclass(slots=True)
class RecordedHands:
    """The skills, for one turn; `entries` are archived with the beat that used them."""

    gate: Gate
    session_key: str
    clock: Clock
    policies: SkillPolicies
    private: bool = False
    autonomy: str = "full"
    entries: list[Entry] = field(default_factory=list)

    @property
    def guard(self) -> Guard:
        """What runs skills."""
        return Guard(self.gate, self.policies, self.clock, self.session_key)

    def can(self, skill: str) -> bool:
        """Whether the skill is there, has an entry point, and waits for no approval."""
        try:
            found = find(self.gate.being.skills, skill)
        except SkillError:
            return False
        return authored(found) is None or not self._waits(found)

    def likely(self, skill: str) -> float:
        """How likely it succeeds, by what came of it before."""
        return expected(*self.gate.index.cycles.record_of(skill))

    def brought(self, skill: str, goal: str) -> bool:
        """Whether it has brought something for a goal before."""
        return self.gate.index.cycles.brought(skill, goal)

    def holds(self, skill: str, path: str) -> bool:
        """Whether a file that the skill may write is there, with something in it."""
        try:
            folders = self.guard.granted(find(self.gate.being.skills, skill)).box.writes
        except SkillError:
            return False
        return any(_says_something(Path(folder) / path) for folder in folders)

    def forbidden(self, skill: str, *, private: bool = False) -> str:
        """Why it may not be used unasked; empty when it may, or when there is none.

        What a skill does not declare, or cannot take back, the author has to allow first. What
        is private leaves the machine by no skill.
        """
        if self.autonomy == "shadow":
            return "in shadow nothing is done"
        try:
            found = named(self.gate.being.skills, skill)
        except SkillError:
            return ""
        if found.disabled:
            return f"{skill} is switched off; lumen skills enable {skill}"
        try:
            given = self.guard.granted(find(self.gate.being.skills, skill))
        except SkillError as error:
            return error.what
        if (private or self.private) and given.box.network:
            return f"{skill} leaves the machine, and this is private"
        may = self.policies.settings.get(skill, {}).get("unasked") is True
        why = "" if may else _must_ask(given, self.autonomy)
        return (
            f"{skill} {why}; [skills.{skill}] unasked = true in lumen.toml allows it" if why else ""
        )

    def known(self) -> tuple[str, ...]:
        """The skills it has beside the shipped ones, each with what it says of itself."""
        return tuple(_in_words(s)[:LONGEST_TOLD] for s in self._own())

    async def tools(self) -> tuple[InstalledTool, ...]:
        """Those skills that show how they are called, each with what its `--help` says."""
        found = []
        for skill in self._own():
            try:
                shown = effects_of(skill).example
                said = await self.guard.help(skill) if shown else ""
            except SkillError:
                continue
            if shown:
                found.append(InstalledTool(skill.name, shown.action, shown.input, said))
        return tuple(found)

    def _own(self) -> list[Skill]:
        """The skills beside the shipped ones that are ready."""
        found = [s for s in discover(self.gate.being.skills) if s.ready and not s.disabled]
        return [s for s in found if made_by(s) is not Maker.SHIPPED][:MOST_TOLD]

    async def create(self, name: str, files: dict[str, str], by: str) -> Done:
        """Make a skill of what a model wrote: tried out first, and archived with its source."""
        draft = SkillDraft(name, files.get("main.py", ""), files.get("skill.toml", ""))
        signed = Signature(by, stamp(self.clock.now()))
        self._note(EventType.TOOL_CALL, Origin.KERNEL, f"create_skill.{name}", {"files": files})
        made = await self.guard.create(draft, signed)
        ok, error = isinstance(made, Authored), ""
        if isinstance(made, UntestedSkill):
            error = f"it is written and waits for the author's word, as {made.why}: lumen approvals"
            self._propose(made.skill, made.sha256, by, made.why)
        elif not isinstance(made, Authored):
            error = made.reason
        payload: dict[str, JSON] = {"ok": ok, "error": error or None}
        if isinstance(made, Authored):
            payload |= {"sha256": made.sha256, "isolation": made.isolation.value}
        said = f"create_skill.{name}: " + ("done" if ok else error)
        self._note(EventType.TOOL_RESULT, Origin.TOOL, said, payload)
        return Done(ok=ok, output={"text": f"the skill {name} works"} if ok else None, error=error)

    async def use(self, skill: str, action: str, given: JSON, *, private: bool = False) -> Done:
        """Run a skill; what it was asked and what it answered is kept, and is private if that is."""
        marked: dict[str, JSON] = {"private": True} if private else {}
        asked = {"input": given, **marked}
        self._note(EventType.TOOL_CALL, Origin.KERNEL, f"{skill}.{action}", asked)
        wrote: dict[str, JSON] = {}
        try:
            if skill == WRITES and self.session_key != AUTHOR:
                self._must_be_its_own(skill, given)
            result = await self.guard.call(skill, action, given)
            done = Done(result.ok, result.output, result.error)
            wrote = _written(skill, given, done)
        except SkillError as error:
            done = Done(ok=False, output=None, error=error.what)
            if isinstance(error, Unapproved):
                self._propose_what_stands(skill, error.what)
        said = f"{skill}.{action}: " + ("done" if done.ok else done.error)
        payload: dict[str, JSON] = {"ok": done.ok, "error": done.error or None, **marked, **wrote}
        self._note(EventType.TOOL_RESULT, Origin.TOOL, said, payload)
        return done

    def _must_be_its_own(self, skill: str, given: JSON) -> None:
        """See that a file that is to be replaced is one the being wrote, as it wrote it.

        Raises:
            SkillError: the author made it, or somebody changed it since; nothing was written.
        """
        if not isinstance(given, dict) or not given.get("overwrite"):
            return
        path = PurePosixPath(str(given.get("path", ""))).as_posix()
        folders = self.guard.granted(find(self.gate.being.skills, skill)).box.writes
        stands = [at for folder in folders if os.path.lexists(at := folder / path)]
        self.gate.index.catch_up()
        mine = _last_written(self.gate.index, path)
        entries = [e.payload.get("wrote") for e in self.entries]
        mine = next((str(w["sha256"]) for w in reversed(entries) if w and w["path"] == path), mine)
        if any(_hash_of_file(at) != mine for at in stands):
            raise SkillError(
                f"{path} is not overwritten: it is not mine, or was changed since I wrote it"
            )

    def _waits(self, skill: Skill) -> bool:
        try:
            self.guard.granted(skill)
        except SkillError as error:
            return isinstance(error, Unapproved)
        return False

    def _propose_what_stands(self, name: str, why: str) -> None:
        """Ask about a skill that a model wrote before, or on a host that could hold it."""
        found = named(self.gate.being.skills, name)
        by = str((authored(found) or {}).get("by", "a model"))
        self._propose(found, source_hash(found), by, why)

    def _propose(self, skill: Skill, sha256: str, by: str, why: str) -> None:
        """Ask the author whether what a model wrote may run below bubblewrap; once for each hash."""
        self.gate.index.catch_up()
        waiting = any(e.payload.get("sha256") == sha256 for e in self.entries)
        if not waiting and skill_of(self.gate.index, skill.name, sha256) is None:
            self.entries.append(skill_proposal(skill.name, sha256, by, why, self.session_key))

    def _note(
        self, event_type: EventType, origin: Origin, said: str, payload: dict[str, JSON]
    ) -> None:
        entry = Entry(
            author=Author.KERNEL,
            event_type=event_type,
            origin=origin,
            situation="skill",
            description=said,
            session_key=self.session_key,
            payload={**payload, "private": True} if self.private else payload,
        )
        self.entries.append(entry)


def _written(skill: str, given: JSON, done: Done) -> dict[str, JSON]:
    """What a result tells of the file it wrote: where, and the hash of what was to be in it."""
    output = done.output if done.ok else None
    if skill != "write_file" or not isinstance(output, dict) or not isinstance(given, dict):
        return {}
    path, text = output.get("path"), given.get("text")
    if not isinstance(path, str) or not isinstance(text, str):
        return {}
    return {"wrote": {"path": path, "sha256": sha256(text.encode("utf-8", "replace"))}}


def _last_written(index: Queries, path: str) -> str:
    """The hash of what the being wrote to a path last; empty when it never did."""
    for event in index.events.of_kernel(("skill",), "write_file.write: done", newest_first=True):
        told = event.entry.payload.get("wrote")
        if isinstance(told, dict) and told.get("path") == path:
            return str(told.get("sha256", ""))
    return ""


def _hash_of_file(path: Path) -> str:
    """The hash of a file; of what is no file or cannot be read, one that nothing has."""
    try:
        return sha256(path.read_bytes()) if path.is_file() and not path.is_symlink() else "no file"
    except OSError:
        return "unreadable"


def _says_something(path: Path) -> bool:
    try:
        return not path.is_symlink() and path.is_file() and bool(path.read_bytes().strip())
    except OSError:
        return False


def _must_ask(given: SkillGrant, autonomy: str) -> str:
    """Why the author has to allow something first; a predicate to the skill's name."""
    effects = given.effects
    if not effects.known:
        return "does not say what it touches"
    if effects.irreversible:
        return "does what cannot be taken back"
    return "leaves the machine" if given.box.network and autonomy == "soft" else ""


def _in_words(skill: Skill) -> str:
    """A skill by its name, how it is called, and what it says it does."""
    try:
        effects = effects_of(skill)
    except SkillError as error:
        return f"{skill.name}: {error.what}"
    shown = effects.example
    call = f" (action {shown.action}, input {dumps(shown.input).decode()})" if shown else ""
    return f"{skill.name}{call}: {effects.description}"


def _tidy(text: str, finish: str) -> tuple[str, bool]:
    """A reply that ran out of tokens ends at its last whole sentence; none is said twice.

    And whether one was: then the model went round in circles.
    """
    if finish == "length":
        cut = max(text.rfind(mark) for mark in ".!?…")
        text = NO_ITEM.sub("", text[: cut + 1] if cut > 0 else text)
    spans = sentences(text)
    kept = list(dict.fromkeys(text[a:b].strip() for a, b in spans))
    whole = re.sub(r"\n\s*\n\s*", "\n\n", text.strip())
    if len(kept) == len(spans):
        return whole, False
    apart = ["\n" if OPENS_ITEM.match(one) else " " for one in kept]
    return "".join(f"{gap}{one}" for gap, one in zip(apart, kept, strict=True)).strip(), True
