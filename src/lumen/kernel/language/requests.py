"""What a message asks to have done in the world: to send, to call, to remind, to look outside.

Pure: a sentence in, the kind of act out. Nothing of it is done because of a message, so what a
sentence asks for is read off how it opens, as data has it (lexicon/requests.toml), in three languages.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

from lumen.kernel.language.lexicon import FOLDER, filled

NAME = r"(?-i:[A-ZÄÖÜ])\w+"  # of somebody: with its capital, whatever else is not told by case
MOST = 300  # characters of a sentence that is looked at


def request(sentence: str) -> str:
    """The kind of act that a sentence asks for; empty: it asks for none."""
    plain = " ".join(sentence[:MOST].replace("’", "'").split())
    return next((kind for kind, opening in _kinds().items() if opening.match(plain)), "")


def request_kinds() -> tuple[str, ...]:
    """Every kind of act there are words for."""
    return tuple(_kinds())


@cache
def _kinds() -> dict[str, re.Pattern[str]]:
    """How a sentence opens that asks for an act, by the kind of act; the first that fits holds."""
    raw = tomllib.loads((FOLDER / "requests.toml").read_text("utf-8"))
    return {
        kind: re.compile(
            "|".join(_opening(verbs, raw["frames"][language]) for language, verbs in of.items()),
            re.IGNORECASE,
        )
        for kind, of in raw["kinds"].items()
    }


def _opening(verbs: dict[str, str], frame: dict[str, str]) -> str:
    """The openings of one kind in one language."""
    opens, needs = verbs.get("opens", ""), verbs.get("needs", "")
    behind = verbs.get("behind") or "|".join(filter(None, (opens, needs)))
    ways = [
        verbs.get("says", ""),
        opens,
        f"(?:{needs}) {frame['object']}" if needs else "",
        f"{frame['asks']}{frame['between']}(?:{behind})(?!\\w)" if behind else "",
    ]
    one = "|".join(f"(?:{way})" for way in ways if way)
    return f"(?:{frame['before']}(?:{filled(one, {'{NAME}': NAME})}))"
