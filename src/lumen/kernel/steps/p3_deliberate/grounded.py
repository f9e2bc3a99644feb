"""The grounded draft: what the kernel can say from evidence alone, with its dates.

It competes with what the model says, so a weak model cannot make the being forget or invent what
it was told. Pure functions; the phrases stand in the lexicon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lumen.core.clock import Now
from lumen.kernel.choice.completion import closed
from lumen.kernel.choice.small_models import is_bad_news, is_figure, is_goodnight, moved
from lumen.kernel.contour.slots import Draft, Self, Stimulus
from lumen.kernel.identity.naming import names_given
from lumen.kernel.language.corrections import fact_of, subject
from lumen.kernel.language.dates import day
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.pronouns import mirror, tells_of_being
from lumen.kernel.language.reading import (
    asks_for,
    fits,
    names,
    stem,
    stems,
    unframed,
    words,
)
from lumen.kernel.privacy.named_secrets import MARK
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.steps.p1_perceive import Grounding, Reality, Surface, may_be_meant

LONGEST_MIRROR = 160


def grounded(
    stimulus: Stimulus,
    surface: Surface,
    reality: Reality,
    self_: Self,
    now: Now,
    grounding: Grounding,
) -> Draft | None:
    """The draft built from evidence alone; nothing when the evidence has no bearing."""
    if reality.parts:
        return _each(stimulus, surface, reality, self_, now, grounding)
    own = _plain(stimulus, surface, reality, self_, now, grounding)
    if own and is_gentle(surface, reality):
        said = lexicon().phrase("still_here", surface.language, said=own.text)
        return replace(own, text=said)
    return own


def _each(
    stimulus: Stimulus,
    surface: Surface,
    reality: Reality,
    self_: Self,
    now: Now,
    grounding: Grounding,
) -> Draft:
    """The answers to several questions, in their order; what is not known is named."""
    drafts = [
        (p, _plain(replace(stimulus, text=p.text), p.surface, p.reality, self_, now, grounding))
        for p in reality.parts
    ]
    unknown = lexicon().phrase
    said = [
        d.text if d else unknown("part_unknown", surface.language, question=p.text)
        for p, d in drafts
    ]
    sources = dict.fromkeys(seq for _, d in drafts if d for seq in d.sources)
    return Draft("\n".join(dict.fromkeys(said)), "grounded", tuple(sources))


def answers_all(reality: Reality) -> bool:
    """Whether a message asks several things and each is answered outright."""
    return bool(reality.parts) and all(p.reality.verdict == "strong" for p in reality.parts)


def is_gentle(surface: Surface, reality: Reality) -> bool:
    """Whether what is said right after despair is taken in with a word that somebody is there."""
    return reality.gently and surface.modality not in ("question", "task") and not reality.told


def _plain(
    stimulus: Stimulus,
    surface: Surface,
    reality: Reality,
    self_: Self,
    now: Now,
    grounding: Grounding,
) -> Draft | None:
    if reality.told:
        return Draft(reality.told, reality.by, reality.cited)
    if goal := closed(stimulus.text, self_.goals):
        return Draft(lexicon().phrase("goal_closed", surface.language, goal=goal.name), "grounded")
    if surface.modality == "question":
        return _answer(stimulus, surface, reality, self_, now, grounding)
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


def too_small(text: str, surface: Surface) -> Draft:
    """What is said where only a larger model could know, or could do what is asked for."""
    key = "too_small_task" if surface.modality == "task" else "too_small"
    if lexicon().has("translation", text):
        key = "too_small_translate"
    elif surface.modality == "question" and surface.about == "being":
        key = "unknown_self"
    return Draft(lexicon().phrase(key, surface.language), "grounded")


def bears(text: str, surface: Surface, reality: Reality, grounding: Grounding) -> bool:
    """Whether what was told is near enough to the question that it may be about that."""
    near = (e for e in reality.evidence[: grounding.quotes] if e.score >= grounding.bears)
    return any(surface.about != "world" or _shares(text, e) for e in near)


def _shares(question: str, found: Evidence) -> bool:
    """Whether evidence speaks of more than half of what a question speaks of, or tells of somebody it is about.

    "Who wrote Faust?" is not about having read Faust in the park. Half is enough where it is two words or more
    and what is asked for, a day or a figure, is there too; the words that only ask for that are not looked for.
    """
    kind = asks_for(question)
    asked = stems(kind.asks.sub(" ", question.lower()) if kind else question)
    shared = asked & stems(found.quote)
    if len(shared) > 1 and fits(kind, found.quote, question):
        return 2 * len(shared) >= len(asked)
    told_of = {stem(w) for w in subject(found.quote)}
    return 2 * len(shared) > len(asked) or bool(told_of & asked)


def rests_on(text: str, message: str, shown: Sequence[Evidence]) -> tuple[int, ...]:
    """Which of the memories a model was shown its words rest on: those it took something from.

    What it says again out of the message itself rests on that alone.
    """
    brought = stems(text) - stems(message)
    taken = (e for e in shown if brought & stems(e.quote))
    return tuple(e.memory.seq for e in taken)


def _answer(
    stimulus: Stimulus,
    surface: Surface,
    reality: Reality,
    self_: Self,
    now: Now,
    grounding: Grounding,
) -> Draft | None:
    said_with = [e.later for e in reality.evidence if e.later]
    told = tuple(e for e in reality.evidence if e not in said_with)[: grounding.quotes]
    phrase, language = lexicon().phrase, surface.language
    if reality.verdict == "strong":
        close = [e for e in told[1:] if e.score >= told[0].score - grounding.close]
        said = _quotes("stated", (told[0], *close), now, language)
        return Draft("\n".join(said), "grounded", _sources((told[0], *close)))
    if reality.unproved or surface.identity:
        key = "unproved" if reality.unproved else "myself"
        return Draft(phrase(key, language, name=self_.name), "grounded")
    near = tuple(e for e in told if e.score >= grounding.middling)
    if surface.advice:
        who = names(stimulus.text)
        known = tuple(e for e in near if who & set(words(e.quote)))
        said = _quotes("advice_known", known, now, language) or [phrase("no_advice", language)]
        return Draft("\n".join(said), "grounded", _sources(known))
    bearing = bears(stimulus.text, surface, reality, grounding)
    if not (_is_personal(surface) or reality.familiar or bearing):
        return None
    near = tuple(e for e in near if may_be_meant(e, grounding))
    if surface.about != "author":
        near = tuple(e for e in near if _shares(stimulus.text, e))
    if not near or reality.verdict != "middling":
        key = "untold_world" if surface.about == "world" else "untold"
        return Draft(phrase(key, language), "grounded")
    items = _quotes("closest_item", near, now, language)
    return Draft("\n".join([phrase("closest", language), *items]), "grounded", _sources(near))


def _is_personal(surface: Surface) -> bool:
    """Whether only the author can have told what is asked."""
    return surface.personal and surface.about != "being"


def _quotes(opens: str, evidence: Sequence[Evidence], now: Now, language: str) -> list[str]:
    """Evidence in the words it was told in, the first as `opens` puts it and the others behind it."""
    keys = [opens if opens == "closest_item" or not n else "also" for n in range(len(evidence))]
    return [_quote(key, e, now, language) for key, e in zip(keys, evidence, strict=True)]


def _quote(key: str, e: Evidence, now: Now, language: str) -> str:
    when = day(e.memory.timestamp, now, language)
    said = lexicon().phrase(key, language, date=when, quote=e.quote)
    if _needs_old(e) and e.replaces:
        old = " ".join(e.replaces.text.split())[:LONGEST_MIRROR]
        said = f"{said} {lexicon().phrase('in_place_of', language, quote=old)}"
    return f"{said} {_quote('since', e.later, now, language)}" if e.later else said


def _needs_old(e: Evidence) -> bool:
    """Whether a revision names nothing of what it revises, so that it says little by itself."""
    return e.replaces is not None and not stems(e.quote) & stems(e.replaces.text)


def _noted(stimulus: Stimulus, surface: Surface, reality: Reality, now: Now) -> Draft:
    text, old = " ".join(unframed(stimulus.text).split()), reality.replaces
    said = _taken_in(text, surface.language, len(stimulus.text), openly=old is not None)
    if old is None:
        return Draft(said, "grounded")
    replaces = lexicon().phrase(
        "replaces",
        surface.language,
        date=day(old.timestamp, now, surface.language),
        quote=fact_of(" ".join(unframed(old.text).split()), text)[:LONGEST_MIRROR],
    )
    return Draft(f"{said} {replaces}", "grounded", (old.seq,))


def _taken_in(text: str, language: str, characters: int, *, openly: bool) -> str:
    """How a statement is acknowledged: by what it is, else by its own words."""
    phrase = lexicon().phrase
    if is_bad_news(text) and not openly:
        return phrase("sympathy", language)
    if MARK in text and (language != "en" or len(text) > LONGEST_MIRROR):
        return phrase("noted_without", language)
    if is_figure(text):
        return phrase("strain" if lexicon().has("figure", text) else "noted_plain", language)
    if (mood := moved(text)) and not openly:
        return phrase(mood, language)
    return _said_back(text, language, characters)


def _said_back(text: str, language: str, characters: int) -> str:
    """A statement in its own words; what is said of the being itself stays the author's word.

    So do words put into its mouth and what others said: turned round they would say something else.
    Pronouns are turned in English; in a language whose verbs change with them it is quoted.
    """
    lex, phrase = lexicon(), lexicon().phrase
    if len(text) > LONGEST_MIRROR:
        key = "noted_long" if len(text) > 4 * LONGEST_MIRROR else "noted_plain"
        return phrase(key, language, characters=f"{characters:,}")
    given = [name for name, theirs in names_given(text) if theirs]
    if given and lex.has("calls", text):
        return phrase("noted_name", language, name=given[-1])
    english = language == "en"
    to_being = tells_of_being(text) if english else lex.has("second_person", text)
    if to_being or lex.has("dictated", text) or lex.has("reported", text):
        return phrase("noted_words", language, quote=text)
    turned = mirror(text) if english else text
    ended = f"{turned}." if turned[-1:].isalnum() else turned
    return phrase("noted", language, mirror=ended)


def _sources(evidence: tuple[Evidence, ...]) -> tuple[int, ...]:
    every = [one for e in evidence for one in (e, e.later) if one]
    old = [e.replaces.seq for e in every if e.replaces and _needs_old(e)]
    return tuple(dict.fromkeys([*(one.memory.seq for one in every), *old]))
