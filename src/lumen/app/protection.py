"""What protects keys and archive, and how the signatures stand: findings for a doctor."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from lumen.app.settings import Settings, data_home
from lumen.app.storage import files_of
from lumen.app.words import counted
from lumen.core.data import BeingPaths
from lumen.core.errors import ArchiveError, LumenError, SkillError
from lumen.hands.skills import discover, shipped
from lumen.soul.checking.verify import Report, verify
from lumen.soul.ports.files import FilesOnDisk
from lumen.soul.state.records import check
from lumen.soul.state.selfhood import Flaw
from lumen.soul.trust.keys import Keyring

NO_KEY = "not on this host: the next turn makes a new, unvouched one"
NO_AUTHOR = "not on this host: what only you may do is done where it is, or lumen keys new"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: ok, warn or bad, and what to do."""

    what: str
    state: str
    detail: str
    fix: str = ""


def self_of(being: BeingPaths) -> Iterator[Finding]:
    """Whether the files that say who the being is can be used as they stand."""
    files = files_of(being)
    for path in sorted(files.stores()):
        flaw = _flaw(files, path)
        if flaw:
            what = f"{path} line {flaw.line} is not used: {flaw.why}"
            fix = "mend the file, or see what was in force: lumen self diff"
            yield Finding("self", "bad", what, fix)


def _flaw(files: FilesOnDisk, path: str) -> Flaw | None:
    try:
        check(path, (files.read(path) or b"").decode())
    except OSError as error:
        return Flaw(1, f"it cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        return Flaw(1, "it is not UTF-8 text")
    except Flaw as flaw:
        return flaw
    return None


def keys_of(being: BeingPaths, settings: Settings) -> Iterator[Finding]:
    """Both keys, how each is kept, and whether a skill can reach them."""
    soul, keyring = settings.soul, Keyring(data_home())
    yield _host(keyring, soul)
    yield _author(keyring, soul)
    yield _reach(being, settings, keyring)


def _host(keyring: Keyring, soul: str) -> Finding:
    path = keyring.key_file(soul)
    if not path.exists():
        return Finding("key", "warn", NO_KEY)
    if open_to_others := _open_to_others("key", path):
        return open_to_others
    try:
        keyring.host_public(soul)
    except LumenError as error:
        return Finding("key", "bad", error.what, error.fix)
    return Finding("key", "ok", f"{path} (0600; signs unattended, so under no passphrase)")


def _author(keyring: Keyring, soul: str) -> Finding:
    path, what = keyring.author_file(soul), "your key"
    if not path.exists():
        return Finding(what, "warn", NO_AUTHOR)
    if open_to_others := _open_to_others(what, path):
        return open_to_others
    try:
        keyring.author_public(soul)
        locked = keyring.author_is_locked(soul)
    except LumenError as error:
        return Finding(what, "bad", error.what, error.fix)
    if locked:
        return Finding(what, "ok", f"{path} (0600, under a passphrase)")
    detail = f"{path} (0600, under no passphrase: whoever runs with your rights can sign as you)"
    return Finding(what, "warn", detail, "lumen keys passphrase")


def _open_to_others(what: str, path: Path) -> Finding | None:
    if path.stat().st_mode & 0o077:
        fix = f"chmod 600 {quote(str(path))}"
        return Finding(what, "bad", f"{path} can be read by others", fix)
    if path.parent.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        fix = f"chmod 700 {quote(str(path.parent))}"
        return Finding(what, "bad", f"others can put another key into {path.parent}", fix)
    return None


def _reach(being: BeingPaths, settings: Settings, keyring: Keyring) -> Finding:
    """Which skills run with the author's rights, and so can read what the author can."""
    from lumen.app.wiring import skill_policies
    from lumen.hands.isolation import Isolation, bwrap_trouble
    from lumen.hands.policy import in_force, isolation_for
    from lumen.hands.skills import Maker, discover, made_by

    policies = skill_policies(settings)
    said = "; ".join(in_force(policies))
    loose = [
        skill.name
        for skill in discover(being.skills)
        if skill.ready
        and not skill.disabled
        and (maker := made_by(skill)) is not Maker.SHIPPED
        and isolation_for(skill.name, maker, policies)[0] is not Isolation.BWRAP
    ]
    if loose:
        path = keyring.author_file(settings.soul)
        sealed = path.exists() and keyring.author_is_locked(settings.soul)
        which = "the host's key" if sealed else "your keys"
        fix = "apt install bubblewrap" if bwrap_trouble() else 'isolation = "bwrap" in lumen.toml'
        return Finding("isolation", "warn", f"{said}; {', '.join(loose)} can read {which}", fix)
    none = policies.isolation is Isolation.NONE
    out = "" if none else "; no skill but the shipped ones can reach the keys"
    return Finding("isolation", "warn" if none else "ok", f"{said}{out}")


def wide_grants(being: BeingPaths, settings: Settings) -> Iterator[Finding]:
    """Skills that were given a folder with the author's whole home, or the being itself, in it."""
    from lumen.app.wiring import skill_policies
    from lumen.hands.policy import grant
    from lumen.hands.skills import discover

    held = (Path.home().resolve(), being.root.resolve())
    for skill in discover(being.skills):
        if skill.disabled or not skill.ready:
            continue
        try:
            box = grant(skill, being.root, skill_policies(settings)).box
        except SkillError:  # it does not run, so it is given nothing
            continue
        wide = {p for p in (*box.reads, *box.writes) if any(h.is_relative_to(p) for h in held)}
        for path in sorted(wide):
            what = (
                f"[skills.{skill.name}] gives it {path}: all that you keep below, but for the keys"
            )
            fix = f"name the folders that {skill.name} is meant for"
            yield Finding("grants", "warn", what, fix)


def missing_skills(being: BeingPaths) -> list[str]:
    """Which of the skills that every being starts with have no folder any more."""
    return [s.name for s in discover(shipped()) if not (being.skills / s.name).exists()]


def skills_of(being: BeingPaths) -> Iterator[Finding]:
    """Skills that are not what they were made as."""
    from lumen.app.skill_changes import changed_skills
    from lumen.app.storage import open_index

    index = open_index(being)  # asked only where there is something to ask
    try:
        found = changed_skills(being, index)
    except (OSError, ArchiveError):  # told of as the archive
        found = []
    finally:
        index.close()
    for error in found:
        yield Finding("skills", "bad", error.what, error.fix)
    if missing := missing_skills(being):
        what = f"not in {being.skills}: {', '.join(missing)}; it started with them"
        fix = f"lumen init DIR, which has them, then cp -r DIR/skills/. {quote(str(being.skills))}"
        yield Finding("skills", "warn", what, fix)


def archive_of(being: BeingPaths, soul: str) -> Iterator[Finding]:
    """Whether the chain verifies, up to where it is signed, and what this host has seen of it."""
    keyring = Keyring(data_home())
    try:
        report = verify(being, keyring, soul=soul, processes=os.cpu_count() or 1)
        seen = keyring.witness(soul)
    except OSError as error:
        yield Finding("archive", "bad", f"{error.filename} cannot be read: {error.strerror}")
        return
    except LumenError as error:
        yield Finding("archive", "bad", error.what, error.fix)
        return
    if report.problem:
        what = f"event {report.problem.seq} {report.problem.what}"
        yield Finding("archive", "bad", what, "lumen archive verify")
    else:
        yield Finding("archive", "ok", f"{counted(report.count, 'event')} verified")
    yield _signed(report)
    if seen:
        yield Finding("witness", "ok", f"this host has seen the chain up to event {seen.seq:,}")
    else:
        yield Finding("witness", "warn", "none on this host: a cut-off end would not be noticed")


def _signed(report: Report) -> Finding:
    if report.unvouched:
        what = f"from event {report.unvouched:,} on only a key signs that nobody has vouched for"
        return Finding("heads", "bad", what, "lumen keys list")
    if report.unsigned:
        what = f"nobody who counts has signed what comes from event {report.unsigned:,} on"
        return Finding("heads", "bad", what, "lumen archive verify")
    own = "" if report.signed >= report.count else "; what comes after it this host wrote"
    return Finding("heads", "ok", f"signed up to event {report.signed:,}{own}")
