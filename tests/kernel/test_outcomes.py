"""What became of a reply: read off the author's next message, kept, predicted, forgotten with its words."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import QUIET, give, values
from tests.kernel.living import reflect as reflect_on

from lumen.core.canon import JSON, loads
from lumen.core.stores import Store
from lumen.kernel.choice.acceptance import acceptance
from lumen.kernel.gate.recovery import rebuild
from lumen.kernel.language.outcomes import OUTCOMES, NextMessage, outcome_of
from lumen.kernel.turn.conversation import IncomingMessage, converse
from lumen.kernel.turn.cycle import due
from lumen.kernel.upkeep.deep_verify import compare
from lumen.kernel.upkeep.forget import carry_out, find, plan

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.remembering import Remembering

PAIRS = Path(__file__).with_name("outcomes")
ASKED = "What is my shoe size?"


def pairs(half: str) -> list[JSON]:
    """Exchanges and what was said next, with what a reader says became of the reply."""
    return [loads(line) for line in (PAIRS / f"{half}.jsonl").read_bytes().splitlines()]


def read(pair: JSON, embedder: Remembering) -> str:
    """What the kernel says became of it."""

    def near(one: str, other: str) -> float:
        rows = embedder.embed([one, other])
        return float(rows[0] @ rows[1])

    later = timedelta(minutes=pair["minutes"])
    return outcome_of(NextMessage(pair["asked"], pair["reply"], pair["next"], later), near)


def kept(life: Life) -> list[JSON]:
    """The lines of the store, read from the disk."""
    path = life.being.root / Store.OUTCOMES.place.path
    return [loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def talk(life: Life, *texts: str) -> list[str]:
    """Say one thing after the other; what became of the replies."""
    for text in texts:
        life.say(text)
    return [line["outcome"] for line in kept(life)]


def spoken(life: Life, text: str, conversation: str, speaker: str = "") -> None:
    """Say something in a conversation, or as somebody."""
    how = IncomingMessage(conversation, speaker)
    asyncio.run(converse(life.kernel, text, private=False, watch=QUIET, spoken=how))


@pytest.fixture
def talking(life: Life) -> Life:
    """A being whose model says one thing."""
    life.script({"when": ".", "say": "That sounds like a fine plan to me."})
    return life


@pytest.mark.parametrize(("half", "language"), [("tuned", "en"), ("tuned", "ru")])
def test_what_the_reader_was_tuned_on_is_read_as_a_reader_reads_it(
    embedder: Remembering, half: str, language: str
) -> None:
    told = [pair for pair in pairs(half) if pair["language"] == language]
    wrong = [pair for pair in told if read(pair, embedder) != pair["outcome"]]
    assert len(wrong) <= 0.05 * len(told), wrong


@pytest.mark.parametrize("language", ["en", "ru"])
def test_of_pairs_it_was_not_tuned_on_the_reader_gets_most_right(
    embedder: Remembering, language: str
) -> None:
    told = [pair for pair in pairs("held") if pair["language"] == language]
    assert {pair["outcome"] for pair in told} == {*OUTCOMES}
    assert sum(read(pair, embedder) == pair["outcome"] for pair in told) >= 0.85 * len(told)


def test_meaning_is_asked_for_once_at_most(embedder: Remembering) -> None:
    for pair in pairs("tuned"):
        asked: list[str] = []

        def near(one: str, _other: str, asked: list[str] = asked) -> float:
            asked.append(one)
            return 0.0

        outcome_of(NextMessage(pair["asked"], pair["reply"], pair["next"]), near)
        assert len(asked) <= 1, pair


def test_the_next_message_closes_the_last_turn_with_a_signed_delta(talking: Life) -> None:
    first = talking.say(ASKED)
    assert talking.step("outcome_log")["skipped"] == "no turn of this conversation is open"
    second = talking.say("That's wrong, I told you yesterday.")
    (line,) = kept(talking)
    assert line == {
        "turn": first.heard,
        "rests_on": [first.heard, first.event, second.heard],
        "date": line["date"],
        "kind": "answer",
        "outcome": "corrected",
        "value": 0.0,
        "prediction": 0.5,
        "delta": -0.5,
    }
    wrote = talking.step("outcome_log")["wrote"]
    assert (wrote["closes"], wrote["outcome"], wrote["delta"]) == (first.heard, "corrected", -0.5)
    assert "was corrected; predicted 0.50, delta -0.50" in talking.beat("record").entry.description


def test_all_five_outcomes_occur_with_deltas_of_both_signs(talking: Life) -> None:
    came = talk(
        talking,
        ASKED,
        "I asked for my shoe size.",
        "Nope, that's wrong.",
        "You're amazing, well done!",
        "ok thanks",
        "The cellar is flooded.",
        "How many days until Christmas?",
    )
    assert {*came} == {*OUTCOMES}
    deltas = [line["delta"] for line in kept(talking)]
    assert min(deltas) < 0 < max(deltas)


def test_praise_counts_no_more_than_being_accepted(talking: Life) -> None:
    talk(talking, ASKED, "You're amazing, well done!", "ok", "ok thanks")
    assert [line["value"] for line in kept(talking)] == [1.0, 1.0, 1.0]


def test_a_prediction_is_the_share_of_replies_of_its_kind_that_were_taken_up() -> None:
    told: list[JSON] = [{"kind": "answer", "value": v} for v in (1.0, 1.0, 0.0)]
    assert acceptance(told, "answer") == 0.6
    assert acceptance(told, "comfort") == 0.5
    many: list[JSON] = [{"kind": "answer", "value": 0.0}] * 50
    assert acceptance(many + [{"kind": "answer", "value": 1.0}] * 100, "answer") > 0.99


def test_what_is_expected_of_a_candidate_is_how_likely_its_kind_is_taken_up(talking: Life) -> None:
    talk(talking, ASKED, "That's wrong.", "That's wrong again.", ASKED)
    answers = [line["value"] for line in kept(talking) if line["kind"] == "answer"]
    known = (sum(answers[:-1]) + 1) / (len(answers) + 1)  # the last is kept after this turn's plan
    candidates = {c["action"]: c["likely"] for c in talking.step("plan")["wrote"]["candidates"]}
    assert candidates["answer"] == pytest.approx(known, abs=1e-3)
    assert talking.beat("record").entry.payload["cycle"]["spoken"]["likely"] < 0.5


def test_guests_close_nothing_and_leave_nothing_to_close(talking: Life) -> None:
    spoken(talking, ASKED, "hall")
    spoken(talking, "That's wrong.", "hall", "Bo")
    assert talking.step("outcome_log")["skipped"] == "a guest closes nothing"
    spoken(talking, "That's wrong.", "hall")
    assert talking.step("outcome_log")["skipped"] == "no turn of this conversation is open"
    assert kept(talking) == []


def test_only_the_same_conversation_closes_a_turn(talking: Life) -> None:
    spoken(talking, ASKED, "one")
    spoken(talking, "That's wrong.", "two")
    assert kept(talking) == []
    spoken(talking, "That's wrong.", "one")
    assert [line["outcome"] for line in kept(talking)] == ["corrected"]


def test_a_private_turn_is_closed_without_a_word(talking: Life) -> None:
    talking.say("What is my shoe size?", private=True)
    talking.say("No, wrong, Zanzibar is where I was.", private=True)
    (line,) = kept(talking)
    assert line["outcome"] == "corrected"
    assert "zanzibar" not in str(line).lower()
    assert "shoe" not in str(line)


@pytest.mark.parametrize("which", ["shoe size", "wasabi"])
def test_what_became_of_forgotten_words_is_forgotten(talking: Life, which: str) -> None:
    talk(talking, ASKED, "Nonsense, that's wrong, wasabi.", "ok", "ok thanks")
    before = kept(talking)
    gate = talking.kernel.gate
    gone = find(talking.kernel.index, which)
    carry_out(gate, plan(gate, gone))
    after = kept(talking)
    assert after == [line for line in before if not {*gone.memories} & {*line["rests_on"]}]
    assert 0 < len(after) < len(before)
    assert rebuild(gate) == []
    assert kept(talking) == after
    assert compare(gate.files, gate.index).problems == ()


def test_outcomes_are_kept_for_a_year(talking: Life) -> None:
    talk(talking, ASKED, "ok", "ok thanks")
    assert len(kept(talking)) == 2
    talking.clock.at += timedelta(days=366)
    talk(talking, "ok", "ok thanks")
    assert len(kept(talking)) == 2
    dates = {line["date"] for line in kept(talking)}
    assert len(dates) == 1


def test_a_turn_is_closed_once(talking: Life) -> None:
    first = talking.say(ASKED)
    talking.say("ok")
    assert [line["turn"] for line in kept(talking)] == [first.heard]


def test_a_surprise_in_talk_calls_for_reflection_and_calm_talk_does_not(talking: Life) -> None:
    for text in (ASKED, *(["ok", "sure, that works", "The cellar is dry."] * 3)):
        talking.say(text)
        assert "surprise" not in [one.name for one in due(talking.kernel)]
    lately = [line for line in kept(talking) if line["kind"] == "answer"]
    assert acceptance(lately, "answer") > 0.6
    talking.say("Where do I live?")
    talking.say("That's wrong.")
    (why,) = [one.why for one in due(talking.kernel) if one.name == "surprise"]
    assert why.startswith("an outcome was -0.")


def test_reflection_counts_surprises_of_talk_and_no_value_is_moved_by_them(talking: Life) -> None:
    give(talking, values={"honesty": 0.8})
    for _ in range(12):
        talking.say("That's wrong.")
    held = values(talking)
    told = reflect_on(talking)
    assert " 0 surprises" not in told.summary
    assert values(talking) == held
