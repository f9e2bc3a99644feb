"""A substrate behind HTTP: one class for all of them, over what each dialect does its own way.

A dialect is three functions: which models there are, the body of a call, and how its answer is
read. Nothing is retried, and no other model is ever taken.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from lumen.core.canon import JSON, clean, dumps, printable
from lumen.core.errors import BadAnswer, MindError, ModelGone, TooLong, Unreachable, Unsupported
from lumen.core.trust import FULL, LOWEST
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
ModelFacts = Mapping[str, Any]  # what is known of a model, in the words of `descriptor`


@dataclass(slots=True)
class PartialAnswer:
    """An answer as it comes in; a dialect's `take` fills it."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0
    finish: str = ""
    served: str = ""  # which model the server says it is
    over: bool = False
    pieces: list[str] = field(default_factory=list)  # what is said aloud
    characters: int = 0  # of all that came, thoughts too
    held: str = ""  # it may be the beginning of a thought
    thinking: bool = False
    thought: bool = False  # it did, and what stands between that and its words is nothing

    def say(self, piece: object) -> None:
        """Take in a piece of text; thinking that some models put before their words stays here."""
        if not isinstance(piece, str) or not piece:
            return
        self.characters += len(piece)
        if self.pieces:
            self.pieces.append(piece)
            return
        self.held += piece
        while self._thought():
            pass
        begun = self.held.lstrip()
        if not self.thinking and begun and not THOUGHTS[0].startswith(begun):
            self.pieces.append(begun if self.thought else self.held)

    def _thought(self) -> bool:
        """Leave out a thought that has come to its end."""
        opening, closing = THOUGHTS
        self.thinking = self.thinking or self.held.lstrip().startswith(opening)
        if not self.thinking:
            return False
        _, closed, rest = self.held.partition(closing)
        self.thinking, self.thought = not closed, True
        self.held = rest if closed else self.held[1 - len(closing) :]
        return bool(closed)

    def end(self) -> None:
        """Nothing more will come: what only looked like the beginning of a thought is none."""
        if not self.pieces and not self.thinking and self.held.strip():
            self.pieces.append(self.held)


class Dialect(NamedTuple):
    """How a kind of server speaks."""

    models: Callable[[Endpoint], Awaitable[list[ModelDescriptor]]]
    path: str
    body: Callable[[ModelDescriptor, Prompt], dict[str, JSON]]
    take: Callable[[Wire, PartialAnswer], None]
    whole: Callable[[Wire, PartialAnswer], None]


class Listing(NamedTuple):
    """Where a server lists its models, and what it tells of one; nothing: that one is left out."""

    path: str
    under: str  # the key of the list
    name: str  # the key of a model's name
    told: Callable[[Wire], ModelFacts | None]

    async def models(self, endpoint: Endpoint) -> list[ModelDescriptor]:
        """Every model there is."""
        listed = (await http.look(endpoint, self.path))[self.under]
        known = [(str(m[self.name]), self.told(m)) for m in listed]
        plainly = {"tools": endpoint.kind in TOOLED}
        return [descriptor(endpoint, name, {**plainly, **told}) for name, told in known if told]


class Remote:
    """Models behind one endpoint. `known` are descriptors from an earlier look."""

    def __init__(
        self, endpoint: Endpoint, dialect: Dialect, known: Iterable[ModelDescriptor] = ()
    ) -> None:
        self.id = endpoint.id
        self.endpoint = endpoint
        self._dialect = dialect
        self._known = {m.model_id: m for m in known}
        self._dropped: dict[str, list[str]] = {}  # what a model refused to be told, in order
        self._meant: set[tuple[str, str]] = set()  # a model, and another name it answers under

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
        found = [m for m in found if m.model_id.strip() and m.model_id.isprintable()]
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
            if name == "stream":  # it goes with it
                body.pop("stream_options", None)
        return Request(self.endpoint.url + self._dialect.path, dumps(body))

    async def invoke(
        self, model_id: str, prompt: Prompt, on_text: OnText | None = None
    ) -> Completion:
        """One call; a setting that the model does not take is left out the next time."""
        heard = PartialAnswer()
        most = prompt.max_tokens * LONGEST_TOKEN
        body = self.request(model_id, prompt).body
        hear, said = on_text or (lambda _: None), 0
        try:
            async with http.lines(self.endpoint, self._dialect.path, body) as (streams, lines):
                parts = self._listen(lines, heard, most) if streams else self._read(lines, heard)
                async with aclosing(parts):
                    async for _ in parts:
                        await self._must_be_meant(model_id, heard.served)
                        for piece in heard.pieces[said:]:
                            hear(piece)
                        said = len(heard.pieces)
        except Unsupported as refused:
            self._dropped.setdefault(model_id, []).append(refused.what)
            raise
        return _completion(self.endpoint, heard)

    async def _must_be_meant(self, model_id: str, served: str) -> None:
        """Some servers let whatever they have loaded answer to any name: that is no assignment.

        Raises:
            ModelGone: another model answered, and the one that was meant is not there.
            Unreachable: another name answered, and what is there cannot be found out.
        """
        if not served or (model_id, served) in self._meant or alike(served, model_id):
            return
        try:
            listed = {m.model_id for m in await self.discover()}
        except MindError as error:
            raise Unreachable(
                f"another name than {model_id} answered, and {self.id} does not list its models",
                detail=error.detail,
                worked=True,
            ) from error
        # LM Studio lists what it could load, and may let what is loaded answer.
        instead = self.endpoint.kind == "lmstudio" and served in listed
        if model_id in listed and not instead:
            self._meant.add((model_id, served))
            return
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
        self, lines: AsyncIterator[bytes], heard: PartialAnswer, most: int
    ) -> AsyncGenerator[None]:
        """Take in an answer; control comes back after each part of it."""
        async for line in lines:
            payload = line.removeprefix(b"data:").strip()
            if not payload or line.startswith((b"event:", b"id:", b"retry:", b":")):
                continue
            if payload == b"[DONE]":
                heard.over = True
            else:
                self._take(self._dialect.take, payload, heard)
            if heard.characters > most:
                heard.finish, heard.over = "length", True
            if heard.over:  # not when the server hangs up, which it may forget to
                break
            yield
        heard.end()
        yield

    async def _read(
        self, lines: AsyncIterator[bytes], heard: PartialAnswer
    ) -> AsyncGenerator[None]:
        async for raw in lines:
            self._take(self._dialect.whole, raw, heard)
        heard.over = True
        heard.end()
        yield

    def _take(
        self, take: Callable[[Wire, PartialAnswer], None], payload: bytes, heard: PartialAnswer
    ) -> None:
        said = http.decoded(self.endpoint, payload, worked=True)
        try:
            if isinstance(said, dict) and said.get("error"):
                raise _in_mid_answer(self.endpoint, payload, heard)
            take(said, heard)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            raise BadAnswer(
                f"{self.id} answered in a way that is not {self.endpoint.kind}'s",
                detail=http.plain(self.endpoint, payload.decode("utf-8", "replace")),
                worked=True,
            ) from error


def alike(served: str, asked: str) -> bool:
    """Whether a server's name for a model may mean the one asked for: dated, or without its maker."""
    one, other = sorted((_stem(served), _stem(asked)), key=len)
    return other.startswith(one) and bool(_REVISION.fullmatch(other.removeprefix(one)))


_REVISION = re.compile(r"(?:[-@:](?:\d{3,8}|\d{4}-\d\d-\d\d))?")


def _stem(name: str) -> str:
    return re.sub(r"(?:[-:]latest|-0)$", "", name.lower().rpartition("/")[2])


def unlisted(endpoint: Endpoint, model_id: str) -> ModelDescriptor:
    """A model of which nothing is known but its name."""
    return descriptor(endpoint, model_id, {})


def descriptor(endpoint: Endpoint, model_id: str, told: ModelFacts) -> ModelDescriptor:
    """What is known of a model.

    `told` may hold display_name, context, size, tools, vision, thinks, embeds and elsewhere.
    """
    size = told.get("size") or size_in(model_id)
    return ModelDescriptor(
        substrate=endpoint.id,
        model_id=model_id,
        display_name=printable(str(told.get("display_name") or model_id)),
        context_tokens=count(told.get("context")) or None,
        tool_calling="native" if told.get("tools") else "none",
        vision=bool(told.get("vision")),
        may=LOWEST if size and size <= SMALL else FULL,
        local=endpoint.local
        and not told.get("elsewhere")
        and not _in_the_cloud(endpoint, model_id),
        embeds=bool(told.get("embeds")) or "embed" in model_id.lower(),
        thinks=bool(told.get("thinks")),
    )


def count(told: object) -> int | None:
    """A number of tokens as a server tells it; None: it is no such number."""
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told < MOST_TOKENS:
        return None
    return int(told)


def _in_the_cloud(endpoint: Endpoint, model_id: str) -> bool:
    """Ollama passes models of such names on to a host of its own: what is said to them leaves."""
    return endpoint.kind == "ollama" and model_id.lower().endswith(("-cloud", ":cloud"))


TOOLED = ("openai", "xai")  # every model there can be given tools
MOST_TOKENS = 1 << 40  # nothing was ever that long
SMALL = 2e9  # parameters; up to here examples work better than instructions


def size_in(text: str) -> float:
    """How many parameters a name speaks of: qwen3:1.7b, SmolLM2-135M; 0: none."""
    found = re.search(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])", text.lower())
    return float(found[1]) * {"b": 1e9, "m": 1e6}[found[2]] if found else 0.0


def _cleaned(prompt: Prompt) -> Prompt:
    turns = tuple(type(t)(clean(t.said), clean(t.reply)) for t in prompt.turns)
    return replace(prompt, system=clean(prompt.system), user=clean(prompt.user), turns=turns)


def _in_mid_answer(endpoint: Endpoint, payload: bytes, heard: PartialAnswer) -> MindError:
    """An error that comes after the answer has begun well, or when only its headers have."""
    error = http.failure(endpoint, 500, {}, payload)
    if isinstance(error, TooLong) and not heard.characters:
        return error
    return Unreachable(
        f"{endpoint.id} failed in the middle of its answer", detail=error.detail, worked=True
    )


def _completion(endpoint: Endpoint, heard: PartialAnswer) -> Completion:
    if not heard.over and not heard.finish:
        raise Unreachable(f"{endpoint.id} broke off in the middle of its answer", worked=True)
    text = "".join(heard.pieces)
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
