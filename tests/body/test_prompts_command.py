"""`lumen prompts`: which words are in force, what a being changed, and whether it fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import sha256
from lumen.kernel.models.templates import TEMPLATES
from lumen.kernel.turn.recorded import PROMPTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

OWN = "You are {{ name }} and you rhyme.\n"


def override(lumen: Lumen, name: str, text: str | bytes) -> str:
    path = lumen.being / "prompts" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_every_template_in_force_is_listed_with_its_origin_and_hash(
    lumen: Lumen, inside: Inside
) -> None:
    override(lumen, "drafts/system.md", OWN)
    override(lumen, "drafts/turns.small.md", "> Hi!\nHi.\n")
    listed = inside("prompts", "list", "--json").json()
    own = [(p["part"], p["variant"], p["file"]) for p in listed if p["from"] == "this being"]
    assert own == [
        ("system", "plain", "drafts/system.md"),
        ("system", "small", "drafts/system.md"),  # the author's word, also to a small model
        ("turns", "small", "drafts/turns.small.md"),
    ]
    assert {p["step"] for p in listed} == TEMPLATES.keys()
    mine = next(p for p in listed if p["from"] == "this being")
    assert (mine["sha256"], mine["characters"]) == (sha256(OWN.encode()), len(OWN))
    theirs = next(p for p in listed if p["from"] == "shipped")
    assert theirs["sha256"] == sha256((PROMPTS / theirs["file"]).read_bytes())


def test_the_list_lines_up(lumen: Lumen, inside: Inside) -> None:
    override(lumen, "drafts/system.md", OWN)
    head, *rows = inside("prompts", "list").out.splitlines()
    assert head.split() == ["step", "part", "model", "from", "sha256", "chars", "file"]
    assert len(rows) == len(inside("prompts", "list", "--json").json())
    for title in ("part", "model", "from", "sha256", "file"):
        at = head.index(title)
        assert {row[at - 1] for row in rows} == {" "}
        assert " " not in {row[at] for row in rows}
    ends = head.index("chars") + len("chars")
    assert all(row[ends - 1].isdigit() and row[ends] == " " for row in rows)
    (mine,) = [row for row in rows if "system  plain  this being" in row]
    assert sha256(OWN.encode())[:12] in mine


def test_the_text_in_force_is_shown_as_it_is(lumen: Lumen, inside: Inside) -> None:
    shipped = (PROMPTS / "drafts" / "system.small.md").read_text("utf-8")
    assert inside("prompts", "show", "drafts/system", "--small").out == shipped
    override(lumen, "drafts/system.md", OWN)
    assert inside("prompts", "show", "drafts/system").out == OWN
    assert inside("prompts", "show", "drafts/system", "--small").out == OWN


def test_a_whole_step_is_shown_part_by_part_with_its_slots(lumen: Lumen, inside: Inside) -> None:
    override(lumen, "repair/system.md", OWN)
    out = inside("prompts", "show", "repair", "--slots").out
    assert out.startswith(
        f"── repair/system.md · this being\n{OWN}\n── repair/prompt.md · shipped\n"
    )
    (slot,) = [line for line in out.splitlines() if line.startswith("  answer")]
    assert slot.split() == ["answer", "untrusted", "what", "the", "model", "said"]
    assert "untrusted" not in inside("prompts", "show", "drafts", "--slots").out
    told = inside("prompts", "show", "repair", "--json").json()
    assert told["templates"][0]["text"] == OWN
    assert [s["name"] for s in told["slots"]] == list(TEMPLATES["repair"].slots)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "dratfs"], "these have: digest, drafts, think, decide, "),
        (["diff", "dratfs"], "these have: digest, drafts, think, decide, "),
        (["show", "digest/prompt"], "Digest has no part 'prompt'; it has: system"),
        (["show"], "STEP[/PART]"),
    ],
)
def test_what_is_no_template_is_refused_with_two_and_what_there_is(
    lumen: Lumen, arguments: list[str], said: str
) -> None:
    ran = lumen.run("prompts", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


@pytest.mark.parametrize("command", [["list"], ["show", "drafts"], ["diff"], ["check"]])
def test_a_folder_that_is_no_being_is_refused(host: Lumen, command: list[str]) -> None:
    ran = host.run("prompts", *command, "--being", str(host.home))
    assert (ran.code, ran.out) == (2, "")


def test_the_difference_to_the_shipped_is_shown_line_by_line(lumen: Lumen, inside: Inside) -> None:
    assert inside("prompts", "diff").out == ("Nothing is overridden: the shipped templates hold.\n")
    shipped = (PROMPTS / "drafts" / "system.md").read_text("utf-8")
    override(lumen, "drafts/system.md", shipped + "- Rhyme.\n")
    override(lumen, "drafts/turns.md", "> Hi!\nHi.\n")
    diff = inside("prompts", "diff")
    assert diff.code == 0
    lines = diff.out.splitlines()
    assert lines[:2] == ["--- drafts/system.md (shipped)", "+++ drafts/system.md (this being)"]
    assert "+- Rhyme." in lines
    assert "--- drafts/turns.md (shipped)" in lines
    assert {"+> Hi!", "+Hi."} <= set(lines)
    assert inside("prompts", "diff", "--json").json() == {
        "overridden": ["drafts/system.md", "drafts/turns.md"],
        "diff": lines,
    }
    assert inside("prompts", "diff", "digest").out.startswith("Nothing is overridden in digest")


def test_an_override_that_says_the_same_differs_in_nothing(lumen: Lumen, inside: Inside) -> None:
    override(lumen, "drafts/system.md", (PROMPTS / "drafts" / "system.md").read_bytes())
    assert inside("prompts", "diff", "drafts").out.startswith("Nothing differs")


def test_a_small_override_is_compared_with_what_a_small_model_was_shown(
    lumen: Lumen, inside: Inside
) -> None:
    override(lumen, "drafts/system.small.md", OWN)
    assert "--- drafts/system.small.md (shipped)" in inside("prompts", "diff").out


def test_the_check_counts_what_is_well(lumen: Lumen, inside: Inside) -> None:
    shipped = len(list(PROMPTS.rglob("*.md")))
    override(lumen, "drafts/system.md", OWN)
    ran = inside("prompts", "check")
    assert (ran.code, ran.out) == (0, f"✓ {shipped + 1} templates\n")
    told = inside("prompts", "check", "--json").json()
    assert told == {"ok": True, "templates": shipped + 1, "problems": []}


def test_the_check_names_file_line_and_fix_and_ends_with_two(lumen: Lumen, inside: Inside) -> None:
    path = override(lumen, "drafts/system.md", "a\n{% if false %}{{ nmae }}{% endif %}")
    stray = override(lumen, "drafts/sytem.md", OWN)
    ran = inside("prompts", "check")
    assert ran.code == 2
    assert ran.out.splitlines()[0] == f"{stray}: no step reads it"
    assert ran.out.splitlines()[2:] == [
        f"{path}:2: it uses nmae, which this step does not give",
        "  try: it gives: author_name, depth, facts, guest, kind, language, meant, message, name, "
        "paragraphs, personal, preface, recent, thought, way",
    ]
    told = inside("prompts", "check", "--json")
    assert told.code == 2
    assert [(p["path"], p["line"]) for p in told.json()["problems"]] == [(stray, None), (path, 2)]


def test_files_that_are_no_text_are_listed_and_shown_all_the_same(
    lumen: Lumen, inside: Inside
) -> None:
    override(lumen, "drafts/system.md", b"a\xff\x1b[31mb")
    assert inside("prompts", "list").code == 0
    assert inside("prompts", "show", "drafts/system").out == "a\ufffdb\n"
    assert "+a\ufffdb" in inside("prompts", "diff").out
    assert ":1: it is not UTF-8 text" in inside("prompts", "check").out


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("drafts/prompt.md", "\n{% if false %}{{ nmae }}{% endif %}", "prompt.md:2: it uses nmae"),
        ("drafts/turns.small.md", "> Hi!\n", "turns.small.md:1: '> Hi!' has no reply"),
        ("digest/prompt.md", "x", "prompt.md: no step reads it"),
        ("drafts/system.md", b"\xff", "system.md:1: it is not UTF-8 text"),
    ],
)
def test_a_bad_override_stops_a_chat_before_anything_is_archived(
    lumen: Lumen, name: str, text: str | bytes, said: str
) -> None:
    override(lumen, name, text)
    before = len(lumen.events())
    for arguments, stdin in ((("-m", "I like rice."), b""), ((), b"I like rice.\n")):
        ran = lumen.run("chat", *arguments, stdin=stdin)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
        assert "  try: " in ran.err
    assert len(lumen.events()) == before
    told = lumen.run("chat", "-m", "I like rice.", "--json")
    assert (told.code, told.json()["ok"]) == (2, False)


def test_several_bad_overrides_are_counted_and_lead_to_the_check(lumen: Lumen) -> None:
    for name in ("digest/system.md", "drafts/system.md", "drafts/prompt.md"):
        override(lumen, name, "{{ nmae }}")
    ran = lumen.run("chat", "-m", "I like rice.")
    assert "; and 2 problems more.\n  try: lumen prompts check\n" in ran.err


def test_a_bad_override_stops_no_command_that_asks_no_model(talked: Lumen, inside: Inside) -> None:
    override(talked, "drafts/prompt.md", "{{ nmae }}")
    for command in (["status"], ["memory"], ["forget", "rice", "--yes"], ["prompts", "list"]):
        ran = inside(*command)
        assert (command, ran.code) == (command, 0)


def test_a_good_override_speaks(lumen: Lumen) -> None:
    override(lumen, "drafts/prompt.md", "Rhyme on: {{ message }}")
    lumen.script(
        {"when": "Rhyme on: I like rice", "say": "Thank you for telling me you like rice."}
    )
    ran = lumen.run("chat", "-m", "I like rice.")
    assert (ran.code, ran.out) == (0, "Thank you for telling me you like rice.\n")
