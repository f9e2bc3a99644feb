"""What any log must hold: lines to the byte, one chain under one lock, nothing acknowledged lost."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from lumen.core.data import Event, Placed
from lumen.core.errors import Damaged, Refused
from lumen.soul.archive.line import body, line, parse
from lumen.soul.ports.storage import Storage
from lumen.testing.storage import (
    NAME,
    SOUL,
    SOUL_MD,
    StorageConformance,
    add,
    beside,
    change,
    forget,
    killed,
    noted,
    raises,
    replied,
    said,
)

NO_PARENT = "0" * 64
A_MOMENT_S = 0.3  # long enough for whoever does not wait; whoever does, waits as long as it takes


class EventLogConformance(StorageConformance):
    """For `Storage.log`."""

    def test_a_log_begins_once_and_says_whose_it_is(self, tmp_path: Path) -> None:
        storage = self.opened(tmp_path)
        assert storage.log.soul() == ""
        first = self.born(tmp_path)
        assert first.log.soul() == SOUL
        again = self.opened(tmp_path)
        assert again.log.soul() == SOUL
        raises(Refused, lambda: again.log.begin(SOUL))
        assert [e.entry.situation for e in events(again)] == ["genesis"]

    def test_every_line_is_spelled_as_the_format_says_and_links_to_the_one_before(
        self, tmp_path: Path
    ) -> None:
        storage = self.born(tmp_path)
        add(storage, said("Ich heiße Jürgen — и это правда.", private=True), replied("Noted."))
        add(storage, noted("think", steps=[{"step": "ingest", "ms": 0.5}], none=None, flag=False))
        assert len(intact(storage)) == 4

    def test_events_stand_where_it_was_said_that_they_stand(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        placed = [*add(storage, said("one"), said("two")), *add(storage, said("three"))]
        assert [p.seq for p in placed] == [2, 3, 4]
        assert [where(e) for e in intact(storage)[1:]] == placed
        assert {p.soul for p in placed} == {SOUL}

    def test_what_was_acknowledged_is_there_for_whoever_opens_it_next(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        texts = [f"number {n}" for n in range(20)]
        for text in texts:
            storage.log.append([said(text)], durable=True)
        assert [e.entry.description for e in intact(self.opened(tmp_path))[1:]] == texts

    def test_what_was_acknowledged_outlives_a_process_that_is_killed(self, tmp_path: Path) -> None:
        self.born(tmp_path).log.close()

        def work() -> list[Placed]:
            log = self.opened(tmp_path).log
            return [*log.append([said("one"), said("two")], durable=True)]

        placed = killed(work)
        after = self.opened(tmp_path)
        after.log.recover()
        assert [where(e) for e in intact(after)[1:]] == placed
        assert after.log.append([said("three")], durable=True)[-1].seq == 4
        intact(after)

    def test_events_of_one_append_stand_together_whoever_else_appends(self, tmp_path: Path) -> None:
        first, second = self.born(tmp_path), self.opened(tmp_path)

        def write(storage: Storage, who: str) -> None:
            for number in range(15):
                storage.log.append([said(f"{who}{number}a"), said(f"{who}{number}b")], durable=True)

        with beside(lambda: write(second, "y")):
            write(first, "x")
        texts = [e.entry.description for e in intact(first)[1:]]
        assert len(texts) == 60
        assert [a[:-1] for a in texts[::2]] == [b[:-1] for b in texts[1::2]]
        for who in "xy":
            mine = [text for text in texts if text.startswith(who)]
            assert mine == [f"{who}{n}{part}" for n in range(15) for part in "ab"]

    def test_whoever_holds_the_log_appends_and_everyone_else_waits(self, tmp_path: Path) -> None:
        first, second = self.born(tmp_path), self.opened(tmp_path)
        with ExitStack() as meanwhile, first.log.locked():
            first.log.append([said("one")], durable=True)
            late = beside(lambda: second.log.append([said("four")], durable=True))
            other = meanwhile.enter_context(late)
            with first.log.locked():  # whoever holds it may hold it once more
                first.log.append([said("two")], durable=True)
            other.join(A_MOMENT_S)
            assert other.is_alive(), "another appended while the log was held"
            first.log.append([said("three")], durable=True)
        assert [e.entry.description for e in intact(first)[1:]] == ["one", "two", "three", "four"]

    def test_a_hold_is_let_go_when_what_was_done_under_it_fails(self, tmp_path: Path) -> None:
        first, second = self.born(tmp_path), self.opened(tmp_path)

        def fail() -> None:
            with first.log.locked():
                first.log.append([said("\ud800")], durable=True)

        raises(Refused, fail)
        second.log.append([said("free")], durable=True)
        assert len(intact(first)) == 2

    def test_what_cannot_be_spelled_is_refused_and_leaves_the_log_as_it_was(
        self, tmp_path: Path
    ) -> None:
        storage = self.born(tmp_path)
        before = [*storage.log.lines()]
        raises(Refused, lambda: add(storage, said("good"), said("\ud800 is no text")))
        assert [*storage.log.lines()] == before

    def test_time_does_not_go_back_in_a_log(self, tmp_path: Path) -> None:
        storage, other = self.born(tmp_path), self.opened(tmp_path)
        for number in range(4):
            (storage if number % 2 else other).log.append([said(f"{number}")], durable=True)
        times = [e.timestamp for e in intact(storage)]
        assert times == sorted(times)

    def test_files_change_with_the_event_that_says_so(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        entry = noted("named", changes=[change("soul", SOUL_MD, "# Ada\n")])
        storage.log.append([entry], durable=True, files={SOUL_MD: b"# Ada\n"})
        assert self.opened(tmp_path).files.read(SOUL_MD) == b"# Ada\n"
        storage.log.append([noted("gone")], durable=True, files={SOUL_MD: None})
        assert storage.files.read(SOUL_MD) is None
        raises(
            Refused,
            lambda: storage.log.append([said("\ud800")], durable=True, files={SOUL_MD: b""}),
        )
        assert storage.files.read(SOUL_MD) is None
        assert len(intact(storage)) == 3

    def test_what_is_erased_is_gone_to_the_byte_and_the_chain_holds(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        told = add(storage, said("My sister keeps a xylocarp."), replied("A xylocarp, I see."))
        add(storage, said("And a cat."))
        before = [*storage.log.lines()]
        by = forget(storage, *(p.seq for p in told))
        after = [*self.opened(tmp_path).log.lines()]
        assert b"xylocarp" not in b"".join(after)
        assert [len(raw) for raw in after[: len(before)]] == [len(raw) for raw in before]
        blanked = [parse(after[p.seq - 1]) for p in told]
        assert [e.event_hash for e in blanked] == [p.event_hash for p in told]
        assert [e.entry.situation for e in blanked] == ["erased", "erased"]
        assert [e.entry.payload for e in blanked] == [{"erased_by": by.seq}] * 2
        assert after[0] == before[0]
        assert after[3] == before[3]
        linked(storage)

    def test_an_erasure_states_lines_as_they_are(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        (placed,) = add(storage, said("Measured."))
        raw = [*storage.log.lines()][-1]
        content = raw[raw.index(b'"content_hash":"') + len(b'"content_hash":"') + 65 : -1]
        wanted = {"seq": placed.seq, "event_hash": placed.event_hash, "length": len(content)}
        assert storage.log.stated(placed.seq) == wanted
        raises(Damaged, lambda: storage.log.stated(placed.seq + 1))

    def test_what_is_cut_off_is_kept_aside_and_the_chain_goes_on_before_it(
        self, tmp_path: Path
    ) -> None:
        storage = self.born(tmp_path)
        one, two, _ = add(storage, said("one"), said("two"), said("three"))
        with storage.log.locked():
            kept = storage.log.cut(two.seq)
        assert kept
        assert [e.seq for e in intact(storage)] == [1, one.seq]
        (again,) = add(storage, said("another two"))
        assert again.seq == two.seq
        assert [e.entry.description for e in intact(self.opened(tmp_path))[1:]] == [
            "one",
            "another two",
        ]

    def test_a_head_speaks_for_the_end_and_a_strange_one_is_set_aside(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        (placed,) = storage.log.append([said("signed")], durable=True, sign=True)
        storage.index.catch_up()
        head = storage.index.events.heads()[-1]
        assert (head.soul, head.seq, head.event_hash) == (SOUL, placed.seq, placed.event_hash)
        assert storage.log.has_heads()
        assert storage.log.doubt_heads() == ""
        assert storage.log.drop_strange_heads() == 0
        storage.log.append([said("not signed yet")], durable=True)
        storage.log.sign_rest()
        storage.index.catch_up()
        assert storage.index.events.signed_up_to() == placed.seq + 1

    def test_a_log_that_was_stopped_takes_nothing_more(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        storage.log.stop(Damaged("it was spoiled"))
        raises(Damaged, lambda: storage.log.append([said("no")], durable=True))
        assert len(intact(storage)) == 1

    def test_a_name_given_at_birth_is_known(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        known = storage.index.files.kept(SOUL_MD)
        assert known is not None
        assert (known.text, known.seq) == (NAME, 1)


def events(storage: Storage) -> list[Event]:
    """Every event of a log, by its lines."""
    return [parse(raw) for raw in storage.log.lines()]


def where(event: Event) -> Placed:
    """Where an event stands."""
    return Placed(event.seq, event.event_hash, event.id, event.timestamp, event.soul)


def intact(storage: Storage) -> list[Event]:
    """The events of a log whose every line is what its own content and place make of it."""
    parent, found = NO_PARENT, events(storage)
    for number, (event, raw) in enumerate(zip(found, storage.log.lines(), strict=True), 1):
        spelled = body(event.entry, event.id, event.salt)
        wanted = line(spelled, parent, number, event.soul, event.timestamp)
        assert wanted == (event.event_hash, raw), f"line {number} is not as the format says"
        parent = event.event_hash
    return found


def linked(storage: Storage) -> None:
    """See that every line links to the one before, whatever was erased."""
    found = events(storage)
    parents = [NO_PARENT, *(e.event_hash for e in found)]
    assert [e.parent_hash for e in found] == parents[: len(found)]
    assert [e.seq for e in found] == list(range(1, len(found) + 1))
