"""How the being's files stand, how they stood at any event, and what changed them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lumen.core.data import Author, FileVersion, Origin, Transition
from lumen.soul.index.index import Index

if TYPE_CHECKING:
    from tests.soul.conftest import Home

    from lumen.core.canon import JSON
    from lumen.soul.writing.write import Writer

SOUL, VALUES = "data/soul.md", "data/values.json"


def tell(home: Home, writer: Writer, said: str, **payload: JSON) -> str:
    """A word of the kernel; returns when it was said."""
    entry = home.entry(said, Author.KERNEL, "record", payload)
    return writer.append([entry], durable=True)[-1].timestamp


def change(path: str, text: str | None, base: str = "") -> dict[str, JSON]:
    return {"store": "x", "operation": "set", "path": path, "base": base, "value": text}


def caught_up(home: Home) -> Index:
    index = Index(home.being)
    index.catch_up()
    return index


def test_a_being_that_never_changed_has_no_history(home: Home, writer: Writer) -> None:
    home.say(writer, "hello")
    index = caught_up(home)
    assert (index.files.kept(SOUL), index.files.all_kept(), index.files.last_change()) == (
        None,
        {},
        0,
    )
    assert (index.files.transitions(), index.files.checkpoints(), index.files.pending_edits(), index.events.unscrubbed()) == (
        [], {}, {}, {},
    )  # fmt: skip


def test_a_file_is_known_as_every_event_left_it(home: Home, writer: Writer) -> None:
    one = tell(home, writer, "one", changes=[change(SOUL, "# One")])
    two = tell(home, writer, "two", changes=[change(SOUL, "# Two", "1"), change(VALUES, "[]")])
    home.say(writer, "in between")
    gone = tell(home, writer, "gone", changes=[change(SOUL, None, "2")])
    index = caught_up(home)
    first = FileVersion(SOUL, "x", 2, one, "", "# One")
    second = FileVersion(SOUL, "x", 3, two, "1", "# Two")
    third = FileVersion(SOUL, "x", 5, gone, "2", None)
    assert [index.files.kept(SOUL, at) for at in range(7)] == [
        None, None, first, second, second, third, third,
    ]  # fmt: skip
    assert index.files.kept(SOUL) == third
    assert index.files.all_kept(2) == {SOUL: first}
    assert index.files.all_kept() == {
        SOUL: third,
        VALUES: FileVersion(VALUES, "x", 3, two, "", "[]"),
    }
    assert index.files.last_change() == 5


def test_every_event_that_changed_files_is_a_point_to_go_back_to(
    home: Home, writer: Writer
) -> None:
    one = tell(home, writer, "one", changes=[change(VALUES, "[]"), change(SOUL, "# One")])
    home.say(writer, "in between")
    back = tell(home, writer, "back", changes=[change(SOUL, None)], undoes=2)
    edit = home.entry("by hand", Author.KERNEL, "edited", {"changes": [change(SOUL, "# Mine")]})
    edit = replace(edit, author=Author.EXTERNAL, origin=Origin.AUTHOR)
    (placed,) = writer.append([edit], durable=True)
    assert caught_up(home).files.transitions() == [
        Transition(2, one, "one", (SOUL, VALUES)),
        Transition(4, back, "back", (SOUL,), undoes=2),
        Transition(5, placed.timestamp, "by hand", (SOUL,)),
    ]


def test_the_newest_event_of_a_name_is_the_one_meant(home: Home, writer: Writer) -> None:
    tell(home, writer, "named", checkpoint="home")
    trip = tell(home, writer, "named", checkpoint="trip")
    again = tell(home, writer, "named", checkpoint="home")
    assert caught_up(home).files.checkpoints() == {"home": (4, again), "trip": (3, trip)}


def test_erasures_are_waited_for_until_they_are_said_to_be_done(home: Home, writer: Writer) -> None:
    home.say(writer, "one", "two", "three")
    tell(home, writer, "forgotten", erases=[{"seq": 2}, {"seq": 4}])
    tell(home, writer, "forgotten", erases=[{"seq": 3}])
    index = caught_up(home)
    assert index.events.unscrubbed() == {5: [2, 4], 6: [3]}
    tell(home, writer, "blanked", scrubbed=5)
    index.catch_up()
    assert index.events.unscrubbed() == {6: [3]}


def test_an_edit_nobody_vouched_for_is_known_by_its_hash(home: Home, writer: Writer) -> None:
    tell(home, writer, "held", held={"path": SOUL, "sha256": "ab"})
    tell(home, writer, "held", held={"path": SOUL, "sha256": "cd"})
    index = caught_up(home)
    assert index.files.pending_edits() == {SOUL: "cd"}
    tell(home, writer, "vouched for", changes=[change(SOUL, "# Mine")])
    index.catch_up()
    assert index.files.pending_edits() == {}
