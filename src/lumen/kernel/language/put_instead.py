"""A message that only puts one word in the place of another: "Bristol, not Bath", "not on Monday but on Tuesday".

Pure: which word was wrong and which is right; whether the wrong one was ever told is for others to look up. The
words stand in lexicon/put_instead.toml.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

from lumen.kernel.language.lexicon import FOLDER, lexicon
from lumen.kernel.language.reading import CYRILLIC, plainly, stem, stems

LONGEST = 100  # characters of such a message
SAID = r"[\w:.'’-]*\w"
SPOKEN = re.compile(SAID)
TOLD_ALIKE = frozenset(
    {"start", "begin", "начал", "beginn", "i", "he", "she"}
)  # of a time, or of anybody


def put_instead(text: str) -> tuple[str, str]:
    """The word that was wrong and the one that is right; nothing where a message is more, or else."""
    return _read(text)[:2]


def in_its_place(text: str, told: str) -> str:
    """What was told, with the word that a message sets right; empty where it sets nothing of that right.

    Whatever else the message speaks of must have been told there too.
    """
    wrong, right, before = _read(text)
    spots = [w for w in SPOKEN.finditer(told) if wrong and same_word(w[0], wrong)]
    if len(spots) != 1 or put_instead(told)[0]:
        return ""
    if not stems(before) <= stems(told) | TOLD_ALIKE:
        return ""
    return f"{told[: spots[0].start()]}{right}{told[spots[0].end() :]}"


def _read(text: str) -> tuple[str, str, str]:
    plain = plainly(text)
    if len(plain) > LONGEST:
        return "", "", ""
    found = next(filter(None, (way.fullmatch(plain) for way in _ways())), None)
    if not found or found["wrong"] == found["right"]:
        return "", "", ""
    given = found["wrong"], found["right"]
    return ("", "", "") if lexicon().empty & {*given} else (*given, found["before"])


def same_word(one: str, other: str) -> bool:
    """Whether two words are one, whatever their endings in Russian."""
    one, other = one.lower(), other.lower()
    return one == other or (bool(CYRILLIC.match(one)) and stem(one) == stem(other))


@cache
def _ways() -> tuple[re.Pattern[str], ...]:
    raw = tomllib.loads((FOLDER / "put_instead.toml").read_text("utf-8"))
    lead, before, small, turns, ending = (
        raw[k] for k in ("lead", "before", "small", "turns", "ending")
    )
    wrong, right = rf"(?P<wrong>{SAID})", rf"(?P<right>{SAID})"
    no, joins = r"(?:not|не|nicht)\s+", "(?:and\\s+|\N{CYRILLIC SMALL LETTER A}\\s+|und\\s+)?"
    first_wrong = rf"{lead}{before}{no}{small}{wrong}(?:{turns}\s+|\s*,\s*){small}{right}{ending}"
    first_right = rf"{lead}{before}{small}{right}[\s,;—-]+{joins}{no}{small}{wrong}{ending}"
    return tuple(re.compile(way, re.VERBOSE) for way in (first_wrong, first_right))
