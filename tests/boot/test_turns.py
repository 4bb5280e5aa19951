# SPDX-License-Identifier: GPL-2.0-only
"""With several CPUs the turns they take are those of the guest alone: neither the plugin nor a busy host moves them."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from kassay.evidence.profiles import region_of
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.progress import silent
from kassay.model.run import RunRecord
from kassay.plan.expand import expand
from kassay.run.measurer import Measurer
from kassay.supply.prepare.supply import supply_for

from .conftest import OLD

pytestmark = pytest.mark.boot


@contextmanager
def one_core() -> Iterator[None]:
    """All that this process starts shares one core of the host."""
    usual = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usual)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, usual)


def booted(directory: Path, profile: str, boot: str, cpus: int, arch: str = "x86_64") -> RunRecord:
    """One run with as many tasks as CPUs."""
    sizes = (Axis(name="size", values=("1MiB",)), Axis(name="tasks", values=(str(cpus),)))
    experiment = Experiment(
        name="turns", question="compare", kernels=(KernelUse(ref=OLD), KernelUse(ref=OLD)), cpus=(cpus,),
        workloads=(WorkloadUse(name="page_fault", axes=sizes),), rounds=6, boot=boot, profile=profile,
        arch=arch, timeout_s=900,
    )  # fmt: skip
    supply = supply_for(experiment, None, silent)
    plan = expand(experiment, supply.plan_input)
    record = Measurer(plan, supply, directory, directory).measure(plan.runs[0], 1)
    assert (record.outcome, record.profile_problem) == ("ok", ""), record.detail
    return record


@pytest.mark.parametrize(
    ("boot", "cpus", "profiles"),
    [("short", 2, ("stacks", "counts")), ("snapshot", 4, ("none", "stacks", "counts", "counts"))],
)
def test_cpus_take_the_same_turns_whatever_the_plugin_and_the_host_do(
    tmp_path: Path, boot: str, cpus: int, profiles: tuple[str, ...]
) -> None:
    """The second time the host is busy: several runs at once have one core of it."""
    idle = booted(tmp_path, "none", boot, cpus)
    with one_core(), ThreadPoolExecutor(len(profiles)) as pool:
        busy = list(pool.map(lambda profile: booted(tmp_path, profile, boot, cpus), profiles))
    assert {record.stream_sha256 for record in (idle, *busy)} == {idle.stream_sha256}
    counted = [record.profile_sha256 for record, profile in zip(busy, profiles, strict=True) if profile == "counts"]
    assert None not in counted and len(set(counted)) == 1


def test_a_worker_that_is_recognised_in_the_middle_of_a_block_keeps_the_call_tree_whole(tmp_path: Path) -> None:
    """On arm64 the block with the worker's mark is left in its middle, and what was too much is taken from where it was
    counted: in the call tree of a task that was not yet known to be the workload's."""
    record = booted(tmp_path, "stacks", "short", 4, "arm64")
    region = region_of(tmp_path, record)
    assert region is not None and region.problem == ""
