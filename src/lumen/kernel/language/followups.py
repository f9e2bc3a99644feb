"""What a follow-up means as a whole question: "And when?", "And my brother?", "How old is she?".

Pure: a message and the exchanges before it, in three languages; nothing where the message stands by itself.
Only what is looked up is completed: what was said stays as it was said. Why the last answer was given is no
follow-up of this kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from lumen.core.data import Author, Memory
from lumen.kernel.language.asking import about, asking
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.mentions import (
    Mention,
    followup_words,
    in_german,
    in_russian,
    mentions,
)
from lumen.kernel.language.money import shares
from lumen.kernel.language.named_before import (
    LONGEST_BEFORE,
    Exchanged,
    last_named,
    with_subject,
)
from lumen.kernel.language.put_instead import in_its_place
from lumen.kernel.language.questions import asked
from lumen.kernel.language.reading import is_question, language, modality, sentences
from lumen.kernel.language.sums import sum_asked
from lumen.kernel.language.times.phrases import phrases

LONGEST = 160  # characters of a message that may lean on another
EDGES = " \t.!?…,"
BEFORE_TIME = re.compile(r"\b(?:in|on|at|since|im|am|um|seit|в|во|на|с)\s+$", re.IGNORECASE)  # noqa: RUF001

# The verb beside "I", and beside anybody else.
BESIDE_I = {"am": "is", "do": "does", "have": "has"}
ENGLISH = re.compile(
    r"\b(?P<f>she|her|hers)\b|\b(?P<m>he|him|his)\b|\b(?P<p>they|them|their)\b|\b(?P<n>it|its)\b",
    re.IGNORECASE,
)
OWNERS = ("his", "her", "their", "its")
GERMAN_OWNER = re.compile(r"(?P<m>sein|seine[nmrs]?)|(?P<f>ihr|ihre[nmrs]?)")


def completed(message: str, exchanges: Sequence[Exchanged], name: str = "") -> str:
    """The whole question that a message asks after the exchanges before it, oldest first; or nothing."""
    message = message.strip()
    if exchanges and (whole := _another_share(message, exchanges[-1][0][-LONGEST_BEFORE:])):
        return whole
    if exchanges and not is_question(message) and (named := _only_names(message)):
        before = exchanges[-1][0]
        message = f"{message}?" if is_question(before) and named else message
    stands = len(message) > LONGEST or not is_question(message) or asked(message, name)[0]
    if not exchanges or stands or about(message, name) == "being":
        return ""
    if whole := _of_statement(message, exchanges):
        return whole
    *earlier, (said, reply) = exchanges
    said = completed(said, earlier, name) or said[-LONGEST_BEFORE:]
    frame = _frame(said, name)
    if frame and (whole := _in_frame(message, frame, name)):
        return whole
    every = [*earlier, (said, reply)]
    return _without_pronouns(message, every) or with_subject(message, every)


def restated(message: str, exchanges: Sequence[Exchanged]) -> str:
    """A statement with whom the author told of before in place of "she", "him" or "it"; or nothing.

    Only what the author stated counts: whom a question or a reply named may be anybody.
    """
    message = message.strip()
    told = [(said, "") for said, _ in exchanges if modality(said) == "statement"]
    if not told or len(message) > LONGEST or modality(message) != "statement":
        return ""
    for said, _ in reversed(told):
        if whole := in_its_place(message, said):
            return f"{message.strip(EDGES)}: {whole}"
    return put_right(message, exchanges) or _without_pronouns(message, told)


def put_right(message: str, exchanges: Sequence[Exchanged]) -> str:
    """A "no" that only gives another time, with the statement before it as it is then; or nothing.

    "No, on Tuesday" after "My exam is on Monday." For looking up: its grammar is of no matter.
    """
    told, new = _statement_before(exchanges), phrases(message)
    old = phrases(told)
    if len(new) != 1 or not old:
        return ""
    behind = message[new[0].stop :]
    if lexicon().signals["right_ends"].sub("", behind.lower()).strip(EDGES):
        return ""
    if not lexicon().signals["denies"].fullmatch(message[: new[0].start].lower()):
        return ""
    time = message[new[0].start : new[0].stop]
    return f"{message.strip(EDGES)}: {told[: old[0].start]}{time}{told[old[0].stop :]}"


def exchanges_in(recent: Sequence[Memory], *, private: bool = True) -> tuple[Exchanged, ...]:
    """What was said and answered; of what is private only a private message makes use."""
    return tuple(
        (said.text, reply.text)
        for said, reply in pairwise(recent)
        if said.session_key == reply.session_key
        and reply.author is Author.SELF
        and (private or not (said.private or reply.private))
    )


def _of_statement(message: str, exchanges: Sequence[Exchanged]) -> str:
    """What a bare question asks of the statement before it: "When was that?" after "Tom moved in May".

    What it asks for is left out of the statement, for it is what is looked for; the grammar is of no matter.
    """
    asks, told = _bare_question(message), _statement_before(exchanges)
    if not asks or not told:
        return ""
    named = asking(asks)
    if named.when:
        for time in reversed(phrases(told)):
            told = f"{BEFORE_TIME.sub('', told[: time.start])}{told[time.stop :]}"
    elif named.where:
        told = followup_words(language(told)).patterns["whereabouts"].sub("", told)
    told = " ".join(told.split()).strip(EDGES)
    opens = "" if told[:2] in ("I ", "I'", "I’") else told[:1].lower()
    return f"{asks[0].upper()}{asks[1:]} {opens or told[:1]}{told[1:]}?" if told else ""


def _bare_question(message: str) -> str:
    """The question word of a message that says nothing else."""
    words = followup_words(language(message)).patterns
    bare = words["opens"].sub("", message, count=1).strip(EDGES)
    opening = words["asks"].match(bare)
    alone = opening and words["exactly"].fullmatch(bare[opening.end() :])
    return opening[0] if opening and alone else ""


def _statement_before(exchanges: Sequence[Exchanged]) -> str:
    """The last statement, if nothing but bare questions came since."""
    for said, _ in reversed(exchanges):
        if modality(said) == "statement":
            last = [said[a:b] for a, b in sentences(said[-LONGEST_BEFORE:])][-1:]
            return last[0] if last else ""
        if not _bare_question(said):
            return ""
    return ""


def _frame(said: str, name: str) -> str:
    """The question that was asked last, if there is one that another may follow."""
    last = [said[a:b].strip() for a, b in sentences(said)][-1:]
    return last[0] if last and is_question(last[0]) and about(last[0], name) != "being" else ""


def _in_frame(message: str, frame: str, name: str) -> str:
    """A message that says only what is other than in the last question, put into that."""
    if whole := _another_time(message, frame):
        return whole
    if asked(frame, name)[0] or modality(frame) != "question":
        return ""
    return _another_question(message, frame) or _another_subject(message, frame)


def _another_share(message: str, said: str) -> str:
    """Another percentage in the sum before it: "And 20%?" after "What is 15% of 80?"."""
    words = followup_words(language(said)).patterns
    bare = words["opens"].sub("", message, count=1).strip(EDGES)
    new, before = shares(bare), shares(said)
    alone = len(new) == 1 and new[0] == (0, len(bare))
    if not alone or len(before) != 1 or not sum_asked(said):
        return ""
    return f"{said[: before[0][0]]}{bare}{said[before[0][1] :]}"


def _another_time(message: str, frame: str) -> str:
    """Another time in the last question: "And tomorrow?" after "What did I plan for today?"."""
    words = followup_words(language(frame)).patterns
    bare = words["opens"].sub("", message, count=1).strip(EDGES)
    found = phrases(bare)
    if len(found) != 1 or bare[: found[0].start].strip() or bare[found[0].stop :].strip():
        return ""
    before = phrases(frame)
    if not before:
        return ""
    return f"{frame[: before[0].start]}{bare}{frame[before[0].stop :]}"


def _another_question(message: str, frame: str) -> str:
    """Another thing to know: "And when?" after "Where did my sister move?"."""
    words = followup_words(language(frame)).patterns
    bare = words["opens"].sub("", message, count=1).strip(EDGES)
    opening = words["asks"].match(bare)
    if opening is None or not words["exactly"].fullmatch(bare[opening.end() :]):
        return ""
    asks = opening[0]
    frame = words["opens"].sub("", frame, count=1)
    before = words["question"].match(frame)
    rest = frame[before.end() :] if before else f" {frame[0].lower()}{frame[1:]}"
    return f"{asks[0].upper()}{asks[1:]}{rest}" if rest.strip(EDGES) else ""


def _another_subject(message: str, frame: str) -> str:
    """Somebody or something else: "And my brother?" after "Where does my sister live?"."""
    spoken = language(frame)
    words = followup_words(spoken).patterns
    opening = words["about"].match(message)
    bare = message[opening.end() :].strip(EDGES) if opening else ""
    if not bare or not message.rstrip().endswith("?"):
        return ""
    if spoken == "en" and bare.lower() in ("me", "i", "mine"):
        return _about_author(frame)
    new = _named_alone(words["behind_some"].sub("", bare, count=1), spoken)
    if new is None:
        return ""
    slot = _slot(new, mentions(frame, spoken))
    if slot:
        said = _as_there(new, slot, spoken)
        return f"{frame[: slot.start]}{said}{frame[slot.stop :]}"
    return _in_authors_place(new, frame) if spoken == "en" and new.person else ""


def _only_names(message: str) -> bool:
    """Whether a message without a mark says nothing but an "and" and whom or what: "and mum"."""
    spoken = language(message)
    opening = followup_words(spoken).patterns["about"].match(message)
    bare = message[opening.end() :].strip(EDGES) if opening else ""
    return bool(bare) and _named_alone(bare, spoken) is not None


def _named_alone(bare: str, spoken: str) -> Mention | None:
    """Who or what is named, where that is all a text says."""
    plain = f"… {bare}"  # a name that opens a sentence is not known for one
    found = [one for one in mentions(plain, spoken) if one.start == 2]
    whole = found and plain[found[0].stop :].strip(EDGES).strip("'’s") == ""
    return found[0] if whole else None


def _slot(new: Mention, there: list[Mention]) -> Mention | None:
    """What of a question gives way to something named anew: somebody to somebody, a thing to a thing."""
    alike = [one for one in there if one.person == new.person]
    if alike and (new.person or new.owned == alike[0].owned):
        return alike[0]
    if new.person:
        return None
    return next((one for one in there if one.owned == new.owned), None)


def _as_there(new: Mention, slot: Mention, spoken: str) -> str:
    """A mention as it stands where another stood: owned as that was, and in its case."""
    if spoken == "ru":
        words = followup_words("ru")
        mine, old = words.forms.get(new.noun.lower()), words.forms.get(slot.noun.lower())
        if mine and old and slot.owned and not new.owned:
            case = old[1].index(slot.noun.lower())
            case = case or mine[1].index(new.noun.lower())
            return f"{words.raw['owners'][mine[0]].split()[case]} {new.noun}"
        return new.text
    if spoken == "de" and new.owned and new.person and not slot.text.lower().startswith("meine"):
        return in_german(new, _first(new.genders), "nom")
    return new.text


def _first(genders: str) -> str:
    return next((g for g in genders if g in "fmp"), "m")


def _in_authors_place(new: Mention, frame: str) -> str:
    """A question about the author as one about somebody else: "am I" becomes "is my wife"."""
    turned = re.sub(
        r"\b(am|do|have|was|did|can|will|should|had) I\b",
        lambda m: f"{BESIDE_I.get(m[1].lower(), m[1])} {new.text}",
        frame,
        count=1,
        flags=re.IGNORECASE,
    )
    if turned != frame:
        return turned
    owned = re.sub(r"\bmy\b", f"{new.text}'s", frame, count=1, flags=re.IGNORECASE)
    return owned if owned != frame else ""


def _about_author(frame: str) -> str:
    """A question about somebody as one about the author: "And me?"."""
    slot = next((one for one in mentions(frame, "en") if one.person), None)
    if slot is None:
        return ""
    if slot.owns:
        after = re.sub(r"^['’]s?", "", frame[slot.stop :])
        return f"{frame[: slot.start]}my{after}"
    before = frame[: slot.start]
    for first, other in BESIDE_I.items():
        before = re.sub(rf"\b{other} $", f"{first} ", before)
    return f"{before}I{frame[slot.stop :]}"


def _without_pronouns(message: str, exchanges: Sequence[Exchanged]) -> str:
    """A question with the one it speaks of in place of "she", "him" or "its"."""
    spoken = language(message)
    if followup_words(spoken).patterns["filler"].search(message):
        return ""
    own = mentions(message, spoken)
    whole, at = "", 0
    for start, stop, gender, case in _pronouns(message, spoken):
        if any(gender in one.genders and one.start < start for one in own):
            continue
        meant = last_named(gender, spoken, exchanges)
        if meant is None:
            continue
        said = _in_case(meant, gender, case, spoken)
        whole, at = f"{whole}{message[at:start]}{said}", stop
    return _opened(f"{whole}{message[at:]}", spoken) if whole else ""


def _opened(question: str, spoken: str) -> str:
    """A question as it opens by itself, without an "and"."""
    bare = followup_words(spoken).patterns["opens"].sub("", question, count=1)
    return f"{bare[0].upper()}{bare[1:]}"


def _in_case(one: Mention, gender: str, case: str, spoken: str) -> str:
    if spoken == "ru":
        return in_russian(one, gender, int(case))
    if spoken == "de":
        return in_german(one, gender, case)
    said = re.sub(r"^an?\b", "the", one.text, flags=re.IGNORECASE)
    said = f"{said[0].lower()}{said[1:]}" if one.owned or said[:3].lower() == "the" else said
    return f"{said}'s" if case == "gen" else said


def _pronouns(message: str, spoken: str) -> list[tuple[int, int, str, str]]:
    """The pronouns of the third person in a message: where, of which gender, in which case."""
    if spoken == "en":
        return [_english(message, one) for one in ENGLISH.finditer(message)]
    found: list[tuple[int, int, str, str]] = []
    for one in re.finditer(r"\w+", message):
        read = _russian if spoken == "ru" else _german
        if known := read(message, one):
            found.append((one.start(), one.end(), *known))
    return found


def _english(message: str, one: re.Match[str]) -> tuple[int, int, str, str]:
    gender = next(k for k, v in one.groupdict().items() if v)
    after = re.match(r"\s+([\w-]+)", message[one.end() :])
    words = followup_words("en").patterns
    owns = one[0].lower() in OWNERS and (
        one[0].lower() != "her" or bool(after and not words["place"].fullmatch(after[1]))
    )
    return one.start(), one.end(), gender, "gen" if owns else "nom"


def _russian(message: str, one: re.Match[str]) -> tuple[str, str] | None:
    raw, words = followup_words("ru").raw, followup_words("ru").patterns
    word = one[0].lower()
    gender = next((g for g, forms in raw["pronouns"].items() if word in forms), "")
    if not gender:
        return None
    case = raw["pronouns"][gender][word]
    before = re.search(r"(\w+)\s+$", message[: one.start()])
    if word.startswith("н") and before:
        case = raw["behind"].get(before[1].lower(), case)
    after = re.match(r"\s+(\w+)", message[one.end() :])
    if words["whose"].fullmatch(word) and after and not words["verbal"].search(after[1]):
        case = 1  # whose it is
    return gender, str(case)


def _german(message: str, one: re.Match[str]) -> tuple[str, str] | None:
    word, raw = one[0], followup_words("de").raw["pronouns"]
    if word == "Sie" and one.start():
        return None  # "you", said politely
    after = re.match(r"\s+([A-ZÄÖÜ]\w+)", message[one.end() :])
    owner = GERMAN_OWNER.fullmatch(word.lower())
    if owner and after:
        return next(k for k, v in owner.groupdict().items() if v), "gen"
    several = re.search(r"\b(?:sind|haben|\w+en)\s+$", message[: one.start()])
    genders = ("p", "m") if several else ("f", "m", "p")
    gender = next((g for g in genders if word.lower() in raw[g]), "")
    return (gender, raw[gender][word.lower()]) if gender else None
