"""One turn, from the author's words to the signed head: what is handed on, kept and shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from lumen.core.canon import dumps
from lumen.core.data import Author, EventType, SelfItem, kernel_entry
from lumen.core.errors import LumenError, UsageError
from lumen.core.exposure import trace
from lumen.core.stores import Store
from lumen.kernel.contour.capabilities import CAPABILITIES, Hands, Mind, Past, Unknowns
from lumen.kernel.contour.slots import Self, Slot
from lumen.kernel.contour.state import State
from lumen.kernel.contour.step import Beat, Loop, Skip, Step
from lumen.kernel.identity.biography import Biography
from lumen.kernel.identity.digest import digest
from lumen.kernel.recall.evidence import Recall
from lumen.kernel.recall.verified import VerifiedRecall
from lumen.kernel.steps.p3_deliberate.plan import Plan
from lumen.kernel.steps.p4_act import Reply
from lumen.kernel.steps.p5_consolidate import Evaluation
from lumen.kernel.turn.conversation import LONGEST_MESSAGE, says_something
from lumen.kernel.turn.loops import ACTION, CONTOUR
from lumen.kernel.turn.recorded import PROMPTS, RecordedHands, RecordedMind
from lumen.kernel.turn.run import Watch
from lumen.mind.substrate import Prompt
from lumen.soul.checking.verify import verify

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


def with_steps(change: Callable[[Step], Step]) -> Loop:
    """The turn's own loop with some of its steps changed."""
    beats = [Beat(b.name, tuple(change(s) for s in b.steps)) for b in ACTION.beats]
    return Loop(ACTION.name, ACTION.grants, tuple(beats))


@pytest.fixture
def turn_as(monkeypatch: pytest.MonkeyPatch) -> Callable[[Loop], None]:
    """Let the runner run another row of steps."""

    def turn(loop: Loop) -> None:
        given = replace(CONTOUR, loops={**CONTOUR.loops, "action": loop})
        monkeypatch.setattr("lumen.kernel.turn.loops.CONTOUR", given)

    return turn


def first_turn_runs(one: Step) -> bool:
    """Whether a step runs in the first turn, one of talk, by its policy; what `only_if` says is met there."""
    policy = one.policy
    return policy.enabled and policy.every_n_turns <= 1 and "talk" in policy.depths


def test_a_step_is_handed_what_it_reads_and_nothing_else(
    life: Life, turn_as: Callable[[Loop], None]
) -> None:
    handed: dict[str, dict[str, Any]] = {}
    written: dict[type, Slot] = {}

    def overheard(one: Step) -> Step:
        async def run(*more: object, **given: object) -> Slot:
            assert more == ()
            handed[one.name] = given
            written[one.writes] = await one.run(**given)
            return written[one.writes]

        return replace(one, run=run)

    turn_as(with_steps(overheard))
    life.say("My sister lives in Lisbon.")

    in_talk = [s for s in ACTION.steps() if first_turn_runs(s)]
    assert list(handed) == [s.name for s in in_talk]
    able: dict[type, type] = {
        Mind: RecordedMind,
        Hands: RecordedHands,
        Recall: VerifiedRecall,
        Biography: Biography,
    }
    for one in in_talk:
        given = handed[one.name]
        assert given.keys() == dict(one.reads).keys()
        for name, wanted in one.reads:
            if wanted in written:
                assert given[name] is written[wanted]
            else:
                assert isinstance(given[name], able.get(wanted, wanted))
    assert able.keys() == CAPABILITIES - {State, Unknowns, Past}  # those are for the other loops


def test_a_step_that_skips_writes_its_empty_slot_and_its_reason_is_archived(
    life: Life, turn_as: Callable[[Loop], None]
) -> None:
    async def pass_over(plan: Plan, reply: Reply, **_: object) -> Evaluation:
        raise Skip(f"nothing to weigh in {len(reply.text) and plan.candidates[0].skill}")

    def skipping(one: Step) -> Step:
        return replace(one, run=pass_over) if one.name == "post_eval" else one

    turn_as(with_steps(skipping))
    answered = life.say("I like rice.")

    told = life.step("post_eval")
    assert told["skipped"] == "nothing to weigh in chat"
    assert told["wrote"] == trace(Evaluation())
    assert answered.text
    assert "skipped" not in life.step("compose_final")
    assert life.open_turns() == []


def test_a_turn_in_which_nothing_could_be_done_still_answers(
    life: Life, turn_as: Callable[[Loop], None]
) -> None:
    async def pass_over(**_: object) -> Slot:
        raise Skip("there is nothing to plan")

    def skipping(one: Step) -> Step:
        return replace(one, run=pass_over) if one.name == "plan" else one

    turn_as(with_steps(skipping))
    answered = life.say("I like rice.")

    assert answered.text
    assert life.step("post_eval")["wrote"]["outcome"] == "said"
    assert life.open_turns() == []


def test_a_change_to_a_store_that_was_not_declared_stops_the_turn_and_is_not_made(
    life: Life, turn_as: Callable[[Loop], None]
) -> None:
    def unasked(one: Step) -> Step:
        return replace(one, stores=frozenset()) if one.name == "compose_final" else one

    turn_as(with_steps(unasked))
    shown: list[str] = []
    with pytest.raises(LumenError, match="step compose_final proposed a change to a store it did"):
        life.say("I like rice.", watch=Watch(reply=shown.append))

    kept = [e.entry.situation for e in life.turn()]
    assert kept == ["heard", "think", "decide", "interrupted"]
    assert "compose_final" in life.turn()[-1].entry.description
    assert shown == []
    assert life.open_turns() == []
    assert verify(life.being, life.keyring).ok


def test_a_change_to_another_store_than_the_declared_one_stops_the_turn_too(
    life: Life, turn_as: Callable[[Loop], None]
) -> None:
    def misled(one: Step) -> Step:
        stores = frozenset({Store.SKILLS})
        return replace(one, stores=stores) if one.name == "compose_final" else one

    turn_as(with_steps(misled))
    with pytest.raises(LumenError, match=r"did not declare: Store\.MEMORY") as refused:
        life.say("I like rice.")

    assert refused.value.fix == "name it where the step is made: @step(Store.MEMORY)"

    assert Author.SELF not in {e.entry.author for e in life.events()}


def test_a_plain_turn_is_at_most_eight_lines_and_sixteen_kilobytes(life: Life) -> None:
    (segment,) = life.being.memory.glob("*/*.jsonl")
    before = segment.read_bytes()
    life.say("Today I walked along the river and thought about the garden.")
    added = segment.read_bytes()[len(before) :]

    assert len(added.splitlines()) <= 8
    assert len(added) <= 16 * 1024


def test_a_turn_leaves_the_words_the_beats_the_skill_and_the_reply_in_order(life: Life) -> None:
    answered = life.say("I like rice.")

    lines = [e.entry for e in life.turn()]
    assert [x.situation for x in lines] == [
        "heard",
        "think",
        "decide",
        "skill",
        "skill",
        "replied",
        "act",
        "record",
    ]
    beats = [x for x in lines if x.situation in {"think", "decide", "act", "record"}]
    assert {(x.author, x.event_type) for x in beats} == {(Author.KERNEL, EventType.SYSTEM_EVENT)}
    assert beats[0].description.startswith("THINK: 12 characters in; ")
    assert "; statement; loaded 0 recent" in beats[0].description
    assert [s["step"] for s in beats[0].payload["steps"]] == [s.name for s in ACTION.beats[0].steps]
    assert beats[0].payload["calls"][0]["model"] == "scripted/echo"
    assert "calls" not in beats[1].payload
    replied = next(e for e in life.turn() if e.entry.author is Author.SELF)
    assert (answered.event, answered.text) == (replied.seq, replied.entry.description)
    assert verify(life.being, life.keyring).ok


def test_the_head_is_signed_when_the_turn_is_recorded(life: Life) -> None:
    life.say("I like rice.")

    last = life.events()[-1]
    assert f'"seq":{last.seq},' in life.being.heads.read_text().splitlines()[-1]


def test_kernel_memories_cite_what_was_recalled_by_number_and_do_not_copy_it(life: Life) -> None:
    life.script({"when": ".", "say": "I could not say."})
    life.say("My sister lives in Lisbon.")
    told = life.turn()[0].seq
    answered = life.say("Where does my sister live?")

    trail = life.step("reality_check")["wrote"]
    assert trail["evidence"][0]["event"] == told
    assert trail["recent"][0] == {"event": told}
    assert b"Lisbon" not in dumps(trail)
    assert "Lisbon" in answered.text
    assert answered.sources == (told,)


def test_kernel_memories_never_reach_the_mind(life: Life) -> None:
    listener = life.listen()
    marked = "My sister keeps a xylocarp in Lisbon."
    entry = kernel_entry("note", marked, "lumen:kernel", {"quote": marked})
    life.kernel.gate.record(entry)
    life.say("My sister keeps something in Lisbon.")
    life.say("What does my sister keep in Lisbon?")
    listener.answer = "That is a hard fruit."
    life.say("What is a xylocarp?")

    assert listener.shown().count("xylocarp") == 1  # the author's own question
    trail = [e.entry.description for e in life.events() if e.entry.author is Author.KERNEL]
    assert [said for said in trail if said in listener.shown()] == []
    life.say(marked)
    life.say("What does my sister keep in Lisbon?")
    assert marked in listener.prompts[-1].user


def test_the_digest_opens_the_system_text(life: Life) -> None:
    listener = life.listen()
    life.kernel.self_ = Self(
        "Iris",
        "Ada",
        "Born by the sea.",
        (("honesty", 0.9),),
        (SelfItem("learn to listen", 0.5, "working"),),
    )
    life.say("I like rice.")

    (prompt,) = listener.prompts
    opening = digest((PROMPTS,), life.kernel.self_, small=False)
    assert prompt.system.startswith(opening + "\n\n")
    for part in ("You are Iris", "Ada", "Born by the sea.", "honesty (0.9)", "learn to listen"):
        assert part in opening


def test_a_small_model_gets_the_short_digest_and_examples(life: Life) -> None:
    listener = life.listen(small=True)
    life.say("I like rice.")

    (prompt,) = listener.prompts
    assert prompt.system.startswith(digest((PROMPTS,), life.kernel.self_, small=True))
    assert len(prompt.turns) > 1


def test_the_authors_own_digest_comes_before_the_shipped_one(life: Life) -> None:
    listener = life.listen()
    own = life.being.prompts / "digest" / "system.md"
    own.parent.mkdir()
    own.write_text("I am {{ name }}, and nobody's tool.")
    life.say("I like rice.")

    assert listener.prompts[0].system.startswith("I am Iris, and nobody's tool.\n\n")


def test_a_private_message_marks_both_its_memory_and_the_reply(life: Life) -> None:
    life.say("I like rice.")
    life.say("My diary has a lock.", private=True)

    life.kernel.index.catch_up()
    talk = [
        m for m in life.kernel.index.memories.listed(limit=None) if m.author is not Author.KERNEL
    ]
    assert [(m.author.value, m.private) for m in talk] == [
        ("external", False),
        ("self", False),
        ("external", True),
        ("self", True),
    ]
    marks = [e.entry.payload.get("private") for e in life.turn() if e.seq in {m.seq for m in talk}]
    assert marks == [True, True]


def test_the_authors_words_are_durable_before_the_mind_is_asked(
    life: Life, synced: list[bytes]
) -> None:
    seen: list[tuple[list[str], bool]] = []

    def look(_: Prompt) -> None:
        heard = [e.entry.description for e in life.events() if e.entry.author is Author.EXTERNAL]
        seen.append((heard, any(b"I like rice." in kept for kept in synced)))

    life.listen(heard=look)
    life.say("I like rice.")

    assert seen == [(["I like rice."], True)]


def test_the_reply_is_durable_before_anyone_sees_it(life: Life, synced: list[bytes]) -> None:
    seen: list[tuple[str, bool, bool]] = []

    def look(text: str) -> None:
        replies = [e.entry.description for e in life.events() if e.entry.author is Author.SELF]
        seen.append((text, replies == [text], any(b'"replied"' in kept for kept in synced)))

    answered = life.say("I like rice.", watch=Watch(reply=look))

    assert seen == [(answered.text, True, True)]


def test_who_watches_sees_recall_and_then_every_step(life: Life) -> None:
    life.listen(answer="Rice is a fine thing.")
    steps: list[str] = []
    drafted: list[str] = []
    life.say("I like rice.", watch=Watch(step=steps.append, draft=drafted.append))

    assert steps == ["recall", *(s.name for s in ACTION.steps())]
    assert drafted == ["Rice is a fine thing."]


@pytest.mark.parametrize(
    "text", ["", "  \n ", "\x07\x1b", "\x01\x1b[31m", "\u200d\u200b", "x" * 4_000_001]
)
def test_nothing_to_answer_or_too_much_is_refused_and_nothing_is_kept(
    life: Life, text: str
) -> None:
    before = len(life.events())
    with pytest.raises(UsageError, match=r"empty|4,000,001 characters; at most 4,000,000"):
        life.say(text)

    assert len(life.events()) == before
    assert LONGEST_MESSAGE == 4_000_000
    assert says_something("…")
    assert not says_something("\u2066\t")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, asyncio.CancelledError])
def test_a_turn_the_author_stops_is_closed_as_interrupted(
    life: Life, stop: type[BaseException]
) -> None:
    def halt(_: Prompt) -> None:
        raise stop

    life.listen(heard=halt)
    with pytest.raises(stop):
        life.say("I like rice.")

    assert [e.entry.situation for e in life.turn()] == ["heard", "interrupted"]
    assert life.turn()[-1].entry.description == "The turn ended early: stopped by the author"
    assert life.open_turns() == []
    assert verify(life.being, life.keyring).ok


def test_two_exchanges_and_no_more_go_into_the_next_prompt(life: Life) -> None:
    listener = life.listen()
    for text in ("I planted leeks.", "I washed the car.", "I rang Bruno.", "I am off to bed now."):
        life.say(text)

    shown = listener.prompts[-1].user
    assert "washed the car" in shown
    assert "rang Bruno" in shown
    assert "leeks" not in shown


def test_what_stands_in_the_exchanges_is_not_told_twice(life: Life) -> None:
    listener = life.listen()
    life.say("My sister lives in Lisbon.")
    life.say("Where does my sister live?")

    assert listener.prompts[-1].user.count("My sister lives in Lisbon.") == 1

    for text in ("I planted leeks.", "I washed the car."):
        life.say(text)
    life.say("Where does my sister live?")

    assert listener.prompts[-1].user.count("My sister lives in Lisbon.") == 1
