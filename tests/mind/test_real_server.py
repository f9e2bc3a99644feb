"""A real model behind a real server, which speaks as OpenAI and as Anthropic do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.peers import LlamaServer, at
from tests.waiting import PATIENCE

from lumen.core.errors import Denied, MindError, ModelGone, TooLong
from lumen.core.trust import LOWEST
from lumen.mind.roles import open_substrate
from lumen.mind.substrate import Completion, Exchange, ModelDescriptor, Prompt, Substrate
from lumen.mind.substrates.embedded import MODEL_ID, Embedded

pytestmark = pytest.mark.embedded

CAPITALS = Prompt(
    "You are Lumen. You answer in one short sentence.",
    "What is the capital of France?",
    16,
    turns=(Exchange("What is the capital of Spain?", "The capital of Spain is Madrid."),),
)
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}},
    "required": ["city"],
    "additionalProperties": False,
}


def heard(
    model: Substrate, prompt: Prompt, model_id: str = LlamaServer.alias
) -> tuple[Completion, list[str]]:
    pieces: list[str] = []
    return asyncio.run(model.invoke(model_id, prompt, pieces.append)), pieces


@pytest.fixture(scope="module")
def embedded() -> Iterator[Embedded]:
    """The same model in this process."""
    model = Embedded()
    yield model
    model.close()


def test_the_same_prompt_gives_the_same_words_here_and_over_either_wire(
    llama: LlamaServer, embedded: Embedded
) -> None:
    here, _ = heard(embedded, CAPITALS, MODEL_ID)
    for kind in ("openai", "anthropic"):
        model = open_substrate(at(llama.url, kind, key=llama.key, seconds=PATIENCE))
        done, pieces = heard(model, CAPITALS, llama.alias)
        assert done.text == "".join(pieces) == here.text == "The capital of France is Paris."
        assert len(pieces) > 3
        assert done.finish == here.finish == "stop"
        assert done.prompt_tokens == here.prompt_tokens
        assert done.completion_tokens == here.completion_tokens
        assert done.cached_tokens <= (done.prompt_tokens or 0)


def test_a_real_server_keeps_to_a_schema_and_to_the_limit(llama: LlamaServer) -> None:
    model = open_substrate(at(llama.url, key=llama.key, seconds=PATIENCE))
    done, _ = heard(
        model, replace(CAPITALS, user="Name a city.", max_tokens=60, schema=CITY), "smol"
    )
    assert list(json.loads(done.text)) == ["city"]
    cut, _ = heard(model, replace(CAPITALS, user="Tell me a long story.", max_tokens=3))
    assert (cut.completion_tokens, cut.finish) == (3, "length")


def test_a_real_server_lists_its_model_with_what_it_can_read(llama: LlamaServer) -> None:
    for kind in ("openai", "anthropic"):
        model = open_substrate(at(llama.url, kind, key=llama.key))
        (found,) = asyncio.run(model.discover())
        assert found == ModelDescriptor("desk", "smol", "smol", 2048, "native", False, LOWEST, True)
        assert asyncio.run(model.health()).ok


def test_a_real_server_refuses_as_real_servers_do(llama: LlamaServer) -> None:
    for kind in ("openai", "anthropic"):
        model = open_substrate(at(llama.url, kind, key=llama.key, seconds=PATIENCE))
        with pytest.raises(TooLong) as caught:
            heard(model, replace(CAPITALS, user="word " * 3000))
        assert "2048 tokens" in caught.value.detail
        with pytest.raises(ModelGone, match="another model answered"):
            heard(model, CAPITALS, "larger")
        with pytest.raises(Denied, match="did not accept the key"):
            heard(open_substrate(at(llama.url, kind, key="wrong")), CAPITALS)


def test_a_schema_is_kept_to_in_this_process_too_and_one_that_is_none_is_refused(
    embedded: Embedded,
) -> None:
    named = replace(CAPITALS, user="Name a city.", max_tokens=60, schema=CITY)
    done, _ = heard(embedded, named, MODEL_ID)
    assert list(json.loads(done.text)) == ["city"]
    with pytest.raises(MindError, match="the embedded model refused"):
        heard(embedded, replace(named, schema={"type": "no such type"}), MODEL_ID)
