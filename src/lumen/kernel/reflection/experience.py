"""A being's experience, for the loops that look back on it and wonder: never a kernel memory.

Both answer from the index. What reflection gets of the kernel's own notes are numbers: how far
outcomes were from predictions, and what past choices rested on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lumen.core.data import Author, EventType, FinishedCycle, Memory, SelfItem
from lumen.core.stores import Store
from lumen.kernel.choice.score import Decision, Option
from lumen.kernel.identity.provenance import provenance
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.passages import is_evidence
from lumen.kernel.language.reading import is_question, modality, names, words
from lumen.kernel.language.support import QUOTED
from lumen.kernel.reflection.evolve import Experience, Gap, PastCycle
from lumen.soul.ports.queries import Queries
from lumen.soul.state.records import lines_of
from lumen.soul.state.selfhood import SOUL, is_goals, selfhood

MOST_MEMORIES = 200
MOST_QUESTIONS = 20
UNANSWERED = (
    "untold",
    "tell_me",
    "unknown",
    "nothing_known",
    "too_small",
    "other_tongue",
    "untold_world",
    "unknown_self",
)  # phrases a reply that knows nothing ends with
WINDOW = 50  # explorations within which no question is asked again
MOST_CYCLES = 500
SOUGHT = 12  # places where a name may stand before it is plain that it was said more than once
LOOKED_AT = 200  # statements in which names are looked for
READ = 4_000  # characters of a statement that are looked at: a long one is a document, not talk
MOST_NAMES = 12  # names of one statement that are looked for elsewhere


@dataclass(frozen=True, slots=True)
class ArchivedExperience:
    """The life so far, over an index that is caught up."""

    index: Queries
    stale_cycles: int = 10

    def experience(self) -> Experience:
        """All that happened since the last reflection."""
        start = self.index.cycles.last("reflection")
        memories = tuple(self.index.memories.experience(start, MOST_MEMORIES))
        cycles = self.index.cycles.since(start, MOST_CYCLES)
        known = {c.seq: self._memory_of(c.seq) for c in cycles}
        texts = {p: k.text for p, k in self.index.files.all_kept().items() if k.text is not None}
        self_ = selfhood(texts)
        over = [(c.goal, known[c.seq]) for c in cycles if c.completed and known[c.seq]]
        said = {
            seq for seq, m in self.index.memories.get(m for _, m in over).items() if is_evidence(m)
        }
        soul = self.index.files.kept(SOUL)
        answered = {turn: delta for turn, _, delta in self.answers()}
        return Experience(
            since=start,
            memories=memories,
            cycles=tuple(
                _cycled(c, known[c.seq], answered.get(known[c.seq], 0.0))
                for c in cycles
                if known[c.seq]
            ),
            decisions=tuple(_decision(c, known[c.seq]) for c in cycles if c.options),
            completed=tuple(one for one in over if one[1] not in said),
            closed=tuple(one for one in over if one[1] in said),
            stale=tuple(self.stale()),
            grounded=tuple(m.seq for m in memories if self._rests(m)),
            found=tuple(m.seq for m in memories if self._found(m)),
            values=self_.values,
            goals=self_.goals,
            soul=soul.text if soul else None,
        )

    def answers(self) -> Iterator[tuple[int, int, float]]:
        """Every reply that was closed: the message it answered, the one that closed it, and how far off it was."""
        kept = self.index.files.kept(Store.OUTCOMES.place.path)
        for one in lines_of(kept.text if kept else None):
            turn, _, by = one["rests_on"]
            yield int(turn), int(by), float(one["delta"])

    def last_answer(self, cycle: int) -> float:
        """How far off the reply was that the message of a cycle closed; 0: it closed none."""
        by = self._memory_of(cycle)
        return next((delta for _, closed, delta in self.answers() if by and closed == by), 0.0)

    def stale(self) -> Iterator[tuple[str, int]]:
        """Goals that did not get on for too long, with a memory that speaks of them.

        Nobody touched such a goal for so many cycles; or it was pursued as often, since the last
        reflection, and nothing came of it.
        """
        back = self.index.cycles.so_far_back(self.stale_cycles) if self.stale_cycles else 0
        if not back:
            return
        start = self.index.cycles.last("reflection")
        for path, file in self.index.files.all_kept().items():
            if not is_goals(path):
                continue
            then = self.index.files.kept(path, back - 1)
            was = _goals_in(path, then.text if then else None)
            for goal in _goals_in(path, file.text):
                if goal.status not in ("todo", "working"):
                    continue
                pursued = self.index.cycles.last_pursued(goal.name)
                untouched = goal in was and pursued < back
                if untouched or self._in_vain(goal.name, pursued, start):
                    yield goal.name, self._evidence_of(pursued)

    def _in_vain(self, goal: str, pursued: int, start: int) -> bool:
        recently = pursued > start
        return recently and self.index.cycles.vain_tries(goal, start) >= self.stale_cycles

    def gaps(self) -> Iterator[Gap]:
        """What is not known: what the author asked in vain, perpetual goals, names said once.

        Each is looked for when it is asked for: a life holds more of them than one cycle needs.
        """
        yield from self._open_questions()
        yield from self._perpetual()
        yield from self._said_once()

    def asked(self) -> tuple[str, ...]:
        """What was wondered about lately."""
        seqs = self.index.memories.doings(WINDOW, "explored")
        found = (self.index.events.get(seq) for seq in seqs)
        questions = (str(e.entry.payload.get("question", "")) for e in found if e)
        return tuple(filter(None, questions))

    def _open_questions(self) -> Iterator[Gap]:
        spoken = lexicon().spoken.values()
        endings = [said[key] for said in spoken for key in UNANSWERED if key in said]
        for session in self.index.memories.replies_that_end(endings, MOST_QUESTIONS):
            for event in self.index.events.turn(session):
                asked = self.index.memories.get([event.seq]).get(event.seq)
                if asked and asked.event_type is EventType.AUTHOR_MESSAGE:
                    sought = " ".join(words(asked.text[:READ])[:8])
                    why = "the author asked and I did not know"
                    yield Gap(asked.text[:280], sought, why, (asked.seq,), asked.private)

    def _perpetual(self) -> Iterator[Gap]:
        texts = {p: k.text for p, k in self.index.files.all_kept().items() if k.text is not None}
        kept_in = {key for key, line in provenance(self.index).items() if line.private}
        for goal in selfhood(texts).goals:
            if goal.status == "perpetual":
                question = lexicon().phrase("wonder_goal", goal=goal.name)
                sought, private = " ".join(words(goal.name)[:8]), ("goal", goal.name) in kept_in
                yield Gap(question, sought, "a perpetual goal", private=private)

    def _said_once(self) -> Iterator[Gap]:
        for seq, private in self.index.memories.statements(LOOKED_AT):
            text = self.index.memories.beginning_of(seq, READ)
            if is_question(text):
                continue
            for name in sorted(names(text))[:MOST_NAMES]:
                if self._times_said(name) == 1:
                    question = lexicon().phrase("wonder_name", name=name.title())
                    yield Gap(question, name, "it was named once", (seq,), private)

    def _times_said(self, name: str) -> int:
        """How often the author said a name: that a reply says it back counts for nothing."""
        sought = self.index.memories.search([name], SOUGHT)
        found = [kind for seq, _ in sought if (kind := self.index.memories.kind_of(seq))]
        said = found.count(EventType.AUTHOR_MESSAGE.value)
        return said if len(found) < SOUGHT else SOUGHT

    def _memory_of(self, cycle: int) -> int:
        """The memory a cycle is known by: what set it off; 0: it was forgotten."""
        return self.index.memories.first_of_turn(cycle)

    def _evidence_of(self, pursued: int) -> int:
        """What speaks of a goal: the memory of pursuing it last, else the last one there is."""
        known = self._memory_of(pursued) if pursued else 0
        return known or next((m.seq for m in self.index.memories.experience(0, 1)), 0)

    def _rests(self, memory: Memory) -> bool:
        """Whether a reply answered a question with what the author had told.

        No such answer: what is only near, what is not known, and a statement taken in.
        """
        if memory.author is not Author.SELF or memory.event_type is not EventType.ASSISTANT_MESSAGE:
            return False
        event = self.index.events.get(memory.seq)
        told = event and event.entry.payload.get("sources")
        own = told and event and event.entry.payload.get("kind") == "kernel"
        if not told or own or lexicon().has("hedge", QUOTED.sub(" ", memory.text)):
            return False
        turn = self.index.events.turn(memory.session_key)
        heard = (e.entry.description[:READ] for e in turn if e.entry.situation == "heard")
        return any(modality(text) == "question" for text in heard)

    def _found(self, memory: Memory) -> bool:
        """Whether an exploration came to something."""
        if memory.author is not Author.SELF or memory.event_type is not EventType.WORLD_ACTION:
            return False
        event = self.index.events.get(memory.seq)
        return bool(event and event.entry.payload.get("found"))


def _goals_in(path: str, text: str | None) -> tuple[SelfItem, ...]:
    return selfhood({path: text}).goals if text else ()


def _cycled(past: FinishedCycle, memory: int, answered: float) -> PastCycle:
    chosen = past.options[past.chosen :][:1] if past.chosen >= 0 else []
    return PastCycle(
        memory=memory,
        delta=past.delta,
        values=tuple(value for option in chosen for value in option.get("values", ())),
        conflicts=tuple((str(a), str(b)) for a, b in past.conflicts),
        answered=answered,
    )


def _decision(past: FinishedCycle, memory: int) -> Decision:
    options = tuple(
        Option(
            tuple(o["values"]),
            o["goal"],
            bool(o["able"]),
            int(o["tries"]),
            o.get("allowed", True),
            o.get("prompted", 1.0),
        )
        for o in past.options
    )
    return Decision(memory, options, past.chosen)
