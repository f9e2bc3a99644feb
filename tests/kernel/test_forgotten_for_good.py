"""What went through every part of a life is gone from every byte of it, and is not learnt again."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from tests.kernel.living import (
    EMAIL,
    SKILL_TOML,
    evolved,
    give,
    goals,
    now,
    pursue,
    put_file,
    reflect,
    strong,
    thought,
    wonder,
)
from tests.kernel.test_proposing import proposal

from lumen.core.data import SelfItem, kernel_entry
from lumen.hands.policy import SkillPolicies
from lumen.kernel.language.overlap import OverlapDetector, folded, inflections, pattern_of
from lumen.kernel.upkeep.deep_verify import compare
from lumen.kernel.upkeep.forget import ForgetPlan, carry_out, find, plan
from lumen.kernel.upkeep.maintain import summaries
from lumen.kernel.upkeep.untracked_files import remains
from lumen.soul.checking.verify import verify
from lumen.soul.writing.open import files_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kernel.conftest import Life
    from tests.sampling import Sampled

LISBON = ZoneInfo("Europe/Lisbon")
TOLD = "My locker at the Zanzibarium holds the vermilion ledger."
STEMS = ("zanzibar", "vermilion")
PAGE = "write down what the Zanzibarium holds"
LETTER = "email Ada about the Zanzibarium"
STORY = "I was told of a locker at the Zanzibarium."
UNSEEN = re.compile(
    f"[{''.join(re.escape(c) for c in map(chr, range(0x110000)) if unicodedata.category(c) == 'Cf')}]+"
)
SOURCE = f"# Writes about the Zanzibarium.\n{EMAIL}"


def holding(life: Life, *stems: str) -> list[str]:
    """Files that hold a word in their name or any byte, folded, whatever the escapes around it."""
    found = []
    for path in life.being.root.rglob("*"):
        if not path.is_file() or path.name == "script.jsonl":
            continue
        text = f"{life.being.named(path)}\n{path.read_bytes().decode('utf-8', 'replace')}"
        text = re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), text)
        same = unicodedata.normalize("NFKC", text).casefold()
        seen = UNSEEN.sub("", same)
        found += [life.being.named(path)] if any(stem in seen for stem in stems) else []
    return found


def forget(life: Life, what: object, *, own_files: bool = False) -> ForgetPlan:
    index = life.kernel.index
    index.catch_up()
    sought = find(index, str(what))
    if own_files:
        sought = type(sought)(sought.memories, sought.words, own_files=True)
    return carry_out(life.kernel.gate, plan(life.kernel.gate, sought))[0]


def lives_with_it(life: Life) -> int:
    """Told, made a goal, written into a page and a program, reflected on and summed up."""
    life.open_again()
    life.kernel.policies = SkillPolicies(settings={"write_file": {"unasked": True}})
    life.listen("So the Zanzibarium it is, with its ledger.")
    told = life.say(TOLD).heard
    strong(
        life,
        Thoughts=[
            thought(
                "search", prediction="the Zanzibarium\u200bs are found", input={"words": "sea"}
            ),
            {"candidates": []},
        ],
        Code={"main_py": SOURCE, "skill_toml": SKILL_TOML.replace("a letter", "Zanzibarium mail")},
        Question={"question": "Where does the Zanzibarium lie?"},
        Told={"text": "The Zanzibarium surprised me."},
        Proposals={
            "proposals": [
                proposal("story", STORY, 0.0, [told]),
                proposal("goal", "open the Zanzibarium locker", 0.4, [told]),
                proposal("value", "Zanzibarian mercy", 0.4, [told]),  # refused, in its own words
            ]
        },
    )
    give(life, {"curiosity": 0.8}, [SelfItem(PAGE, 0.9, "todo"), SelfItem(LETTER, 0.85, "todo")])
    for _ in range(6):
        pursue(life)
    wonder(life)
    reflect(life)
    summaries(life.kernel.gate, LISBON)
    life.wonder()  # vectors
    return told


def went_everywhere(life: Life) -> None:
    places = holding(life, "zanzibar")
    assert [p for p in places if p.startswith("files/")]
    assert {"skills/email/main.py", "skills/email/skill.toml", "data/soul.md"} <= set(places)
    assert any(p.startswith("data/goals/") for p in places)
    assert any(p.endswith("summary.md") for p in places)
    assert any(p.startswith("data/index/soul.db") for p in places)
    assert STORY in now(life).narrative
    assert evolved(life)
    beats = {e.entry.situation for e in life.events() if "zanzibar" in str(e.entry.payload).lower()}
    assert {"think", "ask"} <= beats


@pytest.mark.parametrize("by", ["words", "number"])
def test_a_fact_that_went_through_a_life_is_gone_from_every_byte_and_not_learnt_again(
    life: Life, by: str, sampled: Sampled
) -> None:
    told = lives_with_it(life)
    went_everywhere(life)

    found = forget(life, "zanzibarium" if by == "words" else told)

    assert {p.partition("/")[0] for p in found.cut} == {"data", "files", "skills"}
    assert holding(life, *STEMS) == []
    assert remains(life.being, files_of(life.being), life.kernel.index, found.traces) == []
    db = sqlite3.connect(life.being.index)
    for table in ("passages", "marked", "unembedded"):
        gone = f"SELECT count(*) FROM {table} WHERE seq IN (SELECT target FROM erasures)"  # noqa: S608 - our own names
        assert db.execute(gone).fetchone() == (0,)
    assert db.execute("SELECT count(*) FROM lexemes").fetchone() == (0,)
    db.close()
    assert verify(life.being, life.keyring).ok
    assert compare(files_of(life.being), life.kernel.index).problems == ()

    oracle = strong(life, Thoughts={"candidates": []}, Proposals={"proposals": []})
    give(
        life, goals=[SelfItem("look into lockers", 0.9, "todo"), SelfItem("live", 0.5, "perpetual")]
    )
    for number in range(sampled.rounds(8, 20)):
        (pursue, wonder)[number % 2](life)
    reflect(life)
    summaries(life.kernel.gate, LISBON)
    life.wonder()
    assert holding(life, *STEMS) == []
    assert not re.search("zanzibar|vermilion", folded(oracle.shown()))
    assert life.open_again() == []


def test_a_program_goes_whole_and_a_page_loses_its_lines_only(life: Life) -> None:
    lives_with_it(life)
    assert (life.being.skills / "email").exists()
    forget(life, "Zanzibarium")
    assert not (life.being.skills / "email").exists()
    assert (life.being.skills / "search" / "main.py").exists()
    assert not any("anzibar" in name for name in goals(life))
    assert "curiosity" in life.being.values.read_text("utf-8")


def test_files_of_the_authors_own_are_named_and_left_unless_the_author_says_so(life: Life) -> None:
    life.tell(TOLD)
    put_file(life, "diary.txt", "Rain.\nThe Zanzibarium again.\nTea.\n")
    own = life.being.prompts / "drafts" / "system.md"
    own.parent.mkdir(parents=True)
    own.write_text("Speak of Zanzibariums.\nBe kind.\n", "utf-8")
    life.skill("mine", "print('the Zanzibarium')\n")
    before = {p: p.read_bytes() for p in (own, life.being.root / "files" / "diary.txt")}

    found = forget(life, "Zanzibarium")

    yours = {"files/diary.txt", "prompts/drafts/system.md", "skills/mine/main.py"}
    assert {one.path for one in found.yours} == yours
    assert {p: p.read_bytes() for p in before} == before
    left = remains(life.being, files_of(life.being), life.kernel.index, found.traces)
    assert set(left) == yours
    assert all(any(path in said for said in found.beyond) for path in yours)

    found = forget(life, "Zanzibarium", own_files=True)  # nothing else is left that says it
    assert remains(life.being, files_of(life.being), life.kernel.index, found.traces) == []
    assert holding(life, "zanzibar") == []
    assert own.read_text("utf-8") == "Be kind.\n"
    assert (life.being.root / "files" / "diary.txt").read_text("utf-8") == "Rain.\nTea.\n"


def test_a_page_the_author_has_edited_since_is_the_authors(life: Life) -> None:
    lives_with_it(life)
    (page,) = (life.being.root / "files").glob("write-down*")
    page.write_text(page.read_text("utf-8") + "- and mine: the Zanzibarium\n", "utf-8")
    found = forget(life, "Zanzibarium")
    assert [one.path for one in found.yours] == [life.being.named(page)]
    assert page.exists()


def test_a_call_that_failed_does_not_make_the_authors_file_the_beings(life: Life) -> None:
    life.kernel.policies = SkillPolicies(settings={"write_file": {"unasked": True}})
    text = "The Zanzibarium, by me.\n"
    put_file(life, "mine.txt", text)
    life.tell(TOLD)
    strong(
        life,
        Thoughts=thought("write_file", action="write", input={"path": "mine.txt", "text": text}),
    )
    give(life, {"curiosity": 0.9}, [SelfItem("sing in a choir", 0.9, "todo")])
    pursue(life)
    assert any("there is a file already" in e.entry.description for e in life.events())
    assert [one.path for one in forget(life, "Zanzibarium").yours] == ["files/mine.txt"]


@pytest.mark.parametrize(
    "said",
    [
        "the zanzibariums are open",
        "ZANZIBARIUM'S ledger",
        "\uff3a\uff41\uff4e\uff5a\uff49\uff42\uff41\uff52\uff49\uff55\uff4d",
        "Zan\u00adzi\u200bbar\u2060ium",
        "zanzibarium_notes",
        '"a\\nZanzibarium"',
        '"\\u005aanzibarium"',
        "OldZanzibariumHouse",
    ],
)
def test_words_are_known_in_any_form_wherever_an_event_holds_them(life: Life, said: str) -> None:
    life.tell(TOLD)
    payload = {"odd": [{"deep": {"field": said}}], said: 1}
    seq = life.kernel.gate.record(kernel_entry("note", "Noted.", "lumen:kernel", payload)).seq
    life.being.quarantine.mkdir(exist_ok=True)
    (life.being.quarantine / "x").write_text(said, "utf-8")
    found = forget(life, "Zanzibarium")
    assert seq in [g.seq for g in found.goes]
    assert remains(life.being, files_of(life.being), life.kernel.index, found.traces) == []
    assert holding(life, "zanzibar") == []


@pytest.mark.parametrize(
    ("word", "forms", "others"),
    [
        ("ledger", "ledger ledgers ledger's ledgers'", "leg pledgers ledgerline"),
        ("Ann", "ann ann's anns", "annual banner anna"),
        ("marry", "marry marries married marrying", "mar market"),
        ("swim", "swim swims swimming swimmer", "swift"),
        ("сестра", "сестра сестры сестре сестрой сестёр сестрах", "место сестерций"),
        ("сестёр", "сестёр сестра сестрам", "место"),
        ("кошка", "кошка кошки кошек кошкой", "кошель"),
        ("письмо", "письмо письма писем письмами", "песен"),
        ("Павел", "Павел Павла Павлу Павлом", "павлин"),
        ("дом", "дом", "домой"),
        ("4471", "4471", "44710 14471"),
        (
            "my sister Zoe",
            "my sister zoe|my sisters  zoe's|My sister, Zoé".replace("é", "e"),
            "my zoe",
        ),
    ],
)
def test_a_word_is_known_by_its_inflections_and_not_inside_another(
    word: str, forms: str, others: str
) -> None:
    pattern = pattern_of(word)
    for form in forms.split("|") if "|" in forms else forms.split():
        assert pattern.search(folded(f"so {form}.")), form
    for other in others.split() if " " not in word else [others]:
        assert not pattern.search(folded(f"so {other}.")), other
    assert inflections("4471") == "4471"


def test_a_word_of_the_kernels_own_takes_no_note_of_the_kernel_with_it(life: Life) -> None:
    life.tell("I like the search for rare plants.")
    note = kernel_entry("note", "search.find went well", "lumen:kernel", {"skill": "search"})
    kept = life.kernel.gate.record(note).seq
    found = forget(life, "search")
    assert found.traces.common
    assert kept not in found.erasure.targets
    assert remains(life.being, files_of(life.being), life.kernel.index, found.traces) == []


def test_chance_bytes_of_an_index_are_no_trace_and_real_ones_are(tmp_path: Path) -> None:
    ann = OverlapDetector([], sought="Ann")
    assert ann.left_in("so Ann said")
    assert not ann.left_in("\x00ann\x00", binary=True)
    assert OverlapDetector([], sought="Zanzibarium").left_in("\x00zanzibarium\x00", binary=True)
