"""The answer to a request for an act in the world: that it cannot be done, and that the words are kept."""

from __future__ import annotations

import re

from lumen.kernel.answers.context import AnswerContext, KernelAnswer
from lumen.kernel.language.passages import quoted
from lumen.kernel.language.questions import requested

LOOKS_OUT = "outside"  # asked as a question, with nothing in it to keep
ABILITIES = {"send": "email", "outside": "weather", "web": "browse"}
ABILITIES |= {"play": "music"}
GOAL_NAMED = re.compile(
    r"\b(?:goals?|ziel|цел[ьи])\b(?:\s+(?:to|of|for)\b)?[\s:,—-]*(?P<goal>.+)", re.IGNORECASE
)


def goal_by_hand(asking: AnswerContext) -> KernelAnswer:
    """How the author sets the goal that they speak of: a message grants the being none."""
    _, sentence = requested(asking.text, asking.self_.name)
    named = GOAL_NAMED.search(sentence)
    goal = named["goal"].strip(" .!?\"'") if named else ""
    return KernelAnswer(asking.phrase("goal_by_hand", goal=" ".join(goal.split()) or "NAME"))


def cannot_act(asking: AnswerContext) -> KernelAnswer:
    """What was asked for, that it is not done, and what is: the sentence is kept as it was said."""
    kind, sentence = requested(asking.text, asking.self_.name)
    skill = ABILITIES.get(kind, "")
    if skill in asking.biography.skills:
        cannot = asking.phrase("cannot_do_by_goal", skill=skill)
    elif kind == LOOKS_OUT:
        return KernelAnswer(asking.phrase("cannot_outside"))
    else:
        writes = kind != "write" or "write_file" in asking.biography.skills
        cannot = asking.phrase(f"cannot_{kind}" if writes else "cannot_file")
    quote = quoted(sentence, 0, len(sentence))
    return KernelAnswer(asking.phrase("request", cannot=cannot, quote=quote))
