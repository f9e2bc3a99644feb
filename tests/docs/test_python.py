"""Every snippet of docs/python.md runs, in order, on one host; where words matter, they are checked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

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
    "An async server": ["True", "5"],
    "Keep it safe": ["['honesty']", "True"],
}


def test_every_snippet_prints_what_it_is_there_to_show(root: Path, tmp_path: Path) -> None:
    env = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "share"), "PYTHONIOENCODING": "utf-8"}
    env.pop("LUMEN_BEING", None)
    snippets = SNIPPET.findall((root / "docs" / "python.md").read_text("utf-8"))
    assert len(snippets) >= 10
    assert [title for title, _ in snippets] == list(SHOWN)
    for title, code in snippets:
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=tmp_path, env=env, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert ran.returncode == 0, f"{title}\n{ran.stdout}{ran.stderr}"
        assert [words for words in SHOWN[title] if words not in ran.stdout] == [], title
