"""Where things are on this host, and what lumen.toml says. Reads only; parsed once, at the edge."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lumen.core.data import Being
from lumen.core.errors import BadSetting, NotABeing, UsageError
from lumen.soul.archive import segments
from lumen.soul.links import soul_in

BUILT_IN_EMBEDDER = "embedded/all-MiniLM-L6-v2"
THRESHOLDS = MappingProxyType(
    {"delta": 0.6, "tension": 0.5, "stale_cycles": 50.0, "every_cycles": 25.0}
)
DEFAULT_ROLES = MappingProxyType({"interface": "embedded/SmolLM2-135M-Instruct"})
ISOLATIONS = ("none", "limits", "bwrap")
_SUBSTRATE_ID = re.compile(r"[a-z][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the author decides."""

    soul: str
    author_name: str = "friend"
    timezone: str = ""
    roles: MappingProxyType[str, str] = field(default_factory=lambda: DEFAULT_ROLES)
    skill_seconds: float = 20.0
    skill_memory_mib: int = 1024
    isolation: str = "limits"
    skill_settings: MappingProxyType[str, dict[str, Any]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    use_increment: float = 0.02
    half_life_days: int = 90
    redact: tuple[str, ...] = ()
    local_model: str = DEFAULT_ROLES["interface"]  # of the loop that thinks when nobody speaks
    escalation_model: str = ""
    thresholds: MappingProxyType[str, float] = field(default_factory=lambda: THRESHOLDS)
    cycle_seconds: float = 60.0
    escalations_per_hour: int = 4
    daily_budget: int = 0
    dollars_per_day: float = 0.0
    role_tokens: MappingProxyType[str, int] = field(default_factory=lambda: MappingProxyType({}))
    substrates: MappingProxyType[str, dict[str, Any]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    embedder: str = BUILT_IN_EMBEDDER

    @property
    def chosen_embedder(self) -> str:
        """The embedder chosen beside the built-in one; empty: none."""
        return "" if self.embedder == BUILT_IN_EMBEDDER else self.embedder


def data_home() -> Path:
    """Lumen's own folder on this host: keys, witnesses, the default being."""
    home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(home) if home.startswith("/") else Path.home() / ".local" / "share"
    return base / "lumen"


def find_being(named: str | None) -> tuple[Being, bool]:
    """The being meant: named, in the environment, here, or the default; and whether by default.

    Raises:
        UsageError: the name is empty, as an unset variable is; that must not mean the default.
    """
    if named is not None and not named.strip():
        raise UsageError("--being names nothing", fix="lumen --being DIR …")
    explicit = named or os.environ.get("LUMEN_BEING")
    if explicit:
        return Being(Path(explicit).expanduser().absolute()), False
    try:
        here = Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("the folder you are in is gone", fix="cd") from error
    if (here / "lumen.toml").is_file():
        return Being(here), False
    return Being(data_home() / "default"), True


def must_be(being: Being) -> Settings:
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
    memory = being.memory
    if not (memory.is_dir() and any(memory.iterdir()) and segments(memory)):
        # a turn would begin a second chain, under no name
        raise NotABeing(
            f"{root} has lost its memory: {memory} holds no events",
            fix="put data/memory back from a backup",
        )
    if (soul := soul_in(memory)) not in ("", settings.soul):  # whose witness would be asked?
        said = f"the soul {settings.soul}" if settings.soul else "no soul"
        raise NotABeing(
            f"{being.settings} names {said}, and the archive is that of {soul}",
            fix=f'put  soul = "{soul}"  back under [being]; '
            "or move the file away: lumen rebuild writes it again",
        )
    return settings


def _without_settings(being: Being) -> NotABeing:
    root = being.root
    if soul_in(being.memory):
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


def read_settings(path: Path) -> Settings:
    """Read lumen.toml.

    Raises:
        BadSetting: names the key that is wrong and what it should be.
    """
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"{path} cannot be read: {error}", fix="mend that line") from error
    except OSError as error:
        raise BadSetting(f"{path} cannot be read: {error.strerror}") from error
    _must_be_known(raw, path)
    seconds = float(_get(raw, path, "skills", "seconds", 20))
    if not 0 < seconds < float("inf"):  # nan is neither
        raise BadSetting(f"{path}: [skills] seconds must be like 20, not {seconds}")
    roles = raw.get("roles", {})
    if not isinstance(roles, dict) or not all(isinstance(v, str) for v in roles.values()):
        raise BadSetting(f"{path}: every role must be a text like substrate/model")
    timezone = str(_get(raw, path, "author", "timezone", ""))
    zone(timezone, path)
    return Settings(
        soul=str(_get(raw, path, "being", "soul", "")),
        author_name=str(_get(raw, path, "author", "name", "friend")) or "friend",
        timezone=timezone,
        roles=MappingProxyType({**DEFAULT_ROLES, **roles}),
        skill_seconds=seconds,
        skill_memory_mib=_memory(raw, path),
        isolation=_isolation(raw, path),
        skill_settings=_skill_settings(raw, path),
        use_increment=_between(raw, path, "use_increment", 0.02, (0, 1)),
        half_life_days=int(_between(raw, path, "half_life_days", 90, (1, 36_500))),
        redact=_words(raw, path),
        local_model=str(_get(raw, path, "kernel", "localModel", DEFAULT_ROLES["interface"])),
        thresholds=_thresholds(raw, path),
        cycle_seconds=_every(raw, path),
        escalation_model=str(_get(raw, path, "escalation", "model", "")),
        escalations_per_hour=_count(raw, path, "kernel", "maxEscalationsPerHour", 4),
        daily_budget=_count(raw, path, "kernel", "dailyBudget", 0),
        dollars_per_day=_dollars(raw, path),
        role_tokens=_role_tokens(raw, path),
        substrates=_substrates(raw, path),
        embedder=_embedder(raw, path),
    )


def _thresholds(raw: dict[str, Any], path: Path) -> MappingProxyType[str, float]:
    found = {key: float(_get(raw, path, "reflection", key, d)) for key, d in THRESHOLDS.items()}
    for key, value in found.items():
        if not 0 <= value <= 1_000_000:
            raise BadSetting(f"{path}: [reflection] {key} must be like {THRESHOLDS[key]}")
    return MappingProxyType(found)


def _every(raw: dict[str, Any], path: Path) -> float:
    found = float(_get(raw, path, "loops", "every", 60.0))
    if not 0 <= found < float("inf"):
        raise BadSetting(f"{path}: [loops] every must be like 60, not {found}")
    return found


def _count(raw: dict[str, Any], path: Path, table: str, key: str, default: int) -> int:
    found = _get(raw, path, table, key, default)
    if not isinstance(found, int) or found < 0:
        raise BadSetting(f"{path}: [{table}] {key} must be a number like {default}, not {found}")
    return found


def _memory(raw: dict[str, Any], path: Path) -> int:
    found = _count(raw, path, "skills", "memory_mib", 1024)
    if not 64 <= found <= 1 << 20:
        raise BadSetting(f"{path}: [skills] memory_mib must be between 64 and 1048576, not {found}")
    return found


def _isolation(raw: dict[str, Any], path: Path) -> str:
    found = str(_get(raw, path, "skills", "isolation", "limits"))
    if found not in ISOLATIONS:
        raise BadSetting(
            f"{path}: [skills] isolation is one of {', '.join(ISOLATIONS)}, not {found!r}",
            fix='isolation = "limits"',
        )
    return found


def _skill_settings(raw: dict[str, Any], path: Path) -> MappingProxyType[str, dict[str, Any]]:
    """The tables [skills.NAME]: what we grant is checked, all else is for the skill to judge."""
    told = {n: t for n, t in raw.get("skills", {}).items() if isinstance(t, dict)}
    for name, table in told.items():
        for key, (kind, like) in _SKILL_KEYS.items():
            value = table.get(key)
            fits = value is None or (isinstance(value, kind) and _is_grant(key, value))
            if not fits:
                raise BadSetting(
                    f"{path}: [skills.{name}] {key} must be like {like}, not {value!r}",
                    fix=f"{key} = {like}",
                )
    return MappingProxyType(told)


def _is_grant(key: str, value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) and one.strip() and one.isprintable() for one in value)
    return key != "isolation" or value in ISOLATIONS


_SKILL_KEYS: dict[str, tuple[type, str]] = {
    "network": (bool, "true"),
    "read": (list, '["~/notes"]'),
    "write": (list, '["~/notes"]'),
    "isolation": (str, '"limits"'),
    "unasked": (bool, "true"),
}


def _dollars(raw: dict[str, Any], path: Path) -> float:
    found = float(_get(raw, path, "budget", "dollars_per_day", 0.0))
    if not 0 <= found < float("inf"):
        raise BadSetting(f"{path}: [budget] dollars_per_day must be like 0.5, not {found}")
    return found


def _role_tokens(raw: dict[str, Any], path: Path) -> MappingProxyType[str, int]:
    section = raw.get("budget", {})
    told = section.get("roles", {}) if isinstance(section, dict) else None
    if not isinstance(told, dict):
        raise BadSetting(f"{path}: [budget.roles] must hold lines like interface = 20000")
    counts = {role: _count({"budget.roles": told}, path, "budget.roles", role, 0) for role in told}
    return MappingProxyType(counts)


_SUBSTRATE_KEYS: dict[str, tuple[type, ...]] = {
    "kind": (str,),
    "url": (str,),
    "key_env": (str,),
    "local": (bool,),
    "seconds": (int, float),
}


def _substrates(raw: dict[str, Any], path: Path) -> MappingProxyType[str, dict[str, Any]]:
    section = raw.get("substrates", {})
    if not isinstance(section, dict) or not all(isinstance(v, dict) for v in section.values()):
        raise BadSetting(f"{path}: substrates are tables like [substrates.desk]")
    for name, told in section.items():
        for key, value in told.items():
            kinds = _SUBSTRATE_KEYS.get(key, ())
            fits = isinstance(value, kinds) and (isinstance(value, bool) == (kinds == (bool,)))
            if not fits:
                raise BadSetting(
                    f"{path}: [substrates.{name}] {key} is unknown or has a value of another kind",
                    fix=f"its keys are {', '.join(_SUBSTRATE_KEYS)}",
                )
    return MappingProxyType(section)


def _between(
    raw: dict[str, Any], path: Path, key: str, default: float, bounds: tuple[float, float]
) -> float:
    found = float(_get(raw, path, "memory", key, default))
    least, most = bounds
    if not least <= found <= most:
        raise BadSetting(f"{path}: [memory] {key} must be between {least} and {most}, not {found}")
    return found


def _embedder(raw: dict[str, Any], path: Path) -> str:
    """Which embedder serves recall, as substrate/model; only the first slash divides."""
    found = str(_get(raw, path, "embedder", "model", BUILT_IN_EMBEDDER))
    where, fix = f"{path}: [embedder] model", f'model = "{BUILT_IN_EMBEDDER}"'
    substrate, slash, model = found.partition("/")
    if not slash:
        raise BadSetting(f"{where} must be substrate/model; {found!r} has no slash", fix=fix)
    if not _SUBSTRATE_ID.fullmatch(substrate):
        raise BadSetting(f"{where}: {substrate!r} is no name of a substrate", fix=fix)
    if not model or not model.isprintable() or model != model.strip():
        raise BadSetting(f"{where}: {model!r} is no name of a model", fix=fix)
    if substrate == "embedded" and found != BUILT_IN_EMBEDDER:
        raise BadSetting(f"{where}: embedded has no embedder {model!r}", fix=fix)
    return found


def _words(raw: dict[str, Any], path: Path) -> tuple[str, ...]:
    section = raw.get("privacy", {})
    found = section.get("redact", []) if isinstance(section, dict) else None
    if not isinstance(found, list) or not all(isinstance(w, str) and w.strip() for w in found):
        raise BadSetting(f'{path}: [privacy] redact must be a list like ["a word"], not {found!r}')
    return tuple(found)


def zone(name: str, path: Path | None = None) -> ZoneInfo:
    """The author's time zone; the system's when none is set, UTC when it has no name."""
    chosen = name or system_zone()
    try:
        return ZoneInfo(chosen)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        if not name:
            return ZoneInfo("UTC")
        where = f"{path}: " if path else ""
        raise BadSetting(
            f"{where}{name!r} is no time zone",
            fix='timezone = "Europe/Lisbon", or "" for the system\'s',
        ) from error


def system_zone() -> str:
    """The name of the system's time zone."""
    if named := os.environ.get("TZ", "").lstrip(":"):
        return named
    etc = Path("/etc/localtime")
    if etc.is_symlink():
        _, _, name = str(etc.resolve()).partition("zoneinfo/")
        if name:
            return name
    return datetime.now(UTC).astimezone().tzname() or "UTC"  # noqa: TID251 - the zone, not the time


_TABLES: dict[str, tuple[str, ...]] = {
    "being": ("soul",),
    "author": ("name", "timezone"),
    "embedder": ("model",),
    "kernel": ("localModel", "dailyBudget", "maxEscalationsPerHour"),
    "loops": ("every",),
    "reflection": tuple(THRESHOLDS),
    "escalation": ("model",),
    "budget": ("dollars_per_day", "roles"),
    "skills": ("seconds", "memory_mib", "isolation"),
    "memory": ("use_increment", "half_life_days"),
    "privacy": ("redact",),
}


def _must_be_known(raw: dict[str, Any], path: Path) -> None:
    """Refuse what nobody reads: a cap with a misspelt name is no cap."""
    for table, told in raw.items():
        if table in ("roles", "substrates"):
            continue
        if table not in _TABLES:
            known = ", ".join(f"[{t}]" for t in ("roles", "substrates.NAME", *_TABLES))
            raise BadSetting(f"{path}: nobody knows [{table}]", fix=f"it may have {known}")
        for key, value in told.items() if isinstance(told, dict) else ():
            own = table == "skills" and isinstance(value, dict)  # [skills.NAME] is the skill's own
            if key not in _TABLES[table] and not own:
                fix = f"[{table}] has {', '.join(_TABLES[table])}"
                raise BadSetting(f"{path}: nobody knows [{table}] {key}", fix=fix)


def _get(
    raw: dict[str, Any], path: Path, table: str, key: str, default: str | float
) -> str | float:
    section = raw.get(table, {})
    value = section.get(key, default) if isinstance(section, dict) else None
    wanted = str if isinstance(default, str) else (int, float)
    huge = isinstance(value, int) and abs(value) > 10**15
    if not isinstance(value, wanted) or isinstance(value, bool) or huge:
        raise BadSetting(f"{path}: [{table}] {key} must be like {default!r}, not {value!r}")
    return value
