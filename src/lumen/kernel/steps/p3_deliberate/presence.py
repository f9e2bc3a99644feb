"""An opening and a thought beside the reply, as a draft asks for them and holds the model's words to them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lumen.core.canon import JSON
from lumen.kernel.steps.p2_orient import Budget
from lumen.kernel.steps.p2_presence import OwnThoughts, Preface
from lumen.kernel.steps.p3_deliberate.within_budget import within_budget


@dataclass(frozen=True, slots=True)
class Presence:
    """What of its own the being adds to one reply, and to whom it is not said."""

    preface: Preface = field(default_factory=Preface)
    thoughts: OwnThoughts = field(default_factory=OwnThoughts)
    message: str = ""
    author_name: str = ""

    @property
    def tokens(self) -> int:
        """The room both take beside the answer."""
        return self.preface.tokens + self.thoughts.tokens

    def slots(self) -> dict[str, JSON]:
        """What the template is told of both."""
        opening: dict[str, JSON] = {"least": self.preface.least, "most": self.preface.most}
        return {"preface": opening if self.preface.most else {}, "thought": self.thoughts.lines}

    def within(self, text: str, budget: Budget) -> str:
        """A model's words within the budget, beside which an opening and a thought may stand."""
        said, thought = self.thoughts.parted(text, self.author_name)
        said = self.preface.held(said, self.message)
        opening = bool(self.preface.most and budget.paragraphs)
        room = replace(budget, paragraphs=budget.paragraphs + opening)
        return self.thoughts.beside(within_budget(said, room), thought)
