"""What is asked about a being's events, memories, files, cycles and calls, whatever keeps them.

Answers are as of the last `catch_up`. Kernel memories are counted and listed for the author, but
nothing under `memories` returns them, except where said. Who asks for less takes a smaller port:
`Events`, `Memories`, and those in records.py and vectors.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from lumen.core.data import Event, EventType, Head, Memory
from lumen.soul.ports.records import Cycles, FileHistory, Ledger, WithheldMarks
from lumen.soul.ports.sessions import Sessions
from lumen.soul.ports.vectors import LATEST, Vectors

Progress = Callable[[int, int], None]  # how much is done, of how much


def unwatched(_done: int, _total: int) -> None:
    """Nobody wants to know how far it is."""


class LooseEnd(Protocol):
    """A line behind the end of the chain that does not follow from it; its text says where it is."""

    @property
    def after(self) -> int:
        """The last event that follows."""

    @property
    def why(self) -> str:
        """What is wrong with the line behind it."""


class Events(Protocol):
    """The chain, event by event, whoever wrote it: for the author and for audits, never for a prompt."""

    def last_head(self) -> tuple[int, str]:
        """Number and hash of the last event."""

    def soul(self) -> str:
        """Whose archive it is; empty while it is empty."""

    def all(self) -> Iterator[Event]:
        """Every event, oldest first, from the log itself."""

    def get(self, seq: int) -> Event | None:
        """One event; nothing when there is none of that number."""

    def number_of(self, event_id: str) -> int:
        """The number of an event by its id; 0 when there is none."""

    def hash_of(self, seq: int) -> str:
        """The hash of an event; empty when there is none of that number."""

    def time_of(self, seq: int) -> str:
        """When an event was archived; empty when there is none of that number."""

    def turn_of(self, seq: int) -> str:
        """The session key an event belongs to; empty when there is none of that number."""

    def turn(self, session_key: str) -> list[Event]:
        """Every event of a turn, in order."""

    def last_turn(self) -> str:
        """The session key of the newest turn that was answered."""

    def open_turns(self) -> list[tuple[str, int]]:
        """Turns that were begun and never closed: session key and first event."""

    def turn_answering(self, key: str) -> str:
        """The turn in which a message that was sent under a key was answered; empty: none was."""

    def last_conversation(self) -> str | None:
        """The conversation of the author's last message, empty where it had none; None: nothing was said."""

    def counts(self) -> dict[str, int]:
        """How many events each author wrote."""

    def tally(self, kind: EventType) -> int:
        """How many events of a kind there are."""

    def tallies_add_up(self) -> bool:
        """Whether the counts are of what there is."""

    def years(self) -> list[int]:
        """The years in which anything happened."""

    def of_kernel(
        self, situations: Sequence[str], said: str = "", *, newest_first: bool = False
    ) -> Iterator[Event]:
        """The kernel's own events of some situations, by its exact words where those are given."""

    def unscrubbed(self) -> dict[int, list[int]]:
        """Erasures that are archived but may not be carried out: event → events to blank."""

    def holds(self, seq: int) -> bool:
        """Whether the stored line is what was written, and follows from the one before it."""

    def says(self, memory: Memory) -> bool:
        """Whether a stored line that holds says what a memory says."""

    def is_altered(self, seq: int) -> bool:
        """Whether an event's line stands in its place, and says what was not written there.

        Reading the log anew does not help then: the chain goes by the line's hashes alone.
        """

    def about_trust(self) -> Iterator[bytes]:
        """The stored lines of all events that say whose word counts, oldest first."""

    def is_any_key_revoked(self) -> bool:
        """Whether any event takes its word from a key."""

    def heads(self) -> list[Head]:
        """Every signed head, in the order they were stated, up to the first line that is none."""

    def signed_up_to(self) -> int:
        """The event that the last head speaks for, whoever signed it; 0 for none."""


class Memories(Protocol):
    """What a loop may see, and how it is found; kernel memories and what was forgotten are left out."""

    def listed(
        self,
        *,
        author: str | None = None,
        day: str | None = None,
        limit: int | None = 20,
        oldest: bool = False,
        kernel: bool = True,
        by_weight: bool = False,
    ) -> list[Memory]:
        """The newest, oldest or heaviest memories, in order. Kernel ones too: for the author."""

    def get(self, seqs: Iterable[int]) -> dict[int, Memory]:
        """Memories by number."""

    def exchanges(self, before: int, limit: int) -> list[Memory]:
        """What the author last said and how it was answered, in pairs, oldest first.

        A pair is one turn of conversation, told by its session key: whatever else happened between
        or beside it, here or in another process, neither splits it nor counts for one. Where
        `before` is a message, only what was said in its conversation counts.
        """

    def experience(self, after: int, limit: int) -> list[Memory]:
        """The last memories since an event, oldest first."""

    def around(self, seq: int, n: int) -> list[Memory]:
        """So many memories before and after one in its conversation, oldest first; itself is left out."""

    def search(
        self, terms: Sequence[str], limit: int, *, before: int = LATEST, until: int | None = None
    ) -> list[tuple[int, float]]:
        """Events before one that hold any of some words, in whatever form; best first, each with its score.

        Words that stand in very many texts may be passed over. `until` is a day, as `date.toordinal`
        counts: what was said later is looked at no more than what is not before the event.
        """

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """In how many memories each of some words is, in whatever form; what is no word is left out."""

    def many_texts(self) -> int:
        """How many memories can be found by their words."""

    def newest_with(self, terms: Sequence[str], limit: int) -> Iterator[Memory]:
        """The newest memories that hold any of some words, one after the other."""

    def said_like(self, terms: str, shapes: Sequence[str], most: int) -> list[int]:
        """The author's messages of one of some shapes, the newest first, of so many that hold the terms.

        `terms` are words joined by OR; a shape is the text with `*` and `[…]` as a shell has them.
        """

    def said_in(self, start: str, end: str) -> list[Memory]:
        """What the author said between two moments, oldest first."""

    def texts(self) -> Iterator[Memory]:
        """Every memory that has something to say, oldest first."""

    def messages(self) -> Iterator[Memory]:
        """Every message that came, the author's and guests', oldest first."""

    def public_messages(self, first: str, after: str) -> Iterator[Memory]:
        """What the author said openly and was archived from one UTC day up to another."""

    def statements(self, most: int) -> list[tuple[int, bool]]:
        """What the author said last, the newest first, and whether it is private."""

    def beginning_of(self, seq: int, length: int) -> str:
        """The first characters of an event's text, which may be long."""

    def kind_of(self, seq: int) -> str:
        """What kind of memory an event is, without its text; empty: none, or the kernel's own."""

    def is_private(self, seq: int) -> bool:
        """Whether an event must not leave."""

    def first_of_turn(self, seq: int) -> int:
        """The first memory of the turn an event belongs to; 0: it was forgotten."""

    def answered_count(self) -> int:
        """How many messages were answered."""

    def doings(
        self, most: int, situation: str = "", during: tuple[str, str] | None = None
    ) -> list[int]:
        """What the being did beside answering, the newest first.

        Or of that what was of one situation, or was done from one moment up to another.
        """

    def replies_that_end(self, endings: Sequence[str], most: int) -> list[str]:
        """The turns whose replies end with one of some phrases, the newest first."""

    def weights(self, seqs: Iterable[int]) -> dict[int, int]:
        """What memories weigh now, in millionths."""

    def faded_until(self) -> int:
        """The day, as a number, up to which memories have faded; 0: none did yet."""

    def many_untouched(self, since: int) -> int:
        """How many memories were not used since a day."""

    def terms(self) -> Iterator[str]:
        """Every term by which memories are found."""

    def reread(self) -> int:
        """The last event after which what was read before may no longer hold."""


class Queries(Protocol):
    """An open being, to be asked: every group of questions, and how what answers is kept up."""

    repairs: list[str]  # what had to be made again, in words for the author
    accepted: Callable[[str], frozenset[str]]  # keys of a soul that count on this host

    @property
    def events(self) -> Events:
        """The chain."""

    @property
    def memories(self) -> Memories:
        """What a loop may see."""

    @property
    def sessions(self) -> Sessions:
        """What was said, session by session."""

    @property
    def files(self) -> FileHistory:
        """What became of the self's files."""

    @property
    def cycles(self) -> Cycles:
        """What came of the loops' cycles."""

    @property
    def ledger(self) -> Ledger:
        """Calls to models."""

    @property
    def withheld(self) -> WithheldMarks:
        """Marks of what was said in private only."""

    @property
    def vectors(self) -> Vectors:
        """What finds memories by meaning."""

    @property
    def place(self) -> str:
        """Where the archive is, in words for the author."""

    def sizes(self) -> tuple[int, int]:
        """How many bytes the archive takes, and all of the being's data."""

    @property
    def loose(self) -> LooseEnd | None:
        """A line that does not follow: behind it nothing is read."""

    @property
    def made(self) -> int:
        """How often what answers was opened or made anew: caches over it then end."""

    def catch_up(self, progress: Progress = unwatched) -> int:
        """Take in all that was appended, by whomever; returns the last event's number."""

    def follow_to_end(self) -> None:
        """The same, under the lock of the log, and not taken at its word: it must end where the log does."""

    def distrust(self) -> None:
        """Make all that answers again from the log: it said what the log does not."""

    def rebuild(self, progress: Progress = unwatched) -> int:
        """Make all that answers again from the log, vectors apart; returns the last event's number."""

    def differences(self, progress: Progress = unwatched) -> list[str]:
        """What is not as the log makes it, named part by part."""

    def scrub(self) -> bool:
        """Let nothing that was deleted be left in any file; false: somebody reads it right now."""

    def close(self) -> None:
        """Let go of it."""
