# SPDX-License-Identifier: GPL-2.0-only
"""Sample reports about time: one session, one under emulation, a matrix, results of another tool, a robot's mail."""

from itertools import pairwise

from msgspec.structs import replace

from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.finding import Finding, Ladder, LadderPoint, LadderStep, Side
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import MachineIdentity, MachineUse
from kassay.model.reason import own_words, reason
from kassay.model.records import Setting
from kassay.model.report import Report, RunSummary, Times
from kassay.model.samples import LkpHeader, Source
from kassay.model.timing import (
    LOOKS,
    ControlCheck,
    CountsAndTime,
    FailureCheck,
    Family,
    SeedFinding,
    SeedSide,
    TimedBoot,
    Timing,
)
from kassay.model.workload import Parameter, Phase, Workload
from kassay.supply.clocks import clock_of
from tests.report.parts import KERNELS, SETTINGS, report_of

KVM = MachineUse(arch="x86_64", clock="kvm", cpus=1, memory_bytes=14 << 30)
_WOBBLE = (0.0, 0.011, -0.008, 0.004, 0.021, -0.013, 0.002, -0.004, 0.007, -0.001)
_SIZE = Parameter(name="size", kind="size", unit="bytes", default="64MiB", summary="length of the mapping")
WORKLOAD = Workload(
    describe="kassay-workload/1",
    name="mprotect",
    summary="mprotect() of a whole resident, dirty mapping to read-only and back",
    subject="Toggling write permission on a {share} anonymous mapping of {size}",
    state="one mapping of base pages, all present and dirty before the first round",
    parameters=(_SIZE,),
    phases=(Phase(name="iteration", operation="page", definition="One round, divided by its pages.", primary=True),),
)


def boots(kernel: str, value: float, *, runs: int = 10, failed: int = 0) -> Side:
    """A timed side: every boot a little off the value."""
    values = tuple(round(value * (1 + _WOBBLE[i % 10]), 2) for i in range(runs))
    none: tuple[float, ...] = ()
    return Side(
        kernel=kernel, value=value, method="median of 20 rounds", runs=values, perturbed=none, rounds=none, warmup=none,
        failed=failed, blocks=tuple(i // 2 for i in range(runs)), failed_tries=failed,
    )  # fmt: skip


def timing(**changes: object) -> Timing:
    """A session that was stopped at its second look."""
    control = ControlCheck(
        kernel=KERNELS[1], change=0.004, interval=(-0.021, 0.029), p=0.71, n_base=10, n_control=5, passed=True
    )
    fields: dict[str, object] = {
        "boots": 10, "looks": LOOKS, "threshold": 0.016, "level": 0.984, "p": 0.00026, "blocks": 5, "bound": 0.667,
        "tick": 0.0021, "stopped": True, "control": control,
        "failures": FailureCheck(base_failed=1, base_tried=11, head_failed=0, head_tried=10, p=1.0),
    }  # fmt: skip
    return Timing(**{**fields, **changes})  # type: ignore[arg-type]


def timed_finding(base: str, head: str, values: tuple[float, float], machine: MachineUse = KVM, **changes: object) -> (
    Finding
):  # fmt: skip
    """A comparison of ten boots a side, judged with a margin of 1 %."""
    change = values[1] / values[0] - 1
    fields: dict[str, object] = {
        "workload": "mprotect", "settings": SETTINGS, "machine": machine, "metric": "iteration", "primary": True,
        "unit": "ns/page", "definition": "Wall time per page. One round, divided by its pages. Lower is better.",
        "better": "lower", "base": base, "head": head, "base_value": values[0], "head_value": values[1],
        "change": change, "interval": (change - 0.05, change + 0.05), "n_base": 10, "n_head": 10,
        "verdict": "regression" if change > 0.05 else "improvement" if change < -0.05 else "inconclusive",
        "evidence": "reliable", "scope": clock_of(machine.clock).scope, "reasons": (), "timing": timing(),
        "sides": (boots(base, values[0]), boots(head, values[1])),
    }  # fmt: skip
    return Finding(**{**fields, **changes})  # type: ignore[arg-type]


def _experiment(kernels: tuple[str, ...], clock: str, question: str = "compare") -> Experiment:
    uses = (WorkloadUse(name="mprotect", axes=(Axis(name="size", values=("64MiB",)),)),)
    return Experiment(
        name="mprotect-time", question=question, kernels=tuple(KernelUse(ref=k) for k in kernels), workloads=uses,
        clock=clock, repeats=24, perturb=0,
    )  # fmt: skip


def _machine(clock: str) -> MachineIdentity:
    return MachineIdentity(
        arch="x86_64", clock=clock, accelerator=clock, program="QEMU 8.2.2", options=("-cpu host", "-smp 1"),
        host="Xeon Gold 6330, 56 CPUs, Linux 6.14.0-37",
    )  # fmt: skip


def _by_one_compiler(report: Report) -> Report:
    """Compilers that differ are a reason of their own not to announce anything."""
    return replace(report, kernels=tuple(replace(one, compiler=report.kernels[-1].compiler) for one in report.kernels))


def timed() -> Report:
    """A session under KVM that found the slowdown, with the counts of the same work beside it."""
    pair = KERNELS[1:3]
    one = timed_finding(*pair, (346.8, 578.1))
    beside = CountsAndTime(
        workload="mprotect", settings=SETTINGS, cpus=1, memory_bytes=14 << 30, metric="iteration", base=pair[0],
        head=pair[1], counts_change=1.23, counts_verdict="regression", counts_n=(2, 2), clock="kvm",
        time_change=one.change, time_interval=one.interval, time_verdict="regression", time_evidence="reliable",
        time_n=(10, 10), meaning=own_words("Time grew less than the instructions: the added ones are cheap."),
    )  # fmt: skip
    return _by_one_compiler(report_of(
        pair, title="Did mprotect get slower from 6.16.12 to 6.17.13?",
        verdict="Toggling write permission on a shared anonymous mapping of 64MiB takes 1.67× the time per page on "
        "6.17.13 compared with 6.16.12 (+66.7 %; 578.1 against 346.8 ns/page).",
        experiment=_experiment(pair, "kvm"), machine=_machine("kvm"), findings=(one,), beside=(beside,),
        beside_machine=_machine("kvm"), scope=clock_of("kvm").scope,
        disclosures=(own_words("Exits to the hypervisor are part of it."),),
        workloads=(WORKLOAD,), seed_rules=(_seed(one),),
        runs=RunSummary(planned=48, ok=25, failed=1, refused=0, retried=1, failures=(), unneeded=22),
        times=Times(findings=(one,), ladders=(), seed_rules=(_seed(one),), boots=_made(one),
                    experiment=_experiment(pair, "kvm")),
    ))  # fmt: skip


def _made(one: Finding) -> tuple[TimedBoot, ...]:
    """The boots of both sides, in blocks of four, ten seconds each."""
    made = sorted((block, number, side.kernel) for side in one.sides for number, block in enumerate(side.blocks))
    return tuple(
        TimedBoot(run=f"{kernel}-{number}", kernel=kernel, workload=one.workload, settings=one.settings,
                  machine=one.machine, block=block, started_utc=f"2026-11-21T17:{place // 6:02}:{place % 6}0Z",
                  control=False, outcome="ok", lost=False, detail="")
        for place, (block, number, kernel) in enumerate(made)
    )  # fmt: skip


def _seed(one: Finding) -> SeedFinding:
    sides = tuple(
        SeedSide(kernel=side.kernel, runs=10, failed=failed, mean=side.value, median=side.value, cv=0.01,
                 mad_ratio=0.006, status="partial" if failed else "ok", stable=not failed, robust_stable=not failed)
        for side, failed in zip(one.sides, (1, 0), strict=True)
    )  # fmt: skip
    return SeedFinding(
        workload=one.workload, settings=one.settings, machine=one.machine, metric=one.metric,
        sides=(sides[0], sides[1]), delta=one.change, delta_median=one.change, classification="regression",
        reliable=False, robust_reliable=False, word="partial", kassay="regression, reliable",
    )  # fmt: skip


def emulated_time() -> Report:
    """Time under an emulator: for screening, whatever the numbers say."""
    pair = KERNELS[1:3]
    machine = replace(KVM, clock="tcg")
    one = timed_finding(
        *pair, (3468.0, 5781.0), machine, evidence="partial", timing=timing(control=None, failures=None)
    )
    return report_of(
        pair, title="Did mprotect get slower from 6.16.12 to 6.17.13?", experiment=_experiment(pair, "tcg"),
        verdict="Toggling takes 1.67× the time per page. Evidence: partial.", machine=_machine("tcg"),
        findings=(one,), scope=clock_of("tcg").scope,
        disclosures=(own_words("Emulated time measures the emulator as much."),),
        workloads=(WORKLOAD,),
    )  # fmt: skip


MATRIX = ("debian:6.12.77", "debian:6.19.9", "image:/boot/mm-unstable")
_CELLS = {1: (336.1, 532.0, 497.0), 2: (369.2, 581.9, 503.3), 4: (355.7, 587.2, 524.2)}


def matrix() -> Report:
    """Three kernels on 1, 2 and 4 CPUs."""
    findings: list[Finding] = []
    ladders: list[Ladder] = []
    for cpus, values in _CELLS.items():
        machine = replace(KVM, cpus=cpus)
        steps = [
            timed_finding(a, b, (x, y), machine, standing="confirmed", timing=timing(control=None))
            for (a, x), (b, y) in pairwise(zip(MATRIX, values, strict=True))
        ]
        findings += [*steps, timed_finding(MATRIX[0], MATRIX[2], (values[0], values[2]), machine)]
        ladders.append(_ladder(machine, values, steps))
    family = Family(
        workload="mprotect", metric="iteration", base=MATRIX[0], head=MATRIX[1], cells=3, change=0.6,
        interval=(0.55, 0.66), p=0.00005, smallest=0.576, largest=0.651, candidates=3, confirmed=3,
    )  # fmt: skip
    return _by_one_compiler(report_of(
        MATRIX, title="Which kernel made mprotect slower?", experiment=_experiment(MATRIX, "kvm", "ladder"),
        verdict="Toggling takes 1.58× the time per page since 6.19.9 (1 CPU, 14GiB).", machine=_machine("kvm"),
        findings=tuple(findings), ladders=tuple(ladders), families=(family,), scope=clock_of("kvm").scope,
        workloads=(WORKLOAD,),
    ))  # fmt: skip


def _ladder(machine: MachineUse, values: tuple[float, ...], steps: list[Finding]) -> Ladder:
    points = tuple(
        LadderPoint(kernel=k, value=v, n=10, side=boots(k, v)) for k, v in zip(MATRIX, values, strict=True)
    )  # fmt: skip
    found = tuple(
        LadderStep(from_kernel=f.base, to_kernel=f.head, change=f.change, verdict=f.verdict)
        for f in steps
        if f.verdict != "equivalent"
    )
    return Ladder(
        workload="mprotect", metric="iteration", unit="ns/page", primary=True, settings=SETTINGS, machine=machine,
        points=points, steps=found,
    )  # fmt: skip


ELSEWHERE = MachineUse(arch="unknown", clock="imported", cpus=None, memory_bytes=None)


def _from_elsewhere(kernels: tuple[str, str], findings: tuple[Finding, ...], form: str, **changes: object) -> Report:
    identity = MachineIdentity(
        arch="unknown", clock="imported", accelerator="", program="unknown", options=(), host="unknown"
    )
    given: dict[str, object] = {
        "title": "Did it get slower from old to new?", "verdict": "Another tool's results, judged by kassay's rules.",
        "experiment": replace(_experiment(kernels, "imported"), name="imported", workloads=(), rounds=0),
        "kernels": tuple(KernelIdentity(ref=k, arch="unknown", release="unknown", image_sha256=None) for k in kernels),
        "machine": identity, "findings": findings, "scope": clock_of("imported").scope,
        "state": own_words("not in the file"),
        "sources": (Source(name="results.json", sha256="ab" * 32, format=form),), "spec_toml": "", "next_steps": (),
        "disclosures": (reason("one-value-is", because=reason("values-of-unknown")),),
        "commands": ("kassay import results.json --out runs",),
        "runs": RunSummary(planned=0, ok=0, failed=0, refused=0, retried=0, failures=()),
    }  # fmt: skip
    return report_of((), **{**given, **changes})


def imported() -> Report:
    """A benchmark where more is better, and one whose direction the file does not tell."""
    common: dict[str, object] = {
        "evidence": "partial",
        "reasons": (reason("values-of-unknown"),),
        "timing": timing(control=None),
    }
    first = timed_finding(
        "old", "new", (4.0e6, 3.6e6), ELSEWHERE, better="higher", unit="operations/s", workload="page_fault1",
        metric="per_process_ops", definition="Operations each process completes in a second.", verdict="regression",
        settings=(Setting(name="tasks", value="16"),), **common,
    )  # fmt: skip
    second = timed_finding(
        "old", "new", (12.0, 12.1), ELSEWHERE, better="unknown", unit="", workload="page_fault1", metric="score",
        definition="", primary=False, settings=(Setting(name="tasks", value="16"),), **common,
    )  # fmt: skip
    return _from_elsewhere(("old", "new"), (first, second), "pyperf 2.10.0")


def robot() -> Report:
    """Rows of the kernel test robot: means and spreads, no single values."""
    kernels = ("9f9d0b0869", "ba6149e960")
    rows = (
        ("will-it-scale.per_process_ops", 307105.0, None, 332876.0, None),
        ("meminfo.DirectMap4k", 213121.0, 0.05, 171478.0, 0.07),
        ("perf-profile.self.cycles-pp.copy_page", 20.1, 0.03, 25.02, None),
        ("proc-vmstat.unevictable_pgs_scanned", 2535424.0, 0.02, 2693888.0, 0.29),
    )
    none: tuple[float, ...] = ()
    findings = tuple(
        timed_finding(
            *kernels, (x, y), ELSEWHERE, metric=key, workload=key.partition(".")[0], unit="", better="unknown",
            settings=(), primary=i == 0, verdict="inconclusive", evidence="partial", timing=None, interval=None,
            definition="A row of the robot's table.", n_base=0, n_head=0,
            reasons=(own_words("the mail has no single values"),),
            sides=tuple(
                Side(kernel=k, value=v, method="mean", runs=none, perturbed=none, rounds=none, warmup=none, failed=0,
                     spread=s)
                for k, v, s in zip(kernels, (x, y), (a, b), strict=True)
            ),
        )
        for i, (key, x, a, y, b) in enumerate(rows)
    )  # fmt: skip
    header = LkpHeader(
        axes=(("compiler", "gcc-12"), ("testcase", "will-it-scale")), base_id="9f9d0b08696fb316",
        head_id="ba6149e96007edcdb01284c1531", base_subject="mm: add framework for PCP high auto-tuning",
        head_subject="mm: tune PCP high automatically",
    )  # fmt: skip
    return _from_elsewhere(kernels, findings, "LKP mail", lkp_header=header)
