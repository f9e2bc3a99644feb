from __future__ import annotations

import pytest

from lumen.core.errors import BadSetting
from lumen.mind.endpoints import (
    BUILT_IN,
    CUSTOM_KINDS,
    SECONDS,
    Endpoint,
    EndpointSettings,
    endpoints,
)

KEY = "sk-a-key-nobody-may-see"
URL = "http://127.0.0.1:8080/v1"


def found(
    said: EndpointSettings,
    environ: dict[str, str] | None = None,
    keys: dict[str, str] | None = None,
) -> Endpoint:
    return endpoints({said.name: said}, environ or {}, keys or {})[said.name]


def refused(said: EndpointSettings, environ: dict[str, str] | None = None) -> BadSetting:
    with pytest.raises(BadSetting) as caught:
        found(said, environ)
    return caught.value


def test_the_well_known_ones_are_there_in_order_and_named_ones_after_them() -> None:
    all_of_them = endpoints(
        {"desk": EndpointSettings("desk", url=URL), "xai": EndpointSettings("xai")}, {}, {}
    )
    assert list(all_of_them) == [
        *("embedded", "ollama", "lmstudio", "openai", "anthropic", "xai", "scripted"),
        "desk",
    ]
    assert all(all_of_them[name].kind == name for name in BUILT_IN)
    assert all_of_them["desk"] == Endpoint("desk", "openai", URL)
    assert all_of_them["desk"].seconds == SECONDS


@pytest.mark.parametrize(
    ("name", "local"),
    [
        ("embedded", True),
        ("scripted", True),
        ("ollama", True),
        ("lmstudio", True),
        ("openai", False),
        ("anthropic", False),
        ("xai", False),
    ],
)
def test_only_what_runs_on_this_machine_is_local_unasked(name: str, local: bool) -> None:
    assert found(EndpointSettings(name)).local is local


@pytest.mark.parametrize(
    ("said", "local"),
    [
        (EndpointSettings("desk", url=URL), False),
        (EndpointSettings("desk", url=URL, local=True), True),
        (EndpointSettings("desk", kind="ollama", url="http://127.0.0.1:9"), True),
        (EndpointSettings("desk", kind="lmstudio", url="http://[::1]:9/v1"), True),
        (EndpointSettings("desk", kind="ollama", url="http://localhost:9"), True),
        (EndpointSettings("desk", kind="ollama", url="http://192.168.1.5:9"), False),
        (EndpointSettings("desk", kind="ollama", url="http://desk:9"), False),
        (EndpointSettings("desk", kind="ollama", url="http://192.168.1.5:9", local=True), True),
        (EndpointSettings("ollama", local=False), False),
        (EndpointSettings("ollama", url="https://ollama.example.com"), False),
        (EndpointSettings("desk", url="http://desk.local/v1", local=True), True),
        (EndpointSettings("desk", url="http://nas.home.arpa/v1", local=True), True),
        (EndpointSettings("desk", url="http://desk/v1", local=True), True),
        (EndpointSettings("desk", url="http://[fd00::1]/v1", local=True), True),
        (EndpointSettings("openai", local=False), False),
        (EndpointSettings("openai", url=URL), False),
    ],
)
def test_what_is_near_is_local_only_where_it_is_said_or_known(
    said: EndpointSettings, local: bool
) -> None:
    assert found(said).local is local


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/v1",
        "http://8.8.8.8/v1",
        "http://134744072/v1",
        "http://0x08080808/v1",
        "http://[2001:4860:4860::8888]/v1",
        "http://[::ffff:8.8.8.8]/v1",
        "http://local.example.com/v1",
    ],
)
def test_a_public_host_cannot_be_said_to_be_local(url: str) -> None:
    error = refused(EndpointSettings("desk", url=url, local=True))
    assert "is not in your own network" in error.what
    assert error.fix == "local = false"


@pytest.mark.parametrize("name", ["openai", "anthropic", "xai"])
def test_the_big_three_cannot_be_said_to_be_local_whatever_stands_in_between(name: str) -> None:
    assert "cannot be local" in refused(EndpointSettings(name, url=URL, local=True)).what


@pytest.mark.parametrize(
    ("host", "url", "local"),
    [
        ("desk", "http://desk:11434", False),
        ("desk:99", "http://desk:99", False),
        ("127.0.0.1", "http://127.0.0.1:11434", True),
        (":99", "http://127.0.0.1:99", True),
        ("0.0.0.0", "http://127.0.0.1:11434", True),  # noqa: S104
        ("0.0.0.0:99", "http://127.0.0.1:99", True),
        ("http://0.0.0.0:99", "http://127.0.0.1:99", True),
        ("10.0.0.0", "http://10.0.0.0:11434", False),
        ("::1", "http://[::1]:11434", True),
        ("[::1]", "http://[::1]:11434", True),
        ("[::1]:99", "http://[::1]:99", True),
        ("[::]:99", "http://[::1]:99", True),
        ("desk/", "http://desk:11434", False),
        ("desk:99/behind/", "http://desk:99/behind", False),
        ("https://ollama.example.com", "https://ollama.example.com", False),
        ("HTTP://localhost:99", "http://localhost:99", True),
        ("  ", "http://127.0.0.1:11434", True),
    ],
)
def test_where_ollama_is_may_be_said_in_all_its_ways(host: str, url: str, local: bool) -> None:
    ollama = found(EndpointSettings("ollama"), {"OLLAMA_HOST": host})
    assert (ollama.url, ollama.local) == (url, local)


def test_an_address_in_the_settings_goes_before_one_in_the_environment() -> None:
    environ = {"OLLAMA_HOST": "elsewhere", "OPENAI_BASE_URL": "https://gate.example.com/v1/"}
    assert (
        found(EndpointSettings("ollama", url="http://127.0.0.1:9/"), environ).url
        == "http://127.0.0.1:9"
    )
    assert found(EndpointSettings("openai"), environ).url == "https://gate.example.com/v1"
    assert found(EndpointSettings("anthropic"), environ).url == "https://api.anthropic.com"


@pytest.mark.parametrize("host", ["a b", "desk:port", "ftp://desk", "http://[::1", "desk:99999"])
def test_a_broken_address_in_the_environment_is_refused_by_the_name_it_has_there(host: str) -> None:
    assert refused(EndpointSettings("ollama"), {"OLLAMA_HOST": host}).what.startswith(
        "OLLAMA_HOST: "
    )


@pytest.mark.parametrize(
    "url",
    [
        "desk",
        "ftp://desk/v1",
        "http:///v1",
        "http://desk:0/v1",
        "http://desk:99999/v1",
        "http://desk:no/v1",
        "http://[::1/v1",
        "http://desk/v 1",
        "http://desk/\nv1",
        "https//desk",
    ],
)
def test_what_is_no_address_is_refused_with_one_that_is(url: str) -> None:
    error = refused(EndpointSettings("desk", url=url))
    assert "[substrates.desk]" in error.what
    assert "is no address" in error.what
    assert URL in error.fix


@pytest.mark.parametrize("scheme", ["HTTPS", " https", "Https"])
def test_an_address_is_kept_as_it_will_be_asked(scheme: str) -> None:
    assert found(EndpointSettings("desk", url=f"{scheme}://Desk/v1/")).url == "https://Desk/v1"


@pytest.mark.parametrize(
    "url",
    [
        f"https://me:{KEY}@desk/v1",
        f"https://{KEY}@desk/v1",
        f"https://me:{KEY}@desk:99999/v1",
        f"me:{KEY}@desk",
        f"https://desk/v1?key={KEY}",
        f"https://desk/v1#{KEY}",
    ],
)
def test_an_address_with_a_key_in_it_is_refused_and_not_shown(url: str) -> None:
    for error in (
        refused(EndpointSettings("desk", url=url)),
        refused(EndpointSettings("openai"), {"OPENAI_BASE_URL": url}),
        refused(EndpointSettings("ollama"), {"OLLAMA_HOST": url}),
    ):
        assert KEY not in repr(error) + error.what + error.fix
        assert error.fix.split()[:3] == ["lumen", "models", "key"]
        assert "[" not in error.fix


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (EndpointSettings("My Desk", url=URL), "a name is small letters"),
        (EndpointSettings("desk"), "has no url"),
        (EndpointSettings("desk", kind="xai", url=URL), "'xai' is no kind"),
        (EndpointSettings("desk", kind="embedded", url=URL), "'embedded' is no kind"),
        (EndpointSettings("openai", kind="anthropic"), "is known to be of kind openai"),
        (EndpointSettings("embedded", seconds=9), "there is nothing to set"),
        (EndpointSettings("scripted", url=URL), "there is nothing to set"),
        (EndpointSettings("desk", url=URL, seconds=0), "seconds must be like 120"),
        (EndpointSettings("desk", url=URL, seconds=-1), "seconds must be like 120"),
        (EndpointSettings("desk", url=URL, seconds=float("nan")), "seconds must be like 120"),
        (EndpointSettings("desk", url=URL, seconds=float("inf")), "seconds must be like 120"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_its_table(
    said: EndpointSettings, complaint: str
) -> None:
    error = refused(said)
    assert complaint in error.what
    assert f"[substrates.{said.name}]" in error.what


def test_every_kind_can_be_named_and_its_own_can_be_said_again() -> None:
    for kind in CUSTOM_KINDS:
        assert found(EndpointSettings("desk", kind=kind, url=URL)).kind == kind
    assert found(EndpointSettings("openai", kind="openai", seconds=7)).seconds == 7


@pytest.mark.parametrize("written", [KEY, "sk-123", "lower_case", "", "A B"])
def test_a_key_written_into_the_settings_is_refused_and_not_shown(written: str) -> None:
    error = refused(EndpointSettings("desk", url=URL, key_env=written))
    assert "a key itself has no place in lumen.toml" in error.what
    assert error.fix == "lumen models key desk"
    assert KEY not in repr(error)


@pytest.mark.parametrize(
    ("said", "environ", "keys", "key"),
    [
        (EndpointSettings("openai"), {"OPENAI_API_KEY": KEY}, {}, KEY),
        (EndpointSettings("anthropic"), {"ANTHROPIC_API_KEY": KEY}, {}, KEY),
        (EndpointSettings("xai"), {"XAI_API_KEY": f" {KEY}\n"}, {}, KEY),
        (EndpointSettings("ollama"), {"OLLAMA_API_KEY": KEY}, {}, KEY),
        (EndpointSettings("lmstudio"), {"LMSTUDIO_API_KEY": KEY}, {}, KEY),
        (EndpointSettings("openai"), {"OPENAI_API_KEY": KEY}, {"openai": "filed"}, KEY),
        (EndpointSettings("openai"), {"OPENAI_API_KEY": "  "}, {"openai": "filed\n"}, "filed"),
        (
            EndpointSettings("openai", key_env="MINE"),
            {"OPENAI_API_KEY": "other", "MINE": KEY},
            {},
            KEY,
        ),
        (EndpointSettings("openai", key_env="MINE"), {"OPENAI_API_KEY": "other"}, {}, ""),
        (EndpointSettings("desk", url=URL), {"OPENAI_API_KEY": KEY}, {}, ""),
        (EndpointSettings("desk", url=URL), {}, {"desk": KEY, "openai": "other"}, KEY),
        (EndpointSettings("desk", url=URL, key_env="DESK_KEY"), {"DESK_KEY": KEY}, {}, KEY),
    ],
)
def test_a_key_is_the_first_of_its_own_in_the_environment_or_else_the_file(
    said: EndpointSettings, environ: dict[str, str], keys: dict[str, str], key: str
) -> None:
    endpoint = found(said, environ, keys)
    assert endpoint.key == key
    assert KEY not in repr(endpoint) + str(endpoint)


def test_only_the_big_three_can_do_nothing_without_a_key() -> None:
    wanting = {name for name, endpoint in BUILT_IN.items() if endpoint.wants_key}
    assert wanting == {"openai", "anthropic", "xai"}
    assert not found(EndpointSettings("desk", kind="openai", url=URL)).wants_key
