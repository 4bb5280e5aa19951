# SPDX-License-Identifier: GPL-2.0-only
"""The archive's file: whole or unchanged, read by many, confined, and said to be damaged when it is."""

import errno
import multiprocessing
import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.errors import BadInput, HostLacks
from kassay.model.progress import Progress
from kassay.tools.history.add import add
from kassay.tools.history.archive import VIEW_NAMES, default_path, reading, writing
from kassay.tools.history.packed import pack
from kassay.tools.history.records import Batch
from tests.history.batches import batch

pytestmark = pytest.mark.slow  # files of a database, archives, whole commands: seconds, not milliseconds


def filled(path: Path, runs: int = 3) -> Path:
    with writing(path) as archive:
        add(archive, batch(runs))
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An archive's bytes."""
    return filled(tmp_path_factory.mktemp("whole") / "h").read_bytes()


def count(path: Path) -> int:
    with reading(path) as archive:
        ((found,),) = archive.rows("SELECT count(*) FROM samples")
    return int(found)


def test_an_archive_that_is_not_there_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no history yet") as caught, reading(tmp_path / "h"):
        pass
    assert "history add" in caught.value.remedy


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert count(filled(tmp_path / "deep" / "h.duckdb")) == 6


def test_a_change_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = filled(tmp_path / "h")
    with pytest.raises(ZeroDivisionError), writing(path) as archive:
        add(archive, batch(5, plan="other"))
        raise ZeroDivisionError
    assert count(path) == 6
    with reading(path) as archive:
        assert archive.rows("SELECT count(*) FROM experiments") == [(1,)]


def killed_halfway(path: Path, ready: "threading.Event") -> None:
    with writing(path) as archive:
        add(archive, batch(5, plan="other"))
        ready.set()
        threading.Event().wait(60)


def test_a_writer_that_is_killed_leaves_the_archive_as_it_was(tmp_path: Path) -> None:
    path = filled(tmp_path / "h")
    spawned = multiprocessing.get_context("spawn")
    ready = spawned.Event()
    child = spawned.Process(target=killed_halfway, args=(path, ready))
    child.start()
    assert ready.wait(60)
    child.kill()
    child.join()
    assert count(path) == 6
    assert count(filled(path, 3)) == 6  # and it can be written again


def test_a_second_writer_waits_and_says_for_whom(tmp_path: Path) -> None:
    path = filled(tmp_path / "h")
    told: list[Progress] = []
    heard = threading.Event()

    def tell(event: Progress) -> None:
        told.append(event)
        heard.set()

    def second() -> None:
        with writing(path, tell) as archive:
            add(archive, batch(4, plan="second"))

    with writing(path) as archive:
        thread = threading.Thread(target=second)
        thread.start()
        assert heard.wait(20)
        add(archive, batch(2, plan="first"))
    thread.join(20)
    assert "waiting for process" in told[0].text
    assert count(path) == 6 + 4 + 8


def test_readers_stand_side_by_side(tmp_path: Path) -> None:
    path = filled(tmp_path / "h")
    with reading(path) as one, reading(path) as other:
        assert one.rows("SELECT count(*) FROM runs") == other.rows("SELECT count(*) FROM runs")


@pytest.mark.parametrize("has_lock", [True, False])
def test_an_archive_in_a_directory_of_another_user_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_lock: bool
) -> None:
    path, opened = filled(tmp_path / "h"), os.open
    if not has_lock:
        path.with_name("h.lock").unlink()

    def refusing(name: Any, flags: int, *rest: Any) -> int:
        if str(name).endswith(".lock") and flags & os.O_RDWR:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(name))
        return opened(name, flags, *rest)

    monkeypatch.setattr(os, "open", refusing)
    assert count(path) == 6
    with pytest.raises(HostLacks, match="Permission denied"), writing(path):
        pass


@settings(max_examples=25)
@given(share=st.floats(0, 0.999))
def test_a_file_cut_anywhere_is_said_to_be_damaged_or_still_whole(
    tmp_path_factory: pytest.TempPathFactory, whole: bytes, share: float
) -> None:
    place = tmp_path_factory.mktemp("h")
    (place / "torn").write_bytes(whole[: int(len(whole) * share)])
    try:
        assert count(place / "torn") == 6
    except BadInput as error:
        assert "torn" in error.what and "damaged" in error.what
        assert "copy" in error.remedy
        assert len(str(error).splitlines()) <= 3


@pytest.mark.parametrize("content", [b"", b"kernel,metric,value\n", None], ids=["empty", "text", "directory"])
def test_what_is_no_archive_gets_no_lock_file(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "h"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
        with pytest.raises(BadInput, match="damaged, or no history"), reading(path):
            pass
    with pytest.raises(BadInput, match=r"no(t a)? history"), writing(path):
        pass
    assert list(tmp_path.iterdir()) == [path]


@settings(max_examples=40)
@given(at=st.floats(0, 0.9999), bit=st.integers(0, 7))
def test_a_flipped_bit_is_never_more_than_bad_input(
    tmp_path_factory: pytest.TempPathFactory, whole: bytes, at: float, bit: int
) -> None:
    place = tmp_path_factory.mktemp("h")
    data = bytearray(whole)
    data[int(len(data) * at)] ^= 1 << bit
    (place / "bad").write_bytes(data)
    try:
        assert count(place / "bad") == 6
    except BadInput as error:
        assert len(str(error).splitlines()) <= 3


@pytest.mark.parametrize("content", [b"", b"hello\n" * 5000, bytes(20_000)])
def test_a_file_that_is_no_database_is_not_overwritten(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "h"
    path.write_bytes(content)
    with pytest.raises(BadInput), reading(path):
        pass
    if content:  # an empty file is where a new archive may begin
        with pytest.raises(BadInput), writing(path) as archive:
            add(archive, batch(1))
        assert path.read_bytes() == content


def test_another_database_is_not_taken_for_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1")
    for opened in (reading, writing):
        with pytest.raises(BadInput, match="not a history of kassay"), opened(path):
            pass


def test_an_archive_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path / "h")
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE about SET value = 'kassay-history/3'")
    with pytest.raises(BadInput, match=r"is a kassay-history/3; this kassay reads kassay-history/2"), reading(path):
        pass


def test_an_archive_of_version_1_is_read_and_gets_the_new_tables_when_it_is_written(tmp_path: Path) -> None:
    path = filled(tmp_path / "h")
    with duckdb.connect(str(path)) as connection:
        for name in ("comparisons", "functions", "workloads"):
            connection.execute(f"DROP VIEW {name}; DROP TABLE t_{name}")
        connection.execute("DROP TABLE t_origins")
        connection.execute("UPDATE about SET value = 'kassay-history/1'")
    with reading(path) as archive:
        assert not archive.has_comparisons
        assert archive.rows("SELECT count(*) FROM runs") == [(6,)]
    filled(path)
    with reading(path) as archive:
        assert archive.has_comparisons
        assert archive.rows("SELECT count(*) FROM comparisons") == [(0,)]
        assert archive.rows("SELECT value FROM about WHERE name = 'schema'") == [("kassay-history/2",)]


def test_an_archive_open_in_another_program_is_said(tmp_path: Path) -> None:
    path = filled(tmp_path / "h")
    held = multiprocessing.get_context("spawn")
    ready, done = held.Event(), held.Event()
    child = held.Process(target=hold, args=(str(path), ready, done))
    child.start()
    try:
        assert ready.wait(30)
        with pytest.raises(HostLacks, match="open in another program"), writing(path):
            pass
    finally:
        done.set()
        child.join()


def hold(path: str, ready: "threading.Event", done: "threading.Event") -> None:
    with duckdb.connect(path):
        ready.set()
        done.wait(30)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM '/etc/passwd'", "COPY (SELECT 1) TO '/tmp/x'",
        "ATTACH '/tmp/x'", "SELECT 1; SELECT 2", "INSERT INTO about VALUES ('a', 'b')", "DROP TABLE t_samples",
        "SET threads = 1", "INSTALL httpfs", "LOAD httpfs", "CREATE TEMP TABLE x AS SELECT 1", "PRAGMA version",
        "EXPORT DATABASE '/tmp/x'", "SELECT * FROM glob('/*')", "SELECT * FROM secret", "", "SELEC 1", "SELECT nothing",
    ],
)  # fmt: skip
def test_a_query_reads_the_archive_and_nothing_else(tmp_path: Path, whole: bytes, query: str) -> None:
    secret = np.array([42])  # a variable that the database could see
    path, before = tmp_path / "h", whole
    path.write_bytes(whole)
    with pytest.raises(BadInput, match="history sql"), reading(path) as archive:
        archive.asked(query)
    assert path.read_bytes() == before
    assert secret.tolist() == [42]


@pytest.mark.parametrize("value", ["now()", "[now()]", "{'a': now()}"])
def test_moments_with_a_zone_are_those_of_utc(tmp_path: Path, whole: bytes, value: str) -> None:
    (tmp_path / "h").write_bytes(whole)
    with reading(tmp_path / "h") as archive:
        columns, ((one, moment, other),) = archive.asked(f"SELECT 1 AS a, {value} AS m, 'é;' AS a; -- a;")
    assert (columns, one, other) == (("a", "m", "a"), 1, "é;")
    (time,) = moment.values() if isinstance(moment, dict) else moment if isinstance(moment, list) else (moment,)
    assert abs(time - datetime.now(UTC).replace(tzinfo=None)) < timedelta(minutes=10)


def test_a_value_that_python_does_not_have_is_bad_input(tmp_path: Path, whole: bytes) -> None:
    (tmp_path / "h").write_bytes(whole)
    with pytest.raises(BadInput, match="2000000000") as caught, reading(tmp_path / "h") as archive:
        archive.asked("SELECT INTERVAL '2000000000 days'")
    assert "::VARCHAR" in caught.value.remedy


@pytest.mark.parametrize("view", VIEW_NAMES)
def test_every_documented_view_can_be_asked(tmp_path: Path, whole: bytes, view: str) -> None:
    (tmp_path / "h").write_bytes(whole)
    with reading(tmp_path / "h") as archive:
        columns, _ = archive.asked(f"SELECT * FROM {view}")
    assert columns
    text = (Path(__file__).parents[2] / "docs" / "reference" / "history.md").read_text()
    section = text[text.index(f"| `{view}`") :].partition("\n")[0]
    assert [name for name in columns if f"`{name}`" not in section] == []


def test_the_default_place_follows_the_data_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "kassay" / "history.duckdb"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert default_path() == tmp_path / "home" / ".local" / "share" / "kassay" / "history.duckdb"


def test_a_batch_is_a_record_that_can_be_compared() -> None:
    assert isinstance(batch(1), Batch) and batch(1) == batch(1) != batch(2)


def test_a_packed_history_is_read_like_any_other_and_never_written(tmp_path: Path) -> None:
    path = filled(tmp_path / "h")
    out = tmp_path / "h.duckdb.zst"
    assert pack(path, out) == out.stat().st_size < path.stat().st_size / 4
    assert count(out) == 6
    with reading(out) as archive:
        assert archive.rows("SELECT DISTINCT directory FROM experiments") == [("plan",)]
        assert archive.rows("SELECT count(*) FROM points") == [(2,)]
    with pytest.raises(BadInput, match="only read"), writing(out):
        pass


@pytest.mark.parametrize("share", [0, 0.02, 0.5, 0.99])
def test_a_packed_history_that_is_cut_off_is_named_and_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    out = tmp_path / "h.duckdb.zst"
    pack(filled(tmp_path / "h"), out)
    out.write_bytes(out.read_bytes()[: int(out.stat().st_size * share)])
    with pytest.raises(BadInput, match=f"{out}: damaged"), reading(out):
        pass
    assert not list(tmp_path.glob("cache/**/*.duckdb"))


def test_what_is_packed_and_no_database_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    out = tmp_path / "notes.zst"
    out.write_bytes(zstandard.compress(b"kernel,metric,value\n"))
    with pytest.raises(BadInput, match=f"{out}: not a packed history"), reading(out):
        pass
