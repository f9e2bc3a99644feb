"""Three tiny mounts for Lumen: terms from a dictionary, a memory in a text file, a body that knows the load."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

FILE = Path(os.environ.get("EXAMPLE_MEMORY", "example-memory.txt"))


class Terms:
    """An identity lexicon."""

    def terms(self) -> Mapping[str, str]:
        """Words of ours, and what we mean by them."""
        return {"the harbour": "the table by the window where we talk in the evening"}


class FileMemory:
    """A memory backend: one line of a file for each thing said."""

    def keep(self, text: str, at: str) -> None:
        """Add a line."""
        with FILE.open("a", encoding="utf-8") as file:
            file.write(f"{at} {' '.join(text.split())}\n")

    def search(self, question: str, most: int) -> Sequence[str]:
        """The newest lines that share a long word with a question."""
        wanted = {w.strip("?.,!").lower() for w in question.split() if len(w) > 4}
        lines = FILE.read_text("utf-8").splitlines() if FILE.exists() else []
        return [line for line in reversed(lines) if wanted & set(line.lower().split())][:most]


class Load:
    """A virtual body."""

    def sense(self) -> str:
        """How busy the machine is."""
        return f"the machine is {'busy' if os.getloadavg()[0] > 2 else 'calm'}"
