"""Ollama's own chat and its lists, as documented."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.peers import Reply, Wire, at, lines, ndjson, whole

from lumen.core.errors import BadAnswer, ModelGone, TooLong, Unreachable
from lumen.core.trust import LOWEST
from lumen.mind.endpoints import Endpoint
from lumen.mind.roles import open_substrate
from lumen.mind.substrate import Completion, Exchange, ModelDescriptor, Prompt
from lumen.mind.substrates.remote import unlisted

CHAT = "/api/chat"
PROMPT = Prompt("Be kind.", "Hello?", 100)
SHOWN = {
    "capabilities": ["completion", "tools", "thinking"],
    "model_info": {
        "general.architecture": "qwen3",
        "general.parameter_count": 1_720_574_976,
        "qwen3.context_length": 40_960,
    },
}


def ask(
    wire: Wire, prompt: Prompt = PROMPT, known: tuple[ModelDescriptor, ...] = ()
) -> tuple[Completion, list[str]]:
    pieces: list[str] = []
    model = open_substrate(at(wire.url, "ollama"), known)
    return asyncio.run(model.invoke("m", prompt, pieces.append)), pieces


def discovered(wire: Wire) -> list[ModelDescriptor]:
    return asyncio.run(open_substrate(at(wire.url, "ollama")).discover())


def known(wire: Wire, **told: Any) -> ModelDescriptor:  # noqa: ANN401 - fields of a descriptor
    from dataclasses import replace

    return replace(unlisted(at(wire.url, "ollama"), "m"), **told)


def test_a_call_says_how_much_it_needs_and_what_it_may_say(wire: Wire) -> None:
    schema = {"type": "object"}
    wire.on(CHAT, ndjson(*lines("Hi.")))
    ask(wire, Prompt("", "Hi?", 7, 0.5, 3, ("END",), (Exchange("a", "b"),), schema))
    assert wire.asked[0].json == {
        "model": "m",
        "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "Hi?"},
        ],
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {
            "num_ctx": 8192,
            "num_predict": 7,
            "temperature": 0.5,
            "seed": 3,
            "stop": ["END"],
        },
        "format": schema,
    }


@pytest.mark.parametrize(
    ("words", "reads", "context"),
    [
        (10, None, 8192),
        (10, 4096, 4096),
        (10, 131_072, 8192),
        (10_000, 131_072, 30_100),
        (10_000, None, 30_100),
        (10_000, 16_384, 16_384),
    ],
)
def test_the_context_holds_the_prompt_where_the_model_can(
    wire: Wire, words: int, reads: int | None, context: int
) -> None:
    wire.on(CHAT, ndjson(*lines("Hi.")))
    ask(wire, Prompt("", "word12" * words, 100), (known(wire, context_tokens=reads),))
    assert wire.asked[0].json["options"]["num_ctx"] == context


def test_a_model_that_can_think_is_asked_not_to_and_no_other_is(wire: Wire) -> None:
    wire.on(CHAT, ndjson(*lines("Hi.")))
    ask(wire, known=(known(wire, thinks=True),))
    ask(wire, known=(known(wire),))
    first, second = (asked.json for asked in wire.asked)
    assert first["think"] is False
    assert "think" not in second
    assert "stop" not in second["options"]


def test_the_pieces_make_up_the_text_and_the_last_line_counts(wire: Wire) -> None:
    said = lines("Hel", "lo.", prompt_eval_count=26, eval_count=3)
    wire.on(CHAT, ndjson(*said, then="stall"))
    done, pieces = ask(wire)
    assert pieces == ["Hel", "lo."]
    assert done == Completion("Hello.", 26, 3, 0, "stop")


@pytest.mark.parametrize("count", ["3", -1, [3], None, True])
def test_a_count_that_is_none_is_not_told(wire: Wire, count: Any) -> None:  # noqa: ANN401
    wire.on(CHAT, ndjson(*lines("Hi.", reason="length", prompt_eval_count=count, eval_count=count)))
    assert ask(wire)[0] == Completion("Hi.", None, None, 0, "length")


def test_an_answer_that_comes_in_one_piece_is_heard_all_the_same(wire: Wire) -> None:
    wire.on(CHAT, whole({"model": "m", "message": {"content": "Hello."}, "done": True}))
    assert ask(wire) == (Completion("Hello.", None, None, 0, "stop"), ["Hello."])


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (whole({"error": "model 'm' not found"}, 404), ModelGone),
        (whole({"error": "the input length exceeds the context length"}, 400), TooLong),
        (ndjson({"error": "the input length exceeds the context length"}), TooLong),
        (ndjson(*lines("Once")[:1], {"error": "an error was encountered"}), Unreachable),
        (ndjson(*lines("Once")[:1]), Unreachable),
        (ndjson({"done": True, "done_reason": "load"}), BadAnswer),
        (ndjson({"message": "x"}), BadAnswer),
    ],
)
def test_what_goes_wrong_is_known_by_its_kind(
    wire: Wire, reply: Reply, kind: type[Exception]
) -> None:
    wire.on(CHAT, reply)
    with pytest.raises(kind) as caught:
        ask(wire)
    assert type(caught.value) is kind


def test_what_it_shows_of_a_model_is_known_of_it(wire: Wire) -> None:
    tags = [{"name": "qwen3:1.7b", "model": "qwen3:1.7b", "details": {"parameter_size": "2.0B"}}]
    wire.on("/api/tags", whole({"models": tags})).on("/api/show", whole(SHOWN))
    (found,) = discovered(wire)
    assert found == ModelDescriptor(
        *("desk", "qwen3:1.7b", "qwen3:1.7b", 40_960, "native"),
        vision=False,
        may=LOWEST,
        local=True,
        thinks=True,
    )
    assert wire.last("/api/show").json == {"model": "qwen3:1.7b"}


def test_a_model_that_cannot_be_shown_is_listed_with_what_the_list_says(wire: Wire) -> None:
    tags = [
        {"name": "old", "details": {"parameter_size": "1.1B"}},
        {"name": "big", "details": {"parameter_size": "70.6B"}},
        {"name": "bare"},
    ]
    wire.on("/api/tags", whole({"models": tags})).on("/api/show", whole({}, 500))
    found = discovered(wire)
    assert [m.model_id for m in found] == ["old", "big", "bare"]
    assert [m.small for m in found] == [True, False, False]
    assert [m.context_tokens for m in found] == [None, None, None]


def test_what_makes_vectors_is_told_from_what_sees(wire: Wire) -> None:
    wire.on("/api/tags", whole({"models": [{"name": "a"}]}))
    wire.on(
        "/api/show",
        whole({"capabilities": ["embedding"]}),
        whole({"capabilities": ["completion", "vision"], "model_info": {"a.context_length": "x"}}),
    )
    (first,), (second,) = discovered(wire), discovered(wire)
    assert (first.embeds, first.vision) == (True, False)
    assert (second.embeds, second.vision, second.context_tokens) == (False, True, None)


@pytest.mark.parametrize(
    ("tag", "shown", "local"),
    [
        ({"name": "llama3.2:3b"}, {}, True),
        ({"name": "mine", "remote_host": "https://ollama.example.com"}, {}, False),
        ({"name": "mine"}, {"remote_host": "https://ollama.example.com"}, False),
        ({"name": "gpt-oss:120b-cloud"}, {}, False),
        ({"name": "glm-4.6:cloud"}, {}, False),
        ({"name": "GLM-4.6:Cloud"}, {}, False),
        ({"name": "cloudy:7b"}, {}, True),
    ],
)
def test_a_model_that_ollama_passes_on_is_not_local(
    wire: Wire, tag: dict[str, str], shown: dict[str, str], local: bool
) -> None:
    wire.on("/api/tags", whole({"models": [tag]})).on("/api/show", whole(shown))
    (found,) = discovered(wire)
    assert found.local is local


def test_a_model_in_the_cloud_is_not_local_though_it_is_on_no_list() -> None:
    endpoint = Endpoint("ollama", "ollama", "http://127.0.0.1:11434", local=True)
    assert not unlisted(endpoint, "gpt-oss:120b-cloud").local
    assert unlisted(endpoint, "gpt-oss:20b").local


def test_nothing_is_local_where_the_whole_server_is_not(wire: Wire) -> None:
    wire.on("/api/tags", whole({"models": [{"name": "a"}]})).on("/api/show", whole({}))
    endpoint = Endpoint("far", "ollama", wire.url, local=False)
    (found,) = asyncio.run(open_substrate(endpoint).discover())
    assert not found.local
