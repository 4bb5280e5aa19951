# SPDX-License-Identifier: GPL-2.0-only
"""The archive: one DuckDB file, opened by one writer or by readers, and never half written."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import duckdb

from kassay.effects.files import data_directory, disk_errors
from kassay.effects.lock import locked
from kassay.errors import BadInput, HostLacks
from kassay.history.schema import SCHEMA, TABLES, VIEW_NAMES, VIEWS
from kassay.model.progress import Progress, Tell, silent

Row = tuple[Any, ...]

# Nothing outside the archive is read or written by a query, whatever it says.
_CONFINED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "lock_configuration": "true",
}
_DAMAGED = "restore it from a copy, or move it away and add the run directories again"


def default_path() -> Path:
    """Where the archive is unless --archive says otherwise."""
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
                    "history sql: one SELECT, please", f"views: {', '.join(VIEW_NAMES)}; see docs/history.md"
                )
            result = self._connection.execute(statements[0])
            return tuple(column[0] for column in result.description or ()), result.fetchall()
        except (duckdb.IOException, duckdb.InternalException, duckdb.FatalException) as error:
            raise _unreadable(self.path, error) from error
        except duckdb.Error as error:
            raise BadInput(f"history sql: {_first(error)}", f"views: {', '.join(VIEW_NAMES)}") from error


@contextmanager
def reading(path: Path, tell: Tell = silent) -> Iterator[Archive]:
    """The archive for queries, side by side with other readers. Raises BadInput when there is none."""
    if not path.is_file():
        raise BadInput(f"{path}: there is no history yet", "add a run directory: kassay history add DIR")
    with _locked(path, tell, shared=True), _connected(path, read_only=True) as archive:
        yield archive


@contextmanager
def writing(path: Path, tell: Tell = silent) -> Iterator[Archive]:
    """The archive for one change, alone: all of the block is kept, or nothing of it. Made when there is none."""
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
    """Refuses a database that is not an archive of this version; makes the tables of a new one."""
    tables = {name for (name,) in archive.rows("SELECT table_name FROM duckdb_tables()")}
    if not tables and not read_only:
        archive.run("BEGIN TRANSACTION")
        for statement in (*TABLES.split(";"), *VIEWS.split(";")):
            if statement.strip():
                archive.run(statement)
        archive.run("INSERT INTO about VALUES ('schema', ?)", [SCHEMA])
        archive.run("COMMIT")
        return
    if "about" not in tables:
        raise BadInput(f"{archive.path}: a database, but not a history of kassay", "choose another file with --archive")
    found = next((value for name, value in archive.rows("SELECT name, value FROM about") if name == "schema"), "?")
    if found != SCHEMA:
        raise BadInput(f"{archive.path}: is a {found}; this kassay reads {SCHEMA}",
                       "use the kassay that made it, or choose another file with --archive")  # fmt: skip


def _locked(path: Path, tell: Tell, *, shared: bool) -> AbstractContextManager[None]:
    """Waits for whoever has it, and says for whom. The lock file stands beside the archive and stays."""

    def busy(process: str) -> None:
        tell(Progress(stage="history", subject=path.name, text=f"waiting for process {process}"))

    return locked(path.with_name(f"{path.name}.lock"), busy, shared=shared)


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


def _unreadable(path: Path, error: Exception) -> BadInput:
    return BadInput(f"{path}: damaged, or no history ({_first(error)})", _DAMAGED)


def _first(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
