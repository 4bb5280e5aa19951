# SPDX-License-Identifier: GPL-2.0-only
"""will-it-scale: what X_processes and X_threads print, and the CSV of runtest.py."""

import re
from pathlib import PurePath
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
    settings_of,
)
from kassay.tools.imports.text import CsvRow, check_whole, cost, csv_rows, header_of, lines_of, number, whole

_COLUMNS = ("tasks", "processes", "processes_idle", "threads", "threads_idle", "linear")
_NAME = re.compile(r"[a-z_]{3,}\d+")
"""The names of will-it-scale's tests: "page_fault1", "context_switch1"."""
_SECOND = re.compile(r"min:(\d+) max:(\d+) total:(\d+)")
_MODE = re.compile(r"_(processes|threads)(?![a-z])")
_OPS = Metric(name="operations", unit="ops/s", better="higher",
              definition="operations of all tasks in one second; the test defines what an operation is")  # fmt: skip
_IDLE = Metric(name="idle", unit="%", better="unknown", definition="idle share of all CPUs during the run")


def _recognise(given: Given) -> bool:
    return header_of(given) == _COLUMNS or (given.data.lstrip()[:9] == b"testcase:" and b"warmup" in given.data)


def _read(givens: tuple[Given, ...]) -> Reading:
    rows: list[FileRow] = []
    notes: dict[str, None] = {}
    labels: dict[str, None] = {}
    for given in givens:
        labels[kernel_of(given, None, "will-it-scale")] = None
        if header_of(given) == _COLUMNS:
            check_whole(given)
            rows += [file_row for row in csv_rows(given, _COLUMNS) for file_row in _of_csv(given, row)]
            notes["the column linear is tasks times the best single task; it measures nothing and is left out"] = None
        else:
            rows.append(_of_text(given))
            notes["the output does not tell the number of tasks; both kernels must have run with the same"] = None
    series = series_of(rows)
    return Reading(
        format="will-it-scale", kernels=tuple(ImportedKernel(label=label) for label in labels), series=series,
        replication=replication_of(series, "interval"), notes=tuple(notes),
    )  # fmt: skip


def _of_text(given: Given) -> FileRow:
    lines = [line.strip() for line in lines_of(given)]
    title, totals, average = _parsed(given, lines)
    if average is None:
        raise BadInput(f"{given.location}: line {len(lines)}: no average, so the run did not end",
                       "run it with -s N, and keep all of its output")  # fmt: skip
    if not totals or average != sum(totals) // len(totals):
        raise BadInput(f"{given.location}: average:{average} is not that of the {len(totals)} measured seconds",
                       "lines are missing or were changed; give the output as it was")  # fmt: skip
    # The title names the test; the file's name may be that of a kernel.
    mode = _MODE.search(PurePath(given.name).name)
    settings = settings_of({"mode": mode[1]} if mode else {})
    sample = Sample(value=float(median(totals)), run=given.name, inner=tuple(float(total) for total in totals))
    return FileRow(kernel=given.kernel or "", workload=title, metric=_OPS,
                   sample=sample, location=given.location, settings=settings)  # fmt: skip


def _parsed(given: Given, lines: list[str]) -> tuple[str, list[int], int | None]:
    """Title, operations of every measured second, and the printed average."""
    title, totals, average, measuring = "", [], None, False
    for at, line in enumerate(lines, 1):
        location = f"{given.location}: line {at}"
        word, _, rest = line.partition(":")
        if word == "testcase" and not title:
            title = rest.strip() or "unnamed"
        elif word == "testcase":
            raise BadInput(f"{location}: a second run in one file", "give each run its own file")
        elif word == "average" and average is None:
            average = whole(rest, location)
        elif line == "measurement":
            measuring = True
        elif line not in ("", "warmup"):
            match = _SECOND.fullmatch(line)
            if match is None or average is not None:
                raise BadInput(f"{location}: {line[:40]!r} is not will-it-scale's", "it is damaged, or cut off")
            totals += [whole(match.group(3), location)] if measuring else []
    return title, totals, average


def _of_csv(given: Given, row: CsvRow) -> list[FileRow]:
    tasks = whole(row.cells["tasks"], row.location)
    rows = []
    for mode in ("processes", "threads") if tasks else ():
        value = number(row.cells[mode], row.location)
        settings = settings_of({"mode": mode, "tasks": str(tasks)})
        # runtest.py prints -1 where the program gave no average.
        ops = Sample(value=None if value == -1 else cost(row.cells[mode], row.location), run=given.name,
                     detail="no average" if value == -1 else "")  # fmt: skip
        idle = Sample(value=cost(row.cells[f"{mode}_idle"], row.location), run=given.name)
        for metric, sample in ((_OPS, ops), (_IDLE, idle)):
            rows.append(FileRow(kernel=given.kernel or "", workload=_test(given), metric=metric, sample=sample,
                                location=row.location, settings=settings))  # fmt: skip
    return rows


def _test(given: Given) -> str:
    """runtest.py's CSV does not name its test; people name the file after it: "page_fault1.csv", "6.12-malloc1.csv"."""
    words = re.findall(r"[a-z][a-z0-9_]*", PurePath(given.name).stem)
    name = next((word for word in words if _NAME.fullmatch(word)), words[0] if words else "")
    if not name:
        raise BadInput(f"{given.location}: its name does not say which test it is of",
                       "name the file after its test: page_fault1.csv")  # fmt: skip
    return name


IMPORTER = Importer(name="will_it_scale", title="will-it-scale's output, or runtest.py's CSV", recognise=_recognise,
                    read=_read)  # fmt: skip
