"""The index says what the archive says, whatever happens to the index."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import examples

from lumen.core.data import Author, FileVersion
from lumen.core.errors import Damaged, LumenError, NoSpace
from lumen.soul.archive.line import read_at
from lumen.soul.archive.links import UNREADABLE, LooseLine
from lumen.soul.index import database, search
from lumen.soul.index.index import Index

if TYPE_CHECKING:
    from tests.soul.conftest import Home

    from lumen.soul.writing.write import Writer

REBUILT = "The index was rebuilt from the archive: {}."
CATCH_UP = """
print("ready", flush=True)
sys.stdin.readline()
index = Index(being)
print(index.catch_up(), flush=True)
"""


def rebuilt(home: Home) -> dict[str, list[tuple[object, ...]]]:
    """The rows of an index made from nothing, beside the one that is there."""
    there = home.rows()
    aside = home.being.index.parent.rename(home.being.data / "aside")
    index = Index(home.being)
    index.catch_up()
    index.close()
    assert home.rows() is not there
    found = home.rows()
    for left in home.being.index.parent.iterdir():
        left.unlink()
    home.being.index.parent.rmdir()
    aside.rename(home.being.index.parent)
    return found


def test_catching_up_bit_by_bit_gives_the_rows_of_a_rebuild(home: Home, writer: Writer) -> None:
    index = Index(home.being)
    assert index.events.last_head() == (0, "")
    for step in range(6):
        home.live(writer, step, began=step * 10)
        assert index.catch_up() == writer.append([home.entry("x")], durable=True)[0].seq - 1
        assert index.catch_up() == index.catch_up()
    assert index.repairs == []
    index.close()
    assert home.rows() == rebuilt(home)
    assert len(home.rows()["events"]) == len(home.lines())


def test_what_is_asked_is_answered_from_the_archive(home: Home, index: Index) -> None:
    lines = home.lines()
    assert index.events.last_head() == (25, lines[-1][15:79].decode())
    assert [index.events.hash_of(seq).encode() for seq in (1, 25, 26)] == [
        lines[0][15:79], lines[-1][15:79], b"",
    ]  # fmt: skip
    assert index.events.counts() == {"external": 8, "kernel": 9, "self": 8}
    assert [m.text for m in index.memories.listed(limit=2)] == [
        "an apple, noted (7)",
        "THINK: about apples and turn 7",
    ]
    assert [m.seq for m in index.memories.listed(author="self", limit=3)] == [18, 21, 24]
    assert [m.seq for m in index.memories.listed(author="self", limit=3, oldest=True)] == [3, 6, 9]
    days = [index.memories.listed(day=name[:10], limit=None) for name in home.segments()]
    assert [m.seq for day in days for m in day] == list(range(1, 26))
    assert [m.private for m in index.memories.listed(author="external", limit=None)] == [
        True, False, False, False,
    ] * 2  # fmt: skip
    assert index.events.last_turn() == index.events.turn_of(24) == "lumen:interface:7"
    assert index.events.turn_of(999) == ""
    assert [e.seq for e in index.events.turn("lumen:interface:7")] == [23, 24, 25]
    assert index.events.open_turns() == [
        ("lumen:interface:0", 2),
        ("lumen:interface:3", 11),
        ("lumen:interface:6", 20),
    ]
    (changed,) = [e for e in index.events.turn("lumen:interface:7") if e.seq == 25]
    assert index.files.kept("data/soul.md") == FileVersion(
        "data/soul.md", "soul", 25, changed.timestamp, "7", "# 7"
    )
    assert index.files.kept("data/values.json") is None
    assert [index.events.time_of(seq) for seq in (25, 26)] == [changed.timestamp, ""]
    assert [index.events.number_of(each) for each in (changed.id, "nobody")] == [25, 0]
    place = index.events.place(25)
    assert place is not None
    assert read_at(home.being.memory, *place) == lines[-1]
    assert index.events.place(26) is None


def test_an_empty_archive_has_an_empty_index(home: Home) -> None:
    home.being.memory.mkdir(parents=True)
    index = Index(home.being)
    assert (index.catch_up(), index.events.last_turn(), index.repairs) == (0, "", [])


def test_no_search_and_no_recall_returns_a_kernel_memory(index: Index) -> None:
    kernel = {m.seq for m in index.memories.listed(author="kernel", limit=None)}
    assert kernel == {1, 4, 7, 10, 13, 16, 19, 22, 25}
    found = {seq for seq, _ in index.memories.search(["about", "think", "apple", "begins"], 100)}
    assert found
    assert not found & kernel
    assert not {m.seq for m in index.memories.exchanges(1000, 1000)} & kernel
    assert not index.memories.get(range(30)).keys() & kernel
    assert len(index.memories.get(range(30))) == 16
    assert [m.seq for m in index.memories.exchanges(12, 1)] == [8, 9]
    assert not {m.seq for m in index.memories.texts()} & kernel
    assert not {*index.vectors.built_in("any").missing(100)} & kernel
    heaviest = index.memories.listed(limit=None, kernel=False, by_weight=True)
    assert len(heaviest) == 16
    assert not {m.seq for m in heaviest} & kernel


@settings(max_examples=examples(60))
@given(st.lists(st.text(max_size=12), max_size=4))
def test_no_words_can_break_a_search(lasting: Home, terms: list[str]) -> None:
    index = Index(lasting.being)
    index.catch_up()
    assert index.memories.search(terms, 5) == []
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
        "",
    ],
)
def test_a_word_that_is_an_operator_elsewhere_is_no_more_than_a_word(
    index: Index, term: str
) -> None:
    assert index.memories.search([term], 100) == []
    assert len(index.memories.search([term, "apple"], 100)) == 16


def test_operators_and_quotes_in_memories_are_kept_and_found(home: Home, writer: Writer) -> None:
    said = 'He said "NOT" OR nothing; DROP TABLE events; -- * NEAR('
    writer.append([home.entry(said)], durable=True)
    index = Index(home.being)
    index.catch_up()
    for word in ("NOT", "or", "near", "drop", "said"):
        assert [seq for seq, _ in index.memories.search([word], 9)] == [2]
    assert index.memories.get([2])[2].text == said


def test_the_better_match_comes_first(home: Home, writer: Writer) -> None:
    home.say(writer, "the lake", "the red lake in the north", "red red red", "nothing")
    index = Index(home.being)
    index.catch_up()
    found = index.memories.search(["red", "lake"], 10)
    assert {seq for seq, _ in found} == {2, 3, 4}
    assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)
    assert len(index.memories.search(["red", "lake"], 1)) == 1


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
    home.live(writer, 150)
    assert all_at_once(home, 4) == [b"451\n"] * 4
    assert home.rows() == rebuilt(home)


def test_processes_that_find_the_index_damaged_at_once_all_go_on(
    home: Home, writer: Writer
) -> None:
    home.live(writer, 20)
    home.being.index.parent.mkdir(exist_ok=True)
    for _ in range(3):
        home.being.index.write_bytes(b"garbage" * 1000)
        assert all_at_once(home, 4) == [b"61\n"] * 4
        index = Index(home.being)
        assert (index.catch_up(), index.repairs) == (61, [])
        index.close()
        assert home.rows() == rebuilt(home)


def test_only_the_kernel_can_close_a_turn_or_change_a_file(home: Home, writer: Writer) -> None:
    heard = home.entry("hello")
    change = {"store": "soul", "operation": "set", "base": "", "value": "# Mine"}
    claim = home.entry("all done", Author.SELF, "record", {"changes": [change]})
    writer.append([heard, claim], durable=True)
    index = Index(home.being)
    index.catch_up()
    assert index.events.open_turns() == [("lumen:interface:1", 2)]
    assert index.files.kept("data/soul.md") is None


def test_an_index_stops_at_a_line_it_cannot_read_and_goes_on_when_it_is_mended(
    home: Home, writer: Writer, index: Index
) -> None:
    home.live(writer, 2, began=50)
    lines = home.newest().read_bytes().splitlines(keepends=True)
    home.overwrite(home.newest(), b"".join([*lines[:-1], b"{}\n"]))
    for _ in range(2):
        assert index.catch_up() == 30
        assert index.loose == LooseLine(
            home.newest().name, sum(map(len, lines[:-1])), 30, UNREADABLE
        )
    home.overwrite(home.newest(), b"".join(lines))
    assert (index.catch_up(), index.loose) == (31, None)
    assert home.rows() == rebuilt(home)


def test_an_end_that_is_mended_while_it_is_read_is_looked_at_again(
    home: Home, writer: Writer
) -> None:
    home.live(writer, 2)
    path = home.newest()
    whole = path.read_bytes()
    path.write_bytes(whole + b"torn, and the rest of another line\n")

    def mended(_done: int, _total: int) -> None:
        path.write_bytes(whole)

    index = Index(home.being)
    assert index.catch_up(mended) == index.events.last_head()[0] > 1
    assert index.loose is None
    index.close()


def test_nothing_of_an_event_that_makes_no_sense_is_applied(
    home: Home, writer: Writer, index: Index
) -> None:
    before = home.rows()
    payload = {"uses": {"memories": [2], "by": 1}, "fade": {"as_of": "soon"}}
    writer.append([home.entry("", Author.KERNEL, "record", payload)], durable=True)
    with pytest.raises(Damaged, match="event 26 cannot be applied"):
        index.catch_up()
    assert home.rows() == before


def test_a_disk_without_room_for_the_index_is_said(
    home: Home, writer: Writer, index: Index
) -> None:
    index.close()
    small = Index(home.being)
    small._db.pragma("max_page_count", 1)
    home.live(writer, 300, began=50)
    with pytest.raises(NoSpace, match="the index cannot grow"):
        small.catch_up()


def test_memories_can_be_asked_for_by_weight_and_by_moment(home: Home, writer: Writer) -> None:
    heard = [replace(home.entry(f"{w}"), weight=w) for w in (0.25, 1.0, 0.5)]
    placed = []
    for each in heard:
        home.later(days=1)
        placed += writer.append([each], durable=True)
    index = Index(home.being)
    index.catch_up()
    by_weight = index.memories.listed(limit=2, kernel=False, by_weight=True)
    assert [(m.seq, m.weight) for m in by_weight] == [(3, 1_000_000), (4, 500_000)]
    assert [m.seq for m in index.memories.said_in(placed[0].timestamp, placed[2].timestamp)] == [
        2,
        3,
    ]
    assert [m.seq for m in index.memories.texts()] == [2, 3, 4]
    assert [m.seq for m in index.memories.messages()] == [2, 3, 4]


def test_no_copy_that_a_split_page_left_is_there_once_what_was_deleted_is_scrubbed(
    home: Home,
) -> None:
    index = Index(home.being)
    words = [hashlib.sha256(b"%d" % n).hexdigest()[: 8 + n % 5] for n in range(5_000)]
    index.keep(("INSERT OR IGNORE INTO frequency VALUES(?,1,1)", [(word,) for word in words]))
    gone = words[::5]
    index.keep(("DELETE FROM frequency WHERE term = ?", [(word,) for word in gone]))
    assert index.scrub()
    index.close()
    left = home.being.index.read_bytes()
    assert words[1].encode() in left
    assert [word for word in gone if word.encode() in left] == []


def test_an_engine_that_can_corrupt_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "OLDEST_SAFE_SQLITE", apsw.SQLITE_VERSION_NUMBER + 1)
    with pytest.raises(LumenError, match="can corrupt a database") as caught:
        Index(home.being)
    assert "uv sync" in caught.value.fix


def test_a_search_looks_at_few_texts_however_many_hold_the_words(
    home: Home, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "POSTINGS", 10)
    texts = [
        f"a stone and {'moss' if n % 2 else 'sand'} {'heron' if n > 25 else ''}" for n in range(30)
    ]
    placed = home.say(writer, *texts)
    index = Index(home.being)
    index.catch_up()
    found = index.memories.search(["stone", "moss", "heron"], 99)
    assert {seq for seq, _ in found} == {p.seq for p in placed[26:]}, (
        "only what is rare is looked for"
    )
    found = index.memories.search(["stone", "moss"], 5)
    assert [seq for seq, _ in found] == [p.seq for p in placed[29:20:-2]], (
        "the newest of what is often"
    )
    assert len({score for _, score in found}) == 1
    assert all(score > 0 for _, score in found)
    early = index.memories.search(["moss"], 2, before=placed[10].seq)
    assert [seq for seq, _ in early] == [placed[9].seq, placed[7].seq]
    index.close()
