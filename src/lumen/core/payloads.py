"""What events carry that has a meaning for state: one type for those who write it and those who fold it.

These are the archived fields, so a name here never changes. A type says what the kernel writes; what
is read back is parsed by soul/state/fold.py and kernel/gate/proposals.py, which refuse anything else.
Payloads without a meaning for state (traces, notes of skills) are plain JSON.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lumen.core.canon import JSON


class OptionPayload(TypedDict):
    """What the score of one candidate rested on."""

    values: list[str]
    goal: float | None
    able: bool
    tries: int
    allowed: NotRequired[bool]
    prompted: NotRequired[float]


class SpokenPayload(TypedDict):
    """What kind of reply was given, and how likely it was that the author takes it up."""

    kind: str
    likely: float


class CyclePayload(TypedDict):
    """What a cycle of a loop came to."""

    loop: str
    goal: NotRequired[str]
    skill: NotRequired[str]
    ok: NotRequired[bool]
    progress: NotRequired[bool]
    completed: NotRequired[bool]
    delta: NotRequired[float]
    chosen: NotRequired[int]
    options: NotRequired[list[OptionPayload]]
    conflicts: NotRequired[list[list[str]]]
    spoken: NotRequired[SpokenPayload]  # for the turn that closes this one


_Tries = TypedDict("_Tries", {"try": NotRequired[int]})  # no name that a class body could hold


class CallPayload(_Tries):
    """A call to a model: as it is announced, and with its outcome when it is over."""

    id: NotRequired[str]  # older lines have none, and count for nothing
    role: str
    step: str
    model: str
    local: bool
    set_aside: int
    micros: NotRequired[int | None]
    templates: NotRequired[dict[str, str]]
    escalated: NotRequired[bool]
    outcome: NotRequired[str]
    tokens: NotRequired[int | None]
    prompt_tokens: NotRequired[int | None]
    completion_tokens: NotRequired[int | None]
    cached_tokens: NotRequired[int]
    seconds: NotRequired[float]
    first_seconds: NotRequired[float]  # of them, until its first words
    finish: NotRequired[str]
    detail: NotRequired[str]
    at: NotRequired[int]  # where an erasure carries it on: the event that told of it, and when
    moment: NotRequired[str]


class ChangePayload(TypedDict):
    """A file that was set, or an operation on a record; older lines name no path."""

    store: str
    value: JSON
    operation: NotRequired[str]
    path: NotRequired[str]
    base: NotRequired[str]
    name: NotRequired[str]
    share: NotRequired[int]
    most: NotRequired[int]
    days: NotRequired[int]
    at: NotRequired[int]
    n: NotRequired[int]


class UsesPayload(TypedDict):
    """Memories that were of use, and how much that strengthens each."""

    memories: list[int]
    by: int
    at: NotRequired[int]
    day: NotRequired[int]


class FadePayload(TypedDict):
    """Unused memories lose weight."""

    as_of: str
    half_life_days: int


class MarksPayload(TypedDict):
    """Memories that are private from here on, or no longer."""

    memories: list[int]
    private: bool


class HeldPayload(TypedDict):
    """An edit that waits for the author's word."""

    path: str
    sha256: str


class StatePayload(TypedDict, total=False):
    """Every key of a payload that changes state; nobody but the kernel may write one."""

    call: CallPayload
    calls: list[CallPayload]
    changes: list[ChangePayload]
    checkpoint: str
    cycle: CyclePayload
    erases: list[dict[str, JSON]]
    fade: FadePayload
    held: HeldPayload
    marks: MarksPayload
    restores: int | list[dict[str, int]]
    scrubbed: int
    undoes: int | list[dict[str, int]]
    uses: UsesPayload | list[UsesPayload]


class EscalationPayload(TypedDict):
    """A stronger model that might be asked, what that is worth, costs, and how it is taken back."""

    model: str
    question: int
    expected_value: float
    tokens: int
    micros: int | None
    way_back: str


class SkillProposalPayload(TypedDict):
    """Files that a model wrote and that would run as a skill."""

    skill: str
    sha256: str
    by: NotRequired[str]
    why: NotRequired[str]


class DecisionPayload(TypedDict):
    """The author's word on a proposal."""

    proposal: int
    event_hash: str
