"""The fenced blocks of a page: what it says to type, and what it says is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"(?ms)^```(\w*)\n(.*?)^```$")
TYPED = ("python3 main.py ", "uv run lumen ", "lumen ", "pip ")


@dataclass(frozen=True, slots=True)
class Command:
    """One command line, and the output the page promises; `\\n` is in it where it goes on."""

    typed: str
    shown: str


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, its text and its line in the page."""

    lang: str
    text: str
    line: int

    @property
    def first(self) -> str:
        """Its first line, which names it."""
        return self.text.partition("\n")[0].strip()

    @property
    def is_talk(self) -> bool:
        """Whether it is a conversation."""
        return self.text.startswith("you › ")

    @property
    def is_toml(self) -> bool:
        """Whether it is a setting."""
        return self.lang == "toml" or bool(re.match(r"\[[a-z.]+\]\n", self.text))

    def commands(self) -> list[Command]:
        """What it says to type, each with what is shown after it."""
        if not self.lang and self.text.startswith(TYPED):
            return [Command(_without_comment(line), "") for line in self.text.splitlines()]
        if not self.text.startswith("$ "):
            return []
        return list(_typed(self.text.splitlines()))

    def said(self) -> list[str]:
        """The author's lines of a conversation."""
        return re.findall(r"(?m)^you › (.*)$", self.text)

    def replies(self) -> str:
        """The other lines of a conversation."""
        return re.sub(r"(?m)^Lumen › ", "", re.sub(r"(?m)^you › .*$", "", self.text))


def blocks(page: str) -> list[Block]:
    """Every fenced block of a page."""
    return [
        Block(found[1], found[2], page.count("\n", 0, found.start()) + 1)
        for found in FENCE.finditer(page)
    ]


def pages(root: Path) -> dict[str, str]:
    """The pages that promise what a command shows: by their path, the text."""
    found = [root / "README.md", *sorted((root / "docs" / "how-to").rglob("*.md"))]
    return {str(path.relative_to(root)): path.read_text("utf-8") for path in found}


def _typed(lines: list[str]) -> Iterator[Command]:
    """Commands begin with `$ `; a here-document goes on to its end."""
    rest = list(lines)
    while rest:
        typed = rest.pop(0).removeprefix("$ ")
        if here := re.search(r"<<'(\w+)'$", typed):
            while rest[0] != here[1]:
                typed += "\n" + rest.pop(0)
            typed += "\n" + rest.pop(0) + "\n"
        shown: list[str] = []
        while rest and not rest[0].startswith("$ "):
            shown.append(rest.pop(0))
        yield Command(_without_comment(typed), "\n".join(shown))


def _without_comment(line: str) -> str:
    return re.sub(r"\s{2,}# .*$", "", line)
