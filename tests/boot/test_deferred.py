# SPDX-License-Identifier: GPL-2.0-only
"""Work that a program queues and the kernel does later is the program's; what others queued is not."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from kassay import answers
from kassay.analysis.gate.quiet_region import LIMIT
from kassay.evidence import collect
from kassay.journal.directory import open_directory
from kassay.model.profile import DEFERRED
from tests.boot.conftest import OLD, answered, measured

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


def written(place: Path, cpus: int, pause_us: int = 0) -> Path:
    source = place / "watches.c"
    source.write_text(f"#define CPUS {cpus}\n#define PAUSE {pause_us}\n{WATCHES}")
    return source


def asked(source: Path, kernels: Sequence[str], more: str, boot: str = "snapshot") -> str:
    """Experiment with one run of a program on each kernel."""
    return (
        f'kernels = {json.dumps(kernels)}\nboot = "{boot}"\nrepeats = 1\nperturb = 0\n{more}\n'
        f'[[workloads]]\nprogram = "{source}"\n'
    )


def test_a_program_of_two_cpus_whose_work_is_deferred_is_answered_with_the_same_tables_twice(tmp_path: Path) -> None:
    two = "cpus = [2]\nrounds = 4"  # a snapshot is of one CPU
    report = answered(asked(written(tmp_path, 2), (OLD, OLD), two, "short"), tmp_path / "d")
    assert report["findings"][0]["verdict"] == "equivalent"
    shares = dict(report["findings"][0]["sides"][0]["contexts"])
    assert shares["other"] < LIMIT < shares["other"] + shares["work-item"]  # as foreign work it would be refused
    removals = [
        next(e for e in share["entries"] if e["name"] == "inotify_rm_watch") for share in report["kernel_share"]
    ]
    assert removals[0]["deferred"] > removals[0]["count"] / 20 and removals[0] == removals[1]
    folder = open_directory(tmp_path / "d")
    first, second = (record for record in folder.records() if record.outcome == "ok")
    assert first.profile_sha256 == second.profile_sha256


@pytest.fixture(scope="module")
def one_cpu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One CPU; the program sleeps for 1.2 s of guest time, in which the kernel's own periodic work runs."""
    place = tmp_path_factory.mktemp("deferred")
    source = written(place, 1, 1_200_000)
    for name, more in {"included": "", "apart": 'deferred = "apart"', "none": 'profile = "none"'}.items():
        measured(asked(source, (OLD,), f'question = "value"\nrounds = 2\n{more}'), place / name)
    return place


def test_work_that_others_queued_stays_foreign(one_cpu: Path) -> None:
    profile = answers.profiles(one_cpu / "included", None, None)[0].profile
    found = {(cost.function, cost.context) for cost in profile.functions}
    assert ("vmstat_update", "other") in found and ("fsnotify_mark_destroy_workfn", "work-item") in found
    assert not any(("vmstat_update", context) in found for context in DEFERRED)
    assert ("fsnotify_mark_destroy_workfn", "other") not in found
    assert ("worker_thread", "work-item") in found and ("worker_thread", "other") in found  # on the way to each of them


def test_a_program_that_waits_for_grace_periods_is_not_contaminated_by_who_ends_them(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "benchmarks/same_work/same/watches.c"
    measured(asked(source, (OLD, OLD), "rounds = 3"), tmp_path / "d")
    assert answers.findings(tmp_path / "d")[0].verdict == "equivalent"


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


def test_a_fault_of_the_program_is_no_callback_of_rcu(tmp_path: Path) -> None:
    """QEMU 7.2 calls back for what a helper (cmpxchg16b) accesses, with what an earlier instruction asked for."""
    use = 'question = "value"\nkernels = ["debian:6.1"]\nboot = "snapshot"\nrepeats = 1\nperturb = 0\nrounds = 20\n'
    measured(f'{use}[[workloads]]\nname = "brk_cycle"\nset.size = "2MiB"\n', tmp_path / "d")
    folder = open_directory(tmp_path / "d")
    region = collect.collect(folder, folder.records())[0].measurements[0].region
    assert region is not None
    counts = dict(region.counts)
    assert 0 < counts["rcu-callback"] < counts["kernel"] / 100
