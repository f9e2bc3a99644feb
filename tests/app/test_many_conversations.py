"""Several conversations with one being at once, in one process: each gets its own answers, in order."""

from __future__ import annotations

import asyncio
import fcntl
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, closing, contextmanager
from pathlib import Path

import apsw
import pytest
from tests.sampling import Sampled
from tests.waiting import PATIENCE

import lumen
from lumen.app import queues
from lumen.app.living import CycleResult
from lumen.core.chance import draw_from
from lumen.core.data import BeingPaths as Folder
from lumen.core.data import Event, Origin, SelfItem
from lumen.core.errors import Busy
from lumen.soul.state.selfhood import spell

Events = Callable[[], list[Event]]
Script = Callable[..., None]

CONVERSATIONS = 5
CANCELLED, FAILING = (3, 4), (1, 3)
ANSWER = "I have noted down everything about {0} and will think it over tonight."
WRITES = """
import select, sys
import lumen
number = 0
with lumen.open(sys.argv[1]) as being:
    print("open", flush=True)
    while number < 20 or not select.select([sys.stdin], [], [], 0.2)[0]:
        being.remember(f"The other process tells number {number}.")
        number += 1
print(number)
"""


def name(talk: int, number: int) -> str:
    return f"parcel {talk}x{number}"


def rule(talk: int, number: int, delay: float) -> dict[str, object]:
    """What the model says to one message, and to no other: the newest stands at the end."""
    told = {"when": rf"(?:now says:\n|\A).*{name(talk, number)}\b", "delay_s": delay}
    if (talk, number) == FAILING:
        return {**told, "fail": "out of memory"}
    slow = {"delay_s": 600} if (talk, number) == CANCELLED else {}
    return {**told, "say": ANSWER.format(name(talk, number)), **slow}


@contextmanager
def another_writing(home: Path) -> Iterator[list[int]]:
    """Another process that keeps things in the same being; tells how many when it is over."""
    command = [sys.executable, "-c", WRITES, str(home)]
    kept: list[int] = []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield kept
        told, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
    kept.append(int(told))


def heard(events: list[Event]) -> dict[str, Event]:
    """The messages by the conversation's own turn."""
    return {e.entry.session_key: e for e in events if e.entry.situation == "heard"}


def replied(events: list[Event]) -> dict[str, Event]:
    return {e.entry.session_key: e for e in events if e.entry.situation == "replied"}


def at_once(events: list[Event]) -> int:
    """How many turns were under way at the same time, at most."""
    under_way: set[str] = set()
    most = 0
    for event in events:
        if event.entry.situation == "heard":
            under_way.add(event.entry.session_key)
        elif event.entry.situation in ("replied", "interrupted"):
            under_way.discard(event.entry.session_key)
        most = max(most, len(under_way))
    return most


async def appears(events: Events, text: str) -> None:
    """Wait until a message is archived."""
    async with asyncio.timeout(PATIENCE):
        while not any(  # noqa: ASYNC110 - a disk tells nobody
            text in e.entry.description for e in heard(events()).values()
        ):
            await asyncio.sleep(0.02)


def test_five_conversations_at_once_while_another_process_writes(
    home: Path, script: Script, events: Events, sampled: Sampled
) -> None:
    each = sampled.rounds(5, 10)
    draw = draw_from("five conversations")
    every = [(talk, number) for talk in range(CONVERSATIONS) for number in range(each)]
    script(*(rule(*one, draw.uniform(0, 0.3)) for one in every))

    async def talk() -> dict[tuple[int, int], lumen.Said | BaseException]:
        async with lumen.open(home) as being:
            turns = {
                (one, number): asyncio.create_task(
                    being.say(f"The {name(one, number)} came today.", f"talk {one}")
                )
                for number in range(each)
                for one in range(CONVERSATIONS)
            }
            await appears(events, name(*CANCELLED))
            turns[CANCELLED].cancel()
            came = await asyncio.gather(*turns.values(), return_exceptions=True)
            assert being.status().open_turns == 0
            return dict(zip(turns, came, strict=True))

    with another_writing(home) as kept:
        came = asyncio.run(talk())

    assert isinstance(came.pop(CANCELLED), asyncio.CancelledError)
    failed = came.pop(FAILING)
    assert isinstance(failed, lumen.Said)
    assert "out of memory" in failed.trouble
    for one, said in came.items():
        assert isinstance(said, lumen.Said), one
        assert said.text == ANSWER.format(name(*one))
        assert said.conversation == f"talk {one[0]}"

    archived = events()
    messages, replies = heard(archived), replied(archived)
    order = defaultdict(list)
    for key, message in messages.items():
        order[message.entry.payload["conversation"]].append(message.entry.description)
        if key in replies:
            (told,) = re.findall(r"parcel \d+x\d+", message.entry.description)
            assert told in replies[key].entry.description or told == name(*FAILING)
    for talked in range(CONVERSATIONS):
        wanted = [f"The {name(talked, number)} came today." for number in range(each)]
        assert order[f"talk {talked}"] == wanted
    (broken,) = [e.entry for e in archived if e.entry.situation == "interrupted"]
    assert name(*CANCELLED) in messages[broken.session_key].entry.description
    assert broken.session_key not in replies
    assert at_once(archived) == CONVERSATIONS
    noted = [e for e in archived if "The other process tells" in e.entry.description]
    assert len(noted) == kept[0] >= 20
    with lumen.open(home) as being:
        assert being.verify(deep=True).ok


ALIKE = {"when": "(?s).*", "say": "That sounds like a very good day to me."}


def turns_of(events: list[Event], conversation: str) -> list[str]:
    """How each turn of a conversation ended."""
    mine = [k for k, e in heard(events).items() if e.entry.payload["conversation"] == conversation]
    ends = {e.entry.session_key: e.entry.situation for e in events}
    return [ends[key] for key in mine]


def test_a_cancelled_turn_is_closed_as_such_and_the_next_of_its_conversation_goes_on(
    home: Path, script: Script, events: Events
) -> None:
    script({"when": r"(?:now says:\n|\A).*slow parcel", "say": "Slowly.", "delay_s": 600}, ALIKE)

    async def talk() -> lumen.Said:
        async with lumen.open(home) as being:
            slow = asyncio.create_task(being.say("The slow parcel came.", "hall"))
            queued = asyncio.create_task(being.say("Never mind that.", "hall"))
            last = asyncio.create_task(being.say("I had a good day.", "hall"))
            await appears(events, "slow parcel")
            await being.say("I had a good day here too.", "kitchen")
            queued.cancel()
            slow.cancel()
            said = await last
            assert slow.cancelled()
            assert queued.cancelled()
            return said

    assert asyncio.run(talk()).text == ALIKE["say"]
    assert turns_of(events(), "hall") == ["interrupted", "record"]  # what never began is not kept
    assert turns_of(events(), "kitchen") == ["record"]


def test_a_message_that_waits_too_long_behind_another_is_told_what_it_waits_for(
    home: Path, script: Script, events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    script({"when": r"(?:now says:\n|\A).*slow parcel", "say": "Slowly.", "delay_s": 600}, ALIKE)
    monkeypatch.setattr(queues, "LONGEST_S", 0.1)

    async def talk() -> None:
        async with lumen.open(home) as being:
            slow = asyncio.create_task(being.say("The slow parcel came.", "hall"))
            await appears(events, "slow parcel")
            with pytest.raises(Busy, match="conversation hall has been answered for") as error:
                await being.say("Are you there?", "hall")
            assert "cancel the task that awaits it" in error.value.fix
            slow.cancel()
            await asyncio.wait({slow})
            assert (await being.say("I had a good day.", "hall")).text

    asyncio.run(talk())
    assert len(heard(events())) == 2


def test_the_same_key_in_two_conversations_at_once_is_answered_once(
    home: Path, script: Script, events: Events
) -> None:
    script({**ALIKE, "delay_s": 0.2})

    async def talk() -> list[lumen.Said]:
        async with lumen.open(home) as being:
            said = (
                being.say("I had a good day.", talk, key="once") for talk in ("hall", "kitchen")
            )
            return list(await asyncio.gather(*said))

    first, second = asyncio.run(talk())
    assert first.event == second.event
    assert len(heard(events())) == 1


def test_closing_waits_for_the_turns_under_way_and_lets_none_begin(
    home: Path, script: Script, events: Events
) -> None:
    script({**ALIKE, "delay_s": 0.4})

    async def talk() -> list[asyncio.Task[lumen.Said]]:
        async with lumen.open(home) as being:
            turns = [
                asyncio.create_task(being.say("I had a good day.", t)) for t in ("a", "a", "b")
            ]
            await appears(events, "good day")
        with pytest.raises(lumen.LumenError, match="closed"):
            await being.say("And now?")
        return turns

    assert all(turn.result().text for turn in asyncio.run(talk()))
    assert len(replied(events())) == 3


def test_a_model_is_waited_for_without_any_lock_that_keeps_others_out(
    home: Path, script: Script
) -> None:
    script({**ALIKE, "delay_s": 600})
    folder = Folder(home)

    async def talk() -> None:
        async with (
            lumen.open(home) as being,
            aclosing(being.saying("I had a good day.")) as turn,
        ):
            async for one in turn:
                if one == lumen.StepStarted("drafts"):
                    break
            await asyncio.sleep(0)  # it is asked now
            for path in [
                *folder.memory.glob(".*"),
                folder.heads,
                *folder.index.parent.glob("*.lock"),
            ]:
                marks = path.name in (".turns", ".talk")
                with path.open("rb") as file:  # a mark of a turn is shared with other turns
                    fcntl.flock(file, fcntl.LOCK_NB | (fcntl.LOCK_SH if marks else fcntl.LOCK_EX))
            with closing(apsw.Connection(str(folder.index))) as db:
                db.execute("BEGIN IMMEDIATE; ROLLBACK")

    asyncio.run(talk())


@asynccontextmanager
async def never_pausing(being: lumen.AsyncBeing, events: Events) -> AsyncIterator[None]:
    """Three conversations, each with the next message at once, so that one is always answered."""
    over = False

    async def talk(conversation: str) -> None:
        number = 0
        while not over:
            await being.say(f"I had good day number {number}.", conversation)
            number += 1

    async with asyncio.TaskGroup() as talks:
        for conversation in ("hall", "kitchen", "garden"):
            talks.create_task(talk(conversation))
        while at_once(events()) < 2:  # noqa: ASYNC110 - a disk tells nobody
            await asyncio.sleep(0.02)
        try:
            async with asyncio.timeout(PATIENCE):
                yield
        finally:
            over = True


def test_an_edit_by_hand_is_adopted_although_conversations_never_pause(
    home: Path, script: Script, events: Events
) -> None:
    script({**ALIKE, "delay_s": 0.3})
    values = home / "data" / "values.json"
    honest = spell([SelfItem("honesty", 0.9, "active")])

    async def talk() -> None:
        async with lumen.open(home) as being, never_pausing(being, events):
            while not len(being.values):
                if values.read_text("utf-8") != honest:  # a skill was at work just then
                    (home / "mine").write_text(honest, "utf-8")
                    (home / "mine").replace(values)
                await asyncio.sleep(0.05)
            assert being.values["honesty"].weight == 0.9

    asyncio.run(talk())
    archived = events()
    (edited,) = [e for e in archived if e.entry.situation == "edited"]
    assert edited.entry.origin is Origin.AUTHOR
    spoken = sorted(e.seq for e in heard(archived).values())
    assert spoken[0] < edited.seq  # it was in the middle of it all
    with lumen.open(home) as being:
        assert being.verify(deep=True).ok


def test_the_author_is_let_in_on_a_being_whose_conversations_never_pause(
    home: Path, script: Script, events: Events
) -> None:
    script({**ALIKE, "delay_s": 0.2})

    async def talk() -> int:
        async with lumen.open(home) as being, never_pausing(being, events):
            with pytest.raises(
                Busy, match="a turn is under way with this being: this very process"
            ):
                being.goals.add("write a poem")
            async with being.paused(PATIENCE):
                being.goals.add("write a poem")
                being.checkpoint("a poem is wanted")
                before = len(events())
                await asyncio.sleep(0.3)
                assert len(events()) == before  # nobody else is let in meanwhile
                return before

    paused = asyncio.run(talk())
    after = [e for e in events() if e.seq > paused]
    assert heard(after)  # and then it goes on
    assert not [e for e in events() if e.entry.situation == "unclosed"]


def test_what_it_does_unasked_waits_for_a_conversation_of_the_same_process(
    home: Path, script: Script, events: Events
) -> None:
    script({**ALIKE, "delay_s": 0.3})

    async def both() -> tuple[lumen.Said, tuple[CycleResult, ...]]:
        async with lumen.open(home) as being:
            being.goals.add("learn about tides", 0.9)
            saying = asyncio.create_task(being.say("I had a good day.", "hall"))
            await appears(events, "good day")
            lived = await being.live()
            return await saying, lived

    said, lived = asyncio.run(both())
    assert said.text == ALIKE["say"]
    assert "tides" in lived[0].what
    archived = events()
    (began,) = [e.seq for e in archived if e.entry.situation == "pursues"]
    assert began > said.event  # nothing was begun while somebody was being answered


def test_a_conversation_goes_first_when_it_begins_in_the_middle_of_a_cycle(
    home: Path, script: Script, events: Events
) -> None:
    script({**ALIKE, "delay_s": 0.3})

    async def both() -> lumen.Said:
        async with lumen.open(home) as being:
            being.goals.add("learn about tides", 0.9)
            living = asyncio.create_task(being.live())
            while not any(e.entry.situation == "pursues" for e in events()):  # noqa: ASYNC110
                await asyncio.sleep(0)
            said = await being.say("I had a good day.", "hall")
            await living
            return said

    said = asyncio.run(both())
    archived = events()
    (began,) = [e for e in archived if e.entry.situation == "pursues"]
    ended = [e.seq for e in archived if e.entry.session_key == began.entry.session_key][-1]
    assert began.seq < said.heard < said.event < ended
