from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.peers import Wire, at, chat, sse

from lumen.core.canon import sha256
from lumen.core.clock import SystemClock
from lumen.core.errors import BadSetting, MindError, NoSubstrate
from lumen.core.trust import FULL, LOWEST
from lumen.mind.ask import Prepared, Reach, leaving, prepare, schema_of, send
from lumen.mind.endpoints import Endpoint
from lumen.mind.roles import parse_assignments
from lumen.mind.substrate import (
    LONGEST_TOKEN,
    Completion,
    Exchange,
    Health,
    ModelDescriptor,
    OnText,
    Prompt,
)
from lumen.mind.substrates.remote import unlisted
from lumen.mind.substrates.scripted import Rule, Scripted


@dataclass
class Recorder:
    """A substrate that keeps what it was asked."""

    id: str = "recorder"
    small: bool = False
    asked: list[Prompt] = field(default_factory=list)
    closed: int = 0

    async def health(self) -> Health:
        return Health(ok=True, detail="")

    async def discover(self) -> list[ModelDescriptor]:
        return [await self.describe("m")]

    async def describe(self, model_id: str) -> ModelDescriptor:
        return ModelDescriptor(
            "recorder", model_id, "", None, "none", False, LOWEST if self.small else FULL, True
        )

    def request(self, model_id: str, prompt: Prompt) -> None:
        pass

    async def invoke(
        self, model_id: str, prompt: Prompt, on_text: OnText | None = None
    ) -> Completion:
        self.asked.append(prompt)
        return Completion(f"from {model_id}", 1, 2, 3, "stop")

    def close(self) -> None:
        self.closed += 1


class SteppingClock(SystemClock):
    """Every look at the counter is two seconds after the last."""

    seen = 0.0

    def tick(self) -> float:
        self.seen += 2.0
        return self.seen


def templates(folder: Path) -> tuple[Path, ...]:
    step = folder / "talk"
    step.mkdir()
    (step / "system.md").write_text("Be kind to {{ author_name }}.", encoding="utf-8")
    (step / "prompt.md").write_text("{{ author_name }}: {{ message }}", encoding="utf-8")
    (step / "turns.small.md").write_text("> Hi!\nHi {{ author_name }}!", encoding="utf-8")
    return (folder,)


def reach(folder: Path, recorder: Recorder) -> Reach:
    return Reach(
        assignments=parse_assignments({"interface": "recorder/m/1"}),
        folders=templates(folder),
        clock=SteppingClock(),
        opened={"recorder": recorder},
    )


SLOTS = {"author_name": "Ana", "message": "hello"}
LIMITS = Prompt("", "", 9)


def ask(
    mind: Reach,
    role: str = "interface",
    limits: Prompt = LIMITS,
    on_text: OnText | None = None,
) -> tuple[Prepared, Completion]:
    async def whole() -> tuple[Prepared, Completion]:
        call = await prepare(mind, role, "talk", SLOTS, limits)
        return call, await send(mind, call, on_text)

    return asyncio.run(whole())


def test_one_question_is_one_call_that_opens_with_the_digest(tmp_path: Path) -> None:
    recorder = Recorder()
    limits = Prompt("You are Lumen.", "", 9, temperature=0.4, seed=7)
    call, answer = ask(reach(tmp_path, recorder), limits=limits)
    assert recorder.asked == [
        Prompt("You are Lumen.\n\nBe kind to Ana.", "Ana: hello", 9, temperature=0.4, seed=7)
    ]
    hashes = [sha256(b"Be kind to {{ author_name }}."), sha256(b"{{ author_name }}: {{ message }}")]
    assert answer == Completion(
        text="from m/1",
        prompt_tokens=1,
        completion_tokens=2,
        cached_tokens=3,
        seconds=2.0,
        finish="stop",
        copied=False,
    )
    assert str(call.model) == "recorder/m/1"
    assert call.templates == (("talk/system.md", hashes[0]), ("talk/prompt.md", hashes[1]))


def test_a_small_model_is_shown_the_turns_written_for_it(tmp_path: Path) -> None:
    recorder = Recorder(small=True)
    call, _ = ask(reach(tmp_path, recorder))
    assert recorder.asked[0].turns == (Exchange("Hi!", "Hi Ana!"),)
    assert [name for name, _ in call.templates] == [
        "talk/system.md",
        "talk/turns.small.md",
        "talk/prompt.md",
    ]


def test_no_earlier_question_is_remembered(tmp_path: Path) -> None:
    recorder = Recorder()
    mind = reach(tmp_path, recorder)
    for _ in range(2):
        ask(mind)
    assert recorder.asked[0] == recorder.asked[1]


def test_a_role_without_a_model_is_refused_and_nothing_else_is_asked(tmp_path: Path) -> None:
    recorder = Recorder()
    with pytest.raises(BadSetting, match="no model is assigned to the role compiler"):
        ask(reach(tmp_path, recorder), "compiler")
    assert recorder.asked == []


def test_a_failing_model_is_not_asked_again(tmp_path: Path) -> None:
    model = Scripted({"m": [Rule(fail="overloaded"), Rule(say="second try")]})
    mind = Reach(
        parse_assignments({"interface": "scripted/m"}),
        templates(tmp_path),
        SystemClock(),
        opened={"scripted": model},
    )
    with pytest.raises(MindError, match="overloaded"):
        ask(mind)
    assert ask(mind)[1].text == "second try"


def test_a_substrate_is_opened_once_and_closed_with_the_reach(tmp_path: Path) -> None:
    mind = Reach(
        parse_assignments({"interface": "scripted/echo", "compiler": "scripted/echo"}),
        templates(tmp_path),
        SystemClock(),
    )
    pieces: list[str] = []
    _, answer = ask(mind, on_text=pieces.append)
    assert "".join(pieces) == answer.text == "Ana: hello"
    assert mind.substrate("scripted") is mind.substrate("scripted")
    assert asyncio.run(mind.model("compiler")).local
    with pytest.raises(NoSubstrate, match="'cloud' is no substrate") as caught:
        mind.substrate("cloud")
    assert "ollama" in caught.value.fix
    recorder = Recorder()
    mind.opened["recorder"] = recorder
    mind.close()
    mind.close()
    assert (recorder.closed, mind.opened) == (1, {})


def test_a_model_seen_before_is_not_looked_for_again_and_its_call_can_be_shown(
    tmp_path: Path, wire: Wire
) -> None:
    endpoint = at(wire.url)
    mind = Reach(
        parse_assignments({"interface": "desk/m"}),
        templates(tmp_path),
        SystemClock(),
        endpoints={"desk": endpoint},
        known={
            "desk/m": unlisted(endpoint, "m"),
            "other/m": unlisted(Endpoint("other", "xai"), "m"),
        },
    )
    wire.on("/v1/chat/completions", sse(*chat("Hello.")))
    call, answer = ask(mind)
    request = leaving(mind, call)
    assert request is not None
    assert [asked.body for asked in wire.asked] == [request.body]
    assert answer.text == "Hello."
    scripted = Reach(parse_assignments({"interface": "scripted/echo"}), mind.folders, mind.clock)
    assert leaving(scripted, ask(scripted)[0]) is None


def test_who_writes_more_than_allowed_is_cut_off(tmp_path: Path) -> None:
    mind = Reach(
        parse_assignments({"interface": "recorder/m" + "x" * 999}),
        templates(tmp_path),
        SystemClock(),
        opened={"recorder": Recorder()},
    )
    _, answer = ask(mind)
    assert (len(answer.text), answer.finish) == (9 * LONGEST_TOKEN, "length")


def test_the_schema_of_a_type_is_what_servers_take() -> None:
    @dataclass
    class Word:
        word: str

    assert schema_of(Word) == {
        "properties": {"word": {"title": "Word", "type": "string"}},
        "required": ["word"],
        "title": "Word",
        "type": "object",
    }
