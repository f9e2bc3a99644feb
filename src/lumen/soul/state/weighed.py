"""How the weights of values and goals went: one series each, from every version of their files.

Answers come from the index, which is caught up by whoever asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lumen.core.data import FileVersion
from lumen.soul.ports.records import FileHistory
from lumen.soul.state.selfhood import VALUES, Flaw, is_goals, parse_items, states_of

GONE = "gone"


@dataclass(frozen=True, slots=True)
class Point:
    """What something weighed, and how it stood, from an event on; no weight: it was gone."""

    seq: int
    timestamp: str
    weight: float | None
    status: str


@dataclass(frozen=True, slots=True)
class Series:
    """A value or goal and every change of it, oldest first."""

    name: str
    path: str
    points: tuple[Point, ...]

    @property
    def kind(self) -> str:
        """Which of the two it is."""
        return "value" if self.path == VALUES else "goal"

    @property
    def now(self) -> Point:
        """How it stands."""
        return self.points[-1]


def versions(files: FileHistory, kind: str) -> list[FileVersion]:
    """Every version of the file of values, or of the files of goals, oldest first."""
    meant = [p for p in files.all_kept() if (p == VALUES if kind == "value" else is_goals(p))]
    return sorted((v for path in meant for v in files.versions(path)), key=lambda v: v.seq)


def series(found: Iterable[FileVersion]) -> list[Series]:
    """Each value or goal that ever was in some versions, the heaviest first, what is gone last.

    A version that cannot be read changes nothing: it was never in force.
    """
    points: dict[tuple[str, str], list[Point]] = {}
    for version in found:
        try:
            held = parse_items(version.text or "[]", states_of(version.path))
        except Flaw:
            continue
        now: dict[tuple[str, str], tuple[float | None, str]] = {
            (version.path, h.name): (h.weight, h.status) for h in held
        }
        for key in [k for k in points if k[0] == version.path and k not in now]:
            now[key] = (None, GONE)
        for key, (weight, status) in now.items():
            past = points.setdefault(key, [])
            if not past or (past[-1].weight, past[-1].status) != (weight, status):
                past.append(Point(version.seq, version.timestamp, weight, status))
    told = [Series(name, path, tuple(past)) for (path, name), past in points.items()]
    return sorted(told, key=lambda s: -1.0 if s.now.weight is None else s.now.weight, reverse=True)


def moves(before: Point | None, point: Point) -> str:
    """A change from one point to the next, as short as can be."""
    if point.weight is None:
        return f"{before.weight:.2f} → gone" if before and before.weight is not None else GONE
    if before is None or before.weight is None:
        return f"new at {point.weight:.2f} {point.status}"
    parts = []
    if before.weight != point.weight:
        parts.append(f"{before.weight:.2f} → {point.weight:.2f}")
    if before.status != point.status:
        parts.append(f"{before.status} → {point.status}")
    return " ".join(parts)


def moved(files: FileHistory) -> dict[int, list[str]]:
    """What each event changed in values and goals: which, and how it stood before and after."""
    found: dict[int, list[str]] = {}
    for kind in ("value", "goal"):
        for one in series(versions(files, kind)):
            for before, point in zip((None, *one.points), one.points, strict=False):
                what = f"the {kind} “{one.name}”: {moves(before, point)}"
                found.setdefault(point.seq, []).append(what)
    return found
