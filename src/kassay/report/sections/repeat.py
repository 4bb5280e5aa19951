# SPDX-License-Identifier: GPL-2.0-only
"""Commands that a reader can paste: the same experiment again, or one comparison of it alone; the section of them."""

from collections.abc import Iterator, Sequence
from shlex import join, quote
from typing import NamedTuple

from kassay.model.experiment import Experiment, labels
from kassay.model.finding import Finding
from kassay.model.kernel import OWN_CPU, KernelIdentity, exact_ref
from kassay.model.machine import Point
from kassay.model.program import options_of
from kassay.model.question import needs_all_kernels
from kassay.model.records import grouped
from kassay.model.report import Report
from kassay.model.texts import memory_text, one_line, verbatim
from kassay.report.document import LETTER, PAGE, Code, Paragraph, Section, section
from kassay.report.mail.headline import headline, told
from kassay.supply.clocks import clock_of

_DEFAULT = Experiment(name="", question="", kernels=(), workloads=())
_MEMORY = _DEFAULT.memory_bytes[0]


def whole_again(directory: str) -> str:
    """The whole experiment, with every kernel of the archive named by its package version."""
    return f"kassay run {quote(f'{directory}/pinned.toml')} --out {quote(f'{directory}-again')}"


def step_alone(experiment: Experiment, kernels: tuple[KernelIdentity, ...], pair: tuple[int, int],
               point: Point) -> str:  # fmt: skip
    """A compare of two kernels under an experiment's conditions; of exact counts with more perturbed runs."""
    command = _command(experiment, kernels, pair, _at(experiment, point))
    return join((*command, *_more_perturbed(experiment)))


def one_run(experiment: Experiment, kernels: tuple[KernelIdentity, ...], kernel: int, point: Point) -> str:
    """A single run under an experiment's conditions."""
    return join(_command(experiment, kernels, (kernel,), _at(experiment, point), ("--margin", "--predict")))


def question_again(experiment: Experiment, kernels: tuple[KernelIdentity, ...], pair: tuple[int, int],
                   point: Point) -> str:  # fmt: skip
    """The comparison of a finding with more perturbed runs: a gap with its three kernels, one workload in all of its
    settings."""
    asked = (_whole if _has_settings(experiment) else _at)(experiment, point)
    return join((*_command(experiment, kernels, _asked_kernels(experiment, pair), asked), *_more_perturbed(experiment)))


def _more_perturbed(experiment: Experiment) -> tuple[str, ...]:
    return () if experiment.timed else ("--perturb", str(max(6, 2 * experiment.perturb)))


def _has_settings(e: Experiment) -> bool:
    """True if one workload is measured in several settings or on several machines."""
    values = [e.cpus, e.memory_bytes, e.cpu or (), *(axis.values for use in e.workloads for axis in use.axes)]
    return len(e.workloads) == 1 and any(len(several) > 1 for several in values)


def _asked_kernels(e: Experiment, pair: tuple[int, int]) -> tuple[int, ...]:
    """All three kernels of a gap, if `kassay gap` has options for their parameters; else the pair."""
    if not needs_all_kernels(e):
        return pair
    first, middle, last = (use.cmdline.split() for use in e.kernels)
    return (0, 1, 2) if all(words[: len(middle)] == middle for words in (first, last)) else pair


class _Asked(NamedTuple):
    """Workloads and machines of a command."""

    workload: tuple[str, ...]
    sets: Sequence[tuple[str, str]]
    """Parameters of workloads with their values."""
    cpus: str
    memory: str
    machine: Sequence[tuple[str, str]]
    """Other settings of machines with their values."""


def _at(e: Experiment, point: Point) -> _Asked:
    """One point of an experiment."""
    program = e.program(point.workload)
    given = {axis.name for use in e.workloads if use.name == point.workload for axis in use.axes}
    return _Asked(
        options_of(program) if program is not None else (point.workload,),
        [(s.name, s.value) for s in point.settings if s.name in given],
        str(point.machine.cpus or 1), memory_text(point.machine.memory_bytes or _MEMORY),
        [(s.name, s.value) for s in point.machine.chosen],
    )  # fmt: skip


def _whole(e: Experiment, point: Point) -> _Asked:
    """All workloads of an experiment on all its machines; point: any one of it."""
    axes = [(use.name, axis.name, ",".join(axis.values)) for use in e.workloads for axis in use.axes]
    uses_of = grouped(((name, values), workload) for workload, name, values in axes)
    sets = [
        (prefix + name, values)
        for (name, values), uses in uses_of.items()
        for prefix in ([""] if len(uses) == len(e.workloads) else [f"{use}." for use in uses])
    ]
    machine = [(s.name, s.value) for s in point.machine.chosen if s.name not in ("cpu", "nodes")]
    machine += [("cpu", ",".join(e.cpu))] if e.cpu else []
    machine += [("nodes", str(e.nodes))] if e.nodes else []
    program = e.program(point.workload)
    names = (",".join(use.name for use in e.workloads),) if program is None else options_of(program)
    return _Asked(names, sets, ",".join(map(str, e.cpus)), ",".join(map(memory_text, e.memory_bytes)), machine)


def _command(e: Experiment, kernels: tuple[KernelIdentity, ...], chosen: Sequence[int], asked: _Asked,
             left_out: Sequence[str] = ()) -> list[str]:  # fmt: skip
    """Words of a run of one kernel, a compare of two or a gap of three, without the numbers of boots and the options
    left out.

    chosen: indices of the kernels.
    """
    command = [
        "kassay",
        ("try", "compare", "gap")[len(chosen) - 1],
        *asked.workload,
        *(_named(e, kernels, index) for index in chosen),
    ]
    command += [word for name, value in asked.sets for word in ("--set", f"{name}={value}")]
    options = (
        ("--clock", e.machine or e.clock, _DEFAULT.clock), ("--arch", e.arch, _DEFAULT.arch),
        ("--on", e.on or "", ""),
        ("--cpus", asked.cpus, str(_DEFAULT.cpus[0])), ("--memory", asked.memory, memory_text(_MEMORY)),
        ("--flavour", e.flavour, _DEFAULT.flavour), ("--boot", e.boot, _DEFAULT.boot),
        ("--rounds", str(e.rounds), str(_DEFAULT.rounds)), ("--margin", f"{e.margin:g}", f"{_DEFAULT.margin:g}"),
        ("--predict", ",".join(e.predict or ()), ""),
        *_parameters([e.kernels[index].cmdline for index in chosen]),
    )  # fmt: skip
    wanted = [(option, value) for option, value, default in options if value != default and option not in left_out]
    wanted += [(f"--{name.replace('_', '-')}", value) for name, value in asked.machine]
    command += [word for given_option in wanted for word in given_option]
    return [*command, "--paired"] if e.paired and "," in asked.cpus else command


def _parameters(cmdlines: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
    """The user's parameters of these kernels as options with their values and defaults."""
    base, head = cmdlines[0], cmdlines[-1]
    common = cmdlines[1] if len(cmdlines) > 2 else base if base == head else ""
    own = (("--cmdline-base", base), ("--cmdline-head", head))
    return (("--cmdline", common, ""), *((option, text.removeprefix(common).strip(), "") for option, text in own))


def _named(e: Experiment, kernels: tuple[KernelIdentity, ...], index: int) -> str:
    """A kernel as the command line names it, with a CPU of its own."""
    cpu = e.kernels[index].cpu
    return exact_ref(kernels[index]) + (cpu and OWN_CPU + cpu)


_OUT = "again"
_FROM = (
    "kassay is run from its own source tree; its README says how. `kassay bundle pack` puts all that is behind these "
    "figures into one file, with the workload as one C file that needs no kassay (reproducer.c)."
)


def repeat(report: Report) -> Iterator[Section]:
    """The commands, and on a page the experiment's file."""
    commands = "\n".join(map(one_line, report.commands))
    code = [Code(caption="The exact commands", text=commands)] if report.commands else []
    if report.spec_toml:
        caption = f"The experiment, {one_line(report.experiment.name)}.toml"
        code.append(Code(caption=caption, text=verbatim(report.spec_toml)))
    origin = f"Made by kassay {one_line(report.kassay_version)} from plan {one_line(report.plan_id)}."
    yield section("Repeat it", text=(origin,), code=code, readers=(PAGE,))
    yield from _letter(report)


def _letter(report: Report) -> Iterator[Section]:
    """For own runs the comparison of the headline; for others' files what reads and judges them again."""
    topic = headline(report)
    commands = report.commands
    if not report.sources:
        commands = ()
        if topic is not None and report.kernels:
            commands = (f"{_as_it_was(report, topic.finding)} --out {_OUT}", f"kassay bundle pack {_OUT}")
    title, about = ("To judge the same files again", ()) if report.sources else ("To reproduce", (_FROM,))
    if commands:
        code = Code(text="\n".join(map(one_line, commands[:3])), breaks="shell")
        below = (Paragraph(text=text) for text in about)
        yield Section(title=title, blocks=(code, *below), readers=(LETTER,))


def _as_it_was(report: Report, f: Finding) -> str:
    """The comparison of a finding, of all workloads and settings that a mail shows, with the experiment's numbers of
    boots. A gap is asked of all three kernels.

    Both clocks are read again where two were. Where the question has a command of its own, this command asks the
    whole question again: the kernels that it built may be in this host's store only.
    """
    e, kernel_labels = report.experiment, labels(report.experiment)
    pair = (kernel_labels.index(f.sides[0].kernel), kernel_labels.index(f.sides[1].kernel))
    timed = next((row.clock for row in report.beside if not clock_of(row.clock).native), "")
    own = report.lead.repeat
    several = _has_settings(e) or (len(told(report)) > 1 and not any(use.program for use in e.workloads))
    whole = several and not own and (len(e.kernels) == 2 or needs_all_kernels(e))
    asked = (_whole if whole else _at)(e, f.point)
    chosen = pair if own else _asked_kernels(e, pair)
    command = _command(e, report.kernels, chosen, asked, ("--clock", "--margin") if timed else ())
    if own:
        at = command.index(_named(e, report.kernels, pair[0]))
        command[1], command[at : at + 2] = own[0], own[1:]
    command += ["--clock", f"{e.machine or e.clock},{timed}"] if timed else []
    # With two clocks --repeats is about the boots that are timed.
    command += ["--repeats", str(e.repeats)] if e.timed or not timed else []
    command += ["--perturb", str(e.perturb)] if not e.timed else []
    return join(command)
