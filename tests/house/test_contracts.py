"""The architecture holds, and each contract breaks when someone breaks it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PLANTED = {
    "mind/planted.py": "import lumen.soul.archive.line\nimport pickle\n",
    "soul/planted.py": "import socket\nimport subprocess\n",
    "hands/planted.py": "import lumen.mind.planted\n",
    "kernel/planted.py": "import lumen.soul.writing.write\n",
    "app/planted.py": "import lumen.lab.planted\n",
    "app/planted_too.py": "import lumen.soul.index.index\nimport lumen.soul.writing.self_files\n",
    "lab/planted.py": "import lumen.body.planted\n",
    "lab/planted_too.py": "import lumen.testing\nimport lumen.soul.writing.open\n",
    "body/planted.py": "import lumen.soul.writing.write\n",
    "core/planted.py": "import lumen.core.planted_too\n",
    "core/planted_too.py": "import lumen.core.planted\n",
    "kernel/steps/p3_deliberate/planted.py": "import lumen.kernel.steps.p4_act\n",
    "kernel/steps/planted_too.py": "import lumen.soul.archive.line\nimport os\n",
}
LAYERS = "(Body | Testing) > Lab > App > Kernel > (Mind | Soul | Hands) > Core"
SKINS = "The body parses and renders: it reaches a being through the door alone"
ONE_WRITER = "Only the gate may write the Soul"
ONE_MENDER = "Only the gate and its other half may touch a being's files"
ONE_STORAGE = "One place says where a being is kept"
PORTS = "Above the Soul storage is known by its ports"
STEPS_APART = "A step knows what earlier ones write, and nothing of later ones"
STEPS_INDOORS = "Steps reach the world only through what the runner hands them"
SOUL_CALLS_NOBODY = "The Soul makes no calls"
MIND_KEEPS_NOTHING = "The Mind keeps no state"
NO_CYCLES = "No cycles"
CAUGHT = [
    (LAYERS, "lumen.mind.planted -> lumen.soul.archive.line (l."),
    (LAYERS, "lumen.hands.planted -> lumen.mind.planted (l."),
    (LAYERS, "lumen.app.planted -> lumen.lab.planted (l."),
    (LAYERS, "lumen.lab.planted -> lumen.body.planted (l."),
    (SKINS, "lumen.body.planted -> lumen.soul.writing.write (l."),
    (ONE_WRITER, "lumen.kernel.planted -> lumen.soul.writing.write (l."),
    (ONE_WRITER, "lumen.body.planted -> lumen.soul.writing.write (l."),
    (LAYERS, "lumen.lab.planted_too -> lumen.testing (l."),
    (ONE_MENDER, "lumen.app.planted_too -> lumen.soul.writing.self_files (l."),
    (ONE_STORAGE, "lumen.lab.planted_too -> lumen.soul.writing.open (l."),
    (PORTS, "lumen.app.planted_too -> lumen.soul.index.index (l."),
    (STEPS_APART, "lumen.kernel.steps.p3_deliberate.planted -> lumen.kernel.steps.p4_act (l."),
    (STEPS_INDOORS, "lumen.kernel.steps.planted_too -> lumen.soul.archive.line (l."),
    (STEPS_INDOORS, "lumen.kernel.steps.planted_too -> os (l."),
    (SOUL_CALLS_NOBODY, "lumen.soul.planted -> subprocess (l."),
    (SOUL_CALLS_NOBODY, "lumen.soul.planted -> socket (l."),
    (MIND_KEEPS_NOTHING, "lumen.mind.planted -> pickle (l."),
    (NO_CYCLES, "No cycles are allowed in lumen.core."),
]


def lint(root: Path) -> tuple[int, str]:
    """Check the contracts on the sources under `root`."""
    finished = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return finished.returncode, finished.stdout + finished.stderr


def copy(root: Path, to: Path) -> Path:
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(root / "src", to / "src", ignore=ignore)
    shutil.copy(root / "pyproject.toml", to)
    return to


@pytest.fixture(scope="module")
def broken(root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the contracts say of sources in which everybody misbehaves."""
    house = copy(root, tmp_path_factory.mktemp("broken"))
    for name, source in PLANTED.items():
        (house / "src" / "lumen" / name).write_text(source, "utf-8")
    code, said = lint(house)
    assert code == 1
    return said


def test_the_sources_keep_every_contract(root: Path) -> None:
    code, said = lint(root)
    assert code == 0, said
    assert "0 broken" in said


@pytest.mark.parametrize(("contract", "culprit"), CAUGHT)
def test_a_planted_violation_breaks_its_contract_and_is_named(
    broken: str, contract: str, culprit: str
) -> None:
    assert f"{contract} BROKEN" in broken
    # Below the verdicts each broken contract has a section of its own, under its name.
    section = broken.split(f"\n{contract}\n{'-' * len(contract)}\n")[1].split("\n---")[0]
    assert culprit in section


def test_a_new_folder_must_find_its_layer(root: Path, tmp_path: Path) -> None:
    house = copy(root, tmp_path)
    drawer = house / "src" / "lumen" / "utilities"
    drawer.mkdir()
    (drawer / "__init__.py").touch()
    code, said = lint(house)
    assert code == 1
    assert "utilities" in said
