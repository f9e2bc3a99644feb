"""The one way a skill's code is run: held as it must be, watched, what it changed put back and told.

A turn, `lumen run`, the author's own call, a test, a question for help and the trial of what a model
wrote all pass here. What a skill may be used for, and what is kept of its answer, is decided by
whoever calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from lumen.core.canon import JSON
from lumen.core.clock import Clock
from lumen.core.errors import ArchiveError, SkillError
from lumen.hands.author import Authored, Rejected, Signature, SkillDraft, UntestedSkill, author
from lumen.hands.isolation import Sandbox
from lumen.hands.policy import SkillGrant, SkillPolicies, grant, lacking, lay_out
from lumen.hands.run import Call, Result, run
from lumen.hands.skills import Skill, describe, find
from lumen.hands.trial import Trial, try_out
from lumen.kernel.gate.approvals import may_run
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.skill_windows import Window
from lumen.kernel.gate.undo import PutBack, remembered, undo


@dataclass(frozen=True, slots=True)
class Guard:
    """All it takes to run a being's skills; `session_key` is what the archive files meddling under."""

    gate: Gate
    policies: SkillPolicies
    clock: Clock
    session_key: str

    def granted(self, skill: Skill) -> SkillGrant:
        """The policy a skill runs under now.

        Raises:
            SkillError: it must not run as it stands.
        """
        return grant(skill, self.gate.being.root, self.policies, self._approves)

    async def call(self, name: str, action: str, given: JSON) -> Result:
        """Call a skill once.

        Raises:
            SkillError: it is not there, or must not run as it stands; nothing was run.
        """
        skill = find(self.gate.being.skills, name)
        granted = self.granted(skill)
        lay_out(granted)
        asked = Call(skill, self.session_key, action, given, granted.context)
        with self._watching(name) as meddled:
            result = await run(asked, self.policies.limits, self.clock, granted.box)
        if meddled:
            return replace(result, ok=False, output=None, error=_in_words(meddled))
        if hint := "" if result.ok else lacking(name, granted, f"{result.error}\n{result.stderr}"):
            return replace(result, error=f"{result.error} {hint}")
        return result

    async def test(self, skill: Skill) -> Trial:
        """Run a skill's example, held as the skill would be, in folders that are thrown away.

        Raises:
            SkillError: it must not run as it stands; nothing was run.
        """
        given = self.granted(skill)
        box = replace(given.box, reads=(), writes=())
        with self._watching(skill.name) as meddled:
            trial = await try_out(skill, given.effects, box, self.policies.limits, self.clock)
        if meddled:
            return Trial(ok=False, why=_in_words(meddled))
        hint = "" if trial.ok else lacking(skill.name, given, trial.why)
        return replace(trial, why=f"{trial.why} {hint}") if hint else trial

    async def help(self, skill: Skill) -> str:
        """What a skill says of itself.

        Raises:
            SkillError: it must not run as it stands, or it says nothing.
        """
        box = Sandbox(self.granted(skill).box.isolation)
        kept = self.gate.being.data / "index" / "help.json"
        with self._watching(skill.name) as meddled:
            said = await describe(skill, box, kept)
        if meddled:
            raise SkillError(f"Asked for --help, the skill {skill.name}: {_in_words(meddled)}")
        return said

    async def create(
        self, draft: SkillDraft, signed: Signature
    ) -> Authored | UntestedSkill | Rejected:
        """Make a skill of what a model wrote, tried in bubblewrap or not at all."""
        being = self.gate.being
        with self._watching(draft.name) as meddled:
            made = await author(being.data / "staging", being.skills, draft, signed, self.clock)
        return Rejected(_in_words(meddled)) if meddled else made

    def _approves(self, name: str, sha256: str) -> bool:
        self.gate.index.catch_up()
        return may_run(self.gate.index, name, sha256)

    @contextmanager
    def _watching(self, name: str) -> Iterator[list[str]]:
        """Whatever a skill does meanwhile to what is none of its business is undone, kept and told.

        Raises:
            ArchiveError: it cannot be archived, or not be undone; says what was put back.
        """
        windows, window = self.gate.windows, Window(name)
        if windows.before is None:
            windows.before = remembered(self.gate)
        windows.open.append(window)
        windows.look = self._must_look
        try:
            yield window.meddled
        except BaseException:  # also when the author stops it
            self._note_repairs(self._look())
            raise
        else:
            self._must_look()
        finally:
            windows.open.remove(window)
            if not windows.open:
                windows.before = None

    def _must_look(self) -> None:
        undone = self._look()
        if undone.trouble:
            raise _explained(undone, undone.trouble)
        self._note_repairs(undone)

    def _look(self) -> PutBack:
        """Put back what skills at work have changed; all of them are held to account."""
        windows = self.gate.windows
        before = windows.before or remembered(self.gate)
        undone = undo(self.gate, before, windows.names, self.session_key)
        windows.changed(undone.paths)
        return undone

    def _note_repairs(self, undone: PutBack) -> None:
        self.gate.repairs.extend(str(what) for what, _ in undone.notes)


def _explained(undone: PutBack, trouble: ArchiveError) -> ArchiveError:
    """Both at once: what was put back, and what is wrong."""
    changed = ", ".join(undone.paths)
    did = f"changed {changed}; it was put back. But " if changed else "ran, and then "
    return type(trouble)(f"the skill {undone.who} {did}{trouble.what}", fix=trouble.fix)


def _in_words(meddled: list[str]) -> str:
    return f"it changed {', '.join(meddled)}"
