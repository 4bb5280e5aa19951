# SPDX-License-Identifier: GPL-2.0-only
"""The raw CSV of the linux-mm regression evidence framework: one row per run and metric, one boot per run."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import msgspec

from kassay.errors import BadInput
from kassay.model.records import repeats
from kassay.model.samples import ImportedKernel, Sample, SampleSeries
from kassay.model.timing import LOOKS
from kassay.tools.imports.importer import (
    FileRow,
    Given,
    Importer,
    Metric,
    Reading,
    no_kernel_given,
    series_of,
    settings_of,
)
from kassay.tools.imports.text import CsvRow, cost, csv_rows, header_of, number

_NOT_KNOWN = "the order of the boots is not known as blocks"


def blocks_of(
    runs: Mapping[str, tuple[int, str, str] | None], *, drawn: bool = False
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Run id -> block, for runs of (repetition, start, kernel), and notes for the reader.

    Repetitions are blocks when each one starts after the previous one has started all its runs, and when the order
    of the kernels was not the same in all of them: a fixed order does not protect against drift. drawn: the file states
    that the order was drawn at random, which few repetitions need not show.
    """
    groups: dict[int, list[tuple[str, str, str]]] = defaultdict(list)
    for run_id, run in runs.items():
        if run is None:
            return {}, (f"{_NOT_KNOWN}: run {run_id[-60:]!r} does not name its repetition and start time",)
        groups[run[0]].append((run[1], run[2], run_id))
    ordered = [sorted(groups[key]) for key in sorted(groups)]
    if any(later[0][0] < earlier[-1][0] for earlier, later in pairwise(ordered)):
        return {}, (f"{_NOT_KNOWN}: the start times of the repetitions overlap",)
    orders = {tuple(label for _, label, _ in group) for group in ordered}
    if len(orders) == 1 and len(next(iter(orders))) > 1 and not drawn:
        return {}, (f"{_NOT_KNOWN}: every repetition ran the kernels in the same order, which lets drift in",)
    how = "random" if drawn else "varying"
    note = f"each of the {len(ordered)} repetitions is a block: start times show one after the other, in {how} order"
    return {run_id: key for key in groups for _, _, run_id in groups[key]}, (note,)


_TOTAL, _PER_PAGE = "_ns_avg", "_ns_per_page"


def without_duplicates(series: tuple[SampleSeries, ...]) -> tuple[tuple[SampleSeries, ...], tuple[str, ...]]:
    """Leaves out every X_ns_avg that is X_ns_per_page times one whole number of pages in all runs, with a note."""
    by_metric: dict[tuple[object, ...], list[SampleSeries]] = defaultdict(list)
    for s in series:
        by_metric[s.workload, s.settings, s.metric].append(s)
    dropped: dict[tuple[object, ...], int] = {}
    for (workload, settings, metric), totals in by_metric.items():
        if isinstance(metric, str) and metric.endswith(_TOTAL):
            pages = _pages(totals, by_metric.get((workload, settings, metric.removesuffix(_TOTAL) + _PER_PAGE), []))
            if pages is not None:
                dropped[workload, settings, metric] = pages
    notes = (f"{metric} is {str(metric).removesuffix(_TOTAL)}{_PER_PAGE} times {pages} pages; it is left out"
             for (_, _, metric), pages in dropped.items())  # fmt: skip
    remaining = tuple(s for s in series if (s.workload, s.settings, s.metric) not in dropped)
    return remaining, tuple(dict.fromkeys(notes))


def _pages(totals: list[SampleSeries], per_page: list[SampleSeries]) -> int | None:
    """The number of pages that explains every pair of values; values per page are printed without decimals."""
    values = {(s.kernel, sample.run): sample.value for s in per_page for sample in s.samples}
    least, most, pairs = 1.0, math.inf, 0
    for total in totals:
        for sample in total.samples:
            small = values.get((total.kernel, sample.run))
            if (sample.value is None) != (small is None):
                return None
            if sample.value is not None and small is not None and small > 1:
                least, most = max(least, sample.value / (small + 1)), min(most, sample.value / (small - 1))
                pairs += 1
    if not pairs or math.ceil(least) > most:
        return None
    return _roundest(math.ceil(least), math.floor(most))


def _roundest(least: int, most: int) -> int:
    """The number from least to most that the highest power of two divides: workloads have round sizes."""
    step = 1
    while (most // (2 * step)) * 2 * step >= least:
        step *= 2
    return (most // step) * step


_NEEDED = ("version_family", "exact_version", "scenario", "metric", "value", "status", "run_id")
_CONSTANTS = ("profile", "source_file", "entry_profile", "test_kind", "case")
_RUN = re.compile(r"_r(\d{1,6})-bench-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$")
_PER = re.compile(r"(?:^|_)ns_per_(\w+)$")
_DRAWN = "interleaved"
"""Order of kassay's own files: blocks of boots, in random order inside each."""
_HEADLINE = "cycle_ns_per_page"
_DEFINITIONS = {
    _HEADLINE: "wall-clock time of one whole iteration of the workload, divided by its pages; not CPU cycles",
    "ns_per_page": "wall-clock time of the touching after the call, divided by the pages",
    "advise_ns_per_page": "wall-clock time of the madvise() call, divided by the pages",
}


_Version: TypeAlias = tuple[str, str]
"""Family and exact version."""
_Age: TypeAlias = tuple[tuple[int, int, str], ...]
_CANDIDATE, _END = (-2, 0, ""), (-1, 0, "")
"""Parts of a version: a release candidate is older than the release, at which the version ends."""


def _recognise(given: Given) -> bool:
    return set(_NEEDED) <= set(header_of(given))


def _read(givens: tuple[Given, ...]) -> Reading:
    no_kernel_given(givens)
    table = [row for given in givens for row in csv_rows(given, _NEEDED)]
    _no_value_twice(table)
    labels = _labels(table)
    supported = [row for row in _expanded(table) if row.cells["status"] != "unsupported"]
    varying = [name for name in _CONSTANTS if len({row.cells.get(name, "") for row in table}) > 1]
    blocks, about_blocks = _blocks(table, labels, varying)
    rows = [_row(row, labels, varying, blocks) for row in supported]
    series, about_duplicates = without_duplicates(series_of(rows))
    notes = [*about_blocks, *about_duplicates]
    versions, doubt = _ordered(table)
    kernels = tuple(ImportedKernel(label=labels[version], release=version[1] or None) for version in versions)
    unsupported = sum(row.cells["status"] == "unsupported" for row in table)
    if unsupported:
        notes.append(f"{unsupported} rows are marked unsupported and count as absent")
    return Reading(
        format="linux-mm regression evidence framework, raw CSV", kernels=kernels,
        series=_with_primary(series), replication="boot", notes=tuple(notes), looks=_one_of(table, "looks"),
        margin=_one_of(table, "margin"), order_doubt=doubt,
    )  # fmt: skip


def _below(directory: Path) -> tuple[Path, ...]:
    """Raw CSVs in a directory: those whose header has all columns that are needed."""
    return tuple(path for path in sorted(directory.rglob("*.csv")) if path.is_file() and _is_raw(path))


def _is_raw(path: Path) -> bool:
    with path.open("rb") as stream:
        head = stream.readline(4096).decode("utf-8-sig", "replace")
    return set(_NEEDED) <= {word.strip().strip('"') for word in head.split(",")}


def _expanded(table: Iterable[CsvRow]) -> list[CsvRow]:
    """A run that failed as a whole names no metric: it failed in all that its scenario measures."""
    metrics: dict[str, dict[str, None]] = defaultdict(dict)
    for row in table:
        if row.cells["metric"]:
            metrics[row.cells["scenario"]][row.cells["metric"]] = None
    rows: list[CsvRow] = []
    for row in table:
        failed_run = row.cells["status"] == "failed" and not row.cells["metric"]
        names = list(metrics[row.cells["scenario"]]) if failed_run else [row.cells["metric"]]
        rows += [CsvRow(row.location, {**row.cells, "metric": name}) for name in names]
    return rows


def _labels(table: Iterable[CsvRow]) -> dict[tuple[str, str], str]:
    """(family, exact version) -> label: the family where it stands for one version, else the version."""
    versions: dict[str, set[str]] = defaultdict(set)
    for row in table:
        family, exact = row.cells["version_family"], row.cells["exact_version"]
        if not (family or exact):
            raise BadInput(f"{row.location}: neither version_family nor exact_version", "every row names its kernel")
        versions[family].add(exact)
    labels = {
        (family, exact): family if family and len(exacts) == 1 else exact or family
        for family, exacts in versions.items()
        for exact in exacts
    }
    if len(set(labels.values())) < len(labels):
        return {(family, exact): f"{family} {exact}".strip() for family, exact in labels}
    return labels


def _one_of(table: Iterable[CsvRow], column: str) -> float | None:
    """The number of a column that kassay adds, the same in all rows; None in files of others."""
    cells = {row.cells.get(column, ""): row.location for row in table}
    if len(cells) > 1:
        location = list(cells.values())[1]
        raise BadInput(f"{location}: another {column} than in the rows before", "import files of one session alone")
    text, location = next(iter(cells.items()))
    if not text:
        return None
    if (value := number(text, location)) <= 0 or (column == "looks" and value > len(LOOKS)):
        raise BadInput(f"{location}: {column} {text[:40]!r} is out of range", "write it as kassay report does")
    return value


def _ordered(table: Iterable[CsvRow]) -> tuple[tuple[_Version, ...], str]:
    """The kernels in the order of kassay's own column, else oldest version first, and a reason to doubt that order.

    The order of the rows is random. "" if the order is certain.
    """
    orders = {(row.cells["version_family"], row.cells["exact_version"]): row.cells.get("kernel_order", "")
              for row in table}  # fmt: skip
    keys = {version: (_age(orders[version]), _age(version[1] or version[0]), _age(version[0])) for version in orders}
    ordered = sorted(orders, key=keys.__getitem__)
    for one, two in pairwise(ordered):
        if not _in_order(keys[one], keys[two]):
            names = " and ".join(repr(" ".join(filter(None, version))[:60]) for version in (one, two))
            return tuple(ordered), f"the versions {names} do not tell which one is older"
    return tuple(ordered), ""


def _in_order(one: Iterable[_Age], two: Iterable[_Age]) -> bool:
    """True if the first place where two kernels differ tells which is older. Two names there, base and new, do not."""
    differing = next(((a, b) for ages in zip(one, two, strict=True) for a, b in zip(*ages, strict=False) if a != b), ())
    return bool(differing) and not all(re.search("[a-z]", word, re.IGNORECASE) for _, _, word in differing)


def _age(version: str) -> _Age:
    """6.12 < 6.12.77 < 7.0-rc1 = 7.0.0-rc1 < 7.0 < 7.0-mine < mm-unstable."""
    version = re.sub(r"^(?:v|linux-)?(\d+\.\d+)(?:\.0(?![\d.]))?", r"\1", version)
    parts = re.findall(r"[-~]rc(?=\d)|\d{1,18}|(?:(?![-~]rc\d)\D)+", version)
    return (*(_CANDIDATE if part in ("-rc", "~rc") else (0, int(part), "") if part.isdigit() else (1, 0, part)
              for part in parts), _END)  # fmt: skip


def _blocks(
    table: Iterable[CsvRow], labels: dict[tuple[str, str], str], varying: list[str]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Blocks within each cell: the framework finishes all repetitions of a cell before it starts the next cell."""
    drawn = all(row.cells.get("order") == _DRAWN for row in table)
    cells: dict[tuple[str, ...], dict[str, tuple[int, str, str] | None]] = defaultdict(dict)
    for row in table:
        cell = (row.cells["scenario"], *(row.cells.get(name, "") for name in varying))
        cells[cell][row.cells["run_id"]] = _run_of(row, labels)
    blocks: dict[str, int] = {}
    notes: dict[str, None] = {}
    for cell, runs in cells.items():
        cell_blocks, cell_notes = blocks_of(runs, drawn=drawn)
        blocks |= cell_blocks
        notes |= dict.fromkeys(f"{cell[0]}: {note}" for note in cell_notes)
    return blocks, tuple(notes)


def _run_of(row: CsvRow, labels: dict[tuple[str, str], str]) -> tuple[int, str, str] | None:
    match = _RUN.search(row.cells["run_id"])
    if match is None:
        return None
    label = labels[row.cells["version_family"], row.cells["exact_version"]]
    return int(match.group(1)), _started(row), label


def _started(row: CsvRow) -> str:
    match = _RUN.search(row.cells["run_id"])
    return "{}-{}-{}T{}:{}:{}Z".format(*match.groups()[1:]) if match else ""


def _row(row: CsvRow, labels: dict[tuple[str, str], str], varying: list[str], blocks: dict[str, int]) -> FileRow:
    cells = row.cells
    name = cells["metric"]
    if not name or not cells["scenario"]:
        raise BadInput(f"{row.location}: no {'scenario' if name else 'metric'}", "every row names both")
    if cells["status"] not in ("ok", "failed"):
        raise BadInput(f"{row.location}: status is {cells['status']!r}", "known: ok, failed, unsupported")
    sample = Sample(
        value=cost(cells["value"], row.location) if cells["status"] == "ok" else None, run=cells["run_id"],
        detail="" if cells["status"] == "ok" else cells.get("failure_reason", "") or "failed",
        started_utc=_started(row), block=blocks.get(cells["run_id"]),
    )  # fmt: skip
    return FileRow(
        kernel=labels[cells["version_family"], cells["exact_version"]], workload=cells["scenario"],
        metric=_metric(name), sample=sample, location=row.location,
        settings=settings_of({key: cells.get(key, "") for key in varying}),
    )  # fmt: skip


def _metric(name: str) -> Metric:
    per = _PER.search(name)
    unit = f"ns/{per.group(1)}" if per else "ns" if name.endswith("_ns_avg") else ""
    definition = _DEFINITIONS.get(name, "the file does not define it; the framework reads lower as better")
    return Metric(name=name, unit=unit, definition=definition, better="lower")


def _no_value_twice(table: Iterable[CsvRow]) -> None:
    names = ("run_id", "scenario", "metric", "exact_version", "version_family")
    for row, first in repeats((tuple(row.cells[name] for name in names), row) for row in table):
        raise BadInput(f"{row.location}: repeats {row.cells['metric']} of the run at {first.location}",
                       "one run has one value of a metric; remove one")  # fmt: skip


def _with_primary(series: tuple[SampleSeries, ...]) -> tuple[SampleSeries, ...]:
    names = [s.metric for s in series]
    whole = next((n for n in names if n.startswith("cycle_ns_per_")), None)
    chosen = _HEADLINE if _HEADLINE in names else whole or next((n for n in names if n.endswith("_per_page")), None)
    return tuple(msgspec.structs.replace(s, primary=s.metric == chosen) for s in series)


IMPORTER = Importer(
    name="framework_csv", title="raw CSV of the linux-mm regression evidence framework", recognise=_recognise,
    read=_read, below=_below,
)  # fmt: skip
