"""A call is tried again by a stated law, or not at all; each try is told of."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.kernel.recorder import answer, breaks_off, connect, fails, sends, waits

from lumen.core.canon import dumps
from lumen.core.errors import BadAnswer, Limited, Unreachable, Unsupported
from lumen.kernel.models.calls import FIRST_WAIT_S, MORE_ROOM, TRIES, Calls
from lumen.kernel.turn.conversation import converse
from lumen.kernel.turn.run import Watch, calls_for
from lumen.soul.checking.verify import verify

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.kernel.recorder import Deed, Recorder

TODAY = "2026-11-15"


class Asking:
    """Calls of no turn, whose waits are kept instead of waited for."""

    def __init__(self, life: Life) -> None:
        self.waited: list[float] = []
        self.heard: list[str] = []
        self.life = life
        self.calls: Calls = replace(
            calls_for(life.kernel, "lumen:author"), wait=self.wait, on_text=self.heard.append
        )

    async def wait(self, seconds: float) -> None:
        self.waited.append(seconds)

    def ask(self) -> str:
        """Ask once, as a step does; the calls are settled whatever comes of it."""
        try:
            _, said = asyncio.run(self.calls.ask("interface", "probe", {}, 16))
        finally:
            self.calls.settle()
            self.life.kernel.index.catch_up()
        return said.text

    def outcomes(self) -> list[str]:
        """What the ledger says of each try, the first first."""
        made = sorted(self.life.kernel.index.ledger.calls(), key=lambda c: c.at)
        return [c.outcome for c in made]


def unsupported(name: str) -> dict[str, Any]:
    return {"error": {"message": f"Unsupported parameter: '{name}'", "param": name}}


def test_a_server_that_says_how_long_to_wait_is_waited_for_so_long(
    far: Life, cloud: Recorder
) -> None:
    asking = Asking(far)
    cloud.plan = [fails(429, retry_after="7"), fails(429, retry_after="20")]

    assert asking.ask() == cloud.says

    assert asking.waited == [7.0, 20.0]
    assert asking.outcomes() == ["Limited", "Limited", "ok"]
    assert len(cloud.calls) == 3


def test_a_server_that_wants_too_long_is_not_waited_for(far: Life, cloud: Recorder) -> None:
    asking = Asking(far)
    cloud.plan = [fails(429, retry_after="21")]
    with pytest.raises(Limited):
        asking.ask()
    assert asking.waited == []
    assert asking.outcomes() == ["Limited"]


def test_a_server_that_fails_twice_is_asked_three_times_ever_more_slowly(
    far: Life, cloud: Recorder
) -> None:
    asking = Asking(far)
    cloud.plan = [fails(500), fails(503)]

    assert asking.ask() == cloud.says

    first, second = asking.waited
    assert 0.5 * FIRST_WAIT_S <= first <= 1.5 * FIRST_WAIT_S
    assert FIRST_WAIT_S <= second <= 3 * FIRST_WAIT_S
    assert asking.outcomes() == ["Unreachable", "Unreachable", "ok"]


def test_two_turns_that_fail_at_once_do_not_come_back_at_once(far: Life, cloud: Recorder) -> None:
    cloud.plan = [fails(500)] * 2 * TRIES
    waited = []
    for name in ("one", "other"):
        asking = Asking(far)
        asking.calls.session_key = name
        with pytest.raises(Unreachable):
            asking.ask()
        waited.append(asking.waited)
    assert waited[0] != waited[1]


def test_the_third_failure_is_the_last_and_the_grounded_draft_answers(
    far: Life, cloud: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumen.kernel.models.calls.FIRST_WAIT_S", 0.0)
    cloud.plan = [fails(500)] * 9
    far.tell("My sister lives in Lisbon.")

    answered = far.say("Where does my sister live?")

    assert len(cloud.calls) == TRIES
    assert (answered.kind, "Lisbon" in answered.text) == ("grounded", True)
    assert [c["try"] for c in far.beat("think").entry.payload["calls"]] == [1, 2, 3]
    assert sum(e.entry.situation == "call" for e in far.turn()) == TRIES


@pytest.mark.parametrize(
    "broken",
    [
        breaks_off("Peru has "),
        sends(b'data: {"choices":[{"delta":{"content":"Peru has "}}]}\n\ndata: {oh\n\n'),
        sends(
            b'data: {"choices":[{"delta":{"content":"Peru has "}}]}\n\ndata: {"error":{"message":"x"}}\n\n'
        ),
    ],
    ids=["cut", "garbled", "an error"],
)
def test_what_was_said_in_part_is_not_asked_for_again(
    far: Life, cloud: Recorder, broken: Deed
) -> None:
    asking = Asking(far)
    cloud.plan = [broken]
    with pytest.raises(BadAnswer):
        asking.ask()
    assert asking.heard == ["Peru has "]
    assert asking.waited == []
    assert len(cloud.calls) == 1
    (call,) = far.kernel.index.ledger.calls()
    assert (call.outcome != "ok", call.tokens) == (True, call.set_aside)


@pytest.mark.parametrize("name", ["temperature", "seed", "stream_options"])
def test_a_setting_a_model_does_not_take_is_left_out_from_then_on(
    far: Life, cloud: Recorder, name: str
) -> None:
    asking = Asking(far)
    cloud.plan = [fails(400, unsupported(name))]

    assert asking.ask() == cloud.says
    assert asking.ask() == cloud.says

    assert [name in body for body in cloud.bodies()] == [True, False, False]
    assert asking.outcomes() == ["Unsupported", "ok", "ok"]
    assert asking.waited == []
    sent = [e.entry.payload["sent"]["body"] for e in far.events() if "sent" in e.entry.payload]
    assert sent == cloud.bodies()


def test_a_limit_by_another_name_is_told_by_that_name(far: Life, cloud: Recorder) -> None:
    asking = Asking(far)
    cloud.plan = [fails(400, unsupported("max_tokens"))]
    asking.ask()
    before, after = cloud.bodies()
    assert after["max_completion_tokens"] == before["max_tokens"]
    assert "max_tokens" not in after


def test_a_model_that_refuses_everything_is_given_up_on(far: Life, cloud: Recorder) -> None:
    asking = Asking(far)
    cloud.plan = [fails(400, unsupported("seed"))] * 9
    with pytest.raises(Unsupported):
        asking.ask()
    assert len(cloud.calls) == 5


def test_an_empty_answer_gets_one_more_try_with_more_room(far: Life, cloud: Recorder) -> None:
    asking = Asking(far)
    cloud.plan = [answer("", finish_reason="length")]

    assert asking.ask() == cloud.says

    first, second = (body["max_tokens"] for body in cloud.bodies())
    assert second == first + MORE_ROOM
    one, other = sorted(far.kernel.index.ledger.calls(), key=lambda c: c.at)
    assert (one.outcome, one.tokens) == ("BadAnswer", one.set_aside)
    assert other.set_aside == one.set_aside + MORE_ROOM


def test_a_model_that_only_thought_is_given_room_to_speak(far: Life, cloud: Recorder) -> None:
    asking = Asking(far)
    cloud.plan = [answer("<think>Let me see. Peru is", finish_reason="length")]
    assert asking.ask() == cloud.says
    assert len(cloud.calls) == 2


def test_a_model_that_stays_silent_is_asked_twice_and_no_more(far: Life, cloud: Recorder) -> None:
    asking = Asking(far)
    cloud.plan = [answer("")] * 9
    with pytest.raises(BadAnswer, match="answered with nothing"):
        asking.ask()
    assert len(cloud.calls) == 2


def test_a_small_model_that_says_nothing_is_not_asked_again(life: Life, cloud: Recorder) -> None:
    connect(life, cloud.endpoint(), "tiny-135m")
    asking = Asking(life)
    cloud.plan = [answer("")] * 9
    with pytest.raises(BadAnswer):
        asking.ask()
    assert len(cloud.calls) == 1


def test_a_turn_stopped_in_mid_call_archives_what_was_set_aside(far: Life, cloud: Recorder) -> None:
    cloud.plan = [waits]

    async def stopped() -> None:
        turn = asyncio.create_task(
            converse(far.kernel, "What is Peru?", private=False, watch=Watch())
        )
        await asyncio.to_thread(cloud.asked.wait)
        turn.cancel()
        await turn

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(stopped())

    last = far.turn()[-1].entry
    assert last.situation == "interrupted"
    (told,) = last.payload["calls"]
    assert (told["outcome"], told["tokens"]) == ("Cancelled", told["set_aside"])
    far.kernel.index.catch_up()
    assert far.kernel.index.ledger.spent_on(TODAY)["interface"].tokens == told["set_aside"]
    assert verify(far.being, far.keyring).ok
    assert far.open_turns() == []


def test_what_a_server_cannot_have_used_is_not_believed(far: Life, cloud: Recorder) -> None:
    for told in (-1, 2**63, 10**300):
        asking = Asking(far)
        usage = f'{{"prompt_tokens": {told}, "completion_tokens": 1}}'
        chunk = {"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]}
        cloud.plan = [
            sends(
                b"data: "
                + dumps(chunk)
                + b'\n\ndata: {"choices":[],"usage":'
                + usage.encode()
                + b"}\n\ndata: [DONE]\n\n"
            )
        ]
        assert json.loads(usage)["prompt_tokens"] == told
        assert asking.ask() == "Yes."
    made = list(far.kernel.index.ledger.calls())
    assert len(made) == 3
    assert all(c.tokens == c.set_aside and c.prompt is None for c in made)
