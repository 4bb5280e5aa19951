# SPDX-License-Identifier: GPL-2.0-only
"""System calls on a host's own kernel, beside the predicted time of the same program in a guest.

python -m benchmarks.predict_calls measure CPU [PASSES]
    cycles of each call of benchmarks/calls on this host, which has that CPU; writes benchmarks/calls/CPU.json
python -m benchmarks.predict_calls trace CPU KERNEL DIR
    each call in a guest. KERNEL: the nearest one to the host's, such as
    build:debian-source:6.18,cc=gcc-15,config=FILE with FILE from /proc/config.gz
python -m benchmarks.predict_calls table CPU DIR [PAGE.md]
    measured and predicted cycles

The program mounts a file system of its own, so every command needs root.
"""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

import msgspec

from benchmarks._loops import causes_of, program, program_for_host
from benchmarks._pairs_time import machine
from benchmarks._pairs_trace import traced
from benchmarks.predict_alone import HOSTS
from benchmarks.predict_truth import placed
from kassay.labs.predict.timing import timing_for
from kassay.model.records import Record, from_json

CALLS = Path(__file__).with_name("calls")
_TOGETHER = 6
"""Calls of one guest: more would not fit into one trace."""
_CAUSES = 4


class Times(Record, frozen=True, kw_only=True):
    """Cycles of each call on a host: the least of all passes, and the middle one. Of a pass it is what a tenth of its
    samples do not exceed."""

    machine: dict[str, str]
    passes: int
    least: dict[str, float]
    usual: dict[str, float]


def _names() -> Sequence[str]:
    return _alone(program("x86_64", CALLS), "list").split()


def _alone(path: Path, *words: str) -> str:
    """Output of a program that mounts a file system of its own."""
    number = str(max(os.sched_getaffinity(0)))
    argv = ("unshare", "--mount", "taskset", "-c", number, str(path), *words)
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def _measured(cpu: str) -> Path:
    return CALLS / f"{cpu}.json"


def measure(cpu: str, passes: int) -> None:
    found = defaultdict(list)
    for done in range(passes):
        print(f"pass {done + 1} of {passes}", file=sys.stderr)
        for line in _alone(program_for_host(CALLS), *_names()).splitlines():
            name, cycles = line.split()
            found[name].append(float(cycles))
    times = Times(
        machine=machine(), passes=passes,
        least={name: min(values) for name, values in found.items()},
        usual={name: median(values) for name, values in found.items()},
    )  # fmt: skip
    _measured(cpu).write_bytes(msgspec.json.format(msgspec.json.encode(times), indent=1) + b"\n")


def trace(cpu: str, kernel: str, directory: Path) -> None:
    for number, names in enumerate(_groups()):
        folder = directory / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        print(", ".join(names), file=sys.stderr)
        path, words = program("x86_64", CALLS), HOSTS[cpu].cmdline
        (run,) = traced(names, folder, lambda _: None, path=path, cpu=cpu, cmdline=words, kernel=kernel, boot="short")
        (folder / "calls.trace").write_bytes(run.trace)


def _groups() -> Sequence[Sequence[str]]:
    names = _names()
    return [names[first : first + _TOGETHER] for first in range(0, len(names), _TOGETHER)]


def predicted(cpu: str, directory: Path) -> Mapping[str, Mapping[str, float]]:
    """Call -> cause -> cycles."""
    found: dict[str, Mapping[str, float]] = {}
    for number, names in enumerate(_groups()):
        found |= causes_of((directory / str(number) / "calls.trace").read_bytes(), names, timing_for(cpu))
    return found


def table(times: Times, found: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    yield "| call | measured, cycles | usual | predicted | error | most of the predicted cycles |"
    yield "| --- | ---: | ---: | ---: | ---: | --- |"
    errors = []
    for name, causes in found.items():
        least, cycles = times.least[name], sum(causes.values())
        errors.append(abs(cycles / least - 1))
        most = sorted(causes.items(), key=lambda pair: -pair[1])[:_CAUSES]
        words = ", ".join(f"{cause} {value:.0f}" for cause, value in most)
        yield f"| {name} | {least:.0f} | {times.usual[name]:.0f} | {cycles:.0f} | {cycles / least - 1:+.0%} | {words} |"
    within = sum(error <= 0.2 for error in errors)
    yield f"\n{len(errors)} calls: median error {median(errors):.0%}, {within} within 20 %."


def main() -> None:
    match sys.argv[1:]:
        case ["measure", cpu, *passes]:
            measure(cpu, int(passes[0]) if passes else 5)
        case ["trace", cpu, kernel, directory] if cpu in HOSTS:
            trace(cpu, kernel, Path(directory))
        case ["table", cpu, directory, *page]:
            times = from_json(_measured(cpu).read_bytes(), Times)
            parts = {
                "machine": f"Measured on: {', '.join(f'{name} {value}' for name, value in times.machine.items())}.\n",
                "calls": "\n".join(table(times, predicted(cpu, Path(directory)))) + "\n",
            }
            if page:
                Path(page[0]).write_text(placed(Path(page[0]).read_text(), parts))
            else:
                print("\n".join(parts.values()))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
