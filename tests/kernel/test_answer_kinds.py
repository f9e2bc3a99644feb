"""Whether a text plainly holds the kind of answer asked for, and what of a question only asks."""

import pytest

from lumen.kernel.language.answer_kinds import asking_words, plainly_fits, sort_asked
from lumen.kernel.language.reading import asks_for, fits


@pytest.mark.parametrize(
    ("question", "text", "plainly"),
    [
        ("What's my grandmother's name?", "My grandmother came from Odessa.", False),
        ("Where was my grandmother from?", "My grandmother came from Odessa.", True),
        ("Where does my brother live?", "My brother Dario is a welder.", False),
        ("What's my brother's name?", "My brother Dario is a welder.", True),
        ("When is my daughter's birthday?", "My daughter is in year five.", False),
        ("When is my daughter's birthday?", "My daughter was born on 4 June.", True),
        ("How old is my daughter?", "My daughter is in year five.", False),
        ("How old is my son?", "Our son Jonah is eleven now.", True),
    ],
)
def test_a_name_a_day_or_an_age_must_be_the_one_that_is_asked_for(
    question: str, text: str, plainly: bool
) -> None:
    kind = asks_for(question)
    assert kind is not None
    assert fits(kind, text, question), "something of the kind is there in each"
    assert plainly_fits(kind, text, question) is plainly


def test_words_that_only_ask_are_told_from_what_is_asked_about() -> None:
    question = "What date am I having my knee scanned?"
    assert asking_words(asks_for(question), question) == {"date"}
    assert asking_words(None, "What is my tattoo of?") == set()


@pytest.mark.parametrize(
    ("question", "sort"),
    [
        ("Which hospital are we having the baby at?", "hospital"),
        ("What sort of tea do I like?", "tea"),
        ("What does Fitz do for work?", ""),
        ("Welche Sprache lerne ich?", "sprache"),
    ],
)
def test_the_sort_of_thing_asked_for_is_read_off_the_question(question: str, sort: str) -> None:
    assert sort_asked(question) == sort
