# SPDX-License-Identifier: GPL-2.0-only
"""Work that a program queues and the kernel does later is the program's; what others queued is not."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kassay import answers
from kassay.analysis.gate.quiet_region import LIMIT
from kassay.evidence import collect
from kassay.journal.directory import open_directory
from kassay.model.profile import DEFERRED
from tests.boot.conftest import OLD, ONCE, Kassay

pytestmark = pytest.mark.boot
WATCHES = """
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int watch(int cpu)
{
	cpu_set_t set;
	char name[64];
	int watches[64], queue;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return 1;
	queue = inotify_init();
	for (int turn = 0; turn < 4; turn++) {
		for (int i = 0; i < 64; i++) {
			snprintf(name, sizeof(name), "/tmp/w%d-%d", cpu, i);
			mkdir(name, 0700);
			watches[i] = inotify_add_watch(queue, name, IN_CREATE);
		}
		for (int i = 0; i < 64; i++)
			if (watches[i] < 0 || inotify_rm_watch(queue, watches[i]))
				return 1;
	}
	return close(queue);
}

int main(void)
{
	int failed = 0, status;

	mkdir("/tmp", 0700);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		if (!fork())
			_exit(watch(cpu));
	}
	usleep(PAUSE);
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}
"""


def written(place: Path, cpus: int, pause_us: int = 0) -> str:
    source = place / "watches.c"
    source.write_text(f"#define CPUS {cpus}\n#define PAUSE {pause_us}\n{WATCHES}")
    return str(source)


def contexts(report: Mapping[str, Any]) -> dict[str, float]:
    return dict(report["findings"][0]["sides"][0]["contexts"])


def test_a_program_of_two_cpus_whose_work_is_deferred_is_answered_with_the_same_tables_twice(
    kassay: Kassay, tmp_path: Path
) -> None:
    source = written(tmp_path, 2)
    ran = kassay("compare", "--program", source, OLD, OLD, "--cpus", "2", "--rounds", "4", *ONCE,
                 "--out", str(tmp_path / "d"))  # fmt: skip
    assert ran.status == 0, ran.err
    report = ran.json()
    assert report["findings"][0]["verdict"] == "equivalent"
    shares = contexts(report)
    assert shares["other"] < LIMIT < shares["other"] + shares["work-item"]  # as foreign work it would be refused
    removals = [
        next(e for e in share["entries"] if e["name"] == "inotify_rm_watch") for share in report["kernel_share"]
    ]
    assert removals[0]["deferred"] > removals[0]["count"] / 20 and removals[0] == removals[1]
    folder = open_directory(tmp_path / "d")
    first, second = (record for record in folder.records() if record.outcome == "ok")
    assert first.profile_sha256 == second.profile_sha256


@pytest.fixture(scope="module")
def one_cpu(kassay: Kassay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One CPU; the program sleeps for 1.2 s of guest time, in which the kernel's own periodic work runs."""
    place = tmp_path_factory.mktemp("deferred")
    source = written(place, 1, 1_200_000)
    for name, words in {"included": (), "apart": ("--deferred", "apart"), "none": ("--profile", "none")}.items():
        ran = kassay("try", "--program", source, OLD, "--boot", "snapshot", *words, "--out", str(place / name))
        assert ran.status == 0, ran.err
    return place


def test_work_that_others_queued_stays_foreign(one_cpu: Path) -> None:
    profile = answers.profiles(one_cpu / "included", None, None)[0].profile
    found = {(cost.function, cost.context) for cost in profile.functions}
    assert ("vmstat_update", "other") in found and ("fsnotify_mark_destroy_workfn", "work-item") in found
    assert not any(("vmstat_update", context) in found for context in DEFERRED)
    assert ("fsnotify_mark_destroy_workfn", "other") not in found
    assert ("worker_thread", "work-item") in found and ("worker_thread", "other") in found  # on the way to each of them


def test_a_program_that_waits_for_grace_periods_is_not_contaminated_by_who_ends_them(
    kassay: Kassay, tmp_path: Path
) -> None:
    source = Path(__file__).parents[2] / "benchmarks/same_work/same/watches.c"
    words = ("--boot", "snapshot", "--rounds", "3", *ONCE, "--out", str(tmp_path / "d"))
    ran = kassay("compare", "--program", str(source), OLD, OLD, *words)
    assert ran.json()["findings"][0]["verdict"] == "equivalent", ran.err


def test_values_are_the_same_without_a_profile_and_less_without_deferred_work(one_cpu: Path) -> None:
    ticks = {}
    for name in ("included", "apart", "none"):
        folder = open_directory(one_cpu / name)
        measurement = collect.collect(folder, folder.records())[0].measurements[0]
        ticks[name] = measurement.phases[0].ticks
        assert measurement.deferred == ("apart" if name == "apart" else "included")
    assert ticks["none"] == ticks["included"]
    profile = answers.profiles(one_cpu / "apart", None, None)[0].profile
    assert profile.problem == "" and not {cost.context for cost in profile.functions} & set(DEFERRED)
    assert all(apart < whole for apart, whole in zip(ticks["apart"], ticks["included"], strict=True))


def test_a_fault_of_the_program_is_no_callback_of_rcu(kassay: Kassay, tmp_path: Path) -> None:
    """QEMU 7.2 calls back for what a helper (cmpxchg16b) accesses, with what an earlier instruction asked for."""
    words = ("--set", "size=2MiB", "--rounds", "20", "--boot", "snapshot", "--out", str(tmp_path / "d"))
    ran = kassay("try", "brk_cycle", "debian:6.1", *words)
    assert ran.status == 0, ran.err
    folder = open_directory(tmp_path / "d")
    region = collect.collect(folder, folder.records())[0].measurements[0].region
    assert region is not None
    counts = dict(region.counts)
    assert 0 < counts["rcu-callback"] < counts["kernel"] / 100
