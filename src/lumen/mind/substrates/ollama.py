"""Ollama's own chat, because its OpenAI-like one cannot be told how much to read.

Ollama cuts off, without a word, the beginning of a prompt that is longer than the context it was
loaded with: who the being is would be the first to go. Here every call says how much it needs.
"""

from __future__ import annotations

import asyncio

from lumen.core.canon import JSON
from lumen.core.errors import MindError
from lumen.mind.endpoints import Endpoint
from lumen.mind.substrate import ModelDescriptor, Prompt
from lumen.mind.substrates import http
from lumen.mind.substrates.remote import Dialect, PartialAnswer, Wire, count, descriptor, size_in

CONTEXT = 8192  # tokens; more only where a prompt needs it, as it takes memory
BYTES_A_TOKEN = 2  # text of any language has at least so many, nearly always


def body(model: ModelDescriptor, prompt: Prompt) -> dict[str, JSON]:
    """The call, with a context that holds the prompt and the answer."""
    size = sum(len(text.encode()) for _, text in prompt.messages())
    needed = size // BYTES_A_TOKEN + prompt.max_tokens
    context = min(max(CONTEXT, needed), model.context_tokens or max(CONTEXT, needed))
    options: dict[str, JSON] = {
        "num_ctx": context,
        "num_predict": prompt.max_tokens,
        "temperature": prompt.temperature,
        "seed": prompt.seed,
    }
    if prompt.stop:
        options["stop"] = list(prompt.stop)
    said: dict[str, JSON] = {
        "model": model.model_id,
        "messages": [{"role": r, "content": t} for r, t in prompt.messages() if t],
        "stream": True,
        "truncate": False,  # newer versions then refuse what is too long, and do not cut it
        "shift": False,
        "options": options,
    }
    if model.thinks:  # its thoughts would use up what it may say
        said["think"] = False
    if prompt.schema is not None:
        said["format"] = prompt.schema
    return said


def take(said: Wire, heard: PartialAnswer) -> None:
    """One line of the stream; the last one counts."""
    heard.served = str(said.get("model") or heard.served)
    heard.say((said.get("message") or {}).get("content"))
    if said.get("done"):
        heard.over = True
        heard.finish = str(said.get("done_reason") or "stop")
        heard.prompt_tokens = count(said.get("prompt_eval_count"))
        heard.completion_tokens = count(said.get("eval_count"))


async def models(endpoint: Endpoint) -> list[ModelDescriptor]:
    """/api/tags, and /api/show for what each can do."""
    listed = (await http.look(endpoint, "/api/tags"))["models"]
    names = [str(told.get("model") or told["name"]) for told in listed]
    shown = await asyncio.gather(*(_details(endpoint, name) for name in names))
    return [_listed(endpoint, *told) for told in zip(names, listed, shown, strict=True)]


async def _details(endpoint: Endpoint, name: str) -> Wire:
    try:
        return await http.look(endpoint, "/api/show", {"model": name})
    except MindError:  # one that cannot be shown is listed all the same
        return {}


def _listed(endpoint: Endpoint, name: str, told: Wire, shown: Wire) -> ModelDescriptor:
    info, can = shown.get("model_info") or {}, shown.get("capabilities") or ()
    details = told.get("details") or {}
    context = next((v for k, v in info.items() if k.endswith(".context_length")), None)
    size = info.get("general.parameter_count") or size_in(str(details.get("parameter_size") or ""))
    return descriptor(
        endpoint,
        name,
        {
            "context": context,
            "size": float(size or 0),
            "tools": "tools" in can,
            "vision": "vision" in can,
            "thinks": "thinking" in can,
            "embeds": "embedding" in can and "completion" not in can,
            "elsewhere": told.get("remote_host") or shown.get("remote_host"),
        },
    )


OLLAMA = Dialect(models, "/api/chat", body, take, take)
