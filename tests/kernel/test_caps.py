"""A cap holds before a call is made, however many spend at once; the turn is answered all the same."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kernel.recorder import answer, connect, fails, greedy, waits
from tests.kernel.spending import Spender
from tests.sampling import examples
from tests.waiting import PATIENCE

from lumen.core.canon import clean
from lumen.core.clock import stamp
from lumen.core.data import kernel_entry
from lumen.kernel.models.treasury import Caps, forecast, most_tokens
from lumen.kernel.turn.run import calls_for
from lumen.mind.endpoints import Endpoint
from lumen.mind.prices import cost
from lumen.mind.substrate import Exchange, Prompt
from lumen.mind.substrates.remote import unlisted
from lumen.soul.checking.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kernel.conftest import Guarded, Life
    from tests.kernel.recorder import Recorder

    from lumen.core.data import Entry

QUESTION = "What is the tallest mountain of Peru?"
TODAY = "2026-11-15"
PRICED = "gpt-4o"


def spending(root: Path, life: Life, cloud: Recorder, **more: Any) -> list[list[str]]:  # noqa: ANN401 - fields of Spender
    """What two processes were told, call by call, that spent at the same time."""
    life.kernel.close()
    cloud.plan = [greedy] * 99
    told = Spender(
        being=str(life.being.root),
        keyring=str(life.keyring.folder),
        url=cloud.url,
        seed=1000,
        at=stamp(life.clock.now()),
        **more,
    )
    both = [one.start() for one in (told, replace(told, seed=2000))]
    said = [process.communicate(timeout=PATIENCE)[0].decode().splitlines() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert [len(lines) for lines in said] == [told.turns] * 2
    return said


def one_call(life: Life) -> int:
    """What is set aside for a call, and charged where nobody says what it used."""
    life.say("I planted 1000 leeks today.")
    life.kernel.index.catch_up()
    return max(call.set_aside for call in life.kernel.index.ledger.calls())


@pytest.mark.parametrize("which", ["dailyBudget", "budget.roles.interface", "dollars_per_day"])
def test_no_cap_is_passed_when_two_processes_spend_at_once(
    root: Path, life: Life, cloud: Recorder, which: str
) -> None:
    endpoint = Endpoint("openai", "openai", cloud.url)
    connect(life, endpoint, PRICED)
    bound = one_call(life)
    model, now = unlisted(endpoint, PRICED), life.clock.now()
    room = cloud.bodies()[0]["max_tokens"]
    price = cost(model, "openai", bound - room, room, now)
    assert price
    cap = 6 * bound
    dollars = 6 * price / 1e6
    allowed: dict[str, dict[str, Any]] = {
        "dailyBudget": {"tokens": cap},
        "budget.roles.interface": {"roles": {"interface": cap}},
        "dollars_per_day": {"dollars": dollars},
    }

    said = spending(
        root, life, cloud, substrate="openai", model=PRICED, caps=allowed[which], turns=5
    )

    if which == "dollars_per_day":
        spent = sum(cost(model, "openai", p, c, now) or 0 for p, c in cloud.served)
        assert spent <= dollars * 1e6
        assert spent > dollars * 1e6 / 2
    else:
        assert sum(map(sum, cloud.served)) <= cap
        assert sum(map(sum, cloud.served)) > cap / 2
    refused = [line for lines in said for line in lines if "of today's" in line]
    assert len(refused) == 10 - (len(cloud.served) - 1)
    assert 2 < len(refused) < 8


def test_no_more_escalations_are_made_an_hour_than_allowed_when_two_processes_ask_at_once(
    root: Path, far: Life, cloud: Recorder
) -> None:
    said = spending(root, far, cloud, caps={"escalations": 3}, escalated=True, turns=4)
    assert len(cloud.calls) == 3
    refused = [line for lines in said for line in lines if line != "made"]
    assert refused == ["3 of 3 escalations were made within the last hour"] * 5


def test_nobody_else_can_spend_between_the_check_and_the_line(guarded: Guarded) -> None:
    other, checking, go_on = guarded.another(), threading.Event(), threading.Event()
    found: list[int] = []

    def call(name: str) -> Entry:
        told = {"id": name, "role": "interface", "step": "s", "model": "m", "local": False}
        return kernel_entry("call", "Asking.", "s", {"call": {**told, "set_aside": 9}})

    def slowly() -> None:
        checking.set()
        go_on.wait(PATIENCE)

    def look() -> None:
        found.append(len(list(other.gate.index.ledger.calls())))

    one = threading.Thread(target=lambda: guarded.gate.announce(call("one"), slowly))
    two = threading.Thread(target=lambda: other.gate.announce(call("two"), look))
    one.start()
    assert checking.wait(PATIENCE)
    two.start()
    two.join(0.05)
    assert found == []
    go_on.set()
    one.join()
    two.join()
    other.close()
    assert found == [1]


def test_an_hour_later_escalations_may_be_made_again(far: Life, cloud: Recorder) -> None:
    far.kernel.caps = Caps(escalations=1)

    def escalated() -> str:
        made = calls_for(far.kernel, "lumen:escalation:1")
        made.escalated = True
        try:
            return asyncio.run(made.ask("interface", "probe", {}, 16))[1].text
        finally:
            made.settle()
            far.kernel.index.catch_up()

    assert escalated() == cloud.says
    with pytest.raises(Exception, match="1 of 1 escalations were made"):
        escalated()
    far.clock.at += timedelta(minutes=61)
    assert escalated() == cloud.says
    assert len(cloud.calls) == 2


def test_a_call_nobody_worked_on_is_no_escalation(far: Life, cloud: Recorder) -> None:
    cloud.plan = [fails(401)]
    made = calls_for(far.kernel, "lumen:escalation:1")
    made.escalated = True
    with pytest.raises(Exception, match="wants a key"):
        asyncio.run(made.ask("interface", "probe", {}, 16))
    far.kernel.index.catch_up()
    assert far.kernel.index.ledger.escalations(TODAY) == 1  # until it is told of, it may have been
    made.settle()
    far.kernel.index.catch_up()
    assert far.kernel.index.ledger.escalations(TODAY) == 0


def test_a_call_killed_in_flight_counts_as_all_that_was_set_aside(
    root: Path, far: Life, cloud: Recorder
) -> None:
    cloud.plan = [waits]
    told = Spender(
        being=str(far.being.root),
        keyring=str(far.keyring.folder),
        url=cloud.url,
        seed=1000,
        at=stamp(far.clock.now()),
        turns=1,
    )
    with told.start() as process:
        assert cloud.asked.wait(PATIENCE)
        process.kill()

    far.open_again()
    far.kernel.index.catch_up()
    (call,) = far.kernel.index.ledger.calls()
    assert (call.outcome, call.tokens) == ("", None)
    assert far.kernel.index.ledger.spent_on(TODAY)["interface"].tokens == call.set_aside > 0
    assert verify(far.being, far.keyring).ok

    far.kernel.caps = Caps(tokens=2 * call.set_aside - 1)
    answered = far.say("I planted 1000 leeks today.")
    assert f"{call.set_aside:,} of today's" in answered.trouble
    assert len(cloud.calls) == 1


def test_a_server_that_does_not_say_what_it_used_is_charged_the_bound(
    far: Life, cloud: Recorder
) -> None:
    cloud.plan = [answer(usage={})]
    far.say(QUESTION)
    far.kernel.index.catch_up()
    (call,) = far.kernel.index.ledger.calls()
    assert (call.tokens, call.prompt, call.completion) == (call.set_aside, None, None)


def test_what_a_lying_server_says_it_used_is_kept_as_it_is_and_counts(
    far: Life, cloud: Recorder
) -> None:
    cloud.plan = [answer(usage={"prompt_tokens": 1_000_000, "completion_tokens": 5})]
    far.kernel.caps = Caps(tokens=100_000)
    far.say(QUESTION)
    far.kernel.index.catch_up()
    (call,) = far.kernel.index.ledger.calls()
    assert (call.prompt, call.completion, call.tokens) == (1_000_000, 5, 1_000_005)
    assert "1,000,005 of today's 100,000 tokens are used" in far.say(QUESTION).trouble


def test_a_server_that_says_it_used_nothing_is_not_believed(far: Life, cloud: Recorder) -> None:
    cloud.plan = [answer(usage={"prompt_tokens": 0, "completion_tokens": 0})]
    far.say(QUESTION)
    far.kernel.index.catch_up()
    (call,) = far.kernel.index.ledger.calls()
    assert (call.prompt, call.completion) == (0, 0)  # what it said is kept
    used = call.tokens or 0
    assert 0 < used < call.set_aside

    far.kernel.caps = Caps(tokens=call.set_aside + 5 * used)
    troubles = [far.say(QUESTION).trouble for _ in range(8)]
    assert "tokens are used" in troubles[-1]
    assert 1 < len(cloud.calls) < 9


@pytest.mark.parametrize(
    ("caps", "name"),
    [
        (Caps(tokens=10), "dailyBudget"),
        (Caps(roles={"interface": 10}), "budget.roles.interface"),
        (Caps(dollars=5.0), "set dollars_per_day = 0"),
    ],
)
def test_a_turn_beyond_a_cap_is_answered_from_what_is_known_and_says_why(
    far: Life, cloud: Recorder, caps: Caps, name: str
) -> None:
    far.tell("My sister lives in Lisbon.")
    far.kernel.caps = caps

    answered = far.say("Where does my sister live?")

    assert "My sister lives in Lisbon." in answered.text
    assert answered.trouble in answered.text
    assert name in answered.fix
    assert cloud.calls == []
    assert far.step("drafts")["wrote"]["trouble"] == answered.trouble
    assert [e.entry.situation for e in far.turn() if e.entry.situation == "call"] == []


def test_another_roles_cap_does_not_hinder_this_one(far: Life, cloud: Recorder) -> None:
    far.kernel.caps = Caps(roles={"reflection": 1})
    assert far.say(QUESTION).text == cloud.says


def test_the_next_day_is_free_again(far: Life, cloud: Recorder) -> None:
    cloud.plan = [answer(usage={})]
    far.kernel.caps = Caps(tokens=2 * one_call(far))
    assert "today's" in far.say("I planted 1000 leeks today.").trouble
    far.clock.at = datetime(2026, 11, 15, 23, 59, 50, tzinfo=UTC)
    assert "today's" in far.say("I planted 1000 leeks today.").trouble

    far.clock.at = datetime(2026, 11, 16, 0, 0, 0, tzinfo=UTC)

    assert "today's" not in far.say("I planted 1000 leeks today.").trouble
    assert len(cloud.calls) == 2


def test_a_clock_that_is_set_back_opens_no_purse_again(far: Life, cloud: Recorder) -> None:
    cloud.plan = [answer(usage={})]
    far.kernel.caps = Caps(tokens=2 * one_call(far))
    far.clock.at -= timedelta(days=3)
    assert "today's" in far.say("I planted 1000 leeks today.").trouble
    assert len(cloud.calls) == 1


def test_a_local_model_is_announced_only_where_a_cap_binds(life: Life) -> None:
    life.say("I like rice.")
    assert "call" not in [e.entry.situation for e in life.turn()]

    life.kernel.caps = Caps(tokens=100_000)
    life.say("I like beans.")
    (told,) = [e.entry.payload for e in life.turn() if e.entry.situation == "call"]
    assert "sent" not in told
    life.kernel.index.catch_up()
    newest = next(iter(life.kernel.index.ledger.calls(limit=1)))
    assert (newest.local, newest.micros) == (True, 0)


def test_dollars_are_set_aside_at_the_price_and_a_failed_call_keeps_them(
    life: Life, cloud: Recorder
) -> None:
    connect(life, Endpoint("openai", "openai", cloud.url), PRICED)
    life.kernel.caps = Caps(dollars=1.0)
    cloud.plan = [answer("<think>hm", finish_reason="length")] * 2
    life.say(QUESTION)
    life.kernel.index.catch_up()
    first, second = sorted(life.kernel.index.ledger.calls(), key=lambda c: c.at)
    announced = [
        e.entry.payload["call"]["micros"] for e in life.turn() if "sent" in e.entry.payload
    ]
    assert announced == [first.micros, second.micros]
    assert all(announced)
    assert life.kernel.index.ledger.spent_on(TODAY)["interface"].unpriced == 0


@settings(max_examples=examples(25))
@given(
    st.lists(st.text(), min_size=2, max_size=4),
    st.integers(0, 500),
    st.one_of(st.none(), st.dictionaries(st.text("abc"), st.text("xyzäöü"))),
)
def test_what_is_set_aside_covers_every_byte_that_is_said_and_the_room_for_an_answer(
    texts: list[str], room: int, schema: dict[str, str] | None
) -> None:
    system, user, *turns = texts
    shown = tuple(Exchange(t, t) for t in turns)
    prompt = Prompt(system, user, room, turns=shown, schema=schema)
    said = sum(len(clean(t).encode()) + 16 for _, t in prompt.messages())
    more = sum(len(k) + len(v.encode()) for k, v in (schema or {}).items())
    assert most_tokens(prompt) >= said + more + room


def test_the_forecast_is_the_average_and_when_the_cap_is_reached(far: Life) -> None:
    index, now = far.kernel.index, far.clock.now()
    assert forecast(index, Caps(tokens=10), now).days == 0
    call = {"role": "interface", "step": "drafts", "model": "cloud/gpt", "local": False}
    for day, tokens in ((0, 600), (1, 1200)):
        told = {**call, "id": f"c{day}", "set_aside": 1, "tokens": tokens, "outcome": "ok"}
        far.clock.at = now.replace(hour=12) + timedelta(days=day)
        far.kernel.gate.record(kernel_entry("calls", "Asked.", "s", {"calls": [told]}))
    index.catch_up()
    noon = now.replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=1)

    seen = forecast(index, Caps(tokens=1600), noon)

    assert (seen.days, seen.tokens_a_day, seen.micros_a_month) == (2, 900.0, 0)
    assert seen.cap_reached == noon.replace(hour=16)
    assert forecast(index, Caps(), noon).cap_reached is None
    assert forecast(index, Caps(tokens=10**6), noon).cap_reached is None
