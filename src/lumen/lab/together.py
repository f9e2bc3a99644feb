"""Does a conversation stay quick while the being lives on its own beside it?

One being, one conversation by a pipe, in blocks that take turns: alone, and beside `lumen run`
with goals to pursue. Every message waits a moment first, as a person does, so that the background
is in the middle of something when it comes. What is counted is how long a reply takes.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from lumen.app.reach import models_folder, trust_file
from lumen.core.canon import JSON, loads
from lumen.core.clock import Draw, draw_from
from lumen.core.data import BeingPaths
from lumen.core.errors import LumenError
from lumen.lab.speed import Speed, calls_of, quantile, speed
from lumen.mind.roles import parse_assignment

MOST = 1.3  # how many times as long the slowest replies may take beside `run`
BLOCK = 12  # messages in a row before the blocks change
PAUSES = (0.1, 0.7)  # seconds between a reply and the next message
VALUES = """[
  {"name": "honesty", "weight": 0.8, "status": "active"},
  {"name": "curiosity", "weight": 0.7, "status": "active"}
]
"""
GOALS = """[
  {"name": "learn about tomatoes", "weight": 0.9, "status": "todo"},
  {"name": "learn about the sea", "weight": 0.9, "status": "todo"},
  {"name": "understand cities", "weight": 0.6, "status": "perpetual"}
]
"""
TOLD = (
    "My sister lives in Lisbon.",
    "I planted tomatoes on Sunday.",
    "The cat is called Miso.",
    "I swim in the sea every Friday.",
    "My office is on the third floor.",
)
ASKED = (
    "Where does my sister live?",
    "What did I plant?",
    "What is the cat called?",
    "When do I swim?",
    "How are you today?",
)
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds a reply took, alone and beside `run`, and what the background got done."""

    model: str
    alone: tuple[float, ...]
    beside: tuple[float, ...]
    cycles: int
    ok: bool  # the archive verifies afterwards
    speed: Speed | None = None  # of the model's calls; none was made where all came from code

    @property
    def ratio(self) -> float:
        """How many times as long the slow replies take beside `run`."""
        return quantile(self.beside, 0.95) / quantile(self.alone, 0.95)

    @property
    def holds(self) -> bool:
        """Whether a conversation stays as quick as it must."""
        return self.ok and self.ratio <= MOST

    def as_json(self) -> JSON:
        """The figures."""
        sides = {"alone": self.alone, "beside": self.beside}
        return {
            "model": self.model,
            **{
                name: {
                    "replies": len(took),
                    "p50_s": round(quantile(took, 0.5), 4),
                    "p95_s": round(quantile(took, 0.95), 4),
                }
                for name, took in sides.items()
            },
            "calls": asdict(self.speed) if self.speed else None,
            "cycles": self.cycles,
            "ratio_p95": round(self.ratio, 3),
            "target": MOST,
            "holds": self.holds,
            "verified": self.ok,
        }

    def lines(self) -> Iterator[str]:
        """The figures as a table."""
        yield f"{self.model:<34}{'replies':>8}{'p50':>11}{'p95':>11}"
        for name, took in (("alone", self.alone), ("beside lumen run", self.beside)):
            slow, half = quantile(took, 0.95), quantile(took, 0.5)
            yield f"{name:<34}{len(took):>8}{_ms(half):>11}{_ms(slow):>11}"
        half = quantile(self.beside, 0.5) / quantile(self.alone, 0.5)
        yield f"{'ratio':<42}{f'{half:.2f} ×':>11}{f'{self.ratio:.2f} ×':>11}"
        if self.speed:
            yield self.speed.line()
        yield f"p95 beside ≤ {MOST} × alone: {'yes' if self.ratio <= MOST else 'NO'}"
        verified = "verifies" if self.ok else "does NOT verify"
        yield f"meanwhile {self.cycles:,} cycles were lived; the archive {verified}"


def measure(
    minutes: float, *, model: str = "", block: int = BLOCK, progress: Tell = lambda _: None
) -> Measured:
    """Talk in blocks, alone and beside `lumen run`, until the time is up; two blocks at least.

    Raises:
        BadSetting: `model` names none.
    """
    if model:
        parse_assignment("interface", model)
    chance = draw_from("together")  # pauses that repeat
    took: dict[bool, list[float]] = {False: [], True: []}
    cycles = 0
    with tempfile.TemporaryDirectory(prefix="lumen-together-") as folder:
        being = _new_being(Path(folder), model)
        with _talk(being) as talk:
            for text in (*TOLD, *ASKED):  # and the model is warm
                talk(text)
            ends, beside = time.monotonic() + 60 * minutes, False
            while time.monotonic() < ends or not took[True]:
                texts = _texts(chance, block, len(took[False]) + len(took[True]))
                if beside:
                    with _living(being) as lived:
                        took[True] += _block(talk, texts, chance)
                    cycles += len(lived)
                else:
                    took[False] += _block(talk, texts, chance)
                beside = not beside
                progress(f"  {len(took[False])} replies alone, {len(took[True])} beside")
        ok = _lumen(being, "archive", "verify").returncode == 0
        name = model or _model(being)
        calls = speed(c for c in calls_of(BeingPaths(being).memory) if c["role"] == "interface")
    return Measured(name, tuple(took[False]), tuple(took[True]), cycles, ok, calls)


def _block(talk: Callable[[str], float], texts: Sequence[str], chance: Draw) -> list[float]:
    took = []
    for text in texts:
        time.sleep(chance.uniform(*PAUSES))
        took.append(talk(text))
    return took


def _texts(chance: Draw, many: int, start: int) -> list[str]:
    """Things told and things asked, in turns; nothing is told twice in the same words."""
    return [
        ASKED[chance.randrange(len(ASKED))]
        if n % 2
        else f"{TOLD[n // 2 % len(TOLD)].rstrip('.')}, as I said in note {n}."
        for n in range(start, start + many)
    ]


@contextmanager
def _talk(being: Path) -> Iterator[Callable[[str], float]]:
    """A conversation; saying something returns how long the reply took."""
    with subprocess.Popen(
        [*_command(being), "chat", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(being),
    ) as process:
        to, back = process.stdin, process.stdout
        if to is None or back is None:
            raise LumenError("the conversation has no pipes")

        def say(text: str) -> float:
            began = time.perf_counter()
            to.write(text.encode() + b"\n")
            to.flush()
            answer = loads(back.readline() or b"{}")
            if "reply" not in answer:
                raise LumenError(f"no reply to {text!r}: {answer.get('error', 'it ended')}")
            return time.perf_counter() - began

        yield say
        to.close()


@contextmanager
def _living(being: Path) -> Iterator[list[bytes]]:
    """`lumen run` without a rest between cycles; what it told is there once it has ended."""
    told: list[bytes] = []
    with subprocess.Popen(
        [*_command(being), "run", "--every", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(being),
    ) as process:
        if process.stdout is None:
            raise LumenError("`lumen run` has no pipe")
        told.append(process.stdout.readline())
        yield told
        process.send_signal(signal.SIGINT)
        told += process.stdout.readlines()


def _new_being(folder: Path, model: str) -> Path:
    being = folder / "being"
    own = folder / "data" / "lumen"
    own.mkdir(parents=True)
    for kept in (models_folder(), trust_file()):  # files of models and what was measured of them
        (own / kept.name).symlink_to(kept)
    subprocess.run(
        [sys.executable, "-m", "lumen", "init", str(being)],
        check=True,
        env=_environment(being),
        stdout=subprocess.DEVNULL,
    )
    if model:
        settings = being / "lumen.toml"
        text = re.sub(
            r'(?m)^interface = ".*"$', f'interface = "{model}"', settings.read_text("utf-8")
        )
        settings.write_text(text, "utf-8")
    (being / "data" / "values.json").write_text(VALUES, "utf-8")
    goals = being / "data" / "goals"
    goals.mkdir(exist_ok=True)
    (goals / "2026.json").write_text(GOALS, "utf-8")
    if _lumen(being, "self", "accept").returncode:
        raise LumenError("the being did not take in its goals")
    return being


def _model(being: Path) -> str:
    ran = _lumen(being, "status", "--json")
    return str(loads(ran.stdout)["model"])


def _lumen(being: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*_command(being), *arguments],
        check=False,
        env=_environment(being),
        stdout=subprocess.PIPE,
    )


def _command(being: Path) -> list[str]:
    return [sys.executable, "-m", "lumen", "--being", str(being)]


def _environment(being: Path) -> dict[str, str]:
    return {**os.environ, "XDG_DATA_HOME": str(being.parent / "data")}


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms"
