# SPDX-License-Identifier: GPL-2.0-only
"""Cost of a profile inside QEMU, and proof that the guest does not notice: no profile, counts, stacks; interleaved.

usage: python -m benchmarks.profile_cost [pairs] [kernel]     About 12 minutes with 5 pairs on an idle host.
CPU seconds are QEMU's own, user and system; wall seconds from its start to its end. Ratios are of medians.
"""

import itertools
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from kassay.journal import artifacts
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.guest import PhaseRounds
from kassay.model.progress import silent
from kassay.plan.expand import expand
from kassay.run.measurer import Measurer
from kassay.supply.guest import protocol
from kassay.supply.prepare.supply import supply_for

MODES = ("none", "counts", "stacks")
BOOTS = ("short", "snapshot")
CASES = (
    ("mprotect_toggle", (), 20),
    ("mprotect_toggle", (Axis(name="size", values=("32MiB",)),), 200),
    ("page_fault", (), 50),
)


class Cost(NamedTuple):
    """One run. phases: what the guest measured."""

    cpu_s: float
    wall_s: float
    phases: tuple[PhaseRounds, ...]


class Case:
    """One workload, boot and mode, ready to run again and again."""

    def __init__(self, kernel: str, case: tuple[str, tuple[Axis, ...], int], boot: str, mode: str, place: Path) -> None:
        workload, axes, rounds = case
        experiment = Experiment(
            name="cost", question="compare", kernels=(KernelUse(ref=kernel), KernelUse(ref=kernel)),
            workloads=(WorkloadUse(name=workload, axes=axes),), repeats=1, perturb=0, rounds=rounds, boot=boot,
            profile=mode, timeout_s=600,
        )  # fmt: skip
        supply = supply_for(experiment, None, silent)
        plan = expand(experiment, supply.plan_input)
        self._place = place
        self._run = plan.runs[0]
        self._measurer = Measurer(plan, supply, place, place)

    def run(self) -> Cost:
        """One run; fails when it was not ok."""
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        record = self._measurer.measure(self._run, 1)
        wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        assert record.outcome == "ok" and record.stream_sha256 is not None, record.detail
        report = protocol.parse(artifacts.get(self._place, record.stream_sha256))
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return Cost(cpu, wall, report.phases)


def main() -> None:
    """Prints one line per case and mode."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    kernel = sys.argv[2] if len(sys.argv) > 2 else "debian:6.12"
    place = Path(tempfile.mkdtemp(prefix="cost-"))
    print(f"{kernel}, n = {pairs}: medians, and their ratio to the run without a profile")
    print(f"{'workload':34} {'boot':9} {'profile':8} {'CPU s':>7} {'ratio':>6} {'wall s':>7} {'ratio':>6}")
    for case, boot in itertools.product(CASES, BOOTS):
        _print_case(kernel, case, boot, pairs, place)


def _print_case(kernel: str, case: tuple[str, tuple[Axis, ...], int], boot: str, pairs: int, place: Path) -> None:
    ready = {mode: Case(kernel, case, boot, mode, place) for mode in MODES}
    for mode in MODES:  # not counted: makes the snapshot, compiles the guest, warms the page cache
        ready[mode].run()
    seen: dict[str, list[Cost]] = {mode: [] for mode in MODES}
    for _ in range(pairs):
        for mode in MODES:
            seen[mode].append(ready[mode].run())
    assert len({cost.phases for costs in seen.values() for cost in costs}) == 1, "the guest's digits differ"
    workload, axes, rounds = case
    name = " ".join((workload, *(f"{axis.name}={axis.values[0]}" for axis in axes), f"rounds={rounds}"))
    base = [median(values) for values in zip(*((c.cpu_s, c.wall_s) for c in seen["none"]), strict=True)]
    for mode in MODES:
        cpu, wall = (median(values) for values in zip(*((c.cpu_s, c.wall_s) for c in seen[mode]), strict=True))
        print(
            f"{name:34} {boot:9} {mode:8} {cpu:7.2f} {cpu / base[0]:6.2f} {wall:7.2f} {wall / base[1]:6.2f}", flush=True
        )


if __name__ == "__main__":
    main()
