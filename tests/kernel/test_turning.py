"""In Russian and German a statement is said back turned where each verb that changes is known, and quoted otherwise."""

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
        ("Я живу в Казани", "ru", "ты живёшь в Казани"),
        ("Завтра иду в театр", "ru", "Завтра идёшь в театр"),
        ("Я вчера купила машину и еду домой", "ru", "ты вчера купила машину и едешь домой"),
        ("вожу сына на карате, он у меня боевой", "ru", "водишь сына на карате, он у тебя боевой"),  # noqa: RUF001 - Russian
        ("мы с мужем ходим на танцы", "ru", "вы с мужем ходите на танцы"),  # noqa: RUF001 - Russian
        ("нас двое, я старший", "ru", "вас двое, ты старший"),
        ("маму отвезла в больницу, жду звонка", "ru", "маму отвезла в больницу, ждёшь звонка"),
        ("и Оле обещал помочь до среды", "ru", "и Оле обещал помочь до среды"),
        ("Meine Prüfung ist am 2. Dezember.", "de", "deine Prüfung ist am 2. Dezember."),
        ("Unser Hund heißt Rex.", "de", "euer Hund heißt Rex."),
    ],
)
def test_a_statement_is_turned_where_no_verb_has_to_be(said: str, language: str, back: str) -> None:
    assert turned_back(said, language) == back


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Мечу в начальники", "ru"),
        ("суп закипел, пошёл я", "ru"),
        ("проснулся, в ухе звенит, на стенку лезу", "ru"),  # noqa: RUF001 - Russian
        ("По субботам парюсь в бане", "ru"),
        ("я мою посуду", "ru"),
        ("Мой брат говорит, ты шутишь", "ru"),
        ("Он сказал: «Мой дом сгорел»", "ru"),
        ("Ich trinke meinen Kaffee schwarz.", "de"),
        ("Mein Bruder wohnt in Bonn und ich in Köln.", "de"),
        ("Bin müde", "de"),
        ("My dog is called Rex.", "en"),
    ],
)
def test_where_a_verb_would_have_to_change_unknown_how_nothing_is_turned(
    said: str, language: str
) -> None:
    assert turned_back(said, language) == ""
