# SPDX-License-Identifier: GPL-2.0-only
"""What one boot gave: the outcome, the raw artifacts, and where the wall time went."""

from kassay.model.records import Record

OUTCOMES = {
    "ok": "measured, checked, complete",
    "timeout": "no end within the allowed wall time",
    "panic": "the kernel panicked",
    "oops": "an oops, BUG or WARN stands in the kernel log",
    "machine-died": "QEMU ended by itself before the guest was done",
    "guest-error": "the guest program reported an error",
    "check-failed": "the workload's own check found that the work was not done",
    "torn-output": "the result stream is cut or damaged",
    "no-boot": "the guest gave no sign of life",
    "busy": "the guest never became quiet, so its time would have been other tasks' as well; timed runs only",
}


class WallTime(Record, frozen=True, kw_only=True):
    """Wall seconds of one run, by stage; 0 for a stage that was not reached. For speed only, never a result."""

    boot_s: float = 0.0
    quiescence_s: float = 0.0
    workload_s: float = 0.0
    shutdown_s: float = 0.0


class RunRecord(Record, frozen=True, kw_only=True):
    """One attempt at one planned run; never changed once written.

    stream_sha256, console_sha256: the guest's raw result stream and the kernel log, as
    artifacts of the journal; None when there was none. detail: one line, why not ok.
    argv: how the machine was started, artifact paths shortened to their names.
    profile_sha256: what the emulator counted in the region; None when the run carried no profile, profile_problem
    then says why one that was wanted is not there. symbols: tables of kernel, program and modules, for its addresses.
    """

    run: str
    attempt: int
    outcome: str
    detail: str
    stream_sha256: str | None
    console_sha256: str | None
    wall: WallTime
    argv: tuple[str, ...]
    started_utc: str
    profile_sha256: str | None = None
    profile_problem: str = ""
    symbols: tuple[str, ...] = ()
