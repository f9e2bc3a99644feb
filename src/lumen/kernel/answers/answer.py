"""What code alone answers, whatever the model: the time, who the being is, what it was told.

Each answer comes from the clock, the self or the archive. What the being cannot do is said to be
so, and never promised. The phrases stand in the lexicon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from lumen.core.data import Memory, SelfItem
from lumen.kernel.answers import about_itself as own
from lumen.kernel.answers import asked_of_it as combined
from lumen.kernel.answers.agenda import agenda
from lumen.kernel.answers.context import GROUNDED, AnswerContext, KernelAnswer, moments
from lumen.kernel.answers.keeping import list_answer, reminder_answer
from lumen.kernel.answers.known import known
from lumen.kernel.answers.may_take import may_take_answer
from lumen.kernel.answers.requests import cannot_act, goal_by_hand
from lumen.kernel.choice.completion import unending
from lumen.kernel.identity.naming import UNNAMED
from lumen.kernel.language.clock_sums import clock_sum
from lumen.kernel.language.corrections import fact_of
from lumen.kernel.language.dates import day_named, days_there
from lumen.kernel.language.dating import told_day
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.passages import quoted
from lumen.kernel.language.questions import asked, said_here
from lumen.kernel.language.reading import language, sentences, stems, tells_home
from lumen.kernel.language.relatives import relatives
from lumen.kernel.language.requests import request_kinds
from lumen.kernel.language.thresholds import in_force
from lumen.kernel.recall.evidence import Evidence

MOST_DONE = 5
LOOKED_AT = 200  # deeds among which one is looked for
A_YEAR = timedelta(days=366)
LOOKED_INTO = 3  # statements in which the day of something is looked for
ABOUT_DAYS = ("shift", "until", "since")


def answer(kind: str, asking: AnswerContext) -> KernelAnswer:
    """The answer to a question of a kind that language/questions.py names; without a row, its phrase is all.

    Without words it is left to recall.
    """
    return ANSWERS.get(kind, _says(kind))(asking)


def _values(asking: AnswerContext) -> KernelAnswer:
    held = [SelfItem(*value, "active") for value in asking.self_.values]
    told = _items_answer(asking, "value", held)
    by_default = asking.biography.defaults() & {one.name for one in held}
    return own.said_to_be_defaults(asking, told, len(by_default), len(held))


def _goals(asking: AnswerContext) -> KernelAnswer:
    return _items_answer(asking, "goal", asking.self_.goals)


def _items_answer(asking: AnswerContext, kind: str, held: Sequence[SelfItem]) -> KernelAnswer:
    """Every value, or every goal, and since when."""
    since = asking.biography.held_since()
    items = [
        asking.phrase(
            f"{kind}_item",
            name=one.name,
            status=one.status,
            weight=f"{one.weight:.2f}",
            date=_since(asking, since, one.name),
        )
        for one in held
    ]
    said = asking.phrase(f"{kind}s", items="; ".join(items))
    return KernelAnswer(said if items else asking.phrase(f"no_{kind}s"))


def _since(asking: AnswerContext, since: dict[str, str], name: str) -> str:
    return asking.date(asking.moment(since.get(name) or asking.biography.born()))


def _doings(asking: AnswerContext) -> KernelAnswer:
    """What it did on its own: of the time that is asked about, else last."""
    span = asking.span()
    did = asking.biography.did(MOST_DONE, moments(span))
    if span:
        opening = asking.phrase("doings_in" if did else "no_doings_in", when=span.label)
        told = [opening, *_deed_lines(asking, did), *own.failed_lines(asking)]
        return KernelAnswer("\n".join(told), _seqs(did))
    lines = _deed_lines(asking, did)
    began = asking.date(asking.moment(asking.biography.born()))
    talked = asking.phrase("doings_talk", date=began, count=str(asking.biography.answered_count()))
    if asking.biography.forgotten()[0]:
        talked += f" {asking.phrase('doings_forgotten')}"
    back = own.looked_back(asking)
    opening = asking.phrase("doings") if did else "" if back else asking.phrase("no_doings")
    told = [opening, *lines, *own.failed_lines(asking), back, talked]
    return KernelAnswer("\n".join(filter(None, told)), _seqs(did))


def _deed_lines(asking: AnswerContext, did: Sequence[Memory]) -> list[str]:
    return [
        asking.phrase(
            "doing_item", date=asking.day(asking.moment(m.timestamp)), text=own.shortened(m.text)
        )
        for m in did
    ]


def _age(asking: AnswerContext) -> KernelAnswer:
    born = asking.moment(asking.biography.born())
    days = (asking.here() - born) // timedelta(days=1)
    ago = asking.days(days)
    year = "" if born.year != asking.here().year else f" {born.year}"
    date = asking.day(born) + year
    return KernelAnswer(asking.phrase("age", date=date, time=f"{born:%H:%M}", days=ago))


def _quote(memory: Memory) -> str:
    return quoted(memory.text, 0, len(memory.text))


def _said_here(asking: AnswerContext) -> KernelAnswer:
    return KernelAnswer(asking.phrase("just_said", quote=own.shortened(said_here(asking.text))))


def _my_name(asking: AnswerContext) -> KernelAnswer:
    """What the author is called, in whatever language they said it; else recall may know more."""
    name = asking.self_.author_name
    said = asking.phrase("your_name", name=name) if name != UNNAMED else ""
    return KernelAnswer(said, by=GROUNDED)


def _home(asking: AnswerContext) -> KernelAnswer:
    """Where the author last said that they live, in whatever language they said it."""
    untold = "" if asking.language == "en" else asking.phrase("untold")  # recall is good at English

    def tells(text: str) -> bool:
        return tells_home(text) or lexicon().has("left_home", text)

    return _latest_statement(asking, tells, untold)


def _my_age(asking: AnswerContext) -> KernelAnswer:
    """How old the author last said they are, else by their birthday; else recall may know more."""
    told = _latest_statement(asking, lambda text: lexicon().has("age", text), "")
    return told if told.text else _age_by_birth(asking)


def _age_by_birth(asking: AnswerContext) -> KernelAnswer:
    """How old the author is by the day on which they said that they were born."""
    today = asking.here().date()

    def born(text: str) -> date | None:
        found = day_named(text, today) if lexicon().has("birth", text) else None
        return found if found and found < today and str(found.year) in text else None

    told = _latest_statement(asking, lambda text: born(text) is not None, "")
    first = next((b for m in asking.recall.statements() if (b := born(m.text))), None)
    if first is None:
        return told
    age = today.year - first.year - ((today.month, today.day) < (first.month, first.day))
    return replace(told, text=asking.phrase("born_then", said=told.text, age=str(age)))


def _latest_statement(
    asking: AnswerContext, tells: Callable[[str], bool], untold: str
) -> KernelAnswer:
    """The newest statement that tells something, quoted with its day.

    So does one of which another statement corrected something else, with that behind it.
    """
    own = (m for m in asking.recall.statements() if not lexicon().has("reported", m.text))
    told = next((m for m in own if tells(m.text)), None)
    partly = max(_partly_corrected(asking, tells), key=lambda e: e[0].seq, default=None)
    if partly and (told is None or partly[0].seq > told.seq):
        said = f"{_stated(asking, 'stated', partly[0])} {_stated(asking, 'since', partly[1])}"
        return KernelAnswer(said, _seqs(partly), GROUNDED)
    if told is None:
        return KernelAnswer(untold, by=GROUNDED)
    return KernelAnswer(_stated(asking, "stated", told), (told.seq,), GROUNDED)


def _partly_corrected(
    asking: AnswerContext, tells: Callable[[str], bool]
) -> Iterator[tuple[Memory, Memory]]:
    """Statements that still tell something, each with the one that corrected something else of it."""
    for found in asking.recall.evidence(asking.text):
        old = found.replaces
        if old is None or not tells(old.text) or tells(found.memory.text):
            continue
        wrong = fact_of(old.text, found.memory.text)
        if wrong != old.text and not tells(wrong):
            yield old, found.memory


def _stated(asking: AnswerContext, key: str, memory: Memory) -> str:
    when = asking.day(asking.moment(memory.timestamp))
    return asking.phrase(key, date=when, quote=_quote(memory))


def _unending(asking: AnswerContext) -> KernelAnswer:
    goal = unending(asking.text, asking.self_.goals)
    return KernelAnswer(asking.phrase("goal_unending", goal=goal.name if goal else ""))


def _did(asking: AnswerContext) -> KernelAnswer:
    """What it did about something, by the archive alone: what the author said of it is no deed."""
    _, found = asked(asking.text, asking.self_.name)
    named = " ".join(filter(None, found.groupdict().values())) if found else ""
    roots = stems(named or asking.text)
    known = asking.biography.did(LOOKED_AT) if roots else ()
    # where all of the question is looked for, the verb is in it, and the deed may have another
    did = [m for m in known if (roots <= stems(m.text) if named else roots & stems(m.text))]
    did = did[:MOST_DONE]
    if not did:
        return KernelAnswer(asking.phrase("did_none"))
    return KernelAnswer(
        "\n".join([asking.phrase("did_some"), *_deed_lines(asking, did)]), _seqs(did)
    )


def _seqs(memories: Sequence[Memory]) -> tuple[int, ...]:
    return tuple(m.seq for m in memories)


def _says(key: str) -> Callable[[AnswerContext], KernelAnswer]:
    """An answer that is the same whatever else is known."""
    return lambda asking: KernelAnswer(asking.phrase(key))


def _which_day(asking: AnswerContext) -> KernelAnswer:
    found = _day_named(asking)
    if found is None:
        return _no_day(asking)
    if lexicon().has("next_one", asking.text):  # people mean either
        week = timedelta(days=7)
        first = found - week if found - week > asking.here().date() else found
        later = asking.full(first + week)
        return KernelAnswer(asking.phrase("date_next", date=asking.full(first), later=later))
    return KernelAnswer(asking.phrase("date_then", date=asking.full(found)))


def _no_day(asking: AnswerContext) -> KernelAnswer:
    """What is said of a day that is not named, or that no calendar has."""
    only = days_there(_sentence(asking))
    return KernelAnswer(
        asking.phrase("no_such_day", days=str(only)) if only else asking.phrase("unknown")
    )


def _apart(asking: AnswerContext, found: date | None) -> KernelAnswer:
    if found is None:
        return _no_day(asking)
    apart = (found - asking.here().date()).days
    if not apart:
        return KernelAnswer(asking.phrase("days_none", date=asking.full(found)))
    key = "days_until" if apart > 0 else "days_since"
    said = asking.phrase(key, days=asking.days(abs(apart)), date=asking.full(found))
    return KernelAnswer(said[:1].upper() + said[1:])


def _until(asking: AnswerContext) -> KernelAnswer:
    """How long it is until a day, or until something the author told the day of; else recall may know more."""
    day = _day_named(asking)
    if day or days_there(_sentence(asking)):
        return _apart(asking, day)
    today, named = asking.here().date(), stems(_sentence(asking))
    for found in asking.recall.evidence(asking.text)[:LOOKED_INTO]:
        ahead = told_day(found.quote, asking.moment(found.memory.timestamp), today, today + A_YEAR)
        if ahead and (named & stems(found.quote) or _means_same(asking, found)):
            said = _apart(asking, ahead).text
            stated = _stated(asking, "stated", found.memory)
            return KernelAnswer(f"{said} {stated}", (found.memory.seq,), GROUNDED)
    return KernelAnswer("", by=GROUNDED)


def _means_same(asking: AnswerContext, found: Evidence) -> bool:
    """Whether what was told in another language is of what is asked about: near in meaning, and of the same people."""
    if language(found.quote) == asking.language or relatives(asking.text) != relatives(found.quote):
        return False
    return found.score >= in_force("across")["means"]


def _day_named(asking: AnswerContext, *, past: bool = False) -> date | None:
    said = _sentence(asking)
    return day_named(said, asking.here().date(), past=past or lexicon().has("was", said))


def _sentence(asking: AnswerContext) -> str:
    """The sentence of a message that asks for a day."""
    said = [asking.text[a:b] for a, b in sentences(asking.text)]
    about = (s for s in reversed(said) if asked(s, asking.self_.name)[0] in ABOUT_DAYS)
    return next(about, asking.text)


ANSWERS: dict[str, Callable[[AnswerContext], KernelAnswer]] = {
    "shift": _which_day,
    "until": _until,
    "since": lambda asking: _apart(asking, _day_named(asking, past=True)),
    "values": _values,
    "goals": _goals,
    "doings": _doings,
    "failed": own.failed,
    "who": _says("myself"),
    "can_do": own.can_do,
    "forgets": _says("forgets_by_hand"),
    "model": own.runs_on,
    "left": own.left,
    "why_valued": own.why_valued,
    "valuing": own.valuing,
    "secret": own.secret,
    "gives_away": own.gives_away,
    "cannot": own.cannot,
    "changed": own.changed,
    "how_wrong": own.how_wrong,
    "disk": own.disk,
    "alone": own.alone,
    "phones_home": own.phones_home,
    "model_cost": own.model_cost,
    "forgotten": own.forgotten,
    "first_said": own.first_said,
    "cost": own.cost,
    "messages": own.messages,
    "seen_by": own.seen_by,
    "files": own.files,
    "internet": own.internet,
    "able": own.able,
    "made": own.made_by,
    "wrote": own.wrote,
    "why_said": own.why_said,
    "name": _says("named"),
    "age": _age,
    "known": known,
    "agenda": agenda,
    "unending": _unending,
    "said_here": _said_here,
    "my_name": _my_name,
    "home": _home,
    "my_age": _my_age,
    "did": _did,
    "may_take": may_take_answer,
    **dict.fromkeys(request_kinds(), cannot_act),
    "clock_sum": lambda asking: KernelAnswer(
        asking.phrase("clock_sum", time=clock_sum(asking.text))
    ),
    "itself": own.itself,
    "sending": combined.sending,
    "away_files": combined.away_files,
    "private_kept": combined.private_kept,
    "mistaken": combined.mistaken,
    "goal": goal_by_hand,
    "rename": _says("rename_by_hand"),
    "list": list_answer,
    "remind": reminder_answer,
}
