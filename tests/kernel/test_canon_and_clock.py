"""Text is storable and shown without harm; time and ids come in order and can be had again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumen.core.canon import clean, loads, printable, printable_json
from lumen.core.clock import SystemClock, parse_stamp, stamp, ulid
from lumen.testing.clock import HandClock

ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.text(
    st.sampled_from("a\x1b[]0;m\x07\\P\x9b\r\n\t\0\ud83d\ude00\u202e\u0301e\x7f\x85")
)


@given(ANY_TEXT)
def test_clean_text_stays_as_it_is_and_can_always_be_stored(text: str) -> None:
    once = clean(text)

    assert clean(once) == once
    assert once.encode().decode() == once
    assert "\0" not in once
    assert "\r" not in once


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("e\u0301", "é"),
        ("\ud800x", "\ufffdx"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\0", "\u2400"),
        ("\x1b[1m", "\x1b[1m"),
    ],
)
def test_clean_loses_nothing_readable(text: str, kept: str) -> None:
    assert clean(text) == kept


@given(ANY_TEXT)
def test_printable_text_holds_no_escape_and_no_control_but_line_end_and_tab(text: str) -> None:
    plain = printable(text)

    assert not {c for c in plain if ord(c) < 32 or 127 <= ord(c) < 160} - {"\n", "\t"}
    assert not set("\u202e\u2066\u200f\u061c") & set(plain)
    assert printable(plain) == plain


@given(ANY_TEXT)
def test_json_that_is_shown_says_the_same_and_steers_no_terminal(text: str) -> None:
    told = {clean(text): [clean(text)]}
    line = printable_json(told)

    assert loads(line) == told
    assert not {c for c in line if ord(c) < 32 or 127 <= ord(c) < 160}
    assert not set("\u202e\u2066\u200f\u061c") & set(line)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link", "link"),
        ("\x9b2Jgone", "gone"),
        ("\x1bPsecret\x1b\\out", "out"),
        ("a\tb\nc\x07\x00", "a\tb\nc"),
        ("safe\u202etxt.exe", "safetxt.exe"),
        ("né 日本 \U0001f600", "né 日本 \U0001f600"),
    ],
)
def test_printable_takes_out_what_steers_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


MOMENTS = st.datetimes(datetime(1970, 1, 2), datetime(9999, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(MOMENTS, MOMENTS)
def test_ids_sort_by_time(one: datetime, other: datetime) -> None:
    first, second = (ulid(HandClock(at, step_ms=0, seed=0)) for at in (one, other))

    assert len(first) == 26
    if abs(one - other) >= timedelta(milliseconds=2):
        assert (first < second) == (one < other)


@given(MOMENTS)
def test_a_stamp_is_read_back_to_the_millisecond(moment: datetime) -> None:
    written = stamp(moment)

    assert parse_stamp(written) == moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert stamp(parse_stamp(written)) == written
    assert len(written) == 24


def test_a_stamp_is_in_utc_whatever_the_zone() -> None:
    moment = datetime(2026, 1, 1, 0, 30, 0, 5999, tzinfo=ZoneInfo("Asia/Tokyo"))

    assert stamp(moment) == "2025-12-31T15:30:00.005Z"


def test_a_fixed_clock_repeats_itself_and_another_seed_does_not() -> None:
    def lived(seed: int) -> list[str]:
        clock = HandClock(datetime(2026, 1, 1, tzinfo=UTC), step_ms=1500, seed=seed)
        seen = [ulid(clock), stamp(clock.now()), clock.entropy(8).hex(), clock.entropy(8).hex()]
        return [*seen, str(clock.tick())]

    assert lived(1) == lived(1)
    assert lived(1)[1] == "2026-01-01T00:00:01.500Z"
    assert lived(1)[2] != lived(1)[3]
    assert lived(1)[0] != lived(2)[0]


def test_the_systems_clock_goes_on_and_does_not_repeat_itself() -> None:
    clock = SystemClock()

    assert clock.now() <= clock.now()
    assert clock.tick() <= clock.tick()
    assert clock.now().tzinfo is UTC
    assert ulid(clock) != ulid(clock)
