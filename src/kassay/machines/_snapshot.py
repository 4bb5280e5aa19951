# SPDX-License-Identifier: GPL-2.0-only
"""Booted, quiet machines kept by content, each saved at one exact instruction of the guest's init.

Saving: the guest writes to the pvpanic port, QEMU pauses (-action panic=pause) and writes
its state into a file. Restoring: a QEMU with the same options reads it and goes on; the
job comes through fw_cfg, which is not part of the state.
"""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kassay.effects import clock, process
from kassay.effects.files import cache_directory, disk_errors, sha256_bytes, write_atomic
from kassay.machines._backend import Job, read
from kassay.machines._qmp import Qmp, QmpError

KEEP_BYTES = 4 << 30
"""Snapshots beyond this are deleted, the longest unused first; one takes about 65 MB."""

_POLL_S = 0.005
_MARK = b"KASSAY stage saved"


def snapshot_path(*content: str) -> Path:
    """Where the snapshot of this content is or will be: image, initramfs, options, command line, QEMU."""
    return cache_directory() / "snapshots" / sha256_bytes("\0".join(content).encode())


@contextmanager
def one_maker(path: Path) -> Iterator[None]:
    """Holds back everybody else who wants to make the same snapshot, in this process or another."""
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def save(job: Job, command: tuple[str, ...], path: Path) -> str:
    """Boots the job's machine until it stops by itself, and keeps its state. Returns "", or why there is none."""
    with (Path(job.directory) / "stderr").open("wb") as errors, controlled(True) as control:
        child = process.start((*command, *control.options), out=errors, err=errors, pass_fds=control.fds)
        control.handed_over()
        try:
            qmp = control.connect(job.timeout_s)
            qmp.wait_for("STOP")
            if _MARK not in read(Path(job.directory, "stream")):  # stopped by a panic, not by our init
                return "no snapshot: the guest panicked before it was quiet"
            _write_state(qmp, path, read(Path(job.directory, "console")))
        except QmpError as error:
            return f"no snapshot: {error.what}"
        finally:
            process.end(child)
    for name in ("stream", "console"):  # the restored run writes its own
        Path(job.directory, name).unlink(missing_ok=True)
    return ""


def boot_console(path: Path) -> bytes:
    """The kernel log of the boot that a snapshot was made from; part of the log of every run restored from it."""
    return read(path.with_suffix(".console"))


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """The snapshot as an open file that stays readable when another process makes room."""
    state = os.open(path, os.O_RDONLY)
    try:
        os.utime(path)  # used now: the last to be deleted
        yield state
    finally:
        os.close(state)


class Control:
    """Our end of the machine protocol; without one (no snapshot) every method does nothing."""

    def __init__(self, pair: tuple[socket.socket, socket.socket] | None) -> None:
        self._ours = pair[0] if pair else None
        self._theirs = pair[1] if pair else None
        self.fds = (self._theirs.fileno(),) if self._theirs else ()
        chardev = f"socket,id=qmp,fd={self.fds[0]}" if self.fds else ""
        self.options = ("-chardev", chardev, "-mon", "chardev=qmp,mode=control") if self.fds else ()

    def handed_over(self) -> None:
        """QEMU has its end: with ours alone open, its death is seen at once."""
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
def controlled(needed: bool) -> Iterator[Control]:
    """A Control with its sockets, closed at the end; fds are what QEMU must inherit."""
    if not needed:
        yield Control(None)
        return
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Control((ours, theirs))


def _write_state(qmp: Qmp, path: Path, console: bytes) -> None:
    part = path.with_suffix(".part")
    with disk_errors(path):
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o444)
        try:
            qmp.command("getfd", {"fdname": "state"}, fds=(handle,))
            qmp.command("migrate-set-parameters", {"max-bandwidth": 1 << 40})
            qmp.command("migrate", {"uri": "fd:state"})
            while (status := qmp.command("query-migrate").get("status")) not in ("completed", "failed"):
                clock.sleep(_POLL_S)
            if status == "failed":
                raise QmpError(f"QEMU could not write {part}")
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)
        _make_room(path.parent)
        write_atomic(path.with_suffix(".console"), console)
        part.rename(path)


def _make_room(directory: Path) -> None:
    kept = sorted((p for p in directory.iterdir() if not p.suffix), key=lambda p: p.stat().st_mtime)
    total = sum(p.stat().st_size for p in kept)
    for old in kept:
        if total <= KEEP_BYTES:
            return
        total -= old.stat().st_size
        old.unlink(missing_ok=True)
        for suffix in (".console", ".lock"):
            old.with_suffix(suffix).unlink(missing_ok=True)
