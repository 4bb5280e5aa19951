# SPDX-License-Identifier: GPL-2.0-only
"""Parts of sample reports: kernels, sides, findings, ladders, and a report around them."""

from itertools import pairwise

from msgspec import structs

from kassay.analysis.confounders import confounders
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse, labels
from kassay.model.finding import (
    Finding,
    Ladder,
    LadderPoint,
    LadderStep,
    Side,
)
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import MachineIdentity, MachineUse
from kassay.model.reason import own_words, reason
from kassay.model.records import Setting
from kassay.model.report import AuditTable, Report, RunSummary
from kassay.model.run import WallTime

KERNELS = ("debian:6.12.117", "debian:6.16.12", "debian:6.17.13", "debian:6.19.14", "debian:7.0.13")
_GCC = ("12.2.0", "15.2.0", "15.2.0", "15.2.0", "15.2.0")
PHASES: dict[str, tuple[tuple[float, ...], str]] = {
    "iteration": ((301.6, 301.6, 672.6, 698.8, 703.0), "from before the first mprotect() to after the last touch"),
    "protect": ((128.3, 128.3, 301.9, 312.0, 314.1), "the mprotect(PROT_READ) call over the whole mapping"),
    "touch": ((15.0, 15.0, 15.0, 15.0, 15.0), "one write to each page"),
}
SETTINGS = (Setting(name="size", value="64MiB"), Setting(name="share", value="shared"))
MACHINE = MachineUse(arch="x86_64", clock="icount", cpus=1, memory_bytes=1 << 30)
UNIT = "instructions/page"
DISCLOSURES = (
    own_words("An instruction is not a nanosecond: cache misses and atomics do not show."),
    own_words("Booted with cryptomgr.notests=1, which shortens the boot and leaves mm alone."),
)
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
        configuration=(
            Setting(name="preemption", value=f"PREEMPT_{'VOLUNTARY' if release.startswith('6.12') else 'LAZY'}"),
            Setting(name="HZ", value="250"),
        ),
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
        method="mode of 4/5 rounds",
        runs=(value,) * runs,
        perturbed=(value, round(value * 1.004, 1)),
        rounds=warmup + (value,) * 4,
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
        reasons=(reason("no-successful-run"),) if change is None else (),
        sides=sides,
    )


def ladder_of(metric: str, kernels: tuple[str, ...], values: tuple[float | None, ...]) -> Ladder:
    """A ladder whose steps are judged as finding() judges."""
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


def audit_of(kernel: str, thp: str | None, moment: str = "before") -> AuditTable:
    """The audited state of one kernel; thp: its AnonHugePages, None when absent."""
    fields = [("VmaCount", "1"), ("Present", "16384 pages"), ("AnonHugePages", thp), ("KernelPageSize", "4 kB")]
    fields += [(f"meminfo.Field{i}", f"{i * 4} kB") for i in range(3)]
    return AuditTable(kernel=kernel, settings=SETTINGS, moment=moment, fields=tuple(fields))


def report_of(kernels: tuple[str, ...], /, **changes: object) -> Report:
    """A report on these kernels; changes: fields that differ from the usual."""
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
        "state": own_words(
            "All kernels worked on the same audited state before and after: 16384 present 4 kB pages, no THP."
        ),
        "scope": "instructions executed, emulated; not time",
        "disclosures": DISCLOSURES,
        "next_steps": ("kassay profile kassay-out: in which functions the step stands",),
        "commands": ("kassay ladder mprotect " + " ".join(kernels) + " --set share=shared --out kassay-out",),
        "spec_toml": _SPEC,
        "wall": WallTime(boot_s=1.24, quiescence_s=0.31, workload_s=0.52, shutdown_s=0.08),
        "plan_id": "5f1d0c7a",
        "kassay_version": "0.1.0",
    }
    report = Report(**{**fields, **changes})  # type: ignore[arg-type]
    return structs.replace(report, findings=tuple(_confounded(f, report) for f in report.findings))


def _confounded(f: Finding, report: Report) -> Finding:
    """The finding with its confounders, as the analysis has it, which knows who the kernels are."""
    known = dict(zip(labels(report.experiment), report.kernels, strict=False))
    base, head = (known.get(side.kernel) for side in f.sides)
    return f if base is None or head is None else structs.replace(f, confounders=confounders(base, head))
