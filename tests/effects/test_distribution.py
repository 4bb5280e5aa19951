# SPDX-License-Identifier: GPL-2.0-only
"""Each distribution's own command installs what is missing, from kassay and from scripts/setup."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kassay.effects import distribution
from kassay.effects.distribution import by_sudo, install
from tests.source import ROOT

HOSTS = {
    "debian": 'ID=debian\nVERSION_ID="12"\n',
    "ubuntu": "ID=ubuntu\nID_LIKE=debian\n",
    "fedora": "ID=fedora\n",
    "centos": 'ID="centos"\nID_LIKE="rhel fedora"\n',
    "arch": "ID=arch\n",
    "manjaro": "ID=manjaro\nID_LIKE=arch\n",
    "opensuse": 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n',
    "alpine": "ID=alpine\n",
    "nixos": "ID=nixos\n",
}
COMMANDS = {
    "debian": "apt-get install gcc libc6-dev qemu-system-x86",
    "ubuntu": "apt-get install gcc libc6-dev qemu-system-x86",
    "fedora": "dnf install gcc glibc-static qemu-system-x86-core",
    "centos": "dnf install gcc glibc-static qemu-system-x86-core",
    "arch": "pacman -S --needed gcc glibc qemu-system-x86",
    "manjaro": "pacman -S --needed gcc glibc qemu-system-x86",
    "opensuse": "zypper install gcc glibc-devel-static qemu-x86",
    "alpine": "apk add gcc musl-dev linux-headers qemu-system-x86_64",
    "nixos": "nix-shell -p gcc glibc.static qemu",
}


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A file os-release, which is the host's."""
    path = tmp_path / "os-release"
    path.write_text(HOSTS.get(request.param, f"ID={request.param}\n"))
    monkeypatch.setattr(distribution, "_OS_RELEASE", (path,))
    distribution._names.cache_clear()
    monkeypatch.setattr(distribution, "_names", distribution._names.__wrapped__)
    return path


@pytest.mark.parametrize(("host", "command"), COMMANDS.items(), indirect=["host"])
def test_packages_are_installed_in_the_words_of_the_distribution(host: Path, command: str) -> None:
    assert install("gcc", "libc6-dev", "qemu-system-x86") == command


@pytest.mark.parametrize("host", ["gentoo"], indirect=True)
def test_an_unknown_distribution_is_told_debian_s_names(host: Path) -> None:
    assert install("gcc", "libc6-dev") == "what Debian calls gcc libc6-dev"


@pytest.mark.parametrize("host", ["fedora"], indirect=True)
def test_a_package_that_a_distribution_lacks_is_named(host: Path) -> None:
    assert install("make", "gcc-13") == "dnf install make, and what Debian calls gcc-13"
    assert install("libc6-dev-arm64-cross") == "what Debian calls libc6-dev-arm64-cross"


@pytest.mark.parametrize("host", ["debian"], indirect=True)
def test_nothing_is_installed_in_the_container(host: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "IMAGE", tmp_path / "kassay-image")
    assert install("openssh-client") == "apt-get install openssh-client"
    distribution.IMAGE.write_text("kassay-image 1.0.0\n")
    assert install("gcc-13", "ssh") == "use kassay without the container, which lacks gcc-13 ssh"


@pytest.mark.parametrize(("host", "sudo"), [("fedora", "sudo "), ("nixos", ""), ("gentoo", "")], indirect=["host"])
def test_the_user_is_shown_sudo_only_where_it_is_needed(host: Path, sudo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert by_sudo(install("gcc")) == f"{sudo}{install('gcc')}"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert by_sudo(install("gcc")) == install("gcc")


def test_every_distribution_names_the_same_packages() -> None:
    table = dict(distribution._table())
    del table["debian"], table["ubuntu"]
    words = {"command", "user_command", "unattended", "refresh"}
    assert len({frozenset(set(section) - words) for section in table.values()}) == 1


def _setup(host: Path, tmp_path: Path, *words: str, machine: str = "x86_64") -> tuple[int, str]:
    """scripts/setup of a user on a host that has a shell and a few tools, and a sudo that refuses."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("awk", "dirname", "id", "sed"):
        (tools / name).symlink_to(str(shutil.which(name)))
    sudo = 'echo "sudo was called: $*"; exit 1'
    for name, text in (("id", "echo 1000"), ("sudo", sudo), ("uname", f"echo {machine}")):
        (tools / name).unlink(missing_ok=True)
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    environment = {"PATH": str(tools), "KASSAY_SETUP_OS_RELEASE": str(host)}
    argv = ("/bin/sh", str(ROOT / "scripts" / "setup"), *words)
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


# The shell of busybox may run applets of its own instead of the programs in PATH, such as the id of these tests.
OWN_APPLETS = pytest.mark.skipif(Path("/bin/sh").resolve().name == "busybox", reason="/bin/sh is busybox's")


@OWN_APPLETS
@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS, indirect=True)
def test_setup_prints_one_command_and_calls_no_sudo(host: Path, tmp_path: Path) -> None:
    status, said = _setup(host, tmp_path, "test")
    assert status == 3
    assert "sudo was called" not in said
    wanted = re.findall(r"^\s*want (\S+) ", (ROOT / "scripts" / "setup").read_text(), re.M)
    command = install(*(name for name in wanted if "$" not in name)).partition(", and ")[0]
    (line,) = (line.strip() for line in said.splitlines() if line.startswith("  "))
    assert line.startswith((" ".join(command.split()[:2]), f"sudo {command.split()[0]}"))
    assert set(command.split()) <= set(line.split())


@OWN_APPLETS
@pytest.mark.slow
@pytest.mark.parametrize("host", ["fedora"], indirect=True)
def test_setup_calls_sudo_where_it_was_asked_for(host: Path, tmp_path: Path) -> None:
    status, said = _setup(host, tmp_path, "run", "--sudo")
    assert status == 3
    assert "setup: installing python3 qemu-system-x86-core gcc xz lz4 glibc-static" in said


@OWN_APPLETS
@pytest.mark.slow
@pytest.mark.parametrize("host", ["debian"], indirect=True)
@pytest.mark.parametrize(
    ("machine", "cross"),
    [
        ("x86_64", {"aarch64": "arm64"}),
        ("aarch64", {"x86-64": "amd64"}),
        ("riscv64", {"x86-64": "amd64", "aarch64": "arm64"}),
    ],
)
def test_setup_wants_cross_compilers_for_other_machines_than_the_host(
    host: Path, tmp_path: Path, machine: str, cross: dict[str, str]
) -> None:
    said = _setup(host, tmp_path, "test", machine=machine)[1]
    assert set(re.findall(r" gcc-(\S+)-linux-gnu", said)) == set(cross)
    assert set(re.findall(r" libc6-dev-(\S+)-cross", said)) == set(cross.values())


@pytest.mark.slow
@pytest.mark.parametrize("host", ["gentoo"], indirect=True)
def test_setup_names_debian_s_packages_on_an_unknown_distribution(host: Path, tmp_path: Path) -> None:
    status, said = _setup(host, tmp_path, "run")
    assert status == 3
    assert "install what Debian calls: python3 qemu-system-x86 gcc" in said


_PYTHON = """
echo "$*" >>made
case "$*" in
-V) echo Python 3.11.0 ;;
"-m venv "*) mkdir -p .venv/bin; echo "#!/bin/sh" >.venv/bin/pip; chmod +x .venv/bin/pip ;;
esac"""


@OWN_APPLETS
@pytest.mark.slow
def test_setup_makes_the_virtual_environment_anew_in_a_copied_tree(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("awk", "cat", "chmod", "cksum", "dirname", "id", "mkdir", "sed"):
        (tools / name).symlink_to(str(shutil.which(name)))
    programs = ("qemu-system-x86_64", "gcc", "xz", "lz4")
    for name, text in (("python3", _PYTHON), ("uname", "echo x86_64"), *((name, "echo /") for name in programs)):
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    tree, copy = tmp_path / "tree", tmp_path / "copy"
    (tree / "scripts").mkdir(parents=True)
    for file in ("scripts/setup", "pyproject.toml"):
        shutil.copy(ROOT / file, tree / file)

    def made(place: Path) -> list[bool]:
        """For each time that it was made, whether a former one was removed."""
        subprocess.run(("/bin/sh", str(place / "scripts" / "setup"), "run"), env={"PATH": str(tools)}, check=True)
        return ["--clear" in line for line in (place / "made").read_text().splitlines() if "-m venv" in line]

    assert [made(tree), made(tree)] == [[False], [False]]
    shutil.copytree(tree, copy, symlinks=True)
    assert [made(copy), made(copy), made(tree)] == [[False, True], [False, True], [False]]
    (tree / "pyproject.toml").write_text("changed")
    assert made(tree) == [False, False]
