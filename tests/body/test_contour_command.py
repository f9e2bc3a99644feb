"""`lumen contour`: the steps of a turn as data, a file of the author's in their place, and back."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING

import pytest

from lumen.core.errors import BadLoop
from lumen.kernel.turn import loops

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

SHIPPED = json.loads(loops.shipped_text())
OWN = "data/contour.json"


def without(step: str) -> str:
    """The shipped contour with one step left out."""
    told = deepcopy(SHIPPED)
    for beats in told["loops"].values():
        for beat in beats:
            beat["steps"] = [name for name in beat["steps"] if name != step]
    told["steps"].pop(step, None)
    return json.dumps(told)


def quoting(many: int) -> str:
    """The shipped contour, with another number of quotes in an answer."""
    told = deepcopy(SHIPPED)
    told["steps"]["reality_check"]["parameters"]["strong"] = 99.0
    told["steps"]["reality_check"]["parameters"]["quotes"] = many
    return json.dumps(told, indent=2)


@pytest.fixture
def file(lumen: Lumen) -> Path:
    """A contour that differs from the shipped one in what an answer may state."""
    path = lumen.home / "mine.json"
    path.write_text(quoting(1), "utf-8")
    return path


def test_every_step_is_shown_in_its_order_with_its_numbers(lumen: Lumen, inside: Inside) -> None:
    del lumen
    shown = inside("contour", "show", "--json").json()
    order = [n for beats in SHIPPED["loops"].values() for b in beats for n in b["steps"]]
    assert [one["step"] for one in shown["steps"]] == order
    assert shown["origin"] == "shipped"
    numbers = {one["step"]: one["parameters"] for one in shown["steps"]}
    assert numbers["drafts"] == SHIPPED["steps"]["drafts"]["parameters"]
    text = inside("contour", "show").out
    assert text.startswith(f"shipped · {len(order)} steps · sha256 ")
    assert "\naction\n" in text
    assert f"strong {SHIPPED['steps']['reality_check']['parameters']['strong']}" in text
    assert inside("contour", "show", "--text").out == loops.shipped_text()


def test_a_being_goes_by_the_authors_file_and_back(
    lumen: Lumen, inside: Inside, file: Path
) -> None:
    for told in ("My sister lives in Lisbon.", "My sister sings."):
        inside("chat", "-m", told)
    stated = inside("chat", "-m", "Where does my sister live?").out
    assert stated.startswith("You told me")

    assert inside("contour", "validate", str(file)).out.startswith(f"✓ {file}: ")
    used = inside("contour", "use", str(file), "--yes")
    assert (used.code, used.out) == (0, f"It goes by {file} from now on.\n")
    assert inside("contour", "show", "--json").json()["origin"] == "this being"
    assert '+        "strong": 99.0,' in inside("contour", "diff").out.splitlines()
    offered = inside("chat", "-m", "Where does my sister live?").out
    assert not offered.startswith("You told me")
    assert "Lisbon" in offered

    again = inside("contour", "use", str(file), "--yes")
    assert (again.code, "already" in again.err) == (2, True)
    back = inside("contour", "use", "--shipped", "--yes")
    assert (back.code, back.out) == (0, "It goes by the shipped contour from now on.\n")
    assert inside("contour", "diff").out == "The shipped contour is in force.\n"
    assert inside("chat", "-m", "Where does my sister live?").out == stated
    assert inside("archive", "verify", "--deep").code == 0
    acts = [e["description"] for e in lumen.events() if e["situation"] == "author"]
    assert acts == ["The author gave it a contour.", "The author took its contour back."]


def test_a_changed_file_of_the_being_is_put_back_and_said(
    lumen: Lumen, inside: Inside, file: Path
) -> None:
    inside("contour", "use", str(file), "--yes")
    held = lumen.being / OWN
    assert held.read_text("utf-8") == file.read_text("utf-8")
    held.write_text(quoting(3), "utf-8")
    said = inside("chat", "-m", "Hello.")
    assert "data/contour.json is as it was: a command changes it." in said.err
    assert held.read_text("utf-8") == file.read_text("utf-8")


@pytest.mark.parametrize("step", sorted({*SHIPPED["steps"], "surface_parse"}))
def test_a_contour_without_one_step_runs_or_names_who_needs_it(
    lumen: Lumen, inside: Inside, step: str
) -> None:
    path = lumen.home / "less.json"
    path.write_text(without(step), "utf-8")
    found = inside("contour", "validate", str(path))
    if found.code == 0:
        inside("contour", "use", str(path), "--yes")
        assert inside("chat", "-m", "Hello.").out.strip()
        return
    assert found.code == 2
    assert "try:" in found.err
    why = ("reads", "no turn can do without it", "the others earlier steps'")
    assert any(one in found.err for one in why)


@pytest.mark.parametrize("step", loops.ALWAYS)
def test_what_no_turn_can_do_without_cannot_be_switched_off(step: str) -> None:
    told = deepcopy(SHIPPED)
    told["steps"].setdefault(step, {})["enabled"] = False
    with pytest.raises(BadLoop, match=f"steps.{step} must run in every turn"):
        loops.contour_of(json.dumps(told))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no JSON"),
        ("[]", "must be an object"),
        ('{"format": "lumen-contour/1", "loops": {}}', "loops.action is missing"),
        (quoting(1).replace('"quotes": 1', '"quotes": "many"'), "reality_check.parameters.quotes"),
        (quoting(1).replace('"ingest"', '"digest"'), "names no step there is: 'digest'"),
    ],
)
def test_what_is_no_contour_is_refused_where_it_is_wrong(
    lumen: Lumen, inside: Inside, text: str, said: str
) -> None:
    path = lumen.home / "wrong.json"
    path.write_text(text, "utf-8")
    before = len(lumen.events())
    for words in (("validate",), ("use", "--yes"), ("diff",)):
        found = inside("contour", words[0], str(path), *words[1:])
        assert (found.code, said in found.err, "try:" in found.err) == (2, True, True), found.err
    assert len(lumen.events()) == before


def test_wrong_words_are_answered(lumen: Lumen, inside: Inside, file: Path) -> None:
    (lumen.home / "binary.json").write_bytes(b"\xff\xfe")
    (lumen.home / "long.json").write_text("x" * 300_000, "utf-8")
    for words in (
        ("use",),
        ("use", str(file), "--shipped"),
        ("use", str(file)),  # nobody to ask
        ("use", "--shipped", "--yes"),  # it does already
        ("validate", "missing.json"),
        ("validate", "."),
        ("validate", "binary.json"),
        ("validate", "long.json"),
    ):
        found = inside("contour", *words)
        assert (found.code, "try:" in found.err) == (2, True), (words, found.err)
    assert not (lumen.being / OWN).exists()


def test_a_contour_that_fits_no_longer_gives_way_to_the_shipped_one_and_that_is_said(
    lumen: Lumen, inside: Inside, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside("contour", "use", str(file), "--yes")
    monkeypatch.setattr(loops, "ALWAYS", (*loops.ALWAYS, "rehearsal_run"))
    loops.contour_of.cache_clear()
    said = inside("chat", "-m", "Hello.")
    assert "The contour you gave it cannot be used any more" in said.err
    assert "try: lumen contour use --shipped" in said.err
    assert said.code == 0
    loops.contour_of.cache_clear()
