"""Another model for a role: found or refused, written into the settings, and the being is the same."""

from __future__ import annotations

import asyncio
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kernel.recorder import answer, connect, fails
from tests.sampling import examples

from lumen.core.errors import BadSetting, NoSubstrate, OverBudget, Refused
from lumen.kernel.gate.setting_text import with_setting
from lumen.kernel.models.scan import assign, find, must_suit, try_out
from lumen.kernel.models.treasury import Caps
from lumen.kernel.turn.introduction import identity
from lumen.kernel.turn.run import calls_for
from lumen.mind.endpoints import Endpoint
from lumen.mind.roles import parse_assignment
from lumen.mind.substrates.remote import unlisted
from lumen.soul.checking.verify import verify

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.kernel.recorder import Recorder

TOLD = ("My sister lives in Lisbon.", "My dog is called Bolt.", "I was born in Madrid in 1990.")
ASKED = ("Where does my sister live?", "What is my dog called?", "When was I born?", "Who am I?")
CLOUD = Endpoint("cloud", "openai", "http://127.0.0.1:1/v1")
SETTINGS = """# Mine.
[being]
soul = "x"   # never change this

[roles]  # who does what
# The one that speaks.
interface = "embedded/SmolLM2-135M-Instruct" # small, and here
reflection = 'scripted/echo'

[kernel]
redact = [
  "a # b",
]
"""


def being(life: Life) -> dict[str, Any]:
    """All that makes it who it is, as the next turn would find it."""
    recall = life.wonder()
    paths = [p for p in life.being.root.rglob("*") if p.is_file() and "index" not in p.parts]
    self_ = {life.being.named(p): p.read_bytes() for p in paths if "memory" not in p.parts}
    return {
        "digest": asyncio.run(identity(life.kernel)),
        "evidence": [
            [(e.memory.seq, e.quote, round(e.score, 4)) for e in recall.evidence(question)]
            for question in ASKED
        ],
        "files": {n: d for n, d in self_.items() if n not in ("lumen.toml", "data/heads.jsonl")},
    }


def assigned(life: Life, role: str, model: str) -> None:
    """As the author's command does it."""
    assignment = parse_assignment(role, model)
    made = calls_for(life.kernel, "lumen:author")
    try:
        found, how = asyncio.run(find(life.kernel.reach, assignment, made))
    finally:
        made.settle()
    must_suit(role, found)
    assign(life.kernel.gate, assignment, found, how)
    reach = life.kernel.reach
    life.kernel.reach = replace(reach, assignments={**reach.assignments, role: assignment})


@pytest.fixture
def settled(life: Life, cloud: Recorder) -> Life:
    """A being with something to remember, that can reach another model."""
    connect(life, cloud.endpoint())
    life.kernel.reach = replace(life.kernel.reach, known={}, opened={})
    life.speak_with("scripted/echo")
    life.being.settings.write_text(SETTINGS, "utf-8")
    life.tell(*TOLD)
    return life


def test_another_model_and_back_leaves_the_being_who_it_is(settled: Life, cloud: Recorder) -> None:
    before, text = being(settled), settled.being.settings.read_text("utf-8")
    archive = settled.events()

    assigned(settled, "interface", "cloud/gpt")
    swapped = settled.being.settings.read_text("utf-8")
    assert being(settled) == before
    changed = [a for a, b in zip(text.splitlines(), swapped.splitlines(), strict=True) if a != b]
    assert changed == ['interface = "embedded/SmolLM2-135M-Instruct" # small, and here']
    assert settled.events()[: len(archive)] == archive
    assert [e.entry.situation for e in settled.events()[len(archive) :]] == ["assigned"]
    assert cloud.calls == []

    assigned(settled, "interface", "scripted/echo")
    assert being(settled) == before
    back = settled.being.settings.read_text("utf-8")
    assert back == text.replace("embedded/SmolLM2-135M-Instruct", "scripted/echo")
    assert verify(settled.being, settled.keyring).ok


def test_the_digest_a_large_model_is_given_is_the_same_wherever_it_is(
    settled: Life, cloud: Recorder
) -> None:
    settled.kernel.self_ = replace(settled.kernel.self_, values=(("honesty", 0.9),))
    texts = set()
    for endpoint in (cloud.endpoint(), Endpoint("here", "openai", cloud.url, local=True)):
        connect(settled, endpoint)
        texts.add(asyncio.run(identity(settled.kernel)))
    assert len(texts) == 1
    assert "honesty" in texts.pop()


def test_a_model_that_was_made_up_is_refused_and_nothing_changes(
    settled: Life, cloud: Recorder
) -> None:
    before, lines = settled.being.settings.read_bytes(), len(settled.events())
    cloud.plan = [fails(404, {"error": {"message": "no such model"}})]
    with pytest.raises(NoSubstrate, match="cloud/gtp is not there") as refused:
        assigned(settled, "interface", "cloud/gtp")
    assert refused.value.fix == "lumen models set interface cloud/gpt"
    assert settled.being.settings.read_bytes() == before
    assert str(settled.kernel.reach.assignments["interface"]) == "scripted/echo"
    told = [e.entry.situation for e in settled.events()[lines:]]
    assert told == ["call", "calls"]
    with pytest.raises(NoSubstrate):
        assigned(settled, "interface", "scripted/nowhere.jsonl")
    with pytest.raises(NoSubstrate, match="is no substrate"):
        assigned(settled, "interface", "nowhere/gpt")
    assert settled.being.settings.read_bytes() == before


def test_a_model_no_list_has_is_taken_when_it_answers(settled: Life, cloud: Recorder) -> None:
    cloud.plan = [answer("yes")]
    assigned(settled, "interface", "cloud/secret-preview")
    told = settled.events()[-1].entry.payload
    assert (told["found"], told["local"]) == ("answered a probe", False)
    settled.kernel.index.catch_up()
    assert [(c.step, c.model) for c in settled.kernel.index.ledger.calls()] == [
        ("probe", "cloud/secret-preview")
    ]
    assert TOLD[0].encode() not in b"".join(cloud.calls)


def test_an_embedder_must_be_listed(settled: Life, cloud: Recorder) -> None:
    with pytest.raises(NoSubstrate, match="an embedder must be listed"):
        assigned(settled, "embedder", "cloud/bge")
    assert cloud.calls == []


def test_the_inner_loop_refuses_a_model_that_is_not_here_and_says_why(settled: Life) -> None:
    before = settled.being.settings.read_bytes()
    with pytest.raises(BadSetting, match="would send your life away unasked"):
        assigned(settled, "kernel", "cloud/gpt")
    assert settled.being.settings.read_bytes() == before
    assigned(settled, "kernel", "scripted/echo")
    found = tomllib.loads(settled.being.settings.read_text("utf-8"))
    assert found["kernel"] == {"localModel": "scripted/echo", "redact": ["a # b"]}


def test_a_model_that_makes_vectors_does_not_speak() -> None:
    vectors = unlisted(CLOUD, "text-embedding-3-small")
    for role in ("interface", "reflection", "escalation"):
        with pytest.raises(BadSetting, match="makes vectors, not words"):
            must_suit(role, vectors)
    must_suit("embedder", vectors)


@pytest.mark.parametrize(
    ("role", "table", "key"),
    [
        ("interface", "roles", "interface"),
        ("kernel", "kernel", "localModel"),
        ("escalation", "escalation", "model"),
    ],
)
def test_each_role_has_its_place_in_the_settings(
    settled: Life, role: str, table: str, key: str
) -> None:
    assigned(settled, role, "scripted/echo")
    found = tomllib.loads(settled.being.settings.read_text("utf-8"))
    assert found[table][key] == "scripted/echo"


def test_settings_edited_meanwhile_are_not_written_over(
    settled: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = settled.being.settings
    real = with_setting

    def edited(*given: str) -> str:
        path.write_text(SETTINGS + "# and this\n", "utf-8")
        return real(*given)

    monkeypatch.setattr("lumen.kernel.models.scan.with_setting", edited)
    with pytest.raises(Refused):
        assigned(settled, "interface", "scripted/echo")
    assert path.read_text("utf-8") == SETTINGS + "# and this\n"


def test_trying_out_a_model_beyond_a_cap_tells_no_other_calls_numbers(
    settled: Life, cloud: Recorder
) -> None:
    connect(settled, cloud.endpoint())
    made = calls_for(settled.kernel, "lumen:interface")
    asyncio.run(made.ask("interface", "probe", {}, 16))
    made.caps = Caps(tokens=1)
    words, shaped = asyncio.run(try_out(made, "interface"))
    assert (words.ok, shaped.ok) == (False, False)
    assert words.took == shaped.took == "0.0 s"
    with pytest.raises(OverBudget):
        asyncio.run(made.ask("interface", "probe", {}, 16))


KEYS = st.sampled_from(["interface", "reflection", '"quoted key"', "a.b", "model"])
VALUES = st.sampled_from(
    ['"x/y"', "'it'", "3", "true", "[1, 2]", '["[roles]", "#"]', '"""\n[roles]\n"""']
)
COMMENTS = st.sampled_from(["", "  # why", "# [roles]", ' # a = "b" \'', "#\u2028interface = 1"])
LINES = st.one_of(
    st.tuples(KEYS, VALUES, COMMENTS).map(lambda t: f"{t[0]} = {t[1]}{t[2]}"),
    st.sampled_from(
        [
            "",
            "  ",
            "[roles]",
            "[ roles ] # mine",
            "[roles.more]",
            "[[roles]]",
            "[other]",
            "  [kernel]",
        ]
    ),
    COMMENTS.map(str.strip),
    st.sampled_from(
        ['roles = "no"', "roles = {}", "roles.interface = 'a/b'", "  interface='q/r'#!"]
    ),
)


@settings(max_examples=examples(100))
@given(
    st.lists(LINES, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["a/b", 'we"ird/\\', "ü/ß"]),
)
def test_one_setting_changes_and_nothing_else_or_it_is_refused(
    lines: list[str], end: str, ended: bool, value: str
) -> None:
    text = end.join(lines) + (end if ended else "")
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(BadSetting):
            with_setting(text, "roles", "interface", value)
        return
    try:
        after = with_setting(text, "roles", "interface", value)
    except BadSetting:
        return
    wanted: dict[str, Any] = {**before, "roles": {**before.get("roles", {}), "interface": value}}
    assert tomllib.loads(after) == wanted
    old, new = text.split("\n"), after.split("\n")
    left = iter(new)
    others = [line for line in old if "interface" not in line and not line.startswith("roles = {")]
    assert all(line in left for line in others if line.strip())
    added = [line.strip() for line in new if line.strip() and line not in old]
    assert all("interface" in line or line == "[roles]" for line in added)
    assert all(c in after for c in (line.partition("#")[2] for line in old if "#" in line))


@pytest.mark.parametrize(
    "text", [SETTINGS, SETTINGS.replace("\n", "\r\n"), "", "[roles]", "# only this", "[roles]\n"]
)
def test_plain_settings_are_never_refused(text: str) -> None:
    changed = with_setting(text, "roles", "interface", "a/b")
    assert tomllib.loads(changed)["roles"]["interface"] == "a/b"
    assert ("\r\n" in changed) == ("\r\n" in text)
    assert with_setting(changed, "roles", "interface", "a/b") == changed
