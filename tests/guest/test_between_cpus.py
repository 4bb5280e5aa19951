# SPDX-License-Identifier: GPL-2.0-only
"""Work that CPUs did for each other is read from the kernel's own files."""

from kassay.model.guest import CapturedFile, GuestReport
from kassay.supply.guest import _procfs, audit

X86 = """\
           CPU0       CPU1
   4:        351          0   IO-APIC   4-edge      ttyS0
 NMI:          0          0   Non-maskable interrupts
 RES:          9          7   Rescheduling interrupts
 CAL:          8         40   Function call interrupts
 TLB:          1         30   TLB shootdowns
 ERR:          0
"""
ARM64 = """\
           CPU0       CPU1
 12:       2000       1000     GICv2  27 Level     arch_timer
IPI0:         3          4       Rescheduling interrupts
IPI1:         5          6       Function call interrupts
Err:          0
"""


def test_interrupts_between_cpus_are_read_on_both_architectures() -> None:
    assert _procfs.interrupts(X86) == {
        "ipi.reschedule.cpu0": 9, "ipi.reschedule.cpu1": 7, "ipi.call_function.cpu0": 8, "ipi.call_function.cpu1": 40,
        "ipi.tlb_shootdown.cpu0": 1, "ipi.tlb_shootdown.cpu1": 30,
    }  # fmt: skip
    assert _procfs.interrupts(ARM64) == {
        "ipi.reschedule.cpu0": 3, "ipi.reschedule.cpu1": 4, "ipi.call_function.cpu0": 5, "ipi.call_function.cpu1": 6,
    }  # fmt: skip
    assert _procfs.interrupts("") == _procfs.interrupts("nonsense\n RES: x y\n") == {}


def test_run_times_of_cpus_are_read_and_domains_are_not() -> None:
    text = (
        "version 17\ntimestamp 4294\ncpu0 0 0 0 0 0 0 500 60 7\ndomain0 MC 3 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 8 9 10\n"
    )
    assert _procfs.schedstat(text) == {"cpu0.ran": 500, "cpu0.turns": 7, "cpu1.ran": 8, "cpu1.turns": 10}


def report(**files: str) -> GuestReport:
    captured = tuple(
        CapturedFile(moment=name.partition("_")[0], path=f"kassay/{name.partition('_')[2]}", content=text)
        for name, text in files.items()
    )
    return GuestReport(
        workload="w", clock="tsc", ticks_per_second=None, overhead_ticks=0, phases=(), requirements=(), files=captured,
        check="ok",
    )  # fmt: skip


def test_what_tasks_gained_is_counted_for_the_cpu_they_were_last_on() -> None:
    found = audit.ran_on(
        report(
            before_tasks="1 init\t10 0 1\n7 workload\t100 0 1\n",
            after_tasks="1 init\t10 0 1\n7 workload\t150 0 2\n8 workload\t30 0 1\n",
            after_placed="1 0\n7 0\n8 1\n9 1\n",
        )
    )
    assert found == {"ran.workload.cpu0": "50", "ran.workload.cpu1": "30"}
    assert audit.ran_on(report(before_tasks="1 a\t1 0 1\n", after_tasks="1 a\t5 0 1\n")) == {}
