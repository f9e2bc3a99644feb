"""`import lumen` is light, and what it offers is there when it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import lumen

HEAVY = ("numpy", "pydantic", "apsw", "httpx2", "cryptography", "rich")
# What decides, writes, folds or looks for secrets: nothing of that is needed to look.
UNUSED_BY_STATUS = (
    *("numpy", "pydantic", "httpx2", "cryptography", "rich", "shutil", "asyncio"),
    *(
        "lumen.kernel.gate.commit",
        "lumen.kernel.privacy.redact",
        "lumen.soul.state.fold",
        "lumen.soul.writing.write",
    ),
    *(
        "lumen.soul.archive.chain",
        "lumen.soul.index.projection",
        "lumen.soul.checking.witness",
        "lumen.hands.tree",
    ),
)


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("lumen", HEAVY),
        ("lumen.body.cli.status", UNUSED_BY_STATUS),
        ("lumen.body.cli.models", (*HEAVY, "asyncio")),
    ],
)
def test_importing_brings_nothing_heavy_along(module: str, heavy: tuple[str, ...]) -> None:
    code = f"import {module}, sys; print([m for m in {heavy!r} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_what_is_offered_by_name_is_there() -> None:
    errors = {"Busy", "LumenError", "NotABeing"}
    told = {"DraftText", "Memo", "ReplyText", "Said", "StepStarted"}
    assert (
        set(dir(lumen)) == {"AsyncBeing", "Being", "__version__", "create", "open"} | errors | told
    )
    assert all(getattr(lumen, name) for name in dir(lumen))
    assert lumen.Said.__name__ == "Said"


def test_a_name_that_is_not_offered_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'lumen' has no attribute 'Manager'"):
        lumen.Manager  # type: ignore[attr-defined] # noqa: B018 - looking is the point
