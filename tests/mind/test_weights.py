from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lumen.core.canon import sha256
from lumen.core.errors import NoSubstrate
from lumen.mind.weights import Weights


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "lumen_test_weights"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    (folder / "numbers.bin").write_bytes(b"123")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def weights(file: str = "numbers.bin", package: str = "lumen_test_weights") -> Weights:
    return Weights(package, "lumen-test-weights", file, sha256(b"123"))


def test_weights_are_found_without_running_their_package(package: Path) -> None:
    assert weights().verified() == package / "numbers.bin"
    assert "lumen_test_weights" not in sys.modules


def test_one_changed_byte_is_refused_with_what_to_do(package: Path) -> None:
    (package / "numbers.bin").write_bytes(b"124")
    with pytest.raises(NoSubstrate, match="not the file Lumen was tested with") as caught:
        weights().verified()
    assert "main.py doctor" in caught.value.fix


@pytest.mark.usefixtures("package")
def test_a_missing_file_or_package_is_refused_by_name() -> None:
    with pytest.raises(NoSubstrate, match=r"installed without other\.bin"):
        weights(file="other.bin").verified()
    with pytest.raises(NoSubstrate, match="lumen-test-weights is not installed"):
        weights(package="lumen_no_such_package").verified()
