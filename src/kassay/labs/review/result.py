# SPDX-License-Identifier: GPL-2.0-only
"""Reports of the stages -> rows of the review: settings, changed functions, branches, steps of the series."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from kassay.labs.review.changed_code import Branch, ChangedFunction
from kassay.labs.review.model import SCREENED, Cell, KernelSide, Key, PredictedChange
from kassay.labs.review.outcomes import Way, Ways, together
from kassay.labs.review.settings import setting_text
from kassay.labs.review.stages import BASE, HEAD, Seen
from kassay.model import lines
from kassay.model.experiment import WorkloadUse
from kassay.model.finding import REFUSED, Finding
from kassay.model.kernel import KernelArtifact, name_and_version
from kassay.model.lines import SourceChange
from kassay.model.reason_texts import reasons_text
from kassay.model.report import Report
from kassay.report.sentences import subject
from kassay.supply.prepare.workloads import describe_workloads


def kernel_side(ref: str, artifact: KernelArtifact) -> KernelSide:
    """The kernel as the review names it."""
    identity = artifact.identity
    return KernelSide(
        ref=ref,
        release=identity.release,
        compiler=name_and_version(identity.compiler) if identity.compiler else "",
        config="+".join((identity.build.config, *identity.build.fragments)) if identity.build is not None else "",
        image_sha256=identity.image_sha256 or "",
    )


def unbuilt_side(ref: str, release: str) -> KernelSide:
    """A kernel that need not be built."""
    return KernelSide(ref=ref, release=release, compiler="", config="", image_sha256="")


def cells_of(report: Report, *, once: bool) -> tuple[Cell, ...]:
    """One row for each setting and phase. once: they were only screened."""
    return tuple(_cell(finding, once=once) for finding in report.findings)


def _cell(finding: Finding, *, once: bool) -> Cell:
    refused = finding.verdict in REFUSED or finding.change is None
    workload = describe_workloads((WorkloadUse(name=finding.workload),), None)[finding.workload]
    state = finding.changed.state if finding.changed is not None else ""
    return Cell(
        workload=finding.workload,
        settings=finding.settings,
        phase=finding.metric,
        primary=finding.primary,
        subject=subject(workload, finding.settings, finding.metric),
        unit=finding.unit,
        base=None if refused else finding.base_value,
        head=None if refused else finding.head_value,
        change=None if refused else finding.change,
        verdict=finding.verdict if refused or not once else SCREENED,
        evidence="" if once else finding.evidence,
        n_base=finding.n_base,
        n_head=finding.n_head,
        floor=None if once or refused else finding.floor,
        executes={lines.EXECUTED: True, lines.NOT_EXECUTED: False}.get(state),
        where=finding.attribution.parts if finding.attribution is not None else "",
        predicted=tuple(
            PredictedChange(cpu=one.cpu, change=one.change, interval=one.interval) for one in finding.predictions
        ),
        reason=reasons_text(finding.reasons) if refused or finding.verdict == "inconclusive" else "",
    )


def functions_of(
    change: SourceChange,
    reports: Iterable[Report],
    seen: Sequence[Seen],
    by_patch: Mapping[int, Collection[tuple[str, str]]],
) -> tuple[ChangedFunction, ...]:
    """The changed functions in the order of the diff, those that never ran first.

    by_patch: by the number of a patch the (path, name) of each function that it changes.
    """
    parts = [
        part for report in reports for f in report.findings if f.changed is not None for part in f.changed.parts
    ]  # fmt: skip
    rows = []
    for path, function in dict.fromkeys((part.path, part.function) for part in change.parts):
        own = [part for part in change.parts if (part.path, part.function) == (path, function)]
        runs = [part for part in parts if (part.path, part.function) == (path, function)]
        added = {n for part in runs for n in part.executed}
        removed = {n for part in runs for n in part.removed_executed}
        outside = {n for part in runs for n in part.outside}
        outside_removed = {n for part in runs for n in part.removed_outside}
        idle = ({n for part in own for n in part.code} | outside) - added
        idle_removed = ({n for part in own for n in part.removed_code} | outside_removed) - removed
        state = lines.EXECUTED if added or removed else lines.NOT_EXECUTED if idle or idle_removed else lines.NO_CODE
        rows.append(
            ChangedFunction(
                path=path, function=function, state=state, executed=tuple(sorted((*added, *removed))),
                not_executed=tuple(sorted((*idle, *idle_removed))), removed_executed=tuple(sorted(removed)),
                removed_not_executed=tuple(sorted(idle_removed)),
                patches=tuple(number for number, changed in by_patch.items() if (path, function) in changed),
                cells=len({one.key for one in seen if function in one.functions}),
            )
        )  # fmt: skip
    order = (lines.NOT_EXECUTED, lines.EXECUTED, lines.NO_CODE)
    return tuple(sorted(rows, key=lambda row: order.index(row.state)))


def idle_settings(seen: Sequence[Seen], affected: Collection[Key]) -> tuple[str, ...]:
    """The settings that ran on both kernels and are not affected."""
    both = {one.key for one in seen if one.kernel == BASE} & {one.key for one in seen if one.kernel == HEAD}
    return tuple(sorted(setting_text(*key) for key in both.difference(affected)))


def ways_by_kernel(seen: Sequence[Seen]) -> Mapping[str, Ways]:
    """Ways that all settings together took, for each kernel."""
    return {kernel: together(one.ways for one in seen if one.kernel == kernel) for kernel in (BASE, HEAD)}


def branches_of(ways: Mapping[str, Ways]) -> tuple[Branch, ...]:
    """The ways that no setting took, in the order of the sources."""
    rows = [_branch(kernel, way) for kernel, found in ways.items() for way in found.missed]
    return tuple(sorted(dict.fromkeys(rows), key=lambda row: (row.path, row.line, row.kernel, row.way)))


def _branch(kernel: str, way: Way) -> Branch:
    return Branch(
        kernel="base" if kernel == BASE else "head", path=way.path, function=way.function, line=way.line,
        way="taken" if way.taken else "not taken",
    )  # fmt: skip


def took_by_setting(seen: Iterable[Seen]) -> dict[Key, set[tuple[str, Way]]]:
    """By setting the ways that it took, each with its kernel."""
    found: dict[Key, set[tuple[str, Way]]] = {}
    for one in seen:
        if one.functions:
            found.setdefault(one.key, set()).update((one.kernel, way) for way in one.ways.took)
    return found
