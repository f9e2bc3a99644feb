"""Which being is meant: named before or after the command, in the environment, here, the default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumen.core.clock import SystemClock
from lumen.core.data import Being
from lumen.kernel.birth import init

if TYPE_CHECKING:
    from pathlib import Path

    from tests.body.conftest import Lumen, Ran


def born(host: Lumen, folder: Path) -> str:
    init(Being(folder), host.keyring, SystemClock())
    return str(folder)


def meant(ran: Ran) -> str:
    assert ran.code == 0, ran.err
    return str(ran.json()["being"])


def test_the_nearest_word_decides(host: Lumen) -> None:
    named, after = born(host, host.home / "named"), born(host, host.home / "after")
    environment = born(host, host.home / "environment")
    default = born(host, host.home / "share" / "lumen" / "default")
    inside = born(host, host.home)  # every command runs in the host's home

    set_ = host.env(LUMEN_BEING=environment)
    unset = host.env(LUMEN_BEING="")
    status = ("status", "--json")
    assert meant(host.run("--being", named, *status, "--being", after, env=set_)) == after
    assert meant(host.run(*status, "--being", after, env=set_)) == after
    assert meant(host.run("--being", named, *status, env=set_)) == named
    assert meant(host.run("--being", "named", *status, env=set_)) == named
    assert meant(host.run("--being", "~/named", *status, env=set_)) == named
    assert meant(host.run(*status, env=set_)) == environment
    assert meant(host.run(*status, env=unset)) == inside
    (host.home / "lumen.toml").unlink()
    assert meant(host.run(*status, env=unset)) == default


def test_a_data_home_that_is_no_absolute_path_is_not_followed(host: Lumen) -> None:
    default = born(host, host.home / ".local" / "share" / "lumen" / "default")
    env = host.env(LUMEN_BEING="", XDG_DATA_HOME="elsewhere")
    assert meant(host.run("status", "--json", env=env)) == default


def test_an_empty_name_does_not_mean_the_default_being(host: Lumen) -> None:
    born(host, host.home / "share" / "lumen" / "default")
    for arguments in (("--being", "", "status"), ("status", "--being", " ")):
        ran = host.run(*arguments, env=host.env(LUMEN_BEING=""))
        assert ran.code == 2
        assert "--being names nothing" in ran.err


def test_before_the_first_chat_every_command_points_to_it(host: Lumen) -> None:
    for command in ("status", "memory", "why", "trace"):
        ran = host.run(command, env=host.env(LUMEN_BEING=""))
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == "There is no being yet.\n  try: lumen chat\n"
    assert not (host.home / "share").exists()
