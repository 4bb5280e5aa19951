# SPDX-License-Identifier: GPL-2.0-only
"""Commands that a reader can paste: the same experiment again, or one step of it alone."""

from shlex import quote

from kassay.model.experiment import Experiment, KernelUse
from kassay.model.kernel import KernelIdentity, exact_ref
from kassay.model.machine import MachineUse
from kassay.model.records import Setting
from kassay.model.texts import memory_text

_DEFAULT = Experiment(name="", question="", kernels=(), workloads=())


def again(directory: str) -> str:
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
