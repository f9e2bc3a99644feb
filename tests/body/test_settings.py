"""What lumen.toml and the environment say, read once."""

from __future__ import annotations

from pathlib import Path

import pytest

from lumen.app.settings import DEFAULT_ROLES, Settings, read_settings, system_zone, zone
from lumen.app.wiring import thresholds_of
from lumen.kernel.triggers import Thresholds


def test_what_is_left_out_has_a_default(tmp_path: Path) -> None:
    path = tmp_path / "lumen.toml"
    path.write_text("")
    found = read_settings(path)
    assert found == Settings(soul="")
    assert thresholds_of(found) == Thresholds()
    path.write_text('[author]\nname = ""\n[roles]\nreflection = "scripted/echo"\n')
    found = read_settings(path)
    assert found.author_name == "friend"
    assert found.roles == {**DEFAULT_ROLES, "reflection": "scripted/echo"}


def test_the_embedder_is_the_built_in_one_until_another_is_chosen(tmp_path: Path) -> None:
    path = tmp_path / "lumen.toml"
    path.write_text("")
    found = read_settings(path)
    assert (found.embedder, found.chosen_embedder) == ("embedded/all-MiniLM-L6-v2", "")
    path.write_text('[embedder]\nmodel = "desk-2/org/model:latest"\n')
    found = read_settings(path)
    assert found.embedder == found.chosen_embedder == "desk-2/org/model:latest"


@pytest.mark.parametrize(
    ("set_to", "meant"),
    [("Asia/Tokyo", "Asia/Tokyo"), (":Asia/Tokyo", "Asia/Tokyo"), ("Mars/Base", "UTC")],
)
def test_without_a_setting_the_systems_zone_holds(
    monkeypatch: pytest.MonkeyPatch, set_to: str, meant: str
) -> None:
    monkeypatch.setenv("TZ", set_to)
    assert zone("").key == meant
    assert zone("Europe/Lisbon").key == "Europe/Lisbon"


def test_a_system_that_names_no_zone_still_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    assert system_zone()
    assert zone("").key
