# SPDX-License-Identifier: GPL-2.0-only
"""10 million samples in an archive: opened and summarised on one core, beside SQLite with the same rows. 2 minutes.

usage: python -m benchmarks.history_size [--samples N]

The archive has 200 series of 500 kernels with 100 runs each. Summarised is every series, as `kassay history show` does:
all points in order with their changes. "as kept": from the points that `add` keeps up to date; "anew": each point
computed from its samples again, as `--over dates` does. The baseline asks SQLite, from the same values, for as much as
it can say in one statement without quartiles: n, mean, smallest, largest and dates of each point.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import duckdb

from kassay.model.machine import MachineUse
from kassay.model.records import Setting
from kassay.tools.history.add import add
from kassay.tools.history.archive import MAKE_POINTS, POINTS_OF, reading, writing
from kassay.tools.history.query import SeriesFilter, lines
from kassay.tools.history.records import Batch, StoredKernel, StoredSeries

SERIES, RUNS = 200, 100


def _batch(kernels: int) -> Batch:
    """Series and kernels as `add` would find them; the samples are made inside the database."""
    use = MachineUse(arch="x86_64", clock="kvm", cpus=1, memory_bytes=1 << 30)
    series = tuple(
        StoredSeries(workload=f"w{i // 4}", metric=f"m{i % 4}", unit="ns/page", better="lower", machine=use,
               settings=(Setting(name="size", value="8MiB"),), conditions=(Setting(name="boot", value="short"),))
        for i in range(SERIES)
    )  # fmt: skip
    found = tuple(
        StoredKernel(name=f"6.{i // 20}.{i % 20}", ref=f"debian:6.{i // 20}.{i % 20}", release=f"6.{i // 20}.{i % 20}",
                     arch="x86_64", image_sha256=f"{i:064x}", compiler="gcc 12")
        for i in range(kernels)
    )  # fmt: skip
    return Batch(plan="p", session="s", kind="run", name="n", directory="d", experiment="", kernels=found,
                 series=series, runs=(), samples=())  # fmt: skip


def _generate(path: Path, samples: int) -> None:
    kernels = samples // (SERIES * RUNS)
    with writing(path) as archive:
        add(archive, _batch(kernels))
    with duckdb.connect(str(path)) as connection:
        # A kernel a day, values 2 % apart, in the order in which a lab would have added them: day by day.
        connection.execute(f"""
            INSERT INTO t_samples SELECT (i // {RUNS}) % {SERIES}, i // {SERIES * RUNS}, 0, i // {SERIES},
                300 * (1 + 0.02 * random()) * (1 + 0.1 * (i // {SERIES * RUNS} > {kernels // 2})::INT), true,
                TIMESTAMP '2024-01-01' + to_days((i // {SERIES * RUNS})::INT) + to_seconds(i % 80000), false, NULL, NULL
            FROM range({samples}) t(i)
        """)
        points = connection.execute(POINTS_OF, [0]).fetchall()
        connection.execute(MAKE_POINTS, [list(column) for column in zip(*points, strict=True)])


def _to_sqlite(path: Path, target: Path) -> None:
    with duckdb.connect(str(path), read_only=True) as source, sqlite3.connect(target) as connection:
        connection.execute("CREATE TABLE samples (series INTEGER, kernel INTEGER, value REAL, started INTEGER)")
        rows = source.execute("SELECT series, kernel, value, epoch(started_utc)::BIGINT FROM t_samples")
        while chunk := rows.fetchmany(100_000):
            connection.executemany("INSERT INTO samples VALUES (?, ?, ?, ?)", chunk)


def _summarise(path: Path, *, anew: bool) -> None:
    """Runs in a process of its own, on one core; prints seconds from opening to the last point."""
    started, computed = time.perf_counter(), time.process_time()
    with reading(path) as archive:
        found = lines(archive, SeriesFilter(every_metric=True, dates=anew))
    seconds, busy = time.perf_counter() - started, time.process_time() - computed
    print(
        seconds, busy, sum(point.n or 0 for line in found for point in line.points), sum(len(x.points) for x in found)
    )


def _baseline(path: Path) -> None:
    started, computed = time.perf_counter(), time.process_time()
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT series, kernel, count(*), avg(value), min(value), max(value), min(started), max(started)"
            " FROM samples GROUP BY series, kernel"
        ).fetchall()
    print(time.perf_counter() - started, time.process_time() - computed, sum(row[2] for row in rows), len(rows))


class _Timed(NamedTuple):
    """Seconds on the clock and of the CPU: on a shared host the second is the program's own."""

    wall_s: float
    cpu_s: float
    values: int
    points: int


def _alone(what: str, path: Path) -> _Timed:
    core = str(min(os.sched_getaffinity(0)))
    argv = ("taskset", "-c", core, sys.executable, "-m", "benchmarks.history_size", what, str(path))
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    wall, cpu, values, points = done.stdout.split()
    return _Timed(float(wall), float(cpu), int(values), int(points))


def main() -> None:
    """Prints both times, three of each, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=10_000_000)
    parser.add_argument("--kept", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--anew", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--baseline", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if place := asked.kept or asked.anew:
        _summarise(place, anew=asked.kept is None)
        return
    if asked.baseline:
        _baseline(asked.baseline)
        return
    with tempfile.TemporaryDirectory(prefix="kassay-history-") as scratch:
        archive, other = Path(scratch, "history.duckdb"), Path(scratch, "history.sqlite")
        _generate(archive, asked.samples)
        _to_sqlite(archive, other)
        best = {}
        for name, what, path in (("archive, as kept", "--kept", archive), ("archive, anew", "--anew", archive),
                                 ("SQLite, anew", "--baseline", other)):  # fmt: skip
            runs = [_alone(what, path) for _ in range(3)]
            best[what] = min(run.wall_s for run in runs)
            shown = ", ".join(f"{run.wall_s:.2f} (CPU {run.cpu_s:.2f})" for run in runs)
            size = path.stat().st_size / 1e6
            print(
                f"{name}: {runs[0].values:,} samples, {runs[0].points:,} points: {shown} s ({size:.0f} MB)", flush=True
            )
        print(f"of SQLite's time: as kept {best['--kept'] / best['--baseline']:.3f}, "
              f"anew {best['--anew'] / best['--baseline']:.3f}; within 2 s: {best['--kept'] < 2}")  # fmt: skip


if __name__ == "__main__":
    main()
