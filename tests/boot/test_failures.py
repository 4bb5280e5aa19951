# SPDX-License-Identifier: GPL-2.0-only
"""Failures are told apart, kept, and retried a bounded number of times. No measurement is ever lost."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from kassay.journal.journal import read_journal
from tests.boot.conftest import NEW, OLD, ONCE, QUICK, RESTORED, Kassay, answered, command, restored

pytestmark = pytest.mark.boot
ONE = ("compare", "mprotect_toggle", OLD, OLD, *QUICK, *ONCE)


FAILING = (
    ("init=/nowhere rdinit=/nowhere", "panic"),
    ("earlyprintk=ttyS1,keep ignore_loglevel", "torn-output"),  # the kernel's words in the stream
)


def test_failing_kernels_are_named_retried_and_refused(tmp_path: Path) -> None:
    kernels = [{"ref": OLD, "cmdline": words} for words in ("", *(words for words, _ in FAILING))]
    asked = restored("mprotect_toggle", *kernels, settings={"size": "128KiB"}, question="ladder", boot="short")
    report = answered(f"timeout_s = 30\n{asked}", tmp_path / "d")
    failures = sorted((one["outcome"], one["attempt"]) for one in report["runs"]["failures"])
    assert failures == [(outcome, attempt) for _, outcome in FAILING for attempt in (1, 2)]
    assert (report["runs"]["ok"], report["runs"]["failed"], report["runs"]["retried"]) == (1, 2, 2)
    assert {finding["verdict"] for finding in report["findings"]} == {"incomplete"}
    failed = [r for r in read_journal(tmp_path / "d" / "journal.jsonl") if r.outcome != "ok"]
    assert len(failed) == 4 and all(record.console_sha256 for record in failed)


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


PAIR = ("compare", "mprotect_toggle", OLD, NEW, *RESTORED, "--perturb", "1", "--format", "json", "--out")


@pytest.fixture(scope="module")
def whole(kassay: Kassay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PAIR, which nothing disturbed: two plain runs and a perturbed one each."""
    directory = tmp_path_factory.mktemp("failures") / "whole"
    ran = kassay(*PAIR, str(directory))
    assert ran.status == 0, ran.err
    return directory


def test_killed_at_several_moments_and_resumed_gives_the_same_answer(
    kassay: Kassay, whole: Path, tmp_path: Path
) -> None:
    """From nothing; and with three runs of six in the journal, and half a line after them, so that few are made."""
    directory = tmp_path / "d"
    words = (*PAIR, str(directory))
    kill(words, 0.2)
    shutil.rmtree(directory)
    shutil.copytree(whole, directory)
    lines = (whole / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (directory / "journal.jsonl").write_bytes(b"".join(lines[:5])[:-40])
    for delay in (0.0, 0.2):
        kill(words, delay)
    kept = len(read_journal(directory / "journal.jsonl"))
    resumed = kassay(*words)
    assert resumed.status == 0
    records = read_journal(directory / "journal.jsonl")
    assert len(records) == len({record.run for record in records}) == 6 > kept >= 3
    assert records[:3] == read_journal(whole / "journal.jsonl")[:3]
    varying = ("wall", "commands", "next_steps")  # where it stands and how long it took
    reports = json.loads((whole / "report.json").read_text()), resumed.json()
    first, second = ({k: v for k, v in report.items() if k not in varying} for report in reports)
    assert first == second


def test_an_emulator_that_dies_is_named_and_the_run_is_made_again(kassay: Kassay, tmp_path: Path) -> None:
    long = ("compare", "mprotect_toggle", OLD, OLD, "--set", "size=8MiB", "--boot", "snapshot", *ONCE)
    child = start(*long, "--out", str(tmp_path / "d"))
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


def test_another_experiment_is_not_mixed_into_a_directory(kassay: Kassay, whole: Path) -> None:
    ran = kassay("compare", "mprotect_toggle", OLD, NEW, *QUICK, "--out", str(whole))
    assert ran.status == 2
    assert "holds another experiment" in ran.err


def test_a_disk_that_fills_up_is_said_and_loses_nothing(kassay: Kassay, whole: Path, tmp_path: Path) -> None:
    """The snapshot is there: that of the pair."""
    (tmp_path / "e.toml").write_text(restored("mprotect_toggle", OLD, settings={"size": "2MiB"}))
    words = ("run", str(tmp_path / "e.toml"), "--out", str(tmp_path / "d"))
    limit = 24 * 1024  # enough for plan and first journal lines, not for an artifact of the whole stream

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    full = kassay(*words, preexec_fn=small_disk)
    assert full.status == 3
    assert "disk is full" in full.err
    assert len(full.err.strip().splitlines()) <= 6
    assert kassay(*words).status == 0
