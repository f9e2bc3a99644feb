"""OpenAI's chat completions, as OpenAI, xAI, LM Studio and most other servers speak them."""

from __future__ import annotations

from dataclasses import replace

from lumen.core.canon import JSON
from lumen.core.errors import NoSubstrate
from lumen.mind.endpoints import Endpoint
from lumen.mind.substrate import ModelDescriptor, Prompt
from lumen.mind.substrates.remote import (
    Dialect,
    Listing,
    ModelFacts,
    PartialAnswer,
    Wire,
    count,
    size_in,
)


def body(model: ModelDescriptor, prompt: Prompt) -> dict[str, JSON]:
    """The call; a limit is told under the name that most servers know."""
    messages = [{"role": r, "content": t} for r, t in prompt.messages() if t]
    return {"model": model.model_id, "messages": messages, **prompt.chat_settings()}


def take(chunk: Wire, heard: PartialAnswer) -> None:
    """One event of the stream."""
    heard.served = str(chunk.get("model") or heard.served)
    for choice in chunk.get("choices") or ():
        heard.finish = str(choice.get("finish_reason") or heard.finish)
        heard.say((choice.get("delta") or {}).get("content"))
    _count(chunk.get("usage"), heard)


def whole(answer: Wire, heard: PartialAnswer) -> None:
    """An answer that comes in one piece."""
    choice = answer["choices"][0]
    heard.served = str(answer.get("model") or "")
    heard.finish = str(choice.get("finish_reason") or "stop")
    heard.say(choice["message"].get("content"))
    _count(answer.get("usage"), heard)


def _count(usage: Wire, heard: PartialAnswer) -> None:
    """What it took; xAI counts thoughts only in the total, and charges for them as for words."""
    if not usage:
        return
    read, said = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    heard.prompt_tokens = read
    if read is not None and said is not None:
        said = max(said, (count(usage.get("total_tokens")) or 0) - read)
    heard.completion_tokens = said
    details = usage.get("prompt_tokens_details") or {}
    heard.cached_tokens = min(count(details.get("cached_tokens")) or 0, read or 0)


def _model_info(m: Wire) -> ModelFacts:
    """What /models tells; llama.cpp and vLLM also say how much a model reads."""
    meta = m.get("meta") or {}
    inputs = (m.get("architecture") or {}).get("input_modalities") or ()
    return {
        "context": meta.get("n_ctx") or m.get("max_model_len") or m.get("context_length"),
        "size": float(meta.get("n_params") or 0),
        "vision": "image" in inputs,
    }


def _model_info_of_xai(m: Wire) -> ModelFacts:
    """What /language-models tells: only what can converse, and what each takes in."""
    return {
        "context": m.get("context_length") or m.get("max_prompt_length"),
        "vision": "image" in m.get("input_modalities", ()),
    }


def _model_info_of_lmstudio(m: Wire) -> ModelFacts:
    can = m.get("capabilities") or {}
    loaded = [i["config"].get("context_length") for i in m.get("loaded_instances") or ()]
    return {
        "display_name": m.get("display_name"),
        "context": next(filter(None, loaded), None) or m.get("max_context_length"),
        "size": size_in(str(m.get("params_string") or "")),
        "tools": can.get("trained_for_tool_use"),
        "vision": can.get("vision"),
        "thinks": can.get("thinking") or can.get("reasoning"),
        "embeds": m.get("type") == "embedding",
    }


def _model_info_of_older_lmstudio(m: Wire) -> ModelFacts:
    return {
        "context": m.get("loaded_context_length") or m.get("max_context_length"),
        "tools": "tool_use" in (m.get("capabilities") or ()),
        "vision": m.get("type") == "vlm",
        "embeds": m.get("type") == "embeddings",
    }


async def lmstudio_models(endpoint: Endpoint) -> list[ModelDescriptor]:
    """LM Studio's own list, newest form first; older versions have the plain one only.

    What a version does not know it answers with an error, under 200 as often as under 404.
    """
    root = replace(endpoint, url=endpoint.url.removesuffix("/v1"))
    for listing in LMSTUDIO_LISTS:
        try:
            return await listing.models(root)
        except (NoSubstrate, KeyError):
            continue  # an older version
    return await LIST.models(endpoint)


LIST = Listing("/models", "data", "id", _model_info)
LMSTUDIO_LISTS = (
    Listing("/api/v1/models", "models", "key", _model_info_of_lmstudio),
    Listing("/api/v0/models", "data", "id", _model_info_of_older_lmstudio),
)
OPENAI = Dialect(LIST.models, "/chat/completions", body, take, whole)
XAI = OPENAI._replace(models=Listing("/language-models", "models", "id", _model_info_of_xai).models)
LMSTUDIO = OPENAI._replace(models=lmstudio_models)
