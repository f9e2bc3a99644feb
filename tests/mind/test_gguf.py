"""What is read from a model file, and what is refused: nothing in it is believed before it fits."""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model_files import SAID, gguf_bytes, written
from tests.sampling import examples

from lumen.core.errors import UsageError
from lumen.mind import gguf
from lumen.mind.in_process import WEIGHTS

WHOLE = gguf_bytes()


def test_a_header_says_how_large_a_model_is_and_how_it_is_spoken_to(tmp_path: Path) -> None:
    found = gguf.read(written(tmp_path, "tiny.gguf", WHOLE))
    assert (found.title, found.parameters, found.context_tokens) == ("Tiny", 32 * 160, 2048)
    assert (found.quantisation, found.licence) == ("Q4_0", "apache-2.0")
    assert found.cache_bytes == 2 * 2 * (16 + 16) * 2  # layers, heads kept, key and value, bytes


def test_marks_of_the_tokenizer_are_known_the_longest_first_and_spaces_are_none(
    tmp_path: Path,
) -> None:
    found = gguf.read(written(tmp_path, "tiny.gguf", WHOLE))
    assert found.control == ("<|end|>s", "<|end|>", "<tool>")


def test_the_model_that_is_built_in_is_read_as_what_it_is() -> None:
    found = gguf.read(WEIGHTS.path())
    assert (found.parameters, found.quantisation) == (134_515_008, "Q4_1")
    assert {"<|im_start|>", "<|im_end|>", "<file_sep>", "<jupyter_code>"} <= set(found.control)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"%PDF-1.7", "is no GGUF file"),
        (b"GGUF" + struct.pack("<IQQ", 1, 1, 1), "version 1"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 1), "more entries than any"),
        (WHOLE[:200], "in the middle of its header"),
        (WHOLE[:-1], "is not whole"),
        (gguf_bytes(SAID | {"tokenizer.chat_template": ""}), "no chat template"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 62), "in the middle of its header"),
    ],
)
def test_what_is_no_whole_model_is_refused_and_it_is_said_why(
    tmp_path: Path, content: bytes, said: str
) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        gguf.read(written(tmp_path, "odd.gguf", content))
    assert caught.value.fix


@given(at=st.integers(4, len(WHOLE) - 1), byte=st.integers(0, 255))
@settings(max_examples=examples(150))
def test_a_header_with_any_byte_changed_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, at: int, byte: int
) -> None:
    changed = WHOLE[:at] + bytes([byte]) + WHOLE[at + 1 :]
    path = written(tmp_path_factory.mktemp("odd"), "odd.gguf", changed)
    with suppress(UsageError):
        assert gguf.read(path).parameters >= 0
