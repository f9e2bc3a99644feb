"""`lumen backup` and `lumen restore-backup`: a being in one verified file, and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from shlex import quote

import click

from lumen.app.safekeeping import Packed, RestoredBackup, backup_being, restore_being
from lumen.app.words import counted
from lumen.body.cli.command import command
from lumen.body.cli.progress import Bar
from lumen.body.cli.render import ToldResult
from lumen.body.cli.request import CommandRequest
from lumen.core.clock import SystemClock


@command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--even-damaged", is_flag=True, help="Also if the archive does not verify.")
def backup(request: CommandRequest, file: Path, even_damaged: bool) -> ToldResult:
    """Back the being up into one new FILE; it may talk meanwhile."""
    with Bar() as bar:
        made = backup_being(
            request.being, file, SystemClock(), even_damaged=even_damaged, progress=bar.told
        )
    return ToldResult(
        {"file": str(file.absolute()), **asdict(made)}, _backed_up(made, file.absolute())
    )


def _backed_up(made: Packed, file: Path) -> Iterator[str]:
    if made.verified:
        yield f"✓ backed up and verified · ends at event {made.count:,} · head {made.head}"
    else:
        yield f"✗ backed up, but the archive does not verify after event {made.count:,}"
    packed = _amount(file.stat().st_size)
    yield f"  {file} ({packed}: {counted(made.files, 'file')} of {_amount(made.size)})"
    if made.doubt:
        yield f"  {made.doubt}; restoring it asks for --even-damaged"
    else:
        yield f"  signed with this host's key {made.key[:16]}, which stays here"
    for line in made.notes:
        yield f"  note: {line}"


@command("restore-backup")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--even-damaged",
    is_flag=True,
    help="Also if it does not verify or nobody who counts signed it.",
)
def restore_backup(
    request: CommandRequest, file: Path, folder: Path | None, even_damaged: bool
) -> ToldResult:
    """Restore the being in FILE into DIR, which must be new or empty.

    Without DIR it becomes the being that --being, LUMEN_BEING or the default names.
    """
    root = folder.expanduser().absolute() if folder else request.being.root
    with Bar() as bar:
        restored = restore_being(file, root, even_damaged=even_damaged, progress=bar.told)
    found = restored.packed
    seen = {"seq": found.seen.seq, "event_hash": found.seen.event_hash} if found.seen else None
    told = {"being": str(root), **asdict(found), "seen": seen}
    return ToldResult(told, _restored(restored, root))


def _restored(restored: RestoredBackup, root: Path) -> Iterator[str]:
    found = restored.packed
    lumen = f"lumen --being {quote(str(root))}"
    end = f"ends at event {found.count:,} · head {found.head}"
    if not found.verified:
        yield f"✗ restored, but the archive did not verify: {lumen} archive verify"
    elif found.doubt:
        yield f"  restored · {end}"
        yield f"  {found.doubt}"
    else:
        yield f"✓ restored and verified · {end}"
        yield f"  signed by the key {found.key[:16]}"
    yield f"  {root} ({counted(found.files, 'file')} of {_amount(found.size)})"
    if not restored.key_is_here:
        yield "  its key is not on this host: the next turn makes a new one and says so"
    if found.seen:
        yield f"  {_rolled_back(found, found.seen.seq)}"
        yield f"  try: {lumen} archive accept-rollback"
    if restored.known_here:
        yield (
            "  this host knows this being: let only one copy talk. Once this one has, a copy "
            "elsewhere\n  on this host is refused until you choose it again, there: "
            "lumen archive accept-rollback"
        )
        yield f"  to look and change nothing: {lumen} memory      or: {lumen} archive verify"


def _rolled_back(found: Packed, seen: int) -> str:
    if seen > found.count:
        end = f"the backup ends at event {found.count:,}: everything after is not in it"
    else:
        end = "what the backup holds there is not the same"
    return f"this host has seen this being up to event {seen:,}; {end}"


def _amount(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.1f} kB"
