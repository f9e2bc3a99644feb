from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lumen.mind.endpoints import Endpoint, Kind
from lumen.mind.prices import cost
from lumen.mind.substrates.remote import unlisted

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def price(name: str, kind: Kind, prompt: int, completion: int, cached: int = 0) -> int | None:
    model = unlisted(Endpoint(kind, kind), name)
    return cost(model, kind, prompt, completion, NOW, cached)


@pytest.mark.parametrize(
    ("name", "kind", "micros"),
    [
        ("gpt-4o", "openai", 2500 + 1000),
        ("gpt-4o-mini-2024-07-18", "openai", 150 + 60),
        ("claude-sonnet-4-20250514", "anthropic", 3000 + 1500),
        ("grok-4", "xai", 3000 + 1500),
    ],
)
def test_a_known_model_costs_what_its_maker_says(name: str, kind: Kind, micros: int) -> None:
    assert price(name, kind, 1000, 100) == micros


def test_a_part_of_a_millionth_is_a_whole_one() -> None:
    assert price("gpt-4o-mini", "openai", 1, 0) == 1
    assert price("gpt-4o-mini", "openai", 7, 0) == 2
    assert price("gpt-4o", "openai", 0, 0) == 0


def test_what_was_read_from_a_cache_costs_less_and_never_more_than_there_was() -> None:
    assert price("gpt-4o", "openai", 1000, 0, cached=1000) == 1250
    assert price("gpt-4o", "openai", 1000, 0, cached=5000) == 1250


@pytest.mark.parametrize(("name", "kind"), [("brand-new-1", "openai"), ("", "xai")])
def test_a_model_nobody_has_a_price_for_is_unpriced_and_not_free(name: str, kind: Kind) -> None:
    assert price(name, kind, 1000, 100) is None


def test_a_server_that_only_speaks_like_openai_is_unpriced() -> None:
    gateway = unlisted(Endpoint("gateway", "openai"), "gpt-4o")
    assert cost(gateway, "openai", 1000, 100, NOW) is None
    assert price("llama3.2", "ollama", 1000, 100) is None


def test_a_local_model_costs_nothing_whatever_its_name() -> None:
    local = unlisted(Endpoint("openai", "openai", local=True), "gpt-4o")
    assert cost(local, "openai", 1_000_000, 1_000_000, NOW) == 0
