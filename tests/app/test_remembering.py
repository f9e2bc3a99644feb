"""What a program gives to remember: in bulk, with the dates it is from, and found again by them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import lumen
from lumen.app.bulk import AT_ONCE, Memo
from lumen.core.data import Event, Origin
from lumen.core.errors import UsageError

LONG_AGO = datetime(2023, 5, 3, 9, 30, tzinfo=UTC)


def test_one_text_is_remembered_with_its_date_and_recalled_by_it(home: Path) -> None:
    with lumen.open(home) as being:
        kept = being.remember("My sister moved to Lisbon.", at=LONG_AGO)
        (found,) = being.recall("Where did my sister move?")
        said = being.say("Where did my sister move?")
        assert being.status().open_turns == 0
    assert found.event == kept.events[0]
    assert found.date == LONG_AGO
    assert found.quote == found.text == "My sister moved to Lisbon."
    assert "2023" in said.text


def test_many_are_kept_in_order_a_few_hundred_to_a_commit(
    home: Path, events: Callable[[], list[Event]]
) -> None:
    memos = (Memo(f"On day {n} it rained.", LONG_AGO.replace(day=1 + n % 28)) for n in range(300))
    with lumen.open(home) as being:
        kept = being.remember(memos)
        assert being.verify(deep=True).ok
    told = [e for e in events() if e.entry.situation == "told"]
    assert [e.seq for e in told] == list(kept.events)
    assert [e.entry.description for e in told][:2] == ["On day 0 it rained.", "On day 1 it rained."]
    beats = [e for e in events() if e.entry.situation == "remembered"]
    assert [e.entry.payload["many"] for e in beats] == [AT_ONCE, 300 - AT_ONCE]


def test_the_day_it_was_is_the_day_it_is_listed_under(home: Path) -> None:
    with lumen.open(home) as being:
        being.remember("The kettle broke.", at=LONG_AGO)
        said = being.say("I like tea.")
        assert [m.text for m in being.memory(day="2023-05-03")] == ["The kettle broke."]
        (now,) = [m for m in being.memory(author="external") if m.event == said.heard]
        today = [m.text for m in being.memory(day=now.timestamp[:10])]
    assert "I like tea." in today
    assert "The kettle broke." not in today


def test_a_question_about_a_time_is_answered_by_the_dates_things_are_from(home: Path) -> None:
    with lumen.open(home) as being:
        being.remember("The kettle broke.", at=LONG_AGO)
        said = being.say("What did I tell you in May 2023?")
    assert "The kettle broke." in said.text


def test_a_date_without_a_zone_is_the_authors(home: Path) -> None:
    with lumen.open(home) as being:
        being.remember("The kettle broke.", at=datetime(2023, 7, 3, 0, 30))  # noqa: DTZ001 - so it comes
        (found,) = being.memory(author="external")
    assert found.date == datetime(2023, 7, 2, 23, 30, tzinfo=UTC)
    assert found.date.date() == date(2023, 7, 2)


def test_what_somebody_else_said_is_a_guests_word(
    home: Path, events: Callable[[], list[Event]]
) -> None:
    with lumen.open(home) as being:
        being.remember(["I live in Madrid."], speaker="Bob", session="tuesday")
        assert being.recall("Where do I live?", lane="stated") == ()
        assert [found.lane for found in being.recall("Where do I live?")] == ["guest"]
    (told,) = [e.entry for e in events() if e.entry.situation == "told"]
    assert told.origin is Origin.GUEST
    assert (told.payload["speaker"], told.payload["conversation"]) == ("Bob", "tuesday")


def test_nothing_to_remember_is_refused(home: Path) -> None:
    with lumen.open(home) as being, pytest.raises(UsageError, match="empty"):
        being.remember(["  "])


def test_what_was_given_with_a_date_is_forgotten_like_anything_else(home: Path) -> None:
    with lumen.open(home) as being:
        being.remember("The quorvexim kettle broke.", at=LONG_AGO, session="tuesday")
        gone = being.forget(being.plan_forget("quorvexim"))
        assert gone.left == ()
        assert being.memory("quorvexim") == ()
        assert being.verify(deep=True).ok
