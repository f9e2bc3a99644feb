"""A message before it is answered: whose it is, in which conversation, and under which key."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.core.canon import JSON
from lumen.core.data import Author, Entry, EventType, Origin


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """How a message came: what was said in one conversation is recalled as such.

    `speaker` names somebody other than the author: a guest, whose words are no evidence of the
    author's life. `key` tells a message from its repetition.
    """

    conversation: str = ""
    speaker: str = ""
    key: str = ""
    private: bool = False

    def entry(self, text: str, session_key: str) -> Entry:
        """The message as it is archived."""
        told: dict[str, JSON] = {
            "private": self.private,
            "conversation": self.conversation,
            "speaker": self.speaker,
            "key": self.key,
        }
        return Entry(
            author=Author.EXTERNAL,
            event_type=EventType.AUTHOR_MESSAGE,
            origin=Origin.GUEST if self.speaker else Origin.AUTHOR,
            situation="heard",
            description=text,
            session_key=session_key,
            payload={name: value for name, value in told.items() if value},
        )
