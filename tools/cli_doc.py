"""Write docs/cli.md from the command line itself: every command, argument and option.

uv run python tools/cli_doc.py            write the page
uv run python tools/cli_doc.py --check    say whether it is current; writes nothing
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from lumen.body.cli.main import cli

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
WIDE = 1000  # a usage line is one line, whatever terminal this runs in
OPENING = """\
<!-- Made by tools/cli_doc.py from src/lumen/body/cli/. Do not edit by hand. -->

# The command line

From a checkout: `python3 main.py <command>` or `uv run lumen <command>`.

The result goes to stdout, progress and repairs to stderr. The exit code is 0 when all went well, 1
when something failed and 2 when the request itself was wrong. An error says what is wrong and then
what to try. `--json` prints one line of JSON instead of text, errors too.

Which being is meant: `--being DIR`, else `$LUMEN_BEING`, else the folder you are in when it holds a
`lumen.toml`, else `default` in Lumen's data folder.
"""


def leaves() -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, with its full name."""
    yield from _below("lumen", cli)


def _below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    if command.invoke_without_command and command is not cli:
        yield name, command
    context = click.Context(command, info_name=name, **cli.context_settings)
    for word in command.list_commands(context):
        found = command.get_command(context, word)
        if found is not None:
            yield from _below(f"{name} {word}", found)


def page() -> str:
    """The whole page, for the commands as they are."""
    parts = [OPENING, _section("lumen", cli)]
    parts += [_section(name, command) for name, command in leaves()]
    return "\n".join(parts)


def _section(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name, terminal_width=WIDE, **cli.context_settings)
    usage = command.get_usage(context).removeprefix("Usage: ")
    lines = [f"## {name}", "", "```", usage, "```", "", _flat(command.help or ""), ""]
    options = [_option(p) for p in command.params if isinstance(p, click.Option)]
    if options:
        lines += ["| option | meaning |", "| --- | --- |", *options, ""]
    return "\n".join(lines)


def _option(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in option.opts)
    value = (
        ""
        if option.is_flag
        else f" `{option.make_metavar(click.Context(cli, **cli.context_settings))}`"
    )
    spoken = isinstance(option.default, str) and option.default
    default = f" Default: `{option.default}`." if spoken else ""
    meaning = _flat(option.help or "") + default
    return f"| {names}{_cell(value)} | {_cell(meaning)} |"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def main(arguments: Sequence[str]) -> int:
    """Write the page, or compare it."""
    if list(arguments) == ["--check"]:
        current = PAGE.exists() and PAGE.read_text("utf-8") == page()
        print("docs/cli.md is current" if current else "docs/cli.md is stale")
        return 0 if current else 1
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
