# SPDX-License-Identifier: GPL-2.0-only
"""Where the states of two kernels parted: at boot, while the workload made its state, or inside the measured region."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from kassay.model.finding import Finding
from kassay.model.report import AuditTable, Report
from kassay.model.texts import listed, one_line, shortened

_SETTINGS = ("thp.", "vm.", "zram.", "swap.devices", "cpus.online", "nodes.online", "memcg.max")
"""Begins of the names of fields that the kernel or its machine sets, and no workload does on one kernel only."""
_OWN_RUNS = "runs-differ"
"""The reason if runs of one kernel differ; the differences are then between these."""
_MOST = 4
_WHOLE = "iteration"
"""The phase that holds all others."""


def parted_sentences(
    report: Report, finding: Finding, names: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, ...]:  # fmt: skip
    """The first fields that diverged, with when; none unless the comparison was refused for unequal states.

    names: what kernels are called, by their labels; by default these.
    """
    own_runs = any(why.code == _OWN_RUNS for why in finding.reasons)
    if finding.verdict != "state-mismatch" or own_runs or not finding.differences:
        return ()
    return tuple(map(one_line, _sentences(report, finding, names)))


def _sentences(report: Report, finding: Finding, names: Mapping[str, str]) -> Iterator[str]:
    base, head = (names.get(label, label) for label in finding.kernels)
    settings = [f"{name} is {a} on {base} and {b} on {head}" for name, a, b in _settings(report, finding)]
    if settings:
        yield f"The states parted at boot: {listed(shortened(settings, _MOST, '{} more settings'))}."
    before = [difference for difference in finding.differences if difference.moment == "before"]
    first = (before or finding.differences)[0]
    field = f"{first.field} is {first.base} on {base} and {first.head} on {head}"
    if before:
        when = "First effect" if settings else "The states parted while the workload made its state"
        yield f"{when}: before the measured region, {field}."
    elif first.moment == "after":
        yield f"The states are equal before the measured region and parted inside of it: after it, {field}."
        phase = _phase(report, finding)
        if phase:
            yield f"The first phase in which functions ran on one kernel only is {phase}."


def _settings(report: Report, finding: Finding) -> list[tuple[str, str, str]]:
    """Settings that both kernels have and that differ before the measured region, with both values."""
    base, head = (_fields(report, finding, kernel) for kernel in finding.kernels)
    return [
        (name, value or "empty", head[name] or "empty")
        for name, value in base.items()
        if name.startswith(_SETTINGS) and value is not None and head.get(name) not in (None, value)
    ]


def _fields(report: Report, finding: Finding, kernel: str) -> Mapping[str, str | None]:
    audits = audits_of(report, finding)
    return next((dict(a.fields) for a in audits if (a.kernel, a.moment) == (kernel, "before")), {})


def audits_of(report: Report, finding: Finding) -> list[AuditTable]:
    """The audited state at the point of a comparison; an audit need not name its workload and its machine."""
    same = (a for a in report.audits if a.settings == finding.settings)
    return [a for a in same if a.workload in ("", finding.workload) and a.machine in (None, finding.machine)]


def _phase(report: Report, finding: Finding) -> str:
    """The first phase of the workload in which a function ran on one kernel only; "" if none did."""
    order = [phase.name for workload in report.workloads if workload.name == finding.workload
             for phase in workload.phases]  # fmt: skip
    phases = [
        f.metric for f in report.findings
        if f.point == finding.point and f.kernels == finding.kernels and f.one_sided and f.metric != _WHOLE
    ]  # fmt: skip
    return min(phases, key=lambda name: order.index(name) if name in order else len(order), default="")
