"""How what a message does in the talk is met, where it tells nothing: a word, and another one the next time.

Pure functions; the phrases stand in the lexicon, numbered where there are several of a kind.
"""

from __future__ import annotations

from collections.abc import Iterator

from lumen.core.data import Author
from lumen.kernel.choice.small_models import is_goodnight
from lumen.kernel.language.bare_note import thanks_in_front
from lumen.kernel.language.feelings import feeling_told
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.moves import HEARD, may_be_move
from lumen.kernel.steps.p3_deliberate.draft_context import DraftContext

GRATEFUL = ("thanks", "praises")
SORROWS = ("sympathy", "sorrow_again")
LATELY = 3  # replies


def met(context: DraftContext) -> str:
    """What is said to a move."""
    move, text = context.surface.move or HEARD, context.stimulus.text
    if move == "leaves" and is_goodnight(text):
        return context.phrase("farewell_night", author=context.self_.author_name)
    return unsaid(f"met_{move}", context)


def thanked(said: str, context: DraftContext) -> str:
    """A reply with a word for the thanks that the message opens with, where it is none itself."""
    if context.surface.move in GRATEFUL or not thanks_in_front(context.stimulus.text):
        return said
    return f"{context.phrase('thanks')} {said}"


def listens_on(context: DraftContext) -> bool:
    """Whether a short statement goes on with a sorrow: "He was my brother". It is listened to, not noted."""
    surface, text = context.surface, context.stimulus.text
    glad = (
        surface.feeling == "joy" and not feeling_told(text) and "!" not in text
    )  # "she sang so well"
    if surface.modality != "statement" or (surface.feeling and not glad) or not may_be_move(text):
        return False
    mine = [m.text for m in context.reality.recent if m.author is Author.SELF]
    moved = {context.phrase(key) for key in SORROWS}
    return not moved.isdisjoint(mine[-LATELY:])


def unsaid(key: str, context: DraftContext) -> str:
    """A phrase that the being did not just say, of those there are for a key; else the first."""
    lately = [m.text for m in context.reality.recent if m.author is Author.SELF]
    said = [context.phrase(one, author=context.self_.author_name) for one in _numbered(key)]
    return next((one for one in said if not any(one in text for text in lately)), said[0])


def _numbered(key: str) -> Iterator[str]:
    """A key and those of its number: key, key_2, key_3."""
    number = 1
    while key in lexicon().phrases:
        yield key
        number += 1
        key = f"{key.removesuffix(f'_{number - 1}')}_{number}"
