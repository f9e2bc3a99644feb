"""What anything that answers for a log must hold: it is never behind it, and never says what it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lumen.core.data import Author, Entry, EventType, Origin
from lumen.soul.ports.storage import Storage
from lumen.testing.storage import (
    NAME,
    SOUL,
    SOUL_MD,
    VALUES,
    StorageConformance,
    add,
    change,
    forget,
    noted,
    replied,
    said,
)

GUEST = replace(said("I saw a heron.", "t4"), origin=Origin.GUEST)
DONE = {"loop": "action", "goal": "learn", "skill": "search", "progress": True, "delta": 0.5}
VAIN = {"loop": "action", "goal": "learn", "skill": "search"}
CALL = {"id": "c1", "role": "interface", "step": "drafts", "model": "far/m", "local": False}


class QueriesConformance(StorageConformance):
    """For `Storage.index`; its vectors have a class of their own."""

    def populated(self, where: Path) -> Storage:
        """A being with three turns behind it: answered, answered, broken off."""
        storage = self.born(where)
        add(storage, said("My cats are called Miau and Tigre.", "t1", conversation="a"))
        add(storage, replied("Two cats, noted.", "t1", sources=[2]), noted("record", "t1"))
        add(storage, said("I live in Porto.", "t2", private=True, conversation="b"))
        add(storage, replied("Porto, noted.", "t2"), noted("record", "t2"))
        add(storage, said("Where do I live?", "t3", conversation="a", key="k"))
        return storage

    def test_whatever_is_appended_is_known_after_catching_up_whoever_did_it(
        self, tmp_path: Path
    ) -> None:
        storage, other = self.born(tmp_path), self.opened(tmp_path)
        placed = other.log.append([said("one"), said("two")], durable=True)[-1]
        assert storage.index.catch_up() == placed.seq == 3
        assert storage.index.events.last_head() == (placed.seq, placed.event_hash)
        assert storage.index.catch_up() == 3
        assert storage.index.events.soul() == SOUL
        assert storage.index.loose is None

    def test_events_are_found_by_number_id_turn_and_situation(self, tmp_path: Path) -> None:
        events = self.populated(tmp_path).index.events
        every = [*events.all()]
        assert [e.seq for e in every] == list(range(1, 9))
        for event in every:
            assert events.get(event.seq) == event
            assert events.number_of(event.id) == event.seq
            assert events.hash_of(event.seq) == event.event_hash
            assert events.time_of(event.seq) == event.timestamp
            assert events.turn_of(event.seq) == event.entry.session_key
            assert events.holds(event.seq)
        assert [e.seq for e in events.turn("t1")] == [2, 3, 4]
        assert [e.seq for e in events.of_kernel(["record"])] == [4, 7]
        assert [e.seq for e in events.of_kernel(["record"], newest_first=True)] == [7, 4]
        assert [*events.of_kernel(["record"], "No such words.")] == []
        assert [*events.of_kernel(["fade"])] == []
        assert (events.get(99), events.hash_of(99), events.turn_of(99)) == (None, "", "")
        assert (events.number_of("nobody"), events.time_of(99), events.holds(99)) == (0, "", False)

    def test_turns_are_told_apart_by_what_became_of_them(self, tmp_path: Path) -> None:
        storage = self.populated(tmp_path)
        events = storage.index.events
        assert events.last_turn() == "t2"
        assert events.open_turns() == [("t3", 8)]
        assert events.last_conversation() == "a"
        assert events.turn_answering("k") == ""
        add(storage, replied("In Porto.", "t3"), noted("record", "t3"))
        assert events.turn_answering("k") == events.last_turn() == "t3"
        assert events.open_turns() == []

    def test_what_there_is_is_counted(self, tmp_path: Path) -> None:
        storage = self.populated(tmp_path)
        events, memories = storage.index.events, storage.index.memories
        assert events.counts() == {"kernel": 3, "external": 3, "self": 2}
        assert events.tally(EventType.AUTHOR_MESSAGE) == 3
        assert events.tallies_add_up()
        assert events.years() == [int(events.time_of(1)[:4])]
        assert (memories.answered_count(), memories.experience(0, 1)[0].seq) == (2, 8)

    def test_memories_come_without_the_kernels_own_unless_the_author_asks(
        self, tmp_path: Path
    ) -> None:
        memories = self.populated(tmp_path).index.memories
        assert [m.seq for m in memories.listed(limit=None)] == list(range(1, 9))
        assert [m.seq for m in memories.listed(kernel=False, limit=2)] == [6, 8]
        assert [m.seq for m in memories.listed(author="self")] == [3, 6]
        assert [m.seq for m in memories.listed(oldest=True, limit=2)] == [1, 2]
        assert [*memories.get([8, 1, 4, 2, 99])] == [8, 2]
        assert [m.seq for m in memories.experience(2, 3)] == [5, 6, 8]
        assert [m.seq for m in memories.texts()] == [2, 3, 5, 6, 8]
        assert [m.seq for m in memories.messages()] == [2, 5, 8]
        assert memories.statements(2) == [(8, False), (5, True)]
        found = memories.get([5])[5]
        assert (found.text, found.author, found.private) == (
            "I live in Porto.",
            Author.EXTERNAL,
            True,
        )
        assert (memories.is_private(5), memories.is_private(2)) == (True, False)
        assert (memories.kind_of(2), memories.kind_of(4)) == ("author_message", "")
        assert memories.beginning_of(2, 7) == "My cats"
        assert (memories.first_of_turn(3), memories.first_of_turn(99)) == (2, 0)

    def test_words_find_what_holds_them_in_whatever_form_and_the_rarer_counts_more(
        self, tmp_path: Path
    ) -> None:
        storage = self.populated(tmp_path)
        add(storage, *(said(f"I live with number {n}.", f"n{n}") for n in range(5)))
        memories = storage.index.memories
        assert {seq for seq, _ in memories.search(["cat"], 9)} == {2, 3}
        assert {seq for seq, _ in memories.search(["PORTO"], 9)} == {5, 6}
        found = memories.search(["living", "porto"], 9)
        assert {seq for seq, _ in found[:2]} == {5, 6}
        assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)
        assert len(memories.search(["live"], 3)) == 3
        assert memories.search(["heron"], 9) == memories.search([], 9) == []
        assert memories.search(['" OR 1', "a*b", "("], 9) == [], "a word is no query"
        assert [m.seq for m in memories.newest_with(["cats", "porto"], 2)] == [6, 5]
        assert any(term.startswith("porto") for term in memories.terms())

    def test_words_are_found_in_any_form_in_three_languages(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        said_so = ("She was running home.", "Мои кошки спят на окне.", "Meine Häuser sind alt.")
        seqs = [p.seq for p in add(storage, *map(said, said_so))]
        memories = storage.index.memories
        for asked, seq in (("runs", 0), ("кошку", 1), ("окна", 1), ("haus", 2), ("Häusern", 2)):
            assert [s for s, _ in memories.search([asked], 9)] == [seqs[seq]], asked
        assert [s for s, _ in memories.search(["run"], 9, before=seqs[0])] == []

    def test_it_is_known_how_many_texts_hold_a_word(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        add(storage, said("My cat sleeps."), said("Cats, cats and a dog."), noted("a cat"))
        memories = storage.index.memories
        assert memories.many_texts() == 2
        assert memories.frequencies(["cats", "dog", "heron", "("]) == {
            "cats": 2,
            "dog": 1,
            "heron": 0,
        }
        forget(storage, 3)
        assert memories.many_texts() == 1
        assert memories.frequencies(["cat", "dog"]) == {"cat": 1, "dog": 0}
        assert not any(term.startswith("dog") for term in memories.terms())
        storage.index.rebuild()
        assert (memories.many_texts(), memories.frequencies(["cat"])) == (1, {"cat": 1})

    def test_what_is_in_most_texts_tells_nothing_beside_what_is_rare(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        texts = [f"a day like any other {n}" for n in range(110)]
        placed = add(storage, *map(said, [*texts, "a day with a heron"]))
        memories = storage.index.memories
        assert [seq for seq, _ in memories.search(["day", "heron"], 9)] == [placed[-1].seq]
        assert len(memories.search(["day"], 9)) == 9, "there is nothing rarer to look for"

    def test_what_stands_around_a_memory_is_of_its_conversation(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        here = [said(f"here {n}", conversation="a", speaker="Ann") for n in range(5)]
        there = [said(f"there {n}", conversation="b") for n in range(5)]
        mixed = [each for pair in zip(here, there, strict=True) for each in pair]
        seqs = [p.seq for p in add(storage, *mixed, said("alone"))]
        memories = storage.index.memories
        near = memories.around(seqs[4], 1)
        assert [m.text for m in near] == ["here 1", "here 3"]
        assert {(m.speaker, m.conversation) for m in near} == {("Ann", "a")}
        assert [m.text for m in memories.around(seqs[0], 2)] == ["here 1", "here 2"]
        assert memories.around(seqs[-1], 2) == memories.around(1, 2) == []
        forget(storage, seqs[2])
        assert [m.text for m in memories.around(seqs[4], 1)] == ["here 0", "here 3"]
        assert memories.around(seqs[2], 1) == []

    def test_an_exchange_is_a_message_and_its_answer_in_one_conversation(
        self, tmp_path: Path
    ) -> None:
        storage = self.populated(tmp_path)
        memories = storage.index.memories
        assert [m.seq for m in memories.exchanges(8, 2)] == [2, 3]
        add(storage, said("And now?", "t5"))
        assert [m.seq for m in memories.exchanges(99, 2)] == [2, 3, 5, 6]
        assert [m.seq for m in memories.exchanges(99, 1)] == [5, 6]

    def test_what_was_said_is_found_by_when_it_was(self, tmp_path: Path) -> None:
        storage = self.populated(tmp_path)
        events, memories = storage.index.events, storage.index.memories
        old = said("I moved in spring.", "t6", occurred_at="2019-03-14T00:00:00.000Z")
        (placed,) = add(storage, old, GUEST)[:1]
        today = events.time_of(2)[:10]
        assert [m.seq for m in memories.said_in(f"{today}T00", f"{today}~")] == [2, 5, 8]
        assert [m.seq for m in memories.said_in("2019-03-01", "2019-04-01")] == [placed.seq]
        assert [m.seq for m in memories.listed(day="2019-03-14")] == [placed.seq]
        assert [m.seq for m in memories.public_messages(today, f"{today}~")] == [2, 8, placed.seq]

    def test_what_is_forgotten_is_asked_for_in_vain(self, tmp_path: Path) -> None:
        storage = self.populated(tmp_path)
        by = forget(storage, 2, 3)
        other = self.opened(tmp_path)
        other.index.catch_up()
        for index in (storage.index, other.index):
            assert index.events.unscrubbed() == {}
            assert index.memories.get([2, 3, 5]).keys() == {5}
            assert index.memories.search(["cat", "miau"], 9) == []
            assert [m.seq for m in index.memories.listed(kernel=False)] == [5, 6, 8]
            assert [m.seq for m in index.memories.texts()] == [5, 6, 8]
            assert not any("miau" in term or "tigr" in term for term in index.memories.terms())
            assert index.memories.reread() == by.seq
            assert index.events.holds(5)
        assert storage.index.differences() == []

    def test_an_erasure_that_was_only_said_is_still_to_be_carried_out(self, tmp_path: Path) -> None:
        storage = self.populated(tmp_path)
        told = noted("erasure", erases=[storage.log.stated(2)])
        (placed,) = add(storage, told)
        assert storage.index.events.unscrubbed() == {placed.seq: [2]}
        assert storage.index.memories.get([2]) == {}

    def test_marks_and_weights_are_as_the_log_leaves_them(self, tmp_path: Path) -> None:
        storage = self.populated(tmp_path)
        memories, before = storage.index.memories, storage.index.memories.reread()
        weighed = memories.weights([2, 5])
        add(storage, noted("think", uses={"memories": [2], "by": 30_000}))
        assert memories.weights([2, 5]) == {2: weighed[2] + 30_000, 5: weighed[5]}
        assert [m.seq for m in memories.listed(by_weight=True, kernel=False, limit=1)] == [2]
        add(storage, noted("marked", marks={"memories": [2], "private": True}))
        assert memories.is_private(2)
        assert memories.reread() > before
        assert memories.faded_until() == 0

    def test_files_are_known_as_any_event_left_them(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        files = storage.index.files
        one = noted(
            "named", changes=[change("soul", SOUL_MD, "# Ada\n"), change("values", VALUES, "[]\n")]
        )
        two = noted("gone", changes=[change("soul", SOUL_MD, None)])
        first, second = add(storage, one, noted("checkpoint", checkpoint="here"), two)[::2]
        then = [files.kept(SOUL_MD, at) for at in (1, 2, 4)]
        assert [k.text for k in then if k] == [NAME, "# Ada\n", None]
        assert {p: k.text for p, k in files.all_kept().items()} == {SOUL_MD: None, VALUES: "[]\n"}
        known = [(k.seq, k.text) for k in files.versions(SOUL_MD)]
        assert known == [(1, NAME), (first.seq, "# Ada\n"), (second.seq, None)]
        assert files.last_change() == second.seq
        assert [(t.seq, t.paths) for t in files.transitions()] == [
            (1, (SOUL_MD,)),
            (first.seq, (SOUL_MD, VALUES)),
            (second.seq, (SOUL_MD,)),
        ]
        assert files.checkpoints()["here"][0] == first.seq + 1
        add(storage, noted("held", held={"path": SOUL_MD, "sha256": "ab"}))
        assert files.pending_edits() == {SOUL_MD: "ab"}
        assert files.kept("data/nothing.md") is None

    def test_cycles_are_counted(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        cycles = storage.index.cycles
        done, vain, vain_again = add(
            storage,
            noted("record", cycle=DONE),
            noted("record", cycle=VAIN),
            noted("record", cycle=VAIN),
        )
        assert cycles.last("action") == vain_again.seq
        assert cycles.last("reflection") == 0
        assert [c.seq for c in cycles.since(done.seq, 9)] == [vain.seq, vain_again.seq]
        assert (cycles.many_since(0), cycles.so_far_back(3), cycles.so_far_back(4)) == (
            3,
            done.seq,
            0,
        )
        assert (cycles.vain_tries("learn"), cycles.vain_tries("other")) == (2, 0)
        assert (cycles.last_pursued("learn"), cycles.last_external()) == (vain_again.seq, 0)
        assert cycles.brought("search", "learn")
        assert cycles.record_of("search") == (1, 2)

    def test_calls_are_in_the_ledger_with_what_they_took(self, tmp_path: Path) -> None:
        storage = self.born(tmp_path)
        ledger = storage.index.ledger
        add(storage, noted("call", call={**CALL, "set_aside": 900}))
        (open_call,) = ledger.calls()
        assert (open_call.id, open_call.tokens, open_call.set_aside) == ("c1", None, 900)
        day = open_call.moment[:10]
        assert ledger.spent_on(day)["interface"].tokens == 900, "what nobody told of counts in full"
        over = {**CALL, "set_aside": 900, "outcome": "ok", "tokens": 90, "micros": 7}
        add(storage, noted("calls", calls=[over]))
        assert [(c.id, c.tokens, c.micros) for c in ledger.calls()] == [("c1", 90, 7)]
        spent = ledger.spent_on(day)["interface"]
        assert (spent.calls, spent.tokens, spent.micros) == (1, 90, 7)
        assert ledger.by_day_and_role(day) == {(day, "interface"): spent}
        assert ledger.escalations("") == 0

    def test_private_words_are_known_by_marks_alone(self, tmp_path: Path) -> None:
        storage = self.populated(tmp_path)
        withheld = storage.index.withheld
        withheld.learn(lambda text: [len(text)])
        assert [*withheld.known([len("I live in Porto."), 5])] == [len("I live in Porto.")]
        assert withheld.said_openly(["porto"]) == []
        assert withheld.said_openly(["miau", "tigre"]) == ["My cats are called Miau and Tigre."]
        forget(storage, 5)
        assert [*withheld.known([len("I live in Porto.")])] == []

    def test_all_that_answers_can_be_made_again_from_the_log(self, tmp_path: Path) -> None:
        storage = self.populated(tmp_path)
        add(storage, noted("named", changes=[change("soul", SOUL_MD, "# Ada\n")]))
        before = answers(storage)
        made = storage.index.made
        assert storage.index.rebuild() == 9
        assert storage.index.made > made
        assert answers(storage) == before
        storage.index.distrust()
        assert answers(storage) == before
        assert storage.index.differences() == []
        other = self.opened(tmp_path)
        other.index.catch_up()
        assert answers(other) == before

    def test_a_memory_is_proved_by_its_line_alone(self, tmp_path: Path) -> None:
        storage = self.populated(tmp_path)
        events, memory = storage.index.events, storage.index.memories.get([2])[2]
        assert events.says(memory)
        assert not events.says(replace(memory, text="My cats are called Otto."))
        assert not events.says(replace(memory, author=Author.SELF))
        assert not events.says(replace(memory, seq=99))

    def test_what_the_end_looks_like_is_judged_by_the_log(self, tmp_path: Path) -> None:
        storage = self.populated(tmp_path)
        with storage.log.locked():
            storage.log.append([said("late", "t9")], durable=True)
            storage.index.follow_to_end()
        assert storage.index.events.last_head()[0] == 9
        assert not storage.index.events.is_any_key_revoked()
        assert len([*storage.index.events.about_trust()]) == 1
        assert storage.index.place


def answers(storage: Storage) -> list[object]:
    """A good part of all there is to ask."""
    index = storage.index
    kept: list[Entry] = [event.entry for event in index.events.all()]
    return [
        kept,
        index.events.last_head(),
        index.events.counts(),
        index.events.open_turns(),
        index.memories.listed(limit=None),
        index.memories.search(["cat", "porto", "live"], 99),
        index.memories.weights(range(99)),
        index.files.all_kept(),
        index.files.transitions(),
        sorted(index.memories.terms()),
    ]
