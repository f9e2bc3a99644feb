"""The grounded draft: what the kernel can say from evidence alone, with its dates.

It competes with what the model says, so a weak model cannot make the being forget or invent what
it was told. Pure functions; the phrases stand in the lexicon.
"""

from __future__ import annotations

from collections.abc import Sequence

from lumen.core.clock import parse_stamp
from lumen.kernel.completion import closed
from lumen.kernel.lexicon import lexicon
from lumen.kernel.mirror import mirror
from lumen.kernel.reading import names, stem, words
from lumen.kernel.slots import Contour, Draft, Evidence, Now, Reality, Self, Stimulus, Surface
from lumen.kernel.small import is_bad_news, is_goodnight

LONGEST_MIRROR = 160


def verdict(evidence: tuple[Evidence, ...], contour: Contour) -> str:
    """How well the best evidence answers: strong, middling, weak, or none at all."""
    if not evidence:
        return "none"
    best = evidence[0]
    if best.score >= contour.strong and best.fits is not False:
        return "strong"
    return "middling" if best.score >= contour.middling else "weak"


def grounded(
    stimulus: Stimulus, surface: Surface, reality: Reality, self_: Self, now: Now, contour: Contour
) -> Draft | None:
    """The draft built from evidence alone; nothing when the evidence has no bearing."""
    if reality.told:
        return Draft(reality.told, reality.by, reality.cited)
    if goal := closed(stimulus.text, self_.goals):
        return Draft(_phrase("goal_closed", goal=goal.name), "grounded")
    if surface.modality == "question":
        return _answer(stimulus, surface, reality, self_, now, contour)
    if surface.modality == "statement":
        return _noted(stimulus, surface, reality, now)
    if surface.modality == "task":
        asks_to_forget = lexicon().signals["forget"].match(stimulus.text.lower())
        by_hand = lexicon().phrase("forgets_by_hand", surface.language)
        return Draft(by_hand, "grounded") if asks_to_forget else None
    night = surface.modality == "farewell" and is_goodnight(stimulus.text)
    key = "farewell_night" if night else surface.modality
    said = lexicon().phrase(key, surface.language, author=self_.author_name)
    return Draft(said, "grounded")


def too_small(surface: Surface) -> Draft:
    """What is said where only a larger model could know."""
    return Draft(lexicon().phrase("too_small", surface.language), "grounded")


def bears(reality: Reality, contour: Contour) -> bool:
    """Whether what was told is near enough to the question that it may be about that."""
    return bool(reality.evidence) and reality.evidence[0].score >= contour.bears


def rests_on(text: str, message: str, shown: Sequence[Evidence]) -> tuple[int, ...]:
    """Which of the memories a model was shown its words rest on: those it took something from.

    What it says again out of the message itself rests on that alone.
    """
    brought = {stem(w) for w in words(text)} - {stem(w) for w in words(message)}
    taken = (e for e in shown if brought & {stem(w) for w in words(e.quote)})
    return tuple(e.memory.seq for e in taken)


def day(timestamp: str, now: Now, language: str = "en") -> str:
    """A date as a person says it: Sunday 15 November, with the year when it is another."""
    moment = parse_stamp(timestamp).astimezone(now.zone)
    year = "" if moment.year == now.moment.astimezone(now.zone).year else f" {moment.year}"
    lex = lexicon()
    weekday = lex.phrase("weekdays", language).split()[moment.weekday()]
    month = lex.phrase("months", language).split()[moment.month - 1]
    return f"{weekday}{',' if language == 'ru' else ''} {moment.day} {month}{year}"


def _answer(
    stimulus: Stimulus, surface: Surface, reality: Reality, self_: Self, now: Now, contour: Contour
) -> Draft | None:
    told = reality.evidence[: contour.quotes]
    phrase, language = lexicon().phrase, surface.language

    def quote(key: str, e: Evidence) -> str:
        return phrase(key, language, date=day(e.memory.timestamp, now, language), quote=e.quote)

    if reality.verdict == "strong":
        close = [e for e in told[1:] if e.score >= told[0].score - contour.close]
        said = [quote("stated", told[0]), *(quote("also", e) for e in close)]
        return Draft("\n".join(said), "grounded", _sources((told[0], *close)))
    if surface.identity:
        return Draft(phrase("myself", language, name=self_.name), "grounded")
    if surface.advice:
        who = names(stimulus.text)
        known = [e for e in told if e.score >= contour.middling and who & set(words(e.quote))]
        said = [quote("also" if n else "advice_known", e) for n, e in enumerate(known)]
        text = "\n".join(said or [phrase("no_advice", language)])
        return Draft(text, "grounded", _sources(tuple(known)))
    if not (surface.personal or reality.familiar or bears(reality, contour)):
        return None
    if reality.verdict == "middling":
        near = tuple(e for e in told if e.score >= contour.middling)
        items = [quote("closest_item", e) for e in near]
        return Draft("\n".join([phrase("closest", language), *items]), "grounded", _sources(near))
    return Draft(phrase("untold", language), "grounded")


def _noted(stimulus: Stimulus, surface: Surface, reality: Reality, now: Now) -> Draft:
    text = " ".join(stimulus.text.split())
    if is_bad_news(text) and not reality.replaces:
        return Draft(lexicon().phrase("sympathy", surface.language), "grounded")
    if surface.language != "en":  # pronouns are turned in English only
        return Draft(lexicon().phrase("noted_plain", surface.language), "grounded")
    if len(text) > LONGEST_MIRROR:
        long = len(text) > 4 * LONGEST_MIRROR
        said = _phrase("noted_long", characters=f"{len(stimulus.text):,}") if long else ""
        return Draft(said or _phrase("noted_plain"), "grounded")
    turned = mirror(text)
    if turned[-1:].isalnum():
        turned += "."
    old = reality.replaces
    if old:
        quote = " ".join(old.text.split())[:LONGEST_MIRROR]
        said = _phrase("replaced", mirror=turned, date=day(old.timestamp, now), quote=quote)
        return Draft(said, "grounded", (old.seq,))
    return Draft(_phrase("noted", mirror=turned), "grounded")


def _sources(evidence: tuple[Evidence, ...]) -> tuple[int, ...]:
    return tuple(e.memory.seq for e in evidence)


def _phrase(key: str, /, **given: str) -> str:
    return lexicon().phrases[key].format(**given)
