"""Which being is meant: named before or after the command, in the environment, here, the default."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.storing import born as bear

from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths
from lumen.core.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]


def born(host: Lumen, folder: Path) -> str:
    bear(BeingPaths(folder), host.keyring, SystemClock())
    return str(folder)


def meant(ran: Ran) -> str:
    assert ran.code == 0, ran.err
    return str(ran.json()["being"])


def test_the_nearest_word_decides(host: Lumen, inside: Inside) -> None:
    named, after = born(host, host.home / "named"), born(host, host.home / "after")
    environment = born(host, host.home / "environment")
    default = born(host, host.home / "share" / "lumen" / "default")
    here = born(host, host.home)  # every command runs in the host's home

    set_ = host.env(LUMEN_BEING=environment)
    unset = host.env(LUMEN_BEING="")
    status = ("status", "--json")
    assert meant(inside("--being", named, *status, "--being", after, env=set_)) == after
    assert meant(inside(*status, "--being", after, env=set_)) == after
    assert meant(inside("--being", named, *status, env=set_)) == named
    assert meant(inside("--being", "named", *status, env=set_)) == named
    assert meant(inside("--being", "~/named", *status, env=set_)) == named
    assert meant(inside(*status, env=set_)) == environment
    assert meant(inside(*status, env=unset)) == here
    (host.home / "lumen.toml").unlink()
    assert meant(inside(*status, env=unset)) == default


def test_a_data_home_that_is_no_absolute_path_is_not_followed(host: Lumen, inside: Inside) -> None:
    default = born(host, host.home / ".local" / "share" / "lumen" / "default")
    env = host.env(LUMEN_BEING="", XDG_DATA_HOME="elsewhere")
    assert meant(inside("status", "--json", env=env)) == default


def test_an_empty_name_does_not_mean_the_default_being(host: Lumen, inside: Inside) -> None:
    born(host, host.home / "share" / "lumen" / "default")
    for arguments in (("--being", "", "status"), ("status", "--being", " ")):
        ran = inside(*arguments, env=host.env(LUMEN_BEING=""))
        assert ran.code == 2
        assert "--being names nothing" in ran.err


def test_before_the_first_chat_every_command_points_to_it(host: Lumen, inside: Inside) -> None:
    for command in ("status", "memory", "why", "trace"):
        ran = inside(command, env=host.env(LUMEN_BEING=""))
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == "There is no being yet.\n  try: lumen chat\n"
    assert not (host.home / "share").exists()


def test_a_folder_that_is_gone_is_told(host: Lumen) -> None:
    gone = "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')"
    ran = host.run("status", prelude=gone, env=host.env(LUMEN_BEING=""))
    assert ran.code == 2
    assert "The folder you are in is gone." in ran.err


def test_of_two_beings_that_were_mixed_up_neither_is_advised_to_become_the_other(
    host: Lumen, inside: Inside
) -> None:
    ada, bob = (Path(born(host, host.home / name)) for name in ("ada", "bob"))
    souls = [read_settings(one / "lumen.toml").soul for one in (ada, bob)]
    (ada / "data").rename(host.home / "data")
    (bob / "data").rename(ada / "data")
    (host.home / "data").rename(bob / "data")
    for being, (named, soul) in ((ada, souls), (bob, souls[::-1])):
        ran = inside("--being", str(being), "chat", "-m", "hello")
        assert (ran.code, ran.out) == (2, "")
        assert f"names the soul {named}, and the archive is that of {soul}" in ran.err
        assert "two beings of this host are mixed up" in ran.err
        assert f"if this is the folder of {named}, bring its own data/ back" in ran.err
        assert f"if it is that of {soul}, bring its lumen.toml back" in ran.err
        assert "soul = " not in ran.err
