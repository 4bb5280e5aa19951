# SPDX-License-Identifier: GPL-2.0-only
"""Records that go into the archive and come out of it."""

from kassay.model.machine import MachineUse
from kassay.model.records import Record, Setting, content_id
from kassay.model.run import Origin
from kassay.model.workload import Workload


class StoredSeries(Record, frozen=True, kw_only=True):
    """One metric under one set of conditions: only values of one series are ever compared."""

    workload: str
    metric: str
    unit: str
    better: str
    settings: tuple[Setting, ...]
    """Every parameter of the workload."""
    machine: MachineUse
    conditions: tuple[Setting, ...]
    """All else that could change a value and is no kernel: how the machine was made, the guest programs, how rounds
    became a value, kernel parameters."""
    definition: str = ""
    """Definition of the metric. It is not part of the identity."""
    primary: bool = False
    """True for a primary metric. It is not part of the identity."""

    @property
    def id(self) -> str:
        """Twelve hex digits of all that must be equal."""
        identity = StoredSeries(
            workload=self.workload, metric=self.metric, unit=self.unit, better=self.better, settings=self.settings,
            machine=self.machine, conditions=self.conditions,
        )  # fmt: skip
        return content_id(identity)[:12]

    @property
    def whole_machine(self) -> MachineUse:
        """The machine with what was chosen of it, which is among the conditions."""
        return self.machine.with_chosen(self.conditions)


class StoredKernel(Record, frozen=True, kw_only=True):
    """A kernel in the archive."""

    name: str
    """Name in the reports of its experiment."""
    ref: str
    """Reference that names this very kernel; "" if no command can."""
    release: str | None
    """Release; None if it is not known."""
    arch: str | None
    image_sha256: str | None = None
    compiler: str | None = None
    config_sha256: str | None = None
    commit: str | None = None

    @property
    def id(self) -> str:
        """Twelve hex digits of what identifies the kernel; its name only when nothing else is known."""
        known = self.image_sha256 or self.commit or self.release
        identity = StoredKernel(
            name="" if known else self.name, ref="" if self.image_sha256 else self.ref, release=self.release,
            arch=self.arch, image_sha256=self.image_sha256, commit=self.commit,
        )  # fmt: skip
        return content_id(identity)[:12]


class StoredRun(Record, frozen=True, kw_only=True):
    """One planned run that was tried."""

    name: str
    kernel: int
    """Index into Batch.kernels."""
    outcome: str
    attempts: int
    perturbation: int
    control: bool
    block: int | None
    started_utc: str
    """Start of the run; "" if it is not known."""
    origin: Origin | None = None
    """Run of another directory that it was taken from."""


class StoredSample(Record, frozen=True, kw_only=True):
    """One value of one run."""

    series: int
    """Index into Batch.series."""
    kernel: int
    """Index into Batch.kernels."""
    run: int
    """Index into Batch.runs."""
    value: float
    counted: bool
    """True if it is part of the point's value. Other runs (perturbed ones, controls) only show how much values differ
    that should be equal."""
    printed: bool = False
    deviation: float | None = None
    """Relative standard deviation of an imported mean."""
    told: int | None = None
    """Number of values behind an imported mean, as its source tells it."""


class FunctionChange(Record, frozen=True, kw_only=True):
    """A function's own cost on both sides of a comparison, per operation."""

    function: str
    base: float
    head: float


class ComparisonDetail(Record, frozen=True, kw_only=True):
    """The part of a comparison that is read with it, and not searched for."""

    reasons: tuple[str, ...] = ()
    """Reasons why it was refused, or why the evidence is less than exact."""
    confounders: tuple[str, ...] = ()
    """Further differences between the two kernels: compiler, configuration, CPU."""
    sentence: str = ""
    """The functions that explain the change, in words."""
    functions: tuple[FunctionChange, ...] = ()
    """Functions, the one with the largest change first; the remainder is in `rest`."""
    rest: float | None = None
    """Part of the change that is in no function of `functions`, per operation; None without a profile."""
    predictions: tuple[tuple[str, float, float, float], ...] = ()
    """Predicted changes in time: (CPU, change, low, high)."""
    accesses: tuple[float, float] | None = None
    """Loads and stores per operation on both sides; None without a recorded trace."""
    version: str = ""
    """Version of kassay that judged it."""


class StoredComparison(Record, frozen=True, kw_only=True):
    """Verdict on two kernels in one series."""

    series: int
    """Index into Batch.series."""
    base: int
    """Index of the first kernel in Batch.kernels."""
    head: int
    """Index of the second kernel in Batch.kernels."""
    verdict: str
    evidence: str
    change: float | None
    low: float | None
    high: float | None
    floor: float | None
    base_value: float | None
    head_value: float | None
    base_n: int
    head_n: int
    detail: ComparisonDetail


class StoredCost(Record, frozen=True, kw_only=True):
    """Cost of one kernel function per operation, as in analysis.function_costs."""

    series: int
    """Index into Batch.series."""
    kernel: int
    """Index into Batch.kernels."""
    function: str
    own: float
    whole: float | None
    calls: float
    callers: tuple[str, ...] = ()
    bytes: int | None = None
    """Size of its machine code; None if it is not known."""


class Batch(Record, frozen=True, kw_only=True):
    """All that one directory has for the archive."""

    plan: str
    session: str
    """Id that sets one measurement of a plan apart from a fresh one of the same plan. It stays as the directory
    grows."""
    kind: str
    """Kind of the directory: "run" or "import"."""
    name: str
    directory: str
    experiment: str
    """Experiment with kernels pinned, as JSON; "" for imports."""
    kernels: tuple[StoredKernel, ...]
    series: tuple[StoredSeries, ...]
    runs: tuple[StoredRun, ...]
    samples: tuple[StoredSample, ...]
    comparisons: tuple[StoredComparison, ...] = ()
    costs: tuple[StoredCost, ...] = ()
    workloads: tuple[Workload, ...] = ()
    """Workloads in their own words."""
    former_session: str = ""
    """Session as earlier versions named it, by the first record that counts."""


class KernelPoint(Record, frozen=True, kw_only=True):
    """One kernel of one series."""

    kernel: StoredKernel
    value: float | None
    """Median over runs, None when every run failed."""
    n: int | None
    """Number of counted runs; None if an imported mean does not tell."""
    spread: float | None
    """Interquartile range over median; None below two runs. For an imported mean it is the relative standard
    deviation."""
    floor: float | None
    """Highest minus lowest over all runs, perturbed ones included, relative."""
    first: str
    """Date of the first run, in UTC; "" if it is not known."""
    last: str
    """Date of the last run, in UTC; "" if it is not known."""
    change: float | None = None
    """Change against the point before."""
    session: str = ""
    """Directory of the measurement, for a point over dates; "" for other points."""


class PointLine(Record, frozen=True, kw_only=True):
    """The points of one series and one line of development, in order; over dates those of one kernel."""

    series: StoredSeries
    points: tuple[KernelPoint, ...]
    development: str = ""
    """Name of the line of development; "" for releases of the archive and for imports. Over dates the kernel's name."""

    @property
    def over_dates(self) -> bool:
        """True if its points are one kernel in several directories."""
        return any(point.session for point in self.points)


class Confirmation(Record, frozen=True, kw_only=True):
    """Result of a fresh interleaved pair for a nomination."""

    nomination: str
    when_utc: str
    outcome: str
    """Word of OUTCOMES."""
    words: str
    directory: str = ""
    verdict: str = ""
    evidence: str = ""
    change: float | None = None
    low: float | None = None
    high: float | None = None


OUTCOMES = {
    "confirmed": "a fresh interleaved pair changed in the same direction, with a verdict",
    "not confirmed": "a fresh interleaved pair does not show it",
    "undecided": "a fresh interleaved pair has no verdict, or none on strong evidence",
    "not reproducible": "the pair cannot be measured again",
}


class Nomination(Record, frozen=True, kw_only=True):
    """Two neighbouring points between which a series may have changed: worth measuring again, never a change by
    itself."""

    id: str
    series: StoredSeries
    before: KernelPoint
    """Point of the kernel before the change."""
    after: KernelPoint
    """Point of the kernel after the change."""
    change: float
    """Change of exact counts between the two kernels; of times between the medians of the segments on both sides."""
    points: tuple[int, int]
    """Number of points in each of the two segments."""
    why: str
    """Value that its size is compared with, in words."""
    confirmation: Confirmation | None = None
    """Latest confirmation, if there is one."""
    refusal: str = ""
    """Verdict and reason of the comparison that refuses the two kernels: their values do not belong to the same work
    or state. "" if there is none."""
