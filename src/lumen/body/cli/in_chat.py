"""A conversation under way in the terminal: a message and its answer, and the /commands beside it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict, dataclass, field
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING

import click

from lumen.app.contours import words_shown
from lumen.app.explaining import explain, why_of
from lumen.app.holding import holding
from lumen.app.memories import by_words, evidence_of, latest
from lumen.app.privacy import mark
from lumen.app.selves import items_of, put_item
from lumen.app.talking import IncomingMessage, Said, Watch, answer
from lumen.app.wiring import alone
from lumen.app.words import counted
from lumen.body.cli.memory import forget_planned, planned, tell_reply
from lumen.body.cli.progress import Steps
from lumen.body.cli.render import data, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.selves import tell_items
from lumen.body.cli.terminal import beside, note, print_json, say, table
from lumen.core.canon import JSON
from lumen.core.errors import LumenError

if TYPE_CHECKING:
    from lumen.app.better import Better
    from lumen.app.wiring import Kernel

LEAVES = ("/quit", "/exit", "/q")
COMMANDS = ("/why", "/memory", "/private", "/goal", "/value", "/help", *LEAVES)
COMMAND = re.compile(r"/[\w-]*(?:\s|$)")  # /why, but not /etc/hosts
HELP = """\
  /why       where the last answer comes from; with words behind it, what you said that bears on them
  /memory    the last things remembered (/memory WORDS searches)
  /private   what you say next is marked private; again (or /private off) to end it; /private 14 marks event 14
  /forget    /forget WORDS or an event's number: see what would go, and be asked
  /goal      its goals; /goal NAME 0.7 sets one, /goal done NAME, /goal drop NAME
  /value     its values; /value NAME 0.7 sets one, /value drop NAME
  /quit      leave (so do Ctrl-C and Ctrl-D)
  Alt-Enter (or Esc, Enter) starts a new line; Enter sends. Ctrl-C stops an answer under way."""
WEIGHED = re.compile(r"(.+?)\s+([01](?:\.\d+)?|\.\d+)")  # a name, then a weight


@data.register(Said)
def _said_data(said: Said) -> JSON:
    told = asdict(said)
    return {"reply": told.pop("text"), **told}


@dataclass(slots=True)
class Talk:
    """A conversation under way."""

    request: CommandRequest
    kernel: Kernel
    runner: asyncio.Runner
    private: bool
    conversation: str = ""
    told: set[str] = field(default_factory=set)
    meanwhile: list[str] = field(default_factory=list)  # said before the names were settled
    better: Better | None = None  # a model that is to take over when it is here

    def turn(self, text: str, prefix: str = "") -> None:
        """One message and its answer, shown as soon as it is durable.

        Raises:
            LumenError: there is no answer, or it could not be shown; then it is kept all the same.
        """
        unshown: list[OSError] = []
        with Steps(words_shown(self.kernel.index)) as live:

            def heard(reply: str) -> None:
                live.clear()
                with _noting(unshown):  # the turn is brought to its end
                    if not self.request.as_json:
                        say(beside(prefix, reply))

            watch = Watch(step=live.step, reply=heard)
            spoken = IncomingMessage(self.conversation, private=self.private)
            said = self.runner.run(answer(self.kernel, text, watch, spoken))
        self._beside(said)
        with _noting(unshown):
            if self.request.as_json:
                print_json(data(said))
        if unshown:
            raise LumenError(
                f"what you said and the answer are kept, events {said.heard} and {said.event}; "
                f"the answer could not be written here: {unshown[0].strerror}",
                fix="free some space, or send it elsewhere; lumen memory shows both",
            )

    def _beside(self, said: Said) -> None:
        """What there is to say beside the answer."""
        if said.trouble and said.fix:
            self._once(f"{said.trouble}\n  try: {said.fix}")
        for line in said.changes:
            note(line)
        if said.proposal:
            note(f"I could ask {said.proposal}: lumen approvals")
        if said.redacted:
            note(f"{counted(said.redacted, 'secret')} left out: not kept, not shown to a model")
        for line in said.notices:
            self._once(line)

    def _once(self, line: str) -> None:
        """Say what stays wrong once, not after every answer."""
        if line not in self.told:
            note(line)
        self.told.add(line)


@contextmanager
def _noting(unshown: list[OSError]) -> Iterator[None]:
    """Note what could not be written; where nobody reads on, that is all there is to do."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        unshown.append(error)


def carry_out(talk: Talk, text: str) -> bool:
    """Carry out a /command; true when it is time to leave. With --json what it says is a line of JSON."""
    if not talk.request.as_json:
        return _carried_out(talk, text)
    with redirect_stdout(StringIO()) as shown:
        leaves = _carried_out(talk, text)
    said = shown.getvalue().strip()
    if said.startswith(("{", "[")):  # it is JSON already
        say(said)
    elif said:
        print_json({"command": text.partition(" ")[0], "said": said})
    return leaves


def _carried_out(talk: Talk, text: str) -> bool:
    word, _, rest = text.partition(" ")
    talk.kernel.index.catch_up()
    if word in LEAVES:
        return True
    if word in DOES:
        _try(lambda: DOES[word](talk, rest.strip()))
        return False
    if word != "/help":
        say(f"  there is no {word}")
    say(HELP)
    return False


def _why(talk: Talk, claim: str) -> None:
    if claim:
        index = (
            talk.kernel.index
        )  # by the built-in embedder alone: what is typed here is sent nowhere
        tell(why_of(index, claim, partial(evidence_of, index, tell=note)), talk.request)
    elif talk.kernel.index.events.last_turn():
        tell_reply(explain(talk.kernel.index), talk.request)
    else:
        say("  nothing was said yet")


def _memory(talk: Talk, query: str) -> None:
    index = talk.kernel.index
    found = by_words(index, query, 10) if query else latest(index, 30)
    rows = [(str(m.event), m.author, m.text) for m in found if m.author != "kernel"]
    table(rows[-10:], indent="  ") if rows else say("  nothing found")


def _hold(talk: Talk, kind: str, what: str) -> None:
    """List the goals or values; or set, drop or close one, as the author."""
    verb, _, name = what.partition(" ")
    if not what:
        tell_items(items_of(talk.kernel.index, kind))
        return
    with alone(talk.kernel) as kernel:
        mine = holding(kernel, kind)
        if verb == "drop" and name:
            say(f"  Dropped: {mine.drop(name.strip()).name}")
        elif verb == "done" and name and kind == "goal":
            say(f"  Done: {mine.done(name.strip()).name}")
        else:
            weighed = WEIGHED.fullmatch(what)
            text, weight = (weighed[1], float(weighed[2])) if weighed else (what, None)
            one = put_item(kernel.gate, kind, text, weight)
            say(f"  {one.name}   {one.weight:.2f}  {one.status}")


def _private(talk: Talk, which: str) -> None:
    if which and which not in ("on", "off"):
        numbers = which.split()
        if not all(n.isdecimal() and len(n) < 16 for n in numbers):
            say("  /private, /private on or off, or with the numbers of events")
            return
        marked = mark(talk.kernel, tuple(map(int, numbers)), private=True).marked
        say(f"  {counted(len(marked), 'memory')}: private")
        return
    talk.private = which == "on" if which else not talk.private
    say("  private from here on" if talk.private else "  no longer private")


def _forget(talk: Talk, what: str) -> None:
    if what:
        found = planned(talk.kernel, what, talk.request)
        tell(forget_planned(talk.kernel, found), talk.request)
    else:
        say("  /forget WORDS, or /forget and the number of an event")


def _try(work: Callable[[], object]) -> None:
    """Do something; a problem is told, and the conversation goes on."""
    try:
        work()
    except click.Abort:
        say("\n  Nothing was changed.")
    except LumenError as error:
        note(f"  {error.what}" + (f"\n  try: {error.fix}" if error.fix else ""))


DOES: dict[str, Callable[[Talk, str], None]] = {
    "/why": _why,
    "/memory": _memory,
    "/private": _private,
    "/forget": _forget,
    "/goal": lambda talk, what: _hold(talk, "goal", what),
    "/value": lambda talk, what: _hold(talk, "value", what),
}
