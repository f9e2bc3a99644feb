"""Forgetting: gone from every file, and nothing else with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from tests.kernel.conftest import wake
from tests.storing import tables

from lumen.core.data import Change, SelfItem, kernel_entry
from lumen.core.errors import UsageError
from lumen.core.stores import Store
from lumen.kernel.gate.checkpoints import create, restore
from lumen.kernel.gate.keys import author_signer
from lumen.kernel.gate.recovery import announcement, erase
from lumen.kernel.upkeep.deep_verify import compare
from lumen.kernel.upkeep.forget import ForgetPlan, carry_out, find, plan
from lumen.kernel.upkeep.maintain import summaries
from lumen.soul.checking.verify import verify
from lumen.soul.writing.open import files_of

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.sampling import Sampled

    from lumen.core.data import BeingPaths
    from lumen.mind.e5 import E5

LISBON = ZoneInfo("Europe/Lisbon")
TOLD = "My locker at the Zanzibarium holds the vermilion ledger."
WORD = "zanzibar"  # the beginning of a word that nothing else says
OTHER = "My locker at the gym holds a pair of running shoes."


def holding(being: BeingPaths, word: str) -> list[str]:
    """The files that hold a word anywhere in their bytes; the model's script is a test's own."""
    files = (p for p in being.root.rglob("*") if p.is_file() and p.name != "script.jsonl")
    return [being.named(p) for p in files if word.lower().encode() in p.read_bytes().lower()]


def planned(life: Life, what: object) -> ForgetPlan:
    index = life.kernel.index
    index.catch_up()
    return plan(life.kernel.gate, find(index, str(what)))


def forget(life: Life, what: object) -> ForgetPlan:
    found = planned(life, what)
    erase(life.kernel.gate, found.erasure, "The author had something forgotten.")
    return found


@pytest.fixture
def elsewhere(life: Life, embedder: E5) -> Iterator[Callable[[], Life]]:
    """Opens the same being as another process does."""
    with ExitStack() as open_ones:

        def opened() -> Life:
            clock = replace(life.clock, seed=(life.clock.seed or 0) + 1)
            other = wake(life.being, life.keyring, clock, embedder)
            open_ones.callback(other.kernel.close)
            return other

        yield opened


def sound(life: Life) -> bool:
    """Whether archive, tables and files agree."""
    assert verify(life.being, life.keyring).problem is None
    assert compare(files_of(life.being), life.kernel.index).problems == ()
    return True


def by_hand(life: Life, path: str, text: str) -> None:
    life.being.at(path).write_text(text, "utf-8")
    life.kernel.gate.adopt()


def test_it_is_gone_from_every_file_wherever_it_was_repeated(life: Life) -> None:
    life.tell(OTHER)
    (told,) = life.tell(TOLD)
    life.say("What did I tell you about my locker?")
    life.script({"when": "(?s).*", "say": "The Zanzibarium, of course."})
    life.say("Any idea what I am thinking of?")
    create(life.kernel.gate, "the day of the Zanzibarium")
    by_hand(life, "data/soul.md", "# Iris\n\nI like the sea.\nWe spoke of the Zanzibarium.\n")
    goal = SelfItem("visit the zanzibarium's ledger", 0.5, "todo")
    life.kernel.gate.commit(
        "author", [Change(Store.GOALS, "put", goal)], kernel_entry("goal", "A goal.", "a", {})
    )
    life.skill("chat", "sys.exit('no such place: Zanzi' + 'barium')")
    life.say("Hello there.")
    summaries(life.kernel.gate, LISBON)
    newest = sorted(life.being.memory.glob("*/*.jsonl"))[-1]
    with newest.open("ab") as segment:
        segment.write(b'{"torn":"the Zanzibarium ledger')
    assert "quarantine" in str(life.open_again())
    assert len(holding(life.being, WORD)) > 4

    forget(life, told)

    assert holding(life.being, WORD) == []
    assert life.being.soul_md.read_text("utf-8") == "# Iris\n\nI like the sea.\n"
    assert sound(life)
    assert life.open_again() == []


def test_what_else_was_said_is_still_known_and_recalled(life: Life) -> None:
    life.tell(OTHER, "The ledger of the shop is green.")
    (told,) = life.tell(TOLD)
    life.say("What does my locker at the gym hold?")

    gone = {g.seq for g in forget(life, told).goes}

    kept = [e.entry.description for e in life.events() if e.seq not in gone]
    assert {OTHER, "The ledger of the shop is green."} <= set(kept)
    assert "running shoes" in life.say("What does my locker at the gym hold?").text
    assert "green" in life.say("What colour is the ledger of the shop?").text


def test_a_reply_that_quotes_another_memory_in_the_same_phrasing_stays(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    life.say("My sister lives in Porto.")
    answered = life.say("Where does my sister live?")
    assert "“My sister lives in Porto.”" in answered.text
    told = life.tell("My sister lives in the Zanzibarium.")[0]

    assert [g.seq for g in forget(life, told).goes] == [told]
    assert life.kernel.index.memories.get([answered.event])


def test_recall_no_longer_knows_it(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    told = life.tell(TOLD, "The weather was fine.")[0]
    assert "vermilion" in life.say("What does my locker hold?").text

    forget(life, told)

    assert "vermilion" not in life.say("What does my locker hold?").text
    assert life.kernel.index.memories.search(["vermilion", "zanzibarium"], 5) == []


def test_a_second_reader_of_the_index_forgets_it_too(
    life: Life, elsewhere: Callable[[], Life]
) -> None:
    told = life.tell(TOLD)[0]
    other = elsewhere()
    assert [e.memory.seq for e in other.wonder().evidence("What does my locker hold?")] == [told]

    forget(life, told)

    assert other.wonder().evidence("What does my locker hold?") == ()
    assert holding(life.being, WORD) == []


def test_the_words_that_went_have_no_vectors_left(life: Life) -> None:
    told = life.tell(TOLD)[0]
    life.wonder()
    assert tables(life.kernel.index).row("SELECT 1 FROM lexemes WHERE word = 'vermilion'")

    forget(life, told)

    assert tables(life.kernel.index).row("SELECT 1 FROM lexemes WHERE word = 'vermilion'") is None
    assert tables(life.kernel.index).row("SELECT 1 FROM passages WHERE seq = ?", (told,)) is None


def test_a_message_that_shares_a_common_word_stays_and_one_that_says_the_same_goes(
    life: Life,
) -> None:
    near, told, again = life.tell(OTHER, TOLD, f"I say it twice: {TOLD}")

    goes = {g.seq: g.why for g in forget(life, told).goes}

    assert goes == {told: "you asked", again: "says the same"}
    assert near in life.kernel.index.memories.get([near])


def test_by_words_every_memory_that_says_them_goes(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    life.say(TOLD)
    life.say("Is the Zanzibarium open on Sundays?")
    life.tell(OTHER)

    forget(life, "ZANZIBARIUM")

    assert holding(life.being, WORD) == []
    assert OTHER in [e.entry.description for e in life.events()]
    assert sound(life)


def test_by_its_id(life: Life) -> None:
    told = life.tell(TOLD)[0]
    forget(life, life.events()[told - 1].id)
    assert holding(life.being, WORD) == []


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("999", "event 999 is not there"),
        ("1", "is the kernel's own"),
        ("nothing like this", "nothing I remember says"),
        ("the", "too little to go by"),
        ("-3", "too little to go by"),
        ("", "too little to go by"),
        ("9" * 40, "nothing I remember says"),
    ],
)
def test_what_is_not_there_cannot_be_forgotten(life: Life, what: str, said: str) -> None:
    life.tell(TOLD)
    before = life.events()
    with pytest.raises(UsageError, match=said):
        forget(life, what)
    assert life.events() == before


def test_it_cannot_be_forgotten_twice(life: Life) -> None:
    told = life.tell(TOLD)[0]
    forget(life, told)
    before = life.events()
    for what in (told, TOLD):
        with pytest.raises(UsageError):
            forget(life, what)
    assert life.events() == before


def test_a_restored_moment_comes_back_without_it(life: Life) -> None:
    told = life.tell(TOLD)[0]
    by_hand(life, "data/soul.md", "# Iris\n\nThe sea.\nThe Zanzibarium.\nThe hills.\n")
    create(life.kernel.gate, "then")
    by_hand(life, "data/soul.md", "# Iris\n\nNothing.\n")
    forget(life, told)

    restore(life.kernel.gate, life.kernel.index.files.checkpoints()["then"][0])

    assert life.being.soul_md.read_text("utf-8") == "# Iris\n\nThe sea.\nThe hills.\n"
    assert holding(life.being, WORD) == []
    assert sound(life)


def test_forgetting_what_a_restore_brought_back_leaves_the_weights_alone(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    shoes = life.tell(OTHER)[0]
    told = life.tell(TOLD)[0]
    by_hand(life, "data/soul.md", "# Iris\n\nThe Zanzibarium.\n")
    create(life.kernel.gate, "then")
    life.say("What does my locker at the gym hold?")
    by_hand(life, "data/soul.md", "# Iris\n")
    restore(life.kernel.gate, life.kernel.index.files.checkpoints()["then"][0])
    life.kernel.index.catch_up()
    weight = life.kernel.index.memories.get([shoes])[shoes].weight

    forget(life, told)

    assert life.kernel.index.memories.get([shoes])[shoes].weight == weight == 500_000
    assert sound(life)


def test_uses_of_other_memories_outlive_the_turn_that_is_forgotten(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    shoes = life.tell(OTHER)[0]
    asked = life.say("What does my locker at the gym hold?")
    life.kernel.index.catch_up()
    used = life.kernel.index.memories.get([shoes])[shoes].weight
    assert used > 500_000
    question = life.kernel.index.events.turn(life.kernel.index.events.turn_of(asked.event))[0].seq

    forget(life, question)

    assert life.kernel.index.memories.get([shoes])[shoes].weight == used
    assert sound(life)


def announce(life: Life, found: ForgetPlan) -> int:
    """Only the event that says what is forgotten, as a kill right after it leaves things."""
    entry = announcement(life.kernel.gate, found.erasure, "Forgotten.")
    signer = author_signer(life.kernel.gate)
    return life.kernel.gate.log.append([entry], durable=True, signer=signer)[-1].seq


def test_an_erasure_cut_off_before_the_lines_were_blanked_is_finished_at_the_next_start(
    life: Life,
) -> None:
    told = life.tell(TOLD, OTHER)[0]
    by = announce(life, planned(life, told))
    assert holding(life.being, WORD)

    assert f"What event {by} erases is blanked out on disk now." in life.open_again()

    assert holding(life.being, WORD) == []
    assert sound(life)
    assert life.open_again() == []


def test_an_erasure_cut_off_leaves_neither_words_nor_torn_bytes(life: Life) -> None:
    told = life.tell(TOLD, OTHER)[0]
    life.wonder()
    newest = sorted(life.being.memory.glob("*/*.jsonl"))[-1]
    with newest.open("ab") as segment:
        segment.write(b'{"torn":"the Zanzibarium ledger')
    life.open_again()
    announce(life, planned(life, told))

    life.open_again()

    assert holding(life.being, WORD) == []


def test_an_erasure_cut_off_leaves_no_file_that_tells_of_it(life: Life) -> None:
    told = life.tell(TOLD)[0]
    by_hand(life, "data/soul.md", "# Iris\n\nThe Zanzibarium.\nThe hills.\n")
    summaries(life.kernel.gate, LISBON)
    announce(life, planned(life, told))

    life.open_again()

    assert holding(life.being, WORD) == []
    assert sound(life)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("Meine Kätzchen heißen Ünderwölfchen und Zoë.", "Ünderwölfchen"),
        ("我妹妹住在里斯本的老城区。", "里斯本的老城区"),
        ("Моя сестра живёт в Верхнеозёрске.", "Верхнеозёрск"),
        ("The code is 🦜🦜 naïve-xylophonë.", "xylophonë"),
    ],
)
def test_words_of_every_script_go(life: Life, said: str, word: str) -> None:
    life.script({"when": "(?s).*", "say": ""})
    life.say(said)
    life.tell(OTHER)
    told = next(e.seq for e in life.events() if e.entry.description == said)

    forget(life, told)

    found = [p for p in life.being.root.rglob("*") if p.is_file() and p.name != "script.jsonl"]
    lower, asis = word.lower().encode(), word.encode()
    assert [p for p in found if lower in p.read_bytes() or asis in p.read_bytes()] == []
    assert sound(life)


def test_a_very_long_message_goes(life: Life, sampled: Sampled) -> None:
    life.script({"when": "(?s).*", "say": ""})
    text = " ".join(f"w{i:x}" for i in range(sampled.rounds(20_000, 150_000))) + " zanzibarium"
    life.say(text)
    told = next(e.seq for e in life.events() if e.entry.description == text)

    forget(life, told)

    assert holding(life.being, WORD) == []
    assert holding(life.being, "w1a2b") == []
    assert sound(life)


def test_an_edit_that_cannot_be_adopted_is_named_as_out_of_reach(life: Life) -> None:
    told = life.tell(TOLD)[0]
    life.being.values.write_text('[{"name": "the Zanzibarium"', "utf-8")
    assert any("data/values.json" in line for line in planned(life, told).beyond)


def test_what_another_process_says_while_the_plan_is_looked_at_is_still_covered(
    life: Life, elsewhere: Callable[[], Life]
) -> None:
    told = life.tell(TOLD)[0]
    found = planned(life, told)
    other = elsewhere()
    other.script({"when": "(?s).*", "say": ""})
    assert "vermilion" in other.say("What does my locker hold?").text

    carry_out(life.kernel.gate, found)

    assert holding(life.being, WORD) == []


def test_the_index_made_anew_does_not_know_it(life: Life) -> None:
    told = life.tell(TOLD, OTHER)[0]
    forget(life, told)
    life.kernel.index.rebuild()
    assert life.kernel.index.memories.get([told]) == {}
    assert [m.text for m in life.kernel.index.memories.texts()] == [OTHER]
