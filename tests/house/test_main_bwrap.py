"""`main.py test` brings bubblewrap where it can, and says so where it cannot. Stand-ins only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

APT = """\
#!/bin/sh
echo "apt-get $*" >> "{log}"
if [ "$1" = update ]; then echo known > "{known}"; exit 0; fi
if [ {needs_update} = 1 ] && [ ! -e "{known}" ]; then echo "E: no such package"; exit 100; fi
if [ {works} = 0 ]; then exit 100; fi
printf '#!/bin/sh\\n' > "{bin}/bwrap"; /bin/chmod +x "{bin}/bwrap"
"""
SUDO = (
    '#!/bin/sh\necho "sudo $*" >> "{log}"\nshift\nif [ {asks} = 1 ]; then exit 1; fi\nexec "$@"\n'
)
INSTALL = "install --yes --quiet --no-install-recommends bubblewrap"


@dataclass(frozen=True, slots=True)
class Host:
    """A machine with nothing on its path but what a test puts there."""

    bin: Path

    @property
    def log(self) -> list[str]:
        """What was called, in order."""
        log = self.bin.parent / "log"
        return log.read_text("utf-8").splitlines() if log.exists() else []

    def put(self, name: str, script: str, **told: object) -> None:
        """Put a stand-in on the path."""
        known = self.bin.parent / "known"
        text = script.format(log=self.bin.parent / "log", known=known, bin=self.bin, **told)
        (self.bin / name).write_text(text, "utf-8")
        (self.bin / name).chmod(0o755)

    def has_bwrap(self) -> bool:
        """Whether bubblewrap was brought."""
        return (self.bin / "bwrap").exists()


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    made = Host(tmp_path / "bin")
    made.bin.mkdir()
    (made.bin / "true").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", str(made.bin))
    monkeypatch.setenv("DEBIAN_FRONTEND", "noninteractive")
    return made


@pytest.fixture
def as_user(monkeypatch: pytest.MonkeyPatch, launcher: ModuleType) -> None:
    monkeypatch.setattr(launcher.os, "geteuid", lambda: 1000)


@pytest.fixture
def as_root(monkeypatch: pytest.MonkeyPatch, launcher: ModuleType) -> None:
    monkeypatch.setattr(launcher.os, "geteuid", lambda: 0)


@pytest.mark.usefixtures("as_root")
def test_where_it_is_there_nothing_is_installed(
    host: Host, launcher: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    host.put("apt-get", APT, works=1, needs_update=0)
    host.put("bwrap", "#!/bin/sh\n")
    launcher.bring_bwrap()
    assert host.log == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("as_root")
def test_root_installs_it_quietly(
    host: Host, launcher: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    host.put("apt-get", APT, works=1, needs_update=0)
    launcher.bring_bwrap()
    assert host.has_bwrap()
    assert host.log == [f"apt-get {INSTALL}"]
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "Installed bubblewrap, which the tests of isolation run.\n")


@pytest.mark.usefixtures("as_root")
def test_lists_of_packages_are_brought_up_to_date_only_when_they_must_be(
    host: Host, launcher: ModuleType
) -> None:
    host.put("apt-get", APT, works=1, needs_update=1)
    launcher.bring_bwrap()
    assert host.has_bwrap()
    assert host.log == [f"apt-get {INSTALL}", "apt-get update --quiet", f"apt-get {INSTALL}"]


@pytest.mark.usefixtures("as_user")
def test_whoever_may_become_root_without_a_password_does(host: Host, launcher: ModuleType) -> None:
    host.put("apt-get", APT, works=1, needs_update=0)
    host.put("sudo", SUDO, asks=0)
    launcher.bring_bwrap()
    assert host.has_bwrap()
    assert host.log[-2:] == [
        f"sudo -n {host.bin}/apt-get {INSTALL}",
        f"apt-get {INSTALL}",
    ]


@pytest.mark.usefixtures("as_user")
@pytest.mark.parametrize("has", ["nothing", "no sudo", "a password to give", "a broken apt-get"])
def test_where_it_cannot_be_installed_that_is_said_and_nobody_is_asked(
    host: Host, launcher: ModuleType, has: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if has != "nothing":
        host.put("apt-get", APT, works=0, needs_update=0)
    if has in {"a password to give", "a broken apt-get"}:
        host.put("sudo", SUDO, asks=int(has == "a password to give"))
    launcher.bring_bwrap()
    assert not host.has_bwrap()
    assert any(line.startswith("apt-get") for line in host.log) is (has == "a broken apt-get")
    if has == "a password to give":
        assert host.log == ["sudo -n true"]
    said = capsys.readouterr().err
    assert "bubblewrap is missing, so the tests of isolation will fail" in said
    assert "try: apt install bubblewrap" in said


def test_every_run_of_the_tests_looks_for_it_first(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    def passes(name: str, _: list[list[str]]) -> bool:
        order.append(name)
        return True

    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(launcher, "prepare", lambda _: order.append("prepare"))
    monkeypatch.setattr(launcher, "bring_bwrap", lambda: order.append("bring_bwrap"))
    monkeypatch.setattr(launcher, "check_stage", passes)
    assert launcher.check(["tests/hands"]) == 0
    assert order[:2] == ["prepare", "bring_bwrap"]
