# SPDX-License-Identifier: GPL-2.0-only
"""Answers from stored function costs, for the applications whose answer they decide. Nothing is measured.

The atlas has the cost of each function alone and with all that it calls, and not which of them calls which. One
function has an exact answer. Of several the smallest and the largest possible cost are known; if both give the same
verdict, that is the answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import fsum

from msgspec import structs

from kassay.labs.notice.finding import Looked
from kassay.labs.notice.kernels import Kernel
from kassay.labs.notice.model import NOTICED, Noticed, Origin, SoughtFunction
from kassay.labs.notice.subject import Sought
from kassay.model.experiment import WorkloadUse
from kassay.model.records import Setting
from kassay.tools.atlas.read import Atlas
from kassay.tools.atlas.records import NOTHING, AtlasCost, AtlasKernel, AtlasSeries

Costs = Mapping[str, AtlasCost]
Bounds = tuple[float, float]
"""Smallest and largest cost or share."""


def from_atlas(
    looked: Looked, uses: Sequence[WorkloadUse], atlas: Atlas, arch: str, locators: Sequence[str]
) -> tuple[Noticed, ...]:
    """The applications of which the atlas decides the answer, at every setting of their use.

    locators: package version of each kernel, "" for one that is no stock kernel; images count before them.
    """
    kernels = [
        _kernel(kernel, locator, atlas, arch) for kernel, locator in zip(looked.wanted.all, locators, strict=True)
    ]
    found = [kernel.id for kernel in kernels if kernel is not None]
    names = looked.sought.whole | looked.sought.alone
    if len(found) < len(kernels) or names & looked.entry_code:
        return ()
    costs = atlas.costs(names)
    known = [{name for (_, at), by_name in costs.items() if at == kernel for name in by_name} for kernel in found]
    if not looked.subject.workload and any(names - of_kernel for of_kernel in known):
        return ()  # a user's name that a kernel lacks or has inlined, or that nothing executes: symbols decide which
    defaults = atlas.defaults()
    answers: list[Noticed] = []
    for use in uses:
        series = _series_of(use, atlas, found, arch, defaults.get(use.name, {}))
        of_use = [_noticed(one, found, looked, atlas, costs) for one in series]
        answers += [answer for answer in of_use if answer] if all(of_use) else []
    return tuple(answers)


def _kernel(kernel: Kernel, locator: str, atlas: Atlas, arch: str) -> AtlasKernel | None:
    if kernel.use.cmdline or kernel.use.cpu:
        return None
    known = [one for one in atlas.kernels.values() if one.arch == arch]
    if kernel.image_sha256:
        return next((one for one in known if one.image_sha256 == kernel.image_sha256), None)
    return next((one for one in known if locator and one.locator == locator), None)


def _series_of(
    use: WorkloadUse, atlas: Atlas, kernels: Sequence[str], arch: str, defaults: Mapping[str, str]
) -> Sequence[AtlasSeries]:
    """One series for each setting of a use, on all kernels; none if one of the settings lacks a kernel."""
    axes = {axis.name: axis.values for axis in use.axes}
    asked = {**{name: (value,) for name, value in defaults.items()}, **axes}
    found: dict[tuple[str, ...], AtlasSeries] = {}
    for series in atlas.series.values():
        is_whole = all((series.id, kernel) in atlas.cells for kernel in kernels)
        if series.workload != use.name or series.arch != arch or not is_whole or series.settings.keys() != asked.keys():
            continue
        values = tuple(series.settings[name] for name in asked)
        if all(value in asked[name] for name, value in zip(asked, values, strict=True)):
            known = found.setdefault(values, series)
            if _newest(atlas, series, kernels) > _newest(atlas, known, kernels):
                found[values] = series
    return tuple(found.values()) if found.keys() == set(product(*asked.values())) else ()


def _newest(atlas: Atlas, series: AtlasSeries, kernels: Sequence[str]) -> str:
    return min(atlas.cells[series.id, kernel].date for kernel in kernels)


def _noticed(
    series: AtlasSeries,
    kernels: Sequence[str],
    looked: Looked,
    atlas: Atlas,
    all_costs: Mapping[tuple[str, str], Costs],
) -> Noticed | None:
    """None if the costs do not decide it, or if nobody compared the kernels."""
    cells = [atlas.cells[series.id, kernel] for kernel in kernels]
    sides = [all_costs.get((series.id, kernel), {}) for kernel in kernels]
    base, head = cells[0], cells[1] if len(cells) > 1 else None
    answer = Noticed(
        application=series.workload, verdict="unknown", unit=series.unit,
        settings=tuple(Setting(name=name, value=value) for name, value in series.settings.items()),
        base_value=base.value, head_value=head and head.value, change=head and head.value / base.value - 1,
        origin=Origin(
            kernels=tuple(atlas.kernels[kernel].ref for kernel in kernels), runs=tuple(cell.n for cell in cells),
            dates=tuple(cell.date for cell in cells), emulator=series.emulator,
        ),
    )  # fmt: skip
    if head is not None:
        judged = atlas.verdict(series.id, kernels[0], kernels[1])
        if judged is None:
            return None
        if judged.refused:
            return structs.replace(answer, problem=f"{judged.verdict}: {'; '.join(judged.reasons)}")
        answer = structs.replace(answer, evidence=judged.evidence, floor=judged.floor)
    bounds = [_bounds(looked.sought, side) for side in sides]
    if None in bounds:
        return None
    costs = [each for each in bounds if each is not None]
    answer = structs.replace(answer, functions=tuple(_functions(looked.sought, sides)))
    if not any(most for _, most in costs):
        return structs.replace(answer, verdict="unexecuted", share=None if head is None else 0.0)
    if head is None:
        return structs.replace(answer, verdict="executed", overlap=costs[0][0] < costs[0][1])
    (least_base, most_base), (least_head, most_head) = costs
    share = (least_head - most_base) / base.value, (most_head - least_base) / base.value
    if least_base == most_base and least_head == most_head:
        return structs.replace(answer, verdict=_verdict_of(*share), share=share[0])
    verdict = _verdict_of(*share)
    return structs.replace(answer, verdict=verdict, bounds=share, overlap=True) if verdict else None


def _bounds(sought: Sought, costs: Costs) -> Bounds | None:
    """Cost of all sought functions together; None without call stacks."""
    whole = [costs.get(name, NOTHING) for name in sought.whole]
    with_callees = [cost.whole for cost in whole if cost.whole is not None]
    if len(with_callees) < len(whole):
        return None
    alone = fsum(costs.get(name, NOTHING).own for name in sought.alone)
    if not any(with_callees):
        return alone, alone
    most = fsum(with_callees) + alone
    if most == max(with_callees):
        return most, most
    return min(most, max(*with_callees, fsum(cost.own for cost in whole) + alone)), most


def _verdict_of(least: float, most: float) -> str:
    """The verdict for a share between these two; "" if the two ends give different ones."""
    if least >= NOTICED or most <= -NOTICED:
        return "noticed"
    return "below" if max(-least, most) < NOTICED else ""


def _functions(sought: Sought, sides: Sequence[Costs]) -> Iterator[SoughtFunction]:
    """Largest cost first."""
    rows = []
    for name in sought.whole | sought.alone:
        whole = name in sought.whole
        costs = [side.get(name, NOTHING) for side in sides]
        values = [cost.whole if whole else cost.own for cost in costs]
        rows.append(SoughtFunction(
            function=name, whole=whole, base=values[0], head=values[1] if len(values) > 1 else None,
            base_calls=costs[0].calls, head_calls=costs[1].calls if len(costs) > 1 else None,
        ))  # fmt: skip
    yield from sorted(rows, key=lambda row: (-max(row.base or 0, row.head or 0), row.function))
