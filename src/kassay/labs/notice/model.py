# SPDX-License-Identifier: GPL-2.0-only
"""Applications that execute the functions of a change: how often, by which system call, and at what cost."""

from kassay.model.records import Record, Setting

SCHEMA = "kassay-notice/1"

NOTICED = 0.005
"""Share of all instructions from which on an application is said to notice a change: half of the margin of counts."""

VERDICTS = {
    "noticed": "executes the functions, and they cost it at least 0.5 % of all its instructions more or less",
    "below": "executes the functions, and they cost it less than 0.5 % of all its instructions more or less",
    "executed": "executes the functions; what a change of them costs was not asked",
    "unexecuted": "does not execute any of the functions in the measured region",
    "unknown": "no answer: it was not measured, or its profile may not be used",
}
"""Verdicts on an application, each with its meaning."""


class SoughtFunction(Record, frozen=True, kw_only=True):
    """A function of the change, with its cost per operation of a workload or an application.

    None as a cost or a number of calls: that side was not measured.
    """

    function: str
    whole: bool
    """True if the cost includes all that the function calls; false for its own instructions alone."""
    base: float | None = None
    """Instructions + string iterations on base. Those below another sought function are counted for that function
    alone."""
    head: float | None = None
    """Instructions + string iterations on head, counted as on base."""
    base_calls: float | None = None
    """Entries into the function on base."""
    head_calls: float | None = None
    """Entries into the function on head."""


class SoughtEntry(Record, frozen=True, kw_only=True):
    """Cost of the sought functions per operation on behalf of one system call, fault or interrupt."""

    entry: str
    """Name of the entry (profile/entries.py); "" if it is not known."""
    base: float | None
    head: float | None
    base_calls: float | None = None
    """Number of these system calls or faults on base, including those that led to no sought function; None if it is not
    known."""
    head_calls: float | None = None
    """Number of these system calls or faults on head, including those that led to no sought function; None if it is not
    known."""


class Subject(Record, frozen=True, kw_only=True):
    """The functions that are looked for."""

    workload: str
    """Workload of the finding. "" if functions were named; there are no values then."""
    base: str
    """Kernel, as reports name it."""
    head: str
    """Kernel, as reports name it; "" if one kernel was asked about."""
    functions: tuple[SoughtFunction, ...]
    settings: tuple[Setting, ...] = ()
    metric: str = ""
    unit: str = ""
    base_value: float | None = None
    head_value: float | None = None
    explained: float | None = None
    """Share of the finding's difference that lies in the functions."""
    callers: tuple[str, ...] = ()
    """Functions on the way from the entry points to these, outermost first."""
    entries: tuple[SoughtEntry, ...] = ()


class PredictedShare(Record, frozen=True, kw_only=True):
    """Cost of the functions' change as a share of the application's predicted time on one CPU (1 is all)."""

    cpu: str
    share: float


class Unpredicted(Record, frozen=True, kw_only=True):
    """A CPU on which the application's time could not be predicted."""

    cpu: str
    why: str
    """Reason, in words."""


class SizeBin(Record, frozen=True, kw_only=True):
    """Calls of `least` to `most` (inclusive) pages, or of such orders."""

    least: int
    most: int
    calls: int
    pages: int
    """Pages of these calls together."""


class CallSizes(Record, frozen=True, kw_only=True):
    """Sizes of the calls of one kind, in the executions that a recorded run recorded. They are no measurement."""

    what: str
    """Kind of calls, such as "mprotect", "madvise DONTNEED", "folio order"."""
    unit: str
    """Unit of a size: "pages" or "order"."""
    executions: int
    calls: int
    """Calls in all recorded executions."""
    pages: int
    median: int
    """Median size of a call."""
    p90: int
    """Size that 90 % of the calls do not exceed."""
    largest: int
    typical: int
    """Size below which half of all pages lie."""
    bins: tuple[SizeBin, ...]
    """Powers of two, smallest first."""


class Origin(Record, frozen=True, kw_only=True):
    """Measurements behind an answer that was taken from the atlas. One entry for each kernel, base first."""

    kernels: tuple[str, ...]
    """References that name these very kernels."""
    runs: tuple[int, ...]
    """Plain runs."""
    dates: tuple[str, ...]
    """Day of the last of these runs."""
    emulator: str = ""


class Noticed(Record, frozen=True, kw_only=True):
    """Answer for one application."""

    application: str
    verdict: str
    """Word of VERDICTS."""
    settings: tuple[Setting, ...] = ()
    problem: str = ""
    """Reason why there is no verdict."""
    unit: str = ""
    """Unit of its values."""
    operations: float = 1.0
    """Operations of one execution."""
    base_value: float | None = None
    """All instructions per operation on base."""
    head_value: float | None = None
    """All instructions per operation on head."""
    change: float | None = None
    """Change of all instructions, head / base - 1."""
    share: float | None = None
    """Additional cost of the sought functions on head, as a share of base_value."""
    evidence: str = ""
    floor: float | None = None
    """Largest relative difference between runs that should be identical; None if a kernel had one run."""
    functions: tuple[SoughtFunction, ...] = ()
    entries: tuple[SoughtEntry, ...] = ()
    predicted: tuple[PredictedShare, ...] = ()
    unpredicted: tuple[Unpredicted, ...] = ()
    sizes: tuple[CallSizes, ...] = ()
    """Sizes of its calls."""
    directory: str = ""
    """Directory of its runs; "" if it was not measured for this answer."""
    bounds: tuple[float, float] | None = None
    """Smallest and largest `share` that the costs of single functions allow, if they do not decide it."""
    overlap: bool = False
    """True if some of the functions may call others of them, so that their costs do not add up."""
    origin: Origin | None = None
    """Measurements in the atlas that it was taken from; None if it was measured for this answer."""


class Notice(Record, frozen=True, kw_only=True):
    """The whole answer."""

    subject: Subject
    applications: tuple[Noticed, ...]
    """Applications, the one with the largest cost first."""
    disclosures: tuple[str, ...]
    """Statements that a reader must know."""
    kassay_version: str
    representative: tuple[tuple[str, str], ...] = ()
    """Command whose micro-benchmark has the sizes of the applications' calls, with the reason for each choice. Empty
    if there is none."""
    commands: tuple[str, ...] = ()
    """Commands that repeat this answer."""
    schema: str = SCHEMA
