# SPDX-License-Identifier: GPL-2.0-only
"""The answer: what every application of some directories of runs says of the sought functions."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import UNSET, structs

from kassay import __version__, pipeline
from kassay.arches import arch_of
from kassay.errors import BadInput, nearest
from kassay.journal.directory import open_directory
from kassay.model.experiment import Experiment, labels
from kassay.model.notice import Notice, Noticed, SoughtFunction, Subject
from kassay.model.profile import base_name
from kassay.model.progress import Progress, Tell
from kassay.model.units import format_number
from kassay.notice.applications import noticed_in
from kassay.notice.finding import Looked
from kassay.notice.kernels import Wanted, kernels_in, other_images
from kassay.notice.record import RecordedCalls, recorded_calls
from kassay.notice.representative import representative
from kassay.notice.subject import named

_SCOPE = "Instructions executed, counted by an emulator; an instruction is not a nanosecond."
RECORDED = "recorded"
"""Inside a directory of runs: what was recorded of the same applications, beside the runs that count."""
_HALF = 0.5
_ORDER = ("noticed", "below", "executed", "unexecuted", "unknown")


def looked_for_named(functions: Sequence[str], wanted: Wanted) -> Looked:
    """Functions that the user named, each with all that it calls."""
    labels = [one.label for one in wanted.all]
    found = tuple(SoughtFunction(function=name, whole=True) for name in functions)
    subject = Subject(workload="", base=labels[0], head=labels[1] if len(labels) > 1 else "", functions=found)
    return Looked(wanted, named(functions), subject)


def answer(looked: Looked, directories: Sequence[Path], names: Sequence[str], tell: Tell) -> Notice:
    """names: of the applications that are asked about, all of the directories' by default. The first directory that has
    one answers for it. Raises BadInput for a function that no kernel has."""
    found: dict[tuple[str, object], Noticed] = {}
    disclosures = []
    for number, directory in enumerate(directories, 1):
        if not looked.subject.workload:
            _check_names(looked, directory)
        for one in noticed_in(directory, looked.wanted, looked.sought, tell):
            if not names or one.application in names:
                found.setdefault((one.application, one.settings), one)
            tell(Progress(stage="notice", subject=f"{number}/{len(directories)}", text=one.application))
        for label in other_images(directory, looked.wanted):
            disclosures.append(f"The runs of {directory} are of another image of {label} than the finding.")
    return Notice(
        subject=looked.subject, applications=tuple(sorted(found.values(), key=_rank)),
        disclosures=(*disclosures, *_disclosures(looked, tuple(found.values()))), kassay_version=__version__,
    )  # fmt: skip


def with_sizes(notice: Notice, looked: Looked, tell: Tell, *, make: bool) -> Notice:
    """The answer, with the sizes of calls of each application that executes the functions, recorded in a further run on
    the last kernel; what is in the directories of runs already is not recorded again. make: whether what is not there
    is recorded."""
    found: dict[tuple[str, str], RecordedCalls] = {}
    executing = [
        application for application in notice.applications if application.verdict in ("noticed", "below", "executed")
    ]
    for directory in dict.fromkeys(one.directory for one in executing):
        names = {one.application for one in executing if one.directory == directory}
        experiment = _experiment_of(Path(directory), looked, names)
        for recorded_call in recorded_calls(experiment, Path(directory, RECORDED), tell, make=make):
            found[directory, recorded_call.application] = recorded_call
    sized = tuple(
        _sized(application, found.get((application.directory, application.application)))
        for application in notice.applications
    )
    texts = [text for one in sized for text in _doubts(one, found.get((one.directory, one.application)))]
    return structs.replace(notice, applications=sized, disclosures=(*notice.disclosures, *texts))


def with_parameters(notice: Notice, directory: Path) -> Notice:
    """The answer, with the parameters that make the finding's workload like what applications do. directory: of the
    finding."""
    plan = open_directory(directory).plan
    page_bytes = arch_of(plan.experiment.arch).page_bytes
    workload = next(one for one in plan.workloads if one.name == notice.subject.workload)
    found = representative(notice.subject, workload, notice.applications, page_bytes)
    return structs.replace(notice, representative=found)


def _doubts(one: Noticed, recorded: RecordedCalls | None) -> Iterator[str]:
    """What a reader must know of the sizes: what is missing, and where another number of calls was counted."""
    if recorded is None:
        return
    if recorded.problem:
        yield f"{one.application}: no sizes of calls ({recorded.problem})."
    if recorded.lost:
        yield f"{one.application}: {recorded.lost} events were lost, so that sizes lack some calls."
    if recorded.whole:
        yield f"{one.application}: sizes are of the whole run, its setup included."
        return
    for size in recorded.sizes:
        counted = next(
            (entry.head_calls or entry.base_calls for entry in one.entries if entry.entry == size.what), None
        )
        each = size.calls / size.executions
        if counted is not None and abs(each - counted * one.operations) > _HALF:
            counts = f"{format_number(each)} calls of {size.what} were recorded in an execution"
            yield f"{one.application}: {counts}, and {format_number(counted * one.operations)} counted."


def _sized(one: Noticed, recorded: RecordedCalls | None) -> Noticed:
    return one if recorded is None else structs.replace(one, sizes=recorded.sizes)


def _experiment_of(directory: Path, looked: Looked, names: set[str]) -> Experiment:
    """What was measured there, of these workloads, on the last kernel alone."""
    experiment = open_directory(directory).plan.experiment
    label = kernels_in(directory, looked.wanted)[-1]
    use = experiment.kernels[labels(experiment).index(label)]
    workloads = tuple(workload for workload in experiment.workloads if workload.name in names)
    return structs.replace(experiment, question="value", kernels=(use,), workloads=workloads, predict=UNSET)


def _rank(one: Noticed) -> tuple[int, float, str]:
    """Those that it costs most first, those that do not execute it, and those without an answer, last."""
    weight = abs(one.share) if one.share is not None else sum(f.base or 0 for f in one.functions)
    return _ORDER.index(one.verdict), -weight, one.application


def _check_names(looked: Looked, directory: Path) -> None:
    known = {base_name(name) for name in pipeline.functions_of(directory, kernels_in(directory, looked.wanted))}
    for name in looked.sought.whole:
        if name not in known:
            near = nearest(name, known)
            guess = f"did you mean {near}? " if near else ""
            what = f"no function {name} in {' or '.join(one.label for one in looked.wanted.all)}"
            raise BadInput(what, f"{guess}A function that the compiler inlined is part of its caller: name that one")


def _disclosures(looked: Looked, found: Sequence[Noticed]) -> tuple[str, ...]:
    texts = [_SCOPE]
    if any(one.evidence not in ("exact", "") for one in found):
        texts.append("Not all counts are called exact, as nothing was moved that should not matter, or runs differ.")
    for one in found:
        if one.floor and one.share and one.floor > abs(one.share):
            apart = f"runs that should agree differ by {100 * one.floor:.2g} % of all instructions"
            texts.append(f"{one.application}: {apart}, more than the functions cost more or less.")
    explained = looked.subject.explained
    if explained is not None and abs(explained - 1) > _UNEXPLAINED:
        texts.append(f"The functions hold {100 * explained:.3g} % of the finding's difference, smaller parts the rest.")
    return tuple(texts)


_UNEXPLAINED = 0.1
"""Share of a finding's difference outside of the functions, from which on it is said."""
