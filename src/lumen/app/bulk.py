"""Remembering in bulk: what the author gives to keep, with the dates it is from; nobody answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from lumen.core.canon import clean
from lumen.core.clock import stamp, ulid
from lumen.core.data import Change, Entry, kernel_entry
from lumen.core.errors import UsageError
from lumen.core.stores import Store
from lumen.kernel.turn.conversation import LONGEST_MESSAGE, IncomingMessage, says_something
from lumen.kernel.turn.run import Kernel
from lumen.soul.state.fold import TOLD

AT_ONCE = 256  # memories in one commit


@dataclass(frozen=True, slots=True)
class Memo:
    """Something to remember: `at` is when it was, `speaker` who said it (else the author).

    A moment without a zone is taken to be in the author's. `session` names the conversation.
    """

    text: str
    at: datetime | None = None
    speaker: str | None = None
    session: str | None = None
    private: bool = False


@dataclass(frozen=True, slots=True)
class MemoriesKept:
    """What was kept: the events, in the order given; and how many secrets were left out."""

    events: tuple[int, ...]
    redacted: int


def remember(kernel: Kernel, memos: Iterable[Memo], author_name: str) -> MemoriesKept:
    """Archive what the author gives to remember, durably, a few hundred in a commit.

    Raises:
        UsageError: one of them says nothing, or too much; those in commits before it are kept.
    """
    events: list[int] = []
    hidden = 0
    each = iter(memos)
    while batch := list(islice(each, AT_ONCE)):
        entries = [_entry(kernel, memo, author_name) for memo in batch]
        hidden += sum(kernel.gate.redacted(entry.description)[1] for entry in entries)
        changes = [Change(Store.MEMORY, "append", entry) for entry in entries]
        said = f"The author gave {len(entries)} to remember."
        beat = kernel_entry("remembered", said, "lumen:author", {"many": len(entries)})
        placed = kernel.gate.commit("author", changes, beat, durable=True, sign=True)
        events += [p.seq for p in placed[: len(entries)]]
    kernel.index.catch_up()
    return MemoriesKept(tuple(events), hidden)


def as_memos(what: str | Memo | Iterable[str | Memo], like: Memo) -> Iterator[Memo]:
    """One text or many as memos; what a plain text does not say is said by `like`."""
    for one in [what] if isinstance(what, str | Memo) else what:
        if isinstance(one, Memo):
            yield one
        else:
            yield Memo(one, like.at, like.speaker, like.session, like.private)


def _entry(kernel: Kernel, memo: Memo, author_name: str) -> Entry:
    given: tuple[object, object] = (memo.text, memo.at)
    if not isinstance(given[0], str) or not isinstance(given[1], datetime | None):
        raise UsageError(
            f"{memo.text!r} at {memo.at!r} is no text at a moment",
            fix='lumen.Memo("words", at=datetime(2021, 10, 3))',
        )
    text = clean(memo.text).strip()
    if not says_something(text) or len(text) > LONGEST_MESSAGE:
        raise UsageError("what is to be remembered is empty, or too much", fix="give it words")
    guest = memo.speaker if memo.speaker and memo.speaker != author_name else ""
    spoken = IncomingMessage(memo.session or "", guest, private=memo.private)
    entry = spoken.entry(text, f"lumen:told:{ulid(kernel.clock)}")
    at = {"occurred_at": _stamped(kernel, memo.at)} if memo.at else {}
    return replace(entry, situation=TOLD, payload={**entry.payload, **at})


def _stamped(kernel: Kernel, at: datetime) -> str:
    return stamp(at if at.tzinfo else at.replace(tzinfo=kernel.now().zone))
