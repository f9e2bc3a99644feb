"""A correction is announced when the same attribute of the same subject changed, and never else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.kernel.language.corrections import same_attribute

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("I live in Leeds.", "I was in York yesterday and moved around a lot.", False),
        ("I live in Leeds.", "I put my car in a garage in Leeds.", False),
        ("i live in leeds", "i put my car in a garage in leeds", False),
        ("I live in Leeds.", "We went with Anna to a concert in Leeds.", False),
        ("I work in Leeds.", "I sold my flat in Leeds.", False),
        ("My brother lives in Leeds.", "I moved to Leeds last month.", False),
        ("My sister lives in Lisbon.", "I went to Lisbon instead of Porto.", False),
        ("Anna is allergic to walnuts.", "Anna moved to Berlin.", False),
        ("I live in Leeds.", "I moved to York last month.", True),
        ("I like tea.", "I no longer like tea.", True),
        ("I have an appointment on Friday.", "I moved the appointment to Monday.", True),
        ("My sister lives in Lisbon.", "Actually, my sister moved to Porto.", True),
        ("My daughter Lena is seven.", "Actually Lena is eight.", True),
        ("My exam is on the 3rd of March.", "My exam was moved to the 5th.", True),
        ("My knee scan is on the 14th.", "Change of plan: the scan is on the 28th.", True),
        ("Anna is allergic to walnuts.", "Anna is no longer allergic to walnuts.", True),
        ("Bolt is 3 years old.", "Actually Bolt is 4.", True),
        ("I'm Marta, and I'm 41 years old.", "Actually I'm 42, not 41.", True),
        ("I am 41.", "I'm 42 now.", True),
        ("I have 41 books.", "Actually I'm 42.", False),
        ("I have 41 books.", "Actually I have 42 books, not 41.", True),
        ("Мне 41 год.", "На самом деле мне 42.", True),  # noqa: RUF001 - Russian
        ("Мой брат Антон живёт в Казани.", "Антон переехал в Пермь.", True),
        ("Моя сестра живёт в Риге.", "Антон переехал в Пермь.", False),
        ("Я живу в Риге.", "Антон переехал в Пермь.", False),
        ("Антон работает в Казани.", "Антон переехал в Пермь.", False),
        ("Мама живёт в Туле, а брат Костя в Омске.", "Костя переехал в Пермь.", True),  # noqa: RUF001 - Russian
        ("Мама живёт в Туле, а Костя — в Омске.", "Брат Костя переехал в Пермь.", True),  # noqa: RUF001 - Russian
        ("Мама живёт в Туле, а брат Костя в Омске.", "Света переехала в Пермь.", False),  # noqa: RUF001 - Russian
        ("Мама живёт в Туле, а Костя работает в Омске.", "Костя переехал в Пермь.", False),  # noqa: RUF001 - Russian
        ("У Светы день рождения 3 декабря.", "Ой, не 3, а 5 декабря.", True),  # noqa: RUF001 - Russian
        ("У Светы день рождения 3 декабря.", "Не 3 декабря, а 5.", True),  # noqa: RUF001 - Russian
        ("Мама приедет в пятницу.", "Ой, не в пятницу, а в субботу.", True),  # noqa: RUF001 - Russian
        ("Peter comes on Friday.", "Not on Friday but on Saturday.", True),
        ("My exam is on the 3rd of March.", "Oops, not the 3rd but the 5th of March.", True),
        ("У Светы день рождения 7 декабря.", "Ой, не 3, а 5 декабря.", False),  # noqa: RUF001 - Russian
        ("Встреча 3 марта.", "Ой, не 3, а 5 декабря.", False),  # noqa: RUF001 - Russian
        ("My exam is on 3 May.", "The exam is on 4 May, not 3 May.", True),
        ("My exam is on 3 June.", "4 May, not 3 May.", False),
        ("Ella is seven.", "Lena is eight now.", False),
        ("Ella is seven.", "Ella turned eight.", True),
        ("Ella is seven.", "Ella turned eight yesterday.", True),
        ("Пете семь лет.", "Пете вчера исполнилось восемь.", True),
        ("Jonas ist sieben.", "Jonas ist gestern acht geworden.", True),
        ("Пете семь лет.", "Ване исполнилось восемь.", False),
        ("Пете семь лет.", "Пете исполнилось восемь.", True),
        ("Jonas ist sieben.", "Lena ist jetzt acht.", False),
        ("Jonas ist sieben Jahre alt.", "Jonas ist acht geworden.", True),
        ("Die Prüfung ist am Freitag.", "Nicht am Freitag, sondern am Montag.", True),
        ("Die Prüfung ist am Samstag.", "Nicht am Freitag, sondern am Montag.", False),
        ("Ich wohne in Leipzig.", "Wir sind nach Dresden gezogen.", True),
        ("Meine Schwester wohnt in Leipzig.", "Anna ist nach Hamburg gezogen.", False),
        ("Ich bin 41.", "Ich bin jetzt 42.", True),
    ],
)
def test_same_attribute_of_the_same_subject(old: str, new: str, *, same: bool) -> None:
    assert same_attribute(new, old) is same


@pytest.mark.parametrize(
    ("old", "new", "said", "asked", "answer"),
    [
        (
            "I'm Marta, and I'm 41 years old.",
            "Actually I'm 42, not 41.",
            "Noted: actually you are 42, not 41. That replaces what you told me on Sunday 15 November: "
            "“I'm 41 years old”",
            "How old am I?",
            "Actually I'm 42, not 41.",
        ),
        (
            "Мой брат Антон живёт в Казани.",
            "Антон переехал в Пермь.",
            "Записано: Антон переехал в Пермь. Это вместо сказанного раньше, воскресенье, 15 ноября: "
            "«Мой брат Антон живёт в Казани.»",
            "Где живёт Антон?",
            "Антон переехал в Пермь.",
        ),
        (
            "Моя мама живёт в Туле, а брат Костя в Омске.",  # noqa: RUF001 - Russian
            "Костя переехал в Пермь.",
            "Записано: Костя переехал в Пермь. Это вместо сказанного раньше, воскресенье, 15 ноября: "
            "«брат Костя в Омске»",
            "Где живёт Костя?",
            "Костя переехал в Пермь.",
        ),
        (
            "У Светы день рождения 3 декабря.",  # noqa: RUF001 - Russian
            "Ой, не 3, а 5 декабря.",  # noqa: RUF001 - Russian
            "Записано: Ой, не 3, а 5 декабря. Это вместо сказанного раньше, воскресенье, 15 ноября: "  # noqa: RUF001 - Russian
            "«У Светы день рождения 3 декабря.»",  # noqa: RUF001 - Russian
            "Когда у Светы день рождения?",  # noqa: RUF001 - Russian
            "Ой, не 3, а 5 декабря.",  # noqa: RUF001 - Russian
        ),
        (
            "Мне 41 год.",
            "На самом деле мне 42 года.",  # noqa: RUF001 - Russian
            "Записано: на самом деле тебе 42 года. "
            "Это вместо сказанного раньше, воскресенье, 15 ноября: «Мне 41 год.»",
            "Сколько мне лет?",
            "На самом деле мне 42 года.",  # noqa: RUF001 - Russian
        ),
        (
            "My daughter Ella is seven and loves horses.",
            "Ella is eight now.",
            "Noted: Ella is eight now. That replaces what you told me on Sunday 15 November: "
            "“My daughter Ella is seven”",
            "How old is Ella?",
            "Ella is eight now.",
        ),
        (
            "My dentist appointment is on 3 May.",
            "No, 4 May, not 3 May.",
            "Noted: no, 4 May, not 3 May. That replaces what you told me on Sunday 15 November: "
            "“My dentist appointment is on 3 May.”",
            "When is my dentist appointment?",
            "No, 4 May, not 3 May.",
        ),
        (
            "Моему сыну Пете семь лет.",
            "Пете теперь восемь.",
            "Записано: Пете теперь восемь. Это вместо сказанного раньше, воскресенье, 15 ноября: "
            "«Моему сыну Пете семь лет.»",
            "Сколько лет Пете?",
            "Пете теперь восемь.",
        ),
        (
            "У меня запись к врачу 3 мая.",  # noqa: RUF001 - Russian
            "Нет, 4 мая, а не 3 мая.",  # noqa: RUF001 - Russian
            "Записано: нет, 4 мая, а не 3 мая. "  # noqa: RUF001 - Russian
            "Это вместо сказанного раньше, воскресенье, 15 ноября: «У меня запись к врачу 3 мая.»",  # noqa: RUF001 - Russian
            "Когда у меня запись к врачу?",  # noqa: RUF001 - Russian
            "Нет, 4 мая, а не 3 мая.",  # noqa: RUF001 - Russian
        ),
        (
            "Mein Sohn Jonas ist sieben und mag Pferde.",
            "Jonas ist jetzt acht.",
            "Notiert: „Jonas ist jetzt acht.“ Das ersetzt, was du mir am Sonntag, 15. November "
            "gesagt hast: „Mein Sohn Jonas ist sieben“",
            "Wie alt ist Jonas?",
            "Jonas ist jetzt acht.",
        ),
        (
            "Mein Zahnarzttermin ist am 3. Mai.",
            "Nein, am 4. Mai, nicht am 3. Mai.",
            "Notiert: „Nein, am 4. Mai, nicht am 3. Mai.“ Das ersetzt, was du mir am Sonntag, "
            "15. November gesagt hast: „Mein Zahnarzttermin ist am 3. Mai.“",
            "Wann ist mein Zahnarzttermin?",
            "Nein, am 4. Mai, nicht am 3. Mai.",
        ),
        (
            "Meine Schwester Anna wohnt in Bremen.",
            "Anna ist nach Hamburg gezogen.",
            "Notiert: „Anna ist nach Hamburg gezogen.“ Das ersetzt, was du mir am Sonntag, "
            "15. November gesagt hast: „Meine Schwester Anna wohnt in Bremen.“",
            "Wo wohnt Anna?",
            "Anna ist nach Hamburg gezogen.",
        ),
    ],
)
def test_a_correction_is_said_and_answers_from_then_on(
    life: Life, old: str, new: str, said: str, asked: str, answer: str
) -> None:
    life.listen("No.", small=True)
    life.tell("I like rice.", "My sister Anna is 30 years old.", old, "Мы купили новый стол.")

    assert life.say(new).text == said
    life.tell("I went out.")
    answered = life.say(asked).text
    assert answer in answered
    assert old not in answered


def test_an_hour_set_right_is_told_with_the_day_that_still_holds(life: Life) -> None:
    life.tell("my dentist appointment is on friday at 9", "no wait, its at 10 not 9")

    answered = life.say("when is my dentist appointment").text
    assert "its at 10 not 9" in answered
    assert "on friday" in answered


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Leeds.", "I put my car in a garage in Leeds."),
        ("My brother lives in Leeds.", "I moved to Leeds last month."),
        ("Anna is allergic to walnuts.", "Anna moved to Berlin."),
        ("У Светы день рождения 7 декабря.", "Ой, не 3, а 5 декабря."),  # noqa: RUF001 - Russian
        ("Я пью чай.", "Это не кот, а собака."),  # noqa: RUF001 - Russian
    ],
)
def test_what_changes_nothing_is_only_noted(life: Life, old: str, new: str) -> None:
    life.listen("No.", small=True)
    life.tell(old)

    said = life.say(new).text
    assert "replaces" not in said
    assert "вместо" not in said
    life.tell("I went out.")
    assert old in {e.quote for e in life.wonder().evidence(old)}


def test_of_two_told_at_once_the_other_one_still_lives_there(life: Life) -> None:
    life.listen("No.", small=True)
    told = "Моя мама живёт в Туле, а брат Костя в Омске."  # noqa: RUF001 - Russian
    life.tell(told, "Костя переехал в Пермь.")

    assert told in life.say("Где живёт мама?").text
    assert told not in life.say("Где живёт Костя?").text


@pytest.mark.parametrize(
    ("old", "new", "asked", "both"),
    [
        (
            "I'm Marta, I'm 34 and I live in Leeds with my husband Tom.",
            "Actually I am 35, not 34.",
            "Where do I live?",
            True,
        ),
        (
            "I'm Marta, I'm 34 and I live in Leeds with my husband Tom.",
            "Actually I am 35, not 34.",
            "Who is my husband?",
            True,
        ),
        (
            "We fly to Porto on the 12th of December and come back on the 19th.",
            "Oops, we fly not on the 12th but on the 13th.",
            "When do we come back?",
            True,
        ),
        (
            "Антон живёт в Омске и работает поваром.",
            "Антон переехал в Пермь.",
            "Кем работает Антон?",
            True,
        ),
        (
            "My exam is on the 3rd of March.",
            "Oops, not the 3rd but the 5th of March.",
            "When is my exam?",
            False,
        ),
        (
            "Антон живёт в Омске и работает поваром.",
            "Антон переехал в Пермь.",
            "Где живёт Антон?",
            False,
        ),
    ],
)
def test_what_a_correction_says_nothing_of_is_still_answered_with_the_correction_behind_it(
    life: Life, old: str, new: str, asked: str, *, both: bool
) -> None:
    life.listen("No.", small=True)
    life.tell("I like rice.", old, new, "Мы купили новый стол.")

    answered = life.say(asked).text
    assert new in answered
    assert (old in answered) is both
    if both:
        assert answered.index(old) < answered.index(new)
        assert any(old in line and new in line for line in answered.splitlines())
