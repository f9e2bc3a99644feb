"""What the author is called follows what the author said, and nothing that only looks like it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.kernel.conftest import said

from lumen.core.data import Change, Origin, kernel_entry
from lumen.core.stores import Store
from lumen.kernel.gate.revise import base_of
from lumen.kernel.identity.naming import author_name, introduced, is_message, names_given
from lumen.kernel.upkeep.forget import carry_out, find, plan

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("My name is Maria", "Maria"),
        ("my name is maria", "Maria"),
        ("Hi! My name is Maria.", "Maria"),
        ("Hello, my name's María José García, and I live in Cádiz.", "María José García"),
        ("call me Max", "Max"),
        ("Please call me Max.", "Max"),
        ("Actually, call me Jean-Luc from now on… or call me J.", "Jean-Luc"),
        ("You can call me O'Brien", "O'Brien"),
        ("I go by Sam.", "Sam"),
        ("Everyone calls me Ludwig van Beethoven!", "Ludwig van Beethoven"),
        ("Меня зовут Анна", "Анна"),
        ("Привет, меня зовут Анна Петровна.", "Анна Петровна"),
        ("Зови меня Лёша, пожалуйста", "Лёша"),
        ("Ich heiße Jürgen.", "Jürgen"),
        ("My name is not Bob, it's Rob.", "Rob"),
        ("My name is not Bob. Call me Rob.", "Rob"),
        ("My name is not friend, please call me Marta.", "Marta"),
        ("My name is April.", "April"),
        ("My name is Marta, but call me Mia.", "Mia"),
        ("Меня зовут Марта, но зови меня Машей", "Маша"),
        ("Меня зовут Марта.", "Марта"),
        ("Зови меня Сергей.", "Сергей"),
        ("Называй меня Леной, пожалуйста.", "Лена"),
        ("Зови меня Игорем", "Игорь"),
        ("Зови меня Аней", "Аня"),
        ("Call me Sam", "Sam"),
        ("Ich heiße nicht Martin, sondern Markus.", "Markus"),
        ("Nein, mein Name ist nicht Martin, ich heiße Markus.", "Markus"),
        ("Nenn mich nicht Martin, sondern Markus.", "Markus"),
        ("Меня зовут не Оля, а Юля", "Юля"),  # noqa: RUF001
        ("Меня зовут Юля, а не Оля.", "Юля"),  # noqa: RUF001
        ("My name isn't Bob, it's Rob.", "Rob"),
        ("My name is Rob, not Bob.", "Rob"),
        ("Hi! My name is Martin, what's yours?", "Martin"),
        ("Ich heiße Jonas, und du?", "Jonas"),
        ("Меня зовут Оля, а тебя?", "Оля"),  # noqa: RUF001
    ],
)
def test_a_name_that_is_told_is_read(said: str, name: str) -> None:
    assert [n for n, theirs in names_given(said) if theirs][-1:] == [name]


@pytest.mark.parametrize(
    "said",
    [
        "My name is not Bob",
        "My sister's name is Clara",
        "Her name is Clara.",
        "My dog's name is Rex and he calls me Boss.",
        "He wrote “My name is Bob” on the wall.",
        'She said: "call me Max".',
        "> My name is Bob",
        "In the game my name is Bob.",
        "My name is Bob in the game.",
        "If my name is Bob, what is yours?",
        "Is my name Bob?",
        "My name is Bob?",
        "What is my name?",
        "Call me tomorrow.",
        "Call me Monday.",
        "call me when you are done",
        "Call me a taxi.",
        "Don't call me Bob.",
        "my name is long",
        "My name is hard to spell.",
        "My name is on the list.",
        "Write a letter that begins: My name is Bob.",
        "Dear Ms Clark, my name is John Smith and I write about the flat.",
        "Tom thinks my name is Bob.",
        "Меня зовут не Анна",
        "Ich heiße nicht Martin.",
        "Mein Name ist nicht wichtig, sondern die Sache.",
        "My name is Bob, isn't it?",
        "My name is Bob, right?",
        "Меня зовут Анна, да?",
        "Её зовут Анна.",
        "My name is Bob. " + "And this is a long text that somebody pasted. " * 20,
    ],
)
def test_what_only_looks_like_it_names_nobody(said: str) -> None:
    assert not any(theirs for _, theirs in names_given(said))


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Hi there! I'm Marta.", "Marta"),
        ("I'm Marta, and I'm 41 years old.", "Marta"),
        ("Hello, I am Marta Tamm from Tartu.", "Marta Tamm"),
        ("Я Марта.", "Марта"),
        ("Привет! Я — Марта, мне 41 год.", "Марта"),
        ("Hi there! I'm Martin, who are you?", "Martin"),
        ("I'm Martin. And you?", "Martin"),
        ("Привет, я Оля, а ты кто?", "Оля"),  # noqa: RUF001
        ("Hallo, ich bin Martin.", "Martin"),
        ("Ich bin Lena, und wer bist du?", "Lena"),
        ("I'm not Martin, I'm Markus.", "Markus"),
        ("Ich bin nicht Martin, sondern Markus.", "Markus"),
        ("Я не Оля, а Юля.", "Юля"),  # noqa: RUF001
        ("Ich bin Lehrer.", ""),
        ("Ich bin Bäckerin, und du?", ""),
        ("Ich bin müde.", ""),
        ("Ich bin in Berlin.", ""),
        ("I'm not French, I'm Belgian.", ""),
        ("I'm not happy, Lumen.", ""),
        ("I'm Martin, right?", ""),
        ("I'm Berlin-based.", ""),
        ("Я учитель.", ""),
        ("I'm tired", ""),
        ("I'm Tired.", ""),
        ("I'm Portuguese", ""),
        ("I'm German, and my wife is Czech.", ""),
        ("I'm Catholic.", ""),
        ("I'm late", ""),
        ("I'm OK.", ""),
        ("I'm Head of Sales.", ""),
        ("I'm Marta's mother.", ""),
        ("I'm Marta?", ""),
        ("I'm in Lisbon.", ""),
        ("Tom said “I'm Batman”.", ""),
        ("Я устала.", ""),
        ("Я дома.", ""),
        ("Я Дева.", ""),
    ],
)
def test_who_introduces_themselves_is_told_from_what_they_are(said: str, name: str) -> None:
    assert introduced(said) == name


@pytest.fixture
def met(life: Life) -> Life:
    """A being that was introduced to nobody yet, and whose model is silent."""
    life.script({"when": "(?s).*", "say": ""})
    life.kernel.author_name = "friend"
    return life


def test_a_told_name_is_used_at_once_and_corrections_win(met: Life) -> None:
    met.say("Hi, my name is Maria.")
    assert met.say("hello").text == "Hello, Maria."
    met.say("My sister's name is Clara.")
    met.say("Tom said “call me Tom”.")
    assert met.say("hello").text == "Hello, Maria."
    met.say("Call me Max.")
    assert met.say("hello").text == "Hello, Max."
    met.say("My name is not Max.")
    assert met.say("hello").text == "Hello, Maria."


def test_an_introduction_is_used_at_once_and_a_name_that_is_given_weighs_more(met: Life) -> None:
    assert met.say("Hi there! I'm Marta.").text == "Hello, Marta."
    met.say("I'm Portuguese.")
    assert met.say("Как меня зовут?").text == "Тебя зовут Marta."
    assert met.say("What is my name?").text == "Your name is Marta."
    met.say("Меня зовут Марта, но зови меня Машей")
    assert met.say("Привет!").text == "Привет, Маша."
    met.say("I'm Batman.")
    assert met.say("Как меня зовут?").text == "Тебя зовут Маша."


def test_an_introduction_is_taken_back_by_a_name_that_is_denied(met: Life) -> None:
    met.say("Hi there! I'm Martin, who are you?")
    assert met.say("What is my name?").text == "Your name is Martin."
    assert (
        met.say("Ich heiße nicht Martin, sondern Markus.").text == "Notiert: Ich nenne dich Markus."
    )
    assert met.say("Wie heiße ich?").text == "Du heißt Markus."


def test_a_name_that_is_only_denied_is_not_used_again(met: Life) -> None:
    met.say("I'm Martin.")
    met.say("My name is not Martin.")
    assert met.say("hello").text == "Hello, friend."


def test_whose_name_is_not_known_is_said_to_be_untold(met: Life) -> None:
    met.say("I'm Portuguese.")
    assert "You have not told me that" in met.say("Do you know my name?").text
    assert met.say("Как меня зовут?").text.startswith("Не знаю")  # noqa: RUF001 - Russian


def test_a_told_name_stands_in_the_prompt(met: Life) -> None:
    listener = met.listen()
    met.say("My name is Maria.")
    met.say("hello")
    assert "Maria" in listener.prompts[-1].system


def test_only_the_author_says_what_the_author_is_called(met: Life) -> None:
    for origin in (Origin.TOOL, Origin.GUEST, Origin.WEB):
        met.kernel.gate.record(replace(said("My name is Mallory.", "x"), origin=origin))
    assert met.say("hello").text == "Hello, friend."


def test_a_name_said_in_private_stands_in_no_prompt(met: Life) -> None:
    listener = met.listen()
    met.say("My name is Maria.", private=True)
    met.say("hello")
    assert "Maria" not in listener.prompts[-1].system


def test_a_name_that_is_forgotten_is_not_used(met: Life) -> None:
    met.say("My name is Maria.")
    assert met.say("hello").text == "Hello, Maria."
    carry_out(met.kernel.gate, plan(met.kernel.gate, find(met.kernel.index, "Maria")))
    assert met.say("hello").text == "Hello, friend."


def test_the_newest_word_counts_and_an_edit_by_hand_settles_it(met: Life) -> None:
    met.say("My name is Maria.")
    index, settings = met.kernel.index, met.being.settings
    assert author_name(index, "Ada") == "Ada"  # put there by hand: no event says so
    was = settings.read_text("utf-8")
    text = was.replace('name = "friend"', 'name = "Ada"')
    change = Change(Store.SETTINGS, "set", text, base_of(was), "lumen.toml")
    met.kernel.gate.commit("author", [change], kernel_entry("author", "x", "lumen:author", {}))
    index.catch_up()
    assert author_name(index, "Ada") == "Ada"  # since it was told later
    met.tell("Call me Max.")
    index.catch_up()
    assert author_name(index, "Ada") == "Max"
    assert author_name(index, "Eve") == "Eve"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("What is the capital of France?", True),
        ("what is the capital of france", True),
        ("I am tired today", True),
        ("Hello!", True),
        ("Tell me a joke", True),
        ("The weather was lovely in Leeds on Sunday", True),
        ("Как дела?", True),
        ("Maria", False),
        ("María José García López", False),
        ("My name is Maria", False),
        ("Hi, call me Max", False),
        ("Yo-Yo Ma", False),
        ("Sing Kaur", False),
        ("Анна Петровна", False),
        ("J.", False),
    ],
)
def test_a_sentence_typed_where_a_name_was_asked_for_is_told_from_one(
    typed: str, message: bool
) -> None:
    assert is_message(typed) is message


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("hi! im marta", "Marta"),
        ("hey im daniel btw", "Daniel"),
        ("меня зовут марта, но друзья зовут меня мася", "Марта"),
    ],
)
def test_a_name_typed_in_small_letters_is_one(life: Life, said: str, name: str) -> None:
    life.say(said)

    assert author_name(life.kernel.index, "friend") == name


@pytest.mark.parametrize("said", ["im tired", "im here again", "hi im so late"])
def test_what_somebody_is_in_small_letters_is_no_name(life: Life, said: str) -> None:
    life.say(said)

    assert author_name(life.kernel.index, "friend") == "friend"
