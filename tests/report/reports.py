# SPDX-License-Identifier: GPL-2.0-only
"""Sample reports: a ladder as measured, a refused comparison, and the shapes that break layouts."""

from itertools import pairwise

from msgspec.structs import replace

from kassay.model.finding import Attribution, AttributionGroup, AttributionRow, Counter, Finding, StateDifference
from kassay.model.guest import GuestCpu
from kassay.model.profile import StackCost
from kassay.model.reason import own_words, reason
from kassay.model.records import Setting
from kassay.model.report import Counted, KernelStacks, PointCounters, Report, RunFailure, RunSummary, SeenCpu
from kassay.report.conditions import cpu_sentences
from tests.report.bisected_reports import bisected, bisected_by_state, bisected_by_symbol
from tests.report.parts import (
    DISCLOSURES,
    HOSTILE,
    KERNELS,
    MACHINE,
    PHASES,
    SETTINGS,
    UNIT,
    audit_of,
    finding,
    ladder_of,
    report_of,
    side,
)
from tests.report.predicted_reports import predicted
from tests.report.row_reports import gap, series
from tests.report.shares import kernel_share
from tests.report.suite_reports import suite
from tests.report.timed_reports import emulated_time, imported, matrix, robot, timed

__all__ = ["HOSTILE", "KERNELS", "MACHINE", "PHASES", "SAMPLES", "SETTINGS", "UNIT", "attribution", "finding", "side"]


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
    findings[3] = replace(findings[3], profile_note=reason("run-without-profile", KERNELS[4], run="r9", problem=None))
    return report_of(
        KERNELS,
        verdict="Toggling write permission on a shared anonymous mapping of 16384 pages costs 672.6 instead of 301.6 "
        "instructions/page from debian:6.17.13 on (+123.0 %), and 698.8 from debian:6.19.14 on (+3.9 %).",
        findings=tuple(findings),
        ladders=tuple(ladder_of(metric, KERNELS, values) for metric, (values, _) in PHASES.items()),
        counters=(counters(KERNELS),),
        gate_fields=("VmaCount", "Present", "AnonHugePages", "KernelPageSize"),
        audits=tuple(audit_of(k, "0 kB", moment) for moment in ("before", "after") for k in KERNELS),
    )


_EVENTS = (
    Counter(name="pgfault", definition="pgfault of /proc/vmstat, over all rounds and phases", base=0.5, head=0.501),
    Counter(name="nr_tlb_remote_flush", definition="of /proc/vmstat, over all rounds and phases", base=None, head=2.0),
)


def counters(kernels: tuple[str, ...]) -> PointCounters:
    """Two boots of each kernel: events, a counter that the first kernel has not, and levels of which one differs."""
    later = len(kernels) - 1
    figures: tuple[tuple[str, str, tuple[int | None, ...]], ...] = (
        ("pgfault", "events", (40_960, *(41_042,) * later)),
        ("nr_tlb_remote_flush", "events", (None, *(163_840,) * later)),
        ("ipi.tlb_shootdown", "events", (12, *(12,) * later)),
        ("cpu0.ran", "events", (2_000_000_000, *(2_100_000_000,) * later)),
        ("ran.kworker/0:1.cpu0", "events", (5000, *(0,) * later)),
        ("memory.Active(anon)", "level", (180, *(51_408,) * later)),
        ("memory.MemTotal", "level", (996_752,) * len(kernels)),
        ("pcp.0.DMA32.0.high", "level", (13_860, *(30_245,) * later)),
    )
    return PointCounters(
        workload="mprotect", settings=SETTINGS, machine=MACHINE, metric="iteration", kernels=kernels,
        operations=((81_920, 81_920),) * len(kernels),
        counters=tuple(
            Counted(name=name, kind=kind, definition=f"{name}, as counted", runs=tuple((n, n) for n in values))
            for name, kind, values in figures
        ),
    )  # fmt: skip


_CPU = GuestCpu(
    name="QEMU Virtual CPU version 2.5+",
    features=("fpu", "nx", "rep_good"),
    missing=("erms", "fsrm", "smap", "pcid", "invpcid"),
    vulnerabilities=(
        Setting(name="meltdown", value="Not affected"),
        Setting(name="spectre_v2", value="Mitigation: Retpolines; STIBP: disabled"),
    ),
)


def compare() -> Report:
    """Two kernels and an itemised difference."""
    first = finding(KERNELS[1], KERNELS[2], (301.6, 672.6))
    fields = {name: getattr(first, name) for name in first.__struct_fields__}
    seen = SeenCpu(kernels=KERNELS[1:3], cpu=_CPU)
    return report_of(
        KERNELS[1:3],
        title="Does debian:6.17.13 cost more than debian:6.16.12?",
        verdict="Yes: 672.6 instead of 301.6 instructions/page (+123.0 %).",
        findings=(Finding(**{**fields, "attribution": attribution(), "counters": _EVENTS}),),
        counters=(counters(KERNELS[1:3]),),
        shares=tuple(
            kernel_share(k, {("system call", "mprotect"): (n, 2)}, user=40, machine=MACHINE, settings=SETTINGS)
            for k, n in zip(KERNELS[1:3], (500, 1200), strict=True)
        ),
        cpus=(seen,),
        disclosures=(*DISCLOSURES, *map(own_words, cpu_sentences((seen,)))),
        guest_sha256=(Setting(name="init", value="2" * 64), Setting(name="mprotect_toggle", value="3" * 64)),
        guest_compiler="gcc (Debian 12.2.0-14+deb12u1) 12.2.0",
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
        for i in range(5)
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
    fields |= {
        "verdict": "state-mismatch",
        "differences": differences,
        "reasons": (own_words("AnonHugePages differs"),),
    }
    return report_of(
        (base, head),
        title="Does MADV_PAGEOUT cost more on debian:6.19.14 than on debian:6.12.117?",
        verdict="No verdict: the kernels did not work on the same state.",
        state=own_words("State differs in 2 fields: AnonHugePages, THPeligible."),
        findings=(Finding(**fields),),
        gate_fields=("VmaCount", "Present", "AnonHugePages", "KernelPageSize"),
        audits=(audit_of(base, None), audit_of(head, "16384 kB")),
        runs=RunSummary(planned=8, ok=8, failed=0, refused=8, retried=0, failures=()),
    )


def empty() -> Report:
    """Nothing measured, nothing known."""
    return report_of(
        (), title="", verdict="Nothing was measured.", spec_toml="", commands=(), next_steps=(), state=own_words("")
    )


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
    return report_of(
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
    return report_of(
        kernels,
        title=HOSTILE,
        verdict=f"{HOSTILE} costs more.",
        ladders=(ladder_of("iteration", kernels, (12_345.6, 0.0123, 7.0)),),
        findings=(finding(kernels[0], kernels[1], (12_345.6, 0.0123)),),
        runs=RunSummary(planned=1, ok=0, failed=1, refused=0, retried=0, failures=(failure,)),
        gate_fields=("VmaCount", "Present", "AnonHugePages", "KernelPageSize"),
        audits=tuple(audit_of(k, HOSTILE) for k in kernels),
        disclosures=(own_words(HOSTILE),),
        spec_toml=HOSTILE + "\n```\n</pre>",
    )


SAMPLES = {
    f.__name__: f
    for f in (
        ladder, compare, refused, empty, one_side_missing, hostile, timed, emulated_time, matrix, imported, robot,
        bisected, bisected_by_state, bisected_by_symbol, gap, series, suite, predicted,
    )
}  # fmt: skip
