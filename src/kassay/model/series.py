# SPDX-License-Identifier: GPL-2.0-only
"""A patch series, measured patch by patch: what was applied in each row, and what came of it."""

from kassay.model.lines import Reached
from kassay.model.machine import AtPoint, MachineUse
from kassay.model.patch import SeriesPatch
from kassay.model.records import Record, Setting

KINDS = {
    "base": "nothing applied",
    "cumulative": "the first patches, in order",
    "without": "the whole series but for one patch",
    "alone": "one patch alone",
    "hunk": "the whole series but for one hunk",
    "annotation": "the whole series but for one annotation",
}
ROWS = "series.json"
"""Name of the file with the rows in a run directory."""
OUTCOMES = {
    "measured": "the kernel was built and measured",
    "same-source": "the same source as another row",
    "same-image": "other source, but the same image as another row",
    "not-applied": "a patch does not apply without what was left out",
    "not-built": "the sources do not build",
    "not-measured": "the kernel was built, but no verdict is possible",
}


class SeriesRow(Record, frozen=True, kw_only=True):
    """One variant of the series."""

    name: str
    """Short unique name ("1..2", "without 3", "without hunk 3.2"). It is the kernel's label in the findings."""
    kind: str
    """A word of KINDS."""
    title: str
    patches: tuple[int, ...]
    """Numbers of the applied patches."""
    against: str
    """Name of the row it is compared with. That is the row before for a cumulative row, the whole series for one that
    leaves something out, and base for one patch alone."""
    outcome: str
    """A word of OUTCOMES."""
    detail: str = ""
    """Reason for the outcome, one line."""
    same_as: str = ""
    """Name of the row that has its figures."""
    tree: str | None = None
    """Tree of the source."""
    image_sha256: str | None = None
    """Hash of the kernel image; None if none was made."""
    ref: str = ""


class SeriesValue(Record, frozen=True, kw_only=True):
    """One row's figures in one metric."""

    row: str
    value: float | None
    change: float | None
    """Relative change against the row's `against`."""
    delta: float | None
    """Difference from the row's `against`."""
    to_base: float | None
    """Relative change against base."""
    verdict: str
    """Verdict of the comparison with `against`."""
    evidence: str
    """Evidence of the comparison with `against`."""
    n: int
    where: str = ""
    """Changes function by function, in words."""
    base_verdict: str = ""
    """Verdict of the comparison with base."""
    changed: str = ""
    """State of the lines that differ from `against`, a word of lines.STATES; empty if it is not known."""
    base_changed: str = ""
    """State of the lines that differ from base, as in `changed`."""
    elsewhere: tuple[Reached, ...] = ()
    """Workloads that execute the functions whose changed lines were not executed here."""


class SeriesTable(AtPoint, frozen=True, kw_only=True):
    """The values of all rows in one metric; rows without a value are not in it."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    primary: bool
    unit: str
    values: tuple[SeriesValue, ...]


class Series(Record, frozen=True, kw_only=True):
    """A whole series: its patches, every row that was asked for, whatever became of it, and the tables."""

    base: str
    """Sources without the series, as the user wrote them."""
    patches: tuple[SeriesPatch, ...]
    rows: tuple[SeriesRow, ...]
    tables: tuple[SeriesTable, ...] = ()
    source: str = ""
    """Place that the patches were read from, as the user wrote it."""
