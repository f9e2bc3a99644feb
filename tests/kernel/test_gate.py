"""The gate: a loop writes what it was granted and nothing else, and a refusal changes nothing."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lumen.core import stores
from lumen.core.canon import JSON, sha256
from lumen.core.data import Author, Change, Entry, EventType, NamedValue, Origin, SelfItem
from lumen.core.errors import BadLoop, Refused
from lumen.core.stores import Store, StoreKind, granted
from lumen.soul.checking.verify import verify
from lumen.soul.state.fold import SPOKEN_FOR
from lumen.soul.state.selfhood import goals_of

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded

pytestmark = pytest.mark.each_measured

SESSION = "lumen:interface:01"
MEMORY = Entry(
    Author.SELF, EventType.ASSISTANT_MESSAGE, Origin.SELF, "answered", "As you say.", SESSION
)
GRANTED = ("action", "explore", "reflection", "maintenance", "author")
LOOPS = (*GRANTED, "dream", "", "Action", "kernel")
VERBS = ("append", "set", "put", "drop", "move", "add", "average", "overwrite")
ALLOWED = [
    (loop, store, verb)
    for loop in GRANTED
    for store in sorted(granted(loop))
    for verb in sorted(store.place.operations)
]
FITS: dict[Store, JSON] = {  # what stores that look at their values take
    Store.LISTS: ["milk"],
    Store.REMINDERS: {"what": "call Ana", "at": "2031-04-02T09:00:00"},
}
WHOLE = {("set", StoreKind.LINES)}  # only the author sets the whole of what is only added to
# The design's table, column by column; "-" is nobody, and what a mark stands for is beside it.
DESIGN = """
    memory            action explore reflection author maintenance
    goal_status       action -       reflection author
    goal_gap          action
    goals             -      -       reflection author
    values            -      -       reflection author
    soul              -      -       reflection author
    skills            action -       -          author
    settings          -      -       -          author
    contour           -      -       -          author
    summary           -      -       -          -      maintenance
    state             action explore reflection author
    evidence_ledger   action -       -          author
    tools             action -       -          author
    contracts         -      -       -          author
    outcomes          action -       -          author
    lists             action -       -          author
    reminders         action -       -          author
"""
SOUL, VALUES, NOW, OLD = "data/soul.md", "data/values.json", goals_of(2026), goals_of(2025)
SUMMARY = "data/memory/2026/summary.md"
OWN = "data/contour.json"


def well_formed(guarded: Guarded, store: Store, verb: str) -> Change:
    """A change with nothing against it but, perhaps, who proposes it."""
    if store.place.kind is StoreKind.STATE:
        return Change(store, verb, NamedValue("calm", FITS.get(store, 0.5)))
    lines = store.place.kind is StoreKind.LINES
    if verb == "append":
        return Change(store, verb, {"verdict": "missing"} if lines else MEMORY)
    if verb == "set":
        paths = {Store.SOUL: SOUL, Store.VALUES: VALUES, Store.GOALS: NOW, Store.SUMMARY: SUMMARY}
        paths |= {Store.CONTRACTS: "data/contracts.json"}
        paths |= {Store.CONTOUR: OWN}
        path = store.place.path if lines else paths.get(store, "lumen.toml")
        file = guarded.being.at(path)
        base = sha256(file.read_bytes()) if file.exists() else ""
        return Change(store, verb, "{}\n" if lines else "[]\n\n", base, path)
    names = {"put": "candour", "drop": "calm", "move": "sing", "add": "fly"}
    begins = {Store.VALUES: "active", Store.CONTRACTS: "style"}
    status = {"put": begins.get(store, "todo"), "move": "working"}
    return Change(store, verb, SelfItem(names.get(verb, "x"), 0.5, status.get(verb, "todo")))


def furnished(guarded: Guarded, beat: Entry) -> Guarded:
    """With a value and two goals, so that every verb has something to work on."""
    changes = [
        Change(Store.VALUES, "put", SelfItem("calm", 0.2, "active")),
        Change(Store.CONTRACTS, "put", SelfItem("calm", 1.0, "style")),
        Change(Store.GOALS, "put", SelfItem("sing", 0.5, "todo")),
        Change(Store.GOALS, "put", SelfItem("calm", 0.5, "todo")),
    ]
    guarded.gate.commit("author", changes, beat)
    return guarded


def test_the_table_is_the_designs() -> None:
    rows = [line.split() for line in DESIGN.strip().splitlines()]
    design = {store: set(loops) - {"-"} for store, *loops in rows}

    assert design.keys() == {s.value for s in Store}
    assert {s.value: {loop for loop in LOOPS if s in granted(loop)} for s in Store} == design
    assert {loop for store in Store for loop in store.loops} == set(GRANTED)


def test_a_store_that_names_a_loop_there_is_not_is_refused_at_import(tmp_path: Path) -> None:
    source = Path(str(stores.__file__)).read_text("utf-8")
    misspelt = tmp_path / "misspelt.py"
    entry = 'STATE = "state", state(), "action'
    assert entry in source
    misspelt.write_text(source.replace(entry, entry.replace("action", "acton")), "utf-8")
    spec = spec_from_file_location("misspelt", misspelt)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["misspelt"] = module  # dataclasses look their module up
    try:
        with pytest.raises(BadLoop, match="the store state is granted to 'acton'"):
            spec.loader.exec_module(module)
    finally:
        del sys.modules["misspelt"]


def test_a_memory_can_only_be_added_to_and_a_file_only_written_as_a_whole_or_by_entry() -> None:
    assert {
        Store.MEMORY: {"append"},
        Store.SOUL: {"set"},
        Store.SETTINGS: {"set"},
        Store.CONTOUR: {"set"},
        Store.SUMMARY: {"set"},
        Store.VALUES: {"set", "put", "drop"},
        Store.GOALS: {"set", "put", "drop"},
        Store.CONTRACTS: {"set", "put", "drop"},
        Store.GOAL_STATUS: {"move"},
        Store.GOAL_GAP: {"add"},
        Store.SKILLS: set(),
    } == {store: store.place.operations for store in Store if not store.place.is_record}
    records = {StoreKind.STATE: {"append", "set", "average"}, StoreKind.LINES: {"append", "set"}}
    for store in filter(lambda one: one.place.is_record, Store):
        known = (
            {"set"} if store in FITS else records[store.place.kind]
        )  # lists of words, and moments
        assert store.place.operations == known


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("store", Store)
def test_what_is_in_nobodys_table_is_refused_archived_and_changes_nothing(
    unmoved: Guarded, beat: Entry, loop: str, store: Store
) -> None:
    may = store in granted(loop)
    known = ", ".join(sorted(store.place.operations)) or "nothing"
    for verb in [v for v in VERBS if (loop, store, v) not in ALLOWED]:
        others, archive = unmoved.others(), unmoved.archive()
        state = unmoved.index.files.all_kept()
        unknown = f"{store} knows no {verb}, only {known}"
        why = unknown if may else f"the {loop} loop may not write {store}"
        change = well_formed(unmoved, store, verb)
        with pytest.raises(Refused, match=f"refused: {why}"):
            unmoved.gate.commit(loop, [change], beat, durable=True, sign=True)
        assert unmoved.others() == others
        assert unmoved.index.files.all_kept() == state
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


@pytest.mark.parametrize(
    ("loop", "store", "verb"),
    [a for a in ALLOWED if a[0] == "author" or (a[2], a[1].place.kind) not in WHOLE],
)
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
    if store is Store.MEMORY:
        assert [e.entry for e in guarded.events()[-2:]] == [MEMORY, beat]
        assert changed == {"data/heads.jsonl"}
        assert guarded.index.memories.get([placed[0].seq])[placed[0].seq].text == MEMORY.description
        return
    (path,) = changed - {"data/heads.jsonl"}
    text = guarded.being.at(path).read_text("utf-8")
    base = sha256(others[path]) if path in others else ""
    told: dict[str, JSON] = {"store": store.value, "operation": "set", "path": path}
    told |= {"base": base, "value": text}
    if store.place.kind is StoreKind.STATE:
        value = 500_000 if verb == "average" else FITS.get(store, 0.5)
        told = {**told, "operation": verb, "name": "calm", "value": value}
        del told["base"]
        told |= {"share": 100_000} if verb == "average" else {}
    if isinstance(change.value, dict):
        told = {**told, "operation": verb, "value": change.value, "most": store.place.most}
        told |= {"days": store.place.days} if store.place.days else {}
        del told["base"]
    assert guarded.last() == replace(beat, payload={**beat.payload, "changes": [told]})
    known = guarded.index.files.kept(path)
    assert known is not None
    assert (known.seq, known.store, known.base, known.text) == (
        placed[-1].seq,
        store.value,
        base,
        text,
    )


@pytest.mark.parametrize("loop", GRANTED)
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
@pytest.mark.parametrize("loop", GRANTED)
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
    assert {
        "call", "calls", "changes", "checkpoint", "cycle", "erases", "fade", "held", "marks", "restores", "scrubbed",
        "undoes", "uses",
    } == SPOKEN_FOR  # fmt: skip


@pytest.mark.parametrize("loop", GRANTED)
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
        (
            Change(Store.VALUES, "put", "honesty"),
            "put with that value is no operation: values takes a SelfItem, or with set a text",
        ),
        (
            Change(Store.MEMORY, "append", "x"),
            "append with that value is no operation: memory takes an Entry",
        ),
        (
            Change(Store.SOUL, "set", MEMORY),
            "set with that value is no operation: soul takes a text",
        ),
        (
            Change(Store.GOALS, "set", SelfItem("x", 1, "todo")),
            "set with that value is no operation: goals takes a SelfItem, or with set a text",
        ),
        (Change(Store.GOALS, "move", None), "goals knows no move, only drop, put, set"),
        (Change(Store.GOALS, "set", "[]\n"), "nothing is no file of goals"),
        (Change(Store.SOUL, "set", "# Ada\n", "0" * 64), f"{SOUL} was changed by someone else"),
        (Change(Store.VALUES, "put", SelfItem("x", 2, "active")), "would not say what it must"),
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
