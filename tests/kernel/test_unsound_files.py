"""What a being is told when its files, its index or a store are not what they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.core.errors import UsageError
from lumen.core.stores import Store
from lumen.kernel.gate import checkpoints
from lumen.kernel.recall import search

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


def test_what_is_not_learnt_yet_is_told_until_it_is(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "BACKLOG", 3)
    life.tell("I like rice.", "My brother lives in Kazan.", "I was born in Madrid.")
    recall = life.kernel.recall
    life.kernel.index.catch_up()

    assert "lumen maintain" in recall.backlog()
    recall.learn(2)
    assert recall.backlog() == ""


def test_a_self_file_that_is_a_link_out_of_the_being_is_not_adopted(life: Life) -> None:
    elsewhere = life.kernel.being.root.parent / "elsewhere.md"
    elsewhere.write_text("# Mallory\n\nI am somebody else.\n", "utf-8")
    soul = life.kernel.being.root / "data" / "soul.md"
    soul.unlink()
    soul.symlink_to(elsewhere)
    life.script({"when": ".", "fail": "none"})
    life.say("I like rice.")

    told = [event.entry.description for event in life.kernel.index.events.all()]
    assert not any("somebody else" in text for text in told)
    assert life.kernel.self_.name != "Mallory"


def test_one_within_the_being_is_read(life: Life) -> None:
    files = life.kernel.gate.files
    soul = life.kernel.being.root / "data" / "soul.md"
    kept = soul.with_name("kept.md")
    soul.replace(kept)
    soul.symlink_to(kept)

    assert files.read("data/soul.md") == kept.read_bytes()


@pytest.mark.parametrize(
    ("store", "sound", "unsound"),
    [
        (Store.LISTS, {"shopping": ["milk"]}, {"shopping": ["milk\x1b[2J"]}),
        (Store.LISTS, {}, {"shopping": ["milk", 5, None]}),
        (Store.LISTS, {"shopping": []}, {"shopping": "milk"}),
        (
            Store.REMINDERS,
            {"one": {"what": "call Ana", "at": "2031-04-02T09:00:00", "hour": True, "event": 4}},
            {"one": {"what": None, "at": "2031-04-02T09:00:00"}},
        ),
    ],
)
def test_lists_and_reminders_hold_plain_words(store: Store, sound: object, unsound: object) -> None:
    assert isinstance(sound, dict)
    assert isinstance(unsound, dict)
    assert store.place.check(sound) == ""
    assert "must be" in store.place.check(unsound)


@pytest.mark.parametrize("name", ["a\x1b[2Jb", "b\x07", "\u202ename"])
def test_a_checkpoint_has_a_name_that_can_be_seen(life: Life, name: str) -> None:
    with pytest.raises(UsageError, match="can be seen"):
        checkpoints.create(life.kernel.gate, name)


def test_words_that_a_broken_skill_could_not_say_count_against_no_value(life: Life) -> None:
    life.script({"when": ".", "say": "Good."})
    skill = life.kernel.being.root / "skills" / "chat" / "main.py"
    skill.write_text("import sys\nsys.exit(3)\n", "utf-8")
    for text in ("I like rice.", "I like tea.", "How are you?"):
        life.say(text)

    cycles = [
        event.entry.payload["cycle"]
        for event in life.kernel.index.events.all()
        if "cycle" in event.entry.payload
    ]
    assert [(c["delta"], c["progress"]) for c in cycles] == [(0.0, False)] * 3
