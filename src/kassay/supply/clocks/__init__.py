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
from kassay.registry import discover, ordered


@dataclass(frozen=True, kw_only=True)
class Clock:
    """One clock. The defaults are those of a clock that measures time."""

    name: str
    order: int
    """Place in lists and help texts."""
    unit: str = "ns"
    """Unit of a value, per operation of a metric."""
    scope: str
    """Meaning of the values in one sentence, which is printed with every verdict."""
    definition: str = "Wall time"
    """Start of every metric's definition."""
    exact: bool = False
    """True if values are counts, which repeat to the digit. Otherwise they are times, judged by probability."""
    screening: bool = False
    """True if times decide nothing and only help to choose what to measure."""
    native: bool = False
    """True if the values are of the system that runs here. Nothing is booted, and other work on this machine is part of
    a value."""
    elsewhere: bool = False
    """True if the values are of a real machine that is reached by ssh."""
    imported: bool = False
    """True if values were read from a file of another tool."""
    flavour: str = "cloud"
    """Flavour of archive kernels, if an experiment names none."""
    ticks: str = "monotonic"
    """Clock that the workload reads: "tsc" (or the architecture's like), or "monotonic"."""
    repeats: int = 24
    """Repeats of an experiment that names none (model.experiment.Experiment)."""
    perturb: int = 0
    """Perturbed runs of an experiment that names none (model.experiment.Experiment)."""
    margin: float = 0.02
    """Margin of an experiment that names none (model.experiment.Experiment)."""
    profile_cpus: int = 0
    """Largest number of CPUs of a machine whose runs carry a profile; 0 if none can."""
    limits: tuple[str, ...] = ()
    """Limits of the values that a reader must be told, as sentences of reports."""
    time_word: str = "time"
    """Word of a mail for a value in ns."""
    meaning: str = ""
    """Kind of number that a value is, as sentences of a mail."""
    mechanism: str = ""
    """Way in which a value came about, as sentences of a mail."""
    where: str = ""
    """Word that stands beside a comparison with counts and tells how the values came about, such as "emulated"."""
    doubt: str = ""
    """Reason why a verdict proves less than on other clocks."""
    beside_counts: str = ""
    """Remark on a comparison of times with counts."""

    @property
    def fixed(self) -> bool:
        """True if CPUs and memory are those of the machine and cannot be chosen."""
        return self.native or self.elsewhere

    @property
    def timed(self) -> bool:
        """True if values are times, which are judged by probability from boots made in blocks."""
        return not self.exact

    @property
    def counts_work(self) -> bool:
        """True if a value counts what was executed, so that a profile of the run accounts for it."""
        return self.exact

    @property
    def repeats_exactly(self) -> bool:
        """True if a run that is made again has the same digits, or the same failure."""
        return self.exact

    @property
    def depends_on_host(self) -> bool:
        """True if values differ from host to host, and with what else a host does."""
        return not self.exact

    @property
    def decides(self) -> bool:
        """True if its times are the times that users of the kernel see."""
        return not (self.exact or self.screening or self.imported)


@cache
def clocks() -> Mapping[str, Clock]:
    """Every clock by name, in their order."""
    return ordered(discover("kassay.supply.clocks", "CLOCK", Clock).values())


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
