"""When somebody arrives or must leave: "I leave at 7:40 and it takes 55 minutes, when do I get there?".

Pure: one time of day, one length of time, and a question that says which way to reckon; where there is more of
either, or the question names a time itself, nothing is reckoned. The words stand in lexicon/clock_sums.toml.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from lumen.kernel.language.lexicon import FOLDER
from lumen.kernel.language.reading import plainly

LONGEST = 200  # characters of a message that is such a sum
DAY, HOUR = 1440, 60  # minutes
NOON = 12
ENGLISH = ("am", "pm")
AFTERNOON = ("pm", "вечера", "дня")


@dataclass(frozen=True, slots=True)
class _ClockWords:
    clock: re.Pattern[str]
    hours: re.Pattern[str]
    minutes: re.Pattern[str]
    asks: re.Pattern[str]
    condition: re.Pattern[str]
    leave: re.Pattern[str]
    arrive: re.Pattern[str]
    spelled: tuple[tuple[re.Pattern[str], int], ...]


@cache
def _words() -> _ClockWords:
    raw = tomllib.loads((FOLDER / "clock_sums.toml").read_text("utf-8"))
    spelled = tuple((re.compile(rf"(?<!\w)(?:{p})(?!\w)"), int(m)) for p, m in raw.pop("spelled"))
    return _ClockWords(**{name: re.compile(p) for name, p in raw.items()}, spelled=spelled)


def clock_sum(text: str) -> str:
    """The time that a message asks for, as a clock shows it; empty where it asks for none."""
    plain, words = plainly(text).rstrip("?!. "), _words()
    asked = list(words.asks.finditer(plain))
    if not asked or len(plain) > LONGEST:
        return ""
    told, question = plain[: asked[-1].start()], plain[asked[-1].start() :]
    if not told.strip():  # asked first, told behind it
        question, *behind = words.condition.split(plain, maxsplit=1)
        told = behind[0] if behind else ""
    sign = 1 if words.arrive.search(question) else -1 if words.leave.search(question) else 0
    if not sign or any(c.isdigit() for c in question):
        return ""
    length, rest = _length(told)
    at = list(words.clock.finditer(rest))
    if not length or len(at) != 1:
        return ""
    reckoned = _minutes(at[0]) + sign * length
    half = next((h for h in (at[0]["half"], at[0]["part"]) if h in ENGLISH), "")
    return _shown(reckoned, half) if 0 <= reckoned < DAY else ""


def _length(told: str) -> tuple[int, str]:
    """How many minutes a text says something takes, and what is left of it; 0 where it says several."""
    words, total, found = _words(), 0, 0
    for pattern, minutes in reversed(words.spelled):
        told, many = pattern.subn(" ", told)
        total, found = total + many * minutes, found + many
    for pattern, each in ((words.hours, HOUR), (words.minutes, 1)):
        spoken = list(pattern.finditer(told))
        total += sum(_times(one, each) for one in spoken)
        found = max(found, len(spoken)) if len(spoken) < 2 else 2
        told = pattern.sub(" ", told)
    return (total, told) if found == 1 else (0, told)


def _times(one: re.Match[str], each: int) -> int:
    given = one.groupdict()
    many = int(given["many"]) if given["many"] else 1
    return many * each + (each // 2 if given.get("rest") else 0)


def _minutes(at: re.Match[str]) -> int:
    hour, minute = int(at["hour"] or at["whole"]), int(at["minute"] or 0)
    part = at["half"] or at["part"] or ""
    if part in AFTERNOON and hour < NOON:
        hour += NOON
    if part == "am" and hour == NOON:
        hour = 0
    return hour * HOUR + minute


def _shown(minutes: int, half: str) -> str:
    hour, minute = divmod(minutes, HOUR)
    if not half:
        return f"{hour}:{minute:02}"
    return f"{(hour - 1) % NOON + 1}:{minute:02} {'pm' if hour >= NOON else 'am'}"
