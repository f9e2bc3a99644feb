"""The gate: a loop writes what it was granted and nothing else, and a refusal changes nothing."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import sha256
from lumen.core.clock import FixedClock, ulid
from lumen.core.data import Author, Being, Change, Entry, EventType, Origin, Store, kernel_entry
from lumen.core.errors import Refused
from lumen.kernel.commit import GRANTS, Gate, begin
from lumen.soul.archive import read, segments
from lumen.soul.index import Index
from lumen.soul.keys import Keyring
from lumen.soul.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

    from lumen.core.data import Event

SESSION = "lumen:interface:01"
BEAT = kernel_entry("record", "RECORD: done", SESSION, {"turn": SESSION})
MEMORY = Entry(
    Author.SELF, EventType.ASSISTANT_MESSAGE, Origin.SELF, "answered", "As you say.", SESSION
)
UNGRANTED = [
    (loop, store)
    for loop in (*GRANTS, "dream", "", "Action", "kernel")
    for store in Store
    if store not in GRANTS.get(loop, frozenset())
]


@dataclass(slots=True)
class Guarded:
    """A being behind its gate."""

    being: Being
    keyring: Keyring
    gate: Gate

    def change(self, store: Store) -> Change:
        """A change that is well formed, wherever it can be."""
        files = {
            Store.SOUL: self.being.soul_md,
            Store.VALUES: self.being.values,
            Store.SETTINGS: self.being.settings,
        }
        if store in files:
            return Change(store, "set", "# Other\n", sha256(files[store].read_bytes()))
        return Change(store, "append", MEMORY)

    def events(self) -> list[Event]:
        return [stored.event for stored in read(self.being.memory)]

    def others(self) -> dict[Path, bytes]:
        """Every byte of the being that is not the archive."""
        archive = {*segments(self.being.memory), self.being.memory / ".lock"}
        found = {p for p in self.being.root.rglob("*") if p.is_file()}
        return {path: path.read_bytes() for path in found - archive}


def born(root: Path) -> Guarded:
    being, keyring = Being(root / "being"), Keyring(root / "host")
    clock = FixedClock(datetime(2026, 11, 15, 12, tzinfo=UTC), step_ms=3)
    files = {being.soul_md: "# Lumen\n", being.values: "[]\n", being.settings: "[being]\n"}
    begin(being, keyring, clock, files, ulid(clock))
    return Guarded(being, keyring, Gate(being, keyring, clock))


@pytest.fixture
def guarded(tmp_path: Path) -> Guarded:
    return born(tmp_path)


@pytest.fixture(scope="module")
def unmoved(tmp_path_factory: pytest.TempPathFactory) -> Guarded:
    """One being for every refusal: none of them changes it, so the next finds it as it was."""
    return born(tmp_path_factory.mktemp("unmoved"))


@pytest.mark.parametrize(("loop", "store"), UNGRANTED)
def test_what_a_loop_was_not_granted_is_refused_archived_and_changes_nothing(
    unmoved: Guarded, loop: str, store: Store
) -> None:
    others, lines = unmoved.others(), unmoved.events()
    with pytest.raises(Refused, match=f"may not write {store}"):
        unmoved.gate.commit(loop, [unmoved.change(store)], BEAT, durable=True, sign=True)
    assert unmoved.others() == others
    assert unmoved.events()[:-1] == lines
    refused = unmoved.events()[-1].entry
    assert (refused.situation, refused.author, refused.session_key) == (
        "refused",
        Author.KERNEL,
        SESSION,
    )
    assert refused.payload == {
        "loop": loop,
        "store": store.value,
        "operation": unmoved.change(store).operation,
        "why": f"the {loop} loop may not write {store}",
    }
    assert verify(unmoved.being, unmoved.keyring).ok


def test_every_loop_lacks_something_but_the_author(guarded: Guarded) -> None:
    assert {loop for loop, _ in UNGRANTED} == {
        "action", "explore", "reflection", "dream", "", "Action", "kernel",
    }  # fmt: skip
    assert GRANTS["author"] == frozenset(Store)
    assert [s for _, s in UNGRANTED].count(Store.MEMORY) == 4  # those that are no loops at all


@pytest.mark.parametrize("loop", sorted(GRANTS))
def test_a_granted_memory_is_kept_together_with_its_beat(guarded: Guarded, loop: str) -> None:
    skill = replace(BEAT, situation="skill", event_type=EventType.TOOL_RESULT)
    change = Change(Store.MEMORY, "append", MEMORY)
    placed = guarded.gate.commit(loop, [change], BEAT, before=[skill], sign=True)
    assert [e.entry for e in guarded.events()[1:]] == [skill, MEMORY, BEAT]
    assert [p.seq for p in placed] == [2, 3, 4]
    assert verify(guarded.being, guarded.keyring).signed == 4


@pytest.mark.parametrize("loop", sorted(GRANTS))
def test_no_loop_can_pass_for_the_kernel(guarded: Guarded, loop: str) -> None:
    posing = replace(MEMORY, author=Author.KERNEL)
    others = guarded.others()
    changes = [Change(Store.MEMORY, "append", MEMORY), Change(Store.MEMORY, "append", posing)]
    with pytest.raises(Refused, match="only the kernel itself"):
        guarded.gate.commit(loop, changes, BEAT)
    assert [e.entry.situation for e in guarded.events()] == ["genesis", "refused"]
    assert guarded.others() == others


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (Change(Store.VALUES, "append", MEMORY), "values takes no events"),
        (Change(Store.GOALS, "set", "[]\n"), "goals has no file to set"),
        (Change(Store.MEMORY, "set", "[]\n"), "memory has no file to set"),
        (Change(Store.SOUL, "delete", "x"), "delete with that value is no operation"),
        (Change(Store.SOUL, "append", "x"), "append with that value is no operation"),
        (Change(Store.MEMORY, "set", MEMORY), "set with that value is no operation"),
    ],
)
def test_a_change_of_no_known_shape_is_refused_even_to_the_author(
    guarded: Guarded, change: Change, why: str
) -> None:
    others = guarded.others()
    with pytest.raises(Refused, match=why):
        guarded.gate.commit("author", [change], BEAT)
    assert guarded.events()[-1].entry.payload["why"] == why
    assert guarded.others() == others


def test_a_granted_file_is_set_and_the_beat_tells_how(guarded: Guarded) -> None:
    base = sha256(guarded.being.soul_md.read_bytes())
    change = Change(Store.SOUL, "set", "# Ada\n", base)
    guarded.gate.commit("reflection", [change], BEAT, durable=True, sign=True)
    assert guarded.being.soul_md.read_text("utf-8") == "# Ada\n"
    beat = guarded.events()[-1].entry
    assert beat == replace(
        BEAT,
        payload={
            "turn": SESSION,
            "changes": [{"store": "soul", "operation": "set", "base": base, "value": "# Ada\n"}],
        },
    )
    assert verify(guarded.being, guarded.keyring).ok


def test_of_several_changes_all_are_made_or_none(guarded: Guarded) -> None:
    others = guarded.others()
    for stale in ("0" * 64, ""):
        changes = [
            guarded.change(Store.VALUES),
            Change(Store.MEMORY, "append", MEMORY),
            Change(Store.SOUL, "set", "# Ada\n", stale),
        ]
        with pytest.raises(Refused, match=r"soul\.md was changed by someone else"):
            guarded.gate.commit("reflection", changes, BEAT, durable=True, sign=True)
    assert guarded.others() == others
    assert MEMORY not in [e.entry for e in guarded.events()]


def test_a_file_whose_change_was_archived_only_is_brought_up_to_it(guarded: Guarded) -> None:
    before = guarded.being.soul_md.read_bytes()
    change = Change(Store.SOUL, "set", "# Ada\n", sha256(before))
    guarded.gate.commit("author", [change], BEAT, durable=True)
    guarded.being.soul_md.write_bytes(before)  # as after a crash between the line and the file
    os.utime(guarded.being.soul_md, (0, 0))
    index = Index(guarded.being)
    guarded.gate.recover(index)
    assert guarded.being.soul_md.read_text("utf-8") == "# Ada\n"
    assert guarded.gate.repairs == ["soul.md was brought up to event 2."]
    guarded.gate.recover(index)
    assert len(guarded.gate.repairs) == 1


def test_a_file_that_the_author_put_back_stays_as_it_was_put(guarded: Guarded) -> None:
    before = guarded.being.soul_md.read_bytes()
    change = Change(Store.SOUL, "set", "# Ada\n", sha256(before))
    guarded.gate.commit("author", [change], BEAT, durable=True)
    later = time.time() + 60  # noqa: TID251 - the file's time, not the turn's
    guarded.being.soul_md.write_bytes(before)
    os.utime(guarded.being.soul_md, (later, later))
    guarded.gate.recover(Index(guarded.being))
    assert guarded.being.soul_md.read_bytes() == before
    assert guarded.gate.repairs == []


@pytest.mark.parametrize("gone", [True, False])
def test_a_file_that_somebody_edited_is_not_brought_up_to_anything(
    guarded: Guarded, gone: bool
) -> None:
    change = guarded.change(Store.SOUL)
    guarded.gate.commit("author", [change], BEAT, durable=True)
    if gone:
        guarded.being.soul_md.unlink()
    else:
        guarded.being.soul_md.write_text("# By hand\n", "utf-8")
    others = guarded.others()
    guarded.gate.recover(Index(guarded.being))
    kept = {p: d for p, d in guarded.others().items() if "index" not in p.parts}
    assert (kept, guarded.gate.repairs) == (others, [])


def test_an_archive_that_this_host_knows_to_have_gone_further_is_told_not_believed(
    guarded: Guarded,
) -> None:
    soul = guarded.gate.record(BEAT, sign=True).soul
    guarded.gate.recover(Index(guarded.being), soul)
    assert guarded.gate.repairs == []
    (segment,) = segments(guarded.being.memory)
    segment.write_bytes(segment.read_bytes().splitlines(keepends=True)[0])
    seen = guarded.keyring.witness(soul)
    guarded.gate.recover(Index(guarded.being), soul)
    assert len(guarded.gate.repairs) == 1
    assert (
        "ends at event 1 and is not the one this host has seen up to event 2"
        in (guarded.gate.repairs[0])
    )
    for _ in range(3):
        guarded.gate.record(BEAT, sign=True)
    assert guarded.keyring.witness(soul) == seen
    assert not verify(guarded.being, guarded.keyring).ok


def test_what_the_kernel_records_is_durable_before_it_is_told(guarded: Guarded) -> None:
    placed = guarded.gate.record(BEAT, sign=True)
    assert (placed.seq, verify(guarded.being, guarded.keyring).signed) == (2, 2)
    guarded.gate.close()
    assert guarded.gate.record(BEAT).seq == 3


def test_a_being_whose_beginning_fails_is_no_being(tmp_path: Path) -> None:
    being, clock = Being(tmp_path / "being"), FixedClock(datetime(2026, 11, 15, tzinfo=UTC))
    files = {being.soul_md: "", being.settings: "[being]\n"}
    begin(being, Keyring(tmp_path / "host"), clock, files, ulid(clock))
    being.settings.unlink()
    with pytest.raises(Refused, match="begun already"):
        begin(being, Keyring(tmp_path / "host"), clock, files, ulid(clock))
    assert not being.settings.exists()


@pytest.mark.parametrize("loop", ["action", "explore", "reflection"])
def test_no_loop_can_speak_as_the_author(guarded: Guarded, loop: str) -> None:
    forged = replace(MEMORY, origin=Origin.AUTHOR)
    with pytest.raises(Refused, match="cannot speak as the author"):
        guarded.gate.commit(loop, [Change(Store.MEMORY, "append", forged)], BEAT)


def test_a_change_whose_base_is_gone_is_refused_and_archived(guarded: Guarded) -> None:
    before = guarded.being.soul_md.read_bytes()
    change = Change(Store.SOUL, "set", "# Ada\n", sha256(b"something else"))
    with pytest.raises(Refused, match="changed by someone else"):
        guarded.gate.commit("author", [change], BEAT, durable=True)
    last = list(read(guarded.being.memory))[-1].event.entry
    assert last.situation == "refused"
    assert guarded.being.soul_md.read_bytes() == before
