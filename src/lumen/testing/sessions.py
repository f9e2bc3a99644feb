"""What anything that tells of sessions must hold: they are what was said, and no more than that."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from struct import pack

from lumen.core.data import Entry, Origin, Passage
from lumen.soul.ports.sessions import SessionCounts, TermFrequency, Totals
from lumen.soul.ports.storage import Storage
from lumen.testing.storage import StorageConformance, add, forget, noted, replied, said


def spoken(text: str, turn: str, speaker: str, day: str, conversation: str = "") -> Entry:
    """What somebody said one day."""
    told = {"speaker": speaker, "occurred_at": f"{day}T10:00:00.000Z", "conversation": conversation}
    entry = said(text, turn, **{name: value for name, value in told.items() if value})
    return replace(entry, origin=Origin.GUEST if speaker else Origin.AUTHOR)


def counts_of(found: SessionCounts) -> dict[int, tuple[int, list[int], int]]:
    """Of each session how much was said, how often each term, and how many of the names spoke."""
    columns = (found.lengths, found.counts, found.spoke)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return dict(zip(found.numbers.tolist(), rows, strict=True))


class SessionsConformance(StorageConformance):
    """For `Storage.index.sessions`."""

    def talked(self, where: Path) -> Storage:
        """A being that heard two conversations, answered in one, and was told of a day in none."""
        storage = self.born(where)
        add(storage, spoken("Herons fish in our river.", "t1", "Ann Lee", "2024-05-02", "a"))
        add(storage, spoken("Otters fish there too.", "t2", "Ben", "2024-05-02", "b"))
        add(storage, spoken("Which river?", "t3", "", "2024-05-03", "a"))
        add(storage, replied("The river in town.", "t3"), noted("record", "t3"))
        add(storage, spoken("It rained.", "t4", "", "2024-06-01"))
        return storage

    def test_a_session_is_a_conversation_with_its_answers_and_otherwise_a_day(
        self, tmp_path: Path
    ) -> None:
        sessions = self.talked(tmp_path).index.sessions
        found = sessions.utterances([8, 7, 6, 5, 4, 3, 2])
        assert found.seqs.tolist() == [2, 3, 4, 5, 7]  # what the kernel notes was said by nobody
        talk, other, *rest, day = found.sessions.tolist()
        assert rest == [talk, talk]
        assert len({talk, other, day}) == 3
        assert found.previous.tolist() == [0, 0, 2, 4, 0]
        assert found.following.tolist() == [4, 0, 5, 0, 0]
        assert [*found.speakers] == ["ann lee", "ben", "", "", ""]
        assert found.days[0] == date(2024, 5, 2).toordinal()
        counts = [found.terms[0].count(f" {term} ") for term in ("fish", "fis")]
        assert [found.lengths[0], *counts] == [5, 1, 0]
        assert sessions.near(4, 5).seqs.tolist() == [2, 4, 5]
        assert sessions.near(4, 0).seqs.tolist() == [4]
        assert sessions.near(4, 0).terms == found.terms[2:3]
        assert sessions.utterances([]).seqs.tolist() == sessions.near(99, 5).seqs.tolist() == []

    def test_up_to_a_day_nothing_later_is_looked_at_by_words_by_vectors_or_as_a_revision(
        self, tmp_path: Path
    ) -> None:
        index = self.talked(tmp_path).index
        day, vectors = date(2024, 5, 2).toordinal(), index.vectors.built_in("builtin/one")
        (old,) = add(self.opened(tmp_path), spoken("I saw a river.", "t5", "", "2024-05-01"))
        index.catch_up()
        near = pack("<2f", 1, 0)
        seqs = vectors.missing(9)
        vectors.add(seqs, [Passage(seq, 0, 2, near, marks=1) for seq in seqs])
        vectors.set_revisions([(4, 2), (3, 2)])

        def found(**bound: int) -> list[set[int]]:
            by_words = {seq for seq, _ in index.memories.search(["river"], 9, **bound)}
            return [by_words, {*vectors.nearest(near, 9, marks=1, **bound).seqs.tolist()}]

        assert found() == [{2, 4, 5, old.seq}, {2, 3, 4, 5, 7, old.seq}]
        assert found(until=day) == [{2, old.seq}, {2, 3, old.seq}]
        assert found(until=day, before=3) == [{2}, {2}]
        assert found(until=day - 1) == [{old.seq}, {old.seq}]
        assert found(until=1) == [set(), set()]
        assert len(index.memories.search(["river"], 1, until=day)) == 1
        assert len(vectors.nearest(near, 1, until=day).seqs) == 1
        assert vectors.revised_by([2]) == vectors.revised_by([2], until=day + 1) == {2: 4}
        assert vectors.revised_by([2], until=day) == {2: 3}
        assert vectors.revised_by([2], until=day - 1) == {}

    def test_what_is_said_how_often_and_by_whom_is_counted_by_session(self, tmp_path: Path) -> None:
        sessions = self.talked(tmp_path).index.sessions
        assert sessions.totals() == Totals(texts=5, utterances=5, sessions=3, length=17)
        assert sessions.terms(["rivers", "fishing", "Quark"]) == {
            "river": TermFrequency(3, 1),
            "fish": TermFrequency(2, 2),
            "quark": TermFrequency(0, 0),
        }
        talk, other = sessions.utterances([2, 3]).sessions.tolist()
        counted = sessions.sessions([talk, 5], ["river", "fish", "quark"], ["ann", "ben"])
        assert counts_of(counted) == {talk: (11, [3, 1, 0], 1)}
        every = sessions.sessions([talk, other], ["river"], ["ann", "lee"])
        assert counts_of(every) == {talk: (11, [3], 2), other: (4, [0], 0)}
        assert every.numbers.tolist() == sorted([talk, other])
        assert sessions.named(["ann", "lee", "ben", "otters"]) == {"ann", "lee", "ben"}

    def test_what_is_forgotten_leaves_its_session_and_takes_its_name_along(
        self, tmp_path: Path
    ) -> None:
        storage = self.talked(tmp_path)
        (talk,) = storage.index.sessions.utterances([2]).sessions.tolist()
        forget(storage, 2)
        sessions = storage.index.sessions
        assert sessions.utterances([2]).seqs.tolist() == []
        assert sessions.utterances([4]).previous.tolist() == [0]
        assert sessions.named(["ann", "lee", "ben"]) == {"ben"}
        left = sessions.sessions([talk], ["river", "fish"], ["ann"])
        assert counts_of(left) == {talk: (6, [2, 0], 0)}
        forget(storage, 4)  # the question: its answer is said on a day now
        assert counts_of(sessions.sessions([talk], ["river"], [])) == {}
        assert sessions.utterances([5]).previous.tolist() == [0]
        assert sessions.terms(["fish", "heron"])["heron"] == TermFrequency(0, 0)
        assert storage.index.differences() == []
        told = sessions.totals()
        storage.index.rebuild()
        assert storage.index.sessions.totals() == told
