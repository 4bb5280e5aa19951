# SPDX-License-Identifier: GPL-2.0-only
"""The archive: one DuckDB file with its tables and views, opened by one writer or by readers, and never half written.

Version history ("kassay-history/N" in the table `about`):
1   experiments, kernels, series, runs, samples, confirmations; views as in docs/reference/history.md.
2   comparisons, functions, workloads. An archive of version 1 gets them when it is next written.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import Any

import duckdb

from kassay.effects.files import data_directory, disk_errors
from kassay.effects.lock import Holder, locked
from kassay.errors import BadInput, HostLacks
from kassay.model.progress import Progress, Tell, silent
from kassay.tools.history.packed import HEAD_BYTES, is_database, refuse_packed, unpacked

SCHEMA = "kassay-history/2"
_FIRST_SCHEMA = "kassay-history/1"

# No keys and no indexes: a writer holds the lock and looks for duplicates itself; ten million rows stay small and fast.
TABLES = """
CREATE TABLE about (name VARCHAR, value VARCHAR);
CREATE TABLE t_experiments (
    experiment INTEGER, plan VARCHAR, session VARCHAR, kind VARCHAR, name VARCHAR, directory VARCHAR,
    added_utc VARCHAR, spec VARCHAR
);
CREATE TABLE t_kernels (
    kernel INTEGER, id VARCHAR, name VARCHAR, ref VARCHAR, release VARCHAR, arch VARCHAR, image_sha256 VARCHAR,
    compiler VARCHAR, config_sha256 VARCHAR, "commit" VARCHAR
);
CREATE TABLE t_series (
    series INTEGER, id VARCHAR, workload VARCHAR, metric VARCHAR, unit VARCHAR, better VARCHAR, clock VARCHAR,
    arch VARCHAR, cpus INTEGER, memory_bytes BIGINT, settings MAP(VARCHAR, VARCHAR), conditions MAP(VARCHAR, VARCHAR),
    definition VARCHAR, is_primary BOOLEAN
);
CREATE TABLE t_runs (
    run INTEGER, experiment INTEGER, name VARCHAR, kernel INTEGER, outcome VARCHAR, attempts INTEGER,
    perturbation INTEGER, is_control BOOLEAN, block INTEGER, started_utc TIMESTAMP
);
CREATE TABLE t_samples (
    series INTEGER, kernel INTEGER, experiment INTEGER, run INTEGER, value DOUBLE, counted BOOLEAN,
    started_utc TIMESTAMP, printed BOOLEAN, deviation DOUBLE, told INTEGER
);
CREATE TABLE t_points (
    series INTEGER, kernel INTEGER, value DOUBLE, n INTEGER, spread DOUBLE, lowest DOUBLE, highest DOUBLE,
    all_runs INTEGER, first_utc TIMESTAMP, last_utc TIMESTAMP, deviation DOUBLE
);
CREATE TABLE t_confirmations (
    nomination VARCHAR, when_utc VARCHAR, outcome VARCHAR, words VARCHAR, directory VARCHAR, verdict VARCHAR,
    evidence VARCHAR, change DOUBLE, low DOUBLE, high DOUBLE
);
"""

ADDED_TABLES = """
CREATE TABLE t_comparisons (
    series INTEGER, base INTEGER, head INTEGER, experiment INTEGER, verdict VARCHAR, evidence VARCHAR, change DOUBLE,
    low DOUBLE, high DOUBLE, floor DOUBLE, base_value DOUBLE, head_value DOUBLE, base_n INTEGER, head_n INTEGER,
    detail VARCHAR
);
CREATE TABLE t_functions (
    series INTEGER, kernel INTEGER, function VARCHAR, own FLOAT, whole FLOAT, calls FLOAT, callers VARCHAR,
    bytes INTEGER
);
CREATE TABLE t_workloads (name VARCHAR, description VARCHAR);
"""
"""Tables since version 2. Costs of functions have seven digits, so that the archive stays small."""

ORIGINS = "CREATE TABLE IF NOT EXISTS t_origins (run INTEGER, plan VARCHAR, name VARCHAR)"
"""Runs that were taken from another directory, with plan and name of the run that was made. An archive that lacks the
table gets it when it is next written."""

_POINT = """
    q[2] AS value, CASE WHEN printed THEN told ELSE counted END AS n, (q[3] - q[1]) / nullif(q[2], 0) AS spread,
    lowest, highest, all_runs, first_utc, last_utc, deviation
"""
_GROUPED = """
    quantile_cont(value, [0.25, 0.5, 0.75]) FILTER (counted) AS q, count(*) FILTER (counted) AS counted,
    bool_or(printed) AS printed, max(told) AS told, max(deviation) AS deviation, min(value) AS lowest,
    max(value) AS highest, count(*) AS all_runs, min(started_utc) AS first_utc, max(started_utc) AS last_utc
    FROM t_samples
"""

VIEWS = f"""
CREATE VIEW experiments AS SELECT experiment, plan, session, kind, name, directory, added_utc FROM t_experiments;
CREATE VIEW kernels AS FROM t_kernels;
CREATE VIEW series AS FROM t_series;
CREATE VIEW runs AS FROM t_runs;
CREATE VIEW samples AS FROM t_samples;
CREATE VIEW confirmations AS FROM t_confirmations;
CREATE VIEW points AS FROM t_points;
CREATE VIEW sessions AS SELECT series, kernel, experiment, {_POINT}
    FROM (SELECT series, kernel, experiment, {_GROUPED} GROUP BY series, kernel, experiment);
"""

ADDED_VIEWS = """
CREATE VIEW comparisons AS FROM t_comparisons;
CREATE VIEW functions AS FROM t_functions;
CREATE VIEW workloads AS FROM t_workloads;
"""

POINTS_OF = "SELECT DISTINCT series, kernel FROM t_samples WHERE experiment = ?"
_GIVEN = "SELECT unnest(?) AS series, unnest(?) AS kernel"
FORGET_POINTS = f"DELETE FROM t_points WHERE (series, kernel) IN ({_GIVEN})"
MAKE_POINTS = f"""
INSERT INTO t_points SELECT series, kernel, {_POINT} FROM (
    SELECT series, kernel, {_GROUPED} SEMI JOIN ({_GIVEN}) USING (series, kernel) GROUP BY series, kernel
)
"""
"""Points are stored. Where an experiment gets or loses samples, the points are made again, from all samples."""

FORGET_COPIES = """
DELETE FROM t_samples WHERE (series, run) IN (
    SELECT series, run FROM (
        SELECT s.series, s.run, s.experiment, o.run IS NOT NULL AS is_copy,
            coalesce(o.plan, e.plan) AS plan, coalesce(o.name, r.name) AS name
        FROM t_samples s JOIN t_runs r USING (run) JOIN t_experiments e ON e.experiment = r.experiment
        LEFT JOIN t_origins o ON o.run = r.run WHERE list_contains(?, coalesce(o.plan, e.plan))
    )
    WINDOW of_one_run AS (PARTITION BY series, plan, name)
    QUALIFY is_copy AND row_number() OVER (of_one_run ORDER BY is_copy, run) > 1
        AND bool_or(experiment = ?) OVER of_one_run
)
"""
"""A run that was made once counts once, whichever directory was added first: of an experiment's runs, and of those that
they were taken from or to, the copies are left out. Fresh measurements of one plan are no copies."""

VIEW_NAMES = (
    "experiments", "kernels", "series", "runs", "samples", "points", "sessions", "confirmations", "comparisons",
    "functions", "workloads",
)  # fmt: skip


Row = tuple[Any, ...]

# A query cannot read or write anything outside the archive.
_CONFINED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "lock_configuration": "true",
}
_DAMAGED = "restore it from a copy, or move it away and add the run directories again"


def default_path() -> Path:
    """Path of the archive without --archive."""
    return data_directory() / "history.duckdb"


class Archive:
    """An open archive. All errors of the file become BadInput; the connection ends with the block that opened it."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.path = path
        self._connection = connection

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[Row]:
        """All rows of one statement."""
        with readable(self.path):
            return self._connection.execute(query, list(parameters)).fetchall()

    @property
    def has_comparisons(self) -> bool:
        """False for an archive of version 1 that is only read."""
        return bool(self.rows("SELECT 1 FROM duckdb_tables() WHERE table_name = 't_comparisons'"))

    def run(self, query: str, parameters: Sequence[object] = ()) -> None:
        """One statement without rows."""
        with readable(self.path):
            self._connection.execute(query, list(parameters))

    def asked(self, query: str) -> tuple[tuple[str, ...], list[Row]]:
        """Column names and rows of a user's query: one SELECT. Raises BadInput with the database's own words."""
        try:
            statements = duckdb.extract_statements(query)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise BadInput(
                    "history sql: one SELECT, please", f"views: {', '.join(VIEW_NAMES)}; see docs/reference/history.md"
                )
            result = self._connection.execute(statements[0])
            columns = result.description or ()
            if any(_ZONED in str(column[1]) for column in columns):
                result = self._connection.execute(_without_zones(query, [str(column[1]) for column in columns]))
            return tuple(column[0] for column in columns), result.fetchall()
        except (duckdb.IOException, duckdb.InternalException, duckdb.FatalException) as error:
            raise _unreadable(self.path, error) from error
        except duckdb.Error as error:
            raise BadInput(f"history sql: {_first(error)}", f"views: {', '.join(VIEW_NAMES)}") from error
        except MemoryError as error:
            raise BadInput("history sql: the answer needs more memory than there is", "add LIMIT 1000") from error
        except (OverflowError, ValueError) as error:  # a value of SQL that Python does not have
            raise BadInput(f"history sql: {_first(error)}", "make it a text: VALUE::VARCHAR") from error


@contextmanager
def reading(path: Path, tell: Tell = silent) -> Iterator[Archive]:
    """The archive for queries, side by side with other readers; a packed one as well. Raises BadInput when there is
    none."""
    if not path.is_file():
        named = "" if path == default_path() else f" --archive {quote(str(path))}"
        raise BadInput(f"{path}: there is no history yet", f"add a run directory: kassay history add DIR{named}")
    path = unpacked(path)
    with ExitStack() as stack:
        with suppress(HostLacks):  # a directory that this user only reads, where no writer has made the lock yet
            stack.enter_context(_locked(path, tell, shared=True))
        yield stack.enter_context(_connected(path, read_only=True))


@contextmanager
def writing(path: Path, tell: Tell = silent) -> Iterator[Archive]:
    """The archive for one change, alone: all of the block is stored, or nothing. A missing archive is created.

    Raises BadInput for a packed archive, which is only read.
    """
    refuse_packed(path)
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path, tell, shared=False), _connected(path, read_only=False) as archive:
        archive.run("BEGIN TRANSACTION")
        try:
            yield archive
        except BaseException:
            archive.run("ROLLBACK")
            raise
        archive.run("COMMIT")


@contextmanager
def _connected(path: Path, *, read_only: bool) -> Iterator[Archive]:
    with readable(path):
        connection = duckdb.connect(str(path), read_only=read_only, config=_CONFINED if read_only else {})
    try:
        archive = Archive(path, connection)
        _check(archive, read_only)
        yield archive
    finally:
        connection.close()


def _check(archive: Archive, read_only: bool) -> None:
    """Refuses a database that is no archive, or of a later version; makes the tables that are missing, if it may."""
    tables = {name for (name,) in archive.rows("SELECT table_name FROM duckdb_tables()")}
    if not tables and not read_only:
        _make(archive, TABLES, VIEWS, ADDED_TABLES, ADDED_VIEWS, ORIGINS)
        return
    if "about" not in tables:
        raise BadInput(f"{archive.path}: a database, but not a history of kassay", "choose another file with --archive")
    schema = next((value for name, value in archive.rows("SELECT name, value FROM about") if name == "schema"), "?")
    if schema not in (_FIRST_SCHEMA, SCHEMA):
        raise BadInput(f"{archive.path}: is a {schema}; this kassay reads {SCHEMA}",
                       "use the kassay that made it, or choose another file with --archive")  # fmt: skip
    if not read_only:
        if schema == _FIRST_SCHEMA:
            _make(archive, ADDED_TABLES, ADDED_VIEWS)
        archive.run(ORIGINS)


def _make(archive: Archive, *scripts: str) -> None:
    archive.run("BEGIN TRANSACTION")
    for statement in ";".join(scripts).split(";"):
        if statement.strip():
            archive.run(statement)
    archive.run("DELETE FROM about WHERE name = 'schema'")
    archive.run("INSERT INTO about VALUES ('schema', ?)", [SCHEMA])
    archive.run("COMMIT")


def _locked(path: Path, tell: Tell, *, shared: bool) -> AbstractContextManager[None]:
    """Waits for the process that has the archive, and tells its id. The lock file is next to the archive and stays.

    Raises BadInput for a directory or another kind of file, which gets no lock file."""
    lock = path.with_name(f"{path.name}.lock")
    if path.is_dir():
        raise BadInput(f"{path}: a directory, not a history", "choose a file with --archive")
    if path.exists() and not (lock.exists() or _is_database(path)):  # a process with the lock may be writing its head
        raise _unreadable(path, "not a DuckDB file")

    def busy(holder: Holder) -> None:
        tell(Progress(stage="history", subject=path.name, text=f"waiting for {holder.text}"))

    return locked(lock, busy, shared=shared)


_ZONED = "TIMESTAMP WITH TIME ZONE"


def _without_zones(query: str, kinds: Sequence[str]) -> str:
    """The query with moments of UTC in place of those with a zone, which Python gets only by a further package."""
    names = [f"c{index}" for index in range(len(kinds))]
    cast = (f"{name}::{kind.replace(_ZONED, 'TIMESTAMP')}" for name, kind in zip(names, kinds, strict=True))
    data = query.encode()
    end = next((at for at, _ in duckdb.tokenize(query) if data[at : at + 1] == b";"), len(data))
    return f"SELECT {', '.join(cast)} FROM ({data[:end].decode()}\n) AS t({', '.join(names)})"


def _is_database(path: Path) -> bool:
    with disk_errors(path), path.open("rb") as file:
        return is_database(file.read(HEAD_BYTES))


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turns the database's own failures into a sentence."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise HostLacks(f"{path}: not enough memory for this query", "ask for fewer rows, or free some") from error
    except duckdb.IOException as error:
        if "No space left" in str(error):
            raise HostLacks(f"{path}: the disk is full", "free some space; nothing was changed") from error
        if "lock" in str(error):
            raise HostLacks(f"{path}: is open in another program", "close it there and repeat the command") from error
        raise _unreadable(path, error) from error
    except duckdb.Error as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception | str) -> BadInput:
    return BadInput(f"{path}: damaged, or no history ({_first(error)})", _DAMAGED)


def _first(error: Exception | str) -> str:
    return str(error).partition("\n")[0][:200]
