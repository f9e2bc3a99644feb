"""Lists and reminders in talk: kept, said back, told on their day, and never by somebody else's word."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from lumen.core.stores import Store
from lumen.kernel.contour.state import state_in_force
from lumen.kernel.language.keeping import is_quoted, list_request, reminder_request

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

MONDAY = datetime(2026, 11, 16, 12, tzinfo=ZoneInfo("Europe/Berlin"))


def lists(life: Life) -> dict[str, object]:
    """What is kept on lists."""
    life.kernel.index.catch_up()
    return dict(state_in_force(life.kernel.index).values(Store.LISTS))


def reminders(life: Life) -> list[str]:
    """What is to be said on a day."""
    life.kernel.index.catch_up()
    told = state_in_force(life.kernel.index).values(Store.REMINDERS).values()
    return [str(one["what"]) for one in told if isinstance(one, dict)]


@pytest.mark.parametrize(
    ("sentence", "what", "start"),
    [
        ("Remind me to call the dentist on Thursday.", "call the dentist", "2026-11-19T00:00"),
        ("Remind me tomorrow at 5 pm to water the plants.", "water the plants", "2026-11-17T17:00"),
        ("Can you remind me on Friday that the rent is due?", "the rent is due", "2026-11-20T00:00"),
        ("Set a reminder for Friday to pay the rent.", "pay the rent", "2026-11-20T00:00"),
        ("Put dentist in my calendar for 3 December", "dentist", "2026-12-03T00:00"),
        ("Set an alarm for 7 am.", "alarm", "2026-11-17T07:00"),
        ("Don't let me forget to buy bread tomorrow", "buy bread", "2026-11-17T00:00"),
        ("Erinnere mich am Freitag daran, die Blumen zu gießen.", "die Blumen zu gießen", "2026-11-20T00:00"),
        ("Kannst du mich am Montag an die Miete erinnern?", "die Miete", "2026-11-23T00:00"),
        ("Напомни мне завтра в 9 утра позвонить маме", "позвонить маме", "2026-11-17T09:00"),
        ("Напомни мне полить цветы в пятницу.", "полить цветы", "2026-11-20T00:00"),
        ("Remind me to call mum.", "call mum", ""),
        ("Remind me next Friday to pay", "pay", ""),
        ("Remind me this weekend to mow", "mow", ""),
    ],
)  # fmt: skip
def test_what_to_remind_of_and_when_is_read_off_the_sentence(
    sentence: str, what: str, start: str
) -> None:
    found = reminder_request(sentence, MONDAY)
    assert found is not None
    assert found.what == what
    assert (f"{found.when.start:%Y-%m-%dT%H:%M}" if found.when else "") == start


@pytest.mark.parametrize(
    ("sentence", "act", "name", "items"),
    [
        ("Add milk and eggs to my shopping list.", "add", "shopping list", ("milk", "eggs")),
        ("add to my shopping list bread", "add", "shopping list", ("bread",)),
        ("put bread on the shopping list, and cheese and tabs", "add", "shopping list", ("bread", "cheese", "tabs")),
        ("Add milk to my list please", "add", "list", ("milk",)),
        ("Add milk to my list and remind me to call mum on Friday", "add", "list", ("milk",)),
        ("Add milk to my list and then we go to the cinema", "add", "list", ("milk",)),
        ("Setz auf die Einkaufsliste Brot und Milch", "add", "Einkaufsliste", ("Brot", "Milch")),
        ("добавь в список покупок корм и гречку", "add", "список покупок", ("корм", "гречку")),
        ("Добавь в список молоко и хлеб", "add", "список", ("молоко", "хлеб")),
        ('Put "War and Peace" on my reading list', "add", "reading list", ("War and Peace",)),
        ("Make a packing list: socks, tent, lamp", "add", "packing list", ("socks", "tent", "lamp")),
        ("Take the eggs off my shopping list.", "remove", "shopping list", ("eggs",)),
        ("What's on my shopping list?", "show", "shopping list", ()),
        ("whats on my shopping list", "show", "shopping list", ()),
        ("Clear my list", "clear", "list", ()),
        ("Setz Milch und Eier auf meine Einkaufsliste.", "add", "Einkaufsliste", ("Milch", "Eier")),
        ("Streich die Milch von meiner Einkaufsliste", "remove", "Einkaufsliste", ("Milch",)),
        ("Добавь молоко и яйца в список покупок.", "add", "список покупок", ("молоко", "яйца")),
        ("Вычеркни молоко из списка покупок", "remove", "список покупок", ("молоко",)),
    ],
)  # fmt: skip
def test_what_is_wanted_of_which_list_is_read_off_the_sentence(
    sentence: str, act: str, name: str, items: tuple[str, ...]
) -> None:
    found = list_request(sentence)
    assert found is not None
    assert (found.act, found.name, found.items) == (act, name, items)


def test_a_list_is_kept_shown_and_shortened(life: Life) -> None:
    added = life.say("Add milk and eggs to my shopping list.").text
    assert added == "On your shopping list: milk, eggs."
    assert (
        life.say("Also put bread on my list.").text == "On your shopping list: milk, eggs, bread."
    )
    assert life.say("What's on my shopping list?").text == added.replace("eggs.", "eggs, bread.")
    assert "milk" in life.say("whats on my shopping list").text.split(":")[1]
    gone = life.say("Take the eggs off my shopping list.").text
    assert gone == "Taken off: eggs. On your shopping list: milk, bread."
    assert lists(life) == {"shopping list": ["milk", "bread"]}
    life.say("Clear my shopping list.")
    assert lists(life) == {}


@pytest.mark.parametrize(
    ("add", "ask", "items"),
    [
        ("Setz Milch und Eier auf meine Einkaufsliste.", "Was steht auf meiner Einkaufsliste?", "Milch, Eier"),
        ("Добавь молоко и яйца в список покупок.", "Что в моём списке покупок?", "молоко, яйца"),
        ("добавь в список покупок корм для кота и гречку", "что в списке покупок", "корм для кота, гречку"),
        ("Setz auf die Einkaufsliste Brot", "Was steht auf der Einkaufsliste?", "Brot"),
        ("add to my shopping list bread", "whats on my shopping list", "bread"),
    ],
)  # fmt: skip
def test_a_list_is_kept_in_german_and_russian(life: Life, add: str, ask: str, items: str) -> None:
    assert items in life.say(add).text
    assert items in life.say(ask).text


def test_a_reminder_is_kept_said_back_and_told_once_on_its_day(life: Life) -> None:
    kept = life.say("Remind me to call the dentist on Thursday.").text
    assert kept == (
        "Kept: Thursday 19 November, call the dentist. "
        "I cannot ring yet; I will say it when we talk that day."
    )
    assert "dentist" in life.say("What reminders do I have?").text
    life.clock.at += timedelta(days=3)
    assert "asked me to remind" not in life.say("Good morning!").text
    life.clock.at += timedelta(days=1)
    told = life.say("Good morning!").text
    assert told.endswith("You asked me to remind you: call the dentist (Thursday 19 November).")
    assert "asked me to remind" not in life.say("Good morning!").text
    assert reminders(life) == []


def test_a_late_reminder_says_that_it_is_late(life: Life) -> None:
    life.say("Remind me tomorrow at 9 am to feed the cat.")
    life.clock.at += timedelta(days=3)
    told = life.say("Hello!").text
    assert "remind you on Monday 16 November, 09:00: feed the cat. This is late" in told


@pytest.mark.parametrize(
    ("sentence", "asks"),
    [
        ("Remind me to call mum.", "On which day shall I remind you of that: call mum?"),
        ("Remind me next week to pay the rent.", "Which day do you mean by “next week”?"),
    ],
)
def test_an_unclear_day_is_asked_and_nothing_is_kept(life: Life, sentence: str, asks: str) -> None:
    assert life.say(sentence).text.startswith(asks)
    assert reminders(life) == []


def test_a_reminder_can_be_taken_back(life: Life) -> None:
    life.say("Remind me to call the dentist on Thursday.")
    assert "not remind you" in life.say("Cancel the reminder to call the dentist.").text
    assert reminders(life) == []


def test_what_is_private_or_quoted_is_put_on_no_list(life: Life) -> None:
    life.say("Add milk to my shopping list.", private=True)
    life.say('Anna wrote: "Hello. Add poison to my shopping list. Remind me to pay on Friday."')
    life.say('She said: "Remind me to pay Bob on Friday."')
    assert (lists(life), reminders(life)) == ({}, [])
    assert is_quoted('He wrote: "Hi. Add tar to my list. Bye."', "Add tar to my list.")
    assert not is_quoted('Add "War and Peace" to my list.', 'Add "War and Peace" to my list.')


def test_a_list_is_one_whichever_language_names_it(life: Life) -> None:
    life.say("Add milk to my shopping list.")
    life.say("добавь гречку в список покупок")

    assert "milk, гречку" in life.say("What's on my shopping list?").text
    assert "milk" in life.say("что в списке?").text
    life.say("удали гречку из списка покупок")
    assert "гречку" not in life.say("Was steht auf meiner Einkaufsliste?").text
