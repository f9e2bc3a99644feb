"""Files the archive does not keep: which of them tell of something, whose they are, what becomes of them.

What the being made is rewritten without it, or taken away; what the author made is named, and changed
only when the author says so. And at the end, whether anything is left in any byte of the being.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from lumen.core.canon import sha256
from lumen.core.data import BeingPaths, Event, EventType
from lumen.core.settings import blank
from lumen.core.stores import Store, store_at
from lumen.hands.skills import Maker, discover, made_by
from lumen.kernel.language.overlap import OverlapDetector
from lumen.kernel.upkeep.carry_over import lost
from lumen.soul.ports.files import FilesOnDisk
from lumen.soul.ports.queries import Queries
from lumen.soul.state.records import without

WRITES = "write_file.write"
CHUNK, OVERLAP = 1 << 20, 1 << 12
SIDE = ("data/quarantine", "data/memory/quarantine", "data/staging")
CACHE = ("data/index",)
BESIDE = ("data/memory/quarantine", *CACHE)  # beside what storage keeps, and made of it
TEXTS = frozenset({".md", ".txt", ".toml", ".json", ".jsonl", ".py", ".csv", ".html", ".log", ""})
VECTORS = "vectors"
SETTINGS = Store.SETTINGS.place.path
BEFORE = (
    Path(__file__).parents[1] / "gate" / "scaffold" / "lumen-0.5.toml"
)  # what older beings began with


@dataclass(slots=True)
class WrittenFiles:
    """What the being wrote into files, by the archive: paths, and the hash of what each was given."""

    written: dict[str, set[str]] = field(default_factory=dict)
    _pending: dict[str, tuple[str, str]] = field(default_factory=dict)

    def see(self, event: Event) -> None:
        """Notice a page that was written: the call, and then that it came to something."""
        entry = event.entry
        if entry.event_type is EventType.TOOL_CALL and entry.description == WRITES:
            given = entry.payload.get("input")
            if isinstance(given, dict) and isinstance(given.get("text"), str):
                text = sha256(given["text"].encode("utf-8", "replace"))
                self._pending[entry.session_key] = (str(given.get("path", "")), text)
        elif entry.event_type is EventType.TOOL_RESULT:
            call = self._pending.pop(entry.session_key, None)
            if call and entry.description.startswith(WRITES) and entry.payload.get("ok") is True:
                self.written.setdefault(call[1], set()).add(call[0])

    def made(self, path: str, data: bytes) -> bool:
        """Whether a file is still what the being wrote there; edited since, it is the author's."""
        at = PurePosixPath(path)
        for asked in map(PurePosixPath, self.written.get(sha256(data), ())):
            inside = at.parts[1 : 1 + len(asked.parts)] == asked.parts
            numbered = at.stem.rpartition("-")[0] == asked.stem and at.suffix == asked.suffix
            if at.parts[:1] == ("files",) and (inside or numbered):
                return True
        return False


@dataclass(frozen=True, slots=True)
class UntrackedFile:
    """A file that tells of it: whose it is, and what is left of it; nothing: it goes."""

    path: str
    whose: str  # being, aside, cache or author
    left: bytes | None
    lines: tuple[str, ...]


def loose_files(
    being: BeingPaths, files: FilesOnDisk, traces: OverlapDetector, pages: WrittenFiles
) -> list[UntrackedFile]:
    """Every file outside the archive and the self that tells of it, by its text or its name."""
    makers = {s.name: made_by(s) for s in discover(being.skills)}
    found = [
        _looked_at(being, name, traces, pages, makers)
        for name in sorted(files.everything())
        if not _is_kept(files, name) and not _is_shipped(name, makers)
    ]
    told = [one for one in found if one]
    skills = {
        one.path.split("/")[1]
        for one in told
        if one.path.startswith("skills/") and one.whose == "being"
    }
    return [*told, *_rest(being, told, skills)]


def _rest(
    being: BeingPaths, told: list[UntrackedFile], skills: set[str]
) -> Iterator[UntrackedFile]:
    """The other files of a skill that goes: a program without some of its lines is none."""
    listed = {one.path for one in told}
    for name in sorted(skills):
        for path in sorted((being.skills / name).rglob("*")):
            if path.is_file() and being.named(path) not in listed:
                yield UntrackedFile(being.named(path), "being", None, ("all of it",))


def _looked_at(
    being: BeingPaths,
    name: str,
    traces: OverlapDetector,
    pages: WrittenFiles,
    makers: Mapping[str, Maker],
) -> UntrackedFile | None:
    try:
        data = being.at(name).read_bytes()
    except FileNotFoundError:  # another process had laid it there for a moment
        return None
    text = data.decode("utf-8", "replace")
    named = traces.left_in(name.replace("-", " ")) or traces.left_in(name)
    if not (named or traces.stands_in(text) or traces.left_in(text)):
        return None
    whose = _whose(name, data, pages, makers)
    whole = named or whose in ("aside", "cache") or name.startswith("skills/")
    cleaned = (
        None if whole else without(name, text, lambda t: traces.stands_in(t) or traces.left_in(t))
    )
    left = cleaned.encode() if cleaned and cleaned.strip() else None
    lines = lost(text, cleaned) if cleaned and left else ("all of it",)
    return UntrackedFile(name, whose, left, lines)


def _whose(name: str, data: bytes, pages: WrittenFiles, makers: Mapping[str, Maker]) -> str:
    if name.startswith(SIDE):
        return "aside"
    if name.startswith(CACHE) or "/__pycache__/" in name:
        return "cache"
    if name.startswith("skills/"):
        return "being" if makers.get(name.split("/")[1]) is Maker.MODEL else "author"
    return "being" if pages.made(name, data) else "author"


def _is_kept(files: FilesOnDisk, name: str) -> bool:
    """Whether the archive answers for a file: its own lines, heads, the self, summaries, the index."""
    return files.is_storage(name) or name == SETTINGS or store_at(name) is not None


def _is_shipped(name: str, makers: Mapping[str, Maker]) -> bool:
    """Whether a file is as every being has it: it tells nothing of this one."""
    parts = PurePosixPath(name).parts
    return parts[:1] == ("skills",) and len(parts) > 1 and makers.get(parts[1]) is Maker.SHIPPED


def remains(
    being: BeingPaths, files: FilesOnDisk, index: Queries, traces: OverlapDetector
) -> list[str]:
    """Every file of the being that still holds it, in its name or any byte; and vectors of it."""
    makers = {s.name: made_by(s) for s in discover(being.skills)}
    found = [
        name
        for name in sorted(files.everything())
        if not _is_shipped(name, makers) and _holds(being, files, name, traces)
    ]
    return [*found, *([VECTORS] if index.vectors.has_erased() else []), *_terms(index, traces)]


def _holds(being: BeingPaths, files: FilesOnDisk, name: str, traces: OverlapDetector) -> bool:
    path = being.at(name)
    if traces.left_in(name.replace("-", " ")) or traces.left_in(name):
        return True
    kept = files.is_storage(name) or name.startswith(BESIDE)
    if traces.common and kept:  # a word of the kernel's own stands in every line
        return False
    binary = path.suffix not in TEXTS
    try:
        if name == SETTINGS:
            return any(map(traces.left_in, own_settings(path.read_bytes())))
        return any(traces.left_in(piece, binary=binary) for piece in _pieces(path))
    except FileNotFoundError:  # gone meanwhile: it holds nothing any more
        return False


def own_settings(data: bytes) -> list[str]:
    """The lines of the settings that not every being begins with."""
    shipped = {*blank().splitlines(), *BEFORE.read_text("utf-8").splitlines()}
    return [line for line in data.decode("utf-8", "replace").splitlines() if line not in shipped]


def _pieces(path: Path) -> Iterator[str]:
    """A file's bytes as text, a stretch at a time; neighbours overlap, so no word is cut."""
    with path.open("rb") as file:
        before = b""
        while data := file.read(CHUNK):
            yield (before + data).decode("utf-8", "replace")
            before = data[-OVERLAP:]


def _terms(index: Queries, traces: OverlapDetector) -> Iterable[str]:
    """The index of words, whose file shares the beginnings of its terms and so hides them."""
    left = any(map(traces.left_in, (*index.memories.terms(), *index.vectors.kept_words())))
    return ["data/index/soul.db"] if left else []
