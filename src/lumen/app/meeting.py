"""A being comes into the world and meets its author: birth, names, and words that are nobody's."""

from __future__ import annotations

from functools import partial

from lumen.app.placing import FIX, must_be_apart
from lumen.app.settings import data_home, machine_zone
from lumen.app.storage import open_index, open_storage
from lumen.core.clock import Clock, SystemClock
from lumen.core.data import BeingPaths
from lumen.core.errors import UsageError
from lumen.kernel.gate.birth import init, introduce
from lumen.kernel.identity.defaults import default_self
from lumen.kernel.identity.naming import LONGEST_NAME as LONGEST_NAME
from lumen.kernel.identity.naming import UNNAMED as UNNAMED
from lumen.kernel.identity.naming import introduced, is_called, names_given
from lumen.kernel.identity.naming import is_message as is_message
from lumen.kernel.turn.conversation import says_something as says_something
from lumen.kernel.turn.conversation import tool_message
from lumen.kernel.turn.run import Kernel
from lumen.kernel.upkeep.background_indexing import Learner as Learner
from lumen.soul.trust.keys import Keyring


def bear(being: BeingPaths, clock: Clock | None = None, *, with_defaults: bool = False) -> str:
    """Make a new being in a folder that holds none, an empty one or with the contour's defaults.

    Returns the soul's id.

    Raises:
        UsageError: the folder is not free, cannot be used, or lies in or around another being or the keys.
    """
    clock = clock or SystemClock()
    try:
        must_be_apart(being.root)
    except OSError as error:
        what = f"{being.root} cannot be used: {error.strerror}"
        raise UsageError(what, fix=FIX) from error
    storage = open_storage(being, Keyring(data_home()), clock)
    born_with = default_self() if with_defaults else {}
    return init(being, storage, clock, timezone=machine_zone(), born_with=born_with)


def has_met(being: BeingPaths) -> bool:
    """Whether it was given a name already."""
    return being.soul_md.exists() and bool(being.soul_md.read_bytes().strip())


def meet(kernel: Kernel, name: str, author: str) -> None:
    """Archive what was settled at the first meeting: its name, the author's, and where they are."""
    introduce(kernel.gate, kernel.being, name, author, kernel.settings.timezone or machine_zone())


def name_in(text: str) -> str:
    """The name that a few words give; empty: they give none."""
    if not is_called(text):
        return ""
    given = [name for name, theirs in names_given(text) if theirs]
    return given[-1] if given else introduced(text) or text


def overhear(kernel: Kernel, text: str) -> int:
    """Keep what a skill says where the author speaks: a tool's word, which nobody answers."""
    return kernel.gate.record(tool_message(text)).seq


def learner_for(kernel: Kernel) -> Learner:
    """What makes memories findable by meaning while the author is typing."""
    recall = kernel.recall
    external = recall.external.embedder if recall.external else None
    return Learner(kernel.gate.locks, partial(open_index, kernel.being), recall.embedder, external)
