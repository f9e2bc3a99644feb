"""Recall by one ranking: every lane, by whichever path, with what its score is made of."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.storing import tables

import lumen
from lumen.app.opened import kernel_of
from lumen.app.recalling import LANES
from lumen.core.errors import UsageError
from lumen.kernel.recall.candidates import RankWanted
from lumen.kernel.recall.fusion import shipped_weights
from lumen.kernel.recall.lanes import Lane
from lumen.mind.embed import WhenNeeded

if TYPE_CHECKING:
    from pathlib import Path

MAY = datetime(2023, 5, 8, 12, tzinfo=UTC)
TALK = (
    ("Ann", "Hey Ben! How was your weekend?"),
    ("Ben", "Great, I took the boat out on the lake with my cousin."),
    ("Ann", "Lovely. Which one was it?"),
    ("Ben", "The one up north, near the old mill."),
    ("Ann", "I spent mine repairing the accordion of my grandfather."),
    ("Ben", "I did not know you had one."),
)
FILLER = ("The kettle is on.", "We watched a film about bees.", "The train was late again.")


def told(being: lumen.Being) -> dict[str, int]:
    """Two people talk one day; much else is said on others. Returns the event of each text."""
    memos = [lumen.Memo(text, MAY, who, "one") for who, text in TALK]
    for n, text in enumerate(FILLER * 4):
        memos.append(lumen.Memo(f"{text} ({n})", MAY + timedelta(days=9 * n), "Cid", f"s{n}"))
    kept = being.remember(memos)
    return {m.text: event for m, event in zip(memos, kept.events, strict=True)}


def test_the_speaker_a_question_names_is_found_by_what_they_say_of_themselves(home: Path) -> None:
    with lumen.open(home) as being:
        events = told(being)
        found = being.recall("What did Ann repair?", explain=True)
    assert found[0].event == events[TALK[4][1]]
    assert found[0].lane == "guest"
    assert found[0].speaker == "Ann"
    assert found[0].parts["speaker"] > 0
    assert {m.text for m in found[0].neighbours} == {TALK[3][1], TALK[5][1]}


def test_what_stands_beside_a_hit_is_found_by_its_neighbour_and_its_session(home: Path) -> None:
    with lumen.open(home) as being:
        events = told(being)
        paths = {m.event: m.paths for m in being.recall("Where is the lake of the boat?")}
    assert "text" in paths[events[TALK[1][1]]]
    assert {"neighbour", "session"} <= {*paths[events[TALK[2][1]]]}


def test_what_i_said_and_what_was_asked_are_found_in_their_lanes(home: Path) -> None:
    with lumen.open(home) as being:
        said = being.say("My sister lives in Lisbon.")
        asked = being.say("Does the ferry to Tangier sail in winter?")
        being.remember("The ferry leaves at noon.", speaker="assistant")
        mine = being.recall("What did you say about my sister in Lisbon?", lane="said")
        questions = being.recall("the ferry in winter", lane="asked")
        stated = being.recall("Where does my sister live?", lane="stated")
        lanes = {m.lane for m in being.recall("ferry sister Lisbon winter")}
    assert mine[0].event == said.event
    assert "The ferry leaves at noon." in [m.text for m in mine]
    assert {m.event for m in questions} == {asked.heard}
    assert [m.event for m in stated] == [said.heard]
    assert lanes == {"stated", "asked", "said"}
    assert {lane.value for lane in Lane} == {*LANES}


def test_what_is_of_a_later_day_is_not_recalled_as_of_an_earlier(home: Path) -> None:
    with lumen.open(home) as being:
        being.remember("I live in Porto.", at=MAY)
        being.remember("I live in Lisbon.", at=MAY + timedelta(days=30))
        now = {m.text for m in being.recall("Where do I live?")}
        then = {m.text for m in being.recall("Where do I live?", as_of=date(2023, 5, 20))}
    assert now == {"I live in Porto.", "I live in Lisbon."}
    assert then == {"I live in Porto."}


def test_what_came_later_does_not_crowd_out_what_was_before_it(home: Path) -> None:
    with lumen.open(home) as being:
        first, *_ = being.remember(
            [lumen.Memo("The heron sleeps in the reeds.", MAY, session="one")]
            + [
                lumen.Memo(f"The heron sleeps, the heron flies: {n}.", MAY + timedelta(days=n // 9))
                for n in range(9, 170)
            ]
            + [lumen.Memo("What else is in the reeds?", MAY + timedelta(days=1), session="one")]
        ).events
        before = being.remember("Where does the heron sleep?").events[0]
        then = being.recall("Where does the heron sleep?", as_of=MAY.date(), explain=True)
        kernel = kernel_of(being)
        turn = kernel.recall.rank("Where does the heron sleep?", RankWanted(before=first + 1))
        late = kernel.recall.rank("Where does the heron sleep?", RankWanted(before=before))
    assert [m.event for m in then] == [m.memory.seq for m in turn] == [first]
    assert then[0].paths[:2] == turn[0].paths[:2] == ("text", "meaning")
    assert [*then[0].neighbours, *turn[0].neighbours] == []  # what stands beside it came later too
    assert before not in {m.memory.seq for m in late}


def test_what_was_revised_stands_behind_what_revises_it_and_was_current_before(home: Path) -> None:
    old, new = "My sister lives in Lisbon.", "Actually, that is over: my sister lives in Faro now."
    asked = "Does my sister live in Lisbon?"
    with lumen.open(home) as being:
        being.remember(old, at=MAY)
        being.remember([lumen.Memo(text, MAY) for text in FILLER])
        being.remember(new, at=MAY + timedelta(days=30))
        now = being.recall(asked, explain=True)
        then = being.recall(asked, as_of=date(2023, 5, 20), explain=True)
    assert [m.text for m in now[:2]] == [new, old]
    assert now[0].parts["revises"] > 0, "by itself it would stand behind"
    assert (now[0].replaces, now[1].revised_by) == (now[1].event, now[0].event)
    assert then[0].text == old
    assert not then[0].revised_by


def test_evidence_is_what_the_ranking_finds_of_the_authors_statements_in_its_order(
    home: Path,
) -> None:
    with lumen.open(home) as being:
        told(being)
        being.remember([f"{text} It was Tuesday." for text in FILLER])
        being.remember(["The boat is red.", "Which boat is it?", "We have no boat, only a raft."])
        being.recall("boat")
        recall = kernel_of(being).recall
        found = recall.evidence("Which colour is the boat?", 1 << 60)
        ranked = recall.rank("Which colour is the boat?", RankWanted(lane=Lane.STATED))
    assert [e.memory.seq for e in found] == [m.memory.seq for m in ranked]
    assert found[0].memory.text == "The boat is red."
    assert len(found) == 5


def test_of_two_that_say_the_same_the_recent_one_and_the_used_one_come_first(home: Path) -> None:
    text = "The spare key is under the blue pot."
    with lumen.open(home) as being:
        old, new = (
            being.remember(text, at=MAY + timedelta(days=days), session=f"s{days}").events[0]
            for days in (0, 300)
        )
        first = being.recall("Where is the spare key?")
        kernel = kernel_of(being)
        tables(kernel.index).keep(("UPDATE events SET weight = 1000000 WHERE seq = ?", [(old,)]))
        after = kernel.recall.rank("Where is the spare key?", RankWanted())
    assert [m.event for m in first] == [new, old]
    assert [m.memory.seq for m in after] == [old, new]


def test_a_date_in_the_question_prefers_what_was_said_then(home: Path) -> None:
    with lumen.open(home) as being:
        events = {
            month: being.remember(
                "We went to the market.",
                at=datetime(2023, month, 9, tzinfo=UTC),
                session=str(month),
            ).events[0]
            for month in (3, 6, 9)
        }
        for words, month in (("in March 2023", 3), ("on 9 June", 6), ("im September 2023", 9)):
            found = being.recall(f"What did I do {words} at the market?")
            assert found[0].event == events[month]


def test_what_cannot_be_asked_is_refused(home: Path) -> None:
    with lumen.open(home) as being:
        for how in ({"lane": "dreams"}, {"limit": 0}):
            with pytest.raises(UsageError):
                being.recall("Where do I live?", **how)
        with pytest.raises(UsageError):
            being.recall("  ")
        assert being.recall("Where do I live?") == ()


def test_there_are_weights_for_the_built_in_embedder() -> None:
    assert WhenNeeded().id in shipped_weights()
