"""How quick a model answers, by what the archive tells of its calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lumen.core.payloads import CallPayload
from lumen.soul.archive.line import read


@dataclass(frozen=True, slots=True)
class Speed:
    """Of calls that were answered: p50 until the first words and until the last, how many a second, what was read."""

    calls: int
    first_s: float
    whole_s: float
    tokens_s: float
    prompt_tokens: int
    cached_tokens: int

    def line(self) -> str:
        """The figures in words."""
        return (
            f"{self.calls} calls: first words after {self.first_s:.2f} s, the last after {self.whole_s:.2f} s "
            f"(p50), {self.tokens_s:.1f} tokens a second between; of {self.prompt_tokens:,} tokens of prompts "
            f"{self.cached_tokens:,} were not read again"
        )


def calls_of(memory: Path) -> Iterator[CallPayload]:
    """Every call that an archive tells of with its outcome."""
    for stored in read(memory):
        yield from stored.event.entry.payload.get("calls", ())


def speed(calls: Iterable[CallPayload]) -> Speed | None:
    """What they come to; nothing where no call was answered with words."""
    said = [c for c in calls if c.get("first_seconds") is not None]
    if not said:
        return None
    wrote = sum(c.get("completion_tokens") or 0 for c in said)
    took = sum(c["seconds"] - c["first_seconds"] for c in said)
    return Speed(
        calls=len(said),
        first_s=quantile([c["first_seconds"] for c in said], 0.5),
        whole_s=quantile([c["seconds"] for c in said], 0.5),
        tokens_s=wrote / took if took > 0 else 0.0,
        prompt_tokens=sum(c.get("prompt_tokens") or 0 for c in said),
        cached_tokens=sum(c.get("cached_tokens", 0) for c in said),
    )


def quantile(took: Sequence[float], share: float) -> float:
    """The value that a share of them do not pass."""
    ordered = sorted(took)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
