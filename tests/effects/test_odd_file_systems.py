# SPDX-License-Identifier: GPL-2.0-only
"""A cache and a run directory on file systems that are full, read-only, without programs, locks or permissions.

Where this host can mount file systems in a namespace of its own, they are real. Else the calls are made to fail.
"""

import errno
import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kassay.effects.files import (
    append_durable,
    disk_problem,
    gone_from_cache,
    publish_directory,
    publish_file,
    write_atomic,
)
from kassay.effects.lock import holder, locked, refusing
from kassay.errors import HostLacks
from kassay.journal import artifacts

PROGRAM = "import sys; from kassay.cli import main; sys.argv[0] = 'kassay'; main()"
_DESCRIBE = "workloads mprotect_toggle"
_READ_ONLY = "mount --bind {0} {0} && mount -o remount,bind,ro {0}"
MOUNTS = {
    "full": ("mount -t tmpfs -o size=300k none {0}", _DESCRIBE, "the disk is full", "free some space"),
    "read-only": (_READ_ONLY, "kernels list", "Read-only file system", "XDG_CACHE_HOME"),
    "noexec": ("mount -t tmpfs -o noexec none {0}", _DESCRIBE, "mounted with noexec?", "XDG_CACHE_HOME"),
}
"""Mount, command, and what its error and its remedy say."""


def in_namespace(command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Executes a shell command that may mount file systems: nobody else sees them, and they end with it."""
    argv = ("unshare", "--map-root-user", "--mount", "sh", "-ec", command)
    return subprocess.run(argv, capture_output=True, text=True, env={**os.environ, **environment}, check=False)


@pytest.mark.parametrize(("variable", "kind"), [*(("XDG_CACHE_HOME", kind) for kind in MOUNTS), ("HOME", "read-only")])
@pytest.mark.slow
def test_a_cache_that_cannot_be_used_ends_in_one_sentence(tmp_path: Path, kind: str, variable: str) -> None:
    mount, command, said, remedy = MOUNTS[kind]
    place = tmp_path / "place"
    place.mkdir()
    if in_namespace(mount.format(place)).returncode:
        pytest.skip("this host mounts nothing in a namespace")
    home = {"XDG_CACHE_HOME": "", variable: str(place)}
    ended = in_namespace(f'{mount.format(place)}; exec "{sys.executable}" -c "{PROGRAM}" {command}', **home)
    assert ended.returncode == 3, ended.stderr
    lines = ended.stderr.strip().splitlines()
    assert lines[-2].startswith(f"kassay: {place}/"), ended.stderr
    assert said in lines[-2]
    assert remedy in lines[-1]
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
def test_a_workload_is_described_with_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    mount = _READ_ONLY.format(tmp_path)
    if in_namespace(mount).returncode:
        pytest.skip("this host mounts nothing in a namespace")
    command = f'{mount}; exec "{sys.executable}" -c "{PROGRAM}" {_DESCRIBE}'
    ended = in_namespace(command, XDG_CACHE_HOME=str(tmp_path))
    assert (ended.returncode, "the metric a verdict is about" in ended.stdout) == (0, True), ended.stderr
    assert not list(tmp_path.iterdir())


@pytest.fixture
def without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory in which no file can be locked, as on a share without a lock server."""
    share, flock = tmp_path / "share", fcntl.flock
    share.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()

    def refuse(file: int, kind: int) -> None:
        if Path(f"/proc/self/fd/{file if isinstance(file, int) else file.fileno()}").readlink().is_relative_to(share):
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        flock(file, kind)

    monkeypatch.setattr(fcntl, "flock", refuse)
    return share


def test_without_locks_this_host_still_keeps_two_kassays_apart(without_locks: Path) -> None:
    path, entered = without_locks / "runs" / "lock", threading.Event()
    with locked(path, refusing("/runs")):
        assert holder(path) == os.getpid()
        with pytest.raises(HostLacks, match=rf"/runs is in use by another kassay \(process {os.getpid()}\)"):
            locked(path, refusing("/runs")).__enter__()
        with locked(without_locks / "other"):
            pass

        def wait() -> None:
            with locked(path):
                entered.set()

        waiting = threading.Thread(target=wait)
        waiting.start()
        assert not entered.wait(0.05)
    waiting.join(20)
    assert entered.is_set()


def test_without_locks_files_are_replaced_whole(without_locks: Path) -> None:
    write_atomic(without_locks / "a", b"1")
    write_atomic(without_locks / "a", b"2")
    assert [(path.name, path.read_bytes()) for path in without_locks.iterdir()] == [("a", b"2")]


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP])
def test_without_permissions_files_and_directories_are_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "chmod", refuse)
    monkeypatch.setattr(Path, "hardlink_to", refuse)
    write_atomic(tmp_path / "new" / "file", b"x")

    def make(path: Path) -> None:
        path.write_bytes(b"y")

    publish_file(tmp_path / "large", make)
    publish_directory(tmp_path / "new", tmp_path / "final")
    assert (tmp_path / "final" / "file").read_bytes() == b"x"
    assert (tmp_path / "large").read_bytes() == b"y"
    name = artifacts.put(tmp_path / "runs", b"raw")
    artifacts.take(tmp_path / "later", name, tmp_path / "runs")
    assert artifacts.get(tmp_path / "later", name) == b"raw"


def test_a_directory_that_cannot_be_synced_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync

    def refuse(handle: int) -> None:
        if Path(f"/proc/self/fd/{handle}").readlink().is_dir():
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", refuse)
    write_atomic(tmp_path / "file", b"x")
    assert (tmp_path / "file").read_bytes() == b"x"


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.ENOTCONN])
def test_a_file_server_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(HostLacks, match=f"{tmp_path}/journal: {os.strerror(number)}") as caught:
        append_durable(tmp_path / "journal", b"x")
    assert "file server" in caught.value.remedy


def test_a_large_file_on_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    def fill(path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(HostLacks, match=f"{tmp_path}/large: the disk is full"):
        publish_file(tmp_path / "large", fill)
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_gone_from_the_cache_is_told_with_its_remedy(cache: Path, tmp_path: Path) -> None:
    gone = gone_from_cache(OSError(errno.ENOENT, "No such file or directory", str(cache / "guest" / "init")))
    assert gone is not None
    assert str(cache / "guest" / "init") in gone.what and "the same command again" in gone.remedy
    assert gone_from_cache(OSError(errno.ENOENT, "No such file or directory", str(tmp_path / "mine"))) is None
    assert gone_from_cache(OSError(errno.EACCES, "Permission denied", str(cache / "guest"))) is None


def test_other_errors_are_no_problem_of_the_disk() -> None:
    assert disk_problem(OSError(errno.EINTR, "Interrupted")) is None
    assert disk_problem(OSError(errno.EIO, "Input/output error")) is None  # of what is not known
