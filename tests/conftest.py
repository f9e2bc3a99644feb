"""What every test may rely on: the checkout's root, chance that repeats, servers to talk to.

`--deep` tries all kill points, longer histories and more examples; `--seed N` draws other samples.
Temporary files stand on a memory disk, except for tests marked `real_disk`.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from tests.forking import shared
from tests.measuring import (
    import_all,
    is_measured,
    measure_first_examples,
    measure_no_children,
    save_measured,
    told_apart,
    unmeasured,
)
from tests.peers import LlamaServer, Wire
from tests.recorded import Answer, answering, read, write
from tests.remembering import FILE, KEPT, RECORDED, Remembering, keep
from tests.sampling import Sampled, left_out, set_examples

from lumen.kernel.language.asked_of_it import asks_of_it
from lumen.kernel.recall import fusion
from lumen.mind import embed
from lumen.mind.catalogue import offered
from lumen.mind.e5 import E5
from lumen.mind.fetch import Fetching, fetch
from lumen.mind.library import Library

MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - only for what is thrown away
MEMORY_NEEDED = 1 << 30
LASTING = Path("/var/tmp")  # noqa: S108 - unlike /tmp, never kept in memory
OPEN_FILES, MOST_OPEN = Path("/proc/self/fd"), 600  # select() takes none from 1024 on


def pytest_addoption(parser: pytest.Parser) -> None:
    """How much is tried, and which of it."""
    group = parser.getgroup("lumen")
    group.addoption("--deep", action="store_true", help="try all of what is otherwise sampled")
    group.addoption("--record", action="store_true", help="keep what the embedded models say anew")
    group.addoption("--seed", type=int, default=0, help="draw other samples (default: 0)")


def pytest_configure(config: pytest.Config) -> None:
    """Set chance, signals and temporary files before the first test is read."""
    set_examples(config.getoption("seed"), deep=config.getoption("deep"))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A background job ignores interrupts, and so would every process a test interrupts.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        # So does one of nohup's with hangups. What is handled here is not ignored there.
        signal.signal(signal.SIGHUP, lambda *_: None)
    if hasattr(config, "workerinput"):
        measure_no_children()
    set_vectors(config)
    if "TMPDIR" not in os.environ and memory_disk_will_do():
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY_DISK)


def set_vectors(config: pytest.Config) -> None:
    """Say where vectors are found that need not be worked out, and where new ones go."""
    anew = config.getoption("deep") or config.getoption("record")
    os.environ[RECORDED] = "" if anew else str(KEPT)
    if cache := getattr(config, "cache", None):
        used = cache.mkdir("vectors") / "worked-out"
        os.environ[FILE] = str(used)
        if config.getoption("record") and not hasattr(config, "workerinput"):
            used.unlink(missing_ok=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Read the tests, without measuring that."""
    if sys.gettrace() is None:
        return (yield)
    import_all()
    with unmeasured():
        return (yield)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep what a worker measured before it says that it is done."""
    if hasattr(session.config, "workerinput"):
        save_measured()
    elif session.config.getoption("record"):
        keep(Path(os.environ[FILE]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Run a test, measured or not."""
    with told_apart(item) if is_measured(item) else unmeasured():
        return (yield)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only --deep has the time for, and measure what stands for the rest."""
    if not config.getoption("deep"):
        long = {*left_out(items, config.getoption("seed"))}
        config.hook.pytest_deselected(items=[*long])
        items[:] = [item for item in items if item not in long]
    measure_first_examples(items)


def pytest_collection_finish() -> None:
    """What was read of the tests stays to the end: looking through it for garbage takes time for nothing."""
    gc.collect()
    gc.freeze()


def pytest_report_header(config: pytest.Config) -> str:
    """What it takes to try the same again."""
    much = "all is tried" if config.getoption("deep") else "samples are tried, --deep tries all"
    return f"lumen: --seed {config.getoption('seed')}, {much}"


def memory_disk_will_do() -> bool:
    """Whether there is one with room, where programs may be run too."""
    if not (MEMORY_DISK.is_dir() and os.access(MEMORY_DISK, os.W_OK)):
        return False
    found = os.statvfs(MEMORY_DISK)
    return not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize > MEMORY_NEEDED


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder of the test's own: where files last, if that is what the test is about."""
    if request.node.get_closest_marker("real_disk") is None:
        yield tmp_path
        return
    where = LASTING if os.access(LASTING, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="lumen-test-", dir=where) as folder:
        yield Path(folder)


@pytest.fixture
def sampled(request: pytest.FixtureRequest) -> Sampled:
    """Draws what this test tries of a large space."""
    option = request.config.getoption
    return Sampled(request.node.nodeid, option("seed"), option("deep"))


@pytest.fixture(autouse=True)
def equal_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep this worker's priority: a command run in this process would lower it for good."""
    monkeypatch.setattr(os, "nice", lambda _: 0)


@pytest.fixture(autouse=True)
def files_let_go() -> Iterator[None]:
    """Thousands of tests run in one process: what they open and keep is told where there is too much of it."""
    yield
    assert len([*OPEN_FILES.iterdir()]) < MOST_OPEN, "tests before this one keep their files open"


@pytest.fixture(scope="session", autouse=True)
def _end_of_forks() -> Iterator[None]:
    yield
    if shared.cache_info().currsize:
        shared().end()


@pytest.fixture(scope="session")
def better(request: pytest.FixtureRequest) -> tuple[Library, str]:
    """The model that `lumen models get` is there for, 1.1 GB, fetched once and kept in pytest's cache."""
    library = Library(request.config.cache.mkdir("models"))
    name = "qwen2.5-coder-1.5b-instruct"
    fetch(Fetching(offered(library.folder, name), library))
    return library, name


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def script(root: Path) -> Callable[[str], ModuleType]:
    """Loads a script that stands outside the package, by its path in the checkout."""

    def load(path: str) -> ModuleType:
        name = path.removesuffix(".py").replace("/", "_")
        spec = importlib.util.spec_from_file_location(f"script_{name}", root / path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def embedder() -> E5:
    """The shipped embedder: one for all tests, as it keeps nothing of a being."""
    return Remembering()


@pytest.fixture
def remembered(monkeypatch: pytest.MonkeyPatch, embedder: E5) -> None:
    """That embedder for whatever runs in this process and opens a being by itself."""
    monkeypatch.setattr(embed, "_loaded", lambda: embedder)


Asks = Callable[[str], str]


@pytest.fixture
def asks(embedder: E5) -> Asks:
    """What a message asks of the being, as a turn reads it: by its words and by its meaning."""
    return lambda text: asks_of_it(text, "", lambda one: embedder.embed([one])[0])[0]


@pytest.fixture
def unturned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recall as it is with an embedder that no adapter was learnt for: what another finds is held against that."""
    monkeypatch.setattr(fusion, "adapter_for", lambda _: None)


@pytest.fixture(scope="session")
def _answers(request: pytest.FixtureRequest) -> Iterator[dict[bytes, Answer]]:
    known = read()
    yield known
    if request.config.getoption("record"):
        write({**read(), **known}.values())


@pytest.fixture
def recorded(request: pytest.FixtureRequest, _answers: dict[bytes, Answer]) -> Iterator[None]:
    """The embedded model's words without its work: for a test that is about what is made of them."""
    if request.config.getoption("deep"):
        yield
        return
    with answering(_answers):
        yield


@pytest.fixture(scope="session")
def llama() -> Iterator[LlamaServer]:
    """A real server of a real model, started once."""
    with LlamaServer() as server:
        yield server


@pytest.fixture
def wire() -> Iterator[Wire]:
    """A server that says what the test tells it to."""
    with Wire() as server:
        yield server
