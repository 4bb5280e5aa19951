# SPDX-License-Identifier: GPL-2.0-only
"""Cost of a trace inside QEMU: python -m benchmarks.trace_cost [repeats] [kernel]. Some two minutes with 5 repeats.

CPU seconds are QEMU's own. Those of a round are the difference of a long and a short run, so that boot and audit are no
part of them; the least of all repeats counts. The guest's digits must be the same in all.
"""

import resource
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from kassay.journal import artifacts
from kassay.labs.predict.trace import read_trace
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.progress import silent
from kassay.plan.expand import expand
from kassay.run import jobs
from kassay.run.measurer import Measurer
from kassay.supply.prepare.supply import supply_for

CASES = (("mprotect_toggle", "16MiB", 10, 70), ("page_fault", "4MiB", 8, 38))
NEVER = (1 << 20,)


class Case(NamedTuple):
    """A run of `rounds` rounds. recorded: which of them a trace has; None: without a trace."""

    profile: str
    rounds: int
    recorded: tuple[int, ...] | None


def main() -> None:
    """Prints a line for each workload."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    kernel = sys.argv[2] if len(sys.argv) > 2 else "debian:6.17"
    for workload, size, few, many in CASES:
        recorded = tuple(range(few + 1, min(many, few + 60) + 1))
        cases = {
            "none": [Case("none", few, None), Case("none", many, None)],
            "counts": [Case("counts", few, None), Case("counts", many, None)],
            "not recorded": [Case("counts", few, NEVER), Case("counts", many, NEVER)],
        }
        whole = Case("counts", many, recorded)
        seen: dict[Case, float] = {}
        with tempfile.TemporaryDirectory() as place:
            for _ in range(repeats):
                for case in (*(case for pair in cases.values() for case in pair), whole):
                    seen[case] = min(seen.get(case, 1e9), cpu_s(Path(place), kernel, workload, size, case))
            length = max(len(read) for read in traces(Path(place)))
        took = {name: (seen[long] - seen[short]) / (many - few) for name, (short, long) in cases.items()}
        took["recorded"] = took["not recorded"] + (seen[whole] - seen[cases["not recorded"][1]]) / len(recorded)
        text = ", ".join(f"{name} {s * 1000:.2f} ms ({s / took['counts']:.1f})" for name, s in took.items())
        print(f"{workload} size={size}: a round {text}; {length / len(recorded):.0f} bytes of trace", flush=True)


def cpu_s(place: Path, kernel: str, workload: str, size: str, case: Case) -> float:
    """CPU seconds of one run, restored from a snapshot."""
    experiment = Experiment(
        name="cost", question="compare", kernels=(KernelUse(ref=kernel), KernelUse(ref=kernel)), repeats=1, perturb=0,
        workloads=(WorkloadUse(name=workload, axes=(Axis(name="size", values=(size,)),)),), boot="snapshot",
        profile=case.profile, rounds=case.rounds, timeout_s=600, predict=("zen4",), trace_budget="3GiB",
    )  # fmt: skip
    jobs.traced_rounds = lambda rounds: case.recorded or ()  # type: ignore[attr-defined]  # more than a run's six
    supply = supply_for(experiment, None, silent)
    plan = expand(experiment, supply.plan_input)
    run = plan.runs[0 if case.recorded is None else -1]
    measurer = Measurer(plan, supply, place, place)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    record = measurer.measure(run, 1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert record.outcome == "ok" and (record.trace is not None) == (case.recorded is not None), record
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def traces(place: Path) -> list[bytes]:
    """Traces among the artifacts."""
    files = (place / "artifacts").rglob("*.zst")
    found = (artifacts.get(place, path.parent.name + path.stem) for path in files)
    return [data for data in found if data.startswith(b"kassay-trace/") and read_trace(data).complete_rounds]


if __name__ == "__main__":
    main()
