"""Upkeep: what is not used fades, years are summed up, and looking back over them works."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from lumen.kernel.upkeep.deep_verify import compare
from lumen.kernel.upkeep.maintain import fade, learn, summaries
from lumen.soul.checking.verify import verify
from lumen.soul.writing.open import files_of

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

LISBON = ZoneInfo("Europe/Lisbon")
HALF = 500_000


def weights(life: Life, *seqs: int) -> list[int]:
    life.kernel.index.catch_up()
    return [m.weight for m in life.kernel.index.memories.get(seqs).values()]


def later(life: Life, days: int) -> None:
    life.clock.at += timedelta(days=days)


def untouched(_what: str, _done: int, _of: int) -> None:
    """Nobody looks on."""


@pytest.mark.parametrize(("days", "left"), [(0, HALF), (90, HALF // 2), (180, HALF // 4)])
def test_what_is_not_used_halves_with_every_half_life(life: Life, days: int, left: int) -> None:
    (rice,) = life.tell("I like rice.")
    later(life, days)
    fade(life.kernel.gate, 90)
    assert weights(life, rice) == [left]


def test_many_small_steps_fade_as_much_as_one(life: Life) -> None:
    (rice,) = life.tell("I like rice.")
    for _ in range(9):
        later(life, 10)
        fade(life.kernel.gate, 90)
    (weight,) = weights(life, rice)
    assert abs(weight - HALF // 2) <= 9  # a millionth a step is rounded away


def test_what_is_used_weighs_more_than_what_is_not(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    sister, rice = life.tell("My sister lives in Lisbon.", "I like rice.")
    assert life.say("Where does my sister live?").sources == (sister,)
    assert weights(life, sister, rice) == [HALF + 20_000, HALF]
    think = next(e for e in life.turn() if e.entry.situation == "think")
    assert think.entry.payload["uses"] == {"memories": [sister], "by": 20_000}

    later(life, 90)
    fade(life.kernel.gate, 90)

    assert weights(life, sister, rice) == [(HALF + 20_000) // 2, HALF // 2]
    assert life.events()[-1].entry.payload["fade"]["half_life_days"] == 90


def test_on_one_day_it_fades_once(life: Life) -> None:
    (rice,) = life.tell("I like rice.")
    later(life, 30)
    fade(life.kernel.gate, 90)
    before, events = weights(life, rice), len(life.events())
    assert "already" in fade(life.kernel.gate, 90)
    assert (weights(life, rice), len(life.events())) == (before, events)


def test_a_being_without_memories_has_nothing_to_fade(life: Life) -> None:
    later(life, 30)
    assert fade(life.kernel.gate, 90) == "no memory is old enough to fade"
    assert len(life.events()) == 1


def test_the_raw_lines_stay_as_they_were(life: Life) -> None:
    life.tell("I like rice.", "My sister lives in Lisbon.")
    before = b"".join(p.read_bytes() for p in sorted(life.being.memory.glob("*/*.jsonl")))
    later(life, 400)
    fade(life.kernel.gate, 90)
    summaries(life.kernel.gate, LISBON)
    after = b"".join(p.read_bytes() for p in sorted(life.being.memory.glob("*/*.jsonl")))
    assert after.startswith(before)
    assert verify(life.being, life.keyring).ok
    assert compare(files_of(life.being), life.kernel.index).problems == ()


def test_a_year_is_summed_up_once_and_again_when_there_is_more(life: Life) -> None:
    life.tell("I like rice.")
    path = "data/memory/2026/summary.md"
    assert summaries(life.kernel.gate, LISBON) == [path]
    first = life.being.at(path).read_text("utf-8")
    assert "I like rice." in first
    events = len(life.events())
    assert summaries(life.kernel.gate, LISBON) == []
    assert len(life.events()) == events

    life.tell("I like tea.")
    assert summaries(life.kernel.gate, LISBON) == [path]
    assert "I like tea." in life.being.at(path).read_text("utf-8")


def test_a_turn_that_says_nothing_new_of_the_year_writes_no_summary_twice(life: Life) -> None:
    life.tell("I like rice.")
    summaries(life.kernel.gate, LISBON)
    later(life, 20)
    fade(life.kernel.gate, 90)
    assert summaries(life.kernel.gate, LISBON) == []


def test_what_is_private_is_in_no_summary(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    life.say("I like rice.")
    life.say("My locker code is 4471.", private=True)
    summaries(life.kernel.gate, LISBON)
    text = life.being.at("data/memory/2026/summary.md").read_text("utf-8")
    assert "rice" in text
    assert "4471" not in text

    answered = life.say("What did I tell you this year?")

    assert "4471" in answered.text  # told from the memory itself, and so marked
    reply = next(e for e in life.turn() if e.seq == answered.event)
    assert reply.entry.payload["private"] is True


def test_a_change_of_self_is_part_of_the_year(life: Life) -> None:
    life.being.soul_md.write_text("# Nova\n", "utf-8")
    life.kernel.gate.adopt()
    summaries(life.kernel.gate, LISBON)
    text = life.being.at("data/memory/2026/summary.md").read_text("utf-8")
    assert "The author edited data/soul.md." in text


def test_a_long_span_is_answered_from_the_summary_with_dates_and_events(life: Life) -> None:
    life.script({"when": "(?s).*", "say": "I have no idea."})
    sister, rice = life.tell("My sister lives in Lisbon.", "I like rice.", days=2)
    summaries(life.kernel.gate, LISBON)
    later(life, 2)
    tea = life.tell("I like tea.")[0]

    answered = life.say("What did I tell you this year?")

    assert answered.sources == (sister, rice, tea)
    for said in ("17 November", "My sister lives in Lisbon.", "19 November", "I like rice."):
        assert said in answered.text
    assert "I like tea." in answered.text  # what came after the summary is told as well


def test_the_summary_in_force_is_what_answers_not_the_file(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    life.tell("I like rice.")
    summaries(life.kernel.gate, LISBON)
    path = life.being.at("data/memory/2026/summary.md")
    path.write_text(path.read_text("utf-8").replace("rice", "mice"), "utf-8")
    assert "mice" not in life.say("What did I tell you this year?").text
    assert compare(files_of(life.being), life.kernel.index).problems


def test_a_short_span_is_answered_from_the_memories_themselves(life: Life) -> None:
    life.script({"when": "(?s).*", "say": "I have no idea."})
    rice = life.tell("I like rice.")[0]
    summaries(life.kernel.gate, LISBON)
    later(life, 1)
    answered = life.say("What did I tell you yesterday?")
    assert answered.sources == (rice,)
    assert "I like rice." in answered.text
    later(life, 1)
    assert "I like rice." not in life.say("What did I tell you yesterday?").text


def test_every_year_has_a_summary_of_its_own(life: Life) -> None:
    life.tell("I like fish.")
    life.tell("I like rice.", "I like tea.", days=60)
    assert summaries(life.kernel.gate, LISBON) == [
        "data/memory/2026/summary.md",
        "data/memory/2027/summary.md",
    ]
    first, second = (
        life.being.at(f"data/memory/{y}/summary.md").read_text("utf-8") for y in (2026, 2027)
    )
    assert "fish" in first
    assert "rice" not in first  # the sixtieth day lies in the year after
    assert "rice" in second
    assert "tea" in second


def test_missing_vectors_are_made_and_counted(life: Life) -> None:
    life.tell("I like rice.", "I like tea.")
    life.kernel.index.catch_up()
    told: list[tuple[int, int]] = []
    missing = learn(life.kernel.index, life.kernel.recall, lambda _, n, of: told.append((n, of)))
    assert missing == 2
    assert told[-1] == (2, 2)
    assert learn(life.kernel.index, life.kernel.recall, untouched) == 0
