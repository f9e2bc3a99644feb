"""What comes to mind: what the author stated, by meaning and by word, the newest on its subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from lumen.core.data import Author, Entry, EventType, Memory, Origin, kernel_entry
from lumen.kernel.language.passages import LONGEST_QUOTE, Rows, is_evidence
from lumen.kernel.recall.before import RecallBefore
from lumen.kernel.recall.candidates import BY_MEANING, BY_TEXT, OF_SESSION
from lumen.kernel.recall.search import IndexedRecall
from lumen.mind.e5 import E5

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

FACTS = (
    "My sister lives in Lisbon.",
    "I am allergic to penicillin.",
    "The dog is called Biscuit.",
    "My dentist appointment is on Thursday at nine.",
    "Our car is dark green.",
    "I went for a long walk today.",
    "The soup was too salty.",
)
PARAPHRASES = (
    ("In which city does my sister live?", 0),
    ("Which medicine can't I take?", 1),
    ("What's our puppy's name?", 2),
    ("When do I have to see the dentist?", 3),
    ("What colour is the car?", 4),
)


@dataclass(slots=True)
class Counting:
    """The real embedder, and which texts it was asked for."""

    real: E5
    texts: list[str] = field(default_factory=list)
    id: str = E5.id

    def embed(self, texts: Sequence[str]) -> Rows:
        """As the real one does."""
        self.texts += texts
        return self.real.embed(texts)


def replied(text: str) -> Entry:
    """Words of the being's own."""
    return Entry(
        author=Author.SELF,
        event_type=EventType.ASSISTANT_MESSAGE,
        origin=Origin.SELF,
        situation="replied",
        description=text,
        session_key="told:1",
    )


def test_told_facts_are_found_by_paraphrase(life: Life) -> None:
    told = life.tell(*FACTS)
    recall = life.wonder()

    for question, fact in PARAPHRASES:
        best = recall.evidence(question)[0]
        assert (best.memory.seq, best.quote) == (told[fact], FACTS[fact])
        assert best.score > 0.4
        assert best.replaces is None
    assert recall.evidence(PARAPHRASES[0][0])[0].fits


def test_what_was_not_told_scores_lower_than_what_was(life: Life) -> None:
    life.tell(*FACTS)
    recall = life.wonder()
    known = min(recall.evidence(question)[0].score for question, _ in PARAPHRASES)

    for question in ("What is my favourite film?", "How tall is the tower in Paris?"):
        assert recall.evidence(question)[0].score < known


def test_nothing_told_is_no_evidence(life: Life) -> None:
    recall = life.wonder()

    assert recall.evidence("Where does my sister live?") == ()
    assert recall.recent() == ()
    assert recall.replaced() is None


def test_a_question_of_empty_words_alone_finds_what_is_near(life: Life) -> None:
    life.tell(*FACTS)

    assert len(life.wonder().evidence("what was it?")) == len(FACTS)


def test_a_revision_takes_the_place_of_what_it_revises_and_the_reply_says_so(life: Life) -> None:
    life.script({"when": ".", "say": "I would rather not guess at that."})
    life.say("My sister lives in Lisbon.")
    old = life.turn()[0].seq
    life.say("I went for a long walk today.")
    told = life.say("Actually, my sister moved to Porto.")

    assert told.text == (
        "Noted: actually, your sister moved to Porto. "
        "That replaces what you told me on Sunday 15 November: “My sister lives in Lisbon.”"
    )
    assert told.sources == (old,)
    new = life.turn()[0].seq
    asked = life.say("Where does my sister live?")
    assert asked.text == (
        "You told me on Sunday 15 November: “Actually, my sister moved to Porto.”"
    )
    trail = life.step("reality_check")["wrote"]["evidence"]
    assert (trail[0]["event"], trail[0]["replaces"]) == (new, old)
    assert old not in {e["event"] for e in trail}


def test_what_is_learnt_before_the_statement_it_revises_is_settled_after_it(life: Life) -> None:
    old, _, new = life.tell(
        "My sister lives in Lisbon.",
        "The soup was too salty.",
        "Actually, my sister moved to Porto.",
    )
    life.kernel.index.catch_up()
    recall = IndexedRecall(life.kernel.index, life.kernel.recall.embedder)
    vectors = life.kernel.index.vectors.built_in(recall.embedder.id)
    assert recall.learn(1) == 1, "the newest comes first"
    assert vectors.revises(new) == 0
    while recall.learn(1):
        pass
    assert vectors.revises(new) == old
    best = recall.evidence("Where does my sister live?", 1 << 60)[0]
    assert (best.memory.seq, best.replaces and best.replaces.seq) == (new, old)


def test_nothing_is_read_but_what_words_or_meaning_found(life: Life) -> None:
    life.tell(*FACTS, *(f"Drawer number {n} is empty." for n in range(900)))
    recall = life.wonder()
    recall.evidence(PARAPHRASES[0][0])
    read: list[int] = []
    asked = life.kernel.index.memories.get

    def counted(seqs: Iterable[int]) -> dict[int, Memory]:
        found = asked(seqs)
        read.extend(found)
        return found

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(life.kernel.index.memories, "get", counted)
        assert recall.evidence(PARAPHRASES[0][0])
    assert len({*read}) <= 3 * (BY_TEXT + BY_MEANING) + OF_SESSION


def test_a_revision_of_a_revision_is_the_one_that_is_quoted(life: Life) -> None:
    *_, last = life.tell(
        "My sister lives in Lisbon.",
        "The soup was too salty.",
        "Actually, my sister moved to Porto.",
        "Correction: my sister moved to Faro, not to Porto.",
    )
    best = life.wonder().evidence("Where does my sister live?")

    assert best[0].memory.seq == last
    assert best[0].replaces is not None
    assert not [e for e in best if "Lisbon" in e.quote]


@pytest.mark.parametrize(
    "later",
    [
        "My brother lives in Porto.",  # it says nothing of a change
        "Actually, the soup was good.",  # it is about something else
        "I have a new bicycle now.",  # a mere "new" or "now" is no revision
    ],
)
def test_what_revises_nothing_replaces_nothing(life: Life, later: str) -> None:
    life.tell("My sister lives in Lisbon.", later)
    recall = life.wonder()
    recall = replace(recall, before=recall.before - 1)

    assert recall.replaced() is None
    life.tell("I went out.")
    best = life.wonder().evidence("Where does my sister live?")[0]
    assert (best.quote, best.replaces) == ("My sister lives in Lisbon.", None)


def test_a_first_statement_revises_nothing_even_when_it_says_actually(life: Life) -> None:
    life.tell("Actually, my sister moved to Porto.")
    recall = life.wonder()
    recall = replace(recall, before=recall.before - 1)

    assert recall.replaced() is None


def test_what_was_openly_taken_back_is_not_quoted_even_when_it_fits_better(life: Life) -> None:
    life.tell("Bolt is 3 years old.", "Actually Bolt is 4.")

    best = life.wonder().evidence("How old is Bolt?")[0]

    assert best.quote == "Actually Bolt is 4."
    assert best.replaces is not None
    assert best.replaces.text == "Bolt is 3 years old."


def test_a_revision_that_does_not_bear_on_the_question_leaves_the_old_word(life: Life) -> None:
    life.tell(
        "My sister Inês plays the cello in the Lisbon orchestra on Fridays.",
        "My sister Inês now has a new bicycle in Lisbon.",
    )
    best = life.wonder().evidence("Which instrument does my sister play in the orchestra?")[0]

    assert "cello" in best.quote


def test_questions_replies_and_kernel_memories_are_never_evidence(life: Life) -> None:
    (told,) = life.tell("My sister lives in Lisbon.")
    life.tell("Does my sister live in Braga?", "Remind me where my sister lives")
    gate = life.kernel.gate
    gate.record(replied("Your sister lives in Madrid."))
    gate.record(kernel_entry("note", "The author's sister lives in Oslo.", "told:1", {}))
    found = life.wonder().evidence("Where does my sister live?")

    assert [e.memory.seq for e in found] == [told]


def test_of_a_message_that_tells_and_asks_only_the_telling_is_evidence(life: Life) -> None:
    life.tell("My sister lives in Lisbon. Does she like Braga?")
    life.tell("The garden is full of leeks. Does my sister live in Faro?")
    recall = life.wonder()
    telling, asking = recall.evidence("Where does my sister live?")

    assert "Lisbon" in telling.quote
    assert telling.score > 0.5
    assert asking.score < 0.2  # it counts for its leeks alone


@pytest.mark.parametrize(
    ("author", "origin", "event_type", "counts"),
    [
        (Author.EXTERNAL, Origin.AUTHOR, EventType.AUTHOR_MESSAGE, True),
        (Author.SELF, Origin.AUTHOR, EventType.AUTHOR_MESSAGE, False),
        (Author.EXTERNAL, Origin.WEB, EventType.AUTHOR_MESSAGE, False),
        (Author.EXTERNAL, Origin.GUEST, EventType.AUTHOR_MESSAGE, False),
        (Author.EXTERNAL, Origin.AUTHOR, EventType.TOOL_RESULT, False),
    ],
)
def test_only_the_authors_own_word_grounds_an_answer(
    author: Author, origin: Origin, event_type: EventType, counts: bool
) -> None:
    memory = Memory(1, "2026-11-15T12:00:00.000Z", author, origin, event_type, "x", "k")

    assert is_evidence(memory) is counts


def test_what_a_guest_said_is_kept_and_found_but_grounds_nothing(life: Life) -> None:
    guest = Entry(
        author=Author.EXTERNAL,
        event_type=EventType.AUTHOR_MESSAGE,
        origin=Origin.GUEST,
        situation="heard",
        description="Ada's sister lives in Madrid.",
        session_key="told:9",
    )
    life.kernel.gate.record(guest)

    assert life.wonder().evidence("Where does my sister live?") == ()


def test_a_turn_does_not_recall_itself_nor_what_came_later(life: Life) -> None:
    first, second = life.tell("My sister lives in Lisbon.", "My sister has two cats.")
    recall = life.wonder()

    early, late = replace(recall, before=first), replace(recall, before=second)
    assert [e.memory.seq for e in late.evidence("What about my sister?")] == [first]
    assert early.evidence("What about my sister?") == ()
    assert [e.memory.seq for e in late.evidence("What about my sister?")] == [first]


def test_an_exchange_is_recalled_only_by_turns_after_it(life: Life) -> None:
    said = life.say("My sister lives in Lisbon.")
    recall = life.wonder()

    assert [m.seq for m in recall.recent()] == [said.heard, said.event]
    assert replace(recall, before=said.event).recent() == ()  # it was not answered yet


def test_a_statement_is_not_its_own_evidence(life: Life) -> None:
    life.say("My sister lives in Lisbon.")

    assert life.step("reality_check")["wrote"]["evidence"] == []


def test_vectors_are_made_for_memories_that_lack_them_and_once(life: Life, embedder: E5) -> None:
    life.tell(*FACTS)
    index = life.kernel.index
    index.catch_up()
    assert index.vectors.progress() == (0, len(FACTS))
    counting = Counting(embedder)
    recall = IndexedRecall(index, counting)

    assert recall.learn(limit=3) == 3
    assert recall.learn() == len(FACTS) - 3
    assert index.vectors.progress() == (len(FACTS), len(FACTS))
    for text in FACTS:
        assert counting.texts.count(text) == 1
    before = len(counting.texts)
    assert recall.learn() == 0
    assert len(counting.texts) == before


def test_vectors_are_kept_so_that_another_process_need_not_make_them(
    life: Life, embedder: E5
) -> None:
    life.tell(*FACTS)
    life.wonder()
    counting = Counting(embedder)
    later = RecallBefore(IndexedRecall(life.kernel.index, counting))
    found = later.evidence("Where does my sister live?")

    assert found[0].quote == FACTS[0]
    assert counting.texts[0] == "Where does my sister live?"
    assert not set(counting.texts) & set(FACTS)


def test_a_turn_makes_the_vectors_that_are_missing(life: Life) -> None:
    life.script({"when": ".", "say": "I could not say."})
    life.tell(*FACTS)

    assert "Lisbon" in life.say("Where does my sister live?").text


def test_a_long_message_is_quoted_around_the_passage_that_matters(life: Life) -> None:
    walk = "We walked along the river for hours and talked about nothing in particular. "
    life.tell(walk * 12 + "Then Rosa told us the name of her cat, which is Mondrian. " + walk * 12)
    best = life.wonder().evidence("What is the name of Rosa's cat?")[0]

    assert "Mondrian" in best.quote
    assert len(best.quote) <= LONGEST_QUOTE
    assert len(best.memory.text) > 1500


def test_a_message_is_found_by_a_sentence_deep_inside_it(life: Life) -> None:
    filler = " ".join(f"On day {n} it rained and we stayed in." for n in range(20))
    (told,) = life.tell(f"{filler} I am allergic to penicillin. {filler}")
    life.tell(*FACTS[2:])
    best = life.wonder().evidence("Which medicine am I allergic to?")[0]

    assert best.memory.seq == told
    assert "penicillin" in best.quote


def test_the_words_of_two_beings_do_not_mix(born: Callable[[str], Life]) -> None:
    one, other = born("one"), born("other")
    one.tell("My sister lives in Lisbon.")
    other.tell("My sister lives in Braga.")

    for life, city in ((one, "Lisbon"), (other, "Braga")):
        found = life.wonder().evidence("Where does my sister live?")
        assert [e.quote for e in found] == [f"My sister lives in {city}."]


def test_likeness_is_nearness_in_meaning(life: Life) -> None:
    near, far = life.kernel.recall.likeness(
        ("My sister's home is in Lisbon.", "The engine needs oil."), "My sister lives in Lisbon."
    )

    assert near > 0.7
    assert far < 0.3


def test_what_is_learnt_between_two_questions_counts_for_the_second(life: Life) -> None:
    life.tell("My sister lives in Lisbon.")
    assert len(life.wonder().evidence("What about my sister?")) == 1
    life.tell("My sister has two cats.")

    assert len(life.wonder().evidence("What about my sister?")) == 2


def test_two_turns_at_once_each_stand_before_their_own_message(life: Life) -> None:
    first, second = life.tell("My sister sings.", "My sister dances.")
    life.wonder()
    early = RecallBefore(life.kernel.recall, second)
    late = RecallBefore(life.kernel.recall, second + 1)
    for _ in range(2):  # one looks, then the other, and neither moves the other
        assert {e.memory.seq for e in late.evidence("What about my sister?")} == {first, second}
        assert {e.memory.seq for e in early.evidence("What about my sister?")} == {first}
        assert [m.seq for m in early.statements()] == [first]
        assert [m.seq for m in late.statements()] == [second, first]
    with pytest.raises(FrozenInstanceError):
        early.before = second + 1  # type: ignore[misc]
