"""Model files on this host: a file taken in, one fetched by name, one kept no longer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lumen.app.reach import models_folder
from lumen.core.errors import UsageError
from lumen.mind.catalogue import Offer as Offer
from lumen.mind.catalogue import offered, offers
from lumen.mind.in_process import MODEL_ID
from lumen.mind.library import Library
from lumen.mind.library import ModelFile as ModelFile


@dataclass(frozen=True, slots=True)
class Obtainable:
    """A model of the catalogue, and whether it is here already."""

    name: str
    about: str
    size: int
    licence: str
    sha256: str
    here: bool


def library() -> Library:
    """The models kept on this host."""
    return Library(models_folder())


def obtainable() -> tuple[Obtainable, ...]:
    """What can be fetched by name."""
    here = {kept.sha256 for kept in library().models()}
    known = offers(models_folder()).values()
    return tuple(
        Obtainable(o.name, o.about, o.size, o.licence, o.sha256, o.sha256 in here) for o in known
    )


def add_model(file: Path, name: str = "") -> ModelFile:
    """Keep a GGUF file as a model of this host, by its own name or another.

    Raises:
        UsageError: it is no model to talk with, or the name is taken.
    """
    called = name or file.stem
    if called == MODEL_ID:
        raise UsageError(f"{called} is built in", fix="lumen models add FILE --name ANOTHER")
    return library().add(file, called)


def get_model(
    name: str, source: str, progress: Callable[[int, int], None], waiting: Callable[[], None]
) -> ModelFile:
    """Fetch a model of the catalogue, unless it is here.

    Raises:
        LumenError: it could not be fetched, or what came is not it.
    """
    from lumen.mind.fetch import Fetching, fetch

    return fetch(Fetching(offered(models_folder(), name), library(), source, progress, waiting))


def remove_model(name: str) -> ModelFile:
    """Keep a model no longer."""
    return library().remove(name)
