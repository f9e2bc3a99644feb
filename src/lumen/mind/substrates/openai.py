"""OpenAI's chat completions, as OpenAI, xAI, LM Studio and most other servers speak them."""

from __future__ import annotations

from dataclasses import replace

from lumen.core.canon import JSON
from lumen.core.errors import NoSubstrate
from lumen.mind.endpoints import Endpoint
from lumen.mind.substrate import ModelDescriptor, Prompt
from lumen.mind.substrates import http
from lumen.mind.substrates.remote import Dialect, Heard, Wire, count, descriptor, size_in


def body(model: ModelDescriptor, prompt: Prompt) -> dict[str, JSON]:
    """The call; a limit is told under the name that most servers know."""
    said: dict[str, JSON] = {
        "model": model.model_id,
        "messages": [{"role": r, "content": t} for r, t in prompt.messages() if t],
        "max_tokens": prompt.max_tokens,
        "temperature": prompt.temperature,
        "seed": prompt.seed,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if prompt.stop:
        said["stop"] = list(prompt.stop)
    if prompt.schema is not None:
        schema = {"name": "answer", "strict": True, "schema": prompt.schema}
        said["response_format"] = {"type": "json_schema", "json_schema": schema}
    return said


def take(chunk: Wire, heard: Heard) -> None:
    """One event of the stream."""
    heard.served = str(chunk.get("model") or heard.served)
    for choice in chunk.get("choices") or ():
        heard.finish = str(choice.get("finish_reason") or heard.finish)
        heard.say((choice.get("delta") or {}).get("content"))
    _count(chunk.get("usage"), heard)


def whole(answer: Wire, heard: Heard) -> None:
    """An answer that comes in one piece."""
    choice = answer["choices"][0]
    heard.served = str(answer.get("model") or "")
    heard.finish = str(choice.get("finish_reason") or "stop")
    heard.say(choice["message"].get("content"))
    _count(answer.get("usage"), heard)


def _count(usage: Wire, heard: Heard) -> None:
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


async def models(endpoint: Endpoint) -> list[ModelDescriptor]:
    """/models; llama.cpp and vLLM also tell how much a model reads."""
    listed = await http.look(endpoint, "/models")
    return [_listed(endpoint, m) for m in listed["data"]]


def _listed(endpoint: Endpoint, told: Wire) -> ModelDescriptor:
    meta = told.get("meta") or {}
    inputs = (told.get("architecture") or {}).get("input_modalities") or ()
    context = meta.get("n_ctx") or told.get("max_model_len") or told.get("context_length")
    return descriptor(
        endpoint,
        str(told["id"]),
        {
            "context": context,
            "size": float(meta.get("n_params") or 0),
            "vision": "image" in inputs,
            "tools": endpoint.kind in ("openai", "xai"),
        },
    )


async def xai_models(endpoint: Endpoint) -> list[ModelDescriptor]:
    """/language-models, which names only what can converse, and what each takes in."""
    listed = await http.look(endpoint, "/language-models")
    return [
        descriptor(
            endpoint,
            str(m["id"]),
            {
                "context": m.get("context_length") or m.get("max_prompt_length"),
                "vision": "image" in m.get("input_modalities", ()),
                "tools": True,
            },
        )
        for m in listed["models"]
    ]


async def lmstudio_models(endpoint: Endpoint) -> list[ModelDescriptor]:
    """LM Studio's own list, newest form first; older versions have the plain one only.

    What a version does not know it answers with an error, under 200 as often as under 404.
    """
    root = replace(endpoint, url=endpoint.url.removesuffix("/v1"))
    for path, read in (("/api/v1/models", _lmstudio_1), ("/api/v0/models", _lmstudio_0)):
        try:
            return read(endpoint, await http.look(root, path))
        except (NoSubstrate, KeyError):
            continue  # an older version
    return await models(endpoint)


def _lmstudio_1(endpoint: Endpoint, listed: Wire) -> list[ModelDescriptor]:
    found = []
    for m in listed["models"]:
        can = m.get("capabilities") or {}
        loaded = [i["config"].get("context_length") for i in m.get("loaded_instances") or ()]
        told = {
            "display_name": m.get("display_name"),
            "context": next(filter(None, loaded), None) or m.get("max_context_length"),
            "size": size_in(str(m.get("params_string") or "")),
            "tools": can.get("trained_for_tool_use"),
            "vision": can.get("vision"),
            "thinks": can.get("thinking") or can.get("reasoning"),
            "embeds": m.get("type") == "embedding",
        }
        found.append(descriptor(endpoint, str(m["key"]), told))
    return found


def _lmstudio_0(endpoint: Endpoint, listed: Wire) -> list[ModelDescriptor]:
    return [
        descriptor(
            endpoint,
            str(m["id"]),
            {
                "context": m.get("loaded_context_length") or m.get("max_context_length"),
                "tools": "tool_use" in (m.get("capabilities") or ()),
                "vision": m.get("type") == "vlm",
                "embeds": m.get("type") == "embeddings",
            },
        )
        for m in listed["data"]
    ]


OPENAI = Dialect(models, "/chat/completions", body, take, whole)
XAI = OPENAI._replace(models=xai_models)
LMSTUDIO = OPENAI._replace(models=lmstudio_models)
