"""Act: every action is a skill at work; words reach the author through the chat skill."""

from __future__ import annotations

from dataclasses import dataclass, field

from lumen.core.canon import JSON
from lumen.core.clock import Now
from lumen.core.data import Author, Change, Entry, EventType, Origin
from lumen.core.errors import MindError
from lumen.core.exposure import Plain, Quote
from lumen.core.stores import Store
from lumen.core.untrusted import Untrusted
from lumen.kernel.answers.keeping import due
from lumen.kernel.choice.candidates import CREATE, KEEP, Candidate
from lumen.kernel.choice.tools import ToolCall
from lumen.kernel.contour.capabilities import Done, Hands, Mind
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Draft, Self, Slot, Stimulus
from lumen.kernel.contour.state import State
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.money import as_money
from lumen.kernel.steps.p1_perceive import Reality, Surface
from lumen.kernel.steps.p3_deliberate.lambda_select import Selection
from lumen.kernel.steps.p3_deliberate.plan import Plan
from lumen.kernel.steps.p4_affordance import Affordance


@dataclass(frozen=True, slots=True)
class Acting(Parameters):
    """How much of what a skill gives is kept, and how much a model may write of a new one."""

    found: int  # characters
    tokens: int


@dataclass(frozen=True, slots=True)
class ToolUse:
    """What came of a tool that was called beside speaking."""

    skill: Quote[str]
    asked: Plain[bool]
    ok: Plain[bool]
    found: Plain[int]
    error: Quote[str] = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Acted(Slot):
    """What a skill other than speech came to; empty when none was used."""

    ran: Plain[bool] = False
    ok: Plain[bool] = False
    text: str = ""  # what it gave, in words
    error: Quote[str] = ""
    found: Plain[int] = 0  # how much it gave
    used: Plain[tuple[ToolUse, ...]] = ()  # tools that were called beside speaking
    characters: Plain[int] = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "characters", len(self.text))

    def said(self) -> str:
        """Whether it worked."""
        if self.used:
            return ", ".join(f"{u.skill}: {u.error or 'done'}" for u in self.used)
        return "" if not self.ran else ("done" if self.ok else f"failed: {self.error}")

    def worked(self) -> bool:
        """Whether it brought anything: a search that finds nothing did not."""
        return self.ok and self.found > 0


@step(Store.SKILLS, Store.MEMORY, Store.LISTS, Store.REMINDERS)
async def optional_tool_calls(
    selection: Selection,
    affordance: Affordance,
    plan: Plan,
    reality: Reality,
    stimulus: Stimulus,
    mind: Mind,
    hands: Hands,
    acting: Acting,
) -> Acted:
    """Do what was decided, when that is more than speaking; what came of it becomes a memory."""
    if selection.chosen < 0:
        raise Skip(selection.why)
    chosen = plan.candidates[selection.chosen]
    if chosen.skill == "chat":
        if not affordance.calls:
            raise Skip("there is only something to say")
        return Acted(used=tuple([await used(call, hands, acting) for call in affordance.calls]))
    if chosen.skill == KEEP:
        return Acted(ran=True, ok=True, text=reality.told, found=1, changes=reality.keeps)
    if chosen.skill == CREATE:
        done = await created(chosen, stimulus, mind, hands, acting.tokens)
    else:
        done = await hands.use(chosen.skill, chosen.action, chosen.input)
    text, found = output_text(done, acting.found)
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


async def used(call: ToolCall, hands: Hands, acting: Acting) -> ToolUse:
    """Call a tool, and what it gave."""
    done = await hands.use(call.skill, call.action, call.input)
    text, found = output_text(done, acting.found)
    return ToolUse(call.skill, call.asked, done.ok, found, done.error, text)


def beside(text: str, acted: Acted, language: str) -> str:
    """What is said, with what tools gave: in its place where they were asked for, else behind it.

    What was looked for unasked and not found is not told.
    """
    phrase, said = lexicon().phrase, []
    for one in acted.used:
        if one.found:
            key = one.skill if one.skill in ("search", "write_file") else "skill"
            said.append(phrase(f"tool_{key}", language, skill=one.skill, text=one.text))
        elif one.asked:
            key = "tool_nothing" if one.ok else "tool_failed"
            said.append(phrase(key, language, skill=one.skill, error=one.error))
    instead = any(one.asked for one in acted.used)
    return "\n".join(filter(None, ("" if instead else text, *said)))


async def created(
    wanted: Candidate, stimulus: Stimulus, mind: Mind, hands: Hands, tokens: int
) -> Done:
    """Have a model write a skill, and make it one if it holds what it promises."""
    from lumen.kernel.models.outputs import Code

    name = wanted.action
    slots: dict[str, JSON] = {
        "skill": name,
        "purpose": Untrusted(stimulus.goal.name if stimulus.goal else name, "goal"),
    }
    try:
        code = await mind.ask_for(Code, "orchestrator", "create_skill", slots, tokens)
    except MindError as error:
        return Done(ok=False, output=None, error=error.what)
    files = {"main.py": code.main_py, "skill.toml": code.skill_toml}
    return await hands.create(name, files, "orchestrator")


def output_text(done: Done, most: int) -> tuple[str, int]:
    """What a skill gave, in words, and how much that is: 0 is nothing."""
    output = done.output if isinstance(done.output, dict) else {}
    if not done.ok:
        return "", 0
    results = output.get("results")
    if isinstance(results, list):
        lines = [str(r.get("snippet", "")) for r in results if isinstance(r, dict)]
        return " · ".join(filter(None, lines))[:most], len(results)
    said = output.get("text") or output.get("path") or output.get("note") or ""
    text = str(said.get("text", "")) if isinstance(said, dict) else str(said)
    return text[:most], 1


@dataclass(frozen=True, slots=True)
class Reply(Slot):
    """What was really said, as the skill delivered it."""

    text: str = ""
    delivered: Plain[bool] = False
    error: Quote[str] = ""
    characters: Plain[int] = field(init=False, default=0)

    speaks = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "characters", len(self.text))

    def said(self) -> str:
        """Whether it arrived; nothing when nobody spoke."""
        if not self.text:
            return ""
        return "said" if self.delivered else f"not said: {self.error}"

    def reply(self) -> Entry | None:
        """The one memory it proposes."""
        kept = [c.value for c in self.changes if isinstance(c.value, Entry)]
        return kept[0] if kept else None


@step(Store.MEMORY, Store.REMINDERS)
async def compose_final(
    selection: Selection,
    plan: Plan,
    acted: Acted,
    surface: Surface,
    reality: Reality,
    stimulus: Stimulus,
    self_: Self,
    now: Now,
    state: State,
    hands: Hands,
) -> Reply:
    """Say the chosen words through the chat skill and remember having said them.

    When the skill fails the words are not lost: they are shown as they are, and the failure said.
    """
    if stimulus.goal is not None:
        raise Skip("nobody spoke")
    draft = selection.draft
    reckoned = acted.ran and plan.candidates[selection.chosen].skill == "calc"
    given = plan.candidates[selection.chosen].input if reckoned else None
    text = draft.text
    if isinstance(given, dict):  # a model's guess at a sum is worth nothing, even when calc fails
        text = _worked_out(given, acted, surface)
        text = f"{text}\n{draft.text}" if reality.parts else text  # what was asked beside the sum
    text = beside(text, acted, surface.language)
    told, kept, events = ("", (), ()) if stimulus.guest else due(state, now, surface.language)
    text = "\n".join(filter(None, (text, told)))
    done = await hands.use("chat", "say", {"text": text, "to": self_.author_name})
    said = done.output.get("text") if done.ok and isinstance(done.output, dict) else None
    text = said if isinstance(said, str) else text
    alone = reckoned and not reality.parts
    sources = tuple(dict.fromkeys((*(() if alone else draft.sources), *events)))
    payload: dict[str, JSON] = {
        "sources": list(sources),
        "kind": "calc" if reckoned else draft.kind,
    }
    if unused := () if alone else sorted({*draft.shown} - {*sources}):
        payload["shown"] = unused  # what is forgotten takes along what was written in its view
    if stimulus.private or reality.private or (not alone and rests_on_private(draft, reality)):
        payload["private"] = True
    entry = Entry(
        author=Author.SELF,
        event_type=EventType.ASSISTANT_MESSAGE,
        # What a tool gave, and why a sum cannot be worked out, is told in the skill's own words.
        origin=Origin.TOOL if acted.used or (reckoned and not acted.ok) else Origin.SELF,
        situation="replied",
        description=text,
        session_key=stimulus.session_key,
        payload=payload,
        model=None if alone else draft.model or None,
    )
    return Reply(
        text=text,
        delivered=done.ok,
        error=done.error,
        changes=(Change(Store.MEMORY, "append", entry), *kept),
    )


def _value(acted: Acted, unit: str) -> str:
    """What calc found, of what that is; or why it found nothing."""
    if not acted.ok:
        return acted.text or acted.error
    return f"{as_money(acted.text, unit)} {unit}" if unit else acted.text


def _worked_out(given: dict[str, JSON], acted: Acted, surface: Surface) -> str:
    """A sum with its result, or the result alone where only that is wanted."""
    value = _value(acted, str(given.get("unit", "")))
    if acted.ok and surface.limits.only_result:
        return value
    asked = given.get("said") or given["expression"]
    key = "reckoned" if acted.ok else "not_reckoned"
    return lexicon().phrase(key, surface.language, expression=str(asked), value=value)


def rests_on_private(draft: Draft, reality: Reality) -> bool:
    """What quotes something private, or was written with it in view, is private too."""
    later = [e.later.memory for e in reality.evidence if e.later]
    replaced = [reality.replaces] if reality.replaces else []
    known = [*(e.memory for e in reality.evidence), *later, *replaced]
    seen = {*draft.sources, *draft.shown}
    return draft.private or any(m.private and m.seq in seen for m in known)
