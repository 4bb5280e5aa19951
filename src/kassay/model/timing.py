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
    """The first kernel against itself, boots of one session: change, interval and p as in a finding.

    passed: the test at the session's threshold finds no difference. n_control: boots that were made for this alone.
    """

    kernel: str
    change: float | None
    interval: tuple[float, float] | None
    p: float | None
    n_base: int
    n_control: int
    passed: bool


class FailureCheck(Record, frozen=True, kw_only=True):
    """Boots that failed, as an outcome of their own. p: Fisher's exact test, two-sided, on attempts."""

    base_failed: int
    base_tried: int
    head_failed: int
    head_tried: int
    p: float


class Timing(Record, frozen=True, kw_only=True):
    """How one finding on time was judged.

    boots: per kernel, that were counted. looks: planned, in boots per kernel. threshold: a look claims a change at
    p <= this; the looks together err in 5 % of sessions. level: of the interval, 1 - threshold. p: of the
    block-restricted rank test; None below the first look. blocks: of boots in random order; 1 when the order
    is not known or not random. bound: the largest |change| that the interval allows. tick: step of the clock
    relative to the value; None when none shows. stopped: the session ended early because all was decided.
    """

    boots: int
    looks: tuple[int, ...]
    threshold: float
    level: float
    p: float | None
    blocks: int
    bound: float | None = None
    tick: float | None = None
    stopped: bool = False
    control: ControlCheck | None = None
    failures: FailureCheck | None = None


class Family(Record, frozen=True, kw_only=True):
    """One statement about all cells of one comparison, before any single cell is named.

    change, interval, p: of the ranks of all cells pooled. smallest, largest: change of a cell. candidates, confirmed:
    cells that stand (see STANDING).
    """

    workload: str
    metric: str
    base: str
    head: str
    cells: int
    change: float
    interval: tuple[float, float] | None
    p: float
    smallest: float
    largest: float
    candidates: int
    confirmed: int


class SeedSide(Record, frozen=True, kw_only=True):
    """One cell by the rules of the seeds' framework. cv: sample standard deviation over mean; mad_ratio: median
    absolute deviation, unscaled, over median. status: ok, partial (a run failed), failed (all did)."""

    kernel: str
    runs: int
    failed: int
    mean: float | None
    median: float | None
    cv: float | None
    mad_ratio: float | None
    status: str
    stable: bool
    robust_stable: bool


class SeedFinding(AtPoint, frozen=True, kw_only=True):
    """One comparison by the rules of the seeds' framework.

    classification: regression, improvement, neutral, or absent when a side has no value. word: reliable, robust-only,
    partial or unstable. kassay: what kassay says of the same boots, "verdict, evidence".
    """

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    sides: tuple[SeedSide, SeedSide]
    delta: float | None
    delta_median: float | None
    classification: str
    reliable: bool
    robust_reliable: bool
    word: str
    kassay: str


class TimedBoot(AtPoint, frozen=True, kw_only=True):
    """One attempt at one timed run, as it was made."""

    run: str
    kernel: str
    """Label of its kernel, as findings have it."""
    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    block: int
    started_utc: str
    control: bool
    """True for a boot that is compared with its own kernel alone."""
    outcome: str
    """Word of run.OUTCOMES."""
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
    """Duration of earlier sessions of the same workload and machine. seconds: wall time of a boot, median. n: boots."""

    seconds: float
    n: int
