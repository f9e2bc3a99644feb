"""Model files kept on a host: by name, with their hash, and never another file in their place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.model_files import gguf_bytes, written

from lumen.core.canon import sha256
from lumen.core.errors import NoSubstrate, UsageError
from lumen.mind.library import Library

WHOLE = gguf_bytes()


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "models")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path, "Tiny.Q4_0.gguf", WHOLE)


def test_a_file_is_kept_with_its_hash_and_what_it_takes(library: Library, file: Path) -> None:
    kept = library.add(file, "tiny")
    assert library.models() == [kept]
    assert (kept.sha256, kept.size) == (sha256(WHOLE), len(WHOLE))
    assert kept.memory > kept.size + 2048 * 256
    assert library.verified(kept).read_bytes() == WHOLE
    file.unlink()
    assert library.verified(kept).read_bytes() == WHOLE


def test_several_are_kept_side_by_side_and_a_name_is_taken_once(
    library: Library, file: Path
) -> None:
    library.add(file, "b-2.5")
    library.add(file, "A")
    assert [kept.name for kept in library.models()] == ["A", "b-2.5"]
    with pytest.raises(UsageError, match="already"):
        library.add(file, "A")
    library.remove("A")
    assert [kept.name for kept in library.models()] == ["b-2.5"]
    assert not list(library.folder.glob("A*"))
    with pytest.raises(UsageError, match="no model 'A'"):
        library.remove("A")


@pytest.mark.parametrize("name", ["", ".hidden", "../up", "a/b", "a b", "x" * 81])
def test_a_name_that_could_be_a_path_is_refused(library: Library, file: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is no name"):
        library.add(file, name)


def test_what_is_no_model_leaves_nothing_behind(library: Library, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no GGUF"):
        library.add(written(tmp_path, "notes.txt", b"hello"), "notes")
    assert library.models() == []


def test_a_file_that_was_changed_since_is_not_used(library: Library, file: Path) -> None:
    kept = library.add(file, "tiny")
    path = library.path("tiny")
    path.unlink()
    path.write_bytes(WHOLE[:-1] + b"!")
    with pytest.raises(NoSubstrate, match="not the file that was kept") as caught:
        library.verified(kept)
    assert caught.value.fix.startswith("lumen models remove tiny")


def test_a_file_with_another_time_is_read_through_once_and_a_look_anew_reads_it_always(
    library: Library, file: Path
) -> None:
    kept = library.add(file, "tiny")
    path = library.path("tiny")
    os.utime(path, ns=(1, 1))
    assert library.verified(kept) == path
    (again,) = library.models()
    assert again.stamp != kept.stamp
    path.write_bytes(WHOLE[:-1] + b"!")
    os.utime(path, ns=(1, 1))  # whoever does this is found by a look at every byte
    assert library.verified(again) == path
    with pytest.raises(NoSubstrate, match="its hash is another"):
        library.verified(again, anew=True)


@pytest.mark.parametrize("notes", ["", "{}", '{"name": "other"}', "[]"])
def test_notes_that_say_nothing_are_of_no_model(library: Library, file: Path, notes: str) -> None:
    library.add(file, "tiny")
    (library.folder / "tiny.json").write_text(notes, "utf-8")
    assert library.models() == []
    assert library.add(file, "tiny").name == "tiny"
