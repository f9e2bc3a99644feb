"""Pages made from code are current, and the code they are made from keeps its promises."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest


@pytest.mark.parametrize("name", ["turn", "cli", "settings"])
def test_a_generated_page_says_what_the_code_says(
    root: Path, name: str, request: pytest.FixtureRequest
) -> None:
    tool: ModuleType = request.getfixturevalue(f"{name}_doc")
    written = (root / "docs" / f"{name}.md").read_text("utf-8")
    assert written == tool.page(), f"stale: uv run python tools/{name}_doc.py"


@pytest.mark.parametrize("name", ["turn", "cli", "settings"])
def test_check_tells_a_stale_page_from_a_current_one(
    name: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tool: ModuleType = request.getfixturevalue(f"{name}_doc")
    monkeypatch.setattr(tool, "PAGE", tmp_path / "page.md")
    assert tool.main(["--check"]) == 1
    assert tool.main([]) == 0
    assert tool.main(["--check"]) == 0
    tool.PAGE.write_text(tool.page() + "by hand\n", "utf-8")
    assert tool.main(["--check"]) == 1
    assert tool.main(["--other"]) == 2
    assert capsys.readouterr().out.splitlines()[-1] == f"docs/{name}.md is stale"


def test_every_step_of_every_loop_is_on_the_page(root: Path, turn_doc: ModuleType) -> None:
    page = (root / "docs" / "turn.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and "| `" in line]
    steps = list(turn_doc.loops.ACTION.steps())
    assert len(rows) >= len(steps) > 0
    for step in steps:
        (row,) = [r for r in rows if f"| `{step.name}` |" in r]
        assert f"`{step.writes.__name__}`" in row
        assert all(f"`{store}`" in row for store in step.stores)


def test_what_shows_that_a_step_matters_is_a_test_there_is(
    root: Path, turn_doc: ModuleType
) -> None:
    assert turn_doc.SHOWN_BY.keys() <= {s.name for s in turn_doc.loops.ACTION.steps()}
    for test in turn_doc.SHOWN_BY.values():
        file, _, name = test.partition("::")
        assert f"def {name}(" in (root / f"{turn_doc.SHOWN}{file}").read_text("utf-8")


def test_every_command_takes_json_and_says_what_it_is_for(cli_doc: ModuleType) -> None:
    found = dict(cli_doc.leaves())
    without = [
        name
        for name, command in found.items()
        if not any("--json" in option.opts for option in command.params)
    ]
    assert without == []
    assert {"lumen chat", "lumen status", "lumen archive verify"} <= found.keys()
    assert [name for name, command in found.items() if not command.help] == []


def test_every_option_is_explained(cli_doc: ModuleType) -> None:
    silent = [
        f"{name} {option.opts[0]}"
        for name, command in cli_doc.leaves()
        for option in command.params
        if option.param_type_name == "option" and not option.help
    ]
    assert silent == []
