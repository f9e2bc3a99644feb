"""main.py on machines that lack things: real processes, a stand-in for uv, no network."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

# Says its version; on `sync` writes down the call and installs a lumen that shows how it was run.
# It also reads all it is given, as anything but lumen must not be given stdin.
UV = """\
#!/bin/sh
cat > /dev/null
if [ "$1" = --version ]; then echo "uv {version}"; exit 0; fi
echo "$@" >> "{log}"
if [ "$1" = python ]; then exit {python_found}; fi
if [ {fails} = 1 ]; then echo "no route to the packages"; exit 1; fi
mkdir -p "{bin}"
for name in python ruff mypy lint-imports coverage pytest; do
  printf '#!/bin/sh\\necho "$(basename $0) $*" >> "{log}"\\n' > "{bin}/$name"
  chmod +x "{bin}/$name"
done
printf '#!/bin/sh\\necho "at $PWD: $*; cache $UV_CACHE_DIR"; cat; exit 7\\n' > "{bin}/lumen"
chmod +x "{bin}/lumen"
"""


@dataclass(frozen=True, slots=True)
class House:
    """A checkout with nothing in it but main.py, and what is on PATH beside it."""

    at: Path
    path: Path

    @property
    def log(self) -> list[str]:
        """What was called, in order."""
        log = self.at / "log"
        return log.read_text("utf-8").splitlines() if log.exists() else []

    def put_uv(self, version: str = "0.13.7", fails: int = 0, python_found: int = 0) -> None:
        """Put a stand-in for uv on PATH."""
        script = UV.format(
            version=version,
            fails=fails,
            python_found=python_found,
            log=self.at / "log",
            bin=self.at / ".venv" / "bin",
        )
        (self.path / "uv").write_text(script, "utf-8")
        (self.path / "uv").chmod(0o755)

    def run(
        self, *arguments: str, cwd: Path | None = None, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """Run main.py as a person would."""
        return subprocess.run(
            [sys.executable, self.at / "main.py", *arguments],
            cwd=cwd,
            env={"PATH": f"{self.path}:/usr/bin:/bin", "HOME": str(self.at), **environ},
            input="hello from a pipe",
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def house(root: Path, tmp_path: Path) -> House:
    house = House(at=tmp_path / "lumen", path=tmp_path / "bin")
    house.at.mkdir()
    house.path.mkdir()
    shutil.copy(root / "main.py", house.at)
    (house.at / "tests").mkdir()
    shutil.copy(root / "tests" / "fully_covered.txt", house.at / "tests")
    (house.path / "bwrap").write_text("#!/bin/sh\n", "utf-8")
    (house.path / "bwrap").chmod(0o755)
    (house.at / "pyproject.toml").write_text("[project]\n", "utf-8")
    return house


def syncs(house: House) -> list[str]:
    return [line for line in house.log if line.startswith("sync")]


def test_no_arguments_give_help_and_set_nothing_up(house: House) -> None:
    answer = house.run()
    assert answer.returncode == 0
    assert "python3 main.py test" in answer.stdout
    assert {path.name for path in house.at.iterdir()} == {"main.py", "pyproject.toml", "tests"}


def test_lumen_gets_the_arguments_the_folder_and_stdin_and_gives_the_exit_code(
    house: House, tmp_path: Path
) -> None:
    house.put_uv()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    answer = house.run("say", "--loud", "two words", cwd=elsewhere)
    assert answer.stdout == f"at {elsewhere}: say --loud two words; cache \nhello from a pipe"
    assert answer.returncode == 7
    assert answer.stderr.startswith("Setting up Lumen, once: uv ok, packages ok (")
    assert len(answer.stderr.splitlines()) == 1
    assert f"--project {house.at}" in syncs(house)[0]


def test_packages_are_synced_once_and_again_only_after_a_change(house: House) -> None:
    house.put_uv()
    house.run("status")
    assert house.run("status").stderr == ""
    assert len(syncs(house)) == 1
    (house.at / "pyproject.toml").write_text('[project]\nname = "x"\n', "utf-8")
    assert house.run("status").stderr.startswith("Updating Lumen: ")
    assert house.run("status").stderr == ""
    assert len(syncs(house)) == 2


def test_a_synced_folder_starts_without_uv(house: House) -> None:
    house.put_uv()
    house.run("status")
    (house.path / "uv").unlink()
    assert house.run("status").returncode == 7


def test_a_moved_folder_gets_a_new_environment(house: House, tmp_path: Path) -> None:
    house.put_uv()
    house.run("status")
    (house.at / ".venv" / "left-over").touch()
    moved = House(at=house.at.rename(tmp_path / "moved"), path=house.path)
    moved.put_uv()
    assert moved.run("status").returncode == 7
    assert not (moved.at / ".venv" / "left-over").exists()


def test_the_running_python_is_the_one_the_environment_is_made_with(house: House) -> None:
    house.put_uv()
    house.run("status")
    assert f"--python {sys.executable}" in syncs(house)[0]


def test_a_home_that_cannot_be_written_moves_the_cache_into_the_folder(house: House) -> None:
    house.put_uv()
    (house.at / "file").touch()
    no_home = str(house.at / "file" / "home")
    inside = f"cache {house.at / '.uv' / 'cache'}\n"
    assert inside in house.run("status", HOME=no_home).stdout
    assert inside in house.run("status", HOME="").stdout
    assert "cache mine\n" in house.run("status", HOME=no_home, UV_CACHE_DIR="mine").stdout


def test_a_failed_sync_is_told_and_tried_again_next_time(house: House) -> None:
    house.put_uv(fails=1)
    answer = house.run("status")
    assert answer.returncode == 1
    assert "no route to the packages" in answer.stderr
    assert "try: check the network" in answer.stderr
    house.put_uv()
    assert house.run("status").returncode == 7


def test_no_python_that_is_new_enough_is_told_apart_from_no_network(house: House) -> None:
    house.put_uv(fails=1, python_found=2)
    answer = house.run("status")
    assert answer.returncode == 2
    assert "Lumen needs Python 3.11 or newer" in answer.stderr
    assert "try: apt install python3" in answer.stderr


def test_a_python_without_venv_is_told_what_to_install(house: House, tmp_path: Path) -> None:
    (tmp_path / "venv.py").write_text(
        "import pathlib, sys\n"
        "pathlib.Path(sys.argv[1], 'bin').mkdir(parents=True)\n"
        "sys.exit('ensurepip is not available')\n",
        "utf-8",
    )
    answer = house.run("status", PATH=str(house.path), PYTHONPATH=str(tmp_path))
    assert answer.returncode == 2
    assert "ensurepip is not available" in answer.stderr
    assert "try: apt install python3-venv" in answer.stderr
    assert not (house.at / ".uv").exists()


def test_a_python_without_pip_is_told_what_to_install(house: House, tmp_path: Path) -> None:
    (tmp_path / "venv.py").write_text(
        "import pathlib, sys\n"
        "bin = pathlib.Path(sys.argv[1], 'bin')\n"
        "bin.mkdir(parents=True)\n"
        "(bin / 'python').write_text('#!/bin/sh\\necho No module named pip; exit 1')\n"
        "(bin / 'python').chmod(0o755)\n",
        "utf-8",
    )
    answer = house.run("status", PATH=str(house.path), PYTHONPATH=str(tmp_path))
    assert answer.returncode == 2
    assert "this Python has no pip" in answer.stderr
    assert not (house.at / ".uv").exists()


def test_a_uv_that_is_too_old_or_broken_is_passed_over(
    launcher: ModuleType, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "ROOT", house.at)
    monkeypatch.setenv("PATH", f"{house.path}:/usr/bin:/bin")
    monkeypatch.delenv("UV", raising=False)
    house.put_uv(version="0.7.99")
    assert launcher.find_uv() is None
    house.put_uv(version="0.8.0+1 (some date)")
    assert launcher.find_uv() == str(house.path / "uv")
    (house.path / "uv").write_text("#!/bin/sh\nexit 1\n", "utf-8")
    assert launcher.find_uv() is None


def test_every_check_runs_even_when_one_fails(house: House) -> None:
    house.put_uv()
    assert house.run("test").returncode == 0
    ruff = house.at / ".venv" / "bin" / "ruff"
    with (house.path / "uv").open("a", encoding="utf-8") as uv:
        uv.write(f"printf '#!/bin/sh\\necho an unused import; exit 1\\n' > {ruff}\n")
    (house.at / "log").unlink()
    answer = house.run("test")
    assert answer.returncode == 1
    assert answer.stdout.count("an unused import") == 2
    assert answer.stdout.splitlines()[-1] == "2 of 6 checks failed: format, lint"
    assert "--group dev" in syncs(house)[0]
    ran = [line.split()[0] for line in house.log if not line.startswith("sync")]
    assert [name for name in ran if name != "mypy"] == ["lint-imports", *["coverage"] * 5]
    assert ran.count("mypy") == 1  # beside the others


def test_pytest_arguments_choose_the_tests_and_leave_coverage_out(house: House) -> None:
    house.put_uv()
    answer = house.run("test", "tests/soul", "-k", "chain")
    assert answer.returncode == 0
    assert "pytest -n 3 --dist worksteal tests/soul -k chain" in house.log
    assert answer.stdout.splitlines()[-1].startswith("All 5 checks passed in ")


@pytest.mark.parametrize("asked", [[], ["--deep"], ["--deep", "--seed", "3"], ["--seed=3"]])
def test_the_whole_suite_is_measured_however_hard_it_tries(house: House, asked: list[str]) -> None:
    house.put_uv()
    answer = house.run("test", *asked)
    assert " ".join(["coverage run -m pytest -n 3 --dist worksteal", *asked]) in house.log
    assert answer.stdout.splitlines()[-1].startswith("All 6 checks passed in ")


def test_a_part_of_the_suite_can_try_harder_too(house: House) -> None:
    house.put_uv()
    house.run("test", "--deep", "--seed", "3", "tests/soul")
    assert "pytest -n 3 --dist worksteal --deep --seed 3 tests/soul" in house.log


def test_an_old_python_can_read_main_to_the_end(root: Path) -> None:
    tree = ast.parse((root / "main.py").read_text("utf-8"), feature_version=(3, 6))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    annotations = [
        annotation
        for function in functions
        for annotation in (function.returns, *(each.annotation for each in function.args.args))
        if annotation is not None
    ]
    # Old Pythons evaluate these while they read: anything but a name waits in quotes.
    assert [
        ast.unparse(each) for each in annotations if not isinstance(each, ast.Name | ast.Constant)
    ] == []
