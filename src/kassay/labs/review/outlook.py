# SPDX-License-Identifier: GPL-2.0-only
"""`kassay review --plan`: kernels that would be built and settings that would be run, with an estimate of time."""

from pathlib import Path

from kassay.labs.review.choice import neighbours
from kassay.labs.review.known import known, known_texts, uses_of
from kassay.labs.review.review import Wanted
from kassay.model.build import parse_build
from kassay.model.kernel import parse_ref
from kassay.model.progress import Tell
from kassay.model.texts import listed
from kassay.spec.load import suite_workloads
from kassay.supply.building.changes import changed_functions
from kassay.supply.building.patches import read_patches, steps
from kassay.supply.building.source import source_tree
from kassay.supply.guest import catalog

_RUN_S, _KERNEL_S, _NEXT_KERNEL_S = 0.4, 200, 30
"""Seconds of one restored run, of a kernel that is built from nothing, and of one that differs in a few files, on two
idle cores; for an estimate only."""
_MEASURED_RUNS, _ONCE = 8, 2


def outlook(wanted: Wanted, tell: Tell) -> str:
    """The plan as text."""
    patches = read_patches(Path(wanted.patches))
    tree, source = source_tree(parse_build(parse_ref(wanted.base, wanted.arch).locator), tell)
    functions = changed_functions(tree, steps(tree, patches)[-1])
    answer = known(functions, source.version, wanted.arch, tell)
    uses, unknown = uses_of(answer), answer.unknown
    catalogue = catalog.workloads()
    first = suite_workloads(wanted.suite) if unknown else uses
    near = sum(len(neighbours(use, catalogue[use.name])) for use in uses)
    once_s = (len(first) + near) * _ONCE * _RUN_S
    measured_s = wanted.settings * _MEASURED_RUNS * _RUN_S
    kernels = 2 if len(patches) == 1 else 2 * len(patches)
    further_s = (kernels - 2) * _NEXT_KERNEL_S
    lines = [
        f"series: {len(patches)} patch{'es' * (len(patches) != 1)} on {source.base}, Linux {source.version}",
        f"changed functions: {listed(functions) or 'none'}",
        *known_texts(answer),
        *([f"no workload is known to execute {listed(unknown)}: suite {wanted.suite} is run once"] if unknown else []),
        "",
        f"build   base and the series: {_minutes(_KERNEL_S + _NEXT_KERNEL_S)} if neither was built before",
        f"once    {len(first)} workloads and {near} neighbouring settings on both kernels: {_minutes(once_s)}",
        f"measure at most {wanted.settings} settings: {_minutes(measured_s)}",
        *([f"patches {kernels - 2} further kernels: {_minutes(further_s)}"] if kernels > 2 else []),
        *(f"corner  {name}: {_minutes(_KERNEL_S + _NEXT_KERNEL_S)}" for name in wanted.corners),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _minutes(seconds: float) -> str:
    return f"about {seconds / 60:.0f} min" if seconds >= 90 else f"about {seconds:.0f} s"
