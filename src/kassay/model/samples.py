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
    """One value of one boot (or what the file has instead), in the series' unit.

    value: None when it failed; detail then says how. block: boots of a block were made one after the other,
    in random order of the kernels; None when the file does not tell. inner: what the value is the median of.
    """

    value: float | None
    block: int | None = None
    run: str = ""
    detail: str = ""
    started_utc: str = ""
    inner: tuple[float, ...] = ()


class Spread(Record, frozen=True, kw_only=True):
    """All that a file without single values has: the mean and its spread. n: values behind it, None when not told.

    deviation: population standard deviation relative to the mean; None when it is below what the file prints.
    mean_text, deviation_text: as printed. change_text: the change against the base as printed, at the head only;
    printed means are too short to compute it from.
    """

    mean: float
    deviation: float | None
    n: int | None
    mean_text: str = ""
    deviation_text: str = ""
    change_text: str = ""


class SampleSeries(Record, frozen=True, kw_only=True):
    """One metric of one kernel at one setting. samples: in file order; spread: instead of them.

    better: "lower", "higher" or "unknown". primary: whether the experiment's answer is about this metric.
    """

    kernel: str
    workload: str
    metric: str
    unit: str
    definition: str
    better: str
    samples: tuple[Sample, ...] = ()
    spread: Spread | None = None
    settings: tuple[Setting, ...] = ()
    primary: bool = False
    cpus: int | None = None
    memory_bytes: int | None = None


class Source(Record, frozen=True, kw_only=True):
    """One imported file: its name, its content, and the format it was read as ("pyperf 2.10.0")."""

    name: str
    sha256: str
    format: str


class ImportedKernel(Record, frozen=True, kw_only=True):
    """A kernel in an imported file. label: its name in every series. named_by: who or what named it so."""

    label: str
    release: str | None = None
    arch: str | None = None
    compiler: str | None = None
    commit: str | None = None
    named_by: str = ""


class FunctionShares(Record, frozen=True, kw_only=True):
    """Cost per operation by function, derived from printed shares: rows of (function, base, head), in `unit`.

    base_total, head_total: what all functions together cost. how: the formula in words.
    """

    workload: str
    unit: str
    base_total: float
    head_total: float
    rows: tuple[tuple[str, float | None, float | None], ...]
    how: str


class LkpHeader(Record, frozen=True, kw_only=True):
    """Header of the robot's table: the axes of the comparison, and the commits as its id columns print them."""

    axes: tuple[tuple[str, str], ...]
    base_id: str
    head_id: str
    base_subject: str = ""
    head_subject: str = ""


class Samples(Record, frozen=True, kw_only=True):
    """Everything `kassay import` read. kernels: base first, in the order to compare. replication: a word of
    UNITS_OF_REPLICATION. machine: what is known of it, in words. notes: what a reader must be told. command: the words
    of the command that read it, without its --out; empty where that is not known."""

    name: str
    sources: tuple[Source, ...]
    kernels: tuple[ImportedKernel, ...]
    series: tuple[SampleSeries, ...]
    replication: str
    machine: str = "unknown"
    notes: tuple[str, ...] = ()
    shares: tuple[FunctionShares, ...] = ()
    lkp_header: LkpHeader | None = None
    command: tuple[str, ...] = ()
    schema: str = msgspec.field(default=SCHEMA)

    @property
    def arch(self) -> str:
        """Architecture of all kernels; "unknown" if they differ or the files do not tell."""
        arches = {kernel.arch for kernel in self.kernels}
        return (arches.pop() if len(arches) == 1 else None) or "unknown"
