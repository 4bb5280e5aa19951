# SPDX-License-Identifier: GPL-2.0-only
"""Results of one boot: its outcome and raw artifacts, and, read from these, its rounds and audited state."""

import msgspec

from kassay.model.guest import GuestCpu, PhaseRounds, Requirement
from kassay.model.kernel import KernelIdentity
from kassay.model.plan import Cell
from kassay.model.printed_values import Printed
from kassay.model.profile import RegionSummary
from kassay.model.reason import Reason
from kassay.model.records import Record
from kassay.model.work import Work

OUTCOMES = {
    "ok": "measured, checked, complete",
    "timeout": "no end within the allowed wall time",
    "panic": "the kernel panicked",
    "oops": "an oops, BUG or WARN stands in the kernel log",
    "machine-died": "the machine ended by itself before the run was done",
    "no-modules": "kernel modules that the workload needs cannot be had for this kernel; nothing was booted",
    "guest-error": "the guest program reported an error",
    "check-failed": "the workload's own check found that the work was not done",
    "torn-output": "the result stream is cut or damaged",
    "no-boot": "the kernel gave no sign of life",
    "host-lost": "the host that had begun its block went away: the block is made again on another one; timed runs only",
    "busy": "the guest never became quiet, so its time would have been other tasks' as well; timed runs only",
    "throttled": "a CPU was slowed down for its temperature or its power during the run",
}


class WallTime(Record, frozen=True, kw_only=True):
    """Wall seconds of one run, by stage; 0 for a stage that was not reached. For speed only, never a result."""

    boot_s: float = 0.0
    quiescence_s: float = 0.0
    workload_s: float = 0.0
    shutdown_s: float = 0.0


class Origin(Record, frozen=True, kw_only=True):
    """The run whose finished record another directory took. plan: hash of its plan.json; run: its id there."""

    plan: str
    run: str


class RunRecord(Record, frozen=True, kw_only=True):
    """One attempt at one planned run; never changed once written.

    stream_sha256, console_sha256: the guest's raw result stream and the kernel log, as
    artifacts of the journal; None when there was none. detail: one line, why not ok.
    argv: how the machine was started, artifact paths shortened to their names.
    profile_sha256: what the emulator counted in the region; None when the run carried no profile, profile_problem
    then says why one that was wanted is not there. symbols: tables of kernel, program and modules, for its addresses.
    trace_sha256: the stream of what chosen rounds executed; not written when the run recorded none.
    lines_sha256: source lines of the kernel's executed instructions (a model.lines.LineTable in JSON); not written
    without line tables.
    host: name of the host that made it, host_sha256: the artifact that says what it is (a model.host.Host in JSON); not
    written of runs on the host that keeps the journal.
    reused: the run that this record was taken from, as it had equal inputs; not written of runs that were made for this
    directory.
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
    trace_sha256: str | msgspec.UnsetType = msgspec.UNSET
    host: str | msgspec.UnsetType = msgspec.UNSET
    host_sha256: str | msgspec.UnsetType = msgspec.UNSET
    lines_sha256: str | msgspec.UnsetType = msgspec.UNSET
    reused: Origin | msgspec.UnsetType = msgspec.UNSET

    @property
    def artifacts(self) -> tuple[str, ...]:
        """All that it names, by their sha256."""
        digests = (self.stream_sha256, self.console_sha256, self.profile_sha256, self.trace_sha256, self.host_sha256,
               self.lines_sha256)  # fmt: skip
        return (*(name for name in digests if name), *self.symbols)

    @property
    def trace(self) -> str | None:
        """The artifact of the trace; None when the run recorded none."""
        return self.trace_sha256 or None


Fields = tuple[tuple[str, str | None], ...]


class CheckedRequirement(Record, frozen=True, kw_only=True):
    """A requirement with what was found; holds is None when the field is absent."""

    requirement: Requirement
    found: str | None
    holds: bool | None


class Measurement(Record, frozen=True, kw_only=True):
    """Measurement of one successful run. perturbation: 0 for a plain run, else its number.

    before, after, boot: audited fields, in order; None is absent. foreign_ns: run time of tasks other
    than the workload inside the measured region, largest first; None when unknown.
    ns_per_tick: of the phases' clock. region_ns: length of the measured region in guest time; None when unknown.
    quiescence: whether the guest became quiet before the workload ("quiet", "busy NAME", "skipped"); None when unknown.
    counters: as audit.delta() and audit.ran_on() name them, after minus before. levels: the same of audit.levels(),
    right after the region. notes: the workload's own words on what
    was done.
    region: the profile of the whole measured region; None when the run carried none. block, control: as planned.
    cpu: as the kernel saw it; None when it was not captured. tasks_left_out: tasks whose run time is not in
    foreign_ns, as there were more than the guest had room for; None when that is not known.
    printed: by a user's program. work: of a user's program, without items where it is not known; None of another
    workload. host: that made it, "" for the one that keeps the journal. deferred: "included" in the phases' ticks,
    "apart", or "not known" where it was to be left out and no profile tells how much it was.
    """

    run: str
    repeat: int
    perturbation: int
    phases: tuple[PhaseRounds, ...]
    ns_per_tick: float
    before: Fields
    after: Fields
    requirements: tuple[CheckedRequirement, ...]
    foreign_ns: tuple[tuple[str, int], ...] | None
    region_ns: int | None
    counters: Fields = ()
    levels: Fields = ()
    notes: tuple[str, ...] = ()
    quiescence: str | None = None
    region: RegionSummary | None = None
    block: int = 0
    control: bool = False
    cpu: GuestCpu | None = None
    tasks_left_out: int | None = None
    printed: tuple[Printed, ...] = ()
    work: Work | None = None
    host: str = ""
    deferred: str = "included"

    @property
    def plain(self) -> bool:
        """True if its value counts: nothing was moved on purpose, and it is no control."""
        return self.perturbation == 0 and not self.control


class Disagreement(Record, frozen=True, kw_only=True):
    """Two hosts that counted the same otherwise. reason: "hosts-disagree", with the runs and both counts."""

    host: str
    other: str
    reason: Reason


class CellEvidence(Record, frozen=True, kw_only=True):
    """All that is known of one cell: its measurements in run order and its failed attempts.

    label: what reports call it, unique in its experiment. lost: planned runs that were
    tried and never succeeded. unmade: planned runs not tried yet. control_failures: attempts at control runs, which are
    in none of the other three. disagreements: of hosts, in any cell of the experiment.
    """

    cell: Cell
    kernel: KernelIdentity
    label: str
    measurements: tuple[Measurement, ...]
    failures: tuple[RunRecord, ...]
    lost: int
    unmade: int = 0
    control_failures: tuple[RunRecord, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    left_out: int = 0
    """Perturbed runs that are no part of `measurements`, since other tasks ran in their measured region."""
