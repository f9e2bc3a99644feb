"""Search engines asked as their users would ask them: a program that runs without Lumen, where the engine is installed.

`python engines.py NAME FOLDER` reads what `lumen lab recall --peers` wrote there and prints a line of JSON for each group of
messages: how long it took to take them in, and of each question what was found, best first, and how long
that took. Vectors of texts and questions are given. Nothing may be sent anywhere.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
Search = Callable[[str, Rows], Sequence[int]]  # a question and its vector; what was found
LIMIT = 100
BATCH = 500
WORD = re.compile(r"\w+")
LOOPBACK = ("127.0.0.1", "::1", "localhost", "", None)


class Messages:
    """What is searched: texts, their vectors, and where an engine may write."""

    def __init__(self, folder: Path, number: int) -> None:
        group = json.loads((folder / f"{number}.json").read_text("utf-8"))
        self.texts: list[str] = group["texts"]
        self.questions: list[str] = group["questions"]
        self.rows: Rows = np.load(folder / f"{number}-texts.npy")
        self.asked: Rows = np.load(folder / f"{number}-questions.npy")
        self.folder = folder / f"{number}-engine"
        self._known = dict(zip(self.texts, self.rows, strict=True))
        self._known |= dict(zip(self.questions, self.asked, strict=True))
        self.folder.mkdir()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The given vectors, for engines that embed by themselves."""
        return [self._known[text].tolist() for text in texts]


def fts5(given: Messages) -> Search:
    """SQLite's own BM25 over porter stems; any word of the question may be there."""
    db = sqlite3.connect(given.folder / "texts.db")
    db.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
    rows = ((n + 1, text) for n, text in enumerate(given.texts))
    db.executemany("INSERT INTO texts(rowid, text) VALUES(?, ?)", rows)
    db.commit()

    def search(question: str, _row: Rows) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in WORD.findall(question))
        ranked = "SELECT rowid - 1 FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
        return [n for (n,) in db.execute(ranked, (words, LIMIT))] if words else []

    return search


def embedding(given: Messages) -> Search:
    """Every vector compared, and nothing else."""

    def search(_question: str, row: Rows) -> list[int]:
        cosines = given.rows @ row
        order: list[int] = np.argsort(-cosines)[:LIMIT].tolist()
        return order

    return search


def chroma(given: Messages) -> Search:
    """Chroma on disk, by cosine."""
    chromadb = import_module("chromadb")
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(given.folder), settings=settings)
    found = client.create_collection(
        "texts", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    ids = [*map(str, range(len(given.texts)))]
    for at in range(0, len(ids), BATCH):
        some = slice(at, at + BATCH)
        found.add(ids=ids[some], embeddings=given.rows[some], documents=given.texts[some])

    def search(_question: str, row: Rows) -> list[int]:
        most = min(LIMIT, len(ids))
        answer = found.query(query_embeddings=[row], n_results=most, include=[])
        return [int(n) for n in answer["ids"][0]]

    return search


def lancedb(given: Messages) -> Search:
    """LanceDB's hybrid of full text, with stems, and vectors, fused by reciprocal ranks."""
    db = import_module("lancedb").connect(str(given.folder))
    fused = import_module("lancedb.rerankers").RRFReranker()
    rows = zip(given.texts, given.rows, strict=True)
    table = db.create_table(
        "texts", [{"n": n, "text": text, "vector": row} for n, (text, row) in enumerate(rows)]
    )
    fts = import_module("lancedb.index").FTS(language="English", stem=True, remove_stop_words=True)
    table.create_index("text", config=fts)

    def search(question: str, row: Rows) -> list[int]:
        asked = table.search(query_type="hybrid").vector(row).text(question)
        near = asked.distance_type("cosine").rerank(fused).limit(LIMIT).select(["n"])
        return [int(n) for n in near.to_arrow()["n"].to_pylist()]

    return search


def mem0(given: Messages) -> Search:
    """Mem0 with inference off, over its default store: what is added is kept as it is."""
    memory = import_module("mem0").Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": str(given.folder), "embedding_model_dims": given.rows.shape[1]},
            },
            "llm": {"provider": "openai", "config": {"api_key": "never used"}},
            "embedder": {"provider": "openai", "config": {"api_key": "never used"}},
            "history_db_path": str(given.folder / "history.db"),
        }
    )
    memory.embedding_model = Mem0Embedder(given)
    for n, text in enumerate(given.texts):
        memory.add(text, user_id="author", infer=False, metadata={"n": n})

    def search(question: str, _row: Rows) -> list[int]:
        asked = {"filters": {"user_id": "author"}, "top_k": LIMIT, "threshold": 0.0}
        return [int(m["metadata"]["n"]) for m in memory.search(question, **asked)["results"]]

    return search


class Mem0Embedder:
    """Given vectors in the shape that Mem0 asks for them."""

    def __init__(self, given: Messages) -> None:
        self._given = given

    def embed(self, text: str, _action: str | None = None) -> list[float]:
        """The vector of one text."""
        return self._given.embed([text])[0]

    def embed_batch(self, texts: Sequence[str], _action: str | None = None) -> list[list[float]]:
        """The vectors of some texts."""
        return self._given.embed(texts)


def langgraph(given: Messages) -> Search:
    """LangGraph's store in memory, with its index by meaning."""
    index = {"dims": given.rows.shape[1], "embed": given.embed, "fields": ["text"]}
    store = import_module("langgraph.store.memory").InMemoryStore(index=index)
    place = ("texts",)
    for n, text in enumerate(given.texts):  # in a batch it takes no text twice
        store.put(place, str(n), {"text": text})

    def search(question: str, _row: Rows) -> list[int]:
        return [int(item.key) for item in store.search(place, query=question, limit=LIMIT)]

    return search


def tantivy(given: Messages) -> Search:
    """Tantivy's BM25 over English stems; any word of the question may be there."""
    engine = import_module("tantivy")
    fields = engine.SchemaBuilder()
    fields.add_integer_field("n", stored=True)
    fields.add_text_field("text", tokenizer_name="en_stem")
    index = engine.Index(fields.build(), path=str(given.folder))
    writer = index.writer()
    for n, text in enumerate(given.texts):
        writer.add_document(engine.Document(n=n, text=text))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(question: str, _row: Rows) -> list[int]:
        query, _ = index.parse_query_lenient(" ".join(WORD.findall(question)), ["text"])
        hits = searcher.search(query, LIMIT).hits
        return [int(searcher.doc(place)["n"][0]) for _, place in hits]

    return search


ENGINES: dict[str, Callable[[Messages], Search]] = {
    one.__name__: one for one in (fts5, embedding, chroma, lancedb, mem0, langgraph, tantivy)
}


def stay_here(event: str, about: tuple[Any, ...]) -> None:
    """Refuse what would leave this machine, whichever package asks for it."""
    if event in ("socket.getaddrinfo", "socket.connect"):
        to = about[0] if event == "socket.getaddrinfo" else about[1]
        host = to[0] if isinstance(to, tuple) else to
        if event == "socket.connect" and not isinstance(to, tuple):
            return  # a socket in the file system
        if host not in LOOPBACK:
            raise PermissionError(f"{host} is not this machine")


def answered(given: Messages, build: Callable[[Messages], Search]) -> dict[str, Any]:
    """Take the messages in, and ask every question."""
    began = time.perf_counter()
    search = build(given)
    took_in = time.perf_counter() - began
    search(
        given.questions[0], given.asked[0]
    )  # what is loaded at the first question is not its cost
    answers = []
    for question, row in zip(given.questions, given.asked, strict=True):
        wall, cpu = time.perf_counter(), time.process_time()
        found = [*search(question, row)]
        spent = 1000 * (time.process_time() - cpu)
        answers.append({"found": found, "ms": 1000 * (time.perf_counter() - wall), "cpu_ms": spent})
    return {"seconds": took_in, "answers": answers}


def main(name: str, folder: Path) -> None:
    """Answer for every group there is."""
    sys.addaudithook(stay_here)
    told = sys.stdout
    sys.stdout = sys.stderr  # what an engine prints is no answer
    for number in range(len([*folder.glob("*-texts.npy")])):
        told.write(json.dumps(answered(Messages(folder, number), ENGINES[name])) + "\n")
        told.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
