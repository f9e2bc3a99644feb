"""Which models a being can reach from this host: its settings, the environment, and the key file.

Keys are read from the environment's usual names or from one file that only its owner can read;
they go into requests and nowhere else.
"""

from __future__ import annotations

import os
import stat
import tomllib
from dataclasses import replace
from pathlib import Path
from shlex import quote

from lumen.app.settings import Settings, data_home
from lumen.core.canon import dumps
from lumen.core.durable import save
from lumen.core.errors import BadSetting, LumenError, UsageError, unreadable
from lumen.core.exclusive import exclusive
from lumen.core.settings import embedder_here
from lumen.mind.endpoints import Endpoint, EndpointSettings, endpoints
from lumen.mind.roles import (
    EMBEDDER,
    ESCALATION,
    INNER,
    Assignment,
    parse_assignment,
    parse_assignments,
)

SHORTEST_SECRET = 16  # a word as short as "ollama", given where no key is needed, is no secret


def key_file() -> Path:
    """Where keys are kept that are not in the environment."""
    return data_home() / "keys.toml"


def notes_file() -> Path:
    """Where this host notes which models it has seen."""
    return data_home() / "models.json"


def trust_file() -> Path:
    """Where this host keeps what models were measured to be able to do."""
    return data_home() / "trust.json"


def models_folder() -> Path:
    """Where this host keeps model files."""
    return data_home() / "models"


def endpoints_of(settings: Settings) -> dict[str, Endpoint]:
    """Every substrate this being knows of, with its key."""
    named = {name: EndpointSettings(name, **told) for name, told in settings.substrates.items()}
    found = endpoints(named, os.environ, read_keys())
    return {**found, "embedded": replace(found["embedded"], folder=models_folder())}


def secrets_in(reachable: dict[str, Endpoint]) -> tuple[str, ...]:
    """The keys, as words that must be kept nowhere."""
    return tuple(e.key for e in reachable.values() if len(e.key) >= SHORTEST_SECRET)


def assignments_of(settings: Settings) -> dict[str, Assignment]:
    """Which model serves which role, the inner loop among them."""
    stronger = {ESCALATION: settings.escalation_model} if settings.escalation_model else {}
    return parse_assignments({**settings.roles, INNER: settings.local_model, **stronger})


def inner_must_be_local(settings: Settings, reachable: dict[str, Endpoint]) -> None:
    """The model of the loop that thinks when nobody speaks is on the author's own machines.

    Raises:
        BadSetting: lumen.toml says otherwise.
    """
    assigned = parse_assignment(INNER, settings.local_model)
    endpoint = reachable.get(assigned.substrate)
    if endpoint is None or not endpoint.local:
        raise BadSetting(
            f"lumen.toml: [kernel] localModel is {assigned}, which is not on this machine",
            fix=f"lumen models set {INNER} embedded/SmolLM2-135M-Instruct",
        )


def all_assignments(settings: Settings) -> dict[str, Assignment]:
    """The same, with the embedder."""
    return {
        **assignments_of(settings),
        EMBEDDER: parse_assignment(EMBEDDER, settings.external_embedder or embedder_here()),
    }


def read_keys() -> dict[str, str]:
    """The keys in the author's file, by substrate.

    Raises:
        BadSetting: others can read it, or it is no list of keys.
    """
    path = key_file()
    try:
        mode = path.stat().st_mode
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        fix = f"ls -ld {quote(str(path))}"
        raise BadSetting(f"{path} cannot be read: {unreadable(error)}", fix=fix) from error
    if stat.S_IMODE(mode) & 0o077:
        raise BadSetting(f"{path} can be read by others", fix=f"chmod 600 {quote(str(path))}")
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:  # its message quotes nothing of the file
        raise BadSetting(f"{path} cannot be read: {error}", fix="mend that line") from error
    if not all(isinstance(key, str) for key in told.values()):
        raise BadSetting(f'{path} must hold lines like openai = "…"', fix="mend that file")
    return {name: str(key) for name, key in told.items()}


def save_key(name: str, key: str) -> Path:
    """Keep a key, or with an empty one no longer; only the owner may read the file.

    Raises:
        UsageError: it cannot be a key.
    """
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError("that does not look like a key", fix=f"lumen models key {name}")
    path = key_file()
    with exclusive(path):  # two at once would lose one of the keys
        _write_keys(path, {**read_keys(), name: key})
    return path


def _write_keys(path: Path, keys: dict[str, str]) -> None:
    spelled = ((dumps(n).decode(), dumps(k).decode()) for n, k in sorted(keys.items()) if k)
    text = "".join(f"{n} = {k}\n" for n, k in spelled)
    beside = path.with_suffix(f".{os.getpid()}.new")
    try:
        save(beside, text.encode(), new=True, mode=0o600)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        fix = f"ls -ld {quote(str(path.parent))}"
        raise LumenError(f"{path} cannot be written: {error.strerror}", fix=fix) from error
