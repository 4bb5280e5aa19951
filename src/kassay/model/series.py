# SPDX-License-Identifier: GPL-2.0-only
"""A patch series, measured patch by patch: what was applied in each row, and what came of it."""

from kassay.model.lines import Reached
from kassay.model.machine import AtPoint, MachineUse
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


class SeriesPatch(Record, frozen=True, kw_only=True):
    """One patch of a series."""

    number: int
    """From 1."""
    subject: str
    """Without "[PATCH n/m]"."""
    author: str
    sha256: str
    files: tuple[str, ...]
    hunks: int
    changes: tuple[int, int]
    """Lines added and removed."""


class SeriesRow(Record, frozen=True, kw_only=True):
    """One variant of the series."""

    name: str
    """Short and unique ("1..2", "without 3", "without hunk 3.2"); the kernel's label in the findings."""
    kind: str
    """A word of KINDS."""
    title: str
    patches: tuple[int, ...]
    """Numbers of the applied ones."""
    against: str
    """Name of the row it is compared with: the one before for cumulative rows, the whole series for rows that leave
    something out, base for those alone."""
    outcome: str
    """A word of OUTCOMES."""
    detail: str = ""
    """Why, one line."""
    same_as: str = ""
    """The row that has its figures."""
    tree: str | None = None
    """Of the source."""
    image_sha256: str | None = None
    """Of the kernel; None where it did not come to that."""
    ref: str = ""


class SeriesValue(Record, frozen=True, kw_only=True):
    """One row's figures in one metric."""

    row: str
    value: float | None
    change: float | None
    delta: float | None
    """`change`/`delta`: Against the row's `against`."""
    to_base: float | None
    """Change against base."""
    verdict: str
    evidence: str
    """`verdict`/`evidence`: Of the comparison with `against`."""
    n: int
    where: str = ""
    """What changed, function by function, in words."""
    base_verdict: str = ""
    """Of that with base."""
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
    patches: tuple[SeriesPatch, ...]
    rows: tuple[SeriesRow, ...]
    tables: tuple[SeriesTable, ...] = ()
    source: str = ""
    """`base`/`source`: The sources without it, and where its patches were read, both as the user wrote them."""
