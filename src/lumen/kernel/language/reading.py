"""What plain code can read off a message: its sentences, its kind, what it asks for.

Pure functions over text and the lexicon. They are signals, not understanding: what follows from
them is decided in the steps.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

from lumen.kernel.language.lexicon import AnswerKind, lexicon
from lumen.kernel.language.requests import request
from lumen.kernel.language.small_names import small_names, small_places, tells_who
from lumen.kernel.language.unmarked import asked_behind, opens_question

SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|\n+")
WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
NAME = re.compile(r"[^\W\d_][\w'’-]*")
POINT = re.compile(r"\b(?:\d{1,2}|Dr|Prof|St|Mr|Mrs|Ms|Nr|Fr|Hr)\.$")  # of no sentence
LONGEST_POINT = 5
ITEM = re.compile(
    r"(?:^|[:;]\s+)\d{1,2}[.)]$"
)  # "2. Boil the water": the number opens what stands behind it
LINKS = re.compile(r"['’]s$|['’]$")
CLAUSE_END = re.compile("[,.!?;…\\n—\N{EN DASH}]+|\\s-\\s")
CYRILLIC = re.compile(r"[\u0400-\u04ff]")
QUOTED = re.compile(r"„[^“”]*[“”]|“[^”]*”|\"[^\"]*\"|«[^»]*»")
LEAST_QUOTED = 4  # words
PASTED = re.compile(r"<!--.*?-->", re.DOTALL)  # what a page hides from who reads it
TEMPLATE = re.compile(
    r"\s*(?:<\|[^|<>\n]{0,40}\|>(?:\s*(?:system|user|assistant|developer|tool)\b)?"
    r"|\[/?INST\]|<</?SYS>>|</?s>)\s*",
    re.IGNORECASE,
)
Courtesy = Literal["farewell", "thanks", "greeting"]
Modality = Literal[Courtesy, "question", "task", "acknowledgement", "statement"]
COURTESIES: tuple[Courtesy, ...] = (
    "farewell",
    "thanks",
    "greeting",
)  # the one that comes first here names the message
LONGEST_COURTESY = 200
EDGES = " \t,;:.!?…\"'“”‘’()"
SHORT = 5
TELLS = 4  # words, a yes or no and a name among them, that tell something
UMLAUTS = frozenset("äöüß")
ASKS_WHAT = re.compile(r"Was [a-zäöüß]+(?:t|e|en)\b")  # a verb behind it: no English past
INSIDE_IM = re.compile(r"(\w+)\s+im\b")  # German; where a clause begins it is as well "I'm"
ROOT = 4  # letters that make two stems one word
SUFFIXES = ("ing", "ied", "ies", "ed", "es", "s", "e")


def sentences(text: str) -> list[tuple[int, int]]:
    """Where each sentence starts and stops."""
    spans: list[tuple[int, int]] = []
    start = 0
    for gap in [*SENTENCE_END.finditer(text), None]:
        if gap and (_goes_on(text, gap) or ITEM.search(text[start : gap.start()].strip())):
            continue
        stop = gap.start() if gap else len(text)
        if text[start:stop].strip():
            spans.append((start, stop))
        start = gap.end() if gap else stop
    return spans


def _goes_on(text: str, gap: re.Match[str]) -> bool:
    """Whether the point before a gap ends no sentence: "am 3. Mai", "Dr. Weiss"."""
    point = POINT.search(text, max(0, gap.start() - LONGEST_POINT), gap.start())
    after = WORD.match(text, gap.end())
    if point is None or after is None:
        return False
    named = after[0][0].islower() or after[0].lower() in lexicon().calendar
    return named if point[0][0].isdigit() else True


def words(text: str) -> list[str]:
    """The words that carry content, lower-case, in order, each once."""
    lex = lexicon()
    told = (LINKS.sub("", w.lower()) for w in WORD.findall(text))
    found = [w for w in dict.fromkeys(told) if w not in lex.empty]
    if lex.shared.isdisjoint(found) or language(text) != "de":
        return found
    return [w for w in found if w not in lex.shared]


def stem(word: str) -> str:
    """A word without its ending: near enough to match singular with plural."""
    for suffix in lexicon().endings if CYRILLIC.match(word) else SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word.removesuffix(suffix)
    return word


def stems(text: str) -> set[str]:
    """The content of a text, by stems."""
    return {stem(w) for w in words(text)}


def in_others_words(told: str, whole: str, question: str) -> bool:
    """Whether what a passage shares with a question stands only in words of others that the message quotes."""
    shared = stems(told) & stems(question)
    return bool(shared) and not shared & stems(own_words(whole))


def own_words(text: str) -> str:
    """A text without what it quotes of others and what a page hides in it; a few words in marks are a name."""
    return PASTED.sub(" ", QUOTED.sub(_unless_long, text))


def _unless_long(quote: re.Match[str]) -> str:
    return quote[0] if len(WORD.findall(quote[0])) < LEAST_QUOTED else " "


def plainly(text: str) -> str:
    """A text in lower case, on one line, with one kind of apostrophe, and with those that were left out."""
    return " ".join(apostrophes(text).lower().split())


def apostrophes(text: str) -> str:
    """A text with the apostrophes that people leave out: "im", "whats", "dont". German has an "im" of its own."""
    plain, left_out = text.replace("’", "'"), lexicon().left_out
    if not any(w in left_out for w in plain.lower().split()):
        return plain
    english = language(plain) == "en"

    def whole(word: re.Match[str]) -> str:
        said = left_out.get(word[0].lower(), "") if english else ""
        return said[0].upper() + said[1:] if said and word[0][0].isupper() else said or word[0]

    return WORD.sub(whole, plain)


def spelled_out(text: str) -> str:
    """A message with the words that people shorten when they type in haste: "u", «щас»."""
    short = lexicon().short[language(text)]
    if not any(w in short for w in WORD.findall(text.lower())):
        return text

    def whole(word: re.Match[str]) -> str:
        letter = len(word[0]) == 1 and word[0].isupper() and word.start() > 0  # a grade, a language
        said = "" if letter else short.get(word[0].lower(), "")
        return said.capitalize() if said and word[0][0].isupper() else said or word[0]

    return WORD.sub(whole, text)


def unframed(text: str) -> str:
    """A text without the marks that chat templates set between speakers."""
    return TEMPLATE.sub(" ", text).strip() if TEMPLATE.search(text) else text


def language(text: str) -> str:
    """The language of a text, of those the being speaks: by its letters, and by words of no other."""
    russian, latin = len(CYRILLIC.findall(text)), len(re.findall(r"[A-Za-z]", text))
    if russian > latin:
        return "ru"
    said, lex = WORD.findall(text.replace("’", "'")), lexicon()
    german = sum(w.lower() in lex.speaks["de"] or _is_umlauted(w) for w in said)
    german += sum(w.lower() in lex.hints for w in said) // 2 or bool(ASKS_WHAT.match(text))
    german += any(m[1].lower() not in lex.pronouns["before_im"] for m in INSIDE_IM.finditer(text))
    return "de" if german > sum(w.lower() in lex.speaks["en"] for w in said) else "en"


def _is_umlauted(word: str) -> bool:
    """Whether a word has letters that only German has here; a name may have them anywhere."""
    return word[0].islower() and not UMLAUTS.isdisjoint(word)


def names(text: str) -> set[str]:
    """Capitalised words inside a sentence: names of people, places and things, lower-case.

    German writes every noun so: what stands behind an article there is none.
    """
    found: set[str] = set()
    determiners = lexicon().determiners if language(text) == "de" else frozenset[str]()
    for start, stop in sentences(text):
        inside = list(NAME.finditer(text, start, stop))
        found |= {
            LINKS.sub("", w[0]).lower()
            for before, w in pairwise(inside)
            if w[0][0].isupper()
            and not w[0].startswith(("I'", "I’"))
            and w[0] != "I"
            and before[0].lower() not in determiners
        }
    return found - lexicon().calendar


def numbers(text: str) -> set[str]:
    """Figures, and numbers written as words."""
    found = {w.lower() for w in WORD.findall(text)}
    return {w for w in found if any(c.isdigit() for c in w)} | (found & lexicon().numbers)


def lacks(claim: str, text: str) -> bool:
    """Whether a name, day or number of a claim is missing from a text, or its subject is another."""
    calendar = lexicon().calendar
    held, asked = words(text), words(claim)
    roots = {stem(w) for w in held}
    told = names(claim) | (set(asked) & calendar)
    if any(stem(w) not in roots for w in told):
        return True
    figures, others = _figures(claim), _figures(text)
    if figures - others and not numbers(text) & lexicon().numbers:  # "three" may be the 3
        return True
    first, second = _subject(claim, asked), _subject(text, held)
    return bool(first and second) and stem(first) not in roots and second not in asked


def unsaid(claim: str, text: str) -> list[str]:
    """The words of a claim that carry content and are not in a text, in whatever form."""
    held = stems(text)
    return [w for w in words(claim) if not any(_same(stem(w), other) for other in held)]


def strays(claim: str, text: str) -> bool:
    """Whether most of what a claim says, names and framing aside, is nowhere in a text."""
    plain = words(claim)
    known = names(claim) | set(lexicon().found("framing", claim)) | {_subject(claim, plain)}
    told = [w for w in plain if w not in known]
    missing = set(unsaid(claim, text))
    return 2 * sum(w in missing for w in told) > len(told)


def _same(one: str, other: str) -> bool:
    """Whether two stems are of one word: "driv" and "driver"."""
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= ROOT and long.startswith(short))


def _figures(text: str) -> set[str]:
    """The digits of every number, so that 14th is 14."""
    return {"".join(c for c in w if c.isdigit()) for w in numbers(text)} - {""}


def _subject(text: str, content: list[str]) -> str:
    """The word a sentence opens with, where that is capitalised and carries content."""
    opening = WORD.search(text)
    word = LINKS.sub("", opening[0].lower()) if opening and opening[0][0].isupper() else ""
    return word if word in content else ""


def is_question(text: str) -> bool:
    """Whether a sentence asks, with or without its mark: people type "how old is bolt" too."""
    bare = text.strip().rstrip("\"'”’)")
    if bare.endswith("?"):
        return True
    asks = opens_question(bare) or _opens(bare, "asking") or bool(asked_behind(bare))
    return asks and not request(bare)


def tells_home(text: str) -> bool:
    """Whether the author says where they live: a later such statement replaces an earlier one."""
    return lexicon().has("home", text)


def _opens(text: str, signal: str) -> bool:
    return lexicon().signals[signal].match(text.lower().strip()) is not None


def modality(text: str) -> Modality:
    """What kind of message it is: question, task, greeting, farewell, thanks, and so on.

    A question that follows statements still makes the message a question: it waits for an answer.
    """
    if _opens(_without_nod(text), "task"):
        return "task"
    if any(is_question(text[a:b]) for a, b in sentences(text)[-2:]):
        return "question"
    if pleasantry := small_talk(text):
        return pleasantry
    if len(WORD.findall(text)) <= SHORT:
        for kind in ("greeting", "farewell", "thanks", "acknowledgement"):
            if _opens(text, kind) and not (kind == "acknowledgement" and _tells_besides(text)):
                return kind
    return "statement"


def _without_nod(text: str) -> str:
    """A text without the "lol ok." that it opens with, if more follows."""
    first, *more = sentences(text) or [(0, 0)]
    nods = more and len(WORD.findall(text[slice(*first)])) < TELLS
    return text[more[0][0] :] if nods and _opens(text, "acknowledgement") else text


def _tells_besides(text: str) -> bool:
    """Whether a yes or a no has something to tell behind it: a figure, what is so instead, or somebody."""
    if numbers(text) or lexicon().has("revision", text):
        return True
    return len(WORD.findall(text)) >= TELLS and bool(names(text))


def small_talk(text: str) -> Courtesy | Literal[""]:
    """Whether a message is a farewell, thanks or a greeting all through, whatever its length."""
    clauses = _clauses(text)
    kinds = [_courtesy(c) for c in clauses]
    if not kinds or not kinds[0]:
        return ""
    unknown = [c for c, kind in zip(clauses, kinds, strict=True) if not kind]
    if any(" " in c or any(x.isdigit() for x in c) for c in unknown):  # one word may be a name
        return ""
    return next(kind for kind in COURTESIES if kind in kinds)


def courtesies(text: str) -> set[str]:
    """The kinds of small talk among the clauses of a text."""
    return {kind for c in _clauses(text) if (kind := _courtesy(c))}


def _clauses(text: str) -> list[str]:
    clauses = CLAUSE_END.split(plainly(text[:LONGEST_COURTESY]))
    return [c for c in (c.strip(EDGES) for c in clauses) if c]


def _courtesy(clause: str) -> Courtesy | Literal[""]:
    patterns = lexicon().courtesies
    return next((kind for kind in COURTESIES if patterns[kind].fullmatch(clause)), "")


def asks_advice(text: str) -> bool:
    """Whether it asks what to do rather than what was told; "can I" only where it opens."""
    lex = lexicon()
    if lex.has("own_habit", plainly(text)):
        return False
    return lex.has("advice", text) or _opens(text, "permission")


def asks_how(text: str) -> bool:
    """Whether it asks how something is done or what there is to choose from, not what would be wise."""
    return lexicon().has("how_to", plainly(text)) or _opens(text, "permission")


def asks_for(question: str) -> AnswerKind | None:
    """The kind of answer a question wants, when its words say so."""
    for kind in lexicon().kinds.values():
        if kind.asks.search(question.lower()):
            return kind
    return None


def fits(kind: AnswerKind | None, text: str, question: str) -> bool | None:
    """Whether a text holds an answer of that kind that the question did not bring itself."""
    if kind is None:
        return None
    if kind.answers and kind.answers.search(text.lower()):
        return True
    figures = numbers(text) - numbers(question) if kind.numbers else set()
    if figures - lexicon().vague or (kind.names and names(text) - set(words(question))):
        return True
    if kind.names and ((small_names(text) - set(words(question))) or tells_who(text, question)):
        return True
    if kind is lexicon().kinds["place"] and small_places(text) - set(words(question)):
        return None
    # "The one morning" counts nothing, "one sister" does; "der Wastl" is a dog, "der Hund" is no name.
    return None if figures or (kind.names and language(text) == "de") else False
