"""What `lumen lab recall` prints of a run: its measures beside plain BM25 and other engines, by kind, and how long it took."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lumen.core.canon import JSON
from lumen.kernel.recall.fusion import weights_for
from lumen.kernel.recall.query_adapter import QueryAdapter, adapter_file
from lumen.lab.checkout import bench
from lumen.lab.query_adapters import adapters_left_out, embedded, learnt_adapter
from lumen.lab.recall import (
    BM25,
    BM25_CONTENT,
    CachedEmbedder,
    Told,
    ask_all,
    judged,
    summary,
)
from lumen.lab.recall_data import LabConversation, read_conversations
from lumen.lab.recall_weights import learnt, left_out
from lumen.mind.embed import WhenNeeded

PLAIN = (BM25, BM25_CONTENT)


@dataclass(frozen=True, slots=True)
class RecallRun:
    """How a run is made: which files, vectors kept where, together too, by which weights."""

    files: tuple[Path, ...]
    vectors: Path | None = None
    pooled: bool = False
    leave_one_out: bool = False
    learn: Path | None = None  # where learnt weights are written
    most: int | None = None  # conversations of each file
    peers: str = ""  # other engines that are asked too, with commas between
    plot: Path | None = None  # where quality beside time is drawn


def run(wanted: RecallRun, progress: Callable[[str], None]) -> dict[str, JSON]:
    """Tell, ask and measure; a part for each dataset, and one for each that is pooled."""
    peers = bench("peers").chosen_peers(wanted.peers) if wanted.peers else []
    plot = bench("plot") if wanted.plot else None
    read = [c for file in wanted.files for c in read_conversations(file)[: wanted.most]]
    embedder = CachedEmbedder(WhenNeeded(), wanted.vectors)
    adapters, whole = _adapters(wanted, read, embedder, progress)
    by_dataset = _by_dataset(read)
    apart_of_each = [[one] for some in by_dataset.values() for one in some]
    rows = ask_all(apart_of_each, embedder, progress, adapters)
    pooled_groups = [*by_dataset.values()] if wanted.pooled else []
    together = ask_all(pooled_groups, embedder, progress, adapters)
    if wanted.leave_one_out:
        progress("learning weights, one conversation left out each time …")
        apart, pooled = left_out(rows, together)
    else:
        shipped = weights_for(WhenNeeded().id)
        apart, pooled = ([judged(r, shipped) for r in some] for some in (rows, together))
    if wanted.learn:
        known = json.loads(wanted.learn.read_text("utf-8")) if wanted.learn.exists() else {}
        weights = known | {WhenNeeded().id: learnt(rows, together)}
        wanted.learn.write_text(json.dumps(weights, indent=1) + "\n", "utf-8")
    if wanted.learn and whole:
        file = wanted.learn.parent / "adapters" / adapter_file(WhenNeeded().id).name
        file.parent.mkdir(exist_ok=True)
        np.save(file, whole.directions.astype(np.float16))
    told: dict[str, Any] = {"weights": "one left out" if wanted.leave_one_out else "shipped"}
    for name, some, found in (("", rows, apart), (" pooled", together, pooled)):
        for dataset in dict.fromkeys(row.dataset for row in some):
            kept = [n for n, row in enumerate(some) if row.dataset == dataset]
            part = summary([some[n] for n in kept], [found[n] for n in kept])
            group = by_dataset[dataset]
            groups = [group] if name else [[one] for one in group]
            asked = bench("peers").ask_peers(peers, groups, embedder, progress) if peers else {}
            told[dataset + name] = part | {"peers": {k: v.as_json() for k, v in asked.items()}}
    if wanted.plot and plot:
        wanted.plot.write_text(plot.drawn(told), "utf-8")
    return told


def _adapters(
    wanted: RecallRun, read: Sequence[LabConversation], embedder: CachedEmbedder, progress: Told
) -> tuple[Mapping[str, QueryAdapter], QueryAdapter | None]:
    """For each conversation an adapter that never saw it, and the one of all, where they are wanted."""
    if not (wanted.leave_one_out or wanted.learn):
        return {}, None
    progress("learning adapters, one conversation left out each time …")
    talks = [embedded(one, embedder) for one in read]
    return adapters_left_out(talks), learnt_adapter(talks) if wanted.learn else None


def lines(told: dict[str, JSON]) -> list[str]:
    """A run in words."""
    said = [f"weights: {told['weights']}"]
    for name, part in told.items():
        if name == "weights":
            continue
        said.append(f"{name}: {part['questions']} questions")
        for measure, (value, low, high) in part["recall"].items():
            beside = [part[name][measure][0] for name in PLAIN if measure in part[name]]
            plain = "".join(f"   {n} {b:.3f}" for n, b in zip(PLAIN, beside, strict=False))
            said.append(f"  {measure:<18} {value:.3f}  [{low:.3f} {high:.3f}]{plain}")
        kinds = (f"{k} {v['hit@5']:.2f} ({v['questions']})" for k, v in part["by_kind"].items())
        said.append(f"  hit@5 by kind      {', '.join(kinds)}")
        among, many = part["right_among_candidates"], part["candidates"]
        said.append(f"  right among        {among:.3f} of {many:.0f} candidates on average")
        said.append(
            f"  a question takes   p50 {part['ms']['p50']:.0f} ms, p95 {part['ms']['p95']:.0f} ms beside its vector"
        )
        said += _beside(part)
    return said


def _beside(part: dict[str, JSON]) -> list[str]:
    """A row for each engine, recall first."""
    if not part["peers"]:
        return []
    said = [
        "  " + f"{'':<20}" + "".join(f"{name:>18}" for name in part["recall"]) + "   CPU ms p50"
    ]
    titles = {name: peer.title for name, peer in bench("peers").known_peers().items()}
    for name, one in {"": part, **part["peers"]}.items():
        title = titles.get(name, "Lumen")
        if "missing" in one:
            said.append(f"  {title:<20}missing: {one['missing']}")
            continue
        row = "".join(f"{value:>18.3f}" for value, _, _ in one["recall"].values())
        said.append(f"  {title:<20}{row}{one['cpu_ms']['p50']:>13.2f}")
    return said


def _by_dataset(read: Sequence[LabConversation]) -> dict[str, list[LabConversation]]:
    found: dict[str, list[LabConversation]] = {}
    for one in read:
        found.setdefault(one.dataset, []).append(one)
    return found
