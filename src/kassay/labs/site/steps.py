# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of a history -> steps between two kernels of one line."""

from collections.abc import Mapping, Sequence

from kassay.labs.site.model import FunctionCost, SiteKernel, SitePrediction, SiteSeries, SiteStep
from kassay.labs.site.rows import Comparison
from kassay.labs.site.sources import SourceNames
from kassay.model.profile import base_name
from kassay.supply.clocks import clock_of

_ADDRESSED = 0.1
"""Share of the change from which on the people of a function are named."""


def steps_of(
    found: Sequence[Comparison], kernels: Mapping[int, SiteKernel], series: Mapping[int, SiteSeries], names: SourceNames
) -> tuple[SiteStep, ...]:
    """One step for each series and pair of kernels, the newest comparison of each. Base is the older kernel."""
    order = {number: place for place, number in enumerate(kernels)}
    newest: dict[tuple[str, str, str, str], SiteStep] = {}
    for comparison in found:
        base, head = kernels.get(comparison.base), kernels.get(comparison.head)
        row = series.get(comparison.series)
        if base is None or head is None or row is None or base.arch != head.arch:
            continue
        if order[comparison.base] < order[comparison.head]:
            newest[row.arch, row.key, base.key, head.key] = _step(comparison, base, head, row, names)
    return tuple(newest.values())


def _step(comparison: Comparison, base: SiteKernel, head: SiteKernel, row: SiteSeries, names: SourceNames) -> SiteStep:
    detail = comparison.detail
    repeat = f"kassay compare {row.command} {base.ref} {head.ref}"
    return SiteStep(
        series=row.key, arch=row.arch, before=base.key, after=head.key, change=comparison.change,
        before_value=comparison.base_value, after_value=comparison.head_value, n_before=comparison.base_n,
        n_after=comparison.head_n, verdict=comparison.verdict, evidence=comparison.evidence, floor=comparison.floor,
        margin=clock_of("icount").margin, reasons=detail.reasons, confounders=detail.confounders,
        sentence=detail.sentence,
        functions=tuple(
            FunctionCost(function=f.function, base=f.base, head=f.head, file=names.files.get(base_name(f.function), ""))
            for f in detail.functions
        ),
        unattributed=detail.rest,
        predictions=tuple(
            SitePrediction(cpu=cpu, change=change, low=low, high=high)
            for cpu, change, low, high in detail.predictions
        ),
        accesses=detail.accesses,
        measured_utc=comparison.added_utc, kassay_version=detail.version,
        repeat=(repeat,) if base.ref and head.ref else (),
        recipients=names.recipients(_addressed(comparison)),
    )  # fmt: skip


def _addressed(comparison: Comparison) -> tuple[str, ...]:
    """Functions that make up a good part of the change."""
    least = _ADDRESSED * abs((comparison.head_value or 0.0) - (comparison.base_value or 0.0))
    return tuple(base_name(f.function) for f in comparison.detail.functions if abs(f.head - f.base) >= least)
