"""The skills every being starts with beside chat: what each does, refuses, and cannot be made to do."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from lumen.core.canon import JSON
from lumen.core.clock import SystemClock
from lumen.hands.effects import effects_of
from lumen.hands.isolation import Isolation
from lumen.hands.run import Call, Limits, Result, Sandbox, run
from lumen.hands.skills import Skill, describe, discover, find, shipped
from lumen.hands.trial import try_out

SKILLS = discover(shipped())
NEW = [skill.name for skill in SKILLS if skill.name != "chat"]


def ask(name: str, action: str, said: JSON, context: JSON = None) -> Result:
    call = Call(find(shipped(), name), "01TURN", action, said, context or {})
    return asyncio.run(run(call, Limits(), SystemClock()))


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.name)
@pytest.mark.parametrize("isolation", list(Isolation))
def test_every_shipped_skill_passes_its_example_however_it_is_held(
    skill: Skill, isolation: Isolation, bwrap: Sandbox
) -> None:
    del bwrap
    effects = effects_of(skill)
    box = Sandbox(isolation)
    trial = asyncio.run(try_out(skill, effects, box, Limits(), SystemClock()))
    assert (trial.ok, trial.why, trial.tried) == (True, "", True)
    assert effects.description


@pytest.mark.parametrize("name", NEW)
def test_help_states_capabilities_input_and_output(name: str) -> None:
    text = asyncio.run(describe(find(shipped(), name)))
    assert text.isascii()
    for word in (f"{name}: ", "Actions", "Input", '"action"', "Output", '"ok"', '"error"'):
        assert word in text


@pytest.mark.parametrize("name", NEW)
def test_each_stands_alone(name: str) -> None:
    tree = ast.parse(find(shipped(), name).entry.read_text())
    found = {
        (node.module if isinstance(node, ast.ImportFrom) else alias.name).split(".")[0]  # type: ignore[union-attr]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert found <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("typed", [b"", b"hello", b"\xff\xfe", b"[" * 100_000, b"[]", b"null"])
def test_whatever_is_typed_is_answered(name: str, typed: bytes) -> None:
    entry = find(shipped(), name).entry
    done = subprocess.run([sys.executable, "-I", entry], input=typed, capture_output=True)
    answer = json.loads(done.stdout)
    assert (answer["ok"], answer["output"], done.returncode, done.stderr) == (False, None, 0, b"")
    assert answer["error"]


@pytest.mark.parametrize("name", NEW)
def test_arguments_and_other_actions_are_refused(name: str) -> None:
    entry = find(shipped(), name).entry
    done = subprocess.run([sys.executable, entry, "hello"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "--help" in done.stderr
    assert "action" in ask(name, "sing", None).error


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("2 * (3 + 4)", "14"),
        ("-7 // 2 + 7 % 4", "-1"),
        ("2**64", "18446744073709551616"),
        ("sqrt(16) + round(2.567, 1)", "6.6"),
        ("max(1, 2, 3) - min(4, 5) + sum(1, 2)", "2"),
        ("10 ** -2", "0.01"),
        ("floor(pi) + ceil(e)", "6"),
        ("3 ** -9999999", "0.0"),
        ("18% of 240", "43.2"),
        ("18 % of 240", "43.2"),
        ("240 * 18%", "43.2"),
        ("240 + 18%", "283.2"),
        ("240 - 12.5% - 10", "200"),
        ("100 + 18% of 50", "109"),
        ("7% - 4", "-3.93"),
        ("7 % 4 + (9 % 5)", "7"),
        ("0.1 + 0.2", "0.3"),
        ("0.1 * 3 - 0.3", "0"),
        ("1.10 * 3", "3.3"),
        ("4 / 2", "2"),
        ("1 / 3 * 3", "1"),
        ("1 / 3", "0.3333333333333333"),
        ("-1 / 8", "-0.125"),
        ("sqrt(2.25)", "1.5"),
        ("0.5 ** 3", "0.125"),
    ],
)
def test_calc_works_it_out(expression: str, text: str) -> None:
    output = ask("calc", "work_out", {"expression": expression}).output
    assert output["text"] == text
    assert output["value"] is None if len(text) > 18 else str(output["value"]) == text


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("__import__('os').system('true')", "no arithmetic"),
        ("(1).__class__", "no arithmetic"),
        ("[1 for _ in range(9)]", "no arithmetic"),
        ("'a' * 3", "no arithmetic"),
        ("lambda: 1", "no arithmetic"),
        ("abs(x=1)", "no arithmetic"),
        ("True + 1", "no real number"),
        ("9**9**9**9", "more than 4096 bits"),
        ("2**4000 * 2**4000", "more than 4096 bits"),
        ("1e1**400", "has no value"),
        ("0.5**-9999", "more than 4096 bits"),
        ("6 @ 7", "no arithmetic"),
        ("1e308 * 10", "not finite"),
        ("1/0", "has no value"),
        ("(-8)**0.5", "no real number"),
        ("sqrt(-1)", "cannot be worked out"),
        ("1 +", "cannot be worked out"),
        ("(" * 400 + "1" + ")" * 400, "cannot be worked out"),
        ("", "1 to 1000 characters"),
        ("1" * 1001, "1 to 1000 characters"),
        (7, "input must be"),
    ],
)
def test_calc_refuses_what_is_no_arithmetic_or_too_much(expression: JSON, complaint: str) -> None:
    result = ask("calc", "work_out", {"expression": expression})
    assert (result.ok, result.output) == (False, None)
    assert complaint in result.error


def test_a_note_is_handed_back_and_nothing_is_written(tmp_path: Path) -> None:
    before = sorted(find(shipped(), "note").folder.iterdir())
    result = ask(
        "note", "keep", {"text": " Rice\x1b[2J\x00. \ud800".strip("\ud800"), "about": "a\nb"}
    )
    assert result.output == {"note": {"text": "Rice[2J.", "about": "a b"}}
    assert sorted(find(shipped(), "note").folder.iterdir()) == before
    for wrong in ({"text": " "}, {"text": "x" * 4001}, {"text": "x", "about": 7}, {}, None):
        assert not ask("note", "keep", wrong).ok


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (tmp_path / "outside").mkdir()
    return folder


def write(files: Path, path: str, text: str = "rice", **more: JSON) -> Result:
    said = {"path": path, "text": text, **more}
    return ask("write_file", "write", said, {"writes": [str(files)]})


def test_a_file_is_written_whole_with_the_folders_on_the_way(files: Path) -> None:
    result = write(files, "lists/week/shopping.txt", "рис\n")
    assert result.output == {"path": "lists/week/shopping.txt", "bytes": 7, "replaced": False}
    assert (files / "lists/week/shopping.txt").read_text() == "рис\n"
    assert [p.name for p in (files / "lists/week").iterdir()] == ["shopping.txt"]


def test_a_file_is_replaced_only_when_asked_to(files: Path) -> None:
    assert write(files, "a.txt", "one").ok
    refused = write(files, "a.txt", "two")
    assert '"overwrite": true' in refused.error
    assert (files / "a.txt").read_text() == "one"
    assert write(files, "a.txt", "two", overwrite=True).output["replaced"] is True
    assert (files / "a.txt").read_text() == "two"
    assert write(files, "b.txt", "new", overwrite=True).output["replaced"] is False
    assert sorted(p.name for p in files.iterdir()) == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "a/../../x",
        "/etc/x",
        "",
        ".",
        "..",
        "a\0b",
        ".hidden",
        "a/.git/x",
        "x" * 201,
        "a\nb",
    ],
)
def test_a_path_that_leads_out_is_refused(files: Path, path: str) -> None:
    result = write(files, path)
    assert "path must" in result.error
    assert list(files.iterdir()) == []


def test_no_link_leads_out(files: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (files / "way").symlink_to(outside, target_is_directory=True)
    assert "'way' is no folder" in write(files, "way/x.txt").error
    (outside / "victim").write_text("mine")
    (files / "link.txt").symlink_to(outside / "victim")
    for overwrite in (False, True):
        assert "no plain file" in write(files, "link.txt", overwrite=overwrite).error
    (files / "folder").mkdir()
    assert "no plain file" in write(files, "folder", overwrite=True).error
    os.mkfifo(files / "pipe")
    assert "no plain file" in write(files, "pipe", overwrite=True).error
    assert "is no folder" in write(files, "pipe/x").error
    assert (outside / "victim").read_text() == "mine"
    assert [p.name for p in outside.iterdir()] == ["victim"]


def test_what_cannot_be_written_is_told_and_leaves_nothing(files: Path) -> None:
    assert "more than 1000000 bytes" in write(files, "a.txt", "x" * 1_000_001).error
    assert "input must be" in write(files, "a.txt", overwrite="yes").error
    assert "input must be" in ask("write_file", "write", 7, {"writes": [str(files)]}).error
    assert "no folder was given" in ask("write_file", "write", {"path": "a", "text": ""}).error
    assert "could not be written" in write(files, "x" * 200).error or list(files.iterdir())
    (files.parent / "file").write_text("")
    assert "could not be written" in write(files.parent / "file", "a.txt").error


def find_words(folder: Path, words: str, **more: JSON) -> JSON:
    result = ask("search", "find", {"words": words, **more}, {"reads": [str(folder)]})
    assert result.ok, result.error
    return result.output


def test_words_are_found_with_file_line_and_snippet_the_best_first(files: Path) -> None:
    (files / "a.txt").write_text("The sea.\nRain.\n")
    (files / "sub").mkdir()
    (files / "sub" / "b.md").write_text("nothing\n  LISBON lies by the Sea, жизнь.  \n")
    found = find_words(files, "sea lisbon ЖИЗНЬ")
    assert (found["count"], found["complete"]) == (2, True)
    assert found["results"] == [
        {
            "path": str(files / "sub" / "b.md"),
            "line": 2,
            "snippet": "LISBON lies by the Sea, жизнь.",
        },
        {"path": str(files / "a.txt"), "line": 1, "snippet": "The sea."},
    ]
    assert find_words(files, "sea", limit=1)["count"] == 1
    assert find_words(files, "se")["count"] == 0


def test_what_is_hidden_linked_or_no_text_is_not_looked_at(files: Path, tmp_path: Path) -> None:
    (tmp_path / "outside" / "secret.txt").write_text("sea")
    (files / "link.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (files / "way").symlink_to(tmp_path / "outside", target_is_directory=True)
    (files / ".hidden").write_text("sea")
    (files / ".git").mkdir()
    (files / ".git" / "x").write_text("sea")
    (files / "binary").write_bytes(b"sea\0sea")
    os.mkfifo(files / "pipe")
    assert find_words(files, "sea")["count"] == 0


def test_there_is_an_end_to_what_is_looked_through(files: Path) -> None:
    (files / "long.txt").write_text("sea " * 300 + "\n" + "sea\n" * 11_000)
    for number in range(5000):
        (files / f"{number}.txt").touch()
    found = find_words(files, "sea", limit=50)
    assert (found["count"], found["complete"]) == (0, False)
    for number in range(100):
        (files / f"{number}.txt").unlink()
    found = find_words(files, "sea", limit=50)
    assert (found["count"], found["complete"]) == (50, True)
    assert max(len(one["snippet"]) for one in found["results"]) == 200


@pytest.mark.parametrize(
    "said",
    [None, {}, {"words": 7}, {"words": "?"}, {"words": "a", "limit": 0}, {"words": "a" * 501}],
)
def test_a_wrong_question_is_answered_with_the_right_one(files: Path, said: JSON) -> None:
    assert not ask("search", "find", said, {"reads": [str(files)]}).ok


def test_without_folders_or_endpoint_it_says_what_to_set() -> None:
    assert "[skills.search] folders" in ask("search", "find", {"words": "a"}).error
    for endpoint in (None, "", "file:///etc/passwd", 7):
        context = {"settings": {"endpoint": endpoint}}
        result = ask("search", "web", {"words": "a"}, context)
        assert "[skills.search] endpoint" in result.error


class _Engine(BaseHTTPRequestHandler):
    asked: list[str] = []  # noqa: RUF012 - what came in, for the test to read
    says: bytes = b""

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.says)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def engine() -> Iterator[str]:
    _Engine.asked = []
    with HTTPServer(("127.0.0.1", 0), _Engine) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/search"
        server.shutdown()
        thread.join()


def test_a_configured_endpoint_is_asked_and_its_answer_cut_to_size(engine: str) -> None:
    listed = [{"title": "Sea", "url": "http://a", "content": "x" * 500, "score": 1}, 7]
    _Engine.says = json.dumps({"results": listed}).encode()
    context = {"settings": {"endpoint": engine}}
    result = ask("search", "web", {"words": "the sea & more", "limit": 5}, context)
    assert _Engine.asked == ["/search?q=the+sea+%26+more&format=json"]
    assert result.output["results"] == [{"title": "Sea", "url": "http://a", "snippet": "x" * 200}]
    for says in (b"<html>", b"[]", b'{"results": 7}'):
        _Engine.says = says
        assert "did not answer" in ask("search", "web", {"words": "a"}, context).error
    gone = {"settings": {"endpoint": "http://127.0.0.1:9/search"}}
    assert "did not answer" in ask("search", "web", {"words": "a"}, gone).error
