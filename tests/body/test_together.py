"""Several processes on one being at once: nothing is lost, nobody waits for long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumen.core.canon import loads

if TYPE_CHECKING:
    from tests.body.conftest import Lumen

EACH = 15


def test_two_conversations_at_once_lose_nothing(lumen: Lumen) -> None:
    said = {who: [f"{who} says number {n}" for n in range(EACH)] for who in ("Ana", "Ben")}
    talks = {who: lumen.start("chat", "--json") for who in said}
    for who, process in talks.items():
        assert process.stdin is not None
        process.stdin.write("\n".join(said[who]).encode())
        process.stdin.flush()
    for command in ("status", "memory", "archive verify"):
        assert lumen.run(*command.split(), "--json").code == 0
    for who, process in talks.items():
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
        replies = [loads(line) for line in out.splitlines()]
        assert len(replies) == EACH
        for text, reply in zip(said[who], replies, strict=True):
            assert text.removeprefix(who) in reply["reply"]
    heard = lumen.heard()
    assert len(heard) == 2 * EACH
    for who in said:
        assert [text for text in heard if text.startswith(who)] == said[who]
    events = lumen.events()
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    assert sum(e["situation"] == "replied" for e in events) == 2 * EACH
    assert sum(e["situation"] == "record" for e in events) == 2 * EACH
    assert lumen.verified()
    assert lumen.run("status", "--json").json()["open_turns"] == 0
