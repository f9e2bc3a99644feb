"""What is forgotten is also gone from what was read before, set aside, or left by others."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import apsw
import pytest
from tests.kernel.turning import in_turn
from tests.storing import tables

from lumen.core.data import Author, Change, Entry, EventType, Origin, kernel_entry
from lumen.core.errors import Busy, Damaged, Refused, UsageError
from lumen.core.stores import Store
from lumen.kernel.gate.checkpoints import create
from lumen.kernel.gate.presence import no_turn_meanwhile
from lumen.kernel.language.overlap import OverlapDetector
from lumen.kernel.upkeep.forget import carry_out, find, plan
from lumen.soul.archive.locks import FileLocks
from lumen.soul.index.index import Index
from lumen.soul.state.selfhood import SOUL, without

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

TOLD = "My sister Zoe lives in Xanadupolis with Bruno."
WORD = b"xanadupolis"


def forget(life: Life, what: str = "Xanadupolis") -> None:
    life.kernel.index.catch_up()
    found = plan(life.kernel.gate, find(life.kernel.index, what))
    carry_out(life.kernel.gate, found)


def holding(life: Life) -> list[str]:
    files = [p for p in life.being.root.rglob("*") if p.is_file()]
    return [life.being.named(p) for p in files if WORD in p.read_bytes().lower()]


def test_the_next_prompt_no_longer_tells_of_it(life: Life) -> None:
    life.open_again()
    life.tell(TOLD)
    life.being.soul_md.write_text("# Ada\n\nZoe lives in Xanadupolis.\nI like tea.\n", "utf-8")
    life.open_again()
    life.kernel.gate.adopt(vouched=True)
    listener = life.listen("Fine.")
    life.say("I like rice.")
    assert "Xanadupolis" in listener.prompts[-1].system
    forget(life)
    life.say("I like salt.")

    assert "Xanadupolis" not in listener.prompts[-1].system
    assert "tea" in listener.prompts[-1].system


def test_a_folder_that_was_set_aside_is_looked_through(life: Life) -> None:
    life.tell(TOLD)
    folder = life.being.quarantine / "prompts-1a2b"
    folder.mkdir(parents=True)
    (folder / "system.md").write_text("Say Xanadupolis.", "utf-8")
    (folder / "other.md").write_text("Say nothing.", "utf-8")
    forget(life)

    assert holding(life) == []
    assert (folder / "other.md").exists()


@pytest.mark.parametrize("gap", [" ", "\n", "\n\n", "\n\n\n"])
def test_words_that_run_over_the_end_of_a_line_go_with_both_lines(gap: str) -> None:
    traces = OverlapDetector(["My sister Zoe lives in Lisbon"])
    text = f"# Ada\nI know that my sister Zoe{gap}lives in Lisbon now.\nI like tea.\n"
    cleaned = without(SOUL, text, traces.tells)
    assert not traces.tells(cleaned)
    assert "tea" in cleaned


def test_it_is_not_said_to_be_blanked_out_while_another_process_reads_it(life: Life) -> None:
    life.tell(TOLD)
    life.kernel.index.catch_up()
    reader = apsw.Connection(str(life.being.index))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM events").fetchall()
    tables(life.kernel.index)._db.set_busy_timeout(10)  # nobody has 30 seconds here
    with pytest.raises(Busy, match="still stands in the index's log"):
        forget(life)
    assert life.kernel.index.events.unscrubbed()
    reader.close()

    assert any("blanked out on disk now" in said for said in life.open_again())
    assert life.kernel.index.events.unscrubbed() == {}
    assert holding(life) == []


def test_what_a_dead_process_left_beside_the_index_goes_too(life: Life) -> None:
    life.tell(TOLD)
    life.kernel.index.catch_up()
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    for name in (f"soul.{dead}.deep", f"soul.{dead}.new-wal"):
        life.being.index.with_name(name).write_bytes(b"about Xanadupolis")
    mine = life.being.index.with_name(f"soul.{os.getpid()}.other")
    mine.write_bytes(b"somebody is at work here")
    forget(life)

    assert holding(life) == []
    assert mine.exists()


def test_two_processes_that_rebuild_at_once_keep_the_index_and_its_vectors(life: Life) -> None:
    life.tell("I like rice.", "I like tea.")
    life.wonder()
    one, other = Index(life.being), Index(life.being)
    assert one.vectors.progress() == (2, 2)
    assert one.rebuild() == other.rebuild()
    assert other.vectors.progress() == (2, 2)
    one.catch_up()
    assert one.vectors.progress() == (2, 2)
    assert one.differences() == other.differences() == []
    one.close()
    other.close()


def test_new_memories_are_found_though_the_index_was_made_anew_meanwhile(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    for number in range(4):
        life.say(f"I have a friend called Name{number}. She is nice. She has a cat.")
    for path in life.being.index.parent.glob("soul.db*"):
        path.unlink()
    life.say("My dentist is called Marguerite Okonkwo.")

    assert "Okonkwo" in life.say("What is the name of my dentist?").text


@pytest.mark.parametrize("loop", ["action", "explore", "reflection", "maintenance"])
def test_no_loop_but_the_author_says_what_the_author_said(life: Life, loop: str) -> None:
    posed = Entry(
        Author.EXTERNAL, EventType.AUTHOR_MESSAGE, Origin.TOOL, "heard", "I am rich.", "x"
    )
    beat = kernel_entry("record", "RECORD: done", "x", {})
    with pytest.raises(Refused, match="cannot speak as the author"):
        life.kernel.gate.commit(loop, [Change(Store.MEMORY, "append", posed)], beat)


def test_the_authors_commands_wait_for_a_turn_and_say_when_it_does_not_end(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumen.kernel.gate.presence.PATIENCE_S", 0.05)
    with (
        in_turn(life.being),
        pytest.raises(Busy, match="a turn is under way"),
        no_turn_meanwhile(FileLocks(life.being)),
    ):
        pass
    with no_turn_meanwhile(FileLocks(life.being)):
        pass


def gone(life: Life, what: str) -> list[str]:
    life.kernel.index.catch_up()
    found = plan(life.kernel.gate, find(life.kernel.index, what))
    return [g.text for g in found.goes]


def test_ordinary_words_in_common_take_nothing_with_them(life: Life) -> None:
    life.open_again()
    text = "# Ada\n\nA careful companion who loves Paris.\nBorn to help.\n"
    life.being.soul_md.write_text(text, "utf-8")
    life.kernel.gate.adopt()
    life.script({"when": "(?s).*", "say": "Fine."})
    life.tell("My sister moved to Paris to help her careful friend.")
    told = life.kernel.index.catch_up()
    life.say("I like green tea with lemon and honey, friend.")

    assert gone(life, str(told)) == ["My sister moved to Paris to help her careful friend."]
    forget(life, str(told))
    assert life.being.soul_md.read_text("utf-8") == text


def test_a_short_message_is_said_again_only_by_the_same_one(life: Life) -> None:
    (yes, _, again) = life.tell("Yes.", "My dentist said yes to Friday.", "yes!")
    assert gone(life, str(yes)) == ["Yes.", "yes!"]
    assert again


@pytest.mark.parametrize("what", ["e", "é", "?!", "the"])
def test_too_little_to_go_by_is_refused(life: Life, what: str) -> None:
    life.tell("I see the tree.")
    with pytest.raises(UsageError, match="too little"):
        gone(life, what)


def test_words_are_looked_for_whole_and_however_they_are_typed(life: Life) -> None:
    life.tell("Ann lives in Köln.", "My banner is blue.")
    assert gone(life, "Ann") == ["Ann lives in Köln."]
    assert gone(life, "Ko\u0308ln") == ["Ann lives in Köln."]


def test_what_stands_in_the_self_alone_can_be_forgotten_too(life: Life) -> None:
    life.open_again()
    life.being.soul_md.write_text("# Ada\n\nMy author visits Xanadupolis.\nTea.\n", "utf-8")
    life.kernel.gate.adopt()
    create(life.kernel.gate, "Xanadupolis trip")
    assert holding(life)
    forget(life)

    assert holding(life) == []
    assert life.being.soul_md.read_text("utf-8") == "# Ada\n\nTea.\n"
    with pytest.raises(UsageError, match="nothing I remember says"):
        forget(life)


def test_a_line_that_was_tampered_with_is_not_blanked_out(life: Life) -> None:
    (told,) = life.tell(TOLD)
    life.kernel.index.catch_up()
    (segment,) = life.being.memory.glob("*/*.jsonl")
    segment.write_bytes(segment.read_bytes().replace(b"Bruno", b"Brunn"))
    with pytest.raises(Damaged, match=f"event {told} is not what was written"):
        forget(life)
    assert b"Brunn" in segment.read_bytes()
