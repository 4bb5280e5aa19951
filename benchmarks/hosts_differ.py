# SPDX-License-Identifier: GPL-2.0-only
"""How often hosts are said to differ, on simulated sessions of several hosts: the table of docs/reference/cluster.md.

usage: python -m benchmarks.hosts_differ [--series N]
Each host has a level and noise of its own; a level is up to 8 times another's. Rates are of N series (100): 5 %
has a standard error of 2.2 points. About 3 minutes on one core.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchmarks._noise import Noise, clean, compared, generator, realistic, strong
from kassay.analysis.statistics.between import between

_LEVEL = 0.05
_NOISE: dict[str, Callable[[float], Noise]] = {
    "none": clean, "mild drift+outliers+failed": realistic, "strong drift+outliers+failed": strong,
}  # fmt: skip


class _Column(NamedTuple):
    """effects: of each host, relative. cvs: of a boot there."""

    title: str
    effects: Sequence[float]
    cvs: Sequence[float]


_COLUMNS = (
    _Column("2 hosts, both 10 %", (0.10,) * 2, (0.05, 0.02)),
    _Column("4 hosts, all 10 %", (0.10,) * 4, (0.05, 0.02) * 2),
    _Column("5 % and 10 %, cv 2 %", (0.05, 0.10), (0.02, 0.02)),
    _Column("5 % and 55 %, cv 5 %", (0.05, 0.55), (0.05, 0.05)),
    _Column("5 % and 55 %, cv 20 %", (0.05, 0.55), (0.20, 0.20)),
)


def rate(boots: int, name: str, column: _Column, series: int) -> float:
    """Per cent of sessions in which the hosts are said to differ."""
    hits = 0
    for number in range(series):
        rng = generator("hosts", boots, name, column.title, number)
        noises = [_NOISE[name](cv) for cv in column.cvs]
        made = [compared(rng, boots, noise, effect) for noise, effect in zip(noises, column.effects, strict=True)]
        hosts = [[boot._replace(value=boot.value * 2**place) for boot in host] for place, host in enumerate(made)]
        hits += between(hosts).p <= _LEVEL
    return 100 * hits / series


def main() -> None:
    """Prints the table as Markdown, row by row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=100)
    series = parser.parse_args().series
    print(f"| boots a side | noise | {' | '.join(column.title for column in _COLUMNS)} |")
    print(f"|---|---|{'---|' * len(_COLUMNS)}")
    for boots in (6, 10):
        for name in _NOISE:
            rates = [f"{rate(boots, name, column, series):.1f}" for column in _COLUMNS]
            print(f"| {boots} | {name} | {' | '.join(rates)} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
