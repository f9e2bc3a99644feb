"""Anthropic's messages, as documented; the same over a real server is in test_real_server.py."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.peers import Reply, Wire, at, named, stream, told, whole

from lumen.core.errors import BadAnswer, Unreachable, Unsupported
from lumen.mind.roles import open_substrate
from lumen.mind.substrate import Completion, Exchange, Prompt

MESSAGES = "/v1/messages"
PROMPT = Prompt("Be kind.", "Hello?", 100)


def ask(wire: Wire, prompt: Prompt = PROMPT) -> tuple[Completion, list[str]]:
    pieces: list[str] = []
    model = open_substrate(at(wire.url, "anthropic"))
    return asyncio.run(model.invoke("m", prompt, pieces.append)), pieces


def test_a_call_says_the_system_text_apart_and_a_schema_without_its_bounds(wire: Wire) -> None:
    schema = {
        "type": "object",
        "properties": {
            "maximum": {"type": "integer", "minimum": 1},
            "words": {"type": "array", "items": {"type": "string", "maxLength": 5}},
            "either": {"anyOf": [{"type": "string", "minLength": 2}, {"$ref": "#/$defs/other"}]},
        },
        "required": ["maximum"],
        "$defs": {"other": {"type": "number", "multipleOf": 2}},
    }
    wire.on(MESSAGES, named(*told("Hi.")))
    ask(wire, Prompt("Be kind.", "Hi?", 7, 0.5, 3, ("END",), (Exchange("a", "b"),), schema))
    assert wire.asked[0].json == {
        "model": "m",
        "system": "Be kind.",
        "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "Hi?"},
        ],
        "max_tokens": 7,
        "temperature": 0.5,
        "stop_sequences": ["END"],
        "stream": True,
        "output_config": {
            "format": {
                "type": "json_schema",
                "schema": {
                    "type": "object",
                    "properties": {
                        "maximum": {"type": "integer"},
                        "words": {"type": "array", "items": {"type": "string"}},
                        "either": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/other"}]},
                    },
                    "required": ["maximum"],
                    "$defs": {"other": {"type": "number"}},
                },
            }
        },
    }


def test_what_is_not_said_is_not_sent(wire: Wire) -> None:
    wire.on(MESSAGES, named(*told("Hi.")))
    ask(wire, Prompt("", "Hi?", 7))
    assert set(wire.asked[0].json) == {"model", "messages", "max_tokens", "temperature", "stream"}


def test_the_pieces_make_up_the_text_and_unknown_events_are_passed_over(wire: Wire) -> None:
    odd: list[dict[str, Any]] = [
        {"type": "content_block_start", "content_block": {"type": "thinking"}},
        {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "Hm."}},
        {"type": "invented_tomorrow", "text": "x"},
    ]
    start, *rest = told("Hel", "lo.")
    wire.on(MESSAGES, named(start, *odd, *rest))
    done, pieces = ask(wire)
    assert pieces == ["Hel", "lo."]
    assert done == Completion("Hello.", 7, 5, 0, "stop")


def test_an_answer_is_over_with_its_last_event(wire: Wire) -> None:
    wire.on(MESSAGES, named(*told("Hi."), then="stall"))
    assert ask(wire)[0].text == "Hi."


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("refusal", "refusal"),
        (None, "stop"),
    ],
)
def test_why_it_stopped_is_told_in_our_words(wire: Wire, reason: str, finish: str) -> None:
    in_one = {"content": [{"type": "text", "text": "Hi."}], "stop_reason": reason}
    wire.on(MESSAGES, named(*told("Hi.", stop=reason)), whole(in_one))
    assert [ask(wire)[0].finish for _ in range(2)] == [finish, finish]


@pytest.mark.parametrize(
    ("first", "last", "tokens"),
    [
        ({"input_tokens": 3}, {"output_tokens": 5}, (3, 5, 0)),
        (
            {"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 4},
            {"output_tokens": 5},
            (27, 5, 20),
        ),
        (
            {"input_tokens": 3, "cache_read_input_tokens": 20},
            {"input_tokens": 9, "cache_read_input_tokens": 20, "output_tokens": 5},
            (29, 5, 20),
        ),
        ({"input_tokens": 3, "output_tokens": 1}, {"input_tokens": 0}, (3, 1, 0)),
        ({"input_tokens": -3}, {"output_tokens": "5"}, (None, None, 0)),
        (None, None, (None, None, 0)),
    ],
)
def test_what_was_read_from_a_cache_counts_with_the_rest(
    wire: Wire, first: object, last: object, tokens: tuple[int | None, int | None, int]
) -> None:
    wire.on(
        MESSAGES,
        named(
            {"type": "message_start", "message": {"model": "m", "usage": first}},
            {"type": "content_block_delta", "delta": {"text": "Hi."}},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": last},
            {"type": "message_stop"},
        ),
    )
    done, _ = ask(wire)
    assert (done.prompt_tokens, done.completion_tokens, done.cached_tokens) == tokens


def test_an_answer_that_comes_in_one_piece_is_its_text_alone(wire: Wire) -> None:
    content = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Hello."}]
    usage = {"input_tokens": 2, "output_tokens": 3}
    answer = {"model": "m-20250101", "content": content, "stop_reason": "end_turn", "usage": usage}
    wire.on(MESSAGES, whole(answer))
    assert ask(wire) == (Completion("Hello.", 2, 3, 0, "stop"), ["Hello."])


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (named(*told("Once")[:-2]), Unreachable),
        (
            named(told("x")[0], {"type": "error", "error": {"type": "overloaded_error"}}),
            Unreachable,
        ),
        (named({"type": "message_start"}), BadAnswer),
        (named({"type": "content_block_delta", "delta": 5}), BadAnswer),
        (named(*told(stop="refusal")), BadAnswer),
        (stream([b'data: {"type": "message_delta", "delta": {"stop_reason": []}}\n']), BadAnswer),
        (whole({"content": [{"type": "text"}]}), BadAnswer),
    ],
)
def test_a_broken_answer_is_none(wire: Wire, reply: Reply, kind: type[Exception]) -> None:
    wire.on(MESSAGES, reply)
    with pytest.raises(kind):
        ask(wire)


def test_a_limit_that_is_refused_is_not_left_out_as_there_must_be_one(wire: Wire) -> None:
    wire.on(MESSAGES, whole({"error": {"message": "max_tokens: 9000 > 8192 supported"}}, 400))
    with pytest.raises(Exception, match="refused the request") as caught:
        ask(wire)
    assert not isinstance(caught.value, Unsupported)


def test_retired_models_are_left_out_and_the_rest_is_known_as_told(wire: Wire) -> None:
    listed = [
        {
            "id": "claude-new",
            "display_name": "Claude New",
            "max_input_tokens": 200_000,
            "capabilities": {"image_input": {"supported": True}},
        },
        {"id": "claude-old", "lifecycle": "retired"},
        {"id": "plain", "capabilities": ["completion"]},
        {"id": "blind", "capabilities": {"image_input": {"supported": False}}},
    ]
    wire.on("/v1/models", whole({"data": listed}))
    found = asyncio.run(open_substrate(at(wire.url, "anthropic")).discover())
    assert [m.model_id for m in found] == ["claude-new", "plain", "blind"]
    assert [m.vision for m in found] == [True, False, False]
    assert [m.context_tokens for m in found] == [200_000, None, None]
    assert found[0].display_name == "Claude New"
    assert wire.asked[0].path == "/v1/models?limit=1000"
