# SPDX-License-Identifier: GPL-2.0-only
"""The answer: what each application in these directories of runs has to do with the sought functions."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import UNSET, structs

from kassay import __version__
from kassay.journal.directory import open_directory
from kassay.labs.notice.applications import noticed_in
from kassay.labs.notice.finding import Looked
from kassay.labs.notice.kernels import Wanted, kernels_in, other_images
from kassay.labs.notice.model import Notice, Noticed, SoughtFunction, Subject
from kassay.labs.notice.names import check_in_runs
from kassay.labs.notice.record import RecordedCalls, recorded_calls
from kassay.labs.notice.representative import representative
from kassay.labs.notice.subject import named
from kassay.model.experiment import Experiment, labels
from kassay.model.progress import Progress, Tell
from kassay.model.records import grouped
from kassay.model.texts import counted, listed, shortened
from kassay.model.units import format_number
from kassay.supply.arches import arch_of

_SCOPE = "Instructions executed, counted by an emulator; an instruction is not a nanosecond."
RECORDED = "recorded"
"""Inside a directory of runs: recordings of the same applications, which are no part of the measurement."""
_HALF = 0.5
_ORDER = ("noticed", "below", "executed", "unexecuted", "unknown")


def looked_for_named(functions: Sequence[str], wanted: Wanted) -> Looked:
    """Functions that the user named, each with all that it calls."""
    labels = [kernel.label for kernel in wanted.all]
    sought = tuple(SoughtFunction(function=name, whole=True) for name in functions)
    subject = Subject(workload="", base=labels[0], head=labels[1] if len(labels) > 1 else "", functions=sought)
    return Looked(wanted, named(functions), subject)


def answer(
    looked: Looked, directories: Sequence[Path], names: Sequence[str], tell: Tell, known: Sequence[Noticed] = ()
) -> Notice:
    """names: of the requested applications; without any, all applications of the directories. If several directories
    have an application, the first one counts. known: answers that need no runs. Raises BadInput for a function that a
    kernel lacks."""
    applications: dict[tuple[str, object], Noticed] = {}
    disclosures = []
    for number, directory in enumerate(directories, 1):
        if not looked.subject.workload:
            check_in_runs(looked.sought.whole, directory, looked.wanted)
        for application in noticed_in(directory, looked.wanted, looked.sought, tell):
            if not names or application.application in names:
                applications.setdefault((application.application, application.settings), application)
            tell(Progress(stage="notice", subject=f"{number}/{len(directories)}", text=application.application))
        for label in other_images(directory, looked.wanted):
            disclosures.append(f"The runs of {directory} are of another image of {label} than the finding.")
    found = (*applications.values(), *known)
    return Notice(
        subject=looked.subject, applications=tuple(sorted(found, key=_rank)),
        disclosures=(*disclosures, *_disclosures(looked, found)), kassay_version=__version__,
    )  # fmt: skip


def with_sizes(notice: Notice, looked: Looked, tell: Tell, *, make: bool) -> Notice:
    """The answer, with the sizes of calls of each application that executes the functions, recorded in a further run on
    the last kernel; existing recordings are used again. make: whether missing ones are made."""
    calls: dict[tuple[object, ...], RecordedCalls] = {}
    executing = [
        application
        for application in notice.applications
        if application.verdict in ("noticed", "below", "executed") and application.directory
    ]
    for directory in dict.fromkeys(application.directory for application in executing):
        names = {application.application for application in executing if application.directory == directory}
        experiment = _experiment_of(Path(directory), looked, names)
        for recorded_call in recorded_calls(experiment, Path(directory, RECORDED), tell, make=make):
            calls[directory, recorded_call.application, recorded_call.settings] = recorded_call
    of_each = [calls.get((each.directory, each.application, each.settings)) for each in notice.applications]
    sized = tuple(map(_sized, notice.applications, of_each))
    texts = [text for application, recorded in zip(sized, of_each, strict=True)
             for text in _doubts(application, recorded)]  # fmt: skip
    return structs.replace(notice, applications=sized, disclosures=(*notice.disclosures, *texts))


def with_parameters(notice: Notice, directory: Path) -> Notice:
    """The answer, with parameters that make the finding's workload similar to the applications. directory: of the
    finding."""
    plan = open_directory(directory).plan
    page_bytes = arch_of(plan.experiment.arch).page_bytes
    workload = next(candidate for candidate in plan.workloads if candidate.name == notice.subject.workload)
    commands = representative(notice.subject, workload, notice.applications, page_bytes)
    return structs.replace(notice, representative=commands)


def _doubts(application: Noticed, recorded: RecordedCalls | None) -> Iterator[str]:
    """Notes on the sizes: what is missing, and where recorded and counted numbers of calls differ."""
    if recorded is None:
        return
    if recorded.problem:
        yield f"{application.application}: no sizes of calls ({recorded.problem})."
    if recorded.lost:
        yield f"{application.application}: {recorded.lost} events were lost, so that sizes lack some calls."
    if recorded.whole:
        yield f"{application.application}: sizes are of the whole run, its setup included."
        return
    for size in recorded.sizes:
        counted = next(
            (entry.head_calls or entry.base_calls for entry in application.entries if entry.entry == size.what), None
        )
        each = size.calls / size.executions
        if counted is not None and abs(each - counted * application.operations) > _HALF:
            counts = f"{format_number(each)} calls of {size.what} were recorded in an execution"
            yield f"{application.application}: {counts}, and {format_number(counted * application.operations)} counted."


def _sized(application: Noticed, recorded: RecordedCalls | None) -> Noticed:
    return application if recorded is None else structs.replace(application, sizes=recorded.sizes)


def _experiment_of(directory: Path, looked: Looked, names: set[str]) -> Experiment:
    """The experiment of a directory, reduced to these workloads and to the last kernel."""
    experiment = open_directory(directory).plan.experiment
    label = kernels_in(directory, looked.wanted)[-1]
    use = experiment.kernels[labels(experiment).index(label)]
    workloads = tuple(workload for workload in experiment.workloads if workload.name in names)
    return structs.replace(experiment, question="value", kernels=(use,), workloads=workloads, predict=UNSET)


def _rank(application: Noticed) -> tuple[int, float, str]:
    """Sort key: by verdict in the order of _ORDER, then the largest cost first."""
    if application.bounds is not None:
        weight = max(map(abs, application.bounds))
    elif application.share is not None:
        weight = abs(application.share)
    else:
        weight = sum(f.base or 0 for f in application.functions)
    return _ORDER.index(application.verdict), -weight, application.application


def _disclosures(looked: Looked, applications: Sequence[Noticed]) -> tuple[str, ...]:
    texts = [_SCOPE, *_origins(applications)]
    if any(application.evidence not in ("exact", "") for application in applications):
        texts.append("Not all counts are called exact, as nothing was moved that should not matter, or runs differ.")
    for application in applications:
        if application.floor and application.share and application.floor > abs(application.share):
            apart = f"runs that should agree differ by {100 * application.floor:.2g} % of all instructions"
            texts.append(f"{application.application}: {apart}, more than the functions cost more or less.")
    explained = looked.subject.explained
    if explained is not None and abs(explained - 1) > _UNEXPLAINED:
        texts.append(f"The functions hold {100 * explained:.3g} % of the finding's difference, smaller parts the rest.")
    return tuple(texts)


def _origins(applications: Sequence[Noticed]) -> Iterator[str]:
    """A sentence for each set of measurements that answers were taken from."""
    known = [(application.origin, application.application) for application in applications if application.origin]
    for origin, names in grouped(known).items():
        each = zip(origin.kernels, origin.runs, origin.dates, strict=True)
        runs = "; ".join(f"{kernel}, {counted(n, 'run')} until {date}" for kernel, n, date in each)
        some = listed(shortened(list(dict.fromkeys(names)), 6))
        emulator = f"; {origin.emulator}" if origin.emulator else ""
        text = f"From the atlas, not measured for this answer: {some} ({runs}{emulator})."
        yield f"{text} --no-atlas measures, which also shows the system calls and the sizes of calls."


_UNEXPLAINED = 0.1
"""If a larger share of the finding's difference is outside of the functions, a note says so."""
