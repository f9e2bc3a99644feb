"""Whatever is done to a being without its keys is found, by Lumen and by the verifier of the page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest
from tests.soul import tamperings_of_heads, tamperings_of_keys
from tests.soul.forging import (
    Forged,
    bear,
    copied,
    found_by_lumen,
    found_by_page,
    live,
    open_gate,
    page_verifier,
    shut,
    turn,
)
from tests.soul.tamperings import ALL, Tampering

from lumen.kernel.upkeep.deep_verify import compare
from lumen.soul.archive.line import read_at
from lumen.soul.checking.verify import verify
from lumen.soul.index.index import Index
from lumen.soul.writing.open import files_of

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

LISTED = (tamperings_of_heads, tamperings_of_keys)  # reading them puts theirs on the list
AT_LEAST = 40
FOUND = [case for case in ALL.values() if not case.harmless]
HARMLESS = [case for case in ALL.values() if case.harmless]
EDITS = {  # of data/index/soul.db: found by `lumen archive verify --deep`
    "what was said": "UPDATE events SET text = 'turn 1: I ate a poison' WHERE seq = 2",
    "who said it": "UPDATE events SET author = 'external', origin = 'author' WHERE seq = 3",
    "a memory is deleted": "DELETE FROM events WHERE seq = 2",
    "a memory is made up": "INSERT INTO events SELECT 7000, id, event_hash, timestamp, author, "
    "event_type, origin, situation, session_key, model, birth, born, weight, touched, private, "
    "segment, offset, length, 'I ate a poison', conversation, key, occurred, speaker FROM events WHERE seq = 2",
    "a weight": "UPDATE events SET weight = 1000000 WHERE seq = 2",
    "privacy": "UPDATE events SET private = 1 - private WHERE seq = 2",
    "a hash": "UPDATE events SET event_hash = parent FROM (SELECT event_hash AS parent FROM events "
    "WHERE seq = 2) WHERE seq = 3",
    "an erasure is forgotten": "DELETE FROM erasures",
    "an erasure is not carried out": "UPDATE erasures SET scrubbed = 0",
    "a file of the self": "UPDATE changes SET text = '# Slave' WHERE path LIKE '%soul.md'",
    "the words": "INSERT INTO words(rowid, text) VALUES(2, 'poison')",
    "how often a word is": "UPDATE frequency SET n = n + 1 WHERE term = 'appl'",
}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Forged:
    """The being all are copied from, and beside it another of the same host's."""
    root = tmp_path_factory.mktemp("lived")
    _, clock = bear(root / "other", seed=5)
    other = open_gate(root / "other", clock)
    turn(other, 1)
    shut(other)
    return live(root)


@pytest.fixture(scope="module")
def verifier(root: Path) -> Callable[[Forged], str]:
    return page_verifier(root)


@pytest.fixture
def copy(lived: Forged, tmp_path: Path) -> Iterator[Forged]:
    made = copied(lived, tmp_path / "copy")
    yield made
    shutil.rmtree(made.root)


def cases(found: list[Tampering]) -> list[ParameterSet]:
    return [pytest.param(case, id=case.name) for case in found]


def test_there_are_more_than_forty() -> None:
    assert len(FOUND) >= AT_LEAST


def test_a_being_without_its_heads_is_found_though_its_witness_speaks_for_all_of_it(
    tmp_path: Path, verifier: Callable[[Forged], str]
) -> None:
    _, clock = bear(tmp_path)
    gate = open_gate(tmp_path, clock)
    turn(gate, 1)
    shut(gate)
    young = Forged(tmp_path)
    young.heads = []
    young.write()
    assert "lacks one by the key the being was born with" in found_by_lumen(young)
    assert found_by_page(verifier, young) == "event 1 has no head by the key it names"


def test_what_was_written_is_found_to_be_so(
    copy: Forged, verifier: Callable[[Forged], str]
) -> None:
    key = copy.keyring.host_public(copy.soul)
    assert found_by_lumen(copy, key) == found_by_page(verifier, copy, key) == ""
    lines, heads = list(copy.lines), list(copy.heads)
    copy.write()
    copy.read()
    assert (copy.lines, copy.heads) == (lines, heads)
    copy.relink(0)
    assert copy.lines == lines  # an attacker spells a line as Lumen does


@pytest.mark.parametrize("case", cases(FOUND))
def test_it_is_found(case: Tampering, copy: Forged, verifier: Callable[[Forged], str]) -> None:
    key = copy.keyring.host_public(copy.soul) if case.by_key else ""
    case.do(copy)
    copy.write()
    assert found_by_lumen(copy, key)
    assert found_by_page(verifier, copy, key)


@pytest.mark.parametrize("case", cases(HARMLESS))
def test_it_does_no_harm(case: Tampering, copy: Forged, verifier: Callable[[Forged], str]) -> None:
    case.do(copy)
    copy.write()
    assert found_by_lumen(copy) == ""
    assert found_by_page(verifier, copy) == ""


@pytest.mark.parametrize(
    "name",
    [
        "a stranger names a key and signs what follows",
        "a stranger vouches for the strangers own key",
        "a revoked key vouches for a stranger",
        "author messages are forged into the unsigned end",
    ],
)
def test_a_host_that_never_saw_the_being_does_not_trust_what_a_stranger_signs(
    copy: Forged, verifier: Callable[[Forged], str], name: str
) -> None:
    ALL[name].do(copy)
    copy.write()
    shutil.rmtree(copy.keyring.folder / "witness")
    assert found_by_lumen(copy) == "not trusted from event 18 on"
    assert found_by_page(verifier, copy).startswith("event 18 and those after it")


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_of_the_index_is_found_by_a_deep_look(copy: Forged, edit: str) -> None:
    db = apsw.Connection(str(copy.being.index))
    db.execute(EDITS[edit])
    db.close()
    assert verify(copy.being, copy.keyring).trusted  # the archive is as it was
    index = Index(copy.being)
    try:
        found = compare(files_of(copy.being), index).problems
        assert found or index.repairs  # what tells of no line at its end is made again at once
    finally:
        index.close()


@pytest.mark.parametrize(
    "row",
    ["7000, NULL, NULL, NULL, 'ab'", "7000, '../evil', 0, 10, 'ab'", "7000, '', 'x', -1, 'ab'"],
)
def test_an_index_that_tells_of_lines_that_are_nowhere_is_made_again(
    copy: Forged, row: str
) -> None:
    (copy.being.memory / "evil").write_bytes(b"x" * 100)
    db = apsw.Connection(str(copy.being.index))
    db.execute(f"INSERT INTO events(seq, segment, offset, length, event_hash) VALUES({row})")
    db.close()
    index = Index(copy.being)
    try:
        assert index.catch_up() == len(copy.lines)
        assert compare(files_of(copy.being), index).problems == ()
        assert index.repairs == [
            "The index was rebuilt from the archive: the archive it was made from has changed."
        ]
    finally:
        index.close()


def test_nobody_waits_for_a_pipe_that_stands_where_a_segment_was(copy: Forged) -> None:
    path = copy.being.memory / "2026" / copy.lines[-1][0]
    path.unlink()
    os.mkfifo(path)
    assert found_by_lumen(copy).startswith("event 15 is missing")
    index = Index(copy.being)
    try:
        assert read_at(copy.being.memory, path.name, 0, 100) == b""
        assert index.catch_up() == 14
    finally:
        index.close()
