"""Whatever is done to the stored bytes is found, and the first bad event is named."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import examples

from lumen.soul.archive import chain
from lumen.soul.archive.chain import check_span, join, spans
from lumen.soul.archive.line import CHANGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.sampling import Sampled
    from tests.soul.conftest import Grown, Line

    from lumen.soul.checking.verify import Report

EVENTS = 16
WORTH_EVERY_BYTE = (0, 1, 6, 7, 10, 15)  # the ends of segments, and one amid; the rest by chance
SEGMENTS = ("2026-11-14.jsonl", "2026-11-15.jsonl", "2026-11-17.jsonl")


def first_difference(before: Sequence[Line], after: Sequence[Line]) -> int:
    """The number of the first event that is not where, or what, it was."""
    pairs = enumerate(zip_longest(before, after), 1)
    return next(seq for seq, (old, new) in pairs if old != new)


def named(report: Report) -> int:
    """The event a report names."""
    assert not report.ok
    assert report.problem is not None
    return report.problem.seq


def is_changed(report: Report) -> bool:
    return report.problem is not None and report.problem.what == CHANGED


def replaced(grown: Grown, number: int, line: bytes) -> list[Line]:
    lines = list(grown.lines)
    lines[number] = (lines[number][0], line)
    return lines


def test_what_was_written_verifies(grown: Grown) -> None:
    report = grown.spoil(grown.lines, grown.heads)
    assert report.ok
    assert (report.count, report.signed, report.notes) == (EVENTS, EVENTS, ())
    assert report.head.encode() == grown.lines[-1][1][15:79]
    assert tuple(dict(grown.lines)) == SEGMENTS
    assert [s for s, (_, line) in enumerate(grown.lines, 1) if line[15:79] in grown.heads] == (
        grown.signed
    )


def test_changing_any_one_byte_is_found_at_that_event(grown: Grown, sampled: Sampled) -> None:
    missed = []
    for number in WORTH_EVERY_BYTE:
        line = grown.lines[number][1]
        for at in sampled.of(range(len(line)), 100):
            other = (line[at] + 1 + (at * 31 + number) % 255) % 256
            changed = line[:at] + bytes([other]) + line[at + 1 :]
            report = grown.spoil(replaced(grown, number, changed), grown.heads)
            torn = number == EVENTS - 1 and at == len(line) - 1
            if named(report) != number + 1 or not (torn or is_changed(report)):
                missed.append((number + 1, at, other, report.problem))
    assert missed == []


@settings(max_examples=examples(120))
@given(st.integers(0, EVENTS - 1), st.floats(0, 1, exclude_max=True), st.binary(max_size=3))
def test_putting_any_bytes_in_place_of_one_is_found_at_that_event(
    grown: Grown, number: int, where: float, other: bytes
) -> None:
    line = grown.lines[number][1]
    at = int(where * len(line))
    changed = line[:at] + other + line[at + 1 :]
    report = grown.spoil(replaced(grown, number, changed), grown.heads)
    # Where the very same bytes came out, nothing was changed.
    assert report.ok if changed == line else named(report) == number + 1


@settings(max_examples=examples(100))
@given(
    st.sampled_from(["delete", "swap", "duplicate", "move"]),
    st.integers(0, EVENTS - 1),
    st.integers(0, EVENTS),
    st.sampled_from(SEGMENTS),
)
def test_a_line_that_is_gone_or_elsewhere_is_found_at_the_first_wrong_place(
    grown: Grown, action: str, number: int, to: int, segment: str
) -> None:
    lines = list(grown.lines)
    name, line = lines[number]
    if action == "delete":
        del lines[number]
    elif action == "swap":
        other = min(to, EVENTS - 1)
        lines[number], lines[other] = (name, lines[other][1]), (lines[other][0], line)
    elif action == "duplicate":
        lines.insert(to, (segment, line))
    else:
        del lines[number]
        lines.insert(min(to, len(lines)), (segment, line))
    lines.sort(key=lambda each: each[0])
    report = grown.spoil(lines, grown.heads)
    if lines == grown.lines:
        assert report.ok
    else:
        assert named(report) == first_difference(grown.lines, lines)


@pytest.mark.parametrize("heads", ["kept", "cut", "gone"])
def test_cutting_a_segment_off_at_any_byte_is_found_at_the_event_it_cuts(
    grown: Grown, heads: str, sampled: Sampled
) -> None:
    missed = []
    for name, data in grown.files().items():
        before = sum(1 for segment, _ in grown.lines if segment < name)
        for at in sampled.of(range(len(data)), 80):
            expected = before + data.count(b"\n", 0, at) + 1
            left = {"kept": grown.heads, "cut": grown.heads_below(expected), "gone": None}[heads]
            report = grown.spoil_files({**grown.files(), name: data[:at]}, left)
            if report.problem is None or report.problem.seq != expected:
                missed.append((name, at, expected, report.problem))
    assert missed == []


def test_cutting_a_segment_off_next_to_a_line_end_is_found_at_the_event_it_cuts(
    grown: Grown,
) -> None:
    for name, data in grown.files().items():
        before = sum(1 for segment, _ in grown.lines if segment < name)
        ends = [at for at, byte in enumerate(data, 1) if byte == 0x0A]
        for at in {0, *(end + by for end in ends for by in (-2, -1, 0, 1))}:
            if at < len(data):
                report = grown.spoil_files({**grown.files(), name: data[:at]}, grown.heads)
                assert named(report) == before + data.count(b"\n", 0, at) + 1


@pytest.mark.parametrize("heads", [True, False])
@pytest.mark.parametrize("segment", SEGMENTS)
@pytest.mark.parametrize(
    "becomes",
    [
        "2026-11-01.jsonl",
        "2026-11-16.jsonl",
        "2026-12-01.jsonl",
        "2025-11-14.jsonl",
        "2026-99-99.jsonl",
        "2026-11-14.jsonl.bak",
        "2027/{}",
        "2026-1\u0661-14.jsonl",
        "",
    ],
)
def test_a_segment_that_is_renamed_or_removed_is_found_at_the_first_event_it_displaces(
    grown: Grown, segment: str, becomes: str, heads: bool
) -> None:
    files = grown.files()
    moved = files.pop(segment)
    if becomes:
        files[becomes.format(segment)] = moved
    ours = sorted(n for n in files if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\.jsonl", n))
    lines = [(name, line) for name in ours for line in files[name].splitlines(keepends=True)]
    report = grown.spoil_files(files, grown.heads if heads else None)
    assert named(report) == first_difference(grown.lines, lines)


@pytest.mark.parametrize("heads", [True, False])
def test_an_archive_that_is_all_gone_is_found_at_its_beginning(grown: Grown, heads: bool) -> None:
    report = grown.spoil_files({}, grown.heads if heads else None)
    assert named(report) == 1
    assert report.problem is not None
    assert report.problem.what == "is missing: the archive is empty"


@settings(max_examples=examples(60))
@given(st.integers(0, EVENTS - 1), st.floats(0, 1, exclude_max=True), st.integers(2, 5))
def test_parts_checked_apart_find_what_one_pass_finds(
    grown: Grown, number: int, where: float, processes: int
) -> None:
    line = grown.lines[number][1]
    at = int(where * len(line))
    changed = line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]
    whole = grown.spoil(replaced(grown, number, changed), grown.heads)
    memory = grown.home.being.memory
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chain, "PART", 300)
        parts = spans(memory, None, frozenset(), processes)
    assert len(parts) > len(SEGMENTS)
    found = join((part, check_span(part)) for part in parts).problem
    if changed.endswith(b"\n") or number < EVENTS - 1:
        assert found == whole.problem
    else:
        assert found is not None  # without its newline the last line counts as torn elsewhere


def test_a_segment_that_shrinks_while_it_is_read_is_checked_as_far_as_it_goes(
    grown: Grown,
) -> None:
    path = grown.restore().newest()
    size = path.stat().st_size
    seen = spans(grown.home.being.memory, None, frozenset(), 1)[-1]
    found = check_span(replace(seen, end=size + 100))
    assert (found.lines, found.last_seq, found.problem) == (6, EVENTS, None)


def test_several_processes_say_what_one_says(grown: Grown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lumen.soul.checking.verify.PARALLEL_FROM", 0)
    monkeypatch.setattr(chain, "PART", 300)
    home = grown.restore()
    assert home.verify(processes=2) == home.verify()
    grown.spoil(replaced(grown, 11, grown.lines[12][1]), grown.heads)
    assert home.verify(processes=2) == home.verify()
    assert named(home.verify(processes=2)) == 12
