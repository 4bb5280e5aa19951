# SPDX-License-Identifier: GPL-2.0-only
"""Simulated sessions of boots: lognormal noise, drift, outliers, failed boots (docs/explained/statistics.md)."""

from math import log
from typing import Any, NamedTuple

import numpy as np

from kassay.analysis.statistics.blocked import Boot

SEED = 20_260_502
Values = np.ndarray[Any, np.dtype[np.float64]]


class Noise(NamedTuple):
    """cv: of one boot. walk, persistence: standard deviation (in cv) and coefficient of an AR(1) process; trend:
    standard deviation (in cv) of a straight line's rise over the session. outliers: share of boots that take
    three times as long. failed: share of boots without a value."""

    cv: float
    walk: float = 0.0
    persistence: float = 0.0
    trend: float = 0.0
    outliers: float = 0.0
    failed: float = 0.0


def clean(cv: float) -> Noise:
    return Noise(cv)


def mild_drift(cv: float) -> Noise:
    return Noise(cv, walk=0.5, persistence=0.9, trend=1.0)


def strong_drift(cv: float) -> Noise:
    return Noise(cv, walk=1.0, persistence=0.95, trend=3.0)


def realistic(cv: float) -> Noise:
    """Mild drift, outliers, failed boots."""
    return mild_drift(cv)._replace(outliers=0.03, failed=0.02)


def strong(cv: float) -> Noise:
    """Strong drift, outliers, failed boots."""
    return strong_drift(cv)._replace(outliers=0.03, failed=0.02)


def generator(*words: object) -> np.random.Generator:
    """One stream for each named cell of a table, the same on every run."""
    return np.random.default_rng([SEED, *" ".join(map(str, words)).encode()])


def session(rng: np.random.Generator, boots: int, noise: Noise) -> Values:
    """Logarithms of the boots in the order they were made; NaN for a failed one."""
    logs = rng.normal(0, noise.cv, boots)
    if noise.walk:
        step = rng.normal(0, noise.walk * noise.cv, boots)
        step[1:] *= np.sqrt(1 - noise.persistence**2)
        level = 0.0
        for place in range(boots):
            level = noise.persistence * level + step[place]
            logs[place] += level
    if noise.trend:
        logs += rng.normal(0, noise.trend * noise.cv) * np.linspace(-0.5, 0.5, boots)
    logs[rng.random(boots) < noise.outliers] += log(3)
    logs[rng.random(boots) < noise.failed] = np.nan
    return logs


def in_blocks(rng: np.random.Generator, boots: int, per_block: int = 4) -> list[tuple[int, bool]]:
    """(block, head) of each boot: half of a block is head's, in random order."""
    made: list[tuple[int, bool]] = []
    for block in range(boots // per_block):
        heads = set(rng.permutation(per_block)[: per_block // 2].tolist())
        made += [(block, place in heads) for place in range(per_block)]
    return made


def compared(rng: np.random.Generator, each: int, noise: Noise, effect: float = 0.0) -> list[Boot]:
    """A session of `each` boots per kernel in blocks of four; head is slower by `effect`, relative."""
    logs, shift = session(rng, 2 * each, noise), log(1 + effect)
    places = in_blocks(rng, 2 * each)
    return [
        Boot(block, head, float(np.exp(z + shift * head)))
        for (block, head), z in zip(places, logs, strict=True)
        if not np.isnan(z)
    ]
