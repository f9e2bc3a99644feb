"""Forgetting where memories are so many that signs are compared first: no byte of one is left in any file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import lumen
from lumen.app.opened import kernel_of
from lumen.core.data import Passage
from lumen.kernel.language.asking import shape
from lumen.kernel.recall.lanes import CHANGES, Lane, marks_for
from lumen.mind.embed import WhenNeeded
from lumen.soul.index import scan

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.sampling import Sampled

FEW = 300  # memories that count as many where not all is tried
WORD, SECRET = "quorvexim", "My quorvexim is no longer in the attic."
SIZE = 384


def test_no_byte_of_one_of_many_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sampled: Sampled
) -> None:
    if not sampled.deep:
        monkeypatch.setattr(scan, "MANY", FEW)
    many = scan.MANY + 1
    lumen.create(tmp_path / "being")
    with lumen.open(tmp_path / "being") as being:
        texts = [f"Kettle {n} is on shelf {n % 97}." for n in range(many)]
        place = many // 2
        texts[place] = SECRET
        seqs = being.remember(texts).events
        rows = _learnt(being, dict(zip(seqs, texts, strict=True)))
        row, gone = rows[place].tobytes(), seqs[place]
        files = {path.suffix for path in _holding(tmp_path / "being", row)}
        assert files == {".f32"}
        assert _holding(tmp_path / "being", WORD.encode())
        found = being.recall(f"Where is my {WORD}?", limit=500)
        assert gone in [one.event for one in found]  # vectors of chance say nothing of its place
        being.forget(being.plan_forget(WORD))
        index = kernel_of(being).index
        vectors = index.vectors.built_in(WhenNeeded().id)
        assert gone not in vectors.nearest(row, 9).seqs
        assert index.memories.search([WORD], 9) == []
        assert vectors.revised_by([seqs[0]]) == {}
        assert vectors.unsettled(CHANGES, 9) == []
        assert WORD not in index.vectors.kept_words()
        assert not index.vectors.has_erased()
    assert _holding(tmp_path / "being", row) == []
    assert _holding(tmp_path / "being", WORD.encode()) == []
    _is_blank(tmp_path / "being", place)


def _learnt(being: lumen.Being, texts: dict[int, str]) -> np.ndarray:
    """Give each memory a vector of its own, a mark and words; the one that is kept secret revises the first."""
    index = kernel_of(being).index
    vectors = index.vectors.built_in(WhenNeeded().id)
    vectors.missing(1)
    rows = np.random.default_rng(7).normal(size=(len(texts), SIZE)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    passages = [
        Passage(
            seq,
            0,
            len(text),
            row.tobytes(),
            marks=marks_for(Lane.STATED, shape(text)) | (CHANGES if text == SECRET else 0),
        )
        for (seq, text), row in zip(texts.items(), rows, strict=True)
    ]
    vectors.add([*texts], passages)
    secret = next(seq for seq, text in texts.items() if text == SECRET)
    vectors.set_revisions([(secret, min(texts))])
    vectors.add_words({WORD: rows[0].tobytes()}, index.memories.reread())
    return rows


def _holding(root: Path, sought: bytes) -> list[Path]:
    """The files that hold some bytes."""
    files = (p for p in root.rglob("*") if p.is_file())
    return [path for path in files if sought in path.read_bytes()]


def _is_blank(root: Path, place: int) -> None:
    """The row of what was forgotten says nothing, in whichever file; its neighbours do."""
    for kind, width in (("f32", 4 * SIZE), ("seqs", 8), ("marks", 4), ("signs", SIZE // 8)):
        (path,) = root.rglob(f"soul.db-v*.{kind}")
        before, row, after = (path.read_bytes()[(place + n) * width :][:width] for n in (-1, 0, 1))
        assert row == bytes(width)
        assert before.strip(b"\0")
        assert after.strip(b"\0")
