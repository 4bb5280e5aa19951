# SPDX-License-Identifier: GPL-2.0-only
"""Lock files: one fetch or build of one thing, one kassay per directory, one timed measurement per host.

A file is made when absent and never removed; the kernel releases the lock when its process ends, however it ends.
On a file system without locks, such as some network shares, a file of the host's temporary directory stands for it: it
keeps out every kassay of this host, and none of another host.
"""

import errno
import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from kassay.effects.files import cache_directory, disk_errors, sha256_bytes
from kassay.errors import HostLacks
from kassay.model.progress import Progress, Tell

_POLL_S = 0.2
_WITHOUT_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)


class Holder(NamedTuple):
    """The process that has a lock."""

    process: str
    """Id of the process, or "unknown"."""
    since_s: float
    """Time when it took the lock, in seconds since 1970."""

    @property
    def is_this(self) -> bool:
        """True if another thread of this process has the lock."""
        return self.process == str(os.getpid())

    @property
    def text(self) -> str:
        """ "process 4711 in /home/me/linux, since 14:03:21"; without the directory if this user may not see it."""
        since = time.strftime("%H:%M:%S", time.localtime(self.since_s))
        try:
            directory = f" in {Path(f'/proc/{self.process}/cwd').readlink()}"
        except OSError:
            directory = ""
        return f"process {self.process}{directory}, since {since}"


Busy = Callable[[Holder], None]
"""Called with the holder of the lock, again and again while it waits; raises, or returns to wait on."""


@contextmanager
def locked(path: Path, busy: Busy | None = None, *, shared: bool = False) -> Iterator[None]:
    """Locks the file `path` for this block alone, or for all who share it; between threads as between processes.

    busy: called when the lock cannot be had at once; without it the wait is silent, and in a thread it cannot be
    interrupted. The file names the process that has the lock.
    """
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    handle = _opened(path, shared)
    try:
        try:
            _take(handle, kind, busy)
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:
                raise
            os.close(handle)
            handle = _opened(_substitute(path), shared)
            _take(handle, kind, busy)
        yield
    finally:
        os.close(handle)


def _opened(path: Path, shared: bool) -> int:
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            if not shared or error.errno not in (errno.EACCES, errno.EROFS):
                raise
            return os.open(path, os.O_RDONLY)  # a shared lock needs no more


def _take(handle: int, kind: int, busy: Busy | None) -> None:
    """Takes the lock, and writes this process's id into its file: for people, and left out on a full disk."""
    if busy is None:
        fcntl.flock(handle, kind)
    while busy is not None and not _taken(handle, kind):
        process = os.pread(handle, 64, 0).decode("ascii", "replace").strip()
        busy(Holder(process or "unknown", os.fstat(handle).st_mtime))
        time.sleep(_POLL_S)
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)


def _taken(handle: int, kind: int) -> bool:
    """True if the lock was taken; does not wait."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _substitute(path: Path) -> Path:
    """The file that stands for a lock on a file system without locks."""
    name = sha256_bytes(os.fsencode(path.resolve()))[:32]
    return Path(tempfile.gettempdir(), f"kassay-locks-{os.getuid()}", name)


def holder(path: Path) -> int | None:
    """Id of the process that has the lock `path`, as far as this user may see it; None when there is none.

    Does not take the lock, so that nobody else is refused at this moment.
    """
    return next(filter(None, map(_holder_of_file, (path, _substitute(path)))), None)


def _holder_of_file(path: Path) -> int | None:
    try:
        process = int(path.read_bytes())
        wanted = path.stat()
        open_files = tuple(Path(f"/proc/{process}/fd").iterdir())
    except (OSError, ValueError):
        return None
    for file in open_files:
        with suppress(OSError):
            status = file.stat()
            if (status.st_dev, status.st_ino) == (wanted.st_dev, wanted.st_ino):
                return process
    return None


def waiting(tell: Tell, subject: str, other: str = "another fetch of the same") -> Busy:
    """For locked(): tells what the wait is for and which process has the lock, and waits. A Tell that raises ends the
    wait."""
    told = ""

    def busy(holder: Holder) -> None:
        nonlocal told
        text = f"waiting for {other}{'' if holder.is_this else f', by {holder.text}'}"
        tell(Progress(stage="kernels", subject=subject, text=text, passing=text == told))
        told = text

    return busy


def refusing(what: str, remedy: str = "choose another directory with --out") -> Busy:
    """For locked(): raises HostLacks that names the process."""

    def busy(holder: Holder) -> None:
        text = f"{what} is in use by another kassay (process {holder.process})"
        raise HostLacks(text, f"wait for it to end, or {remedy}")

    return busy


@contextmanager
def host_locked(*, timed: bool, cpus: Sequence[int] = (), busy: Busy | None = None) -> Iterator[None]:
    """The whole host for one timed measurement, or a share of it for a counted one. cpus: only these CPUs of it, as
    for a process that is pinned to them. A counted measurement without them shares every CPU that it may use.

    A counted measurement at the same time would be part of the time. busy: called when the host is not free; raises
    HostLacks by default.
    """
    busy = busy or refusing("this host's clock", "stop it")
    directory = cache_directory()
    with ExitStack() as locks:
        locks.enter_context(locked(directory / "host.lock", busy, shared=not timed or bool(cpus)))
        for cpu in cpus or (() if timed else sorted(os.sched_getaffinity(0))):
            locks.enter_context(locked(directory / f"host-cpu{cpu}.lock", busy, shared=not timed))
        yield


@contextmanager
def cache_shared(busy: Busy) -> Iterator[None]:
    """Keeps everything in the cache while the block lasts: nobody frees room in it. A cache that cannot be written has
    no such lock, and needs none. busy: called while another process frees room."""
    with ExitStack() as stack:
        with suppress(HostLacks):
            stack.enter_context(locked(cache_directory() / "use.lock", busy, shared=True))
        yield


@contextmanager
def cache_alone() -> Iterator[None]:
    """The cache for this process alone, to free room in it. Raises HostLacks while any other kassay uses it."""
    with locked(cache_directory() / "use.lock", refusing(f"the cache {cache_directory()}", "stop it")):
        yield


def check_host() -> None:
    """Raises HostLacks while another kassay measures time on this host: nothing is counted then, so that a command that
    builds kernels first can end at once."""
    with host_locked(timed=False):
        pass
