"""XAI's dialect: OpenAI's chat, a list of its own, and its own way to refuse."""

from __future__ import annotations

import asyncio

import pytest
from tests.peers import Wire, at, chat, sse, whole

from lumen.core.errors import Denied, Unsupported
from lumen.core.trust import FULL
from lumen.mind.roles import open_substrate
from lumen.mind.substrate import ModelDescriptor, Prompt

CHAT = "/v1/chat/completions"
PROMPT = Prompt("Be kind.", "Hello?", 100, stop=("END",))


def test_its_list_names_what_can_converse_and_what_it_takes_in(wire: Wire) -> None:
    models = [
        {
            "id": "grok-4-0709",
            "aliases": ["grok-4", "grok-4-latest"],
            "input_modalities": ["text", "image"],
            "output_modalities": ["text"],
            "context_length": 256_000,
            "prompt_text_token_price": 30_000,
        },
        {"id": "grok-3-mini", "max_prompt_length": 131_072, "input_modalities": ["text"]},
        {"id": "bare"},
    ]
    wire.on("/v1/language-models", whole({"models": models}))
    found = asyncio.run(open_substrate(at(wire.url, "xai", key="xai-key")).discover())
    assert found[0] == ModelDescriptor(
        *("desk", "grok-4-0709", "grok-4-0709", 256_000, "native"),
        vision=True,
        may=FULL,
        local=True,
    )
    assert [m.context_tokens for m in found] == [256_000, 131_072, None]
    assert [m.vision for m in found] == [True, False, False]
    assert wire.asked[0].headers["authorization"] == "Bearer xai-key"


def test_thoughts_count_as_words_as_they_cost_the_same(wire: Wire) -> None:
    said = chat("Hi.", model="m-0709", prompt_tokens=32, completion_tokens=9, total_tokens=135)
    wire.on(CHAT, sse(*said))
    done = asyncio.run(open_substrate(at(wire.url, "xai")).invoke("m", PROMPT))
    assert (done.text, done.prompt_tokens, done.completion_tokens) == ("Hi.", 32, 103)
    assert wire.asked[0].json["stop"] == ["END"]
    assert wire.asked[0].json["max_tokens"] == 100


def test_a_wrong_key_is_known_though_it_is_called_a_bad_request(wire: Wire) -> None:
    error = {
        "code": "Client specified an invalid argument",
        "error": "Incorrect API key provided: xa***ey. You can obtain one from the console.",
    }
    wire.on(CHAT, whole(error, 400))
    with pytest.raises(Denied, match="did not accept the key"):
        asyncio.run(open_substrate(at(wire.url, "xai", key="xai-key")).invoke("m", PROMPT))


def test_a_setting_it_calls_an_argument_is_left_out_the_next_time(wire: Wire) -> None:
    error = {"code": "Client error", "error": "Argument not supported on this model: stop"}
    wire.on(CHAT, whole(error, 400), sse(*chat("Hi.")))
    model = open_substrate(at(wire.url, "xai"))
    with pytest.raises(Unsupported):
        asyncio.run(model.invoke("m", PROMPT))
    assert asyncio.run(model.invoke("m", PROMPT)).text == "Hi."
    assert "stop" not in wire.asked[-1].json
