# SPDX-License-Identifier: GPL-2.0-only
"""Which settings to run: workloads that execute the changed functions, their neighbours, and the fewest that cover all
ways through the code."""

from collections.abc import Collection, Mapping, Sequence
from itertools import product

from kassay.labs.review.model import Key
from kassay.labs.review.outcomes import Way
from kassay.model.experiment import Axis, WorkloadUse
from kassay.model.workload import Parameter, Workload

_ORDERS = ("0", "2", "4", "9")
"""Folio orders that stand for all: single pages, the smallest large folio, a batch of contiguous PTEs, a huge page."""
_MOST_VALUES, _MOST_SETTINGS = 4, 12


def neighbours(use: WorkloadUse, workload: Workload) -> tuple[WorkloadUse, ...]:
    """The use with every combination of its choices that can be measured; of too many, each choice by itself.

    Sizes stay as they are.
    """
    fixed = {axis.name: axis.values[0] for axis in use.axes}
    free = {p.name: _values(p) for p in workload.parameters if p.choices}
    usual = {p.name: fixed.get(p.name, p.default) for p in workload.parameters}
    combinations = [dict(zip(free, values, strict=True)) for values in product(*free.values())]
    if len(combinations) > _MOST_SETTINGS:
        combinations = [{name: value} for name, values in free.items() for value in values]
    complete = (usual | chosen for chosen in combinations)
    settings = {tuple(sorted(one.items())): one for one in complete if not workload.conflict(one, ())}
    return tuple(
        WorkloadUse(name=use.name, axes=tuple(Axis(name=name, values=(value,)) for name, value in chosen.items()))
        for chosen in settings.values()
    )


def _values(parameter: Parameter) -> Sequence[str]:
    if parameter.name == "order":
        return [order for order in _ORDERS if order in parameter.choices]
    first = [parameter.default, *(choice for choice in parameter.choices if choice != parameter.default)]
    return first[:_MOST_VALUES]


def chosen(
    took: Mapping[Key, Collection[tuple[str, Way]]], changes: Mapping[Key, float], extremes: int, most: int
) -> tuple[Key, ...]:
    """The settings to measure: those with the largest gains and losses, then the fewest that take every way.

    took: by setting the ways that it took, each with its kernel. changes: by setting the change in its primary phase
    when it was run once. extremes: number of gains, and of losses. At most `most` settings.
    """
    by_change = sorted((key for key in changes if changes[key]), key=lambda key: changes[key])
    picked = [key for key in by_change[:extremes] if changes[key] < 0]
    picked += [key for key in by_change[::-1][:extremes] if changes[key] > 0]
    left = set().union(*took.values()) if took else set()
    for key in picked:
        left -= set(took.get(key, ()))
    while left and len(picked) < most:
        best = max(sorted(took, key=str), key=lambda key: len(left & set(took[key])))
        if not left & set(took[best]):
            break
        picked.append(best)
        left -= set(took[best])
    return tuple(dict.fromkeys(picked))[:most]


def use_of(key: Key) -> WorkloadUse:
    """The workload with one value for each of its settings."""
    name, settings = key
    return WorkloadUse(name=name, axes=tuple(Axis(name=s.name, values=(s.value,)) for s in settings))
