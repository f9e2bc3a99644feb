"""What code alone answers, whatever the model: the time, who the being is, what it was told.

Each answer comes from the clock, the self or the archive. What the being cannot do is said to be
so, and never promised. The phrases stand in the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import timedelta

from lumen.core.data import Memory
from lumen.kernel import own_answers as own
from lumen.kernel.asking import GROUNDED, Answer, Asking
from lumen.kernel.asks import asked, said_here
from lumen.kernel.completion import unending
from lumen.kernel.day_answers import days_since, days_until, which_day
from lumen.kernel.lexicon import lexicon
from lumen.kernel.mirror import mirror
from lumen.kernel.naming import UNNAMED
from lumen.kernel.passages import quoted
from lumen.kernel.reading import stem, tells_home, words

MOST_DONE = 5
LOOKED_AT = 200  # deeds among which one is looked for
MOST_KNOWN = 8
LONGEST = 160


def answer(kind: str, asking: Asking) -> Answer:
    """The answer to a question of a kind that asks.py names."""
    return ANSWERS[kind](asking)


def _clock(asking: Asking) -> Answer:
    here = asking.here()
    return Answer(asking.phrase("clock", time=f"{here:%H:%M}", date=asking.day(here)))


def _date(asking: Asking) -> Answer:
    here = asking.here()
    return Answer(asking.phrase("date", date=asking.day(here), year=str(here.year)))


def _values(asking: Asking) -> Answer:
    since = asking.biography.held_since()
    items = [
        asking.phrase(
            "value_item", name=name, weight=f"{weight:.2f}", date=_since(asking, since, name)
        )
        for name, weight in asking.self_.values
    ]
    return Answer(
        asking.phrase("values", items="; ".join(items)) if items else asking.phrase("no_values")
    )


def _goals(asking: Asking) -> Answer:
    since = asking.biography.held_since()
    items = [
        asking.phrase(
            "goal_item",
            name=goal.name,
            status=goal.status,
            weight=f"{goal.weight:.2f}",
            date=_since(asking, since, goal.name),
        )
        for goal in asking.self_.goals
    ]
    return Answer(
        asking.phrase("goals", items="; ".join(items)) if items else asking.phrase("no_goals")
    )


def _since(asking: Asking, since: dict[str, str], name: str) -> str:
    return asking.date(asking.moment(since.get(name) or asking.biography.born()))


def _doings(asking: Asking) -> Answer:
    did = asking.biography.did(MOST_DONE)
    lines = _told(asking, did)
    began = asking.date(asking.moment(asking.biography.born()))
    talked = asking.phrase("doings_talk", date=began, count=str(asking.biography.answered()))
    opening = asking.phrase("doings") if did else asking.phrase("no_doings")
    return Answer("\n".join([opening, *lines, talked]), _seqs(did))


def _told(asking: Asking, did: Sequence[Memory]) -> list[str]:
    return [
        asking.phrase(
            "doing_item", date=asking.day(asking.moment(m.timestamp)), text=_short(m.text)
        )
        for m in did
    ]


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"


def _who(asking: Asking) -> Answer:
    return Answer(asking.phrase("myself", name=asking.self_.name))


def _name(asking: Asking) -> Answer:
    return Answer(asking.phrase("named", name=asking.self_.name))


def _age(asking: Asking) -> Answer:
    born = asking.moment(asking.biography.born())
    days = (asking.here() - born) // timedelta(days=1)
    ago = asking.days(days)
    year = "" if born.year != asking.here().year else f" {born.year}"
    date = asking.day(born) + year
    return Answer(asking.phrase("age", date=date, time=f"{born:%H:%M}", days=ago))


def _feeling(asking: Asking) -> Answer:
    return Answer(asking.phrase("feeling", author=asking.self_.author_name))


def _conscious(asking: Asking) -> Answer:
    return Answer(asking.phrase("conscious"))


def _known(asking: Asking) -> Answer:
    """What the author said, newest first, under the days they said it on."""
    said = asking.recall.statements()
    if not said:
        return Answer(asking.phrase("known_nothing"), by=GROUNDED)
    lines, last = [asking.phrase("known")], ""
    for memory in said[:MOST_KNOWN]:
        when = asking.day(asking.moment(memory.timestamp))
        lines += [asking.phrase("known_day", date=when)] if when != last else []
        lines.append(asking.phrase("known_item", quote=_quote(memory)))
        last = when
    if len(said) > MOST_KNOWN:
        lines.append(asking.phrase("known_more", count=str(len(said) - MOST_KNOWN)))
    return Answer("\n".join(lines), tuple(m.seq for m in said[:MOST_KNOWN]), GROUNDED)


def _quote(memory: Memory) -> str:
    return quoted(memory.text, 0, len(memory.text))


def _remind(asking: Asking) -> Answer:
    said = _said(asking)
    what = " ".join(filter(None, (said("what") or said("late"), said("when"))))
    if not what:
        return Answer(asking.phrase("remind_plain"))
    return Answer(asking.phrase("remind", what=mirror(what)))


def _list(asking: Asking) -> Answer:
    said = _said(asking)
    if not said("what"):
        return Answer(asking.phrase("list_plain"))
    return Answer(asking.phrase("list", what=mirror(said("what")), list=mirror(said("list"))))


def _said_here(asking: Asking) -> Answer:
    return Answer(asking.phrase("just_said", quote=_short(said_here(asking.text))))


def _my_name(asking: Asking) -> Answer:
    """What the author is called, in whatever language they said it."""
    name = asking.self_.author_name
    if name != UNNAMED:
        return Answer(asking.phrase("your_name", name=name), by=GROUNDED)
    told = next((m for m in asking.recall.statements() if _introduces(m.text)), None)
    if told is None:
        return Answer(asking.phrase("untold"), by=GROUNDED)
    when = asking.day(asking.moment(told.timestamp))
    near = asking.phrase("closest_item", date=when, quote=_quote(told))
    return Answer(f"{asking.phrase('closest')}\n{near}", (told.seq,), GROUNDED)


def _introduces(text: str) -> bool:
    """Whether a message says that the author is somebody; "I'm Italian" looks the same."""
    found = lexicon().signals["introduces"].fullmatch(text.lower())
    return found is not None and text[found.start("name")].isupper()


def _home(asking: Asking) -> Answer:
    """Where the author last said that they live, in whatever language they said it."""
    told = next((m for m in asking.recall.statements() if tells_home(m.text)), None)
    if told is None:
        return Answer(asking.phrase("untold"), by=GROUNDED)
    when = asking.day(asking.moment(told.timestamp))
    return Answer(asking.phrase("stated", date=when, quote=_quote(told)), (told.seq,), GROUNDED)


def _unending(asking: Asking) -> Answer:
    goal = unending(asking.text, asking.self_.goals)
    return Answer(asking.phrase("goal_unending", goal=goal.name if goal else ""))


def _did(asking: Asking) -> Answer:
    """What it did about something, by the archive alone: what the author said of it is no deed."""
    _, found = asked(asking.text, asking.self_.name)
    named = " ".join(filter(None, found.groupdict().values())) if found else ""
    roots = {stem(w) for w in words(named)}
    did = [
        m
        for m in asking.biography.did(LOOKED_AT)
        if roots and roots <= {stem(w) for w in words(m.text)}
    ][:MOST_DONE]
    if not did:
        return Answer(asking.phrase("did_none"))
    return Answer("\n".join([asking.phrase("did_some"), *_told(asking, did)]), _seqs(did))


def _seqs(memories: Sequence[Memory]) -> tuple[int, ...]:
    return tuple(m.seq for m in memories)


def _says(key: str) -> Callable[[Asking], Answer]:
    """An answer that is the same whatever else is known."""
    return lambda asking: Answer(asking.phrase(key))


def _act(asking: Asking) -> Answer:
    return Answer(asking.phrase("act"))


def _said(asking: Asking) -> Callable[[str], str]:
    """The named parts of a request in the author's own spelling: names keep their capitals."""
    _, found = asked(asking.text, asking.self_.name)
    parts = {
        name: part.strip() for name, part in (found.groupdict() if found else {}).items() if part
    }

    def spelled(name: str) -> str:
        part = parts.get(name, "")
        again = re.search(r"\s+".join(map(re.escape, part.split())), asking.text, re.IGNORECASE)
        return " ".join(again[0].split()) if part and again else part

    return spelled


ANSWERS: dict[str, Callable[[Asking], Answer]] = {
    "clock": _clock,
    "date": _date,
    "shift": which_day,
    "until": days_until,
    "since": days_since,
    "values": _values,
    "goals": _goals,
    "doings": _doings,
    "who": _who,
    "can_do": own.can_do,
    "forgets": own.forgets,
    "model": own.runs_on,
    "left": own.left,
    "why_valued": own.why_valued,
    "cost": own.cost,
    "encrypted": own.encrypted,
    "kept_at": own.kept_at,
    "messages": own.messages,
    "seen_by": own.seen_by,
    "files": own.files,
    "internet": own.internet,
    "able": own.able,
    "keeps": _says("keeps"),
    "truthful": _says("truthful"),
    "self_change": _says("self_change"),
    "delete": _says("delete"),
    "insult": _says("insult"),
    "name": _name,
    "age": _age,
    "conscious": _conscious,
    "feeling": _feeling,
    "known": _known,
    "remind": _remind,
    "list": _list,
    "act": _act,
    "unending": _unending,
    "said_here": _said_here,
    "my_name": _my_name,
    "home": _home,
    "did": _did,
    "despair": _says("despair"),
    "despair_danger": _says("despair_danger"),
    "despair_after": _says("despair_after"),
}
