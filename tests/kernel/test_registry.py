"""What a host notes of models: nothing is lost, nothing made up, and garbage is as good as nothing."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import examples

from lumen.core.canon import dumps
from lumen.core.clock import parse_stamp
from lumen.kernel.models.registry import Registry, load, noting
from lumen.kernel.models.scan import scan
from lumen.mind.endpoints import BUILT_IN, Endpoint
from lumen.mind.roles import parse_assignment
from lumen.mind.substrates.remote import unlisted
from lumen.testing.clock import HandClock

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from tests.kernel.recorder import Recorder

NOW, LATER = "2026-11-15T12:00:00.000Z", "2026-11-16T12:00:00.000Z"
CLOUD = Endpoint("cloud", "openai", "http://127.0.0.1:1/v1")
GPT, LLAMA = unlisted(CLOUD, "gpt"), unlisted(CLOUD, "llama")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab/", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
)
SOUND = {
    "substrate": "cloud",
    "model_id": "gpt",
    "display_name": "GPT",
    "context_tokens": 8,
    "tool_calling": "none",
    "vision": False,
    "small": False,
    "local": False,
}
NOTING = """
import sys
from pathlib import Path
from lumen.kernel.models.registry import noting
from lumen.mind.endpoints import Endpoint
from lumen.mind.substrates.remote import unlisted
path, me = Path(sys.argv[1]), sys.argv[2]
for n in range(40):
    with noting(path) as notes:
        notes.append(notes[-1].listed(unlisted(Endpoint(me, "openai"), f"m{n}"), "now"))
"""


def _noon(day: int = 15) -> datetime:
    return parse_stamp(NOW).replace(day=day)


def notes_with(**more: object) -> bytes:
    empty: dict[str, object] = {"models": {}, "probed": [], "gone": {}, "looked": {}}
    return dumps({**empty, **more})


@settings(max_examples=examples(30))
@given(st.binary() | JSON.map(dumps) | st.fixed_dictionaries(
    {"models": JSON, "probed": JSON, "gone": JSON, "looked": JSON}
).map(dumps))  # fmt: skip
def test_garbage_is_as_good_as_no_notes(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.mktemp("notes") / "models.json"
    path.write_bytes(raw)
    found = load(path)
    assert found.stale(parse_assignment("interface", "cloud/gpt"), {"cloud": CLOUD}) == ""
    assert found.of("cloud") == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"models": {"cloud/gpt": {**SOUND, "local": "yes"}}},
        {"models": {"cloud/gpt": {**SOUND, "substrate": "ollama"}}},
        {"models": {"cloud/gpt": {**SOUND, "context_tokens": "8"}}},
        {"models": {"cloud/gpt": {**SOUND, "display_name": 3}}},
        {"models": {"cloud/gpt": {"substrate": "cloud"}}},
        {"gone": {"cloud/gpt": 3}},
        {"probed": [3]},
        {"looked": {"cloud": {"at": 3, "ok": True, "detail": ""}}},
    ],
)
def test_notes_of_what_cannot_be_are_not_believed(tmp_path: Path, wrong: dict[str, object]) -> None:
    path = tmp_path / "models.json"
    path.write_bytes(notes_with(models={"cloud/gpt": SOUND}))
    assert list(load(path).models) == ["cloud/gpt"]
    path.write_bytes(notes_with(**wrong))
    assert load(path) == Registry()


def test_no_notes_are_no_models(tmp_path: Path) -> None:
    assert load(tmp_path / "models.json") == Registry()


def test_two_processes_that_note_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "share" / "models.json"
    both = [
        subprocess.Popen([sys.executable, "-c", NOTING, str(path), name]) for name in ("a", "b")
    ]
    assert [process.wait() for process in both] == [0, 0]
    assert len(load(path).models) == 80
    assert sorted(p.name for p in path.parent.iterdir()) == ["models.json", "models.lock"]


def test_a_failure_while_noting_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    with noting(path) as notes:
        notes.append(notes[-1].listed(GPT, NOW))
    with pytest.raises(TypeError), noting(path) as notes:
        notes.append(notes[-1].listed(LLAMA, object()))  # type: ignore[arg-type] # what cannot be kept
    assert list(load(path).models) == ["cloud/gpt"]


def test_a_scan_notes_what_is_there_what_is_gone_and_what_came_back(
    tmp_path: Path, cloud: Recorder
) -> None:
    path, clock = tmp_path / "models.json", HandClock(_noon(), step_ms=0, seed=0)
    endpoints = {"cloud": cloud.endpoint()}

    def scanned(*models: str) -> Registry:
        cloud.models = models
        (found,) = asyncio.run(scan(endpoints, path, clock))
        assert [m.model_id for m in found.models] == list(models)
        return load(path)

    assert [m.model_id for m in scanned("gpt", "llama").of("cloud")] == ["gpt", "llama"]
    assignment = parse_assignment("interface", "cloud/llama")

    gone = scanned("gpt")
    assert gone.gone == {"cloud/llama": NOW}
    assert gone.stale(assignment, endpoints) == "gone since 2026-11-15"
    assert [m.model_id for m in gone.of("cloud")] == ["gpt"]
    clock.at = _noon(16)
    assert scanned("gpt").gone == {"cloud/llama": NOW}

    back = scanned("gpt", "llama")
    assert back.gone == {}
    assert back.stale(assignment, endpoints) == ""
    assert {m.last_seen for m in back.of("cloud")} == {LATER}


def test_a_scan_that_fails_takes_nothing_for_gone(tmp_path: Path, cloud: Recorder) -> None:
    path, clock = tmp_path / "models.json", HandClock(_noon(), step_ms=0, seed=0)
    asyncio.run(scan({"cloud": cloud.endpoint()}, path, clock))
    away = {"cloud": Endpoint("cloud", "openai", "http://127.0.0.1:1/v1")}
    (found,) = asyncio.run(scan(away, path, clock))
    assert "cannot be reached" in found.trouble
    assert load(path).gone == {}
    assert [m.model_id for m in load(path).of("cloud")] == ["gpt"]
    assert not load(path).looked["cloud"].ok


def test_a_substrate_without_its_key_is_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    (found,) = asyncio.run(
        scan({"openai": BUILT_IN["openai"]}, path, HandClock(_noon(), step_ms=0, seed=0))
    )
    assert (found.trouble, found.fix) == ("no key (OPENAI_API_KEY)", "lumen models key openai")
    assert load(path).stale(parse_assignment("interface", "openai/x"), BUILT_IN) == "no key"
    assert "is no substrate" in load(path).stale(parse_assignment("interface", "nowhere/x"), {})


def test_what_answered_a_probe_stays_though_no_list_has_it_until_it_is_gone() -> None:
    notes = Registry().answered(LLAMA, NOW).saw("cloud", [GPT], LATER)
    assert [m.model_id for m in notes.of("cloud")] == ["gpt", "llama"]
    assert notes.without(LLAMA, LATER).gone == {"cloud/llama": LATER}
    assert [m.model_id for m in notes.without(LLAMA, LATER).of("cloud")] == ["gpt"]


def test_what_answered_a_probe_and_is_listed_later_can_go_as_others_do() -> None:
    notes = Registry().answered(LLAMA, NOW).saw("cloud", [LLAMA], NOW).saw("cloud", [], LATER)
    assert notes.gone == {"cloud/llama": LATER}


def test_of_other_substrates_a_look_says_nothing() -> None:
    other = unlisted(Endpoint("other", "openai"), "gpt")
    notes = Registry().listed(other, NOW).saw("cloud", [GPT], LATER)
    assert notes.gone == {}
    assert notes.looked["cloud"].detail == "1 model"


def test_a_model_that_is_listed_again_is_gone_no_longer() -> None:
    notes = Registry().listed(GPT, NOW).without(GPT, NOW).listed(GPT, LATER)
    assert (notes.gone, notes.models["cloud/gpt"].last_seen) == ({}, LATER)
