"""A stronger model is proposed, allowed or denied, and asked only with the author's signature."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.kernel.recorder import connect, fails

from lumen.core.data import Author, EventType, kernel_entry
from lumen.core.errors import Denied, OverBudget, UsageError, Withheld
from lumen.kernel.gate.approvals import decide, signed_by
from lumen.kernel.gate.proposals import ApprovalRequest, proposals
from lumen.kernel.models.treasury import Caps, phase
from lumen.kernel.turn.conversation import GUESSED
from lumen.kernel.turn.escalate import escalate, expected_value, life, propose
from lumen.mind.endpoints import Endpoint
from lumen.soul.checking.verify import verify
from lumen.soul.trust.keys import Keyring

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kernel.conftest import Life
    from tests.kernel.recorder import Recorder

QUESTION = "How tall is the tallest mountain of Peru?"
PRICED = "gpt-4o"


@pytest.fixture
def able(life: Life, cloud: Recorder) -> Life:
    """A being that lives on a model here, and may propose one elsewhere."""
    life.script({"when": "(?s).*", "say": "I do not know."})
    connect(life, cloud.endpoint(), role="escalation")
    return life


def asked(life: Life, text: str = QUESTION, *, private: bool = False) -> ApprovalRequest | None:
    answered = life.say(text, private=private)
    return asyncio.run(propose(life.kernel, answered.heard, answered.lacking))


def proposed(life: Life) -> ApprovalRequest:
    found = asked(life)
    assert found is not None
    life.kernel.index.catch_up()
    return found


def soul(life: Life) -> str:
    return life.events()[0].soul


def allow(life: Life, seq: int) -> ApprovalRequest:
    return decide(life.kernel.gate, soul(life), seq, allow=True)


def carried_out(life: Life, proposal: ApprovalRequest) -> str:
    return asyncio.run(escalate(life.kernel, proposal))


def test_what_could_not_be_answered_here_is_proposed_with_value_cost_and_way_back(
    able: Life, cloud: Recorder
) -> None:
    connect(able, Endpoint("openai", "openai", cloud.url), PRICED, role="escalation")
    proposal = proposed(able)

    assert proposal.model == f"openai/{PRICED}"
    assert proposal.expected_value == expected_value(GUESSED, 0, 0) == 0.56
    assert "the next turn is local again" in proposal.way_back
    assert cloud.calls == []

    carried_out(able, allow(able, proposal.seq))
    able.kernel.index.catch_up()
    (call,) = [c for c in able.kernel.index.ledger.calls() if c.escalated]
    assert call.set_aside == proposal.tokens
    assert proposal.micros is not None
    assert 0 < (call.micros or 0) <= proposal.micros
    assert able.kernel.index.events.get(proposal.seq) is not None


@pytest.mark.parametrize(
    "why",
    ["nobody assigned", "not local", "private", "my life", "told", "a statement", "the same model"],
)
def test_there_is_no_proposal_without_an_occasion(able: Life, cloud: Recorder, why: str) -> None:
    text, private = QUESTION, False
    if why == "nobody assigned":
        able.kernel.reach = replace(
            able.kernel.reach,
            assignments={"interface": able.kernel.reach.assignments["interface"]},
        )
    elif why == "not local":
        connect(able, cloud.endpoint())
    elif why == "private":
        private = True
    elif why == "my life":
        text = "Where does my sister live?"
    elif why == "told":
        able.tell("The tallest mountain of Peru is Huascarán, and it is 6768 metres tall.")
        text = "What is the tallest mountain of Peru?"
    elif why == "a statement":
        text = "I like rice."
    else:
        connect(able, Endpoint("here", "openai", cloud.url, local=True))
    assert asked(able, text, private=private) is None
    assert proposals(able.kernel.index) == []


def test_a_model_that_cannot_be_found_is_not_proposed(able: Life, cloud: Recorder) -> None:
    cloud.models = ()
    able.kernel.reach = replace(able.kernel.reach, known={}, opened={})
    assert asked(able) is None


def test_a_question_that_was_forgotten_is_not_proposed(able: Life) -> None:
    assert asyncio.run(propose(able.kernel, 999, 1.0)) is None


def test_nothing_is_sent_before_the_author_has_signed(able: Life, cloud: Recorder) -> None:
    proposal = proposed(able)
    for claimed in (proposal, replace(proposal, state="approved")):
        with pytest.raises(UsageError, match="you have not allowed"):
            carried_out(able, claimed)
    assert cloud.calls == []

    assert carried_out(able, allow(able, proposal.seq)) == cloud.says
    assert len(cloud.calls) == 1
    assert QUESTION in cloud.last()


def test_the_answer_is_a_memory_of_its_own_under_the_models_name(
    able: Life, cloud: Recorder
) -> None:
    proposal = proposed(able)
    carried_out(able, allow(able, proposal.seq))

    (reply,) = [e for e in able.events() if e.entry.payload.get("kind") == "escalated"]
    assert (reply.entry.author, reply.entry.event_type) == (
        Author.SELF,
        EventType.ASSISTANT_MESSAGE,
    )
    assert (reply.entry.description, reply.entry.model) == (cloud.says, "cloud/gpt")
    assert reply.entry.payload["asked"] == proposal.question
    able.kernel.index.catch_up()
    assert [p.state for p in proposals(able.kernel.index)] == ["escalated"]
    assert verify(able.being, able.keyring).ok
    assert not able.kernel.index.memories.get([reply.seq])[reply.seq].private


def test_the_authors_yes_is_signed_with_the_authors_key_and_counts_in_its_place_alone(
    able: Life,
) -> None:
    proposal = proposed(able)
    allow(able, proposal.seq)
    genesis = able.events()[0].entry.payload
    assert signed_by(able.kernel.index, proposal.seq) == genesis["author_key"]
    assert genesis["author_key"] != genesis["public_key"]
    told = next(e.entry.payload for e in able.events() if e.entry.situation == "approved")
    again = kernel_entry("approved", "Said again.", "lumen:author", told)
    decide(able.kernel.gate, soul(able), proposal.seq, allow=False)
    able.kernel.gate.record(again)
    able.kernel.index.catch_up()
    assert signed_by(able.kernel.index, proposal.seq) == ""


@pytest.mark.parametrize("forged", ["unsigned", "the host's key", "a strange key", "another one"])
def test_a_yes_that_the_author_did_not_sign_is_none(
    able: Life, cloud: Recorder, tmp_path: Path, forged: str
) -> None:
    proposal = proposed(able)
    keys, event_hash = able.keyring, able.kernel.index.events.hash_of(proposal.seq)
    strange = Keyring(tmp_path / "elsewhere")
    strange.create(soul(able))
    strange.create_author(soul(able))
    strange.adopt(soul(able))
    strange.adopt_author(soul(able))
    signer = {
        "unsigned": None,
        "the host's key": partial(keys.host_sign, soul(able)),
        "a strange key": strange.open_author(soul(able), str),
        "another one": keys.open_author(soul(able), str),
    }[forged]
    wrong = able.kernel.index.events.hash_of(2) if forged == "another one" else event_hash
    payload = {"proposal": proposal.seq, "event_hash": wrong}
    entry = kernel_entry("approved", "Forged.", "lumen:author", payload)
    able.kernel.gate.record(entry, signer=signer)

    with pytest.raises(UsageError, match="you have not allowed"):
        carried_out(able, replace(proposal, state="approved"))

    assert cloud.calls == []


def test_a_no_ends_it(able: Life, cloud: Recorder) -> None:
    proposal = proposed(able)
    assert decide(able.kernel.gate, soul(able), proposal.seq, allow=False).state == "denied"
    for again in (True, False):
        with pytest.raises(UsageError, match="was denied already"):
            decide(able.kernel.gate, soul(able), proposal.seq, allow=again)
    with pytest.raises(UsageError, match="you have not allowed"):
        carried_out(able, proposal)
    assert cloud.calls == []


def test_a_yes_can_be_taken_back_until_it_was_carried_out(able: Life, cloud: Recorder) -> None:
    proposal = allow(able, proposed(able).seq)
    decide(able.kernel.gate, soul(able), proposal.seq, allow=False)
    with pytest.raises(UsageError, match="you have not allowed"):
        carried_out(able, proposal)
    assert cloud.calls == []


def test_a_yes_is_given_once_and_carried_out_once(able: Life, cloud: Recorder) -> None:
    proposal = allow(able, proposed(able).seq)
    lines = len(able.events())
    assert allow(able, proposal.seq).state == "approved"
    assert len(able.events()) == lines
    carried_out(able, proposal)

    with pytest.raises(UsageError, match="was escalated already"):
        allow(able, proposal.seq)
    with pytest.raises(UsageError, match="you have not allowed"):
        carried_out(able, proposal)

    assert len(cloud.calls) == 1
    assert life(able.kernel.index) == "apprenticeship"


def test_what_is_no_proposal_cannot_be_allowed(able: Life) -> None:
    with pytest.raises(UsageError, match="event 2 is no proposal"):
        allow(able, 2)


@pytest.mark.parametrize("cap", [Caps(tokens=1), Caps(escalations=0), Caps(dollars=1.0)])
def test_a_cap_that_is_reached_stops_it_and_the_approval_stands(
    able: Life, cloud: Recorder, cap: Caps
) -> None:
    proposal = allow(able, proposed(able).seq)
    able.kernel.caps = cap
    with pytest.raises(OverBudget):
        carried_out(able, proposal)
    assert cloud.calls == []
    assert [p.state for p in proposals(able.kernel.index)] == ["approved"]

    able.kernel.caps = Caps()
    assert carried_out(able, allow(able, proposal.seq)) == cloud.says


def test_a_call_that_fails_is_told_of_and_the_approval_stands(able: Life, cloud: Recorder) -> None:
    proposal = allow(able, proposed(able).seq)
    cloud.plan = [fails(401)]
    with pytest.raises(Denied):
        carried_out(able, proposal)
    able.kernel.index.catch_up()
    assert [c.outcome for c in able.kernel.index.ledger.calls() if c.escalated] == ["Denied"]
    assert [p.state for p in proposals(able.kernel.index)] == ["approved"]


def test_a_question_that_became_private_or_was_forgotten_does_not_leave(
    able: Life, cloud: Recorder
) -> None:
    proposal = allow(able, proposed(able).seq)
    marks = {"marks": {"memories": [proposal.question], "private": True}}
    able.kernel.gate.record(kernel_entry("marked", "Marked.", "lumen:author", marks))
    with pytest.raises(Withheld):
        carried_out(able, proposal)

    able.kernel.index.catch_up()
    erased = {"erases": [{"seq": proposal.question, "event_hash": ""}]}
    able.kernel.gate.record(kernel_entry("erasure", "Gone.", "lumen:author", erased))
    with pytest.raises(UsageError, match="was forgotten"):
        carried_out(able, proposal)
    assert cloud.calls == []


def test_a_private_question_is_answered_in_private_by_a_model_that_is_here(
    able: Life, cloud: Recorder
) -> None:
    connect(able, Endpoint("here", "openai", cloud.url, local=True), "big", role="escalation")
    proposal = allow(able, proposed(able).seq)
    marks = {"marks": {"memories": [proposal.question], "private": True}}
    able.kernel.gate.record(kernel_entry("marked", "Marked.", "lumen:author", marks))
    carried_out(able, proposal)
    (reply,) = [e for e in able.events() if e.entry.payload.get("kind") == "escalated"]
    assert reply.entry.payload["private"] is True


def test_another_model_than_the_one_allowed_is_not_asked(able: Life, cloud: Recorder) -> None:
    proposal = allow(able, proposed(able).seq)
    connect(able, cloud.endpoint(), "llama", role="escalation")
    with pytest.raises(UsageError, match="no longer the model for escalations"):
        carried_out(able, proposal)
    assert cloud.calls == []


def test_only_the_kernels_word_makes_a_proposal_or_an_approval(able: Life) -> None:
    entry = kernel_entry("approved", "So it is.", "s", {"proposal": 2})
    posing = replace(entry, author=Author.SELF, event_type=EventType.ASSISTANT_MESSAGE)
    able.kernel.gate.record(posing)
    able.say("Hello.")
    able.kernel.index.catch_up()
    assert proposals(able.kernel.index) == []
    assert life(able.kernel.index) == "early life"


@pytest.mark.parametrize(
    ("turns", "approved", "where"),
    [
        (0, 0, "genesis"),
        (0, 9, "genesis"),
        (1, 0, "early life"),
        (500, 0, "early life"),
        (1, 1, "apprenticeship"),
        (99, 10, "apprenticeship"),
        (100, 9, "apprenticeship"),
        (100, 10, "steady state"),
    ],
)
def test_where_in_its_life_a_being_is(turns: int, approved: int, where: str) -> None:
    assert phase(turns, approved) == where


def test_what_the_author_found_worth_it_raises_the_value_and_what_not_lowers_it() -> None:
    assert expected_value(1.0, 0, 0) == 0.8
    assert expected_value(1.0, 5, 0) > expected_value(1.0, 0, 0) > expected_value(1.0, 0, 5)
    assert 0 < expected_value(0.7, 0, 99) < expected_value(0.7, 99, 0) < 0.7
