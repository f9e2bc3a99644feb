"""Secrets leave a text whatever stands around them; everything else stays as it was written."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kernel.lookalikes import everyday, hard
from tests.kernel.tokens import (
    Random,
    filled,
    forms,
    in_full_width,
    seeded,
    sources,
    with_zero_width,
)

from lumen.core.canon import JSON
from lumen.core.errors import LumenError
from lumen.kernel.privacy.key_shapes import parsed, table
from lumen.kernel.privacy.normal_form import folded
from lumen.kernel.privacy.redact import MARK, redacted, redacted_json, secret_line

LARGE = 100_000
WIDE = "".join(chr(ord(char) + 0xFEE0) for char in "password=")
# Assembled, so that no scanner takes this file for a leak.
RANDOM = "aB3dE6gH9kLmN2pQ5sTvW8xYz1C4fJ7rUuOo0"
PEM = "-----{} {}PRIVATE KEY-----"
BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
JWT = ".".join(["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0In0", RANDOM])
PROJECT = "sk-proj-" + RANDOM
KEYS = {
    "a provider's": "sk-" + RANDOM,
    "one of letters": "sk-" + "abcdefghij" * 4,
    "one with a test word": "sk-test-" + "1234567890abcdef",
    "a dashed provider's": "sk-ant-api03-" + RANDOM + "_x-" + RANDOM,
    "a project's": PROJECT,
    "xai": "xai-" + RANDOM,
    "gsk": "gsk_" + RANDOM,
    "ghp": "ghp_" + RANDOM,
    "gho": "gho_" + RANDOM,
    "ghs": "ghs_" + RANDOM,
    "github_pat": "github_pat_" + RANDOM[:22] + "_" + RANDOM,
    "glpat": "glpat-" + RANDOM[:20],
    "xoxb": "xoxb-" + "123456789012-" + RANDOM[:24],
    "xoxp": "xoxp-" + "123456789012-" + RANDOM[:24],
    "AKIA": "AKIA" + "ABCDEFGH23456723",
    "ASIA": "ASIA" + "ABCDEFGH23456723",
    "AIza": "AIza" + RANDOM[:35],
    "hf": "hf_" + RANDOM,
    "npm": "npm_" + RANDOM,
    "pypi": "pypi-" + "AgEIcHlwaS5vcmcC" + RANDOM,
    "SG": "SG." + RANDOM[:22] + "." + RANDOM,
    "sk_live": "sk_live_" + RANDOM[:24],
    "rk_live": "rk_live_" + RANDOM[:24],
    "a bot's": "123456:AA" + RANDOM,
    "a token of three parts": JWT,
    "a private key": "\n".join([PEM.format("BEGIN", ""), BODY, "ab==", PEM.format("END", "")]),
    "an RSA key": "\n".join([PEM.format("BEGIN", "RSA "), "x", PEM.format("END", "RSA ")]),
    "a key cut short": "\n".join([PEM.format("BEGIN", "EC "), BODY, BODY]),
    "a key in one line": f"{PEM.format('BEGIN', '')}\\n{BODY}\\nMIIE==",
}
PROSE = [
    "my password is on the desk",
    "the api key question",
    "The secret: everything takes time.",
    "We used 1200 tokens: fewer than yesterday.",
    "password::verify_and_return(x)",
    "0123456789abcdef" * 4,
    "lumen:interface:01KA8Z9Q7R5T3V1X0W2Y4N6M8P",
    "01KA8Z9Q7R5T3V1X0W2Y4N6M8P",
    "session_key: lumen:interface:01KA8Z9Q7R5T3V1X0W2Y4N6M8P",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "Donaudampfschifffahrtsgesellschaftskapitänsmütze",
    "Risk-Kapitalertragsteueranmeldungsformular",
    "SLOVAKIAANDHUNGARYTOGETHER",
    "disk_test_internationalisation",
    "/home/me/task-2024-11-15-finish-the-long-report.txt",
    "pwd: /home/me/projects/lumen",
    r"C:\Users\me\Documents\desk-photos-of-2025",
    "+49 170 1234567, 0049-170-1234567",
    "someone.with.a.long.name@mail.example.org",
    "https://host.example:8080/path?user=a@b",
    "https://someone@host.example/path",
    "eyJ is how such a token starts.",
    f"A file that starts with {PEM.format('BEGIN', '')} is one to hide.",
    "antidisestablishmentarianism-and-pneumonoultramicroscopicsilicovolcanoconiosis",
]
AROUND = [
    "", "x", "9", "_", "-", ".", '"', "'", "\\", "\n", " ", "@", "://", "://a:", "eyJ", "eyJabcde.",
    "sk-", "AKIA", "123456:AA", 'password="', "password = ", "token: ", MARK, "é", "ghp_" + RANDOM[::-1],
    "AKIA" + "ABCDEFGH23456", "SG." + RANDOM[::-1] + ".", PEM.format("BEGIN", ""), BODY, "-----",
    "Authorization: Bearer ", "[redacted", "cat", "Ä", "a/b",
]  # fmt: skip
DISGUISES: dict[str, Callable[[str, Random], str]] = {
    "plain": lambda token, _: token,
    "with zero-width characters inside": with_zero_width,
    "with fullwidth characters inside": in_full_width,
}
pieces = st.one_of(st.sampled_from(AROUND), st.text(max_size=6))
surroundings = st.lists(pieces, max_size=4).map("".join)


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS.keys())
def test_a_key_becomes_a_mark_and_its_sentence_stays(key: str) -> None:
    assert redacted(f"Take {key} with you.") == (f"Take {MARK} with you.", 1)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('password = "hunter2hunter2"', 'password = "[redacted]"'),
        ("password = 'two words here'", "password = '[redacted]'"),
        ("DB_PASSWORD=hunter2hunter2", "DB_PASSWORD=[redacted]"),
        ("(api_key: abcdefgh1)", "(api_key: [redacted])"),
        ("api key: abcdefgh1, user: bob", "api key: [redacted], user: bob"),
        ('{"password":"hun\\"ter2hunter2","user":"bob"}', '{"password":"[redacted]","user":"bob"}'),
        ("**Password:** hunter2hunter2", "**Password:** [redacted]"),
        ("Passwort: geheim-geheim", "Passwort: [redacted]"),
        ("client_secret := s3cr3t-s3cr3t", "client_secret := [redacted]"),
        ("token: abc123def456", "token: [redacted]"),
        ("password: short", "password: short"),
        ('password: "broken-quote', 'password: "broken-quote'),
        ("Authorization: Bearer abcdefgh", "Authorization: Bearer [redacted]"),
        ('-H "authorization: basic YWJjOmRlZg=="', '-H "authorization: basic [redacted]"'),
        ("Authorization: required", "Authorization: required"),
        ("see https://me:pw@host/x", "see https://me:[redacted]@host/x"),
        ("postgres://u:p@ss:w@db:5432/x", "postgres://u:[redacted]@db:5432/x"),
    ],
)
def test_only_the_value_is_taken(text: str, left: str) -> None:
    assert redacted(text) == (left, int(text != left))


@pytest.mark.parametrize("text", PROSE)
def test_what_is_no_secret_stays(text: str) -> None:
    for sentence in (text, f"So {text}, she said.", f"a\n{text}\n"):
        assert redacted(sentence) == (sentence, 0)
        assert secret_line(sentence) == 0


@given(st.sampled_from(list(KEYS.values())[3:]), surroundings, surroundings)
def test_a_planted_key_never_survives(key: str, before: str, after: str) -> None:
    text, count = redacted(before + key + after)
    assert count >= 1
    assert key not in text
    if "-----" not in key:
        assert key[-10:] not in text


@given(
    st.lists(st.one_of(pieces, st.sampled_from(list(KEYS.values()))), max_size=8).map("".join),
    st.lists(st.sampled_from(["cat", "/", "redacted", "[", '"', "-----", "a"]), max_size=2),
)
def test_redacting_twice_is_redacting_once(text: str, words: list[str]) -> None:
    once, count = redacted(text, words)
    assert redacted(once, words) == (once, 0)
    assert (secret_line(text, words) > 0) == (count > 0)


def test_the_authors_words_go_whatever_their_case_and_only_as_whole_words() -> None:
    words = ["Bluebird", "Zoe\u0308", "c++", " ", ""]
    text = "BLUEBIRD and xbluebird, Zoe\u0308 and Zoës, C++ and c++x."
    assert redacted(text, words) == (
        f"{MARK} and xbluebird, {MARK} and Zoës, {MARK} and {MARK}x.",
        4,
    )


def test_the_longer_of_two_words_is_taken_whole_and_a_key_before_either() -> None:
    assert redacted("Blue Bird", ["blue", "blue bird"]) == (MARK, 1)
    assert redacted(f"my {PROJECT}", ["my sk", "sk"]) == (f"my {MARK}", 1)


def test_a_key_in_the_place_of_a_user_name_goes_too() -> None:
    address = f"https://{KEYS['ghp']}:password-123@host.example/x"
    assert redacted(address) == (f"https://{MARK}:{MARK}@host.example/x", 2)


def test_a_text_without_secrets_comes_back_as_it_came() -> None:
    assert redacted("Zoe\u0308", ["other"]) == ("Zoe\u0308", 0)


def test_every_string_inside_a_json_value_is_looked_at_and_every_key() -> None:
    key = KEYS["ghp"]
    value: JSON = {
        key: [f"use {key}", 7, None, True, {"deep": key}],
        "plain": "words",
        "api_key": "opensesame",
        "password": "short",
    }
    kept, count = redacted_json(value)
    assert count == 4
    assert kept == {
        MARK: [f"use {MARK}", 7, None, True, {"deep": MARK}],
        "plain": "words",
        "api_key": MARK,
        "password": "short",
    }
    assert redacted_json(kept) == (kept, 0)
    assert redacted_json("the cat", ["cat"]) == (f"the {MARK}", 1)


def test_json_keys_that_become_the_same_mark_stay_apart() -> None:
    one, other = KEYS["ghp"], KEYS["hf"]
    kept, count = redacted_json({one: 1, other: 2, MARK: 3, f"{MARK} 2": 4})
    assert count == 2
    assert kept == {f"{MARK} 3": 1, f"{MARK} 4": 2, MARK: 3, f"{MARK} 2": 4}


def test_a_word_of_the_authors_leaves_keys_but_not_the_names_of_fields() -> None:
    value: JSON = {"goal": "my goal", "Rosebud's sledge": 1, "goal 2": 2}
    assert redacted_json(value, ["goal", "rosebud"])[0] == {
        "goal": f"my {MARK}",
        f"{MARK}'s sledge": 1,
        f"{MARK} 2": 2,
    }


def _gone(form: str, name: str, disguise: str, seed: int) -> bool:
    """Whether nothing of a made-up token can be read any more."""
    random = seeded(f"{name} {seed}")
    token = filled(form, random)
    text, count = redacted(f"Take {DISGUISES[disguise](token, random)} with you.")
    left = folded(text).text
    value = token.rpartition("=")[2] if token.startswith("DB_") else token
    return count > 0 and value not in left and value[-12:] not in left and "with you" in left


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("name", forms("named"))
def test_every_shape_that_once_slipped_through_is_taken(name: str, disguise: str) -> None:
    assert [s for s in range(5) if not _gone(forms("named")[name], name, disguise, s)] == []


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize(("group", "count", "most"), [("held", 60, 5), ("met", 47, 0)])
def test_of_sixty_further_formats_fifty_five_are_taken_at_least(
    group: str, count: int, most: int, disguise: str
) -> None:
    held = forms(group)
    missed = [
        name for name in held if not all(_gone(held[name], name, disguise, s) for s in (1, 2))
    ]
    assert len(held) == count
    assert len(missed) <= most, missed


def test_each_of_the_sixty_says_where_its_issuer_describes_it() -> None:
    assert sources().keys() == forms("held").keys()
    assert all(
        len(source.split("/")) > 1 or "own source" in source for source in sources().values()
    )


def test_of_two_thousand_everyday_sentences_one_is_hit_at_most() -> None:
    sentences = everyday(2000, seeded(11))
    assert len(set(sentences)) == 2000
    hit = [sentence for sentence in sentences if redacted(sentence)[1]]
    assert len(hit) <= 1, hit


def test_of_five_hundred_hard_sentences_five_are_hit_at_most() -> None:
    hit = [sentence for sentence in hard(500, seeded(12)) if redacted(sentence)[1]]
    assert len(hit) <= 5, hit


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("DB_PASS=hunter2", "DB_PASS=[redacted]"),
        ("smtpPass: 'hunter2'", "smtpPass: '[redacted]'"),
        ('"pass": "hunter2"', '"pass": "[redacted]"'),
        ("AccountKey=abcdefgh", "AccountKey=[redacted]"),
        ("my password is Tr0ub4dor&3.", "my password is [redacted]."),
        ("The Datadog API key is 0123456789abcdef0123456789abcdef", "The Datadog API key is [redacted]"),
        ("deploy_key: aB3dE6gH9kLmN2pQ5sTv", "deploy_key: [redacted]"),
        ("public key: aB3dE6gH9kLmN2pQ5sTv", "public key: aB3dE6gH9kLmN2pQ5sTv"),
        ("acme_aB3dE6gH9kLmN2pQ5sTvW8xYz1", "[redacted]"),
        ("p\u200bassword=hunter2hunter2", "p\u200bassword=[redacted]"),
        (f"Grüße, {WIDE}hunter2hunter2 …", f"Grüße, {WIDE}[redacted] …"),
        ('password = request.form["password"]', 'password = request.form["password"]'),
        ("password: required for all", "password: required for all"),
        ("curl -u me:hunter2 host", "curl -u me:[redacted] host"),
    ],
)  # fmt: skip
def test_a_name_that_says_so_makes_what_follows_a_secret(text: str, left: str) -> None:
    assert redacted(text) == (left, int(text != left))
    assert redacted(left) == (left, 0)


@pytest.mark.parametrize(
    "text",
    [
        "AWS {id} secret {half}",
        "AWS {id} secret key is {half}",
        "{id},{half}",
        "{half} goes with {id}.",
        "secret access key {half}, the rest later",
        "my secret is {half}.",
        "the secret `{half}`",
        "the token {random}.",
        "API key {hex} for the tests",
    ],
)
def test_a_secret_that_only_follows_its_name_or_its_id_is_taken(text: str) -> None:
    parts = {
        "id": "AKIA" + "IOSFODNN7EXAMPLE",
        "half": "wJalrXUtnFEMI" + "/K7MDENG/" + "bPxRfiCYEXAMPLEKEY",
        "random": RANDOM,
        "hex": "0f3c9a7e5b1d2846" * 2,
    }
    left = text.format(**dict.fromkeys(parts, MARK))
    assert redacted(text.format(**parts)) == (left, text.count("{"))


@pytest.mark.parametrize(
    "text",
    [
        "the secret InternationalisationHandlerForHTTP2Requests",
        "the token src/lumen/kernel/steps/p1_perceive.py",
        "the secret garden of 1911 by Frances Hodgson Burnett",
        "public key 0f3c9a7e5b1d28460f3c9a7e5b1d2846",
        "commit wJalrXUtnFEMI/K7MDENG/bPxRfiCYMPLEKEYS9Q without its id",
    ],
)
def test_what_merely_follows_such_a_name_stays(text: str) -> None:
    assert redacted(text) == (text, 0)


def test_every_form_of_the_table_is_found_where_it_stands_alone() -> None:
    for special in table().specials:
        token = filled(special.example, seeded(special.example))
        assert redacted(f"So: {token} !")[1], special.name
    for shapes in table().shapes.values():
        assert all(shape.prefix for shape in shapes)


@pytest.mark.parametrize(
    "key",
    [
        'forms = ["ab_{alnum:9+}"]',
        'issuer = ""\nforms = ["ab_{alnum:9+}"]',
        'issuer = "x"\nforms = ["{alnum:9+}"]',
        'issuer = "x"\nforms = ["ab_{other:9+}"]',
        'issuer = "x"\nforms = ["ab_{alnum:9+}{"]',
        'issuer = "x"\nforms = ["ab_{alnum:9+}"]\nasks = "much"',
        'issuer = "x"\nforms = ["ab_{alnum:9+}"]\nregex = "x"',
        "issuer = ",
    ],
)
def test_a_table_with_a_flaw_is_refused(key: str) -> None:
    rest = "special = []\nplaceholders = {words = [], starts = []}\n"
    sound = 'issuer = "x"\nforms = ["ab_{alnum:9+}"]'
    assert parsed(f"{rest}[[key]]\n{sound}", "patterns.toml").heads.search("ab_")
    with pytest.raises(LumenError, match=r"patterns\.toml"):
        parsed(f"{rest}[[key]]\n{key}", "patterns.toml")


@given(st.text(alphabet=st.sampled_from("aﬁ\uff57\u0308\u200bé😀\ufe0f½Ω\u00ad x가"), max_size=20))
def test_every_place_of_the_folded_copy_leads_back_to_the_text_it_came_from(text: str) -> None:
    copy = folded(text)
    for at in range(len(copy.text)):
        start, stop = copy.origin(at, at + 1)
        assert 0 <= start < stop <= len(text)
        assert copy.text[at] in folded(text[start:stop]).text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 0),
        ("a\nb\n", 0),
        (f"{KEYS['AKIA']}", 1),
        (f"a\n\n{KEYS['SG']}\n{KEYS['hf']}", 3),
        (f"a\nbluebird\n{KEYS['hf']}", 2),
        (f"a\n{KEYS['hf']}\nbluebird", 2),
    ],
)
def test_the_line_of_the_first_secret_is_named(text: str, line: int) -> None:
    assert secret_line(text, ["bluebird"]) == line


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "unit",
    ["eyJ", "eyJa.", PEM.format("BEGIN", ""), "sk-a", "password=\"", "password='\"", "://a:", "1",
     "SG.a", "authorization: bearer ", ".", "key=", "token is 1 ", "a_", "\uff57", "ghp_", "curl -u ",
     "x\u0308", "a\u200b", "0", "f:", "hooks.slack.com/services/", "secret ",
     "secret aB3"],
)  # fmt: skip
def test_a_long_text_made_to_be_slow_is_read_once(unit: str) -> None:
    # Read again from every start, each of these would take minutes and be seen.
    found = unit.startswith(("password", "authorization"))
    text = f"key {unit * (LARGE // len(unit))}\n{KEYS['hf']}"
    assert secret_line(text) == (1 if found else 2)
