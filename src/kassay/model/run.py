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
    """Hash of the other directory's plan.json."""
    run: str
    """Id of the run in the other directory."""


class RunRecord(Record, frozen=True, kw_only=True):
    """One attempt at one planned run; never changed once written."""

    run: str
    attempt: int
    outcome: str
    detail: str
    """Reason why the outcome is not ok, one line."""
    stream_sha256: str | None
    """Artifact of the journal with the guest's raw result stream; None when there was none."""
    console_sha256: str | None
    """Artifact of the journal with the kernel log; None when there was none."""
    wall: WallTime
    argv: tuple[str, ...]
    """Command that started the machine, with artifact paths shortened to their names."""
    started_utc: str
    profile_sha256: str | None = None
    """Artifact with the emulator's counts of the region; None when the run carried no profile."""
    profile_problem: str = ""
    """Reason why a profile that was wanted is not there."""
    symbols: tuple[str, ...] = ()
    """Symbol tables of kernel, program and modules, for the profile's addresses."""
    trace_sha256: str | msgspec.UnsetType = msgspec.UNSET
    """Artifact with the stream of what chosen rounds executed. Not written when the run recorded none."""
    host: str | msgspec.UnsetType = msgspec.UNSET
    """Name of the host that made it. Not written for runs on the host that keeps the journal."""
    host_sha256: str | msgspec.UnsetType = msgspec.UNSET
    """Artifact that describes `host` (a model.host.Host in JSON). Not written for runs on the host that keeps the
    journal."""
    lines_sha256: str | msgspec.UnsetType = msgspec.UNSET
    """Artifact with the source lines of the kernel's executed instructions (a model.lines.LineTable in JSON). Not
    written without line tables."""
    reused: Origin | msgspec.UnsetType = msgspec.UNSET
    """Run that this record was taken from, as it had equal inputs. Not written for runs that were made for this
    directory."""
    host_dependence: str | msgspec.UnsetType = msgspec.UNSET
    """Reason why digits of an exact clock may depend on the host. Not written if none is known."""

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
    """Number of the perturbation; 0 for a plain run."""
    phases: tuple[PhaseRounds, ...]
    ns_per_tick: float
    """Nanoseconds per tick of the phases' clock."""
    before: Fields
    """Audited fields before the workload, in order; None is absent."""
    after: Fields
    """Audited fields after the workload, in order; None is absent."""
    requirements: tuple[CheckedRequirement, ...]
    foreign_ns: tuple[tuple[str, int], ...] | None
    """Run time of tasks other than the workload inside the measured region, largest first; None when unknown."""
    region_ns: int | None
    """Length of the measured region in guest time; None when unknown."""
    counters: Fields = ()
    """Differences of counters, after minus before, named as by audit.delta() and audit.ran_on()."""
    levels: Fields = ()
    """Levels right after the region, named as by audit.levels()."""
    notes: tuple[str, ...] = ()
    """The workload's own words on what was done."""
    quiescence: str | None = None
    """State of the guest before the workload: "quiet", "busy NAME" or "skipped"; None when unknown."""
    region: RegionSummary | None = None
    """Profile of the whole measured region; None when the run carried none."""
    block: int = 0
    """Number of the block, as planned."""
    control: bool = False
    """True for a control run, as planned."""
    cpu: GuestCpu | None = None
    """CPU as the kernel saw it; None when it was not captured."""
    tasks_left_out: int | None = None
    """Number of tasks that foreign_ns lacks, as there were more than the guest had room for; None when that is not
    known."""
    printed: tuple[Printed, ...] = ()
    """Values that a user's program printed."""
    work: Work | None = None
    """Work of a user's program, without items if it is not known; None for another workload."""
    host: str = ""
    """Host that made the run; "" for the host that keeps the journal."""
    deferred: str = "included"
    """Place of deferred work: "included" in the phases' ticks or "apart". It is "not known" if it was to be left out
    and no profile tells its amount."""

    @property
    def plain(self) -> bool:
        """True if its value counts: nothing was moved on purpose, and it is no control."""
        return self.perturbation == 0 and not self.control


class Disagreement(Record, frozen=True, kw_only=True):
    """Two hosts whose counts differ for the same work."""

    host: str
    other: str
    reason: Reason
    """The reason "hosts-disagree", with the runs and both counts."""


class CellEvidence(Record, frozen=True, kw_only=True):
    """All that is known of one cell: its measurements in run order and its failed attempts."""

    cell: Cell
    kernel: KernelIdentity
    label: str
    """Name of the kernel in reports, unique in its experiment."""
    measurements: tuple[Measurement, ...]
    failures: tuple[RunRecord, ...]
    lost: int
    """Number of planned runs that were tried and never succeeded."""
    unmade: int = 0
    """Number of planned runs not tried yet."""
    control_failures: tuple[RunRecord, ...] = ()
    """Failed attempts at control runs. They are in none of `failures`, `lost` and `unmade`."""
    disagreements: tuple[Disagreement, ...] = ()
    """Disagreements of hosts in any cell of the experiment."""
    left_out: int = 0
    """Number of perturbed runs that `measurements` lacks, since other tasks ran in their measured region."""
