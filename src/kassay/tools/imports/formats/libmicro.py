# SPDX-License-Identifier: GPL-2.0-only
"""libMicro: one line per test, below a line of column names; lines of statistics and remarks begin with "#"."""

import re
from collections import defaultdict
from statistics import median

from kassay.errors import BadInput
from kassay.model.samples import ImportedKernel, Sample
from kassay.tools.imports.importer import (
    FileRow,
    Given,
    Importer,
    Metric,
    Reading,
    kernel_of,
    merged_kernels,
    replication_of,
    series_of,
    settings_of,
)
from kassay.tools.imports.text import check_whole, cost, lines_of, whole

_HEADER = ("prc", "thr", "usecs/call", "samples", "errors", "cnt/samp")
_HEADER_BYTES = re.compile(rb"^[ \t]*prc +thr +usecs/call +samples +errors +cnt/samp", re.MULTILINE)
_FACT = re.compile(r"!([^:]+):(.*)")
_OUTLIERS = "samples beyond 3 standard deviations removed by the tool"


def _recognise(given: Given) -> bool:
    return _HEADER_BYTES.search(given.data) is not None


def _read(givens: tuple[Given, ...]) -> Reading:
    rows: list[FileRow] = []
    kernels: list[tuple[ImportedKernel, str]] = []
    machines: dict[str, None] = {}
    versions: dict[str, None] = {}
    for given in givens:
        lines = lines_of(given)
        check_whole(given)
        facts = _facts(lines)
        kernel = ImportedKernel(
            label=kernel_of(given, facts.get("OS_release"), "libMicro without the header of its script"),
            release=facts.get("OS_release"), arch=facts.get("Processor"), named_by=given.name,
        )  # fmt: skip
        kernels.append((kernel, given.location))
        machines[", ".join(filter(None, map(facts.get, ("Machine_name", "CPU_NAME", "CPU_MHz"))))] = None
        versions[facts.get("Libmicro_#", "")] = None
        rows += _rows(given, kernel.label, lines)
    series = series_of(rows)
    return Reading(
        format=" ".join(filter(None, ("libMicro", *versions))), kernels=merged_kernels(kernels), series=series,
        replication=replication_of(series, "process"), machine="; ".join(filter(None, machines)) or "unknown",
    )  # fmt: skip


def _facts(lines: list[str]) -> dict[str, str]:
    """The script's header: "!OS_release: 6.12.94" and so on."""
    matches = (_FACT.match(line) for line in lines)
    return {match.group(1).strip(): match.group(2).strip() for match in matches if match and match.group(2).strip()}


def _rows(given: Given, label: str, lines: list[str]) -> list[FileRow]:
    """One row per test and setting; a test with several lines ran several times in one boot."""
    values: dict[tuple[str, tuple[tuple[str, str], ...], str], list[float | None]] = defaultdict(list)
    header: list[str] | None = None
    columns: list[str] = []
    for at, line in enumerate(lines, 1):
        fields = line.split()
        if fields[: len(_HEADER)] == list(_HEADER):
            header, columns = fields, fields
        elif fields and not line.startswith(("#", "!")):
            name, settings, value = _parsed(fields, columns, f"{given.location}: line {at}")
            values[name, settings, _kind(lines, at)].append(value)
            header = None
    if header is not None or not values:
        raise BadInput(f"{given.location}: line {len(lines)}: column names without a result below",
                       "it is cut off; let the test finish")  # fmt: skip
    return [_row(given, label, key, times) for key, times in values.items()]


def _parsed(
    fields: list[str], columns: list[str], location: str
) -> tuple[str, tuple[tuple[str, str], ...], float | None]:
    """Name, settings and value of one line; value None when calls failed."""
    if not columns or len(fields) != len(columns) + 1:
        expected = len(columns) + 1 if columns else "column names first"
        raise BadInput(f"{location}: {len(fields)} words, expected {expected}", "it is damaged, or not libMicro's")
    cells = dict(zip(columns, fields[1:], strict=True))
    value = cost(cells["usecs/call"], location)
    whole(cells["samples"], location)
    settings = {"processes": cells["prc"], "threads": cells["thr"], "calls_per_sample": cells["cnt/samp"],
                **{name: cells[name] for name in columns[len(_HEADER) :]}}  # fmt: skip
    for name in ("processes", "threads", "calls_per_sample"):
        whole(settings[name], location)
    return fields[0], tuple(settings.items()), None if whole(cells["errors"], location) else value


def _kind(lines: list[str], at: int) -> str:
    """Mean with -M, else median; the script prints the command line right above or below the result."""
    near = [line for line in lines[max(0, at - 3) : at + 1] if line.startswith("# ")]
    return "mean" if any(" -M " in f"{line} " for line in near) else "median"


def _row(given: Given, label: str, key: tuple[str, tuple[tuple[str, str], ...], str],
         times: list[float | None]) -> FileRow:  # fmt: skip
    name, settings, kind = key
    good = tuple(value for value in times if value is not None)
    failed = len(good) < len(times)
    metric = Metric(name="time_per_call", unit="us/call", better="lower",
                    definition=f"{kind} over the samples of time per call, {_OUTLIERS}")  # fmt: skip
    sample = Sample(value=None if failed else median(good), run=given.name, inner=good if len(good) > 1 else (),
                    detail="calls failed, by libMicro's column errors" if failed else "")  # fmt: skip
    return FileRow(kernel=label, workload=name, metric=metric, sample=sample, location=given.location,
                   settings=settings_of(dict(settings)))  # fmt: skip


IMPORTER = Importer(name="libmicro", title="libMicro's output", recognise=_recognise, read=_read)
