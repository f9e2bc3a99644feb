"""The terms that a question's words may stand as, and how frequent those are."""

from __future__ import annotations

from collections.abc import Sequence
from re import compile as pattern

from lumen.core.canon import dumps
from lumen.soul.index.rows import Rows
from lumen.soul.index.terms import forms, is_german
from lumen.soul.ports.sessions import TermFrequency

WORD = pattern(r"\w[\w'’]*")
Form = tuple[str, TermFrequency]
NOWHERE = TermFrequency(0, 0)


def asked_terms(db: Rows, words: Sequence[str]) -> dict[str, list[list[Form]]]:
    """Of each word its parts, and of each part the terms it may stand as, and how often those are.

    Its German stem counts where the words look German or nothing else is known of it.
    """
    parts = {word: forms(word) for word in words if WORD.fullmatch(word)}
    wanted = dumps([*{term for forms in parts.values() for part in forms for term in part}])
    rows = db.rows(
        "SELECT term, n, sessions FROM json_each(?) JOIN frequency ON term = value",
        (wanted.decode(),),
    )
    counts = {str(term): TermFrequency(int(n), int(sessions)) for term, n, sessions in rows}
    german = is_german(words)
    return {
        word: [
            [
                (t, counts.get(t, NOWHERE))
                for t in (part if german or part[0] not in counts else part[:1])
            ]
            for part in of_word
        ]
        for word, of_word in parts.items()
        if of_word
    }
