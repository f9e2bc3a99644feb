"""What a skill did that was put back, as the archive tells it; noted until the archive has it.

The note lies with what was set aside. It is written before anything is put back and taken away when
the event is archived, so that a crash, or an archive that refuses, leaves nothing unsaid: the next
start that can write tells it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lumen.core.canon import JSON, dumps, loads, printable, sha256
from lumen.core.data import Author, Entry, EventType, Origin
from lumen.core.errors import ArchiveError
from lumen.kernel.gate.commit import Gate

SUFFIX = ".meddled"
KEPT = frozenset({"before", "after", "file", "files"})
LONGEST_NOTE = 10_000  # bytes: a note of ours has a few hundred


@dataclass(frozen=True, slots=True)
class Meddling:
    """Who changed what, and what the archive keeps of it."""

    who: str
    path: str
    session_key: str
    payload: Mapping[str, JSON] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"The skill {self.who} changed {self.path}; it was put back."

    def entry(self) -> Entry:
        """The event that tells of it."""
        what = f"The skill {self.who} changed {self.path} while it ran: it was put back as it was."
        return Entry(
            author=Author.KERNEL,
            event_type=EventType.SYSTEM_EVENT,
            origin=Origin.TOOL,
            situation="meddled",
            description=what,
            session_key=self.session_key,
            payload={"path": self.path, **self.payload},
            agent_id="kernel",
        )


def note_down(gate: Gate, what: Meddling) -> str | None:
    """Keep it beside what is set aside; nothing where the disk does not take even that."""
    data = dumps(asdict(what))
    name = f"{Path(what.path).name}-{sha256(data)[:8]}{SUFFIX}"
    with suppress(ArchiveError):
        return gate.files.set_aside(name, data)
    return None


def archive_notes(gate: Gate) -> None:
    """Archive what was put back when that could not be archived; `gate.repairs` says so."""
    for name in gate.files.aside(SUFFIX):
        if what := _noted(gate, name):
            gate.record(what.entry())
            gate.repairs.append(str(what))
            gate.files.drop_aside(gate.being.named(gate.being.quarantine / name))


def _noted(gate: Gate, name: str) -> Meddling | None:
    """What a note says; nothing where it is none of ours, which is left as it is."""
    try:
        said = loads(gate.files.read_aside(name, LONGEST_NOTE) or b"")
        names = [said.pop(name) for name in ("who", "path", "session_key")]
        payload = said.pop("payload")
    except (OSError, ValueError, LookupError, AttributeError, TypeError):
        return None
    plain = all(isinstance(n, str) and n == printable(n) and "\n" not in n for n in names)
    known = isinstance(payload, dict) and payload.keys() <= KEPT and not said
    return Meddling(names[0], names[1], names[2], payload) if plain and known else None
