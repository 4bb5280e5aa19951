# SPDX-License-Identifier: GPL-2.0-only
"""A library in a process of its own: its results and errors come here, and no end of a process loses a call."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from kassay.effects.library_process import LibraryProcess


def test_a_function_is_called_elsewhere_and_its_result_comes_here() -> None:
    with closing(LibraryProcess("os")) as library:
        assert library.call("getpid") != os.getpid()
    with closing(LibraryProcess("builtins")) as library:
        assert library.call("sorted", [2, 3, 1], reverse=True) == [3, 2, 1]


def test_error_in_library_process_is_raised_and_next_call_works() -> None:
    with closing(LibraryProcess("math")) as library:
        with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
            library.call("sqrt", -1)
        assert library.call("sqrt", 4) == 2


def test_begun_call_finishes_before_the_next_and_its_result_is_dropped(tmp_path: Path) -> None:
    with closing(LibraryProcess("os")) as library:
        library.begin("chdir", str(tmp_path))
        library.begin("getpid")
        assert library.call("getcwd") == str(tmp_path) != str(Path.cwd())


def test_threads_get_their_own_results() -> None:
    with closing(LibraryProcess("builtins")) as library, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda number: library.call("abs", -number), range(200))) == list(range(200))


def test_where_the_process_is_gone_the_function_is_called_here() -> None:
    with closing(LibraryProcess("os")) as library:
        os.kill(library.call("getpid"), signal.SIGKILL)
        assert library.call("getpid") == os.getpid()
        library.begin("getpid")
        assert library.call("getpid") == os.getpid()
    assert library.call("getpid") == os.getpid()


@pytest.mark.slow
def test_it_ends_with_a_process_that_is_killed() -> None:
    source = """
import os, signal
from kassay.effects.library_process import LibraryProcess
print(LibraryProcess("os").call("getpid"), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run((sys.executable, "-c", source), stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 30
    while Path(f"/proc/{int(ended.stdout)}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not Path(f"/proc/{int(ended.stdout)}").exists()
