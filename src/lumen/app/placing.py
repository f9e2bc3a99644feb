"""Where a being may be made: in a folder of its own, apart from other beings and from the keys."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lumen.app.settings import data_home
from lumen.core.data import BeingPaths
from lumen.core.errors import UsageError
from lumen.soul.trust.keys import Keyring

FIX = "lumen init ANOTHER_FOLDER"
DEEPEST = 200  # folders above a being


def must_be_apart(root: Path, *, fix: str = FIX) -> None:
    """See that a being in this folder would hold, and lie in, nothing that is not its own.

    Raises:
        UsageError: the keys of this host or another being are in it, or it is in one of those.
    """
    if len(root.parts) > DEEPEST:
        raise UsageError(f"that folder lies below {len(root.parts) - 1} others, too deep", fix=fix)
    place, keys = root.resolve(), data_home().resolve()
    if keys.is_relative_to(place):
        where = "is" if keys == place else "is around"
        raise UsageError(f"{root} {where} {keys}, where Lumen keeps the keys of beings", fix=fix)
    for kept in Keyring(keys).folders():
        if place.is_relative_to(kept):
            raise UsageError(f"{root} lies in {kept}, where keys or witnesses are kept", fix=fix)
    for above in place.parents:
        if BeingPaths(above).is_being:
            raise UsageError(f"{root} lies inside another being, {above}", fix=fix)
    for below in _beings_below(place):
        raise UsageError(f"{root} is around another being, {below}", fix=fix)


def _beings_below(place: Path) -> Iterator[Path]:
    for folder, below, names in os.walk(place):
        below[:] = (name for name in below if name != ".git")
        if "lumen.toml" in names and Path(folder) != place and BeingPaths(Path(folder)).is_being:
            yield Path(folder)
