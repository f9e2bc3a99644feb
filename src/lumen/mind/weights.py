"""Weights that come inside an installed package: found without importing it, checked by hash.

The packages' own code is never run: it would pull in libraries Lumen does not use.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from lumen.core.errors import NoSubstrate

FIX = "python3 main.py doctor (it names what is missing; `python3 main.py` installs it again)"


@dataclass(frozen=True, slots=True)
class Weights:
    """A file of numbers and the one hash it may have."""

    package: str
    distribution: str
    file: str
    sha256: str

    def path(self) -> Path:
        """Where the file is; its bytes are not looked at."""
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            raise NoSubstrate(f"the package {self.distribution} is not installed", fix=FIX)
        path = Path(spec.submodule_search_locations[0]) / self.file
        if not path.is_file():
            raise NoSubstrate(f"{self.distribution} is installed without {self.file}", fix=FIX)
        return path

    def verified(self) -> Path:
        """Where the file is, after its hash proved to be the expected one (about 0.2 s)."""
        path = self.path()
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != self.sha256:
            raise NoSubstrate(
                f"{path} is not the file Lumen was tested with: "
                f"sha256 {found[:12]}… instead of {self.sha256[:12]}…",
                fix=FIX,
            )
        return path
