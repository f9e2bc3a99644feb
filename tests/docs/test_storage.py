"""The page on another storage: its test files run as they stand, on files here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

FILES = """from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths
from lumen.soul.trust.keys import Keyring
from lumen.soul.archive.locks import FileLocks
from lumen.soul.writing.open import open_storage


def open_being(where):
    return open_storage(BeingPaths(where / "being"), Keyring(where / "host"), SystemClock())


def MyLocks(where):
    return FileLocks(BeingPaths(where / "being"))
"""


def test_the_test_files_of_the_page_try_a_storage_and_a_port(root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "storage.md").read_text("utf-8")
    whole, one_port = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "my_storage.py").write_text(FILES, "utf-8")
    (tmp_path / "test_mine.py").write_text(whole, "utf-8")
    (tmp_path / "test_one_port.py").write_text(one_port, "utf-8")
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "test_mine.py",
            "test_one_port.py",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    passed = re.search(r"(\d+) passed", ran.stdout)
    assert passed is not None
    assert int(passed[1]) > 50


def test_every_port_is_on_the_page(root: Path) -> None:
    page = (root / "docs" / "storage.md").read_text("utf-8")
    for port in ("EventLog", "Queries", "Vectors", "Locks", "SelfFiles"):
        assert f"| `{port}` |" in page
        assert f"{port}Conformance" in page
