# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's description of its CPU is read as it stands. A run that shipped none has none."""

from msgspec import UNSET

from kassay.model.guest import CapturedFile, GuestReport
from kassay.model.records import Setting
from kassay.supply.arches import arch_of
from kassay.supply.cpus import cpus
from kassay.supply.guest import protocol
from kassay.supply.guest.cpu import CPUINFO, VULNERABILITIES, cpu_of
from tests.guest.frames import DATA, RECORDS, booted

X86_64 = arch_of("x86_64")
EMPTY = protocol.parse(booted(*RECORDS))
ARM = """processor\t: 0
BogoMIPS\t: 2000.00
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x1
CPU part\t: 0xd07
CPU revision\t: 0

processor\t: 1
Features\t: atomics
"""


def report(**texts: str) -> GuestReport:
    """The empty report with more files, captured after the region."""
    files = tuple(CapturedFile(moment="after", path=path, content=text) for path, text in texts.items())
    fields = {name: getattr(EMPTY, name) for name in EMPTY.__struct_fields__}
    return GuestReport(**{**fields, "files": (*EMPTY.files, *files)})


def test_an_emulated_x86_cpu_and_what_it_lacks() -> None:
    cpu = cpu_of(protocol.parse((DATA / "calibrate-6.12.stream").read_bytes()), X86_64)
    assert cpu is not None
    assert cpu.name == "QEMU Virtual CPU version 2.5+"
    assert cpu.missing == ("erms", "fsrm", "smap", "pcid", "invpcid")
    assert {"rep_good", "nx", "rdrand"} <= set(cpu.features)
    states = {item.name: item.value for item in cpu.vulnerabilities}
    assert states["meltdown"] == "Not affected"
    assert states["spectre_v2"].startswith("Mitigation: Retpolines; ")


def test_an_arm64_cpu_is_named_by_its_numbers_and_only_the_first_one_is_read() -> None:
    cpu = cpu_of(
        report(**{CPUINFO: ARM, VULNERABILITIES + "spectre_v1": "Mitigation: __user pointer sanitization\n"}),
        arch_of("arm64"),
    )
    assert cpu is not None
    assert cpu.name == "CPU implementer 0x41, CPU part 0xd07, CPU variant 0x1, CPU revision 0"
    assert cpu.missing == ("atomics", "paca", "bti", "mte")
    assert cpu.vulnerabilities == (Setting(name="spectre_v1", value="Mitigation: __user pointer sanitization"),)


def test_report_names_features_missing_from_emulated_cpu() -> None:
    cpu = cpu_of(report(**{CPUINFO: ARM}), arch_of("arm64"), cpus()["neoverse_v1"])
    assert cpu is not None and cpu.named is not UNSET
    assert {"atomics", "sve", "paca"} <= set(cpu.missing) and "mte" not in cpu.missing
    assert (cpu.named.name, cpu.named.real) == ("neoverse_v1", True)
    assert cpu.named.other == (Setting(name="CPU part", value="0xd07 instead of 0xd40"),)
    anything = cpu_of(report(**{CPUINFO: ARM}), arch_of("arm64"), cpus()["max"])
    assert anything is not None and anything.named is not UNSET
    assert (anything.named.real, anything.missing) == (False, ("atomics", "paca", "bti", "mte"))


def test_without_cpuinfo_nothing_is_known() -> None:
    assert cpu_of(EMPTY, X86_64) is None
    assert cpu_of(protocol.parse((DATA / "mprotect_toggle-6.12.stream").read_bytes()), X86_64) is None
    unread = cpu_of(report(**{CPUINFO: "nonsense\n"}), X86_64)
    assert unread is not None and (unread.name, unread.features, unread.missing) == ("", (), ())
