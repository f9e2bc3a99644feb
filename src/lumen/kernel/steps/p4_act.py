"""Act: every action is a skill at work; words reach the author through the chat skill."""

from __future__ import annotations

from lumen.core.data import Author, Change, Entry, EventType, Origin, Store
from lumen.kernel.slots import Choice, Plan, Reality, Reply, Self, Stimulus
from lumen.kernel.step import Hands, step


@step(Store.MEMORY)
async def compose_final(
    choice: Choice, plan: Plan, reality: Reality, stimulus: Stimulus, self_: Self, hands: Hands
) -> Reply:
    """Say the chosen words through the chat skill and remember having said them.

    When the skill fails the words are not lost: they are shown as they are, and the failure said.
    """
    candidate = plan.candidates[0]
    words = {"text": choice.draft.text, "to": self_.author_name}
    done = await hands.use(candidate.skill, candidate.action, words)
    said = done.output.get("text") if done.ok and isinstance(done.output, dict) else None
    text = said if isinstance(said, str) else choice.draft.text
    payload: dict[str, object] = {"sources": list(choice.draft.sources), "kind": choice.draft.kind}
    private = {e.memory.seq for e in reality.evidence if e.memory.private}
    if stimulus.private or reality.private or private & set(choice.draft.sources):
        payload["private"] = True  # what rests on something private is private too
    entry = Entry(
        author=Author.SELF,
        event_type=EventType.ASSISTANT_MESSAGE,
        origin=Origin.SELF,
        situation="replied",
        description=text,
        session_key=stimulus.session_key,
        payload=payload,
        model=choice.draft.model or None,
    )
    return Reply(
        text=text,
        delivered=done.ok,
        error=done.error,
        changes=(Change(Store.MEMORY, "append", entry),),
    )
