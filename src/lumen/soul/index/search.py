"""Memories found by their words: by the rarest of them, as BM25 has it for texts that hold each once.

How much its terms tell is added up for every text, and only of the best it is looked up how long they are:
looking it up for every text, as FTS5 does, takes most of its time. How often a text holds a term is for
whoever ranks what was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from re import compile as pattern

from lumen.core.canon import dumps, loads
from lumen.soul.index.rows import Rows
from lumen.soul.index.terms import forms, is_german
from lumen.soul.ports.sessions import TermFrequency
from lumen.soul.ports.vectors import LATEST

POSTINGS = 2_500  # texts that are looked at for one question
FEW, TELLING = 100, 0.3  # of more than a few texts, a term that is in a larger part tells nothing
LOOKED_AT = 200  # texts, at least, whose length counts
K1, B = 1.2, 0.75
WORD = pattern(r"\w[\w'’]*")
Form = tuple[str, TermFrequency]  # a term that a word may stand as, and how frequent that is
NOWHERE = TermFrequency(0, 0)
_FOUND = (
    "FROM words WHERE words MATCH ?1 AND rowid < ?2 AND (?3 IS NULL OR EXISTS "
    "(SELECT 1 FROM utterances u WHERE u.seq = words.rowid AND u.day <= ?3))"
)
_LENGTHS = (  # in the order asked for; one that nobody said is taken to be as long as most
    "SELECT json_group_array(coalesce(length, ?2)) FROM "
    "(SELECT length FROM json_each(?1) LEFT JOIN utterances ON seq = value)"
)


def asked_terms(db: Rows, words: Sequence[str]) -> dict[str, list[list[Form]]]:
    """Of each word its parts, and of each part the terms it may stand as, and how often those are.

    Its German stem counts where the words look German or nothing else is known of it.
    """
    parts = {word: forms(word) for word in words if WORD.fullmatch(word)}
    wanted = dumps([*{term for forms in parts.values() for part in forms for term in part}])
    rows = db.rows(
        "SELECT term, n, sessions FROM json_each(?) CROSS JOIN frequency ON term = value",
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


def search(
    db: Rows, words: Sequence[str], limit: int, before: int, until: int | None
) -> list[tuple[int, float]]:
    """Events of any of some words by BM25, best first.

    Only the rare terms are looked for, as many as stand in POSTINGS texts together, and none beside
    the rarest that is in a large part of all. Where even the rarest is in more than POSTINGS, its
    newest are found, all with one score.
    """
    total = db.row("SELECT n FROM frequency WHERE term = ''")
    rare = _rare(db, words, int(total[0]) if total else 0)
    if not rare or limit < 1:
        return []
    telling = {term: max(log((total[0] - n + 0.5) / (n + 0.5)), 1e-6) for term, n in rare.items()}
    if max(rare.values()) > POSTINGS:
        found = newest(db, rare, limit, before, until)
        return [(seq, next(iter(telling.values()))) for seq in found]
    return _best(db, telling, limit, (before, until))


def newest(
    db: Rows, terms: Iterable[str], limit: int, before: int = LATEST, until: int | None = None
) -> list[int]:
    """The newest memories that hold any of some terms."""
    return db.numbers(
        f"SELECT rowid {_FOUND} ORDER BY rowid DESC LIMIT ?4",
        (" OR ".join(f'"{term}"' for term in terms), before, until, limit),
    )


def _rare(db: Rows, words: Sequence[str], total: int) -> dict[str, int]:
    """The terms that are looked for, the rarest first, and in how many texts each is."""
    most = total * TELLING if total > FEW else total
    parts = (part for parts in asked_terms(db, words).values() for part in parts)
    known = {term: n.memories for part in parts for term, n in part if n.memories}
    rare: dict[str, int] = {}
    for term in sorted(known, key=lambda term: (known[term], term)):
        if rare and (known[term] > most or sum(rare.values()) + known[term] > POSTINGS):
            break
        rare[term] = known[term]
    return rare


def _best(
    db: Rows, telling: Mapping[str, float], limit: int, bound: tuple[int, int | None]
) -> list[tuple[int, float]]:
    """Texts by how much their terms tell together, and of the best of those the short ones before the long."""
    import numpy as np  # which others do without

    # As one value: handing over a row for each would take longer than finding them.
    asked = f"SELECT json_group_array(rowid) {_FOUND}"
    lists = [loads(db.row(asked, (f'"{term}"', *bound))[0]) for term in telling]
    seqs, places = np.unique(np.concatenate([*map(np.array, lists)]), return_inverse=True)
    told = np.repeat([*telling.values()], [*map(len, lists)])
    sums = np.bincount(places, weights=told, minlength=len(seqs))
    some = np.lexsort((-seqs, -sums))[: max(LOOKED_AT, 2 * limit)]
    seqs, sums = seqs[some], sums[some]
    spoken = db.row("SELECT length / max(n, 1.0) FROM sessions WHERE id = 0") or (1,)
    lengths = db.row(_LENGTHS, (dumps(seqs.tolist()).decode(), *spoken))
    norm = K1 * (1 - B + B * np.array(loads(lengths[0])) / spoken[0])
    scores = sums * (K1 + 1) / (1 + norm)
    best = np.lexsort((seqs, -scores))[:limit]
    return [*zip(seqs[best].tolist(), scores[best].tolist(), strict=True)]
