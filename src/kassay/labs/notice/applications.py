# SPDX-License-Identifier: GPL-2.0-only
"""Sought functions and the runs of applications -> one record for each application."""

from collections.abc import Iterator
from math import fsum
from pathlib import Path

from msgspec import structs

from kassay import answers
from kassay.analysis.itemised import Profiled
from kassay.labs.notice.cost import Cost, cost_of
from kassay.labs.notice.kernels import Wanted, kernels_in
from kassay.labs.notice.model import NOTICED, Noticed, PredictedShare, Unpredicted
from kassay.labs.notice.paths import KernelPaths, kernel_paths
from kassay.labs.notice.subject import Sought
from kassay.model.finding import REFUSED, Finding
from kassay.model.progress import Tell
from kassay.model.reason_texts import reason_text, reasons_text


def noticed_in(directory: Path, wanted: Wanted, sought: Sought, tell: Tell) -> Iterator[Noticed]:
    """Every workload of a run directory, on the wanted kernels. Raises BadInput if it lacks one of the kernels."""
    for paired in answers.paired(directory, kernels_in(directory, wanted), tell):
        yield _noticed(paired, wanted, sought, directory)


def paths_of(profiled: Profiled) -> KernelPaths:
    """Raises BadInput for a profile without call stacks."""
    return kernel_paths(profiled.profile, profiled.known, profiled.value)


def _noticed(paired: answers.Paired, wanted: Wanted, sought: Sought, directory: Path) -> Noticed:
    finding = paired.finding
    unknown = Noticed(
        application=finding.workload, verdict="unknown", settings=finding.settings, problem=_problem(paired),
        directory=str(directory),
    )  # fmt: skip
    if unknown.problem:
        return unknown
    sides = [paths_of(profile) for profile in paired.profiles]
    base, head = sides[0], sides[1] if wanted.head else None
    cost = cost_of(sought, base, head)
    own = _is_of(paired)
    share = None if cost.head is None else (cost.head - cost.base) / base.total
    return structs.replace(
        unknown, verdict=_verdict(cost, share), unit=finding.unit,
        operations=_operations(paired.profiles[0]), base_value=base.total,
        head_value=None if head is None else head.total,
        change=None if head is None else head.total / base.total - 1, share=share,
        evidence=finding.evidence if own else "", floor=finding.floor if own else None,
        functions=cost.functions, entries=cost.entries, predicted=_predicted(finding, sought, sides) if own else (),
        unpredicted=_unpredicted(finding) if own else (),
    )  # fmt: skip


def _problem(paired: answers.Paired) -> str:
    if paired.problem is not None:
        return reason_text(paired.problem)
    refused = next((profile for profile in paired.profiles if profile.verdict in REFUSED), None)
    if refused is not None:
        return f"{refused.verdict}: {reasons_text(refused.reasons)}"
    if any(profile.profile.stacks is None for profile in paired.profiles):
        return "measured without call stacks (--profile auto has them)"
    return ""


def _is_of(paired: answers.Paired) -> bool:
    """True if the finding compares exactly these kernels. For one kernel it may compare that with another one."""
    return {*paired.finding.kernels} == {profile.profile.kernel for profile in paired.profiles}


def _operations(profiled: Profiled) -> float:
    return profiled.profile.operations / len(profiled.profile.rounds)


def _verdict(cost: Cost, share: float | None) -> str:
    if not cost.executed:
        return "unexecuted"
    if share is None:
        return "executed"
    return "noticed" if abs(share) >= NOTICED else "below"


def _predicted(finding: Finding, sought: Sought, sides: list[KernelPaths]) -> tuple[PredictedShare, ...]:
    """Each function's predicted time, multiplied by the share of its instructions that belongs to sought functions."""
    parts = [_parts(sought, side) for side in sides]
    shares = []
    for prediction in finding.predictions:
        if prediction.base_ns and prediction.refused is None and len(sides) > 1:
            base = fsum(row.base_ns * parts[0].get(row.function, 0) for row in prediction.rows)
            head = fsum(row.head_ns * parts[1].get(row.function, 0) for row in prediction.rows)
            shares.append(PredictedShare(cpu=prediction.cpu, share=(head - base) / prediction.base_ns))
    return tuple(shares)


def _unpredicted(finding: Finding) -> tuple[Unpredicted, ...]:
    return tuple(Unpredicted(cpu=one.cpu, why=reason_text(one.refused)) for one in finding.predictions if one.refused)


def _parts(sought: Sought, side: KernelPaths) -> dict[str, float]:
    """Function -> share of its instructions that belongs to sought functions."""
    costs: dict[str, float] = {}
    inside: dict[str, float] = {}
    for path in side.paths:
        if path.functions:
            name = path.functions[-1]
            costs[name] = costs.get(name, 0) + path.cost
            inside[name] = inside.get(name, 0) + path.cost * bool(sought.match(path))
    return {name: inside[name] / cost for name, cost in costs.items() if cost}
