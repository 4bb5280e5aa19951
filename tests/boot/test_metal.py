# SPDX-License-Identifier: GPL-2.0-only
"""Is a machine that is reached by ssh looked at as it is, and left as it is where it cannot be measured on?

One boot of the stand-in (tests/standin). Boots by kexec take minutes there: `python -m benchmarks.metal` makes them.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.effects.files import sha256_file
from kassay.effects.ssh import ConnectionLost, Ssh
from kassay.errors import HostLacks
from kassay.model.remote_machine import parse_ssh
from kassay.supply.machines._metal.facts import facts, refusals
from kassay.supply.machines._metal.steps import script
from tests.boot.conftest import NEW, OLD, Kassay
from tests.standin.host import StandIn, start
from tests.standin.image import image
from tests.standin.state import differences, state_of

pytestmark = [pytest.mark.boot, pytest.mark.network, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def standin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    try:
        made = image()
    except HostLacks as error:
        pytest.skip(f"the stand-in's image cannot be made: {error}")
    found = start(tmp_path_factory.mktemp("standin"), made, governor="powersave")
    try:
        assert found.answers(), found.console[-2000:]
        yield found
    finally:
        found.stop()


@pytest.fixture
def link(standin: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ssh]:
    monkeypatch.setenv("PATH", standin.path)
    made = Ssh(parse_ssh(standin.address), tmp_path)
    yield made
    made.drop()


def test_what_the_machine_says_of_itself_is_so(standin: StandIn, link: Ssh) -> None:
    before = state_of(standin)
    found = facts(link.script(script("inspect")).out)
    assert found.get("release") == standin.ssh("uname -r").out.strip()
    assert found.get("boot") == standin.ssh("cat /proc/sys/kernel/random/boot_id").out.strip()
    assert (found.get("cpus"), found.get("hypervisor")) == ("0-1", "yes")
    assert "/sys/devices/system/cpu/cpufreq/policy1/scaling_governor powersave" in found.all("setting")
    assert (found.get("image"), found.get("initrd_tool")) == (f"/boot/vmlinuz-{found.get('release')}", "mkinitramfs")
    problems = [what for what, _ in refusals(found, "x86_64", started=False) if "other programs use it" not in what]
    assert problems == []
    assert "it is a x86_64, not arm64" in dict(refusals(found, "arm64", started=False))
    assert differences(before, state_of(standin)) == []


def test_files_come_and_go_byte_for_byte_as_root(standin: StandIn, link: Ssh, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_bytes(os.urandom(1 << 20))
    link.send(data, "/var/tmp/it's here/a file")
    assert link.fetch(("cat", "/var/tmp/it's here/a file")) == data.read_bytes()
    told = link.script('sha256sum < "$1"; stat -c %U:%a "$1"; rm -r "${1%/*}"', ("/var/tmp/it's here/a file",)).out
    assert told.split() == [sha256_file(data), "-", "root:600"]


def test_a_connection_that_is_cut_is_noticed_and_made_anew(standin: StandIn, link: Ssh) -> None:
    assert link.script("id -u").out == "0\n"
    standin.link(up=False)
    try:
        with pytest.raises(ConnectionLost):
            link.script("id -u", timeout_s=3)
    finally:
        standin.link(up=True)
    link.drop()
    assert link.script("id -u", timeout_s=300).out == "0\n"


def test_a_machine_in_use_is_refused_and_left_as_it_is(standin: StandIn, kassay: Kassay, tmp_path: Path) -> None:
    before = state_of(standin)
    boot = standin.ssh("cat /proc/sys/kernel/random/boot_id").out
    user = standin.ssh("sh -c 'while :; do :; done' >/dev/null 2>&1 & echo $!").out.strip()
    try:
        ran = kassay("compare", "mprotect_toggle", OLD, NEW, "--clock", "metal", "--on", standin.address, "--flavour",
                     "cloud", "--out", str(tmp_path / "d"), env={**os.environ, "PATH": standin.path})  # fmt: skip
    finally:
        standin.ssh(f"kill {user}")
    assert ran.status == 3, ran.err
    assert f"{standin.address}: other programs use it" in ran.err
    assert standin.ssh("cat /proc/sys/kernel/random/boot_id").out == boot
    assert differences(before, state_of(standin)) == []
