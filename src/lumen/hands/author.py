"""Create skill: a draft that a model wrote becomes a skill, or is refused with the reason.

A draft is written to a staging folder, read, and tried there in bubblewrap; only one that explains
itself and passes its own example is moved in, whole. Where bubblewrap does not work nothing of it is
run: it is kept, and waits for the author. Whether a skill should be made, and what the archive keeps
of it, is the kernel's to decide.
"""

from __future__ import annotations

import ast
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lumen.core.canon import clean, dumps
from lumen.core.clock import Clock
from lumen.core.durable import save, settle
from lumen.core.errors import SkillError
from lumen.hands.effects import DeclaredEffects, effects_of
from lumen.hands.isolation import Isolation, Sandbox, bwrap_trouble
from lumen.hands.process import Limits
from lumen.hands.script import packages
from lumen.hands.skills import AUTHORED, DISABLED, Skill, describe, is_name, source_hash
from lumen.hands.trial import try_out

MOST_SOURCE = 64_000  # characters; more is no skill but a project
TRIAL_LIMITS = Limits(seconds=10.0, cpu_seconds=10)


@dataclass(frozen=True, slots=True)
class SkillDraft:
    """A skill as a model wrote it; what is empty is left out."""

    name: str
    main_py: str
    skill_toml: str = ""
    skill_md: str = ""

    def files(self) -> dict[str, str]:
        """Its files by name."""
        said = {"main.py": self.main_py, "skill.toml": self.skill_toml, "SKILL.md": self.skill_md}
        return {name: clean(text) for name, text in said.items() if text}


@dataclass(frozen=True, slots=True)
class Authored:
    """A skill that was made: for the archive, and for whoever calls it next."""

    skill: Skill
    sha256: str
    files: Mapping[str, str]
    help: str
    effects: DeclaredEffects
    isolation: Isolation  # under which it was tried
    tried: bool  # whether it declared an example, which then passed


@dataclass(frozen=True, slots=True)
class UntestedSkill:
    """A draft that was not run, as bubblewrap does not work here: it lies there for the author."""

    skill: Skill
    sha256: str
    why: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A draft that became nothing, and why: a sentence that a model can act on."""

    reason: str
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Signature:
    """Who wrote a draft, and when."""

    by: str
    made: str


async def author(
    staging: Path, skills_dir: Path, draft: SkillDraft, signed: Signature, clock: Clock
) -> Authored | UntestedSkill | Rejected:
    """Make a skill of a draft; nothing is left in `staging`, and in `skills_dir` all or nothing.

    `staging` must be on the same disk as `skills_dir`, and outside it.
    """
    files = draft.files()
    if flaw := _flaw(draft, skills_dir):
        return Rejected(flaw, files)
    with _place_in(staging) as place:
        # The last part is the skill's name: that is what it will see of itself in its place.
        folder = Path(place, draft.name)
        _write(folder, files)
        try:
            return await _try(Skill(draft.name, folder), skills_dir, files, signed, clock)
        except SkillError as error:
            return Rejected(f"the skill {draft.name} {error.what}", files)


def accept(skill: Skill) -> None:
    """Take a skill for the author's own from now on: the note that a model wrote it goes."""
    (skill.folder / AUTHORED).unlink(missing_ok=True)


def switch(skill: Skill, *, on: bool) -> None:
    """Let a skill be found, or not."""
    mark = skill.folder / DISABLED
    if on:
        mark.unlink(missing_ok=True)
    else:
        mark.touch()


def _flaw(draft: SkillDraft, skills_dir: Path) -> str:
    """What can be told of a draft without running it; empty when there is nothing."""
    if not is_name(draft.name):
        return (
            f"{draft.name[:60]!r} is no name for a skill: small letters, digits and _, at most 40"
        )
    at = skills_dir / draft.name
    if at.exists() or at.is_symlink():
        return f"there is a skill named {draft.name} already"
    if any(len(text) > MOST_SOURCE for text in draft.files().values()):
        return f"a file of a skill may have {MOST_SOURCE:,} characters at most"
    return _flaw_in(clean(draft.main_py))


def _flaw_in(source: str) -> str:
    if not source.strip():
        return "main.py is empty"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is no reason to stop
            ast.parse(source, "main.py")
    except (SyntaxError, ValueError) as error:
        return f"main.py is no Python: {error}"
    except (RecursionError, MemoryError):
        return "main.py is too deeply nested to be read"
    try:
        # A name a model made up may be one that somebody registered for exactly this.
        return "only the author may add packages to a skill" if packages(source) else ""
    except SkillError as error:
        return f"the skill {error.what}"


async def _try(
    skill: Skill, skills_dir: Path, files: Mapping[str, str], signed: Signature, clock: Clock
) -> Authored | UntestedSkill | Rejected:
    """Run a draft where it lies, and move it in when it holds; unrun where that is not safe."""
    box = Sandbox(Isolation.BWRAP)
    effects = effects_of(skill)
    sha256 = source_hash(skill)
    final = Skill(skill.name, skills_dir / skill.name)
    taken = Rejected(f"there is a skill named {skill.name} already", files)
    if trouble := bwrap_trouble():
        _sign(skill, sha256, signed)
        return UntestedSkill(final, sha256, trouble) if _move(skill.folder, final.folder) else taken
    try:
        said = await describe(skill, box)
    except SkillError as error:
        return Rejected(error.what, files)
    trial = await try_out(skill, effects, box, TRIAL_LIMITS, clock)
    if not trial.ok:
        return Rejected(f"its example did not pass: {trial.why}", files)
    if source_hash(skill) != sha256:
        return Rejected("it changed its own files when it was tried", files)
    _sign(skill, sha256, signed)
    if not _move(skill.folder, final.folder):
        return taken
    return Authored(final, sha256, files, said, effects, box.isolation, trial.tried)


def _sign(skill: Skill, sha256: str, signed: Signature) -> None:
    mark = {"by": signed.by, "sha256": sha256, "made": signed.made}
    save(skill.folder / AUTHORED, dumps(mark) + b"\n", new=True)


def _place_in(staging: Path) -> tempfile.TemporaryDirectory[str]:
    staging.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix="draft-", dir=staging)


def _move(source: Path, target: Path) -> bool:
    """Move a folder to where nothing is; an empty folder that another made counts as something."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        target.mkdir()  # ours from here on: a rename may replace an empty folder
    except FileExistsError:
        return False
    try:
        source.rename(target)
    except OSError:
        target.rmdir()
        raise
    settle(target.parent)
    return True


def _write(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir()
    for name, text in files.items():
        save(folder / name, text.encode(), new=True)
    settle(folder)
