# SPDX-License-Identifier: GPL-2.0-only
"""From single values to series: what every format that has values (and not only means) shares."""

from collections.abc import Iterable

import msgspec

from kassay.errors import BadInput
from kassay.imports.importer import Given
from kassay.model.records import Record, Setting
from kassay.model.samples import ImportedKernel, Sample, SampleSeries


class Metric(Record, frozen=True, kw_only=True):
    """What a value is, as in SampleSeries."""

    name: str
    unit: str
    definition: str
    better: str


class FileRow(Record, frozen=True, kw_only=True):
    """One value with what it is of. place: for errors."""

    kernel: str
    workload: str
    metric: Metric
    sample: Sample
    place: str
    settings: tuple[Setting, ...] = ()
    cpus: int | None = None


def settings_of(values: dict[str, str]) -> tuple[Setting, ...]:
    """Settings in the order given; empty values are none."""
    return tuple(Setting(name=name, value=value) for name, value in values.items() if value)


def series_of(rows: Iterable[FileRow]) -> tuple[SampleSeries, ...]:
    """One series per kernel, workload, metric and setting, in the order of their first row; samples in file order.

    Raises BadInput when one metric comes in two units, or with two opinions of what is better.
    """
    found: dict[tuple[object, ...], list[FileRow]] = {}
    metrics: dict[tuple[str, str], FileRow] = {}
    for row in rows:
        first = metrics.setdefault((row.workload, row.metric.name), row)
        for name in ("unit", "better"):
            mine, other = getattr(row.metric, name), getattr(first.metric, name)
            if mine != other:
                raise BadInput(f"{row.place}: {row.metric.name} has {name} {mine!r}, but {other!r} at {first.place}",
                               "one metric has one unit and one direction; convert, or rename one")  # fmt: skip
        found.setdefault((row.kernel, row.workload, row.metric.name, row.settings, row.cpus), []).append(row)
    return tuple(_series(group) for group in found.values())


def _series(rows: list[FileRow]) -> SampleSeries:
    first = rows[0]
    return SampleSeries(
        kernel=first.kernel, workload=first.workload, metric=first.metric.name, unit=first.metric.unit,
        definition=first.metric.definition, better=first.metric.better, settings=first.settings, cpus=first.cpus,
        samples=tuple(row.sample for row in rows),
    )  # fmt: skip


def kernel_of(given: Given, told: str | None, tool: str) -> str:
    """The kernel's name for a file of one kernel: what the user says, else what the file tells. Raises BadInput."""
    label = given.kernel or told
    if not label:
        raise BadInput(f"{given.place}: {tool} does not tell which kernel it ran on",
                       f"say it: kassay import KERNEL={given.place} ...")  # fmt: skip
    return label


def no_kernel_given(givens: Iterable[Given]) -> None:
    """For formats that name kernels themselves. Raises BadInput when the user names one too."""
    for given in givens:
        if given.kernel is not None:
            raise BadInput(f"{given.place}: names its kernels itself, {given.kernel!r} cannot be all of it",
                           f"leave out {given.kernel}=")  # fmt: skip


def merged_kernels(kernels: Iterable[tuple[ImportedKernel, str]]) -> tuple[ImportedKernel, ...]:
    """Kernels with the place each was told at, once per label, named by all of its files.

    Raises BadInput when two files disagree about one.
    """
    found: dict[str, tuple[ImportedKernel, str]] = {}
    named: dict[str, dict[str, None]] = {}
    for kernel, place in kernels:
        named.setdefault(kernel.label, {})[kernel.named_by] = None
        known, where = found.setdefault(kernel.label, (kernel, place))
        for name in ("release", "arch", "compiler", "commit"):
            mine, other = getattr(kernel, name), getattr(known, name)
            if mine is not None and other is not None and mine != other:
                raise BadInput(f"{place}: {kernel.label} has {name} {mine}, but {other} in {where}",
                               "these are two kernels; give each its own KERNEL= name")  # fmt: skip
    return tuple(
        msgspec.structs.replace(kernel, named_by=", ".join(named[label])) for label, (kernel, _) in found.items()
    )


def replication_of(series: Iterable[SampleSeries], single: str) -> str:
    """Several files of one kernel: nothing proves separate boots. One file each: `single`, as the tool repeats."""
    return "unknown" if any(len(one.samples) > 1 for one in series) else single
