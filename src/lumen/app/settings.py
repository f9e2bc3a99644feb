"""Where things are on this host, and which being is meant. Reads only."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lumen.core.data import BeingPaths
from lumen.core.errors import NotABeing, UsageError
from lumen.core.settings import DEFAULT_ZONE, read_settings
from lumen.core.settings import Settings as Settings

ETC = Path("/etc")
NOBODY = "nobody: the default"  # whose word a time zone is that was never said


def data_home() -> Path:
    """Lumen's own folder on this host: keys, witnesses, the default being."""
    home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(home) if home.startswith("/") else Path.home() / ".local" / "share"
    return base / "lumen"


def find_being(named: str | None) -> tuple[BeingPaths, bool]:
    """The being meant: named, in the environment, here, or the default; and whether by default.

    Raises:
        UsageError: the name is empty, as an unset variable is; that must not mean the default.
    """
    if named is not None and not named.strip():
        raise UsageError("--being names nothing", fix="lumen --being DIR …")
    explicit = named or os.environ.get("LUMEN_BEING")
    if explicit:
        return BeingPaths(Path(explicit).expanduser().absolute()), False
    try:
        here = Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("the folder you are in is gone", fix="cd") from error
    if (here / "lumen.toml").is_file():
        return BeingPaths(here), False
    return BeingPaths(data_home() / "default"), True


def must_be(being: BeingPaths) -> Settings:
    """The settings of a being that exists.

    Raises:
        NotABeing: the directory is missing or is something else.
    """
    root = being.root
    if not root.exists():
        if root == data_home() / "default":
            raise NotABeing("there is no being yet", fix="lumen chat")
        raise NotABeing(f"{root} does not exist", fix=f"lumen init {quote(str(root))}")
    if not root.is_dir():
        raise NotABeing(f"{root} is a file, not a being", fix="lumen --being DIR …")
    if not being.settings.is_file():
        raise _without_settings(being)
    settings = read_settings(being.settings)
    from lumen.app.storage import has_events, soul_of

    if not has_events(being):
        # a turn would begin a second chain, under no name
        raise NotABeing(
            f"{root} has lost its memory: {being.memory} holds no events",
            fix="put data/memory back from a backup",
        )
    if (soul := soul_of(being)) not in ("", settings.soul):  # whose witness would be asked?
        raise _two_souls(being, settings.soul, soul)
    return settings


def _two_souls(being: BeingPaths, named: str, soul: str) -> NotABeing:
    """Settings of one being over the archive of another: which of both is out of place?"""
    from lumen.soul.trust.keys import Keyring

    said = f"the soul {named}" if named else "no soul"
    what = f"{being.settings} names {said}, and the archive is that of {soul}"
    write = "move the file away: lumen rebuild writes it again"
    if not named or not Keyring(data_home()).has_key(
        named
    ):  # a slip of the hand: there is no other
        return NotABeing(what, fix=f'put  soul = "{soul}"  back under [being]; or {write}')
    return NotABeing(
        f"{what}: two beings of this host are mixed up here",
        fix=f"if this is the folder of {named}, bring its own data/ back, from where it is now or a "
        f"backup; if it is that of {soul}, bring its lumen.toml back, or {write}",
    )


def _without_settings(being: BeingPaths) -> NotABeing:
    root = being.root
    from lumen.app.storage import soul_of

    if soul_of(being):
        return NotABeing(
            f"{root} has lost its lumen.toml",
            fix="put it back from a backup; or have it written again: lumen rebuild",
        )
    # /proc and its like keep nothing, though root may write everywhere
    keeps = os.access(root, os.W_OK) and os.statvfs(root).f_blocks
    init = f"lumen init {quote(str(root))}" if keeps else "lumen init ANOTHER_FOLDER"
    return NotABeing(
        f"{root} is not a being: it has no lumen.toml", fix=f"{init}      or: lumen --being DIR …"
    )


def zone(name: str) -> ZoneInfo:
    """The author's time zone, whoever said it."""
    return ZoneInfo(zone_of(name)[0])


def zone_of(name: str) -> tuple[str, str]:
    """Which time zone holds, and by whose word: lumen.toml's, the machine's, or nobody's."""
    if name:  # it was read as one
        return name, "lumen.toml"
    if found := machine_zone():
        return found, "the machine"
    return DEFAULT_ZONE, NOBODY


def machine_zone(etc: Path = ETC) -> str:
    """The name of the machine's time zone; empty where it gives none that is known."""
    link, file = etc / "localtime", etc / "timezone"
    names = [os.environ.get("TZ", "").lstrip(":")]
    if link.is_symlink():
        names.append(str(link.resolve()).partition("zoneinfo/")[2])
    if file.is_file():
        names.append(file.read_text("utf-8", "replace").strip())
    return next(filter(_is_zone, names), "")


def _is_zone(name: str) -> bool:
    try:
        return bool(name and ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
