"""Where models live: the well-known substrates, and those the author names in lumen.toml.

An endpoint is settings and a key, put together once; nothing is asked of it here. A key comes from
the environment or from a file only the author can read, and shows in no `repr`.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal
from urllib.parse import urlsplit

from lumen.core.errors import BadSetting

Kind = Literal["embedded", "scripted", "openai", "anthropic", "xai", "ollama", "lmstudio"]
CUSTOM_KINDS = ("openai", "anthropic", "ollama", "lmstudio")
SECONDS = 120.0  # how long one call may take; a large local model needs its time to load

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One place that serves models. `local`: what is sent there stays on the author's machines."""

    id: str
    kind: Kind
    url: str = ""
    local: bool = False
    key: str = field(default="", repr=False)
    key_names: tuple[str, ...] = ()  # environment variables that may hold the key
    seconds: float = SECONDS
    folder: Path | None = None  # where the files of models are that run in this process

    @property
    def wants_key(self) -> bool:
        """Whether nothing can be had there without a key."""
        return self.kind in ("openai", "anthropic", "xai") and self.id in BUILT_IN


def _server(kind: Kind, url: str) -> Endpoint:
    return Endpoint(kind, kind, url, key_names=(f"{kind.upper()}_API_KEY",))


_KNOWN = (
    Endpoint("embedded", "embedded", local=True),
    _server("ollama", "http://127.0.0.1:11434"),
    _server("lmstudio", "http://127.0.0.1:1234/v1"),
    _server("openai", "https://api.openai.com/v1"),
    _server("anthropic", "https://api.anthropic.com"),
    _server("xai", "https://api.x.ai/v1"),
    Endpoint("scripted", "scripted", local=True),
)
BUILT_IN: Mapping[str, Endpoint] = MappingProxyType({e.id: e for e in _KNOWN})
_URL_NAMES = {"ollama": "OLLAMA_HOST", "openai": "OPENAI_BASE_URL"}


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """A [substrates.NAME] table as the author wrote it; what is None was not said."""

    name: str
    kind: str | None = None
    url: str | None = None
    key_env: str | None = None
    local: bool | None = None
    seconds: float | None = None


def endpoints(
    named: Mapping[str, EndpointSettings], environ: Mapping[str, str], keys: Mapping[str, str]
) -> dict[str, Endpoint]:
    """Every endpoint there is, well-known ones first, each with its key if there is one."""
    found: dict[str, Endpoint] = {}
    for name in (*BUILT_IN, *(n for n in named if n not in BUILT_IN)):
        said = named.get(name, EndpointSettings(name))
        endpoint = _said(_known(name, environ) if name in BUILT_IN else _custom(said), said)
        found[name] = replace(endpoint, key=_key(endpoint, environ, keys))
    return found


def _known(name: str, environ: Mapping[str, str]) -> Endpoint:
    endpoint = BUILT_IN[name]
    url = environ.get(_URL_NAMES.get(name, ""), "").strip()
    if url and name == "ollama":
        url = _ollama_url(url)
    return replace(endpoint, url=url or endpoint.url)


def _custom(said: EndpointSettings) -> Endpoint:
    where = f"[substrates.{said.name}]"
    if not _NAME.fullmatch(said.name):
        raise BadSetting(f"{where}: a name is small letters, digits, - and _")
    kind = said.kind or "openai"
    if kind not in CUSTOM_KINDS:
        raise BadSetting(f"{where}: {kind!r} is no kind", fix=f"one of {', '.join(CUSTOM_KINDS)}")
    if not said.url:
        raise BadSetting(f"{where} has no url", fix='url = "http://127.0.0.1:8080/v1"')
    return Endpoint(said.name, kind, said.url)  # type: ignore[arg-type] # looked up just above


def _said(endpoint: Endpoint, said: EndpointSettings) -> Endpoint:
    """The endpoint with everything its table says, checked."""
    where = f"[substrates.{said.name}]"
    if said.kind is not None and said.kind != endpoint.kind:
        raise BadSetting(f"{where} is known to be of kind {endpoint.kind}", fix="drop its kind")
    if said.key_env is not None and not _VARIABLE.fullmatch(said.key_env):
        raise BadSetting(
            f"{where}: key_env must be the name of an environment variable; a key itself has no "
            "place in lumen.toml",
            fix=f"lumen models key {said.name}",
        )
    if endpoint.kind in ("embedded", "scripted"):
        if said != EndpointSettings(said.name):
            raise BadSetting(f"{where}: there is nothing to set")
        return endpoint
    place = where if said.url else _URL_NAMES.get(said.name, where)
    url, host = _address(said.url or endpoint.url, place, said.name)
    if said.seconds is not None and not 0 < said.seconds < float("inf"):
        raise BadSetting(f"{where}: seconds must be like 120, not {said.seconds}")
    return replace(
        endpoint,
        url=url,
        local=_is_local(endpoint, host, said, where),
        key_names=(said.key_env,) if said.key_env else endpoint.key_names,
        seconds=said.seconds or endpoint.seconds,
    )


def _is_local(endpoint: Endpoint, host: str, said: EndpointSettings, where: str) -> bool:
    """Ollama and LM Studio on this machine are local; anything else only if the author says so.

    A server on the loopback interface proves nothing by itself: it may be a gateway that passes
    everything on. OpenAI, Anthropic and xAI are never local, whatever stands in between.
    """
    if said.local is None:
        return endpoint.kind in ("ollama", "lmstudio") and _is_loopback(host)
    if said.local and endpoint.id in ("openai", "anthropic", "xai"):
        raise BadSetting(f"{where} cannot be local")
    if said.local and not _is_near(host):
        raise BadSetting(
            f"{where}: {host} is not in your own network, so it cannot be local",
            fix="local = false",
        )
    return said.local


def _address(said: str, where: str, name: str) -> tuple[str, str]:
    """An address as it is asked, and its host."""
    url = said.strip().rstrip("/")
    if any(
        mark in url for mark in "@?#"
    ):  # looked for first: what is wrong is shown, a password not
        raise BadSetting(
            f"{where}: the url may hold no password and no ?…", fix=f"lumen models key {name}"
        )
    try:
        parts = urlsplit(url)
        fine = (parts.port is None or parts.port > 0) and url.isprintable() and " " not in url
    except ValueError:
        parts, fine = urlsplit(""), False
    if parts.scheme not in ("http", "https") or not parts.hostname or not fine:
        raise BadSetting(f"{where}: {url!r} is no address", fix='url = "http://127.0.0.1:8080/v1"')
    return parts.scheme + url[len(parts.scheme) :], parts.hostname


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_near(host: str) -> bool:
    """Whether an address can be in the author's own network."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        if re.fullmatch(r"\d+|0x[0-9a-f]*", host):  # an address in disguise
            return False
        return "." not in host or host.endswith((".local", ".lan", ".home.arpa", ".internal"))


def _ollama_url(said: str) -> str:
    """OLLAMA_HOST is written as `host`, `host:port`, `:port` or a whole address.

    It tells a server where to listen, too: on every interface means on this machine for a client.
    """
    scheme, _, rest = said.rpartition("://")
    place, slash, path = rest.partition("/")
    if place.count(":") > 1 and not place.startswith("["):
        place = f"[{place}]"
    found = re.fullmatch(r"(\[.*\]|[^:@]*)(?::(\d*))?", place)
    if not found:
        return said
    everywhere = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104
    host, port = everywhere.get(found[1], found[1]), found[2] or ("" if scheme else "11434")
    return f"{scheme or 'http'}://{host}{':' if port else ''}{port}{slash}{path}"


def _key(endpoint: Endpoint, environ: Mapping[str, str], keys: Mapping[str, str]) -> str:
    """The first key there is: in the environment, else in the author's file."""
    said = [environ.get(name, "").strip() for name in endpoint.key_names]
    return next(filter(None, said), "") or keys.get(endpoint.id, "").strip()
