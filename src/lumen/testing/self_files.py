"""What any keeper of a being's files must hold: whole or not at all, and nothing thrown away."""

from __future__ import annotations

from pathlib import Path

from lumen.core.errors import LumenError
from lumen.soul.ports.files import FOLDER
from lumen.testing.storage import NAME, SETTINGS, SOUL_MD, VALUES, StorageConformance, add, said

GOALS = "data/goals/2026.json"


class SelfFilesConformance(StorageConformance):
    """For `Storage.files`."""

    def test_a_file_is_as_it_was_put_for_whoever_looks(self, tmp_path: Path) -> None:
        files, other = self.born(tmp_path).files, self.opened(tmp_path).files
        assert other.read(SOUL_MD) == NAME.encode()
        for data in (b"# Ada\n", b"", "# Ærlig — и правда\n".encode(), bytes(range(256)) * 999):
            files.put(SOUL_MD, data)
            assert other.read(SOUL_MD) == other.standing(SOUL_MD) == data
        files.put(SOUL_MD, None)
        assert (other.read(SOUL_MD), other.standing(SOUL_MD)) == (None, None)
        files.put(SOUL_MD, None)  # what is gone may go again
        files.put(GOALS, b"[]\n")
        assert other.read(GOALS) == b"[]\n"

    def test_a_scaffold_leaves_what_is_there(self, tmp_path: Path) -> None:
        files = self.born(tmp_path).files
        files.scaffold({SOUL_MD: "# Another\n", GOALS: "[]\n"})
        assert (files.read(SOUL_MD), files.read(GOALS)) == (NAME.encode(), b"[]\n")

    def test_stores_are_those_files_whose_edits_count(self, tmp_path: Path) -> None:
        files = self.born(tmp_path).files
        assert files.stores() == {SOUL_MD, VALUES}
        files.put(GOALS, b"[]\n")
        files.put("files/letter.txt", b"Dear all,\n")
        assert files.stores() == {SOUL_MD, VALUES, GOALS}
        files.put(VALUES, None)
        assert files.stores() == {SOUL_MD, GOALS}

    def test_everything_lists_each_file_and_tells_what_storage_itself_keeps(
        self, tmp_path: Path
    ) -> None:
        storage = self.born(tmp_path)
        add(storage, said("Something to keep."))
        storage.files.put("files/letter.txt", b"Dear all,\n")
        aside = storage.files.set_aside("found.txt", b"found")
        found = set(storage.files.everything())
        mine = {SOUL_MD, VALUES, SETTINGS, "files/letter.txt", aside}
        assert mine <= found
        assert not any(map(storage.files.is_storage, mine))
        others = found - mine
        assert all(map(storage.files.is_storage, others)), f"whose are {others}?"

    def test_what_no_skill_may_touch_is_seen_as_it_stands(self, tmp_path: Path) -> None:
        files = self.born(tmp_path).files
        before = files.watched()
        assert before[SOUL_MD] == NAME.encode()
        assert before[SETTINGS] == b"[being]\n"
        files.put(SOUL_MD, b"# Somebody else\n")
        files.put("prompts/drafts/system.md", b"Obey.\n")
        after = files.watched()
        assert after[SOUL_MD] == b"# Somebody else\n"
        assert after["prompts/drafts/system.md"] == b"Obey.\n"
        for path in sorted(after.keys() - before.keys(), reverse=True):
            files.put_back(path, None)
        for path, data in before.items():
            files.put_back(path, data)
        assert {p: d for p, d in files.watched().items() if d != FOLDER} == {
            p: d for p, d in before.items() if d != FOLDER
        }

    def test_what_is_put_back_is_what_stood_there(self, tmp_path: Path) -> None:
        files = self.born(tmp_path).files
        files.put(SOUL_MD, None)
        files.put_back(SOUL_MD, NAME.encode())
        assert files.read(SOUL_MD) == NAME.encode()
        files.put_back(GOALS, b"[]\n")
        assert files.read(GOALS) == b"[]\n"
        files.put_back(GOALS, None)
        assert files.standing(GOALS) is None

    def test_what_is_set_aside_can_be_looked_at_until_it_is_dropped(self, tmp_path: Path) -> None:
        files, other = self.born(tmp_path).files, self.opened(tmp_path).files
        kept = files.set_aside("soul.md-1234", b"what was found")
        assert other.read(kept) == b"what was found"
        assert files.set_aside("soul.md-1234", b"found again") == kept
        noted = files.set_aside("a.note", b"{}")
        assert other.aside(".note") == ["a.note"]
        assert other.read_aside("a.note", most=2) == b"{}"
        assert other.read_aside("a.note", most=1) is None
        assert other.read_aside("b.note", most=9) is None
        files.drop_aside(noted)
        files.drop_aside(noted)
        assert other.aside(".note") == []
        assert other.read(kept) == b"found again"

    def test_times_tell_which_change_came_later(self, tmp_path: Path) -> None:
        files = self.born(tmp_path).files
        before = files.changed(SOUL_MD)
        files.put(SOUL_MD, b"# Later\n")
        assert files.changed(SOUL_MD) >= before
        assert files.written(SOUL_MD) <= files.changed(SOUL_MD)
        files.put(SOUL_MD, None)
        for asked in (files.changed, files.written):
            try:
                asked(SOUL_MD)
            except (OSError, LumenError):
                continue
            raise AssertionError("a file that is not there has a time")

    def test_folders_that_hold_nothing_go_and_others_stay(self, tmp_path: Path) -> None:
        files = self.born(tmp_path).files
        files.put("files/letters/one.txt", b"1")
        files.put("files/letters/two.txt", b"2")
        files.put("files/letters/one.txt", None)
        files.drop_empty("files/letters/one.txt")
        assert files.read("files/letters/two.txt") == b"2"
        files.put("files/letters/two.txt", None)
        files.drop_empty("files/letters/two.txt")
        assert files.standing("files/letters") is None
        files.drop_staged()
        assert files.read(SOUL_MD) == NAME.encode()
