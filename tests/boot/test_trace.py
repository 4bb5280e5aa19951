# SPDX-License-Identifier: GPL-2.0-only
"""A run that records a trace is the same run; and the trace has, to the instruction, what the profile has counted."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import pytest
from msgspec import UNSET

from kassay.evidence.profile.counters import INTERRUPT
from kassay.evidence.profile.raw import parse
from kassay.journal import artifacts
from kassay.labs.predict.trace import read_trace
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.program import ProgramUse
from kassay.model.progress import silent
from kassay.model.run import RunRecord
from kassay.plan.expand import expand
from kassay.run.measurer import Measurer
from kassay.supply.guest import program_source
from kassay.supply.prepare.supply import supply_for
from tests.predict.trace_stream import Event, Step, disagreement, instructions, steps

from .conftest import NEW, OLD

pytestmark = pytest.mark.boot


def measured(
    directory: Path,
    kernel: str,
    workload: str | WorkloadUse,
    settings: Mapping[str, str] = MappingProxyType({}),
    **chosen: object,
) -> tuple[RunRecord, RunRecord]:
    """A plain run and the one that records a trace, which has the same digits."""
    if isinstance(workload, str):
        axes = tuple(Axis(name=name, values=(value,)) for name, value in settings.items())
        workload = WorkloadUse(name=workload, axes=axes)
    fields = {"boot": "snapshot", "profile": "none", "rounds": 8, **chosen}
    experiment = Experiment(
        name="trace", question="compare", kernels=(KernelUse(ref=kernel), KernelUse(ref=kernel)), repeats=1, perturb=0,
        workloads=(workload,), predict=("zen4",), timeout_s=300,
        **fields,  # type: ignore[arg-type]
    )  # fmt: skip
    supply = supply_for(experiment, None, silent)
    plan = expand(experiment, supply.plan_input)
    plain, traced = (run for run in plan.runs if run.cell == plan.cells[0].id)
    assert (plain.repeat, traced.repeat, traced.perturbation.number) == (0, 1, 0)
    measurer = Measurer(plan, supply, directory, directory)
    records = measurer.measure(plain, 1), measurer.measure(traced, 1)
    assert [record.outcome for record in records] == ["ok", "ok"], records
    assert records[0].stream_sha256 == records[1].stream_sha256 is not None
    assert {record.host_dependence for record in records} == {UNSET}
    assert (records[0].trace, records[0].profile_sha256) == (None, None)
    return records


def trace_of(directory: Path, record: RunRecord) -> bytes:
    """The trace, after it was held against the profile of the same run."""
    assert record.trace is not None and record.profile_sha256 is not None
    data = artifacts.get(directory, record.trace)
    read, raw = read_trace(data), parse(artifacts.get(directory, record.profile_sha256))
    assert (read.complete_rounds, read.cut) == (read.rounds, False)
    assert disagreement(instructions(data), raw, read.rounds) == ""
    return data


def test_a_traced_run_has_the_digits_of_a_plain_one_and_every_instruction(tmp_path: Path) -> None:
    for kernel in (OLD, NEW):
        _, traced = measured(tmp_path, kernel, "mprotect_toggle", {"size": "128KiB"})
        data = trace_of(tmp_path, traced)
        assert read_trace(data).rounds == (3, 4, 5, 6, 7, 8)
        written = {a.address >> 12 for step in steps(data) for a in step.accesses if a.store and a.address < 1 << 47}
        assert len(written) >= 32  # the pages that the workload touches


def test_faults_strings_interrupts_and_tasks_of_four_cpus_are_in_a_trace(tmp_path: Path) -> None:
    _, traced = measured(tmp_path, OLD, "page_fault", {"size": "256KiB", "tasks": "4"}, cpus=(4,), rounds=4)
    data = trace_of(tmp_path, traced)
    blocks, found = read_trace(data).blocks, list(steps(data))
    assert {step.cpu for step in found} == {0, 1, 2, 3}
    assert {step.context for step in found} > {INTERRUPT}
    assert sum(clears_a_page(step) for step in found) >= 2 * 64
    assert any(step.left is not None and 0 < step.left < len(blocks[step.block].lengths) for step in found)


# A loop of which one block ends before an instruction that lies across two pages; and a child that wakes up often. It
# sleeps for a changing time, so that its timer interrupts each of the loop's three instructions.
_ACROSS = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	struct timespec pause = { 0, 5000 };
	cpu_set_t first;
	pid_t child;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	child = fork();
	if (!child)
		sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ 1 }); /* woken up at once, and to the nanosecond */
	while (!child) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		pause.tv_nsec = 5000 + (pause.tv_nsec * 31 + 7) % 997;
	}
	sched_yield();
	__asm__ volatile(
		"	mov	$60000, %%ecx\n"
		"	jmp	1f\n"
		"	.balign	4096\n"
		"	.skip	4096 - 8, 0x90\n"
		"1:	dec	%%ecx\n"
		"	movabs	$0x1122334455667788, %%rax\n"
		"	jnz	1b\n" ::: "rax", "rcx", "cc");
	kill(child, SIGKILL);
	return waitpid(child, NULL, 0) != child;
}
"""


def test_an_interrupt_may_come_where_the_emulator_alone_ended_a_block(tmp_path: Path) -> None:
    program = tmp_path / "across.c"
    program.write_text(_ACROSS)
    use = WorkloadUse(name="across", program=program_source.pinned(ProgramUse(path=str(program))))
    _, traced = measured(tmp_path, OLD, use, rounds=4, cpus=(2,))
    data = trace_of(tmp_path, traced)
    if not any((block.start % 4096, *block.lengths) == (4088, 2, 2) for block in read_trace(data).blocks):
        pytest.skip("this QEMU gives a block no part of the instruction behind it, which lies across two pages")
    found = list(steps(data))
    interrupted = [step for step, after in pairwise(found) if after.context == INTERRUPT != step.context]
    assert any(step.left == 1 for step in interrupted)


def clears_a_page(step: Step) -> bool:
    """True if a string instruction goes on to the end of a page, eight bytes at a time, after the first two times."""
    return (
        step.times == 510 and step.strides == (8,) and step.accesses[0].address % 4096 == 16 and step.accesses[0].store
    )


def test_a_trace_ends_at_its_budget(tmp_path: Path) -> None:
    _, traced = measured(tmp_path, OLD, "mprotect_toggle", {"size": "1MiB"}, trace_budget="128KiB")
    assert traced.trace is not None and traced.profile_sha256 is not None
    data = artifacts.get(tmp_path, traced.trace)
    read, raw = read_trace(data), parse(artifacts.get(tmp_path, traced.profile_sha256))
    assert read.cut and len(data) < (128 << 10) + 4096 and data[-1] == Event.CUT << 2 | 2
    assert 0 < len(read.complete_rounds) < len(read.rounds)
    assert disagreement(instructions(data), raw, read.complete_rounds) == ""


def test_a_trace_goes_on_in_a_child_that_the_workload_forks(tmp_path: Path) -> None:
    _, traced = measured(tmp_path, OLD, "folio_fork", {"size": "64KiB"}, rounds=4)
    trace_of(tmp_path, traced)
