"""OpenAI's dialect in its documented form; the same over a real server is in test_real_server.py."""

from __future__ import annotations

import asyncio

import pytest
from tests.peers import Wire, at, chat, sse, whole

from lumen.mind.roles import open_substrate
from lumen.mind.substrate import Completion, Exchange, Prompt

CHAT = "/v1/chat/completions"
PROMPT = Prompt("Be kind.", "Hello?", 100)
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}},
    "required": ["city"],
    "additionalProperties": False,
}


def heard(wire: Wire, prompt: Prompt = PROMPT) -> tuple[Completion, list[str]]:
    pieces: list[str] = []
    return asyncio.run(open_substrate(at(wire.url)).invoke("m", prompt, pieces.append)), pieces


def test_a_call_says_everything_once_and_leaves_out_what_is_empty(wire: Wire) -> None:
    wire.on(CHAT, sse(*chat("Hi.")))
    prompt = Prompt("", "Hi?", 7, 0.5, 3, ("END",), (Exchange("a", "b"),), CITY)
    heard(wire, prompt)
    (asked,) = wire.asked
    assert asked.headers["content-type"] == "application/json"
    assert asked.json == {
        "model": "m",
        "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "Hi?"},
        ],
        "max_tokens": 7,
        "temperature": 0.5,
        "seed": 3,
        "stop": ["END"],
        "stream": True,
        "stream_options": {"include_usage": True},
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": CITY},
        },
    }


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}, (9, 3, 0)),
        (
            {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}},
            (9, 3, 8),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 20}, (9, 11, 0)),
        ({"prompt_tokens": 9}, (9, None, 0)),
        ({"prompt_tokens": -9, "completion_tokens": "3"}, (None, None, 0)),
        ({"prompt_tokens": True, "completion_tokens": 1e300}, (None, None, 0)),
        ({"prompt_tokens": 9.0, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 99}}, (9, 3, 9)),
        (None, (None, None, 0)),
    ],
)  # fmt: skip
def test_tokens_are_counted_as_told_and_what_cannot_be_is_not_told(
    wire: Wire, usage: object, tokens: tuple[int | None, int | None, int]
) -> None:
    in_one = {"choices": [{"message": {"content": "Hi."}}], "usage": usage}
    wire.on(CHAT, sse(*chat("Hi."), {"choices": [], "usage": usage}), whole(in_one))
    for _ in range(2):
        done, _ = heard(wire)
        assert (done.prompt_tokens, done.completion_tokens, done.cached_tokens) == tokens


def test_an_answer_that_comes_in_one_piece_is_heard_all_the_same(wire: Wire) -> None:
    choice = {"message": {"content": "Hello."}, "finish_reason": "length"}
    wire.on(CHAT, whole({"model": "m", "choices": [choice]}))
    done, pieces = heard(wire)
    assert (done.text, done.finish, pieces) == ("Hello.", "length", ["Hello."])


def test_parts_that_are_null_or_unknown_are_passed_over(wire: Wire) -> None:
    odd = [
        {"choices": None, "object": "new"},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"role": "assistant", "content": None}}], "usage": None},
        {"choices": [{"delta": {"reasoning_content": "Hm.", "content": ""}}]},
    ]
    wire.on(CHAT, sse(*odd, *chat("Hi.")))
    assert heard(wire)[1] == ["Hi."]


def test_what_a_list_tells_of_a_model_is_known_of_it(wire: Wire) -> None:
    told = [
        {"id": "gpt-4o"},
        {"id": "text-embedding-3-small"},
        {"id": "org/vllm-70b", "max_model_len": 32768},
        {"id": "router/m", "context_length": 8192, "architecture": {"input_modalities": ["image"]}},
        {"id": "odd", "context_length": "long", "meta": {"n_params": 5}},
    ]
    wire.on("/v1/models", whole({"data": told}))
    found = asyncio.run(open_substrate(at(wire.url)).discover())
    assert [m.context_tokens for m in found] == [None, None, 32768, 8192, None]
    assert [m.embeds for m in found] == [False, True, False, False, False]
    assert [m.vision for m in found] == [False, False, False, True, False]
    assert [m.small for m in found] == [False, False, False, False, True]
    assert all(m.tool_calling == "native" and m.local for m in found)
