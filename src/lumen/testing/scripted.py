"""A model for tests: the shipped `scripted` substrate, with its script written from Python."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from lumen.core.canon import dumps
from lumen.mind.substrates.scripted import Rule


def scripted(path: str | Path, *rules: Rule) -> str:
    """Write a script, and return the name of the model that follows it, for `being.assign`.

    The first rule whose `when`, a regular expression, is found in the prompt answers; if none is, the
    next rule without a `when` that has not answered yet.
    """
    file = Path(path).absolute()
    told = ({key: value for key, value in asdict(rule).items() if value} for rule in rules)
    file.write_bytes(b"".join(dumps(rule) + b"\n" for rule in told))
    return f"scripted/{file}"
