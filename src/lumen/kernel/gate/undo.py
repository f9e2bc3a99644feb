"""What a skill did to what is none of its business is undone: the archive's end, its heads, files.

Files are put back whatever became of the archive; what cannot be archived is noted, and told by the
next start that can. What a skill wrote behind the end of the archive is no evidence
and is moved to quarantine; what it cut off comes back from the ring, as far as that reaches.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from lumen.core.canon import JSON, dumps, loads, printable, sha256
from lumen.core.data import Entry, Origin, kernel_entry
from lumen.core.errors import ArchiveError, Damaged, Estranged
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.skill_windows import Before
from lumen.soul.checking.witness import (
    FOREIGN,
    ForeignTail,
    foreign,
    knows,
    refuse_damaged,
    refuse_rolled_back,
    trust_in,
)
from lumen.soul.ports.files import FOLDER, LINK
from lumen.soul.trust.heads import newest_counting
from lumen.soul.trust.keys import head_from

ARCHIVE, HEADS = "data/memory", "data/heads.jsonl"  # as notes name them
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
        told = {"path": self.path, **self.payload}
        return replace(kernel_entry("meddled", what, self.session_key, told), origin=Origin.TOOL)


def note_down(gate: Gate, what: Meddling) -> str | None:
    """Keep it beside what is set aside; nothing where the disk does not take even that.

    It is written before anything is put back and taken away when the event is archived, so that a crash,
    or an archive that refuses, leaves nothing unsaid.
    """
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


@dataclass(slots=True)
class PutBack:
    """What was put back, with its notes, and the first thing that went wrong, if anything did."""

    gate: Gate
    who: str
    key: str
    notes: list[tuple[Meddling, str | None]] = field(default_factory=list)
    trouble: ArchiveError | None = None

    @property
    def paths(self) -> list[str]:
        """What the skill changed."""
        return [what.path for what, _ in self.notes]

    def note(self, path: str, payload: Mapping[str, JSON]) -> None:
        """Note down that something is put back."""
        what = Meddling(self.who, path, self.key, payload)
        self.notes.append((what, note_down(self.gate, what)))

    def put_back(self, path: str, found: bytes | None, wanted: bytes | None) -> None:
        """Let a path hold again what stood there; what stands there now is set aside."""
        files = self.gate.files
        payload: dict[str, JSON] = {"before": _hash(wanted), "after": _hash(found)}
        try:
            if found is not None:
                name = f"{Path(path).name}-{sha256(found)[:8]}"
                payload["file"] = Path(files.set_aside(name, found)).name
        except ArchiveError as error:  # better lost than left where it is
            self.failed(error)
        self.note(path, payload)
        try:
            files.put_back(path, wanted)
        except ArchiveError as error:
            self.failed(error)

    def failed(self, error: ArchiveError | OSError) -> None:
        """Keep the first thing that went wrong."""
        if self.trouble is None:
            self.trouble = error if isinstance(error, ArchiveError) else self._refusal(error)

    def _refusal(self, error: OSError) -> ArchiveError:
        return ArchiveError(
            f"{self.gate.index.place} cannot be used: {error.strerror}",
            fix="check who owns its folder and whether its disk is read-only",
        )


def remembered(gate: Gate) -> Before:
    """Look at all that a skill must leave as it is.

    Raises:
        Damaged: the archive is not what was written, before the skill has begun.
    """
    gate.index.catch_up()
    refuse_damaged(gate.index, gate.keyring, gate.index.events.soul())
    return Before(gate.files.watched(), _heads(gate), *gate.index.events.last_head())


def undo(gate: Gate, before: Before, who: str, key: str) -> PutBack:
    """Put back everything a skill changed meanwhile, then archive it where that can be done."""
    undone = PutBack(gate, who, key)
    with ExitStack() as held:
        try:
            told = len(gate.repairs)
            gate.log.look_again()
            held.enter_context(gate.log.locked())  # what the ring has and the archive lost is back
            _restore_heads(undone, before)
            _restore_end(undone, before, came_back=len(gate.repairs) > told)
            trusted = True
        except (ArchiveError, OSError) as error:
            undone.failed(error)
            if isinstance(error, Damaged | Estranged):
                gate.log.stop(error)  # not a word upon what is left of it
            trusted = False
        _put_files_back(undone, before, trusted=trusted)
        if trusted:
            _archive(undone)
    return undone


def _restore_end(undone: PutBack, before: Before, *, came_back: bool) -> None:
    """See that the archive goes on from where it stood, with lines of this host's alone.

    Raises:
        ArchiveError: what stood there is gone for good.
    """
    gate = undone.gate
    gate.index.follow_to_end()
    soul, files = gate.index.events.soul(), list[JSON]()
    if gate.index.events.hash_of(before.last) != before.last_hash:
        refuse_rolled_back(gate.index, gate.keyring, soul)
        raise Damaged(
            f"the archive has lost event {before.last}, which stood at its end when the skill began",
            fix="bring data/memory back from a backup; see lumen archive verify",
        )
    found = foreign(gate.index, gate.keyring, soul) or _of_a_copy(gate, soul, before.last)
    if found and found.first > before.last:
        files = [*gate.log.cut(found.first)]
    if files or came_back:
        undone.note(ARCHIVE, {"files": files} if files else {})


def _of_a_copy(gate: Gate, soul: str, last: int) -> ForeignTail | None:
    """Lines that only this host's own key has signed, and this host did not write.

    It marks every line before it writes it: a copy of its key was used elsewhere.
    """
    index, keyring, mark = gate.index, gate.keyring, gate.keyring.mark(soul)
    end, head = index.events.last_head()
    if mark is None or mark.knows(end, head):
        return None
    ours = keyring.host_public(soul)
    signed = newest_counting(
        index.events.heads(),
        trust_in(index, keyring.accepted(soul)),
        lambda h: h.key != ours and knows(index, h),
    )
    written = mark.seq if index.events.hash_of(mark.seq) == mark.event_hash else 0
    first = max(last, written, signed) + 1
    return ForeignTail(first, end, FOREIGN) if first <= end else None


def _restore_heads(undone: PutBack, before: Before) -> None:
    """Bring back signed heads that are gone, and leave out new lines that are none."""
    found = _heads(undone.gate)
    known = set(before.heads.splitlines(keepends=True)) if found != before.heads else set()
    new = [raw for raw in found.splitlines(keepends=True) if raw not in known and _is_head(raw)]
    wanted = before.heads + b"".join(new) if found != before.heads else found
    if found != wanted:
        undone.put_back(HEADS, undone.gate.files.standing(HEADS), wanted)


def _put_files_back(undone: PutBack, before: Before, *, trusted: bool) -> None:
    """Another process may have committed meanwhile: what a sound archive says of a file holds."""
    files, index = undone.gate.files, undone.gate.index
    for path in sorted(before.files.keys() | files.watched().keys()):  # folders come first
        known = index.files.kept(path) if trusted else None
        fresh = known if known and known.seq > before.last else None
        wanted = fresh.data if fresh else before.files.get(path)
        if (found := files.standing(path)) != wanted:
            undone.put_back(path, found, wanted)


def _archive(undone: PutBack) -> None:
    for what, note in undone.notes:
        try:
            undone.gate.record(what.entry())
        except (ArchiveError, OSError) as error:
            undone.failed(error)
            return
        if note:
            undone.gate.files.drop_aside(note)


def _heads(gate: Gate) -> bytes:
    found = gate.files.standing(HEADS)
    return b"" if found is None or found.startswith((FOLDER, LINK)) else found


def _is_head(raw: bytes) -> bool:
    try:
        return raw.endswith(b"\n") and bool(head_from(raw, Path("heads.jsonl")))
    except Damaged:
        return False


def _hash(standing: bytes | None) -> str | None:
    """The hash of a file; a folder or a link has none."""
    is_file = standing is not None and not standing.startswith((FOLDER, LINK))
    return sha256(standing) if standing is not None and is_file else None
