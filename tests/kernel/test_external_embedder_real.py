"""Another real model behind a real server: SmolLM2 through llama.cpp, poor at this as it is."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.kernel.choosing import FACTS, PARAPHRASES, external_of
from tests.kernel.conftest import Life
from tests.serving import embedder_at

from lumen.kernel.recall.external_embedder import anchor_texts, fitted
from lumen.kernel.recall.search import IndexedRecall
from lumen.mind.embed_http import HttpEmbedder

if TYPE_CHECKING:
    from lumen.mind.e5 import E5

pytestmark = pytest.mark.embedded
PEER = Path(__file__).parent.parent / "mind" / "embedding_peer.py"


@pytest.fixture(scope="module")
def smol() -> Iterator[HttpEmbedder]:
    """The model, served in a process of its own."""
    with subprocess.Popen(
        [sys.executable, str(PEER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip() + "/v1"
        made = embedder_at(url, "sesame", name="peer/SmolLM2")
        yield made
        made.close()


@pytest.mark.deep
def test_its_scale_is_found_though_all_its_cosines_lie_close_together(
    smol: HttpEmbedder, embedder: E5
) -> None:
    theirs = smol.embed(anchor_texts())
    cosines = (theirs[0::2] * theirs[1::2]).sum(axis=1)
    assert cosines.min() > 0.6
    ours = embedder.embed(anchor_texts())
    wanted = (ours[0::2] * ours[1::2]).sum(axis=1)
    fit = fitted(smol.id, theirs, ours)
    assert fit.size == 576
    assert 4 < fit.scale < 9
    scaled = fit.scale * cosines + fit.shift
    assert scaled[:12].mean() == pytest.approx(wanted[:12].mean(), abs=0.01)
    assert scaled[12:].mean() == pytest.approx(wanted[12:].mean(), abs=0.01)
    assert wanted[:12].mean() - wanted[12:].mean() > 0.5


@pytest.mark.deep
def test_recall_with_it_finds_what_shares_words_and_keeps_to_the_scale(
    life: Life, smol: HttpEmbedder
) -> None:
    told = life.tell(*FACTS)
    life.kernel.index.vectors.choose(smol.id, private=True)
    life.kernel.recall = IndexedRecall(life.kernel.index, life.kernel.recall.embedder, smol)
    recall = life.wonder()
    for question, fact in (PARAPHRASES[0], PARAPHRASES[3], PARAPHRASES[4]):
        found = recall.evidence(question)
        assert told[fact] in [e.memory.seq for e in found[:3]]
        assert all(-1.2 < e.score < 1.6 for e in found)
    assert life.kernel.recall.trouble() == ""
    assert external_of(life).embedder is smol
