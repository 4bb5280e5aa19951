# SPDX-License-Identifier: GPL-2.0-only
"""A CSV that anybody can write: the columns kernel,metric,value, and optional ones."""

from collections.abc import Iterable

from msgspec import structs

from kassay.errors import BadInput
from kassay.model.records import repeats
from kassay.model.samples import BETTER, ImportedKernel, Sample, SampleSeries, Spread
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
from kassay.tools.imports.text import CsvRow, cost, csv_rows, header_of, whole

_NEEDED = ("kernel", "metric", "value")
_REFUSED = "refused"
"""Column of kassay's own files: the verdict of a comparison that was refused, in the rows of its second kernel."""
_KNOWN = (*_NEEDED, "unit", "better", "block", "status", "workload", "run", "definition", _REFUSED)
_OWN = ("kind", "primary", "clock", "cpus", "spread")
"""Columns that are no settings in kassay's own files, which have all of them. In other files they are."""
_NO_DEFINITION = "the file does not define it"
_STATUS = ("ok", "failed", "unsupported")


def _recognise(given: Given) -> bool:
    return set(_NEEDED) <= set(header_of(given))


def _read(givens: tuple[Given, ...]) -> Reading:
    no_kernel_given(givens)
    table = [row for given in givens for row in csv_rows(given, _NEEDED)]
    _no_run_twice(table)
    supported = [row for row in table if _status(row) != "unsupported"]
    comparable = [row for row in supported if not row.cells.get(_REFUSED)]
    refusals = ", ".join(sorted({row.cells[_REFUSED] for row in supported if row.cells.get(_REFUSED)}))
    if refusals and len({row.cells["kernel"] for row in comparable}) < 2:
        raise BadInput(f"{givens[0].location}: every comparison in it was refused where it was measured ({refusals})",
                       "nothing is left to compare; the report of that measurement says why")  # fmt: skip
    clocks = {row.cells["clock"] for row in comparable if _is_own(row)}
    rows = [_row(row, several_clocks=len(clocks) > 1) for row in comparable]
    without_block = any(row.sample.block is None and row.sample.value is not None for row in rows)
    labels = dict.fromkeys(row.kernel for row in rows)
    unsupported = len(table) - len(supported)
    notes = [f"{unsupported} rows are marked unsupported and count as absent"] if unsupported else []
    if refusals:
        notes.append(
            f"{len(supported) - len(comparable)} rows belong to comparisons that were refused where they were measured"
            f" ({refusals}), and are left out"
        )
    if without_block:
        notes.append("without a block column the order of the boots is unknown; drift cannot be told from a change")
    return Reading(
        format="plain CSV", kernels=tuple(ImportedKernel(label=label) for label in labels),
        series=_as_marked(series_of(rows), zip(rows, comparable, strict=True)), notes=tuple(notes),
        replication="unknown" if without_block else "boot",
        machine=f"kassay's, clock {', '.join(sorted(clocks))}" if clocks else "unknown",
    )  # fmt: skip


def _is_own(row: CsvRow) -> bool:
    return set(_OWN) <= row.cells.keys()


def _row(row: CsvRow, *, several_clocks: bool) -> FileRow:
    cells = row.cells
    for name in ("kernel", "metric"):
        if not cells[name]:
            raise BadInput(f"{row.location}: no {name}", "every row names its kernel and its metric")
    better = cells.get("better") or "unknown"
    if better not in BETTER:
        raise BadInput(f"{row.location}: better is {better!r}", f"write one of {', '.join(BETTER)}, or nothing")
    metric = Metric(name=cells["metric"], unit=cells.get("unit", ""), better=better,
                    definition=cells.get("definition") or _NO_DEFINITION)  # fmt: skip
    others = {name: value for name, value in cells.items() if name not in _KNOWN and not _is_mapped(row, name)}
    others |= {"clock": cells["clock"]} if several_clocks else {}
    cpus = whole(cells["cpus"], f"{row.location}: cpus") if _is_own(row) and cells["cpus"] else None
    return FileRow(kernel=cells["kernel"], workload=cells.get("workload") or "unnamed", metric=metric, cpus=cpus,
                   location=row.location, sample=_sample(row), settings=settings_of(others))  # fmt: skip


def _is_mapped(row: CsvRow, name: str) -> bool:
    """True for a column that is no setting of this row. Perturbed runs stay apart from the plain ones."""
    if name == "kind":
        return row.cells[name] == "plain" or _status(row) == "failed" or (_is_own(row) and row.cells[name] == "mean")
    return name in _OWN and _is_own(row)


def _as_marked(series: tuple[SampleSeries, ...], rows: Iterable[tuple[FileRow, CsvRow]]) -> tuple[SampleSeries, ...]:
    """The series with what kassay's own files tell of them: which metric the answer is about, and means."""
    primary: set[tuple[object, ...]] = set()
    means: dict[tuple[object, ...], Spread] = {}
    for row, source in rows:
        if _is_own(source):
            key = (row.kernel, row.workload, row.metric.name, row.settings, row.cpus)
            primary |= {key} if source.cells["primary"] == "yes" else set()
            if source.cells["kind"] == "mean" and row.sample.value is not None:
                means[key] = _mean(row.sample.value, source)
    marked = []
    for s in series:
        key = (s.kernel, s.workload, s.metric, s.settings, s.cpus)
        marked.append(
            structs.replace(s, primary=key in primary, spread=means.get(key), samples=() if key in means else s.samples)
        )
    return tuple(marked)


def _mean(value: float, row: CsvRow) -> Spread:
    deviation = row.cells["spread"]
    return Spread(mean=value, deviation=cost(deviation, row.location) if deviation else None, n=None,
                  mean_text=row.cells["value"], deviation_text=deviation)  # fmt: skip


def _sample(row: CsvRow) -> Sample:
    failed = _status(row) == "failed"
    if not failed and not row.cells["value"]:
        raise BadInput(f"{row.location}: no value", "a run that gave none has status failed, in a status column")
    return Sample(
        value=None if failed else cost(row.cells["value"], row.location), run=row.cells.get("run", ""),
        detail="failed" if failed else "", block=_block(row),
    )  # fmt: skip


def _block(row: CsvRow) -> int | None:
    text = row.cells.get("block", "")
    return whole(text, f"{row.location}: block") if text else None


def _status(row: CsvRow) -> str:
    of_kind = "failed" if row.cells.get("kind") == "failed" and not row.cells["value"] else "ok"
    status = row.cells.get("status") or of_kind
    if status not in _STATUS:
        raise BadInput(f"{row.location}: status is {status!r}", f"write one of {', '.join(_STATUS)}")
    return status


def _no_run_twice(table: list[CsvRow]) -> None:
    keyed = ((tuple(value for name, value in row.cells.items() if name not in ("value", "status")), row)
             for row in table if row.cells.get("run"))  # fmt: skip
    for row, first in repeats(keyed):
        raise BadInput(f"{row.location}: repeats run {row.cells['run']} of {first.location}",
                       "one run has one value of a metric; remove one, or give it its own run name")  # fmt: skip


IMPORTER = Importer(
    name="plain_csv", title="CSV with the columns kernel,metric,value", recognise=_recognise, read=_read
)
