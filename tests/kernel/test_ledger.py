"""The ledger is what the archive says it is, also when what a call carried is forgotten."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.kernel.recorder import answer, connect, fails

from lumen.core.canon import dumps, sha256
from lumen.core.data import kernel_entry
from lumen.kernel.gate.recovery import Erasure, erase
from lumen.kernel.models.treasury import Caps
from lumen.kernel.upkeep.carry_over import called
from lumen.kernel.upkeep.deep_verify import compare
from lumen.kernel.upkeep.forget import ForgetPlan, carry_out, find, plan
from lumen.soul.checking.verify import verify
from lumen.soul.state.fold import effects
from lumen.soul.writing.open import files_of

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.kernel.recorder import Recorder

TOLD = "My locker at the Zanzibarium holds the vermilion ledger."
WORD = b"zanzibarium"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same law of waiting, with a shorter first wait."""
    monkeypatch.setattr("lumen.kernel.models.calls.FIRST_WAIT_S", 0.0)


def forget(life: Life, what: object) -> ForgetPlan:
    life.kernel.index.catch_up()
    found = plan(life.kernel.gate, find(life.kernel.index, str(what)))
    return carry_out(life.kernel.gate, found)[0]


def rows(life: Life) -> list[str]:
    life.kernel.index.catch_up()
    return [repr(call) for call in life.kernel.index.ledger.calls()]


def sound(life: Life) -> None:
    """Whether tables made anew are what the followed ones are, and the archive is what it was."""
    followed = rows(life)
    assert compare(files_of(life.being), life.kernel.index).problems == ()
    assert verify(life.being, life.keyring).problem is None
    life.kernel.index.rebuild()
    assert rows(life) == followed


def holding(life: Life, word: bytes) -> list[str]:
    files = (p for p in life.being.root.rglob("*") if p.is_file())
    return [life.being.named(p) for p in files if word in p.read_bytes().lower()]


def lived(life: Life, cloud: Recorder) -> int:
    """Calls that went well, failed, were tried again, and were never told of; returns a message."""
    told = life.say(TOLD).heard
    life.say("Where is my locker?")
    cloud.plan = [fails(500), fails(500), fails(500)]
    life.say("How tall is a giraffe?")
    cloud.plan = [answer(""), answer(usage={})]
    life.say("How tall is an elephant?")
    life.kernel.caps = Caps(tokens=10**6)
    life.speak_with("scripted/echo")
    life.say("I like rice.")
    connect(life, cloud.endpoint())
    life.clock.at += timedelta(days=1)
    life.say("I like beans.")
    return told


def test_made_anew_the_ledger_is_what_it_was_when_it_followed(far: Life, cloud: Recorder) -> None:
    lived(far, cloud)
    sound(far)
    outcomes = [c.outcome for c in reversed(list(far.kernel.index.ledger.calls()))]
    assert outcomes == [*["ok"] * 2, *["Unreachable"] * 3, "BadAnswer", *["ok"] * 3]


def test_every_announcement_holds_what_was_sent_to_the_byte(far: Life, cloud: Recorder) -> None:
    lived(far, cloud)
    sent = [e.entry.payload["sent"] for e in far.events() if "sent" in e.entry.payload]
    assert [s["sha256"] for s in sent] == [sha256(body) for body in cloud.calls]
    assert [dumps(s["body"]) for s in sent] == cloud.calls
    assert {s["url"] for s in sent} == {f"{cloud.url}/chat/completions"}


def test_forgetting_a_message_blanks_every_call_that_carried_it_and_keeps_the_sums(
    far: Life, cloud: Recorder
) -> None:
    told = lived(far, cloud)
    followed, sums = rows(far), far.kernel.index.ledger.by_day_and_role("")
    carried = sum(WORD in body.lower() for body in cloud.calls)
    assert carried > 2

    found = forget(far, told)

    assert holding(far, WORD) == []
    assert rows(far) == followed
    assert far.kernel.index.ledger.by_day_and_role("") == sums
    bodies = [e for e in far.events() if "sent" in e.entry.payload]
    assert len(bodies) <= len(cloud.calls) - carried
    assert "what was sent to cloud/gpt on 15 Nov 2026" in found.beyond
    sound(far)
    assert rows(far) == followed


def test_forgetting_says_from_when_to_when_it_was_sent_and_to_whom(
    far: Life, cloud: Recorder
) -> None:
    told = far.say(TOLD).heard
    connect(far, cloud.endpoint(id="other"), "llama")
    far.say("I like rice.")
    far.clock.at += timedelta(days=2)
    far.say("How tall is a giraffe?")
    far.kernel.index.catch_up()

    found = plan(far.kernel.gate, find(far.kernel.index, str(told)))

    assert found.beyond[:2] == (
        "what was sent to cloud/gpt on 15 Nov 2026",
        "what was sent to other/llama from 15 Nov 2026 to 17 Nov 2026",
    )


def test_what_never_left_is_not_named_as_out_of_reach(life: Life) -> None:
    told = life.say(TOLD).heard
    assert not any("what was sent" in line for line in forget(life, told).beyond)


def test_a_message_of_no_telling_word_goes_from_the_call_that_carried_it_too(far: Life) -> None:
    heard = far.say("ok").heard
    announced = far.beat("call").seq
    assert announced in {g.seq for g in forget(far, heard).goes}
    sound(far)


@pytest.mark.parametrize("which", ["call", "think", "both", "apart"])
def test_the_ledger_outlives_the_lines_it_was_read_from(
    far: Life, cloud: Recorder, which: str
) -> None:
    lived(far, cloud)
    followed = rows(far)
    events = [e for e in far.events() if e.entry.situation in ("call", "think")]
    chosen = [e for e in events if which in (e.entry.situation, "both", "apart")]
    batches = [[e] for e in chosen] if which == "apart" else [chosen]
    for batch in batches:
        carried = [called(call) for e in batch for call in effects(e).calls]
        uses = [e.entry.payload["uses"] | {"at": e.seq} for e in batch if "uses" in e.entry.payload]
        erasure = Erasure(
            tuple(e.seq for e in batch), {"calls": carried, **({"uses": uses} if uses else {})}
        )
        erase(far.kernel.gate, erasure, "The author had something forgotten.")
        assert rows(far) == followed
    sound(far)
    assert rows(far) == followed


def test_the_ledger_outlives_an_erasure_that_is_erased_itself(far: Life, cloud: Recorder) -> None:
    told = lived(far, cloud)
    followed = rows(far)
    forget(far, told)
    for _ in range(2):
        first = next(e for e in far.events() if e.entry.situation == "erasure")
        done = effects(first)
        again = Erasure(
            tuple(sorted({first.seq, *done.erases})),
            {"calls": [called(call) for call in done.calls]},
        )
        erase(far.kernel.gate, again, "The author had the forgetting forgotten.")
        assert rows(far) == followed
        sound(far)
    assert rows(far) == followed


def test_an_ending_told_of_before_its_announcement_comes_to_the_same(far: Life) -> None:
    call = {
        "id": "c1",
        "role": "interface",
        "step": "drafts",
        "model": "cloud/gpt",
        "local": False,
        "set_aside": 900,
    }
    over = {**call, "outcome": "ok", "tokens": 90, "micros": 7, "seconds": 1.2345}
    early = {**call, "micros": 70, "at": 2, "moment": "2026-11-15T11:00:00.000Z"}
    far.kernel.gate.record(kernel_entry("calls", "Asked.", "s", {"calls": [over]}))
    far.kernel.gate.record(kernel_entry("erasure", "Gone.", "s", {"calls": [early], "erases": []}))
    far.kernel.index.catch_up()
    (found,) = far.kernel.index.ledger.calls()
    assert (found.at, found.moment, found.tokens, found.micros) == (2, early["moment"], 90, 7)
    assert (found.ms, found.outcome) == (1234, "ok")


def test_a_call_that_is_never_told_of_again_counts_as_what_was_set_aside(
    far: Life, cloud: Recorder
) -> None:
    call = {
        "id": "c1",
        "role": "interface",
        "step": "drafts",
        "model": "cloud/gpt",
        "local": False,
        "set_aside": 900,
        "micros": 70,
    }
    far.kernel.gate.record(kernel_entry("call", "Asking.", "s", {"call": call}))
    far.kernel.index.catch_up()
    spent = far.kernel.index.ledger.spent_on("2026-11-15")["interface"]
    assert (spent.calls, spent.tokens, spent.micros, spent.unpriced) == (1, 900, 70, 0)
    assert cloud.calls == []


def test_lines_from_before_calls_had_ids_are_passed_over(far: Life) -> None:
    far.kernel.gate.record(kernel_entry("think", "THINK:", "s", {"calls": [{"model": "x"}]}))
    assert rows(far) == []


def test_the_newest_calls_come_first_and_no_more_than_asked_for(far: Life) -> None:
    for text in ("I like rice.", "I like beans.", "I like peas."):
        far.say(text)
    far.kernel.index.catch_up()
    everything = list(far.kernel.index.ledger.calls())
    assert [c.at for c in everything] == sorted((c.at for c in everything), reverse=True)
    assert list(far.kernel.index.ledger.calls(limit=2)) == everything[:2]
    assert list(far.kernel.index.ledger.calls(since=everything[1].moment)) == everything[:2]
