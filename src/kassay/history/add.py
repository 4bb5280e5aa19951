# SPDX-License-Identifier: GPL-2.0-only
"""Batch -> archive: what is there already is left alone, the rest is added."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from kassay.effects import clock
from kassay.history.archive import FORGET_POINTS, MAKE_POINTS, Archive
from kassay.history.records import Batch, StoredKernel, StoredSeries
from kassay.model.records import Record, Setting


class Added(Record, frozen=True, kw_only=True):
    """What adding one directory did. known: successful runs that were there before."""

    runs: int
    samples: int
    known: int


def add(archive: Archive, batch: Batch) -> Added:
    """Adds the runs that the archive does not have yet; a run that had failed and has succeeded since is renewed.

    The same batch again adds nothing. To be called inside archive.writing().
    """
    experiment = _experiment(archive, batch)
    stored = archive.rows("SELECT name, outcome, attempts FROM t_runs WHERE experiment = ?", [experiment])
    known = {name: (outcome, attempts) for name, outcome, attempts in stored}
    new = [i for i, run in enumerate(batch.runs) if _newer(run.attempts, run.outcome, known.get(run.name))]
    again = [batch.runs[i].name for i in new if batch.runs[i].name in known]
    if again:
        archive.run("DELETE FROM t_runs WHERE experiment = ? AND list_contains(?, name)", [experiment, again])
    kernels, series = _kernels(archive, batch.kernels), _series(archive, batch.series)
    numbers = _runs(archive, batch, experiment, new, kernels)
    samples = _samples(archive, batch, experiment, numbers, kernels, series)
    return Added(runs=len(new), samples=samples, known=sum(outcome == "ok" for outcome, _ in known.values()))


def _newer(attempts: int, outcome: str, known: tuple[str, int] | None) -> bool:
    if known is None:
        return True
    return known[0] != "ok" and (outcome == "ok" or attempts > known[1])


def _next(archive: Archive, table: str, column: str) -> int:
    ((last,),) = archive.rows(f"SELECT max({column}) FROM {table}")
    return 0 if last is None else last + 1


def _experiment(archive: Archive, batch: Batch) -> int:
    asked = "SELECT experiment FROM t_experiments WHERE plan = ? AND session = ?"
    for (number,) in archive.rows(asked, [batch.plan, batch.session]):
        return int(number)
    number = _next(archive, "t_experiments", "experiment")
    row = (
        number,
        batch.plan,
        batch.session,
        batch.kind,
        batch.name,
        batch.directory,
        clock.utc_now(),
        batch.experiment,
    )
    _insert(archive, "t_experiments", [row])
    return number


def _kernels(archive: Archive, kernels: Sequence[StoredKernel]) -> list[int]:
    known = {name: int(number) for name, number in archive.rows("SELECT id, kernel FROM t_kernels")}
    first = _next(archive, "t_kernels", "kernel")
    rows: list[tuple[object, ...]] = []
    for kernel in kernels:
        if kernel.id not in known:
            known[kernel.id] = first + len(rows)
            rows.append((known[kernel.id], kernel.id, *(getattr(kernel, name) for name in kernel.__struct_fields__)))
    _insert(archive, "t_kernels", rows)
    return [known[kernel.id] for kernel in kernels]


def _series(archive: Archive, series: Sequence[StoredSeries]) -> list[int]:
    known = {name: int(number) for name, number in archive.rows("SELECT id, series FROM t_series")}
    first, before = _next(archive, "t_series", "series"), len(known)
    for one in series:
        if one.id not in known:
            known[one.id] = first + len(known) - before
            row = (known[one.id], one.id, one.workload, one.metric, one.unit, one.better, one.machine.clock,
                   one.machine.arch, one.machine.cpus, one.machine.memory_bytes, *_lists(one.settings),
                   *_lists(one.conditions), one.definition, one.primary)  # fmt: skip
            archive.run(f"INSERT INTO t_series VALUES ({'?, ' * 10} map(?, ?), map(?, ?), ?, ?)", row)
    return [known[one.id] for one in series]


def _lists(settings: Iterable[Setting]) -> tuple[list[str], list[str]]:
    return [setting.name for setting in settings], [setting.value for setting in settings]


def _moment(text: str) -> str | None:
    """A moment as the database takes it; None for what is none: a file may say anything."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment.astimezone(UTC) if moment.tzinfo else moment).strftime("%Y-%m-%d %H:%M:%S")


def _runs(
    archive: Archive, batch: Batch, experiment: int, new: Sequence[int], kernels: Sequence[int]
) -> dict[int, int]:
    """Inserts the runs `new` (indexes into the batch); their numbers in the archive."""
    first = _next(archive, "t_runs", "run")
    numbers = {index: first + place for place, index in enumerate(new)}
    rows = []
    for index, number in numbers.items():
        run = batch.runs[index]
        rows.append((number, experiment, run.name, kernels[run.kernel], run.outcome, run.attempts, run.perturbation,
                     run.control, run.block, _moment(run.started_utc)))  # fmt: skip
    _insert(archive, "t_runs", rows)
    return numbers


def _samples(archive: Archive, batch: Batch, experiment: int, numbers: Mapping[int, int], kernels: Sequence[int],
             series: Sequence[int]) -> int:  # fmt: skip
    rows = [
        (series[s.series], kernels[s.kernel], experiment, numbers[s.run], s.value, s.counted,
         _moment(batch.runs[s.run].started_utc), s.printed, s.deviation, s.told)
        for s in batch.samples if s.run in numbers
    ]  # fmt: skip
    _insert(archive, "t_samples", rows)
    if rows:
        archive.run(FORGET_POINTS, [experiment])
        archive.run(MAKE_POINTS, [experiment])
    return len(rows)


def _insert(archive: Archive, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    """All rows in one statement, a column a list: a statement for each row would take hundreds of times as long."""
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        archive.run(f"INSERT INTO {table} SELECT {', '.join('unnest(?)' for _ in columns)}", columns)
