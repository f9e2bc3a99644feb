"""The /commands of a chat: why, memory, private, forget, goal, value, help and quit."""

from __future__ import annotations

import re
from collections.abc import Callable

import click

from lumen.app.explaining import explain
from lumen.app.holding import holding
from lumen.app.memories import by_words, latest
from lumen.app.privacy import mark
from lumen.app.selves import held_of, put_held
from lumen.app.wiring import alone
from lumen.app.words import counted
from lumen.body.cli.forget import forget_planned, planned
from lumen.body.cli.memory import tell_reply
from lumen.body.cli.render import tell
from lumen.body.cli.selves import tell_held
from lumen.body.cli.talk import Talk
from lumen.body.cli.terminal import note, say, table
from lumen.core.errors import LumenError

LEAVES = ("/quit", "/exit", "/q")
COMMANDS = ("/why", "/memory", "/private", "/goal", "/value", "/help", *LEAVES)
COMMAND = re.compile(r"/[\w-]*(?:\s|$)")  # /why, but not /etc/hosts
HELP = """\
  /why       where the last answer comes from
  /memory    the last things remembered (/memory WORDS searches)
  /private   what you say next is marked private; again to end it (/private 14 marks event 14)
  /forget    /forget WORDS or an event's number: see what would go, and be asked
  /goal      its goals; /goal NAME 0.7 sets one, /goal done NAME, /goal drop NAME
  /value     its values; /value NAME 0.7 sets one, /value drop NAME
  /quit      leave (so do Ctrl-C and Ctrl-D)
  Alt-Enter (or Esc, Enter) starts a new line; Enter sends. Ctrl-C stops an answer under way."""
WEIGHED = re.compile(r"(.+?)\s+([01](?:\.\d+)?|\.\d+)")  # a name, then a weight


def carry_out(talk: Talk, text: str) -> bool:
    """Carry out a /command; true when it is time to leave."""
    word, _, rest = text.partition(" ")
    talk.kernel.index.catch_up()
    if word in LEAVES:
        return True
    if word in DOES:
        DOES[word](talk, rest.strip())
        return False
    if word != "/help":
        say(f"  there is no {word}")
    say(HELP)
    return False


def _why(talk: Talk, _rest: str) -> None:
    if talk.kernel.index.events.last_turn():
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
        tell_held(held_of(talk.kernel.index, kind))
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
            one = put_held(kernel.gate, kind, text, weight)
            say(f"  {one.name}   {one.weight:.2f}  {one.status}")


def _private(talk: Talk, which: str) -> None:
    if which:
        numbers = which.split()
        if not all(n.isdecimal() and len(n) < 16 for n in numbers):
            say("  /private alone, or with the numbers of events")
            return
        _try(lambda: _mark(talk, tuple(map(int, numbers))))
        return
    talk.private = not talk.private
    say("  private from here on" if talk.private else "  no longer private")


def _mark(talk: Talk, events: tuple[int, ...]) -> None:
    mark(talk.kernel, events, private=True)
    say(f"  {counted(len(events), 'memory')}: private")


def _forget(talk: Talk, what: str) -> None:
    if what:
        _try(lambda: _forgotten(talk, what))
    else:
        say("  /forget WORDS, or /forget and the number of an event")


def _forgotten(talk: Talk, what: str) -> None:
    found = planned(talk.kernel, what, talk.request)
    tell(forget_planned(talk.kernel, found), talk.request)


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
    "/goal": lambda talk, what: _try(lambda: _hold(talk, "goal", what)),
    "/value": lambda talk, what: _try(lambda: _hold(talk, "value", what)),
}
