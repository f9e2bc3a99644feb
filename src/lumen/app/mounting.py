"""Finds what `[mounts]` of lumen.toml names among the entry points of installed packages.

Nothing is looked for that is not named there: a package that is merely installed is never run.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points

from lumen.core.settings import Settings
from lumen.kernel.identity.mounts import BODY, LEXICON, MEMORY, Mounts

GROUP = "lumen.{kind}"
NEEDED: Mapping[str, tuple[str, ...]] = {
    LEXICON: ("terms",),
    MEMORY: ("keep", "search"),
    BODY: ("sense",),
}


def named_mounts(settings: Settings) -> dict[str, str]:
    """The mounts that lumen.toml names, by their kind."""
    named = {
        LEXICON: settings.identity_lexicon,
        MEMORY: settings.memory_backend,
        BODY: settings.virtual_body,
    }
    return {kind: name for kind, name in named.items() if name}


def mounts_of(settings: Settings) -> Mounts:
    """What is named, loaded; what cannot be is in `failed`, and what there is without it holds."""
    mounts = Mounts()
    for kind, name in named_mounts(settings).items():
        found = _loaded(kind, name)
        if isinstance(found, str):
            mounts.take_down(kind, found)
        else:
            mounts.put(kind, found)
    return mounts


def _loaded(kind: str, name: str) -> object:
    """A mount, made anew; or, in words, why there is none."""
    offered = entry_points(group=GROUP.format(kind=kind))
    if name not in offered.names:
        return f"no installed package offers {name!r} as {GROUP.format(kind=kind)}"
    try:
        made: object = offered[name].load()()
    except Exception as error:  # noqa: BLE001 - somebody else's code
        return f"{type(error).__name__}: {error}"
    lacks = [method for method in NEEDED[kind] if not callable(getattr(made, method, None))]
    return f"{name!r} has no {' and no '.join(lacks)}" if lacks else made
