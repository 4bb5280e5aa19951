# SPDX-License-Identifier: GPL-2.0-only
"""Judgement of times: looks, tests, families of cells, the rules of other tools, and counts of the same work."""

from kassay.model.machine import AtPoint, MachineUse
from kassay.model.reason import Reason
from kassay.model.records import Record, Setting

LOOKS = (6, 10, 14, 18, 24)
"""Boots per kernel after which a session is judged and may stop; it is judged at no other number."""

STANDING = {
    "": "not a change, or the only cell",
    "confirmed": "stands when every cell is allowed to err together (Holm, 5 %)",
    "candidate": "stands when 5 % of the changes named may be false (Benjamini and Hochberg)",
    "alone": "stands only while nobody counts the other cells; no verdict",
}


class ControlCheck(Record, frozen=True, kw_only=True):
    """The first kernel against itself, boots of one session: change, interval and p as in a finding."""

    kernel: str
    change: float | None
    interval: tuple[float, float] | None
    p: float | None
    n_base: int
    n_control: int
    """Number of boots that were made for this check alone."""
    passed: bool
    """True if the test at the session's threshold finds no difference."""


class FailureCheck(Record, frozen=True, kw_only=True):
    """Boots that failed, as an outcome of their own."""

    base_failed: int
    base_tried: int
    head_failed: int
    head_tried: int
    p: float
    """Result of Fisher's exact test, two-sided, on attempts."""


class Timing(Record, frozen=True, kw_only=True):
    """Judgement of one finding on time."""

    boots: int
    """Number of boots per kernel that were counted."""
    looks: tuple[int, ...]
    """Looks that were planned, in boots per kernel."""
    threshold: float
    """Threshold of a look, which claims a change at p <= this. All looks together err in 5 % of sessions."""
    level: float
    """Level of the interval, 1 - threshold."""
    p: float | None
    """Result of the block-restricted rank test; None below the first look."""
    blocks: int
    """Number of blocks of boots in random order; 1 when the order is not known or not random."""
    bound: float | None = None
    """The largest |change| that the interval allows."""
    tick: float | None = None
    """Step of the clock relative to the value; None when none shows."""
    stopped: bool = False
    """True if the session ended early because all was decided."""
    control: ControlCheck | None = None
    failures: FailureCheck | None = None


class Family(Record, frozen=True, kw_only=True):
    """One statement about all cells of one comparison, before any single cell is named."""

    workload: str
    metric: str
    base: str
    head: str
    cells: int
    change: float
    """Change by the ranks of all cells pooled."""
    interval: tuple[float, float] | None
    """Interval of `change`."""
    p: float
    """Result of the test on the ranks of all cells pooled."""
    smallest: float
    """Smallest change of a cell."""
    largest: float
    """Largest change of a cell."""
    candidates: int
    """Number of cells that stand as candidates (see STANDING)."""
    confirmed: int
    """Number of cells that stand as confirmed (see STANDING)."""


class SeedSide(Record, frozen=True, kw_only=True):
    """One cell by the rules of the seeds' framework."""

    kernel: str
    runs: int
    failed: int
    mean: float | None
    median: float | None
    cv: float | None
    """Sample standard deviation over mean."""
    mad_ratio: float | None
    """Median absolute deviation, unscaled, over median."""
    status: str
    """State of the runs: ok, partial (a run failed) or failed (all did)."""
    stable: bool
    robust_stable: bool


class SeedFinding(AtPoint, frozen=True, kw_only=True):
    """One comparison by the rules of the seeds' framework."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    sides: tuple[SeedSide, SeedSide]
    delta: float | None
    delta_median: float | None
    classification: str
    """Word for the change: regression, improvement or neutral; absent when a side has no value."""
    reliable: bool
    robust_reliable: bool
    word: str
    """Word for the evidence: reliable, robust-only, partial or unstable."""
    kassay: str
    """Judgement of kassay on the same boots, as "verdict, evidence"."""


class TimedBoot(AtPoint, frozen=True, kw_only=True):
    """One attempt at one timed run, as it was made."""

    run: str
    kernel: str
    """Label of the kernel, as findings have it."""
    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    block: int
    started_utc: str
    control: bool
    """True for a boot that is compared with its own kernel alone."""
    outcome: str
    """A word of run.OUTCOMES."""
    lost: bool
    """True if no attempt at this run succeeded."""
    detail: str


class CountsAndTime(Record, frozen=True, kw_only=True):
    """One metric as counted and as timed, and what their agreement or disagreement means."""

    workload: str
    settings: tuple[Setting, ...]
    cpus: int | None
    memory_bytes: int | None
    metric: str
    base: str
    head: str
    counts_change: float | None
    counts_verdict: str
    counts_n: tuple[int, int]
    clock: str
    time_change: float | None
    time_interval: tuple[float, float] | None
    time_verdict: str
    time_evidence: str
    time_n: tuple[int, int]
    meaning: Reason


class Pace(Record, frozen=True, kw_only=True):
    """Duration of earlier sessions of the same workload and machine."""

    seconds: float
    """Median wall time of a boot."""
    n: int
    """Number of boots."""
