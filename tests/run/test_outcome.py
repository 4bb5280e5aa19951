# SPDX-License-Identifier: GPL-2.0-only
"""Outcomes are told apart, the gravest first."""

import pytest

from kassay.run.outcome import classify, killed_for_memory


def outcome(
    console: bytes = b"", problem: tuple[str, str] | None = None, status: int = 0, timed_out: bool = False
) -> str:
    return classify(console=console, stream_problem=problem, status=status, timed_out=timed_out, machine_words="")[0]


@pytest.mark.parametrize(
    ("console", "expected"),
    [
        (b"[    0.0] Linux version 6.12\n", "ok"),
        (b"[ 1.0] Kernel panic - not syncing: Attempted to kill init!\n", "panic"),
        (b"[ 1.0] BUG: kernel NULL pointer dereference\n[ 1.1] Kernel panic - not syncing: Fatal exception\n", "panic"),
        (b"[ 1.0] WARNING: CPU: 0 PID: 1 at mm/mprotect.c:88 change_pte_range+0x1/0x2\n", "oops"),
        (b"[ 1.0] Oops: 0000 [#1] PREEMPT SMP\n", "oops"),
        (b"[    1.2] general protection fault, probably for non-canonical address 0xdead: 0000 [#1]\n", "oops"),
        (b"[  243.1] INFO: task kassay:1 blocked for more than 120 seconds.\n", "oops"),
        (b"[    0.0] Kernel command line: x=WARNING:y DEBUG: 1\n", "ok"),
        (b"[    0.1] Spectre V2 : WARNING: Unprivileged eBPF is enabled\n", "ok"),
        (b"[ 1.0] BUG: unable to handle page fault for address: 0\n", "oops"),
        (b"[ 5.1] kernel BUG at mm/page_alloc.c:1234!\n", "oops"),
        (b"[ 5.1] Internal error: Oops - BUG: 00000000f2000800 [#1]  SMP\n", "oops"),
        (b"[ 5.1][    T1] Internal error: synchronous external abort: 0000000096000210 [#1] SMP\n", "oops"),
        (b"[ 5.1] Bad mode in Synchronous Abort handler detected on CPU0, code 0x02000000 -- IABT\n", "oops"),
        (b"[ 5.1] no kernel BUG at all, Internal error: none\n", "ok"),
    ],
)  # fmt: skip
def test_the_kernel_log_decides_first(console: bytes, expected: str) -> None:
    assert outcome(console=console) == expected


def test_a_timeout_is_told_from_a_torn_stream() -> None:
    assert outcome(problem=("torn-output", "cut"), timed_out=True) == "timeout"


def test_a_machine_that_died_is_told_from_a_guest_that_failed() -> None:
    assert outcome(problem=("no-boot", ""), status=-9) == "machine-died"
    assert outcome(problem=("guest-error", "mmap"), status=1) == "guest-error"


def test_a_sound_stream_with_a_bad_status_is_not_called_ok_when_cut() -> None:
    assert outcome(problem=("torn-output", ""), status=0) == "torn-output"
    assert outcome(problem=("check-failed", ""), status=0) == "check-failed"


@pytest.mark.parametrize(
    ("console", "said"),
    [
        (b"[ 1.0] Out of memory: Killed process 57 (busybox) total-vm:9kB\n",
         "the kernel had killed busybox: out of memory; give more with --memory"),
        (b"[ 1.0] Memory cgroup out of memory: Killed process 57 (p) total-vm:9kB, UID:0\n",
         "the kernel had killed p: out of memory in its cgroup; give more with --memcg"),
        (b"[ 1.0][   T57] Memory cgroup out of memory: Killed process 57 (p)\n",
         "the kernel had killed p: out of memory in its cgroup; give more with --memcg"),
        (b"[ 1.0] nothing of the kind\n", ""),
    ],
)  # fmt: skip
def test_a_task_that_the_kernel_killed_for_want_of_memory_is_named(console: bytes, said: str) -> None:
    assert killed_for_memory(console, "64MiB") == said


def test_a_cgroup_of_the_program_itself_is_not_that_of_memcg() -> None:
    console = b"[ 1.0] Memory cgroup out of memory: Killed process 57 (p)\n"
    assert killed_for_memory(console, "") == "the kernel had killed p: out of memory in its cgroup"
