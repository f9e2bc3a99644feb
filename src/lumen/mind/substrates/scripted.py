r"""A model that says what a file tells it to: the same words every time, for tests and demos.

A script is a JSONL file; blank lines and lines starting with # are left out. Each line is a rule:

    {"when": "my name is (\\w+)", "say": "Hello $1."}   answers a user prompt the regex is found in
    {"say": "First answer."}                            answers once, in the order of the file
    {"when": "crash", "fail": "out of memory"}          raises MindError
    {"say": "Slowly.", "delay_s": 2}                    takes its time

The first matching `when` wins; if none matches, the next unused rule without one answers.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from lumen.core.errors import BadSetting, MindError, NoSubstrate, unreadable
from lumen.core.trust import FULL
from lumen.mind.substrate import Completion, Health, ModelDescriptor, OnText, Prompt

ECHO = "echo"
PIECES = 4
_KEYS: dict[str, tuple[type, ...]] = {
    "when": (str,),
    "say": (str,),
    "fail": (str,),
    "delay_s": (int, float),
}
_GROUP = re.compile(r"\$(\$|\d)")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a script."""

    say: str = ""
    when: str | None = None
    fail: str | None = None
    delay_s: float = 0.0


class Scripted:
    """Answers by rules, given by model id or read from the file the model id names."""

    id = "scripted"

    def __init__(self, rules: Mapping[str, Sequence[Rule]] | None = None) -> None:
        self._scripts: dict[str, tuple[Rule, ...]] = {
            ECHO: (Rule(say="$0", when=r"(?s).*"),),
            **{name: tuple(script) for name, script in (rules or {}).items()},
        }
        self._used: dict[str, int] = {}

    async def health(self) -> Health:
        """Always well."""
        return Health(ok=True, detail="answers from a script")

    async def discover(self) -> list[ModelDescriptor]:
        """`echo` and the scripts given or read so far; files are known by naming them."""
        return [_descriptor(name) for name in self._scripts]

    async def describe(self, model_id: str) -> ModelDescriptor:
        """The script of that name, or the file at that path (relative to where Lumen runs)."""
        if model_id not in self._scripts:
            self._scripts[model_id] = read_script(Path(model_id))
        return _descriptor(model_id)

    def request(self, model_id: str, prompt: Prompt) -> None:
        """Nothing leaves this process."""

    async def invoke(
        self, model_id: str, prompt: Prompt, on_text: OnText | None = None
    ) -> Completion:
        """The answer of the first rule that fits, in a few pieces."""
        await self.describe(model_id)
        rule, text = self._pick(model_id, prompt.user)
        if rule.fail is not None:
            await asyncio.sleep(rule.delay_s)
            raise MindError(rule.fail)
        text, finish = _limited(text, prompt)
        size = max(1, -(-len(text) // PIECES))
        for start in range(0, len(text), size):
            await asyncio.sleep(rule.delay_s / PIECES)
            if on_text is not None:
                on_text(text[start : start + size])
        shown = [prompt.system, prompt.user, *(t.said + " " + t.reply for t in prompt.turns)]
        return Completion(
            text=text,
            prompt_tokens=sum(len(part.split()) for part in shown),
            completion_tokens=len(text.split()),
            cached_tokens=0,
            finish=finish,
        )

    def close(self) -> None:
        """Nothing is held."""

    def _pick(self, model_id: str, user: str) -> tuple[Rule, str]:
        script = self._scripts[model_id]
        for rule in script:
            if rule.when is not None and (match := re.search(rule.when, user)):
                return rule, _filled(rule.say, match)
        in_order = [rule for rule in script if rule.when is None]
        used = self._used.get(model_id, 0)
        if used >= len(in_order):
            raise MindError(
                f"the script {model_id} has no answer left for: {user[:80]!r}",
                fix='add a line {"when": "…", "say": "…"} to it',
            )
        self._used[model_id] = used + 1
        return in_order[used], in_order[used].say


def read_script(path: Path) -> tuple[Rule, ...]:
    """The rules of a JSONL file; BadSetting names the line that is no rule."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise NoSubstrate(
            f"the script {path} cannot be read: {unreadable(error)}",
            fix=f"name a JSONL file, or use scripted/{ECHO}",
        ) from error
    return tuple(
        _rule(line, f"{path}:{number}")
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    )


def _rule(line: str, place: str) -> Rule:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadSetting(f"{place}: not JSON: {error}") from error
    if not isinstance(value, dict) or ("say" in value) == ("fail" in value):
        raise BadSetting(f'{place}: a rule is an object with either "say" or "fail"')
    for key, item in value.items():
        if key not in _KEYS or not isinstance(item, _KEYS[key]):
            raise BadSetting(f"{place}: {key!r} is unknown or has a value of the wrong kind")
    rule = Rule(**value)
    try:
        re.compile(rule.when or "")
    except re.error as error:
        raise BadSetting(f"{place}: {rule.when!r} is no regular expression: {error}") from error
    return rule


def _filled(say: str, match: re.Match[str]) -> str:
    def group(mark: re.Match[str]) -> str:
        if mark[1] == "$":
            return "$"
        number = int(mark[1])
        return (match[number] or "") if number <= match.re.groups else ""

    return _GROUP.sub(group, say)


def _limited(text: str, prompt: Prompt) -> tuple[str, str]:
    """Stop marks and the token limit hold here too; a token is a word with its space."""
    ends = [text.find(mark) for mark in prompt.stop if mark in text]
    if ends:
        text = text[: min(ends)]
    words = re.findall(r"\s*\S+", text)
    if len(words) > prompt.max_tokens:
        return "".join(words[: prompt.max_tokens]), "length"
    return text, "stop"


def _descriptor(model_id: str) -> ModelDescriptor:
    return ModelDescriptor(
        substrate="scripted",
        model_id=model_id,
        display_name=f"script {model_id}",
        context_tokens=None,
        tool_calling="none",
        vision=False,
        may=FULL,
        local=True,
    )
