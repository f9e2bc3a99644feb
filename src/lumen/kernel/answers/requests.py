"""The answer to a request for an act in the world: that it cannot be done, and that the words are kept."""

from __future__ import annotations

from lumen.kernel.answers.context import AnswerContext, KernelAnswer
from lumen.kernel.language.passages import quoted
from lumen.kernel.language.questions import requested

LOOKS_OUT = "outside"  # asked as a question, with nothing in it to keep
ABILITIES = {"send": "email", "outside": "weather", "web": "browse"}
ABILITIES |= {"play": "music"}


def cannot_act(asking: AnswerContext) -> KernelAnswer:
    """What was asked for, that it is not done, and what is: the sentence is kept as it was said."""
    kind, sentence = requested(asking.text, asking.self_.name)
    skill = ABILITIES.get(kind, "")
    if skill in asking.biography.skills:
        cannot = asking.phrase("cannot_do_by_goal", skill=skill)
    elif kind == LOOKS_OUT:
        return KernelAnswer(asking.phrase("cannot_outside"))
    else:
        cannot = asking.phrase(f"cannot_{kind}")
    quote = quoted(sentence, 0, len(sentence))
    return KernelAnswer(asking.phrase("request", cannot=cannot, quote=quote))
