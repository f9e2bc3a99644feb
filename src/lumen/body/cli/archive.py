"""`lumen archive`, `attest`, `backup` and `restore-backup`: the record proved, and the being kept safe."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from lumen.app import attesting as app
from lumen.app.attesting import Attested, Statement
from lumen.app.safekeeping import (
    SURE,
    Packed,
    Report,
    RestoredBackup,
    Verified,
    backup_being,
    restore_being,
    verify_being,
)
from lumen.app.storage import size_of
from lumen.app.words import counted
from lumen.body.cli.command import YES, agrees, command
from lumen.body.cli.passphrase import signing
from lumen.body.cli.progress import Bar
from lumen.body.cli.render import TextResult, data, tell
from lumen.body.cli.request import CommandRequest, at_terminal
from lumen.body.cli.terminal import note, one_line
from lumen.core.canon import JSON
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths, Placed
from lumen.core.errors import LumenError, NotABeing, UsageError

if TYPE_CHECKING:
    from lumen.app.wiring import Gate

LARGE = 64 << 20
KEY = re.compile(rf"[0-9A-Fa-f]{{{SURE},64}}")


@click.group()
def archive() -> None:
    """Prove what happened."""


def _must_be_hex(what: str, said: str | None, known: Callable[[], str] = str) -> None:
    """What selects a check and says nothing would have it pass unasked; `known` is what would do."""
    if said is not None and not KEY.fullmatch(said):
        raise UsageError(
            f"{one_line(said, 64)!r} is no {what}: {SURE} to 64 hexadecimal digits",
            fix=known() or f"lumen archive verify shows the {what}",
        )


@command("verify", within=archive, for_skills=True)
@click.option("--deep", is_flag=True, help="Also replay it, and compare every table and file.")
@click.option("--key", metavar="HEX", help="The key that must have signed it.")
def verify_command(request: CommandRequest, deep: bool, key: str | None) -> TextResult:
    """Check every event, link, signature and the witness; name the first bad event."""
    _must_be_hex("key", key)
    size = size_of(request.being)
    if size > LARGE:
        note(f"verifying {size / 1e6:,.0f} MB …")
    with Bar("replaying") as bar:
        found = verify_being(request.being, deep=deep, by=key or "", progress=bar)
    compared = {"compared": found.compared} if found.compared else {}
    return TextResult({**asdict(found.report), **compared}, _verified(found), ok=found.ok)


def _verified(found: Verified) -> Iterator[str]:
    report, compared = found.report, found.compared
    if found.is_by_key or not report.trusted:
        yield from _reported(report)
    if not found.is_by_key:
        yield f"✗ it is not the key {found.by} that signed this archive, but {report.key[:16]}."
        yield "  try: lumen keys list"
    if compared is None:
        return
    for line in compared.repairs:
        yield f"  repaired: {line}"
    if not compared.problems:
        yield "  tables and files are what the archive says"
    for line in compared.problems:
        yield f"✗ {line}.\n  try: {compared.fixes.get(line, 'lumen rebuild')}"
    for line in compared.notes:
        yield f"  note: {line}"


def _reported(report: Report) -> Iterator[str]:
    if report.problem is None:
        sure = "✓ ok" if report.trusted else "! intact, and not all of it vouched for"
        yield f"{sure} · {counted(report.count, 'event')} · head {report.head}"
        yield f"  signed up to event {report.signed:,} · key {report.key[:16]}"
        if report.signed < report.count and report.trusted:
            yield "  what follows is this host's own work, and the next turn signs it"
    else:
        found = report.problem
        where = f" ({found.where})" if found.where else ""
        yield f"✗ event {found.seq:,}{where} {found.what}."
        if found.seq > 1:
            before = "event 1 is" if found.seq == 2 else f"events 1 to {found.seq - 1:,} are"
            yield f"  {before} intact."
        yield f"  try: {found.fix or _fix(found.what)}"
    for line in report.notes:
        yield f"  note: {line}"


def _fix(what: str) -> str:
    if "not written by this host" in what:
        return "lumen archive accept-tail, if they are true; if not: lumen archive cut-tail"
    if "lacks one by the key" in what:
        return "on the host it was born on, the next turn signs again; else bring heads.jsonl back"
    if "witness" in what:
        return (
            "lumen rebuild (after a power cut it puts lines back); bring the newer copy back; "
            "or go on from here: lumen archive accept-rollback"
        )
    return "lumen restore-backup FILE ANOTHER_FOLDER, then lumen archive verify there"


@command("accept-rollback", within=archive)
@click.option("--head", metavar="HEX", help="The head that is kept; a fork needs it.")
@YES
@signing
def accept_rollback(request: CommandRequest, head: str | None, yes: bool) -> TextResult | None:
    """Go on from an archive that is older than, or forked from, the one this host has seen.

    Your key signs that, where this host has it.
    """
    from lumen.app.accepting import accept

    _must_be_hex("head", head, lambda: _with_its_head(request))
    fix = "lumen archive accept-rollback --yes" + (f" --head {head}" if head else "")
    said = "Accepted in event {event}. This host now knows the being by this archive."

    agreed = partial(agrees, "Go on from this one?", yes=yes, fix=fix)
    return _decided(request, partial(accept, head=head or ""), agreed, said)


def _with_its_head(request: CommandRequest) -> str:
    """The command with the head of the archive as it stands; nothing where that cannot be told."""
    with suppress(LumenError), request.looking() as look:
        return (
            f"lumen archive accept-rollback --head {look.index.events.last_head()[1][: 2 * SURE]}"
        )
    return ""


@command("accept-tail", within=archive)
@YES
@signing
def accept_the_tail(request: CommandRequest, yes: bool) -> TextResult | None:
    """Take events at the end that this host did not write for true; your key signs that."""
    from lumen.app.accepting import accept_tail

    agreed = partial(agrees, "Take them for true?", yes=yes, fix="lumen archive accept-tail --yes")
    said = "Accepted in event {event}. They count from here on."
    return _decided(request, accept_tail, agreed, said)


@command("cut-tail", within=archive)
@YES
@signing
def cut_the_tail(request: CommandRequest, yes: bool) -> TextResult | None:
    """Move events at the end that this host did not write to quarantine; your key signs that."""
    from lumen.app.accepting import cut_tail

    agreed = partial(
        agrees, "Move them to quarantine?", yes=yes, fix="lumen archive cut-tail --yes"
    )
    said = "Moved to data/memory/quarantine; event {event} says so."
    return _decided(request, cut_tail, agreed, said)


def _decided(
    request: CommandRequest,
    does: Callable[[Gate, str], Placed],
    agreed: Callable[[], bool],
    said: str,
) -> TextResult | None:
    """What the author decided about a being that is refused as it stands; nothing: they did not."""
    from lumen.app.accepting import decide

    def asked(trouble: str) -> bool:
        note(trouble)
        return agreed()

    done = decide(request.being, does, asked, note, at_terminal())
    return TextResult(done, said.format(event=done.event)) if done else None


@command("attest")
@click.option("--challenge", metavar="TEXT", help="What the one who asks wants to read in it.")
@click.option("--check", "file", type=click.Path(path_type=Path), help="Check a statement instead.")
@click.option("--key", metavar="HEX", help="With --check: the key it must be by.")
def attest(
    request: CommandRequest, challenge: str | None, file: Path | None, key: str | None
) -> Attested | TextResult:
    """State, signed, which being this is and where its archive ends; or check such a statement."""
    if challenge is not None:
        app.must_be_challenge(challenge)
    if file is not None:
        _must_be_hex("key", key)
        return _check(app.read_statement(file), challenge, key or "", request)
    if challenge is None or key is not None:
        what = "--key goes with --check" if key is not None else "there is nothing to answer"
        raise UsageError(what, fix="lumen attest --challenge TEXT   or: lumen attest --check FILE")
    return app.attest(request.being, challenge, SystemClock())


@data.register(Attested)
def _attested_data(made: Attested) -> JSON:
    standing = made.standing
    return {"statement": made.statement, "counts": standing.counts, "why": standing.words}


@tell.register(Attested)
def _tell_attested(made: Attested, _request: CommandRequest) -> None:
    click.echo(made.line)
    key, standing = made.statement.key, made.standing
    note(f"signed with this host's key {key[:16]}, which {standing.words}")


def _check(
    statement: Statement, challenge: str | None, key: str, request: CommandRequest
) -> TextResult:
    """Whether a statement holds, what is wrong with it, and what the being here says to it."""
    found = app.problem_with(statement, challenge, key)
    told = "no being is here to compare it with"
    if not found and (being := _being_of(statement, request)):
        told, found = app.compared(being, statement)
    lines = [
        f"✓ signed by the key {statement.key}",
        f"  being {statement.soul} · event {statement.seq:,} · head {statement.event_hash}",
        f"  in answer to “{statement.challenge}”, {statement.created}",
        f"  {told}",
    ]
    checked = {"ok": not found, "problem": found, "compared": told, "statement": statement}
    return TextResult(checked, f"✗ {found}." if found else lines, ok=not found)


def _being_of(statement: Statement, request: CommandRequest) -> BeingPaths | None:
    """The being here that a statement is about; one that was named must be it."""
    try:
        soul = request.settings.soul
    except NotABeing:
        if request.named is not None:
            raise
        return None
    if soul == statement.soul:
        return request.being
    if request.named is not None:
        what = f"{request.being.root} is another being"
        raise UsageError(what, fix="lumen attest --check FILE")
    return None


@command("backup")
@click.argument("name", metavar="FILE")
@click.option("--even-damaged", is_flag=True, help="Also if the archive does not verify.")
def backup(request: CommandRequest, name: str, even_damaged: bool) -> TextResult:
    """Back the being up into one new FILE; it may talk meanwhile."""
    if not name.strip():
        raise UsageError("the file has no name", fix="lumen backup being.lumen")
    file = Path(name)
    with Bar() as bar:
        made = backup_being(
            request.being, file, SystemClock(), even_damaged=even_damaged, progress=bar.report
        )
    return TextResult(
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
@click.argument("folder", metavar="[DIR]", required=False)
@click.option(
    "--even-damaged",
    is_flag=True,
    help="Also if it does not verify or nobody who counts signed it.",
)
def restore_backup(
    request: CommandRequest, file: Path, folder: str | None, even_damaged: bool
) -> TextResult:
    """Restore the being in FILE into DIR, which must be new or empty.

    Without DIR it becomes the being that --being, LUMEN_BEING or the default names.
    """
    if folder is not None and not folder.strip():  # as an unset variable is
        raise UsageError("the folder's name is empty", fix="lumen restore-backup FILE DIR")
    root = Path(folder).expanduser().absolute() if folder else request.being.root
    with Bar() as bar:
        restored = restore_being(file, root, even_damaged=even_damaged, progress=bar.report)
    found = restored.packed
    seen = {"seq": found.seen.seq, "event_hash": found.seen.event_hash} if found.seen else None
    told = {"being": str(root), **asdict(found), "seen": seen}
    return TextResult(told, _restored(restored, root))


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
