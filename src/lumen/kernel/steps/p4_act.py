"""Act: every action is a skill at work; words reach the author through the chat skill."""

from __future__ import annotations

from lumen.core.canon import JSON
from lumen.core.data import Author, Change, Entry, EventType, Origin, Store
from lumen.core.errors import MindError
from lumen.core.untrusted import Untrusted
from lumen.kernel.candidates import CREATE
from lumen.kernel.lexicon import lexicon
from lumen.kernel.slots import (
    Acted,
    Candidate,
    Choice,
    Decision,
    Draft,
    Plan,
    Reality,
    Reply,
    Self,
    Stimulus,
)
from lumen.kernel.step import Done, Hands, Mind, Skip, step

CODE_TOKENS = 600
LONGEST_FOUND = 600


@step(Store.SKILLS, Store.MEMORY)
async def optional_tool_calls(
    decision: Decision, plan: Plan, stimulus: Stimulus, mind: Mind, hands: Hands
) -> Acted:
    """Do what was decided, when that is more than speaking; what came of it becomes a memory."""
    if decision.chosen < 0:
        raise Skip(decision.why)
    chosen = plan.candidates[decision.chosen]
    if chosen.skill == "chat":
        raise Skip("there is only something to say")
    if chosen.skill == CREATE:
        done = await created(chosen, stimulus, mind, hands)
    else:
        done = await hands.use(chosen.skill, chosen.action, chosen.input)
    text, found = told_of(done)
    if stimulus.goal is None:
        return Acted(ran=True, ok=done.ok, text=text, error=done.error, found=found)
    gave = f"it gave {found}" if found else "it found nothing"
    outcome = gave if done.ok else f"it failed: {done.error}"
    entry = Entry(
        author=Author.SELF,
        event_type=EventType.WORLD_ACTION,
        origin=Origin.SELF if done.ok else Origin.TOOL,  # why it failed is the skill's own word
        situation="acted",
        description=f"For the goal “{stimulus.goal.name}” I used {chosen.skill}; {outcome}.",
        session_key=stimulus.session_key,
        payload={"private": True} if stimulus.private else {},
    )
    return Acted(
        ran=True,
        ok=done.ok,
        text=text,
        error=done.error,
        found=found,
        changes=(Change(Store.MEMORY, "append", entry),),
    )


async def created(wanted: Candidate, stimulus: Stimulus, mind: Mind, hands: Hands) -> Done:
    """Have a model write a skill, and make it one if it holds what it promises."""
    from lumen.kernel.outputs import Code

    name = wanted.action
    slots: dict[str, JSON] = {
        "skill": name,
        "purpose": Untrusted(stimulus.goal.name if stimulus.goal else name, "goal"),
    }
    try:
        code = await mind.ask_for(Code, "orchestrator", "create_skill", slots, CODE_TOKENS)
    except MindError as error:
        return Done(ok=False, output=None, error=error.what)
    files = {"main.py": code.main_py, "skill.toml": code.skill_toml}
    return await hands.create(name, files, "orchestrator")


def told_of(done: Done) -> tuple[str, int]:
    """What a skill gave, in words, and how much that is: 0 is nothing."""
    output = done.output if isinstance(done.output, dict) else {}
    if not done.ok:
        return "", 0
    results = output.get("results")
    if isinstance(results, list):
        lines = [str(r.get("snippet", "")) for r in results if isinstance(r, dict)]
        return " · ".join(filter(None, lines))[:LONGEST_FOUND], len(results)
    said = output.get("text") or output.get("path") or output.get("note") or ""
    text = str(said.get("text", "")) if isinstance(said, dict) else str(said)
    return text[:LONGEST_FOUND], 1


@step(Store.MEMORY)
async def compose_final(
    choice: Choice,
    plan: Plan,
    decision: Decision,
    acted: Acted,
    reality: Reality,
    stimulus: Stimulus,
    self_: Self,
    hands: Hands,
) -> Reply:
    """Say the chosen words through the chat skill and remember having said them.

    When the skill fails the words are not lost: they are shown as they are, and the failure said.
    """
    if stimulus.goal is not None:
        raise Skip("nobody spoke")
    draft = choice.draft
    reckoned = acted.ran and plan.candidates[decision.chosen].skill == "calc"
    given = plan.candidates[decision.chosen].input if reckoned else None
    text = draft.text
    if isinstance(given, dict):  # a model's guess at a sum is worth nothing, even when calc fails
        said_as = lexicon().phrases["reckoned" if acted.ok else "not_reckoned"]
        asked = given.get("said") or given["expression"]
        unit = f" {given['unit']}" if acted.ok and "unit" in given else ""
        text = said_as.format(expression=asked, value=(acted.text or acted.error) + unit)
    done = await hands.use("chat", "say", {"text": text, "to": self_.author_name})
    said = done.output.get("text") if done.ok and isinstance(done.output, dict) else None
    text = said if isinstance(said, str) else text
    sources = () if reckoned else draft.sources
    payload: dict[str, JSON] = {
        "sources": list(sources),
        "kind": "calc" if reckoned else draft.kind,
    }
    if unused := () if reckoned else sorted({*draft.shown} - {*sources}):
        payload["shown"] = unused  # what is forgotten takes along what was written in its view
    if stimulus.private or reality.private or (not reckoned and rests_on_private(draft, reality)):
        payload["private"] = True
    entry = Entry(
        author=Author.SELF,
        event_type=EventType.ASSISTANT_MESSAGE,
        # Why a sum cannot be worked out is told in the skill's own words.
        origin=Origin.TOOL if reckoned and not acted.ok else Origin.SELF,
        situation="replied",
        description=text,
        session_key=stimulus.session_key,
        payload=payload,
        model=None if reckoned else draft.model or None,
    )
    return Reply(
        text=text,
        delivered=done.ok,
        error=done.error,
        changes=(Change(Store.MEMORY, "append", entry),),
    )


def rests_on_private(draft: Draft, reality: Reality) -> bool:
    """What quotes something private, or was written with it in view, is private too."""
    known = [e.memory for e in reality.evidence] + ([reality.replaces] if reality.replaces else [])
    seen = {*draft.sources, *draft.shown}
    return draft.private or any(m.private and m.seq in seen for m in known)
