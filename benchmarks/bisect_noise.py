# SPDX-License-Identifier: GPL-2.0-only
"""How often a search on a noisy clock names a wrong commit, and in how many boots: python -m benchmarks.bisect_noise

Every search is played against a known truth: lognormal boots, 3 % of them times three, 2 % failed. Where said, a slow
drift of the host (AR(1), phi 0.95, sd in scatters of a boot), and a host that at so many of the boots becomes up to
twice as fast or as slow, and stays so. A row says how many searches started (the others were told that time cannot
tell the ends apart), how many of those named the right commit, with the standard error, how many named a wrong one,
and the boots after the pairs at the ends: until the odds were past 99 % for the first time, and in all, with those
that make sure of the two sides. --searches N: of each row.
"""

import argparse
from math import exp, log, log1p, sqrt
from random import Random
from statistics import median
from typing import NamedTuple

from kassay.model.bisect import Observation
from kassay.tools.search.decision import Ask, Conclusion
from kassay.tools.search.noisy import END_PAIRS, next_step

ROWS = (  # commits, change, scatter, drift, share of boots at which the host's pace changes
    (16, 0.40, 0.05, 0.0, 0.0), (1024, 0.40, 0.05, 0.0, 0.0), (14000, 0.40, 0.05, 0.0, 0.0),
    (1024, 0.10, 0.02, 0.5, 0.0), (1024, 0.10, 0.05, 0.0, 0.0), (1024, 0.10, 0.05, 0.5, 0.0),
    (32, 0.15, 0.05, 0.0, 0.0), (32, 0.40, 0.05, 0.0, 0.02), (32, 0.40, 0.05, 0.0, 0.1),
    (1024, 0.15, 0.05, 0.5, 0.02), (1024, 0.40, 0.05, 0.0, 0.05), (32, 0.0, 0.05, 0.0, 0.0), (32, 0.0, 0.05, 0.0, 0.05),
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


def play(commits: int, effect: float, scatter: float, drift: float, paces: float, seed: int) -> Played:
    """One search with one guilty commit at a random place."""
    chance = Random(f"{commits}/{effect}/{scatter}/{drift}/{paces}/{seed}")
    guilty = chance.randint(1, commits)
    made: list[Observation] = []
    slow, pace, sure = 0.0, 0.0, 0
    while isinstance(asked := next_step(commits, made, 0.01, seed=seed), Ask):
        pace = chance.uniform(-log(2), log(2)) if chance.random() < paces else pace
        slow = _PHI * slow + chance.gauss(0, drift * scatter * sqrt(1 - _PHI * _PHI)) if drift else 0.0
        value = 100 * (1 + effect * (asked.candidate >= guilty)) * exp(chance.gauss(0, scatter) + slow + pace)
        value *= 3 if chance.random() < _STRAY else 1
        failed = chance.random() < _FAIL
        sure = sure or len(made) * ("in turns" in asked.reason)
        made.append(
            Observation(
                number=len(made) + 1, candidate=asked.candidate, boot=asked.boot, reason=asked.reason,
                outcome="not-booted" if failed else "value", value=None if failed else value,
            )
        )  # fmt: skip
    return _judged(asked, guilty, len(made), sure or len(made))


def _judged(found: Conclusion, guilty: int, boots: int, sure: int) -> Played:
    started = bool(found.steps) or boots > 2 * END_PAIRS + 6
    right = bool(found.steps) and found.steps[0].first == guilty
    ends = 2 * END_PAIRS
    return Played(started, right, bool(found.steps) and not right, boots - ends, sure - ends, len(found.steps))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--searches", type=int, default=150)
    count = options.parse_args().searches
    print("| commits | change | scatter | drift | paces | d/sigma | started | right | wrong | to 99 % | in all |")
    print("| ---: " * 11 + "|")
    for setting in ROWS:
        searches = count if setting[0] < 10000 else count // 5
        print(row(*setting, [play(*setting, seed) for seed in range(searches)]), flush=True)


def row(commits: int, effect: float, scatter: float, drift: float, paces: float, played: list[Played]) -> str:
    started = [one for one in played if one.started]
    n = len(started)
    right = sum(one.right for one in started) / n if n else 0.0
    wrong = sum(one.wrong for one in started) / n if n else 0.0
    error = sqrt(max(right * (1 - right), 1 / (4 * n)) / n) if n else 0.0
    d = log1p(effect) / scatter
    took = [f"{median(x):.0f} ({sorted(x)[int(0.9 * (n - 1))]})" if n else "-"
            for x in ([one.sure for one in started], [one.boots for one in started])]  # fmt: skip
    found = f"{right:.1%} ± {error:.1%} | {wrong:.1%}" if n else "- | -"
    return (f"| {commits} | {effect:.0%} | {scatter:.0%} | {drift:g} | {paces:.0%} | {d:.1f} | {n} of {len(played)} | "
            f"{found} | {' | '.join(took)} |")  # fmt: skip


if __name__ == "__main__":
    main()
