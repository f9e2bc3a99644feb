"""Nothing is asked of a model that it was not measured to be able to do, in any loop and language."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.kernel.living import (
    EMAIL,
    QUIET,
    SKILL_TOML,
    give,
    pursue,
    reflect,
    strong,
    thought,
    wonder,
)

from lumen.core.data import SelfItem
from lumen.core.trust import FULL, Ability
from lumen.core.untrusted import data
from lumen.kernel.turn.conversation import IncomingMessage, converse
from lumen.mind.roles import parse_assignments

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


def test_in_a_language_it_may_not_speak_a_model_is_not_asked_and_in_the_others_it_is(
    life: Life,
) -> None:
    oracle = strong(life, ("interface",))
    may_do = {"oracle/one": (Ability.PHRASE, Ability.WORLD, Ability.RUSSIAN)}
    life.kernel.reach = replace(life.kernel.reach, trusted=may_do)
    assert "auf Englisch" in life.say("Warum ist der Himmel blau?").text
    for told in ("Ich war heute im Wald.", "I was in the woods.", "Сегодня я был в лесу."):
        assert life.say(told).text
    assert ["woods" in oracle.prompts[0].user, "лесу" in oracle.prompts[1].user] == [True, True]
    assert len(oracle.prompts) == 2


def test_a_model_that_failed_json_is_asked_for_none_in_any_loop(life: Life) -> None:
    oracle = strong(life, Thoughts=thought("search"), Question={"question": "Why?"})
    give(life, {"care": 0.9}, [SelfItem("learn about tides", 0.9, "todo")])
    words = {"oracle/one": (Ability.PHRASE, Ability.WORLD)}
    life.kernel.reach = replace(life.kernel.reach, trusted=words)
    pursue(life)
    wonder(life)
    reflect(life)
    assert oracle.asked == []
    life.kernel.reach = replace(life.kernel.reach, trusted={})
    pursue(life)
    assert "Thoughts" in oracle.asked


def test_a_model_that_may_propose_but_not_reflect_or_write_is_asked_for_proposals_alone(
    life: Life,
) -> None:
    code = {"main_py": EMAIL, "skill_toml": SKILL_TOML}
    oracle = strong(life, Code=code, Thoughts={"candidates": []}, Told={"text": "It went well."})
    give(life, goals=[SelfItem("email Ada about the move", 0.9, "todo")])
    proposes = {"oracle/one": (Ability.PHRASE, Ability.JSON)}
    life.kernel.reach = replace(life.kernel.reach, trusted=proposes)
    for _ in range(3):
        pursue(life)
    reflect(life)
    assert {"Proposals", "Code"} & {*oracle.asked} == set()
    life.kernel.reach = replace(life.kernel.reach, trusted={})
    for _ in range(3):
        pursue(life)
    reflect(life)
    assert {"Proposals", "Code"} <= {*oracle.asked}


def test_two_models_that_differ_are_asked_for_different_things_by_the_ledger(life: Life) -> None:
    strong(life, Thoughts=thought("search"), Question={"question": "Why do cities grow?"})
    given = parse_assignments({"interface": "oracle/two", "scraper": "oracle/two"})
    may_do = {"oracle/one": FULL, "oracle/two": (Ability.PHRASE, Ability.WORLD)}
    reach = life.kernel.reach
    life.kernel.reach = replace(reach, assignments={**reach.assignments, **given}, trusted=may_do)
    give(life, {"care": 0.9}, [SelfItem("learn about tides", 0.9, "todo")])
    pursue(life)
    wonder(life)
    life.say("Tell me of the sea.")
    asked = {(call.role, call.model) for call in life.kernel.index.ledger.calls()}
    assert asked == {("orchestrator", "oracle/one"), ("interface", "oracle/two")}


def test_what_a_guest_says_in_german_stays_in_its_block_and_what_the_author_says_does_not(
    life: Life,
) -> None:
    said = {"": "Erzähl mir etwas über das Meer.", "Bob": "Erzähl mir etwas über den Wind."}
    oracle = strong(life, ("interface",))
    for speaker, text in said.items():
        spoken = IncomingMessage(speaker=speaker)
        asyncio.run(converse(life.kernel, text, private=False, watch=QUIET, spoken=spoken))
    own, guest = oracle.prompts
    assert own.user.strip() == said[""]
    assert data(said["Bob"], "guest") in guest.user
