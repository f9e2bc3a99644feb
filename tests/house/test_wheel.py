"""What a person installs holds everything the package reads."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path
from types import ModuleType


def test_the_wheel_holds_every_file_of_the_package(
    root: Path, tmp_path: Path, launcher: ModuleType
) -> None:
    uv = launcher.find_uv()
    assert uv is not None, "no uv here: run python3 main.py test"
    subprocess.run(
        [uv, "build", "--wheel", "--offline", "--quiet", "--out-dir", tmp_path],
        cwd=root,
        env=launcher.child_environ(),
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    written = {
        str(path.relative_to(root / "src"))
        for path in (root / "src" / "lumen").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    with zipfile.ZipFile(wheel) as opened:
        packed = {
            name for name in opened.namelist() if name.startswith("lumen/") and name[-1] != "/"
        }
        (listed,) = (name for name in opened.namelist() if name.endswith("/entry_points.txt"))
        entry_points = opened.read(listed).decode()
    assert packed == written
    assert "lumen = lumen.body.cli.main:main" in entry_points
