"""A request for an act in the world is known as that, in three languages, and nothing is pretended."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from lumen.kernel.language.questions import asked, tells_something
from lumen.kernel.language.requests import request, request_kinds

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

REQUESTS = {
    "goal": ["Add a goal: plan the trip to Georgia", "Füge ein Ziel hinzu: Urlaub planen"],
    "rename": ["Call yourself Bob", "Nenn dich Bob", "Зови себя Бобом"],
    "write": ["Write x to a file called /etc/PWNED", "Создай файл с моими заметками"],  # noqa: RUF001 - Russian
    "send": [
        "Send a mail to Anna that I will be late.",
        "Could you text Ben that dinner is ready?",
        "Schick Anna eine Mail, dass ich später komme.",
        "Kannst du Ben schreiben, dass das Essen fertig ist?",
        "Отправь Анне письмо, что я опоздаю.",
        "Напиши Бену, что ужин готов.",
    ],
    "call": [
        "Call my mother.",
        "Could you ring my brother for me?",
        "Kannst du mir ein Taxi rufen?",
        "Ruf meine Mutter an.",
        "Позвони маме.",
    ],
    "play": [
        "Play some jazz.",
        "Spiel etwas Jazz.",
        "Включи музыку.",
    ],
    "order": [
        "Book a table for two at Luigi's tonight.",
        "Order me a pizza.",
        "Please make a dentist appointment for Monday.",
        "Buy me two tickets for Saturday.",
        "Reserviere einen Tisch für zwei bei Luigi.",
        "Bestell mir eine Pizza.",
        "Забронируй столик на двоих на вечер.",
        "Закажи мне пиццу.",
    ],
    "outside": [
        "What will the weather be like tomorrow?",
        "whats the weather like in ghent",
        "Wie wird das Wetter morgen?",
        "Какая завтра погода?",
    ],
    "web": [
        "Open wikipedia.org.",
        "Google the opening hours of the museum.",
        "Öffne wikipedia.org.",
        "Открой сайт wikipedia.org.",
    ],
    "file": [
        "Read the file notes.txt.",
        "Lies die Datei notizen.txt.",
        "Прочитай файл заметки.txt.",
    ],
    "remind": [
        "Set an alarm for 7 am.",
        "Wake me at six.",
        "Remind me to water the plants on Friday.",
        "Stell einen Wecker auf 7 Uhr.",
        "Erinnere mich am Freitag daran, die Blumen zu gießen.",
        "Поставь будильник на 7 утра.",
        "Напомни мне полить цветы в пятницу.",
    ],
    "list": [
        "Put milk on my shopping list.",
        "Setz Milch auf meine Einkaufsliste.",
        "Добавь молоко в список покупок.",
    ],
    "device": [
        "Turn off the lights.",
        "Mach das Licht aus.",
        "Выключи свет.",
    ],
}
NONE = [
    "Book club is on Tuesday.",
    "My order arrived today.",
    "Order status is still pending.",
    "Call me Max.",
    "Please call me Nora.",
    "Text messages are cheaper now.",
    "Play time is over for the kids.",
    "Play is important to my daughter.",
    "Mail came late today.",
    "Remind me what my sister is called.",
    "Remind me when my scan is.",
    "Tell me a joke.",
    "Tell me about the sky.",
    "Send help, I am so tired of this.",
    "Buy low, sell high, says my uncle.",
    "I will call my mother tomorrow.",
    "Could you tell me where Lena lives?",
    "Can you remember my birthday?",
    "Can you keep a secret?",
    "Schedule is tight this week.",
    "The weather was awful in Norway.",
    "How was the weather in Norway?",
    "Is it cold in my flat in winter?",
    "Open questions remain.",
    "Reading is my hobby.",
    "Check-in is at three.",
    "Let me know when you find it.",
    "Find my keys.",
    "Where did I put the file?",
    "Spielt Oskar am Dienstag?",
    "Spiel, Satz und Sieg für Oskar.",
    "Buch fertig gelesen!",
    "Sag mir, wo Lena wohnt.",
    "Schreib mir ein Gedicht.",
    "Erinnere mich, wie meine Schwester heißt.",
    "Kannst du dich an Lena erinnern?",
    "Kannst du mir sagen, wo Lena wohnt?",
    "Ruf doch nicht so laut.",
    "Mach dir keine Sorgen.",
    "Mach weiter so.",
    "Kaufe ich am Samstag ein Fahrrad?",
    "Es regnet heute in Leipzig.",
    "Напомни, как зовут мою сестру.",
    "Напомни мне, где живёт Лена.",
    "Скажи, где живёт Лена.",
    "Скажи мне, что ты думаешь.",
    "Напиши мне стихотворение.",
    "Пошли мы вчера в кино.",
    "Включительно до пятницы я в отпуске.",
    "Можешь сказать, где живёт Лена?",
    "Погода вчера была ужасная.",
    "Купил новый велосипед.",
    "Переведи это на немецкий.",
    "Can you call me Max?",
    "Take care!",
    "Turn left at the church, that is where I live.",
    "Set theory is hard.",
    "Print is dead, my boss says.",
    "Pay is bad at my job.",
    "Rent went up again.",
    "Cancel culture annoys me.",
    "Hire purchase is expensive.",
    "Post office closes at six.",
    "Message received.",
    "Forward thinking is what we need.",
]


def test_what_is_asked_for_is_known_by_how_the_sentence_opens() -> None:
    read = {said: asked(said)[0] for many in REQUESTS.values() for said in many}

    assert read == {said: kind for kind, many in REQUESTS.items() for said in many}
    assert set(REQUESTS) == set(request_kinds())


def test_what_is_told_or_asked_in_like_words_is_no_request() -> None:
    assert [said for said in NONE if request(said)] == []


def test_a_request_tells_nothing() -> None:
    assert not tells_something("Send a mail to my boss that I am ill.")
    assert not tells_something("Schick meiner Chefin eine Mail, dass ich krank bin.")


def test_who_is_spoken_to_may_stand_before_it_and_a_question_behind_it_comes_first() -> None:
    assert asked("Vela, call my mother.", "Vela")[0] == "call"
    assert asked("Send a mail to Anna. Where does she live?")[0] == ""


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (
            "Remind me to call the dentist on Thursday.",
            "Kept: Thursday 19 November, call the dentist. I cannot ring yet",
        ),
        (
            "Add milk to my shopping list.",
            "On your shopping list: milk.",
        ),
        ("Order a pizza for tonight.", "I cannot order, book, cancel or pay for anything; I keep"),
        ("What will the weather be like tomorrow?", "I cannot look outside: the weather, the news"),
        ("Напомни мне позвонить врачу.", "В какой день об этом напомнить: позв"),  # noqa: RUF001 - Russian
        ("Позвони маме.", "Звонить я не могу; сказанное я храню: «Позвони маме.»"),
        ("Schick Anna eine Mail.", "Ich kann niemandem schreiben und nichts schicken; was du ges"),
        ("Wie wird das Wetter morgen?", "Nach draußen sehe ich nicht: Wetter, Nachrichten und"),
    ],
)
def test_it_says_what_it_cannot_do_and_what_it_keeps(life: Life, said: str, answer: str) -> None:
    life.listen("Done! I have sent it, ordered it and put it on your list.")  # however strong

    assert life.say(said).text.startswith(answer)


def test_a_skill_that_there_is_for_it_is_named(life: Life) -> None:
    life.skill("email", "print('{}')")
    life.listen("Sent!")

    answered = life.say("Send a mail to Anna.").text
    assert answered.startswith("Because of a message I cannot; for a goal I can use my skill email")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (
            "What is 12 times 7?",
            "I cannot work that out: my skill calc is missing or switched off.",
        ),
        ("Wie viel ist 12 mal 7?", "Das kann ich nicht ausrechnen: Meine Fertigkeit calc fehlt"),
    ],
)
def test_a_sum_without_its_skill_is_not_laid_to_the_model(
    life: Life, said: str, answer: str
) -> None:
    life.listen("= 42", small=True)
    shutil.rmtree(life.being.skills)

    assert life.say(said).text.startswith(answer)
