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
    """Value of one cell so far. point, kernel: places in RunCounts. n: plain runs. change, verdict: against the kernel
    that it is compared with first; None and "" for one that others are compared with."""

    point: int
    kernel: int
    value: float | None
    n: int
    change: float | None = None
    verdict: str = ""
    evidence: str = ""


class PointUnit(Record, frozen=True, kw_only=True):
    """Description of a point's values: the name of its primary metric and its unit."""

    metric: str
    unit: str


class Attempt(Record, frozen=True, kw_only=True):
    """One line of the journal. host: "" for the one that keeps it. seconds: of wall time."""

    point: int
    kernel: int
    host: str
    outcome: str
    detail: str
    seconds: float
    started_utc: str


class RunStatus(Record, frozen=True, kw_only=True):
    """One run directory. name: its path below the directory that is watched, "." for that itself.

    title: the question in words. state: a word of STATES. process: id of the one that measures here, None when there is
    none. owed: runs that are not made yet; unneeded: whether all is decided without them. values: of the primary
    metrics; values_note: why there are none, or of when they are, "" for as of now. units: for each point. verdict: the
    answer so far, "" where there is none. hosts: what each says of itself, in the order of counts.hosts. last: the
    newest attempts, newest first; failures: of all attempts that failed the newest. again: the command that goes on
    with it.
    """

    name: str
    directory: str
    title: str
    state: str
    process: int | None
    machine: str
    scope: str
    counts: RunCounts
    owed: int
    unneeded: bool
    values: tuple[ValueSoFar, ...]
    values_note: str
    units: tuple[PointUnit, ...]
    verdict: str
    hosts: tuple[HostRuns, ...]
    last: tuple[Attempt, ...]
    failures: tuple[Attempt, ...]
    again: str
    started_utc: str
    kassay_version: str
    schema: str = SCHEMA
