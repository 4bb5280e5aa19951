# SPDX-License-Identifier: GPL-2.0-only
"""Hosts with addresses of their own, encrypted: whatever is lost or lies, every run is there once and is the right one.

The machine is benchmarks/cluster/extension: its runs sleep, and their digits depend on everything that their jobs say.
benchmarks/cluster/faults.py does the same, one fault after the other, with kernels that are booted.
"""

import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from benchmarks.cluster.faults import Streams, streams
from benchmarks.cluster.fleet import DESK, HUB, KASSAY, SLEEPING, Asked, Fleet, asleep, fleet
from benchmarks.cluster.network import obstacle

from kassay.journal.journal import read_journal
from tests.kernels import fakes

pytestmark = pytest.mark.slow
WORKERS = ("alpha", "beta", "gamma")
LIARS = ("garbage", "other", "content")
RUNS = 30


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    if problem := obstacle():
        pytest.skip(problem)
    directory = tmp_path_factory.mktemp("fleet")
    (directory / "vmlinux").write_bytes(fakes.vmlinux(body=bytes(1 << 20)))
    (directory / "spec.toml").write_text(asleep(f"image:{directory}/vmlinux", 0.3, 2, RUNS - 2))
    with fleet(directory, *WORKERS, *LIARS, extension=SLEEPING) as made:
        for name in WORKERS:
            made.worker(name)
        yield made


@pytest.fixture(scope="module")
def right(hosts: Fleet) -> Streams:
    """The streams of the same plan in one process."""
    out = hosts.directory / "local"
    subprocess.run((*KASSAY, "run", str(hosts.directory / "spec.toml"), "--out", str(out)), check=True,
                   env=hosts.environment(DESK), capture_output=True)  # fmt: skip
    return streams(out)


def asked(hosts: Fleet, name: str) -> Asked:
    return hosts.asks("run", str(hosts.directory / "spec.toml"), out=name)


def check(found: Asked, right: Streams) -> Counter[str]:
    """Every run once and as it must be; returns how many each host made."""
    assert found.ended(200) == 0, found.text
    records = read_journal(found.out / "journal.jsonl")
    assert Counter(record.run for record in records) == Counter(right.keys())
    assert len(set(right.values())) == RUNS - 1  # the two that are not perturbed are alike
    assert streams(found.out) == right
    return Counter(str(record.host) for record in records)


def test_no_run_is_lost_with_a_worker_that_is_killed_cut_off_or_stands_still(hosts: Fleet, right: Streams) -> None:
    found = asked(hosts, "lost")
    found.wait_for(3)
    hosts.send("alpha", signal.SIGKILL)
    hosts.network.cut("beta")
    hosts.send("gamma", signal.SIGSTOP)
    time.sleep(3)
    hosts.network.mend("beta")
    hosts.send("gamma", signal.SIGCONT)
    hosts.worker("alpha")
    made = check(found, right)
    assert made.keys() == set(WORKERS) and made.total() == RUNS
    assert "alpha" in found.text and "made again" in found.text


def test_who_asks_and_the_scheduler_may_be_killed_and_started_again(hosts: Fleet, right: Streams) -> None:
    for count in (4, 8):
        found = asked(hosts, "again")
        found.wait_for(count)
        hosts.send(DESK, signal.SIGKILL)
    found = asked(hosts, "again")
    found.wait_for(12)
    hosts.send(HUB, signal.SIGKILL)
    hosts.scheduler()
    assert check(found, right).total() == RUNS


def test_a_worker_that_gives_something_else_is_refused_and_named(hosts: Fleet, right: Streams) -> None:
    for lie in LIARS:
        hosts.liar(lie, lie)
    hosts.wait_for_workers(*LIARS)
    found = asked(hosts, "lied-to")
    made = check(found, right)
    hosts.stop(*LIARS)
    assert made["garbage"] == made["content"] == 0 and made["other"] <= 1
    said = {line.partition(" not used: ")[0]: line for line in found.text.splitlines() if " not used: " in line}
    assert "not a run's result" in said["cluster: garbage"]
    assert "the result of another run" in said["cluster: other"]
    assert "arrived that is not" in said["cluster: content"]
