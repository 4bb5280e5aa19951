# SPDX-License-Identifier: GPL-2.0-only
"""Which applications execute the functions of a change, how often, by which system call, and what it costs each."""

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
"""What is said of an application."""


class SoughtFunction(Record, frozen=True, kw_only=True):
    """A function of the change, and what it costs per operation of a workload or an application.

    whole: with all that it calls; otherwise its own instructions alone. base, head: instructions + string iterations,
    those below another sought function not counted again. base_calls, head_calls: entries. None: that side was not
    measured.
    """

    function: str
    whole: bool
    base: float | None = None
    head: float | None = None
    base_calls: float | None = None
    head_calls: float | None = None


class SoughtEntry(Record, frozen=True, kw_only=True):
    """Cost of the sought functions per operation on behalf of one system call, fault or interrupt.

    entry: its name (profile/entries.py), "" where there is none. base_calls, head_calls: how often that system call or
    fault occurred, whether or not it led to a sought function; None where that is not known.
    """

    entry: str
    base: float | None
    head: float | None
    base_calls: float | None = None
    head_calls: float | None = None


class Subject(Record, frozen=True, kw_only=True):
    """The functions that are looked for. workload: of the finding, "" if functions were named; then there are no
    values.

    base, head: kernels as reports call them; head is "" when one kernel was asked about. explained: share of the
    finding's difference that lies in the functions. callers: functions on the way from the entry points to these,
    outermost first.
    """

    workload: str
    base: str
    head: str
    functions: tuple[SoughtFunction, ...]
    settings: tuple[Setting, ...] = ()
    metric: str = ""
    unit: str = ""
    base_value: float | None = None
    head_value: float | None = None
    explained: float | None = None
    callers: tuple[str, ...] = ()
    entries: tuple[SoughtEntry, ...] = ()


class PredictedShare(Record, frozen=True, kw_only=True):
    """Cost of the functions' change as a share of the application's predicted time on one CPU (1 is all)."""

    cpu: str
    share: float


class SizeBin(Record, frozen=True, kw_only=True):
    """Calls of `least` to `most` (inclusive) pages or of such orders. pages: that these calls span together."""

    least: int
    most: int
    calls: int
    pages: int


class CallSizes(Record, frozen=True, kw_only=True):
    """How large the calls of one kind were in the executions that a recorded run recorded; it is no measurement.

    what: "mprotect", "madvise DONTNEED", "folio order". unit: "pages" or "order". calls: of all recorded executions.
    median, p90: of calls; typical: the size below which half of all pages lie. bins: powers of two, smallest first.
    """

    what: str
    unit: str
    executions: int
    calls: int
    pages: int
    median: int
    p90: int
    largest: int
    typical: int
    bins: tuple[SizeBin, ...]


class Noticed(Record, frozen=True, kw_only=True):
    """One application. verdict: a word of VERDICTS. problem: why there is none.

    unit: of its values. operations: of one execution. base_value, head_value: all instructions per operation. change:
    of all, head / base - 1. share: of base_value, what the sought functions cost more on head. floor: how far its runs
    lie apart that should not differ, relative; None when a kernel had one run. sizes: of its calls. directory: of the
    runs that say so.
    """

    application: str
    verdict: str
    settings: tuple[Setting, ...] = ()
    problem: str = ""
    unit: str = ""
    operations: float = 1.0
    base_value: float | None = None
    head_value: float | None = None
    change: float | None = None
    share: float | None = None
    evidence: str = ""
    floor: float | None = None
    functions: tuple[SoughtFunction, ...] = ()
    entries: tuple[SoughtEntry, ...] = ()
    predicted: tuple[PredictedShare, ...] = ()
    sizes: tuple[CallSizes, ...] = ()
    directory: str = ""


class Notice(Record, frozen=True, kw_only=True):
    """The whole answer. applications: those that it costs most first. disclosures: what a reader must know.

    representative: a command whose micro-benchmark has the sizes that the applications have, with why; "" where none.
    commands: that repeat this.
    """

    subject: Subject
    applications: tuple[Noticed, ...]
    disclosures: tuple[str, ...]
    kassay_version: str
    representative: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()
    schema: str = SCHEMA
