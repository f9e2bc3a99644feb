"""Act: every action is a skill at work; words reach the author through the chat skill."""

from __future__ import annotations

from lumen.core.data import Author, Change, Entry, EventType, Origin, Store
from lumen.kernel.slots import Choice, Draft, Plan, Reality, Reply, Self, Stimulus
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
    if stimulus.private or reality.private or rests_on_private(choice.draft, reality):
        payload["private"] = True
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


def rests_on_private(draft: Draft, reality: Reality) -> bool:
    """What quotes something private, or was written with it in view, is private too."""
    known = [e.memory for e in reality.evidence] + ([reality.replaces] if reality.replaces else [])
    return draft.private or any(m.private and m.seq in draft.sources for m in known)
