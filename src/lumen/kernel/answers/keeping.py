"""Lists and reminders in talk: what is kept of a request, and what is said to it.

A reminder rings nowhere yet, and that is said; it is told in the first turn on its day or later. What is
private, or said by a guest, is put on no list: the file of a list is not marked as private.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from lumen.core.canon import JSON
from lumen.core.clock import Now, parse_stamp
from lumen.core.data import Change, Memory, NamedValue
from lumen.core.stores import Store
from lumen.kernel.answers.context import AnswerContext, KernelAnswer
from lumen.kernel.contour.state import State
from lumen.kernel.language.dates import spoken_day
from lumen.kernel.language.keeping import (
    ListRequest,
    ReminderRequest,
    is_quoted,
    list_kind,
    list_request,
    reminder_request,
    same_thing,
)
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.questions import requested
from lumen.kernel.language.times.resolve import Grain, Time

MOST_LISTS, MOST_REMINDERS = 40, 100
LATE = timedelta(hours=12)  # a reminder with an hour, told so much after it, is late


@dataclass(frozen=True, slots=True)
class Reminder:
    """What the author asked to be told, and from when on."""

    name: str
    what: str
    at: datetime
    to_the_hour: bool
    event: int = 0

    def day(self, now: datetime, language: str) -> str:
        """When it is for, as a person says it."""
        year = "" if self.at.year == now.year else f" {self.at.year}"
        hour = f", {self.at:%H:%M}" if self.to_the_hour else ""
        return f"{spoken_day(self.at, language)}{year}{hour}"


def reminders(state: State, now: Now) -> list[Reminder]:
    """What is to be told and was not yet, the earliest first."""
    found = []
    for name, told in state.values(Store.REMINDERS).items():
        at = _moment(told, now)
        if isinstance(told, dict) and at is not None:
            event = told.get("event")
            found.append(
                Reminder(
                    name,
                    str(told["what"]),
                    at,
                    told.get("hour") is True,
                    event if isinstance(event, int) else 0,
                )
            )
    return sorted(found, key=lambda r: r.at)


def _moment(told: JSON, now: Now) -> datetime | None:
    """When a reminder is for, where the author is; nothing where the file does not say it."""
    try:
        at = datetime.fromisoformat(str(told["at"])) if isinstance(told, dict) else None
    except ValueError:
        return None
    if at is None:
        return None
    return at.astimezone(now.zone) if at.tzinfo else at.replace(tzinfo=now.zone)


def due(state: State, now: Now, language: str) -> tuple[str, tuple[Change, ...], tuple[int, ...]]:
    """What is told now, once: the words, that they were told, and the events they rest on."""
    here = now.moment.astimezone(now.zone)
    come = [r for r in reminders(state, now) if r.at <= here]
    said = []
    for one in come:
        late = here - one.at > LATE if one.to_the_hour else one.at.date() < here.date()
        key = "reminds_late" if late else "reminds"
        said.append(lexicon().phrase(key, language, date=one.day(here, language), what=one.what))
    changes = tuple(Change(Store.REMINDERS, "set", NamedValue(r.name, None)) for r in come)
    return "\n".join(said), changes, tuple(r.event for r in come if r.event)


def told_already(
    statements: Iterable[Memory], waiting: Container[int], here: datetime
) -> Iterator[Reminder]:
    """The reminders that were asked for and have been told: their hour came, and nobody dropped them."""
    dropped: list[str] = []
    for memory in statements:  # the newest first
        kind, sentence = requested(memory.text)
        said = parse_stamp(memory.timestamp).astimezone(here.tzinfo)
        wanted = reminder_request(sentence, said) if kind == "remind" else None
        if wanted and wanted.act == "remove":
            dropped.append(wanted.what)
        if wanted is None or wanted.act != "add" or wanted.when is None or memory.seq in waiting:
            continue
        gone = any(same_thing(wanted.what, one) for one in dropped)
        if wanted.what and wanted.when.start <= here and not gone:
            to_the_hour = wanted.when.grain is not Grain.DAY
            yield Reminder("", wanted.what, wanted.when.start, to_the_hour, memory.seq)


def list_answer(asking: AnswerContext) -> KernelAnswer:
    """A list with what is put on it or taken off, said back; or what is on it."""
    _, sentence = requested(asking.text, asking.self_.name)
    wanted = list_request(sentence)
    if wanted is None or is_quoted(asking.text, sentence):
        return KernelAnswer(asking.phrase("list_unclear"))
    if asking.state is None:
        return KernelAnswer(asking.phrase("keeps_not"))
    lists = {n: _words(v) for n, v in asking.state.values(Store.LISTS).items()}
    name = _meant(wanted, lists)
    held = lists.get(name, ())
    if wanted.act == "show":
        return KernelAnswer(_shown(asking, name, held, "list_shown"))
    if wanted.act in ("add", "swap"):
        puts = _added if wanted.act == "add" else _swapped
        return puts(asking, wanted, name, lists)
    gone = [i for i in held if wanted.act == "clear" or _any_same(i, wanted.items)]
    if not gone:
        return KernelAnswer(_shown(asking, name, held, "list_without"))
    left = tuple(i for i in held if i not in gone)
    change = Change(Store.LISTS, "set", NamedValue(name, [*left] or None))
    taken = asking.phrase("list_taken", items=", ".join(gone))
    return KernelAnswer(
        f"{taken} {_shown(asking, name, left, 'list_now')}", keeps=(change,), act="list"
    )


def _swapped(
    asking: AnswerContext, wanted: ListRequest, name: str, lists: Mapping[str, tuple[str, ...]]
) -> KernelAnswer:
    """A list on which one thing stands in the place of another."""
    held = lists.get(name, ())
    if not any(_any_same(i, wanted.instead) for i in held):
        return KernelAnswer(_shown(asking, name, held, "list_without"))
    right = ", ".join(wanted.items)
    left = tuple(dict.fromkeys(right if _any_same(i, wanted.instead) else i for i in held))
    said = asking.phrase("list_swapped", right=right, wrong=", ".join(wanted.instead))
    change = Change(Store.LISTS, "set", NamedValue(name, [*left]))
    return KernelAnswer(
        f"{said} {_shown(asking, name, left, 'list_now')}", keeps=(change,), act="list"
    )


def _added(
    asking: AnswerContext, wanted: ListRequest, name: str, lists: Mapping[str, tuple[str, ...]]
) -> KernelAnswer:
    if not wanted.items or (name not in lists and len(lists) >= MOST_LISTS):
        return KernelAnswer(asking.phrase("list_unclear"))
    held = lists.get(name, ())
    new = [i for i in wanted.items if i.lower() not in (h.lower() for h in held)]
    whole = (*held, *new)
    change = Change(Store.LISTS, "set", NamedValue(name, [*whole]))
    return KernelAnswer(
        _shown(asking, name, whole, "list_now"), keeps=(change,) if new else (), act="list"
    )


def _shown(asking: AnswerContext, name: str, items: tuple[str, ...], key: str) -> str:
    if not items and key != "list_without":
        return asking.phrase("list_empty", list=name)
    return asking.phrase(key, list=name, items=", ".join(items) or asking.phrase("list_nothing"))


def _meant(wanted: ListRequest, lists: Mapping[str, tuple[str, ...]]) -> str:
    """The list a request is about: of that name, else of that kind; where it names none, the only one."""
    if named := next((n for n in lists if n.lower() == wanted.name.lower()), ""):
        return named
    kind = list_kind(wanted.name)
    alike = [n for n in lists if wanted.bare or (kind and list_kind(n) == kind)]
    return alike[0] if len(alike) == 1 else wanted.name


def _any_same(item: str, wanted: tuple[str, ...]) -> bool:
    return any(same_thing(item, one) for one in wanted)


def _words(value: JSON) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def reminder_answer(asking: AnswerContext) -> KernelAnswer:
    """A reminder with its day, kept and said back; one whose day is not clear is asked for."""
    _, sentence = requested(asking.text, asking.self_.name)
    wanted = reminder_request(sentence, asking.here())
    if wanted is None or is_quoted(asking.text, sentence):
        return KernelAnswer(asking.phrase("remind_unclear"))
    if asking.state is None:
        return KernelAnswer(asking.phrase("keeps_not"))
    held = reminders(asking.state, asking.now)
    if wanted.act == "show":
        return KernelAnswer(_waiting(asking, held))
    if wanted.act == "remove":
        return _dropped(asking, wanted, held)
    if wanted.what and wanted.when and len(held) < MOST_REMINDERS:
        return _kept(asking, wanted.what, wanted.when)
    asks = "remind_which_day" if wanted.unclear else "remind_when"
    key = asks if wanted.what and not wanted.when else "remind_unclear"
    return KernelAnswer(asking.phrase(key, what=wanted.what, words=wanted.unclear))


def _kept(asking: AnswerContext, what: str, when: Time) -> KernelAnswer:
    here = asking.here()
    new = Reminder(
        f"{here:%Y%m%d%H%M%S}-{asking.event}", what, when.start, when.grain is not Grain.DAY
    )
    told: dict[str, JSON] = {
        "at": new.at.isoformat(),
        "what": what,
        "hour": new.to_the_hour,
        "event": asking.event,
    }
    said = asking.phrase("remind_kept", date=new.day(here, asking.language), what=what)
    if when.every:
        said = f"{said} {asking.phrase('remind_once')}"
    change = Change(Store.REMINDERS, "set", NamedValue(new.name, told))
    return KernelAnswer(said, keeps=(change,), act="remind")


def _waiting(asking: AnswerContext, held: list[Reminder]) -> str:
    if not held:
        return asking.phrase("reminders_none")
    day = [(r.day(asking.here(), asking.language), r.what) for r in held]
    items = [asking.phrase("doing_item", date=date, text=what) for date, what in day]
    return "\n".join([asking.phrase("reminders"), *items])


def _dropped(asking: AnswerContext, wanted: ReminderRequest, held: list[Reminder]) -> KernelAnswer:
    gone = [r for r in held if not wanted.what or same_thing(r.what, wanted.what)]
    if len(gone) != 1:
        none = asking.phrase("remind_not_dropped")
        return KernelAnswer(f"{none} {_waiting(asking, held)}")
    said = asking.phrase("remind_dropped", what=gone[0].what)
    change = Change(Store.REMINDERS, "set", NamedValue(gone[0].name, None))
    return KernelAnswer(said, keeps=(change,), act="remind")
