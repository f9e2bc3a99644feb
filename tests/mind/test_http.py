"""What a server may do wrong, and what becomes of it; the dialects have files of their own."""

from __future__ import annotations

import asyncio
import socket
import time
from datetime import timedelta

import pytest
from tests.peers import Reply, Wire, at, chat, raw, silence, sse, stream, whole
from tests.waiting import PATIENCE

from lumen.core.clock import SystemClock
from lumen.core.errors import (
    BadAnswer,
    Denied,
    Limited,
    MindError,
    ModelGone,
    NoSubstrate,
    TooLong,
    Unreachable,
    Unsupported,
)
from lumen.mind.endpoints import Endpoint, Kind
from lumen.mind.roles import open_substrate
from lumen.mind.substrate import Completion, Prompt
from lumen.mind.substrates import http

KEY = "sk-a-key-nobody-may-see"
CHAT = "/v1/chat/completions"
PROMPT = Prompt("Be kind.", "Hello?", 100)


def ask(endpoint: Endpoint, prompt: Prompt = PROMPT) -> Completion:
    return asyncio.run(open_substrate(endpoint).invoke("m", prompt))


def failed(endpoint: Endpoint, kind: type[MindError] = MindError) -> MindError:
    with pytest.raises(kind) as caught:
        ask(endpoint)
    return caught.value


def openai_error(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, **more}}


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (401, openai_error("Incorrect API key provided"), Denied),
        (403, openai_error("Your country is not served"), Denied),
        (402, openai_error("Payment Required"), Denied),
        (400, {"code": "Client error", "error": "Incorrect API key provided: xa***ys."}, Denied),
        (429, openai_error("You exceeded your quota", code="insufficient_quota"), Denied),
        (400, openai_error("Your credit balance is too low to access the API."), Denied),
        (403, {"code": "x", "error": "Your team doesn't have any credits yet."}, Denied),
        (404, openai_error("The model `m` does not exist", code="model_not_found"), ModelGone),
        (403, openai_error("You have no access to `m`", code="model_not_found"), ModelGone),
        (404, {"error": "model 'm' not found"}, ModelGone),
        (404, {"type": "error", "error": {"type": "not_found_error", "message": "model: m"}}, ModelGone),
        (404, b"<html>Not Found</html>", NoSubstrate),
        (404, b"Cannot POST /v1/models", NoSubstrate),
        (413, b"", TooLong),
        (400, openai_error("Maximum is 8192", code="context_length_exceeded"), TooLong),
        (400, openai_error("prompt is too long: 210000 tokens > 200000 maximum"), TooLong),
        (
            400,
            openai_error("request exceeds the available context size", type="exceed_context_size_error"),
            TooLong,
        ),
        (400, {"error": "the input length exceeds the context length"}, TooLong),
        (500, {"error": "the input length exceeds the context length"}, TooLong),
        (429, openai_error("Slow down"), Limited),
        (500, b"", Unreachable),
        (500, {"error": "the call took too long"}, Unreachable),
        (503, b"<html>Overloaded</html>", Unreachable),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, Unreachable),
        (418, b"\xff\xfe", Unreachable),
        (204, b"", Unreachable),
        (400, openai_error("I do not like it"), MindError),
        (422, [1, 2], MindError),
        (422, {"error": 5}, MindError),
        (422, {"detail": "field required"}, MindError),
        (301, b"", MindError),
    ],
)  # fmt: skip
def test_a_refusal_is_known_by_its_kind(
    wire: Wire, status: int, said: object, kind: type[MindError]
) -> None:
    wire.on(CHAT, whole(said, status))
    error = failed(at(wire.url))
    assert type(error) is kind
    assert error.detail.startswith(str(status))
    assert not error.worked
    assert len(wire.asked) == 1


def test_what_a_server_says_is_told_even_where_its_form_is_not_known(wire: Wire) -> None:
    wire.on(CHAT, whole({"error": {"problem": "no room"}}, 400))
    assert "no room" in failed(at(wire.url)).detail


def test_a_key_that_was_sent_is_blamed_and_one_that_was_not_is_asked_for(wire: Wire) -> None:
    wire.on(CHAT, whole({}, 401))
    without, wrong = failed(at(wire.url)), failed(at(wire.url, key=KEY))
    assert "wants a key" in without.what
    assert "did not accept the key" in wrong.what
    assert without.fix == wrong.fix == "lumen models key desk"


LATER = "Sun, 16 Nov 2200 12:00:00 +0000"


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [
        ("7", 7, 7),
        ("0.5", 0.5, 0.5),
        ("-3", 0, 0),
        ("nan", 0, 0),
        (LATER, 1e9, 1e11),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
        ("Wed, 21 Oct 2015 07:28:00 -0000", 0, 0),
        ("soon", None, None),
        ("", None, None),
        ("Fri, 31 Dec 9999 23:59:59 -1400", None, None),
        ("Fri, 99 Foo 2015 99:99:99 GMT", None, None),
    ],
)
def test_how_long_to_wait_is_read_in_seconds_or_as_a_date_and_else_not_guessed(
    wire: Wire, said: str, least: float | None, most: float | None
) -> None:
    wire.on(CHAT, whole({}, 429, retry_after=said))
    error = failed(at(wire.url), Limited)
    assert isinstance(error, Limited)
    if least is None or most is None:
        assert error.after is None
    else:
        assert error.after is not None
        assert least <= error.after <= most


def test_a_date_without_a_zone_is_not_taken_for_one_of_this_place(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = (SystemClock().now() + timedelta(hours=1)).strftime("%a, %d %b %Y %H:%M:%S -0000")
    wire.on(CHAT, whole({}, 429, retry_after=soon))
    monkeypatch.setenv("TZ", "UTC-9")
    time.tzset()
    try:
        error = failed(at(wire.url), Limited)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert isinstance(error, Limited)
    assert error.after is not None
    assert 0 < error.after <= 3600


def test_a_server_that_names_no_time_to_wait_names_none(wire: Wire) -> None:
    wire.on(CHAT, whole({}, 429))
    error = failed(at(wire.url), Limited)
    assert isinstance(error, Limited)
    assert error.after is None


@pytest.mark.parametrize(
    ("said", "setting"),
    [
        (openai_error("Unsupported value: 'temperature' does not support 0", param="temperature"), "temperature"),
        (openai_error("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'."), "max_tokens"),
        (openai_error("`stop` goes badly with 'temperature'", param="stop"), "stop"),
        (openai_error("`temperature` is deprecated for this model."), "temperature"),
        (openai_error("temperature: Extra inputs are not permitted"), "temperature"),
        (openai_error("output_config.format.schema: 'pattern' is not supported"), "output_config"),
        (openai_error("Invalid schema", param="response_format"), "response_format"),
        (openai_error("Verify your organization to stream", param="stream"), "stream"),
        ({"code": "x", "error": "Argument not supported on this model: stop"}, "stop"),
    ],
)  # fmt: skip
def test_a_setting_that_a_model_does_not_take_is_named(
    wire: Wire, said: object, setting: str
) -> None:
    wire.on(CHAT, whole(said, 400))
    assert failed(at(wire.url), Unsupported).what == setting


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_the_key_stays(wire: Wire, status: int) -> None:
    with Wire() as elsewhere:
        elsewhere.on(CHAT, sse(*chat("Gotcha.")))
        wire.on(CHAT, whole({}, status, location=elsewhere.url + CHAT))
        error = failed(at(wire.url, key=KEY))
        assert elsewhere.asked == []
    assert "points elsewhere" in error.what
    assert len(wire.asked) == 1


def test_the_key_goes_where_the_kind_of_server_looks_for_it_and_nowhere_else(wire: Wire) -> None:
    kinds: tuple[tuple[Kind, str], ...] = (("openai", CHAT), ("anthropic", "/v1/messages"))
    for kind, path in kinds:
        wire.on(path, whole({}, 500))
        failed(at(wire.url, kind, key=KEY))
    first, second = wire.asked
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert second.headers["x-api-key"] == KEY
    assert second.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in second.headers
    for asked in wire.asked:
        assert KEY.encode() not in asked.body
        assert KEY not in asked.path
    failed(at(wire.url, "anthropic"))
    assert "x-api-key" not in wire.asked[-1].headers


SPLIT = f"{KEY[:9]}\x00\x1b[31m{KEY[9:]}"


@pytest.mark.parametrize(
    "reply",
    [
        whole(openai_error(f"Wrong key: {KEY}"), 401),
        whole(openai_error(f"Wrong key: {KEY}"), 400),
        whole(openai_error(f"Wrong key: {SPLIT}"), 500),
        whole(f"Bearer {KEY} is wrong".encode(), 503),
        whole(b"x" * 290 + KEY.encode() + b" is no JSON"),
        whole({"choices": KEY}),
        whole({}, 307, location=f"/{KEY}"),
        sse({"error": {"message": f"{KEY} has expired"}}),
        sse({"choices": KEY}),
        sse(*chat("Hi.", model=KEY)),
        raw(f"HTTP/1.1 200 {KEY}\r\n{KEY}\r\n\r\n".encode()),
    ],
)
def test_a_key_that_the_server_echoes_is_in_no_error(wire: Wire, reply: Reply) -> None:
    wire.on(CHAT, reply).on("/v1/models", whole({"data": []}))
    error: BaseException | None = failed(at(wire.url, key=KEY))
    assert isinstance(error, MindError)
    shown = repr(error) + error.what + error.fix + error.detail
    assert KEY not in shown
    assert KEY[:8] not in shown


@pytest.mark.parametrize("key", ["schlüssel", "sk-one\nx-evil: 1", "sk\x00"])
def test_a_key_that_cannot_be_sent_is_refused_unshown_and_nothing_is_sent(
    wire: Wire, key: str
) -> None:
    error = failed(at(wire.url, key=key), Denied)
    assert key not in repr(error) + error.detail
    assert error.__cause__ is None
    assert wire.asked == []


def test_what_a_server_says_cannot_move_the_cursor_and_is_cut(wire: Wire) -> None:
    wire.on(CHAT, whole(openai_error("\x1b[2Jred\n\tand " + "long " * 999), 500))
    detail = failed(at(wire.url)).detail
    assert detail.startswith("500 red and long long")
    assert len(detail) == http.SHOWN + 1


def test_a_long_page_of_error_does_not_hide_what_it_means(wire: Wire) -> None:
    wire.on(CHAT, whole(b"<p>" * 100_000, 401), whole(b"<p>" * 100_000, 502))
    assert type(failed(at(wire.url))) is Denied
    assert type(failed(at(wire.url))) is Unreachable


@pytest.mark.parametrize(
    ("kind", "fix"),
    [
        ("ollama", "ollama serve"),
        ("lmstudio", "lms server start"),
        ("openai", "check the network, then: lumen models scan"),
    ],
)
def test_where_nobody_listens_it_says_how_to_start(kind: Kind, fix: str) -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        error = failed(at(f"http://127.0.0.1:{unheard.getsockname()[1]}", kind), Unreachable)
    assert "cannot be reached at" in error.what
    assert error.fix == fix
    assert not error.worked


@pytest.mark.parametrize(
    "reply",
    [
        silence,
        sse(*chat("Once upon a time")[:1], done=False, then="stall"),
        stream([], then="trickle"),
        raw(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{", then="stall"),
    ],
)
def test_a_call_ends_when_its_time_is_up(wire: Wire, reply: Reply) -> None:
    wire.on(CHAT, reply)
    seconds = 0.2
    error = failed(at(wire.url, seconds=seconds), Unreachable)
    while not wire.asked:  # on a busy machine the time may be up before anybody was heard
        seconds *= 4
        error = failed(at(wire.url, seconds=seconds), Unreachable)
    assert f"did not finish within {seconds:g} s" in error.what
    assert "[substrates.desk] seconds" in error.fix
    assert error.worked
    assert wire.hung_up.wait(PATIENCE)


def test_looking_for_models_keeps_to_the_time_too(wire: Wire) -> None:
    wire.on("/v1/models", silence)
    health = asyncio.run(open_substrate(at(wire.url, seconds=0.1)).health())
    assert (health.ok, health.detail) == (False, "desk did not finish within 0.1 s")


@pytest.mark.parametrize(
    "reply",
    [
        raw(b""),
        raw(b"\x16\x03\x01 what"),
        raw(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"),
        sse(*chat("Once upon"), done=False, then="drop"),
        sse(*chat("Once upon")[:1], done=False, then="drop in a piece"),
        sse(*chat("Once upon")[:1], done=False),
        sse({"error": {"message": "Overloaded", "type": "overloaded_error"}}),
        sse(*chat("Once upon")[:1], {"error": "the context length is used up"}),
    ],
)
def test_a_line_that_breaks_is_unreachable_and_may_have_cost_something(
    wire: Wire, reply: Reply
) -> None:
    wire.on(CHAT, reply)
    error = failed(at(wire.url))
    assert type(error) is Unreachable
    assert error.worked


@pytest.mark.parametrize(
    "reply",
    [
        raw(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnope"),
        whole(b""),
        whole(b"{"),
        whole(b"[]"),
        whole(b"null"),
        whole({"choices": []}),
        whole({"choices": [{"message": {"content": None}}]}),
        whole({"choices": [{"message": {"content": " \n"}}]}),
        stream([b"data: {\n\n"]),
        stream([b"data: 5\n\n"]),
        stream([b"event: x\nid: 1\nretry: 5\n: hi\n\ndata: [DONE]\n\n"]),
        sse(*chat()),
        sse(*chat("", " ", "\n")),
        sse({"choices": [{"delta": "x"}]}),
    ],
)
def test_an_answer_that_is_empty_or_no_answer_is_a_bad_one(wire: Wire, reply: Reply) -> None:
    wire.on(CHAT, reply)
    error = failed(at(wire.url))
    assert type(error) is BadAnswer
    assert error.worked
