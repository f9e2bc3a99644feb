"""`lumen forget` and /forget: shown first, asked for, gone everywhere; also where a chat is open."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from tests.body.conftest import Lumen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.body.conftest import Ran

    Inside = Callable[..., Ran]

TOLD = "My locker at the Zanzibarium holds the vermilion ledger."
WORD = b"zanzibar"


@pytest.fixture(scope="module")
def knowing_once(tmp_path_factory: pytest.TempPathFactory, told_once: Path) -> Path:
    """A home that is only copied: its being was told something, and asked about it."""
    home = tmp_path_factory.mktemp("knowing")
    shutil.copytree(told_once, home, dirs_exist_ok=True)
    with ExitStack() as stack:
        host = Lumen(home, home / "being", stack)
        said = f"{TOLD}\nWhat does my locker hold?\n"
        assert "vermilion" in host.run("chat", stdin=said.encode()).out
    return home


@pytest.fixture
def knowing(host: Lumen, knowing_once: Path) -> Lumen:
    """A being that was told something and asked about it, among other things."""
    shutil.copytree(knowing_once, host.home, dirs_exist_ok=True)
    return host


def holding(lumen: Lumen) -> list[str]:
    files = (p for p in lumen.being.rglob("*") if p.is_file())
    return [p.name for p in files if WORD in p.read_bytes().lower()]


def number(lumen: Lumen) -> str:
    return str(next(e["seq"] for e in lumen.events() if e["description"] == TOLD))


def test_it_is_gone_and_everything_agrees(knowing: Lumen, inside: Inside) -> None:
    inside("maintain")
    asked = inside("forget", number(knowing), "--yes")
    assert asked.code == 0
    assert "you asked" in asked.out
    assert "summary.md loses:" in asked.out
    assert "Forgotten: " in asked.out
    assert "backups and copies you made before" in asked.out

    assert holding(knowing) == []
    checked = inside("archive", "verify", "--deep")
    assert (checked.code, "tables and files are what the archive says" in checked.out) == (0, True)
    for command in ("memory", "memory --all", "memory vermilion", "memory ledger", "why", "trace"):
        ran = inside(*command.split())
        assert ran.code in (0, 2)
        assert "vermilion" not in ran.said
        assert "Zanzibarium" not in ran.said
    assert "you have not told me that" in inside("why", "my locker holds a vermilion ledger").out
    assert "I like rice." in inside("memory", "rice").out
    for question in ("What does my locker hold?", "What did I tell you this year?"):
        assert "vermilion" not in inside("chat", "-m", question).out
    assert "rice" in inside("chat", "-m", "What food do I like?").out


def test_a_chat_at_its_prompt_forgets_it_too(knowing: Lumen) -> None:
    (knowing.being / "data" / "soul.md").write_text("# Vera\n")
    screen = knowing.terminal("chat")
    screen.wait_for("you ›")
    screen.type("What does my locker hold?\r")
    screen.wait_for("vermilion ledger")
    screen.wait_for("you ›")

    assert knowing.run("forget", number(knowing), "--yes").code == 0

    assert holding(knowing) == []
    screen.type("What does my locker hold?\r")
    screen.wait_for("Vera › ")
    screen.wait_for("you ›")
    assert "vermilion" not in screen.shown.rpartition("Vera › ")[2]
    screen.type("/memory vermilion\r")
    screen.wait_for("nothing found")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert holding(knowing) == []
    assert knowing.run("archive", "verify", "--deep").code == 0


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("9999", "Event 9999 is not there"),
        ("1", "is the kernel's own"),
        ("never said", "Nothing I remember says"),
        ("the", "too little to go by"),
    ],
)
def test_what_cannot_be_forgotten_is_said_and_nothing_changes(
    knowing: Lumen, inside: Inside, what: str, said: str
) -> None:
    before = knowing.events()
    ran = inside("forget", what, "--yes")
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "try: " in ran.err
    assert knowing.events() == before


def test_once_forgotten_it_cannot_be_forgotten_again(knowing: Lumen, inside: Inside) -> None:
    told = number(knowing)
    assert inside("forget", told, "--yes").code == 0
    before = knowing.events()
    ran = inside("forget", told, "--yes")
    assert ran.code == 2
    assert "was forgotten already" in ran.err
    assert knowing.events() == before


def test_where_nobody_can_be_asked_it_takes_a_yes(knowing: Lumen) -> None:
    before = knowing.events()
    ran = knowing.run("forget", number(knowing))
    assert ran.code == 2
    assert "nobody is here to confirm it" in ran.err.lower()
    assert "--yes" in ran.err
    assert knowing.events() == before


def test_a_dry_run_lists_what_would_go_and_changes_nothing(knowing: Lumen, inside: Inside) -> None:
    before = knowing.events()
    shown = inside("forget", number(knowing), "--dry-run")
    assert shown.code == 0
    for why in ("you asked", "answers it", "rests on it"):
        assert why in shown.out
    told = inside("forget", number(knowing), "--dry-run", "--json").json()
    assert told["erased"] == []
    assert int(number(knowing)) in [g["event"] for g in told["goes"]]
    assert knowing.events() == before


def test_by_words_and_by_id_as_json(knowing: Lumen, inside: Inside) -> None:
    id_ = next(e["id"] for e in knowing.events() if e["description"] == "I like rice.")
    gone = inside("forget", id_, "--yes", "--json").json()
    assert len(gone["erased"]) == len(gone["goes"]) > 1
    assert inside("forget", "vermilion ledger", "--yes").code == 0
    assert holding(knowing) == []
    assert inside("archive", "verify", "--deep").code == 0


def test_in_a_terminal_it_asks_and_no_is_no(knowing: Lumen) -> None:
    before = knowing.events()
    screen = knowing.terminal("forget", number(knowing))
    screen.wait_for("for good?")
    screen.type("n\r")
    screen.wait_for("Nothing was changed.")
    assert screen.close() == 0
    assert knowing.events() == before


def test_in_a_conversation_it_is_shown_asked_and_done(knowing: Lumen) -> None:
    (knowing.being / "data" / "soul.md").write_text("# Vera\n")
    screen = knowing.terminal("chat")
    screen.wait_for("you ›")
    screen.type("/forget\r")
    screen.wait_for("/forget WORDS, or")
    screen.wait_for("you ›")
    screen.type("/forget no such words\r")
    screen.wait_for("nothing I remember says")
    screen.wait_for("you ›")
    screen.type("/forget vermilion\r")
    screen.wait_for("for good?")
    screen.type("n\r")
    screen.wait_for("Nothing was changed.")
    screen.wait_for("you ›")
    assert holding(knowing)
    screen.type("/forget vermilion\r")
    screen.wait_for("for good?")
    screen.type("y\r")
    screen.wait_for("Passphrase (empty: none)")
    screen.type("\r")
    screen.wait_for("Forgotten: ")
    screen.wait_for("you ›")
    assert holding(knowing) == []
    screen.type("What does my locker hold?\r")
    screen.wait_for("Vera › ")
    screen.wait_for("you ›")
    assert "vermilion" not in screen.shown.rpartition("Vera › ")[2]
    screen.type("\x04")
    assert screen.close() == 0
    assert knowing.verified()


def test_private_marks_memories_and_takes_the_mark_away(knowing: Lumen, inside: Inside) -> None:
    told = number(knowing)
    assert inside("private", told).out == "1 memory: private\n"
    assert "external (private)" in inside("memory", "--author", "external").out
    assert inside("private", told, "--off", "--json").json() == {
        "marked": [int(told)],
        "private": False,
        "lines": [],
    }
    assert "(private)" not in inside("memory", "--author", "external").out
    for unknown in ("1", "9999"):
        ran = inside("private", unknown)
        assert (ran.code, f"Event {unknown} is no memory" in ran.err) == (2, True)


def test_what_rests_on_a_private_memory_is_private_too_and_in_no_summary(
    knowing: Lumen, inside: Inside
) -> None:
    inside("chat", "-m", "What does my locker hold?")
    inside("maintain")
    inside("private", number(knowing))
    shown = inside("memory", "Zanzibarium").out.splitlines()
    assert shown
    assert all("(private)" in line for line in shown if "locker at" in line)
    (summary,) = (knowing.being / "data" / "memory").glob("*/summary.md")
    assert WORD not in summary.read_bytes().lower()


def test_on_a_pipe_commands_are_carried_out_or_refused_and_never_kept(knowing: Lumen) -> None:
    ran = knowing.run("chat", stdin=b"/private\nMy code is Lion-9.\n/forget Lion\n/quit\nno\n")
    assert ran.code == 0
    assert "lumen forget WORDS --yes" in ran.err
    shown = knowing.run("memory").out
    assert "external (private)  My code is Lion-9." in shown
    assert "/private" not in shown
    assert "/forget" not in shown
    assert "  no" not in shown


def test_what_is_left_in_a_file_of_the_authors_own_is_told_and_is_no_success(
    knowing: Lumen, inside: Inside
) -> None:
    diary = knowing.being / "files" / "diary.txt"
    diary.parent.mkdir(exist_ok=True)
    diary.write_text("Tea.\nThe Zanzibariums again.\n", "utf-8")
    ran = inside("forget", "Zanzibarium", "--yes")
    assert ran.code == 1
    assert "files/diary.txt is yours and stays as it is" in ran.out
    assert "Forgotten: " not in ran.out
    assert "not gone: files/diary.txt still holds it" in ran.err
    assert holding(knowing) == ["diary.txt"]
    again = inside("forget", "Zanzibarium", "--yes", "--own-files")
    assert (again.code, diary.read_text("utf-8")) == (0, "Tea.\n")
    assert holding(knowing) == []
    assert inside("archive", "verify", "--deep").code == 0


def test_another_being_below_is_neither_looked_into_nor_touched(
    knowing: Lumen, inside: Inside
) -> None:
    theirs = knowing.being / "files" / "theirs"
    shutil.copytree(knowing.being / "data", theirs / "data")
    shutil.copy(knowing.being / "lumen.toml", theirs)
    keys = knowing.being / "files" / "share" / "lumen"
    for name in ("keys", "author", "witness"):
        (keys / name).mkdir(parents=True)
        (keys / name / "noted.txt").write_text("The Zanzibariums.", "utf-8")
    before = {p: p.read_bytes() for p in (knowing.being / "files").rglob("*") if p.is_file()}
    ran = inside("forget", "Zanzibarium", "--yes", "--own-files")
    assert ran.code == 0, ran.said
    assert "files/" not in ran.said
    assert {p: p.read_bytes() for p in before} == before
