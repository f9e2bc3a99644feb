"""Whether a being's record is what was written, and the being in one verified file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from lumen.app.placing import must_be_apart
from lumen.app.settings import data_home, must_be
from lumen.app.skill_changes import changed_skills
from lumen.app.storage import asking, files_of
from lumen.core.clock import Clock, stamp
from lumen.core.data import BeingPaths
from lumen.core.errors import Damaged, UsageError
from lumen.kernel.upkeep.deep_verify import DeepReport as DeepReport
from lumen.kernel.upkeep.deep_verify import compare
from lumen.soul.backup.pack import Packed as Packed
from lumen.soul.backup.pack import Source, pack, unpack
from lumen.soul.checking.verify import Report as Report
from lumen.soul.checking.verify import verify
from lumen.soul.checking.witness import SURE as SURE
from lumen.soul.trust.keys import Keyring


@dataclass(frozen=True, slots=True)
class Verified:
    """What verification found; `ok` only where all of it is trusted and nothing differs.

    `compared` is there when the archive was replayed too, and every table and file compared;
    `by` is the key, or its beginning, that must have signed the archive.
    """

    report: Report
    compared: DeepReport | None = None
    by: str = ""

    @property
    def ok(self) -> bool:
        """Whether all of it is trusted, nothing differs, and the right key signed it."""
        differs = bool(self.compared and self.compared.problems)
        return self.report.trusted and not differs and self.is_by_key

    @property
    def is_by_key(self) -> bool:
        """Whether the key signed it that must have."""
        return self.report.key.startswith(self.by.lower())

    @property
    def events(self) -> int:
        """How many events were checked."""
        return self.report.count

    @property
    def head(self) -> str:
        """The hash of the last one."""
        return self.report.head


def verify_being(
    being: BeingPaths,
    *,
    deep: bool = False,
    by: str = "",
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Verified:
    """Check every event, link, signature and the witness; `deep` also replays the archive."""
    settings = must_be(being)
    report = verify(being, Keyring(data_home()), soul=settings.soul, processes=os.cpu_count() or 1)
    return Verified(report, _compared(being, progress) if deep and report.ok else None, by)


def _compared(being: BeingPaths, progress: Callable[[int, int], None]) -> DeepReport:
    with asking(being) as index:
        found = compare(files_of(being), index, progress)
        changed = {error.what: error.fix for error in changed_skills(being, index)}
        return replace(found, problems=(*found.problems, *changed), fixes=changed)


def backup_being(
    being: BeingPaths,
    file: Path,
    clock: Clock,
    *,
    even_damaged: bool = False,
    progress: Callable[[str, int, int], None] = lambda _step, _done, _total: None,
) -> Packed:
    """Back a being up into one new file; it may talk meanwhile."""
    source = Source(being, Keyring(data_home()), must_be(being).soul)
    created = stamp(clock.now())
    return pack(source, file, created=created, even_damaged=even_damaged, progress=progress)


@dataclass(frozen=True, slots=True)
class RestoredBackup:
    """A being restored from a backup; whether its key is on this host, and whether it was seen here."""

    packed: Packed
    key_is_here: bool
    known_here: bool


def restore_being(
    file: Path,
    root: Path,
    *,
    even_damaged: bool = False,
    progress: Callable[[str, int, int], None] = lambda _step, _done, _total: None,
) -> RestoredBackup:
    """Restore a being from a backup into a new folder.

    Raises:
        UsageError: the backup cannot be taken; nothing was written.
    """
    keyring = Keyring(data_home())
    must_be_apart(root, fix="lumen restore-backup FILE ANOTHER_FOLDER")
    try:
        found = unpack(file, root, keyring, even_damaged=even_damaged, progress=progress)
    except Damaged as error:  # nothing was written: what was asked for cannot be
        raise UsageError(error.what, fix=error.fix) from error
    known = bool(keyring.witness(found.soul) or keyring.mark(found.soul))
    return RestoredBackup(found, keyring.has_key(found.soul), known)
