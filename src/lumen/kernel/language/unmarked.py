"""Whether a sentence without a mark opens as a question: by its question word, or its verb before its subject.

Pure; the openings stand in lexicon/unmarked.toml, and with them what only looks like one ("What a day").
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

from lumen.kernel.language.lexicon import FOLDER

LONGEST = 200  # characters of a sentence that asks without a mark
ENDS = re.compile(r"[!\n]|\.(?!\d)")  # what stands in no such question


def opens_question(sentence: str) -> bool:
    """Whether a sentence opens as a question does, and tells nothing instead."""
    plain = " ".join(sentence.lower().replace("’", "'").split())
    if len(plain) > LONGEST or ENDS.search(plain):
        return False
    return any(
        (opened := before.match(plain)) is not None
        and asks.match(plain, opened.end()) is not None
        and tells.match(plain, opened.end()) is None
        for before, asks, tells in _openings()
    )


def asked_behind(sentence: str) -> str:
    """The question that an English sentence ends with behind a comma, where it has no mark; or nothing.

    Not "who", "which" or "where is": these join a clause as often as they ask.
    """
    told, _, last = sentence.lower().replace("’", "'").rpartition(",")
    if not told or not _behind().match(last.strip()) or not opens_question(last):
        return ""
    return last.strip()


@cache
def _behind() -> re.Pattern[str]:
    raw = tomllib.loads((FOLDER / "unmarked.toml").read_text("utf-8"))
    return re.compile(rf"(?:{raw['en']['behind']})\b", re.VERBOSE)


@cache
def _openings() -> tuple[tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]], ...]:
    raw = tomllib.loads((FOLDER / "unmarked.toml").read_text("utf-8"))
    return tuple(
        (
            re.compile(words["before"], re.VERBOSE),
            re.compile(f"(?:{words['asks'].replace('{told}', words.get('told', ''))})", re.VERBOSE),
            re.compile(f"(?:{words['tells']})", re.VERBOSE),
        )
        for words in raw.values()
    )
