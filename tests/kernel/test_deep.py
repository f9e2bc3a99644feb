"""Replaying the archive finds every table and file that is not what it says, and makes it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest
from tests.storing import tables as tables_of

from lumen.core.data import Change, SelfItem, kernel_entry
from lumen.core.stores import Store
from lumen.kernel.gate.checkpoints import create, restore
from lumen.kernel.gate.recovery import rebuild
from lumen.kernel.upkeep.deep_verify import compare
from lumen.kernel.upkeep.maintain import fade, summaries
from lumen.soul.index.database import FOLDED
from lumen.soul.ports.vectors import VectorSet
from lumen.soul.writing.open import files_of

if TYPE_CHECKING:
    from datetime import tzinfo

    from tests.kernel.conftest import Life

TAMPERED = {
    "events": "UPDATE events SET text = 'I like mice.' WHERE text = 'I like rice.'",
    "tally": "UPDATE tally SET n = n + 1",
    "open_turns": "INSERT INTO open_turns VALUES('x', 1)",
    "changes": "UPDATE changes SET text = '# Eve' WHERE path = 'data/soul.md'",
    "undone": "INSERT INTO undone VALUES(1, 1)",
    "checkpoints": "DELETE FROM checkpoints",
    "uses": "UPDATE uses SET by = 0",
    "fades": "DELETE FROM fades",
    "restores": "DELETE FROM restores",
    "erasures": "INSERT INTO erasures VALUES(1, 2, 1)",
    "rereads": "INSERT INTO rereads VALUES(1)",
    "held": "INSERT INTO held VALUES('data/soul.md', '', 1)",
    "calls": "UPDATE calls SET tokens = tokens + 1",
    "frequency": "UPDATE frequency SET n = n + 1 WHERE term = ''",
    "utterances": "UPDATE utterances SET length = length + 1",
    "sessions": "UPDATE sessions SET n = n + 1",
    "session_terms": "UPDATE session_terms SET n = n + 1",
    "session_speakers": "INSERT INTO session_speakers VALUES(1, 'eve', 1)",
    "names": "INSERT INTO names VALUES('eve', 1)",
    "cycles": "UPDATE cycles SET delta = delta + 1",
    "lines": "DELETE FROM lines",
    "operations": "INSERT INTO operations VALUES('data/state/x.jsonl', 1, 0, '{}')",
    "records": "INSERT INTO records VALUES('data/state/x.jsonl', 'x', 1, '', '{}')",
}


@pytest.fixture
def lived(life: Life) -> Life:
    """A being to whom everything has happened."""
    life.script({"when": "(?s).*", "say": ""})
    life.tell("I like rice.", "My sister lives in Lisbon.")
    life.being.soul_md.write_text("# Nova\n", "utf-8")
    life.kernel.gate.adopt()
    create(life.kernel.gate, "then")
    life.say("Where does my sister live?")
    change = Change(Store.GOALS, "put", SelfItem("learn to sing", 0.5, "todo"))
    beat = kernel_entry("goal", "A goal.", "test", {})
    life.kernel.gate.commit("author", [change], beat, durable=True)
    life.clock.at = life.clock.at.replace(year=2027)
    fade(life.kernel.gate, 90)
    zone: tzinfo = life.kernel.now().zone
    summaries(life.kernel.gate, zone)
    restore(life.kernel.gate, 4)
    life.kernel.index.catch_up()
    return life


def tamper(life: Life, sql: str) -> None:
    db = apsw.Connection(str(life.being.index))
    db.execute(sql)
    db.close()


def test_a_life_that_was_lived_through_compares_equal(lived: Life) -> None:
    assert compare(files_of(lived.being), lived.kernel.index).problems == ()
    assert compare(files_of(lived.being), lived.kernel.index).notes == ()


@pytest.mark.parametrize("table", FOLDED)
def test_a_row_that_was_changed_is_found_and_mended(lived: Life, table: str) -> None:
    tamper(lived, TAMPERED[table])
    found = compare(files_of(lived.being), lived.kernel.index).problems
    assert f"table {table} is not what the archive says" in found
    rebuild(lived.kernel.gate)
    assert compare(files_of(lived.being), lived.kernel.index).problems == ()


def test_a_word_index_that_does_not_agree_is_found_and_mended(lived: Life) -> None:
    tamper(lived, "INSERT INTO words(words, rowid, text) VALUES('delete', 2, 'I like rice.')")
    found = compare(files_of(lived.being), lived.kernel.index).problems
    assert "the word index is not what the archive says" in found
    rebuild(lived.kernel.gate)
    assert compare(files_of(lived.being), lived.kernel.index).problems == ()


@pytest.mark.parametrize("change", ["changed", "gone"])
def test_a_summary_that_is_not_what_was_written_is_found_and_mended(
    lived: Life, change: str
) -> None:
    path = lived.being.at("data/memory/2026/summary.md")
    before = path.read_bytes()
    if change == "gone":
        path.unlink()
    else:
        path.write_bytes(before + b"more")
    found = compare(files_of(lived.being), lived.kernel.index).problems
    assert found == ("data/memory/2026/summary.md is not what the archive says",)
    rebuild(lived.kernel.gate)
    assert path.read_bytes() == before
    assert compare(files_of(lived.being), lived.kernel.index).problems == ()


def test_a_lost_self_file_is_a_problem_and_an_edit_by_hand_is_not(lived: Life) -> None:
    lived.being.values.unlink()
    lived.being.soul_md.write_text("# Eve\n", "utf-8")
    found = compare(files_of(lived.being), lived.kernel.index)
    assert found.problems == ("data/values.json is not what the archive says",)
    assert found.notes == ("data/soul.md was edited by hand and is not adopted yet",)


def test_rebuilding_makes_the_same_bytes_and_rows(lived: Life) -> None:
    def files() -> dict[str, bytes]:
        kept = (*lived.being.data.glob("[a-z]*.*"), *lived.being.goals.glob("*"))
        found = (*kept, *lived.being.memory.glob("*/*.md"))
        return {lived.being.named(p): p.read_bytes() for p in found if p.is_file()}

    def rows() -> list[list[object]]:
        return [sorted(tables_of(lived.kernel.index).rows(f"SELECT * FROM {t}")) for t in FOLDED]  # noqa: S608 - our own names

    def built_in() -> VectorSet:
        embedder = tables_of(lived.kernel.index).row("SELECT id FROM embedders")[0]
        return lived.kernel.index.vectors.built_in(str(embedder))

    before, tables = files(), rows()
    vectors = list(built_in().after(0))
    for name in before:
        if name != "data/heads.jsonl":
            lived.being.at(name).unlink()

    told = rebuild(lived.kernel.gate)

    assert files() == before
    assert rows() == tables
    assert list(built_in().after(0)) == vectors
    assert len(told) == len(before) - 1
