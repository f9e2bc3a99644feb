"""Other engines beside recall, those two that need nothing installed: all of them run by `lumen lab recall --peers all`."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from lumen.body.cli.lab import BENCHES
from lumen.core.canon import dumps
from lumen.core.errors import UsageError
from lumen.lab.checkout import bench
from lumen.lab.recall import NEVER, CachedEmbedder, Judged
from lumen.lab.recall_data import read_conversations
from lumen.lab.recall_report import RecallRun, lines, run
from lumen.mind.embed import WhenNeeded

Script = Callable[[str], ModuleType]
peers = bench("peers")
TOLD = (
    "The accordion was made in Klingenthal.",
    "We painted the kitchen yellow last spring.",
    "My brother keeps bees behind the mill.",
    "The train to the coast was an hour late.",
    "I lost my umbrella again.",
    "Our neighbour plays the trumpet at night.",
    "There is a heron at the pond every morning.",
    "The dentist gave me a new toothbrush.",
    "I would like to see the northern lights.",
    "Soup again, with too much pepper.",
)
ASKED = {"Where do the bees live?": 2, "Which colour are the kitchen walls?": 1}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Ten messages of one session each, and two questions."""
    messages = [
        {"id": n, "batch": n, "role": "user", "time_anchor": "", "content": text}
        for n, text in enumerate(TOLD)
    ]
    asked = [{"question": q, "kind": "told", "evidence": [n]} for q, n in ASKED.items()]
    file = tmp_path / "talk.json"
    file.write_bytes(dumps([{"sample_id": "a", "messages": messages, "questions": asked}]))
    return file


@pytest.mark.embedded
def test_engines_are_asked_the_same_in_processes_of_their_own_and_drawn(
    file: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    plot = tmp_path / "plot.svg"
    found = run(RecallRun((file,), pooled=True, peers="fts5,embedding", plot=plot), told.append)

    for part in (found["beam"], found["beam pooled"]):
        assert [*part["peers"]] == ["fts5", "embedding"]
        for one in part["peers"].values():
            assert one["recall"]["hit@1"][0] == one["recall"]["session_recall@10"][0] == 1.0
            assert one["cpu_ms"]["p50"] >= 0
    assert "embedding only: 2 answered" in told
    said = "\n".join(lines(found))
    assert "SQLite FTS5 BM25" in said
    drawing = ElementTree.fromstring(plot.read_text("utf-8"))  # noqa: S314  it was just written
    labels = [text.text for text in drawing.iter()]
    assert labels.count("embedding only 1.00") == labels.count("Lumen 1.00") == 2


@pytest.mark.embedded
def test_an_engine_that_cannot_be_had_or_fails_is_named_with_the_reason(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_OFFLINE", "1")
    unknown = peers.Peer("tantivy", "tantivy", ("no-such-package==1.0",))
    broken = peers.Peer("chroma", "Chroma", ())  # its package is not in this environment
    told: list[str] = []
    groups = [read_conversations(file)]
    embedder = CachedEmbedder(WhenNeeded(), None)

    found = peers.ask_peers([unknown, broken], groups, embedder, told.append)

    why = {name: str(one) for name, one in found.items()}
    assert all(isinstance(one, peers.PeerMissing) for one in found.values())
    assert why["tantivy"].startswith("it cannot be installed: ")
    assert why["chroma"] == "it failed: ModuleNotFoundError: No module named 'chromadb'"
    assert f"Chroma is missing: {why['chroma']}" in told
    part = {"recall": {"hit@5": (1.0, 1.0, 1.0)}, "cpu_ms": {"p50": 2.0}}
    rows = {name: one.as_json() for name, one in found.items()}
    assert "Chroma" not in bench("plot").drawn(
        {"weights": "shipped", "beam": part | {"peers": rows}}
    )


def test_every_engine_has_a_program_and_pinned_packages(script: Script) -> None:
    assert [*peers.known_peers()] == [*script("bench/engines.py").ENGINES]
    raw = tomllib.loads(peers.PEERS.read_text("utf-8"))
    assert all(len(p.split("==")) == 2 for one in raw.values() for p in one["packages"])
    assert [p.name for p in peers.chosen_peers("tantivy, fts5")] == ["tantivy", "fts5"]
    assert len(peers.chosen_peers("all")) == 7
    with pytest.raises(UsageError) as refused:
        peers.chosen_peers("fts5,google")
    assert "'google' is no peer" in str(refused.value)


def test_every_benchmark_can_be_named(root: Path) -> None:
    runs = {p.stem for p in (root / "bench").glob("*.py") if "def main() -> int" in p.read_text()}
    assert runs == {*BENCHES}


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", ["calls", "million"])
def test_a_benchmark_comes_to_its_end(name: str, root: Path) -> None:
    few = {**os.environ, "LUMEN_BENCH_EVENTS": "400"}
    ran = subprocess.run(
        [sys.executable, "-m", "bench", name], cwd=root, env=few, capture_output=True, text=True
    )
    assert "Traceback" not in ran.stderr  # how long it took is not judged here
    assert "ours" in ran.stdout


def test_an_engine_reaches_this_machine_alone(script: Script) -> None:
    stay_here = script("bench/engines.py").stay_here
    stay_here("socket.connect", (None, ("127.0.0.1", 80)))
    stay_here("socket.connect", (None, "/run/some.sock"))
    stay_here("open", ("file",))
    with pytest.raises(PermissionError):
        stay_here("socket.connect", (None, ("192.0.2.1", 443)))
    with pytest.raises(PermissionError):
        stay_here("socket.getaddrinfo", ("telemetry.example", 443))


def test_what_an_engine_found_is_judged_as_recall_is() -> None:
    sessions = ["a", "a", "b", "c"]
    assert peers.judge([3, 1, 0], {0, 1}, sessions) == Judged(2, 1.0, 1.0)
    assert peers.judge([3, 2], {0, 2}, sessions) == Judged(2, 0.0, 0.5)
    assert peers.judge([], {0}, sessions) == Judged(NEVER, 0.0, 0.0)
