"""In Russian and German a statement is said back turned where no verb has to change, and quoted otherwise."""

from __future__ import annotations

import pytest

from lumen.kernel.language.turning import turned_back


@pytest.mark.parametrize(
    ("said", "language", "back"),
    [
        ("Мою собаку зовут Рекс.", "ru", "твою собаку зовут Рекс."),
        ("муж Олег сейчас в Казани", "ru", "муж Олег сейчас в Казани"),
        ("У нас завтра гости", "ru", "у вас завтра гости"),  # noqa: RUF001 - Russian
        ("записалась на курсы, по средам", "ru", "ты записалась на курсы, по средам"),
        ("Я вчера купила машину.", "ru", "ты вчера купила машину."),
        ("Meine Prüfung ist am 2. Dezember.", "de", "deine Prüfung ist am 2. Dezember."),
        ("Unser Hund heißt Rex.", "de", "euer Hund heißt Rex."),
    ],
)
def test_a_statement_is_turned_where_no_verb_has_to_be(said: str, language: str, back: str) -> None:
    assert turned_back(said, language) == back


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Я живу в Казани", "ru"),
        ("Сижу дома", "ru"),
        ("Завтра иду в театр", "ru"),
        ("Я вчера купила машину и еду домой", "ru"),
        ("Мой брат говорит, ты шутишь", "ru"),
        ("Он сказал: «Мой дом сгорел»", "ru"),
        ("Ich trinke meinen Kaffee schwarz.", "de"),
        ("Mein Bruder wohnt in Bonn und ich in Köln.", "de"),
        ("Bin müde", "de"),
        ("My dog is called Rex.", "en"),
    ],
)
def test_where_a_verb_would_have_to_change_nothing_is_turned(said: str, language: str) -> None:
    assert turned_back(said, language) == ""
