# SPDX-License-Identifier: GPL-2.0-only
"""The only user of subprocess: argument tuples, no shell, a timeout, and the whole group ends with this process."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple
from weakref import WeakSet

from kassay.errors import HostLacks

# A preexec_fn is not safe with threads; util-linux's setpriv asks the kernel for the same death signal. The setpriv of
# busybox cannot, and a host may have none: then an interpreter does it, in 15 ms more for each process.
_SETPRIV = ("--pdeathsig", "KILL", "--")
_BY_INTERPRETER = """import ctypes, os, signal, sys
for number in (signal.SIGPIPE, signal.SIGXFSZ): signal.signal(number, signal.SIG_DFL)
ctypes.CDLL(None).prctl(1, 9)
os.execvp(sys.argv[1], sys.argv[1:])"""
_GIT_VARIABLES = frozenset(
    ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
     "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_DIFF_OPTS",
     "GIT_EXTERNAL_DIFF", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS")
)  # fmt: skip

Child = subprocess.Popen[bytes]
NOWHERE = subprocess.DEVNULL
"""For start(): output that nobody reads."""
_LAST_OUTPUT_S = 1
"""Seconds to wait for the last output of a process that was ended."""
_running: "WeakSet[Child]" = WeakSet()
_starting = threading.Lock()
_ended = False


class Completed(NamedTuple):
    """An ended process; status is negative for a signal, as in subprocess."""

    status: int
    out: str
    err: str
    timed_out: bool = False
    """True if kassay ended the process because its time was up."""


def be_idle() -> None:
    """From now on this process and its children only get CPU time that no other process wants."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def find(program: str) -> str | None:
    """Absolute path of a program, or None."""
    return shutil.which(program)


def run(argv: Sequence[str], *, timeout_s: float = 60, env: Mapping[str, str] | None = None,
        cwd: Path | None = None, stdin: IO[bytes] | None = None) -> Completed:  # fmt: skip
    """Runs to the end and returns output as text (undecodable bytes replaced). A timeout ends the group: status -9.

    stdin: an open file that the program reads; nothing by default.
    """
    timed_out = False
    with start(argv, out=subprocess.PIPE, err=subprocess.PIPE, env=env, cwd=cwd, stdin=stdin) as child:
        try:
            out, err = child.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            timed_out = True
            end(child)
            out, err = _last_output(child)
    return Completed(-signal.SIGKILL if timed_out else child.returncode, _text(out), _text(err), timed_out)


def _last_output(child: Child) -> tuple[bytes, bytes]:
    """Output of a process that was ended. Another one may hold its pipes open: ssh hands them to the process of the
    shared connection, which stays for half a minute where the other machine does not answer."""
    try:
        return child.communicate(timeout=_LAST_OUTPUT_S)
    except subprocess.TimeoutExpired as expired:
        return expired.output or b"", expired.stderr or b""


def start(argv: Sequence[str], *, out: int | IO[bytes] | None, err: int | IO[bytes] | None,
          env: Mapping[str, str] | None = None, cwd: Path | None = None,
          pass_fds: Sequence[int] = (), stdin: IO[bytes] | None = None) -> Child:  # fmt: skip
    """Starts a process in a group of its own that the kernel kills when the calling thread ends.

    Raises HostLacks when the program is not there, or must not be executed.
    """
    if shutil.which(argv[0]) is None:
        if "/" in argv[0] and Path(argv[0]).is_file():
            what = f"{argv[0]}: cannot be executed (is its file system mounted with noexec?)"
            raise HostLacks(what, "choose a cache where programs may be executed, with XDG_CACHE_HOME")
        raise HostLacks(f"{argv[0]}: not found on this host", "see `kassay doctor` for what to install")
    with _starting:
        if _ended:
            raise HostLacks(f"{argv[0]}: not started, kassay is ending")
        child = _popen(argv, out, err, env, cwd, pass_fds, stdin)
        _running.add(child)
    return child


@contextlib.contextmanager
def none_starting() -> Iterator[None]:
    """Lets no process start until the block ends. One that starts holds all our open files until it executes."""
    with _starting:
        yield


def _popen(argv: Sequence[str], out: int | IO[bytes] | None, err: int | IO[bytes] | None,
           env: Mapping[str, str] | None, cwd: Path | None, pass_fds: Sequence[int],
           stdin: IO[bytes] | None) -> Child:  # fmt: skip
    return subprocess.Popen(
        _dying_with_parent(argv),
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=out,
        stderr=err,
        env={**_inherited(), "LC_ALL": "C.UTF-8", **(env or {})},
        cwd=cwd,
        start_new_session=True,
        pass_fds=tuple(pass_fds),
    )


def _dying_with_parent(argv: Sequence[str]) -> tuple[str, ...]:
    setpriv = shutil.which("setpriv")
    if setpriv and "busybox" not in Path(setpriv).resolve().name:
        return setpriv, *_SETPRIV, *argv
    return sys.executable, "-ISc", _BY_INTERPRETER, *argv


def variable(name: str) -> str:
    """Variable of this process's environment; "" if it is not set."""
    return os.environ.get(name, "")


def _inherited() -> dict[str, str]:
    """Our environment, without the variables of a git that runs us (`git bisect run`, a hook): every git that we start,
    also in a kernel's own build, would work in that repository. A user's own for diffs and paths are left out, too."""
    return {name: value for name, value in os.environ.items() if name not in _GIT_VARIABLES}


def wait(child: Child, timeout_s: float) -> bool:
    """True when the child has ended by itself within the time. Wakes up at once, where Popen.wait() looks now and
    then."""
    if child.poll() is not None:
        return True
    number = os.pidfd_open(child.pid)
    try:
        ended = select.poll()  # not select(), which knows no file number beyond 1023
        ended.register(number, select.POLLIN)
        ended.poll(timeout_s * 1000)
    finally:
        os.close(number)
    return child.poll() is not None


@contextlib.contextmanager
def ending_all() -> Iterator[None]:
    """Kills every process of ours that still runs, with its group, and lets none start until the block ends.

    For an interrupted measurement: threads that wait for a process, or are about to start one, end inside the block.
    """
    global _ended
    with _starting:
        _ended = True
        for child in tuple(_running):
            if child.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
    try:
        yield
    finally:
        _ended = False


def end(child: Child) -> None:
    """Kills the child's whole group and reaps the child."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def end_group(group: int, *, inside: Path) -> None:
    """Kills what is left of a process group whose leader was killed, and waits until it is gone.

    Only processes with their working directory inside `inside`: the kernel may have reused the number of the group.
    """
    for _ in range(100):
        left = [pid for pid in _members(group) if _works_in(pid, inside)]
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not left:
            return
        time.sleep(0.05)


def _members(group: int) -> Iterator[int]:
    for directory in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # pid (name) state ppid pgrp ...: the name may contain any character, so split behind its last ")"
            fields = (directory / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(fields[2]) == group and fields[0] != "Z":
                yield int(directory.name)


def _works_in(pid: int, directory: Path) -> bool:
    try:
        return Path(f"/proc/{pid}/cwd").readlink().is_relative_to(directory.resolve())
    except OSError:
        return False
