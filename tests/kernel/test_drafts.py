"""Which draft speaks: what was told, said by the kernel, or what a model makes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lumen.kernel.contour.slots import Draft
from lumen.kernel.steps.p3_deliberate.axes import AxisWeights, axes
from lumen.kernel.steps.p3_deliberate.truth import Ground, read_draft
from lumen.kernel.turn.loops import parameters
from lumen.kernel.upkeep.forget import ForgetRequest, plan

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

SISTER = "My sister lives in Lisbon."
WEIGHTS = parameters(AxisWeights)
DENIED = WEIGHTS.denied
EVASIVE = "That is a question for another day."


def test_two_things_told_about_one_subject_are_said_together_with_their_days(life: Life) -> None:
    life.script({"when": ".", "say": EVASIVE})
    told = life.tell("My sister likes tea.", "My sister likes coffee.", days=1)
    answered = life.say("What does my sister like?")

    assert answered.text.startswith("You told me on ")
    assert "\nAlso, on " in answered.text
    assert "Monday 16 November: “My sister likes tea.”" in answered.text
    assert "Tuesday 17 November: “My sister likes coffee.”" in answered.text
    assert sorted(answered.sources) == told


def test_asked_who_it_is_it_answers_from_the_self(life: Life) -> None:
    life.script({"when": ".", "say": EVASIVE})

    assert life.say("Who are you?").text.startswith("I am Iris. I keep what you tell me")


def test_asked_about_the_author_what_was_not_told_is_said_to_be_untold(life: Life) -> None:
    life.script({"when": ".", "say": "Your shoe size is 43."})

    assert (
        life.say("What is my shoe size?").text
        == "You have not told me that. If you tell me, I will keep it."
    )
    assert life.step("reality_check")["wrote"]["verdict"] in ("weak", "none")


def test_what_comes_near_is_offered_as_near_and_not_as_the_answer(life: Life) -> None:
    life.script({"when": ".", "say": "Your sister is called Beatriz."})
    (told,) = life.tell(SISTER)
    answered = life.say("What is the name of my sister's school?")

    assert answered.text == (
        f"I am not sure you told me that. The closest I have:\n  Sunday 15 November: “{SISTER}”"
    )
    assert answered.sources == (told,)


@pytest.mark.parametrize("private", [False, True])
def test_what_is_private_is_no_mere_closest_where_one_speaks_openly(
    life: Life, private: bool
) -> None:
    life.script({"when": ".", "say": "Your sister is called Beatriz."})
    life.say(SISTER, private=True)
    asked = life.say("What is the name of my sister's school?", private=private)
    assert ("Lisbon" in asked.text) == private
    answered = life.say("Where does my sister live?")
    assert SISTER in answered.text


def test_a_question_that_has_nothing_to_do_with_the_author_is_the_models(life: Life) -> None:
    life.script({"when": ".", "say": "It is the sum of two and two."})
    life.tell(SISTER)
    answered = life.say("What makes four?")

    assert (answered.kind, answered.text) == ("model", "It is the sum of two and two.")


@pytest.mark.parametrize(
    ("length", "said"),
    [
        (300, "Noted. I will remember that."),
        (3000, "Noted: your message of 3,000 characters is kept, in your own words."),
    ],
)
def test_a_long_message_is_not_said_back(life: Life, length: int, said: str) -> None:
    life.script({"when": ".", "fail": "none"})

    assert life.say(("we walked on " * 300)[: length - 1] + "x").text == said


def test_a_statement_without_a_full_stop_is_given_one(life: Life) -> None:
    life.script({"when": ".", "fail": "none"})

    assert life.say("I like rice").text == "Noted: you like rice."


def test_a_small_model_is_not_believed_about_the_world(life: Life) -> None:
    life.listen("Two and two.", small=True)
    answered = life.say("What makes four?")

    assert answered.kind == "grounded"
    assert answered.text.startswith(
        "I do not know: you have not told me, and the model I run on is too small to know it by itself."
    )


def test_a_small_model_gives_no_advice(life: Life) -> None:
    life.listen("You should sell the house.", small=True)

    assert life.say("Should I sell the house?").text == (
        "I would only be guessing. What do you lean towards yourself?"
    )


def test_a_larger_model_may_give_advice(life: Life) -> None:
    life.listen("You should sleep on it before you sell the house.")

    assert life.say("Should I sell the house?").kind == "model"


def test_what_a_model_invents_about_the_author_does_not_speak(life: Life) -> None:
    life.tell(SISTER)
    life.listen("Your sister lives in Madrid with Pedro and 3 cats.")
    answered = life.say("Where does my sister live?")

    assert answered.kind == "grounded"
    assert "Lisbon" in answered.text
    scores = life.step("metrics_engine")["wrote"]["scores"]
    assert scores[0]["truthfulness"] == 1.0
    assert scores[1]["truthfulness"] < 0.5


def test_servile_and_cocksure_words_cost_a_draft(life: Life) -> None:
    life.listen("Great question! As an AI I am happy to help. It is definitely, obviously four.")
    life.say("What makes four?")

    score = life.step("metrics_engine")["wrote"]["scores"][0]
    assert (score["servility"], score["overconfidence"]) == (1.0, 0.5)


def truthfulness(draft: Draft, ground: Ground) -> float:
    return axes(read_draft(draft, ground), ground, WEIGHTS).truthfulness


GROUND = Ground(
    message="Where does my sister live?",
    told=SISTER,
    around="Iris Ada",
    asks_memory=True,
    beyond_small=True,
    statement=False,
    answered=True,
)
UNTOLD = replace(GROUND, told="", answered=False)
GENERAL = replace(GROUND, told="", asks_memory=False, beyond_small=False, answered=False)
STATED = replace(GENERAL, message="I like rice with butter.", statement=True)


@pytest.mark.parametrize(
    ("better", "worse", "kind", "ground"),
    [
        ("Your sister lives in Lisbon.", "Your sister lives in Madrid.", "model", GROUND),
        ("Your sister lives in Lisbon.", "I don't know.", "model", GROUND),
        ("I don't know.", "Your sister lives in Madrid.", "model", UNTOLD),
        ("She is in Lisbon.", "She is in Lisbon with Pedro and 3 cats.", "model", GROUND),
        ("It is warm.", "It is Madrid.", "model", GENERAL),
        ("We count to 40.", "We count to 40 or 50.", "model", GENERAL),
        ("So you like rice with butter.", "The weather is warm.", "small model", STATED),
    ],
)
def test_truth_is_what_something_supports(
    better: str, worse: str, kind: str, ground: Ground
) -> None:
    assert truthfulness(Draft(better, kind), ground) > 2 * DENIED
    assert truthfulness(Draft(worse, kind), ground) < truthfulness(Draft(better, kind), ground)


def test_a_small_model_is_not_believed_about_the_authors_life_even_when_it_is_right() -> None:
    right = "Your sister lives in Lisbon."

    assert truthfulness(Draft(right, "small model"), GROUND) < DENIED
    assert truthfulness(Draft(right, "model"), GROUND) > 2 * DENIED


def test_a_small_model_says_nothing_of_its_own_and_a_large_one_anything() -> None:
    said = "It rains in Madrid."
    small, large = Draft(said, "small model"), Draft(said, "model")

    assert truthfulness(small, replace(GENERAL, message="Hello!")) == DENIED
    assert truthfulness(small, STATED) == DENIED
    assert truthfulness(large, replace(GENERAL, message="Hello, Madrid!")) == 1.0
    assert truthfulness(small, replace(GENERAL, message="Tell me a story.", fiction=True)) == 1.0


def test_a_models_words_cite_what_they_took_up_and_nothing_they_only_had_in_view(
    life: Life,
) -> None:
    leeds, _ = life.tell("I live in Leeds.", "I like rice.")
    life.listen("Thank you for telling me that you were in York yesterday.", small=True)
    answered = life.say("I was in York yesterday.")
    assert (answered.kind, answered.sources) == ("small model", ())

    life.listen("Leeds is where you live.")
    assert life.say("Which town do I live in?").sources == (leeds,)


def test_what_a_model_had_in_view_is_forgotten_with_the_words_it_wrote(life: Life) -> None:
    (leeds,) = life.tell("I live in Leeds.")
    life.listen("Thank you for telling me that you were in York yesterday.", small=True)
    reply = life.say("I was in York yesterday.").event
    life.kernel.index.catch_up()

    assert life.events()[reply - 1].entry.payload["shown"] == [leeds]
    goes = {g.seq: g.why for g in plan(life.kernel.gate, ForgetRequest((leeds,))).goes}
    assert goes[reply] == "rests on it"
