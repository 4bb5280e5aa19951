# SPDX-License-Identifier: GPL-2.0-only
"""The pairs of programs on a host whose cores others share: the time that a pair takes while nobody else uses the core.

python -m benchmarks.predict_alone measure CPU [PASSES]
    on a host with that CPU; writes benchmarks/pairs/alone/CPU.json
python -m benchmarks.predict_alone trace CPU DIR
    every side in the guest
python -m benchmarks.predict_alone table CPU DIR [PAGE.md]
    measured and predicted time
"""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec

from benchmarks._pages import narrow
from benchmarks._pairs import SOURCES, Pair, built, pairs, sides, sources_sha256
from benchmarks._pairs_predict import all_causes
from benchmarks._pairs_time import machine
from benchmarks._pairs_trace import keep, kept, traced
from kassay.labs.predict.calibrate import program
from kassay.labs.predict.timing import timing_for
from kassay.model.records import Record, from_json

_ALONE = SOURCES / "alone"
_SAMPLES = 50_000
_OF_PAIRS = 32
"""Digits of the hash of the pairs: what was timed by an earlier alone.c stands."""
_SHARED = frozenset({"chase", "random", "tlb", "mixed", "branches"})
"""Kinds whose time depends on caches that the other thread uses as well, or on data that a short sample chooses."""
_OTHER_KERNEL = frozenset({"system calls", "faults"})
"""Kinds in which the kernel works: the host runs its own."""


class Host(NamedTuple):
    """A host on which the pairs were measured."""

    name: str
    cmdline: str
    """Leaves out the mitigations that a kernel on this CPU does not choose. QEMU cannot tell the guest."""
    note: str
    step: int = 1
    """Ticks of the time-stamp counter between two of its values."""


HOSTS = {
    "cascadelake_sp": Host(
        "Cascade Lake", "nopti spectre_v2=off mds=off tsx_async_abort=off mmio_stale_data=off",
        "Another tenant uses the second hardware thread of each core, at times all the time: independent additions "
        "then run at half their rate.",
    ),
    "emeraldrapids": Host(
        "Emerald Rapids", "nopti spectre_v2=off mds=off tsx_async_abort=off mmio_stale_data=off",
        "Other guests use the third level and the memory.",
    ),
    "graniterapids": Host(
        "Granite Rapids", "nopti mds=off tsx_async_abort=off mmio_stale_data=off",
        "The hypervisor hides the number of the model. AMX-FP16, 64 KiB for code and 480 MiB in the third level tell "
        "it. Other programs used the two CPUs meanwhile.",
    ),
    "zen3": Host("Zen 3", "", "Other programs used the two CPUs meanwhile.", step=25),
}  # fmt: skip
"""CPU -> host."""


class Times(Record, frozen=True, kw_only=True):
    """Nanoseconds of an operation of each side: alone, and the median of all samples; of each, the middle one of all
    passes."""

    machine: dict[str, str]
    ghz: float
    sources: str
    passes: int
    alone: dict[str, float]
    usual: dict[str, float]


class Row(NamedTuple):
    """One pair: ratios head / base."""

    pair: Pair
    alone: float
    usual: float
    predicted: float

    @property
    def error(self) -> float:
        return self.predicted / self.alone - 1


def _program() -> Path:
    """The pairs' program with the command `alone`, which has main.c in it."""
    others = [path for path in sorted(SOURCES.glob("*.c")) if path.name != "main.c"]
    return built(_sources(), [*others, _ALONE / "alone.c"])


def _sources() -> str:
    """Hash of the sources of the pairs, _OF_PAIRS long, and of alone.c."""
    return sources_sha256()[:_OF_PAIRS] + sources_sha256(_ALONE)[:_OF_PAIRS]


def _measured(cpu: str) -> Path:
    return _ALONE / f"{cpu}.json"


def measure(cpu: str, passes: int) -> None:
    alone, usual, clocks = defaultdict(list), defaultdict(list), []
    number = str(max(os.sched_getaffinity(0)))
    argv = ("taskset", "-c", number, str(_program()), "alone", str(_SAMPLES), str(HOSTS[cpu].step), *sides())
    for done in range(passes):
        print(f"pass {done + 1} of {passes}", file=sys.stderr)
        for line in subprocess.run(argv, check=True, capture_output=True, text=True).stdout.splitlines():
            name, *values = line.split()
            if name != "ghz":  # by a chain of additions of a constant, which some CPUs fold
                alone[name].append(float(values[0]))
                usual[name].append(float(values[1]))
        clocks += [sample.hz / 1e9 for sample in program.run(("add_chain",), 25).samples["add_chain"]]
    found = Times(
        machine=machine(), ghz=round(median(clocks), 3), sources=_sources(), passes=passes,
        alone={side: median(values) for side, values in alone.items()},
        usual={side: median(values) for side, values in usual.items()},
    )  # fmt: skip
    _measured(cpu).write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def trace(cpu: str, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    runs = traced(
        sides(),
        directory,
        lambda line: print(line, file=sys.stderr),
        path=_program(),
        cpu=cpu,
        cmdline=HOSTS[cpu].cmdline,
    )
    keep(runs, _sources()[:_OF_PAIRS], directory)


def _rows(cpu: str, directory: Path, times: Times) -> list[Row]:
    runs, operations = kept(directory, _sources()[:_OF_PAIRS], times.sources[:_OF_PAIRS])
    total = {side: sum(causes.values()) for side, causes in all_causes(runs, timing_for(cpu), operations).items()}
    return [
        Row(pair, times.alone[pair.head] / times.alone[pair.base], times.usual[pair.head] / times.usual[pair.base],
            total[pair.head] / total[pair.base])
        for pair in pairs()
        if not pair.base.startswith("code:")
    ]  # fmt: skip


def _score(name: str, rows: list[Row]) -> str:
    errors = [abs(row.error) for row in rows]
    within = sum(error <= 0.1 for error in errors)
    usual = median(abs(row.predicted / row.usual - 1) for row in rows)
    return f"| {name} | {len(rows)} | {median(errors):.1%} | {within} | {usual:.1%} |"


def _page(cpu: str, rows: list[Row], times: Times) -> Iterator[str]:
    named = ", ".join(f"{name} {value}" for name, value in times.machine.items())
    core = [row for row in rows if row.pair.kind not in _SHARED | _OTHER_KERNEL]
    host = HOSTS[cpu]
    yield f"# Pairs of programs on {host.name}\n"
    yield (
        f"`python -m benchmarks.predict_alone` makes this page. It predicts the pairs of [predict-pairs.md]"
        f"(predict-pairs.md) for {cpu} and compares them with times measured on: {named}, at {times.ghz} GHz.\n"
    )
    yield (
        f"{host.note} A program on the second hardware thread of a core waits for memory now and then, for less than a "
        f"microsecond. So a sample is that short, and *alone* is the fastest one in a thousand, of {_SAMPLES} samples. "
        f"It is the middle of {times.passes} passes. *usual* is the median sample. The caches are shared all the same, "
        "and random data is easy in a fast sample. "
        f"So pairs of these kinds cannot be judged: {', '.join(sorted(_SHARED))}. The pairs of `code` are left out, "
        "because a short sample executes only its first KiB. Pairs in which the kernel works "
        f"compare this host's own kernel with Debian's 6.18 in the guest, without the mitigations that {host.name} "
        "does not need.\n"
    )
    yield "An error is predicted / measured - 1 of the ratio head / base.\n"
    yield "| pairs | n | median error | within 10 % | median error, usual |\n| --- | ---: | ---: | ---: | ---: |"
    yield _score("work in the core", core)
    yield _score("of these, held out", [row for row in core if row.pair.held_out])
    yield _score("the kernel works", [row for row in rows if row.pair.kind in _OTHER_KERNEL])
    yield _score("caches shared, or random data", [row for row in rows if row.pair.kind in _SHARED]) + "\n"
    yield "| kind | base | head | alone | usual | predicted | error | |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: | --- |"
    for row in rows:
        pair, held = row.pair, "held out" if row.pair.held_out else ""
        yield (
            f"| {pair.kind} | `{pair.base}` | `{pair.head}` | {row.alone:.3g} | {row.usual:.3g} | {row.predicted:.3g} |"
            f" {row.error:+.0%} | {held} |"
        )
    yield "\n## Time of each side\n"
    yield "| side | alone, ns | usual, ns |\n| --- | ---: | ---: |"
    for side, value in times.alone.items():
        yield f"| `{side}` | {value:.4g} | {times.usual[side]:.4g} |"


def main() -> None:
    match sys.argv[1:]:
        case ["measure", cpu, *passes] if cpu in HOSTS:
            measure(cpu, int(passes[0]) if passes else 3)
        case ["trace", cpu, directory] if cpu in HOSTS:
            trace(cpu, Path(directory))
        case ["table", cpu, directory, *page] if cpu in HOSTS:
            times = from_json(_measured(cpu).read_bytes(), Times)
            text = narrow("\n".join(_page(cpu, _rows(cpu, Path(directory), times), times)))
            _ = Path(page[0]).write_text(text + "\n") if page else print(text)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
