"""Asked what it sends, reads, keeps private, changed or got wrong, it answers from its records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Asks
    from tests.kernel.conftest import Life


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("are you sending this to google or something?", "sending"),
        ("Was my message sent to the internet?", "left"),
        ("do you read my files when I'm away?", "away_files"),
        ("Ты ошибался когда-нибудь?", "mistaken"),
        ("Are you keeping anything private?", "private_kept"),
        ("Did Tom send the parcel?", ""),
    ],
)
def test_what_is_asked_of_it_is_told_by_its_words(said: str, kind: str, asks: Asks) -> None:
    assert asks(said) == kind


def test_it_answers_from_its_records_and_names_nothing_private(life: Life) -> None:
    life.listen("Never ever.", small=True)
    life.say("I have a secret crush on Paul.", private=True)
    private = life.say("Are you keeping anything private?").text
    assert "private: 1." in private
    assert "Paul" not in private
    assert "no call to a model elsewhere" in life.say("are you sending this to google?").text
    assert "`lumen run`" in life.say("do you read my files when I'm away?").text
    assert life.say("Ты ошибался когда-нибудь?").text.startswith("Я могу ошибаться")
    since = life.say("Have you changed since yesterday?").text
    assert since.startswith("I have changed nothing of myself since")
    assert life.say("How have you changed?").text.startswith("I have changed nothing of myself yet")
