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
    became a value, extra kernel parameters."""
    definition: str = ""
    primary: bool = False
    """`definition`/`primary`: Not part of the identity."""

    @property
    def id(self) -> str:
        """Twelve hex digits of all that must be equal."""
        identity = StoredSeries(
            workload=self.workload, metric=self.metric, unit=self.unit, better=self.better, settings=self.settings,
            machine=self.machine, conditions=self.conditions,
        )  # fmt: skip
        return content_id(identity)[:12]


class StoredKernel(Record, frozen=True, kw_only=True):
    """A kernel in the archive."""

    name: str
    """As its experiment's reports call it."""
    ref: str
    """Names this very kernel, "" when no command can. None: not known."""
    release: str | None
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
    """ "" when not known."""
    origin: Origin | None = None
    """The run of another directory that it was taken from."""


class StoredSample(Record, frozen=True, kw_only=True):
    """One value of one run."""

    series: int
    kernel: int
    run: int
    """`series`/`kernel`/`run`: Indexes into the batch."""
    value: float
    counted: bool
    """Part of the point's value; other runs (perturbed ones, controls) only show how much values differ that should be
    equal."""
    printed: bool = False
    deviation: float | None = None
    told: int | None = None
    """`deviation`/`told`: Of an imported mean, its relative standard deviation and how many values are behind it."""


class FunctionChange(Record, frozen=True, kw_only=True):
    """A function's own cost on both sides of a comparison, per operation."""

    function: str
    base: float
    head: float


class ComparisonDetail(Record, frozen=True, kw_only=True):
    """The part of a comparison that is read with it, and not searched for."""

    reasons: tuple[str, ...] = ()
    """Why it was refused, or why the evidence is less than exact."""
    confounders: tuple[str, ...] = ()
    """Further differences between the two kernels: compiler, configuration, CPU."""
    sentence: str = ""
    """The functions that explain the change, in words."""
    functions: tuple[FunctionChange, ...] = ()
    """Largest change first; the rest is in `rest`."""
    rest: float | None = None
    """Part of the change that is in no function of `functions`, per operation; None without a profile."""
    predictions: tuple[tuple[str, float, float, float], ...] = ()
    """(CPU, change, low, high) of predicted time."""
    version: str = ""
    """Version of kassay that judged it."""


class StoredComparison(Record, frozen=True, kw_only=True):
    """Verdict on two kernels in one series."""

    series: int
    base: int
    head: int
    """`series`/`base`/`head`: Indexes into the batch."""
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
    kernel: int
    """`series`/`kernel`: Indexes into the batch."""
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
    """Sets one measurement of a plan apart from a fresh one of the same plan. It stays as the directory grows."""
    kind: str
    """ "run" or "import"."""
    name: str
    directory: str
    experiment: str
    """With kernels pinned, as JSON; "" for imports."""
    kernels: tuple[StoredKernel, ...]
    series: tuple[StoredSeries, ...]
    runs: tuple[StoredRun, ...]
    samples: tuple[StoredSample, ...]
    comparisons: tuple[StoredComparison, ...] = ()
    costs: tuple[StoredCost, ...] = ()
    workloads: tuple[Workload, ...] = ()
    """Workloads in their own words."""


class KernelPoint(Record, frozen=True, kw_only=True):
    """One kernel of one series."""

    kernel: StoredKernel
    value: float | None
    """Median over runs, None when every run failed."""
    n: int | None
    """Counted runs, None when an imported mean does not tell."""
    spread: float | None
    """Interquartile range over median; None below 2 runs; of an imported mean its relative standard deviation."""
    floor: float | None
    """Highest minus lowest over all runs, perturbed ones included, relative."""
    first: str
    last: str
    """`first`/`last`: Of the runs, UTC dates, "" when not known."""
    change: float | None = None
    """Against the point before."""
    session: str = ""
    """Of a point over dates, whose directory it is."""


class PointLine(Record, frozen=True, kw_only=True):
    """The points of one series and one line of development, in order."""

    series: StoredSeries
    points: tuple[KernelPoint, ...]
    development: str = ""
    """The line's name, "" for releases of the archive and for imports."""


class Confirmation(Record, frozen=True, kw_only=True):
    """Result of a fresh interleaved pair for a nomination."""

    nomination: str
    when_utc: str
    outcome: str
    """A word of OUTCOMES."""
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
    "not reproducible": "the pair cannot be measured again",
}


class Nomination(Record, frozen=True, kw_only=True):
    """Two neighbouring points between which a series may have changed: worth measuring again, never a change by
    itself."""

    id: str
    series: StoredSeries
    before: KernelPoint
    after: KernelPoint
    """`before`/`after`: The two kernels."""
    change: float
    """Of the medians of the segments on both sides."""
    points: tuple[int, int]
    """In those segments."""
    why: str
    """What its size is compared with, in words."""
    confirmation: Confirmation | None = None
    """The latest, when there is one."""
