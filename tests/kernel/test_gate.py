"""The gate: a loop writes what it was granted and nothing else, and a refusal changes nothing."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import sha256
from lumen.core.clock import FixedClock, ulid
from lumen.core.data import Author, Being, Change, Entry, EventType, Held, Origin, Store
from lumen.core.errors import Refused
from lumen.kernel.commit import GRANTS, OPERATIONS, begin
from lumen.kernel.edits import self_in_force
from lumen.soul.fold import SPOKEN_FOR
from lumen.soul.history import all_kept, kept
from lumen.soul.keys import Keyring
from lumen.soul.selfhood import goals_of
from lumen.soul.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kernel.conftest import Guarded

SESSION = "lumen:interface:01"
MEMORY = Entry(
    Author.SELF, EventType.ASSISTANT_MESSAGE, Origin.SELF, "answered", "As you say.", SESSION
)
LOOPS = (*GRANTS, "dream", "", "Action", "kernel")
VERBS = ("append", "set", "put", "drop", "move", "add", "overwrite")
ALLOWED = [
    (loop, store, verb)
    for loop in GRANTS
    for store in sorted(GRANTS[loop] & OPERATIONS.keys())
    for verb in sorted(OPERATIONS[store])
]
# The design's table, column by column; "-" is nobody, and what a mark stands for is beside it.
DESIGN = """
    memory            action explore reflection author maintenance
    goal_status       action -       reflection author
    goal_gap          action
    goals             -      -       reflection author
    values            -      -       reflection author
    soul              -      -       reflection author
    beliefs           action -       reflection author
    lattice           action -       reflection author
    lattice_evidence  -      explore -          author
    self_norms        action -       reflection author
    learning_notebook action -       reflection author
    evidence_ledger   action -       reflection author
    notebooks         action -       reflection author
    skills            action -       -          author
    charter_draft     action -       reflection author
    charter           -      -       -          author
    overlay           action -       -          author
    settings          -      -       -          author
    summary           -      -       -          -      maintenance
    prompts           -
"""
SOUL, VALUES, NOW, OLD = "data/soul.md", "data/values.json", goals_of(2026), goals_of(2025)
SUMMARY = "data/memory/2026/summary.md"


def well_formed(guarded: Guarded, store: Store, verb: str) -> Change:
    """A change with nothing against it but, perhaps, who proposes it."""
    if verb == "append":
        return Change(store, verb, MEMORY)
    if verb == "set":
        paths = {Store.SOUL: SOUL, Store.VALUES: VALUES, Store.GOALS: NOW, Store.SUMMARY: SUMMARY}
        path = paths.get(store, "lumen.toml")
        file = guarded.being.at(path)
        base = sha256(file.read_bytes()) if file.exists() else ""
        return Change(store, verb, "[]\n\n", base, path)
    names = {"put": "candour", "drop": "calm", "move": "sing", "add": "fly"}
    status = {"put": "active" if store is Store.VALUES else "todo", "move": "working"}
    return Change(store, verb, Held(names.get(verb, "x"), 0.5, status.get(verb, "todo")))


def furnished(guarded: Guarded, beat: Entry) -> Guarded:
    """With a value and two goals, so that every verb has something to work on."""
    changes = [
        Change(Store.VALUES, "put", Held("calm", 0.2, "active")),
        Change(Store.GOALS, "put", Held("sing", 0.5, "todo")),
        Change(Store.GOALS, "put", Held("calm", 0.5, "todo")),
    ]
    guarded.gate.commit("author", changes, beat)
    return guarded


def test_the_table_is_the_designs() -> None:
    rows = [line.split() for line in DESIGN.strip().splitlines()]
    design = {store: set(loops) - {"-"} for store, *loops in rows}

    assert design.keys() == {s.value for s in Store}
    assert {s.value: {l for l in GRANTS if s in GRANTS[l]} for s in Store} == design
    assert GRANTS.keys() == {"action", "explore", "reflection", "maintenance", "author"}


def test_a_memory_can_only_be_added_to_and_a_file_only_written_as_a_whole_or_by_entry() -> None:
    assert OPERATIONS == {
        Store.MEMORY: {"append"},
        Store.SOUL: {"set"},
        Store.SETTINGS: {"set"},
        Store.SUMMARY: {"set"},
        Store.VALUES: {"set", "put", "drop"},
        Store.GOALS: {"set", "put", "drop"},
        Store.GOAL_STATUS: {"move"},
        Store.GOAL_GAP: {"add"},
    }


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("store", Store)
def test_what_is_in_nobodys_table_is_refused_archived_and_changes_nothing(
    unmoved: Guarded, beat: Entry, loop: str, store: Store
) -> None:
    granted = store in GRANTS.get(loop, frozenset())
    for verb in [v for v in VERBS if (loop, store, v) not in ALLOWED]:
        others, archive = unmoved.others(), unmoved.archive()
        state = all_kept(unmoved.index)
        why = f"{store} knows no {verb}" if granted else f"the {loop} loop may not write {store}"
        change = well_formed(unmoved, store, verb)
        with pytest.raises(Refused, match=f"refused: {why}"):
            unmoved.gate.commit(loop, [change], beat, durable=True, sign=True)
        assert unmoved.others() == others
        assert all_kept(unmoved.index) == state
        (line,) = unmoved.since(archive)
        said = line.entry
        assert (said.situation, said.author, said.origin) == (
            "refused",
            Author.KERNEL,
            Origin.KERNEL,
        )
        assert said.payload == {
            "loop": loop,
            "store": store.value,
            "operation": verb,
            "why": why,
        }
        assert said.session_key == SESSION


def test_refusals_leave_a_whole_archive_and_an_index_that_follows_it(unmoved: Guarded) -> None:
    assert verify(unmoved.being, unmoved.keyring).ok
    assert unmoved.index.differences() == []


@pytest.mark.parametrize(("loop", "store", "verb"), ALLOWED)
def test_what_is_in_the_table_is_in_the_file_the_archive_and_the_index(
    guarded: Guarded, beat: Entry, loop: str, store: Store, verb: str
) -> None:
    furnished(guarded, beat)
    others = guarded.others()
    change = well_formed(guarded, store, verb)
    placed = guarded.gate.commit(loop, [change], beat, durable=True, sign=True)

    changed = {p for p, data in guarded.others().items() if others.get(p) != data}
    assert verify(guarded.being, guarded.keyring).signed == placed[-1].seq
    assert guarded.index.differences() == []
    if verb == "append":
        assert [e.entry for e in guarded.events()[-2:]] == [MEMORY, beat]
        assert changed == {"data/heads.jsonl"}
        assert guarded.index.get([placed[0].seq])[placed[0].seq].text == MEMORY.description
        return
    (path,) = changed - {"data/heads.jsonl"}
    text = guarded.being.at(path).read_text("utf-8")
    told = {
        "store": store.value,
        "operation": "set",
        "path": path,
        "base": sha256(others[path]) if path in others else "",
        "value": text,
    }
    assert guarded.last() == replace(beat, payload={**beat.payload, "changes": [told]})
    known = kept(guarded.index, path)
    assert known is not None
    assert (known.seq, known.store, known.base, known.text) == (
        placed[-1].seq,
        store.value,
        told["base"],
        text,
    )


@pytest.mark.parametrize("loop", sorted(GRANTS))
def test_a_granted_memory_is_kept_together_with_its_beat(
    guarded: Guarded, beat: Entry, loop: str
) -> None:
    skill = replace(beat, situation="skill", event_type=EventType.TOOL_RESULT)
    change = Change(Store.MEMORY, "append", MEMORY)
    placed = guarded.gate.commit(loop, [change], beat, before=[skill], sign=True)

    assert [e.entry for e in guarded.events()[1:]] == [skill, MEMORY, beat]
    assert [p.seq for p in placed] == [2, 3, 4]
    assert verify(guarded.being, guarded.keyring).signed == 4


@pytest.mark.parametrize(
    ("posing", "why"),
    [
        (replace(MEMORY, author=Author.KERNEL), "only the kernel itself writes kernel memories"),
        (
            replace(MEMORY, event_type=EventType.SYSTEM_EVENT),
            "only the kernel itself writes system events",
        ),
        *(
            (replace(MEMORY, payload={key: [], "sources": []}), f"a memory cannot say {key}")
            for key in sorted(SPOKEN_FOR)
        ),
    ],
)
@pytest.mark.parametrize("loop", sorted(GRANTS))
def test_no_loop_can_pass_for_the_kernel(
    unmoved: Guarded, beat: Entry, loop: str, posing: Entry, why: str
) -> None:
    others, archive = unmoved.others(), unmoved.archive()
    changes = [Change(Store.MEMORY, "append", MEMORY), Change(Store.MEMORY, "append", posing)]
    with pytest.raises(Refused, match=why):
        unmoved.gate.commit(loop, changes, beat)
    assert [e.entry.situation for e in unmoved.since(archive)] == ["refused"]
    assert unmoved.others() == others


def test_every_key_that_means_something_to_the_state_is_the_kernels() -> None:
    assert SPOKEN_FOR == {
        "changes", "checkpoint", "erases", "fade", "held", "marks", "restores", "scrubbed",
        "undoes", "uses",
    }  # fmt: skip


@pytest.mark.parametrize("loop", sorted(GRANTS))
def test_only_the_author_speaks_as_the_author(guarded: Guarded, beat: Entry, loop: str) -> None:
    forged = Change(Store.MEMORY, "append", replace(MEMORY, origin=Origin.AUTHOR))
    if loop == "author":
        guarded.gate.commit(loop, [forged], beat)
        assert guarded.events()[-2].entry == forged.value
        return
    with pytest.raises(Refused, match=f"the {loop} loop cannot speak as the author"):
        guarded.gate.commit(loop, [forged], beat)
    assert guarded.last().situation == "refused"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (Change(Store.VALUES, "put", "honesty"), "put with that value is no operation"),
        (Change(Store.MEMORY, "append", "x"), "append with that value is no operation"),
        (Change(Store.SOUL, "set", MEMORY), "set with that value is no operation"),
        (Change(Store.GOALS, "set", Held("x", 1, "todo")), "set with that value is no operation"),
        (Change(Store.GOALS, "set", "[]\n"), "nothing is no file of goals"),
        (Change(Store.SOUL, "set", "# Ada\n", "0" * 64), f"{SOUL} was changed by someone else"),
        (Change(Store.VALUES, "put", Held("x", 2, "active")), "would not say what it must"),
        (Change(Store.SOUL, "set", "\ud800", sha256(b"# Lumen\n")), "not UTF-8"),
        (Change(Store.MEMORY, "append", replace(MEMORY, description="\ud800")), "cannot be stored"),
    ],
)
def test_a_change_that_makes_no_sense_is_refused_even_to_the_author(
    unmoved: Guarded, beat: Entry, change: Change, why: str
) -> None:
    others, archive = unmoved.others(), unmoved.archive()
    with pytest.raises(Refused, match=why):
        unmoved.gate.commit("author", [change], beat)
    assert [e.entry.situation for e in unmoved.since(archive)] == ["refused"]
    assert why in unmoved.since(archive)[0].entry.payload["why"]
    assert unmoved.others() == others


@pytest.mark.parametrize("stale", ["0" * 64, ""])
def test_of_several_changes_all_are_made_or_none(unmoved: Guarded, beat: Entry, stale: str) -> None:
    others = unmoved.others()
    changes = [
        well_formed(unmoved, Store.VALUES, "put"),
        Change(Store.MEMORY, "append", MEMORY),
        Change(Store.SOUL, "set", "# Ada\n", stale),
    ]
    with pytest.raises(Refused, match=r"soul\.md was changed by someone else") as refused:
        unmoved.gate.commit("reflection", changes, beat, durable=True, sign=True)
    assert refused.value.fix == "look at the file, then try again"
    assert unmoved.others() == others
    assert MEMORY not in [e.entry for e in unmoved.events()]


def test_several_changes_of_one_file_are_told_as_one(guarded: Guarded, beat: Entry) -> None:
    changes = [
        Change(Store.VALUES, "put", Held("honesty", 0.9, "active")),
        Change(Store.VALUES, "put", Held("calm", 0.2, "active")),
        Change(Store.VALUES, "drop", Held("honesty", 0.9, "active")),
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
    known = kept(guarded.index, NOW)
    assert known is not None
    assert known.text is None

    guarded.gate.commit("author", [Change(Store.GOALS, "put", Held("x", 0.5, "todo"))], beat)
    assert [g.name for g in self_in_force(guarded.index).goals] == ["x"]
    assert guarded.being.at(NOW).exists()
    within = [
        Change(Store.GOALS, "set", None, sha256(guarded.being.at(NOW).read_bytes()), NOW),
        Change(Store.GOALS, "put", Held("y", 0.5, "todo")),
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
            Change(Store.GOALS, "put", Held("swim", 0.25, "working")),
            Change(Store.GOALS, "put", Held("fly", 0.5, "todo")),
        ],
        beat,
    )
    assert '"swim", "weight": 0.25, "status": "working"' in guarded.being.at(OLD).read_text()
    assert '"fly"' in guarded.being.at(goals_of(2027)).read_text()
    assert guarded.being.at(NOW).read_text() == "[]\n"

    guarded.gate.commit(
        "action", [Change(Store.GOAL_STATUS, "move", Held("swim", 0, "done"))], beat
    )
    assert '"swim", "weight": 0.25, "status": "done"' in guarded.being.at(OLD).read_text()
    guarded.gate.commit("reflection", [Change(Store.GOALS, "drop", Held("swim", 0, ""))], beat)
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
    guarded.gate.commit("author", [Change(Store.GOALS, "put", Held("x", 0.5, before))], beat)
    others = guarded.others()
    with pytest.raises(Refused, match=why):
        guarded.gate.commit(
            "action", [Change(Store.GOAL_STATUS, "move", Held("x", 0.5, after))], beat
        )
    assert (guarded.last().situation, guarded.others()) == ("refused", others)


PUTS = """
import sys
from pathlib import Path
from lumen.core.clock import SystemClock
from lumen.core.data import Being, Change, Held, Store, kernel_entry
from lumen.kernel.commit import Gate
from lumen.soul.index import Index
from lumen.soul.keys import Keyring
root, name, many = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
being = Being(root / "being")
gate = Gate(being, Keyring(root / "host"), SystemClock(), Index(being))
print("ready", flush=True)
sys.stdin.readline()
for n in range(many):
    one = Change(Store.VALUES, "put", Held(f"{name} {n}", 0.5, "active"))
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
        one.communicate(timeout=60)
    assert [one.returncode for one in both] == [0, 0]

    names = {f"{name} {n}" for name in ("left", "right") for n in range(many)}
    assert {v.name for v in self_in_force(guarded.index).values} == names
    state = kept(guarded.index, VALUES)
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
    being, clock = Being(tmp_path / "new"), FixedClock(guarded.clock.at)
    files = {being.soul_md: "", being.settings: "[being]\n"}
    begin(being, Keyring(tmp_path / "host"), clock, files, ulid(clock))
    being.settings.unlink()
    with pytest.raises(Refused, match="begun already"):
        begin(being, Keyring(tmp_path / "host"), clock, files, ulid(clock))
    assert not being.settings.exists()


KEY = "sk-" + "a1B2" * 8  # in two parts: it is no key, and this file would hold one


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
    change = replace(well_formed(guarded, store, "set"), value=f"# Ada\nIt is {secret}.\n")
    with pytest.raises(Refused, match="line 2 of .* would hold what looks like a secret key"):
        guarded.gate.commit("author", [change], beat)
    assert secret.encode() not in guarded.archive()
    assert guarded.others() == others
    put = Change(Store.VALUES, "put", Held(secret, 0.5, "active"))
    with pytest.raises(Refused, match="secret key"):
        guarded.gate.commit("author", [put], beat)
    gone = Change(Store.GOALS, "drop", Held(secret, 0.5, "todo"))
    with pytest.raises(Refused, match="there is no goal"):
        guarded.gate.commit("author", [gone], beat)
    assert secret.encode() not in guarded.archive()
