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
    """The run whose finished record another directory took."""

    plan: str
    """Hash of its plan.json."""
    run: str
    """Its id there."""


class RunRecord(Record, frozen=True, kw_only=True):
    """One attempt at one planned run; never changed once written."""

    run: str
    attempt: int
    outcome: str
    detail: str
    """One line, why not ok."""
    stream_sha256: str | None
    console_sha256: str | None
    """`stream_sha256`/`console_sha256`: The guest's raw result stream and the kernel log, as artifacts of the journal;
    None when there was none."""
    wall: WallTime
    argv: tuple[str, ...]
    """How the machine was started, artifact paths shortened to their names."""
    started_utc: str
    profile_sha256: str | None = None
    """What the emulator counted in the region; None when the run carried no profile, profile_problem then says why one
    that was wanted is not there."""
    profile_problem: str = ""
    symbols: tuple[str, ...] = ()
    """Tables of kernel, program and modules, for its addresses."""
    trace_sha256: str | msgspec.UnsetType = msgspec.UNSET
    """The stream of what chosen rounds executed; not written when the run recorded none."""
    host: str | msgspec.UnsetType = msgspec.UNSET
    """Name of the host that made it, host_sha256: the artifact that says what it is (a model.host.Host in JSON); not
    written of runs on the host that keeps the journal."""
    host_sha256: str | msgspec.UnsetType = msgspec.UNSET
    lines_sha256: str | msgspec.UnsetType = msgspec.UNSET
    """Source lines of the kernel's executed instructions (a model.lines.LineTable in JSON); not written without line
    tables."""
    reused: Origin | msgspec.UnsetType = msgspec.UNSET
    """The run that this record was taken from, as it had equal inputs; not written of runs that were made for this
    directory."""

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
    """Measurement of one successful run."""

    run: str
    repeat: int
    perturbation: int
    """0 for a plain run, else its number. before, after, boot: audited fields, in order; None is absent."""
    phases: tuple[PhaseRounds, ...]
    ns_per_tick: float
    """Of the phases' clock."""
    before: Fields
    after: Fields
    requirements: tuple[CheckedRequirement, ...]
    foreign_ns: tuple[tuple[str, int], ...] | None
    """Run time of tasks other than the workload inside the measured region, largest first; None when unknown."""
    region_ns: int | None
    """Length of the measured region in guest time; None when unknown."""
    counters: Fields = ()
    """As audit.delta() and audit.ran_on() name them, after minus before."""
    levels: Fields = ()
    """The same of audit.levels(), right after the region."""
    notes: tuple[str, ...] = ()
    """The workload's own words on what was done."""
    quiescence: str | None = None
    """True if the guest became quiet before the workload ("quiet", "busy NAME", "skipped"); None when unknown."""
    region: RegionSummary | None = None
    """The profile of the whole measured region; None when the run carried none."""
    block: int = 0
    control: bool = False
    """`block`/`control`: As planned."""
    cpu: GuestCpu | None = None
    """As the kernel saw it; None when it was not captured."""
    tasks_left_out: int | None = None
    """Tasks whose run time is not in foreign_ns, as there were more than the guest had room for; None when that is not
    known."""
    printed: tuple[Printed, ...] = ()
    """By a user's program."""
    work: Work | None = None
    """Of a user's program, without items where it is not known; None of another workload."""
    host: str = ""
    """That made it, "" for the one that keeps the journal."""
    deferred: str = "included"
    """ "included" in the phases' ticks, "apart", or "not known" where it was to be left out and no profile tells how
    much it was."""

    @property
    def plain(self) -> bool:
        """True if its value counts: nothing was moved on purpose, and it is no control."""
        return self.perturbation == 0 and not self.control


class Disagreement(Record, frozen=True, kw_only=True):
    """Two hosts that counted the same otherwise."""

    host: str
    other: str
    reason: Reason
    """ "hosts-disagree", with the runs and both counts."""


class CellEvidence(Record, frozen=True, kw_only=True):
    """All that is known of one cell: its measurements in run order and its failed attempts."""

    cell: Cell
    kernel: KernelIdentity
    label: str
    """What reports call it, unique in its experiment."""
    measurements: tuple[Measurement, ...]
    failures: tuple[RunRecord, ...]
    lost: int
    """Planned runs that were tried and never succeeded."""
    unmade: int = 0
    """Planned runs not tried yet."""
    control_failures: tuple[RunRecord, ...] = ()
    """Attempts at control runs, which are in none of the other three."""
    disagreements: tuple[Disagreement, ...] = ()
    """Of hosts, in any cell of the experiment."""
    left_out: int = 0
    """Perturbed runs that are no part of `measurements`, since other tasks ran in their measured region."""
