"""Storage stays behind the Soul: nobody above it speaks SQL."""

from __future__ import annotations

import ast
import re
from pathlib import Path

SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WITH RECURSIVE)\s+[\w(*'\"]")
ABOVE = ("kernel", "mind", "hands", "app", "lab", "body")


def test_no_sql_outside_the_soul(root: Path) -> None:
    found = [
        f"{path.relative_to(root)}:{node.lineno}"
        for layer in ABOVE
        for path in sorted((root / "src/lumen" / layer).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value)
    ]
    assert found == []
