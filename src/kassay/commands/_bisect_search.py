# SPDX-License-Identifier: GPL-2.0-only
"""`kassay bisect`: build the question from the options, search, and answer."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET, structs

from kassay.commands._answer import deliver, show_commands
from kassay.commands._bisect_options import Searching
from kassay.commands._experiment import checked_from, directory_for, experiment_from, one_workload, words_of
from kassay.commands._options import Measuring
from kassay.commands._show import say, showing
from kassay.commands._together import check_together
from kassay.errors import BadInput, nearest_of
from kassay.model.bisect import SearchQuestion
from kassay.model.experiment import Experiment
from kassay.model.kernel import full_ref, parse_ref, with_compiler
from kassay.model.progress import Progress, Tell
from kassay.report.formats import format_named
from kassay.supply.clocks import profiling

if TYPE_CHECKING:
    from kassay.tools.search.candidates import Range

_STEPS = ("all", "largest")
_UNUSED = {"--step": ("kernels", "--every", "--steps", "--compilers", "--plan", "--fresh", "--format", "--exit-code")}


def searched(workload: str, kernels: list[str], searching: Searching, options: Measuring) -> int:
    """Searches, or resumes an earlier search, and answers; returns the exit status."""
    field, options = _field_of(options)
    workload, kernels = words_of(workload, kernels, options)
    searching = replace(searching, good=full_ref(searching.good), bad=full_ref(searching.bad))
    kernels = [full_ref(ref) for ref in kernels]
    _check(workload, kernels, searching, options)
    compilers = tuple(filter(None, searching.compilers.split(",")))
    ends = kernels or [searching.good, searching.bad]
    built = [with_compiler(end, options.arch, compiler) for compiler in compilers for end in ends]
    experiment = _check_inputs(workload, [*ends, *built], options)
    if options.plan:  # of the ends; the candidates between them get the same commands
        return show_commands(experiment, directory_for(experiment, options.out, options.fresh), options.reach)
    chosen = format_named(options.format_)
    from kassay import pipeline
    from kassay.tools.search import loop
    from kassay.tools.search.candidates import with_same_files
    from kassay.tools.search.probe import prober

    measure = with_same_files(partial(pipeline.measure, cluster=options.cluster, reach=options.reach), ends)
    with showing() as tell:
        range_ = _range(kernels, searching, options, tell)
        asked = (searching.good, searching.bad) if range_.kind == "releases" else None
        question = _question(workload, range_, searching, options, asked)
        question = structs.replace(question, state=field or UNSET, compilers=compilers or UNSET)
        if compilers and not (range_.kind == "configuration" and question.one_boot_decides and not field):
            raise BadInput("--compilers: for the cost of two configurations by exact counts",
                           "give build: ends that differ in config= alone, and no --state")  # fmt: skip
        if field and not question.one_boot_decides:
            raise BadInput("--state: one boot of a kernel must give its state", f"add --clock {profiling()[0]}")
        directory = _directory(question, options)
        question = loop.resumed(question, directory)
        _announce(question, directory, tell)
        bisection = loop.search(question, directory, tell, prober(measure))
        loop.conclude(question, directory, bisection, tell, measure)
        report = pipeline.answer(directory, tell)
    deliver(report, chosen, directory)
    return options.passing.status(report)


def replayed(directory: Path) -> int:
    """Makes every decision again from the log alone. Raises BadInput if a decision differs."""
    from kassay.tools.search import log, loop

    differ = loop.replay(directory)
    if differ:
        raise BadInput(f"{directory}: replayed, it does not come to the same\n  " + "\n  ".join(differ))
    say(f"{directory}: {len(log.read(directory))} boots replayed, every decision comes to the same\n")
    return 0


def one_step(workload: str, searching: Searching, options: Measuring) -> int:
    """Compares one kernel with the two ends; returns a status for `git bisect run`."""
    from kassay.commands._bisect_step import guarded

    return guarded(lambda: _step(words_of(workload, [], options)[0], searching, options))


def _step(workload: str, searching: Searching, options: Measuring) -> int:
    from kassay.commands._bisect_step import step

    check_together(unused=_UNUSED)
    if options.out is None:
        raise BadInput("--step: needs --out, where the two ends are kept")
    if not (searching.good and searching.bad):
        raise BadInput("--step: needs --good and --bad")
    from kassay import pipeline
    from kassay.tools.search.candidates import listed
    from kassay.tools.search.probe import prober

    whole = replace(searching, steps="all", good=full_ref(searching.good), bad=full_ref(searching.bad))
    _check(workload, [], whole, options)
    _check_inputs(workload, [whole.good, whole.bad, searching.head], options)
    ends = _question(workload, listed((whole.good, whole.bad)), whole, options)
    with showing() as tell:
        measure = partial(pipeline.measure, cluster=options.cluster, reach=options.reach)
        return step(ends, searching.head, options.out, tell, prober(measure))


def _check(workload: str, kernels: list[str], searching: Searching, options: Measuring) -> None:
    good, bad = bool(searching.good), bool(searching.bad)
    problems = [] if workload else ["WORKLOAD: missing; `kassay workloads` lists them"]
    if bool(kernels) == (good or bad) or good != bad:
        problems.append("give either --good and --bad, or a list of kernels")
    if searching.steps not in _STEPS:
        problems.append(f"--steps: unknown {searching.steps!r}; {nearest_of(searching.steps, _STEPS)}")
    if not 0 < searching.error_rate <= 0.2:
        problems.append(f"--error-rate {searching.error_rate:g}: outside 0..0.2; 0.01 means 1 %")
    if options.cmdline_base or options.cmdline_head:
        problems.append("--cmdline-base, --cmdline-head: a search has no sides; use --cmdline")
    if options.match:
        problems.append("--match: a search looks at kernels one by one; use --cmdline preempt=full")
    if "," in options.clock + options.cpus + options.memory or any(
        "," in text.partition("=")[2] for text in options.set_ or []
    ):
        problems.append("a bisection follows one value: one clock, one setting, one machine")
    if problems:
        raise BadInput("\n".join(problems))


def _field_of(options: Measuring) -> tuple[str, Measuring]:
    """The field of the state to search by, and the options without it. To a program --state means something else."""
    fields = options.state or []
    if options.program or not fields:
        return "", options
    if len(fields) > 1:
        raise BadInput("--state: a search follows one field of the state", "give one --state")
    return fields[0], replace(options, state=None)


def _check_inputs(workload: str, kernels: list[str], options: Measuring) -> Experiment:
    """The experiment of the ends. Raises BadInput or HostLacks before the range is looked up, where anything that was
    given is not there."""
    return checked_from("ladder", "" if options.program else one_workload(workload), kernels, options)[0]


def _range(kernels: list[str], searching: Searching, options: Measuring, tell: Tell) -> "Range":
    from kassay.supply import kernels as kernel_store
    from kassay.tools.search.candidates import between, listed

    if kernels:  # a file or a branch may change before the search ends, or before it is resumed
        return listed(kernels, [kernel_store.pinned(parse_ref(ref, options.arch), tell) for ref in kernels])
    return between(searching.good, searching.bad, options.arch, options.flavour, searching.every, tell)


def _question(workload: str, range_: "Range", searching: Searching, options: Measuring,
              asked: tuple[str, str] | None = None) -> SearchQuestion:  # fmt: skip
    """asked: the ends as the user wrote them, if the same words must find the same search again later."""
    ends = asked or (range_.candidates[0].ref, range_.candidates[-1].ref)
    return SearchQuestion(
        kind=range_.kind, range=range_.text, candidates=range_.candidates, notes=range_.notes, steps=searching.steps,
        error_rate=searching.error_rate, probe=_probe(workload, ends[0], options),
        compare=experiment_from("compare", workload, ends, options),
    )  # fmt: skip


def _probe(workload: str, ref: str, options: Measuring) -> Experiment:
    """The experiment of one boot, without a trace: time is predicted only for the culprit.

    No retries where time is measured: there the search itself replaces a failed boot by another one."""
    alone = replace(options, repeats=1, perturb=0, no_control=True, predict="", trace_budget="")
    once = experiment_from("value", workload, (ref,), alone)
    return once if once.repeats_exactly else structs.replace(once, retries=0)


def _directory(question: SearchQuestion, options: Measuring) -> Path:
    name = f"bisect-{question.probe.workloads[0].name}"
    return directory_for(structs.replace(question.compare, name=name), options.out, options.fresh)


def _announce(question: SearchQuestion, directory: Path, tell: Tell) -> None:
    count = len(question.candidates) - 1
    tell(Progress(stage="bisect", subject=question.range, text=f"{count} candidates; kept in {directory}"))
    for note in question.notes:
        tell(Progress(stage="bisect", subject="range", text=note))
