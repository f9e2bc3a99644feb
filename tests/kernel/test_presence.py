"""An opening with its own position, a thought beside the reply: when they come, and what they must not do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import JSON
from lumen.core.chance import draw_from
from lumen.kernel.language.presence import asked_of, is_opening
from lumen.kernel.steps.p2_orient import Budget, jittered
from lumen.kernel.steps.p2_presence import LINE, OwnThoughts, Preface, sampled
from lumen.kernel.steps.p3_deliberate.presence import Presence

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

EXPLAIN = "Explain how a bicycle stays upright."
ANSWER = "It is steered under its own fall."
THOUGHT = "Balance is a fall that never ends."
PREFACE, STREAM = "presence_preface", "dual_stream_thoughts"


def why(life: Life, step: str) -> str:
    """Why a step of the newest turn did not run; empty: it did."""
    return str(life.step(step).get("skipped", ""))


def until(life: Life, step: str, text: str, most: int = 12) -> JSON:
    """Say something until a step runs: what it wrote."""
    for _ in range(most):
        life.say(text)
        if not why(life, step):
            return life.step(step)["wrote"]
    raise AssertionError(f"{step} never ran: {why(life, step)}")


def test_an_explanation_asked_of_a_trusted_model_opens_with_a_position_and_then_it_rests(
    life: Life,
) -> None:
    ear = life.listen(ANSWER)
    wrote = until(life, PREFACE, EXPLAIN)
    assert (wrote["asked"], wrote["least"]) == ("explanation", 4)
    assert 6 <= wrote["most"] <= 8
    assert "Open with a position of your own" in ear.prompts[-1].system
    assert len(ear.prompts) == 1  # an opening is no call of its own
    life.say(EXPLAIN)
    assert why(life, PREFACE).startswith("cooldown")
    assert "position of your own" not in ear.prompts[-1].system


def test_in_depth_the_opening_is_longer_and_sure_to_come(life: Life) -> None:
    life.listen(ANSWER)
    life.say("Think hard about this: should I leave my husband or stay?")
    wrote = life.step(PREFACE)["wrote"]
    assert (wrote["asked"], wrote["least"], wrote["chance"]) == ("judgement", 6, 1.0)
    assert 8 <= wrote["most"] <= 10


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Do you like the sea?", "depth talk"),
        ("Briefly: explain how a bicycle stays upright.", "a short answer was asked for"),
        ("Explain in two sentences how a bicycle stays upright.", "a short answer was asked for"),
        ("Write a poem about the sea.", "no judgement, plan or explanation was asked for"),
        ("What is 12 * 12?", "no judgement, plan or explanation was asked for"),
    ],
)
def test_each_suppression_of_an_opening_names_its_reason(
    life: Life, text: str, reason: str
) -> None:
    life.listen(ANSWER)
    life.say(text)
    assert why(life, PREFACE) == reason


def test_a_model_that_is_not_trusted_opens_nothing_and_thinks_nothing_aloud(life: Life) -> None:
    ear = life.listen(ANSWER, small=True)
    life.say(EXPLAIN)
    assert why(life, PREFACE) == why(life, STREAM) == "the model is not trusted with the world"
    assert "⟦" not in ear.shown()


def test_a_contract_that_was_dropped_is_not_kept(life: Life) -> None:
    life.listen(ANSWER)
    kept = ("speak_plainly", "dual_stream_optional")
    life.kernel.self_ = replace(life.kernel.self_, contracts=kept)
    life.say(EXPLAIN)
    assert why(life, PREFACE) == "the contract opinion_preface_in_work_deep was dropped"
    assert "contract" not in why(life, STREAM)


def test_a_thought_is_said_under_a_line_where_it_was_drawn_and_then_rests(life: Life) -> None:
    ear = life.listen()
    shown = []
    for number in range(14):
        ear.answer = f"It is steered in {number} ways.\n⟦ {THOUGHT} ⟧"
        reply = life.say(EXPLAIN).text
        shown.append(THOUGHT in reply)
        if shown[-1]:
            assert reply == f"It is steered in {number} ways.\n\n{LINE}\n⟦ {THOUGHT} ⟧"
            assert "between ⟦ and ⟧" in ear.prompts[-1].system
        else:
            assert "⟦" not in reply
            assert why(life, STREAM).startswith(("not this time", "cooldown"))
    first = shown.index(True)
    assert not any(shown[first + 1 : first + 7])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Explain gravity.", "short_chat"),
        ("What is 12 * 12? Explain nothing, just the result.", "user_wants_only_result"),
    ],
)
def test_what_speaks_against_a_thought_is_named(life: Life, text: str, reason: str) -> None:
    life.listen(ANSWER)
    life.say(text)
    assert why(life, STREAM) in (reason, "depth talk")
    if reason == "short_chat":
        assert why(life, STREAM) == reason


WANTED = OwnThoughts(lines=2, characters=280)


@pytest.mark.parametrize(
    "thought",
    [
        "You should know that better than I do.",
        "Твой вопрос сложнее, чем кажется.",
        "Ada, this is hard.",
        "x" * 281,
        "one\ntwo\nthree",
        "",
    ],
)
def test_what_is_no_thought_of_its_own_is_dropped_and_the_reply_stays(thought: str) -> None:
    assert WANTED.parted(f"{ANSWER} ⟦ {thought} ⟧", "Ada") == (ANSWER, "")


def test_a_thought_nobody_asked_for_is_not_said_and_an_open_mark_takes_the_rest() -> None:
    assert OwnThoughts().parted(f"{ANSWER}\n{LINE}\n⟦ {THOUGHT} ⟧", "Ada") == (ANSWER, "")
    assert WANTED.parted(f"{ANSWER}\n⟦ {THOUGHT}", "Ada") == (ANSWER, THOUGHT)
    assert WANTED.parted(ANSWER, "Ada") == (ANSWER, "")


def test_an_opening_that_says_the_request_again_or_speaks_of_its_prompt_is_left_out() -> None:
    opening = Presence(Preface(least=4, most=8), OwnThoughts(), EXPLAIN, "Ada")
    body, budget = "The wheel turns into the fall.", Budget(paragraphs=1)
    for first in ("You ask how a bicycle stays upright.", "I was asked to open with my position."):
        assert opening.within(f"{first}\n\n{body}", budget) == body
    own = "I would start with steering, because that is what people miss."
    assert opening.within(f"{own}\n\n{body}", budget) == f"{own}\n\n{body}"
    plain = Presence(Preface(), OwnThoughts(), EXPLAIN, "Ada")
    assert plain.within(f"{own}\n\n{body}", budget) == own


def test_chance_grows_with_the_context_and_is_drawn_again_by_its_seed() -> None:
    plain = sum(sampled(0.18, 0.14, (False,) * 3, draw_from(str(n)))[0] for n in range(1000))
    all_three = sum(sampled(0.18, 0.14, (True,) * 3, draw_from(str(n)))[0] for n in range(1000))
    assert 140 < plain < 220
    assert 550 < all_three < 650
    assert sampled(0.18, 0.14, (), draw_from("5")) == sampled(0.18, 0.14, (), draw_from("5"))


def test_jitter_stays_within_the_ceiling_and_above_the_least() -> None:
    assert [jittered(8, 4, n) for n in (-1, 0, 1)] == [6, 7, 8]
    assert [jittered(1, 1, n) for n in (-1, 0, 1)] == [1, 1, 1]


def test_turns_of_the_same_words_are_not_asked_for_at_the_same_length(life: Life) -> None:
    ear = life.listen(ANSWER)
    for _ in range(6):
        life.say(EXPLAIN)
    first = [p.system for p in ear.prompts if "at most " in p.system]  # and not the other side
    asked = {system.partition("at most ")[2][:1] for system in first}
    assert asked <= {"3", "4", "5"}
    assert len(asked) > 1


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("What do you think of electric cars?", "judgement"),
        ("Should I sell the flat or rent it out?", "judgement"),
        ("Стоит ли мне менять работу?", "judgement"),
        ("Make a plan for a garden of ten square metres.", "plan"),
        ("Составь план подготовки к экзамену.", "plan"),
        ("Why is the sky blue?", "explanation"),
        ("Как работает двигатель?", "explanation"),
        ("Erklär mir den Unterschied.", "explanation"),
        ("Translate this into German: good night.", ""),
        ("Write a short note to Ana.", ""),
        ("Напиши письмо Ане.", ""),
    ],
)
def test_judgement_plan_and_explanation_are_told_from_other_tasks(text: str, asked: str) -> None:
    assert asked_of(text) == asked


def test_a_paragraph_is_an_opening_unless_it_is_the_request_again() -> None:
    assert not is_opening("You want me to explain how a bicycle stays upright.", EXPLAIN)
    assert is_opening("Most people look at the wrong force here, and I would not.", EXPLAIN)
