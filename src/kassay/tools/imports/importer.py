# SPDX-License-Identifier: GPL-2.0-only
"""Definition of an import format: one module of formats/ with a constant IMPORTER. Its input, and how values become
series."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from kassay.errors import BadInput
from kassay.model.records import Record, Setting
from kassay.model.samples import FunctionShares, ImportedKernel, LkpHeader, Sample, SampleSeries

FORMATS = "kassay.tools.imports.formats"


@dataclass(frozen=True, kw_only=True)
class Given:
    """One file as the user gave it."""

    location: str
    """Name of the file in errors."""
    name: str
    """Path below source/."""
    path: Path
    """Absolute path."""
    raw: bytes
    data: bytes
    """Raw data, decompressed."""
    kernel: str | None = None
    """Kernel as the user names it; None if the file itself must tell."""


class Reading(Record, frozen=True, kw_only=True):
    """Everything that one format read. Fields without a description are as in Samples."""

    format: str
    kernels: tuple[ImportedKernel, ...]
    """Kernels in the order found."""
    series: tuple[SampleSeries, ...]
    replication: str
    machine: str = "unknown"
    notes: tuple[str, ...] = ()
    shares: tuple[FunctionShares, ...] = ()
    lkp_header: LkpHeader | None = None
    order_doubt: str = ""
    """Reason why the order of the kernels may mean nothing; "" if it means something."""
    looks: float | None = None
    margin: float | None = None


@dataclass(frozen=True, kw_only=True)
class Importer:
    """One format of files."""

    name: str
    title: str
    recognise: Callable[[Given], bool]
    """Function that looks at one file. It raises nothing."""
    read: Callable[[tuple[Given, ...]], Reading]
    """Function that reads all files of one import. It raises BadInput."""
    below: Callable[[Path], tuple[Path, ...]] = lambda _: ()
    """Function that gives the files of this format in a directory. Most formats have none."""


class Metric(Record, frozen=True, kw_only=True):
    """Description of a value, as in SampleSeries."""

    name: str
    unit: str
    definition: str
    better: str


class FileRow(Record, frozen=True, kw_only=True):
    """One value with its kernel, workload, metric and settings."""

    kernel: str
    workload: str
    metric: Metric
    sample: Sample
    location: str
    """Place of the value, for errors."""
    settings: tuple[Setting, ...] = ()
    cpus: int | None = None


def settings_of(values: dict[str, str]) -> tuple[Setting, ...]:
    """Settings in the order given; a name without a value is left out."""
    return tuple(Setting(name=name, value=value) for name, value in values.items() if value)


def series_of(rows: Iterable[FileRow]) -> tuple[SampleSeries, ...]:
    """One series per kernel, workload, metric and setting, in the order of their first row; samples in file order.

    Raises BadInput when one metric comes in two units, or in two directions (which value is better).
    """
    groups: dict[tuple[object, ...], list[FileRow]] = {}
    metrics: dict[tuple[str, str], FileRow] = {}
    for row in rows:
        first = metrics.setdefault((row.workload, row.metric.name), row)
        for name in ("unit", "better"):
            mine, other = getattr(row.metric, name), getattr(first.metric, name)
            if mine != other:
                raise BadInput(f"{row.location}: {row.metric.name} has {name} {mine!r}, but {other!r} at "
                               f"{first.location}",
                               "one metric has one unit and one direction; convert, or rename one")  # fmt: skip
        groups.setdefault((row.kernel, row.workload, row.metric.name, row.settings, row.cpus), []).append(row)
    return tuple(_series(group) for group in groups.values())


def _series(rows: list[FileRow]) -> SampleSeries:
    first = rows[0]
    return SampleSeries(
        kernel=first.kernel, workload=first.workload, metric=first.metric.name, unit=first.metric.unit,
        definition=first.metric.definition, better=first.metric.better, settings=first.settings, cpus=first.cpus,
        samples=tuple(row.sample for row in rows),
    )  # fmt: skip


def kernel_of(given: Given, named: str | None, tool: str) -> str:
    """The kernel's name for a file of one kernel: what the user says, else what the file tells. Raises BadInput."""
    label = given.kernel or named
    if not label:
        raise BadInput(f"{given.location}: {tool} does not tell which kernel it ran on",
                       f"say it: kassay import KERNEL={given.location} ...")  # fmt: skip
    return label


def no_kernel_given(givens: Iterable[Given]) -> None:
    """For formats that name kernels themselves. Raises BadInput when the user names one too."""
    for given in givens:
        if given.kernel is not None:
            raise BadInput(f"{given.location}: names its kernels itself, {given.kernel!r} cannot be all of it",
                           f"leave out {given.kernel}=")  # fmt: skip


def merged_kernels(kernels: Iterable[tuple[ImportedKernel, str]]) -> tuple[ImportedKernel, ...]:
    """The kernels of all files, once per label; named_by lists all files of a kernel.

    kernels: each with the location of what names it, for errors. Raises BadInput when two files disagree about one.
    """
    first_of: dict[str, tuple[ImportedKernel, str]] = {}
    named: dict[str, dict[str, None]] = {}
    for kernel, location in kernels:
        named.setdefault(kernel.label, {})[kernel.named_by] = None
        first, first_location = first_of.setdefault(kernel.label, (kernel, location))
        for name in ("release", "arch", "compiler", "commit"):
            mine, other = getattr(kernel, name), getattr(first, name)
            if mine is not None and other is not None and mine != other:
                raise BadInput(f"{location}: {kernel.label} has {name} {mine}, but {other} in {first_location}",
                               "these are two kernels; give each its own KERNEL= name")  # fmt: skip
    return tuple(
        msgspec.structs.replace(kernel, named_by=", ".join(named[label])) for label, (kernel, _) in first_of.items()
    )


def replication_of(series: Iterable[SampleSeries], single: str) -> str:
    """`single` (how the tool itself repeats) when each kernel has one file; several files prove no separate boots."""
    return "unknown" if any(len(s.samples) > 1 for s in series) else single
