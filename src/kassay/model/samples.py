# SPDX-License-Identifier: GPL-2.0-only
"""Results that another tool measured, as far as its file has them; what the file does not have is None or "unknown"."""

import msgspec

from kassay.model.reason import reason
from kassay.model.records import Record, Setting

SCHEMA = "kassay-samples/1"
BETTER = ("lower", "higher", "unknown")
UNITS_OF_REPLICATION = {
    "boot": reason("values-of-boots"),
    "process": reason("values-of-processes"),
    "interval": reason("values-of-one-process"),
    "unknown": reason("values-of-unknown"),
}
"""Reason that states what one value stands for, by the word that an import is stored with."""


class Sample(Record, frozen=True, kw_only=True):
    """One value of one boot (or of what the file has instead), in the series' unit."""

    value: float | None
    """Value of the run; None if it failed."""
    block: int | None = None
    """Boots of a block were made one after the other, in random order of the kernels; None if the file does not
    tell."""
    run: str = ""
    detail: str = ""
    """Reason why the run failed."""
    started_utc: str = ""
    inner: tuple[float, ...] = ()
    """Values whose median `value` is."""


class Spread(Record, frozen=True, kw_only=True):
    """Mean and spread, for a file without single values."""

    mean: float
    deviation: float | None
    """Population standard deviation relative to the mean; None if it is below what the file prints."""
    n: int | None
    """Number of values; None if the file does not tell."""
    mean_text: str = ""
    """Mean as printed."""
    deviation_text: str = ""
    """Deviation as printed."""
    change_text: str = ""
    """Change against the base as printed, at the head only. Printed means are too short to compute it from."""


class SampleSeries(Record, frozen=True, kw_only=True):
    """One metric of one kernel at one setting."""

    kernel: str
    workload: str
    metric: str
    unit: str
    definition: str
    better: str
    """ "lower", "higher" or "unknown"."""
    samples: tuple[Sample, ...] = ()
    """Samples in the order of the file."""
    spread: Spread | None = None
    """Spread, for a file without samples."""
    settings: tuple[Setting, ...] = ()
    primary: bool = False
    """True if the experiment's answer is about this metric."""
    cpus: int | None = None
    memory_bytes: int | None = None


class Source(Record, frozen=True, kw_only=True):
    """One imported file: its name, its content, and the format it was read as ("pyperf 2.10.0")."""

    name: str
    sha256: str
    format: str


class ImportedKernel(Record, frozen=True, kw_only=True):
    """A kernel in an imported file."""

    label: str
    """Name of the kernel in every series."""
    release: str | None = None
    arch: str | None = None
    compiler: str | None = None
    commit: str | None = None
    named_by: str = ""
    """Source of that name."""


class FunctionShares(Record, frozen=True, kw_only=True):
    """Cost per operation by function, derived from printed shares."""

    workload: str
    unit: str
    base_total: float
    """Cost of all functions together on base."""
    head_total: float
    """Cost of all functions together on head."""
    rows: tuple[tuple[str, float | None, float | None], ...]
    """Rows as (function, base, head), in `unit`."""
    how: str
    """Formula in words."""
    settings: tuple[Setting, ...] | msgspec.UnsetType = msgspec.UNSET
    """Settings of its table; not written if the file has one table."""


class LkpHeader(Record, frozen=True, kw_only=True):
    """Header of the robot's table: the axes of the comparison, and the commits as its id columns print them."""

    axes: tuple[tuple[str, str], ...]
    base_id: str
    head_id: str
    base_subject: str = ""
    head_subject: str = ""


class Samples(Record, frozen=True, kw_only=True):
    """Everything that `kassay import` read."""

    name: str
    sources: tuple[Source, ...]
    kernels: tuple[ImportedKernel, ...]
    """Base first, in the order to compare."""
    series: tuple[SampleSeries, ...]
    replication: str
    """Word of UNITS_OF_REPLICATION."""
    machine: str = "unknown"
    """Description of the machine, in words."""
    notes: tuple[str, ...] = ()
    """Statements that a reader must know."""
    shares: tuple[FunctionShares, ...] = ()
    lkp_header: LkpHeader | None = None
    command: tuple[str, ...] = ()
    """Words of the command that read it, without its --out; empty if they are not known."""
    looks: int | msgspec.UnsetType = msgspec.UNSET
    """Number of planned looks of the session, which share the level of the test; not written if a file has none."""
    margin: float | msgspec.UnsetType = msgspec.UNSET
    """Margin by which the session was judged; not written if a file has none."""
    schema: str = msgspec.field(default=SCHEMA)

    @property
    def arch(self) -> str:
        """Architecture of all kernels; "unknown" if they differ or the files do not tell."""
        arches = {kernel.arch for kernel in self.kernels}
        return (arches.pop() if len(arches) == 1 else None) or "unknown"
