"""Who writes the chain anew, with every hash in order, is given away by what was signed before."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import Sampled, examples

from lumen.core.canon import sha256
from lumen.core.data import Author, EventType, Origin
from lumen.soul.archive import chain
from lumen.soul.archive.chain import MISPLACED, check_span, join, spans
from lumen.soul.archive.line import body, line, parse
from lumen.soul.checking.verify import verify
from lumen.soul.trust.keys import Keyring, head_line

if TYPE_CHECKING:
    from tests.soul.conftest import Grown, Home, Line

    from lumen.soul.checking.verify import Report

EVENTS = 16
SIGNED = (1, 4, 7, 10, 13, 16)


def rewritten(
    grown: Grown, since: int, *, key: str = "", soul: str = "", parent: str = ""
) -> list[Line]:
    """Every event from one on told otherwise, with fresh and valid hashes.

    A `key` is announced by the first of them, as a being on another host does.
    """
    lines = grown.lines[: since - 1]
    parent = parent or (lines[-1][1][15:79].decode() if lines else "0" * 64)
    for name, raw in grown.lines[since - 1 :]:
        event = parse(raw)
        entry = replace(event.entry, description=event.entry.description + ", or so they say")
        if event.seq == 1:
            said = {"soul": soul or event.soul, "public_key": key or "0" * 64}
            entry = replace(entry, payload={**entry.payload, **said})
        elif key and event.seq == since:
            entry = replace(
                entry,
                author=Author.KERNEL,
                event_type=EventType.SYSTEM_EVENT,
                origin=Origin.KERNEL,
                situation="key_added",
                payload={"public_key": key, "vouched": True},
            )
        part = body(entry, event.id, event.salt)
        parent, fresh = line(part, parent, event.seq, soul or event.soul, event.timestamp)
        lines = [*lines, (name, fresh)]
    return lines


def stranger(home: Home, soul: str) -> tuple[Keyring, str]:
    """Somebody else's keys, and the public half of one."""
    keyring = Keyring(home.root / "stranger")
    public = keyring.create(soul)
    keyring.adopt(soul)
    return keyring, public


def forged(keyring: Keyring, lines: list[Line], since: int) -> bytes:
    """A head for every turn from an event on, signed by whoever has that keyring."""
    events = [parse(raw) for _, raw in lines]
    return b"".join(
        head_line(keyring.sign(e.soul, e.seq, e.event_hash))
        for e in events
        if e.seq in SIGNED and e.seq >= since
    )


def doubted(report: Report) -> range:
    """The events a report casts doubt on."""
    assert not report.ok
    assert report.problem is not None
    unvouched = re.search(r"those from (\d+) on", report.problem.what)
    until = re.search(r"up to event (\d+)", report.problem.what)
    start = int(unvouched[1]) if unvouched else report.problem.seq
    return range(start, int(until[1]) + 1 if until else report.problem.seq + 1)


@pytest.mark.parametrize("since", range(1, EVENTS + 1))
@pytest.mark.parametrize("heads", ["kept", "cut", "gone", "forged", "forged and announced"])
def test_a_rewrite_is_found_from_the_last_head_before_it_to_the_first_after_it(
    grown: Grown, since: int, heads: str
) -> None:
    soul = parse(grown.lines[0][1]).soul
    keyring, public = stranger(grown.home, soul)
    lines = rewritten(grown, since, key=public if heads == "forged and announced" else "")
    left = {
        "kept": grown.heads,
        "cut": grown.heads_below(since),
        "gone": None,
        "forged": grown.heads_below(since) + forged(keyring, lines, since),
        "forged and announced": grown.heads_below(since) + forged(keyring, lines, since),
    }[heads]
    report = grown.spoil(lines, left)
    before = max((s for s in SIGNED if s < since), default=0)
    after = min(s for s in SIGNED if s >= since)
    # A key the archive does not name vouches for nothing, so doubt begins at the beginning.
    starts = {"gone": 1, "forged": 1}.get(heads, before + 1)
    ends = after if heads in ("kept", "forged") else EVENTS
    assert doubted(report) == range(starts, ends + 1)
    assert since in doubted(report)


@settings(max_examples=examples(50))
@given(st.integers(1, EVENTS), st.integers(1, EVENTS), st.sampled_from(["kept", "cut", "gone"]))
def test_a_rewrite_that_leaves_events_out_casts_doubt_on_all_it_touched(
    grown: Grown, since: int, last: int, heads: str
) -> None:
    lines = rewritten(grown, since)[:last]
    left = {"kept": grown.heads, "cut": grown.heads_below(since), "gone": None}[heads]
    report = grown.spoil(lines, left)
    assert doubted(report).start <= min(since, last + 1)
    assert doubted(report).stop > min(since, last + 1)


def test_a_being_that_was_replaced_by_another_is_found_by_whoever_knows_its_soul(
    grown: Grown,
) -> None:
    soul = parse(grown.lines[0][1]).soul
    other = "01JZZZZZZZZZZZZZZZZZZZZZZZ"
    keyring, public = stranger(grown.home, other)
    lines = rewritten(grown, 1, key=public, soul=other)
    report = grown.spoil(lines, forged(keyring, lines, 1))
    # Without a name to go by, a whole archive of somebody nobody here has met is in order.
    assert report.ok
    assert report.soul == other
    assert report.notes == ("no witness on this host: a cut-off end would not be noticed",)
    known = verify(grown.home.being, grown.home.keyring, soul=soul)
    assert known.problem is not None
    assert (known.problem.seq, known.problem.what) == (
        1,
        f"belongs to another soul: expected {soul}",
    )


@pytest.mark.parametrize("since", [1, 2, 8, 11, 16])
def test_a_rewrite_that_hangs_on_nothing_is_found_where_it_begins(grown: Grown, since: int) -> None:
    report = grown.spoil(rewritten(grown, since, parent="1" * 64), None)
    assert report.problem is not None
    assert (report.problem.seq, report.problem.what) == (since, MISPLACED)


@pytest.mark.parametrize("said", [{"soul": "01JZZZZZZZZZZZZZZZZZZZZZZZ"}, {"format": "other/1"}])
def test_a_beginning_that_does_not_say_what_it_must_is_found(
    grown: Grown, said: dict[str, str]
) -> None:
    first = parse(grown.lines[0][1])
    entry = replace(first.entry, payload={**first.entry.payload, **said})
    _, raw = line(body(entry, first.id, first.salt), "0" * 64, 1, first.soul, first.timestamp)
    report = grown.spoil([(grown.lines[0][0], raw)], None)
    assert report.problem is not None
    assert report.problem.what == "is not the genesis this format asks for"


def test_an_event_dated_before_the_one_before_it_is_found(
    grown: Grown, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, raw = grown.lines[-1]
    last = parse(raw)
    early = "2026-11-17T00:00:00.000Z"
    part = body(last.entry, "0" * 26, last.salt)
    _, fresh = line(part, last.event_hash, last.seq + 1, last.soul, early)
    report = grown.spoil([*grown.lines, (name, fresh)], grown.heads)
    assert report.problem is not None
    assert (report.problem.seq, report.problem.what) == (EVENTS + 1, MISPLACED)
    monkeypatch.setattr(chain, "PART", 100)
    apart = spans(grown.home.being.memory, None, frozenset(), 4)
    assert apart[-1].start == len(grown.files()[name])
    assert join((part, check_span(part)) for part in apart).problem == report.problem


def test_a_word_about_keys_that_cannot_be_read_is_found(grown: Grown) -> None:
    last = parse(grown.lines[-1][1])
    odd = replace(last.entry, author=Author.KERNEL, situation="key_added", payload={"?": 0})
    part = body(odd, last.id, last.salt)
    content = part.content.replace(b'{"?":0}', b"[[[[[[[")
    hashed = sha256(part.content).encode(), sha256(content).encode()
    part = part._replace(header=part.header.replace(*hashed), content=content)
    _, raw = line(part, last.event_hash, last.seq + 1, last.soul, last.timestamp)
    report = grown.spoil([*grown.lines, (grown.lines[-1][0], raw)], grown.heads)
    assert report.problem is not None
    assert (report.problem.seq, report.problem.what) == (EVENTS + 1, "cannot be read")


def test_nothing_but_what_no_head_has_signed_can_go_unnoticed(
    grown: Grown, sampled: Sampled
) -> None:
    writer = grown.restore().writer()
    grown.home.say(writer, "not signed", "not signed either")
    writer.close()
    grown.look()
    name, data = list(grown.home.segments().items())[-1]
    signed = len(grown.files()[name])
    for at in [*sampled.of(range(signed, len(data) - 1), 80), len(data) - 1]:
        cut = grown.spoil_files({**grown.files(), name: data[:at]}, grown.heads)
        torn = at - data.rfind(b"\n", 0, at) - 1
        note = f"{name} ends in an unfinished line of {torn} bytes"
        assert (cut.ok, cut.count) == (True, EVENTS + data.count(b"\n", signed, at))
        assert [n for n in cut.notes if "not signed" not in n] == ([note] if torn else [])
        # One byte changed is still found; only of the last newline nothing is left to tell.
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        report = grown.spoil_files({**grown.files(), name: changed}, grown.heads)
        assert report.ok is (at == len(data) - 1)
    assert not grown.spoil_files({**grown.files(), name: data[: signed - 1]}, grown.heads).ok
