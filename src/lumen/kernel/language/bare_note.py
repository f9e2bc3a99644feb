"""A statement without what only dresses it: the greeting in front, the "lol" and the "remember that" behind.

For saying it back. Pure; the patterns stand in the lexicon.
"""

from __future__ import annotations

from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import CLAUSE_END, small_talk

MOST_DRESS = 3  # greetings in front, words behind


def bare_note(text: str) -> str:
    """What a statement tells; all of it where nothing else is left."""
    told = text.strip()
    for _ in range(MOST_DRESS):
        told = _undressed(told)
    return (told if "(" in told else told.rstrip(")").rstrip()) or text  # the smile of Russian


def _undressed(text: str) -> str:
    signals = lexicon().signals
    end = CLAUSE_END.search(text)
    first = signals["note_ends"].sub("", text[: end.start()].lower()) if end else ""
    if end and text[end.end() :].strip() and small_talk(first) == "greeting":
        return text[end.end() :].strip()
    if (opens := signals["greets_first"].match(text.lower())) and text[opens.end() :].strip():
        return text[opens.end() :].strip()
    behind = signals["note_ends"].search(text.lower())
    return text[: behind.start()].strip() if behind else text
