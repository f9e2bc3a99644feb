"""Is everything that was made from the archive what the archive makes of it?

Replays the archive into a fresh index and compares it row for row, and compares every file with
the fold. Whether the archive itself is sound is for soul/checking/verify.py to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lumen.core.stores import is_theirs
from lumen.kernel.gate.edits import Edits, look
from lumen.soul.ports.files import FilesOnDisk
from lumen.soul.ports.queries import Progress, Queries, unwatched
from lumen.soul.state.fold import fold


@dataclass(frozen=True, slots=True)
class DeepReport:
    """What does not agree with the archive, and what merely waits to be adopted."""

    problems: tuple[str, ...]
    notes: tuple[str, ...]
    fixes: Mapping[str, str] = field(default_factory=dict)  # of problems that no rebuilding repairs
    repairs: tuple[str, ...] = ()  # what was spoilt so that it had to be made again to be compared


def compare(files: FilesOnDisk, index: Queries, progress: Progress = unwatched) -> DeepReport:
    """Compare tables and files with what the archive says they are."""
    index.catch_up()
    edits = look(files, index)
    parts = index.differences(progress)
    problems = [f"{part} is not what the archive says" for part in parts]
    state = fold(index.events.all()).texts()
    for path, text in state.items():
        try:
            found = files.read(path)
        except OSError as error:
            problems.append(f"{path} cannot be read: {error.strerror}")
            continue
        if found != text.encode() and not _by_hand(edits, path):
            problems.append(f"{path} is not what the archive says")
    waiting = [*edits.valid, *edits.flawed, *edits.unvouched]
    notes = [f"{path} was edited by hand and is not adopted yet" for path in waiting]
    return DeepReport(tuple(problems), tuple(notes), repairs=tuple(index.repairs))


def _by_hand(edits: Edits, path: str) -> bool:
    """Whether the author may have changed it: the self by an edit, the settings at any time."""
    edited = path in edits.valid or path in edits.flawed or path in edits.unvouched
    return edited or is_theirs(path)
