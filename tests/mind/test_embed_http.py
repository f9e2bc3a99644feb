"""Vectors over the wire: what is asked, what is believed of the answer, and how failures are told."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.serving import Answer, Served, embedder_at, serving, vectors

from lumen.core.canon import loads
from lumen.core.errors import (
    BadAnswer,
    Denied,
    Limited,
    MindError,
    ModelGone,
    OverBudget,
    TooLong,
    Unreachable,
)
from lumen.mind.embed_http import (
    LARGEST,
    LONGEST,
    MOST_BYTES,
    MOST_TEXTS,
    HttpEmbedder,
    batches,
)
from lumen.mind.substrate import Request

NAME = "peer/the-model"


def by_length(texts: list[str]) -> Answer:
    """Vectors that tell which text they belong to."""
    return vectors([[3.0, 4.0 * len(text), 0.0] for text in texts])


@dataclass(slots=True)
class Ledger:
    """Allows so many calls, and keeps what came of them."""

    allowed: int = 1000
    begun: list[list[str]] = field(default_factory=list)
    ended: list[tuple[str, int | None, str]] = field(default_factory=list)

    def begin(self, request: Request, texts: Sequence[str]) -> str:
        assert loads(request.body)["input"] == list(texts)
        if len(self.begun) == self.allowed:
            raise OverBudget("that is enough for today")
        self.begun.append(list(texts))
        return f"call {len(self.begun)}"

    def end(
        self, call_id: str, tokens: int | None, seconds: float, error: MindError | None
    ) -> None:
        assert seconds >= 0
        self.ended.append((call_id, tokens, error.what if error else ""))


@pytest.fixture
def served() -> Iterator[Served]:
    with serving(by_length) as found:
        yield found


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def embedder(served: Served, ledger: Ledger) -> Iterator[HttpEmbedder]:
    made = embedder_at(served.url, "sesame", name=NAME, meter=ledger)
    yield made
    made.close()


def test_texts_become_unit_rows_in_the_order_of_the_texts(
    embedder: HttpEmbedder, served: Served
) -> None:
    rows = embedder.embed(["a", "bb", "ccc"])
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(rows[:, 1] / rows[:, 0], [4 / 3, 8 / 3, 4], rtol=1e-5)
    assert embedder.size == 3
    assert served.sent == [
        {"model": "the-model", "input": ["a", "bb", "ccc"], "encoding_format": "float"}
    ]
    assert served.paths == ["/v1/embeddings"]
    assert served.headers[0]["authorization"] == "Bearer sesame"


def test_without_a_key_none_is_sent(served: Served) -> None:
    embedder = embedder_at(served.url)
    embedder.embed(["a"])
    embedder.close()
    assert "authorization" not in served.headers[0]
    assert served.paths == ["/v1/embeddings"]


def test_no_texts_are_no_request(embedder: HttpEmbedder, served: Served) -> None:
    assert embedder.embed([]).shape == (0, 0)
    embedder.embed(["a"])
    assert embedder.embed([]).shape == (0, 3)
    assert len(served.sent) == 1


def test_many_texts_are_several_requests(
    embedder: HttpEmbedder, served: Served, ledger: Ledger
) -> None:
    texts = ["x" * (n % 9 + 1) for n in range(2 * MOST_TEXTS + 1)]
    rows = embedder.embed(texts)
    np.testing.assert_allclose(rows[:, 1] / rows[:, 0], [4 * len(t) / 3 for t in texts], rtol=1e-5)
    assert [len(request["input"]) for request in served.sent] == [MOST_TEXTS, MOST_TEXTS, 1]
    assert served.texts == texts
    assert ledger.begun == [request["input"] for request in served.sent]
    assert ledger.ended == [(f"call {n}", 7, "") for n in (1, 2, 3)]


@given(st.lists(st.integers(0, 60_000), max_size=90), st.sampled_from(["x", "é", "🦜"]))
def test_a_request_is_neither_too_many_nor_too_large(lengths: list[int], letter: str) -> None:
    texts = [letter * (n // 4) for n in lengths]
    made = list(batches(texts))
    assert [text for batch in made for text in batch] == texts
    for batch in made:
        assert 1 <= len(batch) <= MOST_TEXTS
        assert len(batch) == 1 or sum(len(t.encode()) for t in batch) <= MOST_BYTES


def test_of_a_long_text_the_beginning_is_sent_and_nothing_that_is_no_text(
    embedder: HttpEmbedder, served: Served
) -> None:
    embedder.embed(["y" * 5 * LONGEST, "half a pair: \ud83d"])
    assert [len(text) for text in served.texts] == [LONGEST, 14]
    assert served.texts[0] == "y" * LONGEST


def test_what_the_meter_refuses_is_not_sent(
    embedder: HttpEmbedder, served: Served, ledger: Ledger
) -> None:
    ledger.allowed = 1
    with pytest.raises(OverBudget, match="enough"):
        embedder.embed(["x"] * (MOST_TEXTS + 1))
    assert len(served.sent) == 1
    assert ledger.ended == [("call 1", 7, "")]


def test_what_went_wrong_is_told_to_the_meter(
    embedder: HttpEmbedder, served: Served, ledger: Ledger
) -> None:
    served.answer = lambda _: Answer(b'{"error":{"message":"on fire"}}', 503)
    with pytest.raises(Unreachable):
        embedder.embed(["a"])
    assert ledger.ended == [("call 1", None, "peer has trouble of its own (503)")]


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, b"", Denied),
        (403, b"<html>", Denied),
        (404, b'{"error":"model not found"}', ModelGone),
        (429, b"[]", Limited),
        (500, b'{"error":{"message":"oops"}}', Unreachable),
        (502, b"\xff", Unreachable),
        (413, b"", TooLong),
        (400, b'{"error":{"message":"the input is too large to process"}}', TooLong),
        (500, b'{"error":{"message":"input is too large to process"}}', TooLong),
        (400, b'{"message":"what?"}', MindError),
        (302, b"", MindError),
        (204, b"", Unreachable),
    ],
)
def test_a_refusal_is_told_by_its_kind(
    embedder: HttpEmbedder, served: Served, status: int, body: bytes, kind: type[MindError]
) -> None:
    served.answer = lambda _: Answer(body, status)
    with pytest.raises(MindError, match="peer") as caught:
        embedder.embed(["a"])
    assert type(caught.value) is kind


def item(index: object, embedding: object) -> dict[str, object]:
    return {"index": index, "embedding": embedding}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b'{"data":null}',
        b'{"data":"ab"}',
        b'{"data":[{"index":0,"embedding":[NaN,1]},{"index":1,"embedding":[0,1]}]}',
        json.dumps({"data": []}).encode(),
        json.dumps({"data": [item(0, [1, 2])]}).encode(),
        json.dumps({"data": [item(0, [1, 2]), item(0, [1, 2])]}).encode(),
        json.dumps({"data": [item(0, [1, 2]), item(2, [1, 2])]}).encode(),
        json.dumps({"data": [item([], [1, 2]), item(1, [1, 2])]}).encode(),
        json.dumps({"data": [item(n, [1, 2]) for n in range(3)]}).encode(),
        json.dumps({"data": [item(0, [1, 2]), item(1, [1, 2, 3])]}).encode(),
        json.dumps({"data": [item(0, []), item(1, [])]}).encode(),
        json.dumps({"data": [item(0, ["1"]), item(1, ["2"])]}).encode(),
        json.dumps({"data": [item(0, [True]), item(1, [False])]}).encode(),
        json.dumps({"data": [item(0, [[1]]), item(1, [[1]])]}).encode(),
        json.dumps({"data": [item(0, "AAAA"), item(1, "AAAA")]}).encode(),
        json.dumps({"data": [item(0, [1, 2]), item(1, [0, 0])]}).encode(),
        json.dumps({"data": [item(0, [1, 2]), item(1, None)]}).encode(),
    ],
)
def test_what_is_no_vector_for_each_text_is_a_bad_answer(
    embedder: HttpEmbedder, served: Served, ledger: Ledger, body: bytes
) -> None:
    served.answer = lambda _: Answer(body)
    with pytest.raises(BadAnswer, match=NAME):
        embedder.embed(["a", "b"])
    assert len(ledger.ended) == 1
    assert ledger.ended[0][2].startswith(NAME)
    assert embedder.size is None


def test_huge_numbers_are_still_a_direction(embedder: HttpEmbedder, served: Served) -> None:
    served.answer = lambda _: vectors([[3e300, 4e300]])
    np.testing.assert_allclose(embedder.embed(["a"]), [[0.6, 0.8]], rtol=1e-6)


def test_vectors_of_another_size_than_before_are_a_bad_answer(
    embedder: HttpEmbedder, served: Served
) -> None:
    embedder.embed(["a"])
    served.answer = lambda _: vectors([[1.0, 2.0]])
    with pytest.raises(BadAnswer, match="of 3 numbers and now of 2"):
        embedder.embed(["a"])
    assert embedder.size == 3


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": -3}, {"prompt_tokens": "7"}, 7])
def test_tokens_that_are_not_told_are_unknown(
    embedder: HttpEmbedder, served: Served, ledger: Ledger, usage: object
) -> None:
    served.answer = lambda _: vectors([[1.0, 2.0]], usage=usage)
    embedder.embed(["a"])
    assert ledger.ended == [("call 1", None, "")]


def test_an_answer_without_end_is_not_read_to_its_end(
    embedder: HttpEmbedder, served: Served
) -> None:
    served.answer = lambda _: Answer(b" " * (LARGEST + 1))
    with pytest.raises(BadAnswer, match="more than"):
        embedder.embed(["a"])


def test_an_answer_that_unfolds_is_refused(embedder: HttpEmbedder, served: Served) -> None:
    served.answer = lambda _: Answer(b"", headers={"content-encoding": "gzip"})
    with pytest.raises(BadAnswer, match="encoding"):
        embedder.embed(["a"])
    assert served.headers[0]["accept-encoding"] == "identity"


def test_a_server_that_takes_too_long_is_left(served: Served) -> None:
    embedder = embedder_at(served.url, seconds=0.05)
    # more is promised than comes, so the reader waits
    served.answer = lambda _: Answer(b"{", headers={"content-length": "99"})
    with pytest.raises(Unreachable, match="peer"):
        embedder.embed(["a"])
    embedder.close()


def test_one_that_drips_is_left_though_it_never_falls_silent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        dripping = threading.Thread(target=drip, args=(server,), daemon=True)
        dripping.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        with pytest.raises(Unreachable, match="did not finish"):
            embedder_at(url, seconds=0.3).embed(["a"])
        dripping.join()


def drip(server: socket.socket) -> None:
    """Answer with one byte at a time, for as long as somebody listens."""
    heard, _ = server.accept()
    with heard, suppress(OSError):
        heard.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\n")
        while True:
            heard.sendall(b" ")
            threading.Event().wait(0.01)


def test_a_redirect_is_not_followed(embedder: HttpEmbedder, served: Served) -> None:
    served.answer = lambda _: Answer(b"", 307, {"location": f"{served.url}/elsewhere"})
    with pytest.raises(MindError, match="points elsewhere"):
        embedder.embed(["a"])
    assert len(served.sent) == 1


@pytest.mark.parametrize("url", ["nowhere", "http://", "http://127.0.0.1:x/", "ftp://127.0.0.1/"])
def test_an_address_that_is_none_cannot_be_reached(url: str) -> None:
    with pytest.raises(Unreachable, match="peer"):
        embedder_at(url).embed(["a"])


def test_nobody_listening_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(Unreachable, match="peer"):
            embedder_at(url).embed(["a"])


@pytest.mark.parametrize("key", ["ses\name", "sésame", "a\0b"])
def test_a_key_that_cannot_be_one_is_refused_and_not_quoted(served: Served, key: str) -> None:
    embedder = embedder_at(served.url, key)
    with pytest.raises(Denied) as refused:
        embedder.embed(["a"])
    assert key not in refused.value.what
    assert key not in repr(embedder)
    assert served.sent == []


def test_what_is_local_goes_through_no_proxy(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(by_length) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        monkeypatch.delenv("NO_PROXY", raising=False)
        for local, reached in ((True, served), (False, proxy)):
            embedder = embedder_at(served.url, local=local)
            embedder.embed([f"local: {local}"])
            embedder.close()
            assert reached.texts == [f"local: {local}"]


def test_what_a_model_cannot_read_at_once_it_is_given_in_parts(
    embedder: HttpEmbedder, served: Served
) -> None:
    def narrow(texts: list[str]) -> Answer:
        if sum(map(len, texts)) > 1200:
            return Answer(b'{"error":{"message":"input is too long"}}', 400)
        return by_length(texts)

    served.answer = narrow
    rows = embedder.embed(["a" * 1000, "b" * 900, "c" * 4000])
    np.testing.assert_allclose(rows[:, 1] / rows[:, 0], [4000 / 3, 1200, 4000 / 3], rtol=1e-4)
    served.answer = lambda _: Answer(b"", 413)
    served.sent.clear()
    with pytest.raises(TooLong):
        embedder.embed(["a" * 4000] * MOST_TEXTS)
    assert len(served.sent) < 20
