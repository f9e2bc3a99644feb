"""What an attacker who can write to a being, and holds none of its keys, can make of it.

One being has lived through all that is signed: turns, a forgotten memory, a second host, a revoked
key, an approval. It is copied for each attack, which spells lines and heads as Lumen itself would.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
import tomllib
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path

from tests.storing import begun, gate_of

from lumen.core.canon import JSON
from lumen.core.clock import ulid
from lumen.core.data import Author, BeingPaths, Entry, EventType, Origin, Signer, kernel_entry
from lumen.core.errors import Damaged
from lumen.kernel.gate.approvals import decide
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.keys import revoke, vouch
from lumen.kernel.gate.proposals import skill_proposal
from lumen.kernel.gate.recovery import Erasure, erase, recover
from lumen.soul.archive.line import (
    CONTENT_HASH,
    HEADER_AT,
    PREFIX,
    Tail,
    body,
    content_length,
    parse,
    segments,
    stub,
)
from lumen.soul.checking.verify import Report, verify
from lumen.soul.trust.keys import Keyring, head_line
from lumen.soul.trust.signed import linked
from lumen.testing.clock import HandClock

BEGAN = datetime(2026, 11, 14, 21, 0, tzinfo=UTC)
FORGOTTEN = "The safe opens with 4711."
FENCE = re.compile(r"^### `verify.py`\n+```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
Line = tuple[str, bytes]  # the segment's name and one line of it


def heard(text: str) -> Entry:
    """The author's words as the runner archives them."""
    kind, origin = EventType.AUTHOR_MESSAGE, Origin.AUTHOR
    return Entry(Author.EXTERNAL, kind, origin, "heard", text, "lumen:interface:1")


def kernel(situation: str, payload: dict[str, JSON]) -> Entry:
    """A line in the kernel's name."""
    return kernel_entry(situation, f"So it is: {situation}.", "lumen:author", payload)


def respelled(raw: bytes, parent: str, seq: int, soul: str, content: bytes | None = None) -> bytes:
    """A line at another place in a chain, both hashes right; a stub keeps the hash it had."""
    cut = raw.find(CONTENT_HASH, HEADER_AT) + len(CONTENT_HASH) + 65
    header, said = raw[HEADER_AT:cut], raw[cut:-1] if content is None else content
    place = f'"parent_hash":"{parent}","seq":{seq},"soul":"{soul}"'.encode()
    header = re.sub(rb'^"parent_hash":"\w{64}","seq":\d+,"soul":"\w{26}"', place, header)
    if content is not None:
        header = header[:-65] + sha256(said).hexdigest().encode() + b'"'
    return PREFIX + sha256(header).hexdigest().encode() + b'",' + header + said + b"\n"


def told_otherwise(segment: bytes, seq: int) -> bytes:
    """A segment in which an event is another one, and those after it link to that."""
    lines, parent = [], ""
    for raw in segment.splitlines(keepends=True):
        found, told = parse(raw), None
        if found.seq == seq:
            cut = raw.find(CONTENT_HASH, HEADER_AT) + len(CONTENT_HASH) + 65
            parent, told = found.parent_hash, raw[cut:-1].replace(found.salt.encode(), b"0" * 32)
        lines.append(respelled(raw, parent, found.seq, found.soul, told) if parent else raw)
        parent = lines[-1][15:79].decode() if parent else ""
    return b"".join(lines)


@dataclass(slots=True)
class Forged:
    """A copy of a being in an attacker's hands."""

    root: Path
    lines: list[Line] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)
    clock: HandClock = field(default_factory=lambda: HandClock(BEGAN, step_ms=7, seed=99))

    def __post_init__(self) -> None:
        self.read()

    @property
    def being(self) -> BeingPaths:
        return BeingPaths(self.root / "being")

    @property
    def keyring(self) -> Keyring:
        """The keys, witness and mark of the host that owns the being."""
        return Keyring(self.root / "host")

    @property
    def stranger(self) -> Keyring:
        """The attacker's own keys."""
        return Keyring(self.root / "stranger")

    @property
    def soul(self) -> str:
        return parse(self.lines[0][1]).soul

    def read(self) -> None:
        """See what stands on the disk."""
        self.lines = [
            (path.name, line)
            for path in segments(self.being.memory)
            for line in path.read_bytes().splitlines(keepends=True)
        ]
        self.heads = self.being.heads.read_bytes().splitlines(keepends=True)

    def write(self) -> None:
        """Put lines and heads onto the disk."""
        files: dict[str, bytes] = {path.name: b"" for path in segments(self.being.memory)}
        for name, line in self.lines:
            files[name] = files.get(name, b"") + line
        for name, data in files.items():
            path = self.being.memory / name[:4] / name
            path.write_bytes(data) if data else path.unlink()
        self.being.heads.write_bytes(b"".join(self.heads))

    def number(self, situation: str, text: str = "") -> int:
        """Where, in the list of lines, the first of a kind stands."""
        found = (parse(raw).entry for _, raw in self.lines)
        return next(
            n for n, e in enumerate(found) if e.situation == situation and text in e.description
        )

    def relink(self, since: int, soul: str = "") -> None:
        """Spell every line from one on anew, so that all hashes and links are right again."""
        parent = parse(self.lines[since - 1][1]).event_hash if since else "0" * 64
        for n in range(since, len(self.lines)):
            name, raw = self.lines[n]
            fresh = respelled(raw, parent, n + 1, soul or self.soul)
            self.lines[n], parent = (name, fresh), fresh[15:79].decode()

    def say(self, number: int, old: bytes, new: bytes) -> None:
        """Put other words into a line and hash it; what follows is linked to it."""
        name, raw = self.lines[number]
        cut = raw.find(CONTENT_HASH, HEADER_AT) + len(CONTENT_HASH) + 65
        assert old in raw[cut:]
        event = parse(raw)
        said = raw[cut:-1].replace(old, new)
        fresh = respelled(raw, event.parent_hash, event.seq, event.soul, said)
        self.lines[number] = (name, fresh)
        self.relink(number + 1)

    def append(self, *entries: Entry, signer: Signer | None = None) -> int:
        """Put lines at the end as the writer would; returns the number of the last event."""
        name, raw = self.lines[-1]
        end = parse(raw)
        tail = Tail(None, 0, end.seq, end.event_hash, end.timestamp, end.soul)
        bodies = [body(e, ulid(self.clock), self.clock.entropy(16).hex()) for e in entries]
        _, spelled = linked(bodies, tail, signer)
        self.lines += [(name, line) for line in spelled.splitlines(keepends=True)]
        return len(self.lines)

    def blank(self, number: int, by: int) -> None:
        """Overwrite what a line says with the stub that an erasure leaves."""
        name, raw = self.lines[number]
        self.lines[number] = (name, stub(raw, by))

    def erases(self, number: int) -> dict[str, JSON]:
        """The payload of an erasure of a line: right in every number."""
        event = parse(self.lines[number][1])
        length = content_length(self.lines[number][1])
        return {
            "erases": [{"seq": event.seq, "event_hash": event.event_hash, "length": length}],
            "aside": [],
            "files": {},
        }

    def sign(self, ring: Keyring, since: int = 0) -> None:
        """Put a head for the last line, or for every line from one on, by somebody's host key."""
        for _, raw in self.lines[since or -1 :]:
            event = parse(raw)
            self.heads.append(head_line(ring.sign(event.soul, event.seq, event.event_hash)))

    def heads_below(self, seq: int) -> list[bytes]:
        """The heads of the events before one."""
        found = [(re.search(rb'"seq":(\d+)', raw), raw) for raw in self.heads]
        return [raw for at, raw in found if at and int(at[1]) < seq]

    def strangers_key(self, soul: str = "") -> str:
        """A host's key of the attacker's own; its public half."""
        soul = soul or self.soul
        public = self.stranger.create(soul)
        self.stranger.adopt(soul)
        return public

    def host(self, folder: str = "host") -> Signer:
        """The host's own key, for what an attacker does who has stolen that one."""
        return partial(Keyring(self.root / folder).host_sign, self.soul)

    def strangers_author(self) -> tuple[str, Signer]:
        """An author's key of the attacker's own: its public half, and the key itself, open."""
        public = self.stranger.create_author(self.soul)
        self.stranger.adopt_author(self.soul)
        return public, self.stranger.open_author(self.soul, lambda: "")

    def settings_soul(self) -> str:
        """Who lumen.toml says the being is."""
        return str(tomllib.loads(self.being.settings.read_text("utf-8"))["being"]["soul"])

    def verified(self) -> Report | str:
        """What `lumen archive verify` goes by, or why it cannot."""
        try:
            return verify(self.being, self.keyring, soul=self.settings_soul())
        except Damaged as error:
            return error.what


def found_by_lumen(copy: Forged, key: str = "") -> str:
    """What `lumen archive verify` (with --key, where one is given) finds; empty for nothing."""
    report = copy.verified()
    if isinstance(report, str):
        return report
    if report.problem:
        return f"event {report.problem.seq} {report.problem.what}"
    if report.unvouched or report.unsigned:
        return f"not trusted from event {report.unvouched or report.unsigned} on"
    return "" if report.key.startswith(key) else f"signed by {report.key}"


def found_by_page(verifier: Callable[[Forged], str], copy: Forged, key: str = "") -> str:
    """What the verifier of docs/formats.md finds; empty for nothing."""
    told = verifier(copy)
    return "" if told.endswith("\n") and key in told else told


def page_verifier(root: Path) -> Callable[[Forged], str]:
    """The stand-alone verifier of docs/formats.md, run in this process: a line feed ends a yes."""
    shown = FENCE.search((root / "docs" / "formats.md").read_text("utf-8"))
    assert shown is not None
    code = compile(shown[1], "verify.py", "exec")

    def run(copy: Forged) -> str:
        witness = copy.keyring.witness_file(copy.settings_soul())
        arguments = [str(copy.being.root), *([str(witness)] if witness.exists() else [])]
        said, argv = io.StringIO(), sys.argv
        sys.argv = ["verify.py", *arguments]
        try:
            with redirect_stdout(said):
                exec(code, {"__name__": "__main__"})  # noqa: S102 - what the page shows is run
        except SystemExit as end:
            return str(end.code)
        except Exception as error:  # noqa: BLE001 - a traceback is a refusal too
            return repr(error)
        finally:
            sys.argv = argv
        return said.getvalue()

    return run


def open_gate(root: Path, clock: HandClock) -> Gate:
    being = BeingPaths(root / "being")
    return gate_of(being, Keyring(root / "host"), clock)


def shut(gate: Gate) -> None:
    gate.index.close()
    gate.close()


def bear(root: Path, seed: int = 0) -> tuple[str, HandClock]:
    """A being that has begun: its soul, and its clock."""
    being, clock = BeingPaths(root / "being"), HandClock(BEGAN, step_ms=7, seed=seed)
    soul = ulid(clock)
    files = {
        being.soul_md: "# Lumen\n",
        being.values: "[]\n",
        being.goals / "2026.json": "[]\n",
        being.settings: f'[being]\nsoul = "{soul}"\n',
    }
    begun(
        being,
        Keyring(root / "host"),
        clock,
        files,
        soul,
    )
    return soul, clock


def turn(gate: Gate, number: int) -> None:
    """A turn's lines, the last under a head."""
    gate.record(heard(f"turn {number}: I ate an apple"), sign=True)
    gate.record(kernel_entry("record", f"RECORD: {number}", "lumen:interface:1", {}), sign=True)


def live(root: Path) -> Forged:
    """A being that has lived through all that is signed; the lost key of its first host is kept."""
    soul, clock = bear(root)
    gate = open_gate(root, clock)
    turn(gate, 1)
    secret = gate.record(heard(FORGOTTEN), sign=True)
    clock.at += timedelta(days=1)
    turn(gate, 2)
    told = segments(gate.being.memory)[0].read_bytes().splitlines(keepends=True)[-1]
    (root / "forgotten.jsonl").write_bytes(told)
    erase(gate, Erasure((secret.seq,)), "The author had 1 event forgotten.")
    shut(gate)
    ring = gate.keyring
    first = ring.host_public(soul)
    shutil.copytree(ring.folder / "keys", root / "lost" / "keys")
    ring.key_file(soul).unlink()
    gate = open_gate(root, clock)
    recover(gate, soul)
    turn(gate, 3)
    vouch(gate, ring.host_public(soul))
    revoke(gate, first)
    asked = gate.record(skill_proposal("dig", "ab" * 32, "scripted/echo", "to dig", "lumen:kernel"))
    clock.at += timedelta(days=2)
    decide(gate, soul, asked.seq, allow=True)
    turn(gate, 4)
    gate.index.catch_up()
    shut(gate)
    return Forged(root)


def copied(lived: Forged, to: Path) -> Forged:
    """The same being once more, to be spoiled."""
    shutil.copytree(lived.root, to)
    return replace(lived, root=to, lines=[], heads=[])
