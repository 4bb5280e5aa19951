# SPDX-License-Identifier: GPL-2.0-only
"""Files are replaced whole or not at all, and the disk's failures become sentences."""

import errno
import fcntl
import os
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.effects.files import (
    append_durable,
    cache_directory,
    check_writable,
    derived_text,
    disk_errors,
    is_whole,
    publish_directory,
    sha256_bytes,
    sha256_file,
    write_atomic,
    write_checked,
)
from kassay.errors import HostLacks


def listing(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_program_can_be_executed_as_soon_as_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process executes it between the rename and the return. ETXTBSY where the file was still open."""
    path, rename, statuses = tmp_path / "program", Path.replace, []

    def rename_and_execute(self: Path, target: Path) -> Path:
        renamed = rename(self, target)
        statuses.append(subprocess.run((str(path),), check=False).returncode)
        return renamed

    monkeypatch.setattr(Path, "replace", rename_and_execute)
    write_atomic(path, b"#!/bin/sh\n", mode=0o755)
    assert statuses == [0]


@settings(max_examples=20)
@given(old=st.binary(max_size=99), new=st.binary(max_size=99), mode=st.sampled_from((0o444, 0o644, 0o755)))
def test_a_file_is_replaced_with_its_mode_and_nothing_else_is_left(
    tmp_path_factory: pytest.TempPathFactory, old: bytes, new: bytes, mode: int
) -> None:
    path = tmp_path_factory.mktemp("w") / "file"
    write_atomic(path, old)
    write_atomic(path, new, mode=mode)
    assert path.read_bytes() == new
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert listing(path.parent) == ["file"]


def test_directories_on_the_way_are_made(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a" / "b" / "file", b"x")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"x"


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.chmod", "pathlib.Path.replace"])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "Input/output error")], ids=["^C", "EIO"])
def test_what_ends_in_the_middle_leaves_the_old_content_and_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        with pytest.raises(HostLacks if isinstance(error, OSError) else type(error)):
            write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert listing(tmp_path) == ["file"]


def test_readers_see_the_old_bytes_until_the_new_ones_are_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")
    seen: list[tuple[str, bytes]] = []
    real_sync, real_replace = os.fsync, Path.replace

    def sync(handle: int) -> None:
        seen.append(("sync", path.read_bytes()))
        real_sync(handle)

    def replace(self: Path, target: Path) -> Path:
        seen.append(("replace", path.read_bytes()))
        return real_replace(self, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    write_atomic(path, b"new")
    assert seen == [("sync", b"old"), ("replace", b"old"), ("sync", b"new")]  # content, rename, directory


def test_an_append_stands_behind_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for data in (b"one\n", b"two\n"):
        append_durable(path, data)
    assert path.read_bytes() == b"one\ntwo\n"


def test_an_append_that_is_cut_short_is_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda handle, data: len(data) - 1)
    with pytest.raises(HostLacks, match="disk is full"):
        append_durable(tmp_path / "log", b"x" * 10)


def made(directory: Path, content: bytes) -> Path:
    (directory / "sub").mkdir(parents=True)
    (directory / "file").write_bytes(content)
    (directory / "sub" / "deep").write_bytes(content)
    return directory


def test_a_published_directory_is_in_place_and_its_files_are_read_only(tmp_path: Path) -> None:
    final = tmp_path / "store" / "name"
    publish_directory(made(tmp_path / "making", b"x"), final)
    assert not (tmp_path / "making").exists()
    for name in ("file", "sub/deep"):
        assert (final / name).read_bytes() == b"x"
        assert stat.S_IMODE((final / name).stat().st_mode) == 0o444


def test_the_second_of_two_equal_publications_loses_quietly(tmp_path: Path) -> None:
    final = tmp_path / "name"
    publish_directory(made(tmp_path / "one", b"first"), final)
    publish_directory(made(tmp_path / "two", b"second"), final)
    assert (final / "file").read_bytes() == b"first"
    assert listing(final) == ["file", "sub"]


def test_room_is_named_and_a_file_system_without_any_is_no_full_disk(tmp_path: Path) -> None:
    with pytest.raises(HostLacks, match=r"the disk is full: \d+ KiB are free, \d+ KiB are needed"):
        check_writable(tmp_path / "out", 1 << 60)
    with pytest.raises(HostLacks, match="/proc/foo: no files can be stored on this file system"):
        check_writable(Path("/proc/foo"), 1)


def test_a_full_device_is_a_full_disk() -> None:
    with pytest.raises(HostLacks, match="/dev/full: the disk is full") as caught:
        append_durable(Path("/dev/full"), b"x")
    assert "finished runs are kept" in caught.value.remedy


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_no_space_is_said_as_a_full_disk(number: int) -> None:
    with pytest.raises(HostLacks, match="/place: the disk is full"), disk_errors(Path("/place")):
        raise OSError(number, os.strerror(number))


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR])
def test_a_place_that_cannot_be_written_is_said_with_the_way_out(number: int) -> None:
    with pytest.raises(HostLacks, match=f"/place: {os.strerror(number)}") as caught, disk_errors(Path("/place")):
        raise OSError(number, os.strerror(number))
    assert "--out" in caught.value.remedy
    assert isinstance(caught.value.__cause__, OSError)


def test_other_errors_pass_unchanged() -> None:
    with pytest.raises(OSError, match="Interrupted") as caught, disk_errors(Path("/place")):
        raise OSError(errno.EINTR, os.strerror(errno.EINTR))
    assert caught.value.errno == errno.EINTR
    with pytest.raises(KeyError), disk_errors(Path("/place")):
        raise KeyError


def test_a_place_below_a_place_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(HostLacks, match="Not a directory"):
        write_atomic(tmp_path / "file" / "a" / "b", b"x")


@pytest.mark.parametrize("name", ["file/below", "n" * 300, "directory"])
def test_a_place_that_can_never_be_a_file_is_refused_in_words(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "directory").mkdir()
    with pytest.raises(HostLacks):
        write_atomic(tmp_path / name, b"x")


@settings(max_examples=20)
@given(data=st.binary(max_size=5000))
def test_both_ways_to_hash_agree(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("h") / "file"
    path.write_bytes(data)
    assert sha256_file(path) == sha256_bytes(data)
    assert len(sha256_bytes(data)) == 64


@pytest.mark.parametrize(
    ("value", "expected"), [("/c", "/c/kassay"), ("", "/h/.cache/kassay"), ("relative", "/h/.cache/kassay")]
)
def test_the_cache_is_where_the_xdg_specification_says(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: str
) -> None:
    monkeypatch.setenv("HOME", "/h")
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert cache_directory() == Path(expected)


def test_a_derived_text_is_made_once_and_without_a_cache_each_time(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def make() -> str:
        made.append(1)
        return "ü"

    assert [derived_text("x.js", make) for _ in range(2)] == ["ü", "ü"] and len(made) == 1
    (cache / "derived" / "x.js").write_bytes(b"\xff")
    assert derived_text("x.js", make) == "ü" and len(made) == 2
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    assert [derived_text("x.js", make) for _ in range(2)] == ["ü", "ü"] and len(made) == 4


def test_leftovers_of_a_killed_writer_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "a[1].json"
    other = tmp_path / ".b.json.abcdefgh"
    for left in (tmp_path / ".a[1].json.abcdefgh", tmp_path / ".a[1].json.12345678", other):
        left.write_bytes(b"hal")
    write_atomic(path, b"new")
    assert sorted(tmp_path.iterdir()) == sorted([path, other])


def test_what_a_living_process_writes_of_the_same_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    partial = tmp_path / ".a.json.abcdefgh"
    with partial.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_atomic(path, b"new")
        assert partial.exists()
    write_atomic(path, b"newer")
    assert not partial.exists() and path.read_bytes() == b"newer"


@pytest.mark.parametrize("damaged", [b"", b"tex", b"tExt"])
def test_a_damaged_derived_text_is_made_anew(cache: Path, damaged: bytes) -> None:
    made: list[int] = []

    def make() -> str:
        made.append(1)
        return "text"

    assert derived_text("x.json", make) == "text"
    (cache / "derived" / "x.json").write_bytes(damaged)
    assert [derived_text("x.json", make) for _ in range(2)] == ["text", "text"] and len(made) == 2


def test_a_damaged_file_is_not_whole_and_one_without_a_hash_need_only_be_there(tmp_path: Path) -> None:
    path = tmp_path / "program"
    assert not is_whole(path)
    write_checked(path, b"program", mode=0o755)
    assert is_whole(path) and path.stat().st_mode & 0o777 == 0o755
    with path.open("r+b") as file:
        file.truncate(3)
    assert not is_whole(path)
    write_atomic(path, b"of an earlier version")
    assert is_whole(path)
