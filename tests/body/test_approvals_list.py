"""`lumen approvals` reads whatever stands in the archive, also what no kernel of ours wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import JSON
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths, kernel_entry
from lumen.soul.writing.write import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

ASKED = {
    "escalation": {
        "model": "desk/large",
        "question": 1,
        "expected_value": 0.5,
        "tokens": 100,
        "micros": None,
        "way_back": "none",
    }
}


@pytest.mark.parametrize("command", [(), ("--all",), ("--all", "--json")])
def test_a_word_without_key_or_signature_is_listed_and_breaks_nothing(
    lumen: Lumen, inside: Inside, command: tuple[str, ...]
) -> None:
    writer = Writer(BeingPaths(lumen.being), lumen.keyring, SystemClock())
    asked: list[JSON] = [ASKED, {}, {"escalation": {"model": 1}}]
    placed = writer.append([kernel_entry("escalation", "x", "k", a) for a in asked], durable=False)
    seq = placed[0].seq
    words: list[JSON] = [{"proposal": seq}, {"proposal": "x"}, {}, {"proposal": seq, "key": 7}]
    writer.append([kernel_entry("approved", "x", "k", w) for w in words], durable=False)
    writer.close()
    ran = inside("approvals", *command)
    assert (ran.code, "desk/large" in ran.out, ran.out.count("desk/large")) == (0, True, 1)
    assert inside("approvals", "allow", str(seq)).code == 2  # nobody's signature stands under it
