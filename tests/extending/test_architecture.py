# SPDX-License-Identifier: GPL-2.0-only
"""An architecture from outside: known to help, references, the doctor and the builder before a kernel of it is here."""

import pytest

from tests.extending.outside import Outside, outside

FILE = '''
"""loong64: what kassay asks of QEMU and of compilers for LoongArch."""

from kassay.arches import OTHER, Arch, Build, Code, Qemu

ARCH = Arch(
    name="loong64", order=50, uname="loongarch64", debian="loong64", elf=258, page_bytes=16384,
    qemu=Qemu(target="none64", package="qemu-system-none", machine=("-M", "virt-9.1"), cpu="la464",
              console="ttyS0", stream=("-device", "pci-serial,chardev=stream"), stream_device="/dev/ttyS1",
              most_cpus=4),
    build=Build(cross="loongarch64-none-", triple="loongarch64-linux-gnu", guest_packages="gcc-none",
                make_arch="loongarch", target="vmlinux", image="vmlinux"),
    code=Code(capstone=("CS_ARCH_ALL", "CS_MODE_LITTLE_ENDIAN"), kind=lambda mnemonic, operands: "",
              ending=lambda mnemonic, operands: (OTHER, None), special=lambda name, start, end: iter(()),
              syscall_prefix="__loong_", decoder="kassay.arches.loong64"),
)
'''


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    found = outside(tmp_path_factory.mktemp("arch"))
    found.add("arches/loong64.py", FILE)
    return found


def test_it_stands_in_help_and_in_what_an_unknown_one_is_answered_with(added: Outside) -> None:
    assert "x86_64, arm64 or loong64." in added.kassay("compare", "--help")
    assert "known: x86_64, arm64, loong64" in added.kassay("doctor", "--arch", "sparc", status=2)


def test_its_own_facts_decide_what_may_be_asked(added: Outside) -> None:
    words = ("compare", "mincore_scan", "loong64/debian:6.12", "loong64/debian:6.16", "--arch", "loong64")
    assert "QEMU's machine for loong64 has at most 4" in added.kassay(*words, "--cpus", "8", status=2)
    assert "is for loong64, the experiment for x86_64" in added.kassay(*words[:-2], status=2)


def test_what_it_needs_is_named_before_anything_is_fetched(added: Outside) -> None:
    words = ("compare", "mincore_scan", "debian:6.12", "debian:6.16", "--arch", "loong64", "--set", "size=64KiB")
    lacks = added.kassay(*words, status=3)
    assert "qemu-system-none64: not found on this host" in lacks and "apt install qemu-system-none" in lacks
    small = added.kassay(*words[:-1], "size=4KiB", status=2)
    assert "'4KiB' is not a multiple of 16KiB" in small
