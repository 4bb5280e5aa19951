# SPDX-License-Identifier: GPL-2.0-only
"""Position of the step, as probabilities, on a host whose own speed changes.

A boot's logarithm is b + d + e: b the host's pace, which creeps from boot to boot and at times jumps; d the change, in
candidates that have it; e the scatter of a boot. Neither b nor d nor the scatter is taken as known: a hidden Markov
model over b (forward algorithm; Rabiner 1989, Proc. IEEE 77(2)) is integrated over what d and scatter may be.
"""

from collections.abc import Sequence
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from kassay.tools.search.decision import between

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STRAYS = 0.05
"""Share of boots that stray by any amount: they carry no vote."""
JUMPS = 0.03
"""Share of boots before which the host's pace changes by any amount."""
_CREEP = 0.1  # share of b that goes to each neighbouring cell at a boot: an sd of 0.22 scatters
_CELL, _MOST_CELLS = 0.5, 240  # in scatters
_FARTHEST = 1.4  # logarithm: a host four times as fast or slow as usual
_CHANGES = (-1.5, 0.0, 1.5)  # in standard errors of the change
_SCALES = (0.7, 1.0, 1.4)  # eight pairs know their scatter to a quarter
_FINEST = 1e-4  # relative; boots that agree to the digit are still not exact


class Levels(NamedTuple):
    """Levels of the two ends, from pairs of their boots."""

    change: float
    """Change of the logarithm."""
    sigma: float
    """Robust scatter of the difference of two boots made side by side, over sqrt 2."""
    error: float
    """Standard error of the change."""

    @property
    def apart(self) -> float:
        """The change in sigmas of a boot."""
        return abs(self.change) / self.sigma


def levels_of(pairs: Sequence[tuple[float, float]]) -> Levels:
    """From logarithms of (good end, bad end), booted side by side: sigma = 1.4826 MAD of their differences / sqrt 2."""
    change = between(pairs)
    sigma = max(1.4826 * median(abs(bad - good - change) for good, bad in pairs) / 2**0.5, _FINEST)
    return Levels(change, sigma, error_of(sigma, len(pairs)))


def error_of(sigma: float, pairs: int) -> float:
    """Standard error of the median difference of so many pairs."""
    return float(1.2533 * sigma * (2 / pairs) ** 0.5)


class Posterior:
    """Posterior of a stretch. Before the first boot its candidates low + 1 ... high are equally likely."""

    def __init__(self, low: int, high: int, boots: Sequence[tuple[int, float]], levels: Levels) -> None:
        """boots: candidate and logarithm, in the order made; both ends among them."""
        self._low, self._high, self._boots = low, high, boots
        self._measured = sorted({candidate for candidate, _ in boots})
        self._model = _Model.over(boots, levels)

    @cached_property
    def odds(self) -> "Floats":
        """Probability that candidate low + g is the first with the change, as an array; [0] is g = 1."""
        import numpy as np

        weights = _log_mean(self._forward[0])[self._segment]
        weights = np.exp(weights - weights.max())
        odds: Floats = weights / weights.sum()
        return odds

    @cached_property
    def _forward(self) -> "tuple[Floats, Floats]":
        import numpy as np

        return self._model.forward(np.searchsorted(self._measured, [candidate for candidate, _ in self._boots]))

    @cached_property
    def _segment(self) -> "NDArray[np.intp]":
        """The measured candidates between which each candidate lies: boots cannot tell more."""
        import numpy as np

        return np.searchsorted(self._measured, np.arange(self._low + 1, self._high + 1), side="left") - 1

    @cached_property
    def _next(self) -> "tuple[Floats, Floats]":
        """Possible values of the next boot, without and with the change, under the likeliest change and scatter."""
        likelihood, pace = self._forward
        likeliest = int(likelihood.max(axis=0).argmax())
        return self._model.predicted(pace[:, likeliest, :], likeliest)

    def gain(self, candidate: int) -> float:
        """Bits that a boot of `candidate` is expected to tell about where the step is."""
        import numpy as np

        good, bad = self._next
        segments, end = len(self._measured) - 1, candidate - self._low
        has = np.bincount(self._segment[:end], self.odds[:end], segments)
        lacks = np.bincount(self._segment, self.odds, segments) - has
        both = has @ bad + lacks @ good
        return float(_entropy(both[None, :])[0] - has @ _entropy(bad) - lacks @ _entropy(good))


class _Model(NamedTuple):
    """boots' logarithms; cells of b; changes and scatters, combined, that are integrated over."""

    values: "Floats"
    cells: "Floats"
    changes: "Floats"
    sigmas: "Floats"

    @classmethod
    def over(cls, boots: Sequence[tuple[int, float]], levels: Levels) -> "_Model":
        import numpy as np

        values = np.array([x for _, x in boots])
        away = abs(levels.change) + _FARTHEST  # one wild boot would make all cells too wide for the others
        values = np.clip(values, np.median(values) - away, np.median(values) + away)
        reach = abs(levels.change) + 4 * levels.sigma
        start, end = values.min() - reach, values.max() + reach
        cells = np.linspace(start, end, min(_MOST_CELLS, int((end - start) / (_CELL * levels.sigma)) + 2))
        width = float(cells[1] - cells[0])
        changes = levels.change + np.array(_CHANGES) * levels.error
        sigmas = np.maximum(np.array(_SCALES) * levels.sigma, width)  # a boot must not fall between two cells
        return cls(values, cells, np.repeat(changes, len(sigmas)), np.tile(sigmas, len(changes)))

    def forward(self, positions: "NDArray[np.intp]") -> "tuple[Floats, Floats]":
        """Log likelihood for a step in each segment between measured candidates, and what b is before the next boot.

        positions: of each boot, its candidate's index among the measured ones. Shapes: (segments,
        combinations), and that by cells.
        """
        import numpy as np

        segments = np.arange(1, int(positions.max()) + 1)
        pace = np.full((len(segments), len(self.changes), len(self.cells)), 1 / len(self.cells))
        shifts = np.stack([np.zeros_like(self.changes), self.changes])[:, :, None]
        densities = self._density(self.values[:, None, None, None] - shifts)
        changed = (positions[:, None] >= segments).astype(int)
        masses = np.empty((len(positions), *pace.shape[:2]))
        for density, has, mass in zip(densities, changed, masses, strict=True):
            pace *= density[has]
            pace.sum(axis=2, out=mass)
            pace /= mass[:, :, None]
            pace = _moved(pace)
        return np.log(masses).sum(axis=0), pace

    def _density(self, values: "Floats") -> "Floats":
        """Density of boots with these values (..., combinations, 1) in every cell: mostly normal, the rest flat."""
        import numpy as np

        sigmas = self.sigmas[:, None]
        normal = np.exp(-0.5 * ((values - self.cells[None, :]) / sigmas) ** 2) / (sigmas * np.sqrt(2 * np.pi))
        result: Floats = (1 - STRAYS) * normal + STRAYS / (self.cells[-1] - self.cells[0])
        return result

    def predicted(self, pace: "Floats", combination: int) -> "tuple[Floats, Floats]":
        """Densities of the next boot without and with the change, by segment: (segments, values)."""
        import numpy as np

        change, sigma = self.changes[combination], self.sigmas[combination]
        step, reach = self.cells[1] - self.cells[0], abs(change)
        values = np.arange(self.cells[0] - reach, self.cells[-1] + reach, step)
        densities = []
        for shift in (0.0, change):
            spread = np.exp(-0.5 * ((values[None, :] - shift - self.cells[:, None]) / sigma) ** 2)
            density = (1 - STRAYS) * (pace @ (spread / spread.sum(axis=1, keepdims=True))) + STRAYS / len(values)
            densities.append(density / density.sum(axis=1, keepdims=True))
        return densities[0], densities[1]


def _moved(pace: "Floats") -> "Floats":
    """b one boot later: it creeps to the neighbouring cells, and at times is anywhere."""
    import numpy as np

    neighbours = np.empty_like(pace)  # an edge is its own neighbour
    neighbours[:, :, 1:-1] = pace[:, :, :-2] + pace[:, :, 2:]
    neighbours[:, :, 0] = pace[:, :, 0] + pace[:, :, 1]
    neighbours[:, :, -1] = pace[:, :, -2] + pace[:, :, -1]
    crept = (1 - 2 * _CREEP) * pace + _CREEP * neighbours
    result: Floats = (1 - JUMPS) * crept + JUMPS / pace.shape[2]
    return result


def _entropy(rows: "Floats") -> "Floats":
    """In bits; rows add up to 1."""
    import numpy as np

    result: Floats = -(rows * np.log2(np.maximum(rows, 1e-300))).sum(axis=1)
    return result


def _log_mean(rows: "Floats") -> "Floats":
    """Logarithm of the mean of each row of logarithms."""
    import numpy as np

    top = rows.max(axis=1, keepdims=True)
    result: Floats = (top + np.log(np.exp(rows - top).mean(axis=1, keepdims=True)))[:, 0]
    return result
