"""What any locks must hold: alone is alone, shared is shared, and a dead process holds nothing."""

from __future__ import annotations

from pathlib import Path

from lumen.testing.storage import StorageConformance, beside, elsewhere, killed


class LocksConformance(StorageConformance):
    """For `Storage.locks`."""

    def test_a_lock_taken_alone_is_nobody_elses_until_it_is_let_go(self, tmp_path: Path) -> None:
        first, second = self.born(tmp_path).locks, self.opened(tmp_path).locks
        taken = first.take("turns")
        assert taken is not None
        assert second.take("turns") is None, "two hold one lock"
        assert second.take("turns", shared=True) is None, "one shares what another has alone"
        assert first.take("turns") is None, "the same opening takes it a second time"
        taken.close()
        again = second.take("turns")
        assert again is not None
        again.close()

    def test_many_share_a_lock_and_nobody_has_it_alone_meanwhile(self, tmp_path: Path) -> None:
        first, second = self.born(tmp_path).locks, self.opened(tmp_path).locks
        shared = [first.take("turns", shared=True), second.take("turns", shared=True)]
        shared.append(first.take("turns", shared=True))
        for one in shared:
            assert one is not None
            assert second.take("turns") is None
            one.close()
        alone = second.take("turns")
        assert alone is not None
        alone.close()

    def test_locks_of_other_names_and_other_beings_are_other_locks(self, tmp_path: Path) -> None:
        (tmp_path / "one").mkdir()
        (tmp_path / "two").mkdir()
        one, two = self.born(tmp_path / "one").locks, self.born(tmp_path / "two").locks
        taken = [one.take("turns"), one.take("talk"), two.take("turns")]
        assert None not in taken
        assert one.name != two.name
        assert one.name == self.opened(tmp_path / "one").locks.name
        for each in taken:
            if each:
                each.close()

    def test_a_lock_that_another_process_holds_is_nobodys_here(self, tmp_path: Path) -> None:
        locks = self.born(tmp_path).locks
        held: list[object] = []

        def work() -> list[bool]:
            held.append(self.opened(tmp_path).locks.take("turns"))
            return [held[-1] is not None]

        with elsewhere(work) as taken:
            assert taken == [True]
            assert locks.take("turns") is None, "two processes hold one lock"
            assert locks.take("turns", shared=True) is None, "one shares what another has alone"
        again = locks.take("turns")
        assert again is not None
        again.close()

    def test_whoever_is_killed_holds_nothing_any_more(self, tmp_path: Path) -> None:
        self.born(tmp_path).log.close()
        held: list[object] = []

        def work() -> list[bool]:
            held.append(self.opened(tmp_path).locks.take("turns"))
            return [held[-1] is not None]

        assert killed(work) == [True]
        taken = self.opened(tmp_path).locks.take("turns")
        assert taken is not None, "a dead process holds a lock"
        taken.close()

    def test_a_lock_is_never_waited_for_and_may_be_told_of(self, tmp_path: Path) -> None:
        first, second = self.born(tmp_path).locks, self.opened(tmp_path).locks
        taken = first.take("turns")
        assert taken is not None
        with beside(lambda: second.take("turns")):
            pass  # it came to an end although the lock is held
        assert isinstance(second.holders("turns"), str)
        taken.close()
        assert second.holders("turns") == ""

    def test_of_many_who_try_at_once_one_has_it(self, tmp_path: Path) -> None:
        opened = [self.born(tmp_path).locks, *(self.opened(tmp_path).locks for _ in range(7))]
        taken = [locks.take("turns") for locks in opened]
        assert sum(one is not None for one in taken) == 1
        for one in filter(None, taken):
            one.close()
