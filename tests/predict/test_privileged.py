# SPDX-License-Identifier: GPL-2.0-only
"""Do points of the virtual machine become the right costs, and are those of a hypervisor refused by name?"""

from pathlib import Path

import pytest

from kassay.labs.predict.calibrate.calibrate import Calibrated, timing_of
from kassay.labs.predict.calibrate.machine import HostMachine, Nearest
from kassay.labs.predict.calibrate.privileged import costs, refusal, split_exits
from kassay.labs.predict.calibrate.samples import Measured, Point, Repeat
from kassay.labs.predict.commands.calibrate import _summary
from kassay.labs.predict.timing import ASSUMED, MEASURED, timing_for

HOST = HostMachine(arch="x86_64", cpuinfo={}, kernel="Linux 6.18", hypervisor="", thp="madvise")
WAYS = {
    "ring0_frame": 5.0, "ring0_iret": 65.0, "ring0_fault": 160.0, "ring0_int": 150.0, "ring3_clock": 50.0,
    "ring3_syscall": 90.0, "ring3_syscall_sysret": 75.0, "ring3_syscall_iret": 145.0, "ring3_fault": 320.0,
    "ring3_int": 260.0,
}  # fmt: skip


def exactly(**cycles: float) -> dict[str, Measured]:
    return {name: Measured(value, value, value, 40) for name, value in cycles.items()}


def test_each_way_into_the_kernel_and_out_of_it_has_its_own_cost() -> None:
    found = costs(exactly(**WAYS))
    assert {name: cost.value for name, cost in found.items()} == {
        "syscall": 40, "sysret": 35, "iret": 100, "exception_entry": 220, "interrupt": 160,
    }  # fmt: skip
    assert {name: (cost.low, cost.high) for name, cost in found.items()} == {
        "syscall": (40, 40), "sysret": (35, 35), "iret": (60, 100), "exception_entry": (100, 220),
        "interrupt": (90, 160),
    }  # fmt: skip
    assert found["sysret"].how == (
        "SYSCALL and SYSRET, less SYSCALL, in a virtual machine (ring3_syscall_sysret, ring3_syscall, ring3_clock)"
    )


def test_bounds_of_a_difference_are_those_of_its_parts_and_none_is_below_zero() -> None:
    points = {"ring0_cli": Measured(5.0, 4.0, 7.0, 40), "ring0_cli_sti": Measured(9.0, 8.0, 10.0, 40)}
    assert costs(points)["sti"][:3] == (4.0, 1.0, 6.0)
    points["ring0_cli_sti"] = Measured(4.5, 4.4, 8.0, 40)
    assert costs(points)["sti"][:3] == (0.0, 0.0, 4.0)


def test_bounds_include_other_forms_of_the_instruction() -> None:
    found = costs(exactly(ring0_mov_cr3=150, ring0_mov_cr3_keep=90, ring0_stac=5, ring0_stac_clac=16))
    assert found["mov_cr3"][:3] == (150, 90, 150)
    assert found["stac"][:3] == (5, 5, 8)
    assert "clac" not in found


def test_an_instruction_that_a_hypervisor_takes_over_is_left_out_by_name() -> None:
    points = exactly(ring0_cpuid=1800, ring0_mov_cr4=900, ring0_wrmsr=899, cpuid_many=1000, fault_file=5000)
    kept, left_out = split_exits(points, hypervisor=False)
    assert kept.keys() == {"ring0_wrmsr", "cpuid_many", "fault_file"}
    assert left_out["ring0_mov_cr4"] == "a hypervisor takes part in it: 900 cycles"
    assert refusal("mov_cr", kept, left_out) == left_out["ring0_mov_cr4"]
    assert refusal("wrmsr", kept, left_out) == refusal("width", kept, left_out) == ""


def test_a_virtual_machine_in_another_one_has_two_hypervisors() -> None:
    points = exactly(ring0_cpuid=30000, ring0_wrmsr=900, ring0_rdmsr=50, cpuid_many=1800)
    kept, left_out = split_exits(points, hypervisor=True)
    assert kept.keys() == {"ring0_rdmsr", "cpuid_many"} and left_out.keys() == {"ring0_cpuid", "ring0_wrmsr"}


@pytest.mark.slow
def test_a_timing_file_has_the_costs_and_the_reasons_of_the_rest() -> None:
    points = {**WAYS, "ring0_cpuid": 1800.0, "ring0_mov_cr4": 1700.0}
    measured = {name: Point(quartile=value, least=value, n=20) for name, value in points.items()}
    refused = {"ring0_invpcid_page": "the virtual machine lacks this instruction"}
    repeat = Repeat(repeat=0, group="privileged", hz=4e9, points=measured, refused=refused)
    nearest = timing_for("zen4")
    timing = timing_of("mine", HOST, nearest, [repeat])
    assert timing.machine is not None
    missing = timing.machine.missing
    iret, entry, cr4 = timing.system["iret"], timing.parameters["exception_entry"], timing.system["mov_cr"]
    assert (iret.value, iret.low, iret.status) == (100, 60, MEASURED)
    assert (entry.value, entry.status) == (220, MEASURED) and "exception_entry" not in missing
    assert cr4.status == ASSUMED and cr4.value == nearest.system["mov_cr"].value
    assert missing["mov_cr"] == "a hypervisor takes part in it: 1700 cycles"
    assert missing["invpcid"] == "the virtual machine lacks this instruction"


@pytest.mark.slow
def test_a_machine_without_kvm_says_so_in_the_file_and_in_the_answer() -> None:
    why = "/dev/kvm: Permission denied: join the group kvm, or run as root"
    repeat = Repeat(repeat=0, group="privileged", hz=4e9, points={}, refused=dict.fromkeys(WAYS, why))
    timing = timing_of("mine", HOST, timing_for("zen4"), [repeat])
    assert timing.machine is not None
    missing = timing.machine.missing
    assert {missing[name] for name in ("syscall", "exception_entry", "iret")} == {why}
    assert missing["hlt"] == "privileged: no probe executes it"
    done = Calibrated(Path("mine.toml"), timing, 0, (), tuple(missing), Nearest("zen4", known=True), 0, 0)
    assert f"privileged instructions were not measured: {why}\n" in _summary("mine", done)
