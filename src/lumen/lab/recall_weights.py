"""How recall's weights are learnt: listwise softmax over linear features, one conversation left out.

The loss is -ln of the share that falls to any right candidate; features are scaled by their deviation,
and large weights cost. What no dataset knows is set by hand: how much a memory
weighs, how recent it is, that a question asked before does not answer itself, and what a revision gains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lumen.lab.recall import AskedRow, Judged, judged

BY_HAND = {"weight": 0.4, "recency": 0.2, "echo": -10.0, "revises": 1.0}
# how much a question of a set counts: of some there are few
SHARES = {"beam": 5.0, "facts": 12.0, "en": 12.0, "ru": 12.0, "de": 12.0, "mixed": 12.0}
POOLED_SHARE = 0.3
RIDGE = 1e-3
STEPS, HELD = 300, 12
Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Problem:
    table: Vector
    right: NDArray[np.bool_]
    starts: NDArray[np.int64]
    of: NDArray[np.int64]
    share: Vector

    def loss(self, weights: Vector) -> tuple[float, Vector]:
        """The loss and its slope."""
        score = self.table @ weights
        lifted = np.exp(score - np.maximum.reduceat(score, self.starts)[self.of])
        total = np.add.reduceat(lifted, self.starts)
        hit = lifted * self.right
        hits = np.maximum(np.add.reduceat(hit, self.starts), 1e-300)
        loss = float((self.share * (np.log(total) - np.log(hits))).sum())
        pull = self.share[self.of] * (lifted / total[self.of] - hit / hits[self.of])
        slope: Vector = self.table.T @ pull + 2 * RIDGE * weights
        return loss + RIDGE * float(weights @ weights), slope


def learnt(rows: Sequence[AskedRow], pooled: Sequence[AskedRow] = ()) -> dict[str, float]:
    """The weights that put right candidates first."""
    every = [(r, SHARES.get(r.dataset, 1.0)) for r in rows] + [(r, POOLED_SHARE) for r in pooled]
    kept = [(row, share) for row, share in every if row.right.any()]
    names = [name for name in kept[0][0].names if name not in BY_HAND]
    columns = [kept[0][0].names.index(name) for name in names]
    table = np.concatenate([row.table[:, columns] for row, _ in kept]).astype(float)
    scale = table.std(0)
    scale[scale < 1e-5] = 1.0
    sizes = [len(row.table) for row, _ in kept]
    share = np.array([share for _, share in kept])
    problem = _Problem(
        (table - table.mean(0)) / scale,
        np.concatenate([row.right for row, _ in kept]),
        np.cumsum([0, *sizes])[:-1],
        np.repeat(np.arange(len(kept)), sizes),
        share / share.sum(),
    )
    found = lowest(problem.loss, np.zeros(len(names)), STEPS) / scale
    return {name: round(float(w), 4) for name, w in zip(names, found, strict=True)} | BY_HAND


def left_out(
    rows: Sequence[AskedRow], pooled: Sequence[AskedRow] = ()
) -> tuple[list[Judged], list[Judged]]:
    """Each question judged by weights that never saw its conversation, apart and pooled."""
    weights: dict[str, Mapping[str, float]] = {}
    for name in dict.fromkeys(row.conversation for row in rows):
        others = [row for row in rows if row.conversation != name]
        weights[name] = learnt(others, [row for row in pooled if row.conversation != name])
    apart, together = (
        [judged(r, weights[r.conversation]) for r in some] for some in (rows, pooled)
    )
    return apart, together


def lowest(loss_at: Callable[[Vector], tuple[float, Vector]], start: Vector, steps: int) -> Vector:
    """Where a loss is lowest: L-BFGS, with steps halved until they help."""
    at = start
    loss, slope = loss_at(at)
    moves: list[tuple[Vector, Vector]] = []
    for _ in range(steps):
        way = _direction(slope, moves)
        step, fall = 1.0, float(slope @ way)
        new_loss, new_slope = loss_at(at + way)
        while new_loss > loss + 1e-4 * step * fall and step > 1e-10:
            step /= 2
            new_loss, new_slope = loss_at(at + step * way)
        moved, bent = step * way, new_slope - slope
        done = loss - new_loss < 1e-9
        at, loss, slope = at + moved, new_loss, new_slope
        if float(moved @ bent) > 1e-12:
            moves = [*moves, (moved, bent)][-HELD:]
        if done:
            break
    return at


def _direction(slope: Vector, moves: Sequence[tuple[Vector, Vector]]) -> Vector:
    """Downhill, as the last steps bend it."""
    way = slope.copy()
    used = []
    for moved, bent in reversed(moves):
        part = float(moved @ way) / float(moved @ bent)
        way -= part * bent
        used.append(part)
    if moves:
        moved, bent = moves[-1]
        way *= float(moved @ bent) / float(bent @ bent)
    for (moved, bent), part in zip(moves, reversed(used), strict=True):
        way += moved * (part - float(bent @ way) / float(moved @ bent))
    downhill: Vector = -way
    return downhill
