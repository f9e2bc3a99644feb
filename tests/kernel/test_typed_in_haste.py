"""Messages as people type them: small letters, missing marks, a word put right, a sigh, somebody else's fear."""

# ruff: noqa: RUF001 - Russian

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.kernel.identity.naming import names_given
from lumen.kernel.language.bare_note import bare_note
from lumen.kernel.language.clock_sums import clock_sum
from lumen.kernel.language.feelings import feels_for
from lumen.kernel.language.followups import completed, restated
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.put_instead import in_its_place, put_instead
from lumen.kernel.language.reading import asks_for, fits, modality, spelled_out
from lumen.kernel.language.small_names import small_names
from lumen.kernel.language.sums import sum_asked
from lumen.kernel.language.turning import turned_back
from lumen.kernel.steps.p3_deliberate.position import holds_position, stands_by

if TYPE_CHECKING:
    from tests.conftest import Asks
    from tests.kernel.conftest import Life


@pytest.fixture
def small(life: Life) -> Life:
    life.listen("You were born in Madrid.", small=True)
    return life


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        ("do u ever get bored", "do you ever get bored"),
        ("how r u", "how are you"),
        ("we met in car R u know", "we met in car R you know"),
        ("чё делаешь", "что делаешь"),
        ("щас приду", "сейчас приду"),
        ("vllt morgen", "vielleicht morgen"),
        ("she plays the tuba", "she plays the tuba"),
    ],
)
def test_a_word_shortened_in_haste_is_read_as_it_is_meant(said: str, whole: str) -> None:
    assert spelled_out(said) == whole


def test_a_question_with_a_shortened_word_is_answered_as_the_whole_one(small: Life) -> None:
    assert small.say("do u ever get bored").text == small.say("do you ever get bored").text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("hey im back. so knackered, first shift done", "so knackered, first shift done"),
        ("привет! меня зовут олег", "меня зовут олег"),
        ("Hallo, ich habe einen Hund", "ich habe einen Hund"),
        ("honesty is important to me, remember that", "honesty is important to me"),
        ("для меня важна честность, запомни", "для меня важна честность"),
        ("kiwi swears like a sailor lol", "kiwi swears like a sailor"),
        ("кот опять на шкафу)", "кот опять на шкафу"),
        ("we saw Ben (the tall one)", "we saw Ben (the tall one)"),
        ("morning meeting at 9", "morning meeting at 9"),
        ("hello kitty is my cats name", "hello kitty is my cats name"),
        ("i need to remember that", "i need to remember that"),
        ("im back lol, class was ace", "class was ace"),
        ("hi", "hi"),
    ],
)
def test_what_is_said_back_is_what_was_told_without_its_greeting(said: str, told: str) -> None:
    assert bare_note(said) == told


def test_a_note_is_said_back_without_the_greeting_in_front_of_it(small: Life) -> None:
    assert (
        small.say("привет! по вторникам у меня бассейн").text
        == "Записано: по вторникам у тебя бассейн."
    )
    assert small.say("привет! у меня кот семён").text == "Записано: у тебя кот семён."
    assert small.say("hey my shift starts at 5").text == "Noted: your shift starts at 5."


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("its late already, how are you", "feeling"),
        ("hey hey, just installed it, whats the deal here", "works"),
        ("i met tom, who is my boss", ""),
        ("its raining again, what a day", ""),
        ("а тебе бывает скучно", "moods"),
        ("мне бывает скучно", ""),
        ("sorry for dumping this on you", "apology"),
        ("извини что гружу тебя", "apology"),
        ("tut mir leid, dass ich dich so vollrede", "apology"),
        ("sorry im moaning", "apology"),
        ("у тебя есть друзья", "relations"),
        ("у меня есть друзья", ""),
        ("sorry for the confusion. It is on Tuesday.", ""),
        ("sorry bristol not bath", ""),
        ("ты мои сообщения никому не показываешь?", "seen_by"),
        ("ты никому не рассказывал о пожаре?", ""),
        ("what've i got on wednesday", "agenda"),
        ("what've i got against wednesdays", ""),
    ],
)
def test_what_is_asked_or_said_of_the_being_is_found_behind_a_comma_and_without_a_mark(
    said: str, kind: str, asks: Asks
) -> None:
    assert asks(said) == kind


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("посоветуй что посмотреть вечером", "task"),
        ("recommend me a good film", "task"),
        ("он посоветовал мне фильм", "statement"),
        ("she recommends the soup", "statement"),
    ],
)
def test_a_request_for_a_suggestion_is_a_task(said: str, kind: str) -> None:
    assert modality(said) == kind


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("if i leave at 7:40 and it takes 55 mins when do i get there", "8:35"),
        ("my train is at 9:15 and its 40 min to the station, when should i leave?", "8:35"),
        ("film starts at 20:30 and is 2h 10min, when is it over?", "22:40"),
        ("flight at 6pm takes 2.5 hours, what time do we land", "8:30 pm"),
        ("when do i get there if i leave at 8pm and drive for 3 hours", "11:00 pm"),
        ("поезд в 9:15, до вокзала 40 минут, во сколько выйти", "8:35"),
        ("выезжаю в 8, ехать полтора часа, когда приеду?", "9:30"),
        ("ich fahre um 8 los und brauche anderthalb stunden, wann bin ich da", "9:30"),
        ("when is my train", ""),
        ("i had lunch at 12 and coffee at 3, it took 20 min, when was i home?", ""),
        ("it takes 55 mins, when do i get there", ""),
        ("i leave at 23:30 and it takes 55 mins, when do i get there", ""),
    ],
)
def test_when_somebody_arrives_or_must_leave_is_reckoned_from_one_time_and_one_length(
    said: str, time: str
) -> None:
    assert clock_sum(said) == time


def test_the_time_to_leave_is_told_by_code(small: Life) -> None:
    said = "my train is at 9:15 and its 40 min to the station, when should i leave"
    assert small.say(said).text == "That makes it 8:35."


def test_what_each_pays_is_asked_in_two_words_as_well() -> None:
    asked_ = sum_asked("счет 4350 на троих, по сколько?")
    assert asked_ is not None
    assert asked_.said == "4350 / 3"
    assert sum_asked("счет 4350 на троих, кошмар") is None


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("oh wait not saturday, its sunday", ("saturday", "sunday")),
        ("sorry bristol not bath", ("bath", "bristol")),
        ("also hes not my cousin hes my nephew lol", ("cousin", "nephew")),
        ("и начало не в 9 а в 10", ("9", "10")),
        ("ой соревнования в субботу, не в воскресенье", ("воскресенье", "субботу")),
        ("nein, nicht am Montag, sondern am Dienstag", ("montag", "dienstag")),
        ("no wait not friday, thursday", ("friday", "thursday")),
        ("he is not my brother", ("", "")),
        ("why not me", ("", "")),
        ("not today", ("", "")),
    ],
)
def test_a_word_put_right_is_read_with_the_one_that_was_wrong(
    said: str, words: tuple[str, str]
) -> None:
    assert put_instead(said) == words


WEDDING = "my cousin marcus is getting married on saturday in bath"


@pytest.mark.parametrize(
    ("said", "told", "now"),
    [
        ("sorry bristol not bath", WEDDING, WEDDING.replace("bath", "bristol")),
        ("sorry bristol not york", WEDDING, ""),
        ("my sister likes tea not coffee", "i like coffee", ""),
        ("i like tea not coffee", "i like coffee", "i like tea"),
    ],
)
def test_it_puts_right_what_holds_that_word_and_all_else_it_speaks_of(
    said: str, told: str, now: str
) -> None:
    assert in_its_place(said, told) == now
    assert restated(said, [(told, "Noted.")]) == (f"{said}: {now}" if now else "")


@pytest.mark.parametrize("then", ["oh wait not saturday, its sunday", "sorry bristol not bath"])
def test_a_word_put_right_takes_the_place_of_what_was_told(small: Life, then: str) -> None:
    small.say(WEDDING)
    noted = small.say(then).text

    assert f"That replaces what you told me on Sunday 15 November: “{WEDDING}”" in noted


def test_a_day_put_right_leaves_the_hour_to_be_told(small: Life) -> None:
    small.say("у сына соревнования в воскресенье в 9 утра")
    small.say("ой соревнования в субботу, не в воскресенье")
    answered = small.say("когда соревнования?").text

    assert "в субботу" in answered
    assert "в 9 утра" in answered


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ("i share a flat with my mate owen and his parrot kiwi", {"owen", "kiwi"}),
        ("у меня есть жена аня и кот семён", {"аня", "семён"}),
        ("my boss there is called greta", {"greta"}),
        ("my nan fell down the stairs", set()),
        ("мама печёт пирог", set()),
        ("мама дома", set()),
        ("My mate owen met Anna", set()),
    ],
)
def test_names_in_small_letters_are_told_by_where_they_stand(told: str, named: set[str]) -> None:
    assert small_names(told) == named


@pytest.mark.parametrize(
    ("question", "told", "holds"),
    [
        ("what is the parrot called", "his parrot kiwi swears a lot", True),
        ("what is my nan called", "my nan fell down the stairs", False),
        ("who is owen", "i live with my mate owen", True),
        ("who is peter", "i live with my mate owen", True),
        ("где учится оля", "сестра оля учится в казани", None),
        ("где учится оля", "сестра оля учится на отлично и рано встаёт по утрам", None),
        ("где живёт оля", "сестра оля рано встаёт", False),
    ],
)
def test_what_is_typed_small_may_hold_the_name_or_the_place_asked_for(
    question: str, told: str, holds: bool | None
) -> None:
    assert fits(asks_for(question), told, question) is holds


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        (("у меня есть жена аня и кот семён",), "как зовут жену", "«у меня есть жена аня"),
        (("моя сестра оля учится на врача в казани",), "где учится оля", "в казани»"),
        (("my nan fell down the stairs", "shes 84 and lives alone in hull"), "how old is nan", "“shes 84"),
        (("дочка первый раз пошла в школу", "ей 7, зовут соня"), "сколько лет соне", "«ей 7"),
    ],
)  # fmt: skip
def test_what_was_told_in_small_letters_or_of_her_is_told_outright(
    small: Life, told: tuple[str, ...], question: str, answer: str
) -> None:
    for one in told:
        small.say(one)
    said = small.say(question).text

    assert answer in said
    assert said.startswith(("You told me", "Твои слова"))
    assert "\n" not in said  # and nothing beside that answers nothing


def test_and_whom_needs_no_mark_behind_a_question() -> None:
    before = [("Where does my sister live?", "In Hull.")]
    assert completed("and my brother", before) == "Where does my brother live?"
    assert completed("and my brother", [("My sister lives in Hull.", "Noted.")]) == ""
    assert completed("and it rained", before) == ""


@pytest.mark.parametrize(
    ("said", "theirs"),
    [
        ("my friend leah is terrified of her scan on monday", True),
        ("моя подруга лиза боится операции", True),
        ("meine schwester hat panische angst vor der prüfung", True),
        ("hes proper scared of the anaesthetic bless him", True),
        ("im terrified of my scan on monday", False),
        ("я боюсь операции", False),
        ("my friend leah is not scared at all", False),
    ],
)
def test_the_fear_of_somebody_else_is_not_the_authors(said: str, theirs: bool) -> None:
    assert feels_for(said) is theirs


def test_what_is_hard_for_somebody_else_is_met_as_theirs(small: Life) -> None:
    hers = small.say("моя подруга лиза боится операции").text
    mine = small.say("я очень боюсь операции").text

    assert hers == "Нелегко приходится. Записано: твоя подруга лиза боится операции."
    assert mine.startswith("Слышу, что тебя это тревожит.")


def test_a_sigh_after_comfort_is_no_doubt_and_a_contradiction_is(small: Life) -> None:
    comforted = small.say("i had a massive row with my dad today").text
    sighed = small.say("idk maybe hes right").text
    small.say("i feel so sad today")
    news = small.say("you wont believe what happened").text
    again = small.say("i feel so lonely").text
    lonelier = small.say("i feel so alone").text
    doubted = small.say("That's not true.").text

    assert comforted == lexicon().phrase("sympathy")
    assert "stay with what I said" not in sighed
    assert news != lexicon().phrase("set_right")
    assert again == lexicon().phrase("sympathy")
    assert lonelier == lexicon().phrase("sorrow_again")  # not the same words twice running
    assert doubted == lexicon().phrase("set_right")


def test_what_is_stood_by_is_not_quoted_inside_itself() -> None:
    first = stands_by("Rome is the capital.", "en")
    assert first is not None
    assert holds_position("Rome is the capital.")
    assert not holds_position(lexicon().phrase("joy", "ru"))
    assert stands_by(first.text, "en") == first


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("names tess, im a bike mechanic in leeds", [("Tess", True)]),
        ("names are hard", []),
        ("names of my cats are tom and bo", []),
    ],
)
def test_who_says_names_tess_is_called_tess(said: str, name: list[tuple[str, bool]]) -> None:
    assert names_given(said) == name


def test_who_was_not_introduced_is_called_nothing_in_another_language() -> None:
    phrase = lexicon().phrase
    assert phrase("greeting", "ru", author="friend") == "Привет."
    assert phrase("greeting", "ru", author="Олег") == "Привет, Олег."
    assert phrase("greeting", "en", author="friend") == "Hello, friend."


@pytest.mark.parametrize(
    ("said", "turned"),
    [
        (
            "меня никита звать, работаю курьером в туле",
            "тебя никита звать, работаешь курьером в туле",
        ),
        ("меня никита звать, ношусь курьером по туле", ""),
        ("мой брат в казани, учится на врача", "твой брат в казани, учится на врача"),
    ],
)
def test_a_sentence_is_turned_whole_or_not_at_all(said: str, turned: str) -> None:
    assert turned_back(said, "ru") == turned


def test_who_is_asked_for_by_any_verb() -> None:
    assert modality("who teaches pottery") == "question"
    assert modality("who knows what she wants") == "statement"


def test_what_one_has_got_on_a_day_lies_ahead(small: Life) -> None:
    small.say("my parents are coming for dinner on wednesday")
    assert "for that time" in small.say("what've i got on wednesday").text
    assert "for that time" not in small.say("what did i get on wednesday").text
