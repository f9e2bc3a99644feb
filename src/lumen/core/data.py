"""Every noun of the system, frozen, but for calls of models. What a step writes is defined beside the step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lumen.core.canon import JSON
from lumen.core.stores import Store, place_at

if TYPE_CHECKING:
    from lumen.core.payloads import OptionPayload


class Author(StrEnum):
    """Who wrote a memory."""

    SELF = "self"
    KERNEL = "kernel"
    GOAL = "goal"
    EXTERNAL = "external"


class Origin(StrEnum):
    """Where the content of an event came from; trust follows it."""

    AUTHOR = "author"
    GUEST = "guest"
    TOOL = "tool"
    WEB = "web"
    SELF = "self"
    KERNEL = "kernel"


class EventType(StrEnum):
    """What kind of thing happened."""

    AUTHOR_MESSAGE = "author_message"
    ASSISTANT_MESSAGE = "assistant_message"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    WORLD_ACTION = "world_action"
    HEARTBEAT = "heartbeat"
    LATTICE_UPDATE_PROPOSAL = "lattice_update_proposal"
    LATTICE_COMMIT = "lattice_commit"
    REFLECTION_PROBE = "reflection_probe"
    SYSTEM_EVENT = "system_event"


@dataclass(frozen=True, slots=True)
class Entry:
    """An event before it has a place in the chain."""

    author: Author
    event_type: EventType
    origin: Origin
    situation: str
    description: str
    session_key: str
    payload: dict[str, JSON] = field(default_factory=dict)
    agent_id: str = "interface"
    model: str | None = None
    weight: float = 0.5

    def payload_text(self, key: str) -> str:
        """What the payload says under a key, where that is a text."""
        value = self.payload.get(key)
        return value if isinstance(value, str) else ""


def kernel_entry(
    situation: str, said: str, session_key: str, payload: Mapping[str, object]
) -> Entry:
    """A kernel memory: the audit trail of what the kernel did."""
    return Entry(
        author=Author.KERNEL,
        event_type=EventType.SYSTEM_EVENT,
        origin=Origin.KERNEL,
        situation=situation,
        description=said,
        session_key=session_key,
        payload={**payload},
        agent_id="kernel",
    )


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the archive, read back."""

    event_hash: str
    parent_hash: str
    seq: int
    soul: str
    id: str
    timestamp: str
    entry: Entry
    content_hash: str
    salt: str


class Placed(NamedTuple):
    """Where an event came to stand in the chain."""

    seq: int
    event_hash: str
    id: str
    timestamp: str
    soul: str


@dataclass(frozen=True, slots=True)
class Memory:
    """What recall hands out: an event a loop may see. Kernel memories never take this form."""

    seq: int
    timestamp: str  # when it was: when it was archived, or the original date it was given with
    author: Author
    origin: Origin
    event_type: EventType
    text: str
    session_key: str
    private: bool = False
    weight: int = 500_000  # in millionths, as use and time have made it
    speaker: str = ""  # who said it, where several spoke and that was told
    conversation: str = ""

    def cited(self) -> JSON:
        """As a trace names it: by its event, never by its words."""
        return {"event": self.seq}


@dataclass(frozen=True, slots=True)
class SelfItem:
    """A value or a goal: how much it weighs and how it stands."""

    name: str
    weight: float
    status: str


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value by name, for a store of the kind `state`; `share` is how far an average moves to it."""

    name: str
    value: JSON
    share: float = 0.1


@dataclass(frozen=True, slots=True)
class Change:
    """A change somebody proposes; only the gate carries it out.

    `append` takes an Entry, or the object to add to a store of lines. `set` takes the whole new text
    of a file (None: no file), the hash of the text it replaces and, where a store has several files,
    which. `put`, `drop`, `move` and `add` name one value or goal; `set`, `append` and `average` with
    a NamedValue one value of a state: so two terminals can change two of them at once.
    """

    store: Store
    operation: str
    value: Entry | SelfItem | NamedValue | dict[str, JSON] | str | None
    base: str = ""
    path: str = ""


class Signed(NamedTuple):
    """A signature over some bytes, and the public half of the key that made it, both in hex."""

    key: str
    signature: str


Signer = Callable[[bytes], Signed]  # a key that is open


@dataclass(frozen=True, slots=True)
class Head:
    """A signed statement that the chain had this hash at this event."""

    soul: str
    seq: int
    event_hash: str
    key: str
    signature: str


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file as the archive has it: which event left it so, when, and from what."""

    path: str
    store: str
    seq: int
    timestamp: str
    base: str
    text: str | None

    @property
    def data(self) -> bytes | None:
        """What the file holds; nothing: there is no file."""
        return None if self.text is None else self.text.encode()


@dataclass(frozen=True, slots=True)
class Transition:
    """An event that changed files: a point the being can be taken back to."""

    seq: int
    timestamp: str
    what: str
    paths: tuple[str, ...]
    undoes: int = 0
    weighs: bool = False  # it took the weights of memories back

    @property
    def of_self(self) -> bool:
        """Whether it changed who the being is, or what it remembers best."""
        return self.weighs or any(place_at(path).goes_back for path in self.paths)


@dataclass(frozen=True, slots=True)
class FinishedCycle:
    """What a cycle of a loop came to: numbers and names, so that later ones can count with it.

    `options` are what each candidate's score rested on, `conflicts` which values pulled apart.
    """

    seq: int
    loop: str
    goal: str
    skill: str
    ok: bool
    progress: bool
    completed: bool
    delta: float
    chosen: int
    options: list[OptionPayload]
    conflicts: list[list[str]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a memory's text with its vector; `number` counts up as they are added."""

    seq: int
    start: int
    stop: int
    vector: bytes
    number: int = 0
    marks: int = 0  # bits, what each says is the kernel's to tell


@dataclass(frozen=True, slots=True)
class NearPassage:
    """A stretch of a memory's text that is near to a question, without its vector."""

    number: int
    seq: int
    start: int
    stop: int
    marks: int
    cosine: float


@dataclass(frozen=True, slots=True)
class CosineFit:
    """How long an embedder's vectors are, and the line from its cosines to the built-in ones'."""

    size: int
    scale: float
    shift: float


@dataclass(frozen=True, slots=True)
class BeingPaths:
    """One directory on disk: copy it and the being has moved."""

    root: Path

    @property
    def settings(self) -> Path:
        """What the author decides: roles, names, budgets."""
        return self.root / "lumen.toml"

    @property
    def is_being(self) -> bool:
        """Whether a being lives here: settings and an archive beside them."""
        return self.settings.is_file() and self.memory.is_dir()

    @property
    def data(self) -> Path:
        """Everything the being has become."""
        return self.root / "data"

    @property
    def memory(self) -> Path:
        """The archive, a folder a year, a segment a day."""
        return self.data / "memory"

    @property
    def heads(self) -> Path:
        """Signed chain heads."""
        return self.data / "heads.jsonl"

    @property
    def index(self) -> Path:
        """A projection of the archive; may be deleted at any time."""
        return self.data / "index" / "soul.db"

    @property
    def soul_md(self) -> Path:
        """Name, ontology, narrative."""
        return self.data / "soul.md"

    @property
    def values(self) -> Path:
        """What it holds dear, with weights."""
        return self.data / "values.json"

    @property
    def goals(self) -> Path:
        """A file a year."""
        return self.data / "goals"

    @property
    def quarantine(self) -> Path:
        """What was found where it should not be, kept for the author to look at."""
        return self.data / "quarantine"

    def at(self, path: str) -> Path:
        """The file that a path inside the being names."""
        return self.root / path

    def named(self, path: Path) -> str:
        """The path inside the being, as the archive spells it."""
        return path.relative_to(self.root).as_posix()

    @property
    def skills(self) -> Path:
        """The programs it may run."""
        return self.root / "skills"

    @property
    def prompts(self) -> Path:
        """Its own template overrides."""
        return self.root / "prompts"
