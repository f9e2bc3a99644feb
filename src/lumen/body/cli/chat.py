"""`lumen chat`: a conversation in the terminal, one message with -m, or one per line from a pipe."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from lumen.app.callers import started_by_skill
from lumen.app.meeting import (
    LONGEST_NAME,
    UNNAMED,
    bear,
    has_met,
    is_message,
    learner_for,
    meet,
    name_in,
    overhear,
    says_something,
)
from lumen.app.models import speak_with, speaker
from lumen.app.prompts import refuse_bad_prompts
from lumen.app.settings import Settings, find_being, must_be
from lumen.app.talking import last_or_new_conversation, new_conversation
from lumen.body.cli.command import command
from lumen.body.cli.in_chat import COMMAND, COMMANDS, LEAVES, Talk, carry_out
from lumen.body.cli.offer import offer, settle
from lumen.body.cli.request import CommandRequest, at_terminal
from lumen.body.cli.terminal import is_terminal, note, one_line, say
from lumen.core.canon import JSON, clean
from lumen.core.data import BeingPaths
from lumen.core.errors import ArchiveError, LumenError, UsageError

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

    from lumen.app.meeting import Learner
    from lumen.app.wiring import Kernel

NAME_HELP = """\
  Type a name, or press Enter for the one in brackets. You can change it later by saying so.
  /quit leaves (so do Ctrl-C and Ctrl-D); nothing is kept before both are answered."""
ASKS_FIRST = "  I will answer that in a moment. First a name, or Enter for the one in brackets."


def _named(_context: click.Context, _option: click.Parameter, model: str | None) -> str:
    """A model's name; an empty one, as an unset variable is, must not mean the usual one."""
    if model is not None and not model.strip():
        raise UsageError("the model's name is empty", fix="lumen models list")
    return model or ""


@command("chat", for_skills=True)  # which talk as a tool
@click.option("-m", "--message", help="Say one thing and leave; - reads it whole from stdin.")
@click.option("--private", is_flag=True, help="Mark what is said as private.")
@click.option("--model", callback=_named, help="substrate/model to talk with, this once.")
def chat(
    request: CommandRequest, message: str | None, private: bool, model: str
) -> dict[str, JSON] | None:
    """Talk with your being; a first chat makes one."""
    if message is not None:
        message = _stdin() if message == "-" else _text(message.encode("utf-8", "surrogateescape"))
        if not says_something(message):
            raise UsageError("the message is empty", fix='lumen chat -m "something to say"')
    being, by_default = find_being(request.named)
    if started_by_skill():
        return _kept_of_skill(request, message)
    if model:  # before a being is born or opened
        speaker(must_be(being) if being.settings.exists() else Settings(), model)
    with _not_heard_yet(waiting=message is not None or not is_terminal(sys.stdin)):
        if by_default and not being.settings.exists():
            _be_born(being)
        must_be(being)
        refuse_bad_prompts(being)  # before anything is archived that could not be answered
        kernel = _open(being, tell=note)
    with asyncio.Runner() as runner:
        talk = Talk(request, kernel, runner, private)
        try:
            if message is not None:
                speak_with(talk.kernel, model)
                talk.conversation = last_or_new_conversation(talk.kernel)
                talk.turn(message)
            else:
                talk.conversation = new_conversation(talk.kernel)
                _converse(talk, model)
        except KeyboardInterrupt:
            note("stopped; what you said is kept")
            raise
        finally:
            talk.kernel.close()
    return None


@contextmanager
def _not_heard_yet(*, waiting: bool) -> Iterator[None]:
    """Where the archive refuses while the being is opened, say what that means for a waiting message."""
    try:
        yield
    except ArchiveError as error:
        if waiting:
            error.what += "; your message was not kept"
        raise


def _converse(talk: Talk, model: str) -> None:
    if is_terminal(sys.stdin):
        _meet(talk)
        speak_with(talk.kernel, model)
        talk.better = None if model else offer(talk)
        _repl(talk)
    else:
        speak_with(talk.kernel, model)
        _piped(talk)


def _kept_of_skill(request: CommandRequest, message: str | None) -> dict[str, JSON] | None:
    """Keep what a skill says through this command: as a tool's word, which nobody answers."""
    text = _stdin() if message is None else message
    with request.opened() as kernel:
        kept = overhear(kernel, text)
    if request.as_json:
        return {"kept": kept, "origin": "tool"}
    note("A skill said this: it is kept as the skill's word, and not answered.")
    return None


def _open(being: BeingPaths, tell: Callable[[str], None] = lambda _: None) -> Kernel:
    from lumen.app.wiring import open_kernel

    kernel, repairs = open_kernel(being, passphrases=at_terminal())
    for line in repairs:
        tell(line)
    return kernel


def _be_born(being: BeingPaths) -> None:
    bear(being, with_defaults=True)
    note(f"A new being was born in {being.root}   (lumen init DIR makes others)")
    note(
        "It begins with default values and contracts, yours to change: lumen values, lumen contracts"
    )


def _meet(talk: Talk) -> None:
    """The first meeting: whom it speaks with, and its own name."""
    being = talk.kernel.being
    if has_met(being):
        return
    author = _name_asked("What shall I call you?", UNNAMED, talk.meanwhile)
    name = _name_asked("And what is my name?", "Lumen", talk.meanwhile)
    meet(talk.kernel, name, author)
    talk.kernel.close()
    talk.kernel = _open(being)


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
        elif is_message(text):
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

    history = InMemoryHistory(
        [m.text for m in talk.kernel.index.memories.listed(author="external")]
    )
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
        talk.better = settle(talk, talk.better)
        try:
            text = session.prompt("you (private) › " if talk.private else "you › ")
        except (EOFError, KeyboardInterrupt):
            break
        with learner.resting():
            if COMMAND.match(text.strip()):
                if carry_out(talk, text.strip()):
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


def _piped(talk: Talk) -> None:
    """One message per line; each is answered before the next is read.

    Raises:
        UsageError: nothing came in, or some of it was no text; what was is answered first.
    """
    heard, refused = False, list[UsageError]()
    for line in _lines(refused):
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
        elif carry_out(talk, line.strip()):
            break
    if refused:
        raise refused[0]
    if not heard:
        raise UsageError("nothing came in on stdin", fix='echo "hello" | lumen chat')


def _lines(refused: list[UsageError]) -> Iterator[str]:
    """What comes in, a line at a time; a file is seen to be text before any of it is said.

    Who is at the other end of a pipe has no way back: a line that is no text is told and passed by.
    """
    if sys.stdin and sys.stdin.buffer.seekable():
        yield from filter(says_something, _stdin().splitlines())
        return
    for number, raw in enumerate(sys.stdin.buffer if sys.stdin else (), 1):
        try:
            line = _text(raw).strip("\r\n")
        except UsageError as error:
            refused.append(error)
            note(f"line {number}: {error.what}")
            continue
        if says_something(line):
            yield line


def _stdin() -> str:
    return _text(sys.stdin.buffer.read()) if sys.stdin else ""


def _text(raw: bytes) -> str:
    """What was said.

    Raises:
        UsageError: it is not text; kept with other characters in place of it, it would be a lie.
    """
    with suppress(UnicodeDecodeError):
        if b"\0" not in raw:
            return raw.decode("utf-8")
    raise UsageError(
        "this is not text in UTF-8, and was not kept",
        fix="tell me what it is about; or as text: iconv -t utf-8 FILE | lumen chat -m -",
    )
