"""Evidence that was revised since, or is over: what of it still holds for a question."""

from __future__ import annotations

from dataclasses import replace

from lumen.core.data import Memory
from lumen.kernel.language.corrections import gone, leaves_alone, still_holds
from lumen.kernel.language.passages import quoted
from lumen.kernel.language.reading import stems
from lumen.kernel.recall.evidence import Evidence


def gone_since(
    evidence: tuple[Evidence, ...], statements: tuple[Memory, ...]
) -> tuple[Evidence, ...]:
    """Evidence, each with the later sentence that says it is gone, where there is one."""
    over = [(m, things) for m in statements if (things := gone(m.text))]
    return tuple(_with_end(e, over) if over and not gone(e.quote) else e for e in evidence)


def _with_end(found: Evidence, over: list[tuple[Memory, set[str]]]) -> Evidence:
    about, seq = stems(found.quote), found.memory.seq
    end = next((m for m, things in over if m.seq > seq and things & about), None)
    if end is None or found.later:
        return found
    text = quoted(end.text, 0, len(end.text))
    return replace(found, later=replace(found, memory=end, quote=text, replaces=None))


def still(found: Evidence, question: str) -> tuple[Evidence, ...]:
    """Evidence as it was before a revision that is about something else than the question.

    Where the revision is about somebody else it says nothing here; else both are evidence, for what
    changed may bear on what is asked.
    """
    old, new = found.replaces, found.memory.text
    if old is None:
        return (found,)
    before = replace(found, memory=old, quote=quoted(old.text, 0, len(old.text)), replaces=None)
    if still_holds(question, old.text, new):
        return (before,)
    if leaves_alone(question, old.text, new):
        return (replace(before, later=found), found)
    return (found,)
