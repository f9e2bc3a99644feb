"""`lumen chat`: a conversation in the terminal, one message with -m, or one per line from a pipe."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import click

from lumen.app.callers import started_by_skill
from lumen.app.explaining import explain
from lumen.app.meeting import (
    LONGEST_NAME,
    UNNAMED,
    bear,
    has_met,
    is_rather_a_message,
    learner_for,
    meet,
    name_in,
    overhear,
    says_something,
)
from lumen.app.memories import by_words, latest
from lumen.app.privacy import mark
from lumen.app.prompts import refuse_bad_prompts
from lumen.app.settings import Settings, find_being, must_be, zone
from lumen.app.talking import (
    SHOWN,
    Said,
    Spoken,
    Watch,
    answer,
    last_or_new_conversation,
    new_conversation,
)
from lumen.body.cli.common import counted, is_terminal, note, one_line, say, shared, show, table
from lumen.body.cli.forget import forget_in, must_be_gone
from lumen.body.cli.live import LiveLine
from lumen.body.cli.memory import show_reply
from lumen.core.canon import clean
from lumen.core.data import Being
from lumen.core.errors import LumenError, UsageError

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

    from lumen.app.meeting import Learner
    from lumen.app.wiring import Index, Kernel

LEAVES = ("/quit", "/exit", "/q")
COMMANDS = ("/why", "/memory", "/private", "/help", *LEAVES)
NAME_HELP = """\
  Type a name, or press Enter for the one in brackets. You can change it later by saying so.
  /quit leaves (so do Ctrl-C and Ctrl-D); nothing is kept before both are answered."""
ASKS_FIRST = "  I will answer that in a moment. First a name, or Enter for the one in brackets."
COMMAND = re.compile(r"/[\w-]*(?:\s|$)")  # /why, but not /etc/hosts
HELP = """\
  /why       where the last answer comes from
  /memory    the last things remembered (/memory WORDS searches)
  /private   what you say next is marked private; again to end it (/private 14 marks event 14)
  /forget    /forget WORDS or an event's number: see what would go, and be asked
  /quit      leave (so do Ctrl-C and Ctrl-D)
  Alt-Enter (or Esc, Enter) starts a new line; Enter sends. Ctrl-C stops an answer under way."""


@dataclass(slots=True)
class Talk:
    """A conversation under way."""

    kernel: Kernel
    settings: Settings
    runner: asyncio.Runner
    private: bool
    as_json: bool
    conversation: str = ""
    told: set[str] = field(default_factory=set)
    meanwhile: list[str] = field(default_factory=list)  # said before the names were settled

    def turn(self, text: str, prefix: str = "") -> None:
        """One message and its answer, shown as soon as it is durable."""
        live = LiveLine(SHOWN)

        def heard(reply: str) -> None:
            live.clear()
            if not self.as_json:
                say(prefix + reply)

        watch = Watch(step=live.step, reply=heard)
        try:
            spoken = Spoken(self.conversation, private=self.private)
            said = self.runner.run(answer(self.kernel, text, watch, spoken))
        finally:
            live.clear()
        self._beside(said)
        if self.as_json:
            told = asdict(said)
            show({"reply": told.pop("text"), **told})

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


@click.command()
@click.option("-m", "--message", help="Say one thing and leave; - reads it whole from stdin.")
@click.option("--private", is_flag=True, help="Mark what is said as private.")
@shared
def chat(message: str | None, private: bool, named: str | None, as_json: bool) -> None:
    """Talk with your being; a first chat makes one."""
    if message is not None and message != "-" and not says_something(message):
        raise UsageError("the message is empty", fix='lumen chat -m "something to say"')
    being, by_default = find_being(named)
    if started_by_skill():
        _overheard(being, message, as_json=as_json)
        return
    if by_default and not being.settings.exists():
        _be_born(being)
    settings = must_be(being)
    with asyncio.Runner() as runner:
        talk = Talk(_open(being, settings), settings, runner, private, as_json)
        try:
            if message is not None:
                talk.conversation = last_or_new_conversation(talk.kernel)
                talk.turn(_stdin() if message == "-" else message)
            elif is_terminal(sys.stdin):
                talk.conversation = new_conversation(talk.kernel)
                _meet(talk)
                _repl(talk)
            else:
                talk.conversation = new_conversation(talk.kernel)
                _piped(talk)
        except KeyboardInterrupt:
            note("stopped; what you said is kept")
            raise
        finally:
            talk.kernel.close()


def _overheard(being: Being, message: str | None, *, as_json: bool) -> None:
    """Keep what a skill says through this command: as a tool's word, which nobody answers."""
    from lumen.body.cli.opening import opened

    must_be(being)
    text = _stdin() if message in (None, "-") else message or ""
    with opened(being, note) as kernel:
        kept = overhear(kernel, text)
    if as_json:
        show({"kept": kept, "origin": "tool"})
    else:
        note("A skill said this: it is kept as the skill's word, and not answered.")


def _open(being: Being, settings: Settings) -> Kernel:
    from lumen.body.cli.opening import open_kernel

    refuse_bad_prompts(being)  # before anything is archived that could not be answered
    kernel, mended = open_kernel(being, settings)
    for line in mended:
        note(line)
    return kernel


def _be_born(being: Being) -> None:
    bear(being)
    note(f"A new being was born in {being.root}   (lumen init DIR makes others)")


def _meet(talk: Talk) -> None:
    """The first meeting: whom it speaks with, and its own name."""
    being = talk.kernel.being
    if has_met(being):
        return
    from lumen.body.cli.opening import open_kernel

    author = _name_asked("What shall I call you?", UNNAMED, talk.meanwhile)
    name = _name_asked("And what is my name?", "Lumen", talk.meanwhile)
    meet(talk.kernel, name, author)
    talk.kernel.close()
    talk.settings = must_be(being)
    talk.kernel, _ = open_kernel(being, talk.settings)


def _name_asked(question: str, default: str, meanwhile: list[str]) -> str:
    """A name, asked for until one is given; a command is none, and leaving is always possible.

    What is a message rather than a name is kept in `meanwhile`, to be answered afterwards.
    """
    while True:
        typed = click.prompt(question, default=default, prompt_suffix=" › ")
        text = " ".join(clean(typed).split())
        word = text.partition(" ")[0].lower()
        if word in LEAVES:
            raise click.exceptions.Exit(0)
        if word.startswith("/"):
            say(NAME_HELP if word == "/help" else f"  {word} is a command, not a name")
        elif not text:
            return default
        elif is_rather_a_message(text):
            say(ASKS_FIRST)
            meanwhile.append(text)
        elif name := name_in(text):
            return name
        else:
            say(f"  a name has letters, nothing unprintable, and at most {LONGEST_NAME} characters")


def _repl(talk: Talk) -> None:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import InMemoryHistory
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    name = talk.kernel.self_.name
    say(
        f"\n{name} is listening. /help shows what you can do, Ctrl-D leaves. "
        "Everything said is kept in a log you own.\n"
    )
    keys = KeyBindings()
    keys.add("enter")(lambda event: event.current_buffer.validate_and_handle())

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    history = InMemoryHistory([m.text for m in talk.kernel.index.memories(author="external")])
    session: PromptSession[str] = PromptSession(history=history, multiline=True, key_bindings=keys)
    learner = learner_for(talk.kernel)
    learner.start()
    try:
        _listen(talk, session, learner)
    finally:
        learner.close()
    say("Until next time.")


def _listen(talk: Talk, session: PromptSession[str], learner: Learner) -> None:
    name = talk.kernel.self_.name
    while talk.meanwhile:
        with learner.resting():
            text = talk.meanwhile.pop(0)
            say(f"you › {text}")
            _answer(talk, text, name)
    while True:
        try:
            text = session.prompt("you (private) › " if talk.private else "you › ")
        except (EOFError, KeyboardInterrupt):
            break
        with learner.resting():
            if COMMAND.match(text.strip()):
                if _command(talk, text.strip()):
                    break
            elif text.strip():
                _answer(talk, text, name)


def _answer(talk: Talk, text: str, name: str) -> None:
    """A turn in the terminal: a problem is told, and the conversation goes on."""
    try:
        talk.turn(text, f"{name} › ")
        say()
    except KeyboardInterrupt:
        say("\n  stopped; what you said is kept\n")
    except LumenError as error:
        note(f"\n  {error.what}" + (f"\n  try: {error.fix}" if error.fix else ""))


def _command(talk: Talk, text: str) -> bool:
    """Carry out a /command; true when it is time to leave."""
    word, _, rest = text.partition(" ")
    index = talk.kernel.index
    index.catch_up()
    if word in LEAVES:
        return True
    if word == "/why":
        if index.last_turn():
            show_reply(explain(index), zone(talk.settings.timezone))
        else:
            say("  nothing was said yet")
    elif word == "/memory":
        _show_memory(index, rest)
    elif word == "/private":
        _private(talk, rest.strip())
    elif word == "/forget":
        _forget(talk, rest.strip())
    else:
        if word != "/help":
            say(f"  there is no {word}")
        say(HELP)
    return False


def _show_memory(index: Index, query: str) -> None:
    found = by_words(index, query, 10) if query else latest(index, 30)
    rows = [(str(m.event), m.author, m.text) for m in found if m.author != "kernel"]
    table(rows[-10:], indent="  ") if rows else say("  nothing found")


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
        _try(lambda: must_be_gone(forget_in(talk.kernel, what, zone(talk.settings.timezone))))
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


def _piped(talk: Talk) -> None:
    """One message per line; each is answered before the next is read."""
    heard = False
    for line in _lines():
        heard = True
        word = line.strip().partition(" ")[0]
        if word == "/forget":
            note("nobody is here to confirm it: lumen forget WORDS --yes")
        elif not COMMAND.match(line.strip()):
            talk.turn(line)
        elif word not in COMMANDS:
            note(
                f'there is no {one_line(word, 40)}: not kept\n  try: lumen chat -m "{one_line(word, 40)} …"'
            )
        elif _command(talk, line.strip()):
            break
    if not heard:
        raise UsageError("nothing came in on stdin", fix='echo "hello" | lumen chat')


def _lines() -> Iterator[str]:
    for raw in sys.stdin.buffer if sys.stdin else ():
        line = raw.decode("utf-8", "replace").strip("\r\n")
        if says_something(line):
            yield line


def _stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace") if sys.stdin else ""
