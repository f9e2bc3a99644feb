"""Every snippet of docs/python.md runs, in order, on one host; where words matter, they are checked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SNIPPET = re.compile(r"^## (.+?)\n.*?^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHOWN = {
    "Make a being and talk with it": ["Lisbon"],
    "Recall with evidence": ["event", "My sister Inês lives in Lisbon. (fits"],
    "Bring what you have, with its dates": ["2", "I ran my first marathon."],
    "Set a goal, let it live": ["learn about tides 0.9 todo"],
    "See what a turn did, and prove it": ["THINK", "True"],
    "Forget something": ["you asked", ") ()"],
    "Swap the model": ["True", "A walk by the sea sounds like a good day."],
    "Two beings at once": ["["],
    "Watch an answer come about": ["… ingest", "says:", "event"],
    "An async server": ["True"],
    "Keep it safe": ["['honesty']", "True"],
}


@pytest.fixture(scope="module")
def shown(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each snippet prints, by the title it stands under."""
    home = tmp_path_factory.mktemp("python")
    env = {**os.environ, "XDG_DATA_HOME": str(home / "share"), "PYTHONIOENCODING": "utf-8"}
    env.pop("LUMEN_BEING", None)
    printed: dict[str, str] = {}
    for title, code in SNIPPET.findall((root / "docs" / "python.md").read_text("utf-8")):
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=home, env=env, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert ran.returncode == 0, f"{title}\n{ran.stdout}{ran.stderr}"
        printed[title] = ran.stdout
    return printed


def test_there_are_at_least_ten_snippets_and_each_is_checked(shown: dict[str, str]) -> None:
    assert len(shown) >= 10
    assert set(shown) == set(SHOWN)


@pytest.mark.parametrize("title", SHOWN)
def test_a_snippet_prints_what_it_is_there_to_show(shown: dict[str, str], title: str) -> None:
    for words in SHOWN[title]:
        assert words in shown[title], shown[title]
