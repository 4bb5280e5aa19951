# SPDX-License-Identifier: GPL-2.0-only
"""Contents of the site, read from a history and from files that people edit. The pages render these records alone."""

from kassay.model.records import Record

STATES = {
    "measured": "has a value",
    "refused": "was measured; the comparison with the kernel before was refused, for the reason given",
    "failed": "was tried; no run succeeded",
    "absent": "was not measured",
}
"""States of a cell, each with its meaning. Only a measured cell has a value that may be compared."""

LIVES = {
    "found": "nominated by the history; not measured again yet",
    "confirmed": "measured again by a fresh pair, with a verdict in the same direction",
    "not confirmed": "measured again by a fresh pair, which does not show it",
    "undecided": "measured again by a fresh pair, which has no verdict on strong evidence, or cannot be measured again",
    "narrowed": "confirmed; a bisection gave the commit, the patch, the configuration or the package",
    "reported": "a person reported it; the link is the report",
    "fixed": "a later kernel takes it back, or a fix is known; the link or the text says which",
    "accepted": "accepted by a person, for the reason in the text",
    "back": "was fixed, and is there again",
}
"""States of a step in its life, each with its meaning."""

TAKES_BACK = " it back"
"""End of the words about a later kernel that takes a step back: "7.1.13 takes it back", "... takes 57 % of it back"."""


def taken_back(text: str) -> str:
    """The words about the later kernel in the text of a step; "" if no kernel takes it back."""
    return next((part for part in text.split("; ") if part.endswith(TAKES_BACK)), "")


class SiteKernel(Record, frozen=True, kw_only=True):
    """A column of the matrix."""

    key: str
    """Part of addresses: the upstream release, e.g. "6.17.13"; with the package's version if two share a release."""
    name: str
    """Everyday name, such as "6.17.13"."""
    ref: str
    """Reference that names this very kernel in commands, e.g. "debian:6.17.13-1~bpo13+1"; "" if none does. The tree of
    a build has its name alone: "build:linux@0123456789ab"."""
    arch: str
    """Line of development: the architecture for kernels of the archive, with the name of the tree for its builds."""
    release: str
    compiler: str = ""
    """Name and version of the compiler, from the kernel's banner; "" if not known."""
    config_sha256: str = ""
    image_sha256: str = ""
    measured_utc: str = ""
    """Date of its first run."""
    problem: str = ""
    """Reason why nothing of it was measured (does not boot, cannot be fetched)."""
    column: bool = True
    """False for a kernel that was measured only to narrow a step: it has no column in the matrix."""
    apart: tuple[str, ...] = ()
    """Keys of earlier kernels of its line that are no ancestors of it, such as heads of another branch."""


class SiteWorkload(Record, frozen=True, kw_only=True):
    """A workload or an application, in its own words."""

    name: str
    group: str
    """Subsystem: a word of model.workload.GROUPS, or "applications"."""
    summary: str
    state: str
    """Required state of memory in words."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Name of each parameter, and its summary with the default."""


class SiteSeries(Record, frozen=True, kw_only=True):
    """A row of the matrix: one metric of one workload at one setting on one machine. Unique by arch and key."""

    key: str
    """Part of addresses: "mprotect_toggle"; with settings that are not the default "mprotect_toggle,share=private";
    of a metric that is not primary "mprotect_toggle.unmap"."""
    arch: str
    workload: str
    settings: str
    """Settings that tell rows of one workload apart, "" if there is one."""
    metric: str
    unit: str
    """e.g. "instructions/page"."""
    better: str
    """Better direction of a value: "lower" or "higher"."""
    definition: str
    primary: bool
    group: str
    machine: str
    """Machine in words, such as "icount, 1 CPU, 1 GiB, QEMU 7.2.22"."""
    command: str
    """Workload and options of `kassay compare`, without the kernels: "mprotect_toggle --set share=private"."""


NOT_LINKED = "not-compared"
"""Verdict of two kernels to which only refused comparisons lead, or none."""


class SiteCell(Record, frozen=True, kw_only=True):
    """One value: a series on a kernel."""

    series: str
    """Key of the series."""
    arch: str
    kernel: str
    """Key of the kernel."""
    state: str
    """Word of STATES."""
    value: float | None = None
    """Median of the plain runs, in the series' unit."""
    n: int = 0
    """Plain runs."""
    floor: float | None = None
    """Highest minus lowest of all runs that should agree, perturbed ones included, relative; None below two runs."""
    reason: str = ""
    """Reason why it is refused, failed or absent."""
    group: int = 0
    """Number of its group: cells of a row that are in different groups have no verdict, since no admitted comparisons
    lead from one to the other, or since they were measured by other emulators, guest programs or rounds. Below 0 for a
    cell of which no comparison was admitted."""


class FunctionCost(Record, frozen=True, kw_only=True):
    """A kernel function's own cost on both sides of a step, in the unit of the series per operation."""

    function: str
    base: float
    head: float
    file: str = ""
    """Source file of the function; "" if not known."""


class SitePrediction(Record, frozen=True, kw_only=True):
    """Predicted time on one CPU: stands beside the count, and is never combined with it. Relative changes."""

    cpu: str
    change: float
    low: float
    high: float


Pair = tuple[str, str, str, str]
"""(arch, series, before, after) of a step."""


class SiteStep(Record, frozen=True, kw_only=True):
    """Two neighbouring kernels of one series, changed or not."""

    series: str
    arch: str
    before: str
    """Key of a kernel."""
    after: str
    change: float | None
    """after / before - 1; None if a value is missing or the comparison was refused."""
    before_value: float | None
    after_value: float | None
    n_before: int
    n_after: int
    verdict: str
    """Word of model.finding.VERDICTS; "" if the history has no comparison of the two, only both values. NOT_LINKED if
    these values may not be compared."""
    evidence: str = ""
    """Word of model.finding.EVIDENCE."""
    floor: float | None = None
    margin: float = 0.01
    """Smallest relative change that is called one."""
    reasons: tuple[str, ...] = ()
    """Reasons why it was refused, or why the evidence is less than exact."""
    confounders: tuple[str, ...] = ()
    """Further differences between the two kernels: compiler, configuration, CPU."""
    sentence: str = ""
    """The functions that explain it, in words."""
    functions: tuple[FunctionCost, ...] = ()
    """Largest change first."""
    unattributed: float | None = None
    """Part of the change outside of `functions`, per operation; None without a profile."""
    state: str = ""
    """State of memory that both worked on, in words."""
    predictions: tuple[SitePrediction, ...] = ()
    accesses: tuple[float, float] | None = None
    """Loads and stores per operation before and after; None without a recorded trace."""
    measured_utc: str = ""
    """Time at which the runs were added to the history."""
    kassay_version: str = ""
    """Version that added them."""
    repeat: tuple[str, ...] = ()
    """Commands that repeat it."""
    life: str = ""
    """Word of LIVES; "" for a step that nobody nominated."""
    life_text: str = ""
    """Sentence of the step's life: what confirmed it, the commit, the reason."""
    link: str = ""
    """Address of a report or of a fix."""
    mail: str = ""
    """Draft of a mail; "" if there is none."""
    recipients: tuple[str, ...] = ()
    """People and lists that MAINTAINERS names for the files."""
    bundle: str = ""
    """File name of its bundle in the site's bundle/; "" if there is none."""

    @property
    def pair(self) -> Pair:
        """Line, row and kernels: no other step has the same."""
        return self.arch, self.series, self.before, self.after

    @property
    def size(self) -> float:
        """Size of its change without a direction; zero where it has none."""
        return abs(self.change or 0.0)


class SiteFunction(Record, frozen=True, kw_only=True):
    """One kernel function over workloads and kernels: a part of the atlas."""

    name: str
    file: str = ""
    maintainers: tuple[str, ...] = ()
    callers: tuple[str, ...] = ()
    """Functions seen to call it, most calls first."""
    costs: tuple[tuple[str, str, str, float, float], ...] = ()
    """Costs where it was executed: (arch, series, kernel, own instructions per operation, calls per operation)."""
    sizes: tuple[tuple[str, str, int], ...] = ()
    """Known sizes: (arch, kernel, bytes of machine code)."""


class Mistake(Record, frozen=True, kw_only=True):
    """Something that the lab published and that was wrong."""

    date: str
    page: str
    """Address below the site, e.g. "step/mprotect_toggle/6.16.12-6.17.13/"."""
    wrong: str
    right: str


class SiteStatus(Record, frozen=True, kw_only=True):
    """Current state of the site."""

    last_kernel: tuple[tuple[str, str, str], ...] = ()
    """Newest kernel of each architecture: (arch, kernel, date)."""
    queue: tuple[str, ...] = ()
    """Measurements that are next, in words."""
    failed: tuple[tuple[str, str], ...] = ()
    """Kernels that were not measured: (kernel, reason)."""
    oldest_missing: str = ""
    """The cell that has been missing longest, in words; "" if none is missing."""
    mistakes: tuple[Mistake, ...] = ()
    turn_utc: str = ""
    """End of the last turn of the lab; "" if the site was made without one."""


class Site(Record, frozen=True, kw_only=True):
    """All that is shown. Kernels of one architecture stand in the order of releases."""

    title: str
    address: str
    """Address where the site will be served, for the feed, such as "https://example.org/kassay/"; "" if not known."""
    made_utc: str
    kassay_version: str
    kernels: tuple[SiteKernel, ...]
    workloads: tuple[SiteWorkload, ...]
    series: tuple[SiteSeries, ...]
    cells: tuple[SiteCell, ...]
    steps: tuple[SiteStep, ...]
    functions: tuple[SiteFunction, ...]
    status: SiteStatus
