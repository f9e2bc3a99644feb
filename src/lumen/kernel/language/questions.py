"""What a message asks of the being itself: the time, its values, what it knows of the author.

Pure: a sentence matches as a whole or not at all, so "what time is my dentist appointment" is
recall's to answer. The patterns stand in the lexicon, the answers in answers/.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

from lumen.kernel.language.asking import about
from lumen.kernel.language.clock_sums import clock_sum
from lumen.kernel.language.lexicon import FOLDER, NAMED_DAY, lexicon
from lumen.kernel.language.may_take import may_take
from lumen.kernel.language.reading import (
    EDGES,
    QUOTED,
    WORD,
    asks_advice,
    asks_for,
    fits,
    is_question,
    modality,
    plainly,
    sentences,
    stems,
)
from lumen.kernel.language.requests import request
from lumen.kernel.language.times.phrases import masked
from lumen.kernel.language.unmarked import asked_behind

MOST_WORDS = 16  # of a question about the being; a longer one tells something besides
KNOWN = re.compile(r"\b(?:what|woran|was|что|о чём|о чем)\b")  # noqa: RUF001 - Russian
OF_ONE_THING = re.compile(r"\b(?:about|über|про) (?!me\b|us\b|mich\b|uns\b|меня\b|нас\b)")
MOST = 300  # characters of a sentence that may be such a question
NOTHING = ""
DESPAIR, INSULT, APOLOGY = "despair", "insult", "apology"
MOST_PARTS = 3  # questions of one message that are answered one by one
MOST_BEFORE = 3  # sentences before a question that may answer it
LONGEST = 4_000  # characters of a message that are looked through for despair


def asked(text: str, name: str = "") -> tuple[str, re.Match[str] | None]:
    """The kind of question, and how it matched; the last sentences of a message count.

    `name` is the being's: it may stand before a question or behind it. That the author wants to
    die comes before all else, wherever in the message it stands.
    """
    found = asked_surely(text, name)
    return found if found[0] else (asked_by_topic(text, name), None)


def asked_surely(text: str, name: str = "") -> tuple[str, re.Match[str] | None]:
    """What a sentence asks as a whole, word by word, or by how it opens; and how it matched."""
    if despairs(text):
        return DESPAIR, None
    if whole := _whole(text, name):
        return whole
    return requested(text, name)[0] or ("clock_sum" if clock_sum(text) else NOTHING), None


def asked_by_topic(text: str, name: str = "") -> str:
    """What some word of a message lets it ask, where nothing surer is known of it."""
    if kind := _topic_of_being(_last(text), name):
        return kind
    if may_take(text):
        return "may_take"
    return "said_here" if said_here(text) else NOTHING


def _whole(text: str, name: str) -> tuple[str, re.Match[str]] | None:
    """The kind of which a sentence of a message is as a whole, and how it matched."""
    spoken = sentences(text)
    besides = {INSULT} if is_question(text) else set[str]()  # what is asked beside it is answered
    besides |= {APOLOGY} if len(spoken) > 1 else set()  # and what is told beside it counts
    for start, stop in reversed(spoken[-2:]):
        for plain in _bare(text[start:stop], name):
            for kind, pattern in lexicon().asks.items():
                if kind not in besides and (found := pattern.fullmatch(plain)):
                    return kind, found
    return None


def _topic_of_being(question: str, name: str = "") -> str:
    """The kind of question about the being, by a word of it; empty: about something else.

    That it is about the being is read first; so a new way to ask the same needs no pattern of its own.
    """
    question = QUOTED.sub(" ", question)
    if not is_question(question) or len(WORD.findall(question)) > MOST_WORDS:
        return ""
    if asks_advice(question) or about(question, name) != "being":
        return ""
    plain = plainly(question)
    kind = next((kind for kind, words in _topics().items() if words.search(plain)), "")
    if kind != "keeps" or not KNOWN.match(plain):
        return kind
    return NOTHING if OF_ONE_THING.search(plain) else "known"  # which recall knows best


@cache
def _topics() -> dict[str, re.Pattern[str]]:
    raw = tomllib.loads((FOLDER / "topics.toml").read_text("utf-8"))
    return {kind: re.compile(rf"(?<!\w)(?:{words})") for kind, words in raw.items()}


def _last(text: str) -> str:
    """The sentence a message ends with."""
    return next((text[a:b].strip() for a, b in reversed(sentences(text))), "")


def questions_in(text: str) -> tuple[str, ...]:
    """The questions of a message that has more than one, each by itself; none where it has one at most.

    A half that leaves out what the other names ("and when?", "and what does she do?") is no question
    by itself.
    """
    found = [q for a, b in sentences(text) if is_question(q := text[a:b].strip())]
    parts = [part for q in found for part in _halves(q)]
    alone = all(
        asked(part)[0] or (stems(part) and not lexicon().has("refers", part)) for part in parts
    )
    return tuple(parts) if 1 < len(parts) <= MOST_PARTS and alone else ()


def _halves(question: str) -> list[str]:
    """A question at the "and" between two, where what follows it opens as one."""
    joint = lexicon().signals["joins_questions"]
    opens = any(joint.match(f" {word} {question.lower()}") for word in ("and", "und", "и"))
    cuts = list(joint.finditer(question)) if opens else []
    starts = [0, *(j.end() for j in cuts)]
    ends = [*(j.start() for j in cuts), len(question)]
    halves = [question[a:b].strip(" ,") for a, b in zip(starts, ends, strict=True)]
    return [h if h.endswith("?") else f"{h}?" for h in halves]


def requested(text: str, name: str = "") -> tuple[str, str]:
    """The kind of act that a message asks for, and the sentence that does; a question behind it comes first."""
    for start, stop in reversed(sentences(text)[-2:]):
        sentence = text[start:stop].strip()
        spoken = re.compile(rf"^(?:hey |hi )?{re.escape(name)}[,:]? ", re.IGNORECASE)
        if kind := request(spoken.sub("", sentence) if name else sentence):
            return kind, sentence
        if is_question(sentence):
            break
    return NOTHING, ""


def said_here(text: str) -> str:
    """The sentence of a message that answers the question the same message ends with; or nothing."""
    *told, last = [text[a:b] for a, b in sentences(text)] or [""]
    wanted = stems(last)
    if not told or not wanted or not is_question(last):
        return NOTHING
    kind = asks_for(last)
    for said in reversed(told[-MOST_BEFORE:]):
        if wanted < stems(said) and not is_question(said) and fits(kind, said, last) is not False:
            return said
    return NOTHING


def despairs(text: str) -> bool:
    """Whether the author says, in words of their own, that they want to die or to hurt themselves."""
    lex = lexicon()
    if not lex.has("may_be_despair", text[:LONGEST]):
        return False
    plain = QUOTED.sub(" ", text[:LONGEST].lower().replace("’", "'"))
    plain = re.sub(r"\b(do|ca|wo|did)nt\b", r"\1n't", plain)
    said = [" ".join(plain[a:b].split()) for a, b in sentences(plain)]
    if any(lex.has("despair_here", s) for s in said) and not lex.has("leaves_place", plain):
        return True
    return any(lex.has(DESPAIR, s) and not lex.has("not_despair", s) for s in said)


def after_despair(text: str) -> str:
    """What a message says to the question whether they are in danger; nothing: it is about else."""
    plain, signals = plainly(text[:MOST]).strip(EDGES), lexicon().signals
    if is_question(text):
        return NOTHING
    if signals["yes"].fullmatch(plain):
        return "despair_danger"
    still = signals["still_despair"].fullmatch(plain) or lexicon().has("grave", plain)
    return "despair_after" if still else NOTHING


def may_answer(passage: str) -> bool:
    """Whether a passage may answer something: no question, no order to close, no despair."""
    closes = lexicon().has("closes", QUOTED.sub(" ", passage))  # tells of no deed
    plain = plainly(passage[:MOST]).strip(EDGES)
    closes = closes or lexicon().asks["delete"].fullmatch(plain) is not None
    asks = is_question(passage) or lexicon().has("fiction", passage)
    return not (asks or closes or despairs(passage))


def tells_something(text: str) -> bool:
    """Whether a message tells something: no question, no request, no small talk."""
    return modality(text) == "statement" and asked(text)[0] in (NOTHING, "remind")


def _bare(sentence: str, name: str) -> list[str]:
    """A sentence in lower case without its marks; as it is, and without the one spoken to.

    Both once more with its times masked, for the questions that may be about any day.
    """
    told = [sentence[:MOST], masked(sentence[:MOST], NAMED_DAY)]
    told += [behind] if (behind := asked_behind(sentence[:MOST].strip(EDGES))) else []
    plain = [plainly(t).strip(EDGES) for t in dict.fromkeys(told)]
    if not name:
        return plain
    spoken = rf"(?:(?:hey|hi|ok|okay|dear|hallo|liebe|lieber|привет),? )?{re.escape(name.lower())}"
    alone = re.compile(rf"^{spoken}[,:]? |,? {re.escape(name.lower())}$")
    return [*plain, *(alone.sub("", p).strip(EDGES) for p in plain)]
