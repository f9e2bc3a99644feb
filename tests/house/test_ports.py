"""Storage stays behind the Soul: nobody above it speaks SQL, or knows where a line stands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SQL = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WITH RECURSIVE)\s+[\w(*'\"]"
    r"|.*\b(event_type|author|origin|situation|session_key|private)\s*(=|!=|NOT IN|IN)\s*[('?\d]"
)
INSIDE = re.compile(r"_?(segments?|offsets?|rowid|read_at|flock|fcntl|apsw|sqlite3)")
ABOVE = ("kernel", "mind", "hands", "app", "lab", "body")


def leaks(source: str) -> Iterator[tuple[int, str]]:
    """Lines that say what only storage knows: SQL or a piece of it, and names of where things stand."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        match node:
            case ast.Constant(value=str() as text) if SQL.match(text):
                names = [text]
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                names = [name]
            case ast.Import(names=found) | ast.ImportFrom(names=found):
                names = [alias.name for alias in found]
            case ast.keyword(arg=str() as name):
                names = [name]
            case _:
                pass
        yield from (
            (getattr(node, "lineno", 0), name)
            for name in names
            if SQL.match(name) or INSIDE.fullmatch(name)
        )


def test_no_sql_segment_or_offset_outside_the_soul(root: Path) -> None:
    found = [
        f"{path.relative_to(root)}:{line} {name}"
        for layer in ABOVE
        for path in sorted((root / "src/lumen" / layer).rglob("*.py"))
        for line, name in leaks(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        'index.rows("SELECT seq FROM events")',
        """index.texts("event_type = 'author_message'")""",
        'only = "author != ?"',
        "segment, start, stop = found",
        "def cut(offset: int) -> None: ...",
        "place.segments()",
        "read(after=1, offset=2)",
        "from lumen.soul.archive.line import read_at",
        "import fcntl",
    ],
)
def test_what_only_storage_knows_is_noticed_elsewhere(source: str) -> None:
    assert list(leaks(source))


def test_words_that_only_look_like_it_are_not_taken_for_it() -> None:
    plain = 'say("Select a model", author="self", private=True)\nupdate = "With care: origin"'
    assert list(leaks(plain)) == []
