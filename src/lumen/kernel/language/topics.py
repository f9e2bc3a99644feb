"""What a question about the being is about, where no whole sentence of the lexicon says it.

Pure: that a question is about the being is read first (asking.about); then a word tells the topic, so
that a new way to ask the same needs no pattern of its own.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

from lumen.kernel.language.asking import about
from lumen.kernel.language.lexicon import FOLDER
from lumen.kernel.language.reading import WORD, asks_advice, is_question, plainly

MOST_WORDS = 16  # of a question about the being; a longer one tells something besides
KNOWN = re.compile(r"\b(?:what|woran|was|что|о чём|о чем)\b")  # noqa: RUF001 - Russian


def topic_of_being(question: str, name: str = "") -> str:
    """The kind of question about the being, by a word of it; empty: about something else."""
    if not is_question(question) or len(WORD.findall(question)) > MOST_WORDS:
        return ""
    if asks_advice(question) or about(question, name) != "being":
        return ""
    plain = plainly(question)
    kind = next((kind for kind, words in _topics().items() if words.search(plain)), "")
    return "known" if kind == "keeps" and KNOWN.match(plain) else kind


@cache
def _topics() -> dict[str, re.Pattern[str]]:
    raw = tomllib.loads((FOLDER / "topics.toml").read_text("utf-8"))
    return {kind: re.compile(rf"(?<!\w)(?:{words})") for kind, words in raw.items()}
