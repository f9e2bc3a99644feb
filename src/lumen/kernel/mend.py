"""The gate's other half: what is done to a being's files outside a turn's own commits.

Opening mends what a crash left and refuses a chain this host has not seen; the author erases. Each
is archived, in an order that leaves nothing unsaid wherever it is cut off. What a skill did is put
back in undo.py, what the author accepts is in acceptance.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath

from lumen.core.canon import JSON, sha256
from lumen.core.clock import parse_stamp
from lumen.core.data import Being, Entry, Kept, Placed, kernel_entry
from lumen.core.errors import Busy, Damaged, Refused
from lumen.core.stores import YEAR, Store, is_theirs
from lumen.kernel.commit import Gate
from lumen.kernel.edits import look, read
from lumen.kernel.keys import author_signer, trust_of
from lumen.kernel.meddled import archive_notes
from lumen.soul.archive import content_length, parse, read_at, tail
from lumen.soul.files import blank, cut_lines, keep_heads, set_file
from lumen.soul.following import Progress, unwatched
from lumen.soul.history import all_kept, kept, unscrubbed
from lumen.soul.index import Index
from lumen.soul.keys import head_from
from lumen.soul.queries import repair_names
from lumen.soul.ring import is_sound
from lumen.soul.signed import Signer
from lumen.soul.vectors import drop_words
from lumen.soul.witness import OLD, Foreign, knows, own_key_revoked, refuse_strange, signed_up_to

A_HEAD = 1024  # bytes: more than one takes
STAGED = re.compile(r"\..+\.[0-9]+\.new")
AUTHOR = "lumen:author"
KERNEL = "lumen:kernel"


@dataclass(frozen=True, slots=True)
class Erasure:
    """What is to be blanked out, and what of its effects has to be carried on."""

    targets: tuple[int, ...]
    carried: Mapping[str, JSON] = field(default_factory=dict)  # payload of the event that says so
    files: Mapping[str, str | None] = field(default_factory=dict)  # as they are to be; None: gone
    aside: tuple[str, ...] = ()  # files in quarantine to take away


def recover(gate: Gate, soul: str = "") -> None:
    """Mend what a crash left behind; `gate.repairs` says what.

    Raises:
        Estranged: the archive is not the one this host has seen; nothing was changed.
    """
    gate.index.catch_up()  # it may have to be made anew: that keeps nobody from writing
    with gate.writer.held():  # what a power cut took is put back before anything is judged
        follow_to_end(gate)
        if soul:
            found = refuse_strange(gate.index, gate.keyring, soul)
            _retire_revoked(gate, soul)
            if found:
                _settle_end(gate, found)
        gate.writer.own_up()
        gate.writer.recover()
        gate.index.catch_up()
        for path in _staged(gate.being):
            path.unlink(missing_ok=True)
        for seq, targets in unscrubbed(gate.index).items():
            _finish(gate, seq, targets)
        _bring_up(gate)
        _own_up(gate)
        archive_notes(gate)
        if soul:
            _look_at_heads(gate)
            _sign_again(gate, soul)


def follow_to_end(gate: Gate) -> None:
    """Bring the index up to the end of the archive, under the lock.

    What is judged is what the index tells: one that was edited to end before foreign lines, which
    would then be built upon, is made again.
    """
    gate.index.catch_up()
    if not gate.index.loose and not _is_at_end(gate):
        gate.index.distrust()


def _is_at_end(gate: Gate) -> bool:
    try:
        end = tail(gate.being.memory)
    except Damaged:
        return False  # read as a chain, the archive ends before that line
    return not end.seq or (end.seq, end.event_hash) == gate.index.last_head()


def _finish(gate: Gate, seq: int, targets: Sequence[int]) -> None:
    """Carry out an erasure that was cut off, if it is the author's word; else tell of it."""
    trust = trust_of(gate)
    if trust.may_erase(seq, signed_up_to(gate.index, trust)):
        _scrub(gate, seq, targets)
        gate.repairs.append(f"What event {seq} erases is blanked out on disk now.")
    else:
        which = ", ".join(map(str, targets))
        gate.repairs.append(
            f"Event {seq} says that it erases event {which}, and no key of the author's signed it: "
            "nothing was blanked out."
        )


def _retire_revoked(gate: Gate, soul: str) -> None:
    """Sign no more with a key whose word was taken from it on another host; a new one is made."""
    if revoked := own_key_revoked(gate.index, gate.keyring, soul):
        public = gate.keyring.host_public(soul)
        aside = gate.keyring.retire(soul)
        gate.repairs.append(
            f"This host's key {public[:16]} was revoked in event {revoked}, and is kept aside in "
            f"{aside}; if this host is to go on, vouch for its new one: lumen keys list"
        )


def _settle_end(gate: Gate, found: Foreign) -> None:
    """Go on from lines that need no word of the author's: of a cut-off append, or of old."""
    if found.kind == OLD:
        gate.repairs.append(f"Not signed and from before that was watched, kept as it is: {found}.")
        return
    kept = cut_end(gate, found)
    what = f"An append that was cut off, {found}, was moved to quarantine: never acknowledged."
    gate.record(kernel_entry("repair", what, KERNEL, {"files": kept}))
    gate.repairs.append(what)


def cut_end(gate: Gate, found: Foreign) -> list[JSON]:
    """Move lines at the end, and the heads that speak for them, to quarantine; the files' names."""
    place = gate.index.place(found.first) or found.loose
    kept: list[JSON] = [*cut_lines(gate.being.memory, place[0], place[1])] if place else []
    gate.index.rebuild()
    drop_strange_heads(gate)
    gate.writer.own_up()
    return kept


def drop_strange_heads(gate: Gate) -> int:
    """Set aside every signed head that is not of this chain; returns how many."""
    return keep_heads(gate.being, partial(knows, gate.index))


def write_settings(being: Being, soul: str, blank: str) -> str:
    """Write lumen.toml again where it is gone: as the archive last had it, or as at birth."""
    index = Index(being)
    try:
        index.catch_up()
        known = kept(index, being.named(being.settings))
    finally:
        index.close()
    text = known.text if known else None
    set_file(being.settings, (text or blank.format(soul=soul)).encode())
    how = f"as event {known.seq} left it" if known and text else "as a new being has it"
    return f"lumen.toml was gone and is now {how}: look it over, your own edits are not in it."


def rebuild(gate: Gate, progress: Progress = unwatched) -> list[str]:
    """Make every table and every file again from the archive; says which files were not so.

    An edit by hand that can be used is adopted first; one that cannot is left for the author.
    """
    told = gate.adopt()
    gate.index.rebuild(progress)
    with gate.writer.held():
        gate.index.catch_up()
        edits = look(gate.being, gate.index, gate.secrets)
        for path, known in all_kept(gate.index).items():
            waiting = path in edits.flawed or path in edits.unvouched
            wanted = known.data
            if not (waiting or is_theirs(path)) and read(gate.being, path) != wanted:
                set_file(gate.being.at(path), wanted)
                told.append(f"{path} is now as event {known.seq} left it.")
    return told


def hold(gate: Gate, since: str) -> list[str]:
    """Take no edit for the author's that was made while a turn now cut off was under way."""
    said = []
    with gate.writer.held():
        gate.index.catch_up()
        began = parse_stamp(since).timestamp() - 1
        for path in look(gate.being, gate.index, gate.secrets).valid:
            found = gate.being.at(path).stat()  # a skill may set the one time, not the other
            if max(found.st_mtime, found.st_ctime) >= began:
                data = read(gate.being, path) or b""
                what = f"{path} was changed while a turn was cut off: it waits for the author."
                payload: dict[str, JSON] = {"held": {"path": path, "sha256": sha256(data)}}
                gate.record(kernel_entry("held", what, KERNEL, payload))
                said.append(what)
        gate.index.catch_up()
    return said


def erase(gate: Gate, plan: Erasure, what: str, signer: Signer | None = None) -> Placed:
    """Blank out what the author wants forgotten: in the archive, the files and the index.

    The event that says so comes first and is durable, so a cut is found and finished at the next
    start.

    Raises:
        Refused: a file that tells of it has an edit that would be lost; nothing was changed.
        UsageError: no author's key that counts is here; nothing was changed.
        Locked: the author's key is under a passphrase that was not given; nothing was changed.
    """
    signer = signer or author_signer(gate)
    with gate.writer.held():
        gate.index.catch_up()
        edits = look(gate.being, gate.index, gate.secrets)
        waiting = {*edits.valid, *edits.flawed, *edits.unvouched} & plan.files.keys()
        if waiting:
            paths = ", ".join(sorted(waiting))
            raise Refused(
                f"{paths} tells of it too, and was edited by hand, which is not adopted yet",
                fix="lumen self diff",
            )
        files = {
            gate.being.at(path): None if text is None else text.encode()
            for path, text in plan.files.items()
        }
        entry = announcement(gate, plan, what)
        placed = gate.writer.append([entry], durable=True, files=files, signer=signer)[-1]
        gate.index.catch_up()
        _scrub(gate, placed.seq, plan.targets)
    return placed


def announcement(gate: Gate, plan: Erasure, what: str) -> Entry:
    """The event that says what is erased, with all it takes to finish that after a crash."""
    found = {path: read(gate.being, path) for path in plan.files}
    payload: dict[str, JSON] = {
        "erases": [_named(gate, seq) for seq in plan.targets],
        **plan.carried,
        "aside": list(plan.aside),
        "files": {p: None if d is None else sha256(d) for p, d in found.items()},
    }
    return kernel_entry("erasure", what, AUTHOR, payload)


def _scrub(gate: Gate, by: int, targets: Sequence[int]) -> None:
    """Carry out an archived erasure, or the rest of one that was cut off."""
    place = gate.index.place(by)
    said = parse(read_at(gate.being.memory, *place)).entry.payload if place else {}
    for path, was in said.get("files", {}).items():
        known, data = kept(gate.index, path), read(gate.being, path)
        if data is not None and sha256(data) == was:  # edited since: the author's
            set_file(gate.being.at(path), known.data if known else None)
    for path in said.get("aside", ()):
        gate.being.at(path).unlink(missing_ok=True)
    places = [place for seq in targets if (place := gate.index.place(seq))]
    blank(gate.being.memory, by, places)
    drop_words(gate.index)  # a cache by words: some of them may be gone
    if not gate.index.scrub():
        raise Busy(
            "what is forgotten still stands in the index's log, which another process is reading",
            fix="end that process; the next start finishes it",
        )
    what = f"What event {by} erases is blanked out on disk."
    entry = kernel_entry("scrubbed", what, KERNEL, {"scrubbed": by})
    gate.writer.append([entry], durable=True, sign=True)
    gate.index.catch_up()


def _named(gate: Gate, seq: int) -> dict[str, JSON]:
    place = gate.index.place(seq)
    raw = read_at(gate.being.memory, *place) if place else b""
    event_hash = gate.index.hash_of(seq)
    stub = b'"situation":"erased"' in raw
    if not raw or raw[15:79] != event_hash.encode() or not (stub or is_sound(raw)):
        raise Damaged(f"event {seq} is not what was written", fix="lumen archive verify")
    return {"seq": seq, "event_hash": event_hash, "length": content_length(raw)}


def _bring_up(gate: Gate) -> None:
    """Finish file changes that were archived and cut off there; bring lost files back."""
    for path, known in all_kept(gate.index).items():
        if gate.being.at(path).is_dir():
            continue  # told as an edit that cannot be read
        data, wanted = read(gate.being, path), known.data
        lost = data is None and wanted is not None
        if lost or (data != wanted and _left_behind(gate.being.at(path), data, known)):
            set_file(gate.being.at(path), wanted)
            why = "was missing and" if lost else "was left behind and"
            gate.repairs.append(f"{path} {why} is now as event {known.seq} left it.")


def _left_behind(path: Path, data: bytes | None, known: Kept) -> bool:
    """Whether a crash kept a file from its change; one touched since is the author's doing."""
    if data is None or sha256(data) != known.base:
        return False
    return path.stat().st_mtime < parse_stamp(known.timestamp).timestamp()


def _own_up(gate: Gate) -> None:
    """Say of every torn line that was set aside that it was, when a crash kept that back."""
    for path in sorted((gate.being.memory / "quarantine").glob("*.torn")):
        if not repair_names(gate.index, path.name):
            what = f"An unfinished line was moved to quarantine/{path.name} at an earlier start."
            gate.record(kernel_entry("repair", what, KERNEL, {"file": path.name}))
            gate.repairs.append(what)


def _look_at_heads(gate: Gate) -> None:
    """Tell of a last head that is none, or none of this chain; all of them verify.py looks at."""
    path = gate.being.heads
    with suppress(FileNotFoundError), path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - A_HEAD))
        finished, _, _ = file.read().rpartition(b"\n")
        last = finished.rpartition(b"\n")[2] + b"\n"
        if finished and not _is_head(gate, last):
            gate.repairs.append(
                f"{path.name} ends in a line that is no head: lumen archive verify."
            )


def _is_head(gate: Gate, raw: bytes) -> bool:
    try:
        return knows(gate.index, head_from(raw, gate.being.heads))
    except Damaged:
        return False


def _sign_again(gate: Gate, soul: str) -> None:
    """State a head where heads.jsonl went missing, and say so; a host without a key makes one first."""
    last, _ = gate.index.last_head()
    if last and not gate.being.heads.exists() and gate.keyring.has_key(soul):
        what = f"heads.jsonl was missing; signed again at event {last + 1}."
        gate.record(
            kernel_entry("repair", what, KERNEL, {"file": gate.being.heads.name}), sign=True
        )
        gate.index.catch_up()
        gate.repairs.append(what)


def _staged(being: Being) -> list[Path]:
    """What commits that were cut off laid beside the files they were for."""
    places = {store.place.path.replace(YEAR, "[0-9]" * 4) for store in Store if store.place.path}
    beside = {str(PurePosixPath(path).with_name(".*.new")) for path in places}
    found = {path for pattern in beside for path in being.root.glob(pattern)}
    return sorted(path for path in found if STAGED.fullmatch(path.name))
