"""An index that was edited makes nobody say what nobody said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

TOLD = "My sister lives in Lisbon."
ASKED = "Where does my sister live?"
ATTACKS = {
    "the text": "UPDATE events SET text = 'My sister lives in Moscow.' WHERE seq = {told}",
    "where it stands": (
        "UPDATE events SET segment = '../evil', text = 'My sister lives in Moscow.' "
        "WHERE seq = {told}"
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_edited_index_is_noticed_before_it_is_quoted(life: Life, attack: str) -> None:
    life.script({"when": "(?s).*", "say": ""})
    said = life.say(TOLD)
    db = apsw.Connection(str(life.being.index))
    db.execute(ATTACKS[attack].format(told=said.heard))
    db.close()
    life.kernel.recall.learn()
    answered = life.say(ASKED)

    assert "Moscow" not in answered.text
    assert TOLD in answered.text
    assert any("it said what the archive does not" in line for line in life.told())
    assert life.say(ASKED).text == answered.text
    assert life.told() == []


def test_an_index_that_says_what_the_archive_says_is_left_alone(life: Life) -> None:
    life.say(TOLD)
    made = life.kernel.index.made
    assert TOLD in life.say(ASKED).text
    assert (life.kernel.index.made, life.told()) == (made, [])
