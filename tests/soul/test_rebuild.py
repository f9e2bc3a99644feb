"""An index that was lost, spoiled or left behind is made again, and compared with a fresh one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest
from tests.soul.forging import told_otherwise

from lumen.core.data import Passage
from lumen.core.errors import Damaged, NoSpace
from lumen.soul.index import following
from lumen.soul.index import index as index_module
from lumen.soul.index.database import make
from lumen.soul.index.index import Index

if TYPE_CHECKING:
    from pathlib import Path

    from tests.soul.conftest import Home

    from lumen.soul.writing.write import Writer

REBUILT = "The index was rebuilt from the archive: {}."


def left_beside(home: Home) -> set[str]:
    """Files in the index's folder that have no business there."""
    ours = {f"soul.db{suffix}" for suffix in ("", "-wal", "-shm")}
    names = {p.name for p in home.being.index.parent.iterdir()}
    kept = (".lock", ".f32", ".seqs", ".marks", ".signs")
    return {name for name in names - ours if not name.endswith(kept)}


def test_an_index_that_was_deleted_is_made_again_and_told(home: Home, index: Index) -> None:
    before = home.rows()
    index.close()
    for path in home.being.index.parent.iterdir():
        path.unlink()
    again = Index(home.being)
    assert again.catch_up() == 25
    assert again.repairs == [REBUILT.format("it was not there")]
    again.close()
    assert home.rows() == before


@pytest.mark.parametrize("garbage", [b"\x00" * 5000, b"not a database at all" * 300, b"x"])
def test_an_index_that_is_garbage_is_made_again_and_told(
    home: Home, index: Index, garbage: bytes
) -> None:
    before = home.rows()
    index.close()
    home.being.index.write_bytes(garbage)
    again = Index(home.being)
    assert again.catch_up() == 25
    assert len(again.repairs) == 1
    again.close()
    assert home.rows() == before


def test_an_index_damaged_within_is_made_again_when_it_is_asked(home: Home, index: Index) -> None:
    before = home.rows()
    index.close()
    db = apsw.Connection(str(home.being.index))
    roots = [row[0] for row in db.execute("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")]
    db.close()
    data = bytearray(home.being.index.read_bytes())
    for root in roots:  # every table, but not the description of the tables
        data[(root - 1) * 4096 : (root - 1) * 4096 + 512] = b"\xa5" * 512
    home.being.index.write_bytes(data)
    again = Index(home.being)
    assert again.events.counts() == {"external": 8, "kernel": 9, "self": 8}
    assert again.repairs == [REBUILT.format("it was damaged")]
    vectors = again.vectors.built_in("any")
    assert len(vectors.missing(100)) == 16
    vectors.add([2], [Passage(2, 0, 1, b"1234")])
    assert again.vectors.progress() == (1, 16)
    again.close()
    assert home.rows() == before


def test_an_index_damaged_within_is_made_again_when_it_catches_up(
    home: Home, index: Index, writer: Writer
) -> None:
    index.close()
    data = bytearray(home.being.index.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    home.being.index.write_bytes(data)
    home.live(writer, 1, began=100)
    again = Index(home.being)
    assert again.catch_up() == 28
    assert again.repairs == [REBUILT.format("it was damaged")]


@pytest.mark.parametrize("version", ["user_version", "application_id"])
def test_an_index_of_another_version_or_with_other_terms_is_made_again_and_told(
    home: Home, index: Index, version: str
) -> None:
    vectors = index.vectors.built_in("any")
    vectors.add(vectors.missing(1), [Passage(23, 0, 4, b"1234")])
    index.close()
    db = apsw.Connection(str(home.being.index))
    db.pragma(version, 99)
    db.close()
    again = Index(home.being)
    assert again.catch_up() == 25
    assert again.repairs == [REBUILT.format("its shape is from another version")]
    assert [*home.being.index.parent.glob("soul.db-v*")] == []
    assert len(again.vectors.built_in("any").missing(100)) == 16
    again.close()


@pytest.mark.parametrize("how", ["another being", "cut short", "gone"])
def test_an_index_of_an_archive_that_was_replaced_is_made_again_and_told(
    home: Home, index: Index, how: str
) -> None:
    segments = sorted((home.being.memory / "2026").iterdir())
    if how == "another being":
        home.overwrite(segments[-1], told_otherwise(segments[-1].read_bytes(), 25))
    elif how == "cut short":
        home.overwrite(segments[-1], segments[-1].read_bytes().splitlines(keepends=True)[0])
    else:
        segments[-1].unlink()
    last = len(home.lines())
    assert index.catch_up() == last
    assert index.repairs == [REBUILT.format("the archive it was made from has changed")]
    assert index.events.last_head()[0] == last


def test_a_disk_without_room_for_another_index_leaves_the_one_there_is(
    home: Home, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = home.rows()

    def small(path: Path) -> apsw.Connection:
        db = make(path)
        db.pragma("max_page_count", 1)
        return db

    monkeypatch.setattr(index_module, "make", small)
    for work in (index.rebuild, index.differences):
        with pytest.raises(NoSpace, match="the index cannot grow"):
            work()
    assert home.rows() == before
    assert index.catch_up() == 25
    assert left_beside(home) == set()


def test_a_rebuild_of_an_archive_that_cannot_be_read_leaves_the_index_there_is(
    home: Home, index: Index
) -> None:
    vectors = index.vectors.built_in("any")
    vectors.add(vectors.missing(1), [Passage(23, 0, 4, b"1234")])
    before, lines = home.rows(), home.newest().read_bytes()
    home.overwrite(home.newest(), lines.splitlines(keepends=True)[0] + b"{}\n")
    with pytest.raises(Damaged, match="cannot be read"):
        index.rebuild()
    home.overwrite(home.newest(), lines)
    assert home.rows() == before
    assert [p.vector for p in vectors.after(0)] == [b"1234"]
    assert left_beside(home) == set()


def test_a_table_that_is_not_what_the_archive_says_is_named(home: Home, index: Index) -> None:
    assert index.differences() == []
    for table, spoil in (
        ("events", "UPDATE events SET weight = weight + 1 WHERE seq = 2"),
        ("changes", "DELETE FROM changes WHERE seq = 25"),
        ("uses", "INSERT INTO uses VALUES(3, 2, 1, 1)"),
    ):
        index.keep((spoil, [()]))
        assert index.differences() == [f"table {table}"]
        assert index.rebuild() == 25
        assert index.differences() == []
    assert left_beside(home) == set()


def test_tables_that_cannot_be_read_are_made_again_and_that_is_told(
    home: Home, index: Index
) -> None:
    page = index.row("SELECT rootpage FROM sqlite_schema WHERE name = 'fades'")[0]
    index.close()
    data = bytearray(home.being.index.read_bytes())
    data[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    home.being.index.write_bytes(data)
    again = Index(home.being)
    assert again.differences() == []
    assert again.repairs == ["The index was rebuilt from the archive: it was damaged."]


def test_an_index_is_compared_at_one_event_though_others_go_on_writing(
    home: Home, writer: Writer, index: Index
) -> None:
    told: list[tuple[int, int]] = []

    def meanwhile(done: int, total: int) -> None:
        told.append((done, total))
        if len(told) < 4:
            home.live(writer, 1, began=100 + len(told))

    assert index.differences(meanwhile) == []
    assert len(told) == 4
    assert index.events.last_head()[0] == 25 + 9


def test_progress_is_told_in_bytes_batch_by_batch(
    home: Home, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.live(writer, 8)
    monkeypatch.setattr(following, "BATCH", 10)
    index, total = Index(home.being), sum(map(len, home.lines()))
    told: list[tuple[int, int]] = []
    assert index.catch_up(lambda *far: told.append(far)) == 25
    assert [far for _, far in told] == [total] * 3
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (total, total)
    assert index.differences() == []
