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
}


class ValueSoFar(Record, frozen=True, kw_only=True):
    """Value of one cell so far."""

    point: int
    kernel: int
    """`point`/`kernel`: Places in RunCounts."""
    value: float | None
    n: int
    """Plain runs."""
    change: float | None = None
    verdict: str = ""
    """`change`/`verdict`: Against the kernel that it is compared with first; None and "" for one that others are
    compared with."""
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
    """ "" for the one that keeps it."""
    outcome: str
    detail: str
    seconds: float
    """Of wall time."""
    started_utc: str


class RunStatus(Record, frozen=True, kw_only=True):
    """One run directory."""

    name: str
    """Its path below the directory that is watched, "." for that itself."""
    directory: str
    title: str
    """The question in words."""
    state: str
    """A word of STATES."""
    process: int | None
    """Id of the one that measures here, None when there is none."""
    machine: str
    scope: str
    counts: RunCounts
    owed: int
    """Runs that are not made yet."""
    unneeded: bool
    """True if all is decided without them."""
    values: tuple[ValueSoFar, ...]
    """Of the primary metrics."""
    values_note: str
    """Why there are none, or of when they are, "" for as of now."""
    units: tuple[PointUnit, ...]
    """For each point."""
    verdict: str
    """The answer so far, "" where there is none."""
    hosts: tuple[HostRuns, ...]
    """What each says of itself, in the order of counts.hosts."""
    last: tuple[Attempt, ...]
    """The newest attempts, newest first."""
    failures: tuple[Attempt, ...]
    """Of all attempts that failed the newest."""
    again: str
    """The command that goes on with it."""
    started_utc: str
    kassay_version: str
    schema: str = SCHEMA
