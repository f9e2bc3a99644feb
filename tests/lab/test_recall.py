"""The recall evaluation on a made-up talk: the long form is `lumen lab recall --dataset`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lumen.core.canon import JSON, dumps
from lumen.core.errors import UsageError
from lumen.lab.recall import NEVER, AskedRow, Judged, figures, judged
from lumen.lab.recall_data import read_conversations
from lumen.lab.recall_report import RecallRun, lines, run
from lumen.lab.recall_weights import BY_HAND, learnt, left_out

TALK = (
    ("Ann", "My accordion is from my grandfather."),
    ("Ben", "I keep bees behind the mill."),
    ("Ann", "How many hives do you have?"),
    ("Ben", "Seven, and two more next spring."),
)


def locomo(name: str) -> dict[str, JSON]:
    """Two people who talk twice, and what is asked about it."""
    said = [{"speaker": who, "dia_id": f"D1:{n}", "text": t} for n, (who, t) in enumerate(TALK)]
    return {
        "sample_id": name,
        "conversation": {
            "session_1": said,
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "I sold the boat."}],
            "session_2_date_time": "9:00 am on 1 June, 2023",
        },
        "qa": [
            {"question": "Who gave Ann the accordion?", "category": 4, "evidence": ["D1:0"]},
            {"question": "What did Ann sell?", "category": 2, "evidence": ["D2:1; D1:9"]},
            {"question": "What does Ben fly?", "category": 5, "evidence": ["D1:1"]},
            {"question": "What is not there?", "category": 1, "evidence": ["D9:1"]},
        ],
    }


BEAM = {
    "sample_id": "b",
    "messages": [
        {"id": 0, "batch": 1, "role": "user", "time_anchor": "March-15-2024", "content": "I row."},
        {"id": 1, "batch": 1, "role": "assistant", "time_anchor": "", "content": "Row often."},
    ],
    "questions": [{"question": "What did you advise?", "kind": "advice", "evidence": [1]}],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "talks.json"
    file.write_bytes(dumps([locomo("one"), locomo("two")]))
    return file


def test_both_shapes_are_read_with_speakers_dates_and_sessions(file: Path) -> None:
    one, _ = read_conversations(file)
    assert [q.text for q in one.questions] == ["Who gave Ann the accordion?", "What did Ann sell?"]
    assert [q.gold for q in one.questions] == [{0}, {4}]
    assert [m.session for m in one.messages] == ["one-1"] * 4 + ["one-2"]
    assert [(m.speaker, f"{m.at:%F}") for m in one.messages[3:]] == [
        ("Ben", "2023-05-08"),
        ("Ann", "2023-06-01"),
    ]
    file.write_bytes(dumps([BEAM]))
    (beam,) = read_conversations(file)
    assert [m.speaker for m in beam.messages] == [None, "assistant"]
    assert {f"{m.at:%F}" for m in beam.messages} == {"2024-03-15"}
    assert beam.questions[0].gold == {1}
    file.write_bytes(b'[{"a": 1}]')
    with pytest.raises(UsageError):
        read_conversations(file)


@pytest.mark.embedded
def test_a_run_tells_asks_and_counts_apart_and_pooled(file: Path, tmp_path: Path) -> None:
    vectors, weights = tmp_path / "vectors", tmp_path / "weights.json"
    wanted = RecallRun((file,), vectors, pooled=True, learn=weights)
    told = run(wanted, lambda _: None)
    assert told["locomo"]["questions"] == told["locomo pooled"]["questions"] == 4
    assert told["locomo"]["recall"]["hit@1"][0] == 1.0
    assert told["locomo"]["by_kind"]["2"] == {"questions": 2, "hit@5": 1.0}
    assert "hit@5" in "\n".join(lines(told))
    assert b"cos_win" in weights.read_bytes()
    kept = [*vectors.iterdir()]
    size = kept[0].stat().st_size
    again = run(replace(wanted, leave_one_out=True, most=2), lambda _: None)
    assert kept[0].stat().st_size == size, "a vector was made again"
    assert again["weights"] == "one left out"


def row(conversation: str, right: int, seed: int) -> AskedRow:
    """A question whose right candidate has the highest first feature; the second is noise."""
    table = np.random.default_rng(seed).normal(size=(6, 2)).astype(np.float32)
    table[right, 0] = table[:, 0].max() + 1
    mask = np.arange(6) == right
    sessions = np.arange(6, dtype=np.int64)
    names = ("bm25", "noise")
    held = frozenset({right})
    return AskedRow(
        conversation, "locomo", "1", names, table, mask, sessions, 1, held, {}, 1.0, 1.0
    )


def test_weights_are_learnt_that_put_the_right_ones_first() -> None:
    rows = [row(f"c{n % 3}", n % 6, n) for n in range(60)]
    weights = learnt(rows)
    assert weights["bm25"] > 5 * abs(weights["noise"])
    assert {name: weights[name] for name in BY_HAND} == BY_HAND
    apart, together = left_out(rows, rows[:3])
    assert figures(apart)["hit@1"][0] > 0.95
    assert len(together) == 3


def test_what_is_measured_is_the_first_right_one_all_of_them_and_their_sessions() -> None:
    one = row("c", 3, 1)
    assert judged(one, {"bm25": 1.0}) == Judged(1, 1.0, 1.0)
    assert judged(one, {"bm25": -1.0}) == Judged(6, 0.0, 1.0)
    lost = replace(one, right=np.zeros(6, bool), right_sessions=frozenset({9}))
    assert judged(lost, {"bm25": 1.0}) == Judged(NEVER, 0.0, 0.0)
    found = figures([Judged(1, 1.0, 1.0), Judged(6, 0.0, 0.5)])
    assert found["hit@1"][0] == found["hit@5"][0] == found["recall_all@5"][0] == 0.5
    assert found["mrr"][0] == pytest.approx((1 + 1 / 6) / 2)
    assert found["session_recall@10"][0] == 0.75
