# SPDX-License-Identifier: GPL-2.0-only
"""Other hosts make the runs: the same digits, whoever makes them, and none is lost with a worker."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kassay.effects.files import cache_directory
from kassay.journal.journal import read_journal
from tests.boot.conftest import NEW, OLD, RESTORED, Kassay, command, measured, restored

pytestmark = [pytest.mark.boot, pytest.mark.timeout(1200)]  # of which a host that is busy needs a lot
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a command of kassay with a cache of its own, but for what was fetched; ends it with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def started_with(cache: str, *words: str) -> "subprocess.Popen[bytes]":
        own = tmp_path / cache / "kassay"
        own.mkdir(parents=True, exist_ok=True)
        if not (own / "plugin").exists() and (cache_directory() / "plugin").exists():
            (own / "plugin").symlink_to(cache_directory() / "plugin")
        with (tmp_path / f"{len(started)}.log").open("wb") as log:
            child = subprocess.Popen(
                command(*words), stdout=log, stderr=log, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / cache)}
            )
        started.append(child)
        return child

    yield started_with
    for child in started:
        child.terminate()
    for child in started:
        child.wait(60)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def streams(directory: Path) -> dict[str, tuple[str | None, str | None]]:
    records = read_journal(directory / "journal.jsonl")
    return {record.run: (record.stream_sha256, record.profile_sha256) for record in records if record.outcome == "ok"}


def test_two_hosts_make_the_runs_and_one_that_is_killed_loses_none(start: Start, tmp_path: Path) -> None:
    text = restored("mprotect_toggle", OLD, settings={"size": "2MiB"}, repeats=5)
    (tmp_path / "spec.toml").write_text(text)
    address = f"tcp://127.0.0.1:{free_port()}"
    start("scheduler", "cluster", "scheduler", address)
    doomed = start("alpha", "worker", address, "--slots", "1", "--name", "alpha")
    start("beta", "worker", address, "--slots", "1", "--name", "beta")
    asked = subprocess.Popen(
        command("run", str(tmp_path / "spec.toml"), "--cluster", address, "--out", str(tmp_path / "far")),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    journal = tmp_path / "far" / "journal.jsonl"
    deadline = time.monotonic() + 500
    while not (journal.exists() and '"host":"alpha"' in journal.read_text()) and time.monotonic() < deadline:
        assert asked.poll() is None, asked.communicate()
        time.sleep(0.2)
    doomed.send_signal(signal.SIGKILL)
    _, err = asked.communicate(timeout=500)
    assert asked.returncode == 0, err
    records = read_journal(journal)
    assert {record.outcome for record in records} == {"ok"} and len({record.run for record in records}) == len(
        records
    ) == 5
    assert {record.host for record in records} == {"alpha", "beta"}
    measured(text, tmp_path / "near")
    assert streams(tmp_path / "far") == streams(tmp_path / "near")
    assert not (tmp_path / "beta" / "kassay" / "kernels").exists()  # what it needed was sent
    assert list((cache_directory() / "snapshots").iterdir())


def test_without_a_scheduler_or_with_a_program_of_the_host_it_is_refused(kassay: Kassay, tmp_path: Path) -> None:
    words = ("compare", "mprotect_toggle", OLD, NEW, *RESTORED, "--out", str(tmp_path / "d"))
    ran = kassay(*words, "--cluster", f"tcp://127.0.0.1:{free_port()}")
    assert ran.status == 3 and "no scheduler answers" in ran.err and "kassay cluster scheduler" in ran.err
    ran = kassay("compare", "mprotect_toggle", "host", "host", "--clock", "host", "--cluster", "tcp://127.0.0.1:9")
    assert ran.status == 2 and "executes programs on this host itself" in ran.err
