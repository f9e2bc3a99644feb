"""What a call costs, in millionths of a dollar: looked up offline, never guessed.

Local models cost nothing. A model nobody has a price for is unpriced, which is not the same.
"""

from __future__ import annotations

import math
from datetime import datetime

from lumen.mind.endpoints import Kind
from lumen.mind.substrate import ModelDescriptor

MICROS = 1_000_000
_PROVIDERS: dict[Kind, str] = {"openai": "openai", "anthropic": "anthropic", "xai": "x-ai"}


def cost(
    model: ModelDescriptor, kind: Kind, prompt: int, completion: int, at: datetime, cached: int = 0
) -> int | None:
    """The price of so many tokens, rounded up; None: nobody knows."""
    if model.local:
        return 0
    provider = _PROVIDERS.get(kind)
    if provider is None or model.substrate != kind:
        return None  # a server that speaks like OpenAI need not charge like OpenAI
    from genai_prices import Usage, calc_price

    usage = Usage(
        input_tokens=prompt, cache_read_tokens=min(cached, prompt), output_tokens=completion
    )
    try:
        price = calc_price(
            usage, model.model_id, provider_id=provider, genai_request_timestamp=at
        ).total_price
    except LookupError:
        return None
    return math.ceil(price * MICROS)
