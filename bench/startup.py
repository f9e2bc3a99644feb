"""How long `lumen status` takes beside a Python that imports click and leaves."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.rounds import Row, interleaved, say, table, timed

ROUNDS = 15
FIRST = "My sister lives in Lisbon."


def main() -> int:
    """Measure and print; the exit code says whether the target holds."""
    rows = starts()
    say(table("start, whole process", rows))
    return 1 if any(r.verdict == "NO" for r in rows) else 0


def starts() -> list[Row]:
    """`status` on a being that has lived for one turn."""
    binaries = Path(sys.executable).parent
    with tempfile.TemporaryDirectory(prefix="lumen-bench-") as folder:
        env = {**os.environ, "XDG_DATA_HOME": folder}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # else every start compiles all of it again
        lumen = str(binaries / "lumen")
        _run([lumen, "init", f"{folder}/being"], env)
        settings = Path(folder, "being", "lumen.toml")
        text = settings.read_text("utf-8")
        settings.write_text(text.replace("embedded/SmolLM2-135M-Instruct", "scripted/echo"))
        _run([lumen, "--being", f"{folder}/being", "chat", "-m", FIRST], env)
        status = [lumen, "--being", f"{folder}/being", "status"]
        models = [lumen, "--being", f"{folder}/being", "models", "list"]
        plain = [str(binaries / "python"), "-c", "import click"]
        runs: dict[str, Callable[[], float]] = {
            "ours": lambda: timed(lambda: _run(status, env)),
            "models": lambda: timed(lambda: _run(models, env)),
            "theirs": lambda: timed(lambda: _run(plain, env)),
        }
        found = interleaved(ROUNDS, runs)
    return [
        Row("lumen status", found["ours"], "python + click", found["theirs"], most=2.6),
        Row("lumen models list", found["models"], "python + click", found["theirs"], most=3.0),
    ]


def _run(command: list[str], env: dict[str, str]) -> None:
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
