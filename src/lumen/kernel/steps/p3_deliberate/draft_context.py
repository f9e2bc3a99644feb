"""What a draft is built from, whatever kind of draft."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.core.clock import Now
from lumen.kernel.contour.slots import Self, Stimulus
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.steps.p1_perceive import Grounding, Reality, Surface


@dataclass(frozen=True, slots=True)
class DraftContext:
    """What a draft is built from: the message, what is known about it, and who answers when."""

    stimulus: Stimulus
    surface: Surface
    reality: Reality
    self_: Self
    now: Now
    grounding: Grounding

    def phrase(self, key: str, /, **slots: str) -> str:
        """A phrase of the lexicon in the language of the message."""
        return lexicon().phrase(key, self.surface.language, **slots)
