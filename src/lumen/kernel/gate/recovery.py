"""The gate's other half: what is done to a being's files outside a turn's own commits.

Opening repairs what a crash left and refuses a chain this host has not seen; the author erases. Each
is archived, in an order that leaves nothing unsaid wherever it is cut off. What a skill did is put
back in undo.py, what the author accepts is in acceptance.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lumen.core.canon import JSON, sha256
from lumen.core.clock import parse_stamp
from lumen.core.data import Entry, FileVersion, Placed, Signer, kernel_entry
from lumen.core.errors import Busy, Refused
from lumen.core.payloads import StatePayload
from lumen.core.stores import Store, is_theirs
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.edits import look
from lumen.kernel.gate.keys import author_signer, trust_of
from lumen.kernel.gate.undo import archive_notes
from lumen.soul.checking.witness import (
    OLD,
    ForeignTail,
    own_key_is_named,
    own_key_revoked,
    refuse_strange,
    signed_up_to,
)
from lumen.soul.ports.queries import Progress, Queries, unwatched
from lumen.soul.ports.self_files import SelfFiles

HEADS = "heads.jsonl"
AUTHOR = "lumen:author"
KERNEL = "lumen:kernel"
TAKEN_OVER = (
    "The mark of how far this host wrote the archive was from before marks were made with its key: "
    "the end was found to be signed, and is marked with the key from here on."
)


@dataclass(frozen=True, slots=True)
class Erasure:
    """What is to be blanked out, and what of its effects has to be carried on."""

    targets: tuple[int, ...]
    carried: Mapping[str, JSON] = field(default_factory=dict)  # payload of the event that says so
    files: Mapping[str, str | None] = field(default_factory=dict)  # as they are to be; None: gone
    aside: tuple[str, ...] = ()  # files in quarantine to take away


def recover(gate: Gate, soul: str = "") -> None:
    """Repair what a crash left behind; `gate.repairs` says what.

    Raises:
        Estranged: the archive is not the one this host has seen; nothing was changed.
    """
    gate.index.catch_up()  # it may have to be made anew: that keeps nobody from writing
    with gate.log.locked():  # what a power cut took is put back before anything is judged
        gate.index.follow_to_end()
        if soul:
            found = refuse_strange(gate.index, gate.keyring, soul)
            _retire_key(gate, soul)
            if found:
                _settle_end(gate, found)
            if gate.keyring.mark_is_unkeyed(soul):
                gate.repairs.append(TAKEN_OVER)
        gate.log.own_up()
        gate.log.recover()
        gate.index.catch_up()
        gate.files.drop_staged()
        for seq, targets in gate.index.events.unscrubbed().items():
            _finish(gate, seq, targets)
        _bring_up(gate)
        _own_up(gate)
        archive_notes(gate)
        if soul:
            gate.repairs.extend(filter(None, [gate.log.doubt_heads()]))
            _sign_again(gate, soul)


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


def _retire_key(gate: Gate, soul: str) -> None:
    """Sign no more with a key that was revoked elsewhere, or that the archive never named.

    A new one is made in its place, and named before it signs.
    """
    if not gate.keyring.has_key(soul):
        return
    revoked = own_key_revoked(gate.index, gate.keyring, soul)
    if revoked or not own_key_is_named(gate.index, gate.keyring, soul):
        public = gate.keyring.host_public(soul)
        aside = gate.keyring.retire(soul)
        why = f"was revoked in event {revoked}" if revoked else "is none that this archive names"
        gate.repairs.append(
            f"This host's key {public[:16]} {why}, and is kept aside in "
            f"{aside}; if this host is to go on, vouch for its new one: lumen keys list"
        )


def _settle_end(gate: Gate, found: ForeignTail) -> None:
    """Go on from lines that need no word of the author's: of a cut-off append, or of old."""
    if found.kind == OLD:
        gate.repairs.append(f"Not signed and from before that was watched, kept as it is: {found}.")
        return
    kept: list[JSON] = [*gate.log.cut(found.first)]
    what = f"An append that was cut off, {found}, was moved to quarantine: never acknowledged."
    gate.record(kernel_entry("repair", what, KERNEL, {"files": kept}))
    gate.repairs.append(what)


def write_settings(index: Queries, files: SelfFiles, soul: str, blank: str) -> str:
    """Write lumen.toml again where it is gone: as the archive last had it, or as at birth."""
    path = Store.SETTINGS.place.path
    known = index.files.kept(path)
    text = known.text if known else None
    files.put(path, (text or blank.format(soul=soul)).encode())
    how = f"as event {known.seq} left it" if known and text else "as a new being has it"
    return f"lumen.toml was gone and is now {how}: look it over, your own edits are not in it."


def rebuild(gate: Gate, progress: Progress = unwatched) -> list[str]:
    """Make every table and every file again from the archive; says which files were not so.

    An edit by hand that can be used is adopted first; one that cannot is left for the author.
    """
    told = gate.adopt()
    gate.index.rebuild(progress)
    with gate.log.locked():
        gate.index.catch_up()
        edits = look(gate.files, gate.index, gate.secrets)
        for path, known in gate.index.files.all_kept().items():
            waiting = path in edits.flawed or path in edits.unvouched
            wanted = known.data
            if not (waiting or is_theirs(path)) and gate.files.read(path) != wanted:
                gate.files.put(path, wanted)
                told.append(f"{path} is now as event {known.seq} left it.")
    return told


def hold(gate: Gate, since: str) -> list[str]:
    """Take no edit for the author's that was made while a turn now cut off was under way."""
    said = []
    with gate.log.locked():
        gate.index.catch_up()
        began = parse_stamp(since).timestamp() - 1
        for path in look(gate.files, gate.index, gate.secrets).valid:
            if gate.files.changed(path) >= began:
                data = gate.files.read(path) or b""
                what = f"{path} was changed while a turn was cut off: it waits for the author."
                payload: StatePayload = {"held": {"path": path, "sha256": sha256(data)}}
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
    with gate.log.locked():
        gate.index.catch_up()
        edits = look(gate.files, gate.index, gate.secrets)
        waiting = {*edits.valid, *edits.flawed, *edits.unvouched} & plan.files.keys()
        if waiting:
            paths = ", ".join(sorted(waiting))
            raise Refused(
                f"{paths} tells of it too, and was edited by hand, which is not adopted yet",
                fix="lumen self diff",
            )
        files = {path: None if text is None else text.encode() for path, text in plan.files.items()}
        entry = announcement(gate, plan, what)
        placed = gate.log.append([entry], durable=True, files=files, signer=signer)[-1]
        gate.index.catch_up()
        _scrub(gate, placed.seq, plan.targets)
    return placed


def announcement(gate: Gate, plan: Erasure, what: str) -> Entry:
    """The event that says what is erased, with all it takes to finish that after a crash."""
    found = {path: gate.files.read(path) for path in plan.files}
    payload: dict[str, JSON] = {
        "erases": [gate.log.stated(seq) for seq in plan.targets],
        **plan.carried,
        "aside": list(plan.aside),
        "files": {p: None if d is None else sha256(d) for p, d in found.items()},
    }
    return kernel_entry("erasure", what, AUTHOR, payload)


def _scrub(gate: Gate, by: int, targets: Sequence[int]) -> None:
    """Carry out an archived erasure, or the rest of one that was cut off."""
    event = gate.index.events.get(by)
    said = event.entry.payload if event else {}
    for path, was in said.get("files", {}).items():
        known, data = gate.index.files.kept(path), gate.files.read(path)
        if data is not None and sha256(data) == was:  # edited since: the author's
            gate.files.put(path, known.data if known else None)
    for path in said.get("aside", ()):
        gate.files.drop_aside(path)
    gate.log.erase(by, targets)
    gate.index.vectors.drop_words()  # a cache by words: some of them may be gone
    if not gate.index.scrub():
        raise Busy(
            "what is forgotten still stands in the index's log, which another process is reading",
            fix="end that process; the next start finishes it",
        )
    what = f"What event {by} erases is blanked out on disk."
    entry = kernel_entry("scrubbed", what, KERNEL, {"scrubbed": by})
    gate.log.append([entry], durable=True, sign=True)
    gate.index.catch_up()


def _bring_up(gate: Gate) -> None:
    """Finish file changes that were archived and cut off there; bring lost files back."""
    for path, known in gate.index.files.all_kept().items():
        try:
            data, wanted = gate.files.read(path), known.data
        except OSError:
            continue  # told as an edit that cannot be read
        lost = data is None and wanted is not None
        if lost or (data != wanted and _left_behind(gate, path, data, known)):
            gate.files.put(path, wanted)
            why = "was missing and" if lost else "was left behind and"
            gate.repairs.append(f"{path} {why} is now as event {known.seq} left it.")


def _left_behind(gate: Gate, path: str, data: bytes | None, known: FileVersion) -> bool:
    """Whether a crash kept a file from its change; one touched since is the author's doing."""
    if data is None or sha256(data) != known.base:
        return False
    return gate.files.written(path) < parse_stamp(known.timestamp).timestamp()


def _own_up(gate: Gate) -> None:
    """Say of every torn line that was set aside that it was, when a crash kept that back."""
    for name in gate.log.unfinished():
        what = f"An unfinished line was moved to quarantine/{name} at an earlier start."
        gate.record(kernel_entry("repair", what, KERNEL, {"file": name}))
        gate.repairs.append(what)


def _sign_again(gate: Gate, soul: str) -> None:
    """State a head where heads.jsonl lacks some, and say so; a host without a key makes one first."""
    last, _ = gate.index.events.last_head()
    lacks = _lacking_heads(gate, soul)
    if last and lacks and gate.keyring.has_key(soul):
        what = f"{HEADS} {lacks}; signed again at event {last + 1}."
        gate.record(kernel_entry("repair", what, KERNEL, {"file": HEADS}), sign=True)
        gate.index.catch_up()
        gate.repairs.append(what)


def _lacking_heads(gate: Gate, soul: str) -> str:
    """How the file of signed heads falls short of the last one this host signed; empty: it does not."""
    if not gate.log.has_heads():
        return "was missing or empty"
    seen = gate.keyring.witness(soul)
    if seen is None or gate.index.events.signed_up_to() >= seen.seq:
        return ""
    last = max((head.seq for head in gate.index.events.heads()), default=0)
    return f"lacked the heads from event {last + 1} on" if last < seen.seq else ""
