from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lumen.core.errors import BadSetting, MindError, NoSubstrate
from lumen.mind.substrate import Completion, Prompt
from lumen.mind.substrates.scripted import Rule, Scripted, read_script


def say(model: Scripted, user: str, model_id: str, max_tokens: int = 50) -> str:
    return asyncio.run(model.invoke(model_id, Prompt("", user, max_tokens))).text


def script(folder: Path, *lines: str) -> str:
    path = folder / "script.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_the_first_matching_rule_answers_with_its_groups(tmp_path: Path) -> None:
    model_id = script(
        tmp_path,
        "# greetings",
        r'{"when": "my name is (\\w+)", "say": "Hello $1, you said: $0. Cost: $$5$9"}',
        '{"when": "name", "say": "second"}',
        "",
    )
    model = Scripted()
    assert say(model, "So my name is Ana", model_id) == (
        "Hello Ana, you said: my name is Ana. Cost: $5"
    )
    assert say(model, "a name", model_id) == "second"


def test_rules_without_a_pattern_answer_once_each_in_order(tmp_path: Path) -> None:
    model_id = script(tmp_path, '{"say": "one"}', '{"when": "x", "say": "X"}', '{"say": "two"}')
    model = Scripted()
    assert [say(model, user, model_id) for user in ("a", "x", "b")] == ["one", "X", "two"]
    with pytest.raises(MindError, match="no answer left for: 'c'"):
        say(model, "c", model_id)


def test_a_rule_may_fail_on_purpose(tmp_path: Path) -> None:
    model_id = script(tmp_path, '{"when": "crash", "fail": "out of memory"}')
    with pytest.raises(MindError, match="out of memory"):
        say(Scripted(), "please crash", model_id)


def test_echo_gives_the_prompt_back_and_is_the_only_model_listed_unasked() -> None:
    model = Scripted()
    assert say(model, "line one\nline two", "echo") == "line one\nline two"
    assert [found.model_id for found in asyncio.run(model.discover())] == ["echo"]


def test_the_pieces_make_up_the_text() -> None:
    pieces: list[str] = []
    model = Scripted({"friend": [Rule(say="Hello there, it is good to see you.")]})
    done = asyncio.run(model.invoke("friend", Prompt("be kind", "hi", 50), pieces.append))
    assert len(pieces) > 1
    assert "".join(pieces) == done.text
    assert done == Completion("Hello there, it is good to see you.", 3, 8, 0, "stop")


def test_the_token_limit_and_stop_marks_hold() -> None:
    model = Scripted()
    prompt = Prompt("", "one two three END four", 2)
    assert asyncio.run(model.invoke("echo", prompt)).finish == "length"
    assert asyncio.run(model.invoke("echo", prompt)).text == "one two"
    stopped = asyncio.run(model.invoke("echo", Prompt("", "one two END four", 9, stop=(" END",))))
    assert (stopped.text, stopped.finish) == ("one two", "stop")


def test_a_slow_answer_can_be_cancelled_between_its_pieces() -> None:
    async def scenario() -> list[str]:
        pieces: list[str] = []
        model = Scripted({"slow": [Rule(say="abcdefgh", delay_s=600)]})
        first = Scripted({"quick": [Rule(say="abcdefgh")]})
        await first.invoke("quick", Prompt("", "hi", 9), pieces.append)
        call = asyncio.create_task(model.invoke("slow", Prompt("", "hi", 9), pieces.append))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return pieces

    assert asyncio.run(scenario()) == ["ab", "cd", "ef", "gh"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not JSON"),
        ('["say"]', "either"),
        ('{"when": "x"}', "either"),
        ('{"say": "a", "fail": "b"}', "either"),
        ('{"say": 3}', "wrong kind"),
        ('{"say": "a", "wen": "b"}', "'wen' is unknown"),
        ('{"say": "a", "when": "("}', "no regular expression"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    path = Path(script(tmp_path, '{"say": "fine"}', line))
    with pytest.raises(BadSetting, match=complaint) as caught:
        read_script(path)
    assert "script.jsonl:2" in caught.value.what


def test_a_missing_script_is_no_substrate(tmp_path: Path) -> None:
    with pytest.raises(NoSubstrate, match=r"nowhere\.jsonl"):
        say(Scripted(), "hi", str(tmp_path / "nowhere.jsonl"))
