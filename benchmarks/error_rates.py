# SPDX-License-Identifier: GPL-2.0-only
"""How often kassay's statistics err, on simulated sessions, beside the figures of the method they were built after.

usage: python -m benchmarks.error_rates [--series N] [--quick] [--jobs 1|2] [TABLE...]
Every rate is of N series (2000; --quick: 200; family: matrices, N / 4) and has a standard error of
sqrt(rate (1 - rate) / N): at 2000, 0.5 points at 5 % and 1.1 at 50 %. In brackets: the reference's figure, where it
has one. Tests, intervals and boundaries are the product's own functions. About 15 minutes on one core; tables
go to stdout as Markdown, progress to stderr.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from math import log1p
from typing import NamedTuple

import numpy as np
from scipy.stats import mannwhitneyu

from benchmarks._noise import Noise, clean, compared, generator, in_blocks, mild_drift, realistic, session, strong
from benchmarks._noise import strong_drift as drifting
from kassay.analysis.statistics import blocked
from kassay.analysis.statistics.blocked import Boot, Comparison
from kassay.analysis.statistics.multiplicity import benjamini_hochberg, holm
from kassay.analysis.statistics.planning import threshold
from kassay.analysis.statistics.segments import LadderBoot, boundaries
from kassay.analysis.timed import fisher
from kassay.model.timing import LOOKS

MARGIN = 0.02
Cell = tuple[object, ...]
Row = list[str]


class Table(NamedTuple):
    """head: column titles; cells: what each row is about; row: (cell, series) -> the row's columns."""

    title: str
    head: Row
    cells: Sequence[Cell]
    row: Callable[[Cell, int], Row]


FAMILIES: dict[str, Callable[[float], Noise]] = {
    "none": clean, "mild drift": mild_drift, "mild drift+outliers+failed": realistic,
    "strong drift": drifting, "strong drift+outliers+failed": strong,
}  # fmt: skip


def percent(hits: float, of: float, reference: str = "") -> str:
    return f"{100 * hits / of:.1f}" + (f" ({reference})" if reference else "")


def mann_whitney(boots: Sequence[Boot]) -> float:
    base, head = [b.value for b in boots if not b.head], [b.value for b in boots if b.head]
    return float(mannwhitneyu(head, base).pvalue)


# One look at a fixed number of boots.
FIXED_REFERENCE = {
    (6, "strong drift+outliers+failed"): ("2.8", "20", "54", "85"),
    (10, "none"): ("4.1", "50", "95", ""),
    (10, "strong drift+outliers+failed"): ("5.3", "37", "87", "99"),
    (14, "strong drift+outliers+failed"): ("5.7", "55", "97", ""),
}
EFFECTS = (0.0, 0.05, 0.10, 0.40)


def fixed(cell: Cell, series: int) -> Row:
    each, name = cell
    assert isinstance(each, int) and isinstance(name, str)
    columns, spent = [], [0.0, 0.0]
    for effect, reference in zip(EFFECTS, FIXED_REFERENCE.get((each, name), ("",) * 4), strict=True):
        rng, hits = generator("fixed", each, name, effect), [0, 0]
        sessions = [compared(rng, each, FAMILIES[name](0.05), effect) for _ in range(series)]
        for place, test in enumerate((blocked.test, mann_whitney)):
            started = time.perf_counter()
            hits[place] = sum(test(boots) <= 0.05 for boots in sessions)
            spent[place] += time.perf_counter() - started
        columns.append(f"{percent(hits[0], series, reference)} · {percent(hits[1], series)}")
    return [str(each), name, *columns, f"{spent[0] / spent[1]:.2f}"]


# Looks, and stopping early.
SEQUENTIAL_REFERENCE = {
    (0.01, 0.0): "11.7; equal 97, changed 2.7", (0.01, 0.02): "9.7; changed 99", (0.01, 0.05): "7.2; 100",
    (0.01, 0.1): "7.1; 100", (0.01, 0.4): "7.0; 100", (0.02, 0.0): "22.4; equal 39, changed 5.3",
    (0.02, 0.02): "17.7; 70", (0.02, 0.05): "8.4; 100", (0.02, 0.1): "7.1; 100", (0.02, 0.4): "7.1; 100",
    (0.05, 0.0): "23.5; changed 4.7", (0.05, 0.02): "22.7; 16", (0.05, 0.05): "17.9; 69", (0.05, 0.1): "10.1; 99.7",
    (0.05, 0.4): "7.1; 100", (0.07, 0.0): "23.6; 4.3", (0.07, 0.02): "23.1; 10", (0.07, 0.05): "20.7; 41",
    (0.07, 0.1): "13.9; 93", (0.07, 0.4): "7.1; 100",
}  # fmt: skip


def upto(boots: Sequence[Boot], each: int) -> list[Boot]:
    """Boots of the blocks that a look at `each` boots per kernel has."""
    return [boot for boot in boots if boot.block < each // 2]


Look = Callable[[Sequence[Boot], float], str]


def decided(boots: Sequence[Boot], look: Look) -> tuple[str, int]:
    """Outcome and boots per kernel at which the session ended."""
    for each in LOOKS:
        outcome = look(upto(boots, each), threshold(len(LOOKS)))
        if outcome != "inconclusive":
            return outcome, each
    return "inconclusive", LOOKS[-1]


def by_tests(boots: Sequence[Boot], level: float) -> str:
    """Same as by_interval(), from three tests in place of the fifty of an interval."""
    if blocked.test(boots) <= level:
        return "changed"
    if any(blocked.test(boots, log1p(side)) > level for side in (-MARGIN, MARGIN)):
        return "inconclusive"
    return "equal" if log1p(-MARGIN) < blocked.estimate(boots) < log1p(MARGIN) else "inconclusive"


def by_interval(boots: Sequence[Boot], level: float) -> str:
    ends = blocked.interval(boots, level)
    if ends is None or ends[0] <= 0 <= ends[1]:
        inside = ends is not None and log1p(-MARGIN) <= ends[0] and ends[1] <= log1p(MARGIN)
        return "equal" if inside else "inconclusive"
    return "changed"


def sequential(cell: Cell, series: int) -> Row:
    cv, effect = cell
    assert isinstance(cv, float) and isinstance(effect, float)
    rng = generator("sequential", cv, effect)
    ends = [decided(compared(rng, LOOKS[-1], realistic(cv), effect), by_tests) for _ in range(series)]
    rates = [percent(sum(word == outcome for word, _ in ends), series) for outcome in ("changed", "equal")]
    return [f"{cv:.0%}", f"{effect:.0%}", *rates, f"{np.mean([each for _, each in ends]):.1f}",
            SEQUENTIAL_REFERENCE[cv, effect]]  # fmt: skip


def same(cell: Cell, series: int) -> Row:
    """Number of sessions in which three tests agree with the interval, in the outcome and in the look that decides."""
    cv, effect = cell
    assert isinstance(cv, float) and isinstance(effect, float)
    rng, sessions = generator("same", cv, effect), max(20, series // 10)
    made = [compared(rng, LOOKS[-1], realistic(cv), effect) for _ in range(sessions)]
    alike = sum(decided(boots, by_tests) == decided(boots, by_interval) for boots in made)
    return [f"{cv:.0%}", f"{effect:.0%}", str(sessions), str(alike)]


def looks(cell: Cell, series: int) -> Row:
    """Sessions of one kernel against itself that any of the first k looks calls a change, k = 1..5."""
    name, cv = cell
    assert isinstance(name, str) and isinstance(cv, float)
    rng = generator("looks", name, cv)
    ps = np.ones((series, len(LOOKS)))
    for place in range(series):
        boots = compared(rng, LOOKS[-1], FAMILIES[name](cv))
        ps[place] = [blocked.test(upto(boots, each)) for each in LOOKS]
    rates = [float((ps[:, : k + 1] <= threshold(k + 1)).any(axis=1).mean()) for k in range(len(LOOKS))]
    return [name, f"{cv:.0%}", *(percent(rate, 1) for rate in rates), percent((ps <= 0.05).any(axis=1).mean(), 1)]


# Intervals and estimates.
def coverage(cell: Cell, series: int) -> Row:
    each, name, effect = cell
    assert isinstance(each, int) and isinstance(name, str) and isinstance(effect, float)
    rng, truth = generator("coverage", each, name, effect), log1p(effect)
    covered, widths, errors = 0, [], []
    for _ in range(series):
        boots = compared(rng, each, FAMILIES[name](0.05), effect)
        ends = blocked.interval(boots, 0.05)
        covered += ends is None or ends[0] <= truth <= ends[1]
        widths += [ends[1] - ends[0]] if ends else []
        errors.append(blocked.estimate(boots) - truth)
    return [str(each), name, f"{effect:.0%}", percent(covered, series), f"{100 * np.median(widths):.1f}",
            f"{100 * np.mean(errors):+.2f} ± {100 * np.std(errors) / series**0.5:.2f}"]  # fmt: skip


# Why all of one kernel before all of the other is refused.
def order(cell: Cell, series: int) -> Row:
    each, name = cell
    assert isinstance(each, int) and isinstance(name, str)
    rng, hits = generator("order", each, name), [0, 0]
    for _ in range(series):
        logs = session(rng, 2 * each, FAMILIES[name](0.05))
        places = in_blocks(rng, 2 * each)
        in_order = [Boot(0, place >= each, float(np.exp(z))) for place, z in enumerate(logs)]
        at_random = [Boot(b, head, float(np.exp(z))) for (b, head), z in zip(places, logs, strict=True)]
        for place, boots in enumerate((in_order, at_random)):
            hits[place] += blocked.test(boots) <= 0.05
    return [str(each), name, percent(hits[0], series), percent(hits[1], series)]


# Ladders.
LADDERS: tuple[Cell, ...] = (
    (3, "none", 0.02, 0.05, "79 / 6"), (3, "mild drift+outliers+failed", 0.05, 0.10, "45 / 11"),
    (5, "mild drift+outliers+failed", 0.05, 0.10, "72 / 10"), (9, "mild drift+outliers+failed", 0.05, 0.10, "95 / 10"),
    (9, "mild drift+outliers+failed", 0.05, 0.40, "99 / 8"), (9, "mild drift+outliers+failed", 0.05, 0.0, "– / 4"),
    (9, "strong drift+outliers+failed", 0.05, 0.10, ""), (9, "strong drift+outliers+failed", 0.05, 0.0, ""),
)  # fmt: skip


def ladder(cell: Cell, series: int) -> Row:
    """Six kernels, each once per block; one step, before a kernel that is drawn for every series."""
    each, name, cv, effect, reference = cell
    assert isinstance(each, int) and isinstance(name, str) and isinstance(cv, float) and isinstance(effect, float)
    rng, right, wrong = generator("ladder", each, name, cv, effect), 0, 0
    for _ in range(series):
        step, logs = int(rng.integers(1, 6)), session(rng, 6 * each, FAMILIES[name](cv))
        kernels = [int(kernel) for _ in range(each) for kernel in rng.permutation(6)]
        shifted = logs + np.where(np.array(kernels) >= step, log1p(effect), 0)
        boots = [LadderBoot(i // 6, kernels[i], float(np.exp(z))) for i, z in enumerate(shifted) if not np.isnan(z)]
        found = {boundary.at for boundary in boundaries(boots, 0.05, 999)}
        right, wrong = right + (step in found), wrong + bool(found - ({step} if effect else set()))
    found_right = percent(right, series) if effect else "–"
    return [str(each), name, f"{cv:.0%}", f"{effect:.0%}", f"{found_right} / {percent(wrong, series)}", str(reference)]


# Many cells.
FAMILY_REFERENCE = {10: "p<.05: 7.9, 34, –; BH: 1.4, 4.7, 56; Holm: .03, –, 24", 14: "BH power 87, Holm 57"}


def family(cell: Cell, series: int) -> Row:
    """120 cells of which every tenth is slower by 10 %; half of the variance of a boot is common to all cells."""
    (each,) = cell
    assert isinstance(each, int)
    rng, matrices, cells = generator("family", each), max(20, series // 4), 120
    truth = np.arange(cells) % 10 == 0
    rejected: dict[str, list[np.ndarray]] = {"p<.05": [], "BH": [], "Holm": []}
    for _ in range(matrices):
        common, places = rng.normal(0, 0.05 * 0.5**0.5, 2 * each), in_blocks(rng, 2 * each)
        ps = []
        for slower in truth:
            logs = common + rng.normal(0, 0.05 * 0.5**0.5, 2 * each)
            boots = [
                Boot(b, h, float(np.exp(z + h * slower * log1p(0.1)))) for (b, h), z in zip(places, logs, strict=True)
            ]
            ps.append(blocked.test(boots))
        rejected["p<.05"].append(np.array(ps) <= 0.05)
        rejected["BH"].append(np.array(benjamini_hochberg(ps, 0.05)))
        rejected["Holm"].append(np.array(holm(ps, 0.05)))
    return [str(each), *(_family_words(np.array(made), truth) for made in rejected.values()), FAMILY_REFERENCE[each]]


def _family_words(made: np.ndarray, truth: np.ndarray) -> str:
    false = (made & ~truth).sum(axis=1)
    share = (false / np.maximum(made.sum(axis=1), 1)).mean()
    rates = (share, (false > 0).mean(), made[:, truth].mean())
    return f"{false.mean():.2f}, " + ", ".join(percent(rate, 1) for rate in rates)


def pool(cell: Cell, series: int) -> Row:
    """Five independent cells of ten boots per kernel, judged as one."""
    name, effect = cell
    assert isinstance(name, str) and isinstance(effect, float)
    rng, together, alone = generator("pool", name, effect), 0, 0
    for _ in range(series):
        cells = [compared(rng, 10, FAMILIES[name](0.05), effect) for _ in range(5)]
        together += Comparison(cells).p(0.0) <= 0.05
        alone += blocked.test(cells[0]) <= 0.05
    return [name, f"{effect:.0%}", percent(together, series), percent(alone, series)]


def failing(cell: Cell, series: int) -> Row:
    each, base, head = cell
    assert isinstance(each, int) and isinstance(base, float) and isinstance(head, float)
    rng = generator("failing", each, base, head)
    made = zip(rng.binomial(each, base, series).tolist(), rng.binomial(each, head, series).tolist(), strict=True)
    return [
        str(each),
        f"{base:.0%}",
        f"{head:.0%}",
        percent(sum(fisher(a, each, b, each) <= 0.05 for a, b in made), series),
    ]


TABLES = {
    "fixed": Table(
        "One look: % rejected at 5 %, CV 5 %: blocked rank test (reference) · Mann-Whitney",
        ["n", "noise", "effect 0", "5 %", "10 %", "40 %", "time / Mann-Whitney's"],
        tuple(product((6, 10, 14), ("none", "mild drift+outliers+failed", "strong drift+outliers+failed"))), fixed,
    ),
    "sequential": Table(
        "Five looks, margin 2 %, mild drift+outliers+failed: % of sessions by outcome, boots per kernel",
        ["CV", "effect", "changed", "equal", "boots", "reference: boots; %"],
        tuple(product((0.01, 0.02, 0.05, 0.07), (0.0, 0.02, 0.05, 0.10, 0.40))), sequential,
    ),
    "same": Table(
        "Sessions in which three tests, as in the table above, and the interval give one outcome at one look",
        ["CV", "effect", "sessions", "alike"],
        ((0.01, 0.0), (0.01, 0.02), (0.02, 0.05), (0.05, 0.05), (0.05, 0.10)), same,
    ),
    "looks": Table(
        "No difference: % of sessions in which one of the first k looks claims a change",
        ["noise", "CV", "k=1", "2", "3", "4", "5 (4.5; 2.6–5.3)", "5 looks at .05 (every block: 17–20)"],
        tuple(product(FAMILIES, (0.02, 0.05, 0.10))), looks,
    ),
    "coverage": Table(
        "95 % interval, CV 5 %: % that hold the truth, median width and bias of the estimate in points of log",
        ["n", "noise", "effect", "covered", "width", "bias"],
        tuple(product((6, 10, 24), ("none", "strong drift+outliers+failed"), (0.05, 0.40))), coverage,
    ),
    "order": Table(
        "No difference, CV 5 %, no failed boots: % rejected at 5 % (reference, n=9, sequential: 19 mild, 51 strong)",
        ["n", "noise", "all base, then all head", "blocks in random order"],
        tuple(product((6, 10, 14), ("none", "mild drift", "strong drift"))), order,
    ),
    "ladder": Table(
        "Six kernels, one step: % of ladders with the right boundary / with any wrong one",
        ["n", "noise", "CV", "step", "kassay", "reference"], LADDERS, ladder,
    ),
    "family": Table(
        "120 cells, 12 of them +10 %, CV 5 %: false per matrix, false among named %, any false %, power %",
        ["n", "p<.05", "BH 5 %", "Holm 5 %", "reference: false, false among named %, power %"], ((10,), (14,)), family,
    ),
    "pool": Table(
        "Five cells, n=10, CV 5 %: % rejected at 5 %",
        ["noise", "effect", "pooled", "one cell"],
        tuple(product(("none", "strong drift+outliers+failed"), (0.0, 0.02, 0.05))), pool,
    ),
    "failing": Table(
        "Failed boots: % in which Fisher's test rejects at 5 %",
        ["n", "base fails", "head fails", "rejected"],
        ((10, 0.02, 0.02), (10, 0.2, 0.2), (24, 0.02, 0.02), (24, 0.2, 0.2), (10, 0.02, 0.5), (24, 0.02, 0.3)), failing,
    ),
}  # fmt: skip


def _row(job: tuple[str, Cell, int]) -> Row:
    name, cell, series = job
    return TABLES[name].row(cell, series)


def _rows(jobs: list[tuple[str, Cell, int]], processes: int) -> Iterator[Row]:
    if processes == 1:
        yield from map(_row, jobs)
        return
    with ProcessPoolExecutor(2) as executor:
        yield from executor.map(_row, jobs)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--series", type=int, default=2000)
    parser.add_argument("--quick", action="store_true", help="200 series")
    parser.add_argument("--jobs", type=int, choices=(1, 2), default=1)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], metavar="TABLE")
    words = parser.parse_args()
    series, started = 200 if words.quick else words.series, time.monotonic()
    for name in words.tables or TABLES:
        table = TABLES[name]
        print(f"\n### {name}: {table.title}\n\n| {' | '.join(table.head)} |\n|{'---|' * len(table.head)}")
        jobs = [(name, cell, series) for cell in table.cells]
        for done, row in enumerate(_rows(jobs, words.jobs), 1):
            print(f"| {' | '.join(row)} |", flush=True)
            print(f"{time.monotonic() - started:6.0f} s  {name} {done}/{len(jobs)}", file=sys.stderr)


if __name__ == "__main__":
    main()
