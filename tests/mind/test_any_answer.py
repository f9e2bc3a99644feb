"""Whatever a server answers: words, or a MindError that shows no key; never anything else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.peers import CHATS, Reply, Wire, at, raw, stream, whole
from tests.sampling import examples

from lumen.core.errors import Limited, MindError
from lumen.mind.endpoints import Kind
from lumen.mind.roles import open_substrate
from lumen.mind.substrate import Completion, Prompt
from lumen.mind.substrates import http

KEY = "sk-a-key-nobody-may-see"
PROMPT = Prompt("Be kind.", "Hello?", 20, schema={"type": "object"})
KINDS: tuple[Kind, ...] = ("openai", "anthropic", "ollama", "lmstudio", "xai")
LISTS = ("/v1/models", "/v1/language-models", "/api/tags", "/api/v0/models", "/api/v1/models")

# Words that servers use, so that chance also builds what is nearly right.
WORDS = st.sampled_from(
    [
        *("choices", "delta", "message", "content", "finish_reason", "usage", "prompt_tokens"),
        *("completion_tokens", "total_tokens", "prompt_tokens_details", "cached_tokens", "model"),
        *("type", "message_start", "content_block_delta", "message_delta", "message_stop", "text"),
        *("stop_reason", "input_tokens", "output_tokens", "done", "done_reason", "eval_count"),
        *("prompt_eval_count", "error", "code", "param", "data", "models", "id", "key", "name"),
        *("meta", "n_ctx", "n_params", "context_length", "capabilities", "loaded_instances"),
        *("config", "details", "parameter_size", "model_info", "input_modalities", "aliases"),
        *("max_context_length", "display_name", "architecture", "lifecycle", "remote_host", KEY),
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | WORDS
    | st.sampled_from(["<think>", "</think>", "m", "stop", "end_turn"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=6),
    max_leaves=25,
)
EVENTS = st.dictionaries(WORDS, VALUES, max_size=6)
TYPES = st.sampled_from(["application/json", "text/event-stream", "application/x-ndjson", ""])


@pytest.fixture(scope="module")
def line() -> Iterator[Wire]:
    """One server for every example."""
    with Wire() as wire:
        yield wire


def outcome(wire: Wire, kind: Kind, reply: Reply) -> None:
    for path in {*CHATS.values(), *LISTS, "/api/show"}:
        wire.on(path, reply)
    model = open_substrate(at(wire.url, kind, key=KEY))
    pieces: list[str] = []
    came = asyncio.run(tried(model.invoke("m", PROMPT, pieces.append)))
    if isinstance(came, MindError):
        assert KEY not in repr(came) + came.what + came.fix + came.detail
        assert len(came.detail) <= http.SHOWN + 1
    else:
        assert_whole(came, pieces)
    health = asyncio.run(model.health())
    assert KEY not in health.detail
    model.close()


async def tried(call: Awaitable[Completion]) -> Completion | MindError:
    try:
        return await call
    except MindError as error:
        return error


def assert_whole(done: Completion, pieces: list[str]) -> None:
    assert done.text.strip()
    assert "".join(pieces) == done.text
    assert isinstance(done.finish, str)
    for number in (done.prompt_tokens, done.completion_tokens, done.cached_tokens):
        assert number is None or (type(number) is int and number >= 0)


@settings(max_examples=examples(25))
@given(st.sampled_from(KINDS), st.integers(200, 599), TYPES, st.binary(max_size=300))
def test_any_bytes(line: Wire, kind: Kind, status: int, said: str, body: bytes) -> None:
    outcome(line, kind, whole(body, status, content_type=said))


@settings(max_examples=examples(20))
@given(st.sampled_from(KINDS), st.binary(max_size=300))
def test_any_bytes_without_even_a_head(line: Wire, kind: Kind, said: bytes) -> None:
    outcome(line, kind, raw(said))


@settings(max_examples=examples(30))
@given(st.sampled_from(KINDS), st.sampled_from([200, 200, 400, 404, 429, 500]), VALUES)
def test_any_json_in_one_piece(line: Wire, kind: Kind, status: int, said: object) -> None:
    outcome(line, kind, whole(said, status))


@settings(max_examples=examples(30))
@given(
    st.sampled_from(KINDS),
    st.lists(EVENTS | VALUES, max_size=5),
    st.sampled_from(["end", "drop", "drop in a piece"]),
)
def test_any_json_as_events(line: Wire, kind: Kind, events: list[object], then: str) -> None:
    said = [b"data: %s\n\n" % json.dumps(event).encode() for event in events]
    outcome(line, kind, stream(said, then=then))


SAID = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
OPENAI_LIKE = st.fixed_dictionaries(
    {
        "choices": st.lists(
            st.fixed_dictionaries(
                {"delta": st.fixed_dictionaries({"content": SAID | WORDS | LEAVES})},
                optional={"finish_reason": LEAVES},
            ),
            max_size=2,
        )
    },
    optional={"usage": VALUES, "model": st.sampled_from(["m", "other", None, 5])},
)


@settings(max_examples=examples(30))
@given(st.lists(OPENAI_LIKE, max_size=6))
def test_what_is_nearly_an_answer(line: Wire, events: list[object]) -> None:
    said = [b"data: %s\n" % json.dumps(event).encode() for event in events]
    outcome(line, "openai", stream([*said, b"data: [DONE]\n"]))


DATES = st.from_regex(
    r"\A[A-Z][a-z]{2}, [0-9]{1,2} (Jan|Feb|Dec) [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} "
    r"([+-][0-9]{4}|GMT)\Z"
)


@given(st.text(max_size=40) | DATES | st.floats().map(str))
def test_any_time_to_wait(said: str) -> None:
    error = http.failure(at("http://desk"), 429, {"retry-after": said}, b"")
    assert isinstance(error, Limited)
    assert error.after is None or error.after >= 0
