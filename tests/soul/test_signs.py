"""Of many vectors the signs are compared first: what is found, and what is left of what was forgotten."""

from __future__ import annotations

import os
from itertools import product
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest
from tests.soul.test_vectors import SAID, erase, of_one, spread
from tests.storing import tables

from lumen.soul.index import hamming, scan
from lumen.soul.index.index import Index
from lumen.soul.index.sidecar import BLOCK
from lumen.soul.index.vectors import BuiltInVectors

if TYPE_CHECKING:
    from tests.soul.conftest import Home

    from lumen.soul.writing.write import Writer


@pytest.fixture
def vectors(index: Index) -> BuiltInVectors:
    return index.vectors.built_in("mini")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs are compared from a few rows on, and few rows are compared by their vectors."""
    monkeypatch.setattr(scan, "MANY", 300)
    monkeypatch.setattr(scan, "CLOSE", 200)
    monkeypatch.setattr(scan, "CLOSER", 150)


@pytest.mark.usefixtures("few")
def test_two_threads_find_what_one_finds(
    vectors: BuiltInVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = spread(BLOCK + 500)
    vectors.missing(1)
    vectors.add([2], of_one(rows, 2))
    alone = vectors.nearest(rows[3].tobytes(), 10).numbers.tolist()
    monkeypatch.setattr(scan, "ALONE", 2)
    assert vectors.nearest(rows[3].tobytes(), 10).numbers.tolist() == alone
    several = [vectors.seek(rows[n].tobytes(), 10) for n in (3, 4, 5, 3)]  # more than threads
    found = [one().numbers.tolist() for one in several]
    assert found[0] == found[3] == alone
    assert found[1] == vectors.nearest(rows[4].tobytes(), 10).numbers.tolist() != alone
    last = [*vectors.after(0)][-1]
    assert vectors.nearest(rows[-1].tobytes(), 1).numbers.tolist() == [last.number]
    assert last.start == BLOCK + 499


@pytest.mark.usefixtures("few")
def test_what_no_thread_has_begun_is_looked_through_by_who_asks(
    vectors: BuiltInVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, gate = spread(900), Event()
    vectors.missing(1)
    vectors.add([2], of_one(rows, 2))
    alone = vectors.nearest(rows[3].tobytes(), 10).numbers.tolist()
    monkeypatch.setattr(scan, "ALONE", 2)
    busy = [scan._two_threads(os.getpid()).submit(gate.wait, 60) for _ in range(2)]
    try:
        assert vectors.nearest(rows[3].tobytes(), 10).numbers.tolist() == alone
        assert not any(one.done() for one in busy)
    finally:
        gate.set()
    assert all(one.result() for one in busy)


@pytest.mark.usefixtures("few")
def test_many_are_found_by_their_signs_as_well_as_by_all_their_numbers(
    index: Index, vectors: BuiltInVectors
) -> None:
    rows, asked = spread(4800), spread(20, seed=4)
    vectors.missing(1)
    moved = "UPDATE utterances SET day = iif(seq < ?, 7, 6)"  # what came first is of a later day
    tables(index).keep((moved, [(SAID[4],)]))
    for n, seq in enumerate(SAID):  # the first batch has no signs, the others bring them
        some = rows[n * 600 : n * 600 + 600]
        vectors.add([seq], of_one(some[:200] if not n else some, seq, marks=1 << n))
    kept, hits = np.concatenate([rows[:200], rows[600:]]), 0
    every = [({"marks": 0}, SAID, kept), ({"before": SAID[3]}, SAID[:3], kept[:1400])]
    every += [({"marks": 2}, SAID[1:2], rows[600:1200]), ({"until": 6}, SAID[4:], rows[2400:])]
    every += [({"until": 5}, [], rows[:0])]  # nothing is so early
    for query, (bound, seqs, among) in product(asked, every):
        found = vectors.nearest(query.tobytes(), 10, **bound)
        assert found.cosines.tolist() == sorted(found.cosines.tolist(), reverse=True)
        assert {*found.seqs.tolist()} <= {*seqs}
        hits += shared(found.cosines, among @ query)
    assert hits >= 785


def shared(found: npt.NDArray[np.float32], cosines: npt.NDArray[np.float32]) -> int:
    """How many of the ten best were found."""
    best = np.sort(cosines)[::-1][:10]
    return sum(bool(np.isclose(best, cosine, atol=1e-5).any()) for cosine in found)


@pytest.mark.parametrize("size", [128, 384])
def test_without_the_library_signs_are_counted_by_numpy_and_the_same_is_found(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    rows = scan.signs(spread(5000, size))
    assert hamming.native_count(True) is not None
    fast = hamming.distances(rows, rows[7:9])
    monkeypatch.setattr(hamming, "native_count", lambda _: None)
    assert hamming.distances(rows, rows[7:9]).tolist() == fast.tolist()
    assert fast[0, 7] == fast[1, 8] == 0
    assert fast.tolist() == [
        [int(np.bitwise_count(row ^ one).sum()) for row in rows] for one in rows[7:9]
    ]


def test_a_sign_weighs_the_more_the_larger_the_number_is_that_it_stands_for() -> None:
    rows, sought = spread(300, 100), spread(1, 100, seed=4)[0]
    plain = scan.signs(rows)
    away = hamming.distances(plain, scan.signs(sought[None]))[0]
    size = np.abs(sought)
    level = np.minimum(size * 1.3 * scan.WEIGHTS / size.max(), scan.WEIGHTS - 0.5).astype(int)
    expected = ((rows > 0) != (sought > 0)) @ (2 * level + 1)
    found = scan.weighted(away, plain, sought)
    assert {*level.tolist()} == {*range(scan.WEIGHTS)}
    assert len({*(found - expected).tolist()}) == 1  # all are off by the same


@pytest.mark.usefixtures("few")
def test_what_is_found_first_does_not_depend_on_how_many_are_asked_for(
    vectors: BuiltInVectors,
) -> None:
    vectors.missing(1)
    vectors.add([2], of_one(spread(4800), 2))
    for query in spread(100, seed=4):
        first, more = (vectors.nearest(query.tobytes(), most).numbers[:8] for most in (8, 15))
        assert first.tolist() == more.tolist()


@pytest.mark.parametrize(
    ("package", "name"), [("no_such_package", ""), ("numpy", ""), ("faiss", "no_such_function")]
)
def test_a_library_that_is_not_there_or_has_no_such_function_is_done_without(
    monkeypatch: pytest.MonkeyPatch, package: str, name: str
) -> None:
    monkeypatch.setattr(hamming, "PACKAGE", package)
    for each in ("BY_WORD", "CHOSEN") if name else ():
        monkeypatch.setattr(hamming, each, name)
    assert hamming.native_count.__wrapped__(True) is None


@pytest.mark.parametrize("lacks", ["", "BY_WORD"])
@pytest.mark.parametrize("by_word", [True, False])
@pytest.mark.parametrize("size", [128, 384, 1024])
def test_signs_are_counted_alike_by_whichever_function_the_library_has(
    monkeypatch: pytest.MonkeyPatch, size: int, by_word: bool, lacks: str
) -> None:
    if lacks:
        monkeypatch.setattr(hamming, lacks, "no_such_function")
    count, rows = hamming.native_count.__wrapped__(by_word), scan.signs(spread(500, size))
    assert count is not None
    monkeypatch.setattr(hamming, "native_count", lambda _: count)
    assert hamming.distances(rows, rows[:2]).tolist() == [
        np.bitwise_count(rows ^ one).sum(1).tolist() for one in rows[:2]
    ]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("asked_first", [True, False])
def test_signs_that_are_lost_or_of_the_former_layout_are_made_of_the_vectors(
    home: Home, writer: Writer, index: Index, vectors: BuiltInVectors, asked_first: bool
) -> None:
    rows = spread(402)
    vectors.missing(1)
    vectors.add([2, 5], [*of_one(rows[:401], 2), *of_one(rows[401:], 5)])
    (path,) = home.being.index.parent.glob("*.signs")
    held, former = path.read_bytes(), path.rename(path.with_suffix(".bits"))
    if asked_first:
        assert vectors.nearest(rows[3].tobytes(), 1).numbers.tolist() == [4]
        assert (path.read_bytes(), former.exists(), index.repairs) == (held, False, [])
    erase(home, writer, 5)
    index.catch_up()
    assert not former.exists()
    assert vectors.nearest(rows[3].tobytes(), 1).numbers.tolist() == [4]
    assert path.read_bytes() == held[: 401 * 16] + bytes(len(held) - 401 * 16)
    assert index.repairs == []


@pytest.mark.usefixtures("few")
def test_no_byte_of_a_forgotten_vector_is_left_in_any_file(
    home: Home, writer: Writer, index: Index, vectors: BuiltInVectors
) -> None:
    rows = spread(402)
    vectors.missing(1)
    vectors.add([2, 5], [*of_one(rows[:401], 2), *of_one(rows[401:], 5, marks=5)])
    held = {p.suffix: p.read_bytes() for p in home.being.index.parent.glob("soul.db-v*")}
    assert rows[401].tobytes() in held[".f32"]
    assert {".f32", ".seqs", ".marks", ".signs"} == held.keys()
    erase(home, writer, 5)
    index.catch_up()
    left = {p.suffix: p.read_bytes() for p in home.being.index.parent.glob("soul.db-v*")}
    assert left[".f32"][401 * 512 :].strip(b"\0") == b""
    assert left[".seqs"][401 * 8 :].strip(b"\0") == left[".marks"].strip(b"\0") == b""
    assert held[".signs"][401 * 16 :].strip(b"\0")
    assert left[".signs"][401 * 16 :].strip(b"\0") == b""
    assert left[".signs"][: 401 * 16] == held[".signs"][: 401 * 16]
    assert rows[400].tobytes() in left[".f32"]
