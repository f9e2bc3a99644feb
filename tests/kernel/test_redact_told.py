"""A password or a code told in a sentence leaves it; talk about them stays."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from lumen.kernel.privacy.redact import MARK, redacted

# Assembled, so that no scanner takes this file for a leak.
TOLD = "Zx9!kLm2" + "#Qp"


@pytest.mark.parametrize(
    "said",
    [
        "Мой пароль от почты: {}",
        "Мой пароль от почты: {}.",
        "Пароль — {}",
        "Пароль от рабочего ноутбука - {}, не забудь.",
        "пароль от почты {}",
        "Запомни: пароль от вайфая это {}",
        "Пароль для входа: «{}»",
        "My password for the mail: {}",
        "The wifi password – {}",  # noqa: RUF001 - Russian
        "My password for the old laptop is {}.",
    ],
)
@pytest.mark.parametrize("value", [TOLD, "tarakan" + "2019", "Мурзик" + "2019"])
def test_a_password_told_in_a_sentence_is_taken(said: str, value: str) -> None:
    if value != TOLD and "почты {}" in said:
        value = TOLD  # with nothing between it must look like nothing else
    assert redacted(said.format(value)) == (said.format(MARK), 1)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Пароль от двери: 4512", "Пароль от двери: [redacted]"),
        ("Пароль от двери 4512.", "Пароль от двери [redacted]."),
        ("Пароль: 4512", "Пароль: [redacted]"),
        ("секретный код от сейфа: 4512", "секретный код от сейфа: [redacted]"),
        ("My password is 4512.", "My password is [redacted]."),
        ("The secret code is 4512", "The secret code is [redacted]"),
        ("код от двери 4512", "код от двери 4512"),
        ("Код города: 4512", "Код города: 4512"),
        ("The door code is 4512.", "The door code is 4512."),
    ],
)
def test_a_number_is_a_secret_only_where_it_is_named_one(text: str, left: str) -> None:
    assert redacted(text) == (left, int(text != left))
    assert redacted(left) == (left, 0)


@pytest.mark.parametrize(
    "text",
    [
        "Пароль от почты: спроси у Маши.",  # noqa: RUF001 - Russian
        "Пароль от Windows10 я забыла.",
        "Пароль от почты 2019 года больше не подходит.",
        "Пароль — это важно.",
        "Мой пароль от почты: длинный, 12 знаков.",
        "Пароль должен быть не короче 8 символов.",
        "I changed the password for my mail on 12 March 2024, and it works.",
        "The password for the wifi: ask Anna, she wrote it down in 2024.",
        "The password is 12 characters long.",
        "The secret code of 1911 is a book.",
    ],
)
def test_talk_about_passwords_that_gives_none_away_stays(text: str) -> None:
    assert redacted(text) == (text, 0)


@pytest.mark.parametrize(
    "said",
    [
        "My PIN is {}.",
        "my pin is {} and I keep forgetting it",
        "The PIN for my bank card is {}.",
        "The PIN of the card: {}",
        "Remember my PIN code: {}",
        "Remember: my PIN {}",
        "Anna told me that her PIN is still {}.",
        "{} is my PIN.",
        "The safe code is {}.",
        "The code for our safe is {}.",
        "The combination to the safe is {}",
        "Der PIN meiner Karte ist {}.",
        "Meine PIN lautet {}.",
        "Die PIN für die EC-Karte ist jetzt {}",
        "Meine Geheimzahl ist {}.",
        "Der Code für den Safe ist {}.",
        "{} ist meine PIN.",
        "мой пин-код {}",
        "Мой ПИН — {}.",
        "Пин-код от карты: {}",
        "пин карты {}, не забудь",
        "Код от сейфа {}.",
    ],
)
@pytest.mark.parametrize("value", ["48" + "21", "48" + "2107"])
def test_a_code_told_in_a_sentence_is_taken(said: str, value: str) -> None:
    assert redacted(said.format(value)) == (said.format(MARK), 1)
    assert redacted(said.format(MARK)) == (said.format(MARK), 0)


def test_a_combination_told_in_parts_is_taken_whole() -> None:
    assert redacted("The safe combination is 12-34-56.") == (
        "The safe combination is [redacted].",
        1,
    )


@pytest.mark.parametrize(
    "text",
    [
        "I live at number 4821.",
        "Ich wohne in Nummer 4821.",
        "Я живу в квартире 4821.",
        "The PIN code of Delhi is 110001.",
        "The PIN code of Mysore is 570001.",
        "Delhi's PIN code is 110001.",
        "The postal PIN code is 110001.",
        "PIN code 560001, Bangalore",
        "My phone number is 0151 2345678.",
        "Мой телефон 4821 07 11.",
        "I changed my PIN in 2019.",
        "My PIN was changed in 2019.",
        "Meine PIN habe ich 2019 geändert.",
        "Свой пин-код я поменяла в 2019 году.",
        "My PIN is 4821 digits long, I joked.",
        "Die PIN hat 4 Ziffern.",
        "The conference pin from 2019 is on my bag.",
        "My opinion is 2019 was good.",
        "It is safe code: we wrote it in 2019.",
        "The safe weighs 4821 grams.",
    ],
)
def test_other_numbers_stay_though_a_code_or_a_place_is_named(text: str) -> None:
    assert redacted(text) == (text, 0)


def sentences(part: str) -> list[tuple[str, str]]:
    """Sentences as they are said, and what must be left of each."""
    raw = tomllib.loads((Path(__file__).parent / "redaction" / "told.toml").read_text("utf-8"))
    made = []
    for entry in raw[part]:
        said = left = entry["said"].replace("~", "")
        for secret in entry.get("secret", ()):
            left = left.replace(secret.replace("~", ""), MARK)
        made.append((said, left))
    return made


@pytest.mark.parametrize(("said", "left"), [*sentences("dev"), *sentences("held")])
def test_a_password_a_card_or_a_recovery_phrase_is_taken_as_people_tell_it(
    said: str, left: str
) -> None:
    assert redacted(said)[0] == left
    assert redacted(left) == (left, 0)
