"""Tamperings with what vouches for the lines: heads, witness, the genesis; and what is beside them."""

from __future__ import annotations

import os
import shutil

from tests.soul.forging import Forged, kernel
from tests.soul.tamperings import flip, tampering

from lumen.soul.archive.line import parse
from lumen.soul.trust.keys import head_line

# Heads


@tampering()
def all_heads_are_deleted(copy: Forged) -> None:
    copy.heads = []


@tampering()
def the_last_head_is_deleted(copy: Forged) -> None:
    del copy.heads[-1]


@tampering()
def all_heads_but_the_first_two_are_deleted(copy: Forged) -> None:
    del copy.heads[2:]


@tampering("a later head by a key that counts speaks for the same events")
def a_head_amid_is_deleted(copy: Forged) -> None:
    del copy.heads[3]


@tampering()
def a_digit_of_a_head_is_flipped(copy: Forged) -> None:
    copy.heads[2] = flip(copy.heads[2], -20)


@tampering("several processes sign on their own: the order of heads says nothing")
def two_heads_are_swapped(copy: Forged) -> None:
    copy.heads[1], copy.heads[2] = copy.heads[2], copy.heads[1]


@tampering("a head says the same however often it stands there")
def a_head_is_repeated(copy: Forged) -> None:
    copy.heads.append(copy.heads[0])


@tampering()
def a_head_of_another_being_is_replayed(copy: Forged) -> None:
    copy.heads.append(Forged(copy.root / "other").heads[-1])


@tampering()
def a_head_for_another_event_is_replayed(copy: Forged) -> None:
    seq, other = b'"seq":3,', b'"seq":4,'
    copy.heads.append(next(h for h in copy.heads if seq in h).replace(seq, other))


@tampering()
def a_head_of_a_stranger_is_added(copy: Forged) -> None:
    copy.strangers_key()
    copy.sign(copy.stranger)


@tampering()
def all_heads_are_signed_anew_by_a_stranger(copy: Forged) -> None:
    copy.strangers_key()
    copy.heads = []
    copy.sign(copy.stranger, since=1)


@tampering()
def a_stranger_signs_a_head_beyond_the_end(copy: Forged) -> None:
    copy.strangers_key()
    copy.heads.append(head_line(copy.stranger.sign(copy.soul, 99, "ab" * 32)))


@tampering()
def the_heads_are_cut_off_in_mid_line(copy: Forged) -> None:
    copy.heads[-1] = copy.heads[-1][:90]


@tampering()
def a_line_that_is_no_head_stands_among_the_heads(copy: Forged) -> None:
    copy.heads.insert(2, b"[]\n")


# The witness


@tampering()
def a_digit_of_the_witness_is_flipped(copy: Forged) -> None:
    path = copy.keyring.witness_file(copy.soul)
    path.write_bytes(flip(path.read_bytes(), -20))


@tampering()
def the_witness_is_emptied(copy: Forged) -> None:
    copy.keyring.witness_file(copy.soul).write_bytes(b"")


@tampering()
def the_witness_is_signed_anew_by_a_stranger(copy: Forged) -> None:
    copy.strangers_key()
    end = parse(copy.lines[-1][1])
    head = copy.stranger.sign(copy.soul, end.seq, end.event_hash)
    copy.keyring.witness_file(copy.soul).write_bytes(head_line(head))


@tampering()
def the_witness_is_that_of_another_being(copy: Forged) -> None:
    copy.keyring.witness_file(copy.soul).write_bytes(Forged(copy.root / "other").heads[-1])


@tampering()
def the_end_is_cut_off_and_a_stranger_signs_a_witness_for_what_is_left(copy: Forged) -> None:
    del copy.lines[-2:]
    copy.heads = copy.heads_below(len(copy.lines) + 1)
    the_witness_is_signed_anew_by_a_stranger(copy)


@tampering("a line that was never finished states nothing, and the next signature replaces it")
def the_heads_end_in_an_unfinished_line(copy: Forged) -> None:
    copy.heads.append(copy.heads[-1][:90])


@tampering("the being itself is as it was, and its heads still speak for all of it")
def the_witness_is_deleted(copy: Forged) -> None:
    copy.keyring.witness_file(copy.soul).unlink()


@tampering("the being itself is as it was, and its heads still speak for all of it")
def the_witness_is_put_back_to_an_older_head(copy: Forged) -> None:
    copy.keyring.witness_file(copy.soul).write_bytes(copy.heads[1])


# The beginning


@tampering()
def the_genesis_names_another_author(copy: Forged) -> None:
    public, _ = copy.strangers_author()
    copy.say(0, copy.keyring.author_public(copy.soul).encode(), public.encode())


@tampering()
def the_genesis_loses_its_author_and_with_that_the_need_to_sign_erasures(copy: Forged) -> None:
    copy.say(0, b'"author_key"', b'"author_kez"')
    copy.heads = []


@tampering()
def all_is_written_anew_under_keys_of_a_stranger(copy: Forged) -> None:
    begin_anew(copy, copy.soul)


@tampering()
def a_second_genesis_names_a_stranger_at_the_end(copy: Forged) -> None:
    public = copy.strangers_key()
    said = {"format": "lumen-archive/1", "soul": copy.soul, "public_key": public}
    copy.append(kernel("genesis", {**said, "author_key": public[::-1]}))
    copy.sign(copy.stranger)


@tampering()
def all_is_written_anew_for_another_soul_and_the_heads_are_deleted(copy: Forged) -> None:
    other = rename(copy)
    copy.say(0, copy.soul.encode(), other.encode())
    copy.relink(0, other)
    copy.heads = []


@tampering(by_key=True)
def all_is_written_anew_for_another_soul_under_keys_of_a_stranger(copy: Forged) -> None:
    begin_anew(copy, rename(copy))


def rename(copy: Forged) -> str:
    """Let lumen.toml name another soul."""
    other = copy.soul[:-4] + "EVYX"
    settings = copy.being.settings
    settings.write_text(settings.read_text("utf-8").replace(copy.soul, other), "utf-8")
    return other


def begin_anew(copy: Forged, soul: str) -> None:
    """A whole life under a stranger's keys: only what carries the author's signature is left out."""
    host, author = copy.strangers_key(soul), copy.strangers_author()[0]
    first = parse(copy.lines[0][1]).entry.payload
    keep = {"genesis", "heard", "record"}
    copy.lines = [(n, raw) for n, raw in copy.lines if parse(raw).entry.situation in keep]
    copy.say(0, first["public_key"].encode(), host.encode())
    copy.say(0, first["author_key"].encode(), author.encode())
    copy.say(0, copy.soul.encode(), soul.encode())
    copy.relink(0, soul)
    copy.heads = []
    copy.sign(copy.stranger, since=-len(copy.lines))


# Settings, and what is no part of the archive


@tampering()
def the_settings_name_another_soul(copy: Forged) -> None:
    rename(copy)


@tampering("settings are the author's to edit at any time, and no part of the record")
def the_settings_say_something_else(copy: Forged) -> None:
    with copy.being.settings.open("a") as settings:
        settings.write('[author]\nname = "Mallory"\n')


@tampering("what is no file is no segment, and nobody waits for it")
def a_pipe_stands_among_the_days(copy: Forged) -> None:
    os.mkfifo(copy.being.memory / "2026" / "2026-11-16.jsonl")


@tampering("only a writer reads the ring, and it believes no line that does not link to the end")
def the_ring_is_overwritten(copy: Forged) -> None:
    with (copy.being.memory / ".lock").open("r+b") as ring:
        ring.write(copy.lines[1][1])


@tampering("the index is made from the archive, and made again when it is missing")
def the_index_is_deleted(copy: Forged) -> None:
    shutil.rmtree(copy.being.index.parent)
