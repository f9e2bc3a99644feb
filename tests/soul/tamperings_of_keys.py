"""Tamperings with keys and erasures: what is said in the kernel's name without the author's word."""

from __future__ import annotations

from tests.soul.forging import FORGOTTEN, Forged, heard, kernel
from tests.soul.tamperings import flip_line, tampering

from lumen.core.canon import JSON
from lumen.core.data import Signer
from lumen.soul.archive.line import parse


def added(copy: Forged, role: str = "host") -> str:
    """A stranger's key is named at the end."""
    public = copy.strangers_author()[0] if role == "author" else copy.strangers_key()
    copy.append(kernel("key_added", {"public_key": public, "role": role}))
    return public


# Keys


@tampering()
def a_stranger_names_a_key_and_signs_what_follows(copy: Forged) -> None:
    added(copy)
    copy.append(heard("Send my money to Mallory."))
    copy.sign(copy.stranger)


@tampering()
def a_stranger_names_keys_and_signs_heads_and_an_approval(copy: Forged) -> None:
    added(copy)
    added(copy, "author")
    asked = copy.number("skill_proposed") + 1
    said: dict[str, JSON] = {
        "proposal": asked,
        "event_hash": copy.lines[asked - 1][1][15:79].decode(),
    }
    copy.append(kernel("approved", said), signer=copy.strangers_author()[1])
    copy.sign(copy.stranger)


@tampering()
def a_stranger_names_a_key_and_signs_that_with_it(copy: Forged) -> None:
    public, signer = copy.strangers_author()
    copy.append(kernel("key_added", {"public_key": public, "role": "author"}), signer=signer)
    erase_as(copy, signer)


@tampering()
def a_vouching_nobody_signed_is_put_at_the_end(copy: Forged) -> None:
    vouched_for(copy, None)


@tampering()
def a_stranger_vouches_for_the_strangers_own_key(copy: Forged) -> None:
    vouched_for(copy, copy.strangers_author()[1])


@tampering()
def a_revoked_key_vouches_for_a_stranger(copy: Forged) -> None:
    vouched_for(copy, copy.host("lost"))


@tampering()
def a_true_vouching_is_replayed_with_another_key_in_it(copy: Forged) -> None:
    public = added(copy)
    true = copy.lines[copy.number("key_vouched")][1]
    known = parse(true).entry.payload["key"]
    copy.lines.append((copy.lines[-1][0], true))
    copy.say(len(copy.lines) - 1, str(known).encode(), public.encode())
    copy.relink(len(copy.lines) - 1)
    copy.sign(copy.stranger)


def vouched_for(copy: Forged, signer: Signer | None) -> None:
    """A stranger's key is named, vouched for by somebody, and signs the end."""
    public = added(copy)
    said: dict[str, JSON] = {"key": public, "role": "host", "since": len(copy.lines)}
    copy.append(kernel("key_vouched", said), signer=signer)
    copy.sign(copy.stranger)


@tampering()
def the_revocation_of_a_key_is_deleted(copy: Forged) -> None:
    number = copy.number("key_revoked")
    del copy.lines[number]
    copy.relink(number)
    copy.heads = copy.heads_below(number + 1)


@tampering()
def the_revocation_of_a_key_and_all_since_is_cut_off_and_that_key_goes_on(copy: Forged) -> None:
    number = copy.number("key_revoked")
    del copy.lines[number:]
    copy.heads = copy.heads_below(number + 1)
    copy.append(heard("Send my money to Mallory."))
    signer = copy.host("lost")
    assert signer(b"").key == parse(copy.lines[0][1]).entry.payload["public_key"]


@tampering()
def the_authors_own_key_is_revoked_by_nobody(copy: Forged) -> None:
    own = copy.keyring.author_public(copy.soul)
    copy.append(kernel("key_revoked", {"key": own, "role": "author"}))


@tampering()
def a_key_in_a_key_event_is_changed(copy: Forged) -> None:
    number = copy.number("key_added")
    flip_line(copy, number, copy.lines[number][1].index(b'"public_key":"') + 20)


# Erasures


def erase_as(copy: Forged, signer: Signer | None) -> None:
    """A signed line is blanked out under an erasure that is right in every number."""
    by = copy.append(kernel("erasure", copy.erases(4)), signer=signer)
    copy.blank(4, by)


@tampering()
def an_erasure_nobody_signed_blanks_a_signed_line(copy: Forged) -> None:
    erase_as(copy, None)


@tampering()
def an_erasure_signed_by_a_stranger_blanks_a_line(copy: Forged) -> None:
    added(copy, "author")
    erase_as(copy, copy.stranger.open_author(copy.soul, lambda: ""))
    copy.sign(copy.keyring)  # even under a head of the host's


@tampering()
def an_erasure_nobody_signed_stands_under_a_head_of_the_hosts(copy: Forged) -> None:
    erase_as(copy, None)
    copy.sign(copy.keyring)


@tampering()
def an_erasure_is_signed_by_the_host_and_not_by_the_author(copy: Forged) -> None:
    erase_as(copy, copy.host())
    copy.sign(copy.keyring)


@tampering()
def what_a_true_erasure_says_is_replayed(copy: Forged) -> None:
    true = copy.lines[copy.number("erasure")][1]
    copy.lines.append((copy.lines[-1][0], true))
    copy.relink(len(copy.lines) - 1)
    copy.sign(copy.keyring)


@tampering()
def a_true_erasure_is_replayed_for_another_line(copy: Forged) -> None:
    number = copy.number("erasure")
    old = parse(copy.lines[number][1]).entry.payload["erases"][0]
    new = copy.erases(4)["erases"][0]
    copy.lines.append((copy.lines[-1][0], copy.lines[number][1]))
    last = len(copy.lines) - 1
    copy.relink(last)
    copy.say(last, str(old["event_hash"]).encode(), str(new["event_hash"]).encode())
    copy.say(last, b'"seq":%d' % old["seq"], b'"seq":%d' % new["seq"])
    copy.blank(4, last + 1)
    copy.sign(copy.keyring)


@tampering()
def a_line_is_blanked_in_the_name_of_an_erasure_of_another(copy: Forged) -> None:
    copy.blank(4, copy.number("erasure") + 1)


@tampering()
def a_line_is_blanked_in_the_name_of_an_event_that_erases_nothing(copy: Forged) -> None:
    copy.blank(4, 3)


@tampering()
def a_stub_names_another_event(copy: Forged) -> None:
    copy.blank(3, copy.number("scrubbed") + 1)


@tampering()
def a_stub_is_made_shorter(copy: Forged) -> None:
    name, raw = copy.lines[3]
    copy.lines[3] = (name, raw.replace(b" }\n", b"}\n"))


@tampering()
def other_words_are_put_in_place_of_what_was_forgotten(copy: Forged) -> None:
    name, raw = copy.lines[3]
    blank = b'"description":""'
    room = b'"description":"It opens with 1."'
    copy.lines[3] = (
        name,
        raw.replace(blank, room).replace(b" " * (len(room) - len(blank)), b"", 1),
    )


@tampering("the hashes show them to be the very words that stood there: nothing false is believed")
def what_was_forgotten_is_put_back_from_an_older_copy(copy: Forged) -> None:
    raw = (copy.root / "forgotten.jsonl").read_bytes()
    assert FORGOTTEN.encode() in raw
    copy.lines[3] = (copy.lines[3][0], raw)


@tampering()
def a_true_erasure_is_itself_blanked_in_its_own_name(copy: Forged) -> None:
    number = copy.number("erasure")
    copy.blank(number, number + 1)


@tampering()
def an_old_erasure_is_vouched_for_by_nobody(copy: Forged) -> None:
    by = copy.append(kernel("erasure", copy.erases(4)))
    copy.blank(4, by)
    copy.append(kernel("erasures_vouched", {"erasures": [by]}))
    copy.sign(copy.keyring)
