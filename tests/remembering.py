"""The shipped embedder, which works out once what many tests tell their beings.

Its vectors stand in a file that every worker of a run shares, and the next run too: a row is a key,
made from the text and from all that makes its vector, and the vector. What is not there is added.
A clone begins with the vectors that are kept beside the tests, a byte for each number: of 64 one is
worked out anew and has to agree. `--deep` works out all of them, `--record` keeps more.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lumen.mind import e5, encoder, unigram
from lumen.mind.e5 import E5, MAX_CHARS
from lumen.mind.encoder import SIZE, Matrix

FILE = "LUMEN_TEST_VECTORS"  # where it stands; unset: nowhere, and each process has its own
MADE_BY = (e5.CENTRE, *(Path(str(module.__file__)) for module in (e5, encoder, unigram)))
ROW = np.dtype([("key", "V32"), ("name", "V12"), ("vector", "<f4", SIZE)])
KEPT = Path(__file__).with_name("recorded.vectors")
KEPT_ROW = np.dtype([("name", "V12"), ("scale", "<f4"), ("steps", "i1", SIZE)])
RECORDED = "LUMEN_TEST_RECORDED_VECTORS"  # the file that is kept; unset: all is worked out
AGREES = 0.999  # the cosine of a vector and of what was kept of it


def read_kept(path: Path) -> dict[bytes, Matrix]:
    """The vectors that are kept, by the names of their texts."""
    rows = np.fromfile(path, KEPT_ROW) if path.exists() else np.zeros(0, KEPT_ROW)
    vectors = rows["steps"] * rows["scale"][:, None]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return dict(zip(rows["name"].tolist(), vectors, strict=True))


def keep(used: Path, path: Path = KEPT) -> None:
    """Keep the vectors a run worked out too, in an order that does not depend on who came first."""
    worked_out = np.fromfile(used, ROW)
    found = read_kept(path)
    found |= zip(worked_out["name"].tolist(), worked_out["vector"], strict=True)
    names = sorted(found)
    vectors = np.stack([found[name] for name in names])
    rows = np.zeros(len(names), KEPT_ROW)
    rows["name"] = names
    rows["scale"] = np.abs(vectors).max(axis=1) / 127
    rows["steps"] = np.rint(vectors / rows["scale"][:, None])
    rows.tofile(path)


class Remembering(E5):
    """Gives the rows the real one gave: the same text has the same vector, whatever stands beside."""

    def __init__(self) -> None:
        self._file = os.environ.get(FILE)
        self._made_by = b"".join(hashlib.sha256(file.read_bytes()).digest() for file in MADE_BY)
        self._rows: dict[bytes, Matrix] = {}
        self._kept = read_kept(Path(os.environ[RECORDED])) if os.environ.get(RECORDED) else {}
        self._read = 0
        self._is_loaded = False

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 for each text."""
        keys = {text: self._key(text[:MAX_CHARS]) for text in texts}
        if not all(key in self._rows for key in keys.values()):
            self.catch_up()
        new = {key: text for text, key in keys.items() if not self._knows(key, text)}
        if new:
            self._learn(list(new), list(new.values()))
        rows = [self._rows[keys[text]] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, SIZE), dtype=np.float32)

    def load(self) -> None:
        """Be ready for what is new."""
        if not self._is_loaded:
            super().__init__()
            self._is_loaded = True

    def catch_up(self) -> None:
        """Read what others have added."""
        if not self._file or not Path(self._file).exists():
            return
        with Path(self._file).open("rb") as file:
            file.seek(self._read)
            added = file.read()
        rows = np.frombuffer(added, ROW, len(added) // ROW.itemsize)
        self._rows |= zip(rows["key"].tolist(), rows["vector"], strict=True)
        self._read += rows.nbytes

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(self._made_by + text.encode("utf-8", "surrogatepass")).digest()

    def _name(self, text: str) -> bytes:
        named = f"{self.id}\0{text[:MAX_CHARS]}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(named).digest()[:12]

    def _knows(self, key: bytes, text: str) -> bool:
        if key not in self._rows:
            name = self._name(text)
            if name not in self._kept or name[0] % 64 == 0:
                return False
            self._rows[key] = self._kept[name]
        return True

    def _learn(self, keys: Sequence[bytes], texts: Sequence[str]) -> None:
        self.load()
        made = dict(zip(keys, super().embed(texts), strict=True))
        names = [self._name(text) for text in texts]
        for name, row in zip(names, made.values(), strict=True):
            assert row @ self._kept.get(name, row) > AGREES, "pytest --record: vectors have changed"
        self._rows |= made
        if self._file:
            with Path(self._file).open("ab", buffering=0) as file:
                for name, (key, row) in zip(names, made.items(), strict=True):
                    file.write(key + name + row.tobytes())  # at once: no row inside another
