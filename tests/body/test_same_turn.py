"""One turn on every kind of model, and one scan that finds them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.body.conftest import Lumen, Ran
from tests.peers import LlamaServer, Wire, whole

Inside = Callable[..., Ran]
FACT, QUESTION = "My sister lives in Lisbon.", "Where does my sister live?"


def add(lumen: Lumen, text: str) -> None:
    path = lumen.being / "lumen.toml"
    path.write_text(f"{path.read_text('utf-8')}\n{text}", "utf-8")


@pytest.mark.embedded
def test_the_same_turn_runs_and_is_recorded_in_process_and_over_two_wires(
    host: Lumen, llama: LlamaServer, inside: Inside
) -> None:
    models = ("embedded/SmolLM2-135M-Instruct", f"desk/{llama.alias}", f"counter/{llama.alias}")
    said, used = [], []
    for number, model in enumerate(models):
        one = replace(host, being=host.home / f"being{number}")
        env = one.env(DESK_KEY=llama.key)
        assert one.run("init", str(one.being), env=env).code == 0
        add(
            one,
            f'[substrates.desk]\nurl = "{llama.url}/v1"\nkey_env = "DESK_KEY"\nlocal = true\n'
            f'[substrates.counter]\nkind = "anthropic"\nurl = "{llama.url}"\nkey_env = "DESK_KEY"\n',
        )
        assert inside("models", "set", "interface", model, env=env).code == 0
        said.append(one.run("chat", "-m", "I like green tea.", "--json", env=env).json()["reply"])
        (call,) = inside("treasury", "--calls", "1", "--json", env=env).json()["calls"]
        used.append((call["model"], call["outcome"], call["prompt"], call["completion"]))
        assert one.verified()
    assert said[0] == said[1] == said[2]
    assert "green tea" in said[0]
    assert [(model, outcome) for model, outcome, _, _ in used] == [(m, "ok") for m in models]
    assert len({(prompt, completion) for _, _, prompt, completion in used}) == 1


def test_one_scan_finds_every_kind_of_substrate(lumen: Lumen, wire: Wire, inside: Inside) -> None:
    listed = whole({"data": [{"id": "m1"}]})
    wire.on("/v1/models", listed)
    wire.on("/api/tags", whole({"models": [{"model": "qwen3:1.7b", "details": {}}]}))
    wire.on("/api/show", whole({"capabilities": ["completion"], "model_info": {}}))
    wire.on("/api/v1/models", whole({"models": [{"key": "qwen/qwen3-4b", "type": "llm"}]}))
    wire.on("/xai/language-models", whole({"models": [{"id": "grok-4"}]}))
    add(
        lumen,
        f'[substrates.ollama]\nurl = "{wire.url}"\n'
        f'[substrates.lmstudio]\nurl = "{wire.url}/v1"\n'
        f'[substrates.openai]\nurl = "{wire.url}/v1"\n'
        f'[substrates.anthropic]\nurl = "{wire.url}"\n'
        f'[substrates.xai]\nurl = "{wire.url}/xai"\n'
        f'[substrates.desk]\nurl = "{wire.url}/v1"\n',
    )
    keys = {f"{name}_API_KEY": f"a-key-of-{name}" for name in ("OPENAI", "ANTHROPIC", "XAI")}
    told = inside("models", "scan", "--json", env=lumen.env(**keys)).json()
    found = {s["substrate"]: [m["model_id"] for m in s["models"]] for s in told["substrates"]}
    assert found == {
        "embedded": ["SmolLM2-135M-Instruct"],
        "ollama": ["qwen3:1.7b"],
        "lmstudio": ["qwen/qwen3-4b"],
        "openai": ["m1"],
        "anthropic": ["m1"],
        "xai": ["grok-4"],
        "desk": ["m1"],
    }


@pytest.mark.embedded
def test_what_it_is_and_knows_stays_the_same_through_a_swap_and_back(
    lumen: Lumen, llama: LlamaServer, inside: Inside
) -> None:
    add(lumen, f'[substrates.desk]\nurl = "{llama.url}/v1"\nkey_env = "DESK_KEY"\n')
    env = lumen.env(DESK_KEY=llama.key)
    lumen.run("chat", "-m", FACT, env=env)

    def known() -> tuple[str, str]:
        return lumen.run("chat", "-m", QUESTION, env=env).out, inside("self", "show", env=env).out

    before = known()
    for model in (f"desk/{llama.alias}", "embedded/SmolLM2-135M-Instruct"):
        assert inside("models", "set", "interface", model, env=env).code == 0
        assert known() == before
    assert FACT in before[0]
    assert inside("archive", "verify", "--deep", env=env).code == 0
