"""What is meant by what is to be forgotten: an event, or a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.soul.forging import heard

from lumen.core.errors import UsageError
from lumen.kernel.upkeep.forget import ForgetRequest, find

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded


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
