"""`lumen models`: finding models, assigning them, trying them out, and their keys."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.body.conftest import Lumen, Ran
from tests.peers import LlamaServer, Wire, chat, sse, whole

KEY = "sk-abcdefghijklmnop1234"
LISTED = whole({"data": [{"id": "m"}, {"id": "gpt-large"}]})
Inside = Callable[..., Ran]


@pytest.fixture
def desk(lumen: Lumen, wire: Wire) -> Wire:
    """A server that the being knows as desk."""
    wire.on("/v1/models", LISTED)
    wire.on("/v1/chat/completions", sse(*chat("yes", prompt_tokens=9, completion_tokens=1)))
    add(lumen, f'[substrates.desk]\nurl = "{wire.url}/v1"\nkey_env = "DESK_KEY"\n')
    return wire


def add(lumen: Lumen, text: str) -> None:
    path = lumen.being / "lumen.toml"
    path.write_text(f"{path.read_text('utf-8')}\n{text}", "utf-8")


def settings(lumen: Lumen) -> str:
    return (lumen.being / "lumen.toml").read_text("utf-8")


def test_the_roles_and_the_substrates_are_listed_without_asking_anyone(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    told = inside("models", "list", "--json", env=lumen.env()).json()
    assert {r["role"] for r in told["roles"]} == {"interface", "kernel", "embedder"}
    assert [s["substrate"] for s in told["substrates"]] == [
        "embedded", "ollama", "lmstudio", "openai", "anthropic", "xai", "desk"
    ]  # fmt: skip
    assert {s["substrate"]: s["local"] for s in told["substrates"]}["desk"] is False
    assert desk.asked == []


def test_a_list_claims_nothing_of_a_server_that_went_down_and_a_check_says_so(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    def states(*more: str) -> dict[str, str]:
        ran = inside("models", "list", "--json", *more, env=lumen.env())
        return {r["role"]: r["state"] for r in ran.json()["roles"]}

    inside("models", "set", "interface", "desk/m", env=lumen.env())
    assert states("--check")["interface"] == "ok, just asked"
    assert states("--check") == dict.fromkeys(("interface", "kernel", "embedder"), "ok, just asked")
    assert "✓ interface  desk/m is there" in inside("doctor", env=lumen.env()).out
    desk.__exit__()
    asked = len(desk.asked)
    assert states()["interface"].startswith("not asked; seen ")
    assert states()["kernel"] == "in process"
    assert len(desk.asked) == asked
    down = inside("models", "list", "--check", env=lumen.env())
    assert (down.code, "down: desk" in down.out, "try: " in down.err) == (1, True, True)
    doctor = inside("doctor", env=lumen.env())
    assert doctor.code == 1
    assert "✗ interface  desk/m: desk " in doctor.out
    assert "✓ kernel " in doctor.out


def test_a_check_misses_a_model_that_its_server_no_longer_offers(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    inside("models", "set", "interface", "desk/gpt-large", env=lumen.env())
    desk.on("/v1/models", whole({"data": [{"id": "m"}]}))
    down = inside("models", "list", "--check", env=lumen.env())
    assert (down.code, "down: desk does not offer gpt-large" in down.out) == (1, True)
    assert "try: lumen models list desk" in down.err


def test_a_scan_finds_models_and_says_what_to_do_about_the_rest(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    said = inside("models", "scan", env=lumen.env(DESK_KEY=KEY)).out
    assert "✓  desk" in said
    assert "2 models" in said
    assert "gpt-large" in said
    assert "try: lumen models key openai" in said
    assert desk.asked[0].headers["authorization"] == f"Bearer {KEY}"
    listed = inside("models", "list", "desk", env=lumen.env()).out
    assert "desk/gpt-large" in listed
    assert "leaves this machine" in listed
    assert KEY not in listed + said


def test_a_model_that_is_listed_is_assigned_and_all_else_in_the_settings_stays(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    before = settings(lumen).splitlines()
    ran = inside("models", "set", "interface", "desk/m", env=lumen.env())
    assert (ran.code, ran.out.startswith("✓ interface is served by desk/m (listed;")) == (0, True)
    after = settings(lumen).splitlines()
    changed = [line for line in after if line not in before]
    assert changed == ['interface = "desk/m"']
    assert len(after) == len(before)
    event = lumen.events()[-1]
    assert (event["situation"], event["payload"]["found"]) == ("assigned", "listed")
    assert lumen.verified()


def test_a_made_up_model_is_refused_and_nothing_is_changed(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    desk.on("/v1/chat/completions", whole({"error": {"message": "no such model"}}, 404))
    before = settings(lumen)
    ran = inside("models", "set", "interface", "desk/gpt-larg", env=lumen.env())
    assert ran.code == 2
    assert "desk/gpt-larg is not there" in ran.err
    assert "try: lumen models set interface desk/gpt-large" in ran.err
    assert settings(lumen) == before


def test_a_name_that_another_model_answers_to_is_refused(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    before = settings(lumen)
    ran = inside("models", "set", "interface", "desk/gpt-99", env=lumen.env())
    assert ran.code == 2
    assert "another model answered in its place" in ran.err
    assert settings(lumen) == before


def test_a_model_that_is_not_listed_is_assigned_when_it_answers_itself(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    answer = chat("yes", model="hidden-2026", prompt_tokens=9, completion_tokens=1)
    desk.on("/v1/chat/completions", sse(*answer))
    ran = inside("models", "set", "interface", "desk/hidden", env=lumen.env())
    assert "(answered a probe;" in ran.out
    for before in ("test", "scan"):
        inside("models", before, *(["interface"] if before == "test" else []), env=lumen.env())
        told = inside("models", "list", "--check", "--json", env=lumen.env()).json()
        assert {r["role"]: r["checked"] for r in told["roles"]}["interface"] is True


def test_the_loop_that_thinks_unasked_gets_no_model_that_is_elsewhere(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    ran = inside("models", "set", "kernel", "desk/m", env=lumen.env())
    assert ran.code == 2
    assert "is not on this machine" in ran.err
    assert "try: lumen models set kernel embedded/" in ran.err
    assert 'localModel = "embedded/SmolLM2-135M-Instruct"' in settings(lumen)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("set", "narrator", "desk/m"), "narrator"),
        (("set", "interface", "m"), "has no slash"),
        (("set", "interface", "none"), "try: lumen models set interface embedded/"),
        (("set", "kernel", "None"), "'None' is no model to serve kernel"),
        (("set", "embedder", "none"), "try: lumen models set embedder embedded/"),
        (("set", "escalation", "none"), "try: take model out of [escalation] in lumen.toml"),
        (("set", "scraper", "none"), "try: take scraper out of [roles] in lumen.toml"),
        (("set", "interface", "nowhere/m"), "'nowhere' is no substrate"),
        (("set", "interface", "embedded/GPT"), "is not there"),
        (("list", "nowhere"), "'nowhere' is no substrate"),
        (("key", "nowhere"), "'nowhere' is no substrate"),
        (("key", "embedded"), "needs no key"),
        (("key", "openai", "--forget"), "no key of openai is kept"),
        (("test", "narrator"), "narrator"),
    ],
)
def test_what_cannot_be_is_refused_with_two(
    lumen: Lumen, inside: Inside, arguments: tuple[str, ...], said: str
) -> None:
    before = settings(lumen)
    ran = inside("models", *arguments, env=lumen.env())
    assert ran.code == 2
    assert said.lower() in ran.err.lower()
    assert settings(lumen) == before


def test_a_trace_shows_a_call_that_failed_and_why_there_are_no_tokens(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    inside("models", "set", "interface", "desk/m", env=lumen.env())
    desk.on("/v1/chat/completions", whole({"error": {"message": "no"}}, 400))
    inside("chat", "-m", "What is rice?", env=lumen.env())
    ran = inside("trace", env=lumen.env())
    assert ran.code == 0
    assert "model desk/m: no answer (MindError), " in ran.out


def test_a_model_that_vanishes_leaves_its_role_stale_and_nothing_takes_its_place(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    inside("models", "set", "interface", "desk/gpt-large", env=lumen.env())
    desk.on("/v1/models", whole({"data": [{"id": "m"}]}))
    said = inside("models", "scan", env=lumen.env()).out
    assert "! interface is stale: gone since" in said
    assert "nothing takes its place" in said
    assert 'interface = "desk/gpt-large"' in settings(lumen)
    desk.on("/v1/chat/completions", whole({"error": {"message": "model not found"}}, 404))
    lumen.run("chat", "-m", "My sister lives in Lisbon.")
    ran = lumen.run("chat", "-m", "Where does my sister live?")
    assert "desk does not offer that model" in ran.out
    assert "My sister lives in Lisbon." in ran.out
    assert "try: lumen models scan" in ran.err
    assert "✗ interface" in inside("doctor", env=lumen.env()).out


def test_a_turn_that_finds_its_model_gone_marks_the_role_stale(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    inside("models", "set", "interface", "desk/m", env=lumen.env())
    desk.on("/v1/chat/completions", whole({"error": {"message": "model not found"}}, 404))
    assert lumen.run("chat", "-m", "Hello?").code == 0
    told = inside("models", "list", "--json", env=lumen.env()).json()
    states = {r["role"]: r["state"] for r in told["roles"]}
    assert states["interface"].startswith("stale: gone since")


def test_a_try_tells_what_words_and_json_took(
    lumen: Lumen, inside: Inside, llama: LlamaServer
) -> None:
    add(lumen, f'[substrates.desk]\nurl = "{llama.url}/v1"\nkey_env = "DESK_KEY"\nlocal = true\n')
    env = lumen.env(DESK_KEY=llama.key)
    inside("models", "set", "interface", f"desk/{llama.alias}", env=env)
    told = inside("models", "test", "interface", "--json", env=env).json()
    assert [(c["what"], c["ok"]) for c in told["calls"]] == [("words", True), ("json", True)]
    assert "tokens" in told["calls"][0]["took"]
    assert '"word"' in told["calls"][1]["said"]


def test_a_try_that_fails_says_why_and_exits_with_one(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    inside("models", "set", "interface", "desk/m", env=lumen.env())
    desk.on("/v1/chat/completions", whole({"error": {"message": "bad key"}}, 401))
    ran = inside("models", "test", "interface", env=lumen.env())
    assert ran.code == 1
    assert "desk wants a key (401 bad key)" in ran.out
    assert "try: lumen models key desk" in ran.err


def test_a_key_is_kept_where_only_its_owner_reads_it_and_shown_nowhere(
    lumen: Lumen, desk: Wire
) -> None:
    ran = lumen.run("models", "key", "desk", stdin=f"{KEY}\n".encode())
    path = lumen.home / "share" / "lumen" / "keys.toml"
    assert (ran.code, path.stat().st_mode & 0o777) == (0, 0o600)
    assert lumen.run("models", "set", "interface", "desk/m").code == 0
    assert desk.asked[0].headers["authorization"] == f"Bearer {KEY}"
    told = lumen.run("chat", "-m", f"My key is {KEY} and I like tea.")
    assert lumen.run("chat", "-m", "What do I like?").code == 0
    everything = b"".join(p.read_bytes() for p in lumen.being.rglob("*") if p.is_file())
    assert KEY.encode() not in everything
    assert KEY not in told.said
    assert all(KEY.encode() not in asked.body for asked in desk.asked)
    path.chmod(0o644)
    refused = lumen.run("models", "list")
    assert refused.code == 2
    assert "can be read by others\n" not in refused.out
    assert f"try: chmod 600 {path}" in refused.err
    path.chmod(0o600)
    assert lumen.run("models", "key", "desk", "--forget").code == 0
    assert KEY not in path.read_text("utf-8")


@pytest.mark.parametrize("typed", [b"", b"two words\n", "schlüssel\n".encode()])
def test_what_is_no_key_is_not_kept(lumen: Lumen, typed: bytes) -> None:
    ran = lumen.run("models", "key", "openai", stdin=typed)
    assert ran.code == 2
    assert not (lumen.home / "share" / "lumen" / "keys.toml").exists()


def test_an_embedder_that_gives_no_vectors_is_refused(
    lumen: Lumen, inside: Inside, desk: Wire
) -> None:
    before = settings(lumen)
    ran = inside("models", "set", "embedder", "desk/m", env=lumen.env())
    assert ran.code == 2
    assert settings(lumen) == before
    back = inside("models", "set", "embedder", "embedded/multilingual-e5-small", env=lumen.env())
    assert (back.code, back.err) == (0, "")


def test_listing_models_loads_no_client_no_sdk_and_no_index(lumen: Lumen) -> None:
    lumen.run("chat", "-m", "I like rice")  # whether there is a being is asked of its archive alone
    code = (
        "import sys; sys.argv[0] = 'lumen'\n"
        "from lumen.body.cli.main import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "models", "list"],
        env=lumen.env(),
        cwd=Path(lumen.home),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "interface" in ran.stdout
    modules = set(ran.stderr.split())
    loaded = {name.partition(".")[0] for name in modules}
    heavy = {"httpx2", "httpx", "openai", "anthropic", "pydantic", "genai_prices", "numpy", "anyio"}
    assert "lumen" in loaded
    assert loaded & {*heavy, "apsw"} == set()
    assert modules & {"lumen.soul.index.index", "lumen.mind.gguf"} == set()
