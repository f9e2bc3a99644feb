"""What a model backend is to Lumen: it says what it has, how it is, and answers one prompt.

No chat history, no retries, no choice of model: those belong to whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from lumen.core.canon import JSON
from lumen.core.trust import Ability, Trust

OnText = Callable[[str], None]
ENGLISH = "en"
LONGEST_TOKEN = 32  # characters; who writes more does not heed the limit, and is cut off


@dataclass(frozen=True, slots=True)
class ModelDescriptor:
    """A model a substrate offers, and what must be known before asking it."""

    substrate: str
    model_id: str
    display_name: str
    context_tokens: int | None
    tool_calling: Literal["native", "mediated", "none"]
    vision: bool
    may: Trust
    local: bool
    embeds: bool = False  # it makes vectors, not words
    thinks: bool = False  # it may think before it speaks
    last_seen: str = ""  # when its substrate last listed it, or it last answered a probe
    sha256: str = ""  # of its file, where it runs in this process

    @property
    def small(self) -> bool:
        """Whether its own words assert nothing: it is shown examples, and the shortest prompts."""
        return Ability.WORLD not in self.may

    def speaks(self, language: str) -> bool:
        """Whether it may be heard in a language; in English even a small one is, by each word of it."""
        return language == ENGLISH or language in self.may

    @property
    def key(self) -> str:
        """What was measured of it is kept by this: a file of another name is the same model."""
        return self.sha256 or str(self)

    def __str__(self) -> str:
        """As it is assigned to a role."""
        return f"{self.substrate}/{self.model_id}"


@dataclass(frozen=True, slots=True)
class Health:
    """Whether a substrate could answer now, and why not."""

    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange shown to a model as if it had happened: an example, or a recent one."""

    said: str
    reply: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """All a model is given for one call; `turns` stand between the system text and the user's.

    `schema` is the JSON schema the answer must follow; none: words.
    """

    system: str
    user: str
    max_tokens: int
    temperature: float = 0.0
    seed: int = 0
    stop: tuple[str, ...] = ()
    turns: tuple[Exchange, ...] = ()
    schema: JSON = None

    def messages(self) -> list[tuple[str, str]]:
        """Everything that is said, in order, with who says it."""
        said = [("system", self.system)]
        for turn in self.turns:
            said += [("user", turn.said), ("assistant", turn.reply)]
        return [*said, ("user", self.user)]

    def chat_settings(self) -> dict[str, JSON]:
        """How it is to be answered, in the words of OpenAI's chat, which most servers know."""
        said: dict[str, JSON] = {
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self.stop:
            said["stop"] = list(self.stop)
        if self.schema is not None:
            schema = {"name": "answer", "strict": True, "schema": self.schema}
            said["response_format"] = {"type": "json_schema", "json_schema": schema}
        return said


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said, and what it took to say it; no number: its server did not tell."""

    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int
    finish: str
    seconds: float = 0.0  # as long as whoever asked had to wait
    copied: bool = False  # it only said the reply of an example, or all that it was asked, again


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent to a server, to the byte; who is asked is not in it, nor is a key."""

    url: str
    body: bytes


class Substrate(Protocol):
    """A backend that discovers and calls models."""

    id: str

    async def health(self) -> Health:
        """Whether a call could succeed now; never raises for an absent backend."""

    async def discover(self) -> list[ModelDescriptor]:
        """The models that can be named without knowing them beforehand."""

    async def describe(self, model_id: str) -> ModelDescriptor:
        """The model of that id, listed or not; NoSubstrate when there is none."""

    def request(self, model_id: str, prompt: Prompt) -> Request | None:
        """What `invoke` would send for this prompt; nothing where nothing leaves this process."""

    async def invoke(
        self, model_id: str, prompt: Prompt, on_text: OnText | None = None
    ) -> Completion:
        """One call, tried once. Pieces go to `on_text` on the event loop, in order, as they are written."""

    def close(self) -> None:
        """Stop what runs and let go of everything; no call may follow."""
