"""One call of a skill: a JSON object on its stdin, a JSON object on its stdout.

    stdin   {"v": 1, "turn": "…", "action": "…", "input": …, "context": {…}}
    stdout  {"ok": true, "output": …}  or  {"ok": false, "error": "why"}

Whatever a skill does wrong comes back as a Result that says so. Nothing a skill starts outlives
the call. Who may call a skill, and what is believed of its answer, is the kernel's to decide.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from lumen.core.canon import JSON, dumps, loads, printable
from lumen.core.clock import Clock
from lumen.core.errors import SkillError
from lumen.hands.isolation import Isolation, Sandbox, confined
from lumen.hands.process import End, Ending, Limits, converse
from lumen.hands.script import command_of
from lumen.hands.skills import Skill

__all__ = ["Call", "Limits", "Result", "Sandbox", "run"]

PROTOCOL = 1
BOX = Sandbox()

BORROWED = stat.S_ISUID | stat.S_ISGID
_ERROR_LENGTH = 2000
_QUOTE_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked of a skill, and in which turn."""

    skill: Skill
    turn: str
    action: str
    input: JSON
    context: Mapping[str, JSON] = field(
        default_factory=dict
    )  # what it is granted, and its settings


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a call: `error` says why when it is not ok, `stderr` is the tail of the log."""

    ok: bool
    output: JSON
    error: str
    seconds: float
    stderr: str
    isolation: Isolation = Isolation.NONE


async def run(call: Call, limits: Limits, clock: Clock, box: Sandbox = BOX) -> Result:
    """Call a skill, held as the box says. Raises nothing but cancellation: then it is gone too."""
    began = clock.tick()
    stderr = ""
    try:
        request = _request(call)
        skill = call.skill
        command = command_of(skill.entry, box)
        program = confined(command, skill.folder, box, limits)
        try:
            ending = await converse(program, request, limits)
        finally:  # also when it was stopped
            strip_borrowed_rights(box.writes)
        stderr = ending.stderr
        ok, output, why = _judge(ending, limits)
    except SkillError as error:
        ok, output, why = False, None, f"The skill {call.skill.name} {error.what}."
    return Result(ok, output, why, clock.tick() - began, stderr, box.isolation)


def strip_borrowed_rights(folders: Iterable[Path]) -> None:
    """Take setuid and setgid off every file in these folders; what is not ours to change stays.

    What a skill leaves behind runs with nobody else's rights. A link is not followed: what it
    points to was granted by itself, or is out of the skill's reach.
    """
    for folder in folders:
        for where, _, names in os.walk(folder):
            for name in names:
                with suppress(OSError):
                    _strip(Path(where, name))


def _strip(path: Path) -> None:
    # A handle that needs no right to read, and never that of a link which took the file's place.
    handle = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISREG(mode) and mode & BORROWED:
            Path(f"/proc/self/fd/{handle}").chmod(stat.S_IMODE(mode) & ~BORROWED)
    finally:
        os.close(handle)


def _request(call: Call) -> bytes:
    if not call.skill.ready:
        raise SkillError("has no main.py")
    message = {"v": PROTOCOL, "turn": call.turn, "action": call.action, "input": call.input}
    if call.context:
        message["context"] = dict(call.context)
    try:
        return dumps(message) + b"\n"
    except TypeError as error:
        raise SkillError(f"was not called, as its input is no JSON: {error}") from error


def _judge(ending: Ending, limits: Limits) -> tuple[bool, JSON, str]:
    """Whether it went well, what it gave, and else why it did not."""
    trouble = ending.trouble(limits)
    try:
        answer = _parse(ending.stdout)
    except SkillError as error:
        raise SkillError(trouble or error.what) from error
    # A program that says why it failed and then exits with 1 has done nothing wrong.
    if trouble and (answer[0] or ending.end is not End.EXITED):
        raise SkillError(trouble)
    return answer


def _parse(stdout: bytes) -> tuple[bool, JSON, str]:
    if not stdout.strip():
        raise SkillError("exited without an answer on stdout")
    try:
        said = loads(stdout)
    except ValueError as error:
        raise SkillError(
            f"did not answer with one JSON object but with {_quote(stdout)}"
        ) from error
    if not isinstance(said, dict) or not isinstance(said.get("ok"), bool):
        raise SkillError(f'answered without an "ok" of true or false: {_quote(stdout)}')
    ok, reason = said["ok"], said.get("error")
    if reason is not None and not isinstance(reason, str):
        raise SkillError(f'answered with an "error" that is no text: {_quote(stdout)}')
    if ok and reason:
        raise SkillError(f"answered that all went well and yet gave an error: {_quote(stdout)}")
    reason = printable((reason or "")[:_ERROR_LENGTH]).strip()
    why = "" if ok else reason or "The skill failed and did not say why."
    return ok, said.get("output"), why


def _quote(stdout: bytes) -> str:
    text = printable(stdout[: 4 * _QUOTE_LENGTH].decode("utf-8", "replace")).strip()
    return repr(text if len(text) <= _QUOTE_LENGTH else text[:_QUOTE_LENGTH] + "…")
