# SPDX-License-Identifier: GPL-2.0-only
"""Times the pairs on this host: short samples of base and head in turn, all pairs in several passes."""

import os
import platform
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from benchmarks._pairs import Measured, Pair, Timed, program, sources_sha256

SCHEMA = "kassay-pairs-measured/1"
SAMPLES = 15
NOISY = 0.10
"""A pair whose odd and even passes are this far apart cannot say whether a prediction is right."""


def timed(pairs: Sequence[Pair], passes: int, tell: Callable[[str], None]) -> Measured:
    """Every pair in every pass: what else the host does then falls on all of them."""
    seen: dict[str, list[Mapping[str, Sequence[float]]]] = defaultdict(list)
    for number in range(passes):
        tell(f"pass {number + 1} of {passes}")
        for pair in pairs:
            samples = _samples(pair)
            if samples.get("base") and samples.get("head"):
                seen[pair.name].append(samples)
    clocks = [max(samples["ghz"]) for found in seen.values() for samples in found]
    return Measured(
        schema=SCHEMA, machine=machine(), ghz=round(median(clocks), 3), sources=sources_sha256(), passes=passes,
        pairs=tuple(_summary(pair, seen[pair.name]) for pair in pairs if len(seen[pair.name]) > 1),
    )  # fmt: skip


def machine() -> dict[str, str]:
    """The CPU's description of itself, and the kernel that runs on it."""
    text = Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
    words = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", text, re.MULTILINE))
    names = ("vendor_id", "cpu family", "model", "model name", "stepping", "cache size")
    found = {name: words[name] for name in names if name in words}
    virtual = "yes" if "hypervisor" in words.get("flags", "").split() else "no"
    return {**found, "cpus": str(os.cpu_count()), "hypervisor": virtual, "kernel": platform.release().partition("-")[0]}


def _samples(pair: Pair) -> Mapping[str, Sequence[float]]:
    """base, head: ns of an operation, each sample that no other task was let into; ghz: of the clock between them."""
    cpu = str(max(os.sched_getaffinity(0)))
    argv = ("taskset", "-c", cpu, str(program()), "time", str(SAMPLES), pair.base, pair.head)
    found: dict[str, list[float]] = defaultdict(list)
    for line in subprocess.run(argv, check=True, capture_output=True, text=True).stdout.splitlines():
        name, _, value = line.partition(" ")
        found[name].append(float(value))
    return found


def _summary(pair: Pair, found: Sequence[Mapping[str, Sequence[float]]]) -> Timed:
    base, head = _lowest(found)
    odd, even = (high / low for low, high in (_lowest(found[::2]), _lowest(found[1::2])))
    passes = (_lowest((samples,)) for samples in found)
    return Timed(
        base=pair.base, head=pair.head, base_ns=_digits(base), head_ns=_digits(head), ratio=_digits(head / base),
        spread=_digits(abs(odd - even) / (head / base)), passes=tuple((_digits(b), _digits(h)) for b, h in passes),
    )  # fmt: skip


def _lowest(passes: Sequence[Mapping[str, Sequence[float]]]) -> tuple[float, float]:
    """base, head: of all samples of these passes."""
    base, head = (_lower(value for samples in passes for value in samples[side]) for side in ("base", "head"))
    return base, head


def _lower(values: Iterable[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 4]


def _digits(value: float) -> float:
    return float(f"{value:.5g}")
