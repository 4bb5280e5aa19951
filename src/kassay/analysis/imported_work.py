# SPDX-License-Identifier: GPL-2.0-only
"""The number of operations behind imported values of whole runs: a run that did more of them took longer for that."""

from statistics import median
from typing import NamedTuple

from kassay.model.reason import Reason, reason
from kassay.model.samples import Samples, SampleSeries

LIMIT = 0.0025
"""Relative difference from which numbers of operations are not the same: a quarter of the usual margin."""

_ELAPSED = "time.elapsed_time"


class _Operations(NamedTuple):
    """Operations of a run."""

    name: str
    number: float
    apart: float
    """Difference between the runs of one kernel, relative to the number."""


def other_work(samples: Samples, base: SampleSeries, head: SampleSeries) -> Reason | None:
    """Reason why two times of whole runs cannot be compared: the files show that the runs did other numbers of
    operations."""
    if base.unit != "s" or not base.metric.startswith("time."):
        return None
    counts = [_operations(samples, series) for series in (base, head)]
    first, second = counts
    if first is None or second is None:
        return None
    if abs(second.number / first.number - 1) <= max(LIMIT, first.apart, second.apart):
        return None
    return reason(
        "runs-did-other-work", what=first.name, base_value=first.number, base=base.kernel, head_value=second.number,
        head=head.kernel,
    )  # fmt: skip


def _operations(samples: Samples, of: SampleSeries) -> _Operations | None:
    """A printed count, or operations per second times the seconds that the run took."""
    same = [s for s in samples.series if (s.kernel, s.workload, s.settings) == (of.kernel, of.workload, of.settings)]
    count = next((series for series in same if series.unit == "ops"), None)
    if count is not None:
        return _as_operations(count.metric, [count])
    rate = next((s for s in same if s.metric.endswith(".workload") and s.unit == "ops/s"), None)
    elapsed = next((s for s in same if s.metric == _ELAPSED), None)
    return _as_operations(f"{rate.metric} x {_ELAPSED}", [rate, elapsed]) if rate and elapsed else None


def _as_operations(name: str, factors: list[SampleSeries]) -> _Operations | None:
    number, apart = 1.0, 0.0
    for series in factors:
        values = [sample.value for sample in series.samples if sample.value is not None]
        value = series.spread.mean if series.spread is not None else median(values) if values else 0.0
        if value <= 0:
            return None
        number *= value
        apart += (series.spread.deviation or 0.0) if series.spread is not None else (max(values) - min(values)) / value
    return _Operations(name, number, apart)
