# SPDX-License-Identifier: GPL-2.0-only
"""Times the pairs on this host: short samples of base and head in turn, all pairs in several passes."""

import os
import platform
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles

from benchmarks._pairs import Measured, Pair, Timed, program, sources_sha256

SCHEMA = "kassay-pairs-measured/1"
SAMPLES = 15
NOISY = 0.10
"""A pair whose ratios of the passes have quartiles this far apart cannot say whether a prediction is right."""


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
    """What the CPU says about itself, and what runs on it."""
    text = Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
    words = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", text, re.MULTILINE))
    names = ("vendor_id", "cpu family", "model", "model name", "stepping", "cache size")
    found = {name: words[name] for name in names if name in words}
    virtual = "yes" if "hypervisor" in words.get("flags", "").split() else "no"
    return {**found, "cpus": str(os.cpu_count()), "hypervisor": virtual, "kernel": platform.release()}


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
    bases, heads = ([_lower(samples[side]) for samples in found] for side in ("base", "head"))
    ratios = [head / base for base, head in zip(bases, heads, strict=True)]
    low, middle, high = quantiles(ratios, n=4)
    return Timed(
        base=pair.base, head=pair.head, base_ns=_digits(median(bases)), head_ns=_digits(median(heads)),
        ratios=tuple(map(_digits, ratios)), ratio=_digits(middle), spread=_digits((high - low) / middle),
    )  # fmt: skip


def _lower(values: Iterable[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 4]


def _digits(value: float) -> float:
    return float(f"{value:.5g}")
