# SPDX-License-Identifier: GPL-2.0-only
"""Clocks: the unit of a value, and what may be claimed from it.

One file each: clocks/NAME.py holds CLOCK, a Clock whose name is NAME, and everything that differs between clocks
stands in it. A machine (kassay.supply.machines) names its clock; several machines may have the same one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from kassay.errors import BadInput
from kassay.registry import discover


@dataclass(frozen=True, kw_only=True)
class Clock:
    """One clock. The defaults are those of a clock that measures time.

    order: place in lists and help texts. unit: of a value, per operation of a metric. scope: what the values are, one
    sentence, printed with every verdict. definition: the start of every metric's definition.

    exact: values are counts, which repeat to the digit; otherwise they are times, judged by probability. screening:
    times that decide nothing, good for choosing what to measure. native: of the system that runs here: nothing is
    booted, and other work on this machine is part of a value. elsewhere: of a real machine that is reached by ssh.
    imported: values were read from a file of another tool. flavour: of archive kernels, where an experiment names none.

    ticks: the clock that the workload reads: "tsc" (or the architecture's like), "monotonic".
    repeats, perturb, margin: of an experiment that names none (model.experiment.Experiment).
    profile_cpus: CPUs that a machine may have whose runs carry a profile; 0 when none can.

    Words of reports. limits: what a reader must be told, sentences. time_word: what a mail calls a value in ns.
    meaning: what kind of number this is, and mechanism: how it came about, sentences of a mail; where: the same beside
    counts, as an adverb. doubt: why a verdict proves less than on other clocks. beside_counts: remark on a comparison
    of times with counts.
    """

    name: str
    order: int
    unit: str = "ns"
    scope: str
    definition: str = "Wall time"
    exact: bool = False
    screening: bool = False
    native: bool = False
    elsewhere: bool = False
    imported: bool = False
    flavour: str = "cloud"
    ticks: str = "monotonic"
    repeats: int = 24
    perturb: int = 0
    margin: float = 0.02
    profile_cpus: int = 0
    limits: tuple[str, ...] = ()
    time_word: str = "time"
    meaning: str = ""
    mechanism: str = ""
    where: str = ""
    doubt: str = ""
    beside_counts: str = ""

    @property
    def fixed(self) -> bool:
        """True if CPUs and memory are those of the machine and cannot be chosen."""
        return self.native or self.elsewhere

    @property
    def decides(self) -> bool:
        """True if its times are the times that users of the kernel see."""
        return not (self.exact or self.screening or self.imported)


@cache
def clocks() -> Mapping[str, Clock]:
    """Every clock by name, in their order."""
    ordered = sorted(
        discover("kassay.supply.clocks", "CLOCK", Clock).values(), key=lambda clock: (clock.order, clock.name)
    )
    return MappingProxyType({clock.name: clock for clock in ordered})


def measuring() -> Mapping[str, Clock]:
    """The clocks that kassay itself can measure with."""
    return MappingProxyType({name: clock for name, clock in clocks().items() if not clock.imported})


def clock_of(name: str) -> Clock:
    """The clock with this name. Raises BadInput that lists the clocks there are."""
    clock = clocks().get(name)
    if clock is None:
        raise BadInput(f"clock: unknown {name!r}", f"known: {', '.join(measuring())}")
    return clock


def profiling() -> tuple[str, ...]:
    """Names of the clocks whose runs can carry a profile, the best one first."""
    return tuple(name for name, clock in measuring().items() if clock.profile_cpus)


def in_words() -> str:
    """ "icount (exact instructions), tcg, kvm or host (time)"."""
    kinds: dict[str, list[str]] = {}
    for clock in measuring().values():
        kinds.setdefault(f"exact {clock.unit}" if clock.exact else "time", []).append(clock.name)
    return ", ".join(f"{listed(names)} ({kind})" for kind, names in kinds.items())


def listed(names: Iterable[str]) -> str:
    """ "a", "a or b", "a, b or c"."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
