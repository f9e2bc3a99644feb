"""The winner against the runner-up: when it is kept, swapped, qualified, or the author is asked."""

from __future__ import annotations

from dataclasses import replace

from tests.kernel.deliberating import WEIGHTS, compared, framed, ground, memory, scored

from lumen.kernel.contour.slots import Draft
from lumen.kernel.steps.p1_intent import Hypothesis, Intents
from lumen.kernel.steps.p3_deliberate.counterfactual_probe import (
    Alternative,
    Counterfactual,
    by_code,
    differences,
)
from lumen.kernel.steps.p3_deliberate.inner_dialogue import Argued, Arguing, argue, settles
from lumen.kernel.steps.p3_deliberate.integration_fuser import Frame
from lumen.kernel.steps.p3_deliberate.metrics_engine import Metrics
from lumen.kernel.turn.loops import parameters

ARGUING = parameters(Arguing)
TORN = Intents(hypotheses=(Hypothesis("know", 0.5), Hypothesis("do", 0.45)))
CLEAR = Intents(hypotheses=(Hypothesis("know", 0.9), Hypothesis("do", 0.05)))
UNKNOWN = Draft("I do not know.", "grounded")
ASKS = Draft("Shall I do something about that, and what would help?", "probe")


def argued(frame: Frame, *drafts: Draft, alternative: Alternative | None = None) -> Argued:
    fits = (alternative.fits,) if alternative else ()
    metrics = compared(drafts, ground(frame), fits=fits)
    probe = (
        Counterfactual(drafts=drafts[-1:], alternatives=(alternative,))
        if alternative
        else Counterfactual()
    )
    return argue(frame, probe, metrics, WEIGHTS, ARGUING)


def test_what_is_not_known_and_may_be_meant_otherwise_is_asked() -> None:
    other = Alternative("do", 0.54, "ask back")
    torn = argued(framed("The report for March?", intents=TORN), UNKNOWN, ASKS, alternative=other)
    clear = argued(framed("The report for March?", intents=CLEAR), UNKNOWN, ASKS, alternative=other)
    assert torn.verdict == "ask"
    assert torn.draft.text == f"{UNKNOWN.text} {ASKS.text}"
    assert (clear.verdict, clear.draft) == ("keep", UNKNOWN)


def test_a_text_that_is_better_over_both_readings_takes_the_winners_place() -> None:
    frame = framed("The report for March?", intents=TORN)
    even = scored("A report.", ground(frame))
    drafts = (Draft("A report.", "model"), ASKS)
    metrics = Metrics(
        scores=(replace(even, total=4.0), replace(even, total=3.9)),
        believed=(True, True),
        scored=drafts,
    )
    probe = Counterfactual(drafts=(ASKS,), alternatives=(Alternative("do", 0.5, "answer"),))
    unlikely = Counterfactual(drafts=(ASKS,), alternatives=(Alternative("keep", 0.5, "answer"),))
    assert argue(frame, probe, metrics, WEIGHTS, ARGUING).verdict == "swap"
    assert argue(frame, unlikely, metrics, WEIGHTS, ARGUING).verdict == "keep"
    asks = Counterfactual(drafts=(ASKS,), alternatives=(Alternative("do", 0.5, "ask back"),))
    assert argue(frame, asks, metrics, WEIGHTS, ARGUING).verdict == "keep"
    lies = replace(metrics, believed=(True, False))
    assert argue(frame, probe, lies, WEIGHTS, ARGUING).verdict == "keep"


def test_a_models_words_that_are_not_wholly_supported_get_one_clause() -> None:
    frame = framed("Who painted it?", intents=CLEAR)
    even = scored("Rembrandt.", ground(frame))
    said = Draft("Rembrandt.", "model")

    def of(truth: float) -> Argued:
        scores = (replace(even, truthfulness=truth),)
        metrics = Metrics(scores=scores, believed=(True,), scored=(said,))
        return argue(frame, Counterfactual(), metrics, WEIGHTS, ARGUING)

    assert of(0.7).draft.text == "Rembrandt. I am not sure of all of that."
    assert (of(1.0).verdict, of(1.0).draft) == ("keep", said)


def test_what_was_told_plainly_is_never_turned_into_a_question() -> None:
    told = framed("Where does my sister live?", "My sister lives in Lisbon.", intents=TORN)
    untold = framed("Where does my sister live?", intents=TORN)
    vague = framed("The report for March?", intents=TORN)
    quoted = Draft("You told me: “My sister lives in Lisbon.”", "grounded", (1,))
    assert settles(quoted, told)
    assert settles(Draft("You have not told me that.", "grounded"), untold)
    assert not settles(UNKNOWN, vague)
    assert not settles(Draft("Lisbon.", "model"), told)


def test_another_reason_is_answered_by_other_words() -> None:
    frame = framed("I lost my job.", before=("Hi.", "Water boils at 100 degrees."))
    said = {i: by_code(Hypothesis(i, 0.4), frame) for i in ("company", "do", "push")}
    texts = {i: d.text for i, d in said.items() if d}
    assert len(set(texts.values())) == 3
    assert "hard" in texts["company"]
    assert "Water boils at 100 degrees." in texts["push"]
    light = by_code(Hypothesis("company", 0.4), framed("I saw a heron."))
    assert light is not None
    assert light.text != texts["company"]


def test_what_differs_between_two_texts_is_said() -> None:
    held = ground(framed("When does my sister come?"))
    one = Draft("She comes on Monday with Pedro.", "model", (memory(1, "").seq,))
    assert differences(one, Draft("Shall I ask?", "probe"), held) == (
        "it asks",
        "it leaves out 1 that the first names",
        "it rests on other memories",
        "it is shorter",
    )
    assert differences(one, one, held) == ()
