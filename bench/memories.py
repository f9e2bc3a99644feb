"""Recall among a million memories: by meaning, by words, and whole; adding one, and another process's view.

What a turn takes among fewer is measured by growth.py: `python -m bench growth memories` prints every line.

Times are of the clock and of the CPU: on a busy machine the second says more. `LUMEN_BENCH_DATASETS` names
files of LoCoMo or BEAM (as a PATH does), whose sentences and questions are then used before our own.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import lumen
from bench.archive import workplace
from bench.corpus import HOME, Corpus, Floats, corpus, mixtures, vectors_of
from bench.grown import Grown, grown, same_as_folded
from bench.lived import chats_seconds, copied, learning_share, scripted
from bench.rounds import say
from lumen.core.canon import dumps, loads
from lumen.core.data import BeingPaths, Passage
from lumen.kernel.language.passages import Embedder
from lumen.kernel.language.reading import words
from lumen.kernel.recall.fusion import RankWanted, rank
from lumen.mind.embed import WhenNeeded
from lumen.soul.index.hamming import Words, distances
from lumen.soul.index.index import Index
from lumen.soul.index.passages import BUILT_IN, STATE, SetState, forget_passages
from lumen.soul.index.scan import mapped, signs
from lumen.soul.index.search import asked_terms

MEMORIES = int(os.environ.get("LUMEN_BENCH_MEMORIES", "1000000"))
MOST, BY_TEXT, ADDED, LEARNT = 20, 100, 50, 1000
TANTIVY = "tantivy==0.25.*"
OTHER = """
import sys, time
from pathlib import Path
from lumen.core.data import BeingPaths
from lumen.soul.index.index import Index
began = time.perf_counter()
vectors = Index(BeingPaths(Path(sys.argv[1]))).vectors.built_in(sys.argv[2])
for line in sys.stdin:
    began, cpu = time.perf_counter(), time.process_time()
    found = vectors.nearest(bytes.fromhex(line), 1)
    print(found.seqs[0], time.perf_counter() - began, time.process_time() - cpu, flush=True)
status = Path("/proc/self/status").read_text()
print(*(status.split(f"{name}:")[1].split()[0] for name in ("RssAnon", "RssFile")), flush=True)
"""
PEER = """
import json, sys, time, tantivy
schema = tantivy.SchemaBuilder()
schema.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
schema.add_integer_field("seq", stored=True)
index = tantivy.Index(schema.build())
writer = index.writer(300_000_000, 1)
for line in sys.stdin:
    if line == "\\n":
        break
    seq, text = line.split(" ", 1)
    writer.add_document(tantivy.Document(text=text, seq=int(seq)))
writer.commit()
writer.wait_merging_threads()
index.reload()
searcher, term = index.searcher(), tantivy.Query.term_query
took = []
for terms in json.loads(sys.stdin.readline()) * 2:
    began, cpu = time.perf_counter(), time.process_time()
    any_of = [(tantivy.Occur.Should, term(index.schema, "text", t)) for t in terms]
    hits = searcher.search(tantivy.Query.boolean_query(any_of), 100).hits
    [searcher.doc(address)["seq"] for _, address in hits]
    took.append((time.perf_counter() - began, time.process_time() - cpu))
print(json.dumps(took[len(took) // 2 :]))
"""


@dataclass(frozen=True, slots=True)
class Took:
    """How long each of some questions took, by the clock and by the CPU, in seconds."""

    clock: Sequence[float]
    cpu: Sequence[float]

    @property
    def p50(self) -> float:
        """The median by the clock, in milliseconds."""
        return statistics.median(self.clock) * 1000

    def __str__(self) -> str:
        return f"{_told(self.clock)} (CPU {_told(self.cpu)})"


def _told(took: Sequence[float]) -> str:
    return f"p50 {statistics.median(took) * 1000:.2f}, p95 {p95(took):.2f} ms"


def p95(took: Sequence[float]) -> float:
    """What 95 of 100 stay below, in milliseconds."""
    return sorted(took)[int(len(took) * 0.95)] * 1000


class Known:
    """Questions whose vectors are ready: what an embedder takes is not measured here."""

    def __init__(self, embedder: Embedder, real: Corpus) -> None:
        self.id = embedder.id
        self.asked = real.asked
        self.at = 0

    def embed(self, texts: Sequence[str]) -> Floats:
        """The vector of the question that is asked."""
        return self.asked[self.at : self.at + len(texts)]


def main() -> int:
    """Measure and print; the exit code says whether every target holds."""
    os.environ["XDG_DATA_HOME"] = str(HOME / "home")
    files = [*map(Path, filter(None, os.environ.get("LUMEN_BENCH_DATASETS", "").split(":")))]
    embedder = WhenNeeded()
    real = corpus(embedder, files)
    if not same_as_folded(real, embedder):
        say("rows written in bulk are not what the archive makes of them")
        return 1
    one = grown(real, embedder, MEMORIES)
    made = (real.seconds + one.seconds) / 60
    say(f"{MEMORIES:,} memories, {size(one.being)}")
    built = wanted("embedded and made, once", f"{made:.0f} min", "≤ 40 min", made <= 40)
    with closing(Index(one.being)) as index:
        index.catch_up()
        holds = [
            built,
            _nearest(index, one, real, embedder),
            _text(index, real),
            _whole(index, real, embedder),
            _adding(index, one, real, embedder),
        ]
    holds += _living(one, real, embedder)
    return 0 if all(holds) else 1


def measured(ask: Callable[[int], object], many: int) -> Took:
    """What questions take, the second time each is asked: the first brings the pages in."""
    clock, cpu = [], []
    for n in [*range(many), *range(many)]:
        began, before = time.perf_counter(), time.process_time()
        ask(n)
        clock.append(time.perf_counter() - began)
        cpu.append(time.process_time() - before)
    return Took(clock[many:], cpu[many:])


def wanted(what: str, took: object, target: str, holds: bool) -> bool:
    """Say what was measured beside what is wanted."""
    say(f"{what}: {took}   wanted {target}   {'yes' if holds else 'NO'}")
    return holds


def _nearest(index: Index, one: Grown, real: Corpus, embedder: Embedder) -> bool:
    vectors, found = index.vectors.built_in(embedder.id), dict[int, set[int]]()

    def ask(n: int) -> None:
        near = vectors.nearest(real.asked[n].tobytes(), MOST)
        found[n] = {*(near.seqs - one.first).tolist()}

    took = measured(ask, len(real.asked))
    exact = _exactly(real, one.many)
    recall = sum(len(found[n] & exact[n]) for n in found) / MOST / len(found)
    holds = recall >= 0.99 and took.p50 <= 5
    _scanned(index, real, statistics.median(took.cpu))
    return wanted(f"nearest, recall {recall:.4f}", took, "p50 ≤ 5 ms at ≥ 0.99", holds)


def _scanned(index: Index, real: Corpus, whole: float) -> None:
    """What of a search by meaning is the one part that grows with the number of memories."""
    rows = _signs(index)
    if rows is None:
        say("so few are compared by their vectors at once")
        return
    query = signs(real.asked[:1])
    scan = min(measured(lambda _: distances(rows, query), 10).cpu)
    plain = min(measured(lambda _: np.bitwise_or.reduce(rows, axis=None), 10).cpu)
    size = rows.size * rows.itemsize / 1e6
    say(
        f"of it the pass over {size:.0f} MB of signs takes {scan * 1000:.2f} ms of CPU, {scan / whole:.0%}; "
        f"reading them once and nothing else {plain * 1000:.2f} ms ({size / 1000 / plain:.0f} GB/s)"
    )


def _signs(index: Index) -> Words | None:
    state = SetState(*index.row(STATE, (BUILT_IN,)))
    return mapped(state.files(index.being.index), signs=state.mean is not None).signs


def _exactly(real: Corpus, many: int) -> list[set[int]]:
    """The nearest by all vectors, batch by batch."""
    best = np.full((len(real.asked), MOST), -2, np.float32)
    at = np.zeros(best.shape, np.int64)
    for first, rows in vectors_of(real, many):
        both = np.concatenate([best, real.asked @ rows.T], axis=1)
        places = np.concatenate(
            [at, np.broadcast_to(np.arange(len(rows)) + first, (len(at), len(rows)))], axis=1
        )
        top = np.argpartition(-both, MOST - 1, axis=1)[:, :MOST]
        best, at = np.take_along_axis(both, top, 1), np.take_along_axis(places, top, 1)
    return [{*row.tolist()} for row in at]


def _text(index: Index, real: Corpus) -> bool:
    ours = measured(
        lambda n: index.memories.search(words(real.questions[n]), BY_TEXT), len(real.questions)
    )
    theirs = _tantivy(index, real)
    if theirs is None:
        say(f"search: {ours}; tantivy cannot be installed here")
        return False
    say(f"tantivy, given our terms: {theirs}")
    holds = statistics.median(ours.cpu) <= statistics.median(theirs.cpu)
    return wanted("search", ours, "p50 ≤ tantivy's (CPU)", holds)


def _tantivy(index: Index, real: Corpus) -> Took | None:
    """The same questions to tantivy, in an environment of its own."""
    uv = shutil.which("uv") or str(Path(__file__).resolve().parent.parent / ".uv/bin/uv")
    command = [uv, "run", "--no-project", "--with", TANTIVY, "python", "-c", PEER]
    asked = [
        [term for parts in asked_terms(index, words(q)).values() for p in parts for term, _ in p]
        for q in real.questions
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as peer:
        if peer.stdin is None or peer.stdout is None:
            return None
        try:
            for seq, terms in index.rows("SELECT seq, terms FROM utterances"):
                peer.stdin.write(f"{seq} {terms}\n")
            peer.stdin.write("\n" + dumps(asked).decode() + "\n")
            peer.stdin.close()
        except BrokenPipeError:
            return None
        told = peer.stdout.read()
    return Took(*zip(*loads(told), strict=True)) if told else None


def _whole(index: Index, real: Corpus, embedder: Embedder) -> bool:
    known, vectors = Known(embedder, real), index.vectors.built_in(embedder.id)

    def ask(n: int) -> None:
        known.at = n
        rank(index, vectors, known, real.questions[n], RankWanted())

    took = measured(ask, len(real.questions))
    holds = took.p50 <= 15 and p95(took.clock) <= 40
    return wanted("recall without the question's vector", took, "p50 ≤ 15, p95 ≤ 40 ms", holds)


def _adding(index: Index, one: Grown, real: Corpus, embedder: Embedder) -> bool:
    """Give vectors to some memories anew, one by one, and let another process ask for each at once."""
    vectors, state = index.vectors.built_in(embedder.id), SetState(*index.row(STATE, (BUILT_IN,)))
    numbers = np.random.default_rng(state.next)  # what an earlier run added is there already
    other = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(one.being.root), embedder.id],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    other_in, other_out = other.stdin, other.stdout
    if other_in is None or other_out is None:
        return False

    def asks(row: Floats) -> tuple[int, float, float]:
        """What the other process finds nearest, and what that took it."""
        other_in.write(row.tobytes().hex() + "\n")
        other_in.flush()
        told, clock, used = other_out.readline().split()
        return int(told), float(clock), float(used)

    for row in real.asked[
        :ADDED
    ]:  # it has searched before: its maps are read as far as searches go
        asks(row)
    added, seen = [], []
    for row in mixtures(real.vectors, ADDED, numbers):
        seq = one.first + int(numbers.integers(one.many))
        index.alone(partial(forget_passages, seq=seq))
        index.keep(("INSERT INTO unembedded VALUES(0, ?)", [(seq,)]))
        began, cpu = time.perf_counter(), time.process_time()
        vectors.add([seq], [Passage(seq, 0, 9, row.tobytes())])
        added.append((time.perf_counter() - began, time.process_time() - cpu))
        told, *used = asks(row)
        if told != seq:
            say(f"event {seq} was not seen by another process")
            return False
        seen.append(used)
    other_in.close()
    anonymous, mapped = other_out.read().split()
    other.wait()
    took, view = Took(*zip(*added, strict=True)), Took(*zip(*seen, strict=True))
    say(
        f"its memory: {int(anonymous) / 1024:.0f} MB of its own, {int(mapped) / 1024:.0f} MB mapped"
    )
    seen_soon = wanted("another process sees it", view, "p50 ≤ 5 ms", view.p50 <= 5)
    return wanted("add a vector", took, "p50 ≤ 1 ms", took.p50 <= 1) and seen_soon


def _living(one: Grown, real: Corpus, embedder: Embedder) -> list[bool]:
    """A whole `chat -m` beside that of a new being, and what learning adds to the embedder's work."""
    with workplace() as folder:
        shutil.copytree(HOME / "home", folder / "home")  # which sees the copy talk, and would tell
        os.environ["XDG_DATA_HOME"] = str(folder / "home")
        lumen.create(folder / "new")
        large, new = chats_seconds(copied(one.being.root, folder), scripted(folder / "new"))
        share = learning_share(folder / "learning", real.texts[:LEARNT], embedder)
    took = f"{large:.2f} s of CPU, of a new being {new:.2f}: {large / new:.2f} ×"
    return [
        wanted("chat -m", took, "≤ 1.5 ×", large <= 1.5 * new),
        wanted("learning, the embedder's own part", f"{share:.0%}", "≥ 90 %", share >= 0.9),
    ]


def size(being: BeingPaths) -> str:
    """What the files of an index take on disk."""
    files = {p.suffix or p.name: p.stat().st_blocks * 512 for p in being.index.parent.iterdir()}
    return ", ".join(f"{name} {size / 1e6:,.0f} MB" for name, size in sorted(files.items()))


if __name__ == "__main__":
    sys.exit(main())
