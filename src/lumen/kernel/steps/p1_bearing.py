"""Perceive: whether what was told can bear on a question at all, by whom that is about and who said it."""

from __future__ import annotations

from lumen.kernel.language.asking import About, asks_why, gives_reason, speaks_to_being
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import apostrophes, asks_for, in_others_words, stems
from lumen.kernel.language.relatives import opens_with_another
from lumen.kernel.recall.evidence import Evidence


def is_about(subject: About, found: Evidence, question: str) -> bool:
    """Whether evidence can bear on a question at all, by whom that is about.

    What somebody said of themselves says nothing of the being, what somebody else said of themselves
    nothing of the author, what is told of the aunt nothing of the uncle, and no reason for how the world is stands in a sentence that gives none.
    """
    if subject == "being":
        return speaks_to_being(found.quote)
    if subject == "author" and lexicon().has("reported", found.quote):
        return False
    if in_others_words(found.quote, found.memory.text, question):
        return False
    if lexicon().has("favourite", question) and not _tells_favourite(found.quote, question):
        return False
    if opens_with_another(found.quote, question):
        return False
    return subject != "world" or not asks_why(question) or gives_reason(found.quote)


def _tells_favourite(told: str, question: str) -> bool:
    """Whether a sentence says what somebody likes, or names what is asked for: a blue car does neither."""
    return lexicon().has("likes", told) or bool(stems(told) & stems(question))


def speaks_as_much(question: str, one: Evidence, other: Evidence) -> bool:
    """Whether evidence speaks of what is asked about by a pronoun, or in as many words as another piece does.

    Only where a figure or a day is asked for: some name stands nearly everywhere, and answers nothing by that.
    """
    kind = asks_for(question)
    if kind is None or kind.names:
        return False
    asked, plain = stems(question), apostrophes(one.quote).replace("'", " ")
    return lexicon().has("refers", plain) or len(asked & stems(one.quote)) >= len(
        asked & stems(other.quote)
    )
