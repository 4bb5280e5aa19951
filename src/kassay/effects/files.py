# SPDX-License-Identifier: GPL-2.0-only
"""Files: atomic replacement, durable appends, hashes, read-only trees, and where things live."""

import errno
import fcntl
import glob
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import msgspec

from kassay.effects import process
from kassay.errors import BadInput, HostLacks
from kassay.model.records import R, from_json

_UNUSABLE_PATH = (
    errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR, errno.EEXIST, errno.EISDIR,
    errno.ENAMETOOLONG, errno.ELOOP,
)  # fmt: skip
_HASH = "user.kassay.sha256"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FAILED_DISK = (errno.EIO, errno.ESTALE, errno.ENOTCONN, errno.EREMOTEIO, errno.ETIMEDOUT, errno.ENODEV)
_OTHER_PLACE = "choose a place you may write to, with --out or XDG_CACHE_HOME"
_FREE_SPACE = "free some space and repeat the command; finished runs are kept"
_CHECK_DISK = "check the disk or the file server, or choose another place with --out or XDG_CACHE_HOME"


def cache_directory() -> Path:
    """$XDG_CACHE_HOME/kassay, by default ~/.cache/kassay (XDG Base Directory Specification 0.8)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if base.startswith("/") else _home() / ".cache"
    return root / "kassay"


def data_directory() -> Path:
    """$XDG_DATA_HOME/kassay, by default ~/.local/share/kassay: what no command can make again."""
    base = os.environ.get("XDG_DATA_HOME", "")
    root = Path(base) if base.startswith("/") else _home() / ".local" / "share"
    return root / "kassay"


def can_write_cache() -> bool:
    """True if this user may make files in the cache, or the cache itself where there is none."""
    path = cache_directory()
    while not os.path.lexists(path):
        path = path.parent
    return path.is_dir() and os.access(path, os.W_OK | os.X_OK)


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise HostLacks("no home directory: HOME is not set, and this user has no entry in /etc/passwd",
                        "set HOME, or XDG_CACHE_HOME and XDG_DATA_HOME") from error  # fmt: skip


def derived_text(name: str, make: Callable[[], str]) -> str:
    """Result of make(), stored in the cache under `name`. The name must identify everything that the result depends on.

    Where the cache cannot be read or written, or the file in it is damaged, make() is called.
    """
    path = cache_directory() / "derived" / name
    with suppress(OSError, UnicodeDecodeError):
        if is_whole(path):
            return path.read_text("utf-8")
    text = make()
    with suppress(OSError, HostLacks):
        write_checked(path, text.encode())
    return text


def kept_record(path: Path, kind: type[R]) -> R | None:
    """The record in a file; None where there is none, or one of another version."""
    try:
        return from_json(path.read_bytes(), kind)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def read_record(path: Path, kind: type[R], remedy: str) -> R:
    """The record in a file. Raises OSError if the file cannot be read, BadInput with `remedy` if it is damaged."""
    try:
        return from_json(path.read_bytes(), kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}", remedy) from error


def expanded(path: str) -> Path:
    """The path with "~" and "~user" replaced; unchanged where there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def readable(path: Path) -> bool:
    """True if this process may read the file or list the directory."""
    return os.access(path, os.R_OK)


def check_writable(path: Path, needed_bytes: int) -> None:
    """Raises HostLacks where `path` cannot be made or written into, or its disk has less than needed_bytes free.

    Makes nothing: the nearest directory above that exists is looked at.
    """
    with disk_errors(path):
        near = path
        while not near.exists() and near != near.parent:
            near = near.parent
        if not (near.is_file() or near.is_dir()):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if near.is_file() and near != path:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(near, os.W_OK | os.X_OK if near.is_dir() else os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if os.statvfs(near).f_flag & os.ST_RDONLY:
            raise PermissionError(errno.EROFS, os.strerror(errno.EROFS))
        disk = shutil.disk_usage(near)
        if not disk.total:  # such as /proc
            raise HostLacks(f"{path}: no files can be stored on this file system", _OTHER_PLACE)
        if disk.free < needed_bytes:
            rooms = f"{disk.free >> 10} KiB are free, {needed_bytes >> 10} KiB are needed"
            raise HostLacks(f"{path}: the disk is full: {rooms}", _FREE_SPACE)


def sha256_file(path: Path) -> str:
    """sha256 of a file's content, hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_bytes(data: bytes) -> str:
    """sha256, hex."""
    return hashlib.sha256(data).hexdigest()


def write_atomic(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Replaces `path` in one step: readers see the old bytes or the new, also after a power cut. Removes what a killed
    process left of the same file."""
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial, lock = _begun(path)
        try:
            with process.none_starting() if mode & 0o100 else nullcontext(), partial.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            set_mode(partial, mode)
            # Nobody can execute a file that is open for writing (ETXTBSY): it is closed before it gets its name, and
            # no process started meanwhile has inherited it.
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        finally:
            os.close(lock)
        sync_directory(path.parent)
        _sweep(path)


def write_checked(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """write_atomic(), and stores the hash of the bytes as an attribute of the file, for is_whole()."""
    write_atomic(path, data, mode=mode)
    with suppress(OSError):  # a file system without attributes
        os.setxattr(path, _HASH, sha256_bytes(data).encode())


def made_once(path: Path, make: Callable[[], bytes], *, mode: int = 0o644) -> Path:
    """The file with the result of make(), which is called if the file is not there or is damaged."""
    if not is_whole(path):
        write_checked(path, make(), mode=mode)
    return path


def is_whole(path: Path) -> bool:
    """True if the file is there and has the bytes that write_checked() wrote. A file without a stored hash, such as one
    of an earlier version, need only be there."""
    try:
        return os.getxattr(path, _HASH).decode("ascii", "replace") == sha256_file(path)
    except OSError:
        return path.is_file()


def _begun(path: Path) -> tuple[Path, int]:
    """An empty file beside `path`, and a descriptor that is open for reading and holds its lock."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        with suppress(FileNotFoundError):  # swept before it was locked
            lock = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
            with suppress(OSError):  # a file system without locks: nothing is ever swept there
                fcntl.flock(lock, fcntl.LOCK_EX)
            if os.fstat(lock).st_nlink:
                return Path(name), lock
            os.close(lock)


def _sweep(path: Path) -> None:
    for left in path.parent.glob(f".{glob.escape(path.name)}.????????"):
        with suppress(OSError), left.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()


def publish_file(path: Path, make: Callable[[Path], None]) -> None:
    """Makes a file that is too large for write_atomic(): whole or not at all, and read-only."""
    partial = path.with_name(f".{path.name}.part")
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            make(partial)
            set_mode(partial, 0o444)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


def link_or_copy(source: Path, path: Path) -> None:
    """Gives a file a second name, in place of a file that has it: a hard link where the file system has them."""
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        try:
            path.hardlink_to(source)
        except OSError:
            write_atomic(path, source.read_bytes(), mode=stat.S_IMODE(source.stat().st_mode))


def set_mode(path: Path, mode: int) -> None:
    """Sets the permissions of a file. File systems without permissions, such as FAT and some shares, keep theirs."""
    try:
        path.chmod(mode)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
            raise


def append_durable(path: Path, data: bytes) -> None:
    """Appends in one write and returns only when the bytes are on the disk."""
    with disk_errors(path):
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            written = os.write(handle, data)
            if written != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(handle)
        finally:
            os.close(handle)


def sync_directory(path: Path) -> None:
    """Makes a rename in `path` durable."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # shares whose directories cannot be synced
            raise
    finally:
        os.close(handle)


def publish_directory(temporary: Path, final: Path) -> None:
    """Moves a finished directory into place in one step, read-only; keeps an equal one that is there already."""
    with disk_errors(final):
        for root, _, names in os.walk(temporary):
            for name in names:
                set_mode(Path(root, name), 0o444)
        final.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.rename(final)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        sync_directory(final.parent)


@contextmanager
def swept(path: Path) -> Iterator[Path]:
    """An empty directory for the time of the block; what an earlier, killed process left in it is removed."""
    with disk_errors(path):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def read_errors(path: Path, remedy: str) -> Iterator[None]:
    """Turns an OSError of the block, which reads `path`, into BadInput with `remedy`."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}", remedy) from error


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turns errors of the disk (full, read-only, not permitted, failed) into HostLacks with a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in _UNUSABLE_PATH:
            raise HostLacks(f"{path}: {error.strerror}", _OTHER_PLACE) from error
        if lacking := disk_problem(error, str(path)):
            raise lacking from error
        raise


def disk_problem(error: OSError, place: str = "") -> HostLacks | None:
    """The sentence for an error of the disk, wherever it was raised; None for any other error.

    place: the file or directory that was written. If it is unknown, the error names it, or else every full disk that
    kassay writes to.
    """
    place = place or str(error.filename or "")
    if error.errno in _NO_ROOM:
        return HostLacks(f"{place or _full_places()}: the disk is full", _FREE_SPACE)
    if error.errno == errno.EROFS:
        return HostLacks(f"{place or 'a file'}: {error.strerror}", _OTHER_PLACE)
    if error.errno == errno.EACCES and place:
        return HostLacks(f"{place}: {error.strerror}", "name a place that you may read and write")
    if error.errno in _FAILED_DISK and place:
        return HostLacks(f"{place}: {error.strerror}", _CHECK_DISK)
    return None


def gone_from_cache(error: OSError) -> HostLacks | None:
    """The sentence for a file of the cache that was removed while it was in use; None for any other error."""
    path = Path(str(error.filename or ""))
    if error.errno != errno.ENOENT or not path.is_relative_to(cache_directory()):
        return None
    return HostLacks(f"{path}: it was removed from the cache meanwhile", "give the same command again: it is made anew")


def _full_places() -> str:
    places = (cache_directory(), Path.cwd(), Path(tempfile.gettempdir()))
    full = [str(place) for place in places if place.exists() and shutil.disk_usage(place).free < 1 << 20]
    return " or ".join(full) or "a disk that kassay writes to"
