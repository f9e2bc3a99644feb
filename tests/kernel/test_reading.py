"""What plain code reads off a message, case by case, and what the audit trail tells of it."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumen.core.clock import Now
from lumen.core.data import Author, Change, EventType, Memory, Origin
from lumen.core.exposure import LONGEST_QUOTE as LONGEST_TRACED
from lumen.core.exposure import trace
from lumen.core.stores import Store
from lumen.kernel.choice.candidates import Candidate
from lumen.kernel.contour.slots import Draft
from lumen.kernel.language.dates import day
from lumen.kernel.language.passages import LONGEST_QUOTE, MOST_SENTENCES, passages, quoted
from lumen.kernel.language.reading import (
    asks_advice,
    asks_for,
    fits,
    is_question,
    modality,
    names,
    numbers,
    sentences,
    stem,
    words,
)
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.steps.p1_perceive import Grounding, Ingested, Reality
from lumen.kernel.steps.p1_verdict import verdict
from lumen.kernel.steps.p3_deliberate.axes import AXES, Axes
from lumen.kernel.steps.p3_deliberate.plan import Plan
from lumen.kernel.steps.p4_act import Reply
from lumen.kernel.turn.loops import parameters


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Where does my sister live?", "question"),
        ("where does my sister live again", "question"),
        ("so what's for dinner", "question"),
        ("remind me what I said", "question"),
        ("I moved. Does that matter? I hope not.", "question"),
        ("He asked “why?”", "question"),
        ("Is it? One. Two. Three.", "statement"),
        ("Hi!", "greeting"),
        ("good morning Iris", "greeting"),
        ("hello there my dear old friend of mine", "statement"),
        ("Good night", "farewell"),
        ("Thanks for what you did", "thanks"),
        ("ok", "acknowledgement"),
        ("Fair enough.", "acknowledgement"),
        ("Nobody came.", "statement"),
        ("My sister lives in Lisbon.", "statement"),
        ("what " + "a long story " * 20, "statement"),
        ("…", "statement"),
        ("", "statement"),
    ],
)
def test_the_kind_of_a_message(text: str, kind: str) -> None:
    assert modality(text) == kind


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where?", True),
        ('She said "where?"', True),
        ("Do you remember my cat", True),
        ("  remind me of my cat ", True),
        ("remind me later", False),
        ("I do you remember not", False),
        ("where I live", False),
        ("Really? Yes.", False),
        ("", False),
    ],
)
def test_what_asks(text: str, asks: bool) -> None:
    assert is_question(text) is asks


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("My sister lives in Lisbon.", {"lisbon"}),
        ("We met Bruno's dog and Élodie’s on Monday in May.", {"bruno", "élodie"}),
        ("I think I'm in New York, and I’m glad.", {"new", "york"}),
        ("It rained. Rosa came.", set()),
        ("it was O'Neil-Smith", {"o'neil-smith"}),
        ("nothing here 42 B2", {"b2"}),
        ("", set()),
    ],
)
def test_names_inside_sentences(text: str, found: set[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I have 3 cats and a dozen hens.", {"3", "dozen"}),
        ("Room 12b on the second floor", {"12b", "second"}),
        ("Twenty-five", {"twenty", "five"}),
        ("someone often", set()),
    ],
)
def test_figures_and_numbers_in_words(text: str, found: set[str]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("a line\n\nanother", ["a line", "another"]),
        ("It is 3.5 km. Done", ["It is 3.5 km.", "Done"]),
        ("(Really?) Yes… no", ["(Really?", "Yes…", "no"]),
        ("no end", ["no end"]),
        (" \n ", []),
        ("", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert [text[a:b] for a, b in sentences(text)] == parts


@given(st.text(st.sampled_from('ab .!?…\n"’)é9')) | st.text())
def test_sentences_are_in_order_apart_and_leave_out_no_word(text: str) -> None:
    spans = sentences(text)

    assert all(a < b for a, b in spans)
    assert all(b <= c for (_, b), (c, _) in pairwise(spans))
    kept = "".join(text[a:b] for a, b in spans)
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]


def test_words_carry_content_once_and_in_order() -> None:
    assert words("The cat's cat and the DOG's bone, again") == ["cat", "dog", "bone"]
    assert words("of the and") == []


@pytest.mark.parametrize(
    "forms",
    [
        ("sister", "sisters"),
        ("walk", "walks", "walked", "walking"),
        ("box", "boxes"),
        ("tries", "tried"),
        ("red",),
        ("bus",),
        ("is",),
    ],
)
def test_forms_of_a_word_share_a_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1
    assert all(len(stem(form)) >= min(3, len(form)) for form in forms)


@pytest.mark.parametrize(
    ("question", "answer", "fit"),
    [
        ("When is it?", "It is on Monday.", True),
        ("When is it?", "It is at 9.", True),
        ("When is it?", "It is red.", False),
        ("What colour is it?", "It is dark green.", True),
        ("What colour is it?", "It is large.", False),
        ("How many of the 3 are left?", "All 3 are there.", False),
        ("How many of the 3 are left?", "Only 2 are.", True),
        ("How often?", "Twice.", True),
        ("How old is it?", "The one-eyed cat.", None),
        ("When is it?", "It is on Mondays.", True),
        ("Wie heißt er?", "Das ist der Wastl.", None),
        ("Who came?", "It was Anna.", True),
        ("Who is Anna?", "I know Anna.", False),
        ("Where is it?", "It is in Porto.", True),
        ("Where is it?", "It is over there.", False),
        ("Why is it so?", "It is in Porto.", None),
    ],
)
def test_whether_a_text_holds_the_kind_of_answer_asked_for(
    question: str, answer: str, fit: bool | None
) -> None:
    assert fits(asks_for(question), answer, question) is fit


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("Should I go?", True),
        ("Can I eat this?", True),
        (" may I? ", True),
        ("What would you do?", True),
        ("I asked whether could I go", False),
        ("Where do I live?", False),
    ],
)
def test_what_asks_for_advice(text: str, advice: bool) -> None:
    assert asks_advice(text) is advice


NOW = Now(datetime(2026, 11, 15, 12, tzinfo=UTC), ZoneInfo("Europe/Lisbon"))


@pytest.mark.parametrize(
    ("zone", "timestamp", "said"),
    [
        ("Europe/Lisbon", "2026-11-15T09:00:00.000Z", "Sunday 15 November"),
        ("Europe/Lisbon", "2026-03-02T23:30:00.000Z", "Monday 2 March"),
        ("Asia/Tokyo", "2026-03-02T23:30:00.000Z", "Tuesday 3 March"),
        ("Europe/Lisbon", "2025-12-31T23:30:00.000Z", "Wednesday 31 December 2025"),
        ("Asia/Tokyo", "2025-12-31T23:30:00.000Z", "Thursday 1 January"),
    ],
)
def test_a_day_is_said_as_a_person_says_it_where_they_live(
    zone: str, timestamp: str, said: str
) -> None:
    now = Now(NOW.moment, ZoneInfo(zone))

    assert day(timestamp, now) == said


def test_a_text_has_its_whole_and_its_sentences_as_passages() -> None:
    assert passages("One only.") == [(0, 9)]
    assert passages("One. Two.") == [(0, 9), (0, 4), (5, 9)]
    assert passages("") == [(0, 0)]
    many = "So it is. " * 500
    assert len(passages(many)) == MOST_SENTENCES + 1
    assert passages("x" * 100_000) == [(0, 100_000)]


def test_a_short_message_is_quoted_whole_on_one_line() -> None:
    assert quoted("I like\n rice.  A lot.", 8, 13) == "I like rice. A lot."


@pytest.mark.parametrize("at", [0, 7, 19, 39])
def test_a_long_message_is_quoted_around_a_passage(at: int) -> None:
    text = " ".join(f"This is sentence number {n} of them." for n in range(40))
    start = text.index(f"number {at} ")
    quote = quoted(text, start, start + 5)

    assert f"number {at} of" in quote
    assert len(quote) <= LONGEST_QUOTE
    assert len(quote) > LONGEST_QUOTE / 2
    assert quote in text


def test_one_endless_sentence_is_cut_and_the_cut_is_shown() -> None:
    quote = quoted("word " * 200, 0, 1000)

    assert len(quote) == LONGEST_QUOTE
    assert quote.endswith("…")


def memory(seq: int, text: str = "secret") -> Memory:
    stamped = "2026-11-15T12:00:00.000Z"
    kinds = (Author.EXTERNAL, Origin.AUTHOR, EventType.AUTHOR_MESSAGE)
    return Memory(seq, stamped, *kinds, text, "key")


def test_a_trace_cites_memories_cuts_long_text_and_leaves_changes_out() -> None:
    evidence = (
        Evidence(memory(7), "secret", 0.123456, fits=True, replaces=memory(3)),
        Evidence(memory(8), "secret", 0.1),
    )
    told = trace(Reality(verdict="strong", evidence=evidence, recent=(memory(9),)))

    assert told == {
        "verdict": "strong",
        "evidence": [{"event": 7, "score": 0.1235, "replaces": 3}, {"event": 8, "score": 0.1}],
        "recent": [{"event": 9}],
        "familiar": False,
        "by": "grounded",
        "act": "",
        "replaces": None,
        "cited": [],
        "private": False,
    }


NO_PLAN = {
    "candidates": [],
    "kind": "",
    "usual": "",
    "likely": 0.5,
    "because": "",
    "trouble": "",
}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (
            Plan(trouble="x" * LONGEST_TRACED),
            {**NO_PLAN, "trouble": "x" * LONGEST_TRACED},
        ),
        (
            Plan(trouble="x" * (LONGEST_TRACED + 1)),
            {**NO_PLAN, "trouble": "x" * LONGEST_TRACED + "…"},
        ),
        (Ingested(excerpt="the message", characters=11), {"characters": 11}),
        (
            Reply(text="hi", changes=(Change(Store.SOUL, "set", "x"),)),
            {"delivered": False, "error": "", "characters": 2},
        ),
        (
            Plan(candidates=(Candidate("chat", "say", "fine"),)),
            {
                **NO_PLAN,
                "candidates": [
                    {
                        "skill": "chat",
                        "action": "say",
                        "prediction": "fine",
                        "values": [],
                        "against": [],
                        "likely": 0.5,
                        "completes": False,
                        "prompted": 1.0,
                        "bears": [],
                    }
                ],
            },
        ),
        (
            Draft("hi", "model", (1,)),
            {
                "kind": "model",
                "sources": [1],
                "model": "",
                "private": False,
                "shown": [],
                "cut": 0,
                "characters": 2,
            },
        ),
        (Axes(**dict.fromkeys(AXES, 0.5), total=2 / 3, unsupported=0), None),
    ],
)
def test_what_a_trace_tells_of_a_value(value: object, told: object) -> None:
    if isinstance(value, Axes):
        assert trace(value)["total"] == 0.6667
        assert len(trace(value)) == 18
    else:
        assert trace(value) == told


@pytest.mark.parametrize(
    ("score", "fit", "judged"),
    [
        (0.9, True, "strong"),
        (0.66, None, "strong"),
        (0.9, False, "middling"),
        (0.5, True, "middling"),
        (0.2, True, "weak"),
    ],
)
def test_how_well_the_best_evidence_answers(score: float, fit: bool | None, judged: str) -> None:
    assert verdict((Evidence(memory(1), "x", score, fits=fit),), parameters(Grounding)) == judged
    assert verdict((), parameters(Grounding)) == "none"


@pytest.mark.parametrize(
    ("one", "judged"),
    [
        (Evidence(memory(1), "x", 0.45), "middling"),
        (Evidence(memory(1), "x", 0.45, stands_out=0.3), "weak"),
        (Evidence(memory(1), "x", 0.45, wrong_kind=True), "weak"),
        (Evidence(memory(1), "x", 0.55, wrong_kind=True), "middling"),
    ],
)
def test_what_is_offered_stands_out_and_is_of_the_kind_asked_for_or_plainly_about_it(
    one: Evidence, judged: str
) -> None:
    assert verdict((one,), parameters(Grounding)) == judged


def test_what_plainly_stands_out_is_stated_though_its_words_are_others() -> None:
    law = parameters(Grounding)
    assert verdict((Evidence(memory(1), "x", 0.5, plainness=law.plain),), law) == "strong"
    assert verdict((Evidence(memory(1), "x", 0.5, plainness=law.plain - 0.01),), law) == "middling"
