"""The grounded draft: what the kernel can say from evidence alone, with its dates.

It competes with what the model says, so a weak model cannot make the being forget or invent what
it was told. Pure functions; the phrases stand in the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lumen.core.data import Author
from lumen.kernel.choice.completion import closed
from lumen.kernel.choice.small_models import is_figure, is_goodnight
from lumen.kernel.contour.slots import Draft
from lumen.kernel.identity.naming import names_given
from lumen.kernel.language.bare_note import bare_note
from lumen.kernel.language.corrections import (
    fact_of,
    figures_and_days,
    gone,
    still_open,
    subject,
)
from lumen.kernel.language.dates import day
from lumen.kernel.language.feelings import Feeling, feeling_told, feels_for
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.pronouns import mirror, tells_of_being
from lumen.kernel.language.reading import (
    asks_for,
    courtesies,
    fits,
    names,
    sentences,
    small_talk,
    stem,
    stems,
    unframed,
    words,
)
from lumen.kernel.language.times.phrases import names_time
from lumen.kernel.language.turning import turned_back
from lumen.kernel.privacy.named_secrets import MARK
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.steps.p1_perceive import Grounding, Reality, Surface
from lumen.kernel.steps.p1_verdict import may_be_meant
from lumen.kernel.steps.p3_deliberate.draft_context import DraftContext
from lumen.kernel.steps.p3_deliberate.met import listens_on, met, thanked

LONGEST_MIRROR = 160
ASKS_IF_HAD = re.compile(
    r"(?:^|[,;:.!?]\s*|\b(?:and|so|but|und|also) |(?<!\w)(?:а|и) )"  # noqa: RUF001 - Russian; not "which one do I have"
    r"(?:do i (?:still )?(?:have|own)|have i got|habe ich|у меня есть|есть ли у меня)"  # noqa: RUF001 - Russian
    r"(?: an?\b| any\b| eine?n?\b)?(?P<what>(?: [\w-]+){1,2})\s*\?*$"
)
HASTY_NAME = re.compile(r"\b(my )names(?= \w)", re.IGNORECASE)


def grounded(context: DraftContext) -> Draft | None:
    """The draft built from evidence alone; nothing when the evidence has no bearing."""
    if context.reality.parts:
        return _each(context)
    own = _plain(context)
    if own and is_gentle(context.surface, context.reality):
        return replace(own, text=context.phrase("still_here", said=own.text))
    return own


def _each(context: DraftContext) -> Draft:
    """The answers to several questions, in their order; what is not known is named."""
    said: list[str] = []
    sources: list[int] = []
    for part in context.reality.parts:
        stimulus = replace(context.stimulus, text=part.text)
        asked = replace(context, stimulus=stimulus, surface=part.surface, reality=part.reality)
        draft = _plain(asked)
        said.append(draft.text if draft else context.phrase("part_unknown", question=part.text))
        sources += draft.sources if draft else ()
    return Draft("\n".join(dict.fromkeys(said)), "grounded", tuple(dict.fromkeys(sources)))


def answers_all(reality: Reality) -> bool:
    """Whether a message asks several things and each is answered outright."""
    return bool(reality.parts) and all(p.reality.verdict == "strong" for p in reality.parts)


def is_gentle(surface: Surface, reality: Reality) -> bool:
    """Whether what is said right after despair is taken in with a word that somebody is there."""
    return reality.gently and surface.modality not in ("question", "task") and not reality.told


def _plain(context: DraftContext) -> Draft | None:
    text, modality, reality = context.stimulus.text, context.surface.modality, context.reality
    if reality.told:
        return Draft(reality.told, reality.by, reality.cited)
    if goal := closed(text, context.self_.goals):
        return Draft(context.phrase("goal_closed", goal=goal.name), "grounded")
    if modality == "statement" or context.surface.move:
        return _noted(context)
    if modality == "question":
        return _answer(context)
    if modality == "task":
        asks_to_forget = lexicon().signals["forget"].match(text.lower())
        return Draft(context.phrase("forgets_by_hand"), "grounded") if asks_to_forget else None
    key = "farewell_night" if modality == "farewell" and is_goodnight(text) else modality
    said = context.phrase(key, author=context.self_.author_name)
    if modality == "farewell" and "thanks" in courtesies(text):
        said = f"{context.phrase('thanks')} {said}"
    return Draft(said, "grounded")


def too_small(text: str, surface: Surface, *, english: bool = False) -> Draft:
    """What is said where only a larger model could know, or could do what is asked for.

    `english`: the model there is could, in that language.
    """
    key = "too_small_task" if surface.modality == "task" else "too_small"
    if surface.modality == "question" and surface.about == "being":
        key = "unknown_self"
    elif english:
        key = "other_tongue"
    elif lexicon().has("translation", text):
        key = "too_small_translate"
    return Draft(lexicon().phrase(key, surface.language), "grounded")


def bears(text: str, surface: Surface, reality: Reality, grounding: Grounding) -> bool:
    """Whether what was told is near enough to the question that it may be about that."""
    near = (e for e in reality.evidence[: grounding.quotes] if e.score >= grounding.bears)
    return any(surface.about != "world" or _shares(text, e) for e in near)


def _asked_for(question: str) -> set[str]:
    """What a question speaks of, without the words that only ask for a day or a figure."""
    kind = asks_for(question)
    return stems(kind.asks.sub(" ", question.lower()) if kind else question)


def _shares(question: str, found: Evidence) -> bool:
    """Whether evidence speaks of more than half of what a question speaks of, or tells of somebody it is about.

    "Who wrote Faust?" is not about having read Faust in the park. Half is enough where it is two words or more
    and what is asked for, a day or a figure, is there too; the words that only ask for that are not looked for.
    """
    asked = _asked_for(question)
    shared = asked & stems(found.quote)
    if len(shared) > 1 and fits(asks_for(question), found.quote, question):
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


def _answer(context: DraftContext) -> Draft | None:
    text, surface, reality = context.stimulus.text, context.surface, context.reality
    grounding, phrase = context.grounding, context.phrase
    said_with = {e.later.memory.seq for e in reality.evidence if e.later}
    told = tuple(e for e in reality.evidence if e.memory.seq not in said_with)[: grounding.quotes]
    if reality.verdict == "strong":
        least = max(told[0].score, grounding.strong) - grounding.close
        close = [e for e in told[1:] if e.score >= least]
        if told[0].fits:  # what has nothing of what is asked for adds nothing to what has
            close = [e for e in close if e.fits is not False]
        close = [e for e in close if e.score >= grounding.strong or _may_be_offered(e, context)]
        said = _quotes("stated", (told[0], *close), context)
        return Draft("\n".join(said), "grounded", _sources((told[0], *close)))
    if reality.unproved or surface.identity:
        key = "unproved" if reality.unproved else "myself"
        return Draft(phrase(key, name=context.self_.name), "grounded")
    near = tuple(e for e in told if e.score >= grounding.middling and _may_be_offered(e, context))
    if surface.advice:
        who = names(text)
        known = tuple(e for e in near if who & set(words(e.quote)) or stems(text) & stems(e.quote))
        said = _quotes("advice_known", known, context) or [phrase("no_advice")]
        return Draft("\n".join(said), "grounded", _sources(known), fallback=True)
    if not (_is_personal(surface) or reality.familiar or bears(text, surface, reality, grounding)):
        return None
    near = tuple(e for e in near if may_be_meant(e, grounding))
    if surface.about != "author":
        near = tuple(e for e in near if _shares(text, e))
    near = tuple(e for e in near if _names_what_is_had(text, e))
    if not near or reality.verdict != "middling":
        return Draft(_untold(context), "grounded", fallback=True)
    items = _quotes("closest_item", near, context)
    return Draft("\n".join([phrase("closest"), *items]), "grounded", _sources(near))


def _untold(context: DraftContext) -> str:
    """That it was not told, and, where that was not just said, what would help."""
    if context.surface.about != "author":
        world = context.surface.about == "world"
        return context.phrase("untold_world" if world else "unknown_self")
    said, help_ = context.phrase("untold"), context.phrase("tell_me")
    lately = (m.text for m in context.reality.recent if m.author is Author.SELF)
    return said if any(help_ in text for text in lately) else f"{said} {help_}"


def _names_what_is_had(question: str, found: Evidence) -> bool:
    """Whether evidence names the thing, where a question is no more than whether the author has one."""
    had = ASKS_IF_HAD.search(question.lower())
    return had is None or bool(stems(had["what"]) & stems(found.quote))


def _may_be_offered(e: Evidence, context: DraftContext) -> bool:
    """Whether evidence may be said though it may not be meant: what is private, in private or if all that is asked is in it."""
    if context.stimulus.private or not e.memory.private:
        return True
    return _asked_for(context.stimulus.text) <= stems(e.quote)


def _is_personal(surface: Surface) -> bool:
    """Whether only the author can have told what is asked."""
    return surface.personal and surface.about != "being"


def _quotes(opens: str, evidence: Sequence[Evidence], context: DraftContext) -> list[str]:
    """Evidence in the words it was told in, the first as `opens` puts it and the others behind it."""
    keys = [opens if opens == "closest_item" or not n else "also" for n in range(len(evidence))]
    return [_quote(key, e, context) for key, e in zip(keys, evidence, strict=True)]


def _quote(key: str, e: Evidence, context: DraftContext) -> str:
    when = day(e.memory.timestamp, context.now, context.surface.language)
    said = context.phrase(key, date=when, quote=e.quote)
    said = f"{said} {e.days}" if e.days else said
    if _needs_old(e) and e.replaces:
        old = " ".join(e.replaces.text.split())[:LONGEST_MIRROR]
        said = f"{said} {context.phrase('in_place_of', quote=old)}"
    if e.later is None:
        return said
    key = "gone_since" if gone(e.later.quote) else "since"
    return f"{said} {_quote(key, e.later, context)}"


def _needs_old(e: Evidence) -> bool:
    """Whether a revision says little by itself: it names nothing of what it revises, or only one figure
    of it where there is another day or hour that still holds.
    """
    if e.replaces is None:
        return False
    if still_open(e.quote, e.replaces.text):
        return True
    named, told = stems(e.quote) & stems(e.replaces.text), figures_and_days(e.replaces.text)
    return not named or (named <= told and bool(told - figures_and_days(e.quote)))


def _noted(context: DraftContext) -> Draft:
    text, language = context.stimulus.text, context.surface.language
    fact, old = " ".join(unframed(text).split()), context.reality.replaces
    if old is None and (context.surface.move or listens_on(context)):
        return Draft(thanked(met(context), context), "grounded")
    felt = context.surface.feeling if old is None else ""  # what is set right is said back
    said = _anew(_taken_in(fact, language, len(text), felt), felt, context)
    if felt and small_talk(text.split(",")[0]) == "greeting":
        said = f"{context.phrase('greeting', author=context.self_.author_name)} {said}"
    if old is None:
        return Draft(thanked(said, context), "grounded")
    quote = fact_of(" ".join(unframed(old.text).split()), fact)[:LONGEST_MIRROR]
    when = day(old.timestamp, context.now, language)
    replaces = context.phrase("replaces", date=when, quote=quote)
    return Draft(f"{said} {replaces}", "grounded", (old.seq,))


def _anew(said: str, felt: Feeling, context: DraftContext) -> str:
    """What is said to a feeling; where that was the last reply too, it is put otherwise."""
    mine = [m.text for m in context.reality.recent if m.author is Author.SELF]
    again = f"{felt}_again"
    if not felt or again not in lexicon().phrases or said not in mine[-1:]:
        return said
    return context.phrase(again)


def _taken_in(text: str, language: str, characters: int, felt: Feeling) -> str:
    """How a statement is acknowledged: by what it is, else by its own words."""
    phrase = lexicon().phrase
    leaves = lexicon().has("leave_it", text)
    if leaves or felt == "sorrow":
        return phrase("leave_it" if leaves else "sympathy", language)
    if MARK in text and (language != "en" or len(text) > LONGEST_MIRROR):
        return phrase("noted_without", language)
    if is_figure(text):
        return phrase("strain" if lexicon().has("figure", text) else "noted_plain", language)
    if felt == "worry" and not feeling_told(text) and names_time(text):
        # An appointment is said back too: that it was heard matters more than what to ask about it.
        opening = phrase(felt, language)
        opening = opening[slice(*sentences(opening)[0])]
        return f"{opening} {_said_back(text, language, characters)}"
    if felt:
        return phrase(felt, language)
    said = _said_back(text, language, characters)
    return f"{phrase('with_them', language)} {said}" if feels_for(text) else said


def _said_back(text: str, language: str, characters: int) -> str:
    """A statement in its own words; what is said of the being itself stays the author's word.

    So do words put into its mouth and what others said: turned round they would say something else.
    Where a verb would have to change with its pronoun, in Russian and German, it is quoted.
    """
    lex, phrase = lexicon(), lexicon().phrase
    if len(text) > LONGEST_MIRROR:
        key = "noted_long" if len(text) > 4 * LONGEST_MIRROR else "noted_plain"
        return phrase(key, language, characters=f"{characters:,}")
    given = [name for name, theirs in names_given(text) if theirs]
    if given and lex.has("calls", text):
        return phrase("noted_name", language, name=given[-1])
    english = language == "en"
    text = bare_note(HASTY_NAME.sub(r"\1name's", text) if given else text)
    to_being = tells_of_being(text) if english else lex.has("second_person", text)
    if to_being and not english and not lex.has("second_subject", text):
        return phrase("noted_plain", language)
    if to_being or lex.has("dictated", text) or lex.has("reported", text):
        return phrase("noted_words", language, quote=text)
    turned = mirror(text) if english else turned_back(text, language)
    said = turned or text
    ended = f"{said}." if said[-1:].isalnum() else said
    return phrase("noted" if turned else "noted_quote", language, mirror=ended)


def _sources(evidence: tuple[Evidence, ...]) -> tuple[int, ...]:
    every = [one for e in evidence for one in (e, e.later) if one]
    old = [e.replaces.seq for e in every if e.replaces and _needs_old(e)]
    return tuple(dict.fromkeys([*(one.memory.seq for one in every), *old]))
