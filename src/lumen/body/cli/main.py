"""The command `lumen`: finds the command group, prints errors as a person wants them.

Commands are imported when called, so that `lumen status` stays quick.
"""

from __future__ import annotations

import atexit
import errno
import gc
import importlib
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from shlex import quote

import click

from lumen import __version__
from lumen.body.cli.terminal import note, note_fixes, print_json, sentence
from lumen.core.errors import LumenError, UsageError

COMMANDS = {
    "init": ("upkeep:init", "Make a new being in a folder."),
    "chat": ("chat:chat", "Talk with your being."),
    "run": ("loops:run", "Let it pursue its goals and wonder."),
    "reflect": ("loops:reflect", "Let it look back and change its mind."),
    "status": ("status:status", "Who it is and how it is, at a glance."),
    "memory": ("memory:memory", "Look through what it remembers."),
    "recall": ("memory:recall", "What bears on a question, and why it was found."),
    "why": ("memory:why", "Where an answer or a claim comes from."),
    "trace": ("memory:trace", "What every step of a turn did."),
    "outcomes": ("outcomes:outcomes", "What became of its replies, by what you said next."),
    "self": ("selves:self_", "Who it is; what was edited by hand."),
    "values": ("selves:values", "What it holds dear, the heaviest first."),
    "goals": ("selves:goals", "What it is after, the heaviest first."),
    "contracts": ("selves:contracts", "How it speaks, and what of it does not change."),
    "contour": ("contour:contour", "The steps of a turn, as data."),
    "prompts": ("prompts:prompts", "The words a model is told."),
    "skills": ("skills:skills", "What it can do; try, make, switch skills."),
    "checkpoint": ("selves:checkpoint", "Name, compare and restore."),
    "undo": ("selves:undo", "Take back the last change of self."),
    "forget": ("memory:forget", "Erase something for good."),
    "private": ("memory:private", "Mark memories that must not leave."),
    "maintain": ("upkeep:maintain", "Fade, sum up, catch up."),
    "rebuild": ("upkeep:rebuild", "Make everything again from the archive."),
    "backup": ("archive:backup", "Put the whole being into one verified file."),
    "restore-backup": ("archive:restore_backup", "Bring a being back from a backup."),
    "models": ("models:models", "Which models serve it; get, set, test."),
    "treasury": ("treasury:treasury", "What models cost, and where that leads."),
    "egress": ("treasury:egress", "What was sent away, where, to the byte."),
    "approvals": ("approvals:approvals", "What waits for your word."),
    "archive": ("archive:archive", "Prove what happened."),
    "keys": ("keys:keys", "Whose word counts; your passphrase."),
    "attest": ("archive:attest", "Answer a challenge, signed; check an answer."),
    "doctor": ("upkeep:doctor", "What is installed, what is missing."),
    "lab": ("lab:lab", "Evaluations and benchmarks."),
}
SHOWING = ("chat", "show", "list", "verify", "check")  # commands that are tried first
CLOSED_PIPE = 141  # as a program that the signal ended: 128 + SIGPIPE
MADE = 10_000  # objects between looks for garbage: modules make many that stay; a tenth of a short command
LONGEST = 2000  # characters of what is wrong
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
        module, _, attribute = COMMANDS[name][0].partition(":")
        found = importlib.import_module(f"lumen.body.cli.{module}")
        command: click.Command = getattr(found, attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; one that is not there is answered with those that are spelt like it."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            raise click.NoSuchCommand(args[0], possibilities=COMMANDS, ctx=ctx) from error

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, said) for name, (_, said) in COMMANDS.items()])


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
    gc.set_threshold(MADE)
    atexit.register(gc.freeze)  # what is left goes with the process: nobody need look through it
    arguments = sys.argv[1:]
    debug = "--debug" in arguments or bool(os.environ.get("LUMEN_DEBUG"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that has no “›” still gets the rest
            stream.reconfigure(errors="replace")
    try:
        with cli.make_context("lumen", list(arguments)) as ctx:
            cli.invoke(ctx)
        sys.exit(0)
    except click.exceptions.Exit as ended:
        sys.exit(ended.exit_code)
    except (click.Abort, KeyboardInterrupt, EOFError):
        sys.exit(130)
    except BrokenPipeError:  # nobody reads on, as after `lumen memory | head -1`
        _drop_output()
        sys.exit(CLOSED_PIPE)
    except Exception as error:  # the last line of defence: a person gets a sentence, not a trace
        code = 1
        with suppress(OSError):  # nowhere to say it
            code = _tell(error, as_json="--json" in arguments)
        _drop_unwritten()
        if debug and not isinstance(error, click.ClickException):
            raise
        sys.exit(code)


def _drop_unwritten() -> None:
    """What could not be written would be tried again at the end, and fail with a trace."""
    try:
        if sys.__stdout__ is not None:  # a closed stream is none at all
            sys.stdout.flush()
    except OSError:
        _drop_output()


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(error: Exception, *, as_json: bool) -> int:
    """Say what is wrong and what to try; returns the exit code."""
    if type(error) is click.BadParameter:
        error = click.BadParameter(_in_numbers(error), error.ctx, error.param, error.param_hint)
    if type(error) is click.UsageError:
        error = click.UsageError(error.message + _its_options(error), error.ctx)
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not as_json:
        error.show()
        note_fixes([_first_command(error.ctx)] if error.ctx else [])
        return 2
    told = _in_words(error)
    told.what, told.fix = _shortened(told.what), _shortened(told.fix)
    if as_json:
        print_json({"ok": False, "error": told.what, "fix": told.fix})
    else:
        note(sentence(told.what) + ("" if told.what.endswith("?") else "."))
        note_fixes([told.fix])
    return told.exit_code


def _first_command(ctx: click.Context) -> str:
    """The command of a group to try first: one that shows what there is, where there is such a one."""
    group = ctx.command
    names = group.list_commands(ctx) if isinstance(group, click.Group) else []
    shows = [name for name in SHOWING if name in names]
    return " ".join([ctx.command_path, *[*shows, *names][:1]])


def _in_words(error: Exception) -> LumenError:
    match error:
        case LumenError():
            return error
        case click.ClickException():
            return _misused(error)
        case OSError():
            return _of_the_system(error)
        case _:
            return LumenError(
                f"something went wrong inside lumen: {type(error).__name__}: {error}",
                fix=f"{DEBUG}; what you said before is kept",
            )


def _of_the_system(error: OSError) -> LumenError:
    match error:
        case OSError(errno=errno.ENAMETOOLONG, filename=str(path)):
            return UsageError(f"{path} is too long for a name", fix="give a shorter one")
        case OSError(filename=str(path), strerror=str(why)):
            return LumenError(f"{path} cannot be used: {why}", fix=f"ls -ld {quote(path)}")
        case OSError(errno=errno.ENOSPC, strerror=str(why)):
            fix = "free some space, or send it elsewhere"
            return LumenError(f"what there is to say cannot be written: {why}", fix=fix)
        case _:
            return LumenError(f"the system refused: {error.strerror or error}", fix=DEBUG)


def _misused(error: click.ClickException) -> UsageError:
    """A command line that click refused, with where to see the right one."""
    from lumen.body.cli.command import words_of

    if getattr(error, "option_name", "") == "--json":
        return UsageError("--json goes after the command", fix="lumen status --json")
    words = words_of(getattr(error, "ctx", None)) or [w for w in sys.argv[1:2] if w in COMMANDS]
    what = error.format_message().removesuffix(".")
    return UsageError(what, fix=" ".join(["lumen", *words, "--help"]))


def _shortened(text: str) -> str:
    """Beginning and end of a text that holds something huge which somebody gave."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


def _its_options(error: click.UsageError) -> str:
    """Where a word too many may have been meant to go: the options that take a value."""
    if "unexpected extra argument" not in error.message or error.ctx is None:
        return ""
    options = [o for o in error.ctx.command.params if isinstance(o, click.Option)]
    names = [max(o.opts, key=len) for o in options if not o.is_flag and not o.hidden]
    return f"; what takes a value: {', '.join(sorted(names))}" if names else ""


def _in_numbers(error: click.BadParameter) -> str:
    """What is wrong, with the numbers that are wanted in plain words."""
    kind = error.param.type if error.param else None
    if not isinstance(kind, click.IntRange | click.FloatRange):
        return error.message
    wanted = "a whole number" if isinstance(kind, click.IntRange) else "a number"
    if kind.min is not None:
        wanted += f" from {kind.min:,}" if kind.max is not None else f" of at least {kind.min:,}"
    if kind.max is not None:
        wanted += f" to {kind.max:,}"
    given = error.message.partition(" is not ")[0]
    return f"{given} is not {wanted}."
