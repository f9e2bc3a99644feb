"""Anthropic's messages."""

from __future__ import annotations

from lumen.core.canon import JSON
from lumen.mind.substrate import ModelDescriptor, Prompt
from lumen.mind.substrates.remote import Dialect, Listing, ModelFacts, PartialAnswer, Wire, count

# Schemas may not hold these there; what comes back is checked against the whole type anyway.
_BOUNDS = frozenset(
    {
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }
)
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
        said["output_config"] = {
            "format": {"type": "json_schema", "schema": _unbounded(prompt.schema)}
        }
    return said


def _unbounded(schema: JSON) -> JSON:
    """A schema without bounds; a property may be called like one."""
    if isinstance(schema, list):
        return [_unbounded(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _unbounded(inner) for name, inner in value.items()}
        if key in ("properties", "$defs")
        else _unbounded(value)
        for key, value in schema.items()
        if key not in _BOUNDS
    }


def take(event: Wire, heard: PartialAnswer) -> None:
    """One event of the stream; kinds that are not known are passed over, as they may be added."""
    match event.get("type"):
        case "message_start":
            heard.served = str(event["message"].get("model") or "")
            _count(event["message"].get("usage"), heard)
        case "content_block_delta":
            heard.say(event["delta"].get("text"))
        case "message_delta":
            stopped = event["delta"].get("stop_reason")
            heard.finish = _FINISH.get(stopped, str(stopped or heard.finish))
            _count(event.get("usage"), heard)
        case "message_stop":
            heard.over = True
        case _:
            pass


def whole(answer: Wire, heard: PartialAnswer) -> None:
    """An answer that comes in one piece."""
    for block in answer["content"]:
        if block["type"] == "text":
            heard.say(block["text"])
    heard.served = str(answer.get("model") or "")
    stopped = answer.get("stop_reason")
    heard.finish = _FINISH.get(stopped, str(stopped or "stop"))
    _count(answer.get("usage"), heard)


def _count(usage: Wire, heard: PartialAnswer) -> None:
    """What was read from a cache is told apart from the rest, and counts with it.

    The last event may tell it all again; what it says less of, it has left out.
    """
    if not usage:
        return
    new, cached, written = (count(usage.get(name)) for name in _INPUTS)
    if new is not None:
        heard.cached_tokens = max(heard.cached_tokens, cached or 0)
        read = new + (cached or 0) + (written or 0)
        heard.prompt_tokens = max(heard.prompt_tokens or 0, read)
    said = count(usage.get("output_tokens"))
    heard.completion_tokens = heard.completion_tokens if said is None else said


_INPUTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def _model_info(m: Wire) -> ModelFacts | None:
    """What /v1/models tells; retired ones are still listed there and cannot be called."""
    if m.get("lifecycle", "active") == "retired":
        return None
    meta, can = m.get("meta") or {}, m.get("capabilities") or {}
    pictures = can.get("image_input") if isinstance(can, dict) else None
    return {
        "display_name": m.get("display_name"),
        "context": m.get("max_input_tokens") or meta.get("n_ctx"),
        "size": float(meta.get("n_params") or 0),
        "vision": bool(pictures and pictures.get("supported")),
        "tools": True,
    }


LIST = Listing("/v1/models?limit=1000", "data", "id", _model_info)
ANTHROPIC = Dialect(LIST.models, "/v1/messages", body, take, whole)
