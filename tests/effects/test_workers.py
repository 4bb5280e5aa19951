# SPDX-License-Identifier: GPL-2.0-only
"""Functions over many items in other processes: results in order, and no process is left behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kassay.effects.workers import mapped
from kassay.errors import HostLacks

ITEMS = (3, -1, 2)


def test_results_are_in_the_order_of_the_items_with_and_without_processes() -> None:
    assert list(mapped(abs, ITEMS, many=9)) == list(mapped(abs, ITEMS, many=2)) == [3, 1, 2]
    assert multiprocessing.active_children() == []


def _killed(item: int) -> bytes:
    """The first item kills its process; the second one has a result that no pipe holds."""
    if item == 0:
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(1)
    return bytes(1 << 22)


@pytest.mark.slow
def test_a_process_that_is_killed_is_an_error_and_no_other_one_stays() -> None:
    with pytest.raises(HostLacks, match="was killed"):
        list(mapped(_killed, (0, 1), many=2))
    assert multiprocessing.active_children() == []


@pytest.mark.slow
@pytest.mark.parametrize("is_working", [True, False])
def test_processes_end_with_the_one_that_started_them_and_is_killed(is_working: bool) -> None:
    seconds = 600 if is_working else 0
    source = f"""
import multiprocessing, os, signal, time
from kassay.effects.workers import mapped
from kassay.errors import HostLacks

if __name__ == "__main__":
    calls = mapped(time.sleep, ({seconds}, {seconds}, 0), many=2)
    if {is_working}:
        import threading
        threading.Thread(target=next, args=(calls,), daemon=True).start()
    else:
        next(calls)
    while len(multiprocessing.active_children()) < 2:
        time.sleep(0.01)
    time.sleep(1)
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen((sys.executable, "-c", source), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment) as child:  # fmt: skip
        assert child.stdout is not None and child.stderr is not None
        processes = [int(word) for word in child.stdout.readline().split()]
        assert len(processes) == 2
        assert child.wait(60) == -signal.SIGKILL
        deadline = time.monotonic() + 30
        while any(Path(f"/proc/{number}").exists() for number in processes) and time.monotonic() < deadline:
            time.sleep(0.01)
        left = [number for number in processes if Path(f"/proc/{number}").exists()]
        for number in left:
            os.kill(number, signal.SIGKILL)
        assert left == []
        assert "Traceback" not in child.stderr.read()
