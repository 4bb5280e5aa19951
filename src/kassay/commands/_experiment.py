# SPDX-License-Identifier: GPL-2.0-only
"""The experiment that a command line asks for, and the directory of its runs."""

import hashlib
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from msgspec import UNSET, UnsetType, structs

from kassay.commands._exit import ALLOWING, Passing
from kassay.commands._inputs import check_answer, check_directory, check_experiment
from kassay.commands._options import DEFAULT_CLOCK, ROUNDS, SUITE_ROUNDS, Measuring, pairs
from kassay.commands._show import showing
from kassay.commands._suite import experiment_of_file, possible_part, say_left_out
from kassay.commands._together import check_together, given_options
from kassay.errors import BadInput
from kassay.model.application import ROUNDS as APPLICATION_ROUNDS
from kassay.model.application import TIMEOUT_S, Application, memory_for
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.kernel import OWN_CPU, full_ref
from kassay.model.machine import STATE
from kassay.model.program import LEAST_MS, MOST_MS, ProgramUse, name_of
from kassay.model.records import Record, content_id
from kassay.model.units import parse_bytes
from kassay.spec.load import check, suite_workloads
from kassay.supply.applications import application, is_application
from kassay.supply.arches import arches
from kassay.supply.clocks import Clock, clock_of, listed, measuring
from kassay.supply.guest import program_source
from kassay.supply.machines import clock_and_machine

NEEDS = {
    **dict.fromkeys(("--reset", "--start", "--boot-limit"), ("--on",)),
    "--trace-budget": ("--predict",),
    "--limit": ("--program",),
    **ALLOWING,
}
"""Options of a measurement that do nothing without another one."""
_COMMAND_LINE = "command line"
_PLACE = re.compile(rf"{_COMMAND_LINE}: (?:workloads\[\d+\]\.)?(\w+)(?:\[\d+\])?(?:\.(\w+))?: ")
"""Place of a problem in an experiment: a field, an entry of it, or a field of a workload."""


def experiments_from(
    question: str, workload: str, kernels: Sequence[str], options: Measuring
) -> tuple[Experiment, Experiment | None]:
    """The experiment that a command line asks for, and, with two clocks, the one that measures time. Raises BadInput.

    With two clocks --repeats is the number of timed boots. Kernels to be built are named by their content.
    """
    counts, times = checked_from(question, workload, kernels, options)
    counts, times = with_applications(counts), times and with_applications(times)
    from kassay.supply.prepare.pin import pin_experiment

    with showing() as tell:
        counts, times = pin_experiment(counts, tell), times and pin_experiment(times, tell)
        if not options.match:
            return counts, times
        from kassay.supply.prepare.match import match_preemption

        counts = check(match_preemption(counts, tell), "--match preempt")
    return counts, times and check(structs.replace(times, kernels=counts.kernels), "--match preempt")


def checked_from(
    question: str, workload: str, kernels: Sequence[str], options: Measuring
) -> tuple[Experiment, Experiment | None]:
    """Both experiments with every input checked, before anything is fetched or built. Raises BadInput, HostLacks.

    Applications are not resolved to packages yet.
    """
    counts, times = _asked(question, *words_of(workload, kernels, options), options)
    say_left_out(counts, options.suite)
    experiments = tuple(filter(None, (counts, times)))
    check_answer(options, *experiments)
    for experiment in experiments:
        check_experiment(experiment)
    return counts, times


def experiment_in(spec: Path, passing: Passing, predict: str) -> Experiment:
    """The experiment that a file asks for, kernels to be built named by their content. Raises BadInput.

    passing: of --exit-code. predict: CPUs to use instead of the file's, "" for those of the file.
    """
    experiment = predicting(experiment_of_file(spec), predict)
    passing.check(use.name for use in experiment.workloads)
    from kassay.supply.measured import measured_of
    from kassay.supply.prepare.pin import pin_experiment

    with showing() as tell:
        uses = tuple(
            measured_of(use).pin(experiment.arch, tell, spec.parent) if use.program else use
            for use in experiment.workloads
        )
    experiment = structs.replace(experiment, workloads=uses)
    check_experiment(experiment)
    experiment = with_applications(experiment)
    with showing() as tell:
        return pin_experiment(experiment, tell)


def words_of(workload: str, kernels: Sequence[str], options: Measuring) -> tuple[str, list[str]]:
    """The workload's name and the kernels. With --program or --suite all words are kernels, and the option gives the
    name."""
    names = [word for word in (workload, *kernels) if word]
    if options.program and options.suite:
        raise BadInput("--program and --suite: each stands in place of a workload", "give one of them")
    if options.program or options.suite:
        return options.suite or name_of(options.program), names
    if not names:
        raise BadInput("WORKLOAD: missing",
                       "`kassay workloads` lists them; --program PATH measures a program of yours")  # fmt: skip
    return names[0], names[1:]


def _asked(
    question: str, workload: str, kernels: Sequence[str], options: Measuring
) -> tuple[Experiment, Experiment | None]:
    check_together(NEEDS)
    first, comma, second = options.clock.partition(",")
    if "--no-control" in given_options() and all(map(_counts, options.clock.split(","))):
        raise BadInput(f"--no-control: clock {options.clock} counts, and has no such boots", "leave it out")
    if not comma:
        return _without_packages(question, workload, kernels, options), None
    if ",".join(clock_and_machine(word)[0] for word in (first, second)) not in pairs():
        raise BadInput(f"--clock {options.clock!r}: not two clocks that can stand side by side",
                       f"write {listed(pairs())}; or one of {', '.join(measuring())}")  # fmt: skip
    if "," in options.cpu:
        raise BadInput(f"--cpu {options.cpu}: several, with two clocks", "name one CPU, or one clock")
    counts = _without_packages(
        question, workload, kernels, replace(options, clock=first, repeats=None, on="", no_control=False)
    )
    # One set of options asks for both: options that only counts have are reset for times.
    boot = "short" if options.boot == "snapshot" else options.boot
    times = replace(
        options, clock=second, perturb=None, profile="auto", boot=boot, predict="", trace_budget="", deferred=""
    )
    return counts, _without_packages(question, workload, kernels, times)


def _counts(clock: str) -> bool:
    """False for an unknown clock, which check() names."""
    found = measuring().get(clock_and_machine(clock)[0])
    return found is not None and not found.timed


def predicting(experiment: Experiment, cpus: str) -> Experiment:
    """The experiment, with runs that record traces for these CPUs; unchanged if `cpus` is empty. Raises BadInput."""
    if not cpus:
        return experiment
    return check(structs.replace(experiment, predict=cpus_to_predict(cpus, experiment.arch)), "--predict")


def cpus_to_predict(text: str, arch: str) -> tuple[str, ...]:
    """Names of timing files, and absolute paths of files that the user named. "all": every CPU of the architecture."""
    from kassay.labs.predict.predictions import shipped_for, timings_for

    if text == "all":
        return shipped_for(arch)
    given = text.split(",")
    timings_for(given, arch)  # refuses two that cannot be told apart
    return tuple(
        str(Path(name).absolute()) if name.endswith(".toml") else next(iter(timings_for((name,), arch)))
        for name in given
    )


def experiment_from(
    question: str, workload: str, kernels: Sequence[str], options: Measuring, uses: tuple[WorkloadUse, ...] = ()
) -> Experiment:
    """The experiment that a command line with one clock asks for. Raises BadInput with every problem.

    uses: workloads to use instead of those of the options.
    """
    return with_applications(_without_packages(question, workload, kernels, options, uses))


def _without_packages(
    question: str, workload: str, kernels: Sequence[str], options: Measuring, uses: tuple[WorkloadUse, ...] = ()
) -> Experiment:
    """See experiment_from(); without the packages of applications."""
    name, machine = clock_and_machine(options.clock)
    clock = measuring().get(name) or clock_of(DEFAULT_CLOCK)  # check() names one that is unknown
    problems: list[str] = []
    uses = uses or _workloads(workload, options, problems)
    known = [application(use.name) for use in uses if not use.program and is_application(use.name)]
    predict = cpus_to_predict(options.predict, options.arch) if options.predict else UNSET
    follows = _followed(predict, options) if known or any(use.program for use in uses) else ""
    experiment = Experiment(
        name=f"{question}-{workload}",
        question=question,
        kernels=tuple(_kernels(kernels, options)),
        workloads=uses,
        clock=name,
        machine=machine or UNSET,
        arch=options.arch,
        cpus=_numbers(options.cpus, "--cpus", int, problems),
        memory_bytes=_numbers(options.memory or memory_for(known), "--memory", parse_bytes, problems),
        paired=options.paired or UNSET,
        on=options.on or UNSET,
        nodes=options.nodes if options.nodes != 1 else UNSET,
        cpu=tuple(options.cpu.split(",")) if options.cpu else UNSET if not follows else (follows,),
        order=options.order,
        repeats=options.repeats if options.repeats is not None else clock.repeats,
        perturb=options.perturb if options.perturb is not None else clock.perturb,
        rounds=options.rounds if options.rounds is not None else _usual_rounds(options, uses, known),
        seed=options.seed,
        margin=options.margin if options.margin is not None else clock.margin,
        control=not options.no_control,
        timeout_s=options.timeout if options.timeout is not None else TIMEOUT_S if known else 120,
        flavour=options.flavour,
        boot=options.boot or _usual_boot(options, clock),
        profile=options.profile,
        quiesce=not options.no_quiesce,
        background=options.background,
        predict=predict,
        trace_budget=options.trace_budget or UNSET,
        deferred=options.deferred or UNSET,
    )
    if problems:
        raise BadInput("\n".join(problems))
    state = {name: value for name in STATE if (value := getattr(options, name))}
    try:
        checked = check(structs.replace(experiment, **state), _COMMAND_LINE)
    except BadInput as error:
        raise BadInput("\n".join(map(_as_option, error.what.splitlines())), error.remedy) from error
    return possible_part(checked) if options.suite else checked


def _as_option(problem: str) -> str:
    """A problem whose place is an option, as in "--cpus: 0 is outside 1..255"."""
    match = _PLACE.match(problem)
    if match is None:
        return problem
    name = {"memory_bytes": "memory", "timeout_s": "timeout", "limit_ms": "limit"}.get(match[1], match[1])
    given = {each.name.rstrip("_") for each in fields(Measuring)}
    option = f"--{name.replace('_', '-')}{' ' + match[2] if match[2] else ''}: " if name in given else ""
    return option + problem[match.end() :] if option or name == "kernels" else problem


def _followed(predict: tuple[str, ...] | UnsetType, options: Measuring) -> str:
    """The CPU that a user's program finds where its time is predicted for one CPU and none was asked for; "" for the
    default. The C library of a program chooses its functions by the CPU."""
    if predict is UNSET or options.cpu:
        return ""
    from kassay.labs.predict.guest import cpu_to_boot

    return cpu_to_boot(predict, options.arch)


def with_applications(experiment: Experiment) -> Experiment:
    """The experiment with its applications pinned by their packages and input. Raises BadInput, HostLacks."""
    if not any(not use.program and is_application(use.name) for use in experiment.workloads):
        return experiment
    from kassay.supply.measured import measured_of

    with showing() as tell:
        uses = tuple(
            use if use.program else measured_of(use).pin(experiment.arch, tell) for use in experiment.workloads
        )
    return check(structs.replace(experiment, workloads=uses), "applications")


def _usual_rounds(options: Measuring, uses: Sequence[WorkloadUse], known: Sequence[Application]) -> int:
    if len(known) == len(uses):
        return APPLICATION_ROUNDS
    return SUITE_ROUNDS if options.suite else ROUNDS


def _usual_boot(options: Measuring, clock: Clock) -> str:
    """A suite has so many runs that they are restored from a snapshot where that is possible."""
    arch = arches().get(options.arch)
    restores = clock.repeats_exactly and options.cpus == "1" and arch is not None and arch.qemu.snapshots
    return "snapshot" if options.suite and restores else "short"


def _workloads(name: str, options: Measuring, problems: list[str]) -> tuple[WorkloadUse, ...]:
    if not options.suite:
        names = (name,) if options.program else tuple(name.split(","))
        problems += [f"{name}: the same workload twice"] if len(set(names)) < len(names) else []
        return tuple(_workload(one, options, problems, names) for one in names)
    if options.set_:
        problems.append(
            "--set: a suite has its own settings; to change them write a suite, see docs/reference/experiment.md"
        )
    return suite_workloads(options.suite)


def one_workload(name: str) -> str:
    """The name, for a command that takes one workload. Raises BadInput for several."""
    if "," in name:
        raise BadInput(f"{name}: several workloads", "name one; compare and ladder take several")
    return name


def _own_settings(name: str, settings: Sequence[str], names: Sequence[str]) -> list[str]:
    """The settings for one of several workloads: those of all, and those that begin with its name and a dot."""
    prefixes = tuple(f"{one}." for one in names)
    return [text.removeprefix(f"{name}.") for text in settings
            if text.startswith(f"{name}.") or not text.startswith(prefixes)]  # fmt: skip


def _workload(name: str, options: Measuring, problems: list[str], names: Sequence[str]) -> WorkloadUse:
    axes = _axes(_own_settings(name, options.set_ or [], names), problems)
    if not options.program:
        of_program = ("args", "env", "file", "cflags", "link", "from_", "to", "require", "state", "work")
        given = [f"--{field.rstrip('_')}" for field in of_program if getattr(options, field)]
        problems += [f"{option}: belongs to --program, which is not given" for option in given]
        return WorkloadUse(name=name, axes=axes)
    if not (in_range := LEAST_MS <= options.limit * 1000 <= MOST_MS):
        bounds = f"from {LEAST_MS / 1000:g} to {MOST_MS / 1000:g} seconds"
        problems.append(f"--limit {options.limit:g}: {bounds} of guest time")
    program = ProgramUse(
        path=options.program,
        args=_split(options.args, "--args", problems),
        env=tuple(options.env or ()),
        files=tuple(options.file or ()),
        cflags=_split(options.cflags, "--cflags", problems),
        link=_split(options.link, "--link", problems),
        start=options.from_,
        end=options.to,
        require=tuple(options.require or ()),
        state=tuple(options.state or ()),
        work=options.work,
        limit_ms=round(options.limit * 1000) if in_range else 0,
    )
    return WorkloadUse(name=name, axes=axes, program=program if problems else program_source.pinned(program))


def _split(text: str, option: str, problems: list[str]) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        problems.append(f"{option} {text!r}: {error}; words are split as a shell does")
        return ()


def directory_for(experiment: Experiment, out: Path | None, fresh: bool) -> Path:
    """The directory of the runs: --out, or one named by the experiment's content, so that the same command finds it."""
    check_directory(out)
    base = out if out is not None else content_directory(experiment.name, experiment)
    return unused_directory(base) if fresh else base


def unused_directory(base: Path) -> Path:
    """The directory, or the first of NAME-2, NAME-3 ... that does not exist."""
    candidate, number = base, 2
    while candidate.exists():
        candidate, number = base.with_name(f"{base.name}-{number}"), number + 1
    return candidate


def content_directory(name: str, record: Record) -> Path:
    """A directory named by `name` and by the record's content, so that the same record has the same directory."""
    return Path("kassay-out") / f"{_safe(name)}-{content_id(record)[:8]}"


def _kernels(refs: Sequence[str], options: Measuring) -> list[KernelUse]:
    last = len(refs) - 1
    uses = []
    for index, ref in enumerate(refs):
        cmdlines = [options.cmdline]
        cmdlines += [options.cmdline_base] if index == 0 else []
        cmdlines += [options.cmdline_head] if index == last else []
        name, _, cpu = ref.partition(OWN_CPU)
        uses.append(KernelUse(ref=full_ref(name), cmdline=" ".join(word for word in cmdlines if word), cpu=cpu))
    return uses


def _axes(settings: Sequence[str], problems: list[str]) -> tuple[Axis, ...]:
    axes = []
    for text in settings:
        name, equals, values = text.partition("=")
        if not (name and equals and values):
            problems.append(f"--set {text!r}: write NAME=VALUE, for example --set size=16MiB")
        axes.append(Axis(name=name, values=tuple(values.split(","))))
    repeated = {axis.name for axis in axes if [a.name for a in axes].count(axis.name) > 1}
    problems += [f"--set {name}: given twice; write several values as {name}=A,B" for name in sorted(repeated)]
    return tuple(axes)


def _numbers(text: str, option: str, read: Callable[[str], int], problems: list[str]) -> tuple[int, ...]:
    try:
        return tuple(read(part) for part in text.split(","))
    except ValueError as error:
        problems.append(
            f"{option} {text!r}: {error}" if read is parse_bytes else f"{option} {text!r}: not whole numbers"
        )
        return (1,)


def _safe(name: str) -> str:
    plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:60]
    return plain or hashlib.sha256(name.encode()).hexdigest()[:8]
