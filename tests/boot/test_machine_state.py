# SPDX-License-Identifier: GPL-2.0-only
"""Nodes of memory and settings of the guest's kernel: set, proven by the audit, and the same digits twice."""

from pathlib import Path

import pytest
from benchmarks import same_work

from kassay import pipeline
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.progress import silent
from tests.boot.conftest import NEW, OLD, answered, restored

pytestmark = pytest.mark.boot


def test_a_workload_of_two_nodes_has_them_and_its_pages_come_back(tmp_path: Path) -> None:
    settings = {"call": "mbind", "size": "256KiB"}
    found = answered(restored("numa_migrate", NEW, NEW, settings=settings, profile="none"), tmp_path / "d")
    assert all(finding["base_value"] == finding["head_value"] is not None for finding in found["findings"])
    assert found["findings"][0]["machine"]["nodes"] == "2"
    nodes = {(audit["fields"]["nodes.online"], audit["fields"]["numa.N0"]) for audit in found["audits"]}
    assert nodes == {("0-1", "64")}
    assert "memory-backend-ram,id=node1,size=524288k" in found["machine"]["options"]


def test_every_setting_is_in_force_and_in_the_report(tmp_path: Path) -> None:
    state = {"thp": "never", "mthp": "4=always", "swap": "zram:64MiB", "memcg": "64MiB", "dirty_ratio": "10",
             "sched": "fifo"}  # fmt: skip
    settings = {"size": "1MiB"}
    asked = restored("page_fault", OLD, OLD, settings=settings, profile="none", **state)
    found = answered(asked, tmp_path / "d")
    assert all(finding["base_value"] == finding["head_value"] is not None for finding in found["findings"])
    fields = found["audits"][0]["fields"]
    wanted = {
        "thp.enabled": "never", "thp.64kB": "always", "swap.devices": "1", "memcg.max": str(64 << 20),
        "memcg.group": "/kassay",
        "vm.dirty_ratio": "10", "sched.policy": "fifo", "sched.rt_runtime_us": "-1",
    }  # fmt: skip
    assert {name: fields[name] for name in wanted} == wanted
    assert int(fields["memcg.current"]) > 1 << 20  # the workload is in it
    assert found["findings"][0]["machine"]["memcg"] == "64MiB"


def test_threads_wait_for_each_other_less_often_under_fifo_and_as_often_on_each_kernel(tmp_path: Path) -> None:
    program = Path(same_work.__file__).parent / "same" / "queue_fifo.c"
    asked = f'kernels = ["{OLD}", "{NEW}"]\nboot = "snapshot"\nrounds = 2\nrepeats = 1\nperturb = 0\n'
    waits = {}
    for policy in ("other", "fifo"):
        sched = 'sched = "fifo"\n' if policy == "fifo" else ""
        report = answered(f'{asked}{sched}[[workloads]]\nprogram = "{program}"\n', tmp_path / policy)
        (found,) = (finding for finding in report["findings"] if finding["primary"])
        (futex,) = (cost for cost in found["calls"] if cost["name"] == "futex")
        waits[policy] = futex["base_times"], futex["head_times"]
    usual, fifo = waits.values()
    assert fifo[0] == fifo[1] < min(usual) / 2, waits


def test_a_kernel_that_takes_its_compressor_by_name_swaps_to_zram(tmp_path: Path) -> None:
    settings = {"size": "1MiB", "swap": "zram"}
    asked = restored("madvise_pageout", "debian:6.1", settings=settings, profile="none")
    assert answered(asked, tmp_path / "d")["runs"]["failed"] == 0


def test_two_cpus_say_what_they_asked_of_each_other(tmp_path: Path) -> None:
    experiment = Experiment(
        name="two", question="compare", kernels=(KernelUse(ref=OLD), KernelUse(ref=OLD)), cpus=(2,), rounds=6,
        workloads=(WorkloadUse(name="tlb_shootdown"),), repeats=1, perturb=0, boot="snapshot", profile="counts",
    )  # fmt: skip
    pipeline.measure(experiment, tmp_path / "d", silent)
    finding = next(f for f in pipeline.answer(tmp_path / "d").findings if f.primary)
    found = {one.name: (one.base or 0, one.head or 0) for one in finding.counters}
    assert all(base == head for base, head in found.values())  # two runs of one kernel
    # Each discard has the thread on the other CPU flush, and that one alone.
    assert found["ipi.tlb_shootdown.cpu1"][0] >= 1 and found.get("ipi.tlb_shootdown.cpu0", (0, 0))[0] == 0
    assert found["ipi.tlb_shootdown"] == found["ipi.tlb_shootdown.cpu1"]
    assert found["ran.workload.cpu0"][0] > 0 and found["ran.workload.cpu1"][0] > 0
    assert found["pgfault"][0] >= 1
