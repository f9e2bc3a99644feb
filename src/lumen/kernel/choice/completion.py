"""When a goal is reached: by a check that code can make, or by the author's word; by nothing else.

That something was written, found or said about a goal does not reach it, and neither does a model
that says so. Pure functions over names and texts; what stands on disk is asked of the hands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from lumen.core.data import SelfItem
from lumen.kernel.choice.candidates import Candidate
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import is_question, sentences, stem, words

OPEN = ("todo", "working")
_FILE = re.compile(
    r"(?<![\w./-])(?:files/)?((?:[\w-]+/)*[\w-]+\.(?:md|txt|csv|json|html|tex|toml|yaml|yml))(?![\w/-])"
)
_DOUBLED = re.compile(r"([^\Waeiou\d_])\1$")  # planning → plan
_QUOTED = re.compile(r"[\"“«„][^\"“”«»„]*[\"”»“]")


def named_file(goal: str) -> str:
    """The file that a goal, in its own words, asks for; empty when it names none."""
    found = _FILE.search(goal)
    return found[1] if found else ""


def reached(
    goal: SelfItem, chosen: Candidate, gave: str, holds: Callable[[str, str], bool]
) -> bool:
    """Whether an action that worked reached its goal, as far as code can see.

    A goal that names a file is reached by writing that very file, and it must be there with
    something in it; one to learn an ability, by a skill for it that passed its trial. That a skill
    says it worked is no check. `gave` is what the action came to, in words.
    """
    file = named_file(goal.name)
    if file:
        return gave == file and holds(chosen.skill, file)
    return chosen.completes


def closed(text: str, goals: Iterable[SelfItem]) -> SelfItem | None:
    """The goal that the author says is done; nothing where none, or more than one, is meant.

    A sentence must say that something is done, deny nothing, ask nothing, and hold every word of
    the goal's name. What stands in quotation marks counts for naming a goal and for nothing else.
    """
    return _meant(text, [g for g in goals if g.status in OPEN and words(g.name)], "goal_done")


def unending(text: str, goals: Iterable[SelfItem]) -> SelfItem | None:
    """The perpetual goal that the author asks to close, where no other is meant."""
    held = tuple(goals)
    if closed(text, held):
        return None
    return _meant(text, [g for g in held if g.status == "perpetual" and words(g.name)], "closes")


def _meant(text: str, goals: Sequence[SelfItem], signal: str) -> SelfItem | None:
    for start, stop in sentences(text):
        sentence = text[start:stop]
        said = _QUOTED.sub(" ", sentence)
        if is_question(sentence) or not lexicon().has(signal, said):
            continue
        if lexicon().has("not_done", said):
            continue
        held = _roots(sentence)
        meant = [g for g in goals if _roots(g.name) <= held]
        longest = max((len(words(g.name)) for g in meant), default=0)
        meant = [g for g in meant if len(words(g.name)) == longest]
        if len(meant) == 1:
            return meant[0]
    return None


def _roots(text: str) -> set[str]:
    return {_DOUBLED.sub(r"\1", stem(w)) for w in words(text)}
