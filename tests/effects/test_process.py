# SPDX-License-Identifier: GPL-2.0-only
"""Processes: no shell, an end in time, and nobody is left behind."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.effects import process
from kassay.errors import HostLacks

pytestmark = pytest.mark.slow  # seconds for the whole file

FORKING = "sleep 1000 & echo $$ $! >{place}; wait"
PARENT = (
    "from kassay.effects import process\n"
    "child = process.start(('sleep', '1000'), out=None, err=None)\n"
    "print(child.pid, flush=True)\n"
    "process.wait(child, 1000)\n"
)


def state(pid: int) -> str | None:
    """A process's state letter ("S", "R", "Z", ...), None when there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def gone(pid: int) -> bool:
    """True if a process has ended, at the latest after five seconds. One that waits to be reaped has ended."""
    for _ in range(500):
        if state(pid) in (None, "Z"):
            return True
        time.sleep(0.01)
    return False


def written(path: Path) -> list[int]:
    """The numbers in a file, as soon as there are any."""
    for _ in range(500):
        if path.exists() and path.read_text().endswith("\n"):
            return [int(word) for word in path.read_text().split()]
        time.sleep(0.01)
    raise AssertionError(f"{path} was never written")


def test_status_and_both_outputs_come_back() -> None:
    assert process.run(("sh", "-c", "echo out; echo err >&2; exit 3"))[:3] == (3, "out\n", "err\n")


def test_a_death_by_signal_is_a_negative_status() -> None:
    assert process.run(("sh", "-c", "kill -TERM $$")).status == -signal.SIGTERM


@settings(max_examples=20)
@given(words=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9), max_size=4))
def test_words_reach_the_program_as_they_are(words: list[str]) -> None:
    assert process.run(("printf", "%s\\001", *words, "end")).out == "\1".join([*words, "end", ""])


def test_undecodable_bytes_are_replaced_and_the_rest_is_kept() -> None:
    done = process.run(("printf", "a\\377\\000b\\303"))
    assert done.out == "a\ufffd\0b\ufffd"


def test_a_program_gets_no_input_and_a_fixed_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("KEPT", "1")
    done = process.run(("sh", "-c", "cat; echo $LC_ALL $KEPT $OWN"), env={"OWN": "2"})
    assert done.out == "C.UTF-8 1 2\n"


def test_a_program_runs_where_it_is_told_to(tmp_path: Path) -> None:
    assert process.run(("pwd",), cwd=tmp_path).out == f"{tmp_path.resolve()}\n"


def test_more_output_than_a_pipe_holds_comes_back_whole() -> None:
    assert process.run(("head", "-c", "1000000", "/dev/zero")).out == "\0" * 1_000_000


def test_a_timeout_ends_the_child_and_its_own_children(tmp_path: Path) -> None:
    place = tmp_path / "pids"
    done = process.run(("sh", "-c", FORKING.format(place=place)), timeout_s=0.5)
    child, grandchild = written(place)
    assert done.status == -signal.SIGKILL
    assert state(child) is None  # reaped
    assert gone(grandchild)


def test_output_before_a_timeout_is_kept() -> None:
    assert process.run(("sh", "-c", "echo before; exec sleep 1000"), timeout_s=0.3)[:3] == (-9, "before\n", "")


def test_end_takes_the_whole_group_and_may_come_twice(tmp_path: Path) -> None:
    place = tmp_path / "pids"
    child = process.start(("sh", "-c", FORKING.format(place=place)), out=None, err=None)
    pid, grandchild = written(place)
    assert pid == child.pid
    assert not process.wait(child, 0.01)
    process.end(child)
    assert state(pid) is None and gone(grandchild)
    process.end(child)
    assert child.returncode == -signal.SIGKILL


def test_the_child_has_a_group_of_its_own() -> None:
    child = process.start(("sleep", "1000"), out=None, err=None)
    try:
        assert os.getpgid(child.pid) == child.pid != os.getpgid(0)
    finally:
        process.end(child)


def test_waiting_says_whether_it_ended_by_itself() -> None:
    child = process.start(("true",), out=None, err=None)
    assert process.wait(child, 30)
    assert child.returncode == 0


def kill_once_asleep(parent: "subprocess.Popen[str]", child: int) -> None:
    try:
        for _ in range(2000):  # until the child is the sleep itself and no longer on its way there
            if Path(f"/proc/{child}/comm").read_text() == "sleep\n" and state(child) == "S":
                break
            time.sleep(0.01)
        else:
            raise AssertionError("the child never slept")
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()


def test_a_child_dies_when_its_parent_is_killed() -> None:
    with subprocess.Popen((sys.executable, "-c", PARENT), stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        kill_once_asleep(parent, child)
    ended = gone(child)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)  # nothing is left behind by a test that fails either
    assert ended


def test_a_missing_program_is_named_before_anything_is_started() -> None:
    for call in (lambda: process.run(("no-such-program",)),
                 lambda: process.start(("no-such-program",), out=None, err=None)):  # fmt: skip
        with pytest.raises(HostLacks, match="no-such-program: not found") as caught:
            call()
        assert "kassay doctor" in caught.value.remedy


def test_a_program_is_found_by_its_absolute_path_or_not_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = process.find("sleep")
    assert found is not None and Path(found).is_absolute()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert process.find("sleep") is None


@pytest.mark.parametrize("setpriv", ["", "busybox"])
def test_a_child_dies_with_its_parent_without_setpriv_of_util_linux(tmp_path: Path, setpriv: str) -> None:
    """setpriv: the program that is called so; "" for none."""
    for name in ("sleep", "true"):
        (tmp_path / name).symlink_to(str(process.find(name)))
    if setpriv:
        (tmp_path / setpriv).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / setpriv).chmod(0o755)
        (tmp_path / "setpriv").symlink_to(tmp_path / setpriv)
    environment = {**os.environ, "PATH": str(tmp_path)}
    with subprocess.Popen((sys.executable, "-c", PARENT), stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        kill_once_asleep(parent, child)
    assert gone(child)


def test_a_timeout_is_told_even_when_only_a_grandchild_held_on() -> None:
    assert process.run(("sh", "-c", "sleep 1000 & exit 0"), timeout_s=0.3).status == -9


@pytest.mark.slow
def test_after_a_timeout_nobody_waits_for_who_else_holds_the_output(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    done = process.run(("sh", "-c", f"echo before; setsid sh -c 'echo $$ >{place}; exec sleep 30' & wait"), timeout_s=3)
    holder = int(place.read_text())
    try:
        assert done[:3] == (-9, "before\n", "") and state(holder) == "S"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(holder, signal.SIGKILL)


def test_the_place_of_a_git_that_runs_us_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """`git bisect run` in a linked work tree sets GIT_DIR; with it, git reads that repository whatever -C says."""
    monkeypatch.setenv("GIT_DIR", "/elsewhere/.git")
    monkeypatch.setenv("GIT_INDEX_FILE", "/elsewhere/index")
    assert "elsewhere" not in process.run(("env",)).out
    assert "GIT_INDEX_FILE=/own" in process.run(("env",), env={"GIT_INDEX_FILE": "/own"}).out
