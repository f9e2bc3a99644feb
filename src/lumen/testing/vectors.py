"""What any keeper of vectors must hold: nothing stale, nothing of what is forgotten, one embedder's at a time."""

from __future__ import annotations

from pathlib import Path
from struct import pack

from lumen.core.data import CosineFit, Passage
from lumen.soul.ports.storage import Storage
from lumen.soul.ports.vectors import LISTED_MARK, NearColumns, VectorSet
from lumen.testing.storage import StorageConformance, add, forget, noted, replied, said

EMBEDDER = "builtin/one"
OTHER = "builtin/two"
FAR = "far/away"


class VectorsConformance(StorageConformance):
    """For `Storage.index.vectors`."""

    def populated(self, where: Path) -> tuple[Storage, list[int]]:
        """A being that was told three things, and noted one of its own."""
        storage = self.born(where)
        heard = add(storage, said("My cat is called Miau."), noted("record"))
        heard += add(storage, said("I live in Porto.", private=True), said("I like tea."))
        return storage, [p.seq for p in heard if p.seq != heard[1].seq]

    def begun(self, storage: Storage) -> VectorSet:
        """The built-in set, begun: what has no vector is asked for before any is added."""
        vectors = storage.index.vectors.built_in(EMBEDDER)
        vectors.missing(1)
        return vectors

    def test_what_was_said_wants_a_vector_the_newest_first(self, tmp_path: Path) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors = storage.index.vectors.built_in(EMBEDDER)
        assert vectors.missing(9) == seqs[::-1]
        assert vectors.missing(2) == seqs[:0:-1]
        assert vectors.missing_of([1, *seqs[:2], 99]) == seqs[:2]
        assert storage.index.vectors.progress() == (0, 3)

    def test_what_the_being_said_wants_a_vector_of_the_built_in_embedder_alone(
        self, tmp_path: Path
    ) -> None:
        storage, seqs = self.populated(tmp_path)
        (reply,) = add(storage, replied("A cat, I see."))
        vectors = storage.index.vectors
        assert vectors.built_in(EMBEDDER).missing(9) == [reply.seq, *seqs[::-1]]
        assert vectors.progress() == (0, 4)
        vectors.choose("far", private=True)
        assert vectors.external("far", private=True).missing(9) == seqs[::-1]
        assert vectors.reindexed("far") == (0, 3)

    def test_vectors_come_back_as_they_were_given_in_the_order_they_were_added(
        self, tmp_path: Path
    ) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors = self.begun(storage)
        parts = [passage(seqs[2]), passage(seqs[0]), passage(seqs[0], 3)]
        vectors.add([seqs[2], seqs[0]], parts)
        found = [*self.opened(tmp_path).index.vectors.built_in(EMBEDDER).after(0)]
        assert [plain(p) for p in found] == [plain(p) for p in parts]
        numbers = [p.number for p in found]
        assert numbers == sorted(set(numbers))
        assert [plain(p) for p in vectors.after(numbers[0])] == [plain(p) for p in parts[1:]]
        assert vectors.missing(9) == [seqs[1]]
        assert storage.index.vectors.progress() == (2, 3)
        vectors.add([seqs[1]], [])  # a memory may have nothing worth a vector
        assert vectors.missing(9) == []

    def test_what_is_forgotten_has_no_vector_any_more(self, tmp_path: Path) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors = self.begun(storage)
        vectors.add(seqs, [passage(seq) for seq in seqs])
        assert [p.seq for p in vectors.after(0)] == seqs
        as_of = storage.index.memories.reread()
        vectors.add_words({"cat": b"\0" * 8}, as_of)
        forget(storage, seqs[0])
        assert [p.seq for p in vectors.after(0)] == seqs[1:], "a vector outlived its memory"
        assert not storage.index.vectors.has_erased()
        assert storage.index.vectors.kept_words() == []
        assert storage.index.vectors.progress() == (2, 2)
        assert storage.index.memories.reread() != as_of

    def test_what_was_read_before_a_forgetting_adds_nothing_after_it(self, tmp_path: Path) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors, as_of = storage.index.vectors.built_in(EMBEDDER), storage.index.memories.reread()
        assert vectors.missing(9) == seqs[::-1]
        forget(self.opened(tmp_path), seqs[0])
        storage.index.catch_up()
        vectors.add(seqs, [passage(seq) for seq in seqs])
        vectors.add_words({"cat": b"\0" * 8}, as_of)
        assert [p.seq for p in vectors.after(0)] == seqs[1:]
        assert vectors.words(["cat"]) == {}
        vectors.add_words({"tea": b"\1" * 8}, storage.index.memories.reread())
        assert vectors.words(["cat", "tea", "rice"]) == {"tea": b"\1" * 8}

    def test_another_embedder_starts_over_and_the_one_before_adds_nothing(
        self, tmp_path: Path
    ) -> None:
        storage, seqs = self.populated(tmp_path)
        old = self.begun(storage)
        old.add(seqs[:1], [passage(seqs[0])])
        old.add_words({"cat": b"\0" * 8}, storage.index.memories.reread())
        new = storage.index.vectors.built_in(OTHER)
        assert new.missing(9) == seqs[::-1]
        assert [*new.after(0)] == []
        assert new.words(["cat"]) == {}
        old.add(seqs[1:2], [passage(seqs[1])])
        assert [*new.after(0)] == []

    def test_vectors_outlive_a_rebuild_as_nothing_else_makes_them(self, tmp_path: Path) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors = self.begun(storage)
        vectors.add(seqs, [passage(seq) for seq in seqs])
        before = [plain(p) for p in vectors.after(0)]
        storage.index.rebuild()
        assert [plain(p) for p in storage.index.vectors.built_in(EMBEDDER).after(0)] == before
        assert storage.index.vectors.progress() == (3, 3)

    def test_the_nearest_are_found_best_first_by_every_process(self, tmp_path: Path) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors, other = self.begun(storage), self.begun(self.opened(tmp_path))
        assert numbers(vectors.nearest(unit(1, 0), 9)) == []
        one, two, three = (unit(1, 0), unit(0.6, 0.8), unit(0, 1))
        vectors.add(seqs[:1], [Passage(seqs[0], 0, 2, one, marks=1), Passage(seqs[0], 2, 5, three)])
        vectors.add(seqs[1:2], [Passage(seqs[1], 0, 3, two, marks=6)])
        for found in (vectors.nearest(unit(1, 0), 9), other.nearest(unit(1, 0), 9)):
            assert found.seqs.tolist() == [seqs[0], seqs[1], seqs[0]]
            assert [round(float(cosine), 3) for cosine in found.cosines] == [1.0, 0.6, 0.0]
        sought, other_way = vectors.seek(unit(1, 0), 9), vectors.seek(unit(0, 1), 2)
        first, second, third = numbers(vectors.nearest(unit(1, 0), 9))
        assert numbers(other_way()) == [third, second], "what is sought at once is told apart"
        assert numbers(sought()) == [first, second, third]
        kept = {p.number: (p.start, p.stop, p.marks) for p in vectors.passages_of(seqs)}
        assert [kept[n] for n in (first, second, third)] == [(0, 2, 1), (0, 3, 6), (2, 5, 0)]
        assert numbers(vectors.nearest(unit(0, 1), 2)) == [third, second]
        assert numbers(vectors.nearest(unit(1, 0), 9, before=seqs[1])) == [first, third]
        assert numbers(vectors.nearest(unit(1, 0), 9, marks=4)) == [second]
        assert numbers(vectors.nearest(unit(1, 0), 9, marks=5)) == [first, second]
        assert numbers(vectors.nearest(unit(1, 0), 9, marks=8)) == []
        assert numbers(vectors.nearest(unit(1, 0), 0)) == []
        forget(storage, seqs[0])
        assert numbers(vectors.nearest(unit(1, 0), 9)) == [second], "it was forgotten"
        assert numbers(other.nearest(unit(1, 0), 9)) == [second]

    def test_passages_are_found_by_their_memories_and_by_their_marks(self, tmp_path: Path) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors = self.begun(storage)
        parts = [
            Passage(s, 0, 2, unit(s, 1), marks=m * LISTED_MARK + 1)
            for s, m in zip(seqs, (1, 3, 4), strict=True)
        ]
        vectors.add(seqs[::-1], parts[::-1])
        assert [(p.seq, p.vector, p.marks) for p in vectors.passages_of([*seqs[:2], 99])] == [
            (p.seq, p.vector, p.marks) for p in parts[:2]
        ]
        kept = {p.number: p for p in vectors.passages_of(seqs)}
        columns = vectors.columns_of([99, *seqs[::-1]])
        assert [kept[n].seq for n in columns.numbers.tolist()] == columns.seqs.tolist() == seqs
        assert columns.marks.tolist() == [p.marks for p in parts]
        assert [row.tobytes() for row in columns.vectors] == [p.vector for p in parts]
        assert {p.seq for p in vectors.unsettled(1 * LISTED_MARK, 9)} == {*seqs[:2]}
        assert [p.vector for p in vectors.unsettled(4 * LISTED_MARK, 9)] == [parts[2].vector]
        assert vectors.unsettled(8 * LISTED_MARK, 9) == []
        assert vectors.unsettled(1, 9) == [], "a mark that is not listed"
        forget(storage, seqs[1])
        assert [p.seq for p in vectors.unsettled(1 * LISTED_MARK, 9)] == [seqs[0]], (
            "a mark was left"
        )
        assert [p.seq for p in vectors.passages_of(seqs)] == [seqs[0], seqs[2]]
        assert vectors.columns_of(seqs).seqs.tolist() == [seqs[0], seqs[2]]
        assert len(vectors.columns_of([]).vectors) == 0

    def test_what_revises_what_is_kept_until_either_is_forgotten(self, tmp_path: Path) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors, (one, two, three) = self.begun(storage), seqs
        vectors.set_revisions([(two, one), (three, one)])
        other = self.opened(tmp_path).index.vectors.built_in(EMBEDDER)
        assert (other.revises(two), other.revises(three), other.revises(one)) == (one, one, 0)
        assert other.revised_by([one, two]) == {one: three}
        assert other.revised_by([one], before=three) == {one: two}
        assert other.revised_by([one], before=two) == other.revised_by([]) == {}
        vectors.set_revisions([(three, two)])
        assert other.revises(three) == two
        assert other.revised_by([one, two]) == {one: three, two: three}
        storage.index.rebuild()
        assert vectors.revises(three) == two
        forget(storage, two)
        assert (vectors.revises(three), vectors.revised_by([one])) == (one, {one: three})
        vectors.set_revisions([(three, two), (two, one)])
        assert (vectors.revises(three), vectors.revises(two)) == (one, 0), "one was forgotten"

    def test_what_is_not_known_to_revise_anything_is_asked_for_until_it_is(
        self, tmp_path: Path
    ) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors = self.begun(storage)
        assert vectors.missing(9, before=seqs[1]) == seqs[:1]
        marked = [Passage(s, 0, 2, unit(s, 1), marks=LISTED_MARK) for s in seqs]
        vectors.add(seqs, [*marked[:2], passage(seqs[2])])
        assert {p.seq for p in vectors.unsettled(LISTED_MARK, 9)} == {*seqs[:2]}
        assert [p.seq for p in vectors.unsettled(LISTED_MARK, 1)] == [seqs[1]]
        vectors.set_revisions([(seqs[0], 0), (seqs[1], seqs[0])])
        assert vectors.unsettled(LISTED_MARK, 9) == []
        assert (vectors.revises(seqs[0]), vectors.revises(seqs[1])) == (0, seqs[0])
        storage.index.rebuild()
        assert vectors.unsettled(LISTED_MARK, 9) == []
        forget(storage, seqs[0])
        assert [p.seq for p in vectors.unsettled(LISTED_MARK, 9)] == [seqs[1]]

    def test_an_external_embedder_has_a_set_of_its_own(self, tmp_path: Path) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors = storage.index.vectors
        self.begun(storage).add(seqs, [passage(seq) for seq in seqs])
        vectors.choose(FAR, private=True)
        external = vectors.external(FAR, private=True)
        assert external.is_ours()
        assert (external.fit(), external.missing(9)) == (None, seqs[::-1])
        assert external.missing(9, before=seqs[1]) == seqs[:1]
        external.begin(CosineFit(2, 0.5, 0.25))
        external.begin(CosineFit(3, 0.1, 0.1))
        assert external.fit() == CosineFit(2, 0.5, 0.25), "of two fits the first stays"
        external.add(seqs[1:], [passage(seq) for seq in seqs[1:]])
        assert [p.seq for p in external.after(0)] == seqs[1:]
        assert vectors.reindexed(FAR) == (2, 3)
        forget(storage, seqs[1])
        assert [p.seq for p in external.after(0)] == seqs[2:], "a vector outlived its memory"
        assert not vectors.has_erased()
        assert [p.seq for p in vectors.built_in(EMBEDDER).after(0)] == [seqs[0], seqs[2]]

    def test_what_is_private_is_no_part_of_a_set_that_leaves(self, tmp_path: Path) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors = storage.index.vectors
        vectors.choose(FAR)
        assert vectors.external(FAR, private=False).missing(9) == [seqs[2], seqs[0]]
        assert vectors.reindexed(FAR) == (0, 2)
        add(storage, noted("marked", marks={"memories": [seqs[2]], "private": True}))
        assert vectors.external(FAR, private=False).missing(9) == [seqs[0]]

    def test_choosing_another_drops_the_set_before(self, tmp_path: Path) -> None:
        storage, seqs = self.populated(tmp_path)
        vectors = storage.index.vectors
        vectors.choose(FAR, private=True)
        old = vectors.external(FAR, private=True)
        old.begin(CosineFit(2, 0.5, 0.25))
        old.add(seqs[:1], [passage(seqs[0])])
        vectors.choose("far/other", private=True)
        assert not old.is_ours()
        assert (old.fit(), [*old.after(0)], old.missing(9)) == (None, [], [])
        assert vectors.external("far/other", private=True).missing(9) == seqs[::-1]


def passage(seq: int, start: int = 0) -> Passage:
    """A stretch of a memory with some vector."""
    return Passage(seq, start, start + 2, bytes([seq % 256, start] * 4))


def unit(*numbers: float) -> bytes:
    """A vector as it is handed over."""
    return pack(f"<{len(numbers)}f", *numbers)


def numbers(found: NearColumns) -> list[int]:
    """Which passages were found."""
    return [int(number) for number in found.numbers]


def plain(one: Passage) -> tuple[int, int, int, bytes]:
    """A passage without its number."""
    return one.seq, one.start, one.stop, one.vector
