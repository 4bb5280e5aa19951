# SPDX-License-Identifier: GPL-2.0-only
"""google-benchmark JSON (--benchmark_out): repetitions inside one process."""

from collections import defaultdict
from datetime import UTC, datetime
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
    replication_of,
    series_of,
)
from kassay.tools.imports.json_at import At, json_of, opens_object

_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_METRICS = {
    "real_time": Metric(name="real_time", unit="ns", better="lower", definition="wall-clock time of one iteration"),
    "cpu_time": Metric(name="cpu_time", unit="ns", better="lower", definition="CPU time of one iteration"),
    "items_per_second": Metric(name="items_per_second", unit="items/s", better="higher",
                               definition="items that the benchmark names, per second of its time"),
    "bytes_per_second": Metric(name="bytes_per_second", unit="bytes/s", better="higher",
                               definition="bytes that the benchmark names, per second of its time"),
}  # fmt: skip
_NOT_COUNTERS = {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads",
                 "iterations", "aggregate_unit", "rms"}  # fmt: skip


def _recognise(given: Given) -> bool:
    return opens_object(given) and all(word in given.data for word in (b'"context"', b'"benchmarks"'))


def _read(givens: tuple[Given, ...]) -> Reading:
    rows: list[FileRow] = []
    notes: dict[str, None] = {}
    machines: dict[str, None] = {}
    labels: dict[str, None] = {}
    for given in givens:
        top = json_of(given)
        labels[kernel_of(given, None, "google-benchmark")] = None
        context = top.field("context").fields()
        machines[_machine(context)] = None
        if "library_build_type" in context and context["library_build_type"].value == "debug":
            notes[f"{given.name}: the benchmark library was built for debugging; its loop costs more"] = None
        rows += _rows(given, top, _started(context), notes)
    series = series_of(rows)
    if any(s.metric.endswith("_per_second") for s in series):
        notes["items_per_second and bytes_per_second are computed from the times; they are no second witness"] = None
    return Reading(
        format="google-benchmark", kernels=tuple(ImportedKernel(label=label) for label in labels), series=series,
        replication=replication_of(series, "interval"), machine="; ".join(machines), notes=tuple(notes),
    )  # fmt: skip


def _rows(given: Given, top: At, started: str, notes: dict[str, None]) -> list[FileRow]:
    runs: dict[str, list[dict[str, At]]] = defaultdict(list)
    medians: dict[str, list[dict[str, At]]] = defaultdict(list)
    for entry in top.field("benchmarks").items():
        fields = entry.fields()
        name = (fields.get("run_name") or entry.field("name")).text()
        if "aggregate_name" not in fields:
            runs[name].append(fields)
        elif fields["aggregate_name"].value == "median":
            medians[name].append(fields)
    if not runs and not medians:
        raise BadInput(f"{given.location}: benchmarks: no results", "let at least one benchmark finish")
    for name in [name for name in medians if name not in runs]:
        runs[name] = medians[name]
        notes[f"{given.name}: only aggregates were written; the value of {name} is their median"] = None
    return [row for name, entries in runs.items() for row in _of_benchmark(given, name, entries, started, notes)]


def _of_benchmark(
    given: Given, name: str, entries: list[dict[str, At]], started: str, notes: dict[str, None]
) -> list[FileRow]:
    values: dict[str, list[float]] = defaultdict(list)
    failures = [_failure(fields) for fields in entries]
    for fields, failure in zip(entries, failures, strict=True):
        if failure is None:
            for metric, value in _numbers(fields).items():
                values[metric].append(value)
    for metric in [metric for metric, inner in values.items() if min(inner) < 0]:
        del values[metric]
        notes[f"{given.name}: {name}: the counter {metric} is negative, and has no ratio; it is left out"] = None
    failed = [failure for failure in failures if failure is not None]
    detail = failed[0] if failed else ""
    if 0 < len(failed) < len(entries):
        detail = f"{len(failed)} of {len(entries)} repetitions failed: {detail}"
    if not values:
        values = {"real_time": [], "cpu_time": []}
    return [
        FileRow(kernel=given.kernel or "", workload=name, metric=_metric(metric), location=f"{given.location}: {name}",
            sample=Sample(value=median(inner) if inner and not failed else None, run=given.name, detail=detail,
                          started_utc=started, inner=tuple(inner) if len(inner) > 1 else ()))
        for metric, inner in values.items()
    ]  # fmt: skip


def _failure(fields: dict[str, At]) -> str | None:
    """The benchmark's own error message; None if it has none."""
    for name in ("error_occurred", "skipped"):
        if name in fields and fields[name].value:
            message = fields.get("error_message") or fields.get("skip_message")
            return message.text() if message is not None else name
    return None


def _numbers(fields: dict[str, At]) -> dict[str, float]:
    """Times in ns, rates, and the counters that the benchmark's author added."""
    numbers: dict[str, float] = {}
    for name in ("real_time", "cpu_time"):
        unit = fields["time_unit"].text() if "time_unit" in fields else "ns"
        if name not in fields:
            raise BadInput(f"{next(iter(fields.values())).location}: its benchmark has no {name!r}",
                           "it is damaged, or complexity output, which has no times")  # fmt: skip
        if unit not in _NS:
            raise BadInput(f"{fields['time_unit'].location}: unknown unit {unit!r}", f"known: {', '.join(_NS)}")
        numbers[name] = fields[name].cost() * _NS[unit]
    for name, value in fields.items():
        if name not in numbers and name not in _NOT_COUNTERS and value.is_number():
            numbers[name] = value.cost() if name in _METRICS else value.number()
    return numbers


def _metric(name: str) -> Metric:
    return _METRICS.get(name) or Metric(
        name=name, unit="", better="unknown", definition="a counter of the benchmark's author; the file tells no more"
    )


def _machine(context: dict[str, At]) -> str:
    """The host and its CPUs. Two hosts may have equal ones."""
    host, cpus, mhz = (context.get(name) for name in ("host_name", "num_cpus", "mhz_per_cpu"))
    parts = [host.text()] if host is not None and host.value else []
    parts += [f"{cpus.number():g} CPUs"] if cpus is not None else []
    return ", ".join([*parts, *([f"{mhz.number():g} MHz"] if mhz is not None else [])]) or "unknown"


def _started(context: dict[str, At]) -> str:
    """The start of the process, "" when the file has none with a time zone."""
    try:
        when = datetime.fromisoformat(context["date"].text())
        return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if when.tzinfo else ""
    except (KeyError, ValueError, OverflowError, BadInput):
        return ""


IMPORTER = Importer(
    name="google_benchmark", title="google-benchmark JSON (--benchmark_out)", recognise=_recognise, read=_read
)
