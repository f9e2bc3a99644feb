"""Every command in README and docs/how-to runs on a fresh host, and shows what its page says.

A page is one story: its commands run in order, on one home. What a page leaves to the reader, such as
an edit between two commands, and what is not run, and why, stands in stories.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest
from tests.docs.blocks import Block, Command, blocks, pages
from tests.docs.normal import normal, promised
from tests.docs.servers import serve_all
from tests.docs.shell import LUMEN, Shell
from tests.docs.stories import BEFORE, FAILS, NOT_RUN, SAVED, SHOWN
from tests.peers import Wire

from lumen.body.cli.main import cli
from lumen.core.settings import read_settings

ROOT = Path(__file__).parents[2]
PAGES = pages(ROOT)
FORGE = ROOT / "tests" / "docs" / "forge.py"
SPAN = re.compile(r"`((?:python3 main\.py|uv run lumen|lumen) [^`]+)`")


@dataclass(slots=True)
class Story:
    """A page being played, and every difference between what it says and what was shown."""

    page: str
    shell: Shell
    wrong: list[str] = field(default_factory=list)
    begun: set[str] = field(default_factory=set)

    def play(self, block: Block) -> None:
        """Run one block of it."""
        self.before(block.first)
        key = (self.page, block.first)
        if key in NOT_RUN:
            return
        if key in SAVED:
            path, *then = SAVED[key]
            (self.shell.cwd / path).parent.mkdir(exist_ok=True)
            (self.shell.cwd / path).write_text(block.text, "utf-8")
            self.prepare(*then)
        elif key in SHOWN:
            shown = self.shell.type(SHOWN[key])
            self.compare(SHOWN[key], f"…\n{block.text}…", shown)
        elif block.is_talk:
            said = "\n".join(block.said()).encode()
            self.compare(block.first, block.replies(), self.shell.type("lumen chat", said))
        elif block.is_toml:
            read_settings(self.written(block))
        else:
            self.type(block)

    def type(self, block: Block) -> None:
        """Run what a block says to type."""
        commands = block.commands()
        if not commands:
            self.wrong.append(f"line {block.line}: neither run nor listed: {block.first}")
        for command in commands:
            key = (self.page, command.typed)
            if key in NOT_RUN:
                continue
            self.before(f"$ {command.typed}")
            shown = self.shell.type(command.typed)
            self.compare(command.typed, command.shown, shown)
            if self.shell.code != code_of(self.page, command):
                self.wrong.append(f"{command.typed}\nends with {self.shell.code}:\n{shown}")

    def before(self, line: str) -> None:
        """What the page leaves to the reader before a line, once."""
        if line not in self.begun:
            self.begun.add(line)
            self.prepare(*BEFORE.get((self.page, line), ()))

    def prepare(self, *steps: str) -> None:
        """Type lines that must end well."""
        for step in steps:
            self.shell.code = 0
            shown = self.shell.type(step)
            assert self.shell.code == 0, f"{step}\n{shown}"

    def compare(self, typed: str, said: str, shown: str) -> None:
        """Note where what was shown is not what the page says; learn its numbers where it is."""
        if not said.strip():
            return
        if promised(said).fullmatch(normal(shown)):
            self.shell.learn(said, shown)
        else:
            told = f"the page says:\n{normal(said)}\nbut is shown:\n{normal(shown)}"
            self.wrong.append(f"{typed}\n{told}\n\n{shown}")

    def written(self, block: Block) -> Path:
        """A file of settings with nothing else in it."""
        path = self.shell.root / "lumen.toml"
        path.write_text(block.text, "utf-8")
        return path


def code_of(page: str, command: Command) -> int:
    """What a command ends with."""
    first = command.shown.partition("\n")[0]
    return FAILS.get((page, first), 0)


@pytest.mark.usefixtures("recorded")
@pytest.mark.unmeasured
@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_shows_what_the_page_says(page: str, tmp_path: Path) -> None:
    with serve_all(Wire()) as wire:
        story = Story(page, Shell(tmp_path, {"PEER": wire.url, "FORGE": str(FORGE)}))
        for block in blocks(PAGES[page]):
            story.play(block)
    assert not story.wrong, "\n\n".join([page, *story.wrong])


def test_what_is_said_of_a_line_is_said_of_a_line_that_is_there() -> None:
    lines = {
        (page, line)
        for page, text in PAGES.items()
        for block in blocks(text)
        for c in block.commands()
        for line in (c.typed, f"$ {c.typed}", c.shown.partition("\n")[0])
    } | {(page, block.first) for page, text in PAGES.items() for block in blocks(text)}
    assert {*BEFORE, *SAVED, *SHOWN, *NOT_RUN, *FAILS} <= lines


def named() -> Iterator[tuple[str, str]]:
    """Every command named in running text, and those of blocks that are not run."""
    for page, text in PAGES.items():
        for span in SPAN.findall(re.sub(r"(?ms)^```.*?^```$", "", text)):
            yield page, " ".join(span.split())
    yield from (key for key in NOT_RUN if LUMEN.match(key[1]))


def unknown(line: str) -> str:
    """The first word of a command line that names no command and no option, or nothing."""
    context = click.Context(cli)
    command: click.Command = cli
    options: set[str] = set()
    for word in LUMEN.sub("", line).split():
        inner = command.get_command(context, word) if isinstance(command, click.Group) else None
        options |= {name for p in command.params for name in p.opts + p.secondary_opts}
        if inner is not None:
            command = inner
            options |= {name for p in command.params for name in p.opts + p.secondary_opts}
        elif word.startswith("--") and word not in options:
            return word
        elif isinstance(command, click.Group) and not command.invoke_without_command:
            return "" if word == "…" or word.startswith("-") else word
    return ""


def test_every_command_named_in_a_page_exists_with_its_options() -> None:
    told = {(page, line) for page, line in named() if line != "python3 main.py test"}
    assert len(told) > 50
    assert not {(page, line, word) for page, line in told if (word := unknown(line))}
    assert (unknown("lumen fly"), unknown("lumen chat --loud")) == ("fly", "--loud")
