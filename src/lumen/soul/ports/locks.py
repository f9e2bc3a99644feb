"""Who is at work with a being: locks by name, between processes and inside one.

Nobody waits here: how long, and whether by `await`, is for whoever wants the lock to say. The lock
that orders appends is the log's own (`EventLog.locked`).
"""

from __future__ import annotations

from typing import Protocol


class Taken(Protocol):
    """A lock that is held, until it is let go or its process ends, however that ends."""

    def close(self) -> None:
        """Let it go."""


class Locks(Protocol):
    """The locks of one being. A name is a word, and means the same in every process."""

    @property
    def name(self) -> str:
        """What the processes of a host call the being among themselves; another being has another."""

    def take(self, what: str, *, shared: bool = False) -> Taken | None:
        """Take a lock; nothing where somebody holds it, in this process or another.

        Many may share a lock while nobody has it alone.
        """

    def holders(self, what: str) -> str:
        """Who holds a lock, in words for a message; empty where nobody does, or nobody can tell."""
