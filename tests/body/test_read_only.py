"""What only reads works where nothing can be written; what writes says why it does not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from lumen.core.canon import loads

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

READS = (["status"], ["memory"], ["recall", "sister"], ["goals"], ["why"], ["archive", "verify"])
RUNS = """
import json, sys
from lumen.body.cli.main import main
codes = {}
for words in json.loads(sys.argv[1]):
    sys.argv = ["lumen", *words]
    try:
        main()
    except SystemExit as ended:
        codes[words[0]] = ended.code
print("CODES", json.dumps(codes))
"""


def test_commands_that_read_work_on_a_disk_that_is_read_only(talked: Lumen) -> None:
    words = str([*READS, ["chat", "-m", "hello"]]).replace("'", '"')
    held = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(talked.being), str(talked.being)]
    ran = subprocess.run(
        [*held, "--", sys.executable, "-c", RUNS, words],
        env=talked.env(),
        capture_output=True,
        check=True,
        timeout=300,
    )
    *shown, last = ran.stdout.decode().strip().splitlines()

    assert loads(last.removeprefix("CODES ").encode()) == {
        **{words[0]: 0 for words in READS},
        "chat": 1,
    }
    assert any("My sister" in line for line in shown)
    assert b"Read-only file system; your message was not kept" in ran.stderr


def test_skills_that_are_gone_are_named_with_what_to_try(talked: Lumen, inside: Inside) -> None:
    shutil.rmtree(talked.being / "skills")
    said = inside("chat", "-m", "Hello!")
    found = inside("doctor").out

    assert said.code == 0
    assert "My skill chat did not work, so my words are shown as they are (There is no" in said.err
    assert "try: lumen doctor" in said.err
    assert f"! skills     not in {talked.being / 'skills'}: calc, chat, " in found
    assert "try: lumen init DIR, which has them, then cp -r DIR/skills/. " in found
