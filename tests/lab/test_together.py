"""The measurement of talking beside `lumen run`, in short: the long form is `lumen lab together`."""

from __future__ import annotations

import pytest

from lumen.core.payloads import CallPayload
from lumen.lab.speed import Speed, quantile, speed
from lumen.lab.together import Measured, measure


@pytest.mark.deep
def test_a_short_measurement_talks_alone_and_beside_and_the_archive_verifies() -> None:
    said: list[str] = []
    found = measure(0, model="scripted/echo", block=1, progress=said.append)

    assert (len(found.alone), len(found.beside)) == (1, 1)
    assert found.cycles >= 1
    assert found.ok
    assert said[-1] == "  1 replies alone, 1 beside"
    assert found.model == "scripted/echo"


@pytest.mark.parametrize(("slow", "verdict"), [(1.3, "yes"), (1.4, "NO")])
def test_the_table_says_whether_the_target_holds(slow: float, verdict: str) -> None:
    found = Measured("m", (1.0,) * 20, (1.0,) * 18 + (slow,) * 2, 7, ok=True)
    lines = list(found.lines())

    assert f"p95 beside ≤ 1.3 × alone: {verdict}" in lines
    assert lines[3].split()[-2:] == [f"{slow:.2f}", "×"]
    assert found.as_json()["holds"] is (verdict == "yes")
    assert lines[-1] == "meanwhile 7 cycles were lived; the archive verifies"


def test_an_archive_that_does_not_verify_never_holds() -> None:
    found = Measured("m", (1.0,), (1.0,), 0, ok=False)

    assert not found.holds
    assert "does NOT verify" in list(found.lines())[-1]


def test_a_quantile_is_a_value_that_was_measured() -> None:
    took = [3.0, 1.0, 2.0, 5.0, 4.0]

    assert (quantile(took, 0.5), quantile(took, 0.95), quantile(took[:1], 0.95)) == (3.0, 5.0, 3.0)


def call(
    seconds: float, first_seconds: float | None = None, completion_tokens: int = 0
) -> CallPayload:
    read: CallPayload = {
        "role": "interface",
        "step": "drafts",
        "model": "m",
        "local": True,
        "set_aside": 9,
        "prompt_tokens": 100,
        "cached_tokens": 60,
        "seconds": seconds,
        "completion_tokens": completion_tokens,
    }
    if first_seconds is not None:
        read["first_seconds"] = first_seconds
    return read


def test_the_speed_of_calls_is_of_those_that_were_answered_with_words() -> None:
    silent = call(seconds=9.0)
    quick = call(seconds=3.0, first_seconds=1.0, completion_tokens=10)
    slow = call(seconds=7.0, first_seconds=5.0, completion_tokens=20)
    found = speed([quick, slow, silent])

    assert found is not None
    assert found == Speed(2, 5.0, 7.0, 7.5, 200, 120)
    assert speed([silent]) is None
    assert found.line() in list(Measured("m", (1.0,), (1.0,), 0, ok=True, speed=found).lines())
