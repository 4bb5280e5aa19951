# SPDX-License-Identifier: GPL-2.0-only
"""`kassay review --plan`: kernels that would be built and settings that would be run, with an estimate of time."""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from kassay.labs.review.choice import neighbours
from kassay.labs.review.known import known, known_texts, uses_of
from kassay.labs.review.model import TEXTS_ONLY, Key, Known
from kassay.labs.review.review import Wanted
from kassay.labs.review.settings import setting_text
from kassay.model.build import parse_build
from kassay.model.experiment import WorkloadUse
from kassay.model.kernel import parse_ref
from kassay.model.progress import Tell
from kassay.model.records import Setting
from kassay.model.texts import counted, listed
from kassay.model.units import format_duration
from kassay.spec.load import suite_workloads
from kassay.supply.building.changes import FunctionOfFile, changed_functions, names_in_kernels
from kassay.supply.building.hunks import function_of, hunks_of
from kassay.supply.building.patches import Patch, read_patches, steps
from kassay.supply.building.source import change_kernel, source_tree
from kassay.supply.prepare.workloads import describe_workloads

_RUN_S, _KERNEL_S, _NEXT_KERNEL_S = 0.4, 200, 30
"""Seconds of one restored run, of a kernel that is built from nothing, and of one that differs in a few files, on two
idle cores; for an estimate only."""
_MEASURED_RUNS, _ONCE, _SPOTS = 8, 2, 2
_WIDTH, _LABEL = 100, 10


def outlook(wanted: Wanted, fetch: str, tell: Tell) -> str:
    """The plan as text. fetch: the file with the sources of base, if it has to be downloaded; "" if they are there."""
    patches = read_patches(Path(wanted.patches))
    build = parse_build(parse_ref(wanted.base, wanted.arch).locator)
    if fetch:
        base, version = wanted.base, build.tree.rpartition(":")[2]
        functions = _functions_of_the_diffs(patches, wanted.arch)
    else:
        tree, source = source_tree(build, tell)
        base, version = f"{source.base}, Linux {source.version}", source.version
        whole = steps(tree, patches)[-1]
        if not change_kernel(tree, whole):
            return "\n".join((*_row("series", f"{counted(len(patches), 'patch')} on {base}"), TEXTS_ONLY, ""))
        functions = names_in_kernels(changed_functions(tree, whole), wanted.arch)
    answer = known(functions, version, wanted.arch, tell)
    return "\n".join(_lines(wanted, patches, base, functions, answer, fetch)) + "\n"


def _functions_of_the_diffs(patches: Sequence[Patch], arch: str) -> tuple[str, ...]:
    hunks = (each for patch in patches for each in hunks_of(patch.text))
    named = (FunctionOfFile(file.path, name) for file, hunk in hunks if (name := function_of(hunk)))
    return names_in_kernels(named, arch)


def _lines(
    wanted: Wanted, patches: Sequence[Patch], base: str, functions: Sequence[str], answer: Known, fetch: str
) -> Iterator[str]:  # fmt: skip
    uses, unknown = uses_of(answer), answer.unknown
    first = _texts(suite_workloads(wanted.suite) if unknown or not functions else uses)
    described = describe_workloads(uses, None)
    near = [text for use in uses for text in _texts(neighbours(use, described[use.name]))]
    once = tuple(dict.fromkeys((*first, *near)))
    most = min(wanted.settings, len(once))
    kernels = 2 if len(patches) == 1 else 2 * len(patches)
    times = {
        "build": (_KERNEL_S + _NEXT_KERNEL_S, "base and the series"),
        "once": (len(once) * _ONCE * _RUN_S, f"{counted(len(once), 'setting')} on both kernels"),
        "measure": (most * _MEASURED_RUNS * _RUN_S, f"at most {most} of these"),
    }  # fmt: skip
    if kernels > 2:
        runs_s = _SPOTS * kernels * _MEASURED_RUNS / 2 * _RUN_S
        times["patches"] = ((kernels - 2) * _NEXT_KERNEL_S + runs_s, f"{kernels - 2} further kernels")
    if wanted.previous:
        times["previous"] = (_NEXT_KERNEL_S + most * _MEASURED_RUNS * _RUN_S, "the kernel of the earlier version")
    for name in wanted.corners:
        times[f"corner {name}"] = (_KERNEL_S + _NEXT_KERNEL_S, "two kernels")
    if fetch:
        yield from _row("download", f"{fetch}; the functions are those that the diffs name until then")
    yield from _row("series", f"{counted(len(patches), 'patch')} on {base}")
    yield from _row("functions", listed(functions) or "none")
    yield from known_texts(answer)
    if unknown:
        yield from _row("", f"no workload is known to execute {listed(unknown)}: suite {wanted.suite} is run once")
    if not functions:
        yield from _row("", f"if the kernels differ, suite {wanted.suite} is run once, then settings near its largest "
                        "changes, which are not in the estimate; if they are the same, the review ends after the "
                        "build")  # fmt: skip
    yield ""
    for name, (seconds, what) in times.items():
        yield from _row(name, f"{what}: about {format_duration(seconds, minutes_from=90)}")
        yield from _row("", ", ".join(once)) if name == "once" else ()
    total = sum(seconds for seconds, _ in times.values())
    whole, rest = (format_duration(one, minutes_from=90) for one in (total, total - times["build"][0]))
    yield from _row("total", f"about {whole}; about {rest} if base and the series were built before")


def _texts(uses: Sequence[WorkloadUse]) -> list[str]:
    """The settings of workloads, one for each combination of their values."""
    keys: list[Key] = [
        (use.name, tuple(Setting(name=axis.name, value=value) for axis, value in zip(use.axes, values, strict=True)))
        for use in uses
        for values in product(*(axis.values for axis in use.axes))
    ]
    return [setting_text(*key) for key in keys]


def _row(name: str, text: str) -> list[str]:
    label = f"{name:<{_LABEL}}" if len(name) < _LABEL else f"{name}  "
    return textwrap.wrap(text, _WIDTH, initial_indent=label, subsequent_indent=" " * _LABEL, break_on_hyphens=False)
