# SPDX-License-Identifier: GPL-2.0-only
"""Commands that a reader can paste: the same experiment again, or one comparison of it alone."""

from collections.abc import Sequence
from shlex import join, quote

from kassay.model.experiment import Experiment
from kassay.model.kernel import OWN_CPU, KernelIdentity, exact_ref
from kassay.model.machine import Point
from kassay.model.program import options_of
from kassay.model.texts import memory_text

_DEFAULT = Experiment(name="", question="", kernels=(), workloads=())
_MEMORY = _DEFAULT.memory_bytes[0]


def whole_again(directory: str) -> str:
    """The whole experiment, with every kernel of the archive named by its package version."""
    return f"kassay run {quote(f'{directory}/pinned.toml')} --out {quote(f'{directory}-again')}"


def step_alone(experiment: Experiment, kernels: tuple[KernelIdentity, ...], pair: tuple[int, int],
               point: Point) -> str:  # fmt: skip
    """A compare of two kernels under an experiment's conditions; of exact counts with more perturbed runs."""
    words = compare_command(experiment, kernels, pair, point)
    more = ("--perturb", str(max(6, 2 * experiment.perturb))) if experiment.exact else ()
    return join((*words, *more))


def compare_command(e: Experiment, kernels: tuple[KernelIdentity, ...], pair: tuple[int, int], point: Point,
             left_out: Sequence[str] = ()) -> list[str]:  # fmt: skip
    """Words of a compare of two kernels, without the numbers of boots and the options left out."""
    base, head = pair
    own = e.program(point.workload)
    workload = options_of(own) if own is not None else (point.workload,)
    words = ["kassay", "compare", *workload, *(kernel_argument(e, kernels, index) for index in pair)]
    given = {axis.name for use in e.workloads if use.name == point.workload for axis in use.axes}
    words += [word for s in point.settings if s.name in given for word in ("--set", f"{s.name}={s.value}")]
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
    return words + [word for given_option in wanted for word in given_option]


def kernel_argument(e: Experiment, kernels: tuple[KernelIdentity, ...], index: int) -> str:
    """A kernel as the command line names it, with a CPU of its own."""
    own = e.kernels[index].cpu
    return exact_ref(kernels[index]) + (own and OWN_CPU + own)
