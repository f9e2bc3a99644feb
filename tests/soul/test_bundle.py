"""A backup file: readable by any tar, and refused as soon as one byte is not what was written."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from lumen.core.canon import loads
from lumen.core.data import Signed
from lumen.core.errors import Damaged, LumenError, NoSpace, UsageError
from lumen.soul.backup.bundle import (
    Manifest,
    Member,
    content,
    manifest_of,
    opened,
    signature_of,
    write,
)
from lumen.soul.backup.pack import Source, pack, unpack
from lumen.soul.trust.keys import Keyring

if TYPE_CHECKING:
    from tests.soul.conftest import Home

LONG = "skills/ключ/" + "очень-длинное-имя-" * 6 + ".md"
CREATED = "2026-11-16T08:00:00.000Z"
Edit = Callable[[bytes], bytes]


def sealed(packed: bytes) -> bytes:
    """A gzip'd tar and its seal, spelled as docs say it, apart from the code."""
    extra = b"LU" + (32).to_bytes(2, "little") + sha256(packed).digest()
    start = bytes.fromhex("1f8b080400000000") + b"\x00\xff" + len(extra).to_bytes(2, "little")
    return packed + start + extra + b"\x03\x00" + bytes(8)


class Made:
    """A true backup, and forgeries of it that carry a true seal."""

    def __init__(self, home: Home) -> None:
        self.folder = home.root / "backups"
        self.folder.mkdir()
        self.true = self.folder / "true.lumen"
        self.being = home.being
        self.keyring = home.keyring
        source = Source(home.being, home.keyring, "")
        pack(source, self.true, created=CREATED)
        self.tar = gzip.decompress(self.true.read_bytes())
        with opened(self.true) as plain:
            self.manifest = manifest_of(plain)
            self.signed = signature_of(plain, self.manifest)
            self.data = {m.path: b"".join(content(plain, m)) for m in self.manifest.files}
        self.host = Keyring(home.root / "other-host")

    def at(self, member: str) -> int:
        """Where the header of a member stands in the tar."""
        return self.tar.index(member.encode().ljust(100, b"\0"))

    def there(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def restore(self, data: bytes) -> None:
        """Restore these bytes; whatever is refused must leave nothing."""
        file = self.folder / "tried.lumen"
        file.write_bytes(data)
        target = self.folder / "restored"
        try:
            unpack(file, target, self.host)
        finally:
            left = self.there()
            file.unlink()
        assert left == ["restored", "tried.lumen", "true.lumen"]
        shutil.rmtree(target)

    def refuses(self, data: bytes, error: type[LumenError] = Damaged) -> str:
        with pytest.raises(error) as refused:
            self.restore(data)
        assert self.there() == ["true.lumen"]
        assert refused.value.fix
        return refused.value.what

    def refuses_tar(self, tar: bytes, error: type[LumenError] = Damaged) -> str:
        return self.refuses(sealed(gzip.compress(tar, 1, mtime=0)), error)

    def forged(self, *files: Member, data: bytes = b"planted", **more: Any) -> bytes:  # noqa: ANN401 - a claim may be of any type
        """A bundle with further members, or other claims, written and signed by its true host."""
        claims = {"files": (*self.manifest.files, *files), **more}
        manifest = replace(self.manifest, **claims)
        signed = self.keyring.host_sign(self.manifest.soul, manifest.statement)
        out = io.BytesIO()
        write(out, manifest, signed, lambda m: iter([self.data.get(m.path, data)]))
        return out.getvalue()


def planted(path: str, **other: int | str) -> Member:
    said = Member(path, len(b"planted"), sha256(b"planted").hexdigest(), 0o644, 0)
    return replace(said, **other)  # type: ignore[arg-type]


@pytest.fixture
def made(home: Home) -> Made:
    writer = home.begin()
    home.say(writer, "one", "two", sign=True)
    writer.close()
    home.being.settings.write_text("[being]\n", "utf-8")
    long = home.being.root / LONG
    long.parent.mkdir(parents=True)
    long.write_text("внутри", "utf-8")
    return Made(home)


def test_any_tar_program_reads_a_backup(made: Made) -> None:
    with tarfile.open(made.true) as tar:
        names = tar.getnames()
        first = tar.extractfile(names[0])
        long = tar.extractfile(LONG)
        assert first is not None
        assert long is not None
        said = loads(first.read())
        assert long.read().decode() == "внутри"
        assert all(member.isreg() for member in tar)
    assert names == ["manifest.json", "signature.json", *(f["path"] for f in said["files"])]
    assert list(said) == ["format", "soul", "count", "head", "verified", "created", "files"]
    assert (said["format"], said["count"], said["verified"]) == ("lumen-backup/2", 3, True)
    assert list(said["files"][0]) == ["path", "size", "sha256", "mode", "mtime"]


def test_the_same_tar_packed_by_another_gzip_is_a_backup_too(made: Made) -> None:
    assert sealed(made.true.read_bytes()[:-58]) == made.true.read_bytes()
    made.restore(sealed(gzip.compress(made.tar, 9, mtime=7)))


def test_changing_any_one_byte_of_the_file_is_refused(made: Made) -> None:
    data = bytearray(made.true.read_bytes())
    for at in range(len(data)):
        data[at] ^= 1 << at % 8
        made.refuses(bytes(data), LumenError)
        data[at] ^= 1 << at % 8
    made.restore(bytes(data))


def test_a_file_that_was_cut_off_or_grew_is_refused(made: Made) -> None:
    data = made.true.read_bytes()
    for size in [*range(3, len(data), 97), len(data) - 1, len(data) - 58]:
        assert "is cut off or was changed" in made.refuses(data[:size])
    made.refuses(data + b"\0")
    made.refuses(data + data)
    made.refuses(b"", UsageError)


def test_changing_any_one_byte_inside_is_refused_even_under_a_true_seal(made: Made) -> None:
    tar = bytearray(made.tar)
    when = made.tar.index(CREATED.encode())
    for at in range(0, len(tar), 41):
        if not when <= at < when + len(CREATED):  # what nothing else in the file depends on
            tar[at] ^= 1 << at % 8
            made.refuses_tar(bytes(tar), LumenError)
            tar[at] ^= 1 << at % 8


@pytest.mark.parametrize("kind", [b"1", b"2", b"3", b"4", b"5", b"6", b"x", b"L"])
def test_a_member_that_is_no_plain_file_is_refused(made: Made, kind: bytes) -> None:
    at = made.at("lumen.toml")
    header = bytearray(made.tar[at : at + 512])
    header[156:157] = kind
    header[157:168] = b"/etc/passwd"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    tar = made.tar[:at] + header + made.tar[at + 512 :]
    with tarfile.open(fileobj=io.BytesIO(tar)) as readable:
        assert readable.next() is not None
    assert "its manifest does not say" in made.refuses_tar(tar)


def test_a_member_too_many_or_too_few_is_refused(made: Made) -> None:
    at = made.at("lumen.toml")
    one = made.tar[at : at + 1024]
    made.refuses_tar(made.tar[:at] + one + made.tar[at:])
    made.refuses_tar(made.tar[:at] + made.tar[at + 1024 :])
    made.refuses_tar(made.tar[:-1024] + one + bytes(1024))
    made.refuses_tar(made.tar + bytes(512))
    made.refuses_tar(made.tar[:-512])


@pytest.mark.parametrize(
    "path",
    [
        "../out",
        "/tmp/out",  # noqa: S108 - a path to refuse
        "data/../../out",
        "data//out",
        "data/./out",
        "data/",
        "",
        "data/o\0ut",
        ".out",
        ".git/hooks/pre-commit",
        "skills/x/.git/config",
        "data/index/soul.db",
        "data/memory/.lock",
        "data/.soul.md.1.new",
        "lumen.toml",
        "lumen.toml/x",
        "data/memory",
    ],
)
def test_a_member_in_a_wrong_place_is_refused(made: Made, path: str) -> None:
    made.refuses(made.forged(planted(path)))
    assert not (made.folder.parent / "out").exists()


def test_a_member_that_comes_twice_is_refused(made: Made) -> None:
    for member in made.manifest.files:
        assert "twice" in made.refuses(made.forged(member))


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": 0o4755},
        {"mtime": -1},
        {"size": 6},
        {"size": 8},
        {"sha256": "0" * 64},
    ],
)
def test_a_member_that_is_not_as_said_is_refused(made: Made, wrong: dict[str, int | str]) -> None:
    made.restore(made.forged(planted("skills/a.md")))
    made.refuses(made.forged(planted("skills/a.md", **wrong)))


@pytest.mark.parametrize(
    "claim", [{"count": 2}, {"head": "0" * 64}, {"soul": "A" * 26}, {"soul": "../../etc/passwd"}]
)
def test_a_manifest_that_claims_another_archive_is_refused(
    made: Made, claim: dict[str, Any]
) -> None:
    made.restore(made.forged())
    why = made.refuses(made.forged(**claim))
    assert ("does not say what it must" in why) == ("/" in str(claim))


def test_a_backup_of_something_else_is_refused(made: Made) -> None:
    files = tuple(m for m in made.manifest.files if m.path != "lumen.toml")
    assert "no being" in made.refuses(made.forged(files=files))
    assert "not a backup" in made.refuses(b"PK\x03\x04 anything", UsageError)
    other = io.BytesIO()
    with tarfile.open(fileobj=other, mode="w:gz") as tar:
        tar.addfile(tarfile.TarInfo("manifest.json"), io.BytesIO())
    made.refuses(other.getvalue())
    made.refuses(sealed(other.getvalue()), UsageError)


@pytest.mark.parametrize(
    "text",
    [
        b"[]",
        b"{}",
        b"{",
        b'{"format":"lumen-backup/2"}',
        b'{"files":[{"path":1,"size":1e999}]}',
        b'{"format":"lumen-backup/2","soul":"","count":1e30,"head":"","verified":true,"created":"","files":[]}',
    ],
)
def test_a_manifest_that_says_something_else_is_refused(made: Made, text: bytes) -> None:
    made.refuses_tar(with_manifest(made, text))


def with_manifest(made: Made, text: bytes) -> bytes:
    size = int(made.tar[124:135], 8)
    rest = made.tar[512 + size + -size % 512 :]
    header = bytearray(made.tar[:512])
    header[124:135] = b"%011o" % len(text)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + text + bytes(-len(text) % 512) + rest


def test_a_manifest_has_one_spelling(made: Made) -> None:
    size = int(made.tar[124:135], 8)
    text = made.tar[512 : 512 + size]
    made.restore(sealed(gzip.compress(with_manifest(made, text))))
    made.refuses_tar(with_manifest(made, text + b" "))
    made.refuses_tar(with_manifest(made, text.replace(b"{", b'{"more":1,', 1)))


@pytest.mark.parametrize("length", [*range(98, 104), *range(984, 996)])
def test_a_name_of_any_length_is_read_by_any_tar_program(length: int) -> None:
    name = "data/".ljust(length, "é")[: length // 2].ljust(length // 2, "x")
    name += "x" * (length - len(name.encode()))
    member = Member(name, 0, "", 0o644, 0)
    out = io.BytesIO()
    manifest = Manifest("", 0, "", True, "", (member, member))
    write(out, manifest, Signed("", ""), lambda _: iter([]))
    with tarfile.open(fileobj=io.BytesIO(out.getvalue())) as tar:
        assert tar.getnames() == ["manifest.json", "signature.json", name, name]


def test_a_later_format_is_named(made: Made) -> None:
    size = int(made.tar[124:135], 8)
    text = made.tar[512 : 512 + size].replace(b"lumen-backup/2", b"lumen-backup/3")
    assert "lumen-backup/3" in made.refuses_tar(with_manifest(made, text), UsageError)


def test_a_bomb_is_not_unpacked(made: Made) -> None:
    made.refuses_tar(made.tar + bytes(100 << 20))
    huge = bytearray(made.tar)
    huge[124:135] = b"7" * 11
    huge[148:156] = b" " * 8
    huge[148:156] = b"%06o\0 " % sum(huge[:512])
    made.refuses_tar(bytes(huge), UsageError)
    files = [planted(f"data/{n}", size=0o77777777777) for n in range(2000)]
    made.refuses(made.forged(*files, data=b""), NoSpace)


def test_a_manifest_reads_back_as_it_was_written(made: Made) -> None:
    assert isinstance(made.manifest, Manifest)
    assert made.manifest.size == sum(map(len, made.data.values()))
    for member in made.manifest.files:
        assert sha256((made.being.root / member.path).read_bytes()).hexdigest() == member.sha256
