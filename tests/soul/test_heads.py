"""Signed heads and the witness: what they cover, and what may befall them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import dumps, loads, sha256
from lumen.core.data import Author
from lumen.core.errors import ArchiveError, Damaged
from lumen.soul.archive.line import parse
from lumen.soul.trust.keys import Keyring, head_from, head_line, is_signed
from lumen.soul.writing.log import keep_heads

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sampling import Sampled
    from tests.soul.conftest import Grown, Home

    from lumen.core.data import Head

EVENTS = 16


def heads_of(home: Home) -> list[Head]:
    path = home.being.heads
    return [head_from(raw, path) for raw in path.read_bytes().splitlines(keepends=True)]


def test_changing_any_one_byte_of_the_heads_is_found(grown: Grown, sampled: Sampled) -> None:
    heads = grown.heads
    missed = []
    for at in sampled.of(range(len(heads)), 400):
        other = (heads[at] ^ 1, heads[at] ^ 0x20, 0x0D)[at % 3]  # one bit, the other case, a return
        report = grown.spoil(grown.lines, heads[:at] + bytes([other]) + heads[at + 1 :])
        if report.ok:
            missed.append((at, other, report))
    assert missed == []


@pytest.mark.parametrize("lost", [1, 2, 100, 200])
def test_a_torn_last_head_is_noted_and_mended_by_the_next_signature(home: Home, lost: int) -> None:
    writer = home.begin()
    home.say(writer, "hello", sign=True)
    witness = home.keyring.witness_file(heads_of(home)[0].soul)
    before = witness.read_bytes()
    home.say(writer, "how are you", sign=True)
    home.overwrite(home.being.heads, home.being.heads.read_bytes()[:-lost])
    home.overwrite(witness, before)  # as a crash leaves it: a head is durable before it is seen
    report = home.verify()
    assert (report.ok, report.signed) == (True, 2)
    assert report.notes == ("heads.jsonl ends in an unfinished line",)
    home.say(writer, "on it goes", sign=True)
    assert writer.repairs == ["An unfinished line was cut from heads.jsonl."]
    report = home.verify()
    assert (report.ok, report.signed, report.notes) == (True, 4, ())
    assert [h.seq for h in heads_of(home)] == [1, 2, 4]


def test_a_file_that_holds_only_half_a_head_is_mended(home: Home) -> None:
    writer = home.begin()
    home.overwrite(home.being.heads, home.being.heads.read_bytes()[:40])
    report = home.verify()
    assert report.problem is not None
    assert "lacks one by the key the being was born with" in report.problem.what
    home.say(writer, "on it goes", sign=True)
    assert [h.seq for h in heads_of(home)] == [2]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda said: {**said, "seq": str(said["seq"])},
        lambda said: {**said, "seq": float(said["seq"])},
        lambda said: {**said, "seq": True},
        lambda said: {**said, "signature": said["signature"].upper()},
        lambda said: {**said, "signature": None},
        lambda said: {**said, "key": [1]},
        lambda said: {**said, "more": 1},
        lambda said: dict(reversed(said.items())),
        lambda said: [said],
        lambda said: {},
    ],
)
def test_a_head_spelled_in_any_other_way_is_found(grown: Grown, spoil: object) -> None:
    lines = grown.heads.splitlines(keepends=True)
    assert callable(spoil)
    lines[0] = dumps(spoil(loads(lines[0]))) + b"\n"
    report = grown.spoil(grown.lines, b"".join(lines))
    assert report.problem is not None
    assert (report.problem.seq, report.problem.segment, report.problem.line) == (
        1,
        "heads.jsonl",
        1,
    )


def test_a_head_signed_with_a_foreign_key_is_found(grown: Grown, tmp_path: Path) -> None:
    event = parse(grown.lines[-1][1])
    foreign = Keyring(tmp_path)
    foreign.create(event.soul)
    foreign.adopt(event.soul)
    head = foreign.sign(event.soul, event.seq, event.event_hash)
    assert is_signed(head)
    report = grown.spoil(grown.lines, grown.heads + head_line(head))
    assert report.problem is not None
    assert "a key the archive does not name" in report.problem.what


def test_a_head_whose_key_is_no_key_is_found(grown: Grown) -> None:
    lines = grown.heads.splitlines(keepends=True)
    lines[2] = dumps({**loads(lines[2]), "key": "abc"}) + b"\n"
    report = grown.spoil(grown.lines, b"".join(lines))
    assert report.problem is not None
    assert (report.problem.line, report.problem.what) == (
        3,
        "or one up to event 7 has a head that its key did not sign",
    )


def test_a_key_speaks_for_nothing_that_was_before_it_was_added(home: Home) -> None:
    writer = home.begin()
    first = home.say(writer, "hello", sign=True)[-1]
    home.keyring.key_file(first.soul).rename(home.root / "lost.key")
    other = home.writer()
    home.say(other, "from another host", sign=True)
    assert home.verify().ok
    early = home.keyring.sign(first.soul, first.seq, first.event_hash)
    with home.being.heads.open("ab") as heads:
        heads.write(head_line(early))
    report = home.verify()
    assert report.problem is not None
    assert report.problem.line == len(heads_of(home))


@pytest.mark.parametrize("situation", ["key_added", "genesis"])
def test_only_the_kernel_can_name_a_key(home: Home, tmp_path: Path, situation: str) -> None:
    writer = home.begin()
    stranger = Keyring(tmp_path / "stranger")
    soul = home.say(writer, "hello")[-1].soul
    public = stranger.create(soul)
    stranger.adopt(soul)
    claim = home.entry("trust this", Author.SELF, situation, {"public_key": public})
    placed = writer.append([claim], durable=True, sign=True)[-1]
    with home.being.heads.open("ab") as heads:
        heads.write(head_line(stranger.sign(soul, placed.seq, placed.event_hash)))
    report = home.verify()
    assert report.problem is not None
    assert "a key the archive does not name" in report.problem.what


def test_heads_that_two_processes_wrote_out_of_order_are_in_order(grown: Grown) -> None:
    lines = grown.heads.splitlines(keepends=True)
    report = grown.spoil(grown.lines, b"".join(reversed(lines)) + lines[2])
    assert (report.ok, report.signed) == (True, EVENTS)


def test_the_witness_never_goes_down(home: Home) -> None:
    writer = home.begin()
    placed = [home.say(writer, f"{n}", sign=True)[-1] for n in range(3)]
    heads = heads_of(home)
    home.keyring.remember(heads[1])
    assert home.keyring.witness(placed[0].soul) == heads[-1]


def test_the_witness_goes_down_when_the_author_accepts_a_chain(home: Home) -> None:
    writer = home.begin()
    kept = home.newest().read_bytes()
    soul = home.say(writer, "one", "two", "three", sign=True)[-1].soul
    home.overwrite(home.newest(), kept)
    (home.being.memory / ".lock").unlink()  # its ring would put the lines back
    home.overwrite(home.being.heads, home.being.heads.read_bytes().splitlines(keepends=True)[0])
    assert not home.verify().ok
    placed = home.writer().accept(home.entry("so be it", Author.KERNEL, "rollback_accepted"))
    assert placed.seq == 2
    assert home.keyring.witness(soul) == heads_of(home)[-1]
    assert heads_of(home)[-1].seq == 2
    assert home.verify().ok


def test_heads_of_another_chain_are_set_aside_to_the_byte(home: Home) -> None:
    writer = home.begin()
    for text in ("one", "two", "three"):
        home.say(writer, text, sign=True)
    lines = home.being.heads.read_bytes().splitlines(keepends=True)
    assert keep_heads(home.being, lambda head: head.seq != 3) == 1
    assert home.being.heads.read_bytes() == b"".join([*lines[:2], lines[3]])
    (aside,) = home.being.quarantine.iterdir()
    assert aside.read_bytes() == lines[2]
    assert aside.name == f"heads-{sha256(lines[2])[:8]}.jsonl"
    assert keep_heads(home.being, lambda _: True) == 0
    assert [p.name for p in home.being.quarantine.iterdir()] == [aside.name]


def test_a_head_that_was_never_finished_is_set_aside_with_the_strange_ones(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "one", sign=True)
    whole = home.being.heads.read_bytes()
    home.overwrite(home.being.heads, whole + whole[:40])
    assert keep_heads(home.being, lambda _: True) == 1
    assert home.being.heads.read_bytes() == whole
    assert [p.read_bytes() for p in home.being.quarantine.iterdir()] == [whole[:40]]


def test_without_heads_there_are_none_to_set_aside(home: Home) -> None:
    home.begin()
    home.being.heads.unlink()
    assert keep_heads(home.being, lambda _: False) == 0
    assert not home.being.quarantine.exists()


def test_a_witness_that_cannot_be_read_is_said_not_believed(home: Home) -> None:
    writer = home.begin()
    soul = home.say(writer, "hello", sign=True)[-1].soul
    home.keyring.witness_file(soul).write_bytes(b"{}\n")
    with pytest.raises(Damaged, match="not a signed head"):
        home.verify()


def test_keys_and_witness_are_for_their_owner_alone(home: Home) -> None:
    soul = home.say(home.begin(), "hello", sign=True)[-1].soul
    for path in (home.keyring.key_file(soul), home.keyring.witness_file(soul)):
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_key_that_is_no_key_is_said(home: Home) -> None:
    writer = home.begin()
    soul = home.say(writer, "hello")[-1].soul
    home.keyring.key_file(soul).write_bytes(b"\xff")
    with pytest.raises(Damaged, match="is not a key"):
        home.say(writer, "sign this", sign=True)


def test_keys_that_cannot_be_kept_are_said(home: Home) -> None:
    (home.root / "host").touch()
    with pytest.raises(ArchiveError, match="cannot be written: Not a directory"):
        home.begin()


def test_a_key_that_went_missing_is_said(home: Home) -> None:
    writer = home.begin()
    soul = home.say(writer, "hello")[-1].soul
    home.keyring.key_file(soul).unlink()
    with pytest.raises(ArchiveError, match="No such file"):
        home.say(writer, "sign this", sign=True)
