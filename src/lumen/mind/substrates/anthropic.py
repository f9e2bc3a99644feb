"""Anthropic's messages."""

from __future__ import annotations

from lumen.core.canon import JSON
from lumen.mind.endpoints import Endpoint
from lumen.mind.substrate import ModelDescriptor, Prompt
from lumen.mind.substrates import http
from lumen.mind.substrates.remote import Dialect, Heard, Wire, descriptor

_FINISH = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}


def body(model: ModelDescriptor, prompt: Prompt) -> dict[str, JSON]:
    """The call; the system text stands apart from the messages."""
    said: dict[str, JSON] = {
        "model": model.model_id,
        "messages": [{"role": r, "content": t} for r, t in prompt.messages()[1:] if t],
        "max_tokens": prompt.max_tokens,
        "temperature": prompt.temperature,
        "stream": True,
    }
    if prompt.system:
        said["system"] = prompt.system
    if prompt.stop:
        said["stop_sequences"] = list(prompt.stop)
    if prompt.schema is not None:
        said["output_config"] = {"format": {"type": "json_schema", "schema": prompt.schema}}
    return said


def take(event: Wire, heard: Heard) -> None:
    """One event of the stream; kinds that are not known are passed over, as they may be added."""
    match event.get("type"):
        case "message_start":
            heard.served = str(event["message"].get("model") or "")
            _count(event["message"].get("usage"), heard)
        case "content_block_delta":
            heard.say(event["delta"].get("text"))
        case "message_delta":
            stopped = event["delta"].get("stop_reason")
            heard.finish = _FINISH.get(stopped, stopped or heard.finish)
            _count(event.get("usage"), heard)
        case "message_stop":
            heard.over = True
        case _:
            pass


def whole(answer: Wire, heard: Heard) -> None:
    """An answer that comes in one piece."""
    for block in answer["content"]:
        if block["type"] == "text":
            heard.say(block["text"])
    heard.served = str(answer.get("model") or "")
    stopped = answer.get("stop_reason")
    heard.finish = _FINISH.get(stopped, stopped or "stop")
    _count(answer.get("usage"), heard)


def _count(usage: Wire, heard: Heard) -> None:
    """What was read from a cache is told apart from the rest, and counts with it."""
    if not usage:
        return
    if usage.get("input_tokens") is not None and heard.prompt_tokens is None:
        heard.cached_tokens = int(usage.get("cache_read_input_tokens") or 0)
        written = int(usage.get("cache_creation_input_tokens") or 0)
        heard.prompt_tokens = int(usage["input_tokens"]) + heard.cached_tokens + written
    if usage.get("output_tokens") is not None:
        heard.completion_tokens = int(usage["output_tokens"])


async def models(endpoint: Endpoint) -> list[ModelDescriptor]:
    """/v1/models; retired ones are still listed there and cannot be called."""
    listed = await http.look(endpoint, "/v1/models?limit=1000")
    return [
        _listed(endpoint, m) for m in listed["data"] if m.get("lifecycle", "active") != "retired"
    ]


def _listed(endpoint: Endpoint, told: Wire) -> ModelDescriptor:
    meta = told.get("meta") or {}
    can = told.get("capabilities") or {}
    pictures = can.get("image_input") if isinstance(can, dict) else None
    return descriptor(
        endpoint,
        str(told["id"]),
        {
            "display_name": told.get("display_name"),
            "context": told.get("max_input_tokens") or meta.get("n_ctx"),
            "size": float(meta.get("n_params") or 0),
            "vision": bool(pictures and pictures.get("supported")),
            "tools": True,
        },
    )


ANTHROPIC = Dialect(models, "/v1/messages", body, take, whole)
