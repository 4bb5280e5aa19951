# SPDX-License-Identifier: GPL-2.0-only
"""Sample reports: a ladder as measured, a refused comparison, and the shapes that break layouts."""

from itertools import pairwise

from msgspec.structs import replace

from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.finding import (
    Attribution,
    AttributionGroup,
    AttributionRow,
    Finding,
    Ladder,
    LadderPoint,
    LadderStep,
    Side,
    StateDifference,
)
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import MachineIdentity, MachineUse
from kassay.model.profile import StackCost
from kassay.model.records import Setting
from kassay.model.report import AuditTable, KernelStacks, Report, RunFailure, RunSummary
from kassay.model.run import WallTime

KERNELS = ("debian:6.12.117", "debian:6.16.12", "debian:6.17.13", "debian:6.19.14", "debian:7.0.13")
_GCC = ("12.2.0", "15.2.0", "15.2.0", "15.2.0", "15.2.0")
PHASES: dict[str, tuple[tuple[float, ...], str]] = {
    "iteration": ((301.6, 301.6, 672.6, 698.8, 703.0), "from before the first mprotect() to after the last touch"),
    "protect": ((128.3, 128.3, 301.9, 312.0, 314.1), "the mprotect(PROT_READ) call over the whole mapping"),
    "restore": ((158.3, 158.3, 355.7, 371.8, 373.9), "the mprotect(PROT_READ | PROT_WRITE) call"),
    "touch": ((15.0, 15.0, 15.0, 15.0, 15.0), "one write to each page"),
}
SETTINGS = (Setting(name="size", value="64MiB"), Setting(name="share", value="shared"))
MACHINE = MachineUse(arch="x86_64", clock="icount", cpus=1, memory_bytes=1 << 30)
UNIT = "instructions/page"
HOSTILE = 'image:/tmp/<script>alert("1")</script>&amp;|`*\n\x1b[31m\u202eľudia 核心'
_SPEC = """# kassay ladder
name = "mprotect-ladder"
question = "ladder"
kernels = ["debian:6.12.117", "debian:6.16.12", "debian:6.17.13", "debian:6.19.14", "debian:7.0.13"]

[[workloads]]
name = "mprotect"
size = "64MiB"
share = "shared"
"""


def _identity(ref: str, gcc: str) -> KernelIdentity:
    release = ref.rpartition(":")[2][:12]
    digit = f"{sum(map(ord, ref)):x}"
    return KernelIdentity(
        ref=ref,
        arch="x86_64",
        release=f"{release}-cloud-amd64",
        image_sha256=(digit * 64)[:64],
        compiler=f"gcc (Debian {gcc}-4) {gcc}, GNU ld (GNU Binutils for Debian) 2.45",
        package=f"linux-image-{release}-cloud-amd64-unsigned",
        flavour="cloud-amd64",
        config_sha256=(digit[::-1] * 64)[:64],
        symbol_count=141_203,
        source="Debian archive",
    )


def side(kernel: str, value: float | None, runs: int = 2) -> Side:
    """A side whose runs all agree; with None, one where nothing was admitted."""
    if value is None:
        none: tuple[float, ...] = ()
        return Side(
            kernel=kernel, value=None, method="", runs=none, perturbed=none, rounds=none, warmup=none, failed=runs
        )
    warmup = (round(value * 1.31, 1),)
    return Side(
        kernel=kernel,
        value=value,
        method="mode of 19/20 rounds",
        runs=(value,) * runs,
        perturbed=(value, round(value * 1.004, 1)),
        rounds=warmup + (value,) * 19,
        warmup=warmup,
        failed=0,
        contexts=(("kernel", 0.951), ("user", 0.049)) if runs == 2 else (),
    )


def _verdict(change: float | None) -> str:
    if change is None:
        return "incomplete"
    return "equivalent" if abs(change) < 0.01 else "regression" if change > 0 else "improvement"


def finding(base: str, head: str, values: tuple[float | None, float | None], metric: str = "iteration") -> Finding:
    """One comparison, judged with a margin of 1 %."""
    change = None if values[0] is None or values[1] is None else values[1] / values[0] - 1
    sides = (side(base, values[0]), side(head, values[1]))
    return Finding(
        workload="mprotect",
        settings=SETTINGS,
        machine=MACHINE,
        metric=metric,
        primary=metric == "iteration",
        unit=UNIT,
        definition=f"{PHASES[metric][1]}, divided by the pages of the mapping",
        better="lower",
        base=base,
        head=head,
        base_value=values[0],
        head_value=values[1],
        change=change,
        interval=None if change is None else (change - 0.004, change + 0.004),
        n_base=len(sides[0].runs),
        n_head=len(sides[1].runs),
        verdict=_verdict(change),
        evidence="partial" if change is None else "exact",
        scope="instructions executed, emulated; not time",
        reasons=("no run of one side succeeded",) if change is None else (),
        sides=sides,
    )


def _ladder(metric: str, kernels: tuple[str, ...], values: tuple[float | None, ...]) -> Ladder:
    points = tuple(
        LadderPoint(kernel=k, value=v, n=0 if v is None else 2, side=side(k, v))
        for k, v in zip(kernels, values, strict=True)
    )
    steps = [finding(a.kernel, b.kernel, (a.value, b.value), metric) for a, b in pairwise(points)]
    return Ladder(
        workload="mprotect",
        metric=metric,
        unit=UNIT,
        primary=metric == "iteration",
        settings=SETTINGS,
        machine=MACHINE,
        points=points,
        steps=tuple(
            LadderStep(from_kernel=f.base, to_kernel=f.head, change=f.change, verdict=f.verdict)
            for f in steps
            if f.verdict != "equivalent"
        ),
    )


def _audit(kernel: str, thp: str | None, moment: str = "before") -> AuditTable:
    fields = [("VmaCount", "1"), ("Present", "16384 pages"), ("AnonHugePages", thp), ("KernelPageSize", "4 kB")]
    fields += [(f"meminfo.Field{i}", f"{i * 4} kB") for i in range(12)]
    return AuditTable(kernel=kernel, settings=SETTINGS, moment=moment, fields=tuple(fields))


def _report(kernels: tuple[str, ...], **changes: object) -> Report:
    fields: dict[str, object] = {
        "title": "In which of five kernels does toggling write permission on shared dirty pages cost more?",
        "verdict": "",
        "experiment": Experiment(
            name="mprotect-ladder",
            question="ladder",
            kernels=tuple(KernelUse(ref=k) for k in kernels),
            workloads=(WorkloadUse(name="mprotect", axes=(Axis(name="size", values=("64MiB",)),)),),
        ),
        "kernels": tuple(_identity(k, _GCC[i % 5]) for i, k in enumerate(kernels)),
        "machine": MachineIdentity(
            arch="x86_64",
            clock="icount",
            accelerator="tcg",
            program="QEMU 7.2.22 (Debian 1:7.2+dfsg-7)",
            options=("-machine q35", "-cpu qemu64", "-icount shift=0,sleep=off", "-smp 1", "-m 1024"),
            host="Linux 6.1, 2 CPUs; cannot matter under icount",
        ),
        "findings": (),
        "ladders": (),
        "runs": RunSummary(planned=20, ok=20, failed=0, refused=0, retried=0, failures=()),
        "audits": (),
        "state": "All kernels worked on the same audited state before and after: 16384 present 4 kB pages, no THP.",
        "scope": "instructions executed, emulated; not time",
        "disclosures": (
            "An instruction is not a nanosecond: cache misses and atomics do not show.",
            "Booted with cryptomgr.notests=1, which shortens the boot and leaves mm alone.",
        ),
        "next_steps": ("kassay profile kassay-out: in which functions the step stands",),
        "commands": ("kassay ladder mprotect " + " ".join(kernels) + " --set share=shared --out kassay-out",),
        "spec_toml": _SPEC,
        "wall": WallTime(boot_s=1.24, quiescence_s=0.31, workload_s=0.52, shutdown_s=0.08),
        "plan_id": "5f1d0c7a",
        "kassay_version": "0.1.0",
    }
    return Report(**{**fields, **changes})  # type: ignore[arg-type]


def ladder() -> Report:
    """Five kernels, one large step and one small."""
    findings = [
        finding(a, b, (x, y), metric)
        for metric, (values, _) in PHASES.items()
        for (a, x), (b, y) in pairwise(zip(KERNELS, values, strict=True))
    ]
    small = replace(attribution(), sentence="+26.2 instructions/page: prot_commit_flush_ptes +26.2")
    findings[1] = replace(findings[1], attribution=attribution())
    findings[2] = replace(findings[2], attribution=small, floor=0.0042)
    findings[3] = replace(findings[3], profile_note="debian:7.0.13, run r9: the run carries no profile")
    return _report(
        KERNELS,
        verdict="Toggling write permission on a shared anonymous mapping of 16384 pages costs 672.6 instead of 301.6 "
        "instructions/page from debian:6.17.13 on (+123.0 %), and 698.8 from debian:6.19.14 on (+3.9 %).",
        findings=tuple(findings),
        ladders=tuple(_ladder(metric, KERNELS, values) for metric, (values, _) in PHASES.items()),
        gate_fields=("VmaCount", "Present", "AnonHugePages", "KernelPageSize"),
        audits=tuple(_audit(k, "0 kB", moment) for moment in ("before", "after") for k in KERNELS),
    )


def compare() -> Report:
    """Two kernels and an itemised difference."""
    first = finding(KERNELS[1], KERNELS[2], (301.6, 672.6))
    fields = {name: getattr(first, name) for name in first.__struct_fields__}
    return _report(
        KERNELS[1:3],
        title="Does debian:6.17.13 cost more than debian:6.16.12?",
        verdict="Yes: 672.6 instead of 301.6 instructions/page (+123.0 %).",
        findings=(Finding(**{**fields, "attribution": attribution()}),),
        stacks=tuple(_stacks(kernel, paths) for kernel, paths in zip(KERNELS[1:3], _PATHS, strict=True)),
    )


_CHANGED = (
    ("prot_commit_flush_ptes", 0.0, 328.0, 0.0, 2.0, 0), ("change_protection", 270.3, 0.2, 0.001, 0.001, 0),
    ("change_pte_range", 0.0, 244.2, 0.0, 0.003, 0), ("vm_normal_page", 0.0, 56.2, 0.0, 2.0, 0),
    ("pte_val", 0.0, 12.3, 0.0, 1.0, None), ("vma_interval_tree_insert", 0.52, 0.55, 0.002, 0.002, None),
)  # fmt: skip


def attribution() -> Attribution:
    """Ten functions and more, four of them in one group; the sum of deltas is 370.63, so 0.37 are unattributed."""
    changed = [
        AttributionRow(function=f, base=b, head=h, delta=h - b, base_calls=x, head_calls=y, group=g)
        for f, b, h, x, y, g in _CHANGED
    ]
    same = [
        AttributionRow(function=f"unchanged_{i}", base=0.5, head=0.5, delta=0.0, base_calls=0.01, head_calls=0.01)
        for i in range(12)
    ]
    user = AttributionRow(function="measure", base=24.78, head=24.78, delta=0.0, context="user", place="program")
    members = tuple(name for name, *_, group in _CHANGED if group == 0)
    return Attribution(
        total=371.0,
        rows=(*changed, *same, user),
        unattributed=0.37,
        groups=(AttributionGroup(root="change_protection", functions=members, base=270.3, head=628.6, delta=358.3),),
        sentence="+371 instructions/page: prot_commit_flush_ptes +328, vm_normal_page +56.2, change_protection with "
        "change_pte_range -25.9, pte_val +12.3; +0.4 not attributed",
        base_run="r1",
        head_run="r2",
        base_rounds=(1, 2),
        head_rounds=(1, 2),
    )


_CALL = ("kernel", "do_syscall_64", "do_mprotect_pkey", "change_protection")
_SPLIT = (*_CALL, "change_pte_range")
_PATHS: tuple[dict[tuple[str, ...], int], ...] = (
    {("user", "main", "measure"): 15_000, _CALL[:2]: 1_000, _CALL[:3]: 15_300, _CALL: 270_300},
    {
        ("user", "main", "measure"): 15_000, _CALL[:2]: 1_000, _CALL[:3]: 15_000, _CALL: 200, _SPLIT: 244_200,
        (*_SPLIT, "prot_commit_flush_ptes"): 328_000, (*_SPLIT, "vm_normal_page"): 56_200, (*_SPLIT, "pte_val"): 13_000,
    },
)  # fmt: skip


def _stacks(kernel: str, paths: dict[tuple[str, ...], int]) -> KernelStacks:
    return KernelStacks(
        kernel=kernel, workload="mprotect", settings=SETTINGS, machine=MACHINE, metric="iteration", unit=UNIT,
        operations=1000, stacks=tuple(StackCost(path=path, count=count) for path, count in paths.items()),
    )  # fmt: skip


def refused() -> Report:
    """The withdrawn table of a real thread: one kernel worked on huge pages, the other did not."""
    base, head = "debian:6.12.117", "debian:6.19.14"
    one = finding(base, head, (None, None))
    differences = (
        StateDifference(moment="before", field="AnonHugePages", base="0 kB", head="16384 kB"),
        StateDifference(moment="before", field="THPeligible", base="0", head="1"),
    )
    fields = {name: getattr(one, name) for name in one.__struct_fields__}
    fields |= {"verdict": "state-mismatch", "differences": differences, "reasons": ("AnonHugePages differs",)}
    return _report(
        (base, head),
        title="Does MADV_PAGEOUT cost more on debian:6.19.14 than on debian:6.12.117?",
        verdict="No verdict: the kernels did not work on the same state.",
        state="State differs in 2 fields: AnonHugePages, THPeligible.",
        findings=(Finding(**fields),),
        gate_fields=("VmaCount", "Present", "AnonHugePages", "KernelPageSize"),
        audits=(_audit(base, None), _audit(head, "16384 kB")),
        runs=RunSummary(planned=8, ok=8, failed=0, refused=8, retried=0, failures=()),
    )


def empty() -> Report:
    """Nothing measured, nothing known."""
    return _report((), title="", verdict="Nothing was measured.", spec_toml="", commands=(), next_steps=(), state="")


def one_side_missing() -> Report:
    """No run of the head succeeded, and failures outnumber what a screen shows."""
    failures = tuple(
        RunFailure(
            run=f"r{i}",
            cell="c1",
            kernel=KERNELS[2],
            attempt=i,
            outcome="panic" if i % 3 else "timeout",
            detail=f"Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,{i})"
            if i % 3
            else "no end within 120 s",
        )
        for i in range(1, 9)
    )
    return _report(
        KERNELS[1:3],
        title="Does debian:6.17.13 cost more than debian:6.16.12?",
        verdict="No verdict: no run of debian:6.17.13 succeeded.",
        findings=(finding(KERNELS[1], KERNELS[2], (301.6, None)),),
        runs=RunSummary(planned=8, ok=4, failed=4, refused=0, retried=4, failures=failures),
    )


def hostile() -> Report:
    """Names that no layout expects, in every place a name can stand."""
    kernels = (HOSTILE, HOSTILE + "2", "image:" + "/very/long/path" * 12 + "/bzImage")
    failure = RunFailure(run=HOSTILE, cell=HOSTILE, kernel=HOSTILE, attempt=1, outcome="oops", detail=HOSTILE)
    return _report(
        kernels,
        title=HOSTILE,
        verdict=f"{HOSTILE} costs more.",
        ladders=(_ladder("iteration", kernels, (12_345.6, 0.0123, 7.0)),),
        findings=(finding(kernels[0], kernels[1], (12_345.6, 0.0123)),),
        runs=RunSummary(planned=1, ok=0, failed=1, refused=0, retried=0, failures=(failure,)),
        gate_fields=("VmaCount", "Present", "AnonHugePages", "KernelPageSize"),
        audits=tuple(_audit(k, HOSTILE) for k in kernels),
        disclosures=(HOSTILE,),
        spec_toml=HOSTILE + "\n```\n</pre>",
    )


SAMPLES = {f.__name__: f for f in (ladder, compare, refused, empty, one_side_missing, hostile)}
