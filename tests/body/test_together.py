"""Several processes on one being at once: nothing is lost, nobody waits for long."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from tests.storing import born
from tests.waiting import PATIENCE

from lumen.core.canon import loads
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths

if TYPE_CHECKING:
    from tests.body.conftest import Lumen
    from tests.sampling import Sampled

VALUES = '[{"name": "curiosity", "weight": 0.8, "status": "active"}]\n'
GOALS = """[
  {"name": "learn about tomatoes", "weight": 0.9, "status": "todo"},
  {"name": "learn about the sea", "weight": 0.8, "status": "todo"},
  {"name": "understand cities", "weight": 0.5, "status": "perpetual"}
]
"""


def test_two_conversations_at_once_lose_nothing(lumen: Lumen, sampled: Sampled) -> None:
    each = sampled.rounds(6, 15)
    said = {who: [f"{who} says number {n}" for n in range(each)] for who in ("Ana", "Ben")}
    talks = {who: lumen.start("chat", "--json") for who in said}
    for who, process in talks.items():
        assert process.stdin is not None
        process.stdin.write("\n".join(said[who]).encode())
        process.stdin.flush()
    for command in ("status", "memory", "archive verify"):
        assert lumen.run(*command.split(), "--json").code == 0
    for who, process in talks.items():
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, b"")
        replies = [loads(line) for line in out.splitlines()]
        assert len(replies) == each
        for text, reply in zip(said[who], replies, strict=True):
            assert text.removeprefix(who) in reply["reply"]
    heard = lumen.heard()
    assert len(heard) == 2 * each
    for who in said:
        assert [text for text in heard if text.startswith(who)] == said[who]
    events = lumen.events()
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    assert sum(e["situation"] == "replied" for e in events) == 2 * each
    assert sum(e["situation"] == "record" for e in events) == 2 * each
    assert lumen.verified()
    assert lumen.run("status", "--json").json()["open_turns"] == 0


def whole(lumen: Lumen) -> None:
    """Every turn and every cycle that was begun has its end, in an unbroken chain."""
    events = lumen.events()
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    begun = [e["session_key"] for e in events if e["situation"] in ("heard", "pursues")]
    ended = [e["session_key"] for e in events if e["situation"] == "record"]
    assert sorted(begun) == sorted(ended)
    assert not lumen.situations("interrupted", "unclosed")
    assert lumen.run("status", "--json").json()["open_turns"] == 0
    assert lumen.run("archive", "verify", "--deep").code == 0


def talk_beside_run(lumen: Lumen, said: list[str]) -> list[str]:
    """Say things, each after the reply to the last, while `lumen run` lives on."""
    lumen.want(values=VALUES, goals=GOALS)
    living = lumen.start("run", "--every", "0", "--json")
    assert living.stdout is not None
    living.stdout.readline()  # it is at it
    talk = lumen.start("chat", "--json")
    assert talk.stdin is not None
    assert talk.stdout is not None
    replies = []
    for text in said:
        talk.stdin.write(text.encode() + b"\n")
        talk.stdin.flush()
        replies.append(loads(talk.stdout.readline())["reply"])
    out, err = talk.communicate(timeout=PATIENCE)
    assert (talk.returncode, out, b"went wrong" in err) == (0, b"", False)
    living.send_signal(signal.SIGINT)
    out, err = living.communicate(timeout=PATIENCE)
    assert (living.returncode, err) == (0, b"")
    assert all(loads(line) for line in out.splitlines())
    return replies


def test_a_life_and_a_conversation_at_once_lose_nothing(lumen: Lumen, sampled: Sampled) -> None:
    birds = sampled.rounds(20, 210)  # which is half a minute of talking
    said = [f"I saw bird number {n} today." for n in range(birds)]
    replies = talk_beside_run(lumen, said)
    assert [f"number {n} " in reply for n, reply in enumerate(replies)] == [True] * birds
    assert lumen.heard() == said
    assert lumen.situations("pursues")
    whole(lumen)


@pytest.mark.deep
@pytest.mark.embedded
def test_a_life_and_a_conversation_with_the_embedded_model_lose_nothing(host: Lumen) -> None:
    born(BeingPaths(host.being), host.keyring, SystemClock())
    said = ["How are you today?", "The sea is calm.", "Tell me about the wind."]
    replies = talk_beside_run(host, said)
    assert all(replies)
    assert host.heard() == said
    whole(host)
