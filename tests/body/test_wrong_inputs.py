"""What cannot be meant is refused before anything is written, and says what to do instead."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.body.test_disk import full_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]


def test_a_file_is_seen_to_be_text_before_any_line_of_it_is_said(lumen: Lumen) -> None:
    file = lumen.home / "mixed.dat"
    file.write_bytes(b"I like rice.\nI like tea.\n\x00\x01\xff\n")
    with file.open("rb") as stdin:
        ran = subprocess.run(
            [sys.executable, "-m", "lumen", "chat"],
            stdin=stdin,
            capture_output=True,
            text=True,
            env=lumen.env(),
            check=False,
        )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "not text in UTF-8" in ran.stderr
    assert lumen.heard() == []


def test_a_first_message_that_is_no_text_makes_no_being(host: Lumen) -> None:
    env = host.env(LUMEN_BEING="")
    assert host.run("chat", "-m", "-", stdin=b"\x00\x01", env=env).code == 2
    assert not (host.home / "share").exists()


@pytest.mark.parametrize(("kind", "like"), [("goals", "learn about tea"), ("values", "honesty")])
def test_setting_nothing_is_refused_and_writes_nothing(
    lumen: Lumen, inside: Inside, kind: str, like: str
) -> None:
    made = inside(kind, "add" if kind == "goals" else "set", like, "--weight", "0.6")
    assert made.code == 0
    before = lumen.segment().read_bytes()
    ran = inside(kind, "set", like)
    assert (ran.code, ran.out) == (2, "")
    assert f"nothing to set: the {kind[:-1]} '{like}' stays at 0.60" in ran.err
    assert f"try: lumen {kind} set '{like}' --weight 0.7" in ran.err
    assert lumen.segment().read_bytes() == before


def test_a_key_that_counts_is_not_replaced_by_one_that_does_not(
    lumen: Lumen, inside: Inside
) -> None:
    file = lumen.keyring.author_file(lumen.events()[0]["soul"])
    key, before = file.read_bytes(), lumen.segment().read_bytes()
    ran = inside("keys", "new", "--yes")
    assert (ran.code, ran.out) == (2, "")
    assert "is on this host and counts" in ran.err
    assert f"mv {file} {file}.old, then lumen keys new" in ran.err
    assert (file.read_bytes(), lumen.segment().read_bytes()) == (key, before)
    file.rename(f"{file}.old")  # what it says
    assert inside("keys", "new").code == 0


def test_no_passphrase_cannot_be_removed(lumen: Lumen, inside: Inside) -> None:
    ran = inside("keys", "passphrase", "--remove")
    assert (ran.code, ran.out) == (2, "")
    assert "Your key is under no passphrase." in ran.err
    assert "try: lumen keys passphrase\n" in ran.err
    assert lumen.verified()


@pytest.mark.parametrize("which", ["facts", "together"])
def test_a_model_that_names_none_is_refused_before_anything_is_measured(
    inside: Inside, which: str
) -> None:
    ran = inside("lab", which, "--model", "nonsense")
    assert (ran.code, ran.out) == (2, "")
    assert "'nonsense' has no slash" in ran.err
    assert "try: write it as substrate/model" in ran.err


@pytest.mark.parametrize("minutes", ["0", "nan", "inf"])
def test_no_time_is_not_talked_for(inside: Inside, minutes: str) -> None:
    ran = inside("lab", "together", "--minutes", minutes)
    assert (ran.code, ran.out) == (2, "")
    assert f"--minutes {minutes} is no time" in ran.err
    assert "try: lumen lab together --minutes 10" in ran.err


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_an_answer_that_finds_no_room_is_kept_and_that_is_said(
    lumen: Lumen, options: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "lumen", "chat", "-m", "I like tea.", *options],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=lumen.env(),
            check=False,
        )
    assert ran.returncode == 1
    if not options:  # with --json an error goes where there is no room
        assert "hat you said and the answer are kept, events " in ran.stderr
        assert "No space left on device" in ran.stderr
    assert lumen.heard() == ["I like tea."]
    assert lumen.situations("replied") == ["replied"]
    assert lumen.verified()


@pytest.mark.real_disk
@pytest.mark.parametrize("command", ["chat -m hello", "chat -m -", "chat", "status", "memory"])
def test_where_no_file_may_grow_the_index_says_so(lumen: Lumen, command: str) -> None:
    assert lumen.run("chat", "-m", "I like rice").code == 0
    ran = lumen.run(*command.split(), stdin=b"hello", prelude=full_at(1024))
    assert ran.code in (0, 1)
    assert "inside lumen" not in ran.err
    if ran.code:
        assert "ulimit -f" in ran.err or "make room" in ran.err
    if command.startswith("chat"):
        assert (ran.code, ran.err.count("your message was not kept")) == (1, 1)
    assert lumen.heard() == ["I like rice"]
    assert lumen.verified()


@pytest.mark.parametrize("name", ["a\\nb", "a\\u001b[31mb", "a\\u0000"])
def test_the_authors_name_is_one_line_that_can_be_seen(
    lumen: Lumen, inside: Inside, name: str
) -> None:
    lumen.set("name = ", f'name = "{name}"')
    ran = inside("status")
    assert (ran.code, ran.out) == (2, "")
    assert "is no name" in ran.err
    assert 'name = "Ada"' in ran.err


@pytest.mark.parametrize("folder", ["/", "~"])
def test_a_skill_that_was_given_everything_is_told_of(
    lumen: Lumen, inside: Inside, folder: str
) -> None:
    lumen.set("folders = ", f'folders = ["{folder}"]')
    found = inside("doctor", "--json").json()["findings"]
    (told,) = (one for one in found if one["what"] == "grants")
    assert told["state"] == "warn"
    assert "[skills.search] gives it /" in told["detail"]


def test_a_model_whose_key_is_missing_is_not_looked_for_in_the_network(
    lumen: Lumen, inside: Inside
) -> None:
    lumen.speak_with("openai/gpt-5")
    ran = inside("chat", "-m", "Tell me about whales")
    assert "there is no key for openai (OPENAI_API_KEY)" in ran.err
    assert "try: lumen models key openai" in ran.err
    assert "network" not in ran.err


@pytest.mark.parametrize(
    ("model", "fix"),
    [
        ("embedded/nothing", "lumen models list"),
        ("nowhere/x", "the substrates are "),
        ("nothing", "write it as substrate/model"),
    ],
)
@pytest.mark.parametrize("born", [True, False])
def test_a_model_that_is_not_there_to_talk_with_is_refused_and_nothing_is_kept_or_born(
    lumen: Lumen, inside: Inside, model: str, fix: str, born: bool
) -> None:
    env = lumen.env() if born else lumen.env(LUMEN_BEING="", XDG_DATA_HOME=f"{lumen.home}/other")
    before = lumen.segment().read_bytes()
    ran = inside("chat", "--model", model, "-m", "hi", env=env)
    assert (ran.code, ran.out) == (2, "")
    assert f"try: {fix}" in ran.err
    assert lumen.segment().read_bytes() == before
    assert not (lumen.home / "other").exists()


@pytest.mark.parametrize(
    ("words", "meant"), [("chta", "chat"), ("statsu --json", "status"), ("archive verfy", "verify")]
)
def test_a_command_that_is_not_there_is_answered_with_the_nearest(
    inside: Inside, words: str, meant: str
) -> None:
    ran = inside(*words.split())
    assert ran.code == 2
    assert f"Did you mean '{meant}'?" in ran.said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("models set interface embedded/gpt-9", "embedded/gpt-9 is not there"),
        ("attest --check nowhere.json", "The file nowhere.json cannot be read: No such file"),
        ("attest --check being", "The file being cannot be read: Is a directory"),
        ("keys passphrase --new-file nowhere.txt", "The file nowhere.txt cannot be read: No such"),
        ("keys passphrase --new-file odd.dat", "The file odd.dat is not text."),
        ("keys passphrase --remove --passphrase-file odd.dat", "The file odd.dat is not text."),
    ],
)
def test_a_name_is_shown_as_it_was_given_and_no_number_of_the_system(
    lumen: Lumen, inside: Inside, words: str, said: str
) -> None:
    (lumen.home / "odd.dat").write_bytes(b"\xff\xfe\x00")
    secret = lumen.home / "secret.txt"
    secret.write_text("open sesame\n", "utf-8")
    if "--passphrase-file" in words:
        assert inside("keys", "passphrase", "--new-file", "secret.txt").code == 0
    ran = inside(*words.split())
    assert ran.code == 2
    assert ran.err.startswith(said), ran.err
    assert "Errno" not in ran.err
    assert "codec" not in ran.err


@pytest.mark.parametrize(
    "words",
    ["archive verify --key", "attest --check here.json --key", "archive accept-rollback --head"],
)
def test_what_selects_a_check_and_is_empty_is_refused(
    lumen: Lumen, inside: Inside, words: str
) -> None:
    (lumen.home / "here.json").write_text("{}", "utf-8")
    ran = inside(*words.split(), "")
    what = words.rpartition("--")[2]
    assert (ran.code, ran.out) == (2, "")
    assert f"'' is no {what}: 8 to 64 hexadecimal digits" in ran.err


@pytest.mark.parametrize(
    ("words", "said", "fix"),
    [
        (("recall", ""), "Nothing is asked for", 'lumen recall "Where do I live?"'),
        (("recall", "tea", "--as-of", "foo"), "'foo' is no day, as 2026-03-09 is", ""),
        (("backup", ""), "The file has no name", "lumen backup being.lumen"),
        (("chat", "-m"), "Option '-m' requires an argument.", "try: lumen chat --help"),
        (("why", " "), "Nothing is asked for", "lumen why"),
        (("skills", "test", ""), "There is no skill named ''", "one of: calc"),
        (("keys", "revoke", ""), "The archive names no key ''", "lumen keys list"),
        (("skills", "run", "calc", ""), "has no action ''; it has work_out", "lumen skills show"),
    ],
)
def test_what_says_nothing_is_answered_in_words_and_with_a_command(
    lumen: Lumen, inside: Inside, words: tuple[str, ...], said: str, fix: str
) -> None:
    del lumen
    ran = inside(*words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert fix in ran.err
    assert "%Y" not in ran.err


@pytest.mark.parametrize("words", ["init", "backup", "goals add", "checkpoint create", "why -x"])
def test_what_is_huge_is_refused_and_not_said_again_in_full(
    lumen: Lumen, inside: Inside, words: str
) -> None:
    del lumen
    ran = inside(*words.split(), "x" * 100_000)
    assert (ran.code, ran.out) == (2, "")
    assert "  try: " in ran.err
    assert len(ran.err) < 5000


def test_a_skill_that_cannot_use_what_it_is_given_has_run_and_where_to_look_is_said(
    lumen: Lumen, inside: Inside
) -> None:
    ran = inside("skills", "run", "calc", "work_out")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("input must be {")
    assert "  try: lumen skills show calc" in ran.err
    assert lumen.situations("skill_run") == ["skill_run"]


def test_a_wrong_command_with_stdout_closed_is_told_without_a_trace(lumen: Lumen) -> None:
    ran = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m lumen sing >&-"],
        stderr=subprocess.PIPE,
        text=True,
        env=lumen.env(),
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (2, "No such command 'sing'.\n  try: lumen --help\n")


@pytest.mark.parametrize(
    ("group", "first"),
    [("self", "show"), ("models", "list"), ("archive", "verify"), ("keys", "list")],
)
def test_a_group_without_a_command_says_which_one_to_try(
    inside: Inside, group: str, first: str
) -> None:
    ran = inside(group)

    assert ran.code == 2
    assert ran.err.endswith(f"  try: lumen {group} {first}\n")
