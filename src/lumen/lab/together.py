"""Does a conversation stay quick while the being lives on its own beside it?

One being, one conversation by a pipe, in blocks that take turns: alone, and beside `lumen run`
with goals to pursue. Every message waits a moment first, as a person does, so that the background
is in the middle of something when it comes. What is counted is how long a reply takes.
"""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from lumen.core.canon import JSON, loads
from lumen.core.chance import Draw, draw_from
from lumen.core.data import BeingPaths
from lumen.core.errors import LumenError
from lumen.lab.command_line import command, conversation, environment, new_being, run
from lumen.lab.speed import Speed, calls_of, quantile, speed

MOST = 1.3  # how many times as long the slowest replies may take beside `run`
BLOCK = 12  # messages in a row before the blocks change
PAUSES = (0.1, 0.7)  # seconds between a reply and the next message
GIVEN = (  # so that it has something to pursue
    ("values", "set", "honesty", "--weight", "0.8"),
    ("values", "set", "curiosity", "--weight", "0.7"),
    ("goals", "add", "learn about tomatoes", "--weight", "0.9"),
    ("goals", "add", "learn about the sea", "--weight", "0.9"),
    ("goals", "add", "understand cities", "--weight", "0.6", "--status", "perpetual"),
)
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
    chance = draw_from("together")  # pauses that repeat
    took: dict[bool, list[float]] = {False: [], True: []}
    cycles = 0
    with tempfile.TemporaryDirectory(prefix="lumen-together-") as folder:
        being = new_being(Path(folder), model)
        for given in GIVEN:
            run(being, *given)
        with conversation(being, stderr=subprocess.DEVNULL) as say:
            for text in (*TOLD, *ASKED):  # and the model is warm
                say(text)
            ends, beside = time.monotonic() + 60 * minutes, False
            while time.monotonic() < ends or not took[True]:
                texts = _texts(chance, block, len(took[False]) + len(took[True]))
                if beside:
                    with _living(being) as lived:
                        took[True] += _block(say, texts, chance)
                    cycles += len(lived)
                else:
                    took[False] += _block(say, texts, chance)
                beside = not beside
                progress(f"  {len(took[False])} replies alone, {len(took[True])} beside")
        ok = run(being, "archive", "verify", check=False).returncode == 0
        name = model or str(loads(run(being, "status", "--json").stdout)["model"])
        calls = speed(c for c in calls_of(BeingPaths(being).memory) if c["role"] == "interface")
    return Measured(name, tuple(took[False]), tuple(took[True]), cycles, ok, calls)


def _block(say: Callable[[str], str], texts: Sequence[str], chance: Draw) -> list[float]:
    """How long the reply to each text took."""
    took = []
    for text in texts:
        time.sleep(chance.uniform(*PAUSES))
        began = time.perf_counter()
        say(text)
        took.append(time.perf_counter() - began)
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
def _living(being: Path) -> Iterator[list[bytes]]:
    """`lumen run` without a rest between cycles; what it told is there once it has ended."""
    told: list[bytes] = []
    with subprocess.Popen(
        [*command(being), "run", "--every", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(being),
    ) as process:
        if process.stdout is None:
            raise LumenError("`lumen run` has no pipe")
        told.append(process.stdout.readline())
        yield told
        process.send_signal(signal.SIGINT)
        told += process.stdout.readlines()


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms"
