"""A statement without what only dresses it: the greeting or the thanks in front, the "lol" and the "remember that" behind.

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


def thanks_in_front(text: str) -> bool:
    """Whether a message thanks and then tells something else than what for."""
    end = CLAUSE_END.search(text)
    rest = text[end.end() :].strip().lower() if end else ""
    if not end or not rest or lexicon().signals["what_for"].match(rest):
        return False
    return small_talk(text[: end.start()]) == "thanks"


def _undressed(text: str) -> str:
    signals = lexicon().signals
    end = CLAUSE_END.search(text)
    first = signals["note_ends"].sub("", text[: end.start()].lower()) if end else ""
    rest = text[end.end() :].strip() if end else ""
    if rest and (small_talk(first) == "greeting" or thanks_in_front(text)):
        return rest
    if (opens := signals["greets_first"].match(text.lower())) and text[opens.end() :].strip():
        return text[opens.end() :].strip()
    behind = signals["note_ends"].search(text.lower())
    return text[: behind.start()].strip() if behind else text
