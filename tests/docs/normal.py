"""What a page shows and what a command printed, without what differs from run to run."""

from __future__ import annotations

import re

MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
NUMBERED = r"(?:[Ee]vents?|trace|restore|rests on|line)"
READ = re.compile(
    rf"(?m)^ *(\d+) +\d{{1,2}} {MONTH}|\b(?:is event|restore) (\d+)|^([0-9a-f]{{16}}) "
)

LINES = (  # what is known by where it stands in its line
    (r"^\d\d:\d\d ", "TIME "),
    (rf"^ *\d+( +\d{{1,2}} {MONTH})", r"N\1"),
    (rf"^(?: *\d{{1,2}} {MONTH} \d\d:\d\d)+$", "DAY"),
    (r"^Skills: .*$", "Skills: held as this machine can"),
    (r" [+-]\d\.\d\d$", " ±"),
    (r"█ [\d,]+$", "█"),
)
WORDS = (
    (r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "ID"),
    (r"\b[0-9a-f]{4}…[0-9a-f]{2}\b", "HASH"),
    (r"\b[0-9a-f]{8,}\b…?", "HASH"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "DAY"),
    (r"\b\d{4}-\d\d-\d\d\b", "DAY"),
    (rf"{WEEKDAY} \d{{1,2}} {MONTH}(?: \d{{4}})?(?: at \d\d:\d\d)?", "DAY"),
    (rf"\b\d{{1,2}} {MONTH}(?: \d{{4}})?(?: \d\d:\d\d)?", "DAY"),
    (r"/\d{4}(?=[./])", "/YEAR"),
    (r"(127\.0\.0\.1):\d+", r"\1:PORT"),
    (r"HASH [\d,]+ ", "HASH N "),
    (rf"\b{NUMBERED} \d+(?:,? (?:to )?\d+)*", "N"),
    (r"N (?:is|are) intact", "N are intact"),
    (r'"(event|heard|count|size|signed|files)":\d+', r'"\1":N'),
    (r"\b[\d,]+ events?\b", "N events"),
    (r"\b(self|kernel|goal|external) \d+", r"\1 N"),
    (r"Λ [\d.]+", "Λ"),
    (r"over ([a-z ]+) [\d.]+", r"over \1"),
    (r"\$[\d.]+", "MONEY"),
    (r"[\d.,]+ (?:kB|MB|bytes)\b", "SIZE"),
    (r"(/SmolLM2-135M-Instruct) \d+ (?=interface/)", r"\1 SIZE "),
    (r"[\d.,]+ (?:s|ms)\b", "SECONDS"),
    (r"[\d,]+(?: \+ [\d,]+)? tokens", "TOKENS"),
    (r"reindexing with (\S+): [\d,]+ of [\d,]+", r"reindexing with \1"),
    (r' It runs in bubblewrap; .*?isolation = "limits"', ""),  # where the machine can
    (r"[▁-█]+", "█"),
    (r"[─┴]+", "─"),
)


def normal(text: str) -> str:
    """Dates, hashes, numbers of events, sizes and durations by their names; white space as one."""
    for rule, put in LINES:
        text = re.sub(f"(?m){rule}", put, text)
    text = " ".join(text.split())
    for rule, put in WORDS:
        text = re.sub(rule, put, text)
    return text


def promised(page: str) -> re.Pattern[str]:
    """What a command must print; `…` on a page leaves something out."""
    return re.compile(re.sub(r"(?:\\ )?…(?:\\ )?", ".*?", re.escape(normal(page))))


def numbers(text: str) -> list[str]:
    """The events and keys a person would name after reading, in the order they are shown."""
    return ["".join(found) for found in READ.findall(text)]
