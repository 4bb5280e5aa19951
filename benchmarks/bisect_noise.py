# SPDX-License-Identifier: GPL-2.0-only
"""How often a search on a noisy clock names a wrong commit, and in how many boots: python -m benchmarks.bisect_noise

Every search is played against a known truth: lognormal boots, 3 % of them times three, 2 % failed, and where said a
slow drift (AR(1), phi 0.95, sd half a boot's scatter). A row says how many searches started (the others were told
that time cannot tell the ends apart), how many of those named the right commit, with the standard error, how many
named a wrong one, and the boots after the 16 at the ends: until the odds were past 99 %, and with those that make
sure of the two sides. --searches N: of each row.
"""

import argparse
from math import exp, log1p, sqrt
from random import Random
from statistics import median
from typing import NamedTuple

from kassay.drivers.decision import Ask, Found
from kassay.drivers.noisy import END_BOOTS, next_step
from kassay.model.bisect import Observation

ROWS = (
    (16, 0.40, 0.05, 0.0), (1024, 0.40, 0.05, 0.0), (14000, 0.40, 0.05, 0.0), (1024, 0.10, 0.02, 0.5),
    (1024, 0.10, 0.05, 0.0), (1024, 0.10, 0.05, 0.5), (32, 0.15, 0.05, 0.0), (32, 0.0, 0.05, 0.0),
)  # fmt: skip
_STRAY, _FAIL, _PHI = 0.03, 0.02, 0.95


class Played(NamedTuple):
    """started: it was not refused. right: the culprit alone or as the largest step. boots, sure: see above."""

    started: bool
    right: bool
    wrong: bool
    boots: int
    sure: int
    steps: int


def play(commits: int, effect: float, scatter: float, drift: float, seed: int) -> Played:
    """One search with one guilty commit at a random place."""
    chance = Random(f"{commits}/{effect}/{scatter}/{drift}/{seed}")
    guilty = chance.randint(1, commits)
    log: list[Observation] = []
    slow, last_search = 0.0, 0
    while isinstance(asked := next_step(commits, log, 0.01, seed=seed), Ask):
        slow = _PHI * slow + chance.gauss(0, drift * scatter * sqrt(1 - _PHI * _PHI)) if drift else 0.0
        value = 100 * (1 + effect * (asked.candidate >= guilty)) * exp(chance.gauss(0, scatter) + slow)
        value *= 3 if chance.random() < _STRAY else 1
        failed = chance.random() < _FAIL
        last_search = len(log) + 1 if "to be sure" not in asked.reason else last_search
        log.append(
            Observation(
                number=len(log) + 1, candidate=asked.candidate, boot=asked.boot, reason=asked.reason,
                outcome="not-booted" if failed else "value", value=None if failed else value,
            )
        )  # fmt: skip
    return _judged(asked, guilty, len(log), last_search)


def _judged(found: Found, guilty: int, boots: int, sure: int) -> Played:
    started = bool(found.steps) or boots > 2 * END_BOOTS + 6
    right = bool(found.steps) and found.steps[0].first == guilty
    ends = 2 * END_BOOTS
    return Played(started, right, bool(found.steps) and not right, boots - ends, sure - ends, len(found.steps))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--searches", type=int, default=150)
    count = options.parse_args().searches
    print("| commits | change | scatter | drift | d/sigma | started | right | wrong | boots (p90) | with both sides |")
    print("| ---: " * 10 + "|")
    for commits, effect, scatter, drift in ROWS:
        searches = count if commits < 10000 else count // 5
        played = [play(commits, effect, scatter, drift, seed) for seed in range(searches)]
        print(row(commits, effect, scatter, drift, played), flush=True)


def row(commits: int, effect: float, scatter: float, drift: float, played: list[Played]) -> str:
    started = [one for one in played if one.started]
    n = len(started)
    right = sum(one.right for one in started) / n if n else 0.0
    wrong = sum(one.wrong for one in started) / n if n else 0.0
    error = sqrt(max(right * (1 - right), 1 / (4 * n)) / n) if n else 0.0
    d = log1p(effect) / scatter
    took = [f"{median(x):.0f} ({sorted(x)[int(0.9 * (n - 1))]})" if n else "-"
            for x in ([one.sure for one in started], [one.boots for one in started])]  # fmt: skip
    found = f"{right:.1%} ± {error:.1%} | {wrong:.1%}" if n else "- | -"
    return (f"| {commits} | {effect:.0%} | {scatter:.0%} | {drift:g} | {d:.1f} | {n} of {len(played)} | {found} | "
            f"{' | '.join(took)} |")  # fmt: skip


if __name__ == "__main__":
    main()
