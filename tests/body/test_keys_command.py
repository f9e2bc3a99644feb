"""`lumen keys`: whose word counts, the passphrase of the author's key, keys that come and go."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.body.conftest import Lumen, Ran

if TYPE_CHECKING:
    from lumen.core.canon import JSON

Inside = Callable[..., Ran]


def listed(inside: Inside, env: dict[str, str] | None = None) -> list[JSON]:
    ran = inside("keys", "list", "--json", env=env)
    assert ran.code == 0
    found: list[JSON] = ran.json()["keys"]
    return found


def moved(lumen: Lumen, *, author: bool) -> dict[str, str]:
    """The being has moved to a host without its keys, and talked there once."""
    env = lumen.env(XDG_DATA_HOME=str(lumen.home / "other"))
    if author:
        keys = lumen.home / "other" / "lumen" / "author"
        shutil.copytree(lumen.keyring.author_file("x").parent, keys)
    assert lumen.run("chat", "-m", "I like tea.", env=env).code == 0
    return env


LOCKS = (".turns", ".pause")  # they say who is there, and hold nothing


def kept(lumen: Lumen) -> dict[Path, bytes]:
    """Every file of the keyring and of the archive."""
    tops = (lumen.home / "share" / "lumen" / "author", lumen.being / "data" / "memory")
    files = [p for top in tops for p in top.rglob("*") if p.is_file() and p.name not in LOCKS]
    return {path: path.read_bytes() for path in files}


def secret(lumen: Lumen, name: str, text: str) -> str:
    path = lumen.home / name
    path.write_text(f"{text}\n", "utf-8")
    return str(path)


def test_both_keys_of_a_new_being_are_listed_and_count(lumen: Lumen, inside: Inside) -> None:
    rows = listed(inside)
    assert [(r["role"], r["since"], r["counts"], r["where"]) for r in rows] == [
        ("host", 1, True, "this host"),
        ("author", 1, True, "this host, no passphrase"),
    ]
    shown = inside("keys", "list").out
    assert all(r["key"][:16] in shown for r in rows)
    held = lumen.keyring.author_file(lumen.events()[0]["soul"]).read_text()
    assert held not in shown


def test_a_passphrase_is_set_changed_and_removed_and_nothing_signs_without_it(
    lumen: Lumen, inside: Inside
) -> None:
    first, second = secret(lumen, "1", "open sesame"), secret(lumen, "2", "слон 42")
    assert inside("keys", "passphrase", "--new-file", first).code == 0
    assert listed(inside)[1]["where"] == "this host, under a passphrase"
    before = kept(lumen)
    for arguments in (
        ("keys", "passphrase", "--new-file", second),
        ("keys", "passphrase", "--remove", "--passphrase-file", second),
        ("keys", "revoke", "0" * 16, "--yes", "--passphrase-file", "/nowhere"),
    ):
        ran = inside(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert kept(lumen) == before
    changed = inside("keys", "passphrase", "--new-file", second, "--passphrase-file", first)
    assert changed.code == 0
    env = lumen.env(LUMEN_PASSPHRASE="слон 42")  # noqa: S106 - of a key that is thrown away
    assert inside("keys", "passphrase", "--remove", "--json", env=env).json()["passphrase"] is False
    assert listed(inside)[1]["where"] == "this host, no passphrase"


def test_a_passphrase_is_typed_unseen(lumen: Lumen) -> None:
    screen = lumen.terminal("keys", "passphrase", LUMEN_BEING=str(lumen.being))
    screen.wait_for("New passphrase")
    screen.type("open sesame\r")
    screen.wait_for("Repeat")
    screen.type("open sesame\r")
    screen.wait_for("is under the new passphrase")
    assert screen.close() == 0
    assert "sesame" not in screen.shown
    soul = lumen.events()[0]["soul"]
    assert lumen.keyring.author_is_locked(soul)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("vouch",), "one key, or the erasures"),
        (("vouch", "ab", "--erasures"), "one key, or the erasures"),
        (("vouch", "--erasures", "--here"), "one key, or the erasures"),
        (("vouch", "feedfeed"), "no key 'feedfeed'"),
        (("revoke", "feedfeed", "--yes"), "no key 'feedfeed'"),
        (("revoke", "feedfeed"), "no key 'feedfeed'"),
        (("revoke", ""), "the archive names no key ''"),
        (("passphrase",), "nobody is here to give the new passphrase"),
        (
            ("passphrase", "--new-file", "/nowhere"),
            "the file /nowhere cannot be read: no such file",
        ),
        (("passphrase", "--new-file", sys.executable), "is not text"),
        (("passphrase", "--new-file", "/dev/null"), "an empty passphrase is none"),
        (("passphrase", "--new-file", "/dev/null", "--remove"), "either new or removed"),
        (("new",), "counts: one in its place would not"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    lumen: Lumen, inside: Inside, arguments: tuple[str, ...], why: str
) -> None:
    before = kept(lumen)
    ran = inside("keys", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err.lower()
    assert kept(lumen) == before
    assert inside("keys", *arguments, "--json").json()["ok"] is False


def test_a_host_the_being_moved_to_counts_once_the_author_vouches(
    lumen: Lumen, inside: Inside
) -> None:
    env = moved(lumen, author=True)
    strange = listed(inside, env)[-1]
    assert (strange["role"], strange["counts"], strange["where"]) == ("host", False, "this host")
    assert inside("keys", "vouch", strange["key"], env=env).code == 0
    assert listed(inside, env)[-1]["counts"] is True
    again = inside("keys", "vouch", strange["key"], env=env)
    assert (again.code, "counts already" in again.err) == (2, True)


def test_a_lost_host_is_revoked_under_the_authors_key(lumen: Lumen, inside: Inside) -> None:
    env = moved(lumen, author=True)
    gone = listed(inside, env)[0]["key"]
    own = listed(inside, env)[-1]["key"]
    assert inside("keys", "revoke", own, "--yes", env=env).code == 2  # this host signs with it
    ran = inside("keys", "revoke", gone[:16], "--yes", "--json", env=env)
    assert ran.code == 0
    row = next(r for r in listed(inside, env) if r["key"] == gone)
    assert (row["counts"], row["revoked"]) == (False, ran.json()["event"])
    assert inside("keys", "revoke", gone, "--yes", env=env).code == 2


def test_a_lost_authors_key_is_replaced_on_this_host_and_then_revoked(
    lumen: Lumen, inside: Inside
) -> None:
    old = listed(inside)[1]["key"]
    lumen.keyring.author_file(lumen.events()[0]["soul"]).unlink()
    made = inside("keys", "new", "--json").json()
    assert made["aside"] == ""
    assert next(r for r in listed(inside) if r["key"] == made["key"])["counts"] is False
    assert inside("keys", "revoke", old, "--yes").code == 2
    assert inside("keys", "vouch", "--here", made["key"]).code == 0
    assert inside("keys", "revoke", old, "--yes").code == 0
    states = {r["key"]: r["counts"] for r in listed(inside)}
    assert (states[made["key"]], states[old]) == (True, False)


def test_a_key_that_is_replaced_is_put_aside_and_not_lost(lumen: Lumen, inside: Inside) -> None:
    file = lumen.keyring.author_file(lumen.events()[0]["soul"])
    file.unlink()
    assert inside("keys", "new").code == 0
    before = file.read_bytes()  # of one that does not count
    made = inside("keys", "new", "--yes", "--json").json()
    assert Path(made["aside"]).read_bytes() == before
    assert inside("keys", "list").code == 0


def test_where_every_erasure_is_signed_there_is_nothing_to_vouch_for(
    lumen: Lumen, inside: Inside
) -> None:
    assert "already" in inside("keys", "vouch", "--erasures").out
    assert lumen.verified()


def test_deleting_the_key_is_no_way_round_its_passphrase(lumen: Lumen, inside: Inside) -> None:
    lumen.run("chat", "-m", "My sister Lea lives in Porto.")
    soul = lumen.events()[0]["soul"]
    assert inside("keys", "passphrase", "--new-file", secret(lumen, "1", "open sesame")).code == 0
    locked = lumen.keyring.author_file(soul)
    held = locked.read_bytes()
    locked.unlink()
    before = kept(lumen)
    host = listed(inside)[0]["key"]
    for arguments in (
        ("forget", "Lea", "--yes"),
        ("keys", "vouch", "--erasures"),
        ("keys", "revoke", host, "--yes"),
    ):
        ran = inside(*arguments)
        assert kept(lumen) == before
        if arguments[:2] != ("keys", "vouch"):
            assert (ran.code, ran.out.count("Forgotten")) == (2, 0)
    refused = inside("forget", "Lea", "--yes")
    assert "author's key of this being is not on this host" in refused.err
    assert str(locked) in refused.err
    assert "lumen keys new" in refused.err
    assert lumen.verified()

    locked.write_bytes(held)
    env = lumen.env(LUMEN_PASSPHRASE="open sesame")  # noqa: S106 - of a key that is thrown away
    assert inside("forget", "Lea", "--yes", env=env).code == 0
    assert lumen.verified()


def test_a_tail_is_not_cut_off_where_the_authors_key_is_gone(lumen: Lumen, inside: Inside) -> None:
    lumen.run("chat", "-m", "I like tea.")
    lumen.keyring.author_file(lumen.events()[0]["soul"]).unlink()
    lumen.segment().write_bytes(lumen.segment().read_bytes() + b"garbage\n")
    before = kept(lumen)
    ran = inside("archive", "cut-tail", "--yes")
    assert (ran.code, "is not on this host" in ran.err) == (2, True)
    assert kept(lumen) == before
