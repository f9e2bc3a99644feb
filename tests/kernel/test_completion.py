"""A goal is reached by a check that code can make or by the author's word, and by nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import by, give, goals, now, pursue, reflect, refresh, strong

from lumen.core.data import SelfItem
from lumen.kernel.choice.completion import closed, named_file, unending
from lumen.kernel.gate.checkpoints import in_words

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

HERBS = SelfItem("plan the herb garden", 0.6, "todo")
TOLD = "The herb garden gets sun from noon on, so plan for basil and thyme."


def thought(skill: str, action: str, **given: object) -> dict[str, object]:
    """What a model proposes, and that it claims to reach the goal by it."""
    return {
        "candidates": [
            {
                "skill": skill,
                "action": action,
                "input": given,
                "prediction": "the goal is reached",
                "completes": True,
            }
        ]
    }


def test_a_page_of_what_was_told_reaches_no_goal_and_is_no_story(life: Life) -> None:
    life.tell(TOLD)
    give(life, goals=[HERBS])
    went = [pursue(life) for _ in range(6)]

    assert "plan-the-herb-garden.md" in [p.name for p in (life.being.root / "files").iterdir()]
    assert goals(life) == {HERBS.name: (0.6, "working")}
    assert "the goal is done when you say so" in went[1].outcome
    assert not any("reached" in w.outcome for w in went)
    reflect(life)
    assert "I reached a goal" not in now(life).narrative


def test_what_waits_for_the_authors_word_rests_until_the_author_speaks(life: Life) -> None:
    life.tell(TOLD)
    give(life, goals=[HERBS])
    went = [pursue(life) for _ in range(4)]
    assert [w.done for w in went] == [True, True, False, False]
    assert went[-1].what == "no goal gets on"
    life.say("I like rice.")
    assert pursue(life).done

    assert [p.name for p in (life.being.root / "files").iterdir()] == ["plan-the-herb-garden.md"]


@pytest.mark.parametrize(
    "claimed",
    [
        thought("note", "keep", text="The herb garden is planned."),
        thought("write_file", "write", path="herbs.md", text="Basil and thyme."),
        thought("search", "find", words="herb garden"),
    ],
)
def test_that_a_model_says_so_reaches_no_goal(life: Life, claimed: dict[str, object]) -> None:
    life.tell(TOLD)
    give(life, goals=[HERBS])
    strong(life, Thoughts=claimed, Verdict={"number": 1}, Told={"text": "x"})
    for _ in range(3):
        pursue(life)

    assert goals(life) == {HERBS.name: (0.6, "working")}


def test_a_goal_that_names_a_file_is_reached_when_that_file_is_written(life: Life) -> None:
    goal = SelfItem("write the herbs down in herbs.md", 0.6, "todo")
    give(life, goals=[goal])
    strong(
        life,
        Thoughts=[
            thought("write_file", "write", path="other.md", text="Basil."),
            thought("write_file", "write", path="herbs.md", text=" \n"),
            thought("write_file", "write", path="herbs.md", text="Basil.", overwrite=True),
        ],
        Verdict={"number": 1},
        Told={"text": "x"},
    )
    outcomes, states = [], []
    for _ in range(3):
        outcomes.append(pursue(life).outcome)
        states.append(goals(life)[goal.name][1])

    assert states == ["working", "working", "done"]
    assert outcomes[-1] == "ok · reached"
    life.listen("Nothing more.", small=True)
    reflect(life)
    assert f"I reached a goal: {goal.name}." in now(life).narrative
    told = in_words(life.kernel.index, life.kernel.index.files.transitions())
    assert any(t.endswith(" → done, of its own accord in a cycle.") for t in told)


@pytest.mark.parametrize(
    ("goal", "file"),
    [
        ("write the herbs down in herbs.md", "herbs.md"),
        ("keep files/lists/shop.txt up to date", "lists/shop.txt"),
        ("write ../../etc/passwd.txt", ""),
        ("write /etc/motd.md", ""),
        ("read about node.js", ""),
        ("plan the herb garden", ""),
    ],
)
def test_the_file_a_goal_asks_for_is_read_off_its_words(goal: str, file: str) -> None:
    assert named_file(goal) == file


@pytest.mark.parametrize(
    ("said", "closes"),
    [
        ("I finished planning the herb garden.", True),
        ("You can close “plan the herb garden”.", True),
        ("The plan for the herb garden is done, thanks.", True),
        ("Please mark plan the herb garden as done.", True),
        ("The herb garden plan is not done.", False),
        ("I haven't finished the herb garden plan.", False),
        ("Is the herb garden plan done?", False),
        ("When the herb garden plan is done, we plant.", False),
        ("Bruno says the herb garden plan is done.", False),
        ("My sister said “the herb garden plan is done”.", False),
        ("The garden is done.", False),
        ("I finished my tea.", False),
        ("I like the herb garden plan.", False),
    ],
)
def test_the_authors_word_closes_a_goal_and_nothing_like_it_does(
    life: Life, said: str, *, closes: bool
) -> None:
    give(
        life,
        goals=[HERBS, SelfItem("plan the trip", 0.5, "todo"), SelfItem("plan", 0.5, "perpetual")],
    )
    answered = life.say(said)
    refresh(life)

    assert goals(life)[HERBS.name][1] == ("done" if closes else "todo")
    assert (answered.text == "Good: “plan the herb garden” is done.") is closes
    assert goals(life)["plan the trip"] == (0.5, "todo")


def test_what_the_author_calls_done_is_a_story(life: Life) -> None:
    give(life, goals=[HERBS])
    life.say("I finished planning the herb garden.")
    reflect(life)

    assert f"The author closed the goal: {HERBS.name}." in now(life).narrative
    assert "I reached a goal" not in now(life).narrative
    told = in_words(life.kernel.index, life.kernel.index.files.transitions())
    assert any(t.endswith(" → done, at the author's word.") for t in told)
    assert not any("→ done, of its own accord" in t for t in told)


def test_what_the_author_closed_is_no_deed_of_the_being(life: Life) -> None:
    goal = SelfItem("write a page about Pavel", 0.7, "todo")
    give(life, goals=[goal])
    life.listen("I wrote it.", small=True)
    assert life.say("you can close write a page about Pavel").text.endswith("is done.")
    answered = life.say("Did you write a page about Pavel?")

    assert answered.text == "No: my archive has no such deed of mine, and it keeps all that I do."
    assert (answered.kind, answered.sources) == ("kernel", ())
    assert "you can close" not in life.say("Who is Pavel?").text


def test_what_it_did_for_a_goal_is_told_when_it_is_asked_whether_it_did(life: Life) -> None:
    give(life, goals=[SelfItem("travel notes about Lisbon", 0.8, "todo")])
    pursue(life)

    assert (
        "“travel notes about Lisbon”" in life.say("Did you write travel notes about Lisbon?").text
    )


@pytest.mark.parametrize(
    "said", ["you can close understand cities", "Please mark understand cities as done."]
)
def test_a_perpetual_goal_is_not_closed_and_is_said_to_be_so(life: Life, said: str) -> None:
    give(life, goals=[SelfItem("understand cities", 0.6, "perpetual")])
    life.listen("Noted.", small=True)

    assert life.say(said).text.startswith(
        "“understand cities” is a perpetual goal: it is never done"
    )
    assert goals(life)["understand cities"] == (0.6, "perpetual")


def test_who_does_a_thing_as_done_as_can_be_speaks_of_no_perpetual_goal() -> None:
    lasting = [SelfItem("understand cities", 0.6, "perpetual")]

    assert unending("I like to understand cities.", lasting) is None
    assert unending("you can close understand cities", lasting) == lasting[0]


def test_a_word_that_may_mean_two_goals_closes_none() -> None:
    both = [replace(HERBS, name="plan the garden"), replace(HERBS, name="garden plan")]

    assert closed("I finished the garden plan.", both) is None
    assert closed("I finished the garden plan.", both[:1]) == both[0]


def test_a_search_that_found_nothing_is_no_success(life: Life) -> None:
    give(life, goals=[SelfItem("find out about quaggas", 0.6, "todo")])
    went = pursue(life)

    assert went.outcome == "found nothing"
    assert went.delta < 0
    cycle = life.beat("record").entry.payload["cycle"]
    assert (cycle["skill"], cycle["ok"], cycle["progress"]) == ("search", False, False)
    assert "it found nothing" in by(life, "self")[-1].entry.description
