"""A process killed with -9 at every system call of a commit: what is left is whole.

The functions named `opens_…` run in the process that is killed; only what they return is counted.
What a power cut leaves, where calls that were made are lost, is not asked here.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: F401 - signing loads it late
from tests.sampling import passed_through
from tests.storing import begun, gate_of
from tests.storing import tables as tables_of

from lumen.core.canon import sha256
from lumen.core.clock import Clock, SystemClock, ulid
from lumen.core.data import Author, BeingPaths, Change, Entry, EventType, Origin, kernel_entry
from lumen.core.stores import Store
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.recovery import recover
from lumen.soul.archive.line import read, segments, torn_end
from lumen.soul.checking.verify import Report, verify
from lumen.soul.index.index import Index
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing.write import Writer
from lumen.testing.clock import HandClock

if TYPE_CHECKING:
    from types import ModuleType

    from tests.sampling import Sampled
    from tests.soul.killing import End, Killer, When

    Deed = Callable[[], object]

pytestmark = pytest.mark.real_disk
FEWEST = 10  # kill points: with fewer, hardly anything could be tried
TRIED = 16  # of them, where a sample is enough
TO_THE_END = 0
LAST_YEAR = datetime(2025, 12, 31, 23, 59, tzinfo=UTC)
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
OLD = {Store.SOUL: "# Lumen\n", Store.VALUES: "[]\n"}
NEW = {
    Store.SOUL: "# Ada\n\nShe has a story now.\n",
    Store.VALUES: '[{"name": "candour", "weight": 0.5, "status": "active"}]\n',
}
TORN = b'{"event_hash":"00'
BOTH_SIDES = pytest.mark.parametrize("when", ["before", "after"])
BEAT = kernel_entry("record", "RECORD: done", "lumen:interface:1", {})


def home(root: Path) -> tuple[BeingPaths, Keyring]:
    return BeingPaths(root / "being"), Keyring(root / "host")


def open_writer(root: Path, clock: Clock) -> Writer:
    writer = Writer(*home(root), clock)
    writer.recover()
    return writer


def open_gate(root: Path) -> tuple[Gate, Index]:
    being, keyring = home(root)
    gate = gate_of(being, keyring, SystemClock())
    recover(gate, verify(being, keyring).soul)
    return gate, tables_of(gate.index)


def said(text: str) -> Entry:
    return Entry(
        author=Author.EXTERNAL,
        event_type=EventType.AUTHOR_MESSAGE,
        origin=Origin.AUTHOR,
        situation="heard",
        description=text,
        session_key=f"lumen:interface:{text}",
    )


def paths(being: BeingPaths) -> dict[Store, Path]:
    return {Store.SOUL: being.soul_md, Store.VALUES: being.values}


def opens_for_two(root: Path) -> Deed:
    writer = open_writer(root, SystemClock())
    writer.append([said("safe")], durable=True)
    return lambda: writer.append([said("one"), said("two")], durable=True)


def opens_for_a_new_year(root: Path) -> Deed:
    writer = open_writer(root, HandClock(NEW_YEAR, seed=1, step_ms=0))
    return lambda: writer.append([said("one"), said("two")], durable=True)


def opens_for_a_signature(root: Path) -> Deed:
    writer = open_writer(root, SystemClock())
    return lambda: writer.append([said("one"), said("two")], durable=True, sign=True)


def opens_for_files(root: Path) -> Deed:
    gate, _ = open_gate(root)
    files = paths(gate.being)
    changes = [Change(s, "set", NEW[s], sha256(files[s].read_bytes())) for s in NEW]
    return lambda: gate.commit("author", changes, BEAT, durable=True, sign=True)


def opens_for_recovery(root: Path) -> Deed:
    being, keyring = home(root)
    gate = gate_of(being, keyring, SystemClock())
    soul = verify(being, keyring).soul
    return lambda: recover(gate, soul)


def opens_for_catching_up(root: Path) -> Deed:
    return Index(home(root)[0]).catch_up


def opens_nothing(root: Path) -> Deed:
    return lambda: Index(home(root)[0]).catch_up()


def opens_for_three_letters(root: Path) -> Deed:
    file = (root / "letters").open("ab", buffering=0)

    def write() -> None:
        for letter in (b"a", b"b", b"c"):
            file.write(letter)

    return write


def opens_for_a_mistake(root: Path) -> Deed:
    return (root / "not there").read_bytes


@pytest.fixture(scope="module")
def killer(script: Callable[[str], ModuleType]) -> Iterator[Killer]:
    with closing(script("tests/soul/killing.py").Killer(Path(__file__))) as killer:
        yield killer


@pytest.fixture
def born(tmp_path: Path) -> Path:
    """Where a being was born and heard something; it is only copied."""
    root = tmp_path / "born"
    being, keyring = home(root)
    clock = HandClock(LAST_YEAR, step_ms=7, seed=0)
    files = {being.settings: "[being]\n", **{p: OLD[s] for s, p in paths(being).items()}}
    begun(being, keyring, clock, files, ulid(clock))
    with closing(open_writer(root, clock)) as writer:
        writer.append([said("hello")], durable=True, sign=True)
    return root


def killed(
    killer: Killer, opening: str, born: Path, sampled: Sampled, when: When = "before"
) -> Iterator[tuple[Path, End]]:
    """A copy of the being for each call that is tried, and last for the deed left to itself.

    What a call leaves behind is what the next one finds, so most need no kill after it.
    """
    counted = shutil.copytree(born, born.with_name("counted"))
    calls = killer.kill(opening, counted, 0, when).calls
    assert calls > FEWEST
    for at in [*sampled.of(range(1, calls + 1), TRIED), TO_THE_END]:
        root = shutil.copytree(born, born.with_name(f"{when}-{at}"))
        end = killer.kill(opening, root, at, when)
        assert (end.finished, end.calls) == ((False, at) if at else (True, calls))
        assert at or end.acknowledged
        yield root, end
        shutil.rmtree(root)


def texts(root: Path) -> list[str]:
    return [stored.event.entry.description for stored in read(home(root)[0].memory)]


def whole(root: Path) -> Report:
    """Verified, and the index says the same."""
    being, keyring = home(root)
    report = verify(being, keyring)
    assert report.ok, report.problem
    with closing(Index(being)) as index:
        assert index.catch_up() == report.count
        assert index.events.last_head() == (report.count, report.head)
    return report


def both_or_none(root: Path, end: End, before: list[str], clock: Clock) -> bool:
    """Open as the next start does, look, and go on writing; tells whether the pair was there."""
    with closing(open_writer(root, clock)) as writer:
        back = writer.repairs  # they stood in the ring, but not in the segment yet
        assert [said.startswith("2 lines were put back") for said in back] in ([], [True])
        found = [text for text in texts(root) if text not in back]
        assert found in (before, [*before, "one", "two"])
        there = found != before
        assert there or not (end.acknowledged or back)
        whole(root)
        writer.append([said("afterwards")], durable=True, sign=True)
    assert texts(root) == [*found, *back, "afterwards"]
    assert whole(root).signed == len(found) + len(back) + 1
    return there


@BOTH_SIDES
def test_a_process_is_killed_at_the_very_call_that_was_asked_for(
    killer: Killer, tmp_path: Path, when: When
) -> None:
    kept, acknowledged = [], []
    for at in range(1, 7):
        root = tmp_path / str(at)
        root.mkdir()
        end = killer.kill("opens_for_three_letters", root, at, when)
        assert (end.finished, end.calls) == (at == 6, min(at, 5))
        kept.append((root / "letters").read_text())
        acknowledged.append(end.acknowledged)
    skipped = ["", "a", "ab", "abc", "abc", "abc", "abc"]
    assert kept == (skipped[:6] if when == "before" else skipped[1:])
    assert acknowledged.index(True) == (4 if when == "before" else 3)


def test_a_deed_that_fails_by_itself_is_told_and_not_taken_for_a_kill(
    killer: Killer, tmp_path: Path
) -> None:
    with pytest.raises(RuntimeError, match=r"No such file.*not there"):
        killer.kill("opens_for_a_mistake", tmp_path, 100)


@BOTH_SIDES
def test_of_two_events_both_are_kept_or_none_and_both_once_acknowledged(
    killer: Killer, born: Path, sampled: Sampled, when: When
) -> None:
    before = [*texts(born), "safe"]
    there = [
        both_or_none(root, end, before, SystemClock())
        for root, end in killed(killer, "opens_for_two", born, sampled, when)
    ]
    assert passed_through(there, {False, True}, sampled)


def test_the_first_events_of_a_year_are_kept_or_not_and_the_chain_goes_on(
    killer: Killer, born: Path, sampled: Sampled
) -> None:
    before, days, there = texts(born), [], []
    for root, end in killed(killer, "opens_for_a_new_year", born, sampled):
        days.append(len(segments(home(root)[0].memory)))
        there.append(both_or_none(root, end, before, HandClock(NEW_YEAR, seed=2, step_ms=0)))
        assert len(segments(home(root)[0].memory)) == 2
    states = {(1, False), (2, False), (2, True)}
    assert passed_through([*zip(days, there, strict=True)], states, sampled)


def test_a_signature_that_was_not_finished_leaves_an_archive_that_verifies(
    killer: Killer, born: Path, sampled: Sampled
) -> None:
    before, signed = texts(born), []
    for root, end in killed(killer, "opens_for_a_signature", born, sampled):
        report = whole(root)
        seen = home(root)[1].witness(report.soul)
        assert seen
        signed.append((report.count, report.signed, seen.seq))
        assert not end.acknowledged or signed[-1] == (4, 4, 4)
        both_or_none(root, end, before, SystemClock())
    assert passed_through(signed, {(2, 2, 2), (4, 2, 2), (4, 4, 2), (4, 4, 4)}, sampled)


def archived(root: Path) -> bool:
    """Whether the archive tells of the new files."""
    told = [s.event.entry.payload.get("changes", ()) for s in read(home(root)[0].memory)]
    return list(NEW.values()) in [[c["value"] for c in changes] for changes in told]


def staged(root: Path) -> list[str]:
    return [path.name for path in home(root)[0].root.rglob(".*.new")]


def contents(root: Path) -> dict[Store, str]:
    return {s: path.read_text("utf-8") for s, path in paths(home(root)[0]).items()}


def test_two_files_are_both_old_or_both_new_as_the_archive_says_and_never_ahead_of_it(
    killer: Killer, born: Path, sampled: Sampled
) -> None:
    left, beside = [], []
    for root, end in killed(killer, "opens_for_files", born, sampled):
        told, found = archived(root), contents(root)
        beside.append(len(staged(root)))
        new = [found[s] == NEW[s] for s in NEW]
        assert all(text in (OLD[s], NEW[s]) for s, text in found.items())
        assert told or not any(new)
        assert all(new) or not end.acknowledged
        gate, index = open_gate(root)
        with closing(gate), closing(index):
            back = archived(root) and not told  # from the ring
            assert contents(root) == (NEW if told or back else OLD)
            assert len(gate.repairs) == (new.count(False) + back if told or back else 0)
        assert staged(root) == []
        whole(root)
        left.append((told, *new))
    no, yes = False, True
    states = {(no, no, no), (yes, no, no), (yes, yes, no), (yes, yes, yes)}
    assert passed_through(left, states, sampled)
    assert passed_through(sorted(beside), {0, 1, 2}, sampled)


def told_of(root: Path) -> list[str]:
    entries = [stored.event.entry for stored in read(home(root)[0].memory)]
    return [e.payload["file"] for e in entries if "file" in e.payload]


def test_a_torn_line_is_set_aside_and_told_though_recovery_itself_is_killed(
    killer: Killer, born: Path, sampled: Sampled
) -> None:
    with segments(home(born)[0].memory)[-1].open("ab") as segment:
        segment.write(TORN)
    with closing(Index(home(born)[0])) as index:
        index.catch_up()
    before, left = texts(born), []
    for root, _ in killed(killer, "opens_for_recovery", born, sampled):
        aside = home(root)[0].memory / "quarantine"
        kept_there = aside.exists() and any(aside.iterdir())
        left.append((kept_there, torn_end(home(root)[0].memory) is None, bool(told_of(root))))
        gate, index = open_gate(root)
        with closing(gate), closing(index):
            (kept,) = aside.iterdir()
            assert kept.read_bytes() == TORN
            assert told_of(root) == [kept.name]
            assert texts(root)[: len(before)] == before
            assert len(gate.repairs) == (0 if left[-1][2] else 1)
        assert len([t for t in texts(root) if "put back" not in t]) == len(before) + 1
        whole(root)
    untouched, kept_aside, cut_off, told = [(n > 0, n > 1, n > 2) for n in range(4)]
    assert passed_through(left, {untouched, kept_aside, cut_off, told}, sampled)


def lived(root: Path, events: int) -> None:
    """Some more events of every kind the index keeps something of, two days' worth."""
    clock = HandClock(NEW_YEAR, step_ms=0, seed=0)
    with closing(open_writer(root, clock)) as writer:
        for number in range(events):
            if number == events // 2:
                clock.at = NEW_YEAR.replace(day=2 + events % 7)
            payload = {
                "changes": [
                    {"store": "soul", "operation": "set", "base": "", "value": f"# {number}\n"}
                ]
            }
            record = kernel_entry("record", "done", f"lumen:interface:w{number - 1}", payload)
            writer.append([said(f"w{number}"), *([record] if number % 3 else [])], durable=False)


def tables(being: BeingPaths) -> dict[str, list[Any]]:
    """Every row of the index, and every word in it; how SQLite lays them out may differ."""
    with closing(apsw.Connection(str(being.index))) as db:
        assert db.pragma("integrity_check") == "ok"
        db.execute("INSERT INTO words(words) VALUES('integrity-check')")
        db.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, instance)")
        made = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'words%'"
        names = [*(name for (name,) in db.execute(made)), "vocabulary"]
        return {name: sorted(db.execute(f"SELECT * FROM {name}"), key=repr) for name in names}  # noqa: S608


@pytest.mark.parametrize("opening", ["opens_for_catching_up", "opens_nothing"])
def test_an_index_that_was_killed_on_the_way_catches_up_to_what_a_new_one_would_be(
    killer: Killer, born: Path, sampled: Sampled, opening: str
) -> None:
    lived(born, 150)
    if opening == "opens_for_catching_up":
        with closing(Index(home(born)[0])) as index:
            index.catch_up()
        lived(born, 250)
    fresh = born.with_name("fresh")
    shutil.copytree(born, fresh, ignore=shutil.ignore_patterns("index"))
    whole(fresh)
    wanted = tables(home(fresh)[0])
    counted = born.with_name("counted")
    shutil.copytree(born, counted)
    calls = killer.kill(opening, counted, 0).calls
    assert calls > FEWEST
    for at in sampled.of(range(1, calls + 1), TRIED):
        root = born.with_name(f"at-{at}")
        shutil.copytree(born, root)
        killer.kill(opening, root, at)
        with closing(Index(home(root)[0])) as index:
            index.catch_up()
            assert not any("damaged" in told for told in index.repairs)
        assert tables(home(root)[0]) == wanted
        shutil.rmtree(root)
