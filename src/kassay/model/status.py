# SPDX-License-Identifier: GPL-2.0-only
"""The state of an experiment while it runs: what `kassay watch` shows, as one record.

Version history of the record ("kassay-status/N"):
1   the first.
"""

from kassay.model.host_comparison import HostRuns
from kassay.model.progress import RunCounts
from kassay.model.records import Record

SCHEMA = "kassay-status/1"

STATES = {
    "preparing": "there is no plan yet: kernels and programs are being made ready, or nothing was started",
    "measuring": "runs are being made",
    "stopped": "runs are owed, and nothing makes them now: the same command goes on with them",
    "measured": "no run is owed; the answer is being written, or was not asked for",
    "answered": "no run is owed, and the report is newer than the last of them",
    "damaged": "the directory cannot be read",
}


class ValueSoFar(Record, frozen=True, kw_only=True):
    """Value of one cell so far."""

    point: int
    """Place of the point in RunCounts.points."""
    kernel: int
    """Place of the kernel in RunCounts.kernels."""
    value: float | None
    n: int
    """Number of plain runs."""
    change: float | None = None
    """Change against the kernel that it is compared with first; None for a kernel that only others are compared
    with."""
    verdict: str = ""
    """Verdict on `change`; "" if there is none."""
    evidence: str = ""


class PointUnit(Record, frozen=True, kw_only=True):
    """Description of a point's values: the name of its primary metric and its unit."""

    metric: str
    unit: str


class Attempt(Record, frozen=True, kw_only=True):
    """One line of the journal."""

    point: int
    kernel: int
    host: str
    """Name of the host; "" for the host that keeps the journal."""
    outcome: str
    detail: str
    seconds: float
    """Wall time of the attempt in seconds."""
    started_utc: str


class RunStatus(Record, frozen=True, kw_only=True):
    """State of one run directory."""

    name: str
    """Path below the directory that is watched; "." for that directory itself."""
    directory: str
    title: str
    """The question in words."""
    state: str
    """A word of STATES."""
    process: int | None
    """Id of the process that measures here; None when there is none."""
    machine: str
    scope: str
    counts: RunCounts
    owed: int
    """Number of runs that are not made yet."""
    unneeded: bool
    """True if all is decided without the runs that are owed."""
    values: tuple[ValueSoFar, ...]
    """Values of the primary metrics."""
    values_note: str
    """Reason why there are no values, or the time that they are of; "" for values as of now. The error, if the
    directory is damaged."""
    units: tuple[PointUnit, ...]
    """Metric and unit of each point."""
    verdict: str
    """The answer so far; "" if there is none."""
    hosts: tuple[HostRuns, ...]
    """Descriptions of the hosts by themselves, in the order of counts.hosts."""
    last: tuple[Attempt, ...]
    """The newest attempts, newest first."""
    failures: tuple[Attempt, ...]
    """The newest of the attempts that failed."""
    again: str
    """Command that continues the measurement."""
    started_utc: str
    kassay_version: str
    schema: str = SCHEMA
