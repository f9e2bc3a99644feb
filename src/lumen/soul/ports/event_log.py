"""The log itself: the one thing that must not be lost. All else can be made from it.

A line is the same bytes wherever it is kept (docs/formats.md), and each holds the hash of the one
before. Only the gate is given one of these: whoever holds a log can write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from lumen.core.canon import JSON
from lumen.core.data import Entry, Placed, Signer
from lumen.core.errors import ArchiveError, Busy


class EventLog(Protocol):
    """An open log; `repairs` says, in words for the author, what had to be repaired."""

    repairs: list[str]

    def soul(self) -> str:
        """Whose log it is, by its first line; empty where it has not begun, or lost its beginning."""

    def begin(self, soul: str, files: Sequence[Mapping[str, JSON]] = ()) -> Placed:
        """Write the first event, which also says what the first files are.

        Raises:
            Refused: the log has begun already.
        """

    def append(
        self,
        entries: Sequence[Entry],
        *,
        durable: bool,
        sign: bool = False,
        files: Mapping[str, bytes | None] | None = None,
        signer: Signer | None = None,
    ) -> list[Placed]:
        """Put events at the end of the chain, together and in order, or none of them.

        `durable`: return only when a power cut cannot take them. `sign`: state the new head with this
        host's key. `files`: what the self's files become, or that they go, as part of it. `signer`: the
        open key whose signature the last of the events carries.

        Raises:
            Estranged: the end of the log is not this host's work.
            NoSpace: there is no room; the log is as it was.
            Busy, Damaged: it was locked for too long, or its end is not what was written.
        """

    def locked(self) -> AbstractContextManager[None]:
        """Keep everyone else from appending; whoever holds it may hold it once more."""

    @property
    def patience_s(self) -> float:
        """How long whoever wants to append waits for others before it is refused, in seconds."""

    def is_free(self) -> bool:
        """Whether nobody keeps us from appending right now: no waiting for it is needed."""

    def busy(self) -> Busy:
        """What to raise where it is held for too long; says by whom, as far as that is known."""

    def lines(self) -> Iterator[bytes]:
        """Every finished line, byte for byte, oldest first."""

    def recover(self) -> None:
        """Look at the end and repair what a crash left."""

    def look_again(self) -> None:
        """Look, before the next append, for what somebody may have taken from the end."""

    def stop(self, why: ArchiveError) -> None:
        """Append nothing any more: what is left of the log is not to be built upon."""

    def own_up(self) -> None:
        """Take the end, as it stands, for this host's own work."""

    def accept(self, entry: Entry, signer: Signer | None = None) -> Placed:
        """Append that the author takes this chain for the true one, and remember it as seen."""

    def make_key(self) -> None:
        """Have a key of this host's that the log names, before anything is signed with it."""

    def sign_rest(self) -> None:
        """State the head for what was appended and nobody has signed since."""

    def stated(self, seq: int) -> dict[str, JSON]:
        """What an erasure says of a line that it erases: number, hash and length of its content.

        Raises:
            Damaged: the line is not what was written.
        """

    def erase(self, by: int, targets: Sequence[int]) -> None:
        """Blank out the content of lines for good; each then names the event that says so.

        Their hashes stay, and with them the chain.
        """

    def cut(self, first: int) -> list[str]:
        """Set all lines from an event on aside, and whatever follows; returns what they are kept as.

        Heads that speak for them go with them.

        Raises:
            Damaged: what does not follow stands where this host or a head knows of other lines.
        """

    def drop_strange_heads(self) -> int:
        """Set aside every signed head that is not of this chain; returns how many."""

    def unfinished(self) -> list[str]:
        """What lines that were never finished are kept as, where no event tells of that yet."""

    def has_heads(self) -> bool:
        """Whether there is any signed head, or something in its place."""

    def doubt_heads(self) -> str:
        """What is wrong with the head stated last, in words for the author; empty: nothing."""

    def close(self) -> None:
        """Let go of it."""
