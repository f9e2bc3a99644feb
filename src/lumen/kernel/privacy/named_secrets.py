"""Secrets known by what stands before them: a name that says so, a header, an address with a login.

A name alone is not enough where people write it in prose. What follows then has to look random, and
what is spoken of but not given stays: "the password is required", `token: ${TOKEN}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lumen.kernel.privacy.key_shapes import table

MARK = "[redacted]"

_NEW = r"(?!\[redacted\])"
# How every name ends; what stands before and after is looked at only there.
_TAILS = re.compile(
    r"pass(?:wor[dt]|wd|phrase|code|e)?|p(?:wd|sw|w)|kennwort|key|secret(?: code)?|token|signature"
    r"|секретный код|auth(?:orization)?|credentials?|jwt|cookie|bearer|parol[ae]?|пароль|contraseña|wachtwoord"
)
# After these any value of eight characters is one; after the others, with one of these before them.
_STRONG = frozenset(
    ("password", "passwort", "passwd", "passphrase", "kennwort", "parol", "parola", "parole")
) | {"пароль", "contraseña", "wachtwoord", "secret code", "секретный код"}
_BEFORE: Mapping[str, tuple[str, ...]] = {
    "key": (
        *("api", "secret", "access", "private", "encryption", "account", "signing", "consumer"),
        *("master", "auth"),
    ),
    "secret": (
        *("client", "app", "shared", "api", "consumer", "webhook", "signing", "jwt", "session"),
        "auth",
    ),
    "token": (
        *("access", "auth", "refresh", "bearer", "api", "bot", "id", "personal", "session"),
        *("oauth", "deploy", "service"),
    ),
    "signature": ("shared access", "shared_access", "sharedaccess"),
    "passe": ("mot de",),
}
_PUBLIC = ("public", "publishable", "primary", "foreign")
# A variable's, `DB_PASS=`, `smtpPass:`: four characters are enough there.
_VARIABLE = frozenset(("pass", "passwd", "password", "pw", "psw", "pwd"))
_REACH = 16  # as far back as any of these names goes

_IS = re.compile(r"[\"'`*]{0,3}[ \t]{0,8}(?::=|=>|==?|:(?!:))[ \t*]{0,8}")
_EIGHT = re.compile(
    rf"\"(?P<double>{_NEW}(?:[^\"\\\n]|\\.){{8,}}+)\"|'(?P<single>{_NEW}(?:[^'\\\n]|\\.){{8,}}+)'"
    rf"|(?P<plain>{_NEW}[^\s\"'`]\S{{6,}}[^\s.,;)\]}}\"'`])"
)
_FOUR_PLAIN = r"[^\s\"'`]{3,}[^\s.,;)\]}\"'`]"
_FOUR = re.compile(rf"[\"'`]?(?P<plain>{_NEW}{_FOUR_PLAIN})")
_FOUR_MIXED = re.compile(rf"(?P<plain>{_NEW}(?=[A-Za-z]{{0,40}}[^\sA-Za-z.,;:)]){_FOUR_PLAIN})")
_PATH = re.compile(r"\W{0,12}[/~.]")  # a shell's pwd is one
_FIGURE = re.compile(r"\W{1,12}[^\s0-9]{0,48}[0-9]")  # a token in prose has none
_LONG = re.compile(rf"[\"'`]?(?P<plain>{_NEW}[A-Za-z0-9+/_.~=-]{{20,}})")
_LONG_START = re.compile(r"[\"'`]?([A-Za-z0-9+/_.~=-]{20,200})")
_HEADER = re.compile(
    r"[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?(?i:bearer|basic|token|apikey|digest)[ \t]{1,8}"
    rf"(?P<plain>{_NEW}[^\s\"'`,;]{{8,}})"
)
_TOLD = re.compile(
    r"(?:[ \t][\w'’.-]{1,20}){0,4}[ \t](?i:is|was|ist|war|lautet|est|это)"
    r"(?:[ \t](?:now|still|jetzt|noch))?:?[ \t]"
    rf"[\"'`„“]?(?P<plain>{_NEW}[^\s\"'`“”]{{8,}})"
)
# A password after its name and what it opens: behind a mark, or, if it can be nothing else, at once.
_OPENS = r"(?:[ \t][\w'’.-]{1,20}){0,4}?"
_LISTED = re.compile(
    rf"{_OPENS}(?::|[ \t](?:[—–-]|is|это))[ \t]{{1,3}}[\"'`«„“]?(?P<plain>{_NEW}[^\s\"'`“”»]{{4,}})"  # noqa: RUF001 - Russian
)
_BESIDE = re.compile(
    r"[ \t](?:от|к|для|на|for|to)\b" + _OPENS + r"[ \t](?P<plain>(?:[0-9]{4,12}|(?=\S{0,40}[0-9])"
    r"(?=\S{0,40}[A-Za-z])[A-Za-z0-9]\S{0,40}[!#$%^&*+=?]\S{1,40}))(?=[.,;!?)]|\s*\Z|\s*\n)"
)
_MANAGER = re.compile(r"[ -]?manager|-?менеджер", re.IGNORECASE)  # keeps passwords and is none
_PIN = re.compile(r"[0-9]{4,12}\Z")
_ENDS = re.compile(r"[\"'`“”»]?(?:[.,;!?)]|\s*\Z|\s*\n)")
_MARKS = re.compile(r"\w[!#$%^&*+=?]+\w")
_GIVEN = re.compile(r"[ \t]{1,8}[\"'`„“]?(?P<plain>[A-Za-z0-9+/_.~=-]{20,200})")
_HALF = re.compile(
    r"(?=[^0-9]*[0-9])(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z0-9+][A-Za-z0-9+/]{39}\Z"
)
_HEX = re.compile(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{32,128}\Z")
# An access key's id is no secret without its other half, which has no shape but its length.
_ACCESS_ID = re.compile(r"(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])")
_OTHER_HALF = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])")
_NEAR = 120
_LOGIN = re.compile(rf"://[^\s/?#:@]*+:(?P<login>{_NEW}[^\s/?#]+)@")
_PREFIXED = re.compile(
    r"(?<![A-Za-z0-9_./&?%+=-])(?!sha[0-9]|md5|npub|ssh-|urn-)[a-z][a-z0-9]{1,11}"
    r"(?:[_-][a-z0-9]{1,10}){0,3}[_-](?P<prefixed>[A-Za-z0-9]{22,}+)"
)
# A prefix that speaks of a key makes small letters and figures enough.
_KEYISH = re.compile(
    r"(?<![A-Za-z0-9_./&?%+=-])(?:[a-z][a-z0-9]{0,11}[_-]){0,2}(?:apikey|key|token|tkn|pat|secret|sk)"
    r"[_-](?:[a-z0-9]{1,8}[_-])?(?P<prefixed>(?=[a-z]*+[0-9])(?=[0-9]*+[a-z])[a-z0-9]{32,}+)"
)
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\Z")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_ADDRESS = re.compile(r"0x[0-9A-Fa-f]{40}\Z")
_MEASURE = re.compile(r"[0-9]+[A-Za-z-]*\Z|.*-[a-z]*(?:ed|based|only|long|style|like|wide|safe)\Z")
# An expression of code, or a variable's name: `data["password"]`, `hashed_password`.
_CODE = re.compile(
    r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*[\[(]|\{[a-z_.]+\b|[A-Za-z_.]*_(?:password|token|key|secret|pass)s?\Z"
    r"|(?:[a-z]+\.)+[a-z_]*(?:password|token|key|secret)\Z"
)
_SIGN = re.compile(r"[A-Za-z0-9]")
_FIGURES = re.compile(r"[0-9]")
_TURN = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])")
_SPOKEN = ("pass", "kenn", "parol", "парол", "contr", "wacht", "secret code", "секрет")


def named_spans(text: str, lower: str) -> list[tuple[int, int]]:
    """Where values stand whose name, header or address says that they are secret."""
    spans = [m.span("login") for m in _LOGIN.finditer(text)] if "://" in text else []
    done = 0
    for tail in _TAILS.finditer(lower):
        if tail.start() >= done and (span := _after(text, *tail.span())):
            spans.append(span)
            done = span[1]
    return spans


def paired_spans(text: str) -> list[tuple[int, int]]:
    """Where the secret half of an access key stands near its id."""
    spans: list[tuple[int, int]] = []
    seen = 0
    for found in _ACCESS_ID.finditer(text):
        start = max(seen - 40, found.start() - _NEAR, 0)
        seen = found.end() + _NEAR
        halves = _OTHER_HALF.finditer(text, start, seen + 1)  # one more, to see where it ends
        spans += [h.span() for h in halves if h.end() <= seen and _HALF.match(h.group())]
    return spans


def prefixed_spans(text: str) -> list[tuple[int, int]]:
    """Where something random follows a short word, as the keys of issuers not known by name do."""
    found = _PREFIXED.finditer(text)
    spans = [match.span() for match in found if looks_random(match["prefixed"])]
    return spans + [match.span() for match in _KEYISH.finditer(text)]


def says_secret(name: str, value: str) -> bool:
    """Whether a field's name says that its value is secret."""
    if value == MARK or _placeholder(value):
        return False
    tails = list(_TAILS.finditer(name.lower())) if len(name.lower()) == len(name) else []
    if not tails or tails[-1].end() != len(name):
        return False
    before, tail = name[: tails[-1].start()], name[tails[-1].start() :]
    if len(value) >= 8 and _is_strong(before, tail.lower()):
        return True
    return len(value) >= 4 and (_is_variable(before, tail) or name.lower() in ("pass", "pwd"))


def looks_random(value: str) -> bool:
    """Whether capitals, small letters and figures change places as only chance has them do."""
    start = value[:64]
    signs = _SIGN.findall(start)
    if (
        len(signs) < 16
        or len(_FIGURES.findall(start)) < 2
        or start in (start.lower(), start.upper())
    ):
        return False
    return len(_TURN.findall(start)) >= 0.42 * len(signs)


def _is_strong(before: str, tail: str) -> bool:
    """Whether a name is to be taken at its word, whatever its value."""
    if tail in _STRONG:
        return True
    return tail in _BEFORE and _less_one(before).lower().endswith(_BEFORE[tail])


def _is_variable(before: str, tail: str) -> bool:
    """Whether a name is that of a variable which holds a password."""
    if tail.lower() not in _VARIABLE:
        return False
    snake = before.endswith("_") and before[-2:-1].isalnum()
    return snake or (before[-1:].islower() and tail[0].isupper() and tail[1:].islower())


def _less_one(before: str) -> str:
    return before[:-1] if before[-1:] in (" ", "_", "-") else before


def _after(text: str, start: int, stop: int) -> tuple[int, int] | None:
    """Where the secret stands that a name ends before, if one is given."""
    tail = text[start:stop].lower()
    if tail == "authorization":
        header = _HEADER.match(text, stop)
        return header.span("plain") if header else None
    if tail == "bearer":
        return _random_at(text, stop + 1) if text[stop : stop + 1] in (" ", "\t") else None
    name = (text[max(0, start - _REACH) : start], text[start:stop])
    if given := _IS.match(text, stop):
        found = _assigned(text, name, given) or _spoken(text, stop, name)
        return None if found is None or _placeholder(text[found[0] : found[1]]) else found
    return _value_after(text, stop, name) or _spoken(text, stop, name)


def _assigned(text: str, name: tuple[str, str], given: re.Match[str]) -> tuple[int, int] | None:
    """Where an assigned value stands, as far as the name is to be taken at its word."""
    at, tail = given.end(), name[1].lower()
    if _is_variable(*name):
        tight = given.group() == "=" or text[at : at + 1] in ("'", '"')
        return _value(_FOUR if tight else _FOUR_MIXED, text, at) or _value(_EIGHT, text, at)
    if tail == "pass":
        quoted = text[at : at + 1] in "\"'" and given.group()[0] in "\"'"
        return _value(_FOUR, text, at) if quoted or given.group() == "=" else None
    loose = (tail == "pwd" and not _PATH.match(text, given.start())) or (
        tail in ("secret", "token") and _FIGURE.match(text, given.start())
    )
    if loose or _is_strong(name[0], tail):
        return _value(_EIGHT, text, at)
    public = _less_one(name[0]).lower().endswith(_PUBLIC)
    return None if public else _random_at(text, at)


def _value(pattern: re.Pattern[str], text: str, at: int) -> tuple[int, int] | None:
    found = pattern.match(text, at)
    return found.span(found.lastgroup or 0) if found else None


def _random_at(text: str, at: int) -> tuple[int, int] | None:
    # Judged by its start: a text made of names would otherwise be read again from each.
    start = _LONG_START.match(text, at)
    likely = start and _FIGURES.search(start[1]) and looks_random(start[1])
    return _value(_LONG, text, at) if likely else None


def _value_after(text: str, at: int, name: tuple[str, str]) -> tuple[int, int] | None:
    """Where a value said in a sentence stands, if it looks like what was named."""
    tail = name[1].lower()
    if tail not in ("token", "secret", "passcode") and not _is_strong(name[0], tail):
        return None
    found = None if _MANAGER.match(text, at) else _TOLD.match(text, at)
    if found is None:
        return _given(text, at)
    start = found.start("plain")
    value = found["plain"].rstrip(".,;:!?)]}")
    figures = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    if not figures or "://" in value or "@" in value or _ADDRESS.match(value):
        return None
    if tail.startswith(_SPOKEN):
        fits = len(value) >= 8 and not _MEASURE.match(value)
    else:
        runs = _RUN.findall(value)
        fits = bool(_UUID.match(value)) or any(not r.isalpha() and not r.isdigit() for r in runs)
        fits = fits or bool(_HALF.match(value))
    return (start, start + len(value)) if fits else None


def _spoken(text: str, at: int, name: tuple[str, str]) -> tuple[int, int] | None:
    """Where a password stands behind its name and what it opens: "пароль от почты: …"."""
    tail = name[1].lower()
    if not tail.startswith(_SPOKEN) or not _is_strong(name[0], tail):
        return None
    found = _LISTED.match(text, at) or _BESIDE.match(text, at)
    if found is None or _MANAGER.match(text, at):
        return None
    value = found["plain"].rstrip(".,;:!?)]}")
    start, stop = found.start("plain"), found.start("plain") + len(value)
    pin = bool(_PIN.match(value)) and _ENDS.match(text, stop) is not None
    mixed = any(c.isalpha() for c in value) and any(c.isdigit() for c in value)
    mixed = (mixed and not _MEASURE.match(value)) or bool(_MARKS.search(value))
    like = pin or (len(value) >= 8 and mixed and "://" not in value and "@" not in value[1:])
    return (start, stop) if like else None


def _given(text: str, at: int) -> tuple[int, int] | None:
    """Where a value stands that follows its name with nothing between, if it can be nothing else."""
    found = _GIVEN.match(text, at)
    if found is None:
        return None
    value = found["plain"].rstrip(".")
    if not (looks_random(value) or _HALF.match(value) or _HEX.match(value)):
        return None
    start, stop = _value(_LONG, text, found.start("plain")) or found.span("plain")
    return start, stop - (len(found["plain"]) - len(value))


def _placeholder(value: str) -> bool:
    """Whether a value only stands where a secret would."""
    shapes = table()
    bare = value.strip("\"'`.,;:!?()[]{} ").lower()
    if _CODE.match(value):
        return True
    return bare in shapes.placeholders or value.lower().startswith(shapes.placeholder_starts)
