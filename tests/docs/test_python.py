"""Every snippet of docs/python.md runs, in order, on one host; where words matter, they are checked.

The first is a program of its own; the others run in this process, as that is quicker.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.shell import Shell

FIRST = "Make a being and talk with it"
SNIPPET = re.compile(r"^## (.+?)\n.*?^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHOWN = {
    FIRST: ["Lisbon"],
    "Recall with evidence": ["event", "stated: My sister Inês lives in Lisbon.", "[("],
    "Bring what you have, with its dates": ["2", "I ran my first marathon."],
    "Set a goal, let it live": ["learn about tides 0.9 todo"],
    "See what a turn did, and prove it": ["THINK", "True"],
    "Forget something": ["you asked", ") ()"],
    "Swap the model": ["True", "A walk by the sea sounds like a good day."],
    "Test a program of your own": ["good day.", "3 days ago you told me", "2026-01-04T09:00"],
    "Two beings at once": ["["],
    "Watch an answer come about": ["… ingest", "says:", "event"],
    "An async server": ["True", "5"],
    "Keep it safe": ["['honesty']", "True"],
}


@pytest.mark.usefixtures("recorded")
@pytest.mark.unmeasured
def test_every_snippet_prints_what_it_is_there_to_show(root: Path, tmp_path: Path) -> None:
    snippets = SNIPPET.findall((root / "docs" / "python.md").read_text("utf-8"))
    assert len(snippets) >= 10
    assert [title for title, _ in snippets] == list(SHOWN)
    shell = Shell(tmp_path)
    for title, code in snippets:
        shown = as_a_program(shell, code) if title == FIRST else shell.run(code)
        assert [words for words in SHOWN[title] if words not in shown] == [], (title, shown)


def as_a_program(shell: Shell, code: str) -> str:
    """Run a snippet in a process of its own, with the model itself."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=shell.cwd, env=shell.env, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
