"""What a skill leaves in a folder it may write to runs with nobody's rights but the caller's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lumen.hands.isolation import Isolation
from lumen.hands.run import Sandbox, strip_borrowed_rights

if TYPE_CHECKING:
    from tests.hands.conftest import Ask

LEAVE = (
    "import pathlib\n"
    "left = pathlib.Path({folder!r}, 'deep')\n"
    "left.mkdir()\n"
    "for name, mode in (('shell', 0o4755), ('group', 0o2755), ('unread', 0o6111), ('own', 0o700)):\n"
    "    (left / name).touch(); (left / name).chmod(mode)\n"
)
ANSWER = "print(json.dumps({'ok': True}), flush=True)\n"


@pytest.mark.parametrize("isolation", [Isolation.NONE, Isolation.LIMITS, Isolation.BWRAP])
@pytest.mark.parametrize("ends", [ANSWER, "sys.exit(3)\n"], ids=["answers", "crashes"])
def test_a_setuid_file_left_by_a_skill_is_a_plain_one(
    ask: Ask, tmp_path: Path, isolation: Isolation, ends: str
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    ask(LEAVE.format(folder=str(files)) + ends, box=Sandbox(isolation, writes=(files,)))
    modes = {path.name: path.stat().st_mode & 0o7777 for path in (files / "deep").iterdir()}
    assert modes == {"shell": 0o755, "group": 0o755, "unread": 0o111, "own": 0o700}


def test_what_a_link_points_to_is_not_touched(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.touch()
    tool.chmod(0o4755)
    files = tmp_path / "files"
    files.mkdir()
    (files / "link").symlink_to(tool)
    (files / "nowhere").symlink_to(tmp_path / "nowhere")
    strip_borrowed_rights([files, tmp_path / "missing"])
    assert tool.stat().st_mode & 0o7777 == 0o4755
