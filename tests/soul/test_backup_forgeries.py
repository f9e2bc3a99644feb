"""Forged backups: whoever lacks the key of the host can change nothing in one and have it restored.

Each forgery is made with our own writer and carries a true seal: no forger is held up by gzip.
"""

from __future__ import annotations

import gzip
import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import pytest
from tests.soul.conftest import Home
from tests.soul.test_bundle import sealed

from lumen.core.data import Signed
from lumen.core.errors import Damaged, Unproved
from lumen.soul.backup.bundle import (
    Manifest,
    Member,
    content,
    manifest_of,
    opened,
    signature_of,
    write,
)
from lumen.soul.backup.pack import Packed, Source, pack, unpack
from lumen.soul.backup.signature import NOBODY, UNSIGNED
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing.write import Writer

CREATED = "2026-11-16T08:00:00.000Z"
SKILL, SETTINGS, NOTES = "skills/chat/main.py", "lumen.toml", "files/notes.md"
FILES = {
    SETTINGS: b"[being]\nisolation = 'bwrap'\n",
    SKILL: b"print('hi')\n",
    NOTES: b"The sea.\n",
    "data/soul.md": b"# Ada\n",
}
HEADS = "data/heads.jsonl"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A backup taken apart."""

    manifest: Manifest
    signed: Signed
    data: dict[str, bytes]

    def but(self, data: dict[str, bytes] | None = None, **claims: object) -> Bundle:
        """Other files, and a manifest that says so; the signature stays."""
        data = self.data if data is None else data
        known = {m.path: m for m in self.manifest.files}
        files = tuple(_member(known.get(name), name, text) for name, text in sorted(data.items()))
        manifest = replace(self.manifest, **{"files": files, **claims})  # type: ignore[arg-type]
        return replace(self, manifest=manifest, data=data)

    def by(self, keyring: Keyring) -> Bundle:
        """The same, signed by another host."""
        return replace(self, signed=keyring.host_sign(self.manifest.soul, self.manifest.statement))

    def with_file(self, name: str, text: bytes | None) -> Bundle:
        """One file changed, added or taken away, and a manifest that says so."""
        data = {**self.data, name: text or b""}
        return self.but({n: t for n, t in data.items() if n != name or text is not None})

    def segment(self) -> str:
        return max(name for name in self.data if name.startswith("data/memory/2"))


def _member(known: Member | None, name: str, text: bytes) -> Member:
    mode, mtime = (known.mode, known.mtime) if known else (0o600, 0)
    return Member(name, len(text), sha256(text).hexdigest(), mode, mtime)


def take_apart(file: Path) -> Bundle:
    with opened(file) as plain:
        manifest = manifest_of(plain)
        signed = signature_of(plain, manifest)
        assert signed is not None
        return Bundle(
            manifest, signed, {m.path: b"".join(content(plain, m)) for m in manifest.files}
        )


@dataclass(frozen=True, slots=True)
class Scene:
    """A true backup, an older one of the same being, another being's, and a forger with a key."""

    home: Home
    true: Bundle
    older: Bundle
    other: Bundle
    forger: Keyring

    def restore(self, forged: Bundle, *, even_damaged: bool = False) -> Packed:
        """Restore on a host that never saw the being."""
        place = self.home.root / "tried"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        out = io.BytesIO()
        write(out, forged.manifest, forged.signed, lambda m: iter([forged.data[m.path]]))
        (place / "a.lumen").write_bytes(out.getvalue())
        host = Keyring(place / "host")
        return unpack(place / "a.lumen", place / "being", host, even_damaged=even_damaged)

    def left(self) -> list[str]:
        return sorted(path.name for path in (self.home.root / "tried").iterdir())


def grow(home: Home, *said: str) -> None:
    writer = home.begin() if not home.being.memory.exists() else home.writer()
    home.say(writer, *said, sign=True)
    writer.close()
    for name, text in FILES.items():
        path = home.being.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def backed_up(home: Home, name: str) -> Bundle:
    pack(Source(home.being, home.keyring, ""), home.root / name, created=CREATED)
    return take_apart(home.root / name)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    home, other = Home(tmp_path_factory.mktemp("a")), Home(tmp_path_factory.mktemp("b"))
    grow(home, "one", "two")
    older = backed_up(home, "older.lumen")
    (home.being.root / "lumen.toml").write_bytes(b"[being]\nisolation = 'none'\n")
    writer = home.writer()
    home.say(writer, "three", sign=True)
    writer.close()
    true = backed_up(home, "true.lumen")
    other.clock.seed = 7
    grow(other, "mine", "alone", "and more")
    theirs = backed_up(other, "other.lumen")
    forger = Keyring(home.root / "forger")
    for soul in (true.manifest.soul, theirs.manifest.soul):
        forger.create(soul)
        forger.adopt(soul)
    return Scene(home, true, older, theirs, forger)


def flipped(text: bytes, at: int = -3) -> bytes:
    changed = bytearray(text)
    changed[at] ^= 1
    return bytes(changed)


def flip_hex(text: str) -> str:
    return ("0" if text[0] != "0" else "1") + text[1:]


def rewritten(scene: Scene, *, heads: bool) -> Bundle:
    """All of the past written anew under the same soul, by somebody with a key of their own."""
    anew = Home(scene.home.root / f"anew-{heads}")
    anew.being.memory.mkdir(parents=True)
    writer = Writer(anew.being, anew.keyring, anew.clock)
    writer.begin(scene.true.manifest.soul)
    grow(anew, "never said")
    if not heads:
        anew.being.heads.unlink()
    pack(
        Source(anew.being, Keyring(anew.root / "x"), ""),
        anew.root / "a.lumen",
        created=CREATED,
        even_damaged=True,
    )
    found = take_apart(anew.root / "a.lumen")
    shutil.rmtree(anew.root / "being")
    return found.but(verified=True).by(anew.keyring)


def with_stranger_named(scene: Scene) -> Bundle:
    """The forger's key stands in the archive, as on a host that had none, and signs from there on."""
    copy = Home(scene.home.root / "stranger", scene.home.clock)
    shutil.rmtree(copy.root, ignore_errors=True)
    shutil.copytree(scene.home.being.root, copy.being.root)
    writer = copy.writer()
    copy.say(writer, "never said", sign=True)
    writer.close()
    found = backed_up(copy, "a.lumen")
    shutil.rmtree(copy.being.root)
    return found


def cut_back(scene: Scene) -> Bundle:
    """The last event and its head are gone, and the manifest ends before it."""
    true, segment = scene.true, scene.true.segment()
    lines = true.data[segment].splitlines(keepends=True)[:-1]
    heads = true.data[HEADS].splitlines(keepends=True)[:-1]
    data = {**true.data, segment: b"".join(lines), HEADS: b"".join(heads)}
    end = {"count": true.manifest.count - 1, "head": lines[-1][15:79].decode()}
    return true.but(data, **end)


def swapped(scene: Scene) -> Bundle:
    data = dict(scene.true.data)
    data[SKILL], data[NOTES] = data[NOTES], data[SKILL]
    return scene.true.but(data)


Forge = Callable[[Scene], Bundle]
FORGERIES: dict[str, Forge] = {
    "flip a bit of the signature": lambda s: replace(
        s.true, signed=s.true.signed._replace(signature=flip_hex(s.true.signed.signature))
    ),
    "flip a bit of the signing key": lambda s: replace(
        s.true, signed=s.true.signed._replace(key=flip_hex(s.true.signed.key))
    ),
    "flip a bit of the manifest": lambda s: s.true.but(created=CREATED.replace("8", "9")),
    "flip a bit of a skill": lambda s: replace(
        s.true, data={**s.true.data, SKILL: flipped(s.true.data[SKILL])}
    ),
    "flip a bit of the settings": lambda s: replace(
        s.true, data={**s.true.data, SETTINGS: flipped(s.true.data[SETTINGS])}
    ),
    "flip a bit of the archive": lambda s: s.true.with_file(
        s.true.segment(), flipped(s.true.data[s.true.segment()], -400)
    ).by(s.forger),
    "flip a bit of a head": lambda s: s.true.with_file(HEADS, flipped(s.true.data[HEADS], -9)).by(
        s.forger
    ),
    "change a skill, and the manifest with it": lambda s: s.true.with_file(SKILL, b"import evil\n"),
    "change a skill, signed by a stranger": lambda s: s.true.with_file(SKILL, b"import evil\n").by(
        s.forger
    ),
    "change a skill, signed by nobody": lambda s: replace(
        s.true.with_file(SKILL, b"import evil\n"), signed=NOBODY
    ),
    "change the settings, and the manifest with them": lambda s: s.true.with_file(
        SETTINGS, b"[being]\nisolation = 'none'\n#\n"
    ),
    "make a file executable": lambda s: replace(
        s.true,
        manifest=replace(
            s.true.manifest, files=tuple(replace(m, mode=0o755) for m in s.true.manifest.files)
        ),
    ),
    "delete a file, and its line": lambda s: s.true.with_file(NOTES, None),
    "delete the signature": lambda s: replace(s.true, signed=NOBODY),
    "delete the heads, signed by a stranger": lambda s: s.true.with_file(HEADS, None).by(s.forger),
    "swap two files": swapped,
    "insert a skill": lambda s: s.true.with_file("skills/evil/main.py", b"import evil\n"),
    "truncate the archive and its heads": cut_back,
    "truncate, signed by a stranger": lambda s: cut_back(s).by(s.forger),
    "splice in another being's manifest": lambda s: replace(
        s.other, data=s.true.data, manifest=replace(s.other.manifest, files=s.true.manifest.files)
    ),
    "splice in another being's signature": lambda s: replace(s.true, signed=s.other.signed),
    "splice in another being's archive": lambda s: s.true.but(
        {**FILES, **{n: t for n, t in s.other.data.items() if n.startswith("data/memory/")}}
    ),
    "replay an older manifest over newer files": lambda s: replace(
        s.older, manifest=replace(s.older.manifest, files=s.true.manifest.files), data=s.true.data
    ),
    "replay an older archive under newer settings": lambda s: s.older.with_file(
        SETTINGS, s.true.data[SETTINGS]
    ),
    "replay an older signature": lambda s: replace(s.true, signed=s.older.signed),
    "rewrite the past and leave no head": lambda s: rewritten(s, heads=False),
    "name a key of one's own in the archive": with_stranger_named,
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_backup_is_refused_and_nothing_is_written(scene: Scene, forge: Forge) -> None:
    with pytest.raises((Unproved, Damaged)) as refused:
        scene.restore(forge(scene))
    assert refused.value.fix
    assert scene.left() == ["a.lumen"]


def test_a_true_backup_and_an_older_one_are_restored_and_name_their_key(scene: Scene) -> None:
    for bundle in (scene.true, scene.older, scene.other):
        found = scene.restore(bundle)
        assert (found.verified, found.doubt, found.key) == (True, "", bundle.signed.key)


def test_who_knows_where_it_is_from_may_go_on_and_is_told_why_not(scene: Scene) -> None:
    found = scene.restore(
        FORGERIES["change a skill, signed by a stranger"](scene), even_damaged=True
    )
    assert "vouches" in found.doubt
    found = scene.restore(replace(scene.true, signed=NOBODY), even_damaged=True)
    assert (found.verified, found.doubt, found.key) == (True, UNSIGNED, "")


def test_a_backup_from_before_they_were_signed_is_restored_and_called_unsigned(
    scene: Scene,
) -> None:
    tar = gzip.decompress((scene.home.root / "true.lumen").read_bytes())
    at = tar.index(b"signature.json".ljust(100, b"\0"))
    before = (tar[:at] + tar[at + 1024 :]).replace(b"lumen-backup/2", b"lumen-backup/1", 1)
    file = scene.home.root / "0.4.lumen"
    file.write_bytes(sealed(gzip.compress(before)))
    found = unpack(file, scene.home.root / "from-0.4", Keyring(scene.home.root / "x"))
    assert (found.verified, found.doubt, found.key) == (True, UNSIGNED, "")


def test_a_past_written_anew_whole_is_told_where_the_being_is_known(scene: Scene) -> None:
    """A stranger's being under a known name is true in itself: only who has seen it can tell."""
    forged = rewritten(scene, heads=True)
    assert scene.restore(forged).key != scene.true.signed.key
    known = scene.home.root / "tried" / "a.lumen"
    found = unpack(known, scene.home.root / "tried" / "again", scene.home.keyring)
    assert found.seen is not None
