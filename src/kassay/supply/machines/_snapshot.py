# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots of booted, quiet machines, stored by content, each saved at one exact moment of guest time.

Saving: the guest's init starts a watchdog and sleeps; when it ends QEMU pauses (-action watchdog=pause) and writes
its state into a file. Restoring: a QEMU with the same options reads it and goes on; the
job and its program come through fw_cfg, which is not part of the state.
"""

import contextlib
import errno
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

from kassay.effects import clock, process
from kassay.effects.cache_limit import make_room
from kassay.effects.files import cache_directory, disk_errors, sha256_bytes, sha256_file, write_atomic
from kassay.effects.lock import locked
from kassay.supply.machines._backend import Job, read
from kassay.supply.machines._qmp import Qmp, QmpError

KEEP_BYTES = 20 << 30
"""Snapshots beyond this are deleted, the longest unused first. One takes about 65 MB, that of an application twice the
size of its image more."""

# A restored QEMU announces itself to the network, on a timer of the host's clock. Under icount a CPU's turn ends at the
# latest when such a timer is due (icount_get_limit()), so with several CPUs it would move the digits.
UNANNOUNCED = ("-global", "migration.announce-rounds=0")

_CONSOLE, _SHA256 = ".console", ".sha256"
"""Suffixes of the files beside a snapshot: the log of its boot, and the hash of both."""
_WHOLE: dict[Path, int] = {}
"""Snapshots that this process has found whole: path and inode. Guarded by snapshot_lock()."""
_POLL_S = 0.002
_ROOM_BYTES = 200 << 20  # less free than this, and a failed write means a full disk
_ABANDONED_S = 3600
_MARK = b"KASSAY stage saved"


def snapshot_path(*content: str) -> Path:
    """Where the snapshot of this content is or will be: image, initramfs, options, command line, QEMU."""
    return cache_directory() / "snapshots" / sha256_bytes("\0".join(content).encode())


def snapshot_lock(path: Path) -> AbstractContextManager[None]:
    """A lock: only one thread of one process makes this snapshot at a time."""
    return locked(path.with_suffix(".lock"))


class Taken(NamedTuple):
    """A snapshot that is opened: its file, which stays readable when make_room() removes it, and the log of its boot.

    The log is part of the log of every run restored from it.
    """

    state: int
    console: bytes


def is_kept(path: Path) -> bool:
    """True if a snapshot is there with the bytes that save() wrote; False if it is damaged. Call it while holding
    snapshot_lock(). Each process reads a snapshot once for it, which takes 0.1 s: a run takes a second or more."""
    try:
        inode = path.stat().st_ino
        if _WHOLE.get(path) != inode and path.with_suffix(_SHA256).read_text("ascii") == _sha256(path, path):
            _WHOLE[path] = inode
    except (OSError, UnicodeDecodeError):
        return False
    return _WHOLE.get(path) == inode


def _sha256(state: Path, path: Path) -> str:
    """Hash of the state of a machine, which may be in another file yet, and of the log of its boot."""
    return sha256_bytes(f"{sha256_file(state)} {sha256_file(path.with_suffix(_CONSOLE))}".encode())


def take(path: Path) -> Taken:
    """Opens a snapshot; call it while holding snapshot_lock(), and close `state` in the end."""
    os.utime(path)  # used now: the last to be deleted
    return Taken(os.open(path, os.O_RDONLY), read(path.with_suffix(_CONSOLE)))


def inherited_file_options(version: str, file: int) -> tuple[tuple[str, ...], str]:
    """(options, address) under which QEMU reads or writes an inherited file.

    "fd:" on a plain file is deprecated since QEMU 9.1, and "file:" is known since 8.2.
    """
    if int(version.partition(".")[0]) < 9:
        return (), f"fd:{file}"
    return ("-add-fd", f"fd={file},set=1"), "file:/dev/fdset/1"


def save(job: Job, command: tuple[str, ...], version: str, path: Path) -> str:
    """Boots the job's machine until it stops by itself, and keeps its state. Returns "", or why there is none."""
    with _part(path) as (part, file), controlled(True) as control, disk_errors(path):
        options, address = inherited_file_options(version, file)
        with (Path(job.directory) / "stderr").open("wb") as errors:
            inherited = (*control.fds, file)
            child = process.start((*command, *control.options, *options), out=errors, err=errors, pass_fds=inherited)
            control.handed_over()
            try:
                qmp = control.connect(job.timeout_s)
                qmp.wait_for("STOP")
                if _MARK not in read(Path(job.directory, "stream")):
                    return "no snapshot: the guest stopped before it was quiet"
                _write_state(qmp, file, address, job.timeout_s)
            except QmpError as error:
                return f"no snapshot: {error.what}"
            finally:
                process.end(child)
        _sweep(path.parent)
        make_room(path.parent, "", (_CONSOLE, _SHA256), KEEP_BYTES, unused_since=clock.wall_s())
        write_atomic(path.with_suffix(_CONSOLE), read(Path(job.directory, "console")))
        write_atomic(path.with_suffix(_SHA256), _sha256(part, path).encode())
        part.rename(path)
    for name in ("stream", "console"):  # the restored run writes its own
        Path(job.directory, name).unlink(missing_ok=True)
    return ""


class MachineControl:
    """Our end of the machine protocol; without one (no snapshot) every method does nothing."""

    def __init__(self, pair: tuple[socket.socket, socket.socket] | None) -> None:
        self._ours = pair[0] if pair else None
        self._theirs = pair[1] if pair else None
        self.fds = (self._theirs.fileno(),) if self._theirs else ()
        chardev = f"socket,id=qmp,fd={self.fds[0]}" if self.fds else ""
        self.options = ("-chardev", chardev, "-mon", "chardev=qmp,mode=control") if self.fds else ()

    def handed_over(self) -> None:
        """Closes QEMU's end here, now that QEMU has it: when QEMU dies, our end is then closed at once."""
        if self._theirs is not None:
            self._theirs.close()

    def connect(self, timeout_s: float) -> Qmp:
        """Raises QmpError when QEMU does not answer."""
        assert self._ours is not None
        return Qmp(self._ours, timeout_s)

    def go_on(self, timeout_s: float) -> str:
        """Lets a restored machine run once all of its state has arrived. Returns "", or why it does not."""
        if self._ours is None:
            return ""
        try:
            qmp = self.connect(timeout_s)
            deadline = clock.monotonic_s() + timeout_s
            while qmp.command("query-status")["status"] == "inmigrate":
                if clock.monotonic_s() > deadline:
                    raise QmpError("its state never arrives")
                clock.sleep(_POLL_S)
            qmp.command("cont")
        except QmpError as error:
            return f"the snapshot does not go on: {error.what}"
        return ""


@contextmanager
def controlled(needed: bool) -> Iterator[MachineControl]:
    """A MachineControl with its sockets, closed at the end; fds are what QEMU must inherit."""
    if not needed:
        yield MachineControl(None)
        return
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield MachineControl((ours, theirs))


@contextmanager
def _part(path: Path) -> Iterator[tuple[Path, int]]:
    """A new file beside the snapshot, open to write, which is gone at the end unless it was renamed."""
    with disk_errors(path):
        both, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        os.close(both)
        file = os.open(
            name, os.O_WRONLY
        )  # QEMU takes a file from an fdset only if its access mode is exactly the wanted one
    try:
        yield Path(name), file
    finally:
        os.close(file)
        Path(name).unlink(missing_ok=True)


def _write_state(qmp: Qmp, file: int, address: str, timeout_s: float) -> None:
    if address.startswith("fd:"):
        qmp.command("getfd", {"fdname": "state"}, fds=(file,))
        address = "fd:state"
    qmp.command("migrate-set-parameters", {"max-bandwidth": 1 << 40})
    qmp.command("migrate", {"uri": address})
    deadline = clock.monotonic_s() + timeout_s
    while (answer := qmp.command("query-migrate")).get("status") != "completed":
        if answer.get("status") == "failed":
            free = os.fstatvfs(file)
            if free.f_bavail * free.f_frsize < _ROOM_BYTES:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            raise QmpError(f"QEMU could not write its state: {answer.get('error-desc', 'no reason given')}")
        if clock.monotonic_s() > deadline:
            raise QmpError("QEMU never finishes writing its state")
        clock.sleep(_POLL_S)
    os.fsync(file)


def _sweep(directory: Path) -> None:
    """Removes what killed processes left."""
    for path in directory.glob("*.part"):
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_mtime < clock.wall_s() - _ABANDONED_S:
                path.unlink()
