"""`lumen lab recall --peers`: asks other engines what recall is asked, each in an environment of its own.

Environments are made when they are first needed, under the user's cache, of pinned versions (peers.toml); the engines'
program (engines.py) knows nothing of Lumen. An engine is told who speaks, in front of the text, and given our vectors of that. One that
cannot be installed or fails is named with the reason.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from lumen.app.bulk import Memo
from lumen.core.canon import JSON, loads
from lumen.core.errors import LumenError, UsageError
from lumen.kernel.language.passages import Embedder
from lumen.lab.recall import NEVER, Judged, figures, quantiles
from lumen.lab.recall_data import LabConversation

PROGRAM, PEERS = (Path(__file__).with_name(name) for name in ("engines.py", "peers.toml"))
AT_ONCE = 64
QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
    "MEM0_TELEMETRY": "False",
}
Told = Callable[[str], None]
Group = Sequence[LabConversation]


class PeerMissing(LumenError):
    """An engine that cannot be asked."""

    def as_json(self) -> dict[str, JSON]:
        """Why."""
        return {"missing": str(self)}


@dataclass(frozen=True, slots=True)
class Peer:
    """An engine: its name, what it is called, and the packages it needs."""

    name: str
    title: str
    packages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PeerAnswers:
    """What an engine came to, question by question, and how long it took."""

    judged: tuple[Judged, ...]
    ms: tuple[float, ...]
    cpu_ms: tuple[float, ...]
    seconds: float  # to take the messages in

    def as_json(self) -> dict[str, JSON]:
        """The measures."""
        return {
            "recall": figures(self.judged),
            "ms": quantiles(self.ms),
            "cpu_ms": quantiles(self.cpu_ms),
            "taking_in_s": self.seconds,
        }


def known_peers() -> dict[str, Peer]:
    """Every engine there is."""
    raw = tomllib.loads(PEERS.read_text("utf-8"))
    return {
        name: Peer(name, str(one["title"]), tuple(one["packages"])) for name, one in raw.items()
    }


def chosen_peers(names: str) -> list[Peer]:
    """The engines named, with commas between; or all.

    Raises:
        UsageError: one of them is unknown.
    """
    known = known_peers()
    wanted = [*known] if names == "all" else [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"{name!r} is no peer", fix=f"--peers all, or some of {', '.join(known)}"
            )
    return [known[name] for name in wanted]


def ask_peers(
    peers: Sequence[Peer], groups: Sequence[Group], embedder: Embedder, progress: Told
) -> dict[str, PeerAnswers | PeerMissing]:
    """Every engine's answers to the questions of some groups, each of which is searched as one."""
    found: dict[str, PeerAnswers | PeerMissing] = {}
    with tempfile.TemporaryDirectory(prefix="lumen-peers-") as folder:
        given = Path(folder) / "given"
        given.mkdir()
        for number, group in enumerate(groups):
            _write(given, number, group, embedder)
        for peer in peers:
            try:
                python = environment(peer, progress)
                place = Path(folder) / peer.name
                shutil.copytree(given, place)
                found[peer.name] = _collected(groups, _run(peer, python, place, progress))
            except PeerMissing as missing:
                progress(f"{peer.title} is missing: {missing}")
                found[peer.name] = missing
    return found


def environment(peer: Peer, progress: Told) -> Path:
    """The Python an engine runs in.

    Raises:
        PeerMissing: it cannot be installed.
    """
    if not peer.packages:
        return Path(sys.executable)
    mark = sha256("\n".join(peer.packages).encode()).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = cache / "lumen-lab" / "peers" / f"{peer.name}-{mark}"
    python, done = place / "bin" / "python", place / "installed.json"
    if done.exists():
        return python
    progress(f"{peer.title}: installing {len(peer.packages)} packages …")
    uv, began = _uv(), time.perf_counter()
    _must([uv, "venv", "--clear", "--quiet", "--python", sys.executable, str(place)])
    _must([uv, "pip", "install", "--quiet", "--no-deps", "--python", str(python), *peer.packages])
    size = sum(p.lstat().st_size for p in place.rglob("*") if p.is_file()) / 1e6
    told = {"seconds": round(time.perf_counter() - began, 1), "mb": round(size)}
    progress(f"{peer.title}: installed in {told['seconds']} s, {told['mb']} MB")
    done.write_text(json.dumps(told), "utf-8")
    return python


def _uv() -> str:
    own = Path(sys.prefix).parent / ".uv" / "bin" / "uv"
    found = shutil.which("uv") or (str(own) if own.exists() else None)
    if found is None:
        raise PeerMissing("uv, which makes its environment, is not here")
    return found


def _must(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PeerMissing(f"it cannot be installed: {_last(done.stderr)}")


def _write(folder: Path, number: int, group: Group, embedder: Embedder) -> None:
    texts = [_spoken(m) for one in group for m in one.messages]
    questions = [q.text for one in group for q in one.questions]
    told = json.dumps({"texts": texts, "questions": questions})
    (folder / f"{number}.json").write_text(told, "utf-8")
    for name, some in (("texts", texts), ("questions", questions)):
        rows = [embedder.embed(some[at : at + AT_ONCE]) for at in range(0, len(some), AT_ONCE)]
        np.save(folder / f"{number}-{name}.npy", np.concatenate(rows))


def _spoken(memo: Memo) -> str:
    return f"{memo.speaker}: {memo.text}" if memo.speaker else memo.text


def _run(peer: Peer, python: Path, place: Path, progress: Told) -> Iterator[dict[str, JSON]]:
    """What the engine's process answers, group by group."""
    host = {**QUIET, "PATH": os.environ.get("PATH", ""), "HOME": str(place), "MEM0_DIR": str(place)}
    command = [str(python), "-I", str(PROGRAM), peer.name, str(place)]
    errors = place / "errors.txt"
    with (
        errors.open("w") as wrong,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=wrong, env=host) as process,
    ):
        for line in process.stdout or ():
            answered = loads(line)
            progress(f"{peer.title}: {len(answered['answers'])} answered")
            yield answered
    if process.returncode:
        raise PeerMissing(f"it failed: {_last(errors.read_text('utf-8'))}")


def _last(said: str) -> str:
    return (said.strip().splitlines() or ["it says nothing"])[-1]


def _collected(groups: Sequence[Group], answers: Iterator[dict[str, JSON]]) -> PeerAnswers:
    judged: list[Judged] = []
    ms: list[float] = []
    cpu: list[float] = []
    seconds = 0.0
    for group, answered in zip(groups, answers, strict=True):
        judged += _judged(group, [a["found"] for a in answered["answers"]])
        ms += [a["ms"] for a in answered["answers"]]
        cpu += [a["cpu_ms"] for a in answered["answers"]]
        seconds += answered["seconds"]
    return PeerAnswers(tuple(judged), tuple(ms), tuple(cpu), seconds)


def _judged(group: Group, found: Sequence[Sequence[int]]) -> Iterator[Judged]:
    sessions = [m.session for one in group for m in one.messages]
    each = iter(found)
    first = 0
    for one in group:
        for question in one.questions:
            gold = {first + n for n in question.gold}
            yield judge(next(each), gold, sessions)
        first += len(one.messages)


def judge(found: Sequence[int], gold: set[int], sessions: Sequence[str | None]) -> Judged:
    """The places of messages that an engine found, best first."""
    rank = next((n for n, place in enumerate(found, 1) if place in gold), NEVER)
    right = {sessions[place] for place in gold}
    first = [*dict.fromkeys(sessions[place] for place in found)][:10]
    held = len(right & {*first}) / max(len(right), 1)
    return Judged(rank, float(gold <= {*found[:5]}), held)
