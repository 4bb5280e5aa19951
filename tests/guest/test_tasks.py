# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of the machine and of the workload: none is dropped in silence, and none that died is waited for."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from kassay.model.guest import GuestReport
from kassay.supply.guest import compile, protocol, sources
from tests.guest.native import run


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_worker_that_dies_ends_the_run_with_its_name() -> None:
    words = ("--run", "size=1MiB", "tasks=4", "--rounds", "100000", "--clock", "monotonic", "--out", "-")
    program = (str(compile.build("page_fault", "x86_64")), *words)
    with subprocess.Popen(program, stdout=subprocess.PIPE) as running:
        while len(children(running.pid)) < 4:
            time.sleep(0.01)
        time.sleep(0.3)
        os.kill(children(running.pid)[2], signal.SIGKILL)
        out, _ = running.communicate(timeout=30)
    assert running.returncode == 1
    with pytest.raises(protocol.StreamError, match=r"guest-error: worker 2 was killed by signal 9 \(Killed\)"):
        protocol.parse(out)


def left_out(report: GuestReport | None) -> str | None:
    assert report is not None
    return next(file.content for file in report.files if file.path == "kassay/tasks_left_out")


@pytest.mark.slow
def test_tasks_beyond_the_table_are_counted(tmp_path: Path) -> None:
    assert left_out(run(compile.build("calibrate", "x86_64"), "iterations=5", "syscalls=5").report) == "tasks 0\n"
    program = tmp_path / "program"
    argv = ("gcc", *compile.FLAGS, "-O0", "-DMAX_KNOWN=3", "-o", str(program), *sources.files_of("calibrate", "x86_64"))
    subprocess.run(argv, cwd=sources.directory(), check=True)
    report = run(program, "iterations=5", "syscalls=5").report
    assert report is not None
    known = next(file.content for file in report.files if file.path == "kassay/tasks" and file.moment == "after")
    assert known is not None and len(known.splitlines()) <= 3
    words = (left_out(report) or "").split()
    assert words[0] == "tasks" and int(words[1]) > 0
