# SPDX-License-Identifier: GPL-2.0-only
"""A host is described by what its kernel says of the CPU, whatever its architecture."""

import platform
from pathlib import Path

import pytest
from msgspec import UNSET

from kassay.supply.machines import _host

_ARM64 = "processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x4\nCPU part\t: 0xd0c\nCPU revision\t: 1\n"
_X86 = "processor\t: 0\nmodel name\t: AMD EPYC  9R14\n\nprocessor\t: 1\nmodel name\t: AMD EPYC  9R14\n"


def test_hosts_are_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_host, "_MACHINE_ID", tmp_path / "machine-id")
    monkeypatch.setattr(_host, "IMAGE", tmp_path / "image")
    monkeypatch.setattr(platform, "node", lambda: "a")
    named = _host.host_id()
    (tmp_path / "machine-id").write_text("0123456789abcdef0123456789abcdef\n")
    one = _host.host_id()
    monkeypatch.setattr(platform, "node", lambda: "b")
    assert one == _host.host_id() != named and "0123" not in str(one)
    (tmp_path / "machine-id").write_text("0123456789abcdef0123456789abcdee\n")
    assert one != _host.host_id()
    (tmp_path / "image").write_text("kassay:0.1.0\n")
    assert _host.host_id() is UNSET  # a container has another id each time


@pytest.mark.parametrize(
    ("machine", "cpuinfo", "words"),
    [
        ("x86_64", _X86, "AMD EPYC 9R14"),
        ("aarch64", _ARM64, "CPU implementer 0x41, CPU part 0xd0c, CPU variant 0x4, CPU revision 1"),
        ("aarch64", "", "unknown CPU (aarch64)"),
        ("riscv64", "isa\t: rv64\n", "unknown CPU (riscv64)"),
    ],
)
def test_the_cpu_is_named(machine: str, cpuinfo: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(_host, "_cpuinfo", lambda: cpuinfo)
    assert _host.cpu_model() == words
