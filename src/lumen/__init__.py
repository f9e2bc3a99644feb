"""Lumen gives any language model a self that lasts: `lumen.open` is the door to a being.

Reading the source? Start at lumen.kernel.turn.loops. Nothing is imported before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from lumen.app.being import AsyncBeing as AsyncBeing
    from lumen.app.being import Being as Being
    from lumen.app.being import Door
    from lumen.app.bulk import Memo as Memo
    from lumen.app.talking import DraftText as DraftText
    from lumen.app.talking import ReplyText as ReplyText
    from lumen.app.talking import Said as Said
    from lumen.app.talking import StepStarted as StepStarted
    from lumen.core.clock import Clock
    from lumen.core.errors import Busy as Busy
    from lumen.core.errors import LumenError as LumenError
    from lumen.core.errors import NotABeing as NotABeing

__version__ = "0.5.0"
_EXPORTS = {
    "AsyncBeing": "lumen.app.being",
    "Being": "lumen.app.being",
    "Busy": "lumen.core.errors",
    "DraftText": "lumen.app.talking",
    "LumenError": "lumen.core.errors",
    "Memo": "lumen.app.bulk",
    "NotABeing": "lumen.core.errors",
    "ReplyText": "lumen.app.talking",
    "Said": "lumen.app.talking",
    "StepStarted": "lumen.app.talking",
}


def open(path: str | Path | None = None, *, clock: Clock | None = None) -> Door:
    """A being, for `with` or `async with`: at a path, or the one the command line would mean.

    Without a path that is `LUMEN_BEING`, the folder one is in, or the default, which is made when
    it is not there. A path where no being is raises NotABeing: `lumen.create` makes one.
    """
    from lumen.app.being import Door

    return Door(path, clock)


def create(path: str | Path, *, clock: Clock | None = None) -> Path:
    """Make a new being in a folder that holds none; returns the folder."""
    from lumen.app import being

    return being.create(path, clock)


if not TYPE_CHECKING:  # else every name would be one

    def __getattr__(name: str) -> object:
        """Import what is asked for by name, and only then."""
        from importlib import import_module

        if name in _EXPORTS:
            return getattr(import_module(_EXPORTS[name]), name)
        raise AttributeError(f"module 'lumen' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is offered, imported or not; what else stands in here may change."""
    return sorted([*_EXPORTS, "__version__", "create", "open"])
