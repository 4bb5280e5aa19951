# SPDX-License-Identifier: GPL-2.0-only
"""Error rates of the nominations of `kassay history points`, beside those of two others on the same noise. 4 minutes.

usage: python -m benchmarks.change_points [--series N]

Noise: lognormal, CV 5 %; outliers: 3 % of the values times 3; AR: lag-1 correlation 0.3. "plain rule" is the rule that
kassay's is made of, without what it adds (the factor for short series, the last digit, the second estimate of
correlation), run here on the same series. "Otava": figures measured for this project with Apache Otava's analysis at
p = .001, on other series of the same kind.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kassay.tools.history import changes
from kassay.tools.history.changes import change_points

Array = NDArray[np.float64]
Rule = Callable[[Sequence[float]], tuple[int, ...]]
CV = 0.05


class Case(NamedTuple):
    """One kind of series. step: at its middle, relative. otava: what it does there, in %, None when not known."""

    length: int
    outliers: float = 0.0
    phi: float = 0.0
    step: float = 0.0
    otava: float | None = None

    def words(self) -> str:
        more = [f"{self.outliers:.0%} outliers"] if self.outliers else []
        more += [f"AR {self.phi}"] if self.phi else []
        more += [f"step {self.step:.0%}"] if self.step else []
        return ", ".join((str(self.length), *more))


NULL = (
    Case(6), Case(10, otava=2.3), Case(30, otava=2.5), Case(100, otava=7.2), Case(300, otava=18),
    Case(1000, otava=55), Case(300, outliers=0.03, otava=57), Case(300, phi=0.3, otava=82),
)  # fmt: skip
POWER = (
    Case(30, step=0.1), Case(100, step=0.1, otava=87), Case(100, outliers=0.03, step=0.1, otava=34),
    Case(300, outliers=0.03, step=0.1, otava=25), Case(100, step=0.05, otava=49),
    Case(100, outliers=0.03, step=0.05, otava=13),
)  # fmt: skip


def series(case: Case, draw: np.random.Generator) -> list[float]:
    """One series of a kind."""
    noise = draw.normal(size=case.length)
    for i in range(1, case.length if case.phi else 0):
        noise[i] = case.phi * noise[i - 1] + (1 - case.phi**2) ** 0.5 * noise[i]
    values = np.exp(CV * noise) * np.where(draw.random(case.length) < case.outliers, 3.0, 1.0)
    values[case.length // 2 :] *= 1 + case.step
    found: list[float] = values.tolist()
    return found


def plain_rule(values: Sequence[float]) -> tuple[int, ...]:
    """log, sigma from first differences, winsorised, PELT with the correlation of what the first cut leaves."""
    logs = np.log(np.asarray(values))
    steps = np.diff(logs)
    sigma = 1.4826 * float(np.median(np.abs(steps - np.median(steps)))) / 2**0.5
    calm = changes.winsorised(logs, sigma)
    first = changes._partition(calm, changes._penalty(sigma, len(calm), 0.0))
    phi = min(0.9, changes._correlation(calm, first))
    return changes._partition(calm, changes._penalty(sigma, len(calm), phi)) if phi > 0 else first


def rates(rule: Rule, case: Case, number: int, seed: int) -> tuple[float, float]:
    """Without a step: share of series with a nomination, and nominations per series; with one: share found within 2."""
    draw = np.random.default_rng([seed, case.length])
    found = [rule(series(case, draw)) for _ in range(number)]
    if case.step:
        return sum(any(abs(i - case.length // 2) <= 2 for i in ones) for ones in found) / number, 0.0
    return sum(map(bool, found)) / number, sum(map(len, found)) / number


def main() -> None:
    """Prints both tables in Markdown, with standard errors, and the speed at 10 000 points."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, default=2000, help="series of each kind; a fifth of the longest")
    number: int = parser.parse_args().series
    for title, cases in (("no change: share with a nomination (mean number)", NULL), ("a step: found within 2", POWER)):
        print(f"| {title} | kassay | plain rule | Otava | series |\n| --- | ---: | ---: | ---: | ---: |")
        for case in cases:
            many = number if case.length < 300 else max(50, number // (2 if case.length < 1000 else 10))
            shown = []
            for rule in (change_points, plain_rule):
                share, mean = rates(rule, case, many, seed=7)
                error = (share * (1 - share) / many) ** 0.5
                shown.append(f"{share:.1%} ± {error:.1%}" + ("" if case.step else f" ({mean:.2f})"))
            other = "-" if case.otava is None else f"{case.otava:g} %"
            print(f"| {case.words()} | {' | '.join(shown)} | {other} | {many} |", flush=True)
        print()
    values = series(Case(10_000), np.random.default_rng(1))
    started = time.process_time()
    change_points(values)
    print(f"10 000 points: {time.process_time() - started:.2f} s of CPU")


if __name__ == "__main__":
    main()
