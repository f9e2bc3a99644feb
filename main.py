"""Run Lumen from this folder: `python3 main.py chat`, or check it: `python3 main.py test`.

The first call puts every package Lumen needs into ./.venv; each later call becomes the `lumen`
command at once. Standard library only, and kept readable for any Python 3: whoever has an old one
is told what to install instead of being shown a syntax error. No feature of Lumen lives here.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PYTHON = (3, 11)
UV_PIN = "uv==0.13.7"
UV_AT_LEAST = (0, 8, 0)
UV_NEEDS_PYTHON = (3, 8)
DOWNLOAD = "about 330 MB"
WINDOWS = os.name == "nt"
WORKERS = ["-n", "3", "--dist", "worksteal"]  # one more than cores: tests wait for processes

HELP = """\
python3 main.py <command>   run lumen; the first time this sets up ./.venv ({download}, once)
python3 main.py --help      what lumen can do
python3 main.py test        run every check; add pytest arguments to run fewer tests
     --deep                 try all of what is otherwise sampled: much slower
     --seed N               draw other samples; the run that failed says which were drawn
""".format(download=DOWNLOAD)

FULLY_COVERED = ROOT / "tests" / "fully_covered.txt"  # branches included


class Stop(Exception):
    """What keeps Lumen from starting, and what to try."""

    def __init__(self, what: str, fix: str, exit_code: int = 2) -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix
        self.exit_code = exit_code


def say(text: str, end: str = "\n") -> None:
    """Tell how the setup goes, on stderr: stdout belongs to lumen."""
    sys.stderr.write(text + end)
    sys.stderr.flush()


def report(text: str) -> None:
    """Tell how a check went: the outcome of `test` is its result."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def fancy() -> bool:
    """Whether a person watches: else one plain line is enough."""
    return sys.stderr.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"


def done() -> str:
    """A tick, where it can be shown."""
    encoding = (sys.stderr.encoding or "").lower().replace("-", "")
    return "\u2713" if fancy() and encoding == "utf8" else "ok"


def scripts(environment: Path) -> Path:
    """Where a virtual environment keeps its commands."""
    return environment / ("Scripts" if WINDOWS else "bin")


def environment() -> Path:
    """Lumen's own virtual environment, the one `uv run` uses too."""
    return ROOT / os.environ.get("UV_PROJECT_ENVIRONMENT", ".venv")


def command(name: str, where: "Path | None" = None) -> Path:
    """The path of an installed command, whether or not it is there."""
    return scripts(where or environment()) / (name + ".exe" if WINDOWS else name)


def own_uv() -> Path:
    """The uv that is installed here when the machine has none."""
    return command("uv", ROOT / ".uv")


def home_is_writable() -> bool:
    """Whether uv could keep its cache where it usually does."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    if os.environ.get("HOME") == "" or not os.path.isabs(cache):
        return False
    place = Path(cache)
    while not place.exists():
        place = place.parent
    return place.is_dir() and os.access(str(place), os.W_OK | os.X_OK)


def child_environ() -> "dict[str, str]":
    """The caller's environment, without another project's venv and with a cache that works."""
    environ = dict(os.environ)
    environ.pop("VIRTUAL_ENV", None)
    if not WINDOWS and not home_is_writable():
        environ.setdefault("UV_CACHE_DIR", str(ROOT / ".uv" / "cache"))
        environ.setdefault("UV_PYTHON_INSTALL_DIR", str(ROOT / ".uv" / "python"))
    uv = shutil.which("uv") or (str(own_uv()) if own_uv().exists() else None)
    if uv:
        environ.setdefault("UV", uv)
    return environ


def quietly(arguments: "list[str]") -> "tuple[int, str]":
    """Run to the end, keeping what it said. stdin is left for lumen."""
    try:
        finished = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            cwd=str(ROOT),
            env=child_environ(),
        )
    except OSError as error:
        return 127, str(error)
    return finished.returncode, finished.stdout.strip()


def loudly(arguments: "list[str]") -> "tuple[int, str]":
    """Run to the end in full view."""
    code = subprocess.call(arguments, stdin=subprocess.DEVNULL, cwd=str(ROOT), env=child_environ())
    return code, ""


def uv_version(uv: str) -> "tuple[int, ...]":
    """The version as numbers; (0,) when this is no uv that works."""
    code, text = quietly([uv, "--version"])
    words = text.split()
    if code != 0 or len(words) < 2:
        return (0,)
    return tuple(int(part) for part in words[1].split("+")[0].split(".") if part.isdigit())


def find_uv() -> "str | None":
    """A uv that is new enough: the one that started us, the machine's, else our own."""
    for candidate in (os.environ.get("UV"), shutil.which("uv"), str(own_uv())):
        if candidate and uv_version(candidate) >= UV_AT_LEAST:
            return candidate
    return None


def install_uv() -> str:
    """Put uv into ./.uv with nothing but this Python's venv and pip."""
    if sys.version_info[:2] < UV_NEEDS_PYTHON:
        raise Stop(
            "Lumen needs Python 3.11 or newer; this is Python {}.{}".format(*sys.version_info[:2]),
            fix="install a newer Python, then run it: python3.11 main.py",
        )
    home = ROOT / ".uv"
    code, text = quietly([sys.executable, "-m", "venv", str(home)])
    if code != 0:
        shutil.rmtree(str(home), ignore_errors=True)
        raise Stop(
            "this Python cannot make a virtual environment: " + last_line(text),
            fix="apt install python3-venv   (Debian, Ubuntu; elsewhere install Python's venv and"
            " pip, or uv itself)",
        )
    python = str(command("python", home))
    pip = [python, "-m", "pip", "install", "--quiet", "--no-cache-dir"]
    code, text = quietly([*pip, "--disable-pip-version-check", UV_PIN])
    if code != 0 and "No module named pip" in text:
        shutil.rmtree(str(home), ignore_errors=True)
        raise Stop(
            "this Python has no pip",
            fix="apt install python3-venv python3-pip   (Debian, Ubuntu; elsewhere install Python's"
            " pip, or uv itself)",
        )
    if code != 0:
        raise Stop(
            "uv could not be downloaded: " + last_line(text),
            fix="check the network and run this again, or install uv yourself",
            exit_code=1,
        )
    return str(own_uv())


def last_line(text: str) -> str:
    """What a failed command said last, which is mostly why."""
    return text.splitlines()[-1].strip() if text else "it said nothing"


def fingerprint() -> str:
    """What the environment was made from: it is stale once this changes."""
    return str(ROOT) + "\n" + (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def stamp() -> Path:
    """The file that says what the environment was made from."""
    return environment() / "lumen-synced"


def read_stamp() -> str:
    """The fingerprint of the last completed sync, or nothing."""
    return stamp().read_text(encoding="utf-8") if stamp().exists() else ""


def is_ready() -> bool:
    """Whether lumen can start as things are."""
    installed = command("python").exists() and command("lumen").exists()
    return installed and read_stamp() == fingerprint()


def sync_command(uv: str) -> "list[str]":
    """Install what pyproject.toml asks for; tools a developer added stay."""
    arguments = [uv, "sync", "--project", str(ROOT), "--inexact", "--compile-bytecode"]
    if not environment().exists() and sys.version_info[:2] >= PYTHON:
        # Without this uv takes the first Python on PATH, which may be older than the one running.
        arguments += ["--python", sys.executable]
    return arguments


def sync(uv: str, extra: "list[str]") -> None:
    """Bring the environment up to date, and remember that it is."""
    was = read_stamp()
    if was and was.splitlines()[0] != str(ROOT):
        # A moved or copied folder: the environment's scripts still point to where it was.
        shutil.rmtree(str(environment()))
    if was and stamp().exists():
        stamp().unlink()
    run = loudly if fancy() else quietly
    code, text = run(sync_command(uv) + extra)
    if code != 0:
        raise sync_failed(uv, text)
    stamp().write_text(fingerprint(), encoding="utf-8")


def sync_failed(uv: str, text: str) -> Stop:
    """Tell a missing Python from everything else that can stop a download."""
    if text:
        say("\n" + text)
    code, _ = quietly([uv, "python", "find", "--no-python-downloads", ">=%d.%d" % PYTHON])
    if code != 0:
        return Stop(
            "Lumen needs Python 3.11 or newer, and uv neither found nor could download one",
            fix="apt install python3   (Debian 12, Ubuntu 24.04 or newer), brew install python,"
            " or winget install Python.Python.3.13",
        )
    return Stop(
        "the packages could not be installed; what is said above tells why",
        fix="check the network and the free disk space (600 MB), then run this again",
        exit_code=1,
    )


def prepare(extra: "list[str]") -> None:
    """Set up or refresh the environment, with one calm line on stderr."""
    started = time.monotonic()
    known = bool(read_stamp())
    say("Updating Lumen: " if known else "Setting up Lumen, once: ", end="")
    say("uv ", end="")
    uv = find_uv() or install_uv()
    say(done() + ", packages ", end="")
    if fancy():
        say("(what changed)" if known else "(" + DOWNLOAD + ")")
    sync(uv, extra)
    size = sum(path.lstat().st_size for path in environment().rglob("*")) / 1e6
    took = time.monotonic() - started
    line = "{} ({:.0f} MB on disk, {:.0f} s)".format(done(), size, took)
    say("packages " + line if fancy() else line)


def become_lumen(arguments: "list[str]") -> int:
    """Replace this process, so that signals, stdin and the exit code are lumen's own.

    `uv run --no-sync` would do as well, but stays in between as the parent and adds 15 ms.
    """
    lumen = str(command("lumen"))
    if not WINDOWS:
        os.execve(lumen, [lumen, *arguments], child_environ())
    return subprocess.call([lumen, *arguments], env=child_environ())


def apt_get() -> "list[str]":
    """How to install a system package here without asking anybody; empty when that cannot be."""
    found = shutil.which("apt-get")
    if WINDOWS or not found:
        return []
    if os.geteuid() == 0:
        return [found]
    sudo = shutil.which("sudo")
    if sudo and quietly([sudo, "-n", "true"])[0] == 0:
        return [sudo, "-n", found]
    return []


def bring_bwrap() -> None:
    """Install bubblewrap where it is missing: the tests of isolation run it, and never skip."""
    if shutil.which("bwrap"):
        return
    apt = apt_get()
    os.environ.setdefault("DEBIAN_FRONTEND", "noninteractive")
    install = [*apt, "install", "--yes", "--quiet", "--no-install-recommends", "bubblewrap"]
    if apt and quietly(install)[0] != 0:  # perhaps it has never heard of any package
        quietly([*apt, "update", "--quiet"])
        quietly(install)
    if shutil.which("bwrap"):
        say("Installed bubblewrap, which the tests of isolation run.")
    else:
        say("bubblewrap is missing, so the tests of isolation will fail")
        say("  try: apt install bubblewrap   (dnf, pacman, apk: the same name)")


def chooses_tests(pytest_arguments: "list[str]") -> bool:
    """Whether only some tests are asked for; how hard they try is another matter."""
    return bool(re.sub(r"--deep\b|--seed[ =]\d+", "", " ".join(pytest_arguments)).strip())


def stages(pytest_arguments: "list[str]") -> "list[tuple[str, list[list[str]]]]":
    """Every check by name, with the commands it takes, in the order they run."""
    tests = ["pytest", *WORKERS, *pytest_arguments]
    found: "list[tuple[str, list[list[str]]]]" = [
        ("format", [["ruff", "format", "--check", "."]]),
        ("lint", [["ruff", "check", "."]]),
        ("types", [["mypy"]]),
        ("contracts", [["lint-imports", "--no-logo"]]),
    ]
    if chooses_tests(pytest_arguments):
        # Part of the tests covers part of the code: measuring that would only mislead.
        return [*found, ("tests", [tests])]
    erase, run, combine = ["erase"], ["run", "-m", *tests], ["combine", "--quiet"]
    everywhere = ["report", "--fail-under=90"]
    wholly = ",".join(FULLY_COVERED.read_text(encoding="utf-8").split())
    fully = ["report", "--fail-under=100", "--include=" + wholly]
    return [
        *found,
        ("tests", [["coverage", *words] for words in (erase, run)]),
        ("coverage", [["coverage", *words] for words in (combine, everywhere, fully)]),
    ]


def check_stage(name: str, commands: "list[list[str]]") -> bool:
    """Run one check and say how it went: tests in full view, the rest only when they fail."""
    started = time.monotonic()
    run = loudly if name == "tests" else quietly
    failed, said = False, []
    for words in commands:
        code, text = run([str(command(words[0])), *words[1:]])
        if code != 0:
            failed = True
            said.append(text)
    took = time.monotonic() - started
    said.append("{:<10} {:<6} {:5.1f} s".format(name, "FAILED" if failed else done(), took))
    report("\n".join(said))
    return not failed


def check(pytest_arguments: "list[str]") -> int:
    """Run every check, all even when one fails; types, which take long on one core, beside them."""
    prepare(["--group", "dev"])
    bring_bwrap()
    os.environ["PATH"] = str(scripts(environment())) + os.pathsep + os.environ.get("PATH", "")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or every process compiles all of it again
    started = time.monotonic()
    rows = stages(pytest_arguments)
    with ThreadPoolExecutor() as beside:
        types = beside.submit(check_stage, "types", dict(rows)["types"])
        passed = {name: check_stage(name, words) for name, words in rows if name != "types"}
    passed["types"] = types.result()
    failed = [name for name, _ in rows if not passed[name]]
    took = time.monotonic() - started
    if failed:
        report("{} of {} checks failed: {}".format(len(failed), len(rows), ", ".join(failed)))
        return 1
    report("All {} checks passed in {:.0f} s".format(len(rows), took))
    return 0


def main(arguments: "list[str]") -> int:
    """Do what the arguments ask and return the exit code."""
    if not arguments or (arguments[0] == "test" and {"-h", "--help"} & set(arguments)):
        sys.stdout.write(HELP)
        return 0
    try:
        if arguments[0] == "test":
            return check(arguments[1:])
        if not is_ready():
            prepare([])
        return become_lumen(arguments)
    except Stop as stop:
        say("\nerror: {}\n  try: {}".format(stop.what, stop.fix))
        return stop.exit_code
    except KeyboardInterrupt:
        say("\nstopped; run the same command again to go on")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
