"""One HTTP call to a model's server: bounded, cancellable, tried once, its failures typed.

Redirects are not followed: they could carry a key and the author's words to another host. A client
lives for one call only, so no idle connection is ever found dead. What a server says about an
error goes into `detail`, never into words of our own.
"""

from __future__ import annotations

import asyncio
import email.utils
import re
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from typing import Any

import httpx2

from lumen.core.canon import JSON, dumps, loads, printable
from lumen.core.errors import (
    BadAnswer,
    Denied,
    Limited,
    MindError,
    ModelGone,
    NoSubstrate,
    TooLong,
    Unreachable,
    Unsupported,
)
from lumen.mind.endpoints import Endpoint

CONNECT_S = 10.0
LOOK_S = 5.0  # for health and discovery: whoever scans waits for the slowest
LARGEST_LIST = 8 << 20  # bytes; thousands of models are about one
LONGEST_LINE = 1 << 20
LONGEST_ERROR = 64 << 10
SHOWN = 300
# What a model may refuse to be told; without it the call means nearly the same.
OPTIONAL = (
    "temperature",
    "seed",
    "stop",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "response_format",
    "output_config",
    "stream",
)
_NO_CREDIT = ("insufficient_quota", "credit balance", "any credits")
_CONTEXT = ("context_length", "context size", "context length", "context window")
# Of a server that fails, "too long" may be said of the time it took.
_LONG = (*_CONTEXT, "too long", "too large")
_TOO_LONG = {400: _LONG, 422: _LONG, 500: (*_CONTEXT, "too large to process")}


@cache
def _tls() -> ssl.SSLContext:
    """Made once: reading the certificates takes longer than the rest of a call."""
    return httpx2.create_ssl_context()


def _client(endpoint: Endpoint, seconds: float) -> httpx2.AsyncClient:
    unguarded = endpoint.local and endpoint.url.startswith("http:")
    return httpx2.AsyncClient(
        verify=False if unguarded else _tls(),
        timeout=httpx2.Timeout(seconds, connect=min(CONNECT_S, seconds)),
        follow_redirects=False,
        trust_env=not endpoint.local,  # a proxy has no business with what stays here
    )


async def look(endpoint: Endpoint, path: str, body: JSON = None) -> JSON:
    """Ask for something small, such as which models there are.

    Raises:
        MindError: it could not be had; the type says why.
    """
    seconds = min(LOOK_S, endpoint.seconds)
    said = None if body is None else dumps(body)
    async with _sent(endpoint, path, said, seconds) as response:
        return decoded(endpoint, await _read(endpoint, response, LARGEST_LIST))


async def post(endpoint: Endpoint, path: str, body: bytes, most: int) -> bytes:
    """Post a call whose answer comes in one piece, of so many bytes at the most.

    Raises:
        MindError: it could not be had; the type says why.
    """
    async with _sent(endpoint, path, body, endpoint.seconds) as response:
        return await _read(endpoint, response, most)


@asynccontextmanager
async def lines(
    endpoint: Endpoint, path: str, body: bytes
) -> AsyncIterator[tuple[bool, AsyncGenerator[bytes]]]:
    """Post a call; yields whether the answer comes as a stream of events, and its lines.

    An answer that is no stream is one line. The endpoint's `seconds` are for the whole call.
    """
    async with _sent(endpoint, path, body, endpoint.seconds) as response:
        kind = response.headers.get("content-type", "")
        streams = "event-stream" in kind or "ndjson" in kind
        said = _lines(endpoint, response) if streams else _whole(endpoint, response)
        async with aclosing(said):
            yield streams, said


@asynccontextmanager
async def _sent(
    endpoint: Endpoint, path: str, body: bytes | None, seconds: float
) -> AsyncIterator[httpx2.Response]:
    url = endpoint.url + path
    # An encoding could make a small answer a huge one.
    plainly = {"content-type": "application/json", "accept-encoding": "identity"}
    headers = {**plainly, **_authority(endpoint)}
    try:
        async with asyncio.timeout(seconds), _client(endpoint, seconds) as client:
            method = "GET" if body is None else "POST"
            async with client.stream(method, url, content=body, headers=headers) as response:
                if response.status_code != httpx2.codes.OK:
                    text = await _beginning(response, LONGEST_ERROR)
                    raise failure(endpoint, response.status_code, response.headers, text)
                if response.headers.get("content-encoding", "identity").lower() != "identity":
                    raise BadAnswer(
                        f"{endpoint.id} sent an encoding it was not asked for", worked=True
                    )
                yield response
    except (TimeoutError, httpx2.TimeoutException) as error:
        connecting = isinstance(error, httpx2.ConnectTimeout | httpx2.PoolTimeout)
        raise Unreachable(
            f"{endpoint.id} did not {'answer' if connecting else f'finish within {seconds:g} s'}",
            fix=f"is it busy? [substrates.{endpoint.id}] seconds in lumen.toml gives it longer",
            worked=body is not None and not connecting,
        ) from error
    except httpx2.ConnectError as error:
        raise Unreachable(
            f"{endpoint.id} cannot be reached at {endpoint.url}",
            fix=_where_to_look(endpoint),
            detail=plain(endpoint, str(error)),
        ) from error
    except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
        raise Unreachable(
            f"{endpoint.id} broke the connection",
            detail=plain(endpoint, str(error)),
            worked=body is not None,
        ) from error


def failure(endpoint: Endpoint, status: int, headers: Mapping[str, str], body: bytes) -> MindError:
    """What an answer that is no success means."""
    told = _error_fields(body)
    detail = plain(endpoint, f"{status} {told['message']}")
    said = f"{told['type']} {told['code']} {told['message']}".lower()
    gone = "model_not_found" in told["code"]
    if not gone and (barred := _barred(endpoint, status, said, detail)):
        return barred
    if status == 429:
        return Limited(
            f"{endpoint.id} wants fewer calls just now", detail=detail, after=_after(headers)
        )
    if status == 404 or gone:
        return _missing(endpoint, said, detail)
    if status == 413 or any(sign in said for sign in _TOO_LONG.get(status, ())):
        return TooLong(
            f"the prompt is longer than what {endpoint.id} lets this model read",
            fix="assign a model with a longer context to this role",
            detail=detail,
        )
    return _refused(endpoint, status, told, detail)


def _barred(endpoint: Endpoint, status: int, said: str, detail: str) -> MindError | None:
    """A key or an account that does not open the door; xAI calls a wrong key a bad request."""
    if status == 402 or (status in (400, 403, 429) and any(sign in said for sign in _NO_CREDIT)):
        return Denied(f"the account at {endpoint.id} has no credit left", detail=detail)
    wrong = status == 400 and re.search(r"(incorrect|invalid) api key", said)
    if not wrong and status not in (401, 403):
        return None
    what = f"{endpoint.id} {'did not accept the key' if endpoint.key else 'wants a key'}"
    return Denied(what, fix=f"lumen models key {endpoint.id}", detail=detail)


def _refused(endpoint: Endpoint, status: int, told: Mapping[str, str], detail: str) -> MindError:
    if status in (400, 422):
        if setting := _unwanted(endpoint, told):
            return Unsupported(setting, detail=detail)
        return MindError(f"{endpoint.id} refused the request", detail=detail)
    if 300 <= status < 400:
        return MindError(f"{endpoint.id} points elsewhere, which is not followed", detail=detail)
    return Unreachable(f"{endpoint.id} has trouble of its own ({status})", detail=detail)


def _unwanted(endpoint: Endpoint, told: Mapping[str, str]) -> str:
    """The setting that a refusal is about, if the call can do without it."""
    optional = [o for o in OPTIONAL if (endpoint.kind, o) != ("anthropic", "max_tokens")]
    if told["param"] in optional:
        return told["param"]
    message = told["message"]
    clear = [o for o in optional if re.search(rf"['`]{o}['`]|^{o}\b.*:", message)]
    if "support" in message:
        clear += [o for o in optional if re.search(rf"\b{o}\b", message)]
    return clear[0] if clear else ""


def _missing(endpoint: Endpoint, said: str, detail: str) -> MindError:
    if re.search("model(?!s)", said):  # the word in an address such as /v1/models means nothing
        return ModelGone(
            f"{endpoint.id} does not offer that model", fix="lumen models scan", detail=detail
        )
    return NoSubstrate(
        f"{endpoint.url} does not speak as {endpoint.kind} does",
        fix=f"check the url under [substrates.{endpoint.id}] in lumen.toml",
        detail=detail,
    )


def decoded(endpoint: Endpoint, raw: bytes, *, worked: bool = False) -> Any:  # noqa: ANN401 - a server's JSON
    """The JSON a server sent.

    Raises:
        BadAnswer: it is none.
    """
    try:
        return loads(raw)
    except ValueError as error:
        raise BadAnswer(
            f"{endpoint.id} answered with something that is no JSON",
            detail=plain(endpoint, raw[:LONGEST_ERROR].decode("utf-8", "replace")),
            worked=worked,
        ) from error


def plain(endpoint: Endpoint, text: str) -> str:
    """A server's words, short, harmless on a terminal, and without the key."""
    flat = " ".join(printable(text).split())
    if endpoint.key:  # looked for in what will be seen: taking marks out could put it together
        flat = flat.replace(endpoint.key, "(the key)")
    return flat if len(flat) <= SHOWN else flat[:SHOWN] + "…"


def _authority(endpoint: Endpoint) -> dict[str, str]:
    """The headers that hold the key.

    Raises:
        Denied: there is none, or it cannot stand in a header; any error about that would show it.
    """
    if endpoint.wants_key and endpoint.key_names and not endpoint.key:
        names = " or ".join(endpoint.key_names)
        raise Denied(
            f"there is no key for {endpoint.id} ({names})", fix=f"lumen models key {endpoint.id}"
        )
    if not (endpoint.key.isascii() and endpoint.key.isprintable()):
        raise Denied(
            f"the key for {endpoint.id} holds characters that no key has",
            fix=f"lumen models key {endpoint.id}",
        )
    if endpoint.kind == "anthropic":
        version = {"anthropic-version": "2023-06-01"}
        return {**version, "x-api-key": endpoint.key} if endpoint.key else version
    return {"authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}


def _where_to_look(endpoint: Endpoint) -> str:
    if endpoint.kind in ("ollama", "lmstudio"):
        return {"ollama": "ollama serve", "lmstudio": "lms server start"}[endpoint.kind]
    return "check the network, then: lumen models scan"


async def _lines(endpoint: Endpoint, response: httpx2.Response) -> AsyncGenerator[bytes]:
    rest = b""
    async with aclosing(response.aiter_bytes()) as chunks:
        async for chunk in chunks:
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                yield line
            if len(rest) > LONGEST_LINE:
                raise BadAnswer(f"{endpoint.id} sent a line without end", worked=True)
    if rest:
        yield rest


async def _whole(endpoint: Endpoint, response: httpx2.Response) -> AsyncGenerator[bytes]:
    yield await _read(endpoint, response, LONGEST_LINE)


async def _read(endpoint: Endpoint, response: httpx2.Response, most: int) -> bytes:
    found = await _beginning(response, most)
    if len(found) > most:
        raise BadAnswer(f"{endpoint.id} sent more than anyone could want", worked=True)
    return found


async def _beginning(response: httpx2.Response, most: int) -> bytes:
    """All of an answer, or where it is longer than wanted, a little more than that."""
    found = bytearray()
    async with aclosing(response.aiter_bytes()) as chunks:
        async for chunk in chunks:
            found += chunk
            if len(found) > most:
                break
    return bytes(found)


def _error_fields(body: bytes) -> dict[str, str]:
    """The parts of an error that OpenAI, Anthropic, Ollama and llama.cpp agree on."""
    empty = {"message": body.decode("utf-8", "replace"), "type": "", "code": "", "param": ""}
    try:
        said = loads(body)
    except ValueError:
        return empty
    inner = said.get("error", said) if isinstance(said, dict) else said
    if isinstance(inner, str):
        return {**empty, "message": inner}
    if not isinstance(inner, dict):
        return empty
    return {key: str(inner.get(key) or "") or fallback for key, fallback in empty.items()}


def _after(headers: Mapping[str, str]) -> float | None:
    """How long a server asks to wait: in seconds, or until a date."""
    said = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        until = email.utils.parsedate_to_datetime(said)
        until = until.astimezone(UTC) if until.tzinfo else until.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    now = datetime.now(UTC)  # noqa: TID251 - a server's date can only be compared with today's
    return max(0.0, (until - now).total_seconds())
