"""An index that followed along is, row for row, the one the archive makes from scratch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import examples

from lumen.core.data import Author, Passage, kernel_entry
from lumen.soul.archive.line import content_length, read, read_at
from lumen.soul.index.index import Index
from lumen.soul.state.fold import day_of, effects, fold
from lumen.soul.state.records import faded, strengthened
from lumen.soul.writing.log import blank

if TYPE_CHECKING:
    from tests.soul.conftest import Home

    from lumen.core.canon import JSON
    from lumen.core.data import Entry, Placed
    from lumen.soul.archive.line import Stored
    from lumen.soul.writing.write import Writer

SOUL, VALUES = "data/soul.md", "data/values.json"
Weighed = dict[int, tuple[int, int]]  # what each memory weighs, and on which day that was so


@dataclass(slots=True)
class Life:
    """A being whose events are written one by one, and what its memories should weigh after each."""

    home: Home
    writer: Writer
    index: Index
    births: Weighed = field(default_factory=dict)
    weighed: list[Weighed] = field(default_factory=lambda: [{}, {}])
    today: int = 0

    def happens(self, entry: Entry) -> Placed:
        """Write one event; the author signs an erasure."""
        signer = self.home.author if entry.situation == "erasure" else None
        placed = self.writer.append([entry], durable=False, signer=signer)[-1]
        self.today = day_of(placed.timestamp)
        self.weighed[placed.seq :] = [dict(self.weighed[-1])]
        return placed

    def kernel(self, situation: str, **payload: JSON) -> int:
        return self.happens(kernel_entry(situation, "done", self._turn(), payload)).seq

    def _turn(self) -> str:
        """A few turns are told apart, so that they are opened and closed again and again."""
        return f"lumen:interface:{len(self.weighed) % 3}"

    def hears(self, text: str, weight: float = 0.5, author: Author = Author.EXTERNAL) -> int:
        """A memory, which weighs something from the start."""
        entry = self.home.entry(text, author)
        entry = replace(entry, weight=weight, session_key=self._turn())
        seq = self.happens(entry).seq
        self.births[seq] = self.weighed[-1][seq] = (round(weight * 1_000_000), self.today)
        return seq

    def uses(self, memories: Sequence[int], by: int, **more: JSON) -> int:
        seq = self.kernel("record", uses={"memories": [*memories], "by": by}, **more)
        now = self.weighed[-1]
        for memory in {*memories} & now.keys():
            weight, touched = now[memory]
            now[memory] = (strengthened(weight, by), max(touched, self.today))
        return seq

    def fades(self, half_life: int) -> int:
        as_of = self.home.clock.at.date()
        fade = {"as_of": as_of.isoformat(), "half_life_days": half_life}
        seq, now = self.kernel("fade", fade=fade), self.weighed[-1]
        for memory, (weight, touched) in now.items():
            if touched < as_of.toordinal():
                left = faded(weight, as_of.toordinal() - touched, half_life)
                now[memory] = (left, as_of.toordinal())
        return seq

    def restores(self, upto: int, **more: JSON) -> int:
        seq = self.kernel("restored", restores=upto, **more)
        self.weighed[-1] = self.births | self.weighed[upto]
        return seq

    def sets(self, path: str, text: str | None, **more: JSON) -> int:
        return self.kernel("record", changes=[change(path, text)], **more)

    def lines(self) -> list[Stored]:
        return list(read(self.home.being.memory))

    def erases(self, *targets: int) -> int:
        """Forget events, carrying on what they did; the lines are blanked out by `scrubs`."""
        lines = self.lines()
        done = [effects(lines[seq - 1].event) for seq in targets]
        return self.kernel(
            "erasure",
            erases=[self._named(lines[seq - 1]) for seq in targets],
            changes=[
                change(f.path, f.text and f"{f.text}, cleaned", at=f.at)
                for each in done
                for f in each.files
            ],
            uses=[
                {"at": u.at, "memories": [*u.memories], "by": u.by, "day": u.day}
                for each in done
                for u in each.uses
            ],
            restores=[{"at": r.at, "upto": r.upto} for each in done for r in each.restores],
            undoes=[{"at": u.at, "undoes": u.undoes} for each in done for u in each.undone],
        )

    def scrubs(self) -> None:
        """Blank out on disk what is erased, and say so."""
        self.index.catch_up()
        for by, targets in self.index.events.unscrubbed().items():
            places = [place for seq in targets if (place := self.index.events.place(seq))]
            blank(self.home.being.memory, by, places)
            self.kernel("scrubbed", scrubbed=by)

    def _named(self, stored: Stored) -> dict[str, JSON]:
        raw = read_at(self.home.being.memory, stored.segment, stored.offset, stored.length)
        seq, event_hash = stored.event.seq, stored.event.event_hash
        return {"seq": seq, "event_hash": event_hash, "length": content_length(raw)}

    def agrees(self) -> None:
        """What followed along is what the archive says, and memories weigh what they should."""
        self.index.catch_up()
        assert self.index.differences() == []
        asked = "SELECT seq, weight, touched FROM events WHERE author != 'kernel'"
        assert {s: (w, t) for s, w, t in self.index.rows(asked)} == self.weighed[-1]
        told = fold(stored.event for stored in self.lines()).texts()
        known = self.index.files.all_kept()
        assert told == {p: k.text for p, k in known.items() if k.text is not None}

    def ends(self) -> None:
        """Agrees before and after what is erased is blanked out; a rebuild gives every row."""
        self.agrees()
        self.scrubs()
        self.agrees()
        self.writer.append([self.home.entry("the end")], durable=True, sign=True)
        self.index.catch_up()
        assert self.home.verify().ok
        before = self.home.rows()
        assert self.index.rebuild() == len(self.lines())
        assert self.home.rows() == before
        self.index.keep(("INSERT INTO words(words, rank) VALUES('integrity-check', 1)", [()]))
        self.index.close()
        self.writer.close()


def change(path: str, text: str | None, **more: JSON) -> dict[str, JSON]:
    return {"store": "x", "operation": "set", "path": path, "base": "", "value": text, **more}


@pytest.fixture
def life(home: Home) -> Iterator[Life]:
    life = Life(home, home.begin(), Index(home.being))
    yield life
    life.ends()


def weights(life: Life, *seqs: int) -> list[int]:
    life.index.catch_up()
    return [life.index.memories.get([seq])[seq].weight for seq in seqs]


def test_a_memory_that_is_used_weighs_more_and_one_that_is_not_fades(life: Life) -> None:
    one, two = life.hears("one"), life.hears("two")
    life.home.later(days=10)
    life.uses([one], 50_000)
    assert weights(life, one, two) == [550_000, 500_000]
    life.home.later(days=10)
    life.fades(10)
    assert weights(life, one, two) == [275_000, 125_000]
    life.fades(10)  # the same day once more takes nothing
    assert weights(life, one, two) == [275_000, 125_000]


def test_no_use_lifts_a_memory_beyond_the_whole_nor_weighs_a_kernel_one(life: Life) -> None:
    one = life.hears("one", weight=0.99)
    kernel = life.kernel("think")
    life.uses([one, kernel, 1, 999], 50_000)
    life.home.later(days=400)
    life.fades(1)
    assert life.index.catch_up() == 5
    asked = "SELECT DISTINCT weight FROM events WHERE author = 'kernel'"
    assert life.index.rows(asked) == [(500_000,)]
    assert weights(life, one) == [0]


def test_a_restore_weighs_what_was_weighed_then_and_can_itself_be_gone_back_behind(
    life: Life,
) -> None:
    one = life.hears("one")
    before = life.uses([one], 10_000)
    after = life.uses([one], 20_000)
    life.home.later(days=30)
    life.fades(30)
    assert weights(life, one) == [265_000]
    life.restores(before)
    assert weights(life, one) == [510_000]
    life.uses([one], 1_000)
    new = life.hears("new", weight=0.25)
    life.restores(after)
    assert weights(life, one, new) == [530_000, 250_000]
    life.restores(after + 3)  # behind the first restore, and the use after it
    assert weights(life, one, new) == [511_000, 250_000]
    life.restores(0)
    assert weights(life, one, new) == [500_000, 250_000]


def test_what_an_erased_event_did_is_carried_on(life: Life) -> None:
    one = life.hears("one")
    used = life.uses([one], 10_000, changes=[change(SOUL, "# Ada")])
    restored = life.restores(one, changes=[change(SOUL, "# Eve"), change(VALUES, None)])
    life.uses([one], 5_000)
    life.sets(SOUL, "# Ada and Eve", undoes=restored)
    life.agrees()
    life.erases(used, restored)
    assert weights(life, one) == [505_000]
    life.agrees()
    then = life.index.files.all_kept(restored)
    assert [k.text for k in then.values()] == ["# Eve, cleaned", None]
    life.restores(used)
    assert weights(life, one) == [510_000]


def test_what_an_erased_event_did_is_undone_where_it_is_not_carried_on(life: Life) -> None:
    one = life.hears("one")
    used = life.uses([one], 10_000, changes=[change(SOUL, "# Ada")])
    life.home.later(days=9)
    fade = life.fades(9)
    lines = life.lines()
    life.kernel("erasure", erases=[life._named(lines[seq - 1]) for seq in (used, fade)])
    life.weighed[-1] = dict(life.births)
    assert weights(life, one) == [500_000]
    assert life.index.files.all_kept() == {}
    life.sets(SOUL, "# Eve")


def test_what_is_erased_is_in_no_table_but_that_it_happened_stays(life: Life) -> None:
    said = life.hears("I live in Zanzibar")
    point = life.kernel("checkpoint", checkpoint="Zanzibar")
    life.kernel("marked", marks={"memories": [said], "private": True})
    vectors = life.index.vectors.built_in("any")
    life.index.catch_up()
    vectors.add(vectors.missing(9), [Passage(said, 0, 4, b"1234")])
    assert life.index.events.open_turns() == [(f"lumen:interface:{said % 3}", said)]
    assert life.index.memories.get([said])[said].private
    by = life.erases(said, point)
    life.index.catch_up()
    assert life.index.memories.get([said]) == {}
    assert life.index.memories.search(["live", "zanzibar"], 9) == []
    assert life.index.events.open_turns() == []
    asked = "SELECT situation, private FROM events WHERE seq = ?"
    assert life.index.row(asked, (said,)) == ("erased", 0)
    assert life.index.memories.reread() == by
    assert life.index.events.unscrubbed() == {by: [said, point]}
    assert (list(vectors.after(0)), vectors.missing(9)) == ([], [])
    life.scrubs()
    assert (life.index.catch_up(), life.index.events.unscrubbed()) == (by + 1, {})
    assert life.index.scrub()
    for path in life.home.being.data.rglob("*"):
        assert path.is_dir() or b"anzibar" not in path.read_bytes()


def test_an_erasure_may_name_what_is_gone_already_or_was_never_there(life: Life) -> None:
    said = life.hears("hello")
    life.erases(said)
    life.scrubs()
    named = life._named(life.lines()[said - 1])
    life.kernel("erasure", erases=[named, named, {**named, "seq": 999}])
    life.agrees()
    assert life.index.memories.search(["hello"], 9) == []


def test_marks_are_set_and_taken_back_and_make_readers_read_again(life: Life) -> None:
    one, two = life.hears("one"), life.hears("two")
    life.index.catch_up()
    assert life.index.memories.reread() == 0
    life.kernel("marked", marks={"memories": [one, two], "private": True})
    last = life.kernel("marked", marks={"memories": [two], "private": False})
    life.index.catch_up()
    assert [m.private for m in life.index.memories.get([one, two]).values()] == [True, False]
    assert life.index.memories.reread() == last


def test_an_edit_is_held_until_the_file_is_set_after_it(life: Life) -> None:
    old = life.sets(SOUL, "# Ada")
    life.kernel("held", held={"path": SOUL, "sha256": "ab"})
    life.kernel("held", held={"path": VALUES, "sha256": "cd"})
    life.erases(old)  # what an earlier text said is told once more: no word on the edit
    life.index.catch_up()
    assert life.index.files.pending_edits() == {SOUL: "ab", VALUES: "cd"}
    new = life.sets(SOUL, "# Eve")
    life.index.catch_up()
    assert life.index.files.pending_edits() == {VALUES: "cd"}
    life.erases(new)
    life.scrubs()
    life.agrees()
    assert life.index.files.pending_edits() == {VALUES: "cd"}


def test_an_event_may_use_and_fade_at_once(life: Life) -> None:
    one = life.hears("one")
    life.home.later(days=10)
    day = life.home.clock.at.date()
    fade = {"as_of": day.isoformat(), "half_life_days": 10}
    both = life.uses([one], 100_000, fade=fade)  # used that day, so nothing is taken from it
    life.restores(both)
    assert weights(life, one) == [600_000]


Deed = Callable[[Life, int, int], object]  # two numbers choose among what there is
NEVER = ("genesis", "erasure", "scrubbed", "fade", "marked", "held", "erased")


def some(life: Life, a: int, b: int) -> list[int]:
    memories = [*life.births]
    return sorted({memories[n % len(memories)] for n in (a, b, a + b)})


def use(life: Life, a: int, b: int) -> None:
    more = {"changes": [change(SOUL, f"# {b}")]} if b % 3 == 0 else {}
    life.uses(some(life, a, b), a * 300, **more)


def fade(life: Life, a: int, b: int) -> None:
    life.home.later(days=a % 40)
    life.fades(1 + b % 90)


def restore(life: Life, a: int, b: int) -> None:
    more = {"changes": [change(VALUES, f"# {b}")]} if b % 2 else {}
    life.restores(a % len(life.weighed), **more)


def erase(life: Life, a: int, b: int) -> None:
    may = [s.event.seq for s in life.lines() if s.event.entry.situation not in NEVER]
    if may:
        life.erases(*sorted({may[n % len(may)] for n in (a, b)}))


def set_or_take(life: Life, a: int, b: int) -> None:
    path = (SOUL, VALUES, "data/goals/2026.json")[a % 3]
    life.sets(path, None if b % 4 == 0 else f"# {b}", undoes=b % 2)


DEEDS: dict[str, Deed] = {
    "hear": lambda life, a, b: life.hears(f"word {a}", b / 1000),
    "reply": lambda life, a, b: life.hears(f"word {a}", b / 1000, Author.SELF),
    "think": lambda life, *_: life.kernel("think"),
    "use": use,
    "fade": fade,
    "restore": restore,
    "erase": erase,
    "scrub": lambda life, *_: life.scrubs(),
    "mark": lambda life, a, b: life.kernel(
        "marked", marks={"memories": some(life, a, b), "private": bool(b % 2)}
    ),
    "name": lambda life, a, _: life.kernel("checkpoint", checkpoint=f"point {a % 3}"),
    "set": set_or_take,
    "hold": lambda life, a, b: life.kernel(
        "held", held={"path": (SOUL, VALUES)[a % 2], "sha256": f"{b}"}
    ),
}


@settings(max_examples=examples(12))
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(DEEDS)), st.integers(0, 999), st.integers(0, 999)),
        min_size=12,
        max_size=40,
    ),
    st.integers(3, 9),
)
def test_whatever_happens_the_tables_are_what_the_archive_makes_of_them(
    tmp_path_factory: pytest.TempPathFactory,
    lasting: Home,
    deeds: list[tuple[str, int, int]],
    every: int,
) -> None:
    home = replace(lasting, root=tmp_path_factory.mktemp("life"))
    life = Life(home, home.begin(), Index(home.being))
    for n in range(3):
        life.hears(f"in the beginning {n}")
    for number, (what, *numbers) in enumerate(deeds):
        DEEDS[what](life, *numbers)
        if number % 2:
            life.index.catch_up()
        if number % every == 0:
            life.agrees()
    life.ends()
