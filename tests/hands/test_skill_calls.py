"""A call of a skill that behaves: what it is told, what it sees, what comes back."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lumen.core.canon import JSON
from lumen.core.clock import SystemClock
from lumen.hands.run import Call, Limits, Result, run
from lumen.hands.skills import Skill
from lumen.testing.clock import HandClock

HEAD = "import json, os, sys\n"


def ask(folder: Path, source: str, given: JSON = None, limits: Limits | None = None) -> Result:
    (folder / "main.py").write_text(HEAD + source)
    call = Call(Skill("tried", folder), "01TURN", "try", given)
    return asyncio.run(run(call, limits or Limits(), SystemClock()))


def test_a_skill_is_told_version_turn_action_and_input(tmp_path: Path) -> None:
    result = ask(
        tmp_path,
        "print(json.dumps({'ok': True, 'output': json.load(sys.stdin)}))",
        {"text": "жизнь \U0001f331", "list": [1, None, 2.5]},
    )
    assert (result.ok, result.error, result.stderr) == (True, "", "")
    assert result.output == {
        "v": 1,
        "turn": "01TURN",
        "action": "try",
        "input": {"text": "жизнь \U0001f331", "list": [1, None, 2.5]},
    }


def test_the_call_is_one_line(tmp_path: Path) -> None:
    source = "print(json.dumps({'ok': True, 'output': sys.stdin.read().partition('\\n')[1:]}))"
    assert ask(tmp_path, source, "two\nlines").output == ["\n", ""]


def test_a_skill_that_says_why_it_failed_is_quoted(tmp_path: Path) -> None:
    result = ask(
        tmp_path, "print(json.dumps({'ok': False, 'output': 7, 'error': '\\x1b[31mno such city'}))"
    )
    assert (result.ok, result.output, result.error) == (False, 7, "no such city")


def test_a_reason_given_before_a_bad_exit_code_is_kept(tmp_path: Path) -> None:
    result = ask(tmp_path, "print(json.dumps({'ok': False, 'error': 'no such city'})); sys.exit(1)")
    assert (result.ok, result.error) == (False, "no such city")


def test_a_skill_may_consist_of_several_files_and_they_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "weather.py").write_text("def today(): return 'rain'")
    result = ask(
        tmp_path, "import weather; print(json.dumps({'ok': True, 'output': weather.today()}))"
    )
    assert result.output == "rain"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["main.py", "weather.py"]


def test_a_skill_runs_in_its_own_folder_and_session(tmp_path: Path) -> None:
    result = ask(
        tmp_path,
        "print(json.dumps({'ok': True, 'output': [os.getcwd(), os.getsid(0) == os.getpid()]}))",
    )
    assert result.output == [str(tmp_path.resolve()), True]


def test_a_relative_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tried").mkdir()
    monkeypatch.chdir(tmp_path)
    result = ask(Path("tried"), "print(json.dumps({'ok': True, 'output': os.environ['HOME']}))")
    assert result.output == str(tmp_path / "tried")


def test_no_key_and_no_setting_of_ours_reaches_a_skill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = {
        name: f"hidden-{name}"
        for name in ("OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "LUMEN_HOME", "SSH_AUTH_SOCK")
    }
    hidden |= {"PYTHONPATH": "hidden-path", "PYTHONSTARTUP": "hidden-startup"}
    for name, value in hidden.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TZ", "Europe/Sofia")
    monkeypatch.setenv("LC_TIME", "C.UTF-8")
    result = ask(
        tmp_path, "print(json.dumps({'ok': True, 'output': [dict(os.environ), sys.path]}))"
    )
    seen, path = result.output
    assert "hidden" not in repr(result.output)
    assert {name for name in seen if not name.startswith(("LC_", "__CF"))} <= {
        "PATH", "LANG", "TZ", "HOME", "PYTHONIOENCODING",
    }  # fmt: skip
    assert (seen["TZ"], seen["LC_TIME"]) == ("Europe/Sofia", "C.UTF-8")
    assert (seen["PATH"], seen["HOME"]) == (os.environ["PATH"], str(tmp_path))
    assert path[0] == str(tmp_path.resolve())


@pytest.mark.parametrize("locale", ["POSIX", "C.UTF-8", "ru_RU.KOI8-R"])
def test_text_is_utf8_whatever_the_locale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locale: str
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    result = ask(
        tmp_path,
        "said = json.load(sys.stdin)['input']\n"
        "answer = {'ok': True, 'output': [said, sys.flags.utf8_mode]}\n"
        "print(json.dumps(answer, ensure_ascii=False))",
        "жизнь",
    )
    assert result.output == ["жизнь", 1]


def test_an_input_larger_than_a_pipe_arrives_whole(tmp_path: Path) -> None:
    result = ask(
        tmp_path,
        "print(json.dumps({'ok': True, 'output': len(json.load(sys.stdin)['input'])}))",
        "x" * 700_000,
    )
    assert result.output == 700_000


def test_an_answer_of_just_the_limit_is_accepted(tmp_path: Path) -> None:
    source = (
        "answer = json.dumps({'ok': True, 'output': ''})\n"
        "sys.stdout.write(answer.replace('\"\"', '\"' + 'x' * (200_002 - len(answer)) + '\"'))"
    )
    assert len(ask(tmp_path, source, limits=Limits(output_bytes=200_002)).output) > 199_000
    assert not ask(tmp_path, source, limits=Limits(output_bytes=200_001)).ok


def test_only_the_tail_of_stderr_is_kept_and_it_cannot_steer_a_terminal(tmp_path: Path) -> None:
    result = ask(
        tmp_path,
        "sys.stderr.write('first ' + 'x' * 9000 + ' \\x1b]0;title\\x07\\x1b[2Jlast\\n')\n"
        "print(json.dumps({'ok': True}))",
    )
    assert result.ok
    assert result.stderr.endswith("x last\n")
    assert "first" not in result.stderr
    assert 4000 < len(result.stderr) <= 4096


def test_the_time_taken_is_read_from_the_clock_given(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print('{\"ok\": true}')")
    call = Call(Skill("tried", tmp_path), "01TURN", "try", None)
    frozen = HandClock(datetime(2026, 11, 15, tzinfo=UTC), step_ms=0, seed=0)
    assert asyncio.run(run(call, Limits(), frozen)).seconds == 0.0
    assert asyncio.run(run(call, Limits(), SystemClock())).seconds > 0.0


def test_calls_can_run_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "import json, sys\nprint(json.dumps({'ok': True, 'output': json.load(sys.stdin)['input']}))"
    )

    async def all_at_once() -> list[Result]:
        skill = Skill("tried", tmp_path)
        calls = [Call(skill, "01TURN", "try", number) for number in range(6)]
        return await asyncio.gather(*(run(call, Limits(), SystemClock()) for call in calls))

    assert [result.output for result in asyncio.run(all_at_once())] == list(range(6))
