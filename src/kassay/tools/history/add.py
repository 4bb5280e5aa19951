# SPDX-License-Identifier: GPL-2.0-only
"""Batch -> archive: adds what the archive does not have yet."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from kassay.effects import clock
from kassay.model.records import Record, Setting, to_json
from kassay.tools.history.archive import FORGET_COPIES, FORGET_POINTS, MAKE_POINTS, POINTS_OF, Archive
from kassay.tools.history.records import Batch, StoredKernel, StoredSeries


class Added(Record, frozen=True, kw_only=True):
    """Result of adding one directory."""

    runs: int
    samples: int
    known: int
    """Number of successful runs that were there before."""


def add(archive: Archive, batch: Batch) -> Added:
    """Adds the runs that the archive does not have yet. A run that succeeded, or was made again, since is renewed.

    The same batch again adds nothing. To be called inside archive.writing().
    """
    experiment = _experiment(archive, batch)
    before = archive.rows(POINTS_OF, [experiment])
    rows = archive.rows("SELECT name, outcome, started_utc, attempts FROM t_runs WHERE experiment = ?", [experiment])
    stored = {name: _rank(outcome, str(started or ""), attempts) for name, outcome, started, attempts in rows}
    former = _former_series(archive, batch, experiment) if len(batch.runs) >= len(stored) else []
    if former:
        _forget_runs(archive, experiment, list(stored))
        stored = {}
    new = [
        i for i, run in enumerate(batch.runs)
        if _rank(run.outcome, _moment(run.started_utc) or "", run.attempts) > stored.get(run.name, ())
    ]  # fmt: skip
    renewed = [batch.runs[i].name for i in new if batch.runs[i].name in stored]
    kernels, series = _kernels(archive, batch.kernels), _series(archive, batch.series)
    _forget_runs(archive, experiment, renewed)
    numbers = _runs(archive, batch, experiment, new, kernels)
    _samples(archive, batch, experiment, numbers, kernels, series)
    points = {*before, *archive.rows(POINTS_OF, [experiment])}
    _forget_copies(archive, batch, experiment)
    for statement in (FORGET_POINTS, MAKE_POINTS):
        archive.run(statement, [[number for number, _ in points], [kernel for _, kernel in points]])
    if len(batch.runs) >= len(stored):  # an older copy of the directory has fewer
        _renew_comparisons(archive, batch, experiment, kernels, series)
    _forget_empty(archive, former)
    added = "SELECT count(*) FROM t_samples WHERE run IN (SELECT unnest(?))"
    ((samples,),) = archive.rows(added, [[*numbers.values()]])
    return Added(runs=len(new), samples=samples, known=sum(is_good for is_good, *_ in stored.values()))


def _former_series(archive: Archive, batch: Batch, experiment: int) -> list[int]:
    """Series that have values of the experiment and that its directory no longer has: this version names them
    otherwise."""
    valued = "SELECT series FROM t_samples WHERE experiment = ?"
    rows = archive.rows(f"SELECT series, id FROM t_series WHERE series IN ({valued})", [experiment])
    now = {series.id for series in batch.series}
    return [number for number, name in rows if name not in now]


def _forget_empty(archive: Archive, series: Sequence[int]) -> None:
    """Deletes those of the series that have no value left."""
    for table in ("t_comparisons", "t_functions", "t_series"):
        archive.run(f"DELETE FROM {table} WHERE list_contains(?, series)"
                    " AND series NOT IN (SELECT series FROM t_samples)", [series])  # fmt: skip


def _rank(outcome: str, started: str, attempts: int) -> tuple[bool, str, int]:
    """Rank of an attempt at a run; the greatest one stands. A success outranks a failure, and a later attempt an
    earlier one: a timed run that succeeded is made again if its host was lost, with attempts counted anew."""
    return outcome == "ok", started, attempts


def _forget_runs(archive: Archive, experiment: int, names: Sequence[str]) -> None:
    of_names = "SELECT run FROM t_runs WHERE experiment = ? AND list_contains(?, name)"
    for table in ("t_samples", "t_origins", "t_runs"):
        archive.run(f"DELETE FROM {table} WHERE run IN ({of_names})", [experiment, names])


def _next(archive: Archive, table: str, column: str) -> int:
    ((last,),) = archive.rows(f"SELECT max({column}) FROM {table}")
    return 0 if last is None else last + 1


def _experiment(archive: Archive, batch: Batch) -> int:
    query = "SELECT experiment FROM t_experiments WHERE plan = ? AND list_contains(?, session) ORDER BY experiment"
    for (number,) in archive.rows(query, [batch.plan, [batch.session, batch.former_session or batch.session]]):
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
    numbers = {name: int(number) for name, number in archive.rows("SELECT id, kernel FROM t_kernels")}
    first = _next(archive, "t_kernels", "kernel")
    rows: list[tuple[object, ...]] = []
    for kernel in kernels:
        if kernel.id not in numbers:
            numbers[kernel.id] = first + len(rows)
            rows.append((numbers[kernel.id], kernel.id, *(getattr(kernel, name) for name in kernel.__struct_fields__)))
    _insert(archive, "t_kernels", rows)
    return [numbers[kernel.id] for kernel in kernels]


def _series(archive: Archive, series: Sequence[StoredSeries]) -> list[int]:
    numbers = {name: int(number) for name, number in archive.rows("SELECT id, series FROM t_series")}
    first, before = _next(archive, "t_series", "series"), len(numbers)
    for s in series:
        if s.id not in numbers:
            numbers[s.id] = first + len(numbers) - before
            row = (numbers[s.id], s.id, s.workload, s.metric, s.unit, s.better, s.machine.clock,
                   s.machine.arch, s.machine.cpus, s.machine.memory_bytes, *_lists(s.settings),
                   *_lists(s.conditions), s.definition, s.primary)  # fmt: skip
            archive.run(f"INSERT INTO t_series VALUES ({'?, ' * 10} map(?, ?), map(?, ?), ?, ?)", row)
    return [numbers[s.id] for s in series]


def _lists(settings: Iterable[Setting]) -> tuple[list[str], list[str]]:
    return [setting.name for setting in settings], [setting.value for setting in settings]


def _moment(text: str) -> str | None:
    """A time as the database takes it, in UTC; None for a text that is no time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment.astimezone(UTC) if moment.tzinfo else moment).strftime("%Y-%m-%d %H:%M:%S")


def _runs(
    archive: Archive, batch: Batch, experiment: int, new: Sequence[int], kernels: Sequence[int]
) -> dict[int, int]:
    """Inserts the runs `new` (indexes into the batch). Returns index -> number in the archive."""
    first = _next(archive, "t_runs", "run")
    numbers = {index: first + offset for offset, index in enumerate(new)}
    rows = []
    for index, number in numbers.items():
        run = batch.runs[index]
        rows.append((number, experiment, run.name, kernels[run.kernel], run.outcome, run.attempts, run.perturbation,
                     run.control, run.block, _moment(run.started_utc)))  # fmt: skip
    _insert(archive, "t_runs", rows)
    return numbers


def _samples(archive: Archive, batch: Batch, experiment: int, numbers: Mapping[int, int], kernels: Sequence[int],
             series: Sequence[int]) -> None:  # fmt: skip
    _insert(archive, "t_samples", [
        (series[s.series], kernels[s.kernel], experiment, numbers[s.run], s.value, s.counted,
         _moment(batch.runs[s.run].started_utc), s.printed, s.deviation, s.told)
        for s in batch.samples if s.run in numbers
    ])  # fmt: skip


def _forget_copies(archive: Archive, batch: Batch, experiment: int) -> None:
    """Stores where runs were taken from, and leaves out samples that the archive has of the same run already."""
    rows = archive.rows("SELECT name, run FROM t_runs WHERE experiment = ?", [experiment])
    numbers = {name: int(run) for name, run in rows}
    origins = [(numbers[run.name], run.origin) for run in batch.runs if run.origin is not None]
    archive.run("DELETE FROM t_origins WHERE run IN (SELECT unnest(?))", [[run for run, _ in origins]])
    _insert(archive, "t_origins", [(run, origin.plan, origin.run) for run, origin in origins])
    plans = {batch.plan, *(origin.plan for _, origin in origins)}
    archive.run(FORGET_COPIES, [sorted(plans), experiment])


def _renew_comparisons(
    archive: Archive, batch: Batch, experiment: int, kernels: Sequence[int], series: Sequence[int]
) -> None:
    """Verdicts of this experiment, costs of its functions and descriptions of its workloads replace earlier ones.
    Verdicts that changed stand behind all others, as the latest ones; equal ones keep their place."""
    rows = [
        (series[c.series], kernels[c.base], kernels[c.head], experiment, c.verdict, c.evidence, c.change, c.low, c.high,
         c.floor, c.base_value, c.head_value, c.base_n, c.head_n, to_json(c.detail).decode())
        for c in batch.comparisons
    ]  # fmt: skip
    if rows != archive.rows("SELECT * FROM t_comparisons WHERE experiment = ? ORDER BY rowid", [experiment]):
        archive.run("DELETE FROM t_comparisons WHERE experiment = ?", [experiment])
        _insert(archive, "t_comparisons", rows)
    for pair in {(series[cost.series], kernels[cost.kernel]) for cost in batch.costs}:
        archive.run("DELETE FROM t_functions WHERE series = ? AND kernel = ?", pair)
    _insert(archive, "t_functions", [
        (series[cost.series], kernels[cost.kernel], cost.function, cost.own, cost.whole, cost.calls,
         " ".join(cost.callers), cost.bytes)
        for cost in batch.costs
    ])  # fmt: skip
    archive.run("DELETE FROM t_workloads WHERE list_contains(?, name)", [[w.name for w in batch.workloads]])
    _insert(archive, "t_workloads", [(workload.name, to_json(workload).decode()) for workload in batch.workloads])


def _insert(archive: Archive, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    """All rows in one statement, a list for each column: a statement for each row takes hundreds of times as long."""
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        archive.run(f"INSERT INTO {table} SELECT {', '.join('unnest(?)' for _ in columns)}", columns)
