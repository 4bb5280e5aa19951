# SPDX-License-Identifier: GPL-2.0-only
"""Truth test: k instructions planted in one function of a stock kernel are found: this function, this k, nothing else.

usage: python -m benchmarks.planted [seed]     20 trials, k = 1 and k = 10 ten times each; about 5 minutes.
Functions are drawn among all that the measured region calls and that can be planted (see _plant.py). Sizes are such
that most rounds hold no timer tick: a kernel with planted instructions is ticked at other places, and what a tick
finds to do there (page_fault with size=4MiB: reschedule) is a difference of its own, and shown as one.
"""

import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._kassay import kassay
from benchmarks._plant import Site, plant, sites
from kassay.effects.files import cache_directory, sha256_file
from kassay.model.kernel import parse_ref
from kassay.model.progress import silent
from kassay.supply import kernels

KERNEL = "debian:6.12"
WORKLOADS = (
    ("mprotect_toggle", "--set", "size=4MiB"),
    ("mprotect_toggle", "--set", "size=4MiB", "--set", "share=private"),
    ("mprotect_toggle", "--set", "size=2MiB", "--set", "mode=single"),
    ("mincore_scan", "--set", "size=4MiB"),
    ("page_fault", "--set", "size=128KiB"),
)
RUNS = ("--rounds", "8", "--repeats", "1", "--perturb", "0", "--profile", "counts", "--format", "json")
TRIALS = 10

Compare = Callable[..., dict[str, Any]]
"""Compares two kernels: the words of `kassay compare` but for --out -> the report."""


class Stock(NamedTuple):
    """An unchanged kernel: a copy of its vmlinux in a place of its own, and what can be planted in it."""

    path: Path
    vmlinux: bytes
    sites: Mapping[str, Site]


class Found(NamedTuple):
    """Result of one trial."""

    metric: str
    expected: float
    """Instructions per operation."""
    total: float
    rows: tuple[tuple[str, float], ...]
    """(function, delta) of all rows that differ."""
    function: str

    @property
    def exact(self) -> bool:
        """True if the function, and only it, carries k times its calls, and the totals agree."""
        told = [(function, round(delta - self.expected, 9)) for function, delta in self.rows]
        return told == [(self.function, 0.0)] and round(self.total - self.expected, 9) == 0


def stock_kernel(place: Path) -> Stock:
    """The kernel of the archive, uncompressed."""
    (artifact,) = kernels.fetch([parse_ref(KERNEL)], "cloud", silent)
    assert artifact.vmlinux is not None and artifact.symbols is not None
    vmlinux = Path(artifact.vmlinux).read_bytes()
    path = place / "stock"
    path.write_bytes(vmlinux)
    return Stock(path, vmlinux, sites(vmlinux, Path(artifact.symbols)))


def own_cache(place: Path) -> dict[str, str]:
    """An environment whose kernels are kept below `place`, so that planted ones go with it; programs are shared."""
    (place / "cache" / "kassay").mkdir(parents=True)
    for name in ("guest", "plugin"):
        if (cache_directory() / name).exists():
            (place / "cache" / "kassay" / name).symlink_to(cache_directory() / name)
    return {**os.environ, "XDG_CACHE_HOME": str(place / "cache")}


def called(stock: Stock, compare: Compare, workload: tuple[str, ...]) -> tuple[str, ...]:
    """Functions that the region calls and that can be planted. The kernel against itself must differ nowhere."""
    finding = primary(compare(*workload[:1], f"image:{stock.path}", f"image:{stock.path}", *workload[1:], *RUNS))
    rows = finding["attribution"]["rows"]
    assert not [row for row in rows if row["delta"]], "a kernel differs from itself"
    elsewhere = {row["function"] for row in rows if row["context"] != "kernel"}
    mine = (row for row in rows if row["context"] == "kernel" and row["place"] == "kernel" and row["base_calls"])
    return tuple(sorted({row["function"] for row in mine} & set(stock.sites) - elsewhere))


def trial(stock: Stock, compare: Compare, workload: tuple[str, ...], function: str, k: int) -> Found:
    """Plants, measures, and says what was found."""
    planted = stock.path.with_name("planted")
    planted.write_bytes(plant(stock.vmlinux, stock.sites[function], k))
    finding = primary(compare(*workload[:1], f"image:{stock.path}", f"image:{planted}", *workload[1:], *RUNS))
    kept = planted.parent / "cache" / "kassay" / "kernels" / f"{sha256_file(planted)}.file"
    shutil.rmtree(kept)  # 120 MB; see own_cache()
    rows = finding["attribution"]["rows"]
    calls = next(row["base_calls"] for row in rows if row["function"] == function and row["context"] == "kernel")
    return Found(
        metric=f"{finding['metric']} [{finding['unit']}]", expected=k * calls,
        total=finding["head_value"] - finding["base_value"],
        rows=tuple((row["function"], row["delta"]) for row in rows if row["delta"]), function=function,
    )  # fmt: skip


def primary(report: dict[str, Any]) -> dict[str, Any]:
    """The finding that the verdict is about."""
    finding: dict[str, Any] = next(f for f in report["findings"] if f["primary"])
    assert finding["attribution"] is not None, finding.get("profile_note") or finding["reasons"]
    return finding


def main() -> None:
    """Prints one line per trial and asserts that all of them were found exactly."""
    draw = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    with tempfile.TemporaryDirectory(prefix="planted-") as name:
        place = Path(name)
        stock = stock_kernel(place)
        os.environ.update(own_cache(place))
        numbers = iter(range(1000))

        def compare(*words: str) -> dict[str, Any]:
            answer = kassay("compare", *words, "--out", str(place / f"runs-{next(numbers)}"))
            assert answer.status == 0, f"status {answer.status}: {answer.errors}"
            return answer.json()

        known = {workload: called(stock, compare, workload) for workload in WORKLOADS}
        for workload, functions in known.items():
            print(f"{' '.join(workload)}: {len(functions)} functions can be planted", flush=True)
        order = {workload: draw.sample(functions, len(functions)) for workload, functions in known.items()}
        drawn: list[str] = []
        right = 0
        for number in range(2 * TRIALS):
            workload = WORKLOADS[number % len(WORKLOADS)]
            k = 1 if number < TRIALS else 10
            drawn.append(function := next(name for name in order[workload] if name not in drawn))
            found = trial(stock, compare, workload, function, k)
            right += found.exact
            print(f"{number + 1:2} k={k:2} {workload[0]:16} {function:32} {found.metric}:", end=" ")
            print(f"planted {found.expected:g}, total {found.total:g}, rows that differ: {found.rows[:5]}", end=" ")
            print("exact" if found.exact else "WRONG", flush=True)
    print(f"{right} of {2 * TRIALS} trials: the function, the number, and nothing else")
    assert right == 2 * TRIALS


if __name__ == "__main__":
    main()
