"""What is meant by what is to be forgotten: an event, or a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.soul.forging import heard

from lumen.core.canon import dumps
from lumen.core.errors import UsageError
from lumen.kernel.language.overlap import OverlapDetector, folded, pattern_of
from lumen.kernel.upkeep.forget import ForgetRequest, find, plan

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded, Life


def test_a_number_is_an_event_or_a_word_and_never_the_wrong_one(guarded: Guarded) -> None:
    said = [heard(f"Fact {'seven' if n % 2 else 'eight'}.") for n in range(1100)]
    guarded.gate.log.append([*said, heard("My PIN was 4711."), heard("In 1066.")], durable=False)
    last = len(said) + 3
    assert find(guarded.index, "4711") == ForgetRequest((last - 1,), "4711")
    assert (
        find(guarded.index, "1050") == find(guarded.index, "event 1050") == ForgetRequest((1050,))
    )
    with pytest.raises(UsageError, match="1066 is an event, and a word in 1 of") as both:
        find(guarded.index, "1066")
    assert both.value.fix == "lumen forget 'event 1066'   or: lumen forget '\"1066\"'"
    assert find(guarded.index, "event 1066") == ForgetRequest((1066,))
    assert find(guarded.index, '"1066"') == ForgetRequest((last,), "1066")
    with pytest.raises(UsageError, match="event 2300 is not there"):
        find(guarded.index, "2300")


@pytest.mark.parametrize("what", ["My boat is called Draft.", "Draft"])
def test_a_word_that_the_kernel_has_in_another_form_takes_no_other_turn_with_it(
    life: Life, what: str
) -> None:
    """`drafts` is a step, and stands in the notes of every turn."""
    other = life.say("I like rice.")
    life.say("My boat is called Draft.")
    life.kernel.index.catch_up()
    goes = {g.seq for g in plan(life.kernel.gate, find(life.kernel.index, what)).goes}

    assert other.event not in goes
    assert min(goes) > other.event, "the notes of the turn before stay"
    quoting = [e.seq for e in life.events() if "called Draft" in dumps(e.entry.payload).decode()]
    assert quoting
    assert set(quoting) <= goes, "what carries the name goes"


FORMS = [
    ("Skoda", ["the Skoda's boot", "two Skodas", "SKODA"], ["Skodanski is a name"]),
    ("Periwinkle", ["my periwinkles", "periwinkle-77", "periwinkle77"], ["Periwinklestein"]),
    ("cart", ["both carts", "carted off"], ["a cartoon", "my cartridge"]),
    ("Garten", ["des Gartens", "im Garten"], ["der Kindergarten", "ein Gartenzaun"]),
    ("Маша", ["у Маши", "с Машей", "Маше"], ["новая машина", "машинист"]),  # noqa: RUF001
    ("машина", ["две машины", "на машине", "машинами"], ["машинист", "машинка"]),
    ("работаю", ["она работает", "мы работали", "работать"], ["работник", "работодатель"]),
]


@pytest.mark.parametrize(("word", "same", "other"), FORMS)
def test_a_word_is_sought_in_its_inflections_and_in_no_longer_word(
    word: str, same: list[str], other: list[str]
) -> None:
    sought = pattern_of(word)
    assert [text for text in same if not sought.search(folded(text))] == []
    assert [text for text in other if sought.search(folded(text))] == []


@pytest.mark.parametrize(
    ("word", "same", "other"),
    [
        ("cart", "the carts", "the cartoon"),
        ("zorro", "Zorro's mask", "the zorrophile"),
        ("маша", "маша", "машапорт"),
        ("рита", "рита", "ритакот"),
    ],
)
def test_a_word_of_nothing_else_goes_in_its_inflections_alone(
    word: str, same: str, other: str
) -> None:
    traces = OverlapDetector([], [word])
    assert traces.tells(same)
    assert not traces.tells(other)
