"""docs/coverage.md tells, for every requirement, a state that the code and tests bear out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

IDS = [
    f"{letter}{number}"
    for letter, last in (("L", 23), ("D", 12), ("S", 33), ("K", 21), ("A", 11))
    for number in range(1, last + 1)
]
STATES = ("done", "partly", "not yet")
CODE = re.compile(r"`([^`]+)`")
FILE = re.compile(r"(?:src|tests|docs|tools|bench)/[\w./-]+|(?:main\.py|pyproject\.toml)")
Row = tuple[str, str, str, str, str]


def rows(page: str) -> list[Row]:
    """Id, state, what is there, code and test of every row."""
    found: list[Row] = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if re.fullmatch(r"[A-Z]\d+", cells[0]):
            assert len(cells) == 5, f"{cells[0]} has {len(cells)} cells"
            found.append((cells[0], cells[1], cells[2], cells[3], cells[4]))
    return found


def names_of_tests(path: Path) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    }


def problems(root: Path, row: Row) -> list[str]:
    """What a row claims that is not so."""
    id_, state, there, code, test = row
    code_paths, test_paths = CODE.findall(code), CODE.findall(test)
    checks = {
        f"{state!r} is no state": state not in STATES,
        "says nothing": not there,
        f"{state}, and names no code": state in ("done", "partly") and not code_paths,
        "done, and names no test": state == "done" and not test_paths,
    }
    found = [what for what, wrong in checks.items() if wrong]
    found += [
        f"{path} does not exist"
        for path in code_paths
        if not FILE.fullmatch(path) or not (root / path).exists()
    ]
    found += [f"{test} is no test" for test in test_paths if not is_test(root, test)]
    return [f"{id_}: {what}" for what in found]


def is_test(root: Path, spelled: str) -> bool:
    """Whether `tests/file.py::test_name` is there."""
    path, _, name = spelled.partition("::")
    return (
        path.startswith("tests/")
        and (root / path).is_file()
        and name in names_of_tests(root / path)
    )


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "coverage.md").read_text("utf-8")


def test_every_requirement_has_exactly_one_row_in_order(page: str) -> None:
    assert [row[0] for row in rows(page)] == IDS


def test_every_row_names_a_state_code_that_exists_and_tests_that_exist(
    root: Path, page: str
) -> None:
    assert [problem for row in rows(page) for problem in problems(root, row)] == []


def test_the_counts_at_the_top_are_the_counts_of_the_rows(page: str) -> None:
    states = [row[1] for row in rows(page)]
    said = re.search(r"(\d+) done, (\d+) partly, (\d+) not yet", page)
    assert said is not None
    assert [int(n) for n in said.groups()] == [states.count(state) for state in STATES]


def test_the_readme_gives_the_same_counts(root: Path, page: str) -> None:
    states = [row[1] for row in rows(page)]
    readme = " ".join((root / "README.md").read_text("utf-8").split())
    done, partly = states.count("done"), states.count("partly")
    assert f"Of {len(IDS)} requirements {done} are done, {partly} partly" in readme


@pytest.mark.parametrize(
    "row",
    [
        ("L1", "nearly", "x", "`main.py`", "none"),
        ("L1", "done", "x", "`main.py`", "none"),
        ("L1", "partly", "x", "none", "none"),
        ("L1", "partly", "", "`main.py`", "none"),
        ("L1", "partly", "x", "`src/lumen/nowhere.py`", "none"),
        ("L1", "partly", "x", "`main.py`", "`tests/nowhere.py::test_x`"),
        ("L1", "partly", "x", "`main.py`", "`tests/docs/test_coverage.py::test_no_such_one`"),
        ("L1", "partly", "x", "`main.py`", "`tests/docs/test_coverage.py`"),
    ],
)
def test_a_planted_false_row_is_found(root: Path, row: Row) -> None:
    assert len(problems(root, row)) == 1
