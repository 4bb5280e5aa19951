# SPDX-License-Identifier: GPL-2.0-only
"""Instructions that each compiled function executes per operation, from the profiles of a directory of runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from kassay import answers
from kassay.analysis.itemised import Profiled
from kassay.errors import BadInput, NotBuilt
from kassay.evidence.changes import read_changes
from kassay.evidence.reached import reached
from kassay.journal.directory import open_directory
from kassay.labs.codegen.commands._bodies import FoundCode
from kassay.model.codegen import LINKED_IS_OTHER, Body, SourcesChanged
from kassay.model.experiment import labels
from kassay.model.kernel import KernelArtifact
from kassay.model.lines import Reached
from kassay.model.progress import Progress, Tell
from kassay.model.reason_texts import reasons_text
from kassay.supply import kernels
from kassay.supply.machine_code.code import FunctionCode
from kassay.supply.machine_code.images import Image
from kassay.supply.machine_code.listing import Counted, Listing, counted, listing, same_shape, with_counts

_NOT_MEASURED = "not in the runs"


class Measured(NamedTuple):
    """Counts that the runs of a directory have for the rows of an answer."""

    bodies: tuple[Body, ...]
    """Rows of the answer with their executions."""
    workload: str
    """Workload that was measured."""
    metric: str
    """Phase of the workload that was counted."""
    unit: str
    """Unit of the measured value."""
    changed: tuple[SourcesChanged, ...] = ()
    """Lines of the sources that differ, executed or not."""
    elsewhere: tuple[Reached, ...] = ()
    """Workloads that execute the function, if this one does not."""


class _Runs(NamedTuple):
    """Directory of runs, with the profiles of the kernels that the user named."""

    directory: Path
    called: Mapping[str | None, str]
    """Map from the sha256 of an image to its label in the runs."""
    profiles: Mapping[str, Profiled]
    """Profile of each kernel, by its label."""
    metric: str | None
    settings: Mapping[str, str]


def with_executions(
    function: str,
    rows: Sequence[FoundCode],
    directory: Path,
    metric: str | None,
    settings: Mapping[str, str],
    flavour: str,
    tell: Tell,
) -> Measured:
    """Kernels are matched by their images. Raises BadInput when no kernel of the runs is among them."""
    plan = open_directory(directory).plan
    named = labels(plan.experiment)
    called = {kernel.image_sha256: name for kernel, name in zip(plan.kernels, named, strict=True)}
    booted = [_kernel_of(row, flavour, tell) for row in rows]
    wanted = list(
        dict.fromkeys(called[k.identity.image_sha256] for k in booted if k and k.identity.image_sha256 in called)
    )
    if not wanted:
        raise BadInput(f"{directory}: measured none of these kernels", f"it measured {', '.join(named)}")
    tell(Progress(stage="counts", subject=directory.name, text="reading its profiles"))
    profiles = answers.profiles(directory, wanted, metric, settings)
    runs = _Runs(directory, called, dict(zip(wanted, profiles, strict=True)), metric, settings)
    bodies = []
    for number, (row, kernel) in enumerate(zip(rows, booted, strict=True)):
        tell(Progress(stage="counts", subject=row.body.reference, done=number / len(rows)))
        bodies.append(_executed(function, row, kernel, runs))
    name, phase, unit = profiles[0].workload, profiles[0].profile.phase, profiles[0].unit
    idle = not any(body.executed for body in bodies)
    elsewhere = tuple(filter(None, (reached().get(function),))) if idle else ()
    return Measured(tuple(bodies), name, phase, unit, _changed(directory, tell), elsewhere)


def _changed(directory: Path, tell: Tell) -> tuple[SourcesChanged, ...]:
    """The changed lines of every primary comparison in the runs; none unless sources of kernels differ."""
    if not read_changes(directory):
        return ()
    findings = answers.report_of(directory, tell, seed_rules=False, predict=None).findings
    return tuple(
        SourcesChanged(base=f.sides[0].kernel, head=f.sides[1].kernel, changed=f.changed)
        for f in findings
        if f.primary and f.changed is not None
    )


def _kernel_of(row: FoundCode, flavour: str, tell: Tell) -> KernelArtifact | None:
    """The kernel that a row's code is part of; None when it could not be built."""
    if row.kernel is not None or row.body.outcome == "not-built":
        return row.kernel
    try:
        return kernels.fetch((row.ref,), flavour, tell)[0]
    except NotBuilt:
        return None


def _executed(function: str, row: FoundCode, kernel: KernelArtifact | None, runs: _Runs) -> Body:
    """The row with its counts."""
    label = runs.called.get(kernel.identity.image_sha256) if kernel else None
    if kernel is None or label is None:
        return msgspec.structs.replace(row.body, note=_joined(row.body.note, _NOT_MEASURED))
    profiled, image = runs.profiles[label], kernel.identity.image_sha256
    refused = f"{profiled.verdict}: {reasons_text(profiled.reasons)}" if profiled.verdict else ""
    body = msgspec.structs.replace(
        row.body, value=profiled.value, counted_in=label, image_sha256=image, refused=refused
    )
    try:
        linked = _linked(function, row, kernel)
    except BadInput as error:  # the object has one function, the kernel several
        return msgspec.structs.replace(body, note=_joined(body.note, f"in the linked kernel {error.what}"))
    if linked is None:
        return body
    executions = answers.executed(runs.directory, label, runs.metric, runs.settings).places
    return _with(body, row, linked[1], counted(*linked, executions, profiled.profile.operations))


def _linked(function: str, row: FoundCode, kernel: KernelArtifact) -> tuple[FunctionCode, Listing] | None:
    """The function in the kernel's image. Raises BadInput if it may be several."""
    if row.kernel is not None:
        return (row.function, row.code) if row.function and row.code else None
    code = Image(kernel).find(function)
    return (code, listing(code)) if code is not None else None


def _with(body: Body, row: FoundCode, linked: Listing, counts: Counted) -> Body:
    """An object's instructions get the linked kernel's counts only if both have the same instructions."""
    body = msgspec.structs.replace(body, executed=counts.executed)
    if row.code is not None and same_shape(row.code.instructions, linked.instructions):
        return msgspec.structs.replace(body, instructions=with_counts(body.instructions, counts.counts))
    return msgspec.structs.replace(body, note=_joined(body.note, LINKED_IS_OTHER))


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))
