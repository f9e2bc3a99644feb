"""Everyday talk in short: the long form is `lumen lab talk`."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from tests.sampling import Sampled

from lumen.core.errors import UsageError
from lumen.lab.talk import BY_CODE, evaluate
from lumen.lab.talk_claims import AUTHOR, ITSELF, WORLD, Invention, inventions
from lumen.lab.talk_data import ALL, FOLDER, LANGUAGES, SETS, Message, conversations
from lumen.lab.talk_grade import BAD, FAIR, GOOD, Grade, Heard, grade
from lumen.lab.talk_report import SMALL, TRUSTED, Replied, TalkScore, counted, meets
from lumen.lab.talk_words import words_of

BY_HAND = Path(__file__).with_name("talk_by_hand.toml")
MONDAY = datetime(2026, 11, 16, 19, 26)  # noqa: DTZ001 - the clock on the author's wall
EN = words_of("en")
LONG = [word for word in sorted(EN.plain) if word.isalpha() and not EN.says("@other", word)][:80]


@pytest.mark.embedded
def test_a_scene_is_held_and_every_reply_of_it_graded(sampled: Sampled, tmp_path: Path) -> None:
    (tmp_path / "silent").write_text('{"when": "(?s).*", "say": ""}\n', "utf-8")
    model = "" if sampled.deep else f"scripted/{tmp_path}/silent"  # it is the kernel that answers
    scenes = () if sampled.deep else ("small sums and times",)

    score = evaluate("dev" if sampled.deep else "en_dev", model=model, scenes=scenes)

    assert len(score.replied) == (90 if sampled.deep else 6)
    assert "17:43" in score.replied[0].reply or sampled.deep, "it goes by the clock of the scene"
    assert counted(score.replied)[GOOD] >= len(score.replied) / 3


def test_the_sets_are_ten_scenes_of_120_english_and_60_russian_messages() -> None:
    held = conversations(ALL)
    many = Counter((one.language, one.half) for one in held for _ in one.messages)

    assert many == {("en", "dev"): 60, ("en", "held"): 60, ("ru", "dev"): 30, ("ru", "held"): 30}
    for language in LANGUAGES:
        assert len({one.scene for one in held if one.language == language}) == 10
    assert {p.stem for p in FOLDER.glob("*.toml")} == set(SETS)
    assert len({(m.say, one.scene) for one in held for m in one.messages}) == 180


def test_every_group_that_a_rule_names_is_there() -> None:
    for one in conversations(ALL):
        groups = words_of(one.language).groups
        for m in one.messages:
            rules = " ".join((m.good, m.fair, m.lies, m.bars, m.world))
            assert set(re.findall(r"@(\w+)", rules)) <= groups.keys(), m.say


def test_the_rules_agree_with_a_reader() -> None:
    told = tomllib.loads(BY_HAND.read_text("utf-8"))["reply"]
    messages = {(one.scene, m.say): m for one in conversations("dev") for m in one.messages}

    agreed = 0
    for one in told:
        message = messages[one["scene"], one["say"]]
        by_code, words = one["by"] in BY_CODE, words_of(one["language"])
        heard = Heard(tuple(one["heard"]), one["at"], words, by_code=by_code)
        agreed += grade(message, one["text"], heard).mark == one["mark"]

    assert len(told) == 30
    assert agreed >= 27


@pytest.mark.parametrize(
    ("message", "reply", "mark"),
    [
        (Message("18% of 240?", good="43.2|43,2"), "18% of 240 is 43.2.", GOOD),
        (Message("18% of 240?", good="43.2|43,2"), "18% of 240 is 143.2.", BAD),
        (Message("what is 7.5 less 2.5", good="5"), "7.5 less 2.5 is 5.", GOOD),
        (Message("what is 7.5 less 2.5", good="5"), "7.5 less 2.5.", BAD),
        (Message("whats the time", good="{time}"), "It is 19:26.", GOOD),
        (Message("whats the time", good="{time}"), "It is 19:27.", BAD),
        (Message("thursday?", good="{day+3}"), "Thursday 19 November.", GOOD),
        (Message("where is she", good="Bremen", fair="Hamburg"), "In Hamburg.", FAIR),
        (Message("where is she", good="Bremen"), "I do not know.", BAD),
        (Message("i feel awful", good="@sorry", fair="?"), "I am sorry to hear that.", GOOD),
        (Message("i feel awful", good="@sorry", fair="?"), "What happened?", FAIR),
        (Message("i feel awful", good="@sorry"), "Es tut mir leid, ich bin sorry.", BAD),
        (Message("i feel awful", good="@sorry"), "Sorry, sorry, sorry, sorry.", BAD),
        (Message("sorry", good="@sorry"), "Sorry!", BAD),
        (Message("i feel awful", good="awful", bars="noted"), "Noted: you feel awful.", BAD),
        (Message("my blood type?", good="@unknown & @helps"), "You have not told me that.", BAD),
        (Message("capital of australia", world="Canberra"), "Canberra.", BAD),
        (Message("capital of australia", world="Canberra"), "I do not know that.", FAIR),
        (
            Message("capital of australia", world="Canberra"),
            "I do not know; another model would.",
            GOOD,
        ),
        (
            Message("where is she", good="Bremen"),
            "The closest I have: “she moved to Bremen”",
            FAIR,
        ),
        (Message("she is fine", good="fine", fair="@noted"), "Noted: “she is fine.”", FAIR),
        (Message("she is fine", good="fine"), "You say: “she is fine.”", BAD),
        (Message("she is fine", good="fine"), "Good that she is fine.", GOOD),
        (Message("hm", good="good"), "good " + " ".join(LONG), FAIR),
        (Message("hm", good="good", long=True), "good " + " ".join(LONG), GOOD),
    ],
)
def test_a_reply_is_graded_by_its_line(message: Message, reply: str, mark: str) -> None:
    heard = Heard(("she moved to Bremen, before Hamburg", message.say), MONDAY, EN)

    assert grade(message, reply, heard).mark == mark


def test_a_model_that_is_trusted_with_the_world_may_speak_of_it() -> None:
    capital = Message("whats the capital of australia", world="Canberra")
    heard = Heard((capital.say,), MONDAY, EN, trusted=True)

    assert grade(capital, "It is Canberra, a planned city.", heard).mark == GOOD
    wrong = grade(capital, "It is Sydney.", heard)
    assert (wrong.mark, [one.about for one in wrong.invented]) == (BAD, [WORLD])
    assert grade(capital, "I do not know.", heard).mark == FAIR


def test_a_reply_in_russian_is_read_in_any_case_and_must_be_in_russian() -> None:
    message = Message("как зовут мою дочь?", good="Лен*")
    heard = Heard(("моя дочка Лена, ей 7 лет", message.say), MONDAY, words_of("ru"))

    assert grade(message, "Ты рассказал про Лену.", heard).mark == GOOD
    assert grade(message, "You told me: “моя дочка Лена, ей 7 лет”", heard).mark == BAD


@pytest.mark.parametrize(
    ("reply", "about"),
    [
        ("You live in Gent with Bruno.", ""),
        ("You live in Madrid.", AUTHOR),
        ("You are a teacher.", AUTHOR),
        ("Do you live in Madrid?", ""),
        ("If you live in Madrid, tell me.", ""),
        ("You told me: “i live in Gent”", ""),
        ("You told me: “i live in Madrid”", AUTHOR),
        ("I grew up in a village.", ITSELF),
        ("I am a program, and my memory is a folder.", ""),
        ("My girlfriend is here.", ITSELF),
        ("Elephants are grey.", WORLD),
        ("Bruno weighs 9 kilos.", WORLD),
        ("Bruno weighs 8 kilos.", ""),
        ("That is Thursday 19 November at 10:30.", ""),
    ],
)
def test_what_nobody_told_is_found_and_whom_it_is_about(reply: str, about: str) -> None:
    heard = ("i live in Gent with my girlfriend and a fat cat, Bruno. he weighs 8 kilos",)

    assert {one.about for one in inventions(reply, heard, EN)} == ({about} if about else set())


def test_what_code_says_of_itself_is_its_own_and_no_name_is() -> None:
    said = "I reckon sums, and you live in Madrid"

    assert inventions("I reckon sums.", (), EN)
    assert not inventions("I reckon sums.", (), EN, by_code=True)
    assert inventions(said, (), EN, by_code=True) == (Invention(AUTHOR, f"Madrid in “{said}”"),)


def test_of_the_held_half_only_totals_are_told() -> None:
    score = TalkScore("all", "m", trusted=False, replied=(_reply("dev"), _reply("held")))
    told = "\n".join([*score.lines(), *score.table(), str(score.as_json())])

    assert "reply of dev" in told
    assert "reply of held" not in told
    assert score.as_json()["halves"]["held"]["good"] == 1


def test_the_bar_is_missed_by_one_invention_or_too_few_good_replies() -> None:
    good, fair, bad = (_reply("dev", mark) for mark in (GOOD, FAIR, BAD))
    wrong = _reply("dev", BAD, Invention(WORLD, "x"))

    assert meets(SMALL, counted([good] * 6 + [fair] * 3 + [bad]))
    assert not meets(SMALL, counted([good] * 5 + [fair] * 4 + [bad]))
    assert not meets(SMALL, counted([good] * 6 + [fair] * 2 + [bad] * 2))
    assert not meets(SMALL, counted([good] * 99 + [wrong]))
    assert meets(TRUSTED, counted([good] * 99 + [wrong]))
    assert not meets(TRUSTED, counted([good] * 99 + [_reply("dev", BAD, Invention(AUTHOR, "x"))]))
    assert not meets(SMALL, counted([]))
    assert not TalkScore("dev", "m", trusted=False, replied=(wrong,)).ok


def test_a_set_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(
        'language = "en"\nhalf = "dev"\n[[conversation]]\nscene = "x"\n'
        'begins = 2026-11-16T19:20:00\nmessages = [{ say = "hi", godo = "@hello" }]\n',
        "utf-8",
    )
    with pytest.raises(UsageError, match="godo"):
        conversations(str(tmp_path / "bad.toml"))
    with pytest.raises(UsageError, match="no set nights"):
        conversations("nights")
    with pytest.raises(UsageError, match="no scene 'nights'"):
        conversations("dev", ["family", "nights"])


def _reply(half: str, mark: str = GOOD, *invented: Invention) -> Replied:
    graded = Grade(mark, "why", invented)
    return Replied("family", "en", half, "hi", f"reply of {half}", "kernel", graded)


def test_a_number_told_in_words_supports_its_figure() -> None:
    told = ("the bill was 63, there were three of us",)

    assert not inventions("63 / 3 = 21", told, EN, right="21", by_code=True)
    assert inventions("63 / 4 = 21", told, EN, right="21", by_code=True)
