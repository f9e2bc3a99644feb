"""What is quick to do with an open being, the same for plain and for async code.

Not covered: what asks a model, which stands in being.py; and who may call this. A program that opens
a being speaks as its author.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, overload

from lumen.app import (
    approving,
    checkpointing,
    explaining,
    forgetting,
    memories,
    privacy,
    recalling,
    safekeeping,
    spending,
)
from lumen.app.bulk import Memo, MemoriesKept, as_memos, remember
from lumen.app.holding import SelfItems
from lumen.app.living import Scheduler
from lumen.app.looking import ReadOnlyBeing
from lumen.app.models import Models, models_of
from lumen.app.queues import Queues
from lumen.app.settings import must_be
from lumen.app.skills import SkillState, skills_of
from lumen.app.status import Status, read_status
from lumen.app.talking import IncomingMessage, key_of, new_conversation
from lumen.app.wiring import alone
from lumen.core.errors import UsageError
from lumen.kernel.turn.run import Kernel

if TYPE_CHECKING:
    from lumen.app.histories import History
    from lumen.kernel.gate.commit import Gate
    from lumen.kernel.recall.evidence import Evidence
    from lumen.soul.backup.pack import Packed

AUTHOR = ""  # the speaker that is nobody else


class Opened:
    """An open being: what can be asked of it and changed in it without asking a model."""

    def __init__(self, kernel: Kernel, repairs: Iterable[str] = ()) -> None:
        self._wired: Kernel | None = kernel
        self._talks: dict[str, str] = {}  # the conversation of each speaker, while this is open
        self._told = list(repairs)
        self._folder = kernel.being
        self._queues = Queues()
        self._scheduler = Scheduler(kernel)

    @property
    def _kernel(self) -> Kernel:
        if self._wired is None:
            raise UsageError("this being was closed", fix="open it again, and stay in the `with`")
        return self._wired

    @property
    def values(self) -> SelfItems:
        """What it values, the heaviest first; changed as its author."""
        return SelfItems("value", self._kernel.index, self._authors_gate)

    @property
    def goals(self) -> SelfItems:
        """What it is after, the heaviest first; changed as its author."""
        return SelfItems("goal", self._kernel.index, self._authors_gate)

    @property
    def contracts(self) -> SelfItems:
        """How it speaks, and what of it does not change; changed as its author."""
        return SelfItems("contract", self._kernel.index, self._authors_gate)

    @property
    def path(self) -> Path:
        """Where the being is."""
        return self._folder.root

    @asynccontextmanager
    async def _turn(self, *names: str) -> AsyncIterator[Kernel]:
        """The kernel for one turn; those under one name wait for each other, in the order they came."""
        async with self._queues.turn(*names):
            yield self._kernel

    def close(self) -> None:
        """Let go of models and files; what is asked of it from here on is refused."""
        if self._wired:
            self._wired.close()
        self._wired = None

    def notices(self) -> tuple[str, ...]:
        """What had to be repaired since this was last asked, in words for the author."""
        told = [*self._told, *self._kernel.gate.repairs, *self._kernel.index.repairs]
        for said in (self._told, self._kernel.gate.repairs, self._kernel.index.repairs):
            said.clear()
        return tuple(told)

    def remember(
        self,
        what: str | Memo | Iterable[str | Memo],
        *,
        at: datetime | None = None,
        speaker: str | None = None,
        session: str | None = None,
        private: bool = False,
    ) -> MemoriesKept:
        """Keep one text or many, as said at a moment of the past; nothing answers them."""
        memos = as_memos(what, Memo("", at, speaker, session, private))
        return remember(self._kernel, memos, self._look().settings.author_name)

    def recall(
        self,
        query: str,
        *,
        lane: str | None = None,
        as_of: date | None = None,
        limit: int = recalling.LISTED,
        explain: bool = False,
    ) -> tuple[recalling.RecalledMemory, ...]:
        """What was said or found that bears on a question, of every lane or one, best first.

        `as_of`: only what is of that day or earlier. `explain`: with what each score is made of.
        """
        wanted = recalling.RecallFilter(lane, as_of, limit, explain)
        index, tell = self._look().index, self._told.append
        return recalling.recall(index, query, wanted, tell, self._kernel.recall)

    def memory(
        self,
        query: str = "",
        *,
        author: str | None = None,
        day: str | None = None,
        limit: int | None = memories.LISTED,
    ) -> tuple[memories.Recollection, ...]:
        """The last memories, or those that words or meaning find; `day` is a UTC day."""
        wanted = memories.MemoryFilter(query, author, day, limit)
        return memories.remembered(self._look().index, wanted, self._evidence)

    @overload
    def why(self, what: None = None) -> explaining.Explained: ...
    @overload
    def why(self, what: str | int) -> explaining.Explained | explaining.Claimed | History: ...
    def why(
        self, what: str | int | None = None
    ) -> explaining.Explained | explaining.Claimed | History:
        """Where the last answer comes from; or that of an event, a claim, a value or a goal."""
        asked = None if what is None else str(what)
        return explaining.why_of(self._look().index, asked, self._evidence)

    def trace(self, event: int | None = None) -> explaining.Traced:
        """What every step of the last turn, or of an event's turn, read, wrote and took."""
        return explaining.trace_of(self._look().index, event)

    def status(self) -> Status:
        """Who the being is and how it is."""
        look = self._look()
        return read_status(look.being, look.settings, look.index)

    def plan_forget(self, what: str | int, *, own_files: bool = False) -> forgetting.ToForget:
        """All that would go with a memory or with some words; nothing is changed."""
        return forgetting.plan_forgetting(self._kernel, str(what), own_files=own_files)

    def forget(self, planned: forgetting.ToForget) -> forgetting.Forgotten:
        """Erase what was planned, for good."""
        if not isinstance(planned, forgetting.ToForget):
            raise UsageError(
                f"{planned!r} is no plan", fix="being.forget(being.plan_forget(what)): look first"
            )
        return forgetting.forget(self._kernel, planned)

    def mark_private(self, *events: int, private: bool = True) -> privacy.PrivacyMarks:
        """Let memories never leave for a model that is not local; or, with `private` off, again."""
        with self._as_author() as kernel:
            return privacy.mark(kernel, events, private=private)

    def checkpoints(self) -> tuple[checkpointing.Moment, ...]:
        """Every moment the self can be taken back to."""
        return checkpointing.moments(self._look().index)

    def checkpoint(self, name: str) -> checkpointing.NamedCheckpoint:
        """Give this moment a name."""
        return checkpointing.name_moment(self._kernel.gate, name)

    def restore(self, point: str | int) -> checkpointing.Restored:
        """Take the self back to a moment, by name or event; what was said since stays."""
        return checkpointing.restore(self._kernel.gate, str(point))

    def undo(self) -> checkpointing.TakenBack:
        """Take back the last change of self."""
        return checkpointing.undo(self._kernel.gate)

    def models(self) -> Models:
        """Which model serves which role, and which substrates there are; nobody is asked."""
        return models_of(self._look().settings)

    def skills(self) -> tuple[SkillState, ...]:
        """What it can do: whether each skill is ready, who made it, how it is held."""
        look = self._look()
        return skills_of(look.being, look.settings, look.index)

    def approvals(self, *, everything: bool = False) -> tuple[approving.Pending, ...]:
        """What waits for the author's word; or everything that ever did."""
        return approving.pending(self._look().index, everything=everything)

    def deny(self, number: int) -> approving.ApprovalRequest:
        """Refuse a proposal; the author's key signs that."""
        with approving.one_at_a_time(self._kernel.being), self._as_author() as kernel:
            return approving.sign_no(kernel, self._look().settings.soul, number)

    def treasury(self, days: int = spending.DAYS, calls: int = 0) -> spending.Treasury:
        """What models cost, and where that leads; the last `calls` one by one."""
        return spending.treasury_of(self._look(), self._kernel.clock.now(), days, calls)

    def egress(self, limit: int = 20) -> tuple[spending.EgressRow, ...]:
        """What was sent to models that are not on this machine, the newest first."""
        return spending.egress_of(self._look(), limit)

    def backup(self, file: str | Path) -> Packed:
        """Put the whole being into one new file, verified."""
        return safekeeping.backup_being(self._kernel.being, Path(file), self._kernel.clock)

    def verify(self, *, deep: bool = False) -> safekeeping.Verified:
        """Check every event, link and signature; `deep` also replays and compares everything."""
        return safekeeping.verify_being(self._kernel.being, deep=deep)

    def _spoken(
        self, conversation: str | None, speaker: str | None, key: str | None, *, private: bool
    ) -> IncomingMessage:
        """How a message comes: without a conversation, each speaker has one for as long as this is open."""
        mine = speaker is None or speaker == self._look().settings.author_name
        guest = AUTHOR if mine else str(speaker)
        if conversation is None:
            conversation = self._talks.setdefault(guest, new_conversation(self._kernel))
        return IncomingMessage(conversation, guest, key_of(key), private)

    def _look(self) -> ReadOnlyBeing:
        self._kernel.index.catch_up()
        kernel = self._kernel
        return ReadOnlyBeing(kernel.being, must_be(kernel.being), kernel.index, kernel.gate.files)

    def _evidence(self, claim: str) -> tuple[Evidence, ...]:
        self._kernel.index.catch_up()
        tell = self._told.append
        return memories.evidence_of(self._kernel.index, claim, tell, self._kernel.recall)

    @contextmanager
    def _authors_gate(self) -> Iterator[Gate]:
        with self._as_author() as kernel:
            yield kernel.gate

    @contextmanager
    def _as_author(self) -> Iterator[Kernel]:
        """Do what only the author may, while no turn runs anywhere."""
        with alone(self._kernel) as kernel:
            yield kernel


def kernel_of(being: Opened) -> Kernel:
    """What stands behind an open being, for what measures it from inside.

    Raises:
        UsageError: it was closed.
    """
    return being._kernel
