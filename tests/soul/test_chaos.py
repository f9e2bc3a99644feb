"""Writers killed with -9 at any moment: nothing acknowledged is lost, and the chain stays whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.core.chance import draw_from
from lumen.core.clock import SystemClock
from lumen.soul.archive.line import torn_end
from lumen.soul.checking.verify import verify
from lumen.soul.writing.write import Writer

if TYPE_CHECKING:
    import subprocess

    from tests.sampling import Sampled
    from tests.soul.conftest import Home

pytestmark = pytest.mark.real_disk
PROCESSES = 4
UNLIKE_ANY_OTHER = (
    80  # characters of a line: fewer may begin one that the ring still has, which is put back
)
WRITE_UNTIL_KILLED = """
from lumen.core.chance import draw_from
draw = draw_from(argv[0])
writer = Writer(being, keyring, SystemClock())
while True:
    size = draw.choice((10, 10, 1000, 1000, 20_000, 100_000))
    sign = argv[0].endswith("/0") and draw.random() < 0.5
    for placed in writer.append([said("x" * size)], durable=True, sign=sign):
        os.write(1, f"{placed.seq} {placed.event_hash}\\n".encode())
"""
ONE_LONG_LINE = """
writer = Writer(being, keyring, SystemClock())
writer.append([said("ready")], durable=True)
print("ready", flush=True)
writer.append([said("x" * 24_000_000)], durable=True)
"""


def acknowledged(process: subprocess.Popen[bytes], lines: int) -> list[bytes]:
    """Let a writer go on until it has said that so many events are safe."""
    assert process.stdout is not None
    return [process.stdout.readline() for _ in range(lines)]


def the_rest(process: subprocess.Popen[bytes]) -> list[bytes]:
    """What a killed writer had acknowledged beyond what was read; half a word counts for nothing."""
    assert process.wait() == -9
    with process:
        assert process.stdout is not None
        return [line for line in process.stdout if line.endswith(b"\n")]


def reopened(home: Home) -> Writer:
    """Open the archive as the next start does.

    A torn line is finished from the ring where it stands there whole, else kept aside; both are
    told. Lines that came no further than the ring are put back as well.
    """
    torn = torn_end(home.being.memory)
    newest = home.newest()
    before = newest.read_bytes()
    writer = Writer(home.being, home.keyring, SystemClock())
    writer.recover()
    assert torn_end(home.being.memory) is None
    back = [said for said in writer.repairs if "put back" in said]
    aside = [said for said in writer.repairs if "quarantine" in said]
    assert writer.repairs == [*back, *aside]
    assert len(back) <= 1
    if back:
        assert newest.read_bytes().startswith(before)
        assert not aside
    elif torn:
        assert f"of {len(torn.data)} bytes" in aside[0]
        kept = [p.read_bytes() for p in (home.being.memory / "quarantine").iterdir()]
        assert torn.data in kept
    return writer


def whole(home: Home, acks: list[bytes]) -> None:
    """Every acknowledged event stands where it was said to stand, in an unbroken chain."""
    lines = home.lines()
    numbers = [int(line.partition(b'"seq":')[2].partition(b",")[0]) for line in lines]
    assert numbers == list(range(1, len(lines) + 1))
    for ack in acks:
        seq, event_hash = ack.split()
        assert lines[int(seq) - 1][15:79] == event_hash
    report = verify(home.being, home.keyring)
    assert report.ok, report.problem


def test_killed_writers_lose_nothing_they_acknowledged(home: Home, sampled: Sampled) -> None:
    rounds = sampled.rounds(3, 30)
    home.begin().close()
    draw = draw_from(f"chaos {sampled.seed}")
    acks: list[bytes] = []
    for turn in range(rounds):
        writers = [home.run(WRITE_UNTIL_KILLED, f"{turn}/{n}") for n in range(PROCESSES)]
        for writer in draw.sample(writers, PROCESSES):
            acks += acknowledged(writer, draw.randrange(1, 12))
            writer.kill()
        for writer in writers:
            acks += the_rest(writer)
        if turn % 5 == 0:  # what a writer leaves that was killed within a line, in any case
            with home.newest().open("ab") as segment:
                segment.write(home.lines()[-1][: draw.randrange(UNLIKE_ANY_OTHER, 400)])
        reopened(home).close()
        whole(home, acks)
    assert len(acks) >= rounds * PROCESSES
    assert len(list((home.being.memory / "quarantine").iterdir())) >= rounds // 5
    last = reopened(home)
    home.say(last, "still one chain", sign=True)
    whole(home, acks)


def test_a_writer_killed_within_a_long_line_leaves_a_torn_end_that_is_mended(home: Home) -> None:
    home.begin().close()
    torn = 0
    for _ in range(10):
        writer = home.run(ONE_LONG_LINE)
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        segment = home.newest()
        size = segment.stat().st_size
        while segment.stat().st_size == size and writer.poll() is None:
            pass
        writer.kill()
        writer.communicate()
        found = torn_end(home.being.memory)
        torn += found is not None and len(found.data) > 0
        reopened(home).close()
        whole(home, [])
        if torn:
            break
    assert torn
