"""Edits by hand: adopted at the start of a turn, or said why not and what stays in force."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.kernel.turning import close_dead_turns, in_turn
from tests.waiting import PATIENCE

from lumen.core.canon import sha256
from lumen.core.clock import SystemClock
from lumen.core.data import Author, Change, Entry, EventType, Origin, SelfItem
from lumen.core.errors import Refused
from lumen.core.stores import Store
from lumen.kernel.gate.edits import look, self_in_force
from lumen.kernel.identity.digest import snapshot
from lumen.kernel.identity.provenance import provenance
from lumen.kernel.turn.run import EditsWait, adopt_edits
from lumen.soul.checking.verify import verify
from lumen.soul.state.selfhood import SOUL, VALUES, goals_of, spell
from lumen.soul.writing.open import files_of

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded, Life
    from tests.kernel.listening import Listener

    from lumen.core.data import Event

KEY = "sk-" + "a1B2" * 8  # in two parts: it is no key, and this file would hold one
HONESTY = spell([SelfItem("honesty", 0.9, "active")])
GOALS = '[\n  {"name": "learn to sing", "weight": 0.5, "status": "working"}\n]\n'
FLAWED = [
    (b"[\n{]\n", 2, "it is not JSON"),
    (b'[\n\n{"name": "x", "weight": 2, "status": "active"}]', 3, "must be between 0 and 1"),
    (HONESTY[:-3].encode() + b",\n" + HONESTY[2:].encode(), 3, "'honesty' is there twice"),
    (b"[\n\xff\n]", 2, "it is not UTF-8 text"),
    (b" " * (256 * 1024) + b"[]", 1, "characters; at most 262,144 fit"),
    (f'[\n\n{{"name": "{KEY}", "weight": 1, "status": "active"}}]'.encode(), 3, "a secret key"),
    (b"", 1, "it is not JSON"),
    (b'[{"name": "x", "weight": ' + b"1" * 5000 + b', "status": "active"}]', 1, ""),
]


def edited(life: Life) -> list[Event]:
    return [e for e in life.events() if e.entry.situation == "edited"]


def waking(life: Life) -> Listener:
    """A being that has just been opened, and a model that keeps what it is shown."""
    assert life.open_again() == []
    return life.listen()


@pytest.mark.parametrize(
    ("path", "text", "shown"),
    [
        (VALUES, HONESTY, "honesty (0.9)"),
        (SOUL, "# Nova\n\nBorn by the sea.\n", "Born by the sea."),
        (goals_of(2026), GOALS, "learn to sing"),
        (goals_of(2019), GOALS, "learn to sing"),
    ],
)
def test_an_edit_is_adopted_when_the_next_turn_begins(
    life: Life, path: str, text: str, shown: str
) -> None:
    listener = waking(life)
    file = life.being.at(path)
    before = sha256(file.read_bytes()) if file.exists() else ""
    file.write_text(text, "utf-8")
    life.say("I like rice.")

    (event,) = edited(life)
    entry = event.entry
    assert (entry.author, entry.origin) == (Author.EXTERNAL, Origin.AUTHOR)
    assert (entry.event_type, entry.session_key) == (EventType.SYSTEM_EVENT, "lumen:author")
    assert entry.description == f"The author edited {path}."
    (change,) = entry.payload["changes"]
    assert (change["path"], change["base"], change["value"]) == (path, before, text)
    assert shown in listener.prompts[0].system
    assert life.told() == [f"{path} was edited by hand: adopted."]
    assert next(e.seq for e in life.turn()) == event.seq + 1  # before the words that follow it
    assert file.read_text("utf-8") == text

    life.say("I like rice a lot.")
    assert len(edited(life)) == 1
    assert life.told() == []
    assert life.kernel.index.differences() == []
    assert verify(life.being, life.keyring).ok


def test_several_edits_are_one_change(life: Life) -> None:
    waking(life)
    life.being.values.write_text(HONESTY)
    life.being.soul_md.write_text("# Nova\n")
    life.say("I like rice.")

    (event,) = edited(life)
    assert [c["store"] for c in event.entry.payload["changes"]] == ["soul", "values"]
    assert life.kernel.self_.name == "Nova"
    assert f'"seq":{event.seq},' in life.being.heads.read_text()


def test_an_edit_is_no_evidence_and_opens_no_turn(life: Life) -> None:
    waking(life)
    life.being.soul_md.write_text("# Nova\n\nMy sister lives in Lisbon.\n")
    life.kernel.gate.adopt()

    assert life.open_turns() == []
    assert life.wonder().evidence("Where does my sister live?") == ()


@pytest.mark.parametrize(
    ("data", "line", "why"),
    FLAWED,
    ids=["json", "weight", "twice", "bytes", "long", "secret", "empty", "digits"],
)
def test_a_flawed_edit_is_told_and_what_was_in_force_stays_in_force(
    life: Life, data: bytes, line: int, why: str
) -> None:
    listener = waking(life)
    gate = life.kernel.gate
    beat = Entry(Author.KERNEL, EventType.SYSTEM_EVENT, Origin.KERNEL, "record", "", "x")
    gate.commit("author", [Change(Store.VALUES, "put", SelfItem("calm", 0.3, "active"))], beat)
    life.being.values.write_bytes(data)
    life.say("I like rice.")

    (told,) = life.told()
    assert told.startswith(f"{VALUES} line {line} is not used: ")
    assert why in told
    assert edited(life) == []
    assert "calm (0.3)" in listener.prompts[0].system
    assert [v.name for v in self_in_force(life.kernel.index).values] == ["calm"]
    assert life.being.values.read_bytes() == data
    assert KEY.encode() not in b"".join(p.read_bytes() for p in life.being.memory.rglob("*.jsonl"))

    put = Change(Store.VALUES, "put", SelfItem("courage", 0.3, "active"))
    with pytest.raises(Refused, match="was edited by hand and is not adopted yet") as refused:
        gate.commit("author", [put], beat)
    assert refused.value.fix == "lumen self diff"
    assert life.events()[-1].entry.situation == "refused"
    assert life.being.values.read_bytes() == data
    soul = Change(Store.SOUL, "set", "# Nova\n", sha256(b""))
    gate.commit("author", [soul], beat)  # another file is none of its business

    life.being.values.write_text(HONESTY)
    life.say("I like rice a lot.")
    assert life.told() == [f"{VALUES} was edited by hand: adopted."]
    assert "honesty (0.9)" in listener.prompts[-1].system
    assert "calm" not in listener.prompts[-1].system
    gate.commit("author", [put], beat)
    life.kernel.index.catch_up()
    assert [v.name for v in self_in_force(life.kernel.index).values] == ["honesty", "courage"]


def test_a_flawed_edit_that_is_put_back_is_as_if_it_had_not_been(life: Life) -> None:
    waking(life)
    before = life.being.values.read_bytes()
    life.being.values.write_text("[")
    assert len(life.open_again()) == 1
    life.being.values.write_bytes(before)

    assert life.open_again() == []
    assert edited(life) == []


def test_of_two_edits_the_sound_one_is_adopted(life: Life) -> None:
    waking(life)
    life.being.values.write_text("{}")
    life.being.soul_md.write_text("# Nova\n")
    told = life.open_again()

    assert told[0] == f"{SOUL} was edited by hand: adopted."
    assert told[1].startswith(f"{VALUES} line 1 is not used: it must be a list")
    assert self_in_force(life.kernel.index).name == "Nova"


def test_the_authors_own_words_are_kept_out_of_the_self_too(life: Life) -> None:
    waking(life)
    life.kernel.gate.secrets = ("Rumpelstiltskin",)
    life.being.soul_md.write_text("# Nova\n\nAlso called Rumpelstiltskin.\n")
    (told,) = life.kernel.gate.adopt()

    assert told.startswith(f"{SOUL} line 3 is not used: it holds what looks like a secret key")
    assert edited(life) == []


@pytest.mark.parametrize("path", [VALUES, SOUL, goals_of(2026)])
def test_a_deleted_file_is_back_at_the_next_opening_and_said_to_be(life: Life, path: str) -> None:
    waking(life)
    before = life.being.at(path).read_bytes()
    life.being.at(path).unlink()
    life.say("I like rice.")
    assert look(files_of(life.being), life.kernel.index).missing == (path,)
    assert not life.being.at(path).exists()

    assert life.open_again() == [f"{path} was missing and is now as event 1 left it."]
    assert life.being.at(path).read_bytes() == before
    assert life.open_again() == []


def test_a_folder_of_goals_that_is_gone_is_made_again(life: Life) -> None:
    waking(life)
    (life.being.goals / "2026.json").unlink()
    life.being.goals.rmdir()
    life.open_again()

    assert (life.being.goals / "2026.json").read_text() == "[]\n"


def test_other_files_in_the_folder_of_goals_are_none_of_its_business(life: Life) -> None:
    waking(life)
    (life.being.goals / "notes.json").write_text("[")
    (life.being.goals / "2027.json").mkdir()

    assert life.open_again() == []


@pytest.mark.parametrize("path", [VALUES, SOUL])
def test_a_folder_where_a_file_should_be_is_told_not_tripped_over(life: Life, path: str) -> None:
    waking(life)
    life.being.at(path).unlink()
    life.being.at(path).mkdir()
    life.say("I like rice.")

    assert [t for t in life.told() if path in t] != []
    assert edited(life) == []


def test_nothing_is_adopted_while_another_turn_may_be_running_a_skill(life: Life) -> None:
    listener = waking(life)
    life.being.values.write_text(HONESTY)
    life.kernel.edits = EditsWait(wait_s=0.05)
    with in_turn(life.being):
        life.say("I like rice.")
        assert edited(life) == []
        assert "honesty" not in listener.shown()
        assert life.told() == []
    life.say("I like rice a lot.")
    assert len(edited(life)) == 1


def test_what_another_process_changed_is_in_the_next_prompt_whoever_else_is_in_a_turn(
    life: Life, wake_again: Callable[[Life], Life]
) -> None:
    listener = waking(life)
    elsewhere = wake_again(life)
    beat = Entry(Author.KERNEL, EventType.SYSTEM_EVENT, Origin.KERNEL, "record", "", "x")
    put = Change(Store.VALUES, "put", SelfItem("calm", 0.3, "active"))
    elsewhere.kernel.gate.commit("author", [put], beat)
    with in_turn(life.being):
        life.say("I like rice.")

    assert "calm (0.3)" in listener.prompts[0].system


def test_what_the_prompt_says_of_the_self_is_what_the_archive_says(life: Life) -> None:
    waking(life)
    life.being.soul_md.write_text("# Nova\n## Ontology\nA pattern.\n## Narrative\nBorn.\n")
    life.being.values.write_text(
        spell([SelfItem("honesty", 0.9, "active"), SelfItem("pride", 0.9, "deprecated")])
    )
    (life.being.goals / "2026.json").write_text(
        spell([SelfItem("sing", 0.5, "done"), SelfItem("swim", 0.5, "todo")])
    )
    life.open_again()
    found = life.kernel.self_

    assert (found.name, found.author_name) == ("Nova", "Ada")
    assert found.narrative == "A pattern.\n\nBorn."
    assert found.values == (("honesty", 0.9),)
    assert [(g.name, g.status) for g in found.goals] == [("swim", "todo")]
    assert found == snapshot(self_in_force(life.kernel.index), "Ada", provenance(life.kernel.index))


ADOPTS = """
import sys
from pathlib import Path
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths
from lumen.kernel.gate.commit import Gate
from lumen.soul.writing.open import open_storage
from lumen.soul.trust.keys import Keyring
root = Path(sys.argv[1])
being = BeingPaths(root / "being")
gate = Gate(being, Keyring(root / "host"), SystemClock(), open_storage(being, Keyring(root / "host"), SystemClock()))
print("ready", flush=True)
sys.stdin.readline()
print(gate.adopt())
"""


def test_two_processes_that_adopt_at_once_archive_it_once(guarded: Guarded) -> None:
    guarded.being.values.write_text(HONESTY)
    both = [
        subprocess.Popen(
            [sys.executable, "-c", ADOPTS, str(guarded.being.root.parent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for one in both:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in both:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    said = sorted(one.communicate(timeout=PATIENCE)[0].strip() for one in both)

    assert said == [f"['{VALUES} was edited by hand: adopted.']", "[]"]
    assert [e.entry.situation for e in guarded.events()] == ["genesis", "edited"]
    assert verify(guarded.being, guarded.keyring).ok


def cut_off(life: Life, text: str = HONESTY, *, later: float = 1) -> None:
    """A turn was begun and its process died; a file was changed some seconds after it began."""
    life.tell("I like rice.")
    began = life.clock.at.timestamp()
    life.being.values.write_text(text)
    os.utime(life.being.values, (began + later, began + later))


def test_an_edit_made_while_a_turn_was_cut_off_waits_for_the_authors_word(life: Life) -> None:
    listener = waking(life)
    cut_off(life)
    told = life.open_again()

    assert any("perhaps not by you: it is not used" in t and "lumen self accept" in t for t in told)
    held = [e.entry for e in life.events() if e.entry.situation == "held"]
    assert [h.payload["held"] for h in held] == [
        {"path": VALUES, "sha256": sha256(HONESTY.encode())}
    ]
    assert held[0].author is Author.KERNEL
    assert self_in_force(life.kernel.index).values == ()
    life.say("I like rice.")
    assert "honesty" not in listener.shown()
    assert edited(life) == []
    assert life.being.values.read_text() == HONESTY
    life.open_again()
    assert len([e for e in life.events() if e.entry.situation == "held"]) == 1

    assert life.kernel.gate.adopt(vouched=True) == [f"{VALUES} was edited by hand: adopted."]
    assert [v.name for v in self_in_force(life.kernel.index).values] == ["honesty"]
    assert life.kernel.gate.adopt(vouched=True) == []
    assert life.kernel.gate.adopt() == []
    assert life.kernel.index.differences() == []


def test_an_edit_held_and_then_changed_by_hand_is_the_authors(life: Life) -> None:
    waking(life)
    cut_off(life)
    life.open_again()
    life.being.values.write_text(spell([SelfItem("calm", 0.3, "active")]))

    assert life.open_again() == [f"{VALUES} was edited by hand: adopted."]


def test_an_edit_made_before_the_turn_that_was_cut_off_is_the_authors(life: Life) -> None:
    waking(life)
    life.being.values.write_text(HONESTY)
    life.clock.at = SystemClock().now() + timedelta(hours=1)  # the turn comes after the edit
    life.tell("I like rice.")
    was = life.open_again()

    assert f"{VALUES} was edited by hand: adopted." in was
    assert [e for e in life.events() if e.entry.situation == "held"] == []


def test_a_flawed_edit_made_while_a_turn_was_cut_off_is_told_as_such(life: Life) -> None:
    waking(life)
    cut_off(life, "[")

    assert any(f"{VALUES} line 1 is not used" in t for t in life.open_again())
    assert [e for e in life.events() if e.entry.situation == "held"] == []


def test_an_edit_made_while_a_turn_was_cut_off_is_held_though_others_were_busy_at_the_opening(
    life: Life,
) -> None:
    waking(life)
    cut_off(life)
    with in_turn(life.being):  # somebody else's, and alive: the dead turn is left for later
        assert close_dead_turns(life.kernel) == []
    adopt_edits(life.kernel)

    assert edited(life) == []
    known = life.kernel.index.files.kept(VALUES)
    assert known is not None
    assert known.text == "[]\n"
