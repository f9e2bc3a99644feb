"""LM Studio's lists in the forms of its versions; its chat is OpenAI's."""

from __future__ import annotations

import asyncio

import pytest
from tests.peers import Reply, Wire, at, chat, sse, whole

from lumen.core.errors import Denied, ModelGone, TooLong
from lumen.core.trust import FULL
from lumen.mind.roles import open_substrate
from lumen.mind.substrate import ModelDescriptor, Prompt

NEWEST, OLDER, PLAIN = "/api/v1/models", "/api/v0/models", "/v1/models"
CHAT = "/v1/chat/completions"
UNKNOWN = {"error": "Unexpected endpoint or method. (GET /api/v1/models)"}


def discovered(wire: Wire) -> list[ModelDescriptor]:
    return asyncio.run(open_substrate(at(wire.url, "lmstudio")).discover())


def test_the_newest_list_is_read_and_no_other_is_asked_for(wire: Wire) -> None:
    models = [
        {
            "type": "llm",
            "key": "qwen/qwen3-4b",
            "display_name": "Qwen3 4B",
            "params_string": "4B",
            "max_context_length": 262_144,
            "loaded_instances": [{"id": "qwen/qwen3-4b", "config": {"context_length": 8192}}],
            "capabilities": {"vision": True, "trained_for_tool_use": True},
        },
        {
            "type": "embedding",
            "key": "nomic-v1.5",
            "params_string": None,
            "max_context_length": 2048,
            "loaded_instances": [],
        },
        {
            "type": "llm",
            "key": "tiny",
            "params_string": "135M",
            "capabilities": {"thinking": True},
            "loaded_instances": [{"config": {}}],
        },
    ]
    wire.on(NEWEST, whole({"models": models}))
    first, second, third = discovered(wire)
    assert first == ModelDescriptor(
        *("desk", "qwen/qwen3-4b", "Qwen3 4B", 8192, "native"), vision=True, may=FULL, local=True
    )
    assert (second.embeds, second.context_tokens, second.tool_calling) == (True, 2048, "none")
    assert (third.small, third.thinks, third.context_tokens) == (True, True, None)
    assert [asked.path for asked in wire.asked] == [NEWEST]


@pytest.mark.parametrize("unknown", [whole(UNKNOWN, 404), whole(UNKNOWN), whole(b"", 404)])
def test_an_older_version_is_asked_as_it_can_answer(wire: Wire, unknown: Reply) -> None:
    older = [
        {"id": "a", "type": "llm", "max_context_length": 4096, "loaded_context_length": 2048},
        {"id": "b-2b", "type": "vlm", "max_context_length": 4096, "capabilities": ["tool_use"]},
        {"id": "c", "type": "embeddings"},
    ]
    wire.on(NEWEST, unknown).on(OLDER, whole({"data": older}))
    first, second, third = discovered(wire)
    assert (first.context_tokens, first.tool_calling, first.vision) == (2048, "none", False)
    assert (second.context_tokens, second.tool_calling, second.vision) == (4096, "native", True)
    assert second.small
    assert third.embeds
    wire.on(OLDER, unknown).on(PLAIN, whole({"data": [{"id": "a"}]}))
    assert [m.model_id for m in discovered(wire)] == ["a"]
    assert [asked.path for asked in wire.asked[-3:]] == [NEWEST, OLDER, PLAIN]


def test_a_key_that_is_refused_is_no_older_version(wire: Wire) -> None:
    wire.on(NEWEST, whole({}, 401))
    with pytest.raises(Denied):
        discovered(wire)
    assert len(wire.asked) == 1


def test_a_model_that_answers_because_it_is_the_one_loaded_is_not_heard(wire: Wire) -> None:
    listed = [{"key": "asked", "type": "llm"}, {"key": "loaded", "type": "llm"}]
    wire.on(NEWEST, whole({"models": listed})).on(CHAT, sse(*chat("Hi.", model="loaded")))
    aloud: list[str] = []
    model = open_substrate(at(wire.url, "lmstudio"))
    with pytest.raises(ModelGone, match="another model answered"):
        asyncio.run(model.invoke("asked", Prompt("", "Hi?", 9), aloud.append))
    assert aloud == []
    assert asyncio.run(model.invoke("loaded", Prompt("", "Hi?", 9))).text == "Hi."
    wire.on(CHAT, sse(*chat("Hi.", model="a-copy-of-it")))
    assert asyncio.run(model.invoke("asked", Prompt("", "Hi?", 9))).text == "Hi."


def test_a_prompt_too_long_is_told_in_the_stream_and_is_too_long(wire: Wire) -> None:
    what = "The number of tokens to keep is greater than the context length"
    wire.on(CHAT, sse({"error": {"message": what}}, done=False))
    with pytest.raises(TooLong) as caught:
        asyncio.run(open_substrate(at(wire.url, "lmstudio")).invoke("m", Prompt("", "Hi?", 9)))
    assert what in caught.value.detail
