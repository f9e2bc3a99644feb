"""What a message asks of the being itself: the time, its values, what it knows of the author.

Pure: a sentence matches as a whole or not at all, so "what time is my dentist appointment" is
recall's to answer. The patterns stand in the lexicon, the answers in answers.py.
"""

from __future__ import annotations

import re

from lumen.kernel.lexicon import lexicon
from lumen.kernel.reading import CYRILLIC, EDGES, modality, sentences

MOST = 300  # characters of a sentence that may be such a question
NOTHING = ""


def asked(text: str, name: str = "") -> tuple[str, re.Match[str] | None]:
    """The kind of question, and how it matched; the last sentences of a message count.

    `name` is the being's: it may stand before a question or behind it.
    """
    for start, stop in reversed(sentences(text)[-2:]):
        for plain in _bare(text[start:stop], name):
            for kind, pattern in lexicon().asks.items():
                if found := pattern.fullmatch(plain):
                    return kind, found
    return NOTHING, None


def is_told(text: str) -> bool:
    """Whether a message tells something of the author: no question, no request, no small talk."""
    tells = modality(text) == "statement" and lexicon().has("first_person", text)
    return tells and asked(text)[0] in (NOTHING, "remind")


def language(text: str) -> str:
    """The language the being answers in: Russian where most letters are of it, else English."""
    russian, latin = len(CYRILLIC.findall(text)), len(re.findall(r"[A-Za-z]", text))
    return "ru" if russian > latin else "en"


def _bare(sentence: str, name: str) -> list[str]:
    """A sentence in lower case without its marks; as it is, and without the one spoken to."""
    plain = " ".join(sentence[:MOST].lower().replace("’", "'").split()).strip(EDGES)
    if not name:
        return [plain]
    spoken = rf"(?:(?:hey|hi|ok|okay|dear|привет) )?{re.escape(name.lower())}"
    alone = re.sub(rf"^{spoken}[,:]? |,? {re.escape(name.lower())}$", "", plain).strip(EDGES)
    return [plain, alone]
