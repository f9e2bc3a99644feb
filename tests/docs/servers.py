"""A server on loopback that answers as OpenAI, Anthropic, xAI, Ollama and LM Studio do."""

from __future__ import annotations

from tests.peers import Exchange, Wire, chat, lines, named, ndjson, sse, told, whole

WORDS = "I'm ready to assist you. What's your request?"
JSON = '{"word":"yes"}'
NAMES = (
    "SmolLM2-135M-Instruct",
    "gpt-5-mini",
    "claude-sonnet-4-5",
    "grok-4",
    "qwen/qwen3-4b",
    "qwen3:4b",
    "nomic-embed-text",
)
WIDE = 384


def _asked(exchange: Exchange) -> tuple[str, str]:
    """Which model is asked, and what it says: JSON where that is wanted."""
    asked = exchange.wire.asked[-1]
    wanted = b"JSON" in asked.body or b"json" in asked.body
    return str(asked.json["model"]), JSON if wanted else WORDS


def _openai(exchange: Exchange) -> None:
    model, says = _asked(exchange)
    if model not in NAMES:  # as llama.cpp does: whatever is loaded answers
        model = "SmolLM2-135M-Instruct"
    sse(*chat(says, model=model, prompt_tokens=31, completion_tokens=13))(exchange)


def _anthropic(exchange: Exchange) -> None:
    model, says = _asked(exchange)
    named(*told(says, model=model))(exchange)


def _ollama(exchange: Exchange) -> None:
    model, says = _asked(exchange)
    ndjson(*lines(says, model=model, prompt_eval_count=31, eval_count=13))(exchange)


def _vectors(exchange: Exchange) -> None:
    texts = exchange.wire.asked[-1].json["input"]
    rows = [[1.0 if n == len(text) % WIDE else 0.1 for n in range(WIDE)] for text in texts]
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
    whole({"object": "list", "data": data, "usage": {"prompt_tokens": 7}})(exchange)


def serve_all(wire: Wire) -> Wire:
    """Teach a wire what each of them is asked."""
    listed = [{"id": name, "object": "model"} for name in NAMES]
    grok = {"id": "grok-4", "input_modalities": ["text"], "output_modalities": ["text"]}
    tags = [{"name": name, "model": name} for name in NAMES]
    wire.on("/v1/models", whole({"object": "list", "data": listed, "has_more": False}))
    wire.on("/v1/language-models", whole({"models": [grok]}))
    wire.on("/api/tags", whole({"models": tags}))
    wire.on("/api/show", whole({"capabilities": ["completion"], "model_info": {}}))
    wire.on("/v1/chat/completions", _openai)
    wire.on("/v1/messages", _anthropic)
    wire.on("/api/chat", _ollama)
    wire.on("/v1/embeddings", _vectors)
    return wire
