# SPDX-License-Identifier: GPL-2.0-only
"""Is a CPU known by its numbers, and which of kassay's CPUs is an unknown one like?"""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from kassay.errors import BadInput, HostLacks
from kassay.labs.predict.calibrate import machine, program
from kassay.labs.predict.calibrate.machine import HostMachine, Nearest, cpuinfo_of, differences, nearest_cpu
from kassay.labs.predict.calibrate.program import Output
from kassay.labs.predict.timing import Machine, timing_for

pytestmark = pytest.mark.slow  # the first one reads every timing file

CPUINFO = {"vendor_id": "AuthenticAMD", "cpu family": "25", "model": "17", "model name": "AMD EPYC"}
HOST = HostMachine(arch="x86_64", cpuinfo=CPUINFO, kernel="Linux 6.18", hypervisor="KVMKVMKVM", thp="madvise")


def test_the_cpu_is_known_by_its_numbers_and_its_name_may_differ() -> None:
    lines = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD  EPYC\n"
    text = f"processor\t: 0\n{lines}\nprocessor\t: 1\nmodel\t: 2\n"
    assert cpuinfo_of(text) == CPUINFO
    assert nearest_cpu(HOST, set(), {}) == Nearest("zen4", known=True)
    assert list(differences({**CPUINFO, "model name": "another"}, CPUINFO)) == []
    assert list(differences({**CPUINFO, "model": "1"}, CPUINFO)) == ["model: 1 in the file, 17 here"]
    skylake, cascade_lake = ({"cpu family": "6", "model": "85", "stepping": stepping} for stepping in ("4", "7"))
    assert list(differences(skylake, cascade_lake)) == ["stepping: 4 in the file, 7 here"]
    with pytest.raises(BadInput, match="no CPU of kassay's is like this one"):
        nearest_cpu(replace(HOST, cpuinfo={"vendor_id": "HygonGenuine"}), set(), {})


GOLDEN_COVE = "erms fsrm smap smep umip invpcid pdpe1gb fsgsbase rdpid rdtscp clflushopt clwb xsaves serialize avx512f"


@pytest.mark.parametrize(
    ("vendor", "family", "features", "kib", "taken"),
    [
        ("AuthenticAMD", "27", "smap smep erms fsrm invpcid pku la57 avx512f rdpid clwb clzero", (), "zen5"),
        ("AuthenticAMD", "25", "smap smep erms fsrm invpcid pku la57 avx512f rdpid clwb clzero", (), "zen4"),
        ("AuthenticAMD", "25", "smap smep erms fsrm invpcid pku rdpid clwb clzero", (), "zen3"),
        ("GenuineIntel", "6", "erms smap smep pcid invpcid fsgsbase rdtscp clwb pku avx512f", (), "skylake_sp"),
        ("GenuineIntel", "6", GOLDEN_COVE, (32, 48, 1280), "alderlake_p"),
        ("GenuineIntel", "6", GOLDEN_COVE, (32, 48, 2048), "emeraldrapids"),
        ("GenuineIntel", "6", GOLDEN_COVE, (64, 48, 2048), "graniterapids"),
    ],
)
def test_an_unknown_cpu_is_likest_to_the_one_of_its_family_with_its_caches_and_most_of_its_features(
    vendor: str, family: str, features: str, kib: tuple[int, ...], taken: str
) -> None:
    host = replace(HOST, cpuinfo={"vendor_id": vendor, "cpu family": family, "model": "9"})
    sizes = {name: (size << 10, 8) for name, size in zip(("l1i", "l1d", "l2"), kib, strict=False)}
    assert nearest_cpu(host, set(features.split()), sizes) == Nearest(taken, known=False)


def test_cpus_of_several_kinds_are_told_apart_and_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process may move from one kind to another: its file would be of neither."""
    arm = "".join(f"processor\t: {n}\nCPU implementer\t: 0x41\nCPU part\t: {'0xd05' if n < 4 else '0xd0b'}\n\n"
                  for n in range(6))  # fmt: skip
    (tmp_path / "cpuinfo").write_text(arm)
    monkeypatch.setattr(machine, "_CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(machine, "_DEVICES", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 2, 5})
    with pytest.raises(HostLacks, match="CPUs are of 2 kinds: 1,2; 5") as refused:
        machine.host_machine("")
    assert "taskset -c 1,2 kassay calibrate NAME" in refused.value.remedy
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {5})
    assert machine.host_machine("").cpuinfo["CPU part"] == "0xd0b"
    (tmp_path / "cpuinfo").write_text("".join(f"processor\t: {n}\nmodel\t\t: 154\n\n" for n in range(16)))
    for kind, cpus in (("cpu_core", "0-11\n"), ("cpu_atom", "12-15\n")):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "cpus").write_text(cpus)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 10, 11, 12})
    with pytest.raises(HostLacks, match="CPUs are of 2 kinds: 0,10,11; 12"):
        machine.host_machine("")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    assert machine.host_machine("").cpuinfo == {"model": "154"}


def test_a_file_of_host_may_be_of_any_kind_of_cpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = Machine(cpuinfo={"model": "2"}, when="2026-11-30")
    host = replace(timing_for("zen4"), machine=made)
    monkeypatch.setattr(machine, "timing_for", lambda name: host)
    monkeypatch.setattr(machine, "_CPUINFO", tmp_path / "cpuinfo")
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel\t: 1\n\nprocessor\t: 1\nmodel\t: 2\n")
    running = Output({}, {}, "")
    monkeypatch.setattr(program, "run", lambda arguments, samples: running)
    machine.refuse_another_machine("host")
    running = Output({}, {}, "KVMKVMKVM")
    with pytest.raises(BadInput, match="another machine: hypervisor: none in the file, KVMKVMKVM here"):
        machine.refuse_another_machine("host")
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel\t: 1\n\nprocessor\t: 1\nmodel\t: 3\n")
    with pytest.raises(BadInput, match="another machine: model: 2 in the file, 1 here"):
        machine.refuse_another_machine("host")
