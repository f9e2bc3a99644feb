"""The command `lumen`: finds the command group, prints errors as a person wants them.

Commands are imported when called, so that `lumen status` stays quick.
"""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from shlex import quote

import click

from lumen import __version__
from lumen.core.errors import LumenError, UsageError

COMMANDS = {
    "init": ("lumen.body.cli.being", "init", "Make a new being in a folder."),
    "chat": ("lumen.body.cli.chat", "chat", "Talk with your being."),
    "run": ("lumen.body.cli.loops", "run", "Let it pursue its goals and wonder."),
    "reflect": ("lumen.body.cli.reflection", "reflect", "Let it look back and change its mind."),
    "status": ("lumen.body.cli.status", "status", "Who it is and how it is, at a glance."),
    "memory": ("lumen.body.cli.memory", "memory", "Look through what it remembers."),
    "why": ("lumen.body.cli.memory", "why", "Where an answer or a claim comes from."),
    "trace": ("lumen.body.cli.memory", "trace", "What every step of a turn did."),
    "self": ("lumen.body.cli.selves", "self_", "Who it is; what was edited by hand."),
    "values": ("lumen.body.cli.selves", "values", "What it holds dear, the heaviest first."),
    "goals": ("lumen.body.cli.selves", "goals", "What it is after, the heaviest first."),
    "prompts": ("lumen.body.cli.prompts", "prompts", "The words a model is told."),
    "skills": ("lumen.body.cli.skills", "skills", "What it can do; try, make, switch skills."),
    "checkpoint": ("lumen.body.cli.checkpoint", "checkpoint", "Name, compare and restore."),
    "undo": ("lumen.body.cli.checkpoint", "undo", "Take back the last change of self."),
    "forget": ("lumen.body.cli.forget", "forget", "Erase something for good."),
    "private": ("lumen.body.cli.forget", "private", "Mark memories that must not leave."),
    "maintain": ("lumen.body.cli.upkeep", "maintain", "Fade, sum up, catch up."),
    "rebuild": ("lumen.body.cli.upkeep", "rebuild", "Make everything again from the archive."),
    "backup": ("lumen.body.cli.backup", "backup", "Put the whole being into one verified file."),
    "restore-backup": (
        "lumen.body.cli.backup",
        "restore_backup",
        "Bring a being back from a backup.",
    ),
    "models": ("lumen.body.cli.models", "models", "Which models serve it; find, set, test."),
    "treasury": ("lumen.body.cli.treasury", "treasury", "What models cost, and where that leads."),
    "egress": ("lumen.body.cli.treasury", "egress", "What was sent away, where, to the byte."),
    "approvals": ("lumen.body.cli.approvals", "approvals", "What waits for your word."),
    "archive": ("lumen.body.cli.archive", "archive", "Prove what happened."),
    "keys": ("lumen.body.cli.keys", "keys", "Whose word counts; your passphrase."),
    "attest": ("lumen.body.cli.attest", "attest", "Answer a challenge, signed; check an answer."),
    "doctor": ("lumen.body.cli.doctor", "doctor", "What is installed, what is missing."),
    "lab": ("lumen.body.cli.lab", "lab", "Evaluations and benchmarks."),
}
DEBUG = "the same command with --debug shows where"


class LazyGroup(click.Group):
    """Knows the commands by name and imports only the one that is called."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """In the order a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """Import the module of one command."""
        if name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, said) for name, (_, _, said) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--being", metavar="DIR", help="The being to use; also after the command.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
@click.version_option(__version__, "--version", prog_name="lumen")
@click.pass_context
def cli(ctx: click.Context, being: str | None, debug: bool) -> None:
    """Give any language model a self that lasts.

    The model proposes. The kernel decides. The archive remembers.
    """
    ctx.obj = {"being": being, "debug": debug}


def main() -> None:
    """Run a command; an error says what is wrong and what to try, and sets the exit code."""
    arguments = sys.argv[1:]
    debug = "--debug" in arguments or bool(os.environ.get("LUMEN_DEBUG"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that has no “›” still gets the rest
            stream.reconfigure(errors="replace")
    try:
        sys.exit(cli(arguments, standalone_mode=False) or 0)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:  # the last line of defence: a person gets a sentence, not a trace
        code = 1
        with suppress(OSError):  # nowhere to say it
            code = _tell(error, as_json="--json" in arguments)
        if debug and not isinstance(error, click.ClickException):
            raise
        sys.exit(code)


def _tell(error: Exception, *, as_json: bool) -> int:
    """Say what is wrong and what to try; returns the exit code."""
    from lumen.body.cli.common import note, show

    if type(error) is click.BadParameter:
        said = error.message.replace("a valid integer range", "a whole number")
        error = click.BadParameter(said, error.ctx, error.param, error.param_hint)
    if isinstance(error, click.ClickException) and not as_json:
        error.show()
        return 2
    told = _in_words(error)
    if as_json:
        show({"ok": False, "error": told.what, "fix": told.fix})
    else:
        note(told.what[:1].upper() + told.what[1:] + ".")
        if told.fix:
            note(f"  try: {told.fix}")
    return told.exit_code


def _in_words(error: Exception) -> LumenError:
    match error:
        case LumenError():
            return error
        case click.ClickException():
            return _misused(error)
        case OSError(filename=str(path), strerror=str(why)):
            return LumenError(f"{path} cannot be used: {why}", fix=f"ls -ld {quote(path)}")
        case OSError(strerror=str(why)):
            return LumenError(f"the system refused: {why}", fix=DEBUG)
        case _:
            return LumenError(
                f"something went wrong inside lumen: {type(error).__name__}: {error}",
                fix=f"{DEBUG}; what you said before is kept",
            )


def _misused(error: click.ClickException) -> UsageError:
    """A command line that click refused, with where to see the right one."""
    ctx = getattr(error, "ctx", None)
    if getattr(error, "option_name", "") == "--json":
        return UsageError("--json goes after the command", fix="lumen status --json")
    names: list[str] = []
    while ctx is not None and ctx.parent is not None:
        names.insert(0, str(ctx.info_name))
        ctx = ctx.parent
    return UsageError(error.format_message(), fix=" ".join(["lumen", *names, "--help"]))
