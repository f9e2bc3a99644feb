"""What lumen.toml and the environment say, read once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from lumen.app.settings import NOBODY, machine_zone, zone, zone_of
from lumen.app.wiring import thresholds_of
from lumen.core import toml
from lumen.core.errors import BadSetting
from lumen.core.settings import Settings, blank, read_settings
from lumen.core.toml import setting
from lumen.kernel.reflection.triggers import Thresholds
from lumen.kernel.upkeep.untracked_files import BEFORE, own_settings


def test_what_is_left_out_has_a_default(tmp_path: Path) -> None:
    path = tmp_path / "lumen.toml"
    path.write_text("")
    found = read_settings(path)
    assert found == Settings()
    assert thresholds_of(found) == Thresholds()
    path.write_text('[author]\nname = ""\n[roles]\nreflection = "scripted/echo"\n')
    found = read_settings(path)
    assert found.author_name == "friend"
    assert found.roles == {**Settings().roles, "reflection": "scripted/echo"}


def test_the_settings_a_being_begins_with_say_what_holds_without_them(tmp_path: Path) -> None:
    path = tmp_path / "lumen.toml"
    path.write_text(blank().format(soul="01"), "utf-8")
    found = read_settings(path)
    assert found.soul == "01"
    assert found.skill_settings["search"] == {"folders": ["files"], "endpoint": ""}
    assert replace(found, soul="", skill_settings={}) == Settings()


def test_lines_that_a_being_began_with_are_not_its_authors_words_whenever_it_was_born() -> None:
    old = BEFORE.read_text("utf-8")
    for born in (blank(), old):
        text = born.replace('name = "friend"', 'name = "Rosebud"')
        assert own_settings(text.encode()) == ['name = "Rosebud"']


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("seconds = 7", 7.0),
        ("seconds = 0.5", 0.5),
        ("memory_mib = 64", 64),
        ("memory_mib = 64.0", 64),
    ],
)
def test_a_number_may_be_written_either_way(tmp_path: Path, line: str, means: float) -> None:
    path = tmp_path / "lumen.toml"
    path.write_text(f"[skills]\n{line}\n")
    found = read_settings(path)
    value = found.skill_seconds if "seconds" in line else found.skill_memory_mib
    assert (value, type(value)) == (means, type(means))


def test_the_embedder_is_the_built_in_one_until_another_is_chosen(tmp_path: Path) -> None:
    path = tmp_path / "lumen.toml"
    path.write_text("")
    found = read_settings(path)
    assert (found.embedder, found.external_embedder) == ("embedded/multilingual-e5-small", "")
    path.write_text('[embedder]\nmodel = "desk-2/org/model:latest"\n')
    found = read_settings(path)
    assert found.embedder == found.external_embedder == "desk-2/org/model:latest"


def test_the_zone_is_lumen_tomls_then_the_machines_then_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for said in ("Asia/Tokyo", ":Asia/Tokyo"):
        monkeypatch.setenv("TZ", said)
        assert zone_of("") == ("Asia/Tokyo", "the machine")
    assert zone_of("Europe/Lisbon") == ("Europe/Lisbon", "lumen.toml")
    monkeypatch.setenv("TZ", "Mars/Base")
    assert machine_zone(tmp_path) == ""
    monkeypatch.setattr("lumen.app.settings.machine_zone", partial(machine_zone, tmp_path))
    assert zone_of("") == ("Europe/Berlin", NOBODY)
    assert zone("").key == "Europe/Berlin"


def test_the_machines_zone_is_read_off_its_link_or_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TZ", raising=False)
    (tmp_path / "timezone").write_text("Nowhere at all\n")
    assert machine_zone(tmp_path) == ""
    (tmp_path / "timezone").write_text("Asia/Tokyo\n")
    assert machine_zone(tmp_path) == "Asia/Tokyo"
    (tmp_path / "localtime").symlink_to("/usr/share/zoneinfo/Europe/Lisbon")
    assert machine_zone(tmp_path) == "Europe/Lisbon"


@dataclass(frozen=True, slots=True)
class Switched:
    """Settings with nothing but a switch."""

    hums: bool = setting("mood.hums", True, "whether it hums")


def test_a_switch_is_true_or_false_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "lumen.toml"
    path.write_text(toml.template(Switched, "Of its moods.", {}), "utf-8")
    assert "[mood]\n# whether it hums\nhums = true\n" in path.read_text("utf-8")
    assert toml.read(Switched, path).hums
    path.write_text("[mood]\nhums = false\n")
    assert not toml.read(Switched, path).hums
    for wrong in ('"false"', "0", "1.0", "[]"):
        path.write_text(f"[mood]\nhums = {wrong}\n")
        with pytest.raises(BadSetting, match=r"\[mood\] hums must be true or false, not ") as said:
            toml.read(Switched, path)
        assert said.value.fix == "hums = true"
    assert list(toml.rows(Switched)) == [
        ("[mood] hums", "true or false", "true", "whether it hums")
    ]
