"""Which skills a being has, and what each says of itself. Calling them is `run.py`'s part.

A skill is a folder with a `main.py`; its name is the folder's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from lumen.core.canon import printable
from lumen.core.errors import SkillError
from lumen.hands.process import Limits, converse, python

HELP_LIMITS = Limits(seconds=2.0, output_bytes=64_000)

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Skill:
    """One thing the being can do: a program in a folder of its own."""

    name: str
    folder: Path

    @property
    def entry(self) -> Path:
        """The file that is run."""
        return self.folder / "main.py"

    @property
    def ready(self) -> bool:
        """Whether there is a `main.py` to run."""
        return self.entry.is_file()


def shipped() -> Path:
    """The folder of skills every being starts with."""
    return Path(__file__).parent / "shipped"


def discover(skills_dir: Path) -> list[Skill]:
    """Every skill by name, those without a `main.py` included; none when there is no folder."""
    try:
        folders = sorted(skills_dir.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise SkillError(
            f"The skills in {skills_dir} cannot be read: {error.strerror}",
            fix=f"look at the permissions of {skills_dir}",
        ) from error
    return [Skill(folder.name, folder) for folder in folders if _is_skill(folder)]


def find(skills_dir: Path, name: str) -> Skill:
    """The skill of that name, ready to run."""
    known = discover(skills_dir)
    for skill in known:
        if skill.name == name and skill.ready:
            return skill
        if skill.name == name:
            raise SkillError(f"The skill {name} has no main.py", fix=f"write {skill.entry}")
    ready = ", ".join(skill.name for skill in known if skill.ready)
    raise SkillError(
        f"There is no skill named {printable(name)!r}",
        fix=f"one of: {ready}" if ready else f"put a skill in {skills_dir}/<name>/main.py",
    )


async def describe(skill: Skill) -> str:
    """What the skill answers to `--help`: its capabilities, its input and its output."""
    fix = f"see what `python {skill.entry} --help` prints"
    ending = await converse(python(skill.entry, "--help"), skill.folder, b"", HELP_LIMITS)
    if trouble := ending.trouble(HELP_LIMITS):
        raise SkillError(f"Asked for --help, the skill {skill.name} {trouble}", fix=fix)
    text = printable(ending.stdout.decode("utf-8", "replace")).strip()
    if not text:
        raise SkillError(f"Asked for --help, the skill {skill.name} says nothing", fix=fix)
    return text


def _is_skill(folder: Path) -> bool:
    # A link would lead out of the being, and a copy of the being would not hold the skill.
    return bool(_NAME.fullmatch(folder.name)) and folder.is_dir() and not folder.is_symlink()
