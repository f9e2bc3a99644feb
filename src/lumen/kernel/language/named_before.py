"""Who was named before a message, where it speaks of them with a pronoun, or in Russian with a verb alone.

Pure; what it gives is looked up, and never said.
"""

from __future__ import annotations

from collections.abc import Sequence

from lumen.kernel.language.mentions import Mention, followup_words, in_russian, mentions
from lumen.kernel.language.reading import QUOTED, WORD, language

LONGEST_BEFORE = 400  # characters of what was said before that are looked at
MOST_WORDS = 5  # of a question whose subject is left out
NOMINATIVE = 0
Exchanged = tuple[str, str]  # what was said, and the reply


def last_named(gender: str, spoken: str, exchanges: Sequence[Exchanged]) -> Mention | None:
    """Who was named last that a pronoun may mean: by the author first, then in what was quoted to them."""
    for said, reply in reversed(exchanges):
        quoted = " ".join(q[0].strip('„“”"«»') for q in QUOTED.finditer(reply))
        for text in (said[-LONGEST_BEFORE:], quoted[:LONGEST_BEFORE]):
            fitting = (one for one in mentions(text, spoken) if gender in one.genders)
            if (language(text) == spoken) and (one := next(fitting, None)):
                return one
    return None


def with_subject(message: str, exchanges: Sequence[Exchanged]) -> str:
    """A Russian question that leaves its subject out, with whom was named last: «Чем занимается?»; or nothing."""
    if language(message) != "ru" or mentions(message, "ru"):
        return ""
    words = followup_words("ru").patterns
    bare = words["opens"].sub("", message, count=1).strip(" ?!.,")
    said = WORD.findall(bare.lower())
    if not 1 < len(said) <= MOST_WORDS or not words["question"].match(bare):
        return ""
    if any(words["subject"].fullmatch(word) for word in said):
        return ""
    gender = next((g for g in "mfp" if words[f"verb_{g}"].search(said[-1])), "")
    genders = gender or ("mf" if words["verb_any"].search(said[-1]) else "")
    meant = next(((g, one) for g in genders if (one := last_named(g, "ru", exchanges))), None)
    if meant is None or not meant[1].person:
        return ""
    return f"{bare[0].upper()}{bare[1:]} {in_russian(meant[1], meant[0], NOMINATIVE)}?"
