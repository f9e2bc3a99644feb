"""A year and a week told in the author's own words: chosen by weight, dated, citing events."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import examples

from lumen.core.clock import stamp
from lumen.kernel.language.spans import Span
from lumen.kernel.recall.summary import (
    LONGEST,
    MOST_A_MONTH,
    MOST_TOLD,
    Line,
    Noted,
    read_summary,
    summarise,
    tell,
    within,
)

BERLIN = ZoneInfo("Europe/Berlin")
WEEK = Span(
    datetime(2026, 11, 16, tzinfo=BERLIN), datetime(2026, 11, 23, tzinfo=BERLIN), "this week"
)


def at(month: int, day: int, hour: int = 9, year: int = 2026) -> str:
    """A stamp in UTC."""
    return stamp(datetime(year, month, day, hour, tzinfo=UTC))


def lines_of(text: str) -> list[str]:
    return [row for row in text.split("\n") if row.startswith("- ")]


def only(text: str) -> str:
    """The one line that a message becomes."""
    (line,) = lines_of(summarise(2026, [Noted(1, at(3, 5), text, 1)], BERLIN, 1))
    return line


def test_a_year_is_told_month_by_month() -> None:
    noted = [
        Noted(3, at(2, 1), "Is it cold?", 900_000),
        Noted(14, at(11, 15), "My sister lives in Lisbon.", 500_000),
        Noted(20, at(11, 15, 10), "I bought a boat. Is that wise? It is red.", 400_000),
        Noted(31, at(11, 16), "values: honesty .86 → .91", 1, "changed"),
        Noted(40, at(12, 1), "charter: a new article", 1, "changed"),
    ]
    assert summarise(2026, noted, BERLIN, 40) == (
        "# 2026\n\n"
        "Up to event 40. Every line names the event it comes from.\n\n"
        "## February\n\n1 message.\n\n"
        "## November\n\n2 messages.\n\n"
        "- 15 Nov · “My sister lives in Lisbon.” (event 14)\n"
        "- 15 Nov · “I bought a boat. … It is red.” (event 20)\n"
        "- 16 Nov · values: honesty .86 → .91 (event 31)\n\n"
        "## December\n\n0 messages.\n\n"
        "- 1 Dec · charter: a new article (event 40)\n"
    )


def test_an_empty_year_has_only_its_head() -> None:
    text = summarise(2026, [], BERLIN, 0)
    assert text == "# 2026\n\nUp to event 0. Every line names the event it comes from.\n"
    assert read_summary(text) == []


def test_other_years_and_later_events_are_left_out_by_the_authors_calendar() -> None:
    noted = [
        Noted(1, at(12, 31, 22, 2025), "Still the old year here.", 1),
        Noted(2, at(12, 31, 23, 2025), "The new one has begun.", 1),
        Noted(3, at(1, 2), "Not yet summarised.", 1),
    ]
    assert lines_of(summarise(2026, noted, BERLIN, 2)) == [
        "- 1 Jan · “The new one has begun.” (event 2)"
    ]


def test_the_heaviest_are_kept_and_stand_in_the_order_of_time() -> None:
    noted = [Noted(i, at(3, 1 + i // 2), f"Thing number {i}.", i * 7 % 50) for i in range(1, 50)]
    heaviest = sorted(sorted(noted, key=lambda n: -n.weight)[:MOST_A_MONTH], key=lambda n: n.seq)
    told = read_summary(summarise(2026, noted, BERLIN, 99))
    assert [(line.event, line.quote) for line in told] == [(n.seq, n.text) for n in heaviest]


def test_of_those_that_say_the_same_the_newest_is_told_as_heavy_as_the_heaviest() -> None:
    others = [Noted(i, at(3, 2), f"Other thing {i}.", 50) for i in range(2, 20)]
    first = Noted(1, at(3, 1), "My cat is called Miso!", 90)
    again = Noted(30, at(3, 9), "my cat is called MISO", 1)
    later = Noted(31, at(3, 10), "Yet another thing.", 60)
    told = read_summary(summarise(2026, [first, *others, again, later], BERLIN, 99))
    assert Line(date(2026, 3, 9), "my cat is called MISO", 30) in told
    assert len(told) == MOST_A_MONTH
    assert 1 not in [line.event for line in told]


def test_words_that_turn_a_sentence_round_make_it_another() -> None:
    noted = [Noted(1, at(3, 1), "I like tea.", 1), Noted(2, at(3, 1), "I do not like tea.", 1)]
    assert len(lines_of(summarise(2026, noted, BERLIN, 2))) == 2


@pytest.mark.parametrize(
    "text", ["Where is it?", "how old is bolt", "Hi!", "thanks", "ok", "👍", ""]
)
def test_questions_and_small_talk_count_as_messages_and_are_not_told(text: str) -> None:
    told = summarise(2026, [Noted(1, at(3, 5), text, 9)], BERLIN, 1)
    assert "1 message." in told
    assert lines_of(told) == []


def test_a_long_message_ends_with_a_sentence_or_with_dots() -> None:
    sentence = "We walked along the river for hours and came home wet but happy. "
    assert only(sentence * 9) == f"- 5 Mar · “{(sentence * 3).strip()}” (event 1)"
    (worded,) = read_summary("# 2026\n" + only("words " * 90))
    assert worded.quote.endswith("words…")
    assert LONGEST - 6 <= len(worded.quote) <= LONGEST
    (solid,) = read_summary("# 2026\n" + only("長" * 900))
    assert solid.quote == "長" * (LONGEST - 1) + "…"


def test_markup_and_escapes_lose_their_power_and_no_letter() -> None:
    text = (
        "Look ![x](http://x) <b>*bold*</b> `a_b`\n# Title\n- 1 Jan · “no” (event 9)\x1b[31m\u202e."
    )
    line = only(text)
    assert "\x1b" not in line
    assert "\u202e" not in line
    assert r"!\[x\](http://x) \<b\>\*bold\*\</b\> \`a\_b\`" in line
    (read,) = read_summary(f"# 2026\n{line}")
    assert read.event == 1
    assert read.quote == (
        "Look ![x](http://x) <b>*bold*</b> `a_b` # Title - 1 Jan · “no” (event 9)."
    )


said = st.text(max_size=300) | st.lists(
    st.sampled_from(["I", "ran", "home", ".", "?", "“", "”", "(event 3)", "\\", "*", "\n", "- "]),
    max_size=90,
).map(" ".join)


@settings(max_examples=examples(12))
@given(st.lists(st.tuples(said, st.integers(0, 9), st.booleans()), max_size=30))
def test_what_is_written_is_read_back_and_the_same_every_time(
    drawn: list[tuple[str, int, bool]],
) -> None:
    noted = [
        Noted(i, at(1 + i // 9, 1 + i % 9), text, weight, "changed" if changed else "said")
        for i, (text, weight, changed) in enumerate(drawn, 1)
    ]
    told = summarise(2026, iter(noted), BERLIN, 99)
    assert told == summarise(2026, noted, BERLIN, 99)
    read = read_summary(told)
    assert len(read) == len(lines_of(told))
    by_event = {n.seq: n for n in noted}
    for line in read:
        note = by_event[line.event]
        assert line.kind == note.kind
        assert line.day == datetime.fromisoformat(note.timestamp).date()
        assert 0 < len(line.quote) <= LONGEST + 1


def test_a_change_that_quotes_is_read_back_as_a_change() -> None:
    told = summarise(2026, [Noted(1, at(3, 5), "“old” → “new”", 1, "changed")], BERLIN, 1)
    assert [line.kind for line in read_summary(told)] == ["changed"]


def test_whatever_else_stands_in_the_file_is_passed_over() -> None:
    text = (
        "- 1 Jan · “before any title” (event 1)\n# 2026\n\nMy own remark.\n- a list\n"
        "- 30 Feb · “no such day” (event 2)\n- 3 Feb · “kept” (event 3)\n"
        "- 3 Foo · “no such month” (event 4)\n- 3 Feb · “no event”\n# Title\n"
    )
    assert read_summary(text) == [Line(date(2026, 2, 3), "kept", 3)]


@pytest.mark.deep
def test_a_fuller_year_takes_no_more_room() -> None:
    def year(a_day: int) -> Iterator[Noted]:
        begin = datetime(2026, 1, 1, tzinfo=UTC)
        for i in range(365 * a_day):
            text = f"As note {i} I wrote down {'something ' * 40}."
            yield Noted(
                i + 1, stamp(begin + timedelta(days=1) * i / a_day), text, i * 7919 % 10_007
            )

    def room(a_day: int) -> int:
        tracemalloc.start()
        summarise(2026, year(a_day), BERLIN, 9999)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    room(1)  # whatever is loaded once is loaded now
    assert room(6) < 1.3 * room(1)


def test_the_lines_inside_a_span_are_found() -> None:
    days = [date(2026, 11, 15), date(2026, 11, 16), date(2026, 11, 22), date(2026, 11, 23)]
    lines = [Line(day, "x", i) for i, day in enumerate(days)]
    assert [line.event for line in within(lines, WEEK)] == [1, 2]


def test_what_was_told_in_a_span_is_quoted_with_its_dates() -> None:
    noted = [
        Noted(1, at(11, 15, 22), "Sunday in Berlin still.", 9),
        Noted(2, at(11, 15, 23), "My sister lives in Lisbon.", 5),
        Noted(3, at(11, 16), "values: honesty .86 → .91", 9, "changed"),
        Noted(4, at(11, 17), "Where is Lisbon?", 9),
        Noted(5, at(11, 18), "I start in March.\nIt is a bakery.", 1),
        Noted(6, at(11, 22, 23), "Next Monday in Berlin.", 9),
    ]
    assert tell(WEEK, noted, BERLIN) == (
        "This week you told me:\n"
        "• Monday 16 November: “My sister lives in Lisbon.”\n"
        "• Wednesday 18 November: “I start in March. It is a bakery.”",
        (2, 5),
    )


def test_at_most_six_are_told_and_the_rest_counted_once_each() -> None:
    noted = [Noted(i, at(11, 17), f"Thing number {i % 18}.", i % 18) for i in range(1, 37)]
    text, cited = tell(WEEK, noted, BERLIN)
    assert cited == (30, 31, 32, 33, 34, 35)
    assert len(cited) == MOST_TOLD
    assert text.endswith("“Thing number 17.”\nand 12 more")


def test_nothing_told_is_said_so() -> None:
    assert tell(WEEK, [], BERLIN) == ("You told me nothing this week.", ())


def test_lines_of_a_summary_are_told_spread_over_the_span() -> None:
    year = Span(datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC), "in 2026")
    lines = [Line(date(2026, m, 3), f"Month {m}.", m) for m in range(1, 12)]
    lines.append(Line(date(2026, 12, 3), "values: changed", 12, "changed"))
    text, cited = tell(year, lines, UTC)
    assert cited == (1, 3, 5, 7, 9, 11)
    assert text.startswith("In 2026 you told me:\n• Saturday 3 January: “Month 1.”\n")
    assert text.endswith("and 5 more")


def test_a_span_over_new_year_names_the_years_and_takes_lines_and_memories_together() -> None:
    start = datetime(2025, 12, 1, tzinfo=UTC)
    span = Span(start, datetime(2026, 3, 1, tzinfo=UTC), "since December 2025")
    told: list[Noted | Line] = [
        Line(date(2025, 12, 24), "It snows.", 7),
        Noted(9, at(2, 1), "It thaws.", 1),
    ]
    assert tell(span, told, UTC) == (
        "Since December 2025 you told me:\n"
        "• Wednesday 24 December 2025: “It snows.”\n"
        "• Sunday 1 February 2026: “It thaws.”",
        (7, 9),
    )
