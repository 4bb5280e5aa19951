# SPDX-License-Identifier: GPL-2.0-only
"""A CSV that anybody can write: the columns kernel,metric,value, and optional ones."""

from kassay.errors import BadInput
from kassay.model.samples import BETTER, ImportedKernel, Sample
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
    rows = [_row(row) for row in comparable]
    labels = dict.fromkeys(row.kernel for row in rows)
    unsupported = len(table) - len(supported)
    notes = [f"{unsupported} rows are marked unsupported and count as absent"] if unsupported else []
    if refusals:
        notes.append(
            f"{len(supported) - len(comparable)} rows belong to comparisons that were refused where they were measured"
            f" ({refusals}), and are left out"
        )
    if any(row.sample.block is None for row in rows):
        notes.append("without a block column the order of the boots is unknown; drift cannot be told from a change")
    return Reading(
        format="plain CSV", kernels=tuple(ImportedKernel(label=label) for label in labels), series=series_of(rows),
        replication="unknown" if any(row.sample.block is None for row in rows) else "boot", notes=tuple(notes),
    )  # fmt: skip


def _row(row: CsvRow) -> FileRow:
    cells = row.cells
    for name in ("kernel", "metric"):
        if not cells[name]:
            raise BadInput(f"{row.location}: no {name}", "every row names its kernel and its metric")
    better = cells.get("better") or "unknown"
    if better not in BETTER:
        raise BadInput(f"{row.location}: better is {better!r}", f"write one of {', '.join(BETTER)}, or nothing")
    metric = Metric(name=cells["metric"], unit=cells.get("unit", ""), better=better,
                    definition=cells.get("definition") or _NO_DEFINITION)  # fmt: skip
    others = {name: value for name, value in cells.items() if name not in _KNOWN}
    return FileRow(kernel=cells["kernel"], workload=cells.get("workload") or "unnamed", metric=metric,
                   location=row.location, sample=_sample(row), settings=settings_of(others))  # fmt: skip


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
    first_locations: dict[tuple[str, ...], str] = {}
    for row in table:
        key = tuple(value for name, value in row.cells.items() if name not in ("value", "status"))
        if row.cells.get("run") and key in first_locations:
            raise BadInput(f"{row.location}: repeats run {row.cells['run']} of {first_locations[key]}",
                           "one run has one value of a metric; remove one, or give it its own run name")  # fmt: skip
        first_locations[key] = row.location


IMPORTER = Importer(
    name="plain_csv", title="CSV with the columns kernel,metric,value", recognise=_recognise, read=_read
)
