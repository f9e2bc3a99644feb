"""docs/security.md names, for every attack, a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.test_coverage import is_test

ROW = re.compile(r"^\| (?P<attack>[^|]+) \| `(?P<test>tests/[^`]+)` \|$", re.MULTILINE)


def test_every_attack_names_a_test_that_is_there(root: Path) -> None:
    rows = ROW.findall((root / "docs" / "security.md").read_text("utf-8"))
    assert len(rows) >= 25
    assert [test for _, test in rows if not is_test(root, test)] == []
