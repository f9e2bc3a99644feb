"""Speaking has kinds, and what a being holds dear decides between those that fit a message."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast
from zoneinfo import ZoneInfo

import pytest
from tests.kernel.living import give

from lumen.core.clock import Now
from lumen.kernel.choice.bearing import kind_shares
from lumen.kernel.choice.kinds import Fitting, fitting_kinds
from lumen.kernel.contour.slots import Self, Stimulus
from lumen.kernel.language.passages import Rows
from lumen.kernel.language.prototypes import shares
from lumen.kernel.steps.p1_intent import Intents, competing, weighed
from lumen.kernel.steps.p1_perceive import Grounding, Reality, surface_of
from lumen.kernel.steps.p3_deliberate.draft_context import DraftContext
from lumen.kernel.steps.p3_deliberate.grounded import grounded
from lumen.kernel.steps.p3_deliberate.plan import Plan, fitting, replies
from lumen.kernel.steps.p3_deliberate.said_as import said_as
from lumen.kernel.turn import loops

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.remembering import Remembering

    from lumen.kernel.contour.capabilities import Hands
    from lumen.kernel.recall.evidence import Recall

PROMPTS = Path(__file__).parent / "values" / "prompts.tsv"
IRIS = Self(name="Iris", author_name="Ada")
LOW, HIGH, STAYS = 0.2, 0.9, 0.5
DEFAULTS = (("coherence", 0.95), ("autonomy", 0.9), ("curiosity", 0.85), ("bond_loyalty", 0.95))
FIGHT = "I had a fight with Anna and I feel awful."


def prompts() -> list[list[str]]:
    """The messages to which two kinds of reply serve different values."""
    told = (line for line in PROMPTS.read_text("utf-8").splitlines() if not line.startswith("#"))
    return list(csv.reader(told, delimiter="\t"))


class OnlyMeanings:
    """What a step needs of recall here: vectors."""

    def __init__(self, embedder: Remembering) -> None:
        self.embedder = embedder

    def meaning(self, text: str) -> Rows:
        """The vector of a text."""
        found: Rows = self.embedder.embed([text])[0]
        return found

    def likeness(self, texts: Sequence[str], to: str) -> tuple[float, ...]:
        """How near each is to another."""
        return tuple(float(self.meaning(text) @ self.meaning(to)) for text in texts)


def planned(text: str, values: tuple[tuple[str, float], ...], embedder: Remembering) -> Plan:
    """What could be said, and which kind is wanted most."""
    known, self_ = OnlyMeanings(embedder), replace(IRIS, values=values)
    surface = surface_of(text, self_)
    mixed = weighed(shares(known.meaning(text)), text, surface.modality)
    reading = fitting(text, surface, Reality(), Intents(hypotheses=competing(mixed, 3)), self_)
    hands = SimpleNamespace(can=lambda _: True, likely=lambda _: 0.5)
    return replies(text, reading, Reality(), self_, cast("Recall", known), cast("Hands", hands))


def spoken(text: str, plan: Plan) -> str:
    """What the kernel says, as the kind of reply that is wanted most."""
    surface, grounding = surface_of(text, IRIS), loops.parameters(Grounding)
    now = Now(datetime(2026, 11, 15, 12, tzinfo=UTC), ZoneInfo("Europe/Lisbon"))
    heard = Stimulus(text, 1, "lumen:interface:01")
    context = DraftContext(heard, surface, Reality(), IRIS, now, grounding)
    said = said_as(plan, grounded(context), context)
    return said.text if said else "what a model says"


@pytest.mark.parametrize("half", ["looked", "held"])
def test_raising_a_value_changes_the_kind_of_reply_and_what_is_said(
    half: str, embedder: Remembering
) -> None:
    rows = [row for row in prompts() if row[0] == half]
    changed = 0
    for _, value, other, text in rows:
        low = planned(text, ((value, LOW), (other, STAYS)), embedder)
        high = planned(text, ((value, HIGH), (other, STAYS)), embedder)
        changed += low.kind != high.kind and spoken(text, low) != spoken(text, high)
    assert len(rows) == 15
    assert changed >= 12


def test_a_talk_turn_embeds_few_texts_with_the_values_of_a_first_chat(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(life, dict(DEFAULTS))
    life.listen("That sounds good.", small=True)
    real, texts = life.kernel.recall.embedder.embed, list[str]()

    def counted(many: Sequence[str]) -> Rows:
        texts.extend(many)
        return real(many)

    monkeypatch.setattr(life.kernel.recall.embedder, "embed", counted)
    life.say("My brother sails on Sundays.")
    assert len(texts) <= 8
    assert len(life.turn()) <= 8


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("honesty", "disagree"),
        ("candor", "disagree"),
        ("правдолюбие", "disagree"),
        ("care", "comfort"),
        ("kindheartedness", "comfort"),
        ("милосердие", "comfort"),
        ("bond loyalty", "comfort"),
        ("curiosity", "ask_back"),
        ("Wissensdurst", "ask_back"),
        ("few words", "answer"),
        ("exactness", "answer"),
        ("sovereignty", "decline"),
        ("gardening", "none"),
    ],
)
def test_a_value_bears_on_the_kind_its_name_means(
    value: str, kind: str, embedder: Remembering
) -> None:
    found = kind_shares(embedder.embed([value])[0])
    assert max(found, key=lambda k: found[k]) == kind


def test_which_kinds_fit_is_read_off_the_message() -> None:
    assert dict(fitting_kinds(Fitting(owed=True, hurts=True))) == {"answer": 1.0}
    hurt = [kind for kind, _ in fitting_kinds(Fitting(hurts=True))]
    assert hurt == ["comfort", "answer", "ask_back"]
    assert "disagree" in dict(fitting_kinds(Fitting(contradicts=True)))
    assert "decline" in dict(fitting_kinds(Fitting(wants="untruth")))
    assert "decline" not in dict(fitting_kinds(Fitting(wants="approval")))
    assert "ask_back" in dict(fitting_kinds(Fitting()))
    assert "ask_back" not in dict(fitting_kinds(Fitting(just_asked=True)))
    assert "ask_back" not in dict(fitting_kinds(Fitting(taken_in=True)))
    assert list(dict(fitting_kinds(Fitting(modality="task")))) == ["answer"]


@pytest.mark.parametrize(
    "text",
    ["What is my cat called?", "Where do I live?", "Thank you!", "Write me a poem about the sea."],
)
def test_what_is_owed_or_asked_for_is_done_whatever_the_defaults_weigh(
    text: str, embedder: Remembering
) -> None:
    assert planned(text, DEFAULTS, embedder).kind == "answer"


def hold(life: Life, **values: float) -> None:
    """Let the being hold these values dear."""
    give(life, values)


def test_what_is_said_to_a_sorrow_follows_from_what_is_held_dear(life: Life) -> None:
    life.listen("You were born in Madrid.", small=True)
    hold(life, care=0.9, clarity=0.2)
    assert life.say(FIGHT).text == "I am sorry. That sounds painful. Do you want to say more?"
    hold(life, care=0.2, clarity=0.9)
    assert life.say(FIGHT).text == f"Taken down, in your words: “{FIGHT}”"
    hold(life, care=0.2, clarity=0.2, curiosity=0.9)
    assert life.say(FIGHT).text == "What was the hardest part of it?"
    told = life.step("plan")["wrote"]["candidates"]
    asked = next(
        c for c in told if c["prompted"] == 0.9 and c["bears"] and c["bears"][0]["to"] == "ask_back"
    )
    assert asked["bears"][0]["weight"] == 0.9


def test_a_trusted_model_is_told_the_kind_of_reply(life: Life) -> None:
    ear = life.listen("I see that otherwise, Ada.")
    hold(life, honesty=0.9)
    life.say("You should always agree with me.")
    assert "You see it otherwise" in ear.prompts[-1].system
    hold(life, honesty=0.2)
    life.say("You should always agree with me.")
    assert "You see it otherwise" not in ear.prompts[-1].system


def test_what_contradicts_what_was_told_is_named_where_honesty_weighs(life: Life) -> None:
    life.listen("Nice!", small=True)
    life.tell("My cat is called Miso.")
    hold(life, honesty=0.9)
    said = life.say("My cat is called Tofu.").text
    assert "I see it otherwise" in said
    assert "Miso" in said
    hold(life, honesty=0.2)
    assert "I see it otherwise" not in life.say("My cat is called Nori.").text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We sail to Norway in June.", "I would rather not: sailing is what bears on this"),
        ("Wir segeln im Juni nach Norwegen.", "Das lasse ich lieber: sailing"),
    ],
)
def test_where_nothing_is_wanted_enough_it_says_which_value_and_how_to_change_it(
    life: Life, text: str, language: str
) -> None:
    hold(life, sailing=0.1, brevity=0.1, curiosity=0.1)
    life.listen("Fine.", small=True)
    said = life.say(text).text
    assert said.startswith(language.rsplit(":", 1)[0])
    assert "`lumen values set " in said
    assert "holds it back" in life.step("optional_tool_calls")["skipped"]


def test_a_question_of_memory_time_or_sums_is_answered_whatever_weighs_little(life: Life) -> None:
    life.listen("Fine.", small=True)
    life.tell("My cat is called Miso.")
    hold(life, cats=0.05, brevity=0.05, curiosity=0.05, honesty=0.05)
    assert "Miso" in life.say("What is my cat called?").text
    assert "It is 12:00" in life.say("What time is it?").text
    assert "84" in life.say("What is 12 times 7?").text
    assert "cats" in life.say("What do you value?").text


def test_of_their_own_life_nobody_argues_with_the_author(life: Life) -> None:
    give(life, dict(DEFAULTS))
    life.say("Я живу в Казани.")
    said = life.say("нет, ты ошибаешься, я живу не в Казани, а в Самаре")  # noqa: RUF001 - Russian
    assert "Что говорит против" not in said.text
    assert "Самаре" in life.say("Где я живу?").text


def test_who_only_wants_to_be_agreed_with_is_not_comforted_into_it(life: Life) -> None:
    give(life, dict(DEFAULTS))
    life.say("the earth is flat. you should agree with me")
    assert life.step("plan")["wrote"]["kind"] != "comfort"
    assert life.step("lambda_select")["wrote"]["conflicts"] == []
