"""A substrate behind HTTP: one class for all of them, over what each dialect does its own way.

A dialect is three functions: which models there are, the body of a call, and how its answer is
read. Nothing is retried, and no other model is ever taken.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from lumen.core.canon import JSON, clean, dumps
from lumen.core.errors import BadAnswer, MindError, ModelGone, Unreachable, Unsupported
from lumen.mind.endpoints import Endpoint
from lumen.mind.substrate import (
    LONGEST_TOKEN,
    Completion,
    Health,
    ModelDescriptor,
    OnText,
    Prompt,
    Request,
)
from lumen.mind.substrates import http

THOUGHTS = ("<think>", "</think>")

Wire = Any  # a server's JSON, read in the dialects and nowhere else


@dataclass(slots=True)
class Heard:
    """An answer as it comes in; a dialect's `take` fills it."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0
    finish: str = ""
    served: str = ""  # which model the server says it is
    over: bool = False
    pieces: list[str] = field(default_factory=list)
    characters: int = 0

    def say(self, piece: object) -> None:
        """Take in a piece of text."""
        if isinstance(piece, str) and piece:
            self.pieces.append(piece)
            self.characters += len(piece)


class Dialect(NamedTuple):
    """How a kind of server speaks."""

    models: Callable[[Endpoint], Awaitable[list[ModelDescriptor]]]
    path: str
    body: Callable[[ModelDescriptor, Prompt], dict[str, JSON]]
    take: Callable[[Wire, Heard], None]
    whole: Callable[[Wire, Heard], None]


class Remote:
    """Models behind one endpoint. `known` are descriptors from an earlier look."""

    def __init__(
        self, endpoint: Endpoint, dialect: Dialect, known: Iterable[ModelDescriptor] = ()
    ) -> None:
        self.id = endpoint.id
        self.endpoint = endpoint
        self._dialect = dialect
        self._known = {m.model_id: m for m in known}
        self._dropped: dict[str, set[str]] = {}  # what a model refused to be told

    async def health(self) -> Health:
        """Whether it lists its models; why not, where it does not."""
        try:
            found = await self.discover()
        except MindError as error:
            return Health(ok=False, detail=error.what)
        return Health(
            ok=True,
            detail=f"{len(found)} model{'' if len(found) == 1 else 's'} at {self.endpoint.url}",
        )

    async def discover(self) -> list[ModelDescriptor]:
        """Every model it lists."""
        try:
            found = await self._dialect.models(self.endpoint)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise BadAnswer(
                f"{self.id} lists its models in a way that is not {self.endpoint.kind}'s"
            ) from error
        self._known |= {m.model_id: m for m in found}
        return found

    async def describe(self, model_id: str) -> ModelDescriptor:
        """A model known or listed; one that is neither is gone."""
        if model_id not in self._known:
            await self.discover()
        if model_id not in self._known:
            raise ModelGone(
                f"{self.id} does not offer {model_id}", fix=f"lumen models list {self.id}"
            )
        return self._known[model_id]

    def request(self, model_id: str, prompt: Prompt) -> Request:
        """The body that `invoke` posts."""
        model = self._known.get(model_id) or unlisted(self.endpoint, model_id)
        body = self._dialect.body(model, _cleaned(prompt))
        for name in self._dropped.get(model_id, ()):
            told = body.pop(name, None)
            if name == "max_tokens":  # what the newer models of OpenAI call it
                body["max_completion_tokens"] = told
        return Request(self.endpoint.url + self._dialect.path, dumps(body))

    async def invoke(
        self, model_id: str, prompt: Prompt, on_text: OnText | None = None
    ) -> Completion:
        """One call; a setting that the model does not take is left out the next time."""
        heard = Heard()
        most = prompt.max_tokens * LONGEST_TOKEN
        body = self.request(model_id, prompt).body
        try:
            async with http.lines(self.endpoint, self._dialect.path, body) as (streams, lines):
                if streams:
                    await self._listen(lines, heard, most, on_text)
                else:
                    await self._read(lines, heard, on_text)
        except Unsupported as refused:
            self._dropped.setdefault(model_id, set()).add(refused.what)
            raise
        await self._must_be_meant(model_id, heard.served)
        return _completion(self.endpoint, heard)

    async def _must_be_meant(self, model_id: str, served: str) -> None:
        """Some servers let whatever they have loaded answer to any name: that is no assignment.

        Raises:
            ModelGone: another model answered, and the one that was meant is not there.
        """
        if not served or alike(served, model_id):
            return
        if model_id not in {m.model_id for m in await self.discover()}:
            self._known.pop(model_id, None)
            raise ModelGone(
                f"{self.id} does not have {model_id}; another model answered in its place",
                fix=f"lumen models list {self.id}",
                detail=http.plain(self.endpoint, served),
                worked=True,
            )

    def close(self) -> None:
        """Nothing is held between calls."""

    async def _listen(
        self, lines: AsyncIterator[bytes], heard: Heard, most: int, on_text: OnText | None
    ) -> None:
        async for line in lines:
            payload = line.removeprefix(b"data:").strip()
            if not payload or line.startswith((b"event:", b"id:", b"retry:", b":")):
                continue
            if payload == b"[DONE]":
                heard.over = True
                continue
            before = len(heard.pieces)
            self._take(self._dialect.take, payload, heard)
            if on_text is not None:
                for piece in heard.pieces[before:]:
                    on_text(piece)
            if heard.characters > most:
                heard.finish, heard.over = "length", True
                return

    async def _read(
        self, lines: AsyncIterator[bytes], heard: Heard, on_text: OnText | None
    ) -> None:
        async for raw in lines:
            self._take(self._dialect.whole, raw, heard)
        heard.over = True
        if on_text is not None:
            on_text("".join(heard.pieces))

    def _take(self, take: Callable[[Wire, Heard], None], payload: bytes, heard: Heard) -> None:
        said = http.decoded(self.endpoint, payload, worked=True)
        try:
            if isinstance(said, dict) and said.get("error"):
                raise _in_mid_answer(self.endpoint, payload)
            take(said, heard)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            raise BadAnswer(
                f"{self.id} answered in a way that is not {self.endpoint.kind}'s",
                detail=http.plain(self.endpoint, payload.decode("utf-8", "replace")),
                worked=True,
            ) from error


def alike(served: str, asked: str) -> bool:
    """Whether a server's name for a model may mean the one asked for: dated, or without its maker."""
    one, other = (n.lower().rpartition("/")[2].removesuffix("-latest") for n in (served, asked))
    return one.startswith(other) or other.startswith(one)


def unlisted(endpoint: Endpoint, model_id: str) -> ModelDescriptor:
    """A model of which nothing is known but its name."""
    return descriptor(endpoint, model_id, {})


def descriptor(endpoint: Endpoint, model_id: str, told: Mapping[str, Any]) -> ModelDescriptor:
    """What is known of a model.

    `told` may hold display_name, context, size, tools, vision, thinks, embeds and elsewhere.
    """
    size = told.get("size") or size_in(model_id)
    return ModelDescriptor(
        substrate=endpoint.id,
        model_id=model_id,
        display_name=str(told.get("display_name") or model_id),
        context_tokens=told.get("context"),
        tool_calling="native" if told.get("tools") else "none",
        vision=bool(told.get("vision")),
        small=bool(size) and size <= SMALL,
        local=endpoint.local and not told.get("elsewhere"),
        embeds=bool(told.get("embeds")) or "embed" in model_id.lower(),
        thinks=bool(told.get("thinks")),
    )


SMALL = 2e9  # parameters; up to here examples work better than instructions


def size_in(text: str) -> float:
    """How many parameters a name speaks of: qwen3:1.7b, SmolLM2-135M; 0: none."""
    found = re.search(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])", text.lower())
    return float(found[1]) * {"b": 1e9, "m": 1e6}[found[2]] if found else 0.0


def _cleaned(prompt: Prompt) -> Prompt:
    turns = tuple(type(t)(clean(t.said), clean(t.reply)) for t in prompt.turns)
    return replace(prompt, system=clean(prompt.system), user=clean(prompt.user), turns=turns)


def _in_mid_answer(endpoint: Endpoint, payload: bytes) -> MindError:
    """An error that comes after the answer has begun well."""
    error = http.failure(endpoint, 500, {}, payload)
    return Unreachable(
        f"{endpoint.id} failed in the middle of its answer", detail=error.detail, worked=True
    )


def _completion(endpoint: Endpoint, heard: Heard) -> Completion:
    if not heard.over and not heard.finish:
        raise Unreachable(f"{endpoint.id} broke off in the middle of its answer", worked=True)
    text = without_thoughts("".join(heard.pieces))
    if not text.strip():
        thinking = (
            " (all it was allowed to say went into thinking)" if heard.finish == "length" else ""
        )
        raise BadAnswer(f"{endpoint.id} answered with nothing{thinking}", worked=True)
    return Completion(
        text=text,
        prompt_tokens=heard.prompt_tokens,
        completion_tokens=heard.completion_tokens,
        cached_tokens=heard.cached_tokens,
        finish=heard.finish or "stop",
    )


def without_thoughts(text: str) -> str:
    """An answer without the thinking some models put before it."""
    opening, closing = THOUGHTS
    if text.lstrip().startswith(opening):
        return text.partition(closing)[2]
    return text
