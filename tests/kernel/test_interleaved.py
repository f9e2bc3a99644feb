"""Two on one being, or two changes on one another: nothing acknowledged is lost, all of it holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tests.measuring import measured
from tests.storing import begun, gate_of
from tests.waiting import PATIENCE, wait_until

from lumen.core.clock import ulid
from lumen.core.data import (
    Author,
    BeingPaths,
    Change,
    Entry,
    EventType,
    Origin,
    SelfItem,
    kernel_entry,
)
from lumen.core.stores import Store
from lumen.kernel.gate.checkpoints import restore, undo
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.recovery import rebuild
from lumen.kernel.upkeep.forget import carry_out, find, plan
from lumen.soul.archive.line import read
from lumen.soul.checking.verify import verify
from lumen.soul.index.index import Index
from lumen.soul.state.fold import fold
from lumen.soul.trust.keys import Keyring
from lumen.testing.clock import HandClock

if TYPE_CHECKING:
    from tests.sampling import Sampled

    from lumen.core.canon import JSON

BEAT = kernel_entry("record", "RECORD: done", "lumen:kernel", {})
LIVE = """
import sys
from pathlib import Path
from tests.measuring import measured
from tests.waiting import wait_until

from lumen.core.clock import SystemClock
from lumen.core.chance import draw_from
from lumen.core.data import *
from lumen.core.errors import Refused, UsageError
from lumen.kernel.gate.checkpoints import create, restore, undo
from lumen.kernel.gate.commit import Gate
from lumen.kernel.upkeep.forget import carry_out, find, plan
from lumen.soul.writing.open import open_storage
from lumen.soul.trust.keys import Keyring

root, me, operations = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
being = BeingPaths(root / "being")
gate = Gate(being, Keyring(root / "host"), SystemClock(), open_storage(being, Keyring(root / "host"), SystemClock()))
draw = draw_from(f"{sys.argv[4]}:{me}")
beat = kernel_entry("record", "RECORD: done", f"lumen:{me}", {})

def said(text, key):
    return Entry(
        Author.EXTERNAL, EventType.AUTHOR_MESSAGE, Origin.AUTHOR, "heard", text, key
    )

def commit(loop, store, verb, held):
    try:
        gate.commit(loop, [Change(store, verb, held)], beat)
    except Refused:  # the other one restored or undid what this rests on
        return False
    return True

def going_back(work):
    try:
        work()
    except (Refused, UsageError):  # the other one changed the self meanwhile
        return False
    return True

for number in range(operations):
    chance, name = draw.random(), f"{me}{draw.randrange(8)}"
    done, what = True, "told"
    if chance < 0.85:
        key = f"lumen:{me}:{number}"
        gate.commit("action", [], kernel_entry("record", "RECORD: done", key, {}),
                    before=[said(f"{me} tells number {number}", key)])
    elif chance < 0.89:
        what = "value"
        done = commit("reflection", Store.VALUES, "put", SelfItem(name, draw.randrange(9) / 8, "active"))
    elif chance < 0.92:
        what = "goal"
        done = commit("action", Store.GOAL_GAP, "add", SelfItem(name, 0.5, "todo"))
    elif chance < 0.94:
        what = "moved"
        done = commit("reflection", Store.GOAL_STATUS, "move", SelfItem(name, 0, "working"))
    elif chance < 0.955:
        what = "named"
        create(gate, f"{me} {number}")
    elif chance < 0.975:
        what = "undone"
        done = going_back(lambda: undo(gate))
    elif chance < 0.995:
        what = "restored"
        done = going_back(lambda: restore(gate, draw.randrange(1, gate.index.catch_up())))
    else:
        what = "forgotten"
        word = f"{me}secret{number}word"
        gate.record(said(word, f"lumen:{me}:{number}"))
        gate.index.catch_up()
        carry_out(gate, plan(gate, find(gate.index, word)))
    if done:
        print(what, number)
(root / f"{me} is through").touch()
# Or the other might undo what comes now; whoever started both ends this one if the other died.
wait_until(lambda: len([*root.glob("* is through")]) == 2, patience=86_400)
for number in range(8):
    assert commit("reflection", Store.VALUES, "put", SelfItem(f"{me}{number}", 0.5, "active"))
print("end", operations, flush=True)
gate.record(kernel_entry("record", "RECORD: done", f"lumen:{me}", {}), sign=True)
"""


def born(root: Path) -> tuple[BeingPaths, Keyring, HandClock]:
    being, keyring = BeingPaths(root / "being"), Keyring(root / "host")
    clock = HandClock(datetime(2026, 11, 15, 12, tzinfo=UTC), step_ms=3, seed=0)
    files = {
        being.soul_md: "# Lumen\n",
        being.values: "[]\n",
        being.goals / "2026.json": "[]\n",
        being.settings: "[being]\n",
    }
    begun(being, keyring, clock, files, ulid(clock))
    return being, keyring, clock


def opened(home: tuple[BeingPaths, Keyring, HandClock]) -> Gate:
    being, keyring, clock = home
    return gate_of(being, keyring, clock)


def put(gate: Gate, name: str) -> int:
    change = Change(Store.VALUES, "put", SelfItem(name, 0.5, "active"))
    return gate.commit("reflection", [change], BEAT)[-1].seq


def use(gate: Gate, memory: int) -> None:
    payload: dict[str, JSON] = {"uses": {"memories": [memory], "by": 20_000}}
    gate.record(kernel_entry("think", "THINK: of it", "lumen:kernel", payload))


def weight(gate: Gate, memory: int) -> int:
    gate.index.catch_up()
    return gate.index.memories.get([memory])[memory].weight


def forget(gate: Gate, word: str) -> None:
    gate.index.catch_up()
    found = plan(gate, find(gate.index, word))
    carry_out(gate, found)


def tell(gate: Gate, text: str, author: Author = Author.EXTERNAL) -> int:
    ours = author is Author.SELF
    kind = EventType.ASSISTANT_MESSAGE if ours else EventType.AUTHOR_MESSAGE
    origin = Origin.SELF if ours else Origin.AUTHOR
    return gate.record(Entry(author, kind, origin, "heard", text, f"lumen:{len(text)}")).seq


def names(being: BeingPaths) -> list[str]:
    held: list[JSON] = json.loads(being.values.read_bytes())
    return [str(h["name"]) for h in held]


def still_saying(being: BeingPaths, word: bytes) -> list[str]:
    found = [p for p in being.root.rglob("*") if p.is_file() and word in p.read_bytes()]
    return [being.named(p) for p in found]


def _are_over(running: list[subprocess.Popen[bytes]]) -> bool:
    """Whether all have ended, or one of them badly: then the other would wait for it for ever."""
    ends = [process.poll() for process in running]
    return any(ends) or None not in ends


def test_two_processes_in_any_order_lose_nothing_and_agree(
    tmp_path: Path, sampled: Sampled
) -> None:
    operations = sampled.rounds(200, 5_000)
    being, keyring, _ = home = born(tmp_path)
    running = []
    for me in ("ada", "bob"):
        out = (tmp_path / me).open("wb")
        command = [sys.executable, "-c", LIVE, str(tmp_path), me, str(operations)]
        command.append(str(sampled.seed))
        path = os.pathsep.join(filter(None, sys.path))
        running.append(
            subprocess.Popen(command, stdout=out, env={**measured(), "PYTHONPATH": path})
        )
        out.close()
    try:
        wait_until(lambda: _are_over(running), patience=12 * PATIENCE)
        assert [process.poll() for process in running] == [0, 0]
    finally:
        for process in running:
            process.kill()
            process.wait()
    events = [stored.event for stored in read(being.memory)]
    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    assert [e.timestamp for e in events] == sorted(e.timestamp for e in events)
    heard = {e.entry.description for e in events}
    for me in ("ada", "bob"):
        acks = [line.split() for line in (tmp_path / me).read_text("utf-8").splitlines()]
        assert acks[-1] == ["end", str(operations)]
        told = {f"{me} tells number {n}" for what, n in acks if what == "told"}
        assert len(told) > operations / 2
        assert told <= heard
        assert {what for what, _ in acks} > {"value", "goal", "named", "undone", "restored"}
        for number in [n for what, n in acks if what == "forgotten"]:
            assert still_saying(being, f"{me}secret{number}word".encode()) == []
    state = fold(events).texts()
    gate = opened(home)
    assert gate.index.catch_up() == len(events)
    assert {
        p: k.text for p, k in gate.index.files.all_kept().items() if k.text is not None
    } == state
    assert gate.adopt() == []
    for path, text in state.items():
        assert being.at(path).read_bytes() == text.encode()
    assert {f"{me}{n}" for me in ("ada", "bob") for n in range(8)} <= {*names(being)}
    assert gate.index.differences() == []
    assert verify(being, keyring).ok


def test_what_another_process_says_of_the_self_survives_a_plan_to_forget(tmp_path: Path) -> None:
    being, _, _ = home = born(tmp_path)
    one, other = opened(home), opened(home)
    tell(one, "the zebra")
    put(one, "zebra")
    one.index.catch_up()
    found = plan(one, find(one.index, "zebra"))  # and now the author is asked
    put(other, "patience")
    carry_out(one, found)
    assert one.adopt() == []
    assert names(being) == ["patience"]
    assert still_saying(being, b"zebra") == []


def test_what_another_process_quotes_after_a_plan_to_forget_goes_too(tmp_path: Path) -> None:
    being, _, _ = home = born(tmp_path)
    one, other = opened(home), opened(home)
    tell(one, "the zebra")
    one.index.catch_up()
    found = plan(one, find(one.index, "zebra"))
    tell(other, "A zebra, you say.", Author.SELF)
    carry_out(one, found)
    assert still_saying(being, b"zebra") == []


def test_an_index_made_again_by_one_process_is_the_one_the_other_goes_on_with(
    tmp_path: Path,
) -> None:
    being, _, _ = home = born(tmp_path)
    one, other = opened(home), opened(home)
    put(one, "patience")
    tell(one, "the zebra")
    other.index.catch_up()
    rebuild(one)
    found = plan(other, find(other.index, "zebra"))
    carry_out(other, found)
    assert still_saying(being, b"zebra") == []
    put(other, "courage")
    last = other.index.catch_up()
    assert fresh(being) == last
    one.index.catch_up()
    assert other.index.differences() == []
    assert one.index.differences() == []


def fresh(being: BeingPaths) -> int:
    """How far an index is that a third process opens, before it catches up."""
    index = Index(being)
    try:
        return index.events.last_head()[0]
    finally:
        index.close()


def test_what_one_forgetting_carried_on_the_next_one_finds(tmp_path: Path) -> None:
    being, _, _ = home = born(tmp_path)
    gate = opened(home)
    for word in ("zebra", "giraffe"):
        tell(gate, f"the {word}")
        put(gate, word)
    forget(gate, "zebra")
    forget(gate, "giraffe")
    assert names(being) == []
    assert still_saying(being, b"zebra") == []
    assert still_saying(being, b"giraffe") == []


def test_undo_gets_past_a_change_that_changed_nothing(tmp_path: Path) -> None:
    being, _, _ = home = born(tmp_path)
    gate = opened(home)
    for name in ("patience", "courage", "courage"):
        put(gate, name)
    for _ in range(3):
        undo(gate)
    assert names(being) == []


def test_a_restore_that_only_weighed_memories_again_is_what_undo_takes_back(
    tmp_path: Path,
) -> None:
    being, _, _ = home = born(tmp_path)
    gate = opened(home)
    memory = tell(gate, "the lamp")
    named = put(gate, "patience")
    use(gate, memory)
    restore(gate, named)
    assert weight(gate, memory) == 500_000
    undo(gate)
    assert (weight(gate, memory), names(being)) == (520_000, ["patience"])


def test_forgetting_what_a_restored_self_said_leaves_other_memories_their_weight(
    tmp_path: Path,
) -> None:
    _, _, _ = home = born(tmp_path)
    gate = opened(home)
    tell(gate, "the zebra")
    memory = tell(gate, "the lamp")
    named = put(gate, "zebra")
    put(gate, "patience")
    use(gate, memory)
    restore(gate, named)
    assert weight(gate, memory) == 500_000
    forget(gate, "zebra")
    assert weight(gate, memory) == 500_000
    assert gate.index.differences() == []
