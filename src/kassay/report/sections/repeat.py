# SPDX-License-Identifier: GPL-2.0-only
"""Commands that a reader can paste: the same experiment again, or one comparison of it alone; the section of them."""

from collections.abc import Iterator, Sequence
from shlex import join, quote

from kassay.model.experiment import Experiment, labels
from kassay.model.finding import Finding
from kassay.model.kernel import OWN_CPU, KernelIdentity, exact_ref
from kassay.model.machine import Point
from kassay.model.program import options_of
from kassay.model.report import Report
from kassay.model.texts import memory_text, one_line, verbatim
from kassay.report.document import LETTER, PAGE, Code, Paragraph, Section, section
from kassay.report.mail.headline import headline
from kassay.supply.clocks import clock_of

_DEFAULT = Experiment(name="", question="", kernels=(), workloads=())
_MEMORY = _DEFAULT.memory_bytes[0]


def whole_again(directory: str) -> str:
    """The whole experiment, with every kernel of the archive named by its package version."""
    return f"kassay run {quote(f'{directory}/pinned.toml')} --out {quote(f'{directory}-again')}"


def step_alone(experiment: Experiment, kernels: tuple[KernelIdentity, ...], pair: tuple[int, int],
               point: Point) -> str:  # fmt: skip
    """A compare of two kernels under an experiment's conditions; of exact counts with more perturbed runs."""
    command = _compare(experiment, kernels, pair, point)
    more = ("--perturb", str(max(6, 2 * experiment.perturb))) if not experiment.timed else ()
    return join((*command, *more))


def _compare(e: Experiment, kernels: tuple[KernelIdentity, ...], pair: tuple[int, int], point: Point,
             left_out: Sequence[str] = ()) -> list[str]:  # fmt: skip
    """Words of a compare of two kernels, without the numbers of boots and the options left out."""
    base, head = pair
    program = e.program(point.workload)
    workload = options_of(program) if program is not None else (point.workload,)
    command = ["kassay", "compare", *workload, *(_named(e, kernels, index) for index in pair)]
    given = {axis.name for use in e.workloads if use.name == point.workload for axis in use.axes}
    command += [word for s in point.settings if s.name in given for word in ("--set", f"{s.name}={s.value}")]
    chosen = (
        ("--clock", e.machine or e.clock, _DEFAULT.clock), ("--arch", e.arch, _DEFAULT.arch),
        ("--on", e.on or "", ""),
        ("--cpus", str(point.machine.cpus or 1), str(_DEFAULT.cpus[0])),
        ("--memory", memory_text(point.machine.memory_bytes or _MEMORY), memory_text(_MEMORY)),
        ("--flavour", e.flavour, _DEFAULT.flavour), ("--boot", e.boot, _DEFAULT.boot),
        ("--rounds", str(e.rounds), str(_DEFAULT.rounds)), ("--margin", f"{e.margin:g}", f"{_DEFAULT.margin:g}"),
        ("--predict", ",".join(e.predict or ()), ""),
        ("--cmdline-base", e.kernels[base].cmdline, ""), ("--cmdline-head", e.kernels[head].cmdline, ""),
    )  # fmt: skip
    wanted = [(option, value) for option, value, default in chosen if value != default and option not in left_out]
    wanted += [(f"--{setting.name.replace('_', '-')}", setting.value) for setting in point.machine.chosen]
    return command + [word for given_option in wanted for word in given_option]


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
    """A finding's comparison with the experiment's own numbers of boots, and with both clocks where two were read.

    Where the question has a command of its own, this command asks the whole question again: the kernels that it built
    may be in this host's store only.
    """
    e, kernel_labels = report.experiment, labels(report.experiment)
    pair = (kernel_labels.index(f.sides[0].kernel), kernel_labels.index(f.sides[1].kernel))
    timed = next((row.clock for row in report.beside if not clock_of(row.clock).native), "")
    command = _compare(e, report.kernels, pair, f.point, ("--clock", "--margin") if timed else ())
    if report.lead is not None and report.lead.repeat:
        at = command.index(_named(e, report.kernels, pair[0]))
        command[1], command[at : at + 2] = report.lead.repeat[0], report.lead.repeat[1:]
    command += ["--clock", f"{e.machine or e.clock},{timed}"] if timed else []
    # With two clocks --repeats is about the boots that are timed.
    command += ["--repeats", str(e.repeats)] if e.timed or not timed else []
    command += ["--perturb", str(e.perturb)] if not e.timed else []
    return join(command)
