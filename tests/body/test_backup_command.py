"""`lumen backup` and `lumen restore-backup` as a person runs them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]


def new_host(talked: Lumen) -> dict[str, str]:
    """The environment of a host that has never seen the being."""
    return talked.env(XDG_DATA_HOME=str(talked.home / "other"), LUMEN_BEING="")


def test_a_backup_says_where_it_ends_and_that_the_key_stays(talked: Lumen, inside: Inside) -> None:
    ran = inside("backup", "a.lumen")
    last = talked.events()[-1]
    assert (ran.code, ran.err) == (0, "")
    assert f"ends at event {last['seq']} · head {last['event_hash']}" in ran.out
    assert str(talked.home / "a.lumen") in ran.out
    assert (
        f"signed with this host's key {talked.events()[0]['payload']['public_key'][:16]}" in ran.out
    )


def test_both_commands_speak_json(talked: Lumen, inside: Inside) -> None:
    last = talked.events()[-1]
    made = inside("backup", "a.lumen", "--json").json()
    assert made["file"] == str(talked.home / "a.lumen")
    assert (made["count"], made["head"]) == (last["seq"], last["event_hash"])
    assert (made["verified"], made["notes"], made["seen"]) == (True, [], None)
    found = inside("restore-backup", "a.lumen", "b", "--json").json()
    assert found["being"] == str(talked.home / "b")
    assert found == {"being": found["being"], **{k: v for k, v in made.items() if k != "file"}}
    again = inside("backup", "a.lumen", "--json")
    assert (again.code, again.json()["ok"]) == (2, False)


def test_restored_on_a_host_without_its_key_it_remembers_and_talks_on(talked: Lumen) -> None:
    assert talked.run("backup", "a.lumen").code == 0
    shutil.rmtree(talked.being)
    there = new_host(talked)
    ran = talked.run("restore-backup", "a.lumen", env=there)
    home = talked.home / "other" / "lumen" / "default"
    assert (ran.code, ran.err) == (0, "")
    assert str(home) in ran.out
    assert "its key is not on this host" in ran.out
    assert "accept-rollback" not in ran.out
    reply = talked.run("chat", "-m", "Where does my sister live?", env=there)
    assert reply.code == 0
    assert "Lisbon" in reply.out
    assert "This host had no key for the being" in reply.err
    verified = talked.run("archive", "verify", env=there)
    assert (verified.code, verified.out[:8]) == (1, "! intact")
    assert "unvouched from event" in verified.out


def test_an_older_backup_on_the_same_host_is_explained(talked: Lumen, inside: Inside) -> None:
    end = inside("backup", "a.lumen", "--json").json()["count"]
    assert inside("chat", "-m", "I like tea.").code == 0
    last = talked.events()[-1]
    ran = inside("restore-backup", "a.lumen", "b")
    assert ran.code == 0
    assert f"this host has seen this being up to event {last['seq']}" in ran.out
    assert f"the backup ends at event {end}: everything after is not in it" in ran.out
    assert f"try: lumen --being {talked.home / 'b'} archive accept-rollback" in ran.out
    seen = inside("restore-backup", "a.lumen", "c", "--json").json()["seen"]
    assert seen == {"seq": last["seq"], "event_hash": last["event_hash"]}


def test_another_past_is_explained(talked: Lumen, inside: Inside) -> None:
    assert inside("backup", "a.lumen").code == 0
    there = new_host(talked)
    assert talked.run("restore-backup", "a.lumen", env=there).code == 0
    said = b"I like tea.\nI like soup.\n"
    assert talked.run("chat", stdin=said, env={**there}).code == 0
    assert talked.run("backup", "b.lumen", env=there).code == 0
    assert inside("chat", "-m", "I like beer.").code == 0
    refused = inside("restore-backup", "b.lumen", "c")
    assert (refused.code, refused.out) == (2, "")
    assert "for which nothing in its archive vouches" in refused.err
    assert not (talked.home / "c").exists()
    ran = inside("restore-backup", "b.lumen", "c", "--even-damaged")
    assert (ran.code, "✓" in ran.out) == (0, False)
    assert "for which nothing in its archive vouches" in ran.out
    assert "what the backup holds there is not the same" in ran.out
    assert "archive accept-rollback" in ran.out


def test_who_tries_a_backup_out_beside_its_being_is_told_what_talking_to_it_does(
    talked: Lumen, inside: Inside
) -> None:
    assert inside("backup", "a.lumen").code == 0
    ran = inside("restore-backup", "a.lumen", "b")
    copy = str(talked.home / "b")
    assert "this host knows this being: let only one copy talk" in ran.out
    assert "there: lumen archive accept-rollback" in ran.out
    for look in (("memory",), ("archive", "verify")):
        assert f"lumen --being {copy} {' '.join(look)}" in ran.out
        assert inside("--being", copy, *look).code == 0
    assert inside("--being", copy, "status").code == 0
    assert inside("chat", "-m", "I like beer.").code == 0  # looking at the copy changed nothing

    assert inside("backup", "c.lumen").code == 0
    assert inside("restore-backup", "c.lumen", "d").code == 0
    copy = str(talked.home / "d")
    assert inside("--being", copy, "chat", "-m", "I like trains.").code == 0
    refused = inside("chat", "-m", "I like boats.")
    assert (refused.code, "archive accept-rollback" in refused.err) == (1, True)
    assert inside("archive", "accept-rollback", "--yes").code == 0
    assert inside("chat", "-m", "I like boats.").code == 0


def test_a_host_that_never_knew_the_being_is_told_of_no_other_copy(talked: Lumen) -> None:
    assert talked.run("backup", "a.lumen").code == 0
    ran = talked.run("restore-backup", "a.lumen", env=new_host(talked))
    assert (ran.code, "only one copy" in ran.out) == (0, False)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("backup",), "Missing argument"),
        (("backup", "being/a.lumen"), "lies inside the being"),
        (("backup", "script.jsonl"), "exists already, and is left as it is"),
        (("backup", "a.lumen", "--being", "nowhere"), "does not exist"),
        (("restore-backup", "nothing.lumen", "b"), "nothing.lumen is no file"),
        (("restore-backup", "script.jsonl", "b"), "is not a backup of a being"),
        (("restore-backup", "script.jsonl"), "holds something already"),
        (("restore-backup", "script.jsonl", ""), "folder's name is empty"),
        (("restore-backup", "script.jsonl", "being/b"), "lies inside another being"),
        (("restore-backup", "script.jsonl", "share/lumen"), "keeps the keys"),
    ],
)
def test_a_request_that_cannot_be_is_refused(
    talked: Lumen, inside: Inside, arguments: tuple[str, ...], why: str
) -> None:
    before = sorted(talked.home.rglob("*"))
    ran = inside(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err
    assert sorted(talked.home.rglob("*")) == before


def test_a_damaged_archive_is_named_and_kept_on_request(talked: Lumen, inside: Inside) -> None:
    spoiled = talked.segment().read_bytes().replace(b"I like rice.", b"I like mice.", 1)
    talked.segment().write_bytes(spoiled)
    ran = inside("backup", "a.lumen")
    assert (ran.code, ran.out) == (1, "")
    assert "was changed after it was written" in ran.err
    assert "--even-damaged" in ran.err
    assert not (talked.home / "a.lumen").exists()
    ran = inside("backup", "a.lumen", "--even-damaged")
    assert (ran.code, ran.out[0]) == (0, "✗")
    ran = inside("restore-backup", "a.lumen", "b")
    assert (ran.code, ran.out) == (2, "")
    ran = inside("restore-backup", "a.lumen", "b", "--even-damaged")
    assert (ran.code, ran.out[0]) == (0, "✗")
    assert "archive verify" in ran.out


def test_a_backup_that_was_cut_off_is_refused(talked: Lumen, inside: Inside) -> None:
    assert inside("backup", "a.lumen").code == 0
    file = talked.home / "a.lumen"
    file.write_bytes(file.read_bytes()[:-1])
    ran = inside("restore-backup", "a.lumen", "b")
    assert (ran.code, ran.out) == (2, "")
    assert "is cut off or was changed" in ran.err
    assert not (talked.home / "b").exists()


def test_an_unfinished_line_is_told_of(talked: Lumen, inside: Inside) -> None:
    with talked.segment().open("ab") as segment:
        segment.write(b'{"event_hash":"ab')
    ran = inside("backup", "a.lumen")
    assert ran.code == 0
    assert "note: " in ran.out
    assert "unfinished line" in ran.out


def test_what_takes_long_is_told_beside_the_result(
    talked: Lumen, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumen.body.cli.progress.WAITS_S", 0.0)
    env = talked.env(LUMEN_QUIET="")
    ran = inside("backup", "a.lumen", "--json", env=env)
    assert ran.json()["verified"]
    assert ran.err.startswith("reading: 0 %\n")
    assert inside("restore-backup", "a.lumen", "b", env=env).err.startswith("restoring: ")
    assert talked.home.joinpath("b").is_dir()
