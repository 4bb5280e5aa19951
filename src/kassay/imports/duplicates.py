# SPDX-License-Identifier: GPL-2.0-only
"""Metrics that are another metric times a constant say nothing new, and must not be counted as a second witness."""

import math
from collections import defaultdict

from kassay.model.samples import SampleSeries

_TOTAL, _PER_PAGE = "_ns_avg", "_ns_per_page"


def without_duplicates(series: tuple[SampleSeries, ...]) -> tuple[tuple[SampleSeries, ...], tuple[str, ...]]:
    """Leaves out every X_ns_avg that is X_ns_per_page times one whole number of pages in all runs, and says so."""
    by_metric: dict[tuple[object, ...], list[SampleSeries]] = defaultdict(list)
    for one in series:
        by_metric[one.workload, one.settings, one.metric].append(one)
    dropped: dict[tuple[object, ...], int] = {}
    for (workload, settings, metric), totals in by_metric.items():
        if isinstance(metric, str) and metric.endswith(_TOTAL):
            pages = _pages(totals, by_metric.get((workload, settings, metric.removesuffix(_TOTAL) + _PER_PAGE), []))
            if pages is not None:
                dropped[workload, settings, metric] = pages
    notes = (f"{metric} is {str(metric).removesuffix(_TOTAL)}{_PER_PAGE} times {pages} pages; it is left out"
             for (_, _, metric), pages in dropped.items())  # fmt: skip
    kept = tuple(one for one in series if (one.workload, one.settings, one.metric) not in dropped)
    return kept, tuple(dict.fromkeys(notes))


def _pages(totals: list[SampleSeries], per_page: list[SampleSeries]) -> int | None:
    """The whole number that explains every pair of values; values per page are printed without decimals."""
    values = {(one.kernel, sample.run): sample.value for one in per_page for sample in one.samples}
    least, most, pairs = 1.0, math.inf, 0
    for one in totals:
        for sample in one.samples:
            small = values.get((one.kernel, sample.run))
            if (sample.value is None) != (small is None):
                return None
            if sample.value is not None and small is not None and small > 1:
                least, most = max(least, sample.value / (small + 1)), min(most, sample.value / (small - 1))
                pairs += 1
    if not pairs or math.ceil(least) > most:
        return None
    return _roundest(math.ceil(least), math.floor(most))


def _roundest(least: int, most: int) -> int:
    """The number between both that most powers of two divide: workloads have round sizes."""
    step = 1
    while (most // (2 * step)) * 2 * step >= least:
        step *= 2
    return (most // step) * step
