"""When a model, a skill or a whole process fails, the author is told so and nothing is lost."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.kernel.turning import close_dead_turns

from lumen.app.skills import decide_skill
from lumen.core.canon import JSON
from lumen.core.data import Author, EventType
from lumen.core.errors import BadSetting
from lumen.kernel.turn.recorded import RecordedHands
from lumen.kernel.turn.run import Watch
from lumen.soul.checking.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kernel.conftest import Life

FAIL = {"when": ".", "fail": "out of memory"}
TOLD = "My sister lives in Lisbon."
ASKED = "Where does my sister live?"
NOT_MINE = "How many moons does Jupiter have?"


def test_a_model_that_fails_is_named_and_what_is_known_is_said(life: Life) -> None:
    life.script(FAIL)
    life.tell(TOLD)
    answered = life.say(ASKED)

    assert answered.text.startswith("My model could not answer (out of memory), so here is only")
    assert f"“{TOLD}”" in answered.text
    assert (answered.kind, answered.sources) == ("grounded", (2,))
    assert life.step("drafts")["wrote"]["trouble"] == "out of memory"


def test_a_model_that_fails_with_nothing_known_leaves_no_invention(life: Life) -> None:
    life.script(FAIL)
    answered = life.say(NOT_MINE)

    assert answered.text == (
        "My model could not answer (out of memory), so here is only what I know. "
        "I have nothing of yours that bears on this."
    )


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (TOLD, "Noted: your sister lives in Lisbon."),
        ("Hello!", "Hello, Ada."),
        ("Thanks!", "You are welcome."),
    ],
)
def test_a_model_that_fails_is_not_missed_where_none_is_needed(
    life: Life, said: str, answer: str
) -> None:
    life.script(FAIL)

    assert life.say(said).text == answer
    assert "(out of memory)" in life.beat("think").entry.description


@pytest.mark.parametrize("model", ["nowhere/model", "scripted/no/such/file.jsonl"])
def test_a_model_that_is_not_there_is_said_not_to_be_there(life: Life, model: str) -> None:
    life.speak_with(model)
    answered = life.say(NOT_MINE)

    assert answered.text.startswith("My model could not answer (")
    assert model.split("/", 1)[0 if "nowhere" in model else 1] in answered.text
    assert life.turn()[-1].entry.situation == "record"


@pytest.mark.parametrize("silence", ["", "   \n", "…", "?!", "\U0001f600"])
def test_a_model_that_says_nothing_is_said_to_have_said_nothing_new(
    life: Life, silence: str
) -> None:
    life.script({"when": ".", "say": silence})

    answered = life.say(NOT_MINE)

    assert (answered.text, answered.trouble) == ("I do not know.", "it said nothing new")
    assert life.step("drafts")["wrote"]["trouble"] == "it said nothing new"


@pytest.mark.parametrize("echo", [NOT_MINE, "how many MOONS does jupiter have", f"“{NOT_MINE}”"])
def test_a_model_that_repeats_the_message_has_not_answered_it(life: Life, echo: str) -> None:
    life.script({"when": ".", "say": echo})

    assert life.say(NOT_MINE).text == "I do not know."


def test_a_model_that_repeats_its_last_reply_has_not_answered(life: Life) -> None:
    life.script({"when": ".", "say": "Jupiter is a planet with a great many moons."})
    first = life.say(NOT_MINE)
    again = life.say("Why is the sky blue?")

    assert first.text == "Jupiter is a planet with a great many moons."
    assert again.text == "I do not know."


def test_what_cannot_be_done_is_not_promised(life: Life) -> None:
    listener = life.listen()

    assert life.say("Forget what I said about my dog.").text.startswith("I erase nothing because")
    assert listener.prompts == []


def test_a_model_that_repeats_a_statement_is_passed_over_for_a_plain_word(life: Life) -> None:
    life.script({"when": ".", "say": TOLD})

    assert life.say(TOLD).text == "Noted: your sister lives in Lisbon."


def test_a_flood_that_keeps_to_the_limit_is_cut_at_its_last_whole_sentence(life: Life) -> None:
    flood = "It has about ninety moons in all. " + "They go round and " * 5000
    life.script({"when": ".", "say": flood})

    assert life.say(NOT_MINE).text == "It has about ninety moons in all."
    assert life.beat("think").entry.payload["calls"][0]["finish"] == "length"


@pytest.mark.parametrize(
    "flood",
    [
        "so many moons " * 100_000,
        " ".join(f"The {'very ' * (n % 90)}icy moon is the {n} of them." for n in range(5000)),
    ],
)
def test_a_flood_that_keeps_to_no_limit_does_not_drown_the_author(life: Life, flood: str) -> None:
    life.listen("It has about ninety moons in all. " + flood)
    answered = life.say(NOT_MINE)

    assert answered.text.startswith("It has about ninety moons in all.")
    assert answered.text.endswith(".")
    assert len(answered.text) < 2000
    assert sum(len(e.entry.description) for e in life.turn()) < 16_000


def test_a_sentence_said_over_and_over_is_said_once(life: Life) -> None:
    life.listen(answer="It has many moons. " * 20 + "\n\n\n\nSome are icy.")

    assert life.say(NOT_MINE).text == "It has many moons. Some are icy."


def test_a_script_that_cannot_be_read_is_the_authors_to_mend_and_closes_the_turn(
    life: Life,
) -> None:
    life.script({"neither": "say nor fail"})
    with pytest.raises(BadSetting, match="either"):
        life.say(NOT_MINE)

    assert [e.entry.situation for e in life.turn()] == ["heard", "interrupted"]
    assert life.open_turns() == []


def break_chat(life: Life, how: str) -> None:
    chat = life.being.skills / "chat"
    match how:
        case "missing":
            shutil.rmtree(chat)
        case "empty":
            (chat / "main.py").unlink()
        case _:
            (chat / "main.py").write_text(how)
            soul = life.kernel.index.events.soul()
            decide_skill(life.kernel, soul, "chat", "accepted")


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("missing", "There is no skill named 'chat'"),
        ("empty", "The skill chat has no main.py"),
        ("raise SystemExit(3)", "The skill chat crashed with exit code 3."),
        ("print('hello')", "did not answer with one JSON object"),
        ('print(\'{"ok": false, "error": "no voice today"}\')', "no voice today"),
    ],
)
def test_words_a_broken_skill_cannot_say_are_shown_all_the_same(
    life: Life, how: str, why: str
) -> None:
    break_chat(life, how)
    shown: list[str] = []
    answered = life.say(TOLD, watch=Watch(reply=shown.append))

    assert shown == [answered.text]
    assert answered.text == "Noted: your sister lives in Lisbon."
    (result,) = [e.entry for e in life.turn() if e.entry.event_type is EventType.TOOL_RESULT]
    assert result.payload["ok"] is False
    assert why in result.payload["error"]
    assert (
        life.step("post_eval")["wrote"]["delta"] == 0.0
    )  # nobody heard it, so no value is to blame
    assert life.step("post_eval")["wrote"]["progress"] is False
    assert life.beat("act").entry.description.startswith("ACT: not said: ")


@pytest.mark.parametrize("output", ["null", '"words"', '{"text": 3}', "{}"])
def test_a_skill_that_answers_without_words_does_not_take_them(life: Life, output: str) -> None:
    break_chat(life, f"""print('{{"ok": true, "output": {output}}}')""")

    assert life.say("Hello!").text == "Hello, Ada."


def test_what_the_skill_delivered_is_what_is_remembered(life: Life) -> None:
    break_chat(life, 'print(\'{"ok": true, "output": {"text": "In other words."}}\')')
    answered = life.say("Hello!")

    assert answered.text == "In other words."
    assert life.events()[answered.event - 1].entry.description == "In other words."
    assert life.step("post_eval")["wrote"]["delta"] == 0.0


def test_hands_know_which_skills_there_are(life: Life) -> None:
    kernel = life.kernel
    hands = RecordedHands(kernel.gate, "turn", kernel.clock, kernel.policies)

    assert hands.can("chat")
    assert not hands.can("fly")


def unclosed(life: Life) -> list[JSON]:
    found = [e.entry for e in life.events() if e.entry.situation == "unclosed"]
    return [(x.session_key, x.author, x.payload["began"]) for x in found]


def test_a_turn_whose_process_died_is_archived_as_unclosed_once(life: Life) -> None:
    life.say("Hello!")
    assert close_dead_turns(life.kernel) == []
    (seq,) = life.tell(TOLD)
    key = life.events()[-1].entry.session_key

    assert close_dead_turns(life.kernel) == [
        f"The turn that began with event {seq} was never finished; its words are kept."
    ]
    assert close_dead_turns(life.kernel) == []
    assert unclosed(life) == [(key, Author.KERNEL, seq)]
    assert [e.entry.description for e in life.events() if e.seq == seq] == [TOLD]
    assert verify(life.being, life.keyring).ok


@contextmanager
def another_in_turn(root: Path) -> Iterator[None]:
    """Another process in the middle of a turn with the same being."""
    code = (
        "import asyncio, sys, pathlib; from lumen.core.data import BeingPaths\n"
        "from lumen.kernel.gate.presence import in_turn\n"
        "from lumen.soul.archive.locks import FileLocks\n"
        "async def stay():\n"
        "    async with in_turn(FileLocks(BeingPaths(pathlib.Path(sys.argv[1])))):\n"
        "        print('in', flush=True); sys.stdin.read()\n"
        "asyncio.run(stay())"
    )
    command = [sys.executable, "-c", code, str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"in\n"
        yield
        process.communicate(b"")
        assert process.returncode == 0


def test_a_turn_is_not_dead_while_another_process_is_in_one(life: Life) -> None:
    life.tell(TOLD)
    with another_in_turn(life.being.root):
        assert close_dead_turns(life.kernel) == []
        assert unclosed(life) == []
        assert life.say("Hello!").text  # several may talk at once

    assert len(close_dead_turns(life.kernel)) == 1
    assert len(unclosed(life)) == 1
