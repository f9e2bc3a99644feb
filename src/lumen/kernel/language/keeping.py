"""What a sentence wants of a list or a reminder: which list, which things, what about and when.

Pure: a sentence and a moment in, a request out. The patterns are data (lexicon/keeping.toml); times are
read by times/. Whether a sentence asks for one at all is said by requests.py.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal

from lumen.kernel.language.lexicon import FOLDER, LANGUAGES
from lumen.kernel.language.put_instead import put_instead
from lumen.kernel.language.reading import EDGES, QUOTED, apostrophes, stems
from lumen.kernel.language.requests import request
from lumen.kernel.language.times.resolve import Grain, Time, times

ListAct = Literal["swap", "add", "remove", "clear", "show"]
LIST_ACTS: tuple[ListAct, ...] = ("swap", "add", "remove", "clear", "show")
ReminderAct = Literal["add", "remove", "show"]
CLEAR_GRAINS = frozenset({Grain.DAY, Grain.HOUR, Grain.MOMENT, Grain.PART})
MOST_ITEMS = 30
LONGEST_ITEM = 120
LONGEST_THING = 4  # words, of what is named behind the list


@dataclass(frozen=True, slots=True)
class ListRequest:
    """What is to be done to a list; without a name of its own it is just "list"."""

    act: ListAct
    name: str
    items: tuple[str, ...] = ()
    bare: bool = False
    instead: tuple[str, ...] = ()  # what `items` take the place of


@dataclass(frozen=True, slots=True)
class ReminderRequest:
    """What is to be said again, and when; `when` is nothing where no one day is meant."""

    act: ReminderAct
    what: str = ""
    when: Time | None = None
    unclear: str = ""  # the words of a time that may mean several days


def is_quoted(text: str, sentence: str) -> bool:
    """Whether a sentence of a text stands within quotation marks: then somebody else says it."""
    at = text.find(sentence)
    return any(
        q.start() < at + 1 and at + len(sentence) <= q.end() + 1 for q in QUOTED.finditer(text)
    )


def list_request(sentence: str) -> ListRequest | None:
    """What a sentence wants of a list."""
    plain = " ".join(apostrophes(sentence).split())
    for act in LIST_ACTS:
        for language in LANGUAGES:
            for pattern in _patterns(language, act):
                if found := pattern.search(plain):
                    return _list_request(act, found, plain[found.end() :], _words()[language])
    return None


def list_kind(name: str) -> str:
    """What a list is of, whichever language names it: the shopping list is «список покупок»; empty: its own name."""
    said = name.lower()
    return next((k for k, words in _words()["same"].items() if any(w in said for w in words)), "")


def _list_request(
    act: ListAct, found: re.Match[str], rest: str, words: Mapping[str, Any]
) -> ListRequest:
    """A request as it was found; more things may be named behind the list."""
    of = " ".join(found["of"].split()).lower()
    name = words["name"].format(of=of.capitalize() if words["bare"][0].isupper() else of)
    items = found.groupdict().get("items") or ""
    more = re.match(rf"[,;.]*(?:{words['joins']})+(.+)", rest, re.IGNORECASE) if items else None
    if more and not request(more[1]) and _names_things(more[1], words):
        items = f"{items}, {more[1]}"
    instead = _items(found.groupdict().get("instead") or "", words)
    return ListRequest(
        act, name if of else words["bare"], _items(items, words), bare=not of, instead=instead
    )


def list_followup(message: str, said: str, reply: str) -> str:
    """The whole request that a message makes of the list that was just spoken of; empty: of none.

    "Take the milk off" after a list was shown, and "no, not tape, string" where tape stands on it.
    """
    before = list_request(said) if request(said) == "list" else None
    if before is None:
        return ""
    plain = " ".join(apostrophes(message).split()).strip(EDGES + " ")
    for language in LANGUAGES:
        words = _words()[language]
        for pattern, whole in (("takes_off", "off"), ("puts_on", "on")):
            if found := re.fullmatch(words[pattern], plain, re.IGNORECASE):
                return str(words[whole]).format(things=found["things"], list=_in(before, words))
    wrong, right = put_instead(message)
    if not wrong or not stems(wrong) & stems(reply):
        return ""
    told = next((w for w in (_words()[k] for k in LANGUAGES) if _is_of(before, w)), _words()["en"])
    return str(told["swapped"]).format(right=right, wrong=wrong, list=_in(before, told))


def _in(before: ListRequest, words: Mapping[str, Any]) -> str:
    """A list as a request of a language names it."""
    name = before.name if _is_of(before, words) else str(words["bare"])
    return name.replace("список", "списка") if words["off"].endswith("из {list}") else name


def _is_of(before: ListRequest, words: Mapping[str, Any]) -> bool:
    """Whether a list has its name in a language."""
    return str(words["bare"]).lower() in before.name.lower()


def _names_things(said: str, words: Mapping[str, Any]) -> bool:
    """Whether a text does no more than name things, each in a few words."""
    return all(len(thing.split()) <= LONGEST_THING for thing in _items(said, words))


def _items(said: str, words: Mapping[str, Any]) -> tuple[str, ...]:
    """Things that are named one after the other; what is in quotation marks is one thing."""
    named = [q[0][1:-1] for q in QUOTED.finditer(said)]
    parts = re.split(words["joins"], QUOTED.sub(",", said), flags=re.IGNORECASE)
    article = re.compile(rf"^(?:(?:{words['articles']}) )+", re.IGNORECASE)
    plain = [article.sub("", p.strip(EDGES + " ")).strip() for p in (*parts, *named)]
    return tuple(dict.fromkeys(p[:LONGEST_ITEM] for p in plain if p))[:MOST_ITEMS]


def same_thing(one: str, other: str) -> bool:
    """Whether two names of a thing mean the same one: "the eggs" and "egg"."""
    mine, theirs = stems(one), stems(other)
    return one.lower() == other.lower() or bool(mine and (mine <= theirs or theirs <= mine))


def reminder_request(sentence: str, now: datetime) -> ReminderRequest | None:
    """What a sentence wants to be reminded of, and when."""
    plain = " ".join(apostrophes(sentence).split())
    for language in LANGUAGES:
        words = _words()[language]
        if re.search(words["shows_reminders"], plain, re.IGNORECASE):
            return ReminderRequest("show")
        if dropped := re.search(words["drops_reminder"], plain, re.IGNORECASE):
            return ReminderRequest("remove", dropped["what"].strip(EDGES + " "))
    found = times(plain, now, "future")
    meant = next((t for t in found if t.grain in CLEAR_GRAINS and not t.vague), None)
    named = meant or next(iter(found), None)
    rest = plain if named is None else f"{plain[: named.at[0]]} {plain[named.at[1] :]}"
    what = _about(" ".join(rest.split()))
    if what is None:
        return None
    if meant and meant.end > now:
        return ReminderRequest("add", what, meant)
    return ReminderRequest("add", what, None, plain[slice(*named.at)] if named else "")


def _about(rest: str) -> str | None:
    """What a reminder is about, once its time is taken out."""
    for language in LANGUAGES:
        edge = re.compile(
            rf"^(?:(?:{_words()[language]['edges']})\b[ ,]*)+|(?:[ ,]+(?:{_words()[language]['edges']}))+$",
            re.IGNORECASE,
        )
        for pattern in _patterns(language, "reminds"):
            if found := pattern.search(rest):
                return edge.sub("", found["what"].strip(EDGES + " ")).strip(EDGES + " ")
    return None


@cache
def _words() -> Mapping[str, Any]:
    return tomllib.loads((FOLDER / "keeping.toml").read_text("utf-8"))


@cache
def _patterns(language: str, act: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(p, re.IGNORECASE) for p in _words()[language][act])
