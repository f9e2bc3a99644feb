"""The rules a reader can see from outside: size, prompts in their own files, no hosts named."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

MOST_LINES = 400
MOST_LITERAL = 240
MADE_BY_TOOLS = {".git", ".uv", ".venv", "__pycache__", "dist", "uv.lock"}
SPEAKS_TO_MODELS = re.compile(
    r"\byou are (an?|the|now)\b|\byour (task|role|job) is\b|\bas an ai\b|\bstep by step\b"
    r"|\b(respond|reply|answer|return|output) (only |strictly )?(with |in |as )?(valid |a )?json\b"
    r"|<\|im_start\|>",
    re.IGNORECASE,
)
IS_SQL = re.compile(r"\s*(create|select|insert|update|delete|with|pragma|drop)\b", re.IGNORECASE)


def files(root: Path) -> Iterator[Path]:
    """Everything a person wrote, in git or about to be."""
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name for name in folders if name not in MADE_BY_TOOLS and not name.endswith("_cache")
        ]
        yield from (Path(folder, name) for name in names if name not in MADE_BY_TOOLS)


def prompts_in(source: str) -> list[str]:
    """Literals that read like words meant for a model; docstrings are for people."""
    tree = ast.parse(source)
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    literals = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]
    return [
        text
        for text in literals
        if SPEAKS_TO_MODELS.search(text) or (len(text) > MOST_LITERAL and not IS_SQL.match(text))
    ]


def test_no_python_file_is_longer_than_four_hundred_lines(root: Path) -> None:
    counted = {
        str(path.relative_to(root)): len(path.read_text("utf-8").splitlines())
        for path in files(root)
        if path.suffix == ".py"
    }
    assert {name: lines for name, lines in counted.items() if lines > MOST_LINES} == {}
    assert "main.py" in counted
    assert "src/lumen/core/data.py" in counted


def test_no_python_file_holds_a_prompt(root: Path) -> None:
    # The body and the skills are left out: their sentences are for people.
    package = root / "src" / "lumen"
    found = {
        str(path.relative_to(root)): prompts
        for path in package.rglob("*.py")
        if not path.is_relative_to(package / "body")
        and not path.is_relative_to(package / "hands" / "shipped")
        and not path.is_relative_to(package / "app" / "template")
        and (prompts := prompts_in(path.read_text("utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        'ask("You are a careful reader of messages.")',
        'ask(f"Your task is to name {thing}.")',
        'text = "Return only JSON."',
        f'text = "{"word " * 60}"',
    ],
)
def test_a_planted_prompt_is_found(source: str) -> None:
    assert len(prompts_in(source)) == 1


def test_a_docstring_and_a_query_are_no_prompts() -> None:
    query = "SELECT seq FROM events WHERE " + "seq = 1 OR " * 40
    assert prompts_in(f'"""Return JSON: you are a reader."""\nrun("{query}")') == []


def test_no_file_names_a_package_registry(root: Path) -> None:
    hosts = [
        ".".join(parts)
        for parts in (
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("npmjs", "org"),
            ("npmjs", "com"),
            ("deb", "debian", "org"),
            ("crates", "io"),
        )
    ]
    found = [
        f"{path.relative_to(root)}: {host}"
        for path in files(root)
        for host in hosts
        if host.encode() in path.read_bytes()
    ]
    assert found == []


def test_ci_runs_the_one_command_and_nothing_else(root: Path) -> None:
    lines = (root / ".ci" / "run").read_text("utf-8").splitlines()
    commands = [line for line in lines if line and not line.startswith("#")]
    assert commands == ["set -eu", 'cd "$(dirname "$0")/.."', "python3 main.py test"]
    assert os.access(root / ".ci" / "run", os.X_OK)


def test_no_two_types_share_a_name(root: Path) -> None:
    places: dict[str, list[str]] = {}
    for path in files(root):
        shipped = "shipped" in path.parts  # each is a program of its own
        if path.suffix == ".py" and path.is_relative_to(root / "src") and not shipped:
            for found in re.findall(r"^class (\w+)", path.read_text(), re.M):
                places.setdefault(found, []).append(str(path.relative_to(root)))
    assert len(places) > 100
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_file_lies_outside_a_room(root: Path) -> None:
    for layer in ("kernel", "soul"):
        flat = {path.name for path in (root / "src" / "lumen" / layer).glob("*.py")}
        assert flat == {"__init__.py"}, f"{layer}/ is rooms: find the one this belongs to"
