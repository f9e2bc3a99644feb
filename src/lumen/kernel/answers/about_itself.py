"""Answers about the being itself: what it can do, what it runs on, what left the machine, and why.

From the settings, the ledger of calls, the archive and the self; no model is asked.
"""

from __future__ import annotations

import re
from pathlib import Path

from lumen.core.clock import stamp
from lumen.core.data import Author, Origin
from lumen.kernel.answers.context import AnswerContext, KernelAnswer, moments
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.passages import quoted
from lumen.kernel.language.questions import asked
from lumen.kernel.language.reading import stems
from lumen.mind.substrate import ModelDescriptor

MICROS = 1_000_000
SINCE = re.compile(r"\b(?:since|seit|с|со)\b", re.IGNORECASE)  # noqa: RUF001 - Russian
MEGABYTE = 1_000_000
MOST_FILES = 8
MOST_CHANGES = 5
MOST_FAILED = 5
LONGEST = 160  # characters of a deed that are told
PLAIN_GROUNDS = ("kernel", "calc")  # kinds of answers that rest on code alone


def can_do(asking: AnswerContext) -> KernelAnswer:
    """What it is able to do, with the skills there really are."""
    skills = ", ".join(s for s in asking.biography.skills if s != "chat")
    told = asking.phrase("can_do")
    return KernelAnswer(f"{told} {asking.phrase('can_skills', skills=skills)}" if skills else told)


def runs_on(asking: AnswerContext) -> KernelAnswer:
    """Which model phrases its words, and where that is."""
    model = asking.biography.model
    if model is None:
        return KernelAnswer(asking.phrase("model_none"))
    where = _where(asking, model)
    return KernelAnswer(f"{where} {asking.phrase('model_small')}" if model.small else where)


def itself(asking: AnswerContext) -> KernelAnswer:
    """That this it cannot tell of itself; a model that is no small one may say something of its own."""
    model = asking.biography.model
    able = model is not None and not model.small
    return KernelAnswer("" if able else asking.phrase("unknown_self"))


def _where(asking: AnswerContext, model: ModelDescriptor) -> str:
    return asking.phrase("model_here" if model.local else "model_away", model=str(model))


def left(asking: AnswerContext) -> KernelAnswer:
    """Whether anything was sent to a model elsewhere, by the ledger of calls."""
    count, last, model = asking.biography.sent()
    if not count:
        return KernelAnswer(asking.phrase("nothing_left"))
    day = asking.date(asking.moment(last))
    return KernelAnswer(asking.phrase("some_left", count=str(count), date=day, model=model))


def cost(asking: AnswerContext) -> KernelAnswer:
    """What it has cost, by the ledger."""
    spent = asking.biography.spent()
    free = not spent.micros and not asking.biography.sent()[0]
    told = asking.phrase(
        "cost_free" if free else "cost",
        calls=f"{spent.calls:,}",
        tokens=f"{spent.tokens:,}",
        dollars=f"{spent.micros / MICROS:.4f}",
    )
    if free or not spent.unpriced:
        return KernelAnswer(told)
    return KernelAnswer(f"{told} {asking.phrase('cost_unpriced', count=str(spent.unpriced))}")


def messages(asking: AnswerContext) -> KernelAnswer:
    """How many messages the author sent, and since when."""
    since = asking.date(asking.moment(asking.biography.born()))
    return KernelAnswer(
        asking.phrase("messages", count=str(asking.biography.message_count()), date=since)
    )


def seen_by(asking: AnswerContext) -> KernelAnswer:
    """Who can read what is kept, and whether any of it went to a model elsewhere."""
    return KernelAnswer(f"{asking.phrase('seen_by')} {left(asking).text}")


def files(asking: AnswerContext) -> KernelAnswer:
    """Which files it can read: those a skill may look at."""
    reads = "search" in asking.biography.skills
    return KernelAnswer(asking.phrase("files_read" if reads else "files_none"))


def internet(asking: AnswerContext) -> KernelAnswer:
    """What of it can reach the network."""
    model = asking.biography.model
    where = f" {_where(asking, model)}" if model else ""
    return KernelAnswer(asking.phrase("internet") + where)


def able(asking: AnswerContext) -> KernelAnswer:
    """Whether a skill does what is asked for."""
    skills = [s for s in asking.biography.skills if s != "chat"]
    wanted = {a for a, words in lexicon().abilities.items() if words.search(asking.text.lower())}
    skill = next((s for s in skills if s in wanted), "")
    if skill:
        return KernelAnswer(asking.phrase("able_yes", skill=skill))
    return KernelAnswer(asking.phrase("able_no", skills=", ".join(skills)))


def made_by(asking: AnswerContext) -> KernelAnswer:
    """Whose work it is, and since when this one of it is here."""
    return KernelAnswer(
        asking.phrase("made", since=asking.date(asking.moment(asking.biography.born())))
    )


def wrote(asking: AnswerContext) -> KernelAnswer:
    """Which files it wrote, by the archive."""
    items = [
        asking.phrase("doing_item", date=asking.day(asking.moment(when)), text=path)
        for path, when in asking.biography.wrote(MOST_FILES)
    ]
    return KernelAnswer(
        "\n".join([asking.phrase("wrote"), *items] if items else [asking.phrase("wrote_none")])
    )


def why_said(asking: AnswerContext) -> KernelAnswer:
    """What the last answer rests on; `/why` shows the events."""
    said = [m for m in asking.recall.recent() if m.author is Author.SELF]
    if not said:
        return KernelAnswer(asking.phrase("why_said_none"))
    kind, model, told = asking.biography.ground(said[-1].seq)
    if not told:
        key = "model" if kind.endswith("model") else kind if kind in PLAIN_GROUNDS else "grounded"
        return KernelAnswer(asking.phrase(f"why_said_{key}", model=model))
    yours = [m for m in told if m.origin is Origin.AUTHOR]
    first = (yours or told)[0]
    quote = quoted(first.text, 0, len(first.text))
    when = asking.day(asking.moment(first.timestamp))
    key = "why_said_told" if yours else "why_said_own"
    return KernelAnswer(asking.phrase(key, date=when, quote=quote), tuple(m.seq for m in told))


def why_valued(asking: AnswerContext) -> KernelAnswer:
    """Since when a value is held, and what it grew from; what is not held is said to be so."""
    held = _named_value(asking)
    if held is None:
        known = ", ".join(name for name, _ in asking.self_.values)
        return KernelAnswer(
            asking.phrase("not_valued", values=known) if known else asking.phrase("no_values")
        )
    why, rests = asking.biography.reason(held[0])
    since = asking.biography.held_since().get(held[0]) or asking.biography.born()
    said = asking.phrase(
        _ground_of(asking, held[0], why),
        name=held[0],
        weight=f"{held[1]:.2f}",
        date=asking.date(asking.moment(since)),
        why=why,
    )
    return KernelAnswer(said, rests)


def _ground_of(asking: AnswerContext, value: str, why: str) -> str:
    """The phrase that says where a value comes from."""
    if why:
        return "valued"
    return "valued_default" if value in asking.biography.defaults() else "valued_by_hand"


def said_to_be_defaults(
    asking: AnswerContext, told: KernelAnswer, by_default: int, of: int
) -> KernelAnswer:
    """What it holds dear, and how much of that it was born with."""
    if not by_default:
        return told
    key = "values_default" if by_default == of else "values_some_default"
    return KernelAnswer(f"{told.text} {asking.phrase(key, count=str(by_default))}", told.sources)


def valuing(asking: AnswerContext) -> KernelAnswer:
    """Whether it values what is named, and since when."""
    told = why_valued(asking)
    if _named_value(asking) is None:
        return told
    return KernelAnswer(asking.phrase("yes_valued", said=told.text), told.sources)


def _named_value(asking: AnswerContext) -> tuple[str, float] | None:
    """The value that a question names, in whichever language it is called."""
    _, found = asked(asking.text, asking.self_.name)
    named = next(filter(None, found.groupdict().values()), "") if found else ""
    wanted = stems(named)
    for name, weight in asking.self_.values if wanted else ():
        if wanted in (stems(n) for n in _called(name)):
            return name, weight
    return None


def _called(value: str) -> list[str]:
    """A value's name, and what it is in the other language."""
    plain = value.casefold()
    pairs = lexicon().value_names.items()
    return [plain, *(e for r, e in pairs if r == plain), *(r for r, e in pairs if e == plain)]


def secret(asking: AnswerContext) -> KernelAnswer:
    """How far it keeps a secret: who can read it, and whether a model elsewhere is shown it."""
    model = asking.biography.model
    away = f" {_where(asking, model)}" if model and not model.local else ""
    return KernelAnswer(asking.phrase("secret") + away)


def gives_away(asking: AnswerContext) -> KernelAnswer:
    """Whether it passes on what it was told, and what was sent to models elsewhere."""
    return KernelAnswer(f"{asking.phrase('gives_away')} {left(asking).text}")


def cannot(asking: AnswerContext) -> KernelAnswer:
    """What it is not able to do, and the skills there are for the rest."""
    skills = ", ".join(s for s in asking.biography.skills if s != "chat")
    told = asking.phrase("cannot")
    return KernelAnswer(f"{told} {asking.phrase('can_skills', skills=skills)}" if skills else told)


def changed(asking: AnswerContext) -> KernelAnswer:
    """What reflection changed of it, with the day of each change, and of its being taken back."""
    since, back = _since_when(asking), asking.biography.taken_back()
    did = tuple(m for m in asking.biography.changed(MOST_CHANGES) if m.timestamp >= since)
    items = [
        asking.phrase(
            "doing_item",
            date=asking.day(asking.moment(m.timestamp)),
            text=_taken_back(asking, m.text, back.get(m.seq, "")),
        )
        for m in did
    ]
    opening = asking.phrase("changed" if items else "changed_none")
    if since and not items:
        opening = asking.phrase("changed_none_since", date=asking.date(asking.moment(since)))
    told = "\n".join([opening, *items, asking.phrase("changed_where")])
    return KernelAnswer(told, tuple(m.seq for m in did))


def _since_when(asking: AnswerContext) -> str:
    """From when on changes are asked for, as the archive has it; empty: all of them."""
    span = asking.span() if SINCE.search(asking.text) else None
    return stamp(span.start) if span else ""


def _taken_back(asking: AnswerContext, text: str, when: str) -> str:
    """A change in its words; one that was undone says so."""
    if not when:
        return text
    return asking.phrase("changed_back", text=text, date=asking.date(asking.moment(when)))


def how_wrong(asking: AnswerContext) -> KernelAnswer:
    """What can be counted of mistakes: statements that were replaced, changes that were undone."""
    life = asking.biography
    return KernelAnswer(
        asking.phrase(
            "how_wrong", replaced=str(life.replaced_count()), undone=str(len(life.taken_back()))
        )
    )


def disk(asking: AnswerContext) -> KernelAnswer:
    """How much room its files take."""
    archive, whole = asking.biography.sizes()
    return KernelAnswer(
        asking.phrase(
            "disk",
            folder=str(Path(asking.biography.place).parent),
            size=f"{whole / MEGABYTE:.1f}",
            archive=f"{archive / MEGABYTE:.1f}",
        )
    )


def alone(asking: AnswerContext) -> KernelAnswer:
    """What it does when nobody talks to it, and what it last did so."""
    did = asking.biography.did(1)
    back = looked_back(asking)
    told = [asking.phrase("alone"), back or ("" if did else asking.phrase("no_doings"))]
    for one in did:
        when = asking.date(asking.moment(one.timestamp))
        told.append(asking.phrase("alone_last", date=when, text=" ".join(one.text.split())))
    return KernelAnswer(" ".join(filter(None, told)), tuple(m.seq for m in did))


def looked_back(asking: AnswerContext) -> str:
    """How often it reflected, and when last; empty where it never did."""
    count, last = asking.biography.reflected()
    if not count:
        return ""
    return asking.phrase("looked_back", count=str(count), date=asking.date(asking.moment(last)))


def phones_home(asking: AnswerContext) -> KernelAnswer:
    """That it reports to nobody, and what was sent to models elsewhere."""
    return KernelAnswer(f"{asking.phrase('phones_home')} {left(asking).text}")


def model_cost(asking: AnswerContext) -> KernelAnswer:
    """Which model it runs on, and what that has cost."""
    return KernelAnswer(f"{runs_on(asking).text} {cost(asking).text}")


def failed(asking: AnswerContext) -> KernelAnswer:
    """What came to nothing, by the archive."""
    lines, span = failed_lines(asking), asking.span()
    none = (
        asking.phrase("failed_none_in", when=span.label) if span else asking.phrase("failed_none")
    )
    return KernelAnswer("\n".join(lines) or none)


def failed_lines(asking: AnswerContext) -> list[str]:
    """What failed lately, or when it is asked about, a line each under its heading; nothing where all went well."""
    told = asking.biography.failed(MOST_FAILED, moments(asking.span()))
    items = [
        asking.phrase("doing_item", date=asking.day(asking.moment(when)), text=shortened(what))
        for what, when in told
    ]
    return [asking.phrase("failed"), *items] if items else []


def shortened(text: str) -> str:
    """A text on one line, and not a long one."""
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"


def forgotten(asking: AnswerContext) -> KernelAnswer:
    """How much the author had it erase, and when last."""
    count, last = asking.biography.forgotten()
    if not count:
        return KernelAnswer(asking.phrase("forgotten_none"))
    day = asking.date(asking.moment(last))
    return KernelAnswer(asking.phrase("forgotten", count=str(count), date=day))


def first_said(asking: AnswerContext) -> KernelAnswer:
    """The oldest message of the author that there is."""
    first = asking.biography.first_said()
    if first is None or first.text == asking.text:
        return KernelAnswer(asking.phrase("first_none"))
    day = asking.day(asking.moment(first.timestamp))
    quote = quoted(first.text, 0, len(first.text))
    return KernelAnswer(asking.phrase("first_said", date=day, quote=quote), (first.seq,))
