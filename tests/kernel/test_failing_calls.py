"""Whatever becomes of a call, the turn is answered, nothing is lost, and all of it is told."""

from __future__ import annotations

import socket
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.kernel.recorder import GONE, OVERFLOW, answer, breaks_off, connect, fails, sends, waits
from tests.waiting import PATIENCE

from lumen.core.canon import dumps
from lumen.kernel.models.registry import Registry
from lumen.kernel.upkeep.deep_verify import compare
from lumen.soul.checking.verify import verify
from lumen.soul.writing.open import files_of

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.kernel.recorder import Deed, Recorder

    from lumen.mind.substrate import ModelDescriptor

TODAY = "2026-11-15"
FLOOD = b"data: " + dumps({"choices": [{"delta": {"content": "no " * 20_000}}]}) + b"\n\n"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same law of waiting, with a shorter first wait."""
    monkeypatch.setattr("lumen.kernel.models.calls.FIRST_WAIT_S", 0.0)


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Failure(NamedTuple):
    """How a server fails, every time; what the ledger calls that, how often, and how it is said."""

    deed: Deed
    outcome: str
    tries: int
    said: str
    worked: bool = True


FAILURES = {
    "a wrong key": Failure(fails(401), "Denied", 1, "cloud wants a key", False),
    "a busy server": Failure(fails(429, retry_after="0"), "Limited", 3, "fewer calls", False),
    "a broken server": Failure(fails(500), "Unreachable", 3, "trouble of its own (500)", False),
    "a silent server": Failure(waits, "Unreachable", 3, "did not finish within 0.2 s"),
    "no JSON": Failure(sends(b"data: {what\n\n"), "BadAnswer", 2, "is no JSON"),
    "another protocol": Failure(sends(b"data: [1]\n\n"), "BadAnswer", 2, "is not openai's"),
    "nothing": Failure(answer(""), "BadAnswer", 2, "answered with nothing"),
    "a line of 10 MB": Failure(sends(b"x" * 10_000_000), "BadAnswer", 2, "a line without end"),
    "a page of 10 MB": Failure(
        sends(b"x" * 10_000_000, "text/html"), "BadAnswer", 2, "more than anyone could want"
    ),
    "too long a prompt": Failure(fails(400, OVERFLOW), "TooLong", 1, "longer than what", False),
    "a model that is gone": Failure(fails(404, GONE), "ModelGone", 1, "does not offer", False),
    "killed at once": Failure(breaks_off(), "Unreachable", 3, "broke the connection"),
    "killed in mid-word": Failure(breaks_off("Ada, I "), "Unreachable", 1, "in the middle"),
    "a request refused": Failure(fails(400), "MindError", 1, "refused the request", False),
}


@pytest.mark.parametrize("name", FAILURES)
def test_whatever_fails_the_turn_is_answered_and_the_call_is_in_the_ledger(
    far: Life, cloud: Recorder, name: str
) -> None:
    failure = FAILURES[name]
    connect(far, cloud.endpoint(seconds=0.2 if failure.deed is waits else PATIENCE))
    cloud.plan = [failure.deed] * 9
    assigned = dict(far.kernel.reach.assignments)

    answered = far.say("What is the tallest mountain of Peru?")

    assert failure.said in answered.trouble
    assert answered.kind == "grounded"
    assert answered.trouble in answered.text
    assert answered.fix
    assert failure.said in far.step("drafts")["wrote"]["trouble"]
    assert len(cloud.calls) == failure.tries
    far.kernel.index.catch_up()
    made = list(far.kernel.index.ledger.calls())
    assert [c.outcome for c in made] == [failure.outcome] * failure.tries
    assert all(c.tokens == (c.set_aside if failure.worked else 0) for c in made)
    assert far.kernel.index.ledger.spent_on(TODAY)["interface"].calls == failure.tries
    assert far.kernel.reach.assignments == assigned
    assert far.open_turns() == []
    assert verify(far.being, far.keyring).ok
    assert compare(files_of(far.being), far.kernel.index).problems == ()

    cloud.plan = []
    assert far.say("And of Chile?").text == cloud.says


def test_a_server_that_is_not_there_is_told_of_with_what_to_try(far: Life, cloud: Recorder) -> None:
    connect(far, cloud.endpoint(url=f"http://127.0.0.1:{closed_port()}/v1"))

    answered = far.say("What is the tallest mountain of Peru?")

    assert "cloud cannot be reached" in answered.trouble
    assert "lumen models scan" in answered.fix
    far.kernel.index.catch_up()
    assert [(c.outcome, c.tokens) for c in far.kernel.index.ledger.calls()] == [
        ("Unreachable", 0)
    ] * 3
    assert cloud.calls == []


@pytest.mark.parametrize(
    ("deed", "fix"),
    [
        (fails(401), "lumen models key cloud"),
        (fails(404, GONE), "lumen models scan"),
        (fails(400, OVERFLOW), "assign a model with a longer context"),
        (waits, "[substrates.cloud] seconds"),
    ],
)
def test_what_can_be_done_about_a_failure_is_said(
    far: Life, cloud: Recorder, deed: Deed, fix: str
) -> None:
    connect(far, cloud.endpoint(seconds=0.2 if deed is waits else PATIENCE))
    cloud.plan = [deed] * 3
    assert fix in far.say("What is the tallest mountain of Peru?").fix


def test_what_is_known_is_said_all_the_same(far: Life, cloud: Recorder) -> None:
    far.tell("My sister lives in Lisbon.")
    cloud.plan = [fails(401)]
    assert "My sister lives in Lisbon." in far.say("Where does my sister live?").text


def test_a_model_that_is_gone_is_noted_as_gone_and_nothing_takes_its_place(
    far: Life, cloud: Recorder
) -> None:
    noted: list[ModelDescriptor] = []
    far.kernel.gone = noted.append
    cloud.plan = [fails(404, GONE)]

    far.say("What is the tallest mountain of Peru?")

    (model,) = noted
    notes = Registry(models={str(model): model}).without(model, "2026-11-15T12:00:00.000Z")
    assigned = far.kernel.reach.assignments["interface"]
    assert str(assigned) == "cloud/gpt"
    assert notes.stale(assigned, far.kernel.reach.endpoints) == "gone since 2026-11-15"


def test_a_flood_of_words_is_cut_and_kept_short(far: Life, cloud: Recorder) -> None:
    cloud.plan = [sends(FLOOD * 100)]
    answered = far.say("What is the tallest mountain of Peru?")
    assert 0 < len(answered.text) < 20_000
    assert sum(len(e.entry.description) for e in far.turn()) < 60_000


def test_another_model_that_answers_in_its_place_is_not_believed(
    far: Life, cloud: Recorder
) -> None:
    cloud.models = ("llama",)
    chunk = {
        "model": "llama",
        "choices": [{"delta": {"content": "Ojos."}, "finish_reason": "stop"}],
    }
    cloud.plan = [sends(b"data: " + dumps(chunk) + b"\n\ndata: [DONE]\n\n")]

    answered = far.say("What is the tallest mountain of Peru?")

    assert "another model answered in its place" in answered.trouble
    assert "Ojos" not in answered.text
    far.kernel.index.catch_up()
    (call,) = far.kernel.index.ledger.calls()
    assert (call.outcome, call.tokens) == ("ModelGone", call.set_aside)


def test_a_plain_turn_is_eight_short_lines_and_a_far_model_adds_one(
    life: Life, cloud: Recorder
) -> None:
    life.say("My sister lives in Lisbon.")
    near = life.turn()
    assert len(near) <= 8
    assert sum(len(dumps(e.entry.payload)) + 600 for e in near) < 16_384
    size = sum(p.stat().st_size for p in life.being.memory.glob("*/*.jsonl"))
    life.say("My brother lives in Porto.")
    grown = sum(p.stat().st_size for p in life.being.memory.glob("*/*.jsonl")) - size
    assert grown <= 16_384

    connect(life, cloud.endpoint())
    life.say("My aunt lives in Faro.")
    far = life.turn()
    assert [e.entry.situation for e in far if e.entry.situation == "call"] == ["call"]
    assert len(far) == len(near) + 1


def test_a_call_counts_for_the_role_and_step_it_was_made_for(far: Life) -> None:
    far.say("My sister lives in Lisbon.")
    far.kernel.index.catch_up()
    (call,) = far.kernel.index.ledger.calls()
    assert (call.role, call.step, call.model) == ("interface", "drafts", "cloud/gpt")
    assert (call.local, call.outcome) == (False, "ok")
    assert replace(call, at=0) == replace(call, at=0, moment=far.beat("call").timestamp)
    assert call.at == far.beat("call").seq
