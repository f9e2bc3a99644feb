"""What an event does to state: read off the kernel's word and the author's hand, and nobody else's."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumen.core.data import Author, Entry, Event, EventType, FinishedCycle, Origin, kernel_entry
from lumen.core.errors import Damaged
from lumen.core.model_calls import ModelCall
from lumen.soul.state.fold import (
    NOTHING,
    SPOKEN_FOR,
    ChangeUndone,
    EventEffects,
    Fade,
    FileSet,
    Restore,
    Uses,
    closes,
    day_of,
    effects,
    fold,
    opens,
)
from lumen.soul.state.records import WHOLE, faded, millionths, strengthened

if TYPE_CHECKING:
    from lumen.core.canon import JSON

SEQ = 40
STAMP = "2026-11-14T21:00:00.000Z"
DAY = date(2026, 11, 14).toordinal()
CHANGE: dict[str, JSON] = {
    "store": "goals",
    "operation": "set",
    "path": "data/goals/2026.json",
    "base": "abc",
    "value": "[]\n",
}
CHANGED = FileSet(SEQ, "data/goals/2026.json", "goals", "abc", "[]\n")
CALL: dict[str, JSON] = {
    "id": "01CALL",
    "role": "interface",
    "step": "drafts",
    "model": "openai/gpt",
    "local": False,
    "set_aside": 900,
    "micros": 40,
}
CALLED = ModelCall(
    SEQ, "01CALL", STAMP, "interface", "drafts", "openai/gpt", False, 900, False, micros=40
)
CYCLE: dict[str, JSON] = {
    "loop": "action",
    "goal": "sing",
    "skill": "search",
    "ok": False,
    "progress": True,
    "delta": -0.5,
    "chosen": 1,
    "options": [{"values": ["honesty"]}],
    "conflicts": [["a", "b"]],
}
CYCLED = FinishedCycle(
    SEQ,
    "action",
    "sing",
    "search",
    False,
    True,
    False,
    -0.5,
    1,
    CYCLE["options"],
    CYCLE["conflicts"],
)
OVER: dict[str, JSON] = {
    "outcome": "ok",
    "tokens": 120,
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "cached_tokens": 5,
    "seconds": 1.5,
    "micros": 8,
}
CAME: JSON = {
    "outcome": "ok",
    "tokens": 120,
    "prompt": 100,
    "completion": 20,
    "cached": 5,
    "ms": 1500,
    "micros": 8,
}
# Every key that means something, with what it says and what that does.
KINDS: dict[str, tuple[JSON, EventEffects]] = {
    "changes": ([CHANGE], EventEffects(files=(CHANGED,))),
    "uses": ({"memories": [2, 3], "by": 9}, EventEffects(uses=(Uses(SEQ, (2, 3), 9, DAY),))),
    "fade": ({"as_of": "2026-11-15", "half_life_days": 90}, EventEffects(fade=Fade(DAY + 1, 90))),
    "restores": (7, EventEffects(restores=(Restore(SEQ, 7),))),
    "erases": ([{"seq": 3, "event_hash": "x"}, {"seq": 5}], EventEffects(erases=(3, 5))),
    "scrubbed": (12, EventEffects(scrubbed=12)),
    "marks": ({"memories": [2, 4], "private": True}, EventEffects(marks=(2, 4), private=True)),
    "checkpoint": ("before the trip", EventEffects(checkpoint="before the trip")),
    "held": ({"path": "data/soul.md", "sha256": "ab"}, EventEffects(held=("data/soul.md", "ab"))),
    "undoes": (4, EventEffects(undone=(ChangeUndone(SEQ, 4),))),
    "cycle": (CYCLE, EventEffects(cycle=CYCLED)),
    "call": (CALL, EventEffects(calls=(CALLED,))),
    "calls": ([{**CALL, **OVER}], EventEffects(calls=(replace(CALLED, **CAME),))),
}
WEIGHTS = st.integers(0, WHOLE)
DAYS = st.integers(0, 40_000)
HALF_LIVES = st.integers(1, 4_000)


def happened(entry: Entry, seq: int = SEQ) -> Event:
    return Event("h", "p", seq, "s", "i", STAMP, entry, "c", "salt")


def kernel(**payload: JSON) -> Event:
    return happened(kernel_entry("record", "done", "lumen:interface:1", payload))


def by_hand(**payload: JSON) -> Entry:
    entry = kernel_entry("edited", "The author edited it.", "lumen:author", payload)
    return replace(entry, author=Author.EXTERNAL, origin=Origin.AUTHOR)


@pytest.mark.parametrize("key", KINDS)
def test_the_kernels_word_does_what_it_says(key: str) -> None:
    said, does = KINDS[key]
    assert effects(kernel(**{key: said})) == does


def test_every_key_with_a_meaning_is_tried_here() -> None:
    assert KINDS.keys() == SPOKEN_FOR


def test_one_event_may_do_several_things() -> None:
    done = effects(kernel(changes=[CHANGE], undoes=4, checkpoint="here"))
    assert done == EventEffects(files=(CHANGED,), undone=(ChangeUndone(SEQ, 4),), checkpoint="here")


def test_what_says_nothing_of_state_does_nothing() -> None:
    assert effects(kernel()) is NOTHING
    assert effects(kernel(private=True, erased_by=3)) is NOTHING
    assert effects(kernel(calls=[{"step": "drafts", "model": "of an older version"}])) == NOTHING


@pytest.mark.parametrize(
    "key", ["changes", "uses", "fade", "erases", "marks", "checkpoint", "held"]
)
def test_a_key_that_says_nothing_does_nothing(key: str) -> None:
    empty = {"fade": None, "marks": None, "held": None, "uses": None, "checkpoint": ""}
    assert effects(kernel(**{key: empty.get(key, [])})) == NOTHING


@pytest.mark.parametrize("key", KINDS)
@pytest.mark.parametrize("author", [a for a in Author if a is not Author.KERNEL])
@pytest.mark.parametrize("event_type", EventType)
def test_the_same_word_of_anybody_else_does_nothing(
    key: str, author: Author, event_type: EventType
) -> None:
    said = kernel(**{key: KINDS[key][0]}).entry
    for origin in Origin:
        for situation in ("record", "edited"):
            entry = replace(
                said, author=author, event_type=event_type, origin=origin, situation=situation
            )
            allowed = entry == replace(by_hand(**entry.payload), description="done",
                                       session_key=entry.session_key)  # fmt: skip
            assert (effects(happened(entry)) is NOTHING) is not allowed


@pytest.mark.parametrize("key", KINDS)
def test_the_authors_hand_changes_files_and_nothing_else(key: str) -> None:
    does = effects(happened(by_hand(**{key: KINDS[key][0]})))
    assert does == (KINDS[key][1] if key == "changes" else EventEffects())


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("changes", None),
        ("changes", 3),
        ("changes", ["x"]),
        ("changes", [{}]),
        ("changes", [{**CHANGE, "at": "then"}]),
        ("changes", [{"store": "goals", "base": "", "value": ""}]),  # which file?
        ("uses", 3),
        ("uses", {"memories": [2]}),
        ("uses", {"memories": 2, "by": 3}),
        ("uses", [{"memories": ["x"], "by": 3}]),
        ("fade", 3),
        ("fade", {"as_of": "2026-11-15"}),
        ("fade", {"as_of": "soon", "half_life_days": 90}),
        ("fade", {"as_of": 3, "half_life_days": 90}),
        ("restores", "then"),
        ("restores", SEQ),
        ("restores", -1),
        ("restores", [3]),
        ("restores", [{"at": SEQ + 1, "upto": 2}]),
        ("erases", 3),
        ("erases", [3]),
        ("erases", [{"event_hash": "x"}]),
        ("scrubbed", "all"),
        ("marks", {"memories": [2]}),
        ("marks", {"private": True}),
        ("marks", [2]),
        ("held", {"path": "data/soul.md"}),
        ("held", "data/soul.md"),
        ("undoes", "all"),
    ],
)
def test_a_word_of_the_kernel_that_makes_no_sense_is_damage_at_that_event(
    key: str, said: JSON
) -> None:
    with pytest.raises(Damaged, match=f"event {SEQ} cannot be applied") as caught:
        effects(kernel(**{key: said}))
    assert caught.value.fix == "lumen archive verify"


def test_an_erasure_carries_on_what_it_blanks_out_under_the_old_numbers() -> None:
    done = effects(
        kernel(
            erases=[{"seq": 5}, {"seq": 9}],
            changes=[{**CHANGE, "at": 5, "value": None}],
            undoes=[{"at": 5, "undoes": 3}],
            uses=[{"at": 9, "memories": [2], "by": 7, "day": 11}, {"memories": [], "by": 1}],
            restores=[{"at": 9, "upto": 4}],
        )
    )
    assert done.files == (replace(CHANGED, at=5, text=None),)
    assert done.undone == (ChangeUndone(5, 3),)
    assert done.uses == (Uses(9, (2,), 7, 11), Uses(SEQ, (), 1, DAY))
    assert done.restores == (Restore(9, 4),)


def test_a_memory_is_used_once_by_one_event() -> None:
    assert effects(kernel(uses={"memories": [3, 2, 3], "by": 1})).uses[0].memories == (3, 2)


@pytest.mark.parametrize(
    ("store", "path"),
    [("soul", "data/soul.md"), ("values", "data/values.json"), ("settings", "lumen.toml")],
)
def test_a_change_from_before_paths_were_told_is_known_by_its_store(store: str, path: str) -> None:
    said = {"store": store, "operation": "set", "base": "", "value": "x"}
    assert effects(kernel(changes=[said])).files[0].path == path


def test_a_half_life_of_no_days_is_one_day() -> None:
    fade = effects(kernel(fade={"as_of": "2026-11-14", "half_life_days": 0})).fade
    assert fade == Fade(DAY, 1)


def test_the_state_is_what_the_last_change_of_each_file_left() -> None:
    def change(seq: int, path: str, value: str | None, **more: JSON) -> Event:
        said = {"store": "goals", "path": path, "base": "", "value": value, **more}
        return happened(kernel_entry("record", "done", "k", {"changes": [said]}), seq)

    state = fold(
        [
            happened(kernel_entry("genesis", "A being begins.", "k", {}), 1),
            change(2, "b", "first"),
            change(3, "a", "x"),
            change(4, "b", "second"),
            change(5, "a", None),
            change(6, "b", "the first, without a word", at=2),  # an old text, told once more
            change(7, "c", "z"),
            change(8, "c", "z, without a word", at=7),
        ]
    )
    assert state.seq == 8
    assert state.texts() == {"b": "second", "c": "z, without a word"}
    assert state.files["a"].text is None
    assert fold([]).texts() == {}


def test_a_turn_opens_with_the_authors_words_and_closes_by_the_kernels() -> None:
    heard = Entry(Author.EXTERNAL, EventType.AUTHOR_MESSAGE, Origin.AUTHOR, "heard", "hi", "k")
    assert opens(heard)
    assert not opens(replace(heard, situation="erased"))
    assert not opens(replace(heard, event_type=EventType.TOOL_RESULT))
    for situation in ("record", "unclosed", "interrupted", "erased"):
        record = kernel_entry(situation, "", "k", {})
        assert closes(record)
        assert not closes(replace(record, author=Author.SELF))
    assert not closes(kernel_entry("think", "", "k", {}))


@given(WEIGHTS, DAYS, HALF_LIVES)
def test_a_faded_weight_stays_between_nothing_and_what_it_was(
    weight: int, days: int, half_life: int
) -> None:
    assert 0 <= faded(weight, days, half_life) <= weight
    assert faded(weight, 0, half_life) == weight


@given(WEIGHTS, WEIGHTS, DAYS, DAYS, HALF_LIVES)
def test_more_time_takes_more_and_more_weight_leaves_more(
    one: int, other: int, some: int, more: int, half_life: int
) -> None:
    lighter, heavier = sorted((one, other))
    sooner, later = sorted((some, more))
    assert faded(lighter, sooner, half_life) <= faded(heavier, sooner, half_life)
    assert faded(heavier, later, half_life) <= faded(heavier, sooner, half_life)
    assert faded(heavier, sooner, half_life) <= faded(heavier, sooner, half_life + 1)


@given(WEIGHTS, HALF_LIVES, st.integers(0, 5))
def test_half_is_left_after_a_half_life(weight: int, half_life: int, times: int) -> None:
    assert abs(faded(weight, times * half_life, half_life) - weight / 2**times) <= 1


@given(WEIGHTS, st.lists(st.integers(0, 400), min_size=2, max_size=2), HALF_LIVES)
def test_fading_twice_is_fading_once_over_both_spans(
    weight: int, days: list[int], half_life: int
) -> None:
    first, second = days
    twice = faded(faded(weight, first, half_life), second, half_life)
    assert abs(twice - faded(weight, first + second, half_life)) <= 2


@given(WEIGHTS, st.lists(st.integers(1, WHOLE), max_size=30))
def test_use_strengthens_up_to_the_whole_and_never_beyond(weight: int, uses: list[int]) -> None:
    for by in uses:
        before, weight = weight, strengthened(weight, by)
        assert before <= weight <= WHOLE
        assert weight > before or before == WHOLE
    assert strengthened(WHOLE, 1) == WHOLE


def test_weights_are_counted_in_millionths_and_days_by_number() -> None:
    assert [millionths(w) for w in (0.0, 0.5, 0.1, 1.0)] == [0, 500_000, 100_000, WHOLE]
    assert day_of("2026-11-15T00:00:00.000Z") - day_of(STAMP) == 1
    assert faded(WHOLE, 10**7, 1) == 0
