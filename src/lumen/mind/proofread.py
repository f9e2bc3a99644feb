"""Faults of a template that show without filling it: what a branch not taken would do too.

The engine finds a filter it does not know only when it gets there, so words are looked up here.
Whether it also fills is tried by render.py's `try_out`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import minijinja

from lumen.mind.render import environment_with, names_in
from lumen.mind.seal import Seals

_STRING = r'"(?:\\.|[^"\\])*"|' r"'(?:\\.|[^'\\])*'"
_RAW = re.compile(r"\{%[-+]?\s*raw\s*[-+]?%\}.*?\{%[-+]?\s*endraw\s*[-+]?%\}|\{#.*?#\}", re.DOTALL)
_TAG = re.compile(rf"\{{[{{%](?:{_STRING}|(?![%}}]\}}).)*[%}}]\}}", re.DOTALL)
_WORDS = {
    "filter": re.compile(r"(?:\||\{%[-+]?\s*filter\b)\s*([^\W\d]\w*)"),
    "test": re.compile(r"\bis\s+(?:not\s+)?([^\W\d]\w*)"),
}
_PROBE = {"filter": "x|{}", "test": "x is {}"}
_OTHER_FILE = re.compile(r"\{%[-+]?\s*(include|import|from|extends)\b")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, on which line if that is known, and what to do."""

    line: int | None
    what: str
    fix: str


def faults(source: str, slots: Collection[str]) -> list[Fault]:
    """Everything a template says that this step, or the language, does not know."""
    environment = environment_with(Seals().data)
    try:
        unknown = names_in(source) - set(slots)
    except minijinja.TemplateError as error:
        return [Fault(error.line, error.detail or error.message, "see the language: minijinja")]
    tags = list(_tags(source))
    gives = f"it gives: {', '.join(sorted(slots))}"
    found = [
        Fault(_first(tags, name), f"it uses {name}, which this step does not give", gives)
        for name in sorted(unknown)
    ]
    for line, tag in tags:
        if match := _OTHER_FILE.match(tag):
            fix = "write out what it says: one file, one hash"
            found.append(Fault(line, f"it cannot {match[1]} another template", fix))
        found += [
            Fault(line + tag.count("\n", 0, at), f"there is no {kind} {word}", f"leave out {word}")
            for kind, at, word in _words(tag)
            if not _known(environment, kind, word)
        ]
    return sorted(found, key=lambda f: f.line or 0)


def _tags(source: str) -> Iterator[tuple[int, str]]:
    """Every tag with its line, without what stands in strings, comments and raw blocks."""
    seen = _RAW.sub(_blank, source)
    for match in _TAG.finditer(seen):
        yield seen.count("\n", 0, match.start()) + 1, re.sub(_STRING, _blank, match[0])


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _words(tag: str) -> Iterator[tuple[str, int, str]]:
    for kind, pattern in _WORDS.items():
        for match in pattern.finditer(tag):
            yield kind, match.start(1), match[1]


def _known(environment: minijinja.Environment, kind: str, word: str) -> bool:
    try:
        environment.eval_expr(_PROBE[kind].format(word), x="")
    except minijinja.TemplateError as error:
        return error.kind not in ("UnknownFilter", "UnknownTest")
    return True


def _first(tags: list[tuple[int, str]], name: str) -> int | None:
    """The line a name is first used on."""
    for line, tag in tags:
        if match := re.search(rf"(?<![\w.]){re.escape(name)}\b", tag):
            return line + tag.count("\n", 0, match.start())
    return None
