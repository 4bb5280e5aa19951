# SPDX-License-Identifier: GPL-2.0-only
"""The microbenchmarks of core/probes: built by this host's compiler when first used, and run."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kassay.effects import compiler, files, process
from kassay.effects.compiler import COMPILER
from kassay.effects.distribution import install
from kassay.errors import Defect, HostLacks

FLAGS = (
    "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-Wstrict-prototypes", "-pthread",
    "-fcf-protection=none", "-fno-stack-protector",
)  # fmt: skip
"""Flags of the compiler. The last two keep out code that only works inside of a process of Linux."""
_TIMEOUT_S = 300


class Sample(NamedTuple):
    """One sample of a probe."""

    cycles: float
    """Cycles of one operation."""
    ns: float
    """Nanoseconds of one operation."""
    hz: float
    """Clock of the core at that time."""


class Output(NamedTuple):
    """Output of the program of probes."""

    samples: dict[str, list[Sample]]
    """Samples of each probe, by its name with its argument."""
    refused: dict[str, str]
    """Reason why a probe cannot run on this machine, by probe."""
    hypervisor: str
    """Name of the hypervisor; "" if there is none."""


def program() -> Path:
    """The probes, built when not yet there. Raises HostLacks without a compiler or on an unknown architecture."""
    if process.find(COMPILER) is None:
        raise HostLacks(f"no calibration: {COMPILER} is not there to build the probes", install(COMPILER, "libc6-dev"))
    binary = files.cache_directory() / "probes" / program_id()
    names = sorted(path.name for path in sources().glob("*.c"))
    first = compiler.program("probes of the calibration", binary, (COMPILER, *FLAGS, *names), sources())
    if first:
        raise HostLacks(
            f"no calibration: the probes do not compile with {COMPILER}: {first}", install("gcc", "libc6-dev")
        )
    return binary


@cache
def program_id() -> str:
    """A hash over sources, flags and compiler."""
    files_of_it = ((path.name, path) for path in sorted(sources().glob("*.[chi]*")))
    return compiler.digest(files_of_it, (compiler.version(COMPILER), FLAGS))[:16]


def sources() -> Path:
    """The folder with the probes' sources: in a checkout, or inside the installed package."""
    return compiler.sources("core/probes", "probe.h", "the probes'")


def names() -> tuple[str, ...]:
    """Names of all probes of this architecture."""
    return tuple(process.run((str(program()),)).out.split())


def run(arguments: Sequence[str], samples: int) -> Output:
    """Runs probes, each NAME or NAME:ARGUMENT, in one process. Raises HostLacks when the program fails."""
    done = process.run((str(program()), str(samples), *arguments), timeout_s=_TIMEOUT_S)
    if done.status:
        why = "it took too long" if done.timed_out else f"status {done.status} {done.err.strip()[-200:]}"
        raise HostLacks(
            f"the probes {' '.join(arguments[:3])} ... failed: {why}", "repeat the command on a quieter machine"
        )
    return parse(done.out)


def parse(text: str) -> Output:
    """Reads what the program prints. Raises Defect for what is no such text."""
    output = Output({}, {}, "")
    hypervisor, hz, reference = "", 0.0, 0.0
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "hz":
            hz = float(rest)
        elif kind == "reference":
            reference = float(rest)
        elif kind == "hypervisor":
            hypervisor = rest
        elif kind == "u":
            word, _, why = rest.partition(" ")
            output.refused[word] = why
        elif kind == "s" and hz and reference:
            word, count, ticks, chain = rest.split()
            each, cycle = int(ticks) / int(count), int(chain) / reference
            output.samples.setdefault(word, []).append(Sample(each / cycle, 1e9 * each / hz, hz / cycle))
        else:
            raise Defect(f"the probes printed {line!r}")
    return output._replace(hypervisor=hypervisor)
