"""One call to a remote model from its first word to its last, whatever the dialect."""

from __future__ import annotations

import asyncio
import ssl
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.peers import Reply, Wire, at, chat, sse, stream, together, whole
from tests.waiting import PATIENCE

from lumen.core.clock import SystemClock
from lumen.core.errors import BadAnswer, MindError, ModelGone, Unreachable, Unsupported
from lumen.mind.endpoints import Endpoint, Kind
from lumen.mind.roles import open_substrate
from lumen.mind.substrate import LONGEST_TOKEN, Completion, Exchange, OnText, Prompt
from lumen.mind.substrates.remote import alike, size_in, unlisted

CHAT = "/v1/chat/completions"
MODELS = "/v1/models"
PROMPT = Prompt("Be kind.", "Hello?", 100)


def ask(
    endpoint: Endpoint, prompt: Prompt = PROMPT, on_text: OnText | None = None, model: str = "m"
) -> Completion:
    return asyncio.run(open_substrate(endpoint).invoke(model, prompt, on_text))


def listing(*names: str) -> Reply:
    return whole({"data": [{"id": name} for name in names]})


def test_the_pieces_make_up_the_text_and_come_as_they_are_written(wire: Wire) -> None:
    pieces: list[str] = []
    wire.on(CHAT, sse(*chat("Hel", "lo ", "you.", prompt_tokens=9, completion_tokens=3)))
    done = ask(at(wire.url), on_text=pieces.append)
    assert pieces == ["Hel", "lo ", "you."]
    assert done == Completion("Hello you.", 9, 3, 0, "stop")


def test_a_server_that_forgets_to_hang_up_is_not_waited_for(wire: Wire) -> None:
    wire.on(CHAT, sse(*chat("Done."), then="stall"))
    assert ask(at(wire.url)).text == "Done."
    assert wire.hung_up.wait(PATIENCE)


def test_an_event_may_come_in_any_bytes_and_with_any_line_ends(wire: Wire) -> None:
    said = (
        '\ufeff: hi\r\n\r\ndata:{"choices":[{"delta":{"content":"Grüße 🜁"}}]}\r\n\r\ndata: [DONE]'
    )
    wire.on(CHAT, stream(bytes([byte]) for byte in said.removeprefix("\ufeff").encode()))
    assert ask(at(wire.url)).text == "Grüße 🜁"


@pytest.mark.parametrize(
    ("pieces", "heard"),
    [
        (["<think>Hm, a greeting.</think>\n\nHello."], ["Hello."]),
        (["\n<thi", "nk>", "Hm", ".</thi", "nk>", "\n", "\nHel", "lo."], ["Hel", "lo."]),
        (["<think>a</think><think>b</think>Hello."], ["Hello."]),
        (["<think></think>Hello <think>."], ["Hello <think>."]),
        (["<", "b>Hello.</b>"], ["<b>Hello.</b>"]),
        (["  Hello."], ["  Hello."]),
        (["<thin"], ["<thin"]),
        (["Hello </think> there."], ["Hello </think> there."]),
    ],
)
def test_thoughts_are_neither_heard_nor_kept(
    wire: Wire, pieces: list[str], heard: list[str]
) -> None:
    aloud: list[str] = []
    in_one = {"choices": [{"message": {"content": "".join(pieces)}}]}
    wire.on(CHAT, sse(*chat(*pieces)), whole(in_one))
    for _ in range(2):
        assert ask(at(wire.url), on_text=aloud.append).text == "".join(heard)
    assert aloud == [*heard, "".join(heard)]


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_an_answer_of_nothing_but_thoughts_is_none(wire: Wire, finish: str) -> None:
    aloud: list[str] = []
    wire.on(CHAT, sse(*chat("<think>", "I wonder ", "a lot", finish=finish)))
    with pytest.raises(BadAnswer, match="answered with nothing") as caught:
        ask(at(wire.url), on_text=aloud.append)
    assert ("went into thinking" in caught.value.what) == (finish == "length")
    assert aloud == []


def test_ten_megabytes_of_small_events_are_cut_off_where_the_limit_is(wire: Wire) -> None:
    event = sse(*chat("x" * 50)[:1] * 100_000)
    wire.on(CHAT, event)
    done = ask(at(wire.url), Prompt("", "Hi", 10))
    assert 10 * LONGEST_TOKEN < len(done.text) <= 10 * LONGEST_TOKEN + 50
    assert done.finish == "length"


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (stream([b"data: ", *[b"x" * 100_000] * 100]), "a line without end"),
        (whole(b"x" * 10_000_000), "more than anyone could want"),
    ],
)
def test_ten_megabytes_in_one_piece_are_refused(wire: Wire, reply: Reply, complaint: str) -> None:
    wire.on(CHAT, reply).on(MODELS, reply)
    with pytest.raises(BadAnswer, match=complaint):
        ask(at(wire.url))
    health = asyncio.run(open_substrate(at(wire.url)).health())
    assert "more than anyone could want" in health.detail


def test_a_cancelled_call_ends_and_hangs_up(wire: Wire) -> None:
    wire.on(CHAT, sse(*chat("Once")[:1], done=False, then="stall"))

    async def scenario() -> None:
        begun = asyncio.Event()
        call = asyncio.create_task(
            open_substrate(at(wire.url)).invoke("m", PROMPT, lambda _: begun.set())
        )
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(scenario())
    assert wire.hung_up.wait(PATIENCE)


def test_an_error_of_the_listener_comes_back_and_hangs_up(wire: Wire) -> None:
    wire.on(CHAT, sse(*chat("Once")[:1], done=False, then="stall"))

    def fail(_: str) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(at(wire.url), on_text=fail)
    assert wire.hung_up.wait(PATIENCE)


def test_two_calls_run_at_the_same_time(wire: Wire) -> None:
    wire.on(CHAT, together(2, sse(*chat("Hello."))))

    async def scenario() -> list[Completion]:
        model = open_substrate(at(wire.url))
        return await asyncio.gather(*(model.invoke("m", PROMPT) for _ in range(2)))

    assert [done.text for done in asyncio.run(scenario())] == ["Hello.", "Hello."]


def test_a_refused_setting_is_left_out_of_the_next_call_and_only_for_that_model(wire: Wire) -> None:
    model = open_substrate(at(wire.url))
    prompt = Prompt("", "Hi", 50, stop=("END",))
    first = [
        whole({"error": {"message": "no", "param": setting}}, 400)
        for setting in ("temperature", "max_tokens", "stop", "max_completion_tokens", "stream")
    ]
    wire.on(CHAT, *first, sse(*chat("Hello.")))
    for _ in first:
        with pytest.raises(Unsupported):
            asyncio.run(model.invoke("m", prompt))
    assert asyncio.run(model.invoke("m", prompt)).text == "Hello."
    renamed = wire.asked[2].json
    assert renamed["max_completion_tokens"] == 50
    assert "max_tokens" not in renamed
    assert set(wire.asked[-1].json) == {"model", "messages", "seed"}
    other = model.request("other", prompt)
    assert other is not None
    assert b'"temperature"' in other.body


def test_what_is_shown_beforehand_is_what_is_sent(wire: Wire) -> None:
    wire.on(CHAT, sse(*chat("Hello.")))
    model = open_substrate(at(wire.url, key="sk-secret"))
    prompt = Prompt("Be \ud800 kind.", "Hi\r\n\0", 9, turns=(Exchange("a\udfff", "b"),))
    shown = model.request("m", prompt)
    asyncio.run(model.invoke("m", prompt))
    assert shown is not None
    assert (shown.url, shown.body) == (wire.url + CHAT, wire.asked[0].body)
    assert wire.asked[0].json["messages"][0]["content"] == "Be � kind."
    assert b"sk-secret" not in shown.body


def test_another_model_than_the_one_asked_is_not_heard(wire: Wire) -> None:
    aloud: list[str] = []
    one = {"model": "other", "choices": [{"message": {"content": "I am other."}}]}
    wire.on(MODELS, listing("other"))
    wire.on(CHAT, sse(*chat("I am other.", model="other")), whole(one))
    model = open_substrate(at(wire.url), [unlisted(at(wire.url), "m")])
    for _ in range(2):
        with pytest.raises(ModelGone, match="does not have m; another model answered") as caught:
            asyncio.run(model.invoke("m", PROMPT, aloud.append))
        assert caught.value.detail == "other"
        assert caught.value.worked
    assert aloud == []
    with pytest.raises(ModelGone, match="does not offer m"):
        asyncio.run(model.describe("m"))


def test_a_listed_model_may_answer_under_another_name_and_is_looked_up_once(wire: Wire) -> None:
    wire.on(MODELS, listing("m")).on(CHAT, sse(*chat("Hi.", model="backend-7")))
    model = open_substrate(at(wire.url))
    for _ in range(3):
        assert asyncio.run(model.invoke("m", PROMPT)).text == "Hi."
    assert sum(asked.path == MODELS for asked in wire.asked) == 1


def test_another_name_is_not_believed_where_nothing_is_listed(wire: Wire) -> None:
    wire.on(MODELS, whole({}, 500)).on(CHAT, sse(*chat("Hi.", model="other")))
    with pytest.raises(Unreachable, match="does not list its models") as caught:
        ask(at(wire.url))
    assert caught.value.worked


@pytest.mark.parametrize(
    ("served", "asked", "same"),
    [
        ("gpt-4o", "gpt-4o", True),
        ("gpt-4o-2024-08-06", "gpt-4o", True),
        ("gpt-4-0613", "gpt-4", True),
        ("claude-sonnet-4-20250514", "claude-sonnet-4-0", True),
        ("claude-3-5-haiku-20241022", "claude-3-5-haiku-latest", True),
        ("qwen3-4b", "qwen/Qwen3-4B", True),
        ("llama3.2:latest", "llama3.2", True),
        ("gpt-4o-mini", "gpt-4o", False),
        ("gpt-4", "gpt-4o", False),
        ("claude-opus-4-1", "claude-opus-4", False),
        ("qwen3:0.6b", "qwen3", False),
        ("a", "b", False),
    ],
)
def test_a_dated_name_means_the_same_model_and_a_longer_one_does_not(
    served: str, asked: str, same: bool
) -> None:
    assert alike(served, asked) is same


@pytest.mark.parametrize(
    ("name", "size"),
    [("qwen3:1.7b", 1.7e9), ("SmolLM2-135M", 135e6), ("gpt-4o", 0), ("llama-70b-q4", 7e10), ("a1b", 0)],
)  # fmt: skip
def test_the_size_of_a_model_is_read_from_its_name(name: str, size: float) -> None:
    assert size_in(name) == size


KINDS: list[tuple[Kind, str]] = [
    *(("openai", MODELS), ("anthropic", MODELS), ("ollama", "/api/tags")),
    *(("xai", "/v1/language-models"), ("lmstudio", MODELS)),
]


@pytest.mark.parametrize(("kind", "path"), KINDS)
@pytest.mark.parametrize(
    "reply",
    [whole({}), whole([]), whole({"data": 5, "models": 5}), whole({"data": [5], "models": [5]})],
)
def test_a_list_in_another_form_is_a_bad_answer(
    wire: Wire, kind: Kind, path: str, reply: Reply
) -> None:
    wire.on(path, reply)
    with pytest.raises(BadAnswer, match=f"lists its models in a way that is not {kind}'s"):
        asyncio.run(open_substrate(at(wire.url, kind)).discover())


def test_names_that_could_not_be_assigned_are_left_out_and_others_made_harmless(
    wire: Wire,
) -> None:
    told = [{"id": "good"}, {"id": "bad\x1b[2J"}, {"id": " "}]
    wire.on(MODELS, whole({"data": told}))
    model = open_substrate(at(wire.url))
    assert [m.model_id for m in asyncio.run(model.discover())] == ["good"]
    assert asyncio.run(model.health()).detail == f"1 model at {wire.url}/v1"
    wire.on(MODELS, whole({"data": [{"id": "good", "display_name": "G\x1b[31mood"}]}))
    (found,) = asyncio.run(open_substrate(at(wire.url, "anthropic")).discover())
    assert found.display_name == "Good"


def test_a_model_is_described_from_the_list_and_asked_for_only_once(wire: Wire) -> None:
    wire.on(MODELS, listing("a", "b"))
    model = open_substrate(at(wire.url))
    assert asyncio.run(model.describe("b")).model_id == "b"
    assert str(asyncio.run(model.describe("a"))) == "desk/a"
    assert len(wire.asked) == 1
    model.close()


@pytest.mark.parametrize("local", [True, False])
def test_a_proxy_sees_only_what_leaves_the_machine(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, local: bool
) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with Wire() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        wire.on(CHAT, sse(*chat("Direct.")))
        proxy.on(wire.url + CHAT, sse(*chat("Through the proxy.")))
        endpoint = Endpoint("desk", "openai", f"{wire.url}/v1", local=local, seconds=PATIENCE)
        assert ask(endpoint).text == ("Direct." if local else "Through the proxy.")
        assert bool(proxy.asked) is not local


@pytest.fixture
def unvouched(tmp_path: Path) -> ssl.SSLContext:
    """The certificate of somebody nobody knows."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = SystemClock().now()
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "both.pem"
    encoding, no_password = serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, no_password)
    path.write_bytes(private + certificate.public_bytes(encoding))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("scheme", ["https", "HTTPS"])
def test_a_server_nobody_vouches_for_is_told_nothing(
    unvouched: ssl.SSLContext, local: bool, scheme: str
) -> None:
    with Wire(tls=unvouched) as wire:
        url = wire.url.replace("https", scheme)
        endpoint = Endpoint("desk", "openai", f"{url}/v1", local=local, key="k", seconds=PATIENCE)
        with pytest.raises(MindError, match="cannot be reached") as caught:
            ask(endpoint)
        assert "certificate" in caught.value.detail.lower()
        assert wire.asked == []
