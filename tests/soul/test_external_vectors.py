"""The second set of vectors: of the embedder chosen last, apart from the built-in one's."""

from __future__ import annotations

from collections.abc import Iterator
from struct import pack
from typing import TYPE_CHECKING

import pytest
from tests.soul.forging import told_otherwise

from lumen.core.data import Author, CosineFit, Passage
from lumen.soul.index.index import Index
from lumen.soul.index.vector_sets import ExternalVectors
from lumen.soul.index.vectors import DAMAGED

if TYPE_CHECKING:
    from tests.soul.conftest import Home

    from lumen.soul.writing.write import Writer

SAID = [2, 5, 8, 11, 14, 17, 20, 23]
FIT = CosineFit(2, 1.5, -0.25)


def passage(seq: int, start: int = 0) -> Passage:
    return Passage(seq, start, start + 4, pack("<2f", seq, start))


def erase(home: Home, writer: Writer, *targets: int) -> None:
    payload = {"erases": [{"seq": seq} for seq in targets]}
    writer.append([home.entry("forgotten", Author.KERNEL, "erasure", payload)], durable=True)


def mark(home: Home, writer: Writer, *seqs: int, private: bool = True) -> None:
    payload = {"marks": {"memories": list(seqs), "private": private}}
    writer.append([home.entry("marked", Author.KERNEL, "marked", payload)], durable=True)


def kept(index: Index) -> list[int]:
    asked = "SELECT seq FROM passages WHERE embedder = 1 ORDER BY seq, part"
    return [int(s) for (s,) in index.rows(asked)]


@pytest.fixture
def far(index: Index) -> ExternalVectors:
    """The set of an embedder that may know everything."""
    index.vectors.choose("far/a", private=True)
    return index.vectors.external("far/a", private=True)


@pytest.fixture
def second(home: Home, index: Index) -> Iterator[Index]:
    """The same index as another process has it open."""
    del index  # made first
    opened = Index(home.being)
    yield opened
    opened.close()


def test_nothing_is_kept_where_nothing_was_chosen(index: Index) -> None:
    index.vectors.choose("")
    assert index.rows("SELECT id FROM embedders WHERE number = 1") == [(None,)]
    assert index.vectors.reindexed("far/a") == (0, 8)


def test_every_memory_is_queued_newest_first_and_later_ones_as_they_come(
    home: Home, writer: Writer, index: Index, far: ExternalVectors
) -> None:
    assert far.is_ours()
    assert far.missing(100) == SAID[::-1]
    assert far.missing(3) == SAID[:-4:-1]
    assert far.missing(100, before=8) == [5, 2]
    far.add(SAID, [passage(seq) for seq in SAID])
    assert far.missing(100) == []
    assert index.vectors.reindexed("far/a") == (8, 8)
    home.say(writer, "one more")
    index.catch_up()
    assert index.vectors.reindexed("far/a") == (8, 9)
    assert far.missing(100) == [26]


def test_the_fit_of_the_first_stays(index: Index, second: Index, far: ExternalVectors) -> None:
    other = second.vectors.external("far/a", private=True)
    assert far.fit() is other.fit() is None
    other.begin(FIT)
    far.begin(CosineFit(9, 9.0, 9.0))
    assert far.fit() == other.fit() == FIT
    assert index.vectors.external("far/b", private=True).fit() is None


def test_the_built_in_set_is_as_it_was_whatever_is_chosen(index: Index) -> None:
    built_in = index.vectors.built_in("mini")
    built_in.add(built_in.missing(100), [passage(seq) for seq in SAID])
    built_in.add_words({"apple": b"1"}, 0)
    before = list(built_in.after(0))
    for name in ("far/a", "far/b", ""):
        index.vectors.choose(name, private=True)
        if name:
            far = index.vectors.external(name, private=True)
            assert list(far.after(0)) == []
            far.add(far.missing(2), [passage(23, 9), passage(20, 9)])
            assert len(list(far.after(0))) == 2
        assert list(built_in.after(0)) == before
        assert built_in.words(["apple"]) == {"apple": b"1"}
        assert index.vectors.progress() == (16, 16)  # answers have vectors there too
    assert kept(index) == index.rows("SELECT seq FROM unembedded WHERE embedder = 1") == []


def test_choosing_another_starts_over_and_the_one_before_adds_nothing(
    index: Index, far: ExternalVectors
) -> None:
    far.begin(FIT)
    asked = far.missing(100)
    far.add(asked[:3], [passage(seq) for seq in asked[:3]])
    index.vectors.choose("far/b", private=True)
    other = index.vectors.external("far/b", private=True)
    assert (far.is_ours(), other.is_ours()) == (False, True)
    assert (kept(index), other.fit(), far.fit()) == ([], None, None)
    assert other.missing(100) == SAID[::-1]
    far.add(asked, [passage(seq) for seq in asked])
    far.begin(FIT)
    assert (far.missing(100), list(far.after(0))) == ([], [])
    assert (kept(index), other.fit()) == ([], None)
    assert other.missing(100) == SAID[::-1]
    assert index.vectors.reindexed("far/a") == (0, 8)


def test_choosing_the_same_again_keeps_what_was_made(index: Index, far: ExternalVectors) -> None:
    far.begin(FIT)
    far.add(far.missing(2), [passage(23), passage(20)])
    index.vectors.choose("far/a", private=True)
    assert (kept(index), far.fit()) == ([20, 23], FIT)
    index.vectors.choose("far/a")  # it was moved off this machine
    assert (kept(index), far.fit()) == ([20, 23], FIT)


def test_where_the_choice_was_lost_it_is_made_again(index: Index) -> None:
    far = index.vectors.external("far/a", private=True)
    assert far.is_ours()
    assert not index.vectors.external("far/b", private=True).is_ours()
    index.vectors.choose("")
    assert not far.is_ours()  # the built-in one alone is a choice too


def test_a_memory_that_two_processes_learnt_is_kept_once(
    index: Index, second: Index, far: ExternalVectors
) -> None:
    other = second.vectors.external("far/a", private=True)
    asked = far.missing(2)
    assert other.missing(2) == asked
    for one in (far, other):
        one.add(asked, [passage(seq, at) for seq in asked for at in (0, 4)])
    assert kept(index) == [20, 20, 23, 23]
    assert other.missing(100) == far.missing(100) == SAID[-3::-1]


def test_what_is_private_waits_until_it_no_longer_is(
    home: Home, writer: Writer, index: Index
) -> None:
    index.vectors.choose("far/a")
    far = index.vectors.external("far/a", private=False)
    hidden = [2, 14]  # said in private turns
    mark(home, writer, 23)
    index.catch_up()
    assert far.missing(100) == [20, 17, 11, 8, 5]
    assert index.vectors.reindexed("far/a") == (0, 5)
    far.add([20, 17, 11, 8, 5], [])
    assert index.vectors.reindexed("far/a") == (5, 5)
    near = index.vectors.external("far/a", private=True)
    assert near.missing(100) == [23, *hidden[::-1]]
    mark(home, writer, 2, 23, private=False)
    index.catch_up()
    assert far.missing(100) == [23, 2]
    assert index.vectors.reindexed("far/a") == (5, 7)


def test_what_is_marked_private_later_keeps_the_vector_it_has(
    home: Home, writer: Writer, index: Index, far: ExternalVectors
) -> None:
    far.add(far.missing(100), [passage(seq) for seq in SAID])
    index.vectors.choose("far/a")
    mark(home, writer, 5)
    index.catch_up()
    assert kept(index) == SAID
    assert index.vectors.reindexed("far/a") == (8, 8)


def test_what_is_forgotten_goes_from_both_sets_and_gets_no_vector(
    home: Home, writer: Writer, index: Index, far: ExternalVectors
) -> None:
    built_in = index.vectors.built_in("mini")
    for one in (built_in, far):
        one.missing(100)
        one.add([2, 5], [passage(2), passage(5)])
    erase(home, writer, 2, 8)
    index.catch_up()
    assert [p.seq for p in far.after(0)] == [p.seq for p in built_in.after(0)] == [5]
    assert 8 not in far.missing(100)
    far.add([8], [passage(8)])  # it was being learnt when it was forgotten
    assert kept(index) == [5]
    assert index.vectors.reindexed("far/a") == (1, 6)


def test_what_is_forgotten_is_in_no_file_of_either_set(
    home: Home, writer: Writer, index: Index, far: ExternalVectors
) -> None:
    built_in = index.vectors.built_in("mini")
    for one in (built_in, far):
        one.missing(100)
        one.add([2, 5], [passage(2), passage(5)])
    files = list(home.being.index.parent.glob("*.f32"))
    assert len(files) == 2
    assert all(passage(2).vector in file.read_bytes() for file in files)
    erase(home, writer, 2)
    index.catch_up()
    assert not any(passage(2).vector in file.read_bytes() for file in files)
    assert all(passage(5).vector in file.read_bytes() for file in files)
    assert not index.vectors.has_erased()


def test_a_set_whose_files_are_lost_is_made_again_and_the_other_stays(
    index: Index, far: ExternalVectors
) -> None:
    built_in = index.vectors.built_in("mini")
    built_in.add(built_in.missing(100), [passage(seq) for seq in SAID])
    far.begin(FIT)
    far.add(far.missing(100), [passage(seq, 4) for seq in SAID])
    token = index.row("SELECT token FROM embedders WHERE number = 1")[0]
    for path in index.file.parent.glob(f"{index.file.name}-{token}.*"):
        path.unlink()
    assert far.missing(100) == SAID[::-1]
    assert (far.is_ours(), far.fit(), list(far.after(0))) == (True, None, [])
    assert index.repairs == [DAMAGED]
    assert [p.seq for p in built_in.after(0)] == SAID


def test_the_nearest_are_found_in_the_set_that_is_asked(index: Index, far: ExternalVectors) -> None:
    built_in = index.vectors.built_in("mini")
    one, other = pack("<2f", 1, 0), pack("<2f", 0, 1)
    built_in.add(built_in.missing(100), [Passage(2, 0, 4, one), Passage(5, 0, 4, other)])
    far.add(far.missing(100), [Passage(2, 0, 4, other), Passage(5, 0, 4, one)])
    assert built_in.nearest(one, 1).seqs.tolist() == [2]
    assert far.nearest(one, 1).seqs.tolist() == [5]
    assert far.nearest(one, 9, before=5).seqs.tolist() == [2]
    index.vectors.choose("far/b", private=True)
    assert far.nearest(one, 9).seqs.tolist() == []
    assert built_in.nearest(one, 1).seqs.tolist() == [2]


def test_a_rebuild_keeps_the_set_and_what_is_left_to_do(
    home: Home, writer: Writer, index: Index, far: ExternalVectors
) -> None:
    far.begin(FIT)
    far.add(far.missing(4), [passage(seq) for seq in SAID[5:]])  # one of them gives nothing
    before = list(far.after(0))
    index.rebuild()
    assert list(far.after(0)) == before
    assert far.missing(100) == SAID[3::-1]
    assert (far.is_ours(), far.fit()) == (True, FIT)
    home.say(writer, "one more")
    index.rebuild()
    assert far.missing(100) == [26, *SAID[3::-1]]
    far.add([11], [passage(11)])
    assert [p.seq for p in far.after(before[-1].number)] == [11]


def test_a_rebuild_keeps_no_vector_of_what_was_forgotten_or_told_otherwise(
    home: Home, writer: Writer, index: Index, far: ExternalVectors
) -> None:
    far.add(far.missing(100), [passage(seq) for seq in SAID])
    erase(home, writer, 2)
    last = home.newest()
    home.overwrite(last, told_otherwise(last.read_bytes(), 23))
    index.rebuild()
    assert kept(index) == SAID[1:-1]
    assert far.missing(100) == [23]


def test_a_rebuild_from_a_shorter_archive_queues_what_comes_in_the_place_of_the_rest(
    home: Home, index: Index, far: ExternalVectors
) -> None:
    far.add(far.missing(100), [passage(seq) for seq in SAID])
    last = home.newest()
    lines = last.read_bytes().splitlines(keepends=True)
    home.overwrite(last, b"".join(lines[:-3]))
    index.rebuild()
    assert kept(index) == SAID[:-1]
    home.overwrite(last, b"".join(lines))
    index.catch_up()
    assert far.missing(100) == [23]


def test_tables_of_the_second_set_are_not_compared(index: Index, far: ExternalVectors) -> None:
    far.begin(FIT)
    far.add(far.missing(3), [passage(23)])
    assert index.differences() == []
