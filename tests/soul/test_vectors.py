"""BuiltInVectors are a cache of one embedder: queued, kept over a rebuild, and gone with what is forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.soul.forging import told_otherwise

from lumen.core.data import Author, EventType, Passage
from lumen.soul.index.index import Index
from lumen.soul.index.vectors import ASKED_AT_ONCE, BuiltInVectors

if TYPE_CHECKING:
    from tests.soul.conftest import Home

    from lumen.soul.writing.write import Writer

SAID = [2, 5, 8, 11, 14, 17, 20, 23]


@pytest.fixture
def vectors(index: Index) -> BuiltInVectors:
    return index.vectors.built_in("mini")


def passage(seq: int, start: int = 0) -> Passage:
    return Passage(seq, start, start + 4, f"{seq}-{start}".encode())


def erase(home: Home, writer: Writer, *targets: int) -> None:
    payload = {"erases": [{"seq": seq} for seq in targets]}
    writer.append([home.entry("forgotten", Author.KERNEL, "erasure", payload)], durable=True)


def test_what_others_said_is_queued_newest_first(vectors: BuiltInVectors) -> None:
    assert vectors.missing(100) == SAID[::-1]
    assert vectors.missing(3) == SAID[:-4:-1]
    assert vectors.missing_of([1, 2, 3, 4, 23, 99]) == [2, 23]


def test_what_has_nothing_to_say_is_not_queued(home: Home, writer: Writer, index: Index) -> None:
    found = replace(home.entry("a page about apples"), event_type=EventType.TOOL_RESULT)
    home.say(writer, "")
    writer.append([found, home.entry("an edit, told by nobody", Author.GOAL)], durable=True)
    index.catch_up()
    assert index.vectors.built_in("mini").missing(2) == [27, 23]
    assert index.vectors.built_in("other").missing(2) == [27, 23]


def test_passages_are_handed_out_in_the_order_they_came(
    index: Index, vectors: BuiltInVectors
) -> None:
    vectors.missing(1)
    vectors.add([23, 2], [passage(23), passage(23, 4), passage(2)])
    first = list(vectors.after(0))
    assert [(p.seq, p.start, p.stop, p.vector) for p in first] == [
        (23, 0, 4, b"23-0"),
        (23, 4, 8, b"23-4"),
        (2, 0, 4, b"2-0"),
    ]
    assert index.vectors.progress() == (2, 8)
    vectors.add([20], [passage(20)])
    assert [p.seq for p in vectors.after(first[-1].number)] == [20]
    assert vectors.missing(100) == [17, 14, 11, 8, 5]


def test_a_memory_that_two_processes_learnt_is_kept_once(vectors: BuiltInVectors) -> None:
    vectors.missing(1)
    for _ in range(2):
        vectors.add([2], [passage(2), passage(2, 4)])
    assert len(list(vectors.after(0))) == 2


def test_a_memory_without_any_passage_is_not_asked_for_again(vectors: BuiltInVectors) -> None:
    vectors.add(vectors.missing(100), [])
    assert (vectors.missing(100), list(vectors.after(0))) == ([], [])


def test_another_embedder_starts_over(index: Index, vectors: BuiltInVectors) -> None:
    vectors.add(vectors.missing(100), [passage(seq) for seq in SAID])
    vectors.add_words({"apple": b"1"}, 0)
    assert index.vectors.progress() == (8, 8)
    other = index.vectors.built_in("other")
    assert list(other.after(0)) == []
    assert other.words(["apple"]) == {}
    assert other.missing(100) == SAID[::-1]
    assert index.vectors.progress() == (0, 8)


def test_what_was_made_by_an_embedder_that_is_no_longer_the_one_is_not_kept(
    index: Index, vectors: BuiltInVectors
) -> None:
    asked = vectors.missing(100)
    other = index.vectors.built_in("other")
    assert other.missing(100) == asked
    vectors.add(asked, [passage(seq) for seq in asked])
    vectors.add_words({"apple": b"1"}, 0)
    assert other.missing(100) == asked
    assert list(other.after(0)) == []
    assert other.words(["apple"]) == {}


def test_what_is_forgotten_has_no_vector_and_gets_none(
    home: Home, writer: Writer, index: Index, vectors: BuiltInVectors
) -> None:
    vectors.missing(100)
    vectors.add([2, 5], [passage(2), passage(5)])
    erase(home, writer, 2, 8)
    index.catch_up()
    assert [p.seq for p in vectors.after(0)] == [5]
    assert vectors.missing_of(SAID) == [11, 14, 17, 20, 23]
    vectors.add([8], [passage(8)])  # it was being learnt when it was forgotten
    assert [p.seq for p in vectors.after(0)] == [5]
    assert index.vectors.built_in("other").missing(100) == [23, 20, 17, 14, 11, 5]


def test_a_rebuild_keeps_the_vectors(home: Home, index: Index, vectors: BuiltInVectors) -> None:
    vectors.add(vectors.missing(4), [passage(seq) for seq in SAID[4:]])
    vectors.add_words({"apple": b"1"}, 0)
    before = list(vectors.after(0))
    index.rebuild()
    assert list(vectors.after(0)) == before
    assert vectors.missing(100) == SAID[3::-1]
    assert vectors.words(["apple"]) == {"apple": b"1"}
    assert index.vectors.progress() == (4, 8)
    vectors.add([11], [passage(11)])
    assert [p.seq for p in vectors.after(before[-1].number)] == [11]
    assert [p.name for p in home.being.index.parent.glob("*.new*")] == []


def test_a_rebuild_keeps_no_vector_of_what_was_forgotten_or_told_otherwise(
    home: Home, writer: Writer, index: Index, vectors: BuiltInVectors
) -> None:
    vectors.add(vectors.missing(100), [passage(seq) for seq in SAID])
    erase(home, writer, 2)
    last = home.newest()
    home.overwrite(last, told_otherwise(last.read_bytes(), 23))
    index.rebuild()
    assert [p.seq for p in vectors.after(0)] == SAID[1:-1]
    assert vectors.missing(100) == [23]


def test_a_rebuild_beside_an_index_that_is_no_longer_there_makes_one(
    home: Home, index: Index, vectors: BuiltInVectors
) -> None:
    vectors.add(vectors.missing(100), [passage(seq) for seq in SAID])
    for path in home.being.index.parent.glob("soul.db*"):
        path.unlink()
    assert index.rebuild() == 25
    assert list(vectors.after(0)) == []
    assert index.differences() == []


def test_a_rebuild_over_a_file_that_is_no_index_starts_with_no_vectors(
    home: Home, index: Index, vectors: BuiltInVectors
) -> None:
    index.close()
    home.being.index.write_bytes(b"not a database at all" * 300)
    assert index.rebuild() == 25
    assert vectors.missing(100) == SAID[::-1]


def test_words_are_kept_and_many_are_asked_for_at_once(vectors: BuiltInVectors) -> None:
    kept = {f"word{n}": f"{n}".encode() for n in range(ASKED_AT_ONCE + 3)}
    assert vectors.words([]) == {}
    assert vectors.words(["word1"]) == {}
    vectors.add_words(kept, 0)
    assert vectors.words([*kept, "plum"]) == kept
    vectors.add_words({"word1": b"other"}, 0)
    assert vectors.words(["word1"]) == {"word1": b"other"}
