"""What the author told of themselves, by whom and what it is about."""

from __future__ import annotations

import re
import tomllib
from functools import cache

from lumen.core.data import Memory
from lumen.kernel.answers.context import GROUNDED, AnswerContext, KernelAnswer
from lumen.kernel.language.feelings import feeling_told
from lumen.kernel.language.lexicon import FOLDER, lexicon
from lumen.kernel.language.passages import quoted
from lumen.kernel.language.reading import own_words
from lumen.kernel.language.relatives import first_relative
from lumen.kernel.language.requests import request

MOST = 12  # statements that are told of
OTHER = "other"


@cache
def _subjects() -> dict[str, re.Pattern[str]]:
    told = tomllib.loads((FOLDER / "subjects.toml").read_text("utf-8"))
    return {name: re.compile(rf"\b(?:{words})", re.I) for name, words in told.items()}


def subject(text: str) -> str:
    """Whom or what a statement is about: a relative it names, else what its words are about."""
    about = (name for name, words in _subjects().items() if words.search(text))
    return first_relative(text) or next(about, OTHER)


def known(asking: AnswerContext) -> KernelAnswer:
    """What the author said and did not take back: what concerns themselves first, then one by one the others."""
    said = [m for m in asking.recall.statements() if _tells(m, asking)]
    if not said:
        return KernelAnswer(asking.phrase("known_nothing"), by=GROUNDED)
    own = [*_subjects(), OTHER]
    about = {memory.seq: subject(memory.text) for memory in said}
    # What is about nothing that has a name of its own gives way; the newest of both come first.
    shown = sorted(said, key=lambda m: about[m.seq] == OTHER)[:MOST]
    groups: dict[str, list[Memory]] = {}
    for memory in shown:
        groups.setdefault(about[memory.seq], []).append(memory)
    order = sorted(groups, key=lambda group: own.index(group) if group in own else len(own))
    lines = [asking.phrase("known")]
    for group in order:
        lines.append(asking.phrase("known_group", group=asking.phrase(f"group_{group}")))
        lines += [_line(asking, memory) for memory in groups[group]]
    if len(said) > MOST:
        lines.append(asking.phrase("known_more", count=str(len(said) - MOST)))
    return KernelAnswer("\n".join(lines), tuple(m.seq for m in shown), GROUNDED)


def _tells(memory: Memory, asking: AnswerContext) -> bool:
    """Whether a statement tells what lasts: no request, no feeling of the moment, no mail of somebody else's, and
    nothing private in an open chat.
    """
    if memory.private and asking.state is not None:
        return False
    text = memory.text
    if own_words(text) != text:
        return False
    return not (request(text) or feeling_told(text) or lexicon().has("leave_it", text))


def _line(asking: AnswerContext, memory: Memory) -> str:
    when = asking.day(asking.moment(memory.timestamp))
    quote = quoted(memory.text, 0, len(memory.text))
    return asking.phrase("known_item", quote=quote, date=when)
