# SPDX-License-Identifier: GPL-2.0-only
"""Failures are told apart, kept, and retried a bounded number of times. No measurement is ever lost."""

import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from kassay.journal.journal import read_journal
from tests.boot.conftest import LADDER, NEW, OLD, ONCE, QUICK, RESTORED, Kassay, command

pytestmark = pytest.mark.boot
ONE = ("compare", "mprotect_toggle", OLD, OLD, *QUICK, *ONCE)


@pytest.mark.parametrize(
    ("cmdline", "outcome"),
    [
        ("init=/nowhere rdinit=/nowhere", "panic"),
        ("earlyprintk=ttyS1,keep ignore_loglevel", "torn-output"),  # the kernel's words in the stream
    ],
)
def test_a_failing_head_is_named_retried_and_refused(
    kassay: Kassay, tmp_path: Path, cmdline: str, outcome: str
) -> None:
    ran = kassay(*ONE, "--cmdline-head", cmdline, "--out", str(tmp_path / "d"), "--timeout", "30")
    report = ran.json()
    assert {failure["outcome"] for failure in report["runs"]["failures"]} == {outcome}
    assert (report["runs"]["ok"], report["runs"]["failed"], report["runs"]["retried"]) == (1, 1, 1)
    assert {finding["verdict"] for finding in report["findings"]} == {"incomplete"}
    failed = [r for r in read_journal(tmp_path / "d" / "journal.jsonl") if r.outcome != "ok"]
    assert all(record.console_sha256 for record in failed)


def test_a_run_that_does_not_end_is_a_timeout(kassay: Kassay, tmp_path: Path) -> None:
    ran = kassay(*ONE, "--out", str(tmp_path / "d"), "--timeout", "1")
    assert {failure["outcome"] for failure in ran.json()["runs"]["failures"]} == {"timeout"}


def start(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def emulators_of(parent: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
            guest = b"-kernel" in Path(stat.parent, "cmdline").read_bytes()  # not one that is asked for its version
        except OSError:  # ended meanwhile
            continue
        name, _, rest = text.partition(") ")
        if "qemu-system" in name and guest and int(rest.split()[1]) == parent:
            found.append(int(stat.parent.name))
    return found


def emulators_when_up(child: subprocess.Popen[bytes]) -> list[int]:
    """Emulators of a kassay that may have to wait, because another test has this host for itself to measure time."""
    until = time.monotonic() + 300
    while time.monotonic() < until and child.poll() is None:
        if found := emulators_of(child.pid):
            return found
        time.sleep(0.05)
    child.kill()
    raise AssertionError(f"no emulator was started; kassay ended with {child.wait()}")


def kill(words: tuple[str, ...], delay: float) -> None:
    """Kills a kassay so many seconds after its first emulator was started; its emulators die with it."""
    child = start(*words)
    try:
        emulators = emulators_when_up(child)
        time.sleep(delay)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    for pid in emulators:
        for _ in range(100):
            stat = Path(f"/proc/{pid}/stat")
            if not stat.exists() or "Z" in stat.read_text().rpartition(")")[2][:4]:
                break
            time.sleep(0.05)
        else:
            raise AssertionError("an emulator outlived its kassay")


def test_killed_at_several_moments_and_resumed_gives_the_same_answer(
    kassay: Kassay, ladder: Path, ladder_report: dict[str, Any], tmp_path: Path
) -> None:
    """From nothing; and with seven runs of nine in the journal, and half a line after them, so that few are made."""
    directory = tmp_path / "d"
    words = (*LADDER, "--out", str(directory))
    kill(words, 0.7)
    shutil.rmtree(directory)
    shutil.copytree(ladder, directory)
    lines = (ladder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (directory / "journal.jsonl").write_bytes(b"".join(lines[:8])[:-40])
    for delay in (1.5, 5.0):
        kill(words, delay)
    kept = len(read_journal(directory / "journal.jsonl"))
    resumed = kassay(*words, "--format", "json")
    assert resumed.status == 0
    records = read_journal(directory / "journal.jsonl")
    assert len(records) == len({record.run for record in records}) == 9 > kept >= 6
    assert records[:6] == read_journal(ladder / "journal.jsonl")[:6]
    varying = ("wall", "commands", "next_steps")  # where it stands and how long it took
    first, second = ({k: v for k, v in r.items() if k not in varying} for r in (ladder_report, resumed.json()))
    assert first == second


def test_an_emulator_that_dies_is_named_and_the_run_is_made_again(kassay: Kassay, tmp_path: Path) -> None:
    words = (*ONE, "--out", str(tmp_path / "d"))
    child = start(*words)
    os.kill(emulators_when_up(child)[0], signal.SIGKILL)
    assert child.wait(timeout=120) == 0
    records = read_journal(tmp_path / "d" / "journal.jsonl")
    assert sorted((r.outcome, r.attempt) for r in records) == [("machine-died", 1), ("ok", 1), ("ok", 2)]
    assert "signal 9" in next(r.detail for r in records if r.outcome == "machine-died")


def test_a_second_kassay_on_one_directory_is_refused(kassay: Kassay, tmp_path: Path) -> None:
    words = (*ONE, "--out", str(tmp_path / "d"))
    child = start(*words)
    try:
        emulators_when_up(child)
        second = kassay(*words)
        assert second.status == 3
        assert f"in use by another kassay (process {child.pid})" in second.err
    finally:
        child.kill()
        child.wait()


def test_another_experiment_is_not_mixed_into_a_directory(kassay: Kassay, ladder: Path) -> None:
    ran = kassay("compare", "mprotect_toggle", OLD, NEW, *QUICK, "--out", str(ladder))
    assert ran.status == 2
    assert "holds another experiment" in ran.err


def test_a_disk_that_fills_up_is_said_and_loses_nothing(kassay: Kassay, tmp_path: Path) -> None:
    words = ("compare", "mprotect_toggle", OLD, OLD, *RESTORED, *ONCE, "--out", str(tmp_path / "d"))
    assert kassay(*words, "--fresh").status == 0  # makes the snapshot
    shutil.rmtree(tmp_path / "d")
    limit = 24 * 1024  # enough for plan and first journal lines, not for an artifact of the whole stream

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    full = kassay(*words, preexec_fn=small_disk)
    assert full.status == 3
    assert "disk is full" in full.err
    assert len(full.err.strip().splitlines()) <= 6
    assert kassay(*words).status == 0
