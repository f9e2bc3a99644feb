"""What is shown as the author's words is what the archive holds, whatever the index says."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from lumen.core.data import BeingPaths

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

TRUE, FORGED = "My sister lives in Lisbon.", "My sister lives in Lagos."


@pytest.mark.parametrize(
    "command",
    [
        ("why",),
        ("why", "my sister lives in Lisbon"),
        ("memory",),
        ("memory", "sister"),
        ("memory", "--all", "--json"),
    ],
)
def test_words_put_into_the_index_are_never_shown_as_the_authors(
    talked: Lumen, inside: Inside, command: tuple[str, ...]
) -> None:
    with sqlite3.connect(BeingPaths(talked.being).index) as database:
        changed = database.execute("UPDATE events SET text = ? WHERE text = ?", (FORGED, TRUE))
        assert changed.rowcount == 1
    database.close()
    ran = inside(*command)
    assert FORGED not in ran.said
    assert TRUE in ran.out
    assert "The index was rebuilt from the archive: it said what the archive does not." in ran.err
    assert inside(*command).err == ""


def test_what_was_forgotten_is_no_reason_to_doubt_the_index(talked: Lumen, inside: Inside) -> None:
    assert talked.run("forget", "2", "--yes").code == 0
    for command in (("memory", "--all"), ("memory", "sister"), ("why", "I like rice")):
        ran = inside(*command)
        assert (ran.code, ran.err) == (0, "")
