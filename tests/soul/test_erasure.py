"""A line may be blanked out only in one way, and only when an erasure says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from lumen.core.data import Author, Placed
from lumen.core.errors import ArchiveError
from lumen.soul.archive.line import CONTENT_HASH, ERASED, content_length, read
from lumen.soul.writing.log import blank

if TYPE_CHECKING:
    from tests.sampling import Sampled
    from tests.soul.conftest import Home

    from lumen.core.canon import JSON
    from lumen.soul.checking.verify import Report
    from lumen.soul.writing.write import Writer

TARGET = 3


@dataclass(slots=True)
class Forgetful:
    """A being of four events, the third of which is to be forgotten."""

    home: Home
    writer: Writer
    events: list[Placed]

    def line(self, seq: int = TARGET) -> bytes:
        return self.home.lines()[seq - 1]

    def name(self, seq: int = TARGET, **more: JSON) -> dict[str, JSON]:
        """What an erasure says of a line."""
        return {"seq": seq, "event_hash": self.line(seq)[15:79].decode(), **more}

    def erase(self, erases: JSON, author: Author = Author.KERNEL) -> int:
        """Say that lines are erased, without touching them; returns the erasure's number."""
        word = self.home.entry("Forgotten.", author, "erasure", {"erases": erases})
        return self.writer.append([word], durable=True, sign=True, signer=self.home.author)[-1].seq

    def stub(self, by: object, seq: int = TARGET) -> bytes:
        """A line blanked out the way the format asks."""
        line = self.line(seq)
        cut = content_at(line)
        start = ERASED + f"{by}}}".encode()
        return line[:cut] + start + b" " * (len(line) - cut - 2 - len(start)) + b"}\n"

    def put(self, line: bytes, seq: int = TARGET) -> Report:
        """Put bytes in place of a line, and verify."""
        lines = self.home.lines()
        lines[seq - 1] = line
        self.home.overwrite(self.home.newest(), b"".join(lines))
        return self.home.verify()


def content_at(line: bytes) -> int:
    return line.index(CONTENT_HASH) + len(CONTENT_HASH) + 65


def found_at(report: Report, seq: int = TARGET) -> bool:
    return not report.ok and report.problem is not None and report.problem.seq == seq


@pytest.fixture
def forgetful(home: Home) -> Forgetful:
    writer = home.begin()
    return Forgetful(home, writer, home.say(writer, "hello", "my number is 555 0123", "goodbye"))


def test_a_line_its_erasure_names_may_be_blanked(forgetful: Forgetful) -> None:
    by = forgetful.erase([forgetful.name(), forgetful.name(4)])
    report = forgetful.put(forgetful.stub(by))
    assert report.ok, report.problem
    assert forgetful.put(forgetful.stub(by, 4), 4).ok
    stored = list(read(forgetful.home.being.memory))
    assert [s.event.entry.situation for s in stored][2:4] == ["erased", "erased"]
    assert stored[2].event.entry.payload == {"erased_by": by}
    assert b"555 0123" not in forgetful.home.newest().read_bytes()
    forgetful.home.say(forgetful.writer, "and on it goes", sign=True)
    assert forgetful.home.verify().ok


def test_blanking_on_disk_leaves_the_one_stub_the_format_knows(forgetful: Forgetful) -> None:
    home = forgetful.home
    places = [(s.segment, s.offset, s.length) for s in read(home.being.memory)][1:3]
    named = [forgetful.name(seq, length=content_length(forgetful.line(seq))) for seq in (2, 3)]
    by = forgetful.erase(named)
    before, wanted = home.lines(), [forgetful.stub(by, seq) for seq in (2, 3)]
    for _ in range(2):  # a cut between two lines is finished by doing it all again
        blank(home.being.memory, by, places)
        assert home.lines() == [before[0], *wanted, *before[3:]]
        assert home.verify().ok
    assert b"hello" not in home.newest().read_bytes()
    home.say(home.writer(), "and on it goes", sign=True)
    assert home.verify().ok


def test_the_last_line_can_be_blanked_and_what_follows_links_to_it(forgetful: Forgetful) -> None:
    home = forgetful.home
    last = list(read(home.being.memory))[-1]
    by = len(home.lines()) + 1
    blank(home.being.memory, by, [(last.segment, last.offset, last.length)])
    assert forgetful.erase([forgetful.name(4)]) == by
    assert home.verify().ok


def test_a_segment_that_is_gone_cannot_be_blanked_and_it_is_said(forgetful: Forgetful) -> None:
    with pytest.raises(ArchiveError, match=r"2001-01-01\.jsonl cannot be written"):
        blank(forgetful.home.being.memory, 5, [("2001-01-01.jsonl", 0, 10)])


def test_the_shortest_line_has_room_for_its_stub(forgetful: Forgetful) -> None:
    home = forgetful.home
    home.say(forgetful.writer, "")
    shortest, after = home.entry("", situation=""), home.entry("after")
    forgetful.writer.append([shortest, after], durable=True)
    named = forgetful.name(6)
    stored = list(read(home.being.memory))[5]
    by = forgetful.erase([named])
    blank(home.being.memory, by, [(stored.segment, stored.offset, stored.length)])
    assert len(forgetful.line(6)) == stored.length
    assert home.verify().ok


def test_a_line_that_is_named_but_not_blanked_yet_is_in_order(forgetful: Forgetful) -> None:
    forgetful.erase([forgetful.name()])
    assert forgetful.home.verify().ok


@pytest.mark.parametrize("by", [1, 4, 6, 999])
def test_a_stub_that_names_an_event_that_is_no_erasure_is_found(
    forgetful: Forgetful, by: int
) -> None:
    assert forgetful.erase([forgetful.name()]) == 5
    assert found_at(forgetful.put(forgetful.stub(by)))


def test_a_stub_without_any_erasure_is_found(forgetful: Forgetful) -> None:
    report = forgetful.put(forgetful.stub(5))
    assert found_at(report)
    assert report.problem is not None
    assert report.problem.what == "was blanked out, and event 5 does not say so"


def test_a_stub_whose_erasure_names_another_line_is_found(forgetful: Forgetful) -> None:
    other, mixed = forgetful.name(4), {**forgetful.name(4), "seq": TARGET}
    for number, erases in enumerate([[other], [mixed], [{**forgetful.name(), "seq": 2}]], 5):
        assert forgetful.erase(erases) == number
    line = forgetful.line()
    for by in (5, 6, 7):
        assert found_at(forgetful.put(forgetful.stub(by)))
        forgetful.put(line)


@pytest.mark.parametrize(
    "erases", [None, 3, "3", [3], [{"seq": 3}], [{"seq": "three", "event_hash": ""}], [None]]
)
def test_an_erasure_that_cannot_be_understood_erases_nothing(
    forgetful: Forgetful, erases: JSON
) -> None:
    by = forgetful.erase(erases)
    assert forgetful.home.verify().ok
    assert found_at(forgetful.put(forgetful.stub(by)))


@pytest.mark.parametrize("author", [Author.SELF, Author.EXTERNAL, Author.GOAL])
def test_only_the_kernel_can_say_that_something_was_erased(
    forgetful: Forgetful, author: Author
) -> None:
    by = forgetful.erase([forgetful.name()], author)
    assert found_at(forgetful.put(forgetful.stub(by)))


@pytest.mark.parametrize("by", ["05", "5 ", " 5", "5.0", "-5", "5" * 16, "", "five"])
def test_a_number_spelled_in_any_other_way_is_found(forgetful: Forgetful, by: str) -> None:
    forgetful.erase([forgetful.name()])
    assert found_at(forgetful.put(forgetful.stub(by)))


def test_any_byte_of_a_stub_that_is_not_as_it_must_be_is_found(
    forgetful: Forgetful, sampled: Sampled
) -> None:
    by = forgetful.erase([forgetful.name()])
    good = forgetful.stub(by)
    assert forgetful.put(good).ok
    for at in sampled.of(range(len(good)), 80):
        for other in b"\t }x0\n":
            changed = good[:at] + bytes([other]) + good[at + 1 :]
            if changed != good:
                assert found_at(forgetful.put(changed)), (at, other)


def test_padding_of_another_length_is_found_where_the_erasure_tells_the_length(
    forgetful: Forgetful,
) -> None:
    line = forgetful.line()
    length = len(line) - content_at(line) - 1
    by = forgetful.erase([forgetful.name(length=length)])
    good = forgetful.stub(by)
    assert forgetful.put(good).ok
    assert found_at(forgetful.put(good.replace(b" }\n", b"}\n")))
    assert found_at(forgetful.put(good.replace(b"}\n", b" }\n")))


def test_an_erasure_that_was_itself_blanked_erases_nothing(forgetful: Forgetful) -> None:
    by = forgetful.erase([forgetful.name()])
    later = forgetful.erase([forgetful.name(by)])
    forgetful.put(forgetful.stub(by))
    assert found_at(forgetful.put(forgetful.stub(later, by), by))


def test_the_beginning_cannot_be_erased(forgetful: Forgetful) -> None:
    by = forgetful.erase([forgetful.name(1)])
    assert found_at(forgetful.put(forgetful.stub(by, 1), 1), 1)
