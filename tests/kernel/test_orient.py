"""How a message is read and how much thought it gets: its limits, why it is said, how deep a turn goes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import give, pursue

from lumen.core.canon import loads, sha256
from lumen.core.data import SelfItem
from lumen.kernel.contour.slots import Self
from lumen.kernel.language.markers import AnswerLimits
from lumen.kernel.language.passages import Rows
from lumen.kernel.language.prototypes import ANCHORS, ROWS, groups, shares
from lumen.kernel.steps.p1_intent import Intents, competing, weighed
from lumen.kernel.steps.p1_perceive import surface_of
from lumen.kernel.steps.p2_orient import Budget, Budgeting, Doubt, Effort, effort_of, gate
from lumen.kernel.steps.p3_deliberate.within_budget import within_budget
from lumen.kernel.turn.loops import parameters

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.remembering import Remembering

FOLDER = Path(__file__).with_name("orient")
IRIS = Self(name="Iris", author_name="Ada")
LONG = "One is here. Two is here. Three is here. Four is here."
FIRST, SECOND = "It is a hard one, and I would wait.", "What speaks against waiting is time."


def rows(name: str) -> list[list[str]]:
    """A labelled set, a row a message."""
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def orient(text: str, embedder: Remembering) -> tuple[Intents, Effort, str]:
    """Why a text is said, the effort it deserves, and the depth of its turn."""
    surface = surface_of(text, IRIS)
    mixed = weighed(shares(embedder.embed([text])[0]), text, surface.modality)
    intents = Intents(hypotheses=competing(mixed, 3), of_groups=mixed)
    budgeting = parameters(Budgeting)
    effort = effort_of(text, surface, mixed, budgeting)
    return intents, effort, gate(surface, effort, intents, Doubt()).chosen


@pytest.mark.parametrize(
    ("half", "language", "least"),
    [
        (half, language, least)
        for half in ("dev", "held", "fresh")
        for language, least in (("en", 0.9), ("ru", 0.8))
    ],
)
def test_a_turn_goes_as_deep_as_a_reader_would(
    embedder: Remembering, half: str, language: str, least: float
) -> None:
    asked = [row for row in rows("depth.tsv") if row[:2] == [half, language]]
    right = sum(orient(text, embedder)[2] == depth for _, _, depth, text in asked)
    assert right >= least * len(asked)


def test_why_a_message_is_said_is_what_a_reader_says(embedder: Remembering) -> None:
    asked = rows("intents.tsv")
    right = sum(orient(text, embedder)[0].top == intent for _, intent, text in asked)
    assert (len(asked), right >= 0.9 * len(asked)) == (60, True)


def test_the_rows_are_made_of_the_sentences_there_are() -> None:
    told = loads(ROWS.read_bytes())
    assert told["of"] == sha256(ANCHORS.read_bytes()), "stale: uv run python tools/prototypes.py"
    assert all(len(many) == len(groups()) for many in told["rows"].values())


def test_three_reasons_compete_and_together_are_all(life: Life) -> None:
    life.say("Write a poem about the sea.")
    found = life.step("intent_hypotheses")["wrote"]["hypotheses"]
    assert [found[0]["intent"], len(found)] == ["do", 3]
    assert sum(h["score"] for h in found) == pytest.approx(1.0, abs=0.001)
    assert found == sorted(found, key=lambda h: -h["score"])


def test_the_kind_and_the_words_of_a_message_speak_for_a_reason() -> None:
    even = tuple(1 / len(groups()) for _ in groups())

    def score(intent: str, text: str, modality: str) -> float:
        every = competing(weighed(even, text, modality), len(groups()))
        return next(h.score for h in every if h.intent == intent)

    assert score("keep", "My cat is Tom.", "statement") > score("keep", "Tom?", "question")
    assert score("know", "Is my cat Tom?", "question") > score("know", "Tom.", "statement")
    assert score("push", "You are wrong.", "statement") > score("push", "You are.", "statement")
    assert score("courtesy", "Bye.", "farewell") > 0.5


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("Tell me in two sentences what a tide is.", AnswerLimits(sentences=2)),
        ("Was ist eine Flut? Bitte in drei Sätzen.", AnswerLimits(sentences=3)),
        ("Что такое прилив? Ответь в двух предложениях.", AnswerLimits(sentences=2)),
        ("Briefly: when is my flight?", AnswerLimits(brief=True)),
        ("Kurz: wann fliege ich?", AnswerLimits(brief=True)),
        ("I briefly met Tom at the station.", AnswerLimits()),
        ("What is 12 * 12? Just the result.", AnswerLimits(only_result=True)),
        ("Explain it step by step.", AnswerLimits(steps=True)),
        ("Answer in German: where do I live?", AnswerLimits(language="de")),
        ("How do you say cat in German?", AnswerLimits()),
    ],
)
def test_how_a_message_asks_to_be_answered_is_read_off(text: str, limits: AnswerLimits) -> None:
    assert surface_of(text, IRIS).limits == limits


def test_a_talk_turn_calls_a_model_once_and_embeds_few_texts(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    ear, texts = life.listen(FIRST), list[str]()
    real = life.kernel.recall.embedder.embed

    def counted(many: Sequence[str]) -> Rows:
        texts.extend(many)
        return real(many)

    monkeypatch.setattr(life.kernel.recall.embedder, "embed", counted)
    life.say("My brother sails on Sundays.")
    assert len(ear.prompts) == 1
    assert len(texts) <= 8, texts
    assert texts.count("My brother sails on Sundays.") == 2  # learnt, and asked of what was told


def test_topic_roles_and_markers_are_read_off() -> None:
    told = surface_of("I think my sister Marta might move, and it is urgent.", IRIS)
    assert told.topic.split()[:2] == ["think", "sister"]
    assert told.roles == ("author", "others")
    assert told.uncertainty == ("i think", "might")
    assert told.strength == ("urgent",)
    assert surface_of("How are you?", IRIS).roles == ("being",)


def test_asked_in_another_language_it_answers_in_that(life: Life) -> None:
    life.script({"when": ".", "say": "That is a question for another day."})
    assert life.say("Answer in German: what is my shoe size?").text.startswith("Das hast du mir")
    assert (
        life.say("What is my shoe size?").text
        == "You have not told me that. If you tell me, I will keep it."
    )


def test_asked_for_two_sentences_a_model_says_no_more(life: Life) -> None:
    life.script({"say": LONG}, {"say": f"Waves: {LONG}"})
    whole = life.say("What would tides on Mars be like?").text
    short = life.say("In two sentences, what would tides on Mars be like?").text
    assert (whole, short) == (LONG, "Waves: One is here. Two is here.")


def test_asked_briefly_only_the_best_of_what_was_told_is_said(life: Life) -> None:
    life.script({"when": ".", "say": "That is a question for another day."})
    life.tell("My sister likes tea.", "My sister likes coffee.", days=1)
    assert "Also" in life.say("What does my sister like?").text
    assert "Also" not in life.say("Briefly: what does my sister like?").text


def test_only_the_result_of_a_sum_is_said_when_that_is_asked(life: Life) -> None:
    assert life.say("What is 12 * 12?").text == "12 * 12 = 144"
    assert life.say("What is 12 * 12? Just the result.").text == "144"


def test_a_task_gets_more_room_than_talk_and_thought_a_second_draft(life: Life) -> None:
    ear, rooms = life.listen(FIRST), []

    def room() -> None:
        rooms.append(life.step("mode_gate")["wrote"]["budget"]["tokens"])

    talk = life.say("Do you like the sea?")
    room()
    assert [len(ear.prompts), talk.text] == [1, FIRST]
    ear.answer = "It is steered under its own fall."
    life.say("Explain how a bicycle stays upright.")
    assert [len(ear.prompts), life.step("mode_gate")["wrote"]["chosen"]] == [2, "work"]
    room()
    ear.answer = SECOND
    life.say("Think hard about this: should I leave my husband or stay?")
    room()
    assert [len(ear.prompts), life.step("mode_gate")["wrote"]["chosen"]] == [4, "deep"]
    assert rooms[0] < rooms[1] < rooms[2]
    assert [p.max_tokens >= rooms[2] for p in ear.prompts[2:]] == [True, True]
    assert "speaks against" in str(ear.prompts[3].system)
    assert "speaks against" not in str(ear.prompts[2].system)


def test_a_task_whose_draft_says_nothing_new_is_asked_for_once_more_and_talk_is_not(
    life: Life,
) -> None:
    ear = life.listen("")
    life.say("Do you like the sea?")
    assert len(ear.prompts) == 1
    life.say("Explain how a bicycle stays upright.")
    assert len(ear.prompts) == 3


def test_in_deep_thought_the_draft_from_the_other_side_competes_and_can_win(life: Life) -> None:
    life.script({"say": "As an AI I am happy to help. It depends."}, {"say": SECOND})
    said = life.say("Think hard about this: is patience a virtue?")
    probed = life.step("counterfactual_probe")["wrote"]
    assert (said.text, probed["drafts"][0]["kind"]) == (SECOND, "model")
    assert probed["alternatives"][0]["differs"]


def test_a_small_model_gets_no_more_room_for_a_task(life: Life) -> None:
    ear = life.listen("I can do that.", small=True)
    life.say("Do you like the sea?")
    life.say("Explain how a bicycle stays upright.")
    assert len(ear.prompts) == 2
    assert len({p.max_tokens for p in ear.prompts}) == 1


@pytest.mark.parametrize(
    ("text", "depth", "rule"),
    [
        ("ok, got it", "talk", "talk_if"),
        ("You're sweet, darling.", "talk", "talk_if"),
        ("Подумай как следует: чего я хочу?", "deep", "deep_only_if"),
        ("Denk gut darüber nach: soll ich gehen?", "deep", "deep_only_if"),
        ("No need to think hard: which colour is nicer?", "talk", "talk_if"),
        ("Write a short note to Ana.", "work", ""),
    ],
)
def test_the_depth_is_by_the_rule_that_holds_first(
    embedder: Remembering, text: str, depth: str, rule: str
) -> None:
    _, effort, chosen = orient(text, embedder)
    assert (chosen, effort.rule) == (depth, rule)


def test_what_matters_and_is_unclear_goes_deep_unless_it_is_asked_for_briefly(
    embedder: Remembering,
) -> None:
    asked = "should I leave my husband or stay for the children? I don't know."
    assert orient(asked.capitalize(), embedder)[2] == "deep"
    assert orient(f"Briefly: {asked}", embedder)[2] != "deep"


def test_where_nobody_spoke_nothing_is_weighed(life: Life) -> None:
    give(life, {"curiosity": 0.8}, [SelfItem("write down where I sing", 0.8, "todo")])
    pursue(life)
    every = [told for e in life.events() for told in e.entry.payload.get("steps", [])]
    of = ("evidence_ledger_update", "intent_hypotheses", "effort_budgeter", "mode_gate")
    assert [told.get("skipped") for told in every if told["step"] in of] == ["nobody spoke"] * 4


def test_a_draft_is_cut_at_whole_paragraphs_and_sentences() -> None:
    budget = Budget(paragraphs=2, sentences=3)
    assert (
        within_budget(f"{LONG}\n\nMore.\n\nLast.", budget)
        == "One is here. Two is here. Three is here."
    )
    assert within_budget("A.\n\nB.\n\nC.", Budget(paragraphs=2)) == "A.\n\nB."
    assert within_budget(LONG, Budget()) == LONG
