"""Which skills a being has, who made each, and what it says of itself. `run.py` calls them.

A skill is a folder with a `main.py`; its name is the folder's. Beside it there may be a
`skill.toml` and a `SKILL.md` (see `effects.py`), `.disabled` when the author switched it off, and
`.authored.json` when a model wrote it.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lumen.core.canon import JSON, dumps, loads, printable, sha256
from lumen.core.errors import SkillError
from lumen.hands.isolation import Sandbox, confined
from lumen.hands.process import Limits, converse
from lumen.hands.script import command_of

HELP_LIMITS = Limits(seconds=10.0, cpu_seconds=2, output_bytes=64_000)  # a busy machine is slow
DISABLED = ".disabled"
AUTHORED = ".authored.json"
HELD = Sandbox()
EARLIER = (  # what versions before shipped: a being keeps the files it was born with
    "041f0f8bb0f4d102927c68cebb6f84c2624dec5fe37786af6b38eec99a06d004",
    "1b98cb1da178031a8bb46645050c9e050279e1d37aef8721a88d4a0f3c1db2b9",
    "2c55e4ed6c528ab2da752260f0122badff53d2a38675582761aed2a1b640f619",
    "91a5c8e8ced28eadb57400ddd2a533e30babcadcdaa9ecf9026b9e12d3712667",
    "1d65d7a53cf2a5b34c9c776f9e28be5b1618663fc8240d3237cf65d0d4f1f44e",
    "72b45035f19081e327a2b1b4d26e6b155a000087bb5b80f7532b45a977532a0c",
)

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_MOST_NAME = 40
_known_help: dict[str, str] = {}


class Maker(StrEnum):
    """Whose hand a skill is from; `CHANGED`: a model's, or one that came with Lumen, changed since."""

    SHIPPED = "shipped"
    AUTHOR = "author"
    MODEL = "model"
    CHANGED = "changed"


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
        """Whether there is a `main.py` to run: a file, and not a link that leads elsewhere."""
        return self.entry.is_file() and not self.entry.is_symlink()

    @property
    def disabled(self) -> bool:
        """Whether the author has switched it off."""
        return (self.folder / DISABLED).exists()


def shipped() -> Path:
    """The folder of skills every being starts with."""
    return Path(__file__).parent / "shipped"


def is_name(name: str) -> bool:
    """Whether a skill could be called that."""
    return bool(_NAME.fullmatch(name)) and len(name) <= _MOST_NAME


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


def named(skills_dir: Path, name: str) -> Skill:
    """The skill of that name, whether or not it can be run."""
    known = discover(skills_dir)
    for skill in known:
        if skill.name == name:
            return skill
    ready = ", ".join(skill.name for skill in known if skill.ready and not skill.disabled)
    raise SkillError(
        f"There is no skill named {printable(name)!r}",
        fix=f"one of: {ready}" if ready else f"put a skill in {skills_dir}/<name>/main.py",
    )


def find(skills_dir: Path, name: str) -> Skill:
    """The skill of that name, ready to run."""
    skill = named(skills_dir, name)
    if not skill.ready:
        raise SkillError(f"The skill {name} has no main.py", fix=f"write {skill.entry}")
    if skill.disabled:
        raise SkillError(f"The skill {name} is disabled", fix=f"lumen skills enable {name}")
    return skill


def source_hash(skill: Skill) -> str:
    """One hash over every file of a skill, by path; the two marks beside them do not count."""
    return _hash(dict(_described(skill)))


def made_by(skill: Skill) -> Maker:
    """Whose hand the skill is from, as its files stand now."""
    if came_with_lumen(skill.name):  # whatever a mark says: anybody can lay one beside it
        ours = _without_bytecode(Skill(skill.name, shipped() / skill.name))
        return Maker.SHIPPED if _without_bytecode(skill) in (ours, *EARLIER) else Maker.CHANGED
    if (mark := authored(skill)) is not None:
        return Maker.MODEL if mark.get("sha256") == source_hash(skill) else Maker.CHANGED
    return Maker.AUTHOR


def came_with_lumen(name: str) -> bool:
    """Whether a skill of that name is shipped."""
    return Skill(name, shipped() / name).ready


def authored(skill: Skill) -> dict[str, JSON] | None:
    """What was noted when a model wrote the skill; None when none did. A broken note is empty."""
    at = skill.folder / AUTHORED
    if not at.exists() and not at.is_symlink():
        return None
    with suppress(OSError, ValueError):
        if at.is_file() and isinstance(found := loads(at.read_bytes()), dict):
            return found
    return {}


async def describe(skill: Skill, box: Sandbox = HELD, kept: Path | None = None) -> str:
    """What the skill answers to `--help`: its capabilities, its input and its output.

    Asked once for as long as its files are the same; `kept` is a file that outlives the process,
    and may be deleted at any time.
    """
    key = source_hash(skill)
    if key not in _known_help and kept:
        _known_help.update(_read_help(kept))
    if key not in _known_help:
        _known_help[key] = await _ask_for_help(skill, box)
        if kept:
            _keep_help(kept, key, _known_help[key])
    return _known_help[key]


async def _ask_for_help(skill: Skill, box: Sandbox) -> str:
    trouble = text = ""
    try:
        command = command_of(skill.entry, box, "--help") if skill.ready else ()
        if command:
            program = confined(command, skill.folder, box, HELP_LIMITS)
            ending = await converse(program, b"", HELP_LIMITS)
            trouble = ending.trouble(HELP_LIMITS)
            text = printable(ending.stdout.decode("utf-8", "replace")).strip()
        else:
            trouble = "has no main.py"
    except SkillError as error:
        trouble = error.what
    if text and not trouble:
        return text
    raise SkillError(
        f"Asked for --help, the skill {skill.name} {trouble or 'says nothing'}",
        fix=f"see what `python {skill.entry} --help` prints",
    )


def _read_help(kept: Path) -> dict[str, str]:
    with suppress(OSError, ValueError):
        if isinstance(found := loads(kept.read_bytes()), dict):
            return {key: text for key, text in found.items() if isinstance(text, str)}
    return {}


def _keep_help(kept: Path, key: str, text: str) -> None:
    with suppress(OSError):  # a cache: without it help is asked for again
        told = {**_read_help(kept), key: text}
        fresh = kept.with_name(f".{kept.name}.new")
        fresh.write_bytes(dumps(told))
        fresh.replace(kept)


def _hash(told: dict[str, str]) -> str:
    lines = [f"{path}\0{told[path]}" for path in sorted(told)]
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape"))


def _without_bytecode(skill: Skill) -> str:
    # An installer may compile what is shipped.
    return _hash({path: said for path, said in _described(skill) if "__pycache__" not in path})


def _described(skill: Skill) -> Iterator[tuple[str, str]]:
    marks = {skill.folder / DISABLED, skill.folder / AUTHORED}
    for path in skill.folder.rglob("*"):
        name = path.relative_to(skill.folder).as_posix()
        try:
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                yield name, f"link {path.readlink()}"
            elif stat.S_ISREG(mode) and path not in marks:
                yield name, sha256(path.read_bytes())
            elif not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
                yield name, "special"
        except OSError as error:
            yield name, f"unreadable {error.errno}"


def _is_skill(folder: Path) -> bool:
    # A link would lead out of the being, and a copy of the being would not hold the skill.
    return is_name(folder.name) and folder.is_dir() and not folder.is_symlink()
