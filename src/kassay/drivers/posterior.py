# SPDX-License-Identifier: GPL-2.0-only
"""Where the step is, as probabilities: a boot's value against the two levels, integrated over what these may be."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SLAB = 0.05
"""Share of boots that stray by any amount: they carry no vote."""
_CELLS, _REACH = 21, 1.6
_SCALES = (0.7, 0.85, 1.0, 1.2, 1.5)  # sixteen boots know their scatter to a quarter
_WIDER = 1.15  # a scale from few residuals is too small as often as too large, and too small costs more
_FINEST = 1e-4  # relative; boots that agree to the digit are still not exact


class Levels(NamedTuple):
    """The two ends: medians of the logarithms of their boots, and the scatter (robust sigma) of single boots."""

    good: float
    bad: float
    sigma: float

    @property
    def apart(self) -> float:
        """Distance of the two levels in sigmas of a boot."""
        return abs(self.bad - self.good) / self.sigma


def levels_of(good: Sequence[float], bad: Sequence[float]) -> Levels:
    """From logarithms of the end boots: sigma = 1.4826 * MAD of their residuals, a little wider."""
    low, high = median(good), median(bad)
    residuals = [abs(x - low) for x in good] + [abs(x - high) for x in bad]
    return Levels(low, high, max(1.4826 * median(residuals) * _WIDER, _FINEST))


def gap_odds(last: int, boots: Mapping[int, Sequence[float]], levels: Levels) -> "Floats":
    """Probability that candidate g (1..last) is the first with the change, as an array; [0] is g = 1.

    boots: logarithms, of each measured candidate. Every candidate is as likely as any other before the first boot.
    Neither the levels nor the scatter are taken as known: they are integrated, over +- 1.6 sigma and over 0.7 to 1.5
    times the scatter.
    """
    import numpy as np

    places = sorted(boots)
    every = [x for place in places for x in boots[place]]
    segment = np.searchsorted(np.array(places), np.arange(1, last + 1), side="left")
    rows = [_segments([boots[p] for p in places], levels._replace(sigma=levels.sigma * factor), max(every) - min(every))
            for factor in _SCALES]  # fmt: skip
    weights = _log_sum(np.array(rows).T)[segment]
    odds = np.exp(weights - weights.max())
    result: Floats = odds / odds.sum()
    return result


def _segments(boots: Sequence[Sequence[float]], levels: Levels, spread: float) -> "Floats":
    """Logarithm of the likelihood of all boots, for a step before the first place, before the second, ..., after the
    last."""
    import numpy as np

    grid = np.linspace(-_REACH, _REACH, _CELLS) * levels.sigma
    width = spread + 6 * levels.sigma
    as_good = np.array([_log_likelihood(values, levels.good + grid, levels.sigma, width) for values in boots])
    as_bad = np.array([_log_likelihood(values, levels.bad + grid, levels.sigma, width) for values in boots])
    # All before the step are good, all after it bad. The two levels are independent: each is integrated by itself.
    none = np.zeros((1, _CELLS))
    before = _log_sum(np.vstack([none, np.cumsum(as_good, axis=0)]))
    after = _log_sum(np.vstack([np.cumsum(as_bad[::-1], axis=0)[::-1], none]))
    return before + after


def _log_likelihood(values: Sequence[float], means: "Floats", sigma: float, width: float) -> "Floats":
    """Of all boots of one place, for each mean: mostly normal, the rest flat over `width`."""
    import numpy as np

    x = np.array(values)[:, None]
    normal = (1 - SLAB) / (sigma * np.sqrt(2 * np.pi)) * np.exp(-0.5 * ((x - means[None, :]) / sigma) ** 2)
    total: Any = np.log(normal + SLAB / width).sum(axis=0)
    return np.asarray(total, dtype=np.float64)


def _log_sum(rows: "Floats") -> "Floats":
    import numpy as np

    top = rows.max(axis=1, keepdims=True)
    result: Floats = (top + np.log(np.exp(rows - top).mean(axis=1, keepdims=True)))[:, 0]
    return result
