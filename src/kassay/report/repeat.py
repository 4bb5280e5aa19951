# SPDX-License-Identifier: GPL-2.0-only
"""Commands that a reader can paste: the same experiment again, or one comparison of it alone."""

import shlex
from shlex import quote

from kassay.clocks import clock_of
from kassay.model.experiment import Experiment, KernelUse, labels
from kassay.model.kernel import KernelIdentity, exact_ref
from kassay.model.machine import MachineUse
from kassay.model.records import Setting
from kassay.model.report import Report
from kassay.model.texts import memory_text
from kassay.report.mail.headline import headline
from kassay.report.mail.text import command, wrapped

_DEFAULT = Experiment(name="", question="", kernels=(), workloads=())


def whole_again(directory: str) -> str:
    """The whole experiment, with every kernel of the archive named by its package version."""
    return f"kassay run {quote(f'{directory}/pinned.toml')} --out {quote(f'{directory}-again')}"


def step_alone(experiment: Experiment, kernels: tuple[KernelIdentity, ...], pair: tuple[int, int], workload: str,
               settings: tuple[Setting, ...], machine: MachineUse) -> str:  # fmt: skip
    """A compare of two kernels under an experiment's conditions; exact counts with more runs than it had."""
    base, head = pair
    words = ["kassay", "compare", workload, exact_ref(kernels[base]), exact_ref(kernels[head])]
    given = {axis.name for use in experiment.workloads if use.name == workload for axis in use.axes}
    for item in settings:
        words += ["--set", f"{item.name}={item.value}"] if item.name in given else []
    words += _machine(experiment, machine) + _parameters(experiment.kernels[base], experiment.kernels[head])
    more = ("--perturb", str(max(6, 2 * experiment.perturb))) if experiment.exact else ()
    return " ".join(quote(word) for word in (*words, *more))


def _machine(e: Experiment, machine: MachineUse) -> list[str]:
    chosen = (
        ("--clock", e.machine or e.clock, _DEFAULT.clock), ("--arch", e.arch, _DEFAULT.arch),
        ("--cpus", str(machine.cpus), str(_DEFAULT.cpus[0])),
        ("--memory", memory_text(machine.memory_bytes), memory_text(_DEFAULT.memory_bytes[0])),
        ("--flavour", e.flavour, _DEFAULT.flavour), ("--boot", e.boot, _DEFAULT.boot),
        ("--rounds", str(e.rounds), str(_DEFAULT.rounds)), ("--margin", f"{e.margin:g}", f"{_DEFAULT.margin:g}"),
    )  # fmt: skip
    return [word for option, value, default in chosen if value != default for word in (option, value)]


def _parameters(base: KernelUse, head: KernelUse) -> list[str]:
    pairs = (("--cmdline-base", base.cmdline), ("--cmdline-head", head.cmdline))
    return [word for option, text in pairs if text for word in (option, text)]


_OUT = "again"
_FROM = (
    "kassay is run from its own source tree; its README says how. `kassay bundle pack` puts all that is behind these "
    "figures into one file, with the workload as one C file that needs no kassay (reproducer.c)."
)


def to_reproduce(report: Report) -> list[str]:
    """For own runs the comparison of the headline; for others' files what reads and judges them again."""
    if report.sources:
        return _commands("To judge the same files again:", report.commands, "") if report.commands else []
    commands = _own(report)
    return _commands("To reproduce:", commands, _FROM) if commands else []


def _commands(title: str, commands: tuple[str, ...], about: str) -> list[str]:
    lines = [line for text in commands[:3] for line in command(text)]
    return [title, "", *lines, *(["", *wrapped(about)] if about else [])]


def _own(report: Report) -> tuple[str, ...]:
    found = headline(report)
    if found is None or not report.kernels:
        return ()
    f, known = found.finding, labels(report.experiment)
    pair = (known.index(f.sides[0].kernel), known.index(f.sides[1].kernel))
    alone = step_alone(report.experiment, report.kernels, pair, f.workload, f.settings, f.machine)
    if report.lead is not None and report.lead.repeat:
        alone = _asked(report.lead.repeat, alone)
    return (f"{_as_it_was(report, alone)} --out {_OUT}", f"kassay bundle pack {_OUT}")


def _asked(repeat: tuple[str, ...], alone: str) -> str:
    """The command that asks the whole question: what it made may be known to the store it was made in only."""
    words = shlex.split(alone)
    words[1], words[3:5] = repeat[0], repeat[1:]
    return shlex.join(words)


def _as_it_was(report: Report, alone: str) -> str:
    """With the experiment's own numbers of boots, and with both clocks where two were read."""
    e, words = report.experiment, shlex.split(alone)
    timed = next((one.clock for one in report.beside if not clock_of(one.clock).native), "")
    for name in ("--perturb", *(("--clock", "--margin") if timed else ())):
        if name in words:
            del words[words.index(name) : words.index(name) + 2]
    words += ["--clock", f"{e.machine or e.clock},{timed}"] if timed else []
    # With two clocks --repeats is about the boots that are timed.
    words += ["--repeats", str(e.repeats)] if not e.exact or not timed else []
    words += ["--perturb", str(e.perturb)] if e.exact else []
    return shlex.join(words)
