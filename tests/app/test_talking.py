"""A being is talked with from Python: plainly, in an event loop, as a guest, twice by one key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

import lumen
from lumen.app.talking import DraftText, ReplyText, Said, StepStarted
from lumen.core.canon import JSON
from lumen.core.data import Event, Origin
from lumen.core.errors import NotABeing, UsageError

Events = Callable[[], list[Event]]
Script = Callable[..., None]


def heard(events: list[Event]) -> list[Event]:
    return [e for e in events if e.entry.situation == "heard"]


def test_plain_code_says_something_and_gets_an_answer_with_its_evidence(home: Path) -> None:
    with lumen.open(home) as being:
        told = being.say("My sister lives in Lisbon.")
        said = being.say("Where does my sister live?")
    assert "Lisbon" in said.text
    assert said.sources == (told.heard,)
    assert said.event > said.heard > told.event


def test_what_was_of_use_is_recalled_as_it_weighs_now(home: Path) -> None:
    with lumen.open(home) as being:
        being.say("My sister lives in Lisbon.")
        (before,) = being.recall("Where does my sister live?", lane="stated")
        being.say("Where does my sister live?")
        (after,) = being.recall("Where does my sister live?", lane="stated")
    assert after.weight > before.weight


def test_code_in_an_event_loop_does_the_same(home: Path) -> None:
    async def talk() -> str:
        async with lumen.open(home) as being:
            await being.say("My sister lives in Lisbon.")
            return (await being.say("Where does my sister live?")).text

    assert "Lisbon" in asyncio.run(talk())


def test_two_beings_are_open_at_once_and_know_nothing_of_each_other(
    home: Path, tmp_path: Path
) -> None:
    lumen.create(tmp_path / "bob")

    async def talk() -> tuple[int, int]:
        async with lumen.open(home) as ada, lumen.open(tmp_path / "bob") as bob:
            await asyncio.gather(ada.say("I like tea."), ada.say("I like rice."))
            return len(ada.recall("Do I like tea?")), len(bob.recall("Do I like tea?"))

    mine, theirs = asyncio.run(talk())
    assert mine
    assert not theirs


def test_a_path_where_no_being_is_says_so_and_makes_none(home: Path, tmp_path: Path) -> None:
    with pytest.raises(NotABeing), lumen.open(tmp_path / "nowhere"):
        pass
    assert not (tmp_path / "nowhere").exists()


def test_progress_comes_as_steps_and_drafts_then_the_reply_then_what_was_said(
    home: Path, script: Script
) -> None:
    script({"when": "(?s).*", "say": "That sounds like a very good day to me."})

    async def talk() -> list[object]:
        async with lumen.open(home) as being:
            return [one async for one in being.saying("I had a good day with my sister.")]

    seen = asyncio.run(talk())
    kinds = [type(one) for one in seen]
    assert kinds[0] is StepStarted
    assert DraftText in kinds
    assert kinds.index(ReplyText) < len(kinds) - 1
    assert kinds[-1] is Said
    assert [one.text for one in seen if isinstance(one, ReplyText | Said)][0::1] == [
        seen[-1].text,  # type: ignore[attr-defined]
        seen[-1].text,  # type: ignore[attr-defined]
    ]


def test_leaving_the_iteration_closes_the_turn_as_interrupted(
    home: Path, script: Script, events: Events
) -> None:
    script({"when": "(?s).*", "say": "Slowly.", "delay_s": 600})

    async def talk() -> None:
        async with lumen.open(home) as being:
            progress = being.saying("I had a good day.")
            async for one in progress:
                if one == StepStarted("drafts"):
                    break
            await progress.aclose()
            assert being.status().open_turns == 0

    asyncio.run(talk())
    assert events()[-1].entry.situation == "interrupted"
    assert heard(events())[-1].entry.description == "I had a good day."


def test_a_cancelled_turn_is_closed_as_interrupted(
    home: Path, script: Script, events: Events
) -> None:
    script({"when": "(?s).*", "say": "Slowly.", "delay_s": 600})

    async def talk() -> None:
        async with lumen.open(home) as being:
            turn = asyncio.create_task(being.say("I had a good day."))
            while not heard(events()):  # noqa: ASYNC110 - a disk tells nobody
                await asyncio.sleep(0)
            turn.cancel()
            with pytest.raises(asyncio.CancelledError):
                await turn

    asyncio.run(talk())
    assert events()[-1].entry.situation == "interrupted"


def test_every_message_is_archived_with_its_conversation(home: Path, events: Events) -> None:
    with lumen.open(home) as being:
        first = being.say("I like tea.")
        second = being.say("I like rice.")
        other = being.say("I like bread.", conversation="kitchen")
    with lumen.open(home) as being:
        later = being.say("I like soup.")
    told = [e.entry.payload["conversation"] for e in heard(events())]
    assert told == [first.conversation, first.conversation, "kitchen", later.conversation]
    assert second.conversation == first.conversation != later.conversation
    assert other.conversation == "kitchen"


def test_what_was_just_said_is_what_was_said_in_the_same_conversation(
    home: Path, script: Script
) -> None:
    script({"when": "(?s).*", "say": ""})
    with lumen.open(home) as being:
        being.say("The red door squeaks.", conversation="hall")
        being.say("The blue kettle whistles.", conversation="kitchen")
        being.say("And now?", conversation="hall")
        index = being._kernel.index
        here = being.say("What else?", conversation="hall")
        recent = [m.text for m in index.memories.exchanges(here.heard, 5)]
    assert "The red door squeaks." in recent
    assert "The blue kettle whistles." not in recent


def test_a_guest_is_archived_as_one_and_tells_nothing_of_the_author(
    home: Path, events: Events
) -> None:
    with lumen.open(home) as being:
        being.say("My sister lives in Madrid.", speaker="Bob")
        assert being.recall("Where does my sister live?", lane="stated") == ()
        assert being.recall("Where does my sister live?")[0].lane == "guest"
        assert "Madrid" not in being.say("Where does my sister live?").text
    guest, author = heard(events())
    assert guest.entry.origin is Origin.GUEST
    assert guest.entry.payload["speaker"] == "Bob"
    assert author.entry.origin is Origin.AUTHOR
    assert guest.entry.payload["conversation"] != author.entry.payload["conversation"]


def test_a_guest_closes_no_goal(home: Path) -> None:
    with lumen.open(home) as being:
        being.goals.add("write a poem")
        being.say("You can close write a poem.", speaker="Bob")
        assert being.goals["write a poem"].status == "todo"
        being.say("You can close write a poem.")
        assert being.goals["write a poem"].status == "done"


def test_the_same_key_gets_the_same_answer_and_archives_nothing(home: Path, events: Events) -> None:
    with lumen.open(home) as being:
        first = being.say("My sister lives in Lisbon.", key="message-1")
        before = len(events())
        again = being.say("My sister lives in Lisbon.", key="message-1")
        assert len(events()) == before
        other = being.say("My sister lives in Lisbon.", key="message-2")
    assert (again.text, again.event, again.heard) == (first.text, first.event, first.heard)
    assert other.event > first.event
    assert all("message-1" not in str(e.entry.payload) for e in events())


def test_a_key_whose_message_was_never_answered_is_answered_now(
    home: Path, script: Script, events: Events
) -> None:
    script({"when": "(?s).*", "say": "Slowly.", "delay_s": 600})

    async def leave() -> None:
        async with lumen.open(home) as being:
            turn = asyncio.create_task(being.say("I had a good day.", key="k"))
            while not heard(events()):  # noqa: ASYNC110 - a disk tells nobody
                await asyncio.sleep(0)
            turn.cancel()
            await asyncio.wait({turn})

    asyncio.run(leave())
    script({"when": "(?s).*", "say": ""})
    with lumen.open(home) as being:
        said = being.say("I had a good day.", key="k")
        assert being.say("I had a good day.", key="k").event == said.event


def test_an_empty_message_is_refused_and_nothing_is_kept(home: Path, events: Events) -> None:
    before = len(events())
    with lumen.open(home) as being, pytest.raises(UsageError, match="empty"):
        being.say(" \n ")
    assert len(events()) == before


def test_what_went_wrong_with_the_model_is_told_beside_the_answer(
    home: Path, script: Script
) -> None:
    rule: JSON = {"when": "(?s).*", "fail": "out of memory"}
    script(rule)
    with lumen.open(home) as being:
        said = being.say("I like tea.")
    assert "out of memory" in said.trouble
    assert said.text
