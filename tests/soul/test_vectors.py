"""BuiltInVectors are a cache of one embedder: queued, kept over a rebuild, and gone with what is forgotten."""

from __future__ import annotations

import errno
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from struct import pack
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest
from tests.soul.forging import told_otherwise

from lumen.core.data import Author, EventType, Passage
from lumen.core.errors import NoSpace
from lumen.soul.index.index import Index
from lumen.soul.index.sidecar import VectorFiles
from lumen.soul.index.vectors import DAMAGED, BuiltInVectors
from lumen.testing.storage import killed

if TYPE_CHECKING:
    from tests.soul.conftest import Home

    from lumen.soul.writing.write import Writer

SAID = [2, 5, 8, 11, 14, 17, 20, 23]
SOUGHT = sorted([*SAID, *(seq + 1 for seq in SAID)])  # what was said, and how it was answered


@pytest.fixture
def vectors(index: Index) -> BuiltInVectors:
    return index.vectors.built_in("mini")


def passage(seq: int, start: int = 0) -> Passage:
    return Passage(seq, start, start + 4, pack("<2f", seq, start))


def erase(home: Home, writer: Writer, *targets: int) -> None:
    payload = {"erases": [{"seq": seq} for seq in targets]}
    writer.append([home.entry("forgotten", Author.KERNEL, "erasure", payload)], durable=True)


def spread(many: int, size: int = 128, seed: int = 3) -> npt.NDArray[np.float32]:
    """Vectors in one corner, as embedders put them, around a few centres."""
    centres = np.random.default_rng(0).normal(size=(30, size)) + 1
    numbers = np.random.default_rng(seed)
    rows = centres[numbers.integers(0, 30, many)] + 0.4 * numbers.normal(size=(many, size))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows, np.float32)


def of_one(rows: npt.NDArray[np.float32], seq: int, marks: int = 0) -> list[Passage]:
    return [Passage(seq, n, n + 1, row.tobytes(), marks=marks) for n, row in enumerate(rows)]


def test_what_others_said_is_queued_newest_first(vectors: BuiltInVectors) -> None:
    assert vectors.missing(100) == SOUGHT[::-1]
    assert vectors.missing(3) == SOUGHT[:-4:-1]
    assert vectors.missing_of([1, 2, 3, 4, 23, 99]) == [2, 3, 23]


def test_what_has_nothing_to_say_is_not_queued(home: Home, writer: Writer, index: Index) -> None:
    found = replace(home.entry("a page about apples"), event_type=EventType.TOOL_RESULT)
    home.say(writer, "")
    writer.append([found, home.entry("an edit, told by nobody", Author.GOAL)], durable=True)
    index.catch_up()
    assert index.vectors.built_in("mini").missing(2) == [27, 24]
    assert index.vectors.built_in("other").missing(2) == [27, 24]


def test_passages_are_handed_out_in_the_order_they_came(
    index: Index, vectors: BuiltInVectors
) -> None:
    vectors.missing(1)
    vectors.add([23, 2], [passage(23), passage(23, 4), passage(2)])
    first = list(vectors.after(0))
    assert [(p.seq, p.start, p.stop, p.vector) for p in first] == [
        (23, 0, 4, pack("<2f", 23, 0)),
        (23, 4, 8, pack("<2f", 23, 4)),
        (2, 0, 4, pack("<2f", 2, 0)),
    ]
    assert index.vectors.progress() == (2, 16)
    vectors.add([20], [passage(20)])
    assert [p.seq for p in vectors.after(first[-1].number)] == [20]
    assert vectors.missing(100) == [s for s in SOUGHT[::-1] if s not in (2, 20, 23)]


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
    assert index.vectors.progress() == (16, 16)
    other = index.vectors.built_in("other")
    assert list(other.after(0)) == []
    assert other.words(["apple"]) == {}
    assert other.missing(100) == SOUGHT[::-1]
    assert index.vectors.progress() == (0, 16)


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
    others = index.vectors.built_in("other").missing(100)
    assert others == [s for s in SOUGHT[::-1] if s not in (2, 8)]


def test_a_rebuild_keeps_the_vectors(home: Home, index: Index, vectors: BuiltInVectors) -> None:
    vectors.add(vectors.missing(4), [passage(seq) for seq in SOUGHT[-4:]])
    vectors.add_words({"apple": b"1"}, 0)
    before = list(vectors.after(0))
    index.rebuild()
    assert list(vectors.after(0)) == before
    assert vectors.missing(100) == SOUGHT[-5::-1]
    assert vectors.words(["apple"]) == {"apple": b"1"}
    assert index.vectors.progress() == (4, 16)
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
    assert vectors.missing(100) == [24, 23]  # another event before it makes it another one


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
    assert vectors.missing(100) == SOUGHT[::-1]


def test_words_are_kept_and_many_are_asked_for_at_once(vectors: BuiltInVectors) -> None:
    kept = {f"word{n}": f"{n}".encode() for n in range(503)}
    assert vectors.words([]) == {}
    assert vectors.words(["word1"]) == {}
    vectors.add_words(kept, 0)
    assert vectors.words([*kept, "plum"]) == kept
    vectors.add_words({"word1": b"other"}, 0)
    assert vectors.words(["word1"]) == {"word1": b"other"}


def test_a_rebuild_leaves_no_byte_of_what_is_forgotten_by_then(
    home: Home, writer: Writer, index: Index, vectors: BuiltInVectors
) -> None:
    vectors.add(vectors.missing(100), [passage(seq) for seq in SAID])
    (path,) = home.being.index.parent.glob("*.f32")
    erase(home, writer, 5)
    index.rebuild()
    left = path.read_bytes()
    assert (pack("<2f", 5, 0) in left, pack("<2f", 8, 0) in left) == (False, True)
    index.distrust()
    assert [*home.being.index.parent.glob("soul.db-v*")] == []
    assert vectors.missing(100) == [s for s in SOUGHT[::-1] if s != 5]


@pytest.mark.parametrize("kind", [".f32", ".seqs", ".marks"])
@pytest.mark.parametrize("how", ["gone", "short", "blank at its end"])
def test_files_that_are_damaged_are_made_again_and_that_is_told(
    home: Home, index: Index, vectors: BuiltInVectors, kind: str, how: str
) -> None:
    vectors.add(vectors.missing(100), [passage(seq) for seq in SAID])
    (path,) = home.being.index.parent.glob(f"*{kind}")
    if how == "gone":
        path.unlink()
    elif how == "short":
        os.truncate(path, 8)
    elif kind == ".seqs":
        os.truncate(path, 8)
        os.truncate(path, 64 * 8)
    else:
        return
    again = Index(home.being)
    mine = again.vectors.built_in("mini")
    assert mine.nearest(pack("<2f", 1, 0), 5).seqs.tolist() == []
    assert (mine.missing(100), again.repairs) == (SOUGHT[::-1], [DAMAGED])
    mine.add([2], [passage(2)])
    assert mine.nearest(pack("<2f", 1, 0), 5).seqs.tolist() == [2]
    assert vectors.nearest(pack("<2f", 1, 0), 5).seqs.tolist() == [2]
    assert index.repairs == []
    again.close()


def test_what_a_killed_process_wrote_and_did_not_commit_is_written_over(
    home: Home, index: Index, vectors: BuiltInVectors
) -> None:
    vectors.missing(1)
    vectors.add([2], [passage(2)])

    def cut_off() -> list[int]:
        mine = Index(home.being)
        begun = mine.vectors.built_in("mini")
        writing = VectorFiles.write

        def write_and_die(
            self: VectorFiles, place: int, rows: int, parts: dict[str, bytes]
        ) -> None:
            writing(self, place, rows, parts)
            os.kill(os.getpid(), signal.SIGKILL)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(VectorFiles, "write", write_and_die)
            begun.add([5, 8], [passage(5), passage(8)])
        return []

    with pytest.raises(EOFError):
        killed(cut_off)
    (path,) = home.being.index.parent.glob("*.f32")
    assert pack("<2f", 5, 0) in path.read_bytes()
    assert vectors.missing(100) == SOUGHT[:0:-1]
    assert vectors.nearest(pack("<2f", 1, 0), 5).seqs.tolist() == [2]
    vectors.add([11], [passage(11)])
    assert [p.seq for p in vectors.after(0)] == [2, 11]
    assert pack("<2f", 5, 0) not in path.read_bytes()
    assert index.repairs == []


def test_several_processes_add_and_every_one_finds_all(home: Home, vectors: BuiltInVectors) -> None:
    vectors.missing(1)

    def learnt(seqs: list[int]) -> list[int]:
        mine = Index(home.being).vectors.built_in("mini")
        for seq in seqs:
            mine.add([seq], of_one(spread(50, seed=seq), seq))
        return [len(mine.nearest(spread(1)[0].tobytes(), 999).seqs)]

    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda some: killed(lambda: learnt(some)), (SAID[:4], SAID[4:])))
    for seq in SAID:
        kept = np.frombuffer(b"".join(p.vector for p in vectors.passages_of([seq])), np.float32)
        assert np.array_equal(kept.reshape(-1, 128), spread(50, seed=seq))
    assert len(vectors.nearest(spread(1)[0].tobytes(), 999).seqs) == 400


def test_a_full_disk_keeps_none_of_them_and_says_so(
    vectors: BuiltInVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors.missing(1)
    vectors.add([2], [passage(2)])

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(NoSpace):
            vectors.add([5], [passage(5)])
    assert [p.seq for p in vectors.after(0)] == [2]
    assert 5 in vectors.missing(100)
    vectors.add([5], [passage(5)])
    assert [p.seq for p in vectors.after(0)] == [2, 5]


def test_one_who_learns_with_an_index_that_was_replaced_writes_into_the_new_one(
    home: Home, vectors: BuiltInVectors
) -> None:
    vectors.missing(1)
    vectors.add([2], [passage(2)])
    other = Index(home.being)
    other.rebuild()
    other.vectors.built_in("mini").add([5], [passage(5)])
    vectors.add([8], [passage(8)])
    found = other.vectors.built_in("mini").after(0)
    assert [(p.seq, p.vector) for p in found] == [(s, pack("<2f", s, 0)) for s in (2, 5, 8)]
    other.close()
