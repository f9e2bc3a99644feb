"""What a commit makes of the files: one change out of several, goals by year, and no secret."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.storing import begun
from tests.waiting import PATIENCE

from lumen.core.canon import sha256
from lumen.core.clock import ulid
from lumen.core.data import Author, BeingPaths, Change, Entry, EventType, Origin, SelfItem
from lumen.core.errors import Locked, Refused
from lumen.core.stores import Store
from lumen.kernel.gate.edits import self_in_force
from lumen.soul.checking.verify import verify
from lumen.soul.state.selfhood import SOUL, VALUES, goals_of
from lumen.soul.trust.keys import Keyring
from lumen.testing.clock import HandClock

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kernel.conftest import Guarded

pytestmark = pytest.mark.each_measured

NOW, OLD = goals_of(2026), goals_of(2025)
KEY = "sk-" + "a1B2" * 8  # in two parts: it is no key, and this file would hold one
MEMORY = Entry(
    Author.SELF, EventType.ASSISTANT_MESSAGE, Origin.SELF, "answered", "As you say.", "turn"
)


def test_several_changes_of_one_file_are_told_as_one(guarded: Guarded, beat: Entry) -> None:
    changes = [
        Change(Store.VALUES, "put", SelfItem("honesty", 0.9, "active")),
        Change(Store.VALUES, "put", SelfItem("calm", 0.2, "active")),
        Change(Store.VALUES, "drop", SelfItem("honesty", 0.9, "active")),
    ]
    guarded.gate.commit("reflection", changes, beat)

    (told,) = guarded.last().payload["changes"]
    assert told["base"] == sha256(b"[]\n")
    assert told["value"] == guarded.being.values.read_text("utf-8")
    assert [v.name for v in self_in_force(guarded.index).values] == ["calm"]


def test_a_file_can_be_taken_away_and_given_again(guarded: Guarded, beat: Entry) -> None:
    gone = Change(Store.GOALS, "set", None, sha256(b"[]\n"), NOW)
    guarded.gate.commit("author", [gone], beat)
    assert not guarded.being.at(NOW).exists()
    known = guarded.index.files.kept(NOW)
    assert known is not None
    assert known.text is None

    guarded.gate.commit("author", [Change(Store.GOALS, "put", SelfItem("x", 0.5, "todo"))], beat)
    assert [g.name for g in self_in_force(guarded.index).goals] == ["x"]
    assert guarded.being.at(NOW).exists()
    within = [
        Change(Store.GOALS, "set", None, sha256(guarded.being.at(NOW).read_bytes()), NOW),
        Change(Store.GOALS, "put", SelfItem("y", 0.5, "todo")),
    ]
    guarded.gate.commit("author", within, beat)
    assert [g.name for g in self_in_force(guarded.index).goals] == ["y"]


def test_a_goal_is_changed_in_the_year_it_stands_and_a_new_one_stands_in_this_year(
    guarded: Guarded, beat: Entry
) -> None:
    old = Change(Store.GOALS, "set", '[{"name": "swim", "weight": 1, "status": "todo"}]', "", OLD)
    guarded.gate.commit("author", [old], beat)
    guarded.clock.at = guarded.clock.at.replace(year=2027)
    guarded.gate.commit(
        "reflection",
        [
            Change(Store.GOALS, "put", SelfItem("swim", 0.25, "working")),
            Change(Store.GOALS, "put", SelfItem("fly", 0.5, "todo")),
        ],
        beat,
    )
    assert '"swim", "weight": 0.25, "status": "working"' in guarded.being.at(OLD).read_text()
    assert '"fly"' in guarded.being.at(goals_of(2027)).read_text()
    assert guarded.being.at(NOW).read_text() == "[]\n"

    guarded.gate.commit(
        "action", [Change(Store.GOAL_STATUS, "move", SelfItem("swim", 0, "done"))], beat
    )
    assert '"swim", "weight": 0.25, "status": "done"' in guarded.being.at(OLD).read_text()
    guarded.gate.commit("reflection", [Change(Store.GOALS, "drop", SelfItem("swim", 0, ""))], beat)
    assert guarded.being.at(OLD).read_text() == "[]\n"
    assert guarded.index.differences() == []


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("todo", "done", "from todo to done"),
        ("done", "todo", "from done to todo"),
        ("working", "todo", "from working to todo"),
        ("todo", "perpetual", "from todo to perpetual"),
        ("perpetual", "done", "it never completes"),
    ],
)
def test_the_action_loop_moves_a_goal_forward_only(
    guarded: Guarded, beat: Entry, before: str, after: str, why: str
) -> None:
    guarded.gate.commit("author", [Change(Store.GOALS, "put", SelfItem("x", 0.5, before))], beat)
    others = guarded.others()
    with pytest.raises(Refused, match=why):
        guarded.gate.commit(
            "action", [Change(Store.GOAL_STATUS, "move", SelfItem("x", 0.5, after))], beat
        )
    assert (guarded.last().situation, guarded.others()) == ("refused", others)


PUTS = """
import sys
from pathlib import Path
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths, Change, SelfItem, kernel_entry
from lumen.core.stores import Store
from lumen.kernel.gate.commit import Gate
from lumen.soul.writing.open import open_storage
from lumen.soul.trust.keys import Keyring
root, name, many = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
being = BeingPaths(root / "being")
gate = Gate(being, Keyring(root / "host"), SystemClock(), open_storage(being, Keyring(root / "host"), SystemClock()))
print("ready", flush=True)
sys.stdin.readline()
for n in range(many):
    one = Change(Store.VALUES, "put", SelfItem(f"{name} {n}", 0.5, "active"))
    gate.commit("author", [one], kernel_entry("record", "put", "lumen:author", {}))
"""


def test_values_put_by_two_processes_at_once_all_stand(guarded: Guarded) -> None:
    root, many = guarded.being.root.parent, 8
    command = [sys.executable, "-c", PUTS, str(root)]
    both = [
        subprocess.Popen(
            [*command, name, str(many)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for name in ("left", "right")
    ]
    for one in both:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in both:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    for one in both:
        one.communicate(timeout=PATIENCE)
    assert [one.returncode for one in both] == [0, 0]

    names = {f"{name} {n}" for name in ("left", "right") for n in range(many)}
    assert {v.name for v in self_in_force(guarded.index).values} == names
    state = guarded.index.files.kept(VALUES)
    assert state is not None
    assert guarded.being.values.read_text("utf-8") == state.text
    assert len(guarded.events()) == 1 + 2 * many
    assert verify(guarded.being, guarded.keyring).ok


def test_what_the_kernel_records_is_durable_before_it_is_told(
    guarded: Guarded, beat: Entry
) -> None:
    placed = guarded.gate.record(beat, sign=True)
    assert (placed.seq, verify(guarded.being, guarded.keyring).signed) == (2, 2)
    guarded.gate.close()
    assert guarded.gate.record(beat).seq == 3


def test_a_being_whose_beginning_fails_is_no_being(tmp_path: Path, guarded: Guarded) -> None:
    being, clock = BeingPaths(tmp_path / "new"), HandClock(guarded.clock.at, step_ms=0, seed=0)
    files = {being.soul_md: "", being.settings: "[being]\n"}
    begun(
        being,
        Keyring(tmp_path / "host"),
        clock,
        files,
        ulid(clock),
    )
    being.settings.unlink()
    with pytest.raises(Refused, match="begun already"):
        begun(
            being,
            Keyring(tmp_path / "host"),
            clock,
            files,
            ulid(clock),
        )
    assert not being.settings.exists()


def test_a_secret_is_kept_by_no_memory_whoever_writes_it(guarded: Guarded, beat: Entry) -> None:
    guarded.gate.secrets = ("Rumpelstiltskin",)
    said = f"It is {KEY}, rumpelstiltskin."
    loose = replace(beat, description=said, payload={"input": {"deep": [said]}})
    guarded.gate.record(loose)
    memory = replace(MEMORY, description=said, payload={"sources": [], "note": said})
    guarded.gate.commit("action", [Change(Store.MEMORY, "append", memory)], loose, before=[loose])

    assert KEY.encode() not in guarded.archive()
    assert b"umpelstiltskin" not in guarded.archive()
    hidden = "It is [redacted], [redacted]."
    assert {e.entry.description for e in guarded.events()[1:]} == {hidden}
    assert guarded.events()[-2].entry.payload == {"sources": [], "note": hidden}
    assert guarded.last().payload == {"input": {"deep": [hidden]}}
    assert guarded.gate.redacted(said) == (hidden, 2)


@pytest.mark.parametrize("secret", [KEY, "Rumpelstiltskin"])
@pytest.mark.parametrize("store", [Store.SOUL, Store.SETTINGS])
def test_a_file_that_would_hold_a_secret_is_refused_by_its_line(
    guarded: Guarded, beat: Entry, store: Store, secret: str
) -> None:
    guarded.gate.secrets = ("Rumpelstiltskin",)
    others = guarded.others()
    base = sha256(others[SOUL if store is Store.SOUL else "lumen.toml"])
    change = Change(store, "set", f"# Ada\nIt is {secret}.\n", base)
    with pytest.raises(Refused, match=r"line 2 of .* would hold what looks like a secret key"):
        guarded.gate.commit("author", [change], beat)
    assert secret.encode() not in guarded.archive()
    assert guarded.others() == others
    put = Change(Store.VALUES, "put", SelfItem(secret, 0.5, "active"))
    with pytest.raises(Refused, match="secret key"):
        guarded.gate.commit("author", [put], beat)
    gone = Change(Store.GOALS, "drop", SelfItem(secret, 0.5, "todo"))
    with pytest.raises(Refused, match="there is no goal"):
        guarded.gate.commit("author", [gone], beat)
    assert secret.encode() not in guarded.archive()


def test_a_locked_key_stays_locked_where_nobody_can_be_asked(guarded: Guarded) -> None:
    with pytest.raises(Locked, match="nobody is here"):
        guarded.gate.ask()
