# SPDX-License-Identifier: GPL-2.0-only
"""`kassay notice`: look up the change, measure applications, and show the answer."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay import pipeline
from kassay.commands._experiment import directory_for, experiment_from
from kassay.commands._inputs import check_directory, check_kernels
from kassay.commands._options import FLAVOUR, Measuring
from kassay.commands._set_option import one_value_each
from kassay.commands._show import keep_answer, say_answer, showing
from kassay.commands._together import check_together, given_options
from kassay.errors import BadInput, HostLacks
from kassay.journal.directory import open_directory
from kassay.labs.notice.answer import answer as answered
from kassay.labs.notice.answer import looked_for_named, with_parameters, with_sizes
from kassay.labs.notice.commands._names import check_before
from kassay.labs.notice.commands._options import Noticing
from kassay.labs.notice.finding import Looked, looked_for
from kassay.labs.notice.from_atlas import from_atlas
from kassay.labs.notice.kernels import Kernel, Wanted, kernels_in
from kassay.labs.notice.model import Noticed
from kassay.labs.notice.report import NOTICE
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.kernel import KernelRef, full_ref, parse_ref
from kassay.model.progress import Tell
from kassay.spec.load import suite_workloads
from kassay.spec.suites import suites
from kassay.supply import kernels
from kassay.supply.archive.versions import choose
from kassay.supply.guest import catalog
from kassay.supply.prepare.pin import pin_experiment
from kassay.tools.atlas.read import Atlas, reading_atlas

_FUNCTION = re.compile(r"[A-Za-z_][\w.]*")
_MOST = 2
_SUITE = "apps"
_HOW = ("rounds", "repeats", "perturb", "boot", "memory", "predict", "fresh")
"""Options that say how to measure."""
_OF_RUNS = frozenset(f"--{name}" for name in (*_HOW, "timeout", "out", "cluster"))
"""Options that do nothing where nothing is measured."""
_ELSEWHERE = ("timeout", "fresh", "cluster", "format_")
"""Fields of the options that are no part of the question."""


class _Words(NamedTuple):
    directory: Path | None
    functions: tuple[str, ...]
    kernels: tuple[str, ...]


def answer(words: Sequence[str], options: Noticing) -> int:
    """Prints the answer and writes it into the directory of the runs. Returns 0, or 4 when no application
    has an answer. Raises BadInput.
    """
    form = NOTICE.form(options.format_)
    asked = _read(words)
    check_together({} if asked.directory is not None else {"--set": ("a directory of runs",)})
    if not options.measure and (useless := sorted(given_options() & _OF_RUNS)):
        raise BadInput(f"{useless[0]}: does nothing with --no-measure", "leave out one of them")
    check_directory(options.out)
    for run in options.runs or ():
        open_directory(run)
    settings = one_value_each(options.set_ or (), "workload=mprotect_toggle")
    if asked.directory is not None:
        looked = looked_for(asked.directory, asked.kernels, settings)
    else:
        looked = looked_for_named(asked.functions, _wanted(asked.kernels))
    uses = _applications(options)
    for use in uses:
        catalog.check_name(use.name)
    refs = [parse_ref(kernel.use.ref, options.arch) for kernel in looked.wanted.all]
    if options.measure:  # one of the archive may be in the atlas alone
        check_kernels([ref for ref in refs if ref.kind != "debian"], FLAVOUR)
    with showing() as tell:
        named = tuple(use.name for use in uses)
        in_runs = {workload for directory in options.runs or () for workload in _workloads(directory, looked)}
        known = _known(looked, [use for use in uses if use.name not in in_runs], options, tell)
        have = in_runs | {application.application for application in known}
        missing = tuple(use for use in uses if use.name not in have)
        directories = [*(options.runs or ()), *_measured(looked, missing, options, tell)]
        if not (directories or known):
            of = f" for {', '.join(asked.functions)}" if asked.functions else ""
            raise BadInput(f"the atlas has no answer{of}, and no runs of applications were named",
                           "check the names; leave out --no-measure, or name some with --runs")  # fmt: skip
        if not options.measure:
            known = (*known, *map(_undecided, missing))
        notice = answered(looked, directories, named, tell, known)
        if options.sizes:
            notice = with_sizes(notice, looked, tell, make=options.measure)
            notice = with_parameters(notice, asked.directory) if asked.directory is not None else notice
    notice = structs.replace(notice, commands=(_again(words, options),))
    made = [directory for directory in directories if directory not in (options.runs or ())]
    directory = asked.directory or next(iter(made), None)
    if directory is not None:
        keep_answer(notice, NOTICE, directory, "notice")
    say_answer(notice, form)
    return 0 if any(application.verdict != "unknown" for application in notice.applications) else 4


def _known(looked: Looked, uses: Sequence[WorkloadUse], options: Noticing, tell: Tell) -> tuple[Noticed, ...]:
    """Answers that the atlas decides. It is not asked by those who choose how it is to be measured."""
    usual = Noticing()
    asks_more = any(getattr(options, name) != getattr(usual, name) for name in _HOW)
    if not uses or asks_more or not options.atlas:
        return ()
    with reading_atlas(tell) as atlas:
        locators = [
            "" if kernel.image_sha256 else _locator(parse_ref(kernel.use.ref, options.arch), atlas, tell)
            for kernel in looked.wanted.all
        ]
        return from_atlas(looked, uses, atlas, options.arch, locators)


def _locator(ref: KernelRef, atlas: Atlas, tell: Tell) -> str:
    """The package version that a reference names; without the archive's lists the newest one of the atlas."""
    if ref.kind != "debian":
        return ""
    try:
        listed = [version.version for version in kernels.versions(ref.kind, ref.arch, FLAVOUR, tell)]
    except HostLacks:
        listed = []
    known = [kernel.locator for kernel in atlas.kernels.values() if kernel.arch == ref.arch and kernel.locator]
    return choose(ref.locator, listed) or choose(ref.locator, known) or ""


def _undecided(use: WorkloadUse) -> Noticed:
    problem = "neither the atlas nor the runs have an answer; leave out --no-measure"
    return Noticed(application=use.name, verdict="unknown", problem=problem)


def _again(words: Sequence[str], options: Noticing) -> str:
    """The command for the same question, with all options but those that say where it runs and how it is shown."""
    chosen: list[str] = []
    for each in fields(options):
        name, value = f"--{each.name.rstrip('_')}", getattr(options, each.name)
        if value == each.default or each.name in _ELSEWHERE:
            continue
        if value is False:
            chosen.append(f"--no-{name[2:]}")
        else:
            chosen += [word for one in (value if isinstance(value, list) else [value]) for word in (name, str(one))]
    return shlex.join(("kassay", "notice", *words, *chosen))


def _read(words: Sequence[str]) -> _Words:
    """The words of the command line: a directory or functions, then kernels."""
    first = Path(words[0])
    if (first / "plan.json").exists():
        kernels = tuple(words[1:])
        if len(kernels) not in (0, _MOST):
            raise BadInput(
                f"{words[0]} {' '.join(kernels)}: a change is from one kernel to another", "name two kernels"
            )
        return _Words(first, (), kernels)
    kernels = tuple(word for word in words if _is_kernel(word))
    functions = tuple(word for word in words if not _is_kernel(word))
    strange = next((word for word in functions if not _FUNCTION.fullmatch(word)), None)
    if strange is not None:
        raise BadInput(f"{strange!r}: neither a directory of runs nor a function's name",
                       "name a directory that compare or ladder made, or functions of the kernel")  # fmt: skip
    if not functions or not 1 <= len(kernels) <= _MOST:
        raise BadInput("functions are looked for on one kernel, or on two to see what a change costs",
                       "write FUNCTION... KERNEL [KERNEL], for example change_protection 6.16 6.17")  # fmt: skip
    return _Words(None, functions, kernels)


def _is_kernel(word: str) -> bool:
    return ":" in full_ref(word)


def _wanted(words: Sequence[str]) -> Wanted:
    kernels = [Kernel(full_ref(word), KernelUse(ref=full_ref(word))) for word in words]
    if len({kernel.label for kernel in kernels}) < len(kernels):
        raise BadInput(f"{' '.join(words)}: the same kernel twice", "name two kernels, or one")
    return Wanted(kernels[0], kernels[1] if len(kernels) > 1 else None)


def _applications(options: Noticing) -> tuple[WorkloadUse, ...]:
    """The suite's applications, or those of --apps with their settings in the suite; none means all that --runs has."""
    names = tuple(filter(None, options.apps.split(",")))
    if options.runs and not (names or options.suite):
        return ()
    suite = suite_workloads(options.suite or _SUITE) if options.suite or not names or _SUITE in suites() else ()
    of_suite = {use.name: use for use in suite}
    return tuple(of_suite.get(name) or WorkloadUse(name=name) for name in dict.fromkeys(names)) or suite


def _measured(looked: Looked, uses: Sequence[WorkloadUse], options: Noticing, tell: Tell) -> list[Path]:
    """Measures these applications; returns the directory of the runs, none if there is nothing to measure.

    Raises BadInput or HostLacks for a kernel that is not there, before any is fetched."""
    if not uses or not options.measure:
        return []
    check_kernels([parse_ref(kernel.use.ref, options.arch) for kernel in looked.wanted.all], FLAVOUR)
    experiment = pin_experiment(_experiment(looked, uses, options), tell)
    directory = directory_for(experiment, options.out, options.fresh)
    if not looked.subject.workload:
        check_before(looked.sought.whole, experiment, tell)
    pipeline.measure(experiment, directory, tell, cluster=options.cluster)
    return [directory]


def _workloads(directory: Path, looked: Looked) -> tuple[str, ...]:
    """The workloads of a directory. Raises BadInput if it lacks one of the kernels in question."""
    kernels_in(directory, looked.wanted)
    return tuple(use.name for use in open_directory(directory).plan.experiment.workloads)


def _experiment(looked: Looked, uses: Sequence[WorkloadUse], options: Noticing) -> Experiment:
    measuring = Measuring(
        suite=options.suite or _SUITE, rounds=options.rounds, repeats=options.repeats, perturb=options.perturb,
        boot=options.boot, memory=options.memory, arch=options.arch, predict=options.predict, timeout=options.timeout,
    )  # fmt: skip
    kernels = looked.wanted.all
    question = "compare" if len(kernels) > 1 else "value"
    name, refs = options.suite or _SUITE, [kernel.use.ref for kernel in kernels]
    whole = experiment_from(question, name, refs, measuring, tuple(uses))
    return structs.replace(whole, kernels=tuple(kernel.use for kernel in kernels))
