"""Whether memories say what they are cited for: by their words, and by meaning.

A memory speaks for a change of self by what it states about the author or the being: not by a
question, not by a quotation, and not by what it tells of somebody else. How near two texts are is
asked of the built-in embedder; the thresholds come from the pairs in tests/kernel/test_support.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lumen.core.data import Author, EventType, Memory, Origin
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import is_question, names, numbers, sentences, stem, words
from lumen.kernel.language.thresholds import in_force

LOOKED_AT = 2000  # characters of a memory
MOST_SENTENCES = 8
QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|(?<!\w)['‘][^'’]{3,}['’](?!\w)")
CLAUSE = re.compile(r"\s*[,;:—]\s*|\s+(?:and|but|that|because|while|who|which|so)\s+", re.I)
REPORTS = re.compile(
    r"(?:says?|said|wants?|wanted|told|tells?|thinks?|thought|hopes?|hoped|likes?|liked|loves?"
    r"|loved|hates?|believes?|wishes|plans?|decided|asked|asks)\b"
)


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near words and sentences must be for one to speak for another."""

    means: float  # how near a proposal must be to what speaks for it
    plainly: float  # so near, it need not share words
    met: float  # a word is met by one so near to it
    strange: float  # a word that nothing comes so near to was never spoken of


NEARNESS = Nearness(**in_force("support"))
Likeness = Callable[[tuple[str, ...], str], tuple[float, ...]]


def may_speak(memory: Memory) -> bool:
    """Whether a memory can speak for a change of self at all.

    What the author said, and what the being did. Not what it replied or once made of itself:
    those are a model's words, and would speak for themselves.
    """
    said = memory.event_type is EventType.AUTHOR_MESSAGE and memory.origin is Origin.AUTHOR
    did = (
        memory.event_type is EventType.WORLD_ACTION
        and memory.origin is Origin.SELF
        and memory.author is Author.SELF
    )
    return said or did


def speaking(
    text: str, cited: Iterable[Memory], known: Iterable[str], likeness: Likeness
) -> tuple[int, ...]:
    """Those among the cited memories that say it; `known` are names that need not be told."""
    framing = {w for name in known for w in words(name)} | set(lexicon().found("framing", text))
    return tuple(
        memory.seq
        for memory in cited
        if may_speak(memory) and _says(text, _stated(memory.text), framing, likeness)
    )


def _stated(text: str) -> list[str]:
    """What a memory states about the author or the being, sentence by sentence."""
    text = text[:LOOKED_AT]
    plain = [text[a:b] for a, b in sentences(text) if not is_question(text[a:b])]
    own = [" ".join(_own_clauses(QUOTED.sub(" ", one))) for one in plain[:MOST_SENTENCES]]
    return [one for one in own if words(one)]


def _own_clauses(sentence: str) -> list[str]:
    """The clauses that are about no third person; one without a subject goes with the last."""
    kept, others = [], False
    for clause in filter(None, CLAUSE.split(sentence)):
        first = clause.split()[0]
        speaker = lexicon().has("first_person", first) or lexicon().has("second_person", first)
        if _about_others(clause):
            others = True
        elif speaker and not clause.casefold().startswith(("my ", "our ", "me ", "us ")):
            others = False
        if not others:
            kept.append(clause)
    return kept


def _about_others(clause: str) -> bool:
    """Whether a clause begins with somebody else, or a name that says, wants or thinks."""
    if lexicon().signals["others"].match(clause.casefold()):
        return True
    first, _, rest = clause.partition(" ")
    return first[:1].isupper() and first != "I" and REPORTS.match(rest) is not None


def _says(text: str, stated: Sequence[str], framing: set[str], likeness: Likeness) -> bool:
    asked = [w for w in words(text) if w not in framing]
    told = (numbers(text) | names(text)) - framing
    whole = " ".join(stated)
    if not stated or not asked or not told <= {*words(whole), *numbers(whole)}:
        return False
    nearness = max(likeness(tuple(dict.fromkeys([*stated, whole])), text))
    met = [_met(word, words(whole), likeness) for word in asked]
    if min(met) < NEARNESS.strange or nearness < NEARNESS.means:
        return False
    return nearness >= NEARNESS.plainly or 3 * sum(n >= NEARNESS.met for n in met) >= 2 * len(met)


def _met(word: str, held: list[str], likeness: Likeness) -> float:
    if stem(word) in {stem(w) for w in held}:
        return 1.0
    return max(likeness(tuple(held), word))
