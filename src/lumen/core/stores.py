"""Every store of a being, one entry each: where it lives, what can be done to it, and by whom.

The gate's grants, the shapes of changes, and which files are checked, adopted, restored, rebuilt and
guarded all follow from here: a new store is a new member, and nothing else. What a kind of place
makes of its operations is in soul/state/records.py. Prompts, code, step order and this table are in nobody's
row: they change by hand or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, unique
from functools import lru_cache
from types import MappingProxyType

from lumen.core.canon import JSON, printable
from lumen.core.errors import BadLoop

YEAR = "YYYY"  # in a path: a file a year
NAME = "NAME"  # in a path: the name of the store
LOOPS = frozenset({"action", "explore", "reflection", "maintenance", "author"})
Check = Callable[[Mapping[str, JSON]], str]  # what is wrong with a JSON object; empty: nothing


class StoreKind(Enum):
    """What kind of thing a store is kept in."""

    EVENTS = "events"  # the archive itself
    TEXT = "text"  # a file, set whole
    ENTRIES = "entries"  # values or goals, each with weight and status
    LINES = "lines"  # JSON objects, one to a line, only added to
    STATE = "state"  # one JSON object: names and their values
    VERB = "verb"  # one thing that may be done to another store
    PROGRAMS = "programs"  # a folder of programs, changed by making one


class ByHand(Enum):
    """What an edit of a file by the author's hand comes to."""

    ADOPTED = "adopted"  # archived and in force, if it says what it must
    THEIRS = "theirs"  # in force as it stands, without a word
    PUT_BACK = "put back"  # set aside: the file is the archive's to write
    OVERWRITTEN = "overwritten"  # lost when the file is written next


def anything(_said: Mapping[str, JSON]) -> str:
    """Nothing is wrong with any object."""
    return ""


def of_words(said: Mapping[str, JSON]) -> str:
    """Each name holds a list of plain words."""
    for name, held in said.items():
        listed = isinstance(held, list) and all(isinstance(one, str) for one in held)
        if not listed or any(str(one) != printable(str(one)) for one in held):
            return f'{printable(name)!r} must be a list of words, like ["milk", "eggs"]'
    return ""


def of_reminders(said: Mapping[str, JSON]) -> str:
    """Each name holds what is to be told, in plain words, and the moment."""
    for name, told in said.items():
        what, at = (told.get("what"), told.get("at")) if isinstance(told, dict) else (None, None)
        if not isinstance(what, str) or not isinstance(at, str) or what != printable(what):
            return f'{printable(name)!r} must be an object like {{"what": "call Ana", "at": "2031-04-02T09:00:00"}}'
    return ""


@dataclass(frozen=True, slots=True)
class StoreLayout:
    """Where a store lives and what can be done there; without a path it has no file of its own."""

    kind: StoreKind
    operations: frozenset[str]
    path: str = ""
    by_hand: ByHand = ByHand.ADOPTED
    states: tuple[str, ...] = ()  # how what is held may stand
    most: int = 0  # lines that are kept: the newest
    days: int = 0  # and for how long, by the `date` of each; 0: for ever
    check: Check = anything
    goes_back: bool = True  # a restore takes it along
    can_go: bool = True  # the file may be taken away

    def holds(self, path: str) -> bool:
        """Whether a path inside the being is a file of this place."""
        before, year, after = self.path.partition(YEAR)
        if not year:
            return bool(path) and path == self.path
        digits = path.removeprefix(before).removesuffix(after)
        return (
            path == f"{before}{digits}{after}"
            and len(digits) == 4
            and digits.isdecimal()
            and digits.isascii()
        )

    def file(self, year: int = 0) -> str:
        """The path of the file, or of a year's."""
        return self.path.replace(YEAR, f"{year:04d}")

    @property
    def is_record(self) -> bool:
        """Whether it is changed by operations that the fold carries out."""
        return self.kind in (StoreKind.LINES, StoreKind.STATE)


NOWHERE = StoreLayout(StoreKind.VERB, frozenset(), by_hand=ByHand.OVERWRITTEN, goes_back=False)


def text(
    path: str, by_hand: ByHand = ByHand.ADOPTED, *, goes_back: bool = True, can_go: bool = True
) -> StoreLayout:
    """A text that is set whole."""
    return StoreLayout(
        StoreKind.TEXT, frozenset({"set"}), path, by_hand, goes_back=goes_back, can_go=can_go
    )


def entries(path: str, *states: str) -> StoreLayout:
    """A list of values or goals, set whole or one at a time."""
    return StoreLayout(StoreKind.ENTRIES, frozenset({"set", "put", "drop"}), path, states=states)


def lines(most: int = 1_000, check: Check = anything, *, days: int = 0) -> StoreLayout:
    """A record of JSON objects that is only added to; the newest are kept. `set`: the whole of it.

    With `days`, each line tells its `date`, and adding one drops those that are older by more than that.
    """
    operations = frozenset({"append", "set"})
    path = f"data/state/{NAME}.jsonl"
    return StoreLayout(
        StoreKind.LINES, operations, path, ByHand.PUT_BACK, most=most, days=days, check=check
    )


def state(check: Check = anything, *operations: str) -> StoreLayout:
    """Values by name: each is set, moved a little towards a number, or a list that is added to, or in one of
    these ways alone. `set` also takes the whole of it.
    """
    known = frozenset(operations or ("set", "append", "average"))
    return StoreLayout(StoreKind.STATE, known, f"data/state/{NAME}.json", check=check)


def verb(operation: str) -> StoreLayout:
    """One operation on another store, granted by itself."""
    return StoreLayout(StoreKind.VERB, frozenset({operation}))


@unique  # else a name that is taken would be another name of that store
class Store(StrEnum):
    """What a loop may be granted to change: its archived name, its place, the loops it is granted to.

    The author, who restores and edits, is granted every record without a word.
    """

    _value_: str
    place: StoreLayout
    loops: frozenset[str]

    def __new__(cls, name: str, place: StoreLayout, loops: str) -> Store:
        """A member is its archived name, and carries the rest of its entry."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.place = replace(place, path=place.path.replace(NAME, name))
        member.loops = frozenset(loops.split()) | ({"author"} if place.is_record else set())
        if unknown := sorted(member.loops - LOOPS):
            known = ", ".join(sorted(LOOPS))
            raise BadLoop(f"the store {name} is granted to {unknown[0]!r}; the loops are {known}")
        return member

    MEMORY = (
        "memory",
        StoreLayout(StoreKind.EVENTS, frozenset({"append"})),
        "action explore reflection maintenance author",
    )
    SOUL = "soul", text("data/soul.md"), "reflection author"
    VALUES = "values", entries("data/values.json", "active", "deprecated"), "reflection author"
    GOALS = (
        "goals",
        entries(f"data/goals/{YEAR}.json", "todo", "working", "done", "perpetual"),
        "reflection author",
    )
    CONTRACTS = "contracts", entries("data/contracts.json", "style", "invariant"), "author"
    GOAL_STATUS = "goal_status", verb("move"), "action reflection author"
    GOAL_GAP = "goal_gap", verb("add"), "action"
    EVIDENCE_LEDGER = "evidence_ledger", lines(most=256), "action"
    OUTCOMES = "outcomes", lines(most=1_000, days=365), "action"  # what became of each reply
    LISTS = "lists", state(of_words, "set"), "action"
    REMINDERS = "reminders", state(of_reminders, "set"), "action"
    STATE = "state", state(), "action explore reflection"
    TOOLS = "tools", state(), "action"  # which tools were there, and when that was looked at
    SKILLS = "skills", StoreLayout(StoreKind.PROGRAMS, frozenset()), "action author"
    SETTINGS = (
        "settings",
        text("lumen.toml", ByHand.THEIRS, goes_back=False, can_go=False),
        "author",
    )
    CONTOUR = "contour", text("data/contour.json", ByHand.PUT_BACK, goes_back=False), "author"
    SUMMARY = (
        "summary",
        text(f"data/memory/{YEAR}/summary.md", ByHand.OVERWRITTEN, goes_back=False, can_go=False),
        "maintenance",
    )


GRANTS: Mapping[str, frozenset[Store]] = MappingProxyType(
    {
        loop: frozenset(store for store in Store if loop in store.loops)
        for loop in sorted({loop for store in Store for loop in store.loops})
    }
)


def granted(loop: str) -> frozenset[Store]:
    """What a loop may change; of a loop nobody knows, nothing."""
    return GRANTS.get(loop, frozenset())


@lru_cache(maxsize=512)
def store_at(path: str) -> Store | None:
    """The store a path inside the being is a file of."""
    return next((store for store in Store if store.place.holds(path)), None)


def place_at(path: str) -> StoreLayout:
    """The place a path inside the being is a file of, or one where nothing can be done."""
    store = store_at(path)
    return store.place if store else NOWHERE


def is_self(path: str) -> bool:
    """Whether a path inside the being is one of the files that say who it is."""
    place = place_at(path)
    return place.kind in (StoreKind.TEXT, StoreKind.ENTRIES) and place.by_hand is ByHand.ADOPTED


def is_looked_at(path: str) -> bool:
    """Whether an edit of a file by hand has to be noticed."""
    return place_at(path).by_hand in (ByHand.ADOPTED, ByHand.PUT_BACK)


def is_theirs(path: str) -> bool:
    """Whether a file is the author's to write at any time."""
    return place_at(path).by_hand is ByHand.THEIRS


def fixed_paths() -> dict[str, str]:
    """The file of every store that has just one, by the store's archived name."""
    return {s.value: s.place.path for s in Store if s.place.path and YEAR not in s.place.path}
