"""`lumen backup` and `lumen restore-backup`: a being in one verified file, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from shlex import quote

import click

from lumen.app.safekeeping import Packed, backup_being, restore_being
from lumen.body.cli.common import being_meant, counted, note, say, shared, show
from lumen.core.clock import SystemClock

PATIENCE_S = 1.0
PAUSE_S = 5.0


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--even-damaged", is_flag=True, help="Also if the archive does not verify.")
@shared
def backup(file: Path, even_damaged: bool, named: str | None, as_json: bool) -> None:
    """Back the being up into one new FILE; it may talk meanwhile."""
    made = backup_being(
        being_meant(named), file, SystemClock(), even_damaged=even_damaged, progress=_progress()
    )
    if as_json:
        show({"file": str(file.absolute()), **asdict(made)})
        return
    if made.verified:
        say(f"✓ backed up and verified · ends at event {made.count:,} · head {made.head}")
    else:
        say(f"✗ backed up, but the archive does not verify after event {made.count:,}")
    packed = _amount(file.stat().st_size)
    say(f"  {file.absolute()} ({packed}: {counted(made.files, 'file')} of {_amount(made.size)})")
    if made.doubt:
        say(f"  {made.doubt}; restoring it asks for --even-damaged")
    else:
        say(f"  signed with this host's key {made.key[:16]}, which stays here")
    for line in made.notes:
        say(f"  note: {line}")


@click.command("restore-backup")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--even-damaged",
    is_flag=True,
    help="Also if it does not verify or nobody who counts signed it.",
)
@shared
def restore_backup(
    file: Path, folder: Path | None, even_damaged: bool, named: str | None, as_json: bool
) -> None:
    """Restore the being in FILE into DIR, which must be new or empty.

    Without DIR it becomes the being that --being, LUMEN_BEING or the default names.
    """
    root = folder.expanduser().absolute() if folder else being_meant(named).root
    restored = restore_being(file, root, even_damaged=even_damaged, progress=_progress())
    found = restored.packed
    if as_json:
        seen = {"seq": found.seen.seq, "event_hash": found.seen.event_hash} if found.seen else None
        show({"being": str(root), **asdict(found), "seen": seen})
        return
    lumen = f"lumen --being {quote(str(root))}"
    end = f"ends at event {found.count:,} · head {found.head}"
    if found.verified and not found.doubt:
        say(f"✓ restored and verified · {end}")
        say(f"  signed by the key {found.key[:16]}")
    elif found.verified:
        say(f"  restored · {end}")
        say(f"  {found.doubt}")
    else:
        say(f"✗ restored, but the archive did not verify: {lumen} archive verify")
    say(f"  {root} ({counted(found.files, 'file')} of {_amount(found.size)})")
    if not restored.key_is_here:
        say("  its key is not on this host: the next turn makes a new one and says so")
    if found.seen:
        say(f"  {_rolled_back(found, found.seen.seq)}")
        say(f"  try: {lumen} archive accept-rollback")
    if restored.known_here:
        say(
            "  this host knows this being: let only one copy talk. Once this one has, a copy elsewhere"
        )
        say(
            "  on this host is refused until you choose it again, there: lumen archive accept-rollback"
        )
        say(f"  to look and change nothing: {lumen} memory      or: {lumen} archive verify")


def _rolled_back(found: Packed, seen: int) -> str:
    if seen > found.count:
        end = f"the backup ends at event {found.count:,}: everything after is not in it"
    else:
        end = "what the backup holds there is not the same"
    return f"this host has seen this being up to event {seen:,}; {end}"


def _amount(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.1f} kB"


def _progress() -> Callable[[str, int, int], None]:
    """Says how far it is, once it takes longer than a moment."""
    clock = SystemClock()
    due = clock.tick() + PATIENCE_S

    def tell(step: str, done: int, total: int) -> None:
        nonlocal due
        if clock.tick() >= due:
            note(f"{step} … {done / 1e6:,.0f} of {total / 1e6:,.0f} MB")
            due = clock.tick() + PAUSE_S

    return tell
