"""Whether a statement gives the same attribute of the same subject another value than one before.

Signals read off the words: who or what a sentence is about, which words beside names and figures it
shares with the other, and what kind of value it gives. Pure functions over the lexicon.
"""

from __future__ import annotations

import re

from lumen.kernel.language.asking import asking
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.put_instead import in_its_place, put_instead
from lumen.kernel.language.reading import (
    CYRILLIC,
    LINKS,
    WORD,
    asks_for,
    language,
    names,
    numbers,
    plainly,
    sentences,
    stem,
    stems,
    tells_home,
    words,
)
from lumen.kernel.language.times.phrases import names_hour, names_time

ME = "\N{BULLET}"  # the author, as a subject: no word is spelled so
LEAD = re.compile(r"^[^.!?:]{1,30}:\s+")
PLACED = re.compile(
    r"\b(?:in|at|to|from|near|of|via|nach|aus|bei)\s+([^\W\d_][\w'’-]*)", re.IGNORECASE
)
# Who lives elsewhere, in a clause behind a comma that leaves "lives" out.
LIVES_TOO = re.compile(
    r"[,;]?\s(?:(?:а|и|но)\s+([^,;.!?]{2,60}?)\s+(?:[—–-]\s+)?(?:в|во|на|под)|(?:und|aber)\s+([^,;.!?]{2,60}?)\s+in)\s+(?=\w)"  # noqa: RUF001 - Russian
)
VERB = re.compile(
    r"(?<!\w)[а-яё]+(?:[её]т|ит|[уюя]т|л[аои]?|ся|сь)(?!\w)"  # noqa: RUF001 - Russian
)  # by its ending, small letters
MOST_SUBJECT = 3  # words
CLAUSE = re.compile(r"\s*[,;]\s*(?:(?:and|und|\u0430)\s+)?|\s+(?:and|but|und|aber|и|но)\s+")


def same_attribute(new: str, old: str) -> bool:
    """Whether a statement can take the place of an earlier one."""
    about, shared = subject(old), stems(new) & stems(old)
    if same_fact(new, old):
        return True
    if _instead(new) or _tell_figures_apart(new, old):  # what it takes back was said elsewhere
        return False
    if ME in about:
        return ME in subject(new) and (bool(shared - values(new) - values(old)) or homes(new, old))
    if CYRILLIC.search(new):
        if homes(new, old):
            return False
        shared -= _first(new) & _first(old)
    held = stems(new) | names(new)
    if about and not {stem(w) for w in about} & held:
        return False
    beyond = shared - {stem(w) for w in about}
    return (
        bool(beyond - values(new) - values(old))
        or homes(new, old)
        or (tells_value(new) and tells_value(old))
    )


def is_plain_fact(text: str) -> bool:
    """Whether a text says where the author lives or how old they are, or how old somebody is.

    Or where somebody lives, unless in English; or what is no longer so: "not the 3rd but the 5th".
    """
    plain = any(lexicon().has(s, text) for s in ("home", "age")) or sets_right(text)
    return plain or bool(_counted(text)) or (language(text) != "en" and _lives(text))


def same_fact(new: str, old: str) -> bool:
    """Whether both say where the author lives, how old they are, or the same of the same person.

    Or whether one says "not the 3rd but the 5th" of the other. So plain that how near the two are in
    meaning need not be asked.
    """
    for signal in ("home", "age"):
        if lexicon().has(signal, new) and lexicon().has(signal, old):
            return True
    if in_its_place(new, old):
        return True
    if taken_back := _instead(new):
        return taken_back <= figures_and_days(old) | stems(old)
    if (who := _counted(new)) and any(who <= one or one <= who for one in _all_counted(old)):
        return True
    if language(new) == "en" or any(map(tells_home, (new, old))):
        return False
    return any(one & other for one in _living(new) for other in _living(old))


def openly_revises(new: str, old: str) -> bool:
    """Whether a statement says by its own words, or by what it tells, that another one no longer holds."""
    return lexicon().has("revision", new) or same_fact(new, old) or _tells_another_value(new, old)


def _tells_another_value(new: str, old: str) -> bool:
    """Whether both tell a figure or a day of what two more words of both name."""
    named = (stems(new) & stems(old)) - values(new) - values(old)
    return (
        len(named) > 1 and bool(figures_and_days(new) - figures_and_days(old)) and tells_value(old)
    )


def renews(new: str, old: str) -> bool:
    """Whether a statement tells who or what a new one of something is, and another speaks of that."""
    found = lexicon().signals["renews"].search(plainly(new))
    what = stems(next(filter(None, found.groups()))) if found else set()
    return bool(what) and what <= stems(old)


def gone(text: str) -> set[str]:
    """What a sentence says that somebody no longer has, as stems; whose it was is no part of that."""
    found = lexicon().signals["gone"].finditer(text.lower())
    named = (thing for one in found for thing in one.groupdict().values() if thing)
    owners = ("'s", "’s")
    return {s for thing in named for w in thing.split() if not w.endswith(owners) for s in stems(w)}


def still_holds(question: str, old: str, new: str) -> bool:
    """Whether a question is about somebody of whom a statement still holds that another one revised.

    "Mother lives in Tula, Kostya in Omsk" tells of two: where one moved says nothing of the other.
    """
    moved, asked = _living(new), stems(question)
    left = [who for who in _living(old) if not any(who & one for one in moved)]
    return bool(moved) and any(who & asked for who in left)


def leaves_alone(question: str, old: str, new: str) -> bool:
    """Whether a question is about something that a statement says and the one that revised it does not.

    "I am 35, not 34" says nothing of where the author lives, though both stood in one sentence before.
    """
    asked, kind = asking(question), asks_for(question)
    if asked.where and homes(new, old):
        return False
    if asked.when and _times_anew(question, old, new):
        hour_kept = names_hour(old) and not names_hour(new)
        return hour_kept and lexicon().has("asks_hour", question)
    figures = kind is not None and kind.numbers
    if figures and any(_counted(new) & one for one in _all_counted(old)):
        return False
    counts = asked.when or figures
    if counts and not figures_and_days(old) - figures_and_days(new) - _instead(new):
        return False  # every figure and day of it is told anew, or taken back
    return bool(stems(question) & (stems(old) - stems(new)))


def _times_anew(question: str, old: str, new: str) -> bool:
    """Whether a revision gives another time for what a question asks the time of.

    "It moved to Thursdays" names nothing again; the time it gives is that of all it revises, unless
    several have one there and it names another than the question does.
    """
    if not _tells_time(new):
        return False
    timed = [clause for clause in CLAUSE.split(old) if _tells_time(clause)]
    others = (stems(new) & stems(old)) - figures_and_days(old) - stems(question)
    return len(timed) == 1 or not others


def sets_right(text: str) -> bool:
    """Whether a text says what was wrong, and what is so instead."""
    return bool(_instead(text)) or bool(put_instead(text)[0])


def still_open(new: str, old: str) -> set[str]:
    """The figures and days of a statement that one which sets a word of it right does not speak of."""
    wrong = figures_and_days(put_instead(new)[0]) | _instead(new)
    return figures_and_days(old) - figures_and_days(new) - wrong if sets_right(new) else set()


def _instead(text: str) -> set[str]:
    """What a correction takes back, with what else it says: the 3 and March of "not the 3rd but the 5th of March".

    Nothing where what is taken back is no figure, day or name: "not tea but coffee" may be of anything.
    """
    found = lexicon().signals["instead"].search(plainly(text))
    given = {k: v for k, v in found.groupdict().items() if v} if found else {}
    wrong = next((v for k, v in given.items() if k.startswith("wrong")), "")
    right = next((v for k, v in given.items() if k.startswith("right")), "")
    if not found or not figures_and_days(wrong) or not figures_and_days(right):
        return set()
    beside = stems(" ".join(v for k, v in given.items() if k.startswith("beside")))
    return figures_and_days(wrong) | beside


def figures_and_days(text: str) -> set[str]:
    """The figures and the words of the calendar in a text."""
    counted = {"".join(c for c in w if c.isdigit()) or w for w in numbers(text)}
    return {stem(w) for w in counted | ({*words(text)} & lexicon().calendar)}


def fact_of(old: str, new: str) -> str:
    """What of an earlier statement a later one takes the place of: a clause, where one can be told."""
    for start, stop in sentences(old):
        sentence = old[start:stop]
        clauses = CLAUSE.split(sentence.strip(" .!"))
        for clause in clauses:
            if _gives_way(clause, old, new):
                return clause if len(clauses) > 1 else sentence
    return old


def _gives_way(clause: str, old: str, new: str) -> bool:
    """Whether a clause of an earlier statement says what a later one says otherwise."""
    wrong, told = _instead(new), figures_and_days(clause)
    if wrong and wrong & told:
        return wrong & told == wrong & figures_and_days(old)
    who = _counted(new)
    if who and any(who <= one or one <= who for one in _all_counted(clause)):
        return True
    whole = [
        clause,
        f"I {clause}",
        f"ich {clause}",
    ]  # the subject of the clause before may be left out
    for signal in ("home", "age"):
        if lexicon().has(signal, new) and any(lexicon().has(signal, said) for said in whole):
            return True
    return any(one & stems(clause) for one in _living(new))


def _tell_figures_apart(new: str, old: str) -> bool:
    """Whether both say a figure of somebody, and not of the same one."""
    who, others = _counted(new), _all_counted(old)
    return bool(who and others) and not any(who & one for one in others)


def _counted(text: str) -> set[str]:
    """Of whom or what a text says a figure and nothing else before it: Ella of "Ella is eight now"."""
    return next(iter(_all_counted(text)), set())


def _all_counted(text: str) -> list[set[str]]:
    """Of whom a text says such figures, each by the stems of what names them."""
    found = lexicon().signals["counts"].finditer(plainly(text))
    plain = plainly(text)
    whose = (stems(re.split(r"[,;.!?:]", plain[: m.start()])[-1]) for m in found)
    return [who for who in whose if 0 < len(who) <= MOST_SUBJECT]


def _living(text: str) -> list[set[str]]:
    """Of whom a text says where they live, other than in English, by the stems of what names them."""
    found = lexicon().signals["lives"].search(text.lower())
    if found is None or language(text) == "en":
        return []
    others = [m[1] or m[2] for m in LIVES_TOO.finditer(text, found.end())]
    named = [stems(who) for who in others if not VERB.search(who)]
    return [stems(text[: found.start()]), *named]


def subject(text: str) -> frozenset[str]:
    """The words for what a sentence is about; the author is ME, and nothing is what cannot be told."""
    tokens = [t[0] for t in WORD.finditer(LEAD.sub("", text))]
    while tokens and _leads(tokens[0].lower()):
        tokens.pop(0)
    if not tokens or CYRILLIC.match(tokens[0]):
        return frozenset()
    first = tokens[0].lower().replace("’", "'")
    if first in lexicon().speaker:
        return frozenset({ME})
    if first in lexicon().determiners:
        tokens = tokens[1:]
    plain = [LINKS.sub("", t.lower()) for t in tokens[: MOST_SUBJECT + 1]]
    ends = next((n for n, word in enumerate(plain) if word in lexicon().copulas), 0)
    named = [t.lower() for t in tokens[1:2] if t[0].isupper()]
    found = plain[:ends] or [*plain[:1], *named]
    return frozenset(w for w in found if w not in lexicon().empty)


def values(text: str) -> set[str]:
    """What is said of a thing rather than what thing it is: names, places, days and figures."""
    told = names(text) | numbers(text) | {m[1].lower() for m in PLACED.finditer(text)}
    told |= {w for w in words(text) if w in lexicon().calendar}
    return {stem(w) for w in told}


def homes(new: str, old: str) -> bool:
    """Whether both say where somebody lives."""
    return (tells_home(new) or _lives(new)) and (tells_home(old) or _lives(old))


def _lives(text: str) -> bool:
    found = lexicon().signals["lives"].search(text.lower())
    where = next(filter(None, found.groupdict().values()), "") if found else ""
    return bool(where) and where not in lexicon().calendar and not numbers(where)


def _first(text: str) -> set[str]:
    """What a Russian sentence most likely is about: its first word that carries content."""
    return {stem(w) for w in words(text)[:1]}


def tells_value(text: str) -> bool:
    """Whether a text gives a figure or a day, also one of every week: "Thursdays"."""
    return bool(numbers(text)) or _names_day(text)


def _tells_time(text: str) -> bool:
    return names_time(text) or _names_day(text)


def _names_day(text: str) -> bool:
    days = {stem(w) for w in lexicon().calendar}
    return any(stem(w) in days or stem(w.removesuffix("s")) in days for w in words(text))


def _leads(word: str) -> bool:
    return word in ("oh", "no", "well", "so", "and", "but", "sorry", "nein", "doch", "und") or (
        lexicon().signals["revision"].fullmatch(word) is not None
    )
