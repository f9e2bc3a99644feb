"""A command: the options that all share, whom it is refused to, and its result shown."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import click

from lumen.app import callers
from lumen.body.cli.render import show, succeeded
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import is_terminal, note
from lumen.core.errors import UsageError

Function = Callable[..., object]
SHARED = (
    click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    click.option("--being", "named", metavar="DIR", help="The being to use."),
)
YES = click.option("--yes", is_flag=True, help="Do not ask.")


def command(
    name: str,
    *,
    within: click.Group | None = None,
    for_skills: bool = False,
    failing: int = 1,
) -> Callable[[Function], click.Command]:
    """Make a command of a function that takes a request, and returns a result to show.

    `within` a group, else one that COMMANDS in main.py names. `for_skills`: a running skill may
    start it, as it changes nothing. `failing`: the exit code when the result says that it is not ok.
    """

    def decorate(function: Function) -> click.Command:
        run = _runs(function, for_skills=for_skills, failing=failing)
        return within.command(name)(run) if within else click.command(name)(run)

    return decorate


def group(name: str, *, for_skills: bool = False) -> Callable[[Function], click.Group]:
    """Make a group of commands that is one itself, when none of them is called."""

    def decorate(function: Function) -> click.Group:
        run = _runs(function, for_skills=for_skills)
        return click.group(name, invoke_without_command=True)(run)

    return decorate


def _runs(function: Function, *, for_skills: bool, failing: int = 1) -> Function:
    """The function, called with a request and with what its own options say; its result is shown."""

    @functools.wraps(function, updated=())
    def run(named: str | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401 - click hands over whatever the options are
        ctx = click.get_current_context()
        known = ctx.find_root().ensure_object(dict)
        request = CommandRequest(known.get("being") if named is None else named, as_json)
        if ctx.invoked_subcommand:
            _hand_on(request, ctx.invoked_subcommand, known)
            return
        if not for_skills:
            callers.refuse_to_skills(f"`lumen {' '.join(words_of(ctx))}`")
        result = function(request, **given)
        show(result, request)
        if not succeeded(result):
            ctx.exit(failing)

    shared: Function = functools.reduce(lambda command, option: option(command), SHARED, run)
    own = getattr(function, "__click_params__", [])
    shared.__dict__["__click_params__"] += own  # which --help shows first
    return shared


def _hand_on(request: CommandRequest, name: str, known: dict[str, str | None]) -> None:
    """What is said before the name of a command counts for it too, where it can."""
    if request.as_json:
        raise UsageError("--json goes last", fix=f"lumen … {name} --json")
    known["being"] = request.named


def words_of(ctx: click.Context | None) -> list[str]:
    """The words that a command was called by, after `lumen`."""
    names: list[str] = []
    while ctx is not None and ctx.parent is not None:
        names.insert(0, str(ctx.info_name))
        ctx = ctx.parent
    return names


def agrees(question: str, *, yes: bool, fix: str) -> bool:
    """Whether the author agrees; where nobody can be asked, --yes must say so.

    Raises:
        UsageError: nobody is there to answer, so nothing was changed.
    """
    if yes:
        return True
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise UsageError("nobody is here to confirm it, so nothing was changed", fix=fix)
    if click.confirm(question, default=False, err=True):
        return True
    note("Nothing was changed.")
    return False
