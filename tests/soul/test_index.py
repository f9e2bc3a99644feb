"""The index says what the archive says, whatever happens to the index."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lumen.core.data import Author, EventType
from lumen.core.errors import Damaged, LumenError, NoSpace
from lumen.soul import index as index_module
from lumen.soul.index import Index, LastChange, Passage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.soul.conftest import Home

    from lumen.soul.write import Writer

TABLES = ("events", "changes", "open_turns")
REBUILT = "The index was rebuilt from the archive: {}."
CATCH_UP = """
print("ready", flush=True)
sys.stdin.readline()
index = Index(being)
print(index.catch_up(), flush=True)
"""


def live(home: Home, writer: Writer, turns: int, began: int = 0) -> None:
    """Some turns, every third of them never closed, with a change to a file here and there."""
    for number in range(began, began + turns):
        key = f"lumen:interface:{number}"
        change = {"store": "soul", "operation": "set", "base": f"{number}", "value": f"# {number}"}
        beat = home.entry(
            f"THINK: about apples and turn {number}",
            Author.KERNEL,
            "record" if number % 3 else "think",
            {"changes": [change]} if number % 2 else {},
        )
        heard = home.entry(f"turn {number}: I ate an apple", payload={"private": number % 4 == 0})
        reply = home.entry(f"an apple, noted ({number})", Author.SELF, "answered")
        home.later(hours=5)
        writer.append(
            [replace(each, session_key=key) for each in (heard, reply, beat)],
            durable=False,
            sign=number == began + turns - 1,
        )


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Everything the index holds that comes from the archive; words by what they find."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = {table: db.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}  # noqa: S608 - names from above
    for word in ("apple", "noted", "turn", "about"):
        match = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid"
        found[word] = db.execute(match, (word,)).fetchall()
    db.close()
    return found


def rebuilt(home: Home) -> dict[str, list[tuple[object, ...]]]:
    """The rows of an index made from nothing, beside the one that is there."""
    there = rows(home.being.index)
    aside = home.being.index.parent.rename(home.being.data / "aside")
    index = Index(home.being)
    index.catch_up()
    index.close()
    assert rows(home.being.index) is not there
    found = rows(home.being.index)
    for left in home.being.index.parent.iterdir():
        left.unlink()
    home.being.index.parent.rmdir()
    aside.rename(home.being.index.parent)
    return found


@pytest.fixture
def writer(home: Home) -> Writer:
    return home.begin()


@pytest.fixture
def index(home: Home, writer: Writer) -> Iterator[Index]:
    index = Index(home.being)
    index.catch_up()
    live(home, writer, 8)
    index.catch_up()
    assert index.repairs == []
    yield index
    index.close()


def test_catching_up_bit_by_bit_gives_the_rows_of_a_rebuild(home: Home, writer: Writer) -> None:
    index = Index(home.being)
    assert index.last_head() == (0, "")
    for step in range(6):
        live(home, writer, step, began=step * 10)
        assert index.catch_up() == writer.append([home.entry("x")], durable=True)[0].seq - 1
        assert index.catch_up() == index.catch_up()
    assert index.repairs == []
    index.close()
    assert rows(home.being.index) == rebuilt(home)
    assert len(rows(home.being.index)["events"]) == len(home.lines())


def test_what_is_asked_is_answered_from_the_archive(home: Home, index: Index) -> None:
    lines = home.lines()
    assert index.last_head() == (25, lines[-1][15:79].decode())
    assert [index.hash_of(seq).encode() for seq in (1, 25, 26)] == [
        lines[0][15:79], lines[-1][15:79], b"",
    ]  # fmt: skip
    assert index.counts() == {"external": 8, "kernel": 9, "self": 8}
    assert [m.text for m in index.memories(limit=2)] == [
        "an apple, noted (7)",
        "THINK: about apples and turn 7",
    ]
    assert [m.seq for m in index.memories(author="self", limit=3)] == [18, 21, 24]
    assert [m.seq for m in index.memories(author="self", limit=3, oldest=True)] == [3, 6, 9]
    days = [index.memories(day=name[:10], limit=None) for name in home.segments()]
    assert [m.seq for day in days for m in day] == list(range(1, 26))
    assert [m.private for m in index.memories(author="external", limit=None)] == [
        True, False, False, False,
    ] * 2  # fmt: skip
    assert index.last_turn() == index.turn_of(24) == "lumen:interface:7"
    assert index.turn_of(999) == ""
    assert [e.seq for e in index.turn("lumen:interface:7")] == [23, 24, 25]
    assert index.open_turns() == [
        ("lumen:interface:0", 2),
        ("lumen:interface:3", 11),
        ("lumen:interface:6", 20),
    ]
    (changed,) = [e for e in index.turn("lumen:interface:7") if e.seq == 25]
    assert index.last_change("soul") == LastChange(25, changed.timestamp, "7", "# 7")
    assert index.last_change("values") is None


def test_an_empty_archive_has_an_empty_index(home: Home) -> None:
    home.being.memory.mkdir(parents=True)
    index = Index(home.being)
    assert (index.catch_up(), index.last_turn(), index.repairs) == (0, "", [])


def test_no_search_and_no_recall_returns_a_kernel_memory(index: Index) -> None:
    kernel = {m.seq for m in index.memories(author="kernel", limit=None)}
    assert kernel == {1, 4, 7, 10, 13, 16, 19, 22, 25}
    found = {seq for seq, _ in index.search(["about", "think", "apple", "begins"], 100)}
    assert found
    assert not found & kernel
    assert not {m.seq for m in index.recent(1000, 1000)} & kernel
    assert not index.get(range(30)).keys() & kernel
    assert len(index.get(range(30))) == 16
    assert [m.seq for m in index.recent(12, 3)] == [8, 9, 11]
    assert not {m.seq for m in index.without_vectors("any", 100)} & kernel


@settings(max_examples=150)
@given(st.lists(st.text(max_size=12), max_size=4))
def test_no_words_can_break_a_search(lasting: Home, terms: list[str]) -> None:
    index = Index(lasting.being)
    index.catch_up()
    assert index.search(terms, 5) == []
    index.close()


@pytest.mark.parametrize(
    "term",
    [
        '"',
        'apple"',
        "apple*",
        "app OR le",
        "NEAR(apple)",
        "-apple",
        "text:apple",
        "(",
        "_",
        "²",
        "",
    ],
)
def test_a_word_that_is_an_operator_elsewhere_is_no_more_than_a_word(
    index: Index, term: str
) -> None:
    assert index.search([term], 100) == []
    assert len(index.search([term, "apple"], 100)) == 16


def test_operators_and_quotes_in_memories_are_kept_and_found(home: Home, writer: Writer) -> None:
    said = 'He said "NOT" OR nothing; DROP TABLE events; -- * NEAR('
    writer.append([home.entry(said)], durable=True)
    index = Index(home.being)
    index.catch_up()
    for word in ("NOT", "or", "near", "drop", "said"):
        assert [seq for seq, _ in index.search([word], 9)] == [2]
    assert index.get([2])[2].text == said


def test_the_better_match_comes_first(home: Home, writer: Writer) -> None:
    home.say(writer, "the lake", "the red lake in the north", "red red red", "nothing")
    index = Index(home.being)
    index.catch_up()
    found = index.search(["red", "lake"], 10)
    assert {seq for seq, _ in found} == {2, 3, 4}
    assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)
    assert len(index.search(["red", "lake"], 1)) == 1


def test_an_index_that_was_deleted_is_made_again_and_told(home: Home, index: Index) -> None:
    before = rows(home.being.index)
    index.close()
    for path in home.being.index.parent.iterdir():
        path.unlink()
    again = Index(home.being)
    assert again.catch_up() == 25
    assert again.repairs == [REBUILT.format("it was not there")]
    again.close()
    assert rows(home.being.index) == before


@pytest.mark.parametrize("garbage", [b"\x00" * 5000, b"not a database at all" * 300, b"x"])
def test_an_index_that_is_garbage_is_made_again_and_told(
    home: Home, index: Index, garbage: bytes
) -> None:
    before = rows(home.being.index)
    index.close()
    home.being.index.write_bytes(garbage)
    again = Index(home.being)
    assert again.catch_up() == 25
    assert len(again.repairs) == 1
    again.close()
    assert rows(home.being.index) == before


def test_an_index_damaged_within_is_made_again_when_it_is_asked(home: Home, index: Index) -> None:
    before = rows(home.being.index)
    index.close()
    data = bytearray(home.being.index.read_bytes())
    for page in range(1, len(data) // 4096):
        data[page * 4096 : page * 4096 + 512] = b"\xa5" * 512
    home.being.index.write_bytes(data)
    again = Index(home.being)
    assert again.counts() == {"external": 8, "kernel": 9, "self": 8}
    assert again.repairs == [REBUILT.format("it was damaged")]
    again.add_vectors("any", [Passage(2, 0, 1, b"1234")])
    assert again.vector_progress() == (1, 8)
    again.close()
    assert rows(home.being.index) == before


def test_an_index_damaged_within_is_made_again_when_it_catches_up(
    home: Home, index: Index, writer: Writer
) -> None:
    index.close()
    data = bytearray(home.being.index.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    home.being.index.write_bytes(data)
    live(home, writer, 1, began=100)
    again = Index(home.being)
    assert again.catch_up() == 28
    assert again.repairs == [REBUILT.format("it was damaged")]


def test_an_index_of_another_version_is_made_again_and_told(home: Home, index: Index) -> None:
    index.close()
    db = apsw.Connection(str(home.being.index))
    db.pragma("user_version", 99)
    db.close()
    again = Index(home.being)
    assert again.repairs == [REBUILT.format("its shape is from another version")]
    assert again.catch_up() == 25


@pytest.mark.parametrize("how", ["another being", "cut short", "gone"])
def test_an_index_of_an_archive_that_was_replaced_is_made_again_and_told(
    home: Home, index: Index, how: str
) -> None:
    segments = sorted((home.being.memory / "2026").iterdir())
    if how == "another being":
        data = segments[-1].read_bytes()
        home.overwrite(segments[-1], data.replace(data.splitlines()[-1][15:79], b"0" * 64))
    elif how == "cut short":
        home.overwrite(segments[-1], segments[-1].read_bytes().splitlines(keepends=True)[0])
    else:
        segments[-1].unlink()
    last = len(home.lines())
    assert index.catch_up() == last
    assert index.repairs == [REBUILT.format("the archive it was made from has changed")]
    assert index.last_head()[0] == last


def all_at_once(home: Home, processes: int) -> list[bytes]:
    """What several processes say that open the index and catch up in the same moment."""
    started = [home.run(CATCH_UP) for _ in range(processes)]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    return [process.communicate()[0] for process in started]


def test_processes_that_open_and_catch_up_at_once_get_it_right(home: Home, writer: Writer) -> None:
    live(home, writer, 150)
    assert all_at_once(home, 4) == [b"451\n"] * 4
    assert rows(home.being.index) == rebuilt(home)


def test_processes_that_find_the_index_damaged_at_once_all_go_on(
    home: Home, writer: Writer
) -> None:
    live(home, writer, 20)
    Index(home.being).close()
    for _ in range(3):
        home.being.index.write_bytes(b"garbage" * 1000)
        assert all_at_once(home, 4) == [b"61\n"] * 4
        index = Index(home.being)
        assert (index.catch_up(), index.repairs) == (61, [])
        index.close()
        assert rows(home.being.index) == rebuilt(home)


def test_vectors_are_kept_by_embedder_and_part(index: Index) -> None:
    missing = index.without_vectors("mini", 100)
    assert [m.seq for m in missing] == [2, 5, 8, 11, 14, 17, 20, 23]
    assert all(m.event_type is EventType.AUTHOR_MESSAGE for m in missing)
    passages = [Passage(2, 0, 5, b"aaaa"), Passage(2, 5, 9, b"bbbb"), Passage(5, 0, 3, b"cccc")]
    index.add_vectors("mini", passages)
    assert list(index.vectors("mini", 0)) == passages
    assert list(index.vectors("mini", 2)) == passages[2:]
    assert list(index.vectors("other", 0)) == []
    assert [m.seq for m in index.without_vectors("mini", 100)] == [8, 11, 14, 17, 20, 23]
    assert index.vector_progress() == (2, 8)
    index.add_lexemes("mini", {"apple": b"1", "pear": b"2"})
    assert index.lexemes("mini", ["apple", "plum"]) == {"apple": b"1"}
    assert index.lexemes("other", ["apple"]) == {}


def test_only_the_kernel_can_close_a_turn_or_change_a_file(home: Home, writer: Writer) -> None:
    heard = home.entry("hello")
    change = {"store": "soul", "operation": "set", "base": "", "value": "# Mine"}
    claim = home.entry("all done", Author.SELF, "record", {"changes": [change]})
    writer.append([heard, claim], durable=True)
    index = Index(home.being)
    index.catch_up()
    assert index.open_turns() == [("lumen:interface:1", 2)]
    assert index.last_change("soul") is None


def test_an_index_takes_nothing_from_an_archive_it_cannot_read(
    home: Home, writer: Writer, index: Index
) -> None:
    before = rows(home.being.index)
    live(home, writer, 2, began=50)
    lines = home.newest().read_bytes().splitlines(keepends=True)
    home.overwrite(home.newest(), b"".join([*lines[:-1], b"{}\n"]))
    with pytest.raises(Damaged, match="cannot be read"):
        index.catch_up()
    assert rows(home.being.index) == before
    home.overwrite(home.newest(), b"".join(lines))
    assert index.catch_up() == 31


def test_a_disk_without_room_for_the_index_is_said(
    home: Home, writer: Writer, index: Index
) -> None:
    index.close()
    small = Index(home.being)
    small._db.pragma("max_page_count", 1)
    live(home, writer, 300, began=50)
    with pytest.raises(NoSpace, match="the index cannot grow"):
        small.catch_up()


def test_an_engine_that_can_corrupt_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "OLDEST_SAFE_SQLITE", apsw.SQLITE_VERSION_NUMBER + 1)
    with pytest.raises(LumenError, match="can corrupt a database") as caught:
        Index(home.being)
    assert "uv sync" in caught.value.fix
